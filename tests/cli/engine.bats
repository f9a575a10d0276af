#!/usr/bin/env bats
# The engine of a fleet, on a PostgreSQL of the test's own.

load helper
load postgres

setup_file() { postgres_start; }
teardown_file() { postgres_stop; }
setup() { postgres_needed && helper_setup; }

@test "PostgreSQL keeps the contract of an engine" {
    run "$(dirname "$RESEAL")/engine_check" "$(postgres_url)"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"ok commands are durable"* ]]

    # The ledger has no key: it is the fence that lets a row in once, of a
    # commit that was sent twice and, with other numbers, twice more.
    same 1 "$(postgres_sql 'SELECT count(*) FROM engine_check.fetched')"
}
