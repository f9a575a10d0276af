# What the tests of --listen and of the control socket share.

# begin OPTION...: a crawl of the letters site in the background that stays at
# its first pages (an hour of pause), and listens. Sets CRAWL, AT and TOKEN.
begin() {
    begin_crawl --scope host --delay 1h --listen 127.0.0.1:0 "$@" \
        "$LETTERS/index.html" "$DIR" 9
    wait_for_file "$TMP/err" 'watch it at'
    AT=$(sed -n 's|.*watch it at http://\(.*\)/#token=.*|\1|p' "$TMP/err")
    TOKEN=$(sed -n 's|.*#token=||p' "$TMP/err")
    wait_for 'ask /status.json | grep -q "\"pages\":[1-9]"'
}

# begin_crawl ARGUMENT...: a crawl in the background; its number in CRAWL.
begin_crawl() {
    timeout --foreground -k 60 $((LIMIT * 2)) "$CRAWLER" -q --robots ignore \
        --connect-to "::127.0.0.1:$PORT" "$@" >"$TMP/out" 2>"$TMP/err" 3>&- &
    CRAWL=$!
    SERVERS+=("$CRAWL.crawl")
}

# end_crawl: end it; its status in STATUS.
end_crawl() {
    kill -TERM "$CRAWL" 2>/dev/null || :
    wait_crawl
}
wait_crawl() {
    STATUS=0
    wait "$CRAWL" || STATUS=$?
    local rest=() server
    for server in "${SERVERS[@]}"; do
        [ "$server" = "$CRAWL.crawl" ] || rest+=("$server")
    done
    SERVERS=("${rest[@]}")
}

# A crawl that a failed test left behind ends with it.
view_teardown() {
    local rest=() server
    for server in "${SERVERS[@]}"; do
        if [[ $server == *.crawl ]]; then
            # The crawl is the child of `timeout`.
            kill -KILL $(pgrep -P "${server%.crawl}") "${server%.crawl}" \
                2>/dev/null || :
        else
            rest+=("$server")
        fi
    done
    SERVERS=("${rest[@]}")
    helper_teardown
}

# wait_for CONDITION: try it until it holds.
wait_for() {
    for _ in $(seq $((LIMIT * 10))); do
        if eval "$1" 2>/dev/null; then
            return
        fi
        sleep 0.1
    done
    fail "it never came to hold: $1; $(tail -n 3 "$TMP/err")"
}
wait_for_file() { wait_for "grep -q '$2' '$1'"; }

# ask PATH [CURL-OPTION...]: with the token.
ask() {
    curl -s -m "$LIMIT" -H "Authorization: Bearer $TOKEN" "${@:2}" \
        "http://$AT$1"
}

# ask_socket PATH [CURL-OPTION...]: over the control socket.
ask_socket() {
    # The whole name may be too long for a socket.
    (cd "$DIR" && curl -s -m "$LIMIT" --unix-socket .crawler-socket "${@:2}" \
        "http://localhost$1")
}

# status_of CURL-ARGUMENT...: the status of the answer, without the token.
status_of() {
    curl -s -m "$LIMIT" -o "$TMP/body" -w '%{http_code}' "$@"
}

# holds [-s] FILTER: is this true of the JSON that is read? Nothing is not.
holds() {
    local input
    input=$(cat)
    [ -n "$input" ] && jq -e "$@" <<<"$input" >/dev/null ||
        fail "not true: $*; of: $input"
}
