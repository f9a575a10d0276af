# A PostgreSQL of the test's own: a fresh cluster in a folder of its own.
#
#     load helper
#     load postgres
#
#     setup_file() { postgres_start; }
#     teardown_file() { postgres_stop; }
#     setup() { postgres_needed && helper_setup; }
#
#     @test "..." {
#         same 1 "$(postgres_sql 'SELECT 1')"
#         "$CRAWLER" status "$(postgres_url)"
#     }
#
# It listens on 127.0.0.1 and on a socket in its folder, and lets everybody in:
# user crawl, database crawl. It ends with the process that started it ($$),
# also where that is killed: a watchdog stops it and removes the folder. Root
# may not run PostgreSQL, so it runs as the user postgres then.
#
# Sets and exports POSTGRES_HOME (empty: none is running), POSTGRES_PORT, and
# POSTGRES_WHY, the reason why none could be started.

# postgres_bin: the folder of the newest PostgreSQL that is installed; Debian
# puts it beside the PATH.
postgres_bin() {
    local bin

    bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    [ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb)" 2>/dev/null)
    [ -x "$bin/initdb" ] && echo "$bin"
}

# postgres_alone COMMAND...: become this command, without the files that we have
# open. They may be locks or pipes of others, who would wait for it.
postgres_alone() {
    local fd

    for fd in /proc/self/fd/*; do
        fd=${fd##*/}
        [ "$fd" -le 2 ] || eval "exec $fd>&-"
    done
    exec "$@"
}

# postgres_as COMMAND...: run it as the user who may run a server.
postgres_as() {
    if [ "$(id -u)" -eq 0 ]; then
        (postgres_alone setpriv --reuid=postgres --regid=postgres --clear-groups "$@")
    else
        (postgres_alone "$@")
    fi
}

# postgres_start [on|off [small|installed]]: make a cluster and start it. The
# first argument is fsync ("off" without one, which is for machines that lose no
# power in a test). The second: "small" (without one) takes little memory and
# disk; "installed" has the settings of a fresh installation with what
# docs/fleet.md asks for, which is for measurements: a small one writes
# checkpoints, with whole pages in its log, all the time.
# Status 1 where that is not possible, with the reason in POSTGRES_WHY.
postgres_start() {
    local fsync=${1:-off} size=${2:-small}

    export POSTGRES_HOME='' POSTGRES_PORT='' POSTGRES_WHY='' POSTGRES_BIN
    POSTGRES_BIN=$(postgres_bin) || POSTGRES_BIN=
    [ -n "$POSTGRES_BIN" ] || {
        POSTGRES_WHY="PostgreSQL is not installed: tools/install-deps test"
        return 1
    }
    [ "$(id -u)" -ne 0 ] || id postgres >/dev/null 2>&1 || {
        POSTGRES_WHY="root may not run PostgreSQL and there is no user postgres"
        return 1
    }
    # Not in the test's folder, which only the test's user may enter.
    POSTGRES_HOME=$(mktemp -d /tmp/crawler-postgres.XXXXXX)
    [ "$(id -u)" -ne 0 ] || chown postgres: "$POSTGRES_HOME"
    postgres_watch
    postgres_create "$fsync" "$size" && postgres_go_on && return
    POSTGRES_WHY="PostgreSQL does not start: $(cat "$POSTGRES_HOME"/{made,log,started} \
        2>/dev/null | grep . | tail -n 1)"
    postgres_stop
    return 1
}

# The watchdog, which is in nobody's process group.
postgres_watch() {
    # shellcheck disable=SC2016 # the other shell reads them
    postgres_alone setsid bash -c '
        echo $$ >"$2/watchdog"
        tail -s 0.2 --pid="$1" -f /dev/null
        [ -d "$2" ] || exit 0
        source "$3"
        POSTGRES_HOME=$2 POSTGRES_BIN=$4 postgres_stop' - \
        "$$" "$POSTGRES_HOME" "${BASH_SOURCE[0]}" "$POSTGRES_BIN" \
        </dev/null >/dev/null 2>&1 &
    disown
    until [ -s "$POSTGRES_HOME/watchdog" ]; do sleep 0.01; done
}

postgres_create() {
    local home=$POSTGRES_HOME segment=1 sizes='shared_buffers = 16MB'

    if [ "$2" = installed ]; then
        segment=16 sizes='max_wal_size = 2GB'
    fi
    postgres_as "$POSTGRES_BIN/initdb" -D "$home/data" -U crawl --auth=trust \
        --encoding=UTF8 --locale=C --no-sync --wal-segsize="$segment" \
        --data-checksums >"$home/made" 2>&1 || return
    cat >>"$home/data/postgresql.conf" <<END
fsync = $1
full_page_writes = $1
listen_addresses = '127.0.0.1'
unix_socket_directories = '$home'
$sizes
max_connections = 60
logging_collector = off
dynamic_shared_memory_type = mmap
END
}

