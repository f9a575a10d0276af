#!/usr/bin/env bats
# tools/run-cases itself: every expectation can fail, and mistakes in a file of
# cases are found before anything is run.

load helper

# cases FILE...: run them; sets STATUS, OUT, ERR.
cases() {
    capture env CRAWLER="$CRAWLER" PLAYGROUND="$PLAYGROUND" "$PROJECT/tools/run-cases" "$@"
}

# crawls EXPECTATIONS NAME: a file with a case for each line, which crawls a small
# site and then expects what the line says; "\n" in it is a line end.
crawls() {
    local line number=0

    {
        echo 'options --robots ignore --log json --scope host --delay 0 --retries 0'
        printf '%s\n' site '    /' '        body <a href=/a>.</a> <a href=/gone>.</a>' \
            '    /a' '        body A.' ''
        while read -r line; do
            number=$((number + 1))
            printf '= case %d: %s\n' "$number" "$line"
            printf 'crawl -U me/1.0 --robots-agent me --robots obey http://example.org/ pages 1\n%b\n\n' "$line"
        done
    } >"$1"
}

@test "run-cases: what holds passes" {
    crawls "$TMP/right.case" <<'END_OF_LINES'
exit 0
out lines 3
out has "outcome":"fetched"
out lacks private-address
out matches ^.*"status":404
err has 2 pages saved
out line {any}"url":"http://example.org/a"{any}
pages 2
pages\n    / 0\n    /a 1
saved\n    /\n    /a
page /a\n    A.
page / has href=/gone
file body\n    A.\npage /a is body
outcomes\n    / fetched\n    /a fetched\n    /gone client-error
log /gone status 404
asked / /a /gone
requests 4
requests 1 /a
requests 4 //example.org
requests 0 //other.test
request /a has User-Agent: me/1.0
request * lacks Cookie
stats pages 2
sql SELECT count(*) FROM url WHERE depth = 1\n    2
shell echo a; echo b\n    a\n    b
python\n    same(3, len(run.log()))
whole 2
run --resume nothing\nrefused nothing
run why pages http://example.org/a\nout matches ^http://example.org/a was fetched
END_OF_LINES
    cases "$TMP/right.case"
    same 0 "$STATUS" "$(grep -A8 '^not ok' "$OUT")"
    same 29 "$(grep -c '^ok ' "$OUT")"
    same 1..29 "$(head -n 1 "$OUT")"
}

@test "run-cases: every expectation fails where it does not hold" {
    crawls "$TMP/wrong.case" <<'END_OF_LINES'
exit 3
out lines 2
out has "outcome":"nothing"
out lacks fetched
out matches ^.*"status":503
out empty
err has no such words
out line {"url":"http://example.org/a"}
out\n    {any}
pages 3
whole 3
prepare touch pages/more\nwhole 2
pages\n    / 0\n    /a 2
saved\n    /
page /a\n    B.
page /gone has x
page / has href=/other
file body\n    B.\npage /a is body
outcomes\n    / fetched\n    /a fetched
log /gone status 200
log /nowhere status 200
asked / /a
asked nothing
requests 5
requests 2 /a
requests 1 //other.test
request /a has User-Agent: you/1.0
request * lacks User-Agent
request /nowhere lacks User-Agent
stats pages 3
stats no_such_figure 3
sql SELECT count(*) FROM url WHERE depth = 1\n    3
shell echo a\n    b
python\n    same(4, len(run.log()))
python\n    assert False
refused .
run --resume nothing\npages 2
run --resume nothing\nrefused something else
run --resume nothing\nprepare touch pages/x\nrefused nothing
run status nowhere\npages 2
prepare false\nexit 0
END_OF_LINES
    cases "$TMP/wrong.case"
    same 1 "$STATUS"
    same "" "$(grep '^ok ' "$OUT")"
    same 41 "$(grep -c '^not ok ' "$OUT")"
    # It tells where: the line of the step.
    grep -qE "^# $TMP/wrong.case:[0-9]+: exit 3: " "$OUT"
}

# mistake LINE REGEX: a case with these steps ends the runner before it starts.
mistake() {
    printf '= a case\n%b\n' "$1" >"$TMP/mistake.case"
    cases "$TMP/mistake.case"
    same 2 "$STATUS" "$1" || return
    silent "$OUT" || return
    grep -qE "^$TMP/mistake.case:[0-9]+: $2" "$ERR" || fail "$1: $(cat "$ERR")"
}

