#!/usr/bin/env bats
# Pages of strangers, open in the same browser as the live page, steer nothing.
# Run by `make test-browser`.

load ../cli/helper
load browser

setup_file() {
    use_browser
}

teardown() {
    kill -TERM "${CRAWL:-0}" 2>/dev/null || :
    wait "$CRAWL" 2>/dev/null || :
    helper_teardown
}

@test "a form, an image and a script of another origin, and a rebound name, give no order" {
    need_browser
    start_playground --web live --hosts 3 --pages 20000 --size 500 --slow 0 --rules 0
    "$CRAWLER" --listen 127.0.0.1:0 --robots ignore --connect-to "::127.0.0.1:$PORT" --quiet --delay 500ms \
        --scope any --max-time "${LIMIT}s" http://d0.example/ "$DIR" 1000 2>"$TMP/err" 3>&- &
    CRAWL=$!
    timeout "$LIMIT" bash -c 'until grep -q "watch it at" "$1"; do sleep 0.02; done' - "$TMP/err"
    LIVE=$(sed -n 's/.*watch it at //p' "$TMP/err")
    cat >"$TMP/evil.site" <<END
/evil
    body <title>evil</title><form method=post enctype=text/plain action="${LIVE%%#*}control"><input name='{"order":"stop","x":"' value='"}'></form>
END
    start_playground --site "$TMP/evil.site"
    in_browser attack.mjs "$LIVE" "http://127.0.0.1:$PORT/evil" || fail "$(cat "$TMP/err")"
}
