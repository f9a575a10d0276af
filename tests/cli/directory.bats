#!/usr/bin/env bats
# Two crawls and one directory.

load helper

@test "a second crawl into the same directory is refused, and hurts nothing" {
    start_playground --letters
    letters_crawl 10 --delay 300ms >"$TMP/first" 2>&1 3>&- &
    local pid=$!
    for _ in $(seq 1000); do
        [ -e "$DIR/1" ] && break
        sleep 0.05
    done
    [ -e "$DIR/1" ]
    capture letters_crawl 10
    same 1 "$STATUS"
    same "crawler: another crawl is at work in '$DIR'" "$(cat "$ERR")"
    silent "$OUT"
    wait "$pid"
    whole_pages 9
}

@test "a crawl that was killed locks nothing" {
    start_playground --letters
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" "$LETTERS/index.html" "$DIR" 10 \
        >"$TMP/first" 2>&1 3>&- &
    local pid=$!
    for _ in $(seq 1000); do
        [ -e "$DIR/1" ] && break
        sleep 0.05
    done
    kill -9 "$pid"
    wait "$pid" || true
    capture letters_crawl 10
    same 0 "$STATUS"
    whole_pages 9
}