@test "run-cases: a case that expects nothing is a mistake" {
    mistake '' "the case 'a case' expects nothing"
    mistake 'run --version' "the case 'a case' expects nothing"
    mistake 'prepare true' "the case 'a case' expects nothing"
}

@test "run-cases: an expectation that every run meets is a mistake" {
    while read -r line; do
        mistake "run --version\n$line" "no run can fail this"
    done <<'END_OF_LINES'
exit
out
out has
out lacks
out line {any}
out matches
out matches .*
out matches (x|)
err has
pages
saved
outcomes
asked
requests
python
python\n    x = 1
sql SELECT 1
shell true
stats
refused
END_OF_LINES
}

@test "run-cases: unknown steps, steps in a wrong place and wrong tables are mistakes" {
    mistake 'rn --version\nexit 0' "there is no 'rn'"
    mistake 'exit 0\nrun --version' "'exit' before anything has run"
    mistake '    text' "an indented line belongs to nothing"
    mistake 'each A | B\n    1\nrun --version\nexit 0' "the row '1' does not have 2 columns"
    mistake 'run --version\nexit 0\n= a case\nrun --version\nexit 0' "a second case 'a case'"
    printf 'run --version\n= a case\nrun --version\nexit 0\n' >"$TMP/head.case"
    cases "$TMP/head.case"
    same 2 "$STATUS"
    grep -q "'run' does not stand before the first case" "$ERR"
    printf '= a case\nsite\n    /x\n        nonsense 1\nrun --version\nexit 0\n' >"$TMP/site.case"
    cases "$TMP/site.case"
    same 2 "$STATUS"
    grep -q 'nonsense' "$ERR"
}

@test "run-cases: a row of a table is a run of its own, with its own directory" {
    cat >"$TMP/rows.case" <<'END_OF_CASE'
= rows
each OPTION | WORD
    --version | crawler
    --help    | usage
run $OPTION
out matches (?i)$WORD
shell test ! -e left; touch left; echo new
    new
END_OF_CASE
    cases "$TMP/rows.case"
    same 0 "$STATUS" "$(cat "$OUT")"
    sed -i 's/| usage/| no such word/' "$TMP/rows.case"
    cases "$TMP/rows.case"
    same 1 "$STATUS"
    grep -q "{'OPTION': '--help', 'WORD': 'no such word'}" "$OUT"
}

@test "run-cases: each case has its own site, and requests of others do not count" {
    for name in one two three; do
        printf '= %s\nsite\n    /\n        body I am %s.\n' "$name" "$name"
        printf 'crawl --robots ignore --scope host http://example.org/ pages 0\n'
        printf 'page /\n    I am %s.\nrequests 1\n' "$name"
    done >"$TMP/sites.case"
    cases "$TMP/sites.case"
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
    same 3 "$(grep -c '^ok' "$OUT")"
    cases "$TMP/sites.case" -k two
    same "1..1
ok 1 two" "$(cat "$OUT")"
}

@test "run-cases: a file may name texts, and steps of its own" {
    cat >"$TMP/own.case" <<'END_OF_CASE'
let WORD crawler
step prints
    run.program(*argument.split())
    same(block, run.out.split()[0])

= a step of the file judges
prints --version
    $WORD
= rows of two tables are combined
each A in --version
each B in crawler other
prints $A
    $B
END_OF_CASE
    cases "$TMP/own.case"
    same 1 "$STATUS"
    same "1..2
ok 1 a step of the file judges
not ok 2 rows of two tables are combined" "$(grep -v '^#' "$OUT")"
    # A step that judges nothing is no expectation, and known names stay.
    printf 'step nothing\n    x = 1\n= a case\nnothing\n' >"$TMP/own.case"
    cases "$TMP/own.case"
    same 2 "$STATUS"
    grep -q "the case 'a case' expects nothing" "$ERR"
    printf 'step exit\n    assert False\n= a case\nrun --version\nexit 0\n' >"$TMP/own.case"
    cases "$TMP/own.case"
    same 2 "$STATUS"
}
