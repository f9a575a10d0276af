#!/usr/bin/env bats
# What tools/run-tests prints, for suites of our own making.

load helper

setup() {
    helper_setup
    OUTPUT=$TMP/build
    mkdir -p "$OUTPUT/tests/unit"
    cd "$PROJECT"
}

# suite NAME STATUS LINE...: a test program that prints these lines.
suite() {
    local program=$OUTPUT/tests/unit/test_$1

    { echo '#!/bin/sh' && printf "echo '%s'\n" "${@:3}" && echo "exit $2"; } >"$program"
    chmod +x "$program"
}

run_suites() {
    capture env -u VALGRIND tools/run-tests "$OUTPUT" "$OUTPUT"/tests/unit/* "$@"
}

last_line() { tail -n 1 "$OUT"; }

@test "run-tests prints a line for each suite and the sum at the end" {
    suite good 0 'ok 1 - one' 'ok 2 - two'
    suite other 0 'ok 1 - three'
    run_suites
    same 0 "$STATUS"
    grep -qE '^tests/unit/test_good +2 passed +0 failed +0 skipped +[0-9]+\.[0-9] s$' "$OUT"
    grep -qE '^tests/unit/test_other +1 passed +0 failed +0 skipped +[0-9]+\.[0-9] s$' "$OUT"
    same "3 passed, 0 failed, 0 skipped" "$(last_line)"
}

@test "run-tests groups skipped tests by their reason" {
    suite a 0 'skipped: no data' 'not ok 1 # SKIP first' 'ok 2 - fine'
    suite b 0 'skipped: no data' 'ok 1 # SKIP second'
    printf '@test "third" { skip "no wires"; }\n' >"$TMP/c.bats"
    run_suites "$TMP/c.bats"
    same 0 "$STATUS"
    same "skipped: no data
    tests/unit/test_a: first
    tests/unit/test_b: second
skipped: no wires
    $TMP/c.bats: third" "$(sed -n '/^skipped/,/^$/p' "$OUT" | sed '/^$/d')"
    same "1 passed, 0 failed, 3 skipped" "$(last_line)"
}

@test "run-tests shows the output of what failed and exits with 1" {
    suite bad 1 'ok 1 - fine' 'not ok 2 - broken' '# expected: 3'
    suite good 0 'ok 1 - one'
    run_suites
    same 1 "$STATUS"
    same "--- tests/unit/test_bad
not ok 2 - broken
# expected: 3" "$(sed -n '/^---/,/^$/p' "$OUT" | sed '/^$/d')"
    same "2 passed, 1 failed, 0 skipped" "$(last_line)"
}

@test "run-tests counts a suite that dies as failed" {
    suite dead 3 'ok 1 - fine'
    run_suites
    same 1 "$STATUS"
    grep -qx 'not ok - ended with status 3' "$OUT"
    same "1 passed, 1 failed, 0 skipped" "$(last_line)"
}

@test "run-tests fails where there was no test" {
    suite nothing 0 '1..0'
    run_suites
    same 1 "$STATUS"
    same "0 passed, 0 failed, 0 skipped" "$(last_line)"
}
