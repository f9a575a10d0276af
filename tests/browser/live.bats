#!/usr/bin/env bats
# The live page of a crawl in Chromium. Run by `make test-browser`.

load ../cli/helper
load browser

setup_file() {
    use_browser
}

# A crawl of several hosts that goes on until it is stopped, with its page.
setup() {
    helper_setup
    need_browser
    start_playground --web live --hosts 8 --pages 20000 --skew 0 --size 500 --slow 0 --rules 0 --errors 5%
    "$CRAWLER" --listen 127.0.0.1:0 --robots ignore --connect-to "::127.0.0.1:$PORT" --quiet --delay 500ms \
        --ip-delay 0 --scope any --max-time "${LIMIT}s" http://d0.example/ "$DIR" 1000 2>"$TMP/err" 3>&- &
    CRAWL=$!
    timeout "$LIMIT" bash -c 'until grep -q "watch it at" "$1"; do sleep 0.02; done' - "$TMP/err"
    LIVE=$(sed -n 's/.*watch it at //p' "$TMP/err")
}

teardown() {
    kill -TERM "${CRAWL:-0}" 2>/dev/null || :
    wait "$CRAWL" 2>/dev/null || :
    helper_teardown
}

judge() {
    in_browser live.mjs "$1" "$LIVE" "$DIR" "$RECORD" || fail "$(cat "$TMP/err")"
}

@test "the figures on the live page are those of the record, and its plots have points" {
    judge figures
}

@test "a pause of a host that is set on the live page is kept, by the server's record" {
    judge delay
}

@test "a host is dropped on the live page and the order is taken back, and a URL is explained" {
    judge drop
}

@test "the live page is used by keyboard alone, to the end of the crawl" {
    judge keyboard
}

@test "the live page has no finding of axe-core, in the light, in the dark and on a phone" {
    judge access
}
