#!/usr/bin/env bats
# Going on after a stop: what was under way, and what is known of hosts.

load helper
load resume

# stopped_while_waiting OPTION...: begin a crawl of example.org whose server,
# $TMP/first, does not answer something; stop it at once while it waits for that.
# Another server, $TMP/then, is at the same place after that.
stopped_while_waiting() {
    local pid tries=0

    start_playground --site "$TMP/first"
    behind "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 0 \
        "$@" http://example.org/ "$DIR" 1
    pid=$PID_BEHIND
    until [ "$(state 'SELECT count(*) FROM url' 2>/dev/null)" = "$WAITING" ]; do
        [ $((tries++)) -lt $((LIMIT * 50)) ] || fail "it has not begun" || return
        sleep 0.02
    done
    kill -TERM $pid
    kill -INT $pid
    STATUS=0
    wait $pid || STATUS=$?
    same 3 "$STATUS" "exit status when stopped"
    stop_playground
    start_playground --site "$TMP/then" --listen "127.0.0.1:$PORT"
}

@test "a crawl stopped while it awaits robots.txt holds nothing against the host" {
    printf '/robots.txt\n    delay 10m\n' >"$TMP/first"
    cat >"$TMP/then" <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/
    body <a href=/no>.</a> <a href=/yes>.</a>
/*
    body A page.
END
    WAITING=1 stopped_while_waiting --retries 0
    capture "$CRAWLER" --resume "$DIR"
    same 0 "$STATUS"
    whole_pages 2
    same 0 "$(record_count /no)"
}

@test "a crawl stopped while it awaits a page does not count that as a try" {
    printf '/\n    body <a href=/p>.</a>\n/p\n    delay 10m\n' >"$TMP/first"
    printf '/p 503\n    times 1\n/p\n    body A page.\n' >"$TMP/then"
    WAITING=2 stopped_while_waiting --robots ignore --retries 1
    capture "$CRAWLER" --resume "$DIR"
    same 0 "$STATUS"
    whole_pages 2
}

# reads_signalled: a library with which the program gets the signal $SIGNAL when it
# reads row number $ROW of a record; the file $ROWS has a byte for each row read.
reads_signalled() {
    without_sanitizer
    cat >"$TMP/signal.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int sqlite3_step(void *stmt)
{
    static int (*real)(void *), rows, log = -1;
    if (!real) {
        real = (int (*)(void *))dlsym(RTLD_NEXT, "sqlite3_step");
        log = open(getenv("ROWS"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (write(log, ".", 1) != 1)
        abort();
    if (++rows == atoi(getenv("ROW")))
        kill(getpid(), atoi(getenv("SIGNAL")));
    return real(stmt);
}
END
    "${CC:-cc}" -shared -fPIC -o "$TMP/signal.so" "$TMP/signal.c" -ldl
    export ROWS=$TMP/rows ROW SIGNAL
}

# ended_while_reading STATUS COMMAND...: it ends so, soon after the signal.
ended_while_reading() {
    local rows

    capture env --default-signal LD_PRELOAD="$TMP/signal.so" "${@:2}"
    same "$1" "$STATUS" "$*: $(cat "$ERR")" || return
    rows=$(stat -c %s "$TMP/rows")
    [ "$rows" -ge "$ROW" ] && [ "$rows" -lt $((ROW + 2000)) ] ||
        fail "$*: signal $SIGNAL at row $ROW, and $rows rows were read"
}

@test "a signal ends a long read of a record, and the record is as it was" {
    reads_signalled
    start_playground --site <(printf '/\n    links 10000 /%%d\n')
    "$CRAWLER" --log none --scope host --robots ignore --delay 0 --max-pages 1 \
        --connect-to "::127.0.0.1:$PORT" http://example.org/ "$DIR" 1 2>"$TMP/err" || same 3 $?
    same 10001 "$(state 'SELECT count(*) FROM url')"
    rm "$DIR/.crawler-stats.json"
    cp -a "$DIR" "$TMP/kept"
    stop_playground
    # Commands that only read end as any program does.
    for SIGNAL in 2 15; do
        ROW=500
        for command in status verify "export --format csv"; do
            # shellcheck disable=SC2086 # they are words
            ended_while_reading $((128 + SIGNAL)) "$CRAWLER" $command "$DIR"
        done
        ended_while_reading $((128 + SIGNAL)) "$CRAWLER" why "$DIR" http://example.org/1
    done
    # The settings are read before that; until then a signal ends it in the same way.
    for SIGNAL in 1 2 15; do
        ROW=3000 ended_while_reading 3 "$CRAWLER" --resume "$DIR"
        same "crawler: going on with the crawl in $DIR after 1 page
stopped by a signal or by order
go on: crawler --resume $DIR" "$(cat "$ERR")"
    done
    diff -r -x .crawler "$TMP/kept" "$DIR"
    diff <(sqlite3 "$TMP/kept/.crawler" .dump) <(sqlite3 "$DIR/.crawler" .dump)
    # To go deeper it is read once more.
    ROW=14000 ended_while_reading 3 "$CRAWLER" --resume --max-depth 2 --max-pages none "$DIR"
    # Nothing is lost by it.
    start_playground --site <(printf '/*\n    body A page.\n') --listen "127.0.0.1:$PORT"
    "$CRAWLER" -q --resume --max-pages 30 "$DIR" || same 3 $?
    same 30 "$(page_count)"
}

@test "names that are no domains can be in a state that goes on" {
    start_playground --site <(cat <<'END'
/
    body <a href=http://1../>.</a> <a href=http://2../x>.</a> <a href=http://x../>.</a>
    body <a href=http://a.example./>.</a> <a href=/1>.</a>
/*
    body A page.
END
)
    capture "$CRAWLER" --scope any --order priority --delay 0 --ip-delay 0 --retries 0 \
        --robots ignore --max-pages 1 --connect-to "example.org::127.0.0.1:$PORT" \
        --connect-to ::127.0.0.1:1 http://example.org/ "$DIR" 1
    same 3 "$STATUS"
    capture "$CRAWLER" --resume --max-pages 100 "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    whole_pages 2
}

@test "a resume knows that a host answered http, so a closed https port does not end it" {
    start_playground --site <(cat <<'END'
/
    body <a href=https://h.test/s>.</a> <a href=/1>.</a> <a href=/2>.</a> <a href=/3>.</a>
/*
    body A page.
END
)
    capture "$CRAWLER" --scope host --delay 0 --retries 0 --robots ignore --max-pages 1 \
        --connect-to "h.test:80:127.0.0.1:$PORT" --connect-to h.test:443:127.0.0.1:1 \
        http://h.test/ "$DIR" 1
    same 3 "$STATUS"
    capture "$CRAWLER" --resume --max-pages 100 "$DIR"
    same 0 "$STATUS"
    whole_pages 4
}
