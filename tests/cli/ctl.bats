#!/usr/bin/env bats
# crawler ctl: orders to a running crawl, and what remains of them.

load helper
load view

teardown() { view_teardown; }

ctl() { "$CRAWLER" ctl "$DIR" "$@"; }

# Two hosts with ten pages each and a calendar that never ends.
make_site() {
    for host in a b; do
        echo "//$host.test/"
        for i in 1 2 3 4 5 6 7 8 9; do
            echo "    body <a href=http://$host.test/$i>$i</a>"
        done
        echo "    body <a href=/cal/1>cal</a>"
        for i in 1 2 3 4 5 6 7 8 9; do
            printf '//%s.test/%s\n    body <a href=http://b.test/>b</a>\n' \
                "$host" "$i"
        done
    done
    for i in $(seq 1 50); do
        printf '/cal/%s\n    body <a href=/cal/%s>next</a>\n' "$i" $((i + 1))
    done
    printf '/new\n    body new\n'
}

# start OPTION...: a crawl of that site that waits for orders.
start() {
    make_site >"$TMP/site"
    start_playground --site "$TMP/site"
    begin_crawl --scope any --delay 1h --ip-delay 0 "$@" http://a.test/ "$DIR" 99
    wait_for '[ "$(ask_socket /status.json | jq .pages)" -ge 1 ]'
}

@test "a crawl that only ctl drives ends as planned" {
    start
    same "paused: no fetch starts until resume" "$(ctl pause)"
    same paused "$(ask_socket /status.json | jq -r .state)"
    same "URLs that match are refused" "$(ctl exclude '**/cal/**')"
    ctl drop b.test
    ctl seed http://a.test/new
    ctl delay a.test 0
    same 1 "$(ask_socket /status.json | jq .pages)"
    same "the crawl goes on" "$(ctl resume)"
    wait_crawl
    same 0 "$STATUS"
    # The seed, nine pages and the new one; neither host b nor the calendar.
    same 11 "$(page_count)"
    page_urls | grep -qx http://a.test/new
    ! page_urls | grep -q 'b.test\|/cal/' || fail "pages that were dropped"
    run "$CRAWLER" verify "$DIR"
    same 0 "$status" "$output"
    run -0 "$CRAWLER" why "$DIR" http://b.test/
    [[ $output == *"was refused: dropped by hand"* ]]
    [[ $output =~ "order     drop 'b.test', by hand at 20"[0-9]{2}- ]]
    run -0 "$CRAWLER" why "$DIR" http://a.test/cal/1
    [[ $output == *"order     exclude '**/cal/**', by hand at 20"* ]]
    same "1 8 6 10 5 2" "$(sqlite3 "$DIR/.crawler" \
        "SELECT group_concat(kind, ' ') FROM
         (SELECT kind FROM hand_order ORDER BY number)")"
}

@test "a seed that was given by hand is one, for why and for the report" {
    start --links
    ctl exclude '**/cal/**'
    ctl drop b.test
    ctl seed http://a.test/new
    ctl seed http://a.test/missing
    ctl delay a.test 0
    wait_crawl
    run -0 "$CRAWLER" why "$DIR" http://a.test/new
    [[ $output =~ "found     as a seed, by hand at 20"[0-9]{2}- ]]
    "$CRAWLER" report --format json "$DIR" >"$TMP/report.json"
    same "0 http://a.test/missing a seed" "$(jq -r '.findings |
        [.orphan.count, (.broken.items[] | .url, .places[].named_by)] | join(" ")' "$TMP/report.json")"
}

