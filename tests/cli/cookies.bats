#!/usr/bin/env bats
# A cookie that a redirect sets, over a resume and a pause. What else holds of
# cookies is in tests/cases/cookies.case.

load helper
load site

# gates: pages that come only after a redirect has set a cookie.
gates() {
    serve <<'END'
/robots.txt 404
/
    body <a href=/self>.</a> <a href=/gate>.</a> <a href=/two>.</a> <a href=/other>.</a>
/self
    when Cookie: self=1
    body Self.
/self
    header Set-Cookie: self=1; Path=/self
    redirect /self
/gate
    when Cookie: gate=1
    body Gate.
/gate
    redirect /set
/set
    header Set-Cookie: gate=1
    redirect /gate
/two
    when Cookie: two=b
    body Two.
/two
    when Cookie: two=a
    header Set-Cookie: two=b; Path=/two
    redirect /two
/two
    header Set-Cookie: two=a; Path=/two
    redirect /two
/other
    body <link rel=canonical href=/self>
/p
    body A page.
END
}

@test "a redirect back is asked again after a resume, and with its host's pause" {
    local seed

    for seed in self gate; do
        gates
        printf '%s\n' "http://example.org/$seed" http://example.org/p >"$TMP/seeds"
        capture crawl -q --scope host --delay 300ms --cookie-jar --max-pages 1 --restart \
            --seeds "$TMP/seeds" "$DIR" 0
        same 3 "$STATUS" "$seed"
        "$CRAWLER" -q --resume --max-pages none "$DIR"
        same "/$seed 0 /p 0" "$({ pages | grep -v ^/p; pages | grep ^/p; } | xargs)"
        run -0 "$CRAWLER" verify "$DIR"
        [ "$(record_min_gap_ms)" -ge 300 ] || fail "a gap of $(record_min_gap_ms) ms"
    done
}
