#!/usr/bin/env bats
# The table of docs/fleet.md is what tools/fleet-size prints.

@test "the sizes of fleets in docs/fleet.md are calculated as they are told to be" {
    cd "$BATS_TEST_DIRNAME/../.."
    tools/fleet-size >"$BATS_TEST_TMPDIR/table"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/table")" -eq 6 ]
    grep -xFf "$BATS_TEST_TMPDIR/table" docs/fleet.md | diff "$BATS_TEST_TMPDIR/table" -
}
