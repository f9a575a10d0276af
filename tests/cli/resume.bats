#!/usr/bin/env bats
# Going on with a crawl: what may change and what may not, and who waits.

load helper
load resume

@test "the same command goes on, and then it is finished" {
    start_playground --letters
    capture letters --max-pages 4 10
    same 3 "$STATUS"
    whole_pages 4
    capture letters --log tse 10
    same 0 "$STATUS"
    whole_pages 9
    grep -q '^crawler: going on with the crawl in .* after 4 pages$' "$ERR"
    same 5 "$(grep -c Fetched "$OUT")" "pages of the second part"
    before=$(record_total)
    same 9 "$before" "requests"
    capture letters 10
    same 0 "$STATUS"
    silent "$OUT"
    grep -q 'is finished: 9 pages; --restart starts over$' "$ERR"
    capture letters --quiet 10
    same 0 "$STATUS"
    silent "$ERR"
    same "$before" "$(record_total)" "requests after the end"
}

@test "--resume knows the options, and takes new limits and speeds" {
    start_playground --letters
    part --max-pages 2 10
    capture "$CRAWLER" --resume "$DIR"
    same 3 "$STATUS" "the limit counts all pages"
    whole_pages 2
    capture "$CRAWLER" --max-pages 5 --workers 1 --resume "$DIR"
    same 3 "$STATUS"
    whole_pages 5
    mv "$DIR" "$TMP/moved"
    DIR=$TMP/moved
    capture "$CRAWLER" --resume --max-pages 100 "$DIR"
    same 0 "$STATUS"
    whole_pages 9
    same 9 "$(record_total)" "requests"
}

@test "--resume refuses options that are fixed once begun, and a directory without a crawl" {
    start_playground --letters
    part --max-pages 2 10
    capture "$CRAWLER" --resume --scope host "$DIR"
    complaint '^crawler: --scope=host cannot change once the crawl has begun'
    capture "$CRAWLER" --resume --order priority "$DIR"
    complaint '^crawler: --order=priority cannot change once the crawl has begun'
    capture "$CRAWLER" --resume --max-per-domain 500 "$DIR"
    complaint '^crawler: --max-per-domain=500 cannot change once the crawl has begun'
    capture "$CRAWLER" --resume "$DIR" 5
    complaint '^crawler: --resume takes one argument'
    capture "$CRAWLER" --resume --restart "$DIR"
    complaint 'contradict'
    mkdir "$TMP/empty"
    capture "$CRAWLER" --resume "$TMP/empty"
    complaint "^crawler: there is no crawl in '.*' to go on with"
    capture "$CRAWLER" --resume "$TMP/nowhere"
    complaint "^crawler: there is no crawl in '.*' to go on with"
    whole_pages 2
    same 2 "$(record_total)" "requests"
}

@test "a crawl with other options that are fixed once begun is refused, each with its reason" {
    start_playground --letters
    part --max-pages 2 10
    capture letters 9
    complaint 'is another: it was begun with maxDepth 10; .* --restart'
    capture letters --scope host 10
    complaint 'begun without --scope=host'
    capture letters --order priority 10
    complaint 'begun without --order=priority'
    capture "$CRAWLER" --delay 0 "$LETTERS/A.html" "$DIR" 10
    complaint 'begun from other seeds'
    capture letters --state none 10
    complaint 'state none'
    whole_pages 2
    capture letters --delay 1ms --per-host 2 --retries 0 --timeout 9s 10
    same 0 "$STATUS"
    whole_pages 9
}

@test "seeds from a file: the same ones go on, others are refused" {
    start_playground --letters
    printf '%s\n' "$LETTERS/A.html" "$LETTERS/B.html" >"$TMP/seeds"
    seeded() {
        "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --delay 0 --log none \
            --seeds "$TMP/seeds" "$@" "$DIR" 10
    }
    capture seeded --max-pages 3
    same 3 "$STATUS"
    echo "$LETTERS/C.html" >>"$TMP/seeds"
    capture seeded
    complaint 'begun from other seeds'
    rm "$TMP/seeds"
    capture "$CRAWLER" --resume --max-pages 1000 "$DIR"
    same 0 "$STATUS"
    whole_pages 9
    same 9 "$(record_total)" "requests"
}

