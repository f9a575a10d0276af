#!/usr/bin/env bats
# A machine of a fleet that is watched and given orders: they are for it alone,
# and it says so; `crawler pause` with the fleet's URL reaches all.

load helper
load view
load postgres

setup_file() { postgres_start; }
teardown_file() { postgres_stop; }

setup() {
    postgres_needed && helper_setup
    NAME=t$BATS_TEST_NUMBER
    FLEET="--name $NAME $(postgres_url)"
    start_playground --web live --hosts 40 --pages 20000 --size 800 --flaky 0 \
        --limited 0 --errors 0 --slow 0 --rules 0
    begin_machine "$TMP/m1" --listen 127.0.0.1:0
    wait_for_file "$TMP/m1.err" 'watch it at'
    AT=$(sed -n 's|.*watch it at http://\(.*\)/#token=.*|\1|p' "$TMP/m1.err")
    TOKEN=$(sed -n 's|.*#token=||p' "$TMP/m1.err")
    DIR=$TMP/m1
    wait_for 'ask /status.json | holds ".pages > 0"'
}

teardown() { view_teardown; }

# begin_machine DIR [OPTION...]: a machine that crawls slowly; CRAWL is it.
begin_machine() {
    mkdir -p "$1"
    timeout --foreground -k 60 $((LIMIT * 2)) "$CRAWLER" --quiet --fleet "$(postgres_url)" \
        --name "$NAME" --partitions 8 --save-every 50ms --delay 500ms \
        --scope any --robots ignore --connect-to "::127.0.0.1:$PORT" "${@:2}" \
        http://d0.example/ "$1" 1000 >/dev/null 2>"$1.err" 3>&- &
    CRAWL=$!
    SERVERS+=("$CRAWL.crawl")
}

ctl() { "$CRAWLER" ctl "$TMP/m1" "$@"; }

@test "an order to one machine of a fleet says that it reaches this machine only" {
    only="(this machine only; for the whole fleet: crawler"
    same "paused: no fetch starts until resume $only pause $FLEET)" "$(ctl pause)"
    # The other machines go on: the engine knows nothing of it.
    same run "$(postgres_sql "SELECT wanted FROM $NAME.crawl")"
    same "the crawl goes on $only continue $FLEET)" "$(ctl resume)"
    same "URLs that match are refused (this machine only)" \
        "$(ctl exclude '**/cal/**')"
    same "d1.example is dropped: its URLs are refused (this machine only)" \
        "$(ctl drop d1.example)"
    ask /status.json | holds --arg fleet "$FLEET" '.fleet == $fleet'
    run -0 "$CRAWLER" watch "$TMP/m1"
    [[ $output == *"orders reach this machine only; for all: crawler pause $FLEET"* ]]
    same "stopping: what is in flight is finished first $only stop $FLEET)" \
        "$(ctl stop)"
    wait_crawl
    same 3 "$STATUS" "$(cat "$TMP/m1.err")"
}

@test "crawler pause with the URL of the fleet reaches all machines, and each says so" {
    first=$CRAWL
    begin_machine "$TMP/m2"
    wait_for '"$CRAWLER" watch "$TMP/m2" | grep -q "is running"'
    "$CRAWLER" pause --name "$NAME" "$(postgres_url)"
    for machine in m1 m2; do
        DIR=$TMP/$machine
        wait_for 'ask_socket /status.json | holds ".state == \"paused\" and
            (.says | startswith(\"the whole fleet is paused\"))"'
    done
    # One machine cannot go on alone.
    run -0 ctl resume
    [[ $output == "the crawl goes on when the whole fleet does (this machine "* ]]
    "$CRAWLER" continue --name "$NAME" "$(postgres_url)"
    for machine in m1 m2; do
        DIR=$TMP/$machine
        wait_for 'ask_socket /status.json | holds ".state == \"running\""'
    done
    "$CRAWLER" stop --name "$NAME" "$(postgres_url)"
    wait_crawl
    CRAWL=$first
    wait_crawl
}

@test "a seed that another machine has to fetch is sent there" {
    first=$CRAWL
    begin_machine "$TMP/m2"
    # Both have partitions.
    wait_for '[ "$(postgres_sql "SELECT count(DISTINCT owner) FROM
        $NAME.part")" = 2 ]'
    queued=0 sent=0
    for i in $(seq 1 40); do
        case $(ctl seed "http://new$i.example/") in
        "the URL is queued") queued=$((queued + 1)) ;;
        "the URL is sent to the machine that has its domain") sent=$((sent + 1)) ;;
        *) fail "another answer for seed $i" ;;
        esac
    done
    [ "$queued" -gt 0 ] && [ "$sent" -gt 0 ]
    "$CRAWLER" stop --name "$NAME" "$(postgres_url)"
    wait_crawl
    CRAWL=$first
    wait_crawl
}

@test "a machine of a fleet has no record that could say why, and says so" {
    wants="a machine of a fleet has no record of its own: crawler why takes the URL of the engine"
    same 400 "$(ask "/why?url=http%3A%2F%2Fd0.example%2F" -o "$TMP/body" -w '%{http_code}')"
    same "$wants" "$(jq -r .error "$TMP/body")"
    # The fleet's record can.
    "$CRAWLER" why --name "$NAME" "$(postgres_url)" http://d0.example/ >"$TMP/why"
    grep -q '^http://d0.example/ was fetched' "$TMP/why" || fail "$(cat "$TMP/why")"
}