# postgres_stop: end it for good and remove its folder.
postgres_stop() {
    local home=${POSTGRES_HOME:-} watchdog

    [ -n "$home" ] && [ -d "$home" ] || return 0
    watchdog=$(cat "$home/watchdog")
    postgres_unfreeze
    postgres_pause immediate || :
    POSTGRES_HOME=
    rm -rf "$home"
    # It may be us; its group is its own.
    kill -- "-$watchdog" 2>/dev/null || :
}

# postgres_needed: skip the test where no PostgreSQL could be started.
postgres_needed() {
    [ -z "$POSTGRES_WHY" ] || skip "$POSTGRES_WHY"
    [ -n "$POSTGRES_HOME" ] || fail "postgres_start was not called"
}

# --- faults ------------------------------------------------------------------

# postgres_pause [fast|immediate]: shut it down; connections are cut. With
# "immediate" it is as if it had been killed.
postgres_pause() {
    [ -e "$POSTGRES_HOME/data/postmaster.pid" ] || return 0
    postgres_as "$POSTGRES_BIN/pg_ctl" -D "$POSTGRES_HOME/data" -m "${1:-fast}" \
        -s -w -t "${LIMIT:-300}" stop >>"$POSTGRES_HOME/stopped" 2>&1
}

# postgres_go_on: start it again, on the same port (the first time: on one that
# is free), and wait until it answers.
postgres_go_on() {
    local port

    for _ in 1 2 3 4 5; do
        # Below the ports that the kernel gives out by itself.
        port=${POSTGRES_PORT:-$((RANDOM % 20000 + 12000))}
        postgres_as "$POSTGRES_BIN/pg_ctl" -D "$POSTGRES_HOME/data" -s -w \
            -t "${LIMIT:-300}" -l "$POSTGRES_HOME/log" -o "-p $port" start \
            >>"$POSTGRES_HOME/started" 2>&1 </dev/null || continue
        # shellcheck disable=SC2034 # the test's
        POSTGRES_PORT=$port
        postgres_database
        return
    done
    return 1
}

postgres_database() {
    [ -n "$(postgres_sql -d postgres \
        "SELECT 1 FROM pg_database WHERE datname = 'crawl'")" ] ||
        postgres_sql -d postgres 'CREATE DATABASE crawl'
}

# postgres_processes: the server's process and those of its connections, each
# of which is in a group of its own.
postgres_processes() {
    local server

    server=$(head -n 1 "$POSTGRES_HOME/data/postmaster.pid" 2>/dev/null) || return 0
    echo "$server"
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v server="$server" '{ pid = $1; sub(/.*\) /, "") } $2 == server { print pid }'
}

# postgres_freeze, postgres_unfreeze: it answers nobody, and goes on where it was.
postgres_freeze() {
    # The server first, or it would start more while we stop them.
    kill -STOP "$(head -n 1 "$POSTGRES_HOME/data/postmaster.pid")" || return
    kill -STOP $(postgres_processes)
}

postgres_unfreeze() {
    kill -CONT $(postgres_processes) 2>/dev/null || :
}

# postgres_keep: remember all that it holds now. It is shut down for a moment.
postgres_keep() {
    postgres_pause fast || return
    rm -rf "$POSTGRES_HOME/kept"
    cp -a --reflink=auto "$POSTGRES_HOME/data" "$POSTGRES_HOME/kept" || return
    postgres_go_on
}

# postgres_set_back: it is killed and comes back with what it held at
# postgres_keep, as a restored backup or a standby that lagged would.
postgres_set_back() {
    postgres_pause immediate || return
    rm -rf "$POSTGRES_HOME/data"
    cp -a --reflink=auto "$POSTGRES_HOME/kept" "$POSTGRES_HOME/data" || return
    postgres_go_on
}

# --- using it ----------------------------------------------------------------

# postgres_url [PORT [DATABASE]]: its address, or that of a relay before it.
postgres_url() {
    echo "postgres://crawl@127.0.0.1:${1:-$POSTGRES_PORT}/${2:-crawl}"
}

# postgres_sql [OPTION...] SQL: run it; fields are separated by a blank.
postgres_sql() {
    local options=("${@:1:$#-1}")

    PGOPTIONS='' "$POSTGRES_BIN/psql" -X -q -A -t -F ' ' -v ON_ERROR_STOP=1 \
        -h "$POSTGRES_HOME" -p "$POSTGRES_PORT" -U crawl -d crawl \
        "${options[@]}" -c "${!#}"
}