@test "--restart starts over and removes only what the crawl wrote" {
    start_playground --letters
    letters 10 >/dev/null
    echo mine >"$DIR/notes.txt"
    capture letters --restart 1
    same 0 "$STATUS"
    rm "$DIR/notes.txt"
    whole_pages 2
    # A numbered file that it did not write is not touched, nor is the rest.
    echo mine >"$DIR/500"
    capture letters --restart 10
    complaint 'file 500 .* is not of the crawl'
    same mine "$(cat "$DIR/500")"
    rm "$DIR/500"
    whole_pages 2
    # A crawl that was killed may have written more than it remembers.
    state "UPDATE setting SET value = 'running' WHERE name = 'state'"
    cp "$DIR/2" "$DIR/3"
    capture letters --restart 0
    same 0 "$STATUS"
    whole_pages 1
}

@test "somebody else's file in the way of the next page is not replaced" {
    start_playground --letters
    part --max-pages 3 10
    echo mine >"$DIR/4"
    capture "$CRAWLER" --resume --max-pages 9 "$DIR"
    complaint 'file 4 .* is not of the crawl that is recorded there'
    capture letters 10
    complaint 'file 4 '
    same mine "$(cat "$DIR/4")"
    same 3 "$(record_total)" "requests"
    # A crawl that was killed wrote pages, and this is none.
    state "UPDATE setting SET value = 'running' WHERE name = 'state'"
    capture "$CRAWLER" --resume --max-pages 9 "$DIR"
    complaint 'file 4 .* is not of the crawl that is recorded there'
    same mine "$(cat "$DIR/4")"
    same 3 "$(record_total)" "requests"
}

@test "limits and speeds given anew are remembered" {
    start_playground --letters
    part --max-pages 2 --delay 1ms 10
    capture "$CRAWLER" --resume --max-pages 4 --delay 2ms "$DIR"
    same 3 "$STATUS"
    capture "$CRAWLER" --resume "$DIR"
    same 3 "$STATUS"
    whole_pages 4
    same "connect-to=::127.0.0.1:$PORT delay=2ms max-pages=4" \
        "$(state "SELECT value FROM setting WHERE name LIKE 'option.%'
                  AND value != '' ORDER BY value" | xargs)"
    capture letters 10
    same 0 "$STATUS"
    whole_pages 9
}

@test "options of the output given to a resume are for that run alone" {
    start_playground --letters
    part --max-pages 1 10
    capture "$CRAWLER" --resume -q -v --log json --max-pages 2 "$DIR"
    same 3 "$STATUS"
    silent "$OUT"
    silent "$ERR"
    capture "$CRAWLER" --resume --max-pages 3 "$DIR"
    same 1 "$(grep -c ^20.*Z.*http "$OUT")" "pages in the log"
    ! grep -q Saved "$OUT" || fail "the log of the run before"
    # The same command going on is a resume too.
    capture letters -q --max-pages 4 10
    silent "$OUT"
    capture "$CRAWLER" --resume --max-pages 5 "$DIR"
    same 1 "$(grep -c ^20.*Z.*http "$OUT")" "pages in the log"
    same "" "$(state "SELECT value FROM setting WHERE value IN ('quiet', 'verbose', 'log=json')")"
}

@test "options of the output that a crawl was begun with stay, unless a resume says otherwise" {
    start_playground --letters
    part -q --log json --max-pages 1 10
    capture "$CRAWLER" --resume --max-pages 2 "$DIR"
    silent "$OUT"
    capture "$CRAWLER" --resume -v --max-pages 3 "$DIR"
    grep -q '"outcome":"fetched"' "$OUT"
    capture "$CRAWLER" --resume --log tse --max-pages 4 "$DIR"
    grep -q ' Fetched: ' "$OUT"
    capture "$CRAWLER" --resume --max-pages 5 "$DIR"
    silent "$OUT"
}

@test "the value none lifts an earlier limit, and it stays lifted" {
    start_playground --letters
    part --max-pages 2 --max-time 1h --queue-memory 64K 10
    capture "$CRAWLER" --resume --max-pages none --max-time none --queue-memory none --log tse "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    whole_pages 9
    same "max-pages=none max-time=none queue-memory=none" \
        "$(state "SELECT value FROM setting WHERE value LIKE 'max-%' OR value LIKE 'queue-%'
                  ORDER BY value" | xargs)"
}

