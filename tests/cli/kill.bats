#!/usr/bin/env bats
# kill -9, at any moment: nothing is lost, nothing is there twice.

load helper

WEB=(--web killed --hosts 20 --pages 5000 --size 1000
    --flaky 0 --limited 0 --errors 0 --slow 0)

# crawl_web DIR: begin the crawl of the web there, or go on with it.
crawl_web() {
    exec "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
        --per-host 8 --save-every 20ms http://d0.example/ "$1" 1000
}

# settled DIR: a column of the state's fetches, at the last commit.
count_of() {
    # sqlite3 would make an empty file where there is none.
    { [ -s "$1/.crawler" ] &&
        sqlite3 "$1/.crawler" "SELECT count(*) FROM $2" 2>/dev/null; } || echo 0
}

# random_ms FROM TO
random_ms() {
    local ms=$(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1)))

    printf '%d.%03d' $((ms / 1000)) $((ms % 1000))
}

# same_as_truth DIR: exactly the pages that the web has, each once, and no other
# file.
same_as_truth() {
    page_depths "$1" | diff "$TMP/truth" - >"$TMP/diff" ||
        fail "$(wc -l <"$TMP/diff") lines differ: $(head -n 5 "$TMP/diff")" || return
    pages_are_whole "$(wc -l <"$TMP/truth")" "$1" || return
    same "" "$(find "$1" -mindepth 1 ! -name '[1-9]*' ! -name .crawler \
        ! -name .crawler-stats.json)" "other files" || return
    "$CRAWLER" verify "$1" >"$TMP/verified" || fail "$(head "$TMP/verified")"
}

# The pages that the server was asked for and the state does not know: those in
# flight, and at most three thousand that were done and waited for the disk.
LOST_MAX=$((80 + 3000))

@test "killed at a hundred random moments, it ends as if it had not been" {
    local kills=0 wanted=100 crawls=0 queue before asked status lost longest=500
    RANDOM=1

    if is_sanitized; then
        wanted=12 longest=4000
    fi
    start_playground "${WEB[@]}"
    "$PLAYGROUND" truth "${WEB[@]}" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort >"$TMP/truth"
    while [ "$kills" -lt "$wanted" ]; do
        crawls=$((crawls + 1))
        mkdir "$TMP/crawl.$crawls"
        # Every other one has next to no memory for its queue.
        queue=$((crawls % 2 ? 64 : 65536))K
        while :; do
            before=$(count_of "$TMP/crawl.$crawls" fetch)
            asked=$(wc -l <"$RECORD")
            status=0
            timeout --foreground -s KILL "$(random_ms 20 $longest)" \
                "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" \
                --scope any --delay 0 --per-host 8 --save-every 20ms \
                --queue-memory "$queue" \
                http://d0.example/ "$TMP/crawl.$crawls" 1000 || status=$?
            [[ $status =~ ^(124|137)$ ]] || break # by timeout, either
            kills=$((kills + 1))
            sleep 0.1 # the server's record is up to so late
            lost=$((($(wc -l <"$RECORD") - asked) -
                ($(count_of "$TMP/crawl.$crawls" fetch) - before)))
            # robots.txt of 20 hosts is asked for, too.
            [ "$lost" -le $((LOST_MAX + 20)) ] || fail "$lost fetches were lost"
        done
        same 0 "$status" "exit status"
        same_as_truth "$TMP/crawl.$crawls"
        rm -r "$TMP/crawl.$crawls"
    done
}

# killer: a library that kills the program before its Nth call of those that
# write, where $KILL_AT is N, and tells how many there were in $KILL_COUNT.
killer() {
    if is_sanitized; then
        skip "not with a sanitizer"
    fi
    cat >"$TMP/killer.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
static atomic_int calls;
static void count(void)
{
    const char *at = getenv("KILL_AT");
    if (++calls == (at ? atoi(at) : -1))
        kill(getpid(), SIGKILL);
}
__attribute__((destructor)) static void tell(void)
{
    const char *name = getenv("KILL_COUNT");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file)
        fprintf(file, "%d\n", (int)calls), fclose(file);
}
#define WRAP(type, name, params, args) \
    type name params { count(); \
    type (*real) params = (type (*) params)dlsym(RTLD_NEXT, #name); \
    return real args; }
WRAP(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t o), (fd, p, n, o))
WRAP(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t o), (fd, p, n, o))
WRAP(ssize_t, writev, (int fd, const struct iovec *p, int n), (fd, p, n))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, syncfs, (int fd), (fd))
WRAP(int, ftruncate, (int fd, off_t n), (fd, n))
WRAP(int, ftruncate64, (int fd, off64_t n), (fd, n))
WRAP(int, rename, (const char *a, const char *b), (a, b))
WRAP(int, renameat, (int x, const char *a, int y, const char *b), (x, a, y, b))
WRAP(int, linkat, (int x, const char *a, int y, const char *b, int f), (x, a, y, b, f))
WRAP(int, unlink, (const char *a), (a))
WRAP(int, unlinkat, (int x, const char *a, int f), (x, a, f))
END
    "${CC:-cc}" -shared -fPIC -o "$TMP/killer.so" "$TMP/killer.c" -ldl
}

