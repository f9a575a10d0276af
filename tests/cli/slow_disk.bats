#!/usr/bin/env bats
# A disk that takes its time holds a crawl only when very much waits for it.

load helper

WEB=(--web slow --hosts 20 --pages 5000 --size 1000
    --flaky 0 --limited 0 --errors 0 --slow 0 --redirects 30%)

# Fetches that may wait for the disk, redirects and errors among them, and those
# in flight.
UNCOMMITTED_MAX=3000
IN_FLIGHT=80

# slow_disk: a library whose syncs take $SYNC_MS and, if $SYNC_GATE is set, do
# not come back before that file is there, but for the first $SYNC_OPEN of them.
# The file $SYNC_LOG gets a line for each of them, and for each write to a place
# in a file and each file that is cut.
slow_disk() {
    if is_sanitized; then
        skip "not with a sanitizer"
    fi
    cat >"$TMP/slow.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static void tell(const char *what, int fd)
{
    const char *log = getenv("SYNC_LOG");
    char link[64], path[4096] = "", line[4200];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    if (!log || readlink(link, path, sizeof(path) - 1) < 0)
        return;
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    int len = snprintf(line, sizeof(line), "%s %s\n", what, strrchr(path, '/') + 1);
    if (out < 0 || write(out, line, (size_t)len) != len)
        abort();
    close(out);
}
#define WRAP(name) \
    int name(int fd) { take_time(); \
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); \
    int result = real(fd); tell("sync", fd); return result; }
WRAP(fsync)
WRAP(fdatasync)
WRAP(syncfs)
#define WRAP_WRITE(name, off) \
    ssize_t name(int fd, const void *p, size_t n, off at) { tell("write", fd); \
    ssize_t (*real)(int, const void *, size_t, off) = \
    (ssize_t (*)(int, const void *, size_t, off))dlsym(RTLD_NEXT, #name); \
    return real(fd, p, n, at); }
WRAP_WRITE(pwrite, off_t)
WRAP_WRITE(pwrite64, off64_t)
#define WRAP_CUT(name, off) \
    int name(int fd, off len) { tell("cut", fd); \
    int (*real)(int, off) = (int (*)(int, off))dlsym(RTLD_NEXT, #name); \
    return real(fd, len); }
WRAP_CUT(ftruncate, off_t)
WRAP_CUT(ftruncate64, off64_t)
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

# writes_and_syncs: the log, each line once, without the writes of the new
# record before it has its name.
writes_and_syncs() {
    grep -v 'crawler-tmp\|shm' "$TMP/log" | uniq
}

@test "a crawl takes at most two syncs at its beginning and three at its end, each in its place" {
    local syncs

    slow_disk
    start_playground --letters
    SYNC_LOG=$TMP/log LD_PRELOAD=$TMP/slow.so "$CRAWLER" --quiet --delay 0 \
        --connect-to "::127.0.0.1:$PORT" --save-every 1h "$LETTERS/index.html" "$DIR" 10
    # The seeds are committed while the first pages are fetched. If a page was
    # saved before that, it is synced first; if the crawl has ended before that,
    # they are committed with all the rest.
    syncs=$(grep -c ^sync "$TMP/log")
    [[ $syncs =~ ^[345]$ ]] || fail "$syncs syncs in all"
    # The pages; their rows in the journal (with the file system, where no commit
    # was before); the journal in the file.
    diff - <(writes_and_syncs | sed "s,${DIR##*/}\$,DIR," | tail -n 9 | head -n 7 |
        sed '3s/^sync DIR$/sync .crawler-wal/') <<END
sync DIR
write .crawler-wal
sync .crawler-wal
write .crawler
cut .crawler
sync .crawler
cut .crawler-wal
END
    "$CRAWLER" verify "$DIR"
}

@test "a record that takes the place of another is on the disk before it does" {
    slow_disk
    start_playground --letters
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" "$LETTERS/none.html" "$DIR" 1 || same 4 $?
    SYNC_LOG=$TMP/log LD_PRELOAD=$TMP/slow.so "$CRAWLER" --connect-to "::127.0.0.1:$PORT" \
        "$LETTERS/index.html" "$DIR" 0
    same "sync .crawler-tmp-state" "$(grep ^sync "$TMP/log" | head -n 1)" "first sync"
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
    # What was committed before the gate was closed is in the record.
    before=$(sqlite3 "$DIR/.crawler" 'SELECT count(*) FROM fetch')
    [ $((count - before)) -le $((UNCOMMITTED_MAX + IN_FLIGHT + 40)) ] ||
        fail "$count requests were made, and $before are recorded"
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
