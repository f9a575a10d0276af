#!/usr/bin/env bats
# One crawl on many machines, on loopback: whatever happens to a machine or to
# its way to the engine, every page is saved once, with its depth; every pause is
# kept over all machines; and the crawl ends once.

load ../cli/helper
load ../cli/postgres
load fleet

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }
setup() { fleet_setup; }

@test "three machines do what one would have done" {
    fleet --machines 3
}

@test "a machine that is killed goes on when it is started again" {
    fleet --machines 3 --script "1.5:kill:1 3:kill:2"
}

@test "a machine that stands still beyond its lease is replaced, and joins anew" {
    fleet --machines 3 --script "1.5:stop:2:7"
}

@test "a machine without a network to the engine is replaced, and joins anew" {
    fleet --machines 3 --script "1.5:cut:1:7"
}

@test "commits whose answers are lost count once" {
    fleet --machines 3 --script "1:lose:1 1.5:lose:2 2:lose:3 2.5:lose:1 3:drop:2"
}
