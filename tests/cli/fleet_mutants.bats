#!/usr/bin/env bats
# Four mutants of the program, each without one safeguard of the protocol of a
# fleet (tests/mutants), and for each the fault that the safeguard is for. The
# judge, tools/fleet-check, finds the mutant out by the rule named here; the
# program itself, in the very same scene, does what it should.

load helper
load postgres
load machines
load relay

MUTANTS=$(realpath -m "${MUTANTS:-$PROJECT/build/release/tests/mutants}")
HOSTS=40
NOTHING_OPEN=1073741824

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }
setup() { postgres_needed && helper_setup; }
teardown() { helper_teardown; }

# sql TEXT: in the crawl's schema.
sql() {
    postgres_sql "SET search_path TO $NAME; $1"
}

# wait_for SQL: until it says t.
wait_for() {
    local start=$SECONDS

    until [ "$(sql "$1" 2>/dev/null)" = t ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "it does not come to: $1" || return
        sleep 0.05
    done
}

# --- a crawl ----------------------------------------------------------------------

# site PAGES: "/star" links to so many pages of each host, "/" to nothing. Every
# host has an address of its own.
site() {
    local host page

    printf '/\n    body Nothing.\n/p*\n    delay 100ms\n    body Page.\n/star\n' >"$TMP/site"
    printf '0\thttp://d0.example/\tpage\n0\thttp://d0.example/star\tpage\n' >"$TMP/truth"
    for host in $(seq "$HOSTS"); do
        for page in $(seq "$1"); do
            echo "    body <a href=http://d$host.example/p$page>x</a>"
            printf '1\thttp://d%d.example/p%d\tpage\n' "$host" "$page" >>"$TMP/truth"
        done
    done >>"$TMP/site"
    start_playground --site "$TMP/site" --listen "127.0.1.1-$((HOSTS + 1)):0"
    CONNECT=()
    for host in $(seq 0 "$HOSTS"); do
        CONNECT+=("--connect-to=d$host.example::127.0.1.$((host + 1)):$PORT")
    done
}

# relayed N [OPTION...]: a machine with the relay between it and the engine.
relayed() {
    machine "$1" --fleet "$(postgres_url "$RELAY_PORT")" -U "crawler/$1" --robots ignore "${@:2}"
}

# direct N [OPTION...]: one without.
direct() {
    machine "$1" -U "crawler/$1" --robots ignore "${@:2}"
}

# prepare PAGES [OPTION...]: a crawl that is paused, with "/star" as its seed; no
# machine is at work. Whatever is to be thrown at the machines can be set up
# before they fetch anything. Sets RELAY_PID.
prepare() {
    site "$1" && start_relay "$POSTGRES_PORT" --only COMMIT --request text/html &&
        direct 1 "${@:2}" && machine_ends 1 0 &&
        "$CRAWLER" add --name "$NAME" "$(postgres_url)" http://d0.example/star &&
        "$CRAWLER" pause --name "$NAME" "$(postgres_url)"
}

# all_in COUNT: so many machines have joined, with an equal share each, and one of
# them has the seed.
all_in() {
    wait_for "SELECT (SELECT count(*) FROM node WHERE state = 'alive' AND lowest >= 0) = $1
        AND (SELECT count(*) FROM mail) = 0
        AND (SELECT count(*) FROM node WHERE state = 'alive' AND lowest = 0) = 1
        AND (SELECT count(*) FROM part WHERE owner IS NULL) = 0
        AND (SELECT count(DISTINCT owner) FROM part) = $1
        AND (SELECT max(n) = min(n) FROM (SELECT count(*) AS n FROM part GROUP BY owner) AS c)"
}

begin() {
    "$CRAWLER" continue --name "$NAME" "$(postgres_url)"
}

# all_end COUNT: wait for them; how they ended is in EXITS.
all_end() {
    local n status

    EXITS=
    for n in $(seq "$1"); do
        timeout "$LIMIT" tail -s 0.05 --pid="${MACHINE[n]}" -f /dev/null ||
            kill -KILL "${MACHINE[n]}"
        status=0
        wait "${MACHINE[n]}" || status=$?
        EXITS+="$status "
    done
}

# judge AGAIN [OPTION...]: what tools/fleet-check says; at most so many requests
# were made again.
judge() {
    stop_playground || return 2
    PATH="$POSTGRES_BIN:$PATH" "$PROJECT/tools/fleet-check" --name "$NAME" \
        --truth "$TMP/truth" --record "$RECORD" --host-pause 200 --per-host 1 \
        --again "$1" "${@:2}" --exits "$EXITS" "$(postgres_url)" "$TMP"/m[0-9]
}

# --- the program and its mutant ---------------------------------------------------

# play SCENE WHO: with $CRAWLER, in a folder of its own; how it went is written
# there.
play() {
    local pid status=0

    NAME=$1_$2 TMP=$TMP/$2 SERVERS=() MACHINE=()
    mkdir "$TMP"
    "$1" >"$TMP/said" 2>"$TMP/err" || status=$?
    helper_teardown 2>>"$TMP/err" || status=9
    for pid in "${MACHINE[@]}"; do kill -KILL "$pid" 2>/dev/null || :; done
    echo "$status" >"$TMP/status"
}

# found_out SCENE MUTANT RULE: the mutant breaks this rule in this scene, and the
# program breaks none. On a busy machine the fault may come at a moment at which
# the mutant does no harm: it is tried again then. The program is not.
found_out() {
    local try mutant

    (play "$1" sound) 3>&- &
    for try in 1 2 3; do
        mutant=$TMP/mutant$try
        (CRAWLER=$MUTANTS/$2 && play "$1" "mutant$try") 3>&-
        [ "$(cat "$mutant/status")" = 0 ] || break
    done
    wait
    same 0 "$(cat "$TMP/sound/status")" \
        "the program: $(cat "$TMP/sound/said" "$TMP/sound/err" "$TMP"/sound/m*.err)" || return
    same 1 "$(cat "$mutant/status")" "the mutant: $(cat "$mutant/said" "$mutant/err")" || return
    grep "^$3: " "$mutant/said" || fail "found out, but not so: $(cat "$mutant/said")"
}

# --- no fence ---------------------------------------------------------------------

# A machine stands still in the middle of a commit, which the network holds back.
# Another one takes over and brings the crawl to its end. Then the commit arrives.
late_commit() {
    LEASE=6s DELAY=200ms
    prepare 3 && relayed 1 && all_in 1 || return
    kill -HUP "$RELAY_PID"
    begin && relay_says held || return
    kill -STOP "${MACHINE[1]}"
    direct 2
    wait_for "SELECT state = 'finished' FROM crawl" || return
    kill -HUP "$RELAY_PID"
    relay_says answered || return
    kill -CONT "${MACHINE[1]}"
    all_end 2
    judge 1000
}

@test "no fence: the commit of a machine that was replaced counts" {
    found_out late_commit no_fence "page recorded twice"
}

# --- no mail counters -------------------------------------------------------------

# A machine without work stands still, for less than its lease, while the other
# sends links to it and has nothing more to do itself.
lying_mail() {
    local idle busy batch

    LEASE=30s DELAY=200ms
    prepare 3 --order priority || return
    for i in 1 2; do direct "$i" --order priority; done
    all_in 2 || return
    busy=$(sql "SELECT node FROM node WHERE state = 'alive' AND lowest = 0")
    idle=$((3 - busy))
    kill -STOP "${MACHINE[idle]}"
    begin &&
        wait_for "SELECT lowest = $NOTHING_OPEN AND (SELECT count(*) FROM mail) > 0
            FROM node WHERE node = $busy" || return
    # The machine that is at work gets the chance to draw its conclusion.
    batch=$(sql "SELECT batch FROM node WHERE node = $busy")
    wait_for "SELECT batch > $batch + 3 OR (SELECT state FROM crawl) = 'finished'
        FROM node WHERE node = $busy" || return
    kill -CONT "${MACHINE[idle]}"
    all_end 2
    judge 0 --order priority
}

@test "no mail counters: the crawl ends while links are under way" {
    found_out lying_mail no_mail_counters "page missing"
}

# --- no own deadline --------------------------------------------------------------

# A machine that is slow has no network to the engine. The other one takes over
# and brings the crawl to its end.
cut_off() {
    LEASE=6s DELAY=200ms
    prepare 6 && relayed 1 --workers 1 && direct 2 && all_in 2 && begin &&
        wait_for "SELECT pages > 4 FROM node WHERE node = 1" || return
    kill -STOP "$RELAY_PID"
    wait_for "SELECT state = 'finished' FROM crawl" || return
    kill -CONT "$RELAY_PID"
    all_end 2
    judge 1000
}

@test "no own deadline: two machines ask the same hosts" {
    found_out cut_off no_deadline "machines took turns without an epoch"
}

# --- no look at the batch ---------------------------------------------------------

# The answer of a commit is lost. Nothing is to be fetched again for that.
lost_answer() {
    LEASE=6s DELAY=200ms
    prepare 3 && relayed 1 && direct 2 && all_in 2 || return
    kill -USR2 "$RELAY_PID"
    begin
    all_end 2
    stop_relay
    grep -q ' 1 answers lost$' "$RELAY_OUT" || fail "no answer was lost" || return 2
    judge 0
}

@test "no look at the batch: a commit whose answer was lost is made again" {
    found_out lost_answer no_look "exit status of a machine"
}
