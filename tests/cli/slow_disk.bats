#!/usr/bin/env bats
# A disk that takes its time holds a crawl only when very much waits for it.

load helper

WEB=(--web slow --hosts 20 --pages 5000 --size 1000
    --flaky 0 --limited 0 --errors 0 --slow 0)

# Pages that may wait for the disk, and those in flight.
UNCOMMITTED_MAX=3000
IN_FLIGHT=80

# slow_disk: a library whose syncs take $SYNC_MS and, if $SYNC_GATE is set, do
# not come back before that file is there, but for the first $SYNC_OPEN of them.
slow_disk() {
    if is_sanitized; then
        skip "not with a sanitizer"
    fi
    cat >"$TMP/slow.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void wait_ms(long ms)
{
    const struct timespec wait = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&wait, NULL);
}
static void take_time(void)
{
    static atomic_int calls;
    const char *gate = getenv("SYNC_GATE"), *ms = getenv("SYNC_MS");
    const char *open = getenv("SYNC_OPEN");
    while (gate && ++calls > atoi(open) && access(gate, F_OK))
        wait_ms(10);
    wait_ms(ms ? atol(ms) : 0);
}
#define WRAP(name) \
    int name(int fd) { take_time(); \
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); return real(fd); }
WRAP(fsync)
WRAP(fdatasync)
WRAP(syncfs)
END
    "${CC:-cc}" -shared -fPIC -o "$TMP/slow.so" "$TMP/slow.c" -ldl
}

crawl_web() {
    LD_PRELOAD=$TMP/slow.so exec "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" \
        --scope any --delay 0 --per-host 8 --save-every 20ms "$@" http://d0.example/ "$DIR" 1000
}

truth() {
    "$PLAYGROUND" truth "${WEB[@]}" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort
}

asked() {
    tail -n +2 "$RECORD" | wc -l
}

@test "pages are fetched while the disk does not answer, up to a bound" {
    local before count

    slow_disk
    start_playground "${WEB[@]}"
    # The record is made, a little is committed, and then the disk hangs.
    (
        export SYNC_GATE=$TMP/gate SYNC_OPEN=12
        crawl_web
    ) 3>&- &
    # It goes on for hundreds of pages, and then it waits.
    before=-1 count=0
    while [ "$count" -lt 600 ] || [ "$count" -ne "$before" ]; do
        before=$count
        sleep 1
        count=$(asked)
        kill -0 $!
    done
    # What was committed before the gate was closed is not known exactly: at
    # most one batch more.
    [ "$count" -le $((UNCOMMITTED_MAX + IN_FLIGHT + 500 + 40)) ] ||
        fail "$count pages were asked for"
    touch "$TMP/gate"
    wait $!
    truth | diff - <(page_depths "$DIR")
    "$CRAWLER" verify "$DIR"
}

@test "a crawl killed while the disk takes half a second ends as if it had not been" {
    local kills lost before was status

    slow_disk
    RANDOM=2
    export SYNC_MS=500
    start_playground "${WEB[@]}"
    for kills in 1 2 3 4; do
        before=$(asked)
        was=$(sqlite3 "$DIR/.crawler" 'SELECT count(*) FROM fetch' 2>/dev/null || echo 0)
        status=0
        (crawl_web) 3>&- &
        sleep "$((1 + RANDOM % 3)).$((RANDOM % 10))"
        kill -9 $! 2>/dev/null || :
        wait $! || status=$?
        [[ $status =~ ^(0|137)$ ]] || fail "status $status"
        sleep 0.1 # the server's record is up to so late
        lost=$((($(asked) - before) -
            ($(sqlite3 "$DIR/.crawler" 'SELECT count(*) FROM fetch' 2>/dev/null || echo 0) - was)))
        [ "$lost" -le $((UNCOMMITTED_MAX + IN_FLIGHT + 20)) ] ||
            fail "$lost fetches were lost"
    done
    export SYNC_MS=0
    (crawl_web)
    truth | diff - <(page_depths "$DIR")
    whole_pages "$(truth | wc -l)"
    "$CRAWLER" verify "$DIR"
}

@test "a resume killed while the disk does not answer can be resumed" {
    local open pid waited

    slow_disk
    start_playground "${WEB[@]}"
    (crawl_web --max-pages 20) || same 3 $?
    # From the first page on, the files of a killed crawl are its own: the record
    # must say that it runs before there is one.
    for open in 2 4 6 8; do
        (
            export SYNC_GATE=$TMP/gate SYNC_OPEN=$open
            crawl_web --max-pages 200
        ) 3>&- &
        pid=$! waited=0
        while [ ! -e "$DIR/30" ] && [ $((waited += 1)) -lt 20 ]; do
            sleep 0.1
        done
        kill -9 $pid
        wait $pid || :
        (crawl_web --max-pages 20) || same 3 $? "status after a kill"
    done
    (crawl_web --max-pages none)
    truth | diff - <(page_depths "$DIR")
    "$CRAWLER" verify "$DIR"
}
