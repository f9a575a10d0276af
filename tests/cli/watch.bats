#!/usr/bin/env bats
# crawler watch: a running crawl on a screen.

load helper
load view

teardown() { view_teardown; }

@test "watch shows the figures and the hosts as text" {
    start_playground --letters
    begin_crawl --scope host --delay 1h "$LETTERS/index.html" "$DIR" 9
    wait_for '"$CRAWLER" watch "$DIR" | grep -q "1 saved"'
    run -0 "$CRAWLER" watch "$DIR"
    [[ ${lines[0]} == "The crawl in $DIR is running: 1 host in pause, next "* ]]
    [[ $output == *"queue    1 in memory, 0 on disk, 0 in flight"* ]]
    [[ $output =~ "1  cs50tse.cs.dartmouth.edu        in pause for another " ]]
    "$CRAWLER" ctl "$DIR" pause
    "$CRAWLER" ctl "$DIR" drop cs50tse.cs.dartmouth.edu
    run -0 "$CRAWLER" watch "$DIR"
    [[ $output == *"is paused: paused by order"* ]]
    [[ $output == *"orders   1 in force; the last: drop cs50tse"* ]]
    end_crawl
}

@test "watch draws the screen again on a terminal, until the crawl ends" {
    start_playground --letters
    begin_crawl --scope host --delay 1h "$LETTERS/index.html" "$DIR" 9
    wait_for '"$CRAWLER" watch "$DIR" | grep -q "1 saved"'
    timeout "$LIMIT" script -qec "stty rows 10 cols 60; exec '$CRAWLER' watch '$DIR'" \
        "$TMP/typescript" >/dev/null 3>&- &
    watcher=$!
    wait_for "[ \$(grep -c 'is running' '$TMP/typescript') -ge 2 ]"
    end_crawl
    # The end of the crawl is the end of the watch, and no fault.
    wait "$watcher"
    grep -q "The crawl in $DIR has ended: stopped by a signal or by order, 1 page saved" "$TMP/typescript"
    # The home position before each screen, no line longer than the terminal.
    [ "$(grep -o $'\e\\[H' "$TMP/typescript" | wc -l)" -ge 2 ]
    sed 's/\x1b\[[0-9]*[A-Za-z]//g' "$TMP/typescript" | tr -d '\r' |
        awk 'length > 60 && !/^Script/ && !/has ended/ { exit 1 }'
}

@test "a terminal that cannot redraw gets plain text, and no progress line" {
    start_playground --letters
    begin_crawl --scope host --delay 1h "$LETTERS/index.html" "$DIR" 9
    wait_for '"$CRAWLER" watch "$DIR" | grep -q "1 saved"'
    TERM=dumb timeout "$LIMIT" script -qec "'$CRAWLER' watch '$DIR'" "$TMP/typescript" >/dev/null 3>&-
    grep -q "is running: 1 host in pause" "$TMP/typescript"
    ! grep -q $'\e' "$TMP/typescript" || fail "an escape is there"
    end_crawl
    TERM=dumb timeout "$LIMIT" script -qec "'$CRAWLER' --create --scope host --delay 0 \
        --connect-to '::127.0.0.1:$PORT' '$LETTERS/index.html' '$TMP/other' 0" \
        "$TMP/typescript" >/dev/null 3>&-
    grep -q "$LETTERS/index.html" "$TMP/typescript"
    ! grep -q $'\e' "$TMP/typescript" || fail "an escape is there"
}

@test "the first look at a crawl tells its rate since it began" {
    start_playground --letters
    begin_crawl --scope host --delay 200ms "$LETTERS/index.html" "$DIR" 9
    wait_for '[ -e "$DIR/4" ]'
    run -0 "$CRAWLER" watch "$DIR"
    [[ $output =~ ([0-9.]+)/s" now" ]]
    [ "${BASH_REMATCH[1]}" != 0.0 ] || fail "$output"
    end_crawl
}

@test "watch on a terminal leaves its error message there" {
    timeout "$LIMIT" script -qec "'$CRAWLER' watch '$TMP/none'" "$TMP/typescript" >/dev/null 3>&- || :
    grep -q "crawler: pageDirectory '$TMP/none': No such file" "$TMP/typescript"
    ! grep -q $'\e' "$TMP/typescript" || fail "an escape is there"
}

