#!/usr/bin/env bats
# Hosts that take a connection and never answer, more of them than --workers.

load helper

TARPITS=24 HOSTS=3 PAGES=10

# start_sites: healthy hosts and tarpits, each at an address of its own, in
# $TMP/hosts and $TMP/tarpits.
start_sites() {
    local i line

    printf '/tarpit\n    delay 1h\n/*\n    body healthy\n' >"$TMP/site"
    start_playground --site "$TMP/site" --listen "127.1.0.1-$HOSTS:0" \
        --listen "127.2.0.1-$TARPITS:0"
    echo "$ADDRESS" >"$TMP/listening"
    for ((i = 1; i < HOSTS + TARPITS; i++)); do
        read -r -t "$LIMIT" -u "$SERVER_OUT" line
        echo "${line#listening on }" >>"$TMP/listening"
    done
    head -n "$HOSTS" "$TMP/listening" >"$TMP/hosts"
    tail -n "$TARPITS" "$TMP/listening" >"$TMP/tarpits"
}

# seeds: a page of each healthy host, all tarpits, then the other pages.
seeds() {
    local i

    sed 's,.*,http://&/1,' "$TMP/hosts"
    sed 's,.*,http://&/tarpit,' "$TMP/tarpits"
    for ((i = 2; i <= PAGES; i++)); do
        sed "s,.*,http://&/$i," "$TMP/hosts"
    done
}

# crawl_beside_tarpits ARGS...: until all healthy pages are there.
crawl_beside_tarpits() {
    local pid start=$SECONDS

    seeds >"$TMP/seeds"
    "$CRAWLER" --quiet --scope any --log none --robots ignore --retries 0 \
        --delay 20ms --ip-delay 0 --timeout 20s --workers 8 "$@" \
        --seeds "$TMP/seeds" "$DIR" 0 3>&- &
    pid=$!
    until [ "$(page_count)" -eq $((HOSTS * PAGES)) ]; do
        kill -0 "$pid" || fail "the crawl ended with $(page_count) pages"
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "$(page_count) pages"
        sleep 0.05
    done
    kill -INT "$pid"
    kill -INT "$pid"
    wait "$pid" || same 3 $?
}

# Each round of tarpits takes 20 seconds, and there are four of them: however slow
# the machine is, the healthy pages need not wait for the last.
@test "tarpits do not take the places of hosts that answer, whatever the order" {
    local order

    for order in bfs priority; do
        rm -rf "$DIR" && mkdir "$DIR"
        start_sites
        crawl_beside_tarpits --order "$order"
        stop_playground
        asked=$(grep -c /tarpit "$RECORD")
        [ "$asked" -ge 6 ] && [ "$asked" -lt "$TARPITS" ] ||
            fail "$order: $asked of $TARPITS tarpits were asked"
    done
}
