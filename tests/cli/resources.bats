#!/usr/bin/env bats
# A machine that has too little of something, or whose clock cannot be trusted:
# the crawl ends with a reason, or does not mind. In both cases what is saved is
# whole. (failures.bats has full disks and signals.)

load helper
load site

# start_crawl OPTION...: a crawl of a large web in the background, as $CRAWL;
# it returns when pages are being saved. $TMP/status has its exit status at the
# end.
start_crawl() {
    start_playground --web 7 --hosts 300 --pages 100000 --errors 0
    "$CRAWLER" --robots ignore --scope any --delay 0 --log none --per-host 2 \
        --connect-to "::127.0.0.1:$PORT" "$@" http://d0.example/ "$DIR" 100 \
        >"$TMP/out" 2>"$TMP/err" 3>&- &
    CRAWL=$!
    until [ -e "$DIR/200" ]; do
        kill -0 "$CRAWL" || fail "it ended: $(cat "$TMP/err")" || return
        sleep 0.02
    done
}

# end_crawl STATUS PATTERN: it ends by itself, so and with one line; what it has
# saved is whole.
end_crawl() {
    local status=0

    timeout "$LIMIT" tail -s 0.02 --pid="$CRAWL" -f /dev/null ||
        { kill -KILL "$CRAWL" && fail "it hangs"; } || return
    wait "$CRAWL" || status=$?
    same "$1" "$status" "exit status"
    grep -qE "^crawler: $2" "$TMP/err" || fail "$(cat "$TMP/err")" || return
    whole_so_far
}

# whole_so_far: pages are numbered without a hole and have a URL, a depth and a
# body; what else may be there has a name with a dot in front.
whole_so_far() {
    local count

    count=$(page_count)
    [ "$count" -ge 200 ] || fail "$count pages" || return
    same "$(seq 1 "$count")" "$(find "$DIR" -mindepth 1 ! -name '.*' \
        -printf '%P\n' | sort -n)" "pages"
    find "$DIR" -name '[1-9]*' -exec awk '
        FNR == 1 && !/^http:/ { print FILENAME, $0 }
        FNR == 2 && !/^[0-9]+$/ { print FILENAME, $0 }
        FNR == 3 { bodies++; nextfile }
        END { print bodies + 0 }' {} + | awk '{ n += $1 } END { print n }' \
        >"$TMP/bodies"
    same "$count" "$(cat "$TMP/bodies")" "whole pages"
}

@test "out of file descriptors in the middle" {
    start_crawl
    prlimit --pid "$CRAWL" --nofile=20:20
    end_crawl 1 "cannot write page [0-9]+ in .*: Too many open files"
}

@test "out of memory in the middle" {
    without_sanitizer
    start_crawl
    prlimit --pid "$CRAWL" --as=1000000
    end_crawl 1 "(cannot write the state in .*: )?out of memory"
}

@test "little memory is enough" {
    without_sanitizer
    start_playground --web 8 --hosts 100 --pages 1000 --errors 0 --flaky 0 \
        --limited 0
    capture bash -c 'ulimit -v 200000 && exec "$@"' - timeout -k 5 "$LIMIT" \
        "$CRAWLER" --robots ignore --scope any --delay 0 --log none --per-host 2 \
        --connect-to "::127.0.0.1:$PORT" http://d0.example/ "$DIR" 100
    same 0 "$STATUS"
    whole_pages 1000
}

# jumping_clock: at every look the clock of the day is a day or ten years from
# where it was.
jumping_clock() {
    without_sanitizer
    cat >"$TMP/clock.c" <<'END'
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

static time_t jump(void)
{
    static const time_t jumps[] = {86400, 0, -315360000, 315360000, -3600};
    static unsigned looks;

    return jumps[__atomic_fetch_add(&looks, 1, __ATOMIC_SEQ_CST) % 5];
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    __typeof__(clock_gettime) *real =
        (__typeof__(real))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, now);

    if (clock == CLOCK_REALTIME)
        now->tv_sec += jump();
    return status;
}

time_t time(time_t *now)
{
    struct timespec real;

    clock_gettime(CLOCK_REALTIME, &real);
    if (now)
        *now = real.tv_sec;
    return real.tv_sec;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec real;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &real);
    *now = (struct timeval){real.tv_sec, real.tv_nsec / 1000};
    return 0;
}
END
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o "$TMP/clock.so" "$TMP/clock.c" \
        -ldl
}

@test "a clock that jumps changes no pause and no time-out" {
    jumping_clock
    serve <<'END'
/
    links 20 /%d
    body <a href=/silent>.</a>
/robots.txt 404
/silent
    delay 1h
/*
    body a page
END
    LD_PRELOAD=$TMP/clock.so capture timeout -k 5 "$LIMIT" "$CRAWLER" --log json \
        --scope host --delay 40ms --retries 0 --timeout 2s \
        --connect-to "::127.0.0.1:$PORT" http://example.org/ "$DIR" 1
    same 0 "$STATUS"
    cp "$OUT" "$TMP/log"
    # It did jump.
    [ "$(grep -o '"time":"[0-9]*' "$TMP/log" | sort -u | wc -l)" -ge 2 ]
    same 21 "$(outcomes | grep -c ' fetched$')"
    same "/silent timed-out" "$(outcomes | grep silent)"
    stop_playground
    [ "$(record_min_gap_ms)" -ge 39 ] || fail "$(record_min_gap_ms) ms"
}

@test "stopped for longer than a time-out, and going on" {
    serve <<'END'
/
    links 30 /%d
/*
    body a page
    drip 3 20ms
END
    "$CRAWLER" --robots ignore --log none --scope host --delay 20ms --timeout 1s \
        --connect-to "::127.0.0.1:$PORT" http://example.org/ "$DIR" 1 \
        >"$TMP/out" 2>"$TMP/err" 3>&- &
    crawl=$!
    until [ -e "$DIR/8" ]; do
        kill -0 "$crawl" || fail "it ended: $(cat "$TMP/err")"
        sleep 0.01
    done
    kill -STOP "$crawl"
    sleep 2
    kill -CONT "$crawl"
    wait "$crawl"
    whole_pages 31
    stop_playground
    # One that was given up may still be under way in the server.
    same 31 "$(record_column path | sort -u | wc -l)"
}

@test "hosts that never answer cost the others nothing" {
    local share

    # 100 % on an idle machine; here others may be running, at times.
    for _ in 1 2 3; do
        share=$(cd "$PROJECT" && tools/measure-tarpits 500 30 20)
        echo "$share"
        [ "$(sed 's/.*: \([0-9]*\) %/\1/' <<<"$share")" -lt 60 ] || return 0
    done
    fail "$share"
}
