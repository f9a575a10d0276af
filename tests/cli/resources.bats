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
    "$CRAWLER" --robots ignore --scope any --delay 0 --log none --per-host 20 \
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

# whole_so_far [LEAST]: there are at least 200 pages, or LEAST. They are numbered
# without a hole and have a URL, a depth and a body; what else may be there has a
# name with a dot in front.
whole_so_far() {
    local count

    count=$(page_count)
    [ "$count" -ge "${1:-200}" ] || fail "$count pages" || return
    same "$(seq 1 "$count")" "$(find "$DIR" -mindepth 1 ! -name '.*' \
        -printf '%P\n' | sort -n)" "pages" || return
    pages_are_whole "$count"
}

# A judge that lets everything pass is worth nothing.
@test "the check of pages saved so far fails where one is not whole" {
    local file

    for file in 1 2 3; do
        printf 'http://example.org/%d\n%d\nbody\n' "$file" "$file" >"$DIR/$file"
    done
    touch "$DIR/.crawler" "$DIR/.page.1"
    whole_so_far 3
    ! whole_so_far 4 || fail "too few pages were not seen"
    for text in '' 'http://example.org/2' 'http://example.org/2\n' \
        'http://example.org/2\n2\n' 'http://example.org/2\nx\nbody\n' \
        'example.org/2\n2\nbody\n' '7 http://example.org/2\n2\nbody\n' \
        'http://example.org/1\n2\nbody\n'; do
        # shellcheck disable=SC2059 # it is a format
        printf "$text" >"$DIR/2"
        ! whole_so_far 3 || fail "not seen: $text"
    done
    rm "$DIR/2"
    ! whole_so_far 2 || fail "a hole was not seen"
    printf 'http://example.org/2\n2\nbody\n' >"$DIR/2"
    whole_so_far 3
    touch "$DIR/stranger"
    ! whole_so_far 3 || fail "another file was not seen"
}

@test "a crawl that runs out of file descriptors ends with an error and whole pages" {
    start_crawl
    prlimit --pid "$CRAWL" --nofile=20:20
    end_crawl 1 "cannot write page [0-9]+ in .*: Too many open files"
}

@test "a crawl that runs out of memory ends with an error and whole pages" {
    without_sanitizer
    start_crawl
    prlimit --pid "$CRAWL" --as=1000000
    end_crawl 1 "(cannot write the state in .*: )?out of memory"
}

@test "a crawl of 1,000 pages gets by with 300 MB of address space" {
    without_sanitizer
    start_playground --web 8 --hosts 100 --pages 1000 --errors 0 --flaky 0 \
        --limited 0
    capture bash -c 'ulimit -v 300000 && exec "$@"' - "${LIMITED[@]}" \
        "$CRAWLER" --robots ignore --scope any --delay 0 --log none --per-host 20 \
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
    LD_PRELOAD=$TMP/clock.so capture "${LIMITED[@]}" "$CRAWLER" --log json \
        --scope host --delay 40ms --retries 0 --timeout 6s \
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

@test "a crawl that is suspended for longer than a time-out goes on" {
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

# tools/measure-tarpits tells what they cost in time.
@test "hosts that never answer keep no other host from its turn" {
    cat >"$TMP/tarpits.site" <<'END'
/tarpit
    delay 1h
/*
    body healthy
END
    # One address each: a host that never answers is all that its address has in
    # flight.
    start_playground --site "$TMP/tarpits.site" --listen 127.1.0.1-10:0 \
        --listen 127.2.0.1-200:0
    for _ in {2..210}; do
        read -r -t "$LIMIT" -u "$SERVER_OUT" line
        echo "${line#listening on }"
    done >"$TMP/addresses"
    echo "$ADDRESS" >>"$TMP/addresses"
    {
        sed -n 's,^127\.2\..*,http://&/tarpit,p' "$TMP/addresses"
        for page in {1..20}; do
            sed -n "s,^127\\.1\\..*,http://&/$page,p" "$TMP/addresses"
        done
    } >"$TMP/seeds"
    same "400" "$(wc -l <"$TMP/seeds")" "seeds"
    env --default-signal=INT "$CRAWLER" --quiet --robots ignore --scope any \
        --retries 0 --delay 10ms --ip-delay 0 --timeout 1h --workers 300 \
        --seeds "$TMP/seeds" "$DIR" 0 3>&- &
    crawl=$!
    # None of them is given up before the others are done: they have an hour.
    for ((i = 0; i < LIMIT * 10; i++)); do
        [ "$(page_count)" -lt 200 ] || break
        kill -0 $crawl || fail "it ended"
        sleep 0.1
    done
    same 200 "$(page_count)" "pages of the healthy hosts"
    kill -INT $crawl
    kill -TERM $crawl
    wait $crawl || STATUS=$?
    same 3 "$STATUS"
    stop_playground
    same "200 200" "$(record_column path | grep -c tarpit) $(record_column path |
        grep -vc tarpit)" "requests of tarpits and of healthy hosts"
}
