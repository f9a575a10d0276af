#!/usr/bin/env bats
# Every fate of a URL, planted, and what `crawler why` says of it.

load helper
load site

# The crawls are made once; every test asks them.
setup_file() {
    export TMP=$BATS_FILE_TMPDIR
    SERVERS=()
    serve <"$BATS_TEST_DIRNAME/why.site"
    main_crawl
    dead_crawl
    capped_crawl
    stopped_crawl
    waiting_crawl
    priority_crawl
    course_crawl
    stop_playground
}

# plant NAME STATUS OPTION... SEED DEPTH: a crawl with its own directory, that
# must end with this status. At dead.example.org:1 nobody is at home.
plant() {
    local dir=$TMP/$1 expected=$2 status=0

    shift 2
    mkdir "$dir"
    "${LIMITED[@]}" "$CRAWLER" -q --delay 0 --retries 1 \
        --connect-to dead.example.org:1:127.0.0.1:1 \
        --connect-to "::127.0.0.1:$PORT" \
        "${@:1:$#-1}" "$dir" "${@: -1}" >"$TMP/out" 2>&1 || status=$?
    [ "$status" -eq "$expected" ] ||
        fail "status $status, not $expected: $(cat "$TMP/out")"
}

main_crawl() {
    plant main 0 --scope domain --max-size 50K --max-redirects 2 --links \
        http://example.org/ 2
}

dead_crawl() {
    plant dead 0 --robots ignore --scope domain http://example.org/dead 1
}

capped_crawl() {
    plant capped 0 --robots ignore --scope domain --max-per-domain 3 http://example.org/many 1
}

stopped_crawl() {
    plant stopped 3 --robots ignore --scope host --max-pages 2 \
        --workers 1 http://example.org/stop 2
}

# One page is to be tried again in an hour, and until then no other.
waiting_crawl() {
    plant waiting 3 --robots ignore --scope host --max-time 4s \
        --workers 1 http://example.org/wait 2
}

# The second page is /prio/1: a.example has a higher score, but its name is
# looked up first.
priority_crawl() {
    plant priority 3 --robots ignore --scope any --order priority \
        --max-pages 2 --workers 1 http://example.org/prio 3
}

course_crawl() {
    plant course 3 --max-pages 1 \
        http://cs50tse.cs.dartmouth.edu/tse/course.html 3
}

# why NAME URL: the answer of that crawl, times replaced.
why() {
    case $2 in
    /*) set -- "$1" "http://example.org$2" ;;
    esac
    (cd "$BATS_FILE_TMPDIR" && "$CRAWLER" why "$1" "$2") | sed -E \
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC/TIME/g' \
        -e 's/TIME, in [0-9.]+ (s|min [0-9]+ s|h [0-9]+ min)/TIME, in SOME/' \
        -e 's/took [0-9.]+ s/took SOME/'
}

# answers NAME URL <TEXT: this and nothing else.
answers() {
    diff -u - <(why "$1" "$2")
}

# --- what was fetched --------------------------------------------------------

@test "why: a seed" {
    answers main / <<'END'
http://example.org/ was fetched as page 1 at depth 0
  found     as a seed
  answer    status 200, text/html, 559 bytes
  fetched   TIME, took SOME
END
}

@test "why: a page, with its referrer" {
    page=$(grep -lx http://example.org/page "$BATS_FILE_TMPDIR"/main/[1-9]*)
    answers main /page <<END
http://example.org/page was fetched as page ${page##*/} at depth 1
  found     on page 1, http://example.org/
  answer    status 200, text/html, 8 bytes
  fetched   TIME, took SOME
END
}