@test "pages that the state does not count are not removed by a refusal" {
    start_playground --letters
    letters --save-every 1ms 10 >/dev/null
    state "UPDATE setting SET value = 'running' WHERE name = 'state'"
    state "UPDATE setting SET value = '2' WHERE name = 'count.saved'"
    capture letters 10
    same 1 "$STATUS"
    grep -q 'its last page is 9, but 2 pages are counted' "$ERR"
    whole_pages 9
}

@test "a clock that was set back does not stop a crawl" {
    start_playground --letters
    part --max-pages 3 --delay 300ms 10
    # As if they had been fetched tomorrow.
    state 'UPDATE fetch SET start_ms = start_ms + 86400000,
        end_ms = end_ms + 86400000'
    capture "${LIMITED[@]}" "$CRAWLER" --resume --max-pages 9 --delay 300ms "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    whole_pages 9
}

@test "numbered files without a record are refused with options" {
    start_playground --letters
    echo mine >"$DIR/7"
    capture letters 10
    complaint 'numbered files \(7\) but no crawl is recorded'
    : >"$DIR/.crawler"
    capture letters 10
    complaint 'numbered files'
    capture letters --restart 10
    complaint 'numbered files'
    same mine "$(cat "$DIR/7")"
}

@test "--state none: an empty marker, and nothing to go on with" {
    start_playground --letters
    capture letters --state none 10
    same 0 "$STATUS"
    whole_pages 9
    [ ! -s "$DIR/.crawler" ] || fail "the marker is not empty"
    capture "$CRAWLER" --resume "$DIR"
    complaint 'no crawl in .* to go on with'
    capture "$CRAWLER" status "$DIR"
    same 2 "$STATUS"
    rm "$DIR"/[1-9]
    letters 10 >/dev/null
    capture letters --restart --state none 10
    same 0 "$STATUS"
    whole_pages 9
    [ ! -s "$DIR/.crawler" ] || fail "the marker is not empty"
}

@test "of two crawls in a directory at once the second is refused" {
    start_playground --letters
    behind "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --delay 500ms \
        "$LETTERS/index.html" "$DIR" 10
    pid=$PID_BEHIND
    while [ ! -e "$DIR/1" ]; do
        sleep 0.02
    done
    capture letters 10
    same 1 "$STATUS"
    grep -q "^crawler: another crawl is at work in '" "$ERR"
    capture "$CRAWLER" --resume "$DIR"
    same 1 "$STATUS"
    capture letters --restart 10
    same 1 "$STATUS"
    kill -TERM $pid
    wait $pid || same 3 $? "the first"
    letters 10 >/dev/null
    whole_pages 9
}

