#!/usr/bin/env bats
# More to fetch than memory is to be used for: --queue-memory.

load helper
load site

WEB=(--web shelf --hosts 300 --pages 3000 --size 1000)
CALM=(--flaky 0 --limited 0 --errors 0 --slow 0)

# in_file: how many URLs were in the file at most.
in_file() {
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["queued_in_file_max"])' "$DIR/.crawler-stats.json"
}

# crawl_web DEPTH OPTION...: into an empty $DIR, with next to no memory.
crawl_web() {
    local depth=$1

    shift
    rm -rf "$DIR" && mkdir "$DIR"
    capture crawl --robots obey --scope any --delay 0 --log none --quiet \
        --queue-memory 64K "$@" http://d0.example/ "$DIR" "$depth"
    same 0 "$STATUS" "exit status with $*: $(cat "$ERR")"
    [ "$(in_file)" -gt 500 ] || fail "$(in_file) URLs in the file"
}

truth() {
    "$PLAYGROUND" truth "${WEB[@]}" "${CALM[@]}" "$@" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort
}

# gone DIR: nothing of the queue is left there.
gone() {
    same "" "$(find "$1" -name '.crawler-*' ! -name '.crawler-stats.json')"
}

@test "a small queue breadth-first finds the same pages and depths" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    truth --depth 4 >"$TMP/truth"
    for workers in 1 80; do
        crawl_web 4 --order bfs --workers $workers
        page_depths | diff "$TMP/truth" -
        gone "$DIR"
    done
    truth >"$TMP/truth"
    crawl_web 1000 --order bfs --per-host 8
    page_depths | diff "$TMP/truth" -
    stop_playground
}

@test "a small queue by priority finds the same pages, each asked for once" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    truth >"$TMP/truth"
    crawl_web 1000 --order priority
    stop_playground
    diff <(cut -d ' ' -f 1 "$TMP/truth") <(page_urls)
    same "" "$(record_lines | cut -f 5,7 | sort | uniq -d)" "asked twice"
}

@test "a small queue takes one host's pages by depth and age, as if all were in memory" {
    serve <<'END'
/robots.txt 404
/
    links 3 %d/
/1/
    links 900 %d
/2/
    links 900 %d
/3/
    links 900 %d
/*
    body end
END
    for memory in 64M 64K; do
        crawl --scope host --delay 0 --workers 1 --queue-memory $memory \
            http://one.example/ "$DIR" 2 2>/dev/null | awk '/ Fetched: / { print $1, $NF }' \
            >"$TMP/$memory"
    done
    same 2704 "$(wc -l <"$TMP/64K")"
    cmp "$TMP/64M" "$TMP/64K"
}

@test "--max-per-domain refuses what is in the queue file too" {
    serve <<'END'
/robots.txt 404
/
    links 2000 /%d
/*
    body end
END
    capture crawl --scope host --delay 0 --max-per-domain 10 --log json -v \
        --queue-memory 64K http://one.example/ "$DIR" 1
    same 0 "$STATUS"
    whole_pages 10
    [ "$(in_file)" -gt 500 ]
    same 1991 "$(grep -c domain-cap "$OUT")"
    same 1991 "$(sqlite3 "$DIR/.crawler" 'SELECT count(*) FROM refusal')"
}

@test "a crawl with a queue file that stops and goes on loses nothing and has nothing twice" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    truth >"$TMP/truth"
    pages=0
    while :; do
        pages=$((pages + 700))
        capture "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
            --queue-memory 64K --log none --quiet --max-pages "$pages" \
            http://d0.example/ "$DIR" 1000
        [ "$STATUS" -eq 3 ] || break
        gone "$DIR"
    done
    same 0 "$STATUS"
    [ "$pages" -gt 2000 ]
    page_depths | diff "$TMP/truth" -
    "$CRAWLER" verify "$DIR"
}

@test "a crawl that cannot make its queue file goes on in memory" {
    without_sanitizer
    start_playground "${WEB[@]}" "${CALM[@]}"
    truth >"$TMP/truth"
    cat >"$TMP/none.c" <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>
ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at)
{
    (void)fd, (void)bytes, (void)len, (void)at;
    errno = ENOSPC;
    return -1;
}
END
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o "$TMP/none.so" "$TMP/none.c"
    LD_PRELOAD=$TMP/none.so capture crawl --robots obey --scope any --delay 0 \
        --log none --quiet --state none --queue-memory 64K http://d0.example/ "$DIR" 1000
    same 0 "$STATUS"
    page_depths | diff "$TMP/truth" -
}

@test "a queue file that cannot be read any more ends the crawl, which can go on" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    truth >"$TMP/truth"
    cat >"$TMP/lost.c" <<'END'
#include <errno.h>
#include <sys/types.h>
ssize_t pread(int fd, void *bytes, size_t len, off_t at)
{
    (void)fd, (void)bytes, (void)len, (void)at;
    errno = EIO;
    return -1;
}
END
    "${CC:-cc}" -shared -fPIC -o "$TMP/lost.so" "$TMP/lost.c"
    preload "$TMP/lost.so"
    options=(--connect-to "::127.0.0.1:$PORT" --scope any --delay 0 --log none --quiet)
    LD_PRELOAD=$PRELOAD capture "$CRAWLER" "${options[@]}" --queue-memory 64K \
        http://d0.example/ "$DIR" 1000
    same 1 "$STATUS"
    same "crawler: cannot read the queue's file in $DIR: Input/output error" "$(cat "$ERR")"
    capture "$CRAWLER" "${options[@]}" http://d0.example/ "$DIR" 1000
    same 0 "$STATUS"
    page_depths | diff "$TMP/truth" -
    "$CRAWLER" verify "$DIR"
}

@test "a site that makes up URLs takes no memory from the others" {
    serve <<'END'
/robots.txt 404
//trap.example/*
    links 25000 %d/
/*
    links 5 /%d
END
    {
        echo http://trap.example/
        seq -f 'http://h%.0f.example/' 20
    } >"$TMP/seeds"
    ASAN_OPTIONS=quarantine_size_mb=1 /usr/bin/time -f %M -o "$TMP/memory" \
        "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 0 \
        --order priority --max-per-domain 20 --seeds "$TMP/seeds" --log none --quiet \
        --queue-memory 8M --max-pages 140 "$DIR" 1000 || same 3 $?
    same 140 "$(page_count)"
    same 120 "$(page_urls | grep -c 'http://h')"
    # 500,000 URLs are queued: without a file more than 130 MB.
    is_sanitized || [ "$(tail -n 1 "$TMP/memory")" -lt 90000 ] ||
        fail "$(cat "$TMP/memory") KB"
}

@test "bad values of --queue-memory are refused" {
    for value in 0 1K 65535 x -1 ""; do
        capture "$CRAWLER" --queue-memory "$value" http://one.example/ "$DIR" 1
        same 2 "$STATUS" "exit status of '$value'"
        same 1 "$(wc -l <"$ERR")"
        same "" "$(ls -A "$DIR")"
    done
}
