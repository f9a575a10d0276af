#!/usr/bin/env bats
# Three servers that replace each other (docs/fleet.md): the leader's machine is
# lost in the middle of a crawl. Run by `make test-fleet`.

load ../cli/helper
load ../cli/postgres
load fleet
load patroni

setup_file() { patroni_start || :; }
teardown_file() { patroni_stop; }

setup() {
    [ -z "$PATRONI_WHY" ] || skip "$PATRONI_WHY"
    helper_setup
    patroni_wait patroni_is_whole
}

@test "what counted before the leader was lost is there, and the next leader takes writes" {
    local lost

    lost=$(patroni_leader)
    patroni_sql 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n'
    patroni_lose "$lost"
    patroni_wait patroni_sql 'INSERT INTO kept VALUES (1001)' 2>/dev/null
    same "1001" "$(patroni_sql 'SELECT count(DISTINCT n) FROM kept')" "rows"
    [ "$(patroni_leader)" != "$lost" ]
    patroni_return "$lost"
    patroni_wait patroni_is_whole
}

@test "a crawl goes on by itself when the leader is lost, twice" {
    fleet --patroni "$(patroni_url)" --machines 3 --pages 1500 --limit 600 \
        --script "4:leader::22 12:leader::22"
}

@test "machines and leaders are lost in one crawl" {
    fleet --patroni "$(patroni_url)" --machines 4 --pages 1500 --limit 600 --chaos 60 \
        --faults "kill stop term" --every 3 --script "5:leader::22"
}
