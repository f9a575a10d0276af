#!/usr/bin/env bats
# The HTML report of `crawler report` in Chromium. Run by `make test-browser`.

load ../cli/helper
load browser

setup_file() {
    use_browser
}

@test "the HTML report has no finding of axe-core, in the light, in the dark and on a phone" {
    need_browser
    start_playground --web report --hosts 3 --pages 120 --broken 5% --redirects 5% --size 500 --slow 0 --limited 0 --flaky 0
    crawl --links --delay 0 --quiet --scope any http://d0.example/ "$DIR" 20
    capture "$CRAWLER" report --format html --output "$TMP/report.html" "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    in_browser report.mjs "$TMP/report.html"
}
