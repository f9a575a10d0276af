#!/usr/bin/env bats
# A site of http that links to itself with https, where nobody listens: only
# those links have failed.

load helper
load site

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
            timeout -k 5 "$LIMIT" "$CRAWLER" --log json --scope host --delay 0 \
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
