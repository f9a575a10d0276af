#!/usr/bin/env bats
# A log that nobody reads: the crawl waits for its reader, but not with closed
# ears.

load helper
load view

teardown() { view_teardown; }

# A page without end of links, each of which is a line of the log, twice: more
# than is kept, and far more than a pipe holds.
setup() {
    helper_setup
    {
        printf '/robots.txt 404\n/\n    type text/html\n    file index\n'
        for page in $(seq 30); do
            printf '/%s\n    type text/html\n    file links\n' "$page"
        done
    } >"$TMP/many.site"
    for page in $(seq 30); do
        echo "<a href=/$page>$page</a>"
    done >"$TMP/index"
    long=$(printf 'x%.0s' $(seq 500))
    for link in $(seq 100); do
        echo "<a href=http://out.example/$long/$link>out</a>"
    done >"$TMP/links"
    start_playground --site "$TMP/many.site"
    mkfifo "$TMP/fifo"
}

# begin_unread: a crawl whose log is opened and not read, until its record has
# the first pages. Its number in CRAWL, that of the crawler itself in
# CRAWLER_PID.
begin_unread() {
    exec {READER}<>"$TMP/fifo"
    timeout --foreground -k 60 $((LIMIT * 2)) "$CRAWLER" -v --robots ignore --delay 0 --log tse \
        --connect-to "::127.0.0.1:$PORT" --scope host http://a.example/ "$DIR" 2 \
        >"$TMP/fifo" 2>"$TMP/err" 3>&- {READER}>&- &
    CRAWL=$!
    SERVERS+=("$CRAWL.crawl")
    wait_for '[ -n "$(pgrep -P $CRAWL)" ]'
    CRAWLER_PID=$(pgrep -P "$CRAWL")
    # Nobody reads, and yet what was fetched is made durable.
    wait_for '[ "$(recorded)" -ge 5 ]'
}

# recorded: the pages of which the record knows.
recorded() { "$CRAWLER" status --json "$DIR" | jq .urls.saved; }

@test "a crawl whose log nobody reads ends after SIGTERM, at once after the second" {
    begin_unread
    kill -TERM "$CRAWLER_PID"
    kill -TERM "$CRAWLER_PID"
    # The first alone is enough, a few seconds later.
    wait_crawl
    same 3 "$STATUS"
    grep -qE "^crawler: nobody reads the log: its last [0-9]+ bytes are dropped$" "$TMP/err"
    same "$(page_count)" "$(recorded)"
    "$CRAWLER" verify "$DIR"
}

@test "a crawl whose log nobody reads takes orders" {
    begin_unread
    "${LIMITED[@]}" "$CRAWLER" ctl "$DIR" pause
    "${LIMITED[@]}" "$CRAWLER" ctl "$DIR" stop-now
    wait_crawl
    same 3 "$STATUS"
    same "$(page_count)" "$(recorded)"
}

@test "a log that is read late is whole" {
    begin_unread
    timeout "$LIMIT" cat <&"$READER" >"$TMP/log" 3>&- &
    reader=$!
    wait_crawl
    same 0 "$STATUS"
    wait_for '[ "$(grep -c IgnExtrn "$TMP/log")" -eq 3000 ]' || :
    kill "$reader"
    same 31 "$(recorded)"
    same 31 "$(grep -c Fetched "$TMP/log")"
    same 30 "$(grep -c Added "$TMP/log")"
    ! grep -q 'nobody reads' "$TMP/err" || fail "$(cat "$TMP/err")"
}