@test "Retry-After and back-off survive kill -9" {
    start_playground --site <(cat <<'END'
/robots.txt 404
/
    links 3 /%d
    body .
/1
    status 503
    header Retry-After: 3
    body wait
/*
    body A page.
END
)
    behind "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 0 \
        --retries 5 http://example.org/ "$DIR" 1
    pid=$PID_BEHIND
    for _ in {1..3000}; do
        [ "$(state 'SELECT count(*) FROM fetch WHERE due_ms > 0' 2>/dev/null)" = 1 ] &&
            break
        sleep 0.02
    done
    kill -9 $pid
    wait $pid || :
    asked=$(record_count /1)
    same 1 "$asked" "requests before the kill"
    # /2 and /3 are fetched when the host may be asked again.
    capture "${LIMITED[@]}" "$CRAWLER" --max-pages 3 --resume "$DIR"
    stop_playground
    # The host was told to wait: nothing of it comes before that.
    gap=$(tail -n +2 "$RECORD" | sort -n | awk -F '\t' '
        told { print int(($1 - told) / 1000); exit }
        $7 == "/1" { told = $2 }')
    [ "$gap" -ge 2990 ] || fail "asked again after $gap ms"
}

@test "pauses hold across a stop: by the server's record, none is short" {
    start_playground --letters
    for pages in 2 4 6; do
        letters --delay 400ms --max-pages $pages 10 >/dev/null 2>&1 || :
    done
    behind "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --delay 400ms \
        "$LETTERS/index.html" "$DIR" 10
    pid=$PID_BEHIND
    while [ ! -e "$DIR/7" ]; do
        sleep 0.02
    done
    kill -9 $pid
    wait $pid || :
    letters --delay 400ms 10 >/dev/null
    whole_pages 9
    [ "$(record_min_gap_ms)" -ge 399 ] || fail "$(record_min_gap_ms) ms"
}

@test "Crawl-delay and robots.txt are remembered across a stop" {
    start_playground --site <(cat <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Crawl-delay: 1
    body Disallow: /2
/
    links 3 /%d
    body .
/*
    body A page.
END
)
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --log none \
        --delay 0 --max-pages 1 http://example.org/ "$DIR" 1 2>/dev/null || same 3 $?
    capture "$CRAWLER" --resume --max-pages 10 "$DIR"
    same 0 "$STATUS"
    whole_pages 3
    same 1 "$(record_count /robots.txt)" "requests of robots.txt"
    same 0 "$(record_count /2)"
    [ "$(record_min_gap_ms)" -ge 999 ] || fail "$(record_min_gap_ms) ms"
}

@test "priorities after a resume are as if nothing had happened" {
    web=(--web order --hosts 30 --pages 600 --size 500 --flaky 0 --limited 0
        --errors 0 --slow 0)
    start_playground "${web[@]}"
    run_web() {
        "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
            --workers 1 --save-every 2ms --order priority --log pages "$@" 2>/dev/null
    }
    mkdir "$TMP/whole"
    run_web http://d0.example/ "$TMP/whole" 100 >"$TMP/whole.log"
    for limit in 50 133 250 400; do
        run_web --max-pages $limit http://d0.example/ "$DIR" 100 \
            >>"$TMP/parts.log" || same 3 $?
    done
    run_web http://d0.example/ "$DIR" 100 >>"$TMP/parts.log"
    # Timestamps aside, the same lines in the same order.
    diff <(cut -f 2- "$TMP/whole.log") \
        <(grep -v '^Timestamp' "$TMP/parts.log" | cut -f 2- |
            cat <(head -n 1 "$TMP/whole.log" | cut -f 2-) -) >"$TMP/diff" ||
        fail "$(wc -l <"$TMP/diff") lines differ: $(head -n 6 "$TMP/diff")"
}

@test "the figures after a resume are those of the whole crawl" {
    start_playground --letters
    figures() {
        python3 -c '
import json, sys
stats = json.load(open(sys.argv[1]))
print(stats["pages"], stats["by_depth"]["0"], stats["by_outcome"]["fetched"],
      stats["elapsed_ms"] >= 1500)' "$DIR/.crawler-stats.json"
    }
    for pages in 2 4 100; do
        "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --delay 250ms --log none \
            --scope host --robots ignore --max-pages $pages "$LETTERS/index.html" \
            "$DIR" 10 2>/dev/null || same 3 $?
    done
    same "9 1 9 True" "$(figures)"
}

@test "--max-per-domain goes on to count after a resume" {
    web=(--web cap --hosts 5 --pages 500 --size 500 --flaky 0 --limited 0
        --errors 0 --slow 0)
    start_playground "${web[@]}"
    for limit in 20 40 60; do
        "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
            --robots ignore --max-per-domain 30 --max-pages $limit --log none \
            http://d0.example/ "$DIR" 100 2>/dev/null || same 3 $?
    done
    "$CRAWLER" --resume --max-pages 100000 "$DIR" 2>/dev/null
    stop_playground
    most=$(tail -n +2 "$RECORD" | cut -f 5 | sort | uniq -c | sort -n | tail -n 1)
    same 30 "$(awk '{ print $1 }' <<<"$most")" "requests of one domain"
}

@test "secrets are not kept, and a resume asks for them again" {
    start_playground --letters
    part -H 'Authorization: Basic c2VjcmV0' -H 'X-Api-Key: c2VjcmV0' -H 'Accept-Language: de' \
        --max-pages 2 10
    ! grep -aq c2VjcmV0 "$DIR/.crawler" || fail "a secret is in the state"
    grep -aq 'Accept-Language: de' "$DIR/.crawler"
    capture "$CRAWLER" --resume "$DIR"
    complaint 'begun with --header=Authorization: \(not kept\); give it again'
    capture "$CRAWLER" --resume -H 'Authorization: Basic c2VjcmV0' "$DIR"
    complaint 'begun with --header=X-Api-Key: \(not kept\); give it again'
    capture "$CRAWLER" --resume --max-pages 100 -H 'Authorization: Basic c2VjcmV0' \
        -H 'x-api-key: c2VjcmV0' "$DIR"
    same 0 "$STATUS"
    ! grep -aq c2VjcmV0 "$DIR/.crawler" || fail "a secret is in the state"
    # Nothing is sent any more.
    capture "$CRAWLER" --resume "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    whole_pages 9
}

@test "a resume of a finished crawl needs no secret and no file any more" {
    start_playground --letters
    printf '# Netscape HTTP Cookie File\n' >"$TMP/cookies"
    cp /etc/ssl/certs/ca-certificates.crt "$TMP/ca.pem"
    mkdir "$TMP/jar"
    touch "$TMP/.netrc" && chmod 600 "$TMP/.netrc"
    HOME=$TMP run -0 "$CRAWLER" --delay 0 --proxy "http://me:secret@127.0.0.1:$PORT" --netrc \
        --cookies "$TMP/cookies" --save-cookies "$TMP/jar/cookies" --cacert "$TMP/ca.pem" \
        --warc "$LETTERS/index.html" "$DIR" 0
    run -0 "$CRAWLER" --from "$DIR" --create "$LETTERS/index.html" "$TMP/again" 0
    cp -r "$DIR" "$TMP/gone"
    rm -r "$TMP/cookies" "$TMP/ca.pem" "$TMP/jar" "$TMP/.netrc" "$DIR"
    for DIR in "$TMP/gone" "$TMP/again"; do
        HOME=$TMP SSL_CERT_FILE=/nonexistent run -0 "$CRAWLER" --resume "$DIR"
        same "crawler: the crawl in $DIR is finished: 1 page; --restart starts over" "$output"
    done
}

@test "after a full disk what is good is kept, and the crawl goes on" {
    [ "$(id -u)" -eq 0 ] && mkdir "$TMP/small" &&
        mount -t tmpfs -o size=600k tmpfs "$TMP/small" 2>/dev/null ||
        skip "no small file system can be mounted"
    web=(--web full --hosts 3 --pages 300 --size 4000 --flaky 0 --limited 0
        --errors 0 --slow 0)
    start_playground "${web[@]}"
    capture "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
        --log none --save-every 10ms http://d0.example/ "$TMP/small" 100
    status=$STATUS
    cp "$ERR" "$TMP/full.err"
    mount -o remount,size=64m "$TMP/small"
    capture "$CRAWLER" --resume "$TMP/small"
    resumed=$STATUS
    cp -r "$TMP/small/." "$DIR"
    umount "$TMP/small"
    same 1 "$status" "status on a full disk"
    grep -q 'No space left on device' "$TMP/full.err" || fail "$(cat "$TMP/full.err")"
    same 0 "$resumed" "status with room: $(cat "$ERR")"
    page_urls >"$TMP/urls"
    "$PLAYGROUND" truth "${web[@]}" | cut -f 2 | LC_ALL=C sort |
        diff - "$TMP/urls" | head -n 3 >"$TMP/diff"
    silent "$TMP/diff"
    capture "$CRAWLER" verify "$DIR"
    same 0 "$STATUS" "verify: $(head "$OUT")"
}

teardown() {
    [ ! -e "$TMP/elsewhere" ] || rm -rf "$(realpath "$TMP/elsewhere")"
    helper_teardown
}

@test "a state or a directory that cannot be written is not resumed" {
    [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null ||
        skip "needs root to become nobody"
    start_playground --letters
    # The test's own directory is for its owner alone.
    DIR=$(mktemp -d) && ln -s "$DIR" "$TMP/elsewhere"
    part --max-pages 2 10
    chmod 755 "$DIR" && chmod 644 "$DIR/.crawler"
    cp "$CRAWLER" "$DIR/crawler"
    nobody() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$DIR/crawler" "$@"
    }
    nobody --version >/dev/null 2>&1 || skip "nobody cannot come here"
    capture nobody --resume "$DIR"
    same 2 "$STATUS" "$(cat "$ERR")"
    grep -q 'directory that can be written: Permission denied' "$ERR" ||
        fail "$(cat "$ERR")"
    chmod 777 "$DIR"
    capture nobody --resume "$DIR"
    same 1 "$STATUS" "$(cat "$ERR")"
    grep -q 'cannot go on with the state .*: it cannot be written' "$ERR" ||
        fail "$(cat "$ERR")"
    # Looking is allowed.
    capture nobody status "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    rm "$DIR/crawler"
    whole_pages 2
}

# bare ARGUMENT...: without any option, but the course's host is the playground.
bare() {
    LD_PRELOAD=$TMP/course.so COURSE_PORT=$PORT "$CRAWLER" "$@"
}

lead_course_here() {
    without_sanitizer
    echo '127.0.0.1 cs50tse.cs.dartmouth.edu' >"$TMP/hosts"
    cat >"$TMP/course.c" <<'END'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    va_list args;
    va_start(args, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
    va_end(args);
    return real(strcmp(path, "/etc/hosts") ? path : HOSTS, flags, mode);
}
int connect(int fd, const struct sockaddr *to, socklen_t len)
{
    int (*real)(int, const struct sockaddr *, socklen_t) =
        dlsym(RTLD_NEXT, "connect");
    struct sockaddr_in in = {
        .sin_family = AF_INET,
        .sin_port = htons((unsigned short)atoi(getenv("COURSE_PORT"))),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    if (to->sa_family != AF_INET)
        return real(fd, to, len);
    return real(fd, (struct sockaddr *)&in, sizeof(in));
}
END
    "${CC:-cc}" -DHOSTS="\"$TMP/hosts\"" -shared -fPIC -o "$TMP/course.so" \
        "$TMP/course.c" -ldl
}

@test "the bare form: the same command goes on, any other starts over" {
    lead_course_here
    start_playground --letters
    LD_PRELOAD=$TMP/course.so COURSE_PORT=$PORT behind "$CRAWLER" \
        "$LETTERS/index.html" "$DIR" 3
    # One page a second; what a second brought is in the state.
    until [ -e "$DIR/3" ]; do
        sleep 0.05
    done
    kill -9 $PID_BEHIND
    wait $PID_BEHIND || :
    until [ "$(state 'SELECT count(*) FROM pages')" ]; do
        sleep 0.05
    done
    known=$(state 'SELECT count(*) FROM pages')
    asked=$(record_total)
    # What a resume is told is no part of the command.
    LD_PRELOAD=$TMP/course.so COURSE_PORT=$PORT capture "$CRAWLER" --resume -q \
        --max-pages $((known + 1)) "$DIR"
    same 3 "$STATUS"
    capture bare "$LETTERS/index.html" "$DIR" 3
    same 0 "$STATUS" "$(cat "$ERR")"
    whole_pages 6
    same $((6 - known)) $(($(record_total) - asked)) "requests to go on"

    # Finished: it starts over, as the course's crawler would.
    asked=$(record_total)
    capture bare "$LETTERS/index.html" "$DIR" 1
    same 0 "$STATUS"
    whole_pages 2
    same 2 $(($(record_total) - asked)) "requests to start over"
    capture bare "$LETTERS/index.html" "$DIR" 1
    same 0 "$STATUS"
    whole_pages 2
    same 4 $(($(record_total) - asked)) "requests to start over again"

    # Whatever is there.
    echo 'not a state' >"$DIR/.crawler"
    capture bare "$LETTERS/A.html" "$DIR" 0
    same 0 "$STATUS"
    whole_pages 1
    rm "$DIR/.crawler"
    capture bare "$LETTERS/B.html" "$DIR" 0
    same 0 "$STATUS"
    whole_pages 1
}

@test "a default port that was written, which the course keeps, is no damage to a resume" {
    cat >"$TMP/port.site" <<'END'
/tse/letters/index.html
    body <a href=http://cs50tse.cs.dartmouth.edu:80/tse/x.html>.</a>
    body <a href=A.html>.</a>
/tse/letters/A.html
    body A page.
END
    start_playground --site "$TMP/port.site"
    part --max-pages 1 10
    same "http://cs50tse.cs.dartmouth.edu:80/tse/x.html" \
        "$(state "SELECT url FROM url WHERE url LIKE '%:80/%'")"
    capture letters 10
    same 0 "$STATUS" "$(cat "$ERR")"
    whole_pages 2
}
