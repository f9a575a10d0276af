#!/usr/bin/env bats
# Hosts that do not answer over https, or where nobody listens for it.

load helper
load site

@test "https that is given up stays so when the crawl goes on, and http is asked" {
    serve <<'END'
/
    body <a href=https://example.org/secure>.</a><a href=/1>.</a><a href=/2>.</a>
/2
    body <a href=https://example.org/late>.</a><a href=/3>.</a>
/*
    body a page
END
    capture "${LIMITED[@]}" "$CRAWLER" --log none --scope host --delay 0 \
        --connect-to example.org:443:127.0.0.1:1 \
        --connect-to "::127.0.0.1:$PORT" --robots ignore --retries 0 \
        --max-pages 2 http://example.org/ "$DIR" 3
    same 3 "$STATUS"
    same "connection-refused" "$(sqlite3 "$DIR/.crawler" \
        "SELECT outcome FROM urls WHERE url = 'https://example.org/secure'")"
    capture "${LIMITED[@]}" "$CRAWLER" --resume --max-pages 9 "$DIR"
    same 0 "$STATUS"
    same 4 "$(page_count)"
    # It was found after the resume, and nobody asked for it.
    same "failed host-dead 0" "$(sqlite3 -separator ' ' "$DIR/.crawler" \
        "SELECT state, outcome, fetches FROM urls WHERE url = 'https://example.org/late'")"
    "$CRAWLER" why "$DIR" https://example.org/late >"$TMP/why"
    grep -qx '  host  *example.org was given up for https; last: connection refused' \
        "$TMP/why" || fail "$(cat "$TMP/why")"
}

# How much of their rate the healthy hosts keep is for a quiet machine to tell.
@test "https hosts that never answer keep no page from the others, and cost bounded memory" {
    without_sanitizer
    CRAWLER=$CRAWLER TIMEOUT=15s "$PROJECT/tools/measure-tarpits-https" 200 5 10 >"$TMP/told" 2>&1 ||
        fail "$(cat "$TMP/told")"
    awk '/ a tarpit$/ { seen = 1; exit !($(NF - 3) < 130) } END { exit !seen }' "$TMP/told" ||
        fail "$(cat "$TMP/told")"
}

@test "an https port that is closed costs no page of http" {
    serve <<'END'
/robots.txt 404
/
    body <a href=https://example.org/secure>.</a><a href=/1>.</a><a href=/2>.</a>
/1
    body <a href=https://example.org/another>.</a><a href=/3>.</a>
/*
    body a page
END
    for robots in obey ignore; do
        for retries in 0 1; do
            rm -rf "$DIR" && mkdir "$DIR"
            "${LIMITED[@]}" "$CRAWLER" --log json --scope host --delay 0 \
                --connect-to example.org:443:127.0.0.1:1 \
                --connect-to "::127.0.0.1:$PORT" --robots "$robots" \
                --retries "$retries" http://example.org/ "$DIR" 3 >"$TMP/log"
            same "/ fetched
/1 fetched
/2 fetched
/3 fetched" "$(outcomes | grep '^/')" "$robots, $retries"
            outcomes | grep -q '^https://example.org/secure connection-refused$'
        done
    done
}
