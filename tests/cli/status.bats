#!/usr/bin/env bats
# What `crawler status` says of a crawl.

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

# --- the states --------------------------------------------------------------

@test "status of a finished crawl" {
    small_site
    fetch 3 -q --robots obey
    says <<'END'
The crawl in pages is finished
  from     http://example.org/, maxDepth 3
  begun    TIME; ended TIME
  robots   obeyed as crawler
  pages    3 saved, 183 B; 1 redirected, 1 failed, 1 refused
  equal    1 page has the content of an earlier one
  queue    0 URLs
  failed   1 URL: refused by the server (4xx), such as http://example.org/no
  refused  1 URL: the page asks not to follow it, such as http://example.org/c
      saved redirected     failed    refused     queued  domain
          3          1          1          1          0  example.org
END
}

@test "status of a crawl without a single page" {
    serve <<'END'
/* 404
    body No.
END
    fetch 3 -q || :
    says <<'END'
The crawl in pages is finished without a single page
  from     http://example.org/, maxDepth 3
  begun    TIME; ended TIME
  robots   ignored
  pages    0 saved, 0 B; 0 redirected, 1 failed, 0 refused
  queue    0 URLs
  failed   1 URL: refused by the server (4xx), such as http://example.org/
      saved redirected     failed    refused     queued  domain
          0          0          1          0          0  example.org
END
}

@test "status quotes the command to go on with for a shell" {
    small_site
    cd "$TMP"
    for name in "we ird'\$x" -d; do
        mkdir "./$name"
        DIR=./$name run -3 fetch 3 -q --max-pages 1
        command=$("$CRAWLER" status -- "$name" | sed -n 's/^  go on    crawler //p')
        run -0 bash -c "'$CRAWLER' -q ${command/.../10}"
        same "finished" "$("$CRAWLER" status -- "$name" | sed -n '1s/.* //p')"
    done
}

@test "status of a crawl stopped at --max-pages: what remains, and then finished" {
    small_site
    run -3 fetch 3 -q --max-pages 1
    says <<'END'
The crawl in pages is stopped: --max-pages was reached
  from     http://example.org/, maxDepth 3
  begun    TIME; ended TIME
  robots   ignored
  pages    1 saved, 167 B; 0 redirected, 0 failed, 0 refused
  queue    5 URLs
  waits    for nothing: could go on at once
  limits   --max-pages
      saved redirected     failed    refused     queued  domain
          1          0          0          0          5  example.org
  go on    crawler --resume --max-pages ... pages
END
    # The command that it names goes on.
    command=$(status | sed -n 's/^  go on    crawler //p')
    run -0 bash -c "cd '$TMP' && '$CRAWLER' -q ${command/.../10}"
    same "The crawl in pages is finished" "$(status | head -n 1)"
}

@test "status of a crawl stopped by --max-time while a host asks for an hour" {
    serve <<'END'
/
    body <a href=/later>.</a> <a href=/next>.</a>
/later 503
    header Retry-After: 3600
    body Later.
END
    run -3 fetch 3 -q --max-time 4s --retries 3
    says <<'END'
The crawl in pages is stopped: --max-time was over
  from     http://example.org/, maxDepth 3
  begun    TIME; ended TIME
  robots   ignored
  pages    1 saved, 41 B; 0 redirected, 0 failed, 0 refused
  queue    2 URLs, 1 of them to be tried again
  waits    for the pause of example.org, until TIME, in SOME
  limits   --max-time
      saved redirected     failed    refused     queued  domain
          1          0          0          0          2  example.org
  go on    crawler --resume pages
END
    (cd "$TMP" && "$CRAWLER" status pages) | grep -E '^  waits .*, in (1 h 0|59) min'
}

@test "status says that the crawl waits to try a page again" {
    serve <<'END'
/
    body <a href=/later>.</a>
/later 503
    header Retry-After: 3600
    body Later.
END
    run -3 fetch 3 -q --max-time 4s --retries 3
    status | grep -x '  waits    to try example.org again, until TIME, in SOME'
}

@test "status of a running crawl and what it waits for, an interrupted, a killed one" {
    small_site
    begin --delay 1h
    says <<'END'
The crawl in pages is running
  from     http://example.org/, maxDepth 9
  begun    TIME; last written TIME, SOME ago
  robots   ignored
  pages    1 saved, 167 B; 0 redirected, 0 failed, 0 refused
  queue    5 URLs
  waits    for the pause of example.org, until TIME, in SOME
      saved redirected     failed    refused     queued  domain
          1          0          0          0          5  example.org
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
    status | grep -x '  pages    1 saved, 167 B; 0 redirected, 0 failed, 0 refused'
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

# --- limits, hosts, domains --------------------------------------------------

@test "status lists limits that were hit and hosts that were given up" {
    serve <<'END'
/
    body <a href=/a>.</a> <a href=/large>.</a>
    body <a href=http://dead.example.org:1/>.</a>
    body <a href=http://busy.example.org/>.</a>
/large
    repeat 100000 x
/a
    body <a href=/deep>.</a>
//busy.example.org/robots.txt 503
/*
    body A page.
END
    run -0 "$CRAWLER" -q --scope domain --delay 0 --retries 0 --max-size 50K \
        --links --connect-to dead.example.org:1:127.0.0.1:1 \
        --connect-to "::127.0.0.1:$PORT" http://example.org/ "$DIR" 1
    says <<'END'
The crawl in pages is finished
  from     http://example.org/, maxDepth 1
  begun    TIME; ended TIME
  robots   obeyed as crawler
  pages    2 saved, 138 B; 0 redirected, 3 failed, 1 refused
  queue    0 URLs
  limits   maxDepth (1 URL), --max-size (1 page)
  failed   1 URL: larger than --max-size, or than the 50 MB of a sitemap, such as http://example.org/large
           2 URLs: the host's robots.txt could not be had, such as http://dead.example.org:1/
  refused  1 URL: deeper than the maximum depth, such as http://example.org/deep
  dead     2 hosts given up
           busy.example.org: its robots.txt: failed in the server (5xx)
           dead.example.org:1: its robots.txt: connection refused
      saved redirected     failed    refused     queued  domain
          2          0          3          1          0  example.org
  go on    crawler --resume --retry-failed pages
END
}

@test "status lists only the first hosts that were given up" {
    : >"$TMP/seeds"
    for i in $(seq 1 8); do
        echo "http://d$i.example:1/" >>"$TMP/seeds"
    done
    run -4 "$CRAWLER" -q --robots ignore --scope host --delay 0 --retries 0 \
        --connect-to "::127.0.0.1:1" --seeds "$TMP/seeds" "$DIR" 1
    status | grep -x '  dead     8 hosts given up'
    status | grep -x '           d5.example:1: connection refused'
    run ! grep d6.example:1 <(status | sed '/domain$/,$d')
    status | grep -x '           and 3 more'
    status | grep -x '  from     http://d1.example:1/ and 7 more, maxDepth 1'
}

@test "status lists ten domains, the largest first, and those at their cap" {
    : >"$TMP/seeds"
    for i in $(seq 1 12); do
        echo "http://d$i.example/$i" >>"$TMP/seeds"
    done
    serve <<'END'
/3
    links 2 /x/%d
/7
    links 9 /x/%d
/*
    body A page.
END
    run -0 "$CRAWLER" -q --robots ignore --scope any --delay 0 \
        --max-per-domain 5 --connect-to "::127.0.0.1:$PORT" \
        --seeds "$TMP/seeds" "$DIR" 1
    status | sed -n '/domain$/,$p' >"$TMP/table"
    diff -u - "$TMP/table" <<'END'
      saved redirected     failed    refused     queued  domain
          5          0          0          5          0  d7.example (at its cap)
          3          0          0          0          0  d3.example
          1          0          0          0          0  d1.example
          1          0          0          0          0  d10.example
          1          0          0          0          0  d11.example
          1          0          0          0          0  d12.example
          1          0          0          0          0  d2.example
          1          0          0          0          0  d4.example
          1          0          0          0          0  d5.example
          1          0          0          0          0  d6.example
  and 2 more
END
    status | grep -x '  limits   --max-per-domain (1 domain)'
}

@test "status shows no secrets, and its command asks for them again" {
    small_site
    run -3 fetch 3 -q --max-pages 1 -H 'Authorization: Basic c2VjcmV0'
    status | grep -x '  go on    crawler --resume --max-pages ... --header ... pages'
}

# --- beside others -----------------------------------------------------------

@test "status writes nothing" {
    small_site
    fetch 3 -q
    unchanged status
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

# --- wrong questions ---------------------------------------------------------

# refused TEXT ARGS...: one line with TEXT on standard error, status 2.
refused() {
    capture "$CRAWLER" status "${@:2}"
    same 2 "$STATUS" "exit status"
    silent "$OUT"
    same 1 "$(wc -l <"$ERR")" "lines on standard error"
    grep -qF -- "$1" "$ERR" || fail "not '$1' but: $(cat "$ERR")"
}

@test "status with wrong arguments or no directory: exit status 2" {
    refused "one argument"
    refused "one argument" "$DIR" "$DIR"
    refused "No such file or directory" "$TMP/none"
    refused "Not a directory" "$BATS_TEST_FILENAME"
}

# --- failures by kind --------------------------------------------------------

@test "status shows failures and refusals by kind, with an example each, and they add up" {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /private
/
    body <a href=/gone>.</a> <a href=/gone2>.</a> <a href=/text>.</a> <a href=/broken>.</a>
    body <a href=/private/1>.</a> <a href=/private/2>.</a> <a href=/c rel=nofollow>.</a>
    body <a href=http://dead.test:1/>.</a> <a href=http://dead.test:1/2>.</a>
/gone* 404
/text
    type text/plain
    body text
/broken 500
END
    "$CRAWLER" -q --scope any --delay 0 --retries 0 --connect-to dead.test:1:127.0.0.1:1 \
        --connect-to "::127.0.0.1:$PORT" http://example.org/ "$DIR" 1
    status >"$TMP/status"
    sed -n '/^  failed/,/^  dead/p' "$TMP/status" | sed '$d' >"$TMP/kinds"
    diff -u - "$TMP/kinds" <<'END'
  failed   1 URL: not an HTML page, such as http://example.org/text
           2 URLs: refused by the server (4xx), such as http://example.org/gone
           1 URL: failed in the server (5xx), such as http://example.org/broken
           2 URLs: the host's robots.txt could not be had, such as http://dead.test:1/
  refused  1 URL: the page asks not to follow it, such as http://example.org/c
           2 URLs: forbidden by robots.txt, such as http://example.org/private/1
END
    "$CRAWLER" status --json "$DIR" | python3 -c '
import json, sys
it = json.loads(sys.stdin.read())
def same(expected, got):
    assert expected == got, (expected, got)
same({"queued": 0, "saved": 1, "redirected": 0, "failed": 6, "refused": 3}, it["urls"])
for end in "failed", "refused":
    same(it["urls"][end], sum(kind["count"] for kind in it[end].values()))
same({"count": 2, "example": "http://example.org/gone"}, it["failed"]["client-error"])
same({"client-error", "not-html", "server-error", "robots-unknown"}, set(it["failed"]))
same({"robots", "nofollow"}, set(it["refused"]))
same("finished", it["state"])
assert it["resume"].startswith("crawler --resume --retry-failed "), it["resume"]
same(1, it["hosts_given_up"])
same("http://example.org/", it["seed"])
same({"queued": 0, "saved": 1, "redirected": 0, "failed": 4, "refused": 3},
     it["largest_domains"]["example.org"])
'
}

@test "status --json of a crawl that can go on has the command, and what it waits for" {
    small_site
    capture crawl -q --scope host --delay 1h --ip-delay 0 --max-pages 1 http://example.org/ "$DIR" 3
    same 3 "$STATUS"
    "$CRAWLER" status --json "$DIR" | python3 -c '
import json, sys
it = json.loads(sys.stdin.read())
assert it["state"] == "max-pages", it
assert it["resume"] == "crawler --resume --max-pages ... " + sys.argv[1], it
assert it["waits"]["for"] == "pause" and it["waits"]["host"] == "example.org", it
assert it["urls"]["queued"] > 0, it
' "$DIR"
    capture "$CRAWLER" why --json "$DIR" http://example.org/
    same 2 "$STATUS"
}

@test "status names a private address, not its robots.txt" {
    printf '//example.org/robots.txt 404\n//example.org/\n    body <a href=http://127.0.0.1:1/a>.</a><a href=http://127.0.0.1:1/b>.</a>\n' >"$TMP/private.site"
    start_playground --site "$TMP/private.site"
    "${LIMITED[@]}" "$CRAWLER" -q --scope any --delay 0 \
        --connect-to "example.org:80:127.0.0.1:$PORT" http://example.org/ "$DIR" 1
    run -0 "$CRAWLER" status "$DIR"
    [[ $output == *"2 URLs: a private address that was not named (--allow-private), such as http://127.0.0.1:1/a"* ]]
    [[ $output != *"robots.txt could not be had"* ]]
}
