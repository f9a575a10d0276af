#!/usr/bin/env bats
# kill -9 before every single call that writes: the next crawl goes on from there.

load helper
load truth

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

@test "a crawl killed before any call that writes goes on" {
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

@test "a crawl killed again while it goes on, before any call that writes, goes on" {
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

@test "a crawl killed before any call that writes, while it replaces another one, goes on" {
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
