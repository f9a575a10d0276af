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

@test "run-tests ends a suite after TEST_SECONDS, and starts none after a failure with TEST_FAIL_FAST" {
    suite a 0 'ok 1 - one' 'sleep'
    sed -i "s/^echo 'sleep'$/sleep 100/" "$OUTPUT/tests/unit/test_a"
    suite b 0 'ok 1 - two'
    export TEST_SECONDS=1 TEST_FAIL_FAST=1 TEST_JOBS=1
    run_suites
    same 1 "$STATUS"
    same "1 passed, 1 failed, 0 skipped" "$(last_line)"
    same "$OUTPUT/tests/unit/test_a" "$(cat "$OUTPUT/results/first-failure")"
}

# project: a project of two layers with a suite each, committed.
project() {
    local name

    mkdir -p "$TMP/p/src/url" "$TMP/p/src/html" "$TMP/p/tests/unit" "$TMP/p/tests/cli"
    cd "$TMP/p"
    for name in url html; do
        echo "int $name;" >"src/$name/$name.c"
        echo "#include \"$name/$name.h\"" >"tests/unit/test_$name.c"
        suite "$name" 0 "ok 1 - $name"
        printf '@test "the command line of %s" { :; }\n' "$name" >"tests/cli/$name.bats"
    done
    printf '# a comment\ncli/url.bats url check : why\ncli/html.bats html asan tsan\n' >tests/SUITES
    git init -q .
    git add src tests
    git -c user.name=x -c user.email=x@example.org commit -qm first
}

# chosen OPTION...: the names of the suites that are run with these.
chosen() {
    "$PROJECT/tools/run-tests" "$@" "$OUTPUT" | sed -n 's/ *[0-9]* passed .* s$//p' | sort | xargs
}

@test "run-tests --changed runs the suites of the layers that differ, and names the others" {
    project
    same "" "$(chosen --changed)"
    echo "int more;" >>src/html/html.c
    same "tests/cli/html.bats tests/unit/test_html" "$(chosen --changed)"
    "$PROJECT/tools/run-tests" --changed "$OUTPUT" |
        grep -x 'left out: tests/cli/url.bats tests/unit/test_url'
    # A suite that differs itself is run, too; and a base may be named.
    git -c user.name=x -c user.email=x@example.org commit -qam second
    echo >>tests/cli/url.bats
    same "tests/cli/url.bats" "$(chosen --changed)"
    same "tests/cli/html.bats tests/cli/url.bats tests/unit/test_html" "$(chosen --changed HEAD~1)"
}

@test "run-tests --check, --asan and --tsan run what tests/SUITES marks" {
    project
    same "tests/cli/html.bats tests/cli/url.bats tests/unit/test_html tests/unit/test_url" "$(chosen)"
    # A program whose source is gone is not run.
    suite old 1 'not ok 1 - old'
    same "tests/cli/url.bats tests/unit/test_html tests/unit/test_url" "$(chosen --check)"
    same "tests/cli/html.bats tests/unit/test_html tests/unit/test_url" "$(chosen --asan)"
    echo '// pthread_create' >>tests/unit/test_url.c
    same "tests/cli/html.bats tests/unit/test_url" "$(chosen --tsan)"
}

@test "every suite of the command line has a line in tests/SUITES, with its layers" {
    # Columns: suite, layers, marks, a reason where tsan leaves it out.
    rows=$(grep -v '^#' tests/SUITES | grep .)
    diff <(cut -d ' ' -f 1 <<<"$rows" | sort) \
        <(cd tests && printf '%s\n' cli/*.bats cases/*.case | sort)
    same "" "$(grep -vE ' tsan\b| : [a-z]' <<<"$rows")" "neither tsan nor a reason"
    for layer in $(awk '{ print $2 }' <<<"$rows" | tr , '\n' | sort -u); do
        [ "$layer" = tools ] || [ -d "src/$layer" ] || [ -d "$layer" ] || fail "no layer $layer"
    done
    for layer in $(sed -n 's/^\([a-z]*\):.*/\1/p' src/LAYERS); do
        awk '{ print "," $2 "," }' <<<"$rows" | grep -q ",$layer," || fail "no suite for $layer"
    done
}
