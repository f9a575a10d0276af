#!/usr/bin/env bats
# A robots.txt that has moved to a host of another machine: that machine fetches
# it, so every pause of its host holds over all machines, and the rules are
# obeyed.

load helper
load postgres
load machines

ASKERS=12
DELAY=100ms

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }
setup() { postgres_needed && helper_setup && start_moved && NAME=t$BATS_TEST_NUMBER; }
teardown() { helper_teardown; }

# start_moved: hub.test has many pages and the rules; those of the askers lead
# there, of some by way of the asker before. far.test has none that anybody can
# have. /no is forbidden everywhere. What must be saved is in $TMP/truth.
start_moved() {
    local i page

    {
        printf '//hub.test/robots.txt\n    type text/plain\n    body <<END\n'
        printf 'User-agent: *\nDisallow: /no\nEND\n'
        for i in $(seq "$ASKERS"); do
            printf '//a%d.test/robots.txt\n    redirect %s\n' "$i" \
                "$([ $((i % 3)) = 0 ] && echo "http://a$((i - 1)).test/robots.txt" ||
                    echo http://hub.test/robots.txt)"
        done
        printf '//far.test/robots.txt\n    redirect http://broken.test/robots.txt\n'
        printf '//broken.test/robots.txt 503\n    body Later.\n'
        printf '//hub.test/\n    body <a href=/no>x</a>\n'
        for page in $(seq 15); do printf '    body <a href=/p%d>x</a>\n' "$page"; done
        for i in $(seq "$ASKERS"); do printf '    body <a href=http://a%d.test/>x</a>\n' "$i"; done
        printf '    body <a href=http://far.test/>x</a>\n'
        printf '/\n    body <a href=/no>x</a> <a href=/yes>x</a>\n/*\n    body Page.\n'
    } >"$TMP/site"
    {
        echo http://hub.test/ 0
        for page in $(seq 15); do echo "http://hub.test/p$page 1"; done
        for i in $(seq "$ASKERS"); do
            echo "http://a$i.test/ 1"
            echo "http://a$i.test/yes 2"
        done
    } | LC_ALL=C sort >"$TMP/truth"
    start_playground --site "$TMP/site"
}

# obedient N: start machine N, which obeys robots.txt.
obedient() {
    mkdir -p "$TMP/m$1"
    "$CRAWLER" --quiet --fleet "$(postgres_url)" --name "$NAME" --partitions 16 \
        --lease "${LEASE:-30s}" --connect-to "::127.0.0.1:$PORT" --scope any --robots obey \
        --delay "$DELAY" --ip-delay 0 --save-every 50ms --retries 0 \
        http://hub.test/ "$TMP/m$1" 5 2>"$TMP/m$1.err" 3>&- &
    MACHINE[$1]=$!
}

# two: machines 1 and 2. The site answers nobody until both have partitions.
two() {
    local start=$SECONDS status=0

    kill -STOP "$PID"
    for i in 1 2; do obedient "$i"; done
    until [ "$(owners)" = 2 ]; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || { status=1 && break; }
        sleep 0.05
    done
    kill -CONT "$PID"
    [ "$status" = 0 ] || fail "$(owners) machines have partitions"
}

# judge: pages are exact, nothing that is forbidden was asked for, and every pause
# of every host was kept over both machines.
judge() {
    all_pages && same 0 "$(record_count /no)" "requests for what is forbidden" || return
    flush_record
    PATH="$POSTGRES_BIN:$PATH" "$PROJECT/tools/fleet-check" --name "$NAME" --record "$RECORD" \
        --host-pause "${DELAY%ms}" --per-host 1 "$(postgres_url)" "$TMP"/m[0-9]
}

@test "it is fetched by the machine of the host where it is now" {
    two
    for i in 1 2; do machine_ends $i 0; done
    judge
    # Both were at work, so there were questions over the machines.
    [ "$(saved 1)" -gt 0 ] && [ "$(saved 2)" -gt 0 ]
    # The rules are those of the asker.
    run -0 "$CRAWLER" why --name "$NAME" "$(postgres_url)" http://a3.test/no
    [[ $output == *"Disallow: /no"* ]] || fail "$output"
    run -0 "$CRAWLER" why --name "$NAME" "$(postgres_url)" http://far.test/
    [[ $output == *"robots.txt"*503* ]] || fail "$output"
}

# owner HOST: the number of process of the machine that has it.
owner() {
    local i node

    node=$(postgres_sql "SELECT p.owner FROM $NAME.part p JOIN $NAME.fetched f ON f.part = p.part
        WHERE f.url LIKE 'http://$1/%' LIMIT 1")
    for i in 1 2; do
        [ "$(postgres_sql "SELECT node FROM $NAME.node WHERE $(nodes_of $i)")" != "$node" ] ||
            echo "$i"
    done
}

@test "it is asked for again when the machine that was asked is gone" {
    local first
    LEASE=3s DELAY=200ms
    two
    wait_until_saved 3
    first=$(owner hub.test)
    kill -KILL "${MACHINE[first]}"
    machine_ends "$first" 137
    machine_ends $((3 - first)) 0
    # It comes back to a crawl that is finished, and puts its directory right.
    obedient "$first"
    machine_ends "$first" 0
    judge
}
