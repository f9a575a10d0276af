#!/usr/bin/env bats
# kill -9, at any moment: nothing is lost, nothing is there twice.

load helper
load truth

WEB=(--web killed --hosts 20 --pages 5000 --size 1000
    --flaky 0 --limited 0 --errors 0 --slow 0)

# crawl_web DIR: begin the crawl of the web there, or go on with it.
crawl_web() {
    exec "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
        --per-host 8 --save-every 20ms http://d0.example/ "$1" 1000
}

# count_of DIR TABLE: its rows at the last commit.
count_of() {
    # sqlite3 would make an empty file where there is none.
    { [ -s "$1/.crawler" ] &&
        sqlite3 "$1/.crawler" "SELECT count(*) FROM $2" 2>/dev/null; } || echo 0
}

# random_ms FROM TO
random_ms() {
    local ms=$(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1)))

    printf '%d.%03d' $((ms / 1000)) $((ms % 1000))
}

# The pages that the server was asked for and the state does not know: those in
# flight, and at most three thousand that were done and waited for the disk.
LOST_MAX=$((80 + 3000))

@test "a crawl killed at a hundred random moments ends as if it had not been" {
    local kills=0 wanted=100 crawls=0 queue before asked status lost longest=250
    local limit
    RANDOM=1

    if is_sanitized; then
        wanted=12 longest=4000
    fi
    start_playground "${WEB[@]}"
    "$PLAYGROUND" truth "${WEB[@]}" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort >"$TMP/truth"
    while [ "$kills" -lt "$wanted" ]; do
        crawls=$((crawls + 1))
        mkdir "$TMP/crawl.$crawls"
        # Every other one has next to no memory for its queue.
        queue=$((crawls % 2 ? 64 : 65536))K
        while :; do
            before=$(count_of "$TMP/crawl.$crawls" fetch)
            asked=$(wc -l <"$RECORD")
            status=0
            # After the last kill it may take as long as it needs: a busy machine
            # would never come to the end.
            limit=$(random_ms 20 $longest)
            [ "$kills" -lt "$wanted" ] || limit=$LIMIT
            timeout --foreground -s KILL "$limit" \
                "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" \
                --scope any --delay 0 --per-host 8 --save-every 20ms \
                --queue-memory "$queue" \
                http://d0.example/ "$TMP/crawl.$crawls" 1000 || status=$?
            [[ $status =~ ^(124|137)$ ]] || break # by timeout, either
            kills=$((kills + 1))
            sleep 0.1 # the server's record is up to so late
            lost=$((($(wc -l <"$RECORD") - asked) -
                ($(count_of "$TMP/crawl.$crawls" fetch) - before)))
            # robots.txt of 20 hosts is asked for, too.
            [ "$lost" -le $((LOST_MAX + 20)) ] || fail "$lost fetches were lost"
        done
        same 0 "$status" "exit status"
        same_as_truth "$TMP/crawl.$crawls"
        rm -r "$TMP/crawl.$crawls"
    done
}

@test "a crawl stopped by SIGTERM goes on and fetches nothing twice" {
    local round

    start_playground "${WEB[@]}"
    "$PLAYGROUND" truth "${WEB[@]}" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort >"$TMP/truth"
    for round in 1 2 3 4; do
        (crawl_web "$DIR") 3>&- &
        while [ ! -e "$DIR/1" ] && kill -0 $!; do
            sleep 0.02
        done
        sleep "0.$round"
        kill -TERM $! 2>/dev/null || :
        STATUS=0
        wait $! || STATUS=$?
        # 143: it had not come to the point where signals are heard.
        [[ $STATUS =~ ^(0|3|143)$ ]] || fail "status $STATUS"
        echo "$STATUS" >>"$TMP/statuses"
    done
    grep -qx 3 "$TMP/statuses"
    (crawl_web "$DIR")
    same_as_truth "$DIR"
    stop_playground
    same "" "$(tail -n +2 "$RECORD" | cut -f 5,7 | sort | uniq -d)" "asked twice"
}
