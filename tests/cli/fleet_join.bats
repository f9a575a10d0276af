#!/usr/bin/env bats
# A machine that joins a crawl: which options it takes from the crawl, which are
# its own, and what is refused.

load helper
load postgres
load machines

setup_file() { postgres_start; }
teardown_file() { postgres_stop; }

setup() {
    postgres_needed && helper_setup
    NAME=t$BATS_TEST_NUMBER
    start_playground --web join --hosts 20 --pages 200 --size 800 --flaky 0 \
        --limited 0 --errors 0 --slow 0
    BEGIN=(--partitions 8 --connect-to "::127.0.0.1:$PORT" --scope any --robots ignore)
}

# Machines that a test leaves at work end with it.
teardown() {
    local i

    for i in "${MACHINE[@]}"; do kill -KILL "$i" 2>/dev/null || :; done
    helper_teardown
}

# words DIR [OPTION...]: the command of a machine with these options, in COMMAND.
words() {
    COMMAND=("$CRAWLER" --create --fleet "$(postgres_url)" --name "$NAME"
        "${@:2}" http://d0.example/ "$TMP/$1" 1000)
}

# begin N [OPTION...]: start machine N in the background.
begin() {
    words "m$1" --quiet "${@:2}"
    "${COMMAND[@]}" >/dev/null 2>"$TMP/m$1.err" 3>&- &
    MACHINE[$1]=$!
}

@test "what a machine leaves out is taken from the crawl" {
    begin 1 "${BEGIN[@]}" --delay 100ms --ip-delay 10ms --lease 2s -U crawler/1
    wait_until_saved 5
    begin 2 -U crawler/2
    until [ "$(owners)" = 2 ]; do sleep 0.05; done
    # The lease, too: with one of 30 s it would take over half a minute later.
    kill -9 "${MACHINE[1]}"
    machine_ends 1 137
    local start=$SECONDS
    until [ "$(postgres_sql "SELECT count(*) FROM $NAME.part WHERE owner <> 2")" = 0 ]; do
        [ $((SECONDS - start)) -lt 15 ] || fail "it does not take over" || return
        sleep 0.05
    done
    machine_ends 2 0
    # It comes back, also without options, and puts its directory right.
    begin 1
    machine_ends 1 0
    flush_record
    PATH="$POSTGRES_BIN:$PATH" "$PROJECT/tools/fleet-check" --name "$NAME" --record "$RECORD" \
        --host-pause 100 --address-pause 10 --per-host 1 "$(postgres_url)" "$TMP"/m[12]
}

@test "an option of the crawl is refused where it differs" {
    local option

    begin 1 "${BEGIN[@]}" --delay 500ms --max-pages 1000 -U one/1
    wait_until_saved 1
    for option in '--delay 0' '--delay 400ms' '--max-pages 5'; do
        # shellcheck disable=SC2086 # words
        words m2 $option
        capture "${COMMAND[@]}"
        refused "the crawl '$NAME' at $(postgres_url) was begun with ${option%% *}="
    done
    for option in '--lease 3s' '--ip-delay 0' '--per-host 2' '--max-size 1M' '--max-redirects 1' \
        '--retries 0' '--robots-agent x' '--ledger off'; do
        # shellcheck disable=SC2086 # words
        words m2 $option
        capture "${COMMAND[@]}"
        refused "was begun without ${option/ /=}; without ${option% *} this machine takes"
    done
    words m2 --allow-private
    capture "${COMMAND[@]}"
    refused "was begun without --allow-private"
    for option in 'scope host' 'order priority' 'partitions 9' canonical; do
        # shellcheck disable=SC2086 # words
        words m2 --$option
        capture "${COMMAND[@]}"
        refused "${option%% *}"
    done
    [ ! -e "$TMP/m2" ] || fail "m2 was made"
    # The same in other words is no difference; what may differ is said.
    words m2 "${BEGIN[@]}" --delay 0.5s --lease 30000ms --per-host 1 --max-size 16384K --ledger on \
        --timeout 20s -U two/1
    "${COMMAND[@]}" >/dev/null 2>"$TMP/m2.err" 3>&- &
    MACHINE[2]=$!
    until [ "$(owners)" = 2 ]; do sleep 0.05; done
    grep -qx 'crawler: this machine has a --timeout of its own; the crawl was begun with none' "$TMP/m2.err"
    grep -qx 'crawler: this machine has a --user-agent of its own; the crawl was begun with another' "$TMP/m2.err"
    same 2 "$(grep -c 'of its own' "$TMP/m2.err")"
}

@test "a machine needs the secrets of the crawl from its own command" {
    begin 1 "${BEGIN[@]}" --delay 500ms -H 'X-Api-Key: geheim' -H 'Accept-Language: de'
    wait_until_saved 1
    words m2
    capture "${COMMAND[@]}"
    refused "the crawl was begun with --header=X-Api-Key: (not kept); give it again"
    begin 2 -H 'X-Api-Key: anders'
    until [ "$(owners)" = 2 ]; do sleep 0.05; done
    ! "$POSTGRES_BIN/pg_dump" -h "$POSTGRES_HOME" -p "$POSTGRES_PORT" -U crawl crawl |
        grep -q 'geheim\|anders' || fail "a secret is in the engine"
}

# joins: how often machine 1 has joined.
joins() { postgres_sql "SELECT joins FROM $NAME.node WHERE node = 1"; }

wait_for_joins() {
    local start=$SECONDS

    until [ "$(joins)" = "$1" ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "it has joined $(joins) times" || return
        sleep 0.05
    done
}

COPY="machine 1 is at work on $(hostname) with a copy of"

@test "a copy of a directory is refused while its machine is at work" {
    begin 1 "${BEGIN[@]}" --delay 300ms --lease 9s
    wait_until_saved 3
    cp -a "$TMP/m1" "$TMP/m2"
    words m2
    capture "${COMMAND[@]}"
    same 1 "$STATUS" "$(cat "$ERR")"
    grep -qF "crawler: $COPY '$TMP/m2'" "$ERR" || fail "$(cat "$ERR")"
    same 1 "$(joins)" "joins"
    # Killed, it comes back at once: the directory is its own.
    kill -9 "${MACHINE[1]}"
    machine_ends 1 137
    begin 1
    wait_for_joins 2
    silent "$TMP/m1.err"
}

@test "a machine that another process of its directory has replaced ends" {
    begin 1 "${BEGIN[@]}" --delay 300ms --lease 9s
    wait_until_saved 3
    cp -a "$TMP/m1" "$TMP/m2"
    kill -STOP "${MACHINE[1]}"
    begin 2
    wait_for_joins 2
    kill -CONT "${MACHINE[1]}"
    machine_ends 1 1
    grep -qF "crawler: $COPY '$TMP/m1'" "$TMP/m1.err" || fail "$(cat "$TMP/m1.err")"
    same 2 "$(joins)" "joins"
    # Nor may it come back.
    begin 1
    machine_ends 1 1
    grep -qF "crawler: $COPY '$TMP/m1'" "$TMP/m1.err" || fail "$(cat "$TMP/m1.err")"
    # The other one goes on.
    wait_until_saved $(($(saved) + 3))
    same 2 "$(joins)" "joins"
    kill -TERM "${MACHINE[2]}"
    machine_ends 2 3
}
