#!/usr/bin/env bats
# The engine of a fleet is away, for less than a lease and for longer: every
# machine keeps what it knows, and goes on when its next commit counts. Only one
# that was fenced starts again.

load helper
load postgres
load machines

DELAY=30ms

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }

setup() {
    postgres_needed && helper_setup && start_web
    # Every statement, with the time.
    postgres_sql "ALTER SYSTEM SET log_statement = 'all'"
    postgres_sql "ALTER SYSTEM SET log_line_prefix = '%n '"
    postgres_sql "SELECT pg_reload_conf()" >"$TMP/reloaded"
}

teardown() { helper_teardown; }

# outage SECONDS: the server is killed, and comes back. LOGGED is how many lines
# its log had meanwhile.
outage() {
    postgres_pause immediate
    LOGGED=$(wc -l <"$POSTGRES_HOME/log")
    sleep "$1"
    postgres_go_on
}

# logged TEXT: the lines of the server's log since the outage that have it.
logged() {
    tail -n "+$((LOGGED + 1))" "$POSTGRES_HOME/log" | grep -F -- "$1" || :
}

# goes_on: pages are saved again; nobody has read a partition for that, and all
# are owned as they were.
goes_on() {
    wait_until_saved $(($(saved) + 20)) || return
    same 0 "$(logged 'SELECT epoch, batch, piece, node, payload' | wc -l)" "partitions were read" &&
        same "$OWNED" "$(owned)" "owners of partitions"
}

owned() { postgres_sql "SELECT part, owner, epoch FROM $NAME.part ORDER BY 1"; }

# rested MS: from the first commit since the outage to the first request after
# it so much time went by. The commit counted later than its first statement.
rested() {
    local commit offset

    commit=$(logged "UPDATE \"$NAME\".node SET batch" | sed -n '1s/ .*//p')
    [ -n "$commit" ] || fail "no commit since the outage" || return
    offset=$(python3 -c 'import time; print(time.time() - time.monotonic())')
    record_column start_us | sort -n | awk -v from="$commit" -v offset="$offset" -v ms="$1" '
        $1 / 1e6 + offset > from {
            gap = ($1 / 1e6 + offset - from) * 1000
            if (gap < ms - 2) { print "asked " gap " ms after the commit"; exit 1 }
            seen = 1
            exit
        }
        END { exit !seen }'
}

# never_again: no machine joined twice, or was declared dead; pages are exact, and
# no pause was cut short.
never_again() {
    same 1 "$(postgres_sql "SELECT DISTINCT joins FROM $NAME.node WHERE node > 0")" "joins" &&
        same left "$(postgres_sql "SELECT DISTINCT state FROM $NAME.node WHERE node > 0")" &&
        all_pages || return
    flush_record
    PATH="$POSTGRES_BIN:$PATH" "$PROJECT/tools/fleet-check" --name "$NAME" --record "$RECORD" \
        --host-pause "${DELAY%ms}" --per-host 1 "$(postgres_url)" "$TMP"/m[0-9]
}

@test "one machine: the engine is away for most of a lease, then for longer" {
    LEASE=1s
    machine 1
    wait_until_saved 40
    OWNED=$(owned)
    outage 0.8
    goes_on
    outage 1.5
    goes_on
    rested "${DELAY%ms}"
    machine_ends 1 0
    same 2 "$(grep -c ' is away .*; the crawl waits and goes on by itself$' "$TMP/m1.err")"
    same 2 "$(grep -c ' is back$' "$TMP/m1.err")"
    never_again
}

@test "three machines: the engine is away for longer than a lease" {
    LEASE=6s
    machines 3
    until [ "$(postgres_sql "SELECT count(DISTINCT owner) = 3 AND count(owner) = 16 AND
        (SELECT max(n) < 7 FROM (SELECT count(*) AS n FROM $NAME.part GROUP BY owner) AS c)
        FROM $NAME.part")" = t ]; do sleep 0.05; done
    wait_until_saved 40
    OWNED=$(owned)
    outage 7
    goes_on
    for i in 1 2 3; do machine_ends $i 0; done
    never_again
}

@test "a machine that was fenced meanwhile drops what it knows and joins anew" {
    LEASE=1s
    machine 1
    wait_until_saved 40
    # Another process was this machine, as far as the engine knows.
    postgres_pause fast
    sleep 1.2
    postgres_go_on
    postgres_sql "UPDATE $NAME.node SET batch = batch + 2 WHERE node = 1"
    machine_ends 1 0
    same 2 "$(postgres_sql "SELECT joins FROM $NAME.node WHERE node = 1")" "joins"
    all_pages
}

@test "a machine that is told to stop while the engine is away ends by itself" {
    LEASE=1s
    machine 1
    wait_until_saved 40
    postgres_pause immediate
    sleep 1.2
    kill -TERM "${MACHINE[1]}"
    sleep 0.3
    postgres_go_on
    machine_ends 1 3
    same left "$(postgres_sql "SELECT state FROM $NAME.node WHERE node = 1")"
    machine 1
    machine_ends 1 0
    all_pages
}

@test "partitions that a machine was loading when the engine went away are loaded after it" {
    LEASE=1s
    machine 1
    wait_until_saved 40
    kill -KILL "${MACHINE[1]}"
    machine_ends 1 137
    close_gate
    machine 1
    until postgres_sql "SELECT wait_event FROM pg_stat_activity" | grep -q PgSleep; do sleep 0.05; done
    outage 1.2
    postgres_sql "DELETE FROM $NAME.gate"
    machine_ends 1 0
    same 2 "$(postgres_sql "SELECT joins FROM $NAME.node WHERE node = 1")" "joins"
    all_pages
}
