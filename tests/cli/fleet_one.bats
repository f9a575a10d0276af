#!/usr/bin/env bats
# A crawl of one machine whose record is in PostgreSQL: it ends as it would
# without, whatever happens to the program, its directory, or the server.

load helper
load postgres
load machines
load relay

setup_file() { postgres_start; }
teardown_file() { postgres_stop; }

setup() {
    postgres_needed && helper_setup && start_web
}

teardown() { helper_teardown; }

# fleet_crawl DIR [OPTION...]: the words of the command, in COMMAND.
fleet_crawl() {
    COMMAND=("$CRAWLER" --quiet --fleet "${URL:-$(postgres_url)}" --name "$NAME"
        --partitions 8 --connect-to "::127.0.0.1:$PORT" --scope any --delay 0
        --per-host 8 --save-every 20ms "${@:2}" http://d0.example/ "$1" 1000)
}

@test "the pages are those of a crawl without a fleet" {
    fleet_crawl "$DIR"
    "${COMMAND[@]}"
    all_pages "$DIR"
    # Again: it is finished, and nothing is asked for.
    before=$(record_total)
    "${COMMAND[@]}"
    same "$before" "$(record_total)" "requests after the end"
    # The directory knows only which machine it is.
    same 0 "$(sqlite3 "$DIR/.crawler" 'SELECT count(*) FROM url')"
}

@test "a fleet has at most 65535 machines in its life" {
    fleet_crawl "$DIR"
    "${COMMAND[@]}"
    postgres_sql "UPDATE $NAME.node SET node = 65535 WHERE node = 1;
        UPDATE $NAME.crawl SET state = 'running'"
    mkdir "$TMP/more"
    fleet_crawl "$TMP/more"
    capture "${COMMAND[@]}"
    [ "$STATUS" -ne 0 ]
    grep -q "too many machines have joined it" "$ERR" || fail "$(cat "$ERR")"
    same 1 "$(postgres_sql "SELECT count(*) FROM $NAME.node WHERE node > 0")" "machines"
    # The old ones may come back.
    fleet_crawl "$DIR"
    "${COMMAND[@]}"
}

@test "killed at random moments, with answers of commits lost, it ends as if not" {
    local kills=0 wanted=12 status longest=600 limit
    RANDOM=3

    ! is_sanitized || longest=6000
    start_relay "$POSTGRES_PORT" --lose 0.05 --only COMMIT
    URL=$(postgres_url "$RELAY_PORT")
    fleet_crawl "$DIR" --delay 20ms --lease 6s
    while :; do
        status=0
        limit=$(printf '0.%03d' $((RANDOM % longest % 1000)))
        [ "$kills" -lt "$wanted" ] || limit=$LIMIT
        timeout --foreground -s KILL "$limit" "${COMMAND[@]}" || status=$?
        [[ $status =~ ^(124|137)$ ]] || break
        kills=$((kills + 1))
    done
    same 0 "$status" "exit status after $kills kills"
    [ "$kills" -gt 2 ]
    all_pages "$DIR"
    # Each URL ended once in the record, too.
    same "" "$(postgres_sql "SELECT node FROM $NAME.node WHERE state = 'alive'")"
}

@test "another directory takes over when the lease is over" {
    fleet_crawl "$DIR" --delay 30ms --lease 2s
    "${COMMAND[@]}" 3>&- &
    pid=$!
    wait_until_saved 20
    kill -KILL "$pid"
    wait "$pid" || :
    mkdir "$TMP/second"
    fleet_crawl "$TMP/second" --delay 30ms --lease 2s
    "${COMMAND[@]}"
    # The pages that were written and not recorded are no part of the crawl:
    # whoever comes back removes them.
    fleet_crawl "$DIR" --delay 30ms --lease 2s
    "${COMMAND[@]}"
    recorded=$(postgres_sql "SELECT pages FROM $NAME.node WHERE node = 1")
    [ "$recorded" -ge 20 ]
    find "$DIR" -name '[1-9]*' | while read -r file; do
        [ "${file##*/}" -le "$recorded" ] || rm "$file"
    done
    all_pages "$DIR" "$TMP/second"
    same "1 dead 2 left" "$(postgres_sql "SELECT node, state FROM $NAME.node
        WHERE node > 0 ORDER BY 1" | paste -sd ' ')"
}

@test "a machine keeps its lease while it loads" {
    local start renewed=''

    fleet_crawl "$DIR" --delay 30ms --lease 6s
    "${COMMAND[@]}" 3>&- &
    pid=$!
    wait_until_saved 20
    kill -KILL "$pid"
    wait "$pid" || :
    close_gate
    "${COMMAND[@]}" 3>&- &
    pid=$!
    start=$SECONDS
    until [ "$renewed" = t ] || [ $((SECONDS - start)) -ge 15 ]; do
        sleep 0.05
        renewed=$(postgres_sql "SELECT batch > 1 FROM $NAME.node
            WHERE node = 1 AND joins = 2")
    done
    postgres_sql "DELETE FROM $NAME.gate"
    wait "$pid"
    same t "$renewed" "the lease was renewed"
    all_pages "$DIR"
}

@test "a server that refuses for good ends the crawl with status 1 and a line" {
    fleet_crawl "$DIR" --delay 30ms
    "${COMMAND[@]}" 2>"$TMP/err" 3>&- &
    pid=$!
    wait_until_saved 20
    postgres_sql "DROP TABLE $NAME.fetched CASCADE" 2>/dev/null
    status=0
    wait "$pid" || status=$?
    same 1 "$status" "$(cat "$TMP/err")"
    same 1 "$(grep -c '^crawler: cannot write the state in ' "$TMP/err")" "$(cat "$TMP/err")"
}

# rules: the patterns of the orders that the crawl in DIR obeys.
rules() {
    (cd "$DIR" && curl -s -m "$LIMIT" --unix-socket .crawler-socket \
        http://localhost/status.json) | jq -r '.rules[].pattern'
}

batch() { postgres_sql "SELECT batch FROM $NAME.node WHERE node = 1"; }

wait_for_batch() {
    local start=$SECONDS

    until [ "$(batch)" -ge "$1" ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "no batch $1" || return
        sleep 0.05
    done
}

@test "a machine that is killed goes on at once, and an order holds" {
    fleet_crawl "$DIR" --delay 1h --robots ignore
    "${COMMAND[@]}" 3>&- &
    pid=$!
    wait_until_saved 1
    "$CRAWLER" ctl "$DIR" exclude '**/nothing/**'
    wait_for_batch $(($(batch) + 3))
    kill -KILL "$pid"
    wait "$pid" || :
    # It is the same place, so nobody else is that machine: it goes on at once.
    "$CRAWLER" "${COMMAND[@]:2}" 2>"$TMP/err" 3>&- &
    pid=$!
    timeout "$LIMIT" bash -c 'until [ -S "$1/.crawler-socket" ] &&
        "$2" ctl "$1" pause; do sleep 0.05; done' - "$DIR" "$CRAWLER"
    same '**/nothing/**' "$(rules)"
    kill -TERM "$pid"
    wait "$pid" || :
    run ! grep "is it still there" "$TMP/err"
}

@test "what does not fit is refused in one line, and a password is never kept" {
    fleet_crawl "$DIR" --max-pages 5
    run -0 "${COMMAND[@]}"
    COMMAND[-1]=7
    run -2 "${COMMAND[@]}"
    [[ $output == *"is another: it was begun with maxDepth 1000"* ]]
    COMMAND[-1]=1000
    run -2 "${COMMAND[@]}" --partitions 9
    [[ $output == *"partitions"* ]]
    run -2 "$CRAWLER" --scope any http://d0.example/ "$DIR" 1000
    [[ $output == *"$DIR"* ]]
    run -2 "$CRAWLER" --fleet mysql://x/y http://d0.example/ "$DIR" 3
    [[ $output == "crawler: the engine must be postgres://[USER@]HOST"* ]]
    run -2 "$CRAWLER" --lease 5s http://d0.example/ "$DIR" 3
    [[ $output == "crawler: --lease needs --fleet"* ]]
    run -2 "$CRAWLER" --fleet "$(postgres_url)" --name 'no; name' http://d0.example/ "$DIR" 3
    [[ $output == *"--name"* ]]
    run -2 "$CRAWLER" --fleet "postgres://u:s3cret@[::1" http://d0.example/ "$DIR" 3
    [[ $output != *s3cret* ]]
    run -1 "$CRAWLER" --scope any --fleet "postgres://u:s3cret@127.0.0.1:1/x" http://d0.example/ "$TMP" 3
    [[ $output == "crawler: the engine postgres://u@127.0.0.1:1/x is away: "* ]]
    [[ $output != *s3cret* ]]
    # It is not in the record either.
    NAME=secret
    URL="postgres://crawl:s3cret@127.0.0.1:$POSTGRES_PORT/crawl"
    mkdir "$TMP/other"
    fleet_crawl "$TMP/other" --max-pages 3
    run -0 "${COMMAND[@]}"
    ! grep -rq s3cret "$TMP/other" || fail "a secret is shown"
    ! "$POSTGRES_BIN/pg_dump" -h "$POSTGRES_HOME" -p "$POSTGRES_PORT" -U crawl crawl |
        grep -q s3cret || fail "a secret is shown"
}

# no_record COMMAND...: a machine's directory is refused in one line that names
# the engine, and is as it was before.
no_record() {
    local before

    before=$(cd "$DIR" && find . -type f | LC_ALL=C sort | xargs sha256sum)
    capture "${LIMITED[@]}" "$CRAWLER" "$@"
    same 2 "$STATUS" "$*: $(cat "$OUT" "$ERR")"
    silent "$OUT"
    same 1 "$(wc -l <"$ERR")" "$*: $(cat "$ERR")"
    grep -qF "'$DIR' is of a machine of a fleet" "$ERR" || fail "$*: $(cat "$ERR")"
    grep -qF "postgres://crawl@127.0.0.1:$POSTGRES_PORT/crawl" "$ERR" || fail "$*: $(cat "$ERR")"
    ! grep -q s3cret "$ERR" || fail "a secret is shown"
    same "$before" "$(cd "$DIR" && find . -type f | LC_ALL=C sort | xargs sha256sum)" "$*"
}

@test "the directory of a machine is not taken for the record of a crawl" {
    URL="postgres://crawl:s3cret@127.0.0.1:$POSTGRES_PORT/crawl"
    fleet_crawl "$DIR" --max-pages 5 --warc
    "${COMMAND[@]}"
    no_record status "$DIR"
    no_record status --json "$DIR"
    no_record why "$DIR" http://d0.example/
    no_record verify "$DIR"
    no_record report "$DIR"
    for format in jsonl csv links sitemap cdxj "wacz --output $TMP/x.wacz"; do
        # shellcheck disable=SC2086 # words
        no_record export --format $format "$DIR"
    done
    no_record --resume "$DIR"
    no_record "$LETTERS/index.html" "$DIR" 3
    no_record --restart --scope any http://d0.example/ "$DIR" 1000
    no_record --state none --scope any http://d0.example/ "$DIR" 1000
    # What reads the archive needs no record.
    mkdir "$TMP/exported"
    "$CRAWLER" export --format pages --output "$TMP/exported" "$DIR"
    [ -s "$TMP/exported/1" ]
    "$CRAWLER" export --format cdxj --name "$NAME" "$URL" "$DIR" >"$TMP/index"
    [ -s "$TMP/index" ]
}