@test "orders are kept by a resume, and can be taken back" {
    start
    ctl exclude '**/cal/**'
    ctl drop b.test
    ctl delay a.test 0.5
    ctl stop
    wait_crawl
    same 3 "$STATUS"
    [ ! -e "$DIR/.crawler-socket" ]
    "${LIMITED[@]}" "$CRAWLER" -q --resume "$DIR" \
        --connect-to "::127.0.0.1:$PORT" --delay 1h 2>"$TMP/err" 3>&- &
    CRAWL=$!
    SERVERS+=("$CRAWL.crawl")
    wait_for 'ask_socket /status.json | holds ".rules | length == 3"'
    ask_socket /status.json | holds '[.rules[].order] ==
        ["exclude", "drop", "delay"] and .rules[2].delay_ms == 500'
    ask_socket /hosts.json | holds '.hosts[] | select(.host == "a.test") |
        .delay_ms == 500 and .delay_by == "hand"'
    ctl allow '**/cal/**'
    ctl retry b.test
    ctl delay b.test 0
    same delay "$(ask_socket /status.json | jq -r '.rules[0].order')"
    ctl stop-now
    wait_crawl
    same 3 "$STATUS"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "an order that makes no sense is refused with a reason" {
    start
    run -2 ctl dance
    [[ $output == *"an order is one of pause"* ]]
    run -2 ctl delay a.test soon
    run -2 ctl drop
    run -1 ctl drop 'a.test/x'
    same "crawler: this is not the name of a host" "$output"
    run -1 ctl exclude 'x\'
    [[ $output == *"the pattern is wrong"* ]]
    for pattern in 're:/cal/' '*/cal/*' /cal/; do
        run -1 ctl exclude "$pattern"
        same "crawler: the pattern is wrong: no URL begins so; begin with http://, https:// or **, at character 1" "$output"
    done
    run -1 ctl seed http://a.test/
    [[ $output == *"not queued: seen before"* ]]
    run -1 ctl seed ftp://a.test/
    # A password would be in the pages, the record and the log.
    run -1 ctl seed http://me:t0pS3cret@a.test/new
    same "crawler: leave the name and password out of the URL: an order is recorded as it is" "$output"
    run -0 ask_socket /control -H 'Content-Type: application/json' \
        -d '{"order":"seed","url":"http://me:t0pS3cret@a.test/new"}'
    [[ $output == *'"ok":false'*"leave the name and password out"* ]]
    ! grep -raq t0pS3cret "$DIR" || fail "it is told"
    same 0 "$(ask_socket /status.json | jq '.rules | length')"
    for body in '' '{}' '{"order":"dance"}' '{"order":"drop","host":7}' 'x'; do
        same 400 "$(status_of --unix-socket "$DIR/.crawler-socket" \
            -H 'Content-Type: application/json' -d "$body" \
            http://localhost/control)"
    done
    end_crawl
}

@test "orders from a page of another origin have no effect" {
    start_playground --letters
    begin
    post() {
        status_of -H "Authorization: Bearer $TOKEN" \
            -H 'Content-Type: application/json' "$@" \
            -d '{"order":"stop-now"}' "http://$AT/control"
    }
    same 403 "$(post -H 'Origin: http://evil.test')"
    same 403 "$(post -H 'Origin: null')"
    same 403 "$(post -H 'Sec-Fetch-Site: cross-site')"
    same 415 "$(status_of -H "Authorization: Bearer $TOKEN" \
        -H 'Content-Type: text/plain' -d '{"order":"stop-now"}' \
        "http://$AT/control")"
    same 421 "$(post -H 'Host: evil.test')"
    same 413 "$(head -c 5000 /dev/zero | tr '\0' x | status_of \
        -H "Authorization: Bearer $TOKEN" --data-binary @- "http://$AT/control")"
    same running "$(ask /status.json | jq -r .state)"
    same 200 "$(post -H "Origin: http://$AT" -H 'Sec-Fetch-Site: same-origin')"
    wait_crawl
    same 3 "$STATUS"
}

@test "the control socket is there for its owner, whatever the directory is called" {
    long=$TMP/$(printf 'd%.0s' {1..120})
    mkdir -p "$long"
    DIR=$long
    start
    same 600 "$(stat -c %a "$DIR/.crawler-socket")"
    kill -KILL "$(pgrep -P "$CRAWL")"
    wait_crawl
    # The socket of a crawl that was killed is in nobody's way.
    [ -e "$DIR/.crawler-socket" ]
    run -2 ctl pause
    [[ $output == *"no crawl that can be asked is at work"* ]]
    begin_crawl --restart --scope any --delay 1h http://a.test/ "$DIR" 99
    wait_for 'ask_socket /healthz | grep -q ok'
    ctl stop
    wait_crawl
    [ ! -e "$DIR/.crawler-socket" ]
    run -2 "$CRAWLER" ctl "$TMP/none" pause
    [[ $output == *"No such file"* ]]
}

@test "status tells that the crawl is paused by hand, until it goes on or is resumed" {
    start
    ctl pause
    wait_for '"$CRAWLER" status "$DIR" | grep -q "is paused by hand"'
    run -0 "$CRAWLER" status "$DIR"
    [[ ${lines[0]} =~ ^"The crawl in $DIR is paused by hand since 20"[0-9-]+.*"; crawler ctl $DIR resume goes on"$ ]]
    [[ $output != *"  waits "* ]]
    "$CRAWLER" status --json "$DIR" | holds '.state == "running" and .waits.for == "hand" and
        (.waits.since | startswith("20")) and .waits.host == null'
    ctl resume
    wait_for '"$CRAWLER" status "$DIR" | grep -q "is running"'
    ctl pause
    wait_for '"$CRAWLER" status "$DIR" | grep -q "is paused by hand"'
    end_crawl
    [[ $("$CRAWLER" status "$DIR") == *"is stopped by a signal or by order"* ]]
    # A crawl that is resumed is not paused, though its last order was that.
    begin_crawl --resume "$DIR"
    wait_for '"$CRAWLER" status "$DIR" | grep -q "is running"'
    end_crawl
    run -0 "$CRAWLER" verify "$DIR"
}
