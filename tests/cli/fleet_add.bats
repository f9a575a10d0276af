#!/usr/bin/env bats
# More seeds for a fleet, its limits, and its ledger.

load helper
load postgres

WEB=(--web add --hosts 20 --pages 200 --size 800
    --flaky 0 --limited 0 --errors 0 --slow 0)
FAR=http://h6.d3.example/s7/p7.html

setup_file() { postgres_start; }
teardown_file() { postgres_stop; }

setup() {
    postgres_needed && helper_setup
    NAME=t$BATS_TEST_NUMBER
    start_playground "${WEB[@]}"
}

# A machine that a test leaves at work ends with it.
teardown() {
    [ -z "${MACHINE:-}" ] || kill -KILL "$MACHINE" 2>/dev/null || :
    helper_teardown
}

# fleet_crawl DIR DEPTH [OPTION...]: the words of the command, in COMMAND.
fleet_crawl() {
    COMMAND=("$CRAWLER" --quiet --create --fleet "$(postgres_url)" --name "$NAME"
        --partitions 8 --connect-to "::127.0.0.1:$PORT" --scope "${SCOPE:-any}"
        --delay "${DELAY:-0}" --save-every 20ms "${@:3}"
        http://d0.example/ "$TMP/$1" "$2")
}

# add WORD...: more seeds for the crawl.
add() {
    capture "$CRAWLER" add --name "$NAME" "$(postgres_url)" "$@"
}

of_crawl() { postgres_sql "SELECT $1 FROM $NAME.crawl"; }

pages() { postgres_sql "SELECT url FROM $NAME.pages ORDER BY url" | paste -sd ' '; }

wait_until() {
    local start=$SECONDS

    until [ "$(postgres_sql "$1" 2>/dev/null)" = "$2" ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "never $2: $1" || return
        sleep 0.05
    done
}

@test "a finished crawl goes on with seeds that were added" {
    fleet_crawl one 0
    "${COMMAND[@]}"
    same finished "$(of_crawl state)"
    same http://d0.example/ "$(pages)"
    printf '# more\n\n%s\nd0.example/s1/p1.html\n' "$FAR" >"$TMP/more"
    add http://d1.example/ --seeds "$TMP/more"
    same 0 "$STATUS" "$(cat "$ERR")"
    same "The crawl '$NAME' has 3 more seeds; to go on: the same command on each machine" \
        "$(cat "$OUT")"
    same "running 1" "$(of_crawl "state, additions")"
    # Another machine, then the first one again.
    fleet_crawl two 0
    "${COMMAND[@]}"
    same finished "$(of_crawl state)"
    same "http://d0.example/ http://d0.example/s1/p1.html http://d1.example/ $FAR" "$(pages)"
    same t "$(postgres_sql "SELECT sum(sent) = sum(taken) FROM $NAME.node")"
    fleet_crawl one 0
    "${COMMAND[@]}"
    # Each once, however often it is added.
    add http://d1.example/
    same 0 "$STATUS" "$(cat "$ERR")"
    "${COMMAND[@]}"
    same finished "$(of_crawl state)"
    same 4 "$(postgres_sql "SELECT count(*) FROM $NAME.pages")"
    capture "$CRAWLER" why --name "$NAME" "$(postgres_url)" http://d1.example/
    grep -q '^  found     as a seed that was added' "$OUT" || fail "$(cat "$OUT" "$ERR")"
    capture "$CRAWLER" verify --name "$NAME" "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
}

@test "a fleet at work takes seeds" {
    # After the first page nothing can be fetched for an hour.
    printf 'http://d0.example/\nhttp://d0.example/s1/p1.html\n' >"$TMP/seeds"
    DELAY=1h fleet_crawl one 0 --ip-delay 0 --robots ignore --seeds "$TMP/seeds"
    "${COMMAND[@]}" 3>&- &
    MACHINE=$!
    wait_until "SELECT count(*) FROM $NAME.pages" 1
    add http://d1.example/
    same 0 "$STATUS" "$(cat "$ERR")"
    same "The crawl '$NAME' has 1 more seed" "$(cat "$OUT")"
    wait_until "SELECT count(*) FROM $NAME.pages WHERE url = 'http://d1.example/'" 1
}

@test "a seed that the user names is fetched whatever --exclude says" {
    # As on one machine.
    fleet_crawl one 3 --exclude '**'
    "${COMMAND[@]}"
    same http://d0.example/ "$(pages)"
    add http://d1.example/
    same 0 "$STATUS" "$(cat "$ERR")"
    "${COMMAND[@]}"
    same "http://d0.example/ http://d1.example/" "$(pages)"
}

@test "a seed that does not fit is refused in one line, and nothing is added" {
    SCOPE=host fleet_crawl one 0 --max-pages 5
    "${COMMAND[@]}"
    add http://d1.example/
    refused "outside of the scope"
    add http://d0.example/ 'mailto:a@b'
    refused "cannot be crawled"
    add http://name:geheim@d0.example/x
    refused "a name and password cannot be added"
    ! grep -q geheim "$ERR" || fail "a secret is shown"
    add
    refused "add takes the engine"
    add --seeds "$TMP/nothing"
    refused "--seeds"
    : >"$TMP/empty"
    add --seeds "$TMP/empty"
    refused "has no URL to add"
    capture "$CRAWLER" add --name none "$(postgres_url)" http://d0.example/
    refused "$(postgres_url): "
    capture "$CRAWLER" add "$TMP" http://d0.example/
    refused "the engine must be postgres://"
    capture "$CRAWLER" add 'postgres://u:geheim@[::1/x' http://d0.example/
    refused "the engine must be postgres://"
    ! grep -q geheim "$ERR" || fail "a secret is shown"
    same "finished 0" "$(of_crawl "state, additions")"
    # Bad lines of a file are told and passed over.
    printf 'http://d1.example/\nhttp://d0.example/p/2\n' >"$TMP/mixed"
    add --seeds "$TMP/mixed"
    same 0 "$STATUS" "$(cat "$ERR")"
    grep -q 'mixed:1: skipped: outside of the scope' "$ERR"
    same "running 1" "$(of_crawl "state, additions")"
}

@test "--max-pages counts all machines, and says when nothing more can be added" {
    fleet_crawl one 1000 --max-pages 30
    "${COMMAND[@]}" 3>&- &
    MACHINE=$!
    fleet_crawl two 1000 --max-pages 30
    "${COMMAND[@]}"
    wait "$MACHINE"
    same finished "$(of_crawl state)"
    same 30 "$(postgres_sql "SELECT sum(pages) FROM $NAME.node")"
    same 30 "$(find "$TMP/one" "$TMP/two" -name '[1-9]*' | wc -l)"
    add http://d1.example/
    refused "has saved its --max-pages 30"
}

@test "--max-time is of the fleet: it began with the crawl, by the engine's clock" {
    DELAY=100ms
    fleet_crawl one 1000 --max-time 1h
    "${COMMAND[@]}" 3>&- &
    MACHINE=$!
    wait_until "SELECT count(*) > 2 FROM $NAME.pages" t
    kill -TERM "$MACHINE"
    wait "$MACHINE" || :
    same running "$(of_crawl state)"
    # By the engine an hour has gone: whoever joins has no time left, also if it
    # does not know of the limit.
    postgres_sql "UPDATE $NAME.crawl SET began = began - 3600000"
    before=$(record_total)
    fleet_crawl one 1000
    run -3 "${COMMAND[@]}"
    fleet_crawl two 1000
    COMMAND[1]=--verbose
    run -3 "${COMMAND[@]}"
    [[ $output == *"go on: the same command with a longer --max-time"* ]]
    same "$before" "$(record_total)" "requests after the time was over"
    same running "$(of_crawl state)"
    add http://d1.example/
    grep -q ', with a longer --max-time$' "$OUT"
    # More time: it goes on to its end.
    fleet_crawl two 1000 --max-time 100h
    "${COMMAND[@]}"
    same finished "$(of_crawl state)"
}

@test "crawler stop is told as an order, and crawler continue goes on" {
    OUT=$TMP/out ERR=$TMP/err DELAY=100ms
    fleet_crawl one 1000
    COMMAND[1]=--verbose
    "${COMMAND[@]}" >"$OUT" 2>"$ERR" 3>&- &
    MACHINE=$!
    wait_until "SELECT count(*) > 2 FROM $NAME.pages" t
    "$CRAWLER" stop --name "$NAME" "$(postgres_url)"
    status=0
    wait "$MACHINE" || status=$?
    same 3 "$status" "$(cat "$ERR")"
    same "stopped by order (crawler stop)
go on: crawler continue --name $NAME $(postgres_url), then the same command on each machine" \
        "$(tail -n 2 "$ERR")"
    # Whoever comes meanwhile is told the same.
    run -3 "${COMMAND[@]}"
    [[ $output == *"stopped by order (crawler stop)"* ]]
    "$CRAWLER" continue --name "$NAME" "$(postgres_url)"
    fleet_crawl two 1000
    "${COMMAND[@]}"
    same finished "$(of_crawl state)"
}

@test "--ledger off writes no rows for people; the record is the same" {
    fleet_crawl one 1000 --ledger off
    "${COMMAND[@]}"
    same 0 "$(postgres_sql "SELECT count(*) FROM $NAME.fetched")"
    capture "$CRAWLER" export --name "$NAME" --format jsonl "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$("$PLAYGROUND" truth "${WEB[@]}" | wc -l)" "$(wc -l <"$OUT")" "pages"
    run -2 "$CRAWLER" --ledger off --scope any http://d0.example/ "$DIR" 3
    same "crawler: --ledger needs --fleet" "$output"
}
