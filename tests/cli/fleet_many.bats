#!/usr/bin/env bats
# Several machines crawl together: every page once over all directories, at its
# depth, and one end, whatever happens to one of them.

load helper
load postgres
load machines
load relay

setup_file() { postgres_start; }
teardown_file() { postgres_stop; }

setup() { postgres_needed && helper_setup && start_web; }

teardown() { helper_teardown; }

@test "three machines share a crawl and end together" {
    machine 1 && machine 2 && machine 3
    for i in 1 2 3; do machine_ends $i 0; done
    all_pages
}

@test "a machine that is killed loses nothing: the others take over" {
    LEASE=2s DELAY=40ms
    machines 3
    wait_for_busiest
    kill -9 "${MACHINE[BUSIEST]}"
    machine_ends "$BUSIEST" 137
    for i in 1 2 3; do [ "$i" = "$BUSIEST" ] || machine_ends $i 0; done
    # It comes back to a crawl that is finished, and puts its directory right.
    machine "$BUSIEST"
    machine_ends "$BUSIEST" 0
    all_pages
}

@test "a machine that is told to stop leaves at once, and comes back" {
    DELAY=40ms
    machines 2
    wait_for_busiest
    kill -TERM "${MACHINE[BUSIEST]}"
    machine_ends "$BUSIEST" 3
    machine "$BUSIEST"
    for i in 1 2; do machine_ends $i 0; done
    all_pages
}

# urls END: how many URLs ended so, by the figures of machines 1 and 2.
urls() { jq -s "map(.urls.$1) | add" "$TMP"/m[12]/.crawler-stats.json; }

# ends END: the same by the record.
ends() { sqlite3 "$TMP/all.db" "SELECT count(*) FROM urls WHERE state = '$1'"; }

@test "the figures of all machines add up, also where partitions moved" {
    DELAY=20ms
    machine 1
    wait_until_saved 50
    machine 2
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    # Both had pages, so partitions moved.
    [ "$(saved 2)" -gt 0 ]
    "$CRAWLER" export --format sqlite --name "$NAME" --output "$TMP/all.db" "$(postgres_url)"
    for end in saved redirected failed refused; do
        same "$(ends $end)" "$(urls $end)" "URLs $end"
    done
    same "0 0" "$(jq .queued "$TMP"/m[12]/.crawler-stats.json | paste -sd ' ')" "queued"
}

@test "a machine that stood still for longer than its lease joins anew" {
    LEASE=2s DELAY=40ms
    machines 2
    wait_for_busiest
    stands_still "$BUSIEST"
    for i in 1 2; do machine_ends $i 0; done
    all_pages
}

# It is started again with the same words, and only it can read them.
@test "a machine that joins anew has its secrets, and shows them to nobody" {
    LEASE=3s DELAY=40ms
    engine=$(postgres_url)
    # The options of the crawl are complete on the second machine when it joins.
    machine 1 -H 'X-Key: secret' --user bob:secret
    wait_until_saved 10
    machine 2 -H 'X-Key: secret' --user bob:secret --fleet "${engine/crawl@/crawl:secret@}"
    until [ "$(saved 2 2>/dev/null)" -gt 0 ]; do sleep 0.1; done
    stands_still 2
    shown=
    while kill -0 "${MACHINE[2]}" 2>/dev/null; do
        # It may have ended by now.
        shown+=$({ tr '\0' ' ' <"/proc/${MACHINE[2]}/cmdline"; } 2>/dev/null) || :
        sleep 0.02
    done
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    [[ $shown == *" --fleet "* && $shown != *secret* ]] || fail "it shows: $shown"
}

# The engine has the rows of the commit, which nobody else may change then, and
# waits for its last word.
@test "a machine that has no network in the middle of a commit is replaced" {
    LEASE=3s DELAY=20ms
    start_relay "$POSTGRES_PORT" --request COMMIT
    machine 1 --fleet "$(postgres_url "$RELAY_PORT")" && machine 2
    wait_until_saved 50
    kill -HUP "$RELAY_PID"
    relay_says held
    for i in 1 2; do machine_ends $i 0; done
    all_pages
}

@test "a commit whose last word comes too late for the engine is made again" {
    DELAY=20ms
    start_relay "$POSTGRES_PORT" --request COMMIT
    machine 1 --fleet "$(postgres_url "$RELAY_PORT")" && machine 2
    wait_until_saved 50
    kill -HUP "$RELAY_PID"
    relay_says held
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    same 0 "$(postgres_sql "SELECT count(*) FROM $NAME.node WHERE state = 'dead'")"
}

# All hosts are at one address, so the machines take turns at it.
@test "the pause of an address holds over all machines" {
    LEASE=2s IP_DELAY=10ms
    for i in 1 2; do machine $i -U "crawler/$i"; done
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    flush_record
    PATH="$POSTGRES_BIN:$PATH" "$PROJECT/tools/fleet-check" --name "$NAME" --record "$RECORD" \
        --address-pause 10 --per-host 1 "$(postgres_url)" "$TMP"/m[12]
    # Both had it, and it was handed over more than once.
    turns=$(record_column user_agent | uniq | wc -l)
    [ "$turns" -gt 2 ] || fail "$turns turns"
}

@test "a machine that is started again while the engine is away waits for it" {
    DELAY=20ms
    machine 1
    wait_until_saved 50
    kill -9 "${MACHINE[1]}"
    machine_ends 1 137
    postgres_pause fast
    machine 1
    local start=$SECONDS
    until grep -q "is away .*; it is waited for" "$TMP/m1.err"; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "it does not wait" || return
        sleep 0.1
    done
    postgres_go_on
    machine_ends 1 0
    all_pages
}
