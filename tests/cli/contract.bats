#!/usr/bin/env bats
# The contract of the CS50 crawler, where a clock or the bare command is needed;
# the rest of it is tests/cases/contract.case.

load helper
load bare

@test "three arguments and nothing else: only pages are asked for" {
    start_playground --letters
    bare_start
    capture bare "$LETTERS/index.html" "$DIR" 1
    same 0 "$STATUS" "exit status"
    silent "$ERR"
    same 5 "$(wc -l <"$OUT")" "lines of the log"
    whole_pages 2
    stop_playground
    same "/tse/letters/index.html
/tse/letters/A.html" "$(record_column path)" "requests"
    gap=$(record_min_gap_ms)
    [ "$gap" -ge 990 ] || fail "a pause of $gap ms"
}

@test "the pause is at least a second from the end of a fetch to the next" {
    # A server that has to wait for a processor notes an end too late, and the
    # pause looks a little short; not three times in a row.
    for _ in 1 2 3; do
        start_playground --letters
        # The defaults, as a student runs it.
        crawl "$LETTERS/index.html" "$DIR" 2 >/dev/null
        whole_pages 3
        same 3 "$(record_total)" "requests"
        gap=$(record_min_gap_ms)
        [ "$gap" -lt 1000 ] || break
    done
    [ "$gap" -ge 1000 ] || fail "a pause of $gap ms"
    [ "$gap" -lt 8000 ] || fail "a pause of $gap ms is more than asked for"
}

@test "the pause is never short by a part of a millisecond" {
    start_playground --letters
    for _ in 1 2 3; do
        crawl --delay 7ms --per-host 1 "$LETTERS/index.html" "$DIR" 10 >/dev/null
    done
    whole_pages 9
    stop_playground
    # The server may be late to note an end, so a few may look shorter.
    record_lines | sort -n | awk -F '\t' '
        NR > 1 && $7 !~ /index/ && $1 - end < 7000 {
            print "a pause of " $1 - end " us"
            short++
        }
        { end = $2 }
        END { exit short > 4 || NR != 27 }'
}

@test "the pause is counted from the end of a slow answer" {
    cat >"$TMP/slow.site" <<'END'
/tse/
    delay 200ms
    body <a href=a.html>a</a><a href=b.html>b</a>
/tse/a.html
    repeat 30 0123456789
    drip 100 60ms
/tse/b.html
    body b
END
    start_playground --site "$TMP/slow.site"
    crawl --delay 150ms http://cs50tse.cs.dartmouth.edu/tse/ "$DIR" 1 >/dev/null
    whole_pages 3
    stop_playground
    gap=$(record_min_gap_ms)
    # The answers take longer than this.
    [ "$gap" -ge 120 ] || fail "a pause of $gap ms"
}