@test "why: another spelling of a page is a duplicate" {
    page=$(grep -lx 'http://example.org/%7euser?' "$BATS_FILE_TMPDIR"/main/[1-9]*)
    cat >"$BATS_TEST_TMPDIR/expected" <<END
http://example.org/~user is a duplicate: another spelling of http://example.org/%7euser?
http://example.org/%7euser? was fetched as page ${page##*/} at depth 1
  found     on page 1, http://example.org/; 2 times in all
  answer    status 200, text/html, 8 bytes
  fetched   TIME, took SOME
END
    answers main '/~user' <"$BATS_TEST_TMPDIR/expected"
    # A fragment is no part of it, nor is a default port or a dot.
    answers main 'HTTP://example.org:80/x/../~user#top' <"$BATS_TEST_TMPDIR/expected"
    # And the very spelling that was fetched is none.
    sed 1d "$BATS_TEST_TMPDIR/expected" | answers main '/%7euser?'
}

@test "why: a redirect, and where it led" {
    page=$(grep -lx http://example.org/page "$BATS_FILE_TMPDIR"/main/[1-9]*)
    answers main /old <<END
http://example.org/old was redirected to http://example.org/page
  found     on page 1, http://example.org/
  answer    status 301, text/html
  fetched   TIME, took SOME
  then      http://example.org/page was fetched as page ${page##*/} at depth 1
END
}

@test "why: a chain of redirects that is too long, from both ends" {
    answers main /chain/1 <<'END'
http://example.org/chain/1 was redirected to http://example.org/chain/2
  found     on page 1, http://example.org/
  answer    status 302, text/html
  fetched   TIME, took SOME
  then      http://example.org/chain/2 was redirected to http://example.org/chain/3
  then      http://example.org/chain/3 was redirected to http://example.org/chain/4
  then      http://example.org/chain/4 was refused: at the end of too many redirects
END
    answers main /chain/4 <<'END'
http://example.org/chain/4 was refused: at the end of too many redirects
  limit     --max-redirects was 2
  found     on page 1, http://example.org/
  from      http://example.org/chain/3
  before    http://example.org/chain/2
  before    http://example.org/chain/1
END
}

@test "why: a redirect to another spelling of itself does not go round" {
    page=$(grep -lx 'http://example.org/respelled?' "$BATS_FILE_TMPDIR"/main/[1-9]*)
    answers main /respelled <<END
http://example.org/respelled was redirected to http://example.org/respelled?
  found     on page 1, http://example.org/
  answer    status 302, text/html
  fetched   TIME, took SOME
  then      http://example.org/respelled? was fetched as page ${page##*/} at depth 1
END
    answers main '/respelled?' <<END
http://example.org/respelled? was fetched as page ${page##*/} at depth 1
  found     on page 1, http://example.org/
  from      http://example.org/respelled
  answer    status 200, text/html, 11 bytes
  fetched   TIME, took SOME
END
}

@test "why: two redirects to each other end" {
    answers main /loop/a <<'END'
http://example.org/loop/a was redirected to http://example.org/loop/b
  found     on page 1, http://example.org/
  answer    status 302, text/html
  fetched   TIME, took SOME
  then      http://example.org/loop/b was redirected to http://example.org/loop/a
END
}

# --- what was not kept -------------------------------------------------------

@test "why: noindex, and a page that was found there" {
    answers main /noindex <<'END'
http://example.org/noindex was fetched and not kept: a page that asks not to be indexed
  found     on page 1, http://example.org/
  answer    status 200, text/html
  fetched   TIME, took SOME
END
    why main /hidden | grep -x '  found     on a page that was not kept'
}

@test "why: not HTML, with the MIME type" {
    answers main /image.png <<'END'
http://example.org/image.png was fetched and not kept: not an HTML page but image/png
  found     on page 1, http://example.org/
  answer    status 200, image/png
  fetched   TIME, took SOME
END
}

@test "why: 404, 500 after retries, an empty body, too large" {
    answers main /missing <<'END'
http://example.org/missing could not be fetched: 404 Not Found
  found     on page 1, http://example.org/
  answer    status 404, text/html
  fetched   TIME, took SOME
END
    answers main /broken <<'END'
http://example.org/broken could not be fetched: 500 Internal Server Error
  found     on page 1, http://example.org/
  answer    status 500, text/html
  fetched   TIME, took SOME; 2 tries
END
    answers main /empty <<'END'
http://example.org/empty could not be fetched: the answer has no body
  found     on page 1, http://example.org/
  answer    status 200, text/html
  fetched   TIME, took SOME
END
    answers main /large <<'END'
http://example.org/large could not be fetched: larger than --max-size, or than the 50 MB of a sitemap
  found     on page 1, http://example.org/
  answer    status 200, text/html
  fetched   TIME, took SOME
END
}

# --- what was refused --------------------------------------------------------

@test "why: robots.txt, known when the link was found, with the line and its text" {
    # Its control characters do not reach the terminal.
    answers main /private/x <<'END'
http://example.org/private/x was refused: forbidden by robots.txt
  rule      line 3 of http://example.org/robots.txt: Disallow: /private # ?[31mno????
  found     on page 1, http://example.org/
END
}

@test "why: robots.txt, read only at the URL's turn" {
    answers main http://sister.example.org/private/y <<'END'
http://sister.example.org/private/y was refused: forbidden by robots.txt
  rule      line 2 of http://sister.example.org/robots.txt: Disallow: /p
  found     on page 1, http://example.org/
END
}

@test "why: robots.txt, the text that refused it, not a later one" {
    cp -r "$BATS_FILE_TMPDIR/main" "$DIR/changed"
    python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA user_version = 1")  # which has no digests
db.execute("""INSERT INTO robots(host, url, https, known, outcome, status,
    start_ms, end_ms, pause_ms, until_ms, text)
    SELECT host, url, https, known, outcome, status, start_ms, end_ms,
    pause_ms, until_ms, ? FROM robots WHERE host = ?""",
    ("User-agent: *\nDisallow: /else\nAllow: /", "example.org"))
db.commit()' "$DIR/changed/.crawler"
    run -0 "$CRAWLER" why "$DIR/changed" http://example.org/private/x
    same "  rule      line 3 of http://example.org/robots.txt: Disallow: /private # ?[31mno????" \
        "${lines[1]}"
    run -0 "$CRAWLER" why "$DIR/changed" http://example.org/private/never
    [[ ${lines[0]} == *"would be queued"* ]] || fail "$output"
}

@test "why: outside the scope" {
    answers main http://other.example/ <<'END'
http://other.example/ was refused: outside the scope of the crawl
  scope     the domain example.org
  found     on page 1, http://example.org/
END
}

@test "why: too deep" {
    page=$(grep -lx http://example.org/deep/2 "$BATS_FILE_TMPDIR"/main/[1-9]*)
    answers main /deep/3 <<END
http://example.org/deep/3 was refused: deeper than the maximum depth
  depth     3, maxDepth is 2
  found     on page ${page##*/}, http://example.org/deep/2
END
}

@test "why: nofollow, unless another link is without it" {
    answers main /nofollow <<'END'
http://example.org/nofollow was refused: the page asks not to follow it
  found     on page 1, http://example.org/
END
    why main /follow | grep '^http://example.org/follow was fetched as page '
}

@test "why: the cap of a domain, at the URL's turn and at once" {
    answers capped /m/3 <<'END'
http://example.org/m/3 was refused: its domain has had --max-per-domain fetches
  cap       example.org has had 3 fetches, --max-per-domain was 3
  found     on page 1, http://example.org/many
END
    # Another host of the domain, which nobody has met.
    answers capped http://new.example.org/x <<'END'
http://new.example.org/x was never seen; would be refused: its domain has had --max-per-domain fetches
  cap       example.org has had 3 fetches, --max-per-domain was 3
END
}

@test "why: a dead host, and one whose robots.txt cannot be had" {
    answers dead http://dead.example.org:1/ <<'END'
http://dead.example.org:1/ could not be fetched: connection refused
  found     on page 1, http://example.org/dead
  fetched   TIME, took SOME; 2 tries
END
    answers dead http://dead.example.org:1/two <<'END'
http://dead.example.org:1/two could not be fetched: its host does not answer and was given up
  host      dead.example.org:1 was given up, 2 times in a row; last: connection refused
  found     on page 1, http://example.org/dead
END
    answers main http://dead.example.org:1/ <<'END'
http://dead.example.org:1/ could not be fetched: the host's robots.txt could not be had
  robots    http://dead.example.org:1/robots.txt: connection refused
  host      dead.example.org:1 was given up, 2 times in a row; last: connection refused
  found     on page 1, http://example.org/
END
    answers dead http://dead.example.org:1/other <<'END'
http://dead.example.org:1/other was never seen; would be refused: its host does not answer and was given up
  host      dead.example.org:1 was given up, 2 times in a row; last: connection refused
END
}

@test "why: the course's rules, a name that is not of HTML, a port that was written" {
    root=http://cs50tse.cs.dartmouth.edu
    answers course $root/tse/x.pdf <<END
$root/tse/x.pdf was refused: its name is not that of an HTML page
  found     on page 1, $root/tse/course.html
END
    answers course $root/tse/never.pdf <<END
$root/tse/never.pdf was never seen; would be refused: its name is not that of an HTML page
END
    answers course $root:80/tse/c.html <<END
$root:80/tse/c.html was refused: outside the scope of the crawl
  scope     what begins with $root/tse/
  found     on page 1, $root/tse/course.html
END
    # Double slashes are one, in the course.
    why course $root/tse///c.html | grep -x "$root/tse/c.html is queued at depth 1"
}

# --- what is to come ---------------------------------------------------------

@test "why: queued in a breadth-first crawl, with score and what is before it" {
    answers stopped /s/3 <<'END'
http://example.org/s/3 is queued at depth 1
  found     on page 1, http://example.org/stop
  score     2.00 as all; smaller depths go first, then older URLs; 1 before it
  earliest  now
  waits     for its turn
  crawl     is not running; crawler --resume --max-pages ... stopped goes on
END
}

@test "why: to be tried again, when and after what; the others wait as long" {
    answers waiting /later <<'END'
http://example.org/later is to be tried again at TIME, in SOME
  found     on page 1, http://example.org/wait
  last      503 Service Unavailable
  answer    status 503, text/html
  fetched   TIME, took SOME
  score     2.00 as all; smaller depths go first, then older URLs; 0 before it
  earliest  TIME, in SOME
  waits     to be tried again
  crawl     is not running; crawler --resume waiting goes on
END
    answers waiting /w/2 <<'END'
http://example.org/w/2 is queued at depth 1
  found     on page 1, http://example.org/wait
  score     2.00 as all; smaller depths go first, then older URLs; 2 before it
  earliest  TIME, in SOME
  waits     for the pause of example.org
  crawl     is not running; crawler --resume waiting goes on
END
    # It said an hour.
    cd "$BATS_FILE_TMPDIR"
    text=$("$CRAWLER" why waiting http://example.org/later)
    fetched=$(sed -n 's/^  fetched   \(.* UTC\),.*/\1/p' <<<"$text")
    again=$(sed -n '1s/.*tried again at \(.* UTC\),.*/\1/p' <<<"$text")
    wait=$(($(date -d "$again" +%s) - $(date -d "$fetched" +%s)))
    [ "$wait" -ge 3599 ] && [ "$wait" -le 3605 ] || fail "a wait of $wait s"
    grep -x "  earliest  $again, in .*" <<<"$text"
}

@test "why: queued in a priority crawl, with the terms of the score" {
    answers priority http://b.example/ <<'END'
http://b.example/ is queued at depth 1
  found     on page 1, http://example.org/prio; 2 times in all
  score     12.02 = 10.00 (b.example: 0 fetched) + 2.00 (found 2 times) + 0.02 (2 links to b.example)
  earliest  now
  waits     for its turn
  crawl     is not running; crawler --resume --max-pages ... priority goes on
END
    answers priority /prio/2 <<'END'
http://example.org/prio/2 is queued at depth 1
  found     on page 1, http://example.org/prio
  score     10.83 = 9.80 (example.org: 2 fetched) + 1.00 (found 1 time) + 0.03 (3 links to example.org)
  earliest  now
  waits     for its turn
  crawl     is not running; crawler --resume --max-pages ... priority goes on
END
}

# --- what was never seen -----------------------------------------------------

@test "why: never seen, would be queued or refused" {
    answers main /never <<'END'
http://example.org/never was never seen; would be queued if a page of depth 1 or less linked to it
END
    answers main http://never.example/ <<'END'
http://never.example/ was never seen; would be refused: outside the scope of the crawl
  scope     the domain example.org
END
    answers main '/private/never?q' <<'END'
http://example.org/private/never?q was never seen; would be refused: forbidden by robots.txt
  rule      line 3 of http://example.org/robots.txt: Disallow: /private # ?[31mno????
END
    answers main http://new.example.org/ <<'END'
http://new.example.org/ was never seen; would be queued if a page of depth 1 or less linked to it
  robots    new.example.org would be asked for its robots.txt first
END
}

@test "why: never seen, an old robots.txt is good enough to answer" {
    cp -r "$BATS_FILE_TMPDIR/main" "$DIR/old"
    python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA user_version = 1")  # which has no digests
db.execute("UPDATE robots SET until_ms = 1")
db.commit()' "$DIR/old/.crawler"
    run -0 "$CRAWLER" why "$DIR/old" http://example.org/private/never
    same "http://example.org/private/never was never seen; would be refused: forbidden by robots.txt" \
        "${lines[0]}"
}

# --- all of them -------------------------------------------------------------

@test "why gives for every URL that the crawls know the recorded answer" {
    for name in main dead capped stopped waiting priority course; do
        python3 -c '
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT DISTINCT url FROM urls"):
    print(row[0])' "$BATS_FILE_TMPDIR/$name/.crawler" >"$TMP/urls"
        [ -s "$TMP/urls" ]
        while read -r url; do
            run -0 "$CRAWLER" why "$BATS_FILE_TMPDIR/$name" "$url"
            [[ ${lines[0]} == "$url "* && $output != *"never seen"* ]] ||
                fail "$name, $url: $output"
            ! grep -q '[^ -~]' <<<"$output" || fail "$name, $url: raw bytes"
        done <"$TMP/urls"
    done
}

@test "why changes nothing" {
    before=$(cd "$BATS_FILE_TMPDIR" && find main -printf '%p %s %T@\n' | sort)
    why main /page >/dev/null
    why main /never >/dev/null
    same "$before" "$(cd "$BATS_FILE_TMPDIR" && find main -printf '%p %s %T@\n' | sort)"
}

# --- wrong questions ---------------------------------------------------------

# refused TEXT ARGS...: one line with TEXT on standard error, status 2.
refused() {
    capture "$CRAWLER" why "${@:2}"
    same 2 "$STATUS" "exit status"
    silent "$OUT"
    same 1 "$(wc -l <"$ERR")" "lines on standard error"
    grep -qF -- "$1" "$ERR" || fail "not '$1' but: $(cat "$ERR")"
}

@test "why with wrong arguments or no directory: exit status 2" {
    refused "two arguments" "$DIR"
    refused "two arguments" "$DIR" http://example.org/ x
    refused "cannot be crawled" "$BATS_FILE_TMPDIR/main" mailto:me@example.org
    refused "cannot be crawled" "$BATS_FILE_TMPDIR/main" /relative
    refused "No such file or directory" "$TMP/none" http://example.org/
}
