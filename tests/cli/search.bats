#!/usr/bin/env bats
# --search and private addresses, with a server for each of the engine and the
# private network. The rest of it is in tests/cases/search.case.

load helper
load site

@test "a search result does not make its host trusted: private addresses are refused" {
    serve <<'END'
/robots.txt 404
/*
    body <a class=result-link href=http://direct.example/>.</a>
END
    cat >"$TMP/private.site" <<END
//s.example/
    body <a class=result-link href=http://127.0.0.1:$PORT/secret>.</a>
    body <a class=result-link href=http://localhost:$PORT/secret>.</a>
    body <a class=result-link href=http://[::ffff:7f00:1]:$PORT/secret>.</a>
    body <a class=result-link href=http://2130706433:$PORT/secret>.</a>
//moved.example/ 302
    redirect http://127.0.0.1:$PORT/found
END
    private() {
        capture "$CRAWLER" --connect-to "s.example::127.0.0.1:$ENGINE" \
            --connect-to "moved.example::127.0.0.1:$ENGINE" --delay 0 --retries 0 \
            --log json --search x --search-url 'http://s.example/?{query}' "$@" \
            "$DIR" 0
    }
    web_record=$RECORD
    start_playground --site "$TMP/private.site"
    ENGINE=$PORT
    private
    same 4 "$STATUS"
    # The same address three times over is one URL.
    same "private-address private-address private-address" \
        "$(grep -o '"outcome":"[a-z-]*' "$OUT" | cut -d '"' -f 4 | xargs)"
    private --log tse
    same "IgnPriv" "$(awk '{ sub(/:$/, "", $2); print $2 }' "$OUT" | sort -u)"
    # Nor may the engine send us there.
    private --search-url 'http://moved.example/?{query}'
    same 4 "$STATUS"
    grep -q 'could not be made: a private address' "$ERR"
    RECORD=$web_record
    same 0 "$(record_total)" "requests to the private server"
    # Named by the user it is fine.
    private --allow-private
    same 0 "$STATUS"
}
