#!/usr/bin/env bats
# The relay that loses answers and cuts connections (relay.py).

load helper
load relay

setup() {
    helper_setup
    start_playground --letters
    start_relay "$PORT"
}

# get [OPTION...]: a page through the relay; what curl says is in STATUS.
get() {
    capture curl -s -o "$TMP/body" --max-time "$LIMIT" "$@" \
        "http://127.0.0.1:$RELAY_PORT/tse/letters/${LETTER:-A}.html"
}

figures() {
    stop_relay
    tail -n 1 "$RELAY_OUT"
}

@test "a relay hands requests and answers on" {
    get
    same 0 "$STATUS"
    grep -q '<html' "$TMP/body" || fail "$(cat "$TMP/body")"
    same "1 connections, 0 cut, 0 answers lost" "$(figures)"
}

@test "an answer that is lost went through: the server knows the request, the client no answer" {
    kill -USR2 "$RELAY_PID"
    get
    same 52 "$STATUS" "curl: empty reply"
    same 1 "$(record_count /tse/letters/A.html)" "requests that the server knows"
    get
    same 0 "$STATUS" "the next one"
    same "2 connections, 0 cut, 1 answers lost" "$(figures)"
}

@test "a share of the answers is lost, of those that hold a text" {
    stop_relay
    start_relay "$PORT" --lose 1 --only "no such text"
    get
    same 0 "$STATUS"
    stop_relay
    start_relay "$PORT" --lose 1 --only html
    get
    same 52 "$STATUS"
    same "1 connections, 0 cut, 1 answers lost" "$(figures)"
}

@test "the answer to a request that holds a text is lost, no other" {
    stop_relay
    start_relay "$PORT" --request B.html
    kill -USR2 "$RELAY_PID"
    get
    same 0 "$STATUS" "another request"
    LETTER=B get
    same 52 "$STATUS"
    LETTER=B get
    same 0 "$STATUS" "the next one"
}

@test "a request is held back until it may go on" {
    local client

    stop_relay
    start_relay "$PORT" --request B.html
    kill -HUP "$RELAY_PID"
    get
    same 0 "$STATUS" "another request"
    curl -s -o "$TMP/body" "http://127.0.0.1:$RELAY_PORT/tse/letters/B.html" 3>&- &
    client=$!
    relay_says held
    same 0 "$(record_count /tse/letters/B.html)" "requests that the server knows"
    kill -HUP "$RELAY_PID"
    wait "$client"
    relay_says answered
    grep -q '<html' "$TMP/body"
}

@test "a stopped relay is a network that answers nothing, and goes on later" {
    local client

    kill -STOP "$RELAY_PID"
    get --max-time 1
    same 28 "$STATUS" "curl: timed out"
    same 0 "$(record_count /tse/letters/A.html)" "requests that the server knows"
    curl -s -o "$TMP/body" "http://127.0.0.1:$RELAY_PORT/tse/letters/B.html" 3>&- &
    client=$!
    kill -CONT "$RELAY_PID"
    wait "$client"
    grep -q '<html' "$TMP/body"
}

@test "a cut closes the connections, and new ones are taken" {
    exec {connection}<>"/dev/tcp/127.0.0.1/$RELAY_PORT"
    # Answered, so it was handed on.
    printf 'GET /tse/letters/A.html HTTP/1.1\r\nHost: a\r\n\r\n' >&"$connection"
    read -r -t "$LIMIT" -u "$connection" _
    kill -USR1 "$RELAY_PID"
    timeout "$LIMIT" cat <&"$connection" >/dev/null 2>&1 || [ $? -ne 124 ]
    get
    same 0 "$STATUS"
    same "2 connections, 1 cut, 0 answers lost" "$(figures)"
}

@test "where the server is gone, a connection is closed at once" {
    stop_playground
    get
    [ "$STATUS" -ne 0 ] && [ "$STATUS" -ne 28 ]
}
