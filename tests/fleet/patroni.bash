# Three PostgreSQL servers on loopback that replace each other: Patroni and
# etcd, as docs/fleet.md sets them up.
#
#     source tests/cli/postgres.bash       # where the programs are, and as whom
#     source tests/fleet/patroni.bash
#
#     patroni_start                        # etcd, three servers, database crawl
#     psql "$(patroni_url)"
#     lost=$(patroni_leader)
#     patroni_lose "$lost"                 # the machine is gone, kill -9
#     patroni_return "$lost"               # it boots again
#     patroni_stop
#
# All of it ends with the process that started it, also where that is killed.
# Sets PATRONI_HOME, and PATRONI_WHY where it cannot be started.

PATRONI_SERVERS="1 2 3"

# patroni_start: status 1 with PATRONI_WHY where that is not possible.
patroni_start() {
    local program n

    export PATRONI_HOME='' PATRONI_WHY='' PATRONI_BASE POSTGRES_BIN
    POSTGRES_BIN=$(postgres_bin) || :
    for program in patroni etcd "${POSTGRES_BIN:-/nothing}/postgres"; do
        PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || {
            PATRONI_WHY="no ${program##*/}: tools/install-deps fleet"
            return 1
        }
    done
    PATRONI_HOME=$(mktemp -d /tmp/crawler-patroni.XXXXXX)
    # Below the ports that the kernel gives out by itself.
    PATRONI_BASE=$((RANDOM % 1900 * 10 + 12000))
    [ "$(id -u)" -ne 0 ] || chown postgres: "$PATRONI_HOME"
    patroni_watch
    patroni_run etcd etcd --name one --data-dir "$PATRONI_HOME/etcd" \
        --listen-client-urls "http://127.0.0.1:$PATRONI_BASE" \
        --advertise-client-urls "http://127.0.0.1:$PATRONI_BASE" \
        --listen-peer-urls "http://127.0.0.1:$((PATRONI_BASE + 9))" \
        --initial-advertise-peer-urls "http://127.0.0.1:$((PATRONI_BASE + 9))" \
        --initial-cluster "one=http://127.0.0.1:$((PATRONI_BASE + 9))"
    for n in $PATRONI_SERVERS; do
        patroni_config "$n" >"$PATRONI_HOME/$n.yml"
        patroni_return "$n"
    done
    patroni_wait patroni_is_whole && patroni_sql 'CREATE DATABASE crawl' && return
    PATRONI_WHY="Patroni does not start: $(tail -qn 1 "$PATRONI_HOME"/*.log | tail -n 1)"
    patroni_stop
    return 1
}

# patroni_run NAME COMMAND...: in the background; its number is in NAME.pid.
patroni_run() {
    local name=$1

    shift
    # shellcheck disable=SC2016 # the other shell reads them
    (postgres_as setsid env HOME="$PATRONI_HOME" bash -c \
        'echo $$ >"$1"; shift; exec "$@"' - "$PATRONI_HOME/$name.pid" "$@" \
        >>"$PATRONI_HOME/$name.log" 2>&1 </dev/null) &
    disown
}

patroni_watch() {
    # shellcheck disable=SC2016 # the other shell reads them
    postgres_alone setsid bash -c '
        echo $$ >"$2/watchdog"
        tail -s 0.2 --pid="$1" -f /dev/null
        [ -d "$2" ] || exit 0
        source "$3"
        PATRONI_HOME=$2 patroni_stop' - \
        "$$" "$PATRONI_HOME" "${BASH_SOURCE[0]}" </dev/null >/dev/null 2>&1 &
    disown
    until [ -s "$PATRONI_HOME/watchdog" ]; do sleep 0.01; done
}

