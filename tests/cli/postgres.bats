#!/usr/bin/env bats
# The PostgreSQL that tests of a fleet start for themselves (postgres.bash).

load helper
load postgres

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }

setup() {
    postgres_needed
    helper_setup
}

# is_gone PID: wait until there is no such process.
is_gone() {
    timeout "$LIMIT" tail -s 0.05 --pid="$1" -f /dev/null
}

# server_of HOME: the number of its process.
server_of() {
    head -n 1 "$1/data/postmaster.pid"
}

@test "a server of the test's own answers on loopback and on its socket" {
    same 1 "$(postgres_sql 'SELECT 1')"
    same 1 "$("$POSTGRES_BIN/psql" -XAtc 'SELECT 1' "$(postgres_url)")"
    same "127.0.0.1" "$(postgres_sql 'SHOW listen_addresses')"
    same "crawl crawl" "$(postgres_sql 'SELECT current_user, current_database()')"
}

@test "it does not run as root" {
    [ "$(stat -c %u "/proc/$(server_of "$POSTGRES_HOME")")" -ne 0 ]
}

@test "what was committed is there after a stop, fast or immediate" {
    postgres_sql 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)'
    postgres_pause fast
    run ! postgres_sql 'SELECT 1'
    postgres_go_on
    same 1 "$(postgres_sql 'SELECT n FROM kept')"
    postgres_pause immediate
    postgres_go_on
    same 1 "$(postgres_sql 'SELECT n FROM kept')"
}

@test "a frozen server answers nobody and goes on where it was" {
    local query=

    postgres_freeze
    postgres_sql 'SELECT 7' >"$TMP/answer" 3>&- &
    query=$!
    sleep 0.5
    kill -0 "$query"
    silent "$TMP/answer"
    postgres_unfreeze
    wait "$query"
    same 7 "$(cat "$TMP/answer")"
}

@test "a server that is set back has forgotten what came later" {
    postgres_sql 'CREATE TABLE history (n int); INSERT INTO history VALUES (1)'
    postgres_keep
    postgres_sql 'INSERT INTO history VALUES (2)'
    same "1 2" "$(postgres_sql 'SELECT n FROM history ORDER BY n' | paste -sd ' ')"
    postgres_set_back
    same 1 "$(postgres_sql 'SELECT n FROM history')"
}

@test "fsync is off unless it is asked for" {
    same off "$(postgres_sql 'SHOW fsync')"
}

@test "a server ends with its test, also where the test is killed" {
    local home server

    # A test of ours: it starts a server with fsync, tells where, and waits.
    bash -c '
        source "$1"
        postgres_start on || exit 1
        printf "%s %s\n" "$POSTGRES_HOME" "$(postgres_sql "SHOW fsync")" >"$2.new"
        mv "$2.new" "$2"
        exec sleep "$3"' - "$BATS_TEST_DIRNAME/postgres.bash" "$TMP/told" \
        "$LIMIT" >/dev/null 2>&1 3>&- &
    local killed=$!
    timeout "$LIMIT" bash -c 'until [ -s "$1" ]; do sleep 0.05; done' - "$TMP/told"
    read -r home fsync <"$TMP/told"
    same on "$fsync" fsync
    server=$(server_of "$home")
    kill -0 "$server"
    kill -KILL "$killed"
    wait "$killed" || :
    is_gone "$server"
    timeout "$LIMIT" bash -c 'while [ -e "$1" ]; do sleep 0.05; done' - "$home"
}

@test "a server that was stopped leaves no process behind, and holds no file of ours" {
    local home watchdog server lock

    exec {lock}>"$TMP/lock"
    flock "$lock"
    (
        POSTGRES_HOME='' POSTGRES_PORT='' # that of the file goes on
        postgres_start
        exec {lock}>&-
        echo "$POSTGRES_HOME $(cat "$POSTGRES_HOME/watchdog")" \
            "$(server_of "$POSTGRES_HOME")" >"$TMP/told"
        sleep 0.2
        : >"$TMP/started"
        until [ -e "$TMP/looked" ] || [ ! -d "$TMP" ]; do sleep 0.02; done
        postgres_stop
    ) >/dev/null 2>&1 3>&- &
    until [ -e "$TMP/started" ]; do sleep 0.02; done
    exec {lock}>&-
    flock -n "$TMP/lock" true || fail "somebody holds our file"
    : >"$TMP/looked"
    wait "$!"
    read -r home watchdog server <"$TMP/told"
    is_gone "$server"
    is_gone "$watchdog"
    [ ! -e "$home" ]
}

@test "where PostgreSQL is missing, tests are skipped with the reason" {
    postgres_bin() { return 1; }
    POSTGRES_HOME='' # that of the file goes on without us
    ! postgres_start || fail "PostgreSQL was found"
    same "PostgreSQL is not installed: tools/install-deps test" "$POSTGRES_WHY"
}
