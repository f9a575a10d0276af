#!/usr/bin/env bats
# Pages of a server with an IPv6 address. What else servers do is in
# tests/cases/http.case.

load helper

@test "IPv6 addresses are fetched from, as the seed and by --connect-to" {
    [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6 ||
        skip "no IPv6 loopback here"
    cat >"$TMP/my.site" <<'END'
/
    body <a href=/next>.</a>
/next
    body next
END
    start_playground --site "$TMP/my.site" --record-headers --listen '[::1]:0'
    run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --delay 0 \
        "http://[0:0::1]:$PORT/" "$DIR" 1
    same 0 "$status"
    same "http://[::1]:$PORT/
http://[::1]:$PORT/next" "$(page_urls)"
    [[ $(record_column request | head -n 1) == *"Host: [::1]:$PORT\\r"* ]]

    run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --delay 0 \
        --connect-to "example.org:80:[::1]:$PORT" http://example.org/ "$DIR" 1
    same 0 "$status"
    same 2 "$(record_total example.org)"
}
