#!/usr/bin/env bats
# What `crawler status` says of a crawl that runs, was killed, or cannot be written;
# the rest is tests/cases/status.case.

load helper
load site

# status: what it says, times replaced.
status() {
    (cd "$TMP" && "$CRAWLER" status pages) | sed -E \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC/TIME/g' \
        -e 's/ [0-9.]+ (s|min [0-9]+ s|h [0-9]+ min)( ago)?$/ SOME\2/'
}

# says <TEXT: this and nothing else.
says() {
    diff -u - <(status)
}

# begin OPTION... : a crawl of http://example.org/ in the background, its number
# in CRAWL; the first page is saved and remembered.
begin() {
    "$CRAWLER" -q --robots ignore --connect-to "::127.0.0.1:$PORT" \
        --scope host "$@" http://example.org/ "$DIR" 9 2>"$TMP/err" 3>&- &
    CRAWL=$!
    for _ in $(seq $((LIMIT * 10))); do
        if status 2>/dev/null | grep -q '^  pages    [1-9]'; then
            return
        fi
        kill -0 "$CRAWL" || fail "it ended: $(cat "$TMP/err")" || return
        sleep 0.1
    done
    fail "no page is remembered"
}

# files: all in $DIR, with their bytes. SQLite's -shm is no file of the crawl:
# it is where readers and writers meet.
files() {
    find "$DIR" -type f ! -name '*-shm' -printf '%P %T@\n' -exec sha256sum {} + |
        sort
}

# unchanged COMMAND...: no file of $DIR is written by it.
unchanged() {
    local before

    before=$(files)
    "$@" || return
    same "$before" "$(files)" "the files in $DIR"
}

teardown() {
    [ -z "${CRAWL:-}" ] || kill -KILL "$CRAWL" 2>/dev/null || :
    helper_teardown
}

small_site() {
    serve <<'END'
/
    body <a href=/a>.</a> <a href=/b rel=nofollow>.</a> <a href=/b>.</a>
    body <a href=/c rel=nofollow>.</a> <a href=/old>.</a> <a href=/no>.</a>
    body <a href=http://other.example/>.</a>
/old
    redirect /a
/no 404
    body No.
/*
    body A page.
END
}

@test "status of a running crawl and what it waits for, an interrupted, a killed one" {
    small_site
    begin --delay 1h
    says <<'END'
The crawl in pages is running
  from     http://example.org/, maxDepth 9
  begun    TIME; last written TIME, SOME ago
  robots   ignored
  pages    1 saved, 167 B; 0 redirected, 0 not kept, 0 failed, 0 refused
  queue    5 URLs
  waits    for the pause of example.org, until TIME, in SOME
      saved redirected   not kept     failed    refused     queued  domain
          1          0          0          0          0          5  example.org
END
    kill -TERM "$CRAWL"
    wait "$CRAWL" || :
    same "The crawl in pages is stopped by a signal or by order" \
        "$(status | head -n 1)"
    status | grep -x '  go on    crawler --resume pages'
    rm -r "$DIR"
    mkdir "$DIR"
    begin --delay 1h
    kill -KILL "$CRAWL"
    wait "$CRAWL" || :
    same "The crawl in pages is stopped: killed, or the machine went down" \
        "$(status | head -n 1)"
    status | grep -x '  pages    1 saved, 167 B; 0 redirected, 0 not kept, 0 failed, 0 refused'
    status | grep -x '  go on    crawler --resume pages'
    # What it left is all there still, for who goes on with it.
    unchanged status
}

@test "status of a crawl that failed because a page could not be written" {
    # Whoever sets the limit of file sizes fills a disk.
    serve <<'END'
/
    body <a href=/large>.</a>
/large
    repeat 3000000 x
END
    run -1 bash -c "ulimit -f 1000; exec '$CRAWLER' -q --robots ignore \
        --connect-to '::127.0.0.1:$PORT' --scope host --delay 0 \
        http://example.org/ '$DIR' 3"
    same "The crawl in pages is stopped: something could not be written" \
        "$(status | head -n 1)"
}

@test "status reads a directory that cannot be written" {
    small_site
    fetch 3 -q
    chmod 555 "$DIR"
    chmod 444 "$DIR/.crawler"
    as_nobody=(setpriv --bounding-set -dac_override,-dac_read_search)
    [ "$(id -u)" -eq 0 ] || as_nobody=()
    "${as_nobody[@]}" true || skip "setpriv cannot drop capabilities"
    "${as_nobody[@]}" touch "$DIR/x" 2>/dev/null &&
        skip "permissions do not count here"
    run -0 "${as_nobody[@]}" "$CRAWLER" status "$DIR"
    same "The crawl in $DIR is finished" "${lines[0]}"
    run -0 "${as_nobody[@]}" "$CRAWLER" why "$DIR" http://example.org/a
    same "http://example.org/a was fetched as page 2 at depth 1" "${lines[0]}"
    # What a killed crawl wrote last is beside the file, and must not be missed.
    chmod 755 "$DIR"
    chmod 644 "$DIR/.crawler"
    python3 -c '
import os, sqlite3, sys
state = sqlite3.connect(sys.argv[1], isolation_level=None)
state.execute("PRAGMA journal_mode = WAL")
state.execute("INSERT INTO setting VALUES(?, ?)", ("x", "y"))
os._exit(0)' "$DIR/.crawler"
    [ -s "$DIR/.crawler-wal" ]
    rm "$DIR/.crawler-shm"
    chmod 555 "$DIR"
    for command in status verify "export --format jsonl"; do
        # shellcheck disable=SC2086 # the words are the arguments
        capture "${as_nobody[@]}" "$CRAWLER" $command "$DIR"
        [ "$STATUS" -ne 0 ] || fail "$command: $(cat "$OUT")"
        grep -q 'only where the directory can be written' "$ERR" || fail "$(cat "$ERR")"
    done
    chmod 755 "$DIR"
}