@test "watch and ctl do not wait for ever for a crawl that is suspended" {
    start_playground --letters
    begin_crawl --scope host --delay 1h "$LETTERS/index.html" "$DIR" 9
    wait_for '"$CRAWLER" watch "$DIR" | grep -q "1 saved"'
    crawl=$(pgrep -P "$CRAWL")
    kill -STOP "$crawl"
    "${LIMITED[@]}" "$CRAWLER" ctl "$DIR" pause >"$TMP/ctl" 2>&1 3>&- &
    ctl=$!
    run -1 "${LIMITED[@]}" "$CRAWLER" watch "$DIR"
    same "crawler: the crawl in '$DIR' did not answer for 15 seconds: it may be \
suspended (SIGSTOP), or wait for a disk" "$output"
    status=0
    wait "$ctl" || status=$?
    kill -CONT "$crawl"
    same 1 "$status"
    same "$output" "$(cat "$TMP/ctl")"
    end_crawl
}

# Both commands ask in the same way.
@test "watch and ctl tell in one line where no crawl can be asked" {
    refused() {
        for words in "watch $1" "ctl $1 pause"; do
            # shellcheck disable=SC2086 # a command with arguments
            run -2 "$CRAWLER" $words
            same "crawler: $2" "$output" "$words"
        done
    }
    refused "$DIR" "no crawl that can be asked is at work in '$DIR'"
    refused "$TMP/none" "pageDirectory '$TMP/none': No such file or directory"
    touch "$TMP/file"
    refused "$TMP/file" "pageDirectory '$TMP/file': Not a directory"
    refused postgres://user:secret@db/crawl "this takes the pageDirectory of one \
machine; for the whole fleet there are crawler status, pause, continue and stop"
    start_playground --letters
    letters_crawl 1 --scope host -q
    refused "$DIR" "no crawl that can be asked is at work in '$DIR'; crawler \
status tells how far the last one came"
}

@test "watch and ctl tell of a crawl at work that cannot be asked" {
    start_playground --letters
    # The course's form: a record, but no control socket.
    begin_crawl --delay 1h "$LETTERS/index.html" "$DIR" 9
    wait_for '[ -e "$DIR/1" ]'
    for words in "watch $DIR" "ctl $DIR pause"; do
        # shellcheck disable=SC2086 # a command with arguments
        run -2 "$CRAWLER" $words
        same "crawler: the crawl in '$DIR' cannot be asked: it is of the CS50 \
playground, has --state none, or is about to begin or to end" "$output" "$words"
    done
    end_crawl
}

@test "watch and ctl do not reach another user's crawl, and say so" {
    [ "$(id -u)" -eq 0 ] || skip "only root can be another user"
    place=$(mktemp -d)
    chmod 755 "$place"
    cp "$CRAWLER" "$place/program"
    DIR=$place/pages
    mkdir "$DIR"
    start_playground --letters
    begin_crawl --scope host --delay 1h "$LETTERS/index.html" "$DIR" 9
    wait_for '"$CRAWLER" watch "$DIR" | grep -q "1 saved"'
    for words in "watch $DIR" "ctl $DIR stop-now"; do
        # shellcheck disable=SC2086 # a command with arguments
        run -2 setpriv --reuid=65534 --regid=65534 --clear-groups \
            "$place/program" $words
        same "crawler: the crawl in '$DIR' is another user's, who alone may ask it" \
            "$output"
    done
    same running "$(ask_socket /status.json | jq -r .state)"
    end_crawl
    rm -rf "$place"
}

@test "watch and ctl take no word too many and none too few" {
    run -2 "$CRAWLER" watch
    same "crawler: watch takes one argument, pageDirectory, not 0" "$output"
    run -2 "$CRAWLER" watch "$DIR" now
    same "crawler: watch takes one argument, pageDirectory, not 2" "$output"
    run -2 "$CRAWLER" ctl "$DIR"
    same "crawler: ctl takes pageDirectory and an order" "$output"
    run -2 "$CRAWLER" ctl "$DIR" pause for ever
    same "crawler: pause takes nothing after it" "$output"
    run -2 "$CRAWLER" ctl "$DIR" drop
    same "crawler: drop takes one HOST" "$output"
    run -2 "$CRAWLER" ctl "$DIR" delay a.test
    same "crawler: delay takes a HOST and SECONDS" "$output"
    run -2 "$CRAWLER" ctl "$DIR" seed http://a.test/ http://b.test/
    same "crawler: seed takes one URL" "$output"
}
