# Machines of a fleet that crawl the playground's web together.
#
#     load helper
#     load postgres
#     load machines
#
#     setup_file() { postgres_start; }
#     teardown_file() { postgres_stop; }
#     setup() { postgres_needed && helper_setup && start_web; }
#
#     @test "..." {
#         machine 1 && machine 2 --warc
#         for i in 1 2; do machine_ends $i 0; done
#         all_pages
#     }

WEB=(--web many --hosts 40 --pages 400 --size 800
    --flaky 0 --limited 0 --errors 0 --slow 0)

# start_web: its truth is in $TMP/truth, "URL DEPTH". The crawl's NAME is that of
# the test.
start_web() {
    NAME=t$BATS_TEST_NUMBER
    start_playground "${WEB[@]}"
    "$PLAYGROUND" truth "${WEB[@]}" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort >"$TMP/truth"
}

# machine N [OPTION...]: start it; its number of process is in MACHINE[N]. All
# hosts are at one address, unless CONNECT has options that say where they are.
machine() {
    mkdir -p "$TMP/m$1"
    "$CRAWLER" --quiet --fleet "$(postgres_url)" --name "$NAME" --partitions 16 \
        --lease "${LEASE:-30s}" "${CONNECT[@]:---connect-to=::127.0.0.1:$PORT}" --scope any \
        --delay "${DELAY:-0}" --ip-delay "${IP_DELAY:-0}" --save-every 50ms "${@:2}" http://d0.example/ \
        "$TMP/m$1" 1000 2>"$TMP/m$1.err" 3>&- &
    MACHINE[$1]=$!
}

# machine_ends N STATUS: wait for it.
machine_ends() {
    local status=0

    wait "${MACHINE[$1]}" || status=$?
    same "$2" "$status" "machine $1: $(tail -n 3 "$TMP/m$1.err")"
}

# all_pages: the directories together have every page once, it is finished, and
# the record is right in itself.
all_pages() {
    local dir

    for dir in "$TMP"/m[0-9]; do
        page_depths "$dir"
    done | LC_ALL=C sort | diff "$TMP/truth" - >"$TMP/diff" ||
        fail "$(wc -l <"$TMP/diff") lines differ: $(head -n 5 "$TMP/diff")" ||
        return
    same finished "$(postgres_sql "SELECT state FROM $NAME.crawl")" &&
        same 0 "$(postgres_sql "SELECT count(*) FROM $NAME.mail")" "mails left" &&
        same t "$(postgres_sql "SELECT sum(sent) = sum(taken) FROM $NAME.node")" &&
        "$CRAWLER" verify --name "$NAME" "$(postgres_url)"
}

saved() {
    postgres_sql "SELECT coalesce(sum(pages), 0) FROM $NAME.node" 2>/dev/null ||
        echo 0
}

wait_until_saved() {
    local start=$SECONDS

    until [ "$(saved)" -ge "$1" ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "no $1 pages" || return
        sleep 0.05
    done
}
