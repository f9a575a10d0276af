#!/usr/bin/env bats
# The figures of a broad crawl while it runs: SIGUSR1, and what is waited for. The
# figures at the end and priorities: tests/cases/statistics.case.

load helper
load site

# until_true COMMAND...: wait until it is true.
until_true() {
    local i

    for ((i = 0; i < LIMIT * 50; i++)); do
        if "$@"; then
            return
        fi
        sleep 0.02
    done
    fail "did not come true: $*"
}

@test "SIGUSR1 prints the figures and stops nothing" {
    serve <<'END'
/robots.txt 404
/
    links 2 /%d
/hold
    body .
/*
    body A page.
END
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 1s \
        --log pages http://example.org/ "$DIR" 1 >"$TMP/out" 2>"$TMP/err" 3>&- &
    crawler=$!
    until_true [ -e "$DIR/1" ]
    kill -USR1 $crawler
    until_true grep -q '^links by verdict' "$TMP/err"
    grep -q '^crawler: 1 page saved, ' "$TMP/err" || fail "$(cat "$TMP/err")"
    grep -q '^  fetched  *1$' "$TMP/err"
    grep -qE '2 queued \(at most 2\)' "$TMP/err"
    kill -USR1 $crawler
    wait $crawler
    same 3 "$(page_count)"
    # Once for each signal and once at the end.
    same 3 "$(grep -c '^crawler: [0-9] pages\? saved, ' "$TMP/err")"
    same 4 "$(wc -l <"$TMP/out")"
}

@test "SIGUSR1 works for the course's crawl" {
    start_playground --letters
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" "$LETTERS/index.html" "$DIR" 1 \
        >"$TMP/out" 2>"$TMP/err" 3>&- &
    crawler=$!
    until_true [ -e "$DIR/1" ]
    kill -USR1 $crawler
    wait $crawler
    same 1 "$(grep -c '^crawler: [0-9] pages\? saved, ' "$TMP/err")"
    same 2 "$(page_count)"
}

# on_terminal OPTION... ARGUMENT...: the crawler on a terminal; the progress
# lines that it showed, one a line.
on_terminal() {
    local words

    words=$(printf '%q ' "$CRAWLER" --restart --connect-to "::127.0.0.1:$PORT" --log none "$@")
    timeout "$LIMIT" script -qec "stty cols 200 rows 24; $words" /dev/null \
        </dev/null 2>&1 | tr '\r' '\n' | sed $'s/\033\\[K.*//'
}

@test "the progress line tells what is waited for" {
    serve <<'END'
//down.test/robots.txt 503
/robots.txt 404
//busy.test/ 503
    times 1
/*
    links 1 /%d
END
    on_terminal --scope host --delay 700ms http://pause.test/ "$DIR" 1 >"$TMP/lines" || :
    grep -qE ', waiting 0\.[0-9] s for pause\.test$' "$TMP/lines" ||
        fail "$(cat -v "$TMP/lines")"
    on_terminal --scope host --delay 0 --retries 1 http://busy.test/ "$DIR" 0 \
        >"$TMP/lines" || :
    grep -qE ', trying busy\.test again in [01]\.[0-9] s$' "$TMP/lines" ||
        fail "$(cat -v "$TMP/lines")"
    on_terminal --scope host --delay 0 --retries 1 http://down.test/ "$DIR" 0 \
        >"$TMP/lines" || :
    grep -qE ', down\.test is in trouble, again in [01]\.[0-9] s$' "$TMP/lines" ||
        fail "$(cat -v "$TMP/lines")"
}
