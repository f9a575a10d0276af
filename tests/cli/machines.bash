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
#         machines 2 --warc
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

# machines N [OPTION...]: start machines 1 to N. The web answers nobody until
# each has partitions, so that each will have pages, however busy we are.
machines() {
    local n=$1 start=$SECONDS i status=0

    kill -STOP "$PID"
    for ((i = 1; i <= n; i++)); do machine "$i" "${@:2}"; done
    until [ "$(owners)" = "$n" ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || { status=1 && break; }
        sleep 0.05
    done
    kill -CONT "$PID"
    [ "$status" = 0 ] || fail "$(owners) machines have partitions, not $n"
}

# owners: how many machines have partitions.
owners() {
    postgres_sql "SELECT count(DISTINCT owner) FROM ${NAME:-crawl}.part" 2>/dev/null || echo 0
}

# machine_ends N STATUS: wait for it.
machine_ends() {
    local status=0

    wait "${MACHINE[$1]}" || status=$?
    same "$2" "$status" "machine $1: $(tail -n 3 "$TMP/m$1.err")"
}

# all_pages [DIR...]: the directories together have every page once, those of
# each without a hole; the crawl is finished, and its record is right in itself.
# Without a DIR: those of all machines.
all_pages() {
    local dir

    [ $# -gt 0 ] || set -- "$TMP"/m[0-9]
    for dir; do
        page_depths "$dir"
    done | LC_ALL=C sort | diff "$TMP/truth" - >"$TMP/diff" ||
        fail "$(wc -l <"$TMP/diff") lines differ: $(head -n 5 "$TMP/diff")" ||
        return
    for dir; do
        pages_are_whole "$(find "$dir" -name '[1-9]*' | wc -l)" "$dir" || return
    done
    same finished "$(postgres_sql "SELECT state FROM $NAME.crawl")" &&
        same 0 "$(postgres_sql "SELECT count(*) FROM $NAME.mail")" "mails left" &&
        same t "$(postgres_sql "SELECT sum(sent) = sum(taken) FROM $NAME.node")" &&
        "$CRAWLER" verify --name "$NAME" "$(postgres_url)"
}

# nodes_of N: a condition for the rows of machine N. It has another one each time
# that it joins.
nodes_of() {
    echo "directory = '$(sqlite3 "$TMP/m$1/.crawler" \
        "SELECT value FROM setting WHERE name = 'fleet.directory'")'"
}

# saved [N]: pages that are committed, of all machines or of machine N.
saved() {
    local of=true

    [ $# -eq 0 ] || of=$(nodes_of "$1")
    postgres_sql "SELECT coalesce(sum(pages), 0) FROM ${NAME:-crawl}.node WHERE $of" \
        2>/dev/null || echo 0
}

# wait_until_saved COUNT: until all together saved so many.
wait_until_saved() {
    local start=$SECONDS

    until [ "$(saved)" -ge "$1" ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "no $1 pages" || return
        sleep 0.05
    done
}

# wait_for_busiest: until the crawl is on its way; BUSIEST is the machine that
# saved most, whichever that is.
wait_for_busiest() {
    local i most=0 pages

    wait_until_saved 45 || return
    for i in "${!MACHINE[@]}"; do
        pages=$(saved "$i")
        # shellcheck disable=SC2034 # the test's
        [ "$pages" -le "$most" ] || { most=$pages && BUSIEST=$i; }
    done
}

# wait_until_dead N: the others declared machine N dead, which stands still.
wait_until_dead() {
    local alive
    alive="$(nodes_of "$1") AND state <> 'dead'"

    until [ "$(postgres_sql "SELECT count(*) FROM $NAME.node WHERE $alive")" = 0 ]; do
        sleep 0.1
    done
}

# stands_still N: until it is declared dead.
stands_still() {
    kill -STOP "${MACHINE[$1]}"
    wait_until_dead "$1"
    kill -CONT "${MACHINE[$1]}"
}

# close_gate: whoever reads a partition waits until there is no row in `gate`.
close_gate() {
    postgres_sql "SET search_path TO $NAME;
        CREATE TABLE gate AS SELECT 1;
        CREATE FUNCTION pass() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN
            WHILE EXISTS (SELECT 1 FROM $NAME.gate) LOOP
                PERFORM pg_sleep(0.02); END LOOP; RETURN true; END';
        ALTER TABLE journal RENAME TO journal_rows;
        CREATE VIEW journal AS SELECT * FROM journal_rows
            WHERE part >= (SELECT partitions FROM $NAME.crawl) OR pass()"
}
