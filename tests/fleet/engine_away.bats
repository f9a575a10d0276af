#!/usr/bin/env bats
# A fleet whose engine is away, killed or set back goes on by itself, and comes
# to the same result.

load ../cli/helper
load ../cli/postgres
load fleet

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }
setup() { fleet_setup; }

@test "an engine that is shut down for a while is waited for" {
    fleet --machines 3 --script "1.5:away::5"
}

@test "an engine that answers nobody for a while is waited for" {
    fleet --machines 3 --script "1.5:freeze::5"
}

@test "an engine that lost its last commits is believed" {
    fleet --machines 3 --script "1.5:keep 6:back"
}