letters_again() {
    "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --delay 0 \
        --save-every 1ms "$LETTERS/index.html" "$DIR" 10
}

@test "killed before any of the calls that write, it goes on" {
    local calls at status

    killer
    start_playground --letters
    KILL_COUNT=$TMP/calls LD_PRELOAD=$TMP/killer.so letters_again
    calls=$(cat "$TMP/calls")
    [ "$calls" -gt 60 ] || fail "only $calls calls are seen"
    page_depths >"$TMP/truth"
    for ((at = 1; at <= calls; at++)); do
        rm -rf "$DIR" && mkdir "$DIR"
        status=0
        KILL_AT=$at LD_PRELOAD=$TMP/killer.so letters_again || status=$?
        # The number of calls differs a little from time to time.
        [ "$status" -eq 137 ] || [ "$at" -gt $((calls / 2)) ] ||
            fail "call $at: status $status"
        letters_again || fail "after a kill before call $at: status $?"
        same_as_truth "$DIR" || fail "after a kill before call $at"
    done
}

@test "killed again while it goes on, before any of the calls" {
    local at status

    killer
    start_playground --letters
    letters_again
    page_depths >"$TMP/truth"
    for ((at = 1; at <= 60; at++)); do
        rm -rf "$DIR" && mkdir "$DIR"
        KILL_AT=60 LD_PRELOAD=$TMP/killer.so letters_again || :
        KILL_AT=$at LD_PRELOAD=$TMP/killer.so letters_again || :
        letters_again || fail "after a second kill before call $at: status $?"
        same_as_truth "$DIR" || fail "after a second kill before call $at"
    done
}

# replace_letters OPTION...: a smaller crawl in the place of the one in $DIR.
replace_letters() {
    "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --delay 0 \
        --save-every 1ms "$@" "$LETTERS/index.html" "$DIR" 2
}

@test "killed before any of the calls that write while it replaces another crawl, it goes on" {
    local calls at status

    killer
    start_playground --letters
    letters_again
    cp -a "$DIR" "$TMP/old"
    KILL_COUNT=$TMP/calls LD_PRELOAD=$TMP/killer.so replace_letters --restart
    calls=$(cat "$TMP/calls")
    [ "$calls" -gt 40 ] || fail "only $calls calls are seen"
    page_depths >"$TMP/truth"
    for ((at = 1; at <= calls; at++)); do
        rm -rf "$DIR" && cp -a "$TMP/old" "$DIR"
        KILL_AT=$at LD_PRELOAD=$TMP/killer.so replace_letters --restart || :
        "$CRAWLER" verify "$DIR" >"$TMP/verified" ||
            fail "after a kill before call $at: $(cat "$TMP/verified")"
        # Without a network nothing goes.
        "$CRAWLER" --quiet --resume --retries 0 --connect-to ::127.0.0.1:1 "$DIR" \
            >/dev/null 2>&1 || :
        [ "$(page_count)" -gt 0 ] || fail "no page is left after call $at"
        replace_letters --restart || fail "after a kill before call $at: status $?"
        same_as_truth "$DIR" || fail "after a kill before call $at"
    done
}

@test "SIGTERM, and on: nothing is fetched twice" {
    local round

    start_playground "${WEB[@]}"
    "$PLAYGROUND" truth "${WEB[@]}" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort >"$TMP/truth"
    for round in 1 2 3 4; do
        (crawl_web "$DIR") 3>&- &
        while [ ! -e "$DIR/1" ] && kill -0 $!; do
            sleep 0.02
        done
        sleep "0.$round"
        kill -TERM $! 2>/dev/null || :
        STATUS=0
        wait $! || STATUS=$?
        # 143: it had not come to the point where signals are heard.
        [[ $STATUS =~ ^(0|3|143)$ ]] || fail "status $STATUS"
        echo "$STATUS" >>"$TMP/statuses"
    done
    grep -qx 3 "$TMP/statuses"
    (crawl_web "$DIR")
    same_as_truth "$DIR"
    stop_playground
    same "" "$(tail -n +2 "$RECORD" | cut -f 5,7 | sort | uniq -d)" "asked twice"
}