# patroni_config N: what docs/fleet.md shows, with ports of our own.
patroni_config() {
    local port=$((PATRONI_BASE + $1))

    cat <<END
scope: crawl
name: db$1
restapi:
  listen: 127.0.0.1:$((port + 3))
  connect_address: 127.0.0.1:$((port + 3))
etcd3:
  hosts: 127.0.0.1:$PATRONI_BASE
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters:
        wal_log_hints: "on"
        wal_keep_size: 256MB
        max_wal_size: 2GB
        synchronous_commit: "on"
  initdb:
  - encoding: UTF8
  - data-checksums
postgresql:
  listen: 127.0.0.1:$port
  connect_address: 127.0.0.1:$port
  data_dir: $PATRONI_HOME/data$1
  bin_dir: $POSTGRES_BIN
  pgpass: $PATRONI_HOME/pgpass$1
  authentication:
    superuser: {username: crawl, password: crawl}
    replication: {username: replicator, password: replicator}
    rewind: {username: rewinder, password: rewinder}
  pg_hba:
  - local all all trust
  - host replication all 127.0.0.1/32 trust
  - host all all 127.0.0.1/32 trust
  parameters:
    unix_socket_directories: $PATRONI_HOME
    shared_buffers: 32MB
END
}

# patroni_leader: the number of the server that takes writes; empty: none does.
patroni_leader() {
    local n

    for n in $PATRONI_SERVERS; do
        [ "$("$POSTGRES_BIN/psql" -XAtc 'SELECT pg_is_in_recovery()' \
            "$(patroni_url "$n" postgres)?connect_timeout=2" 2>/dev/null)" != f ] ||
            echo "$n"
    done | head -n 1
}

# patroni_is_whole: there is a leader, and both others follow, one of them so
# that a commit waits for it.
patroni_is_whole() {
    [ -n "$(patroni_leader)" ] && [ "$(patroni_sql \
        "SELECT count(*) FILTER (WHERE sync_state = 'sync'), count(*)
         FROM pg_stat_replication WHERE state = 'streaming'" 2>/dev/null)" = "1|2" ]
}

# patroni_wait COMMAND...: until it is true, five minutes at most.
patroni_wait() {
    local end=$((SECONDS + 300))

    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.5
    done
}

# patroni_sql SQL: by the server that takes writes.
patroni_sql() {
    "$POSTGRES_BIN/psql" -XqAt -v ON_ERROR_STOP=1 -c "$1" "$(patroni_url '' postgres)"
}

# patroni_url [N [DATABASE]]: of all servers, whoever takes writes; or of one.
patroni_url() {
    local n hosts=''

    if [ -n "${1:-}" ]; then
        echo "postgres://crawl@127.0.0.1:$((PATRONI_BASE + $1))/${2:-crawl}"
        return
    fi
    for n in $PATRONI_SERVERS; do
        hosts+="${hosts:+,}127.0.0.1:$((PATRONI_BASE + n))"
    done
    echo "postgres://crawl@$hosts/${2:-crawl}?target_session_attrs=read-write"
}

# patroni_lose N: the machine is gone at once, Patroni and server.
patroni_lose() {
    kill -KILL "$(cat "$PATRONI_HOME/db$1.pid")" \
        "$(head -n 1 "$PATRONI_HOME/data$1/postmaster.pid")"
}

# patroni_return N: it boots (again).
patroni_return() {
    patroni_run "db$1" patroni "$PATRONI_HOME/$1.yml"
}

patroni_stop() {
    local home=${PATRONI_HOME:-} file watchdog

    [ -n "$home" ] && [ -d "$home" ] || return 0
    watchdog=$(cat "$home/watchdog")
    for file in "$home"/db*.pid "$home"/data*/postmaster.pid "$home/etcd.pid"; do
        [ ! -e "$file" ] || kill -KILL "$(head -n 1 "$file")" 2>/dev/null || :
    done
    PATRONI_HOME=
    # Connections of a killed server end by themselves, and write until then.
    while ! rm -rf "$home" 2>/dev/null; do sleep 0.2; done
    kill -- "-$watchdog" 2>/dev/null || :
}
