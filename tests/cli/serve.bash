# Recorded pages behind `crawler serve`.
#
#     load helper
#     load serve
#
#     make_warc "$TMP/a.warc.gz" '{"url": "http://a.test/", "body": "A"}'
#     start_serve "$TMP/a.warc.gz"
#     same A "$(ask http://a.test/)"

# make_warc FILE JSON...: see make_warc.py.
make_warc() {
    printf '%s\n' "${@:2}" | python3 "$BATS_TEST_DIRNAME/make_warc.py" "$1"
}

# start_serve ARGS...: start the server on a free port and wait until it
# listens. Sets PROXY (its address) and SERVE_PID. It must end with status 0.
start_serve() {
    local name=$TMP/serve.$((${#SERVERS[@]} + 1)) line=

    SERVE_ERR=$name.err
    rm -f "$name.out"
    mkfifo "$name.out"
    timeout --foreground -k 60 $((LIMIT * 2)) "$CRAWLER" serve --port 0 "$@" \
        >"$name.out" 2>"$SERVE_ERR" 3>&- &
    SERVE_PID=$!
    SERVERS+=("$SERVE_PID")
    read -r -t "$LIMIT" line <"$name.out" || {
        fail "the server did not start: $(cat "$SERVE_ERR")"
        return 1
    }
    # shellcheck disable=SC2034 # for the tests
    LISTENING=$line
    PROXY=${line#listening on http://}
    PROXY=${PROXY%%/*}
}

# stop_serve: end the server with SIGTERM; its status must be 0.
stop_serve() {
    local pid rest=()

    end_server "$SERVE_PID" || fail "the server ended with status $?" || return
    for pid in "${SERVERS[@]}"; do
        [ "$pid" = "$SERVE_PID" ] || rest+=("$pid")
    done
    SERVERS=("${rest[@]}")
}

# ask ARGS...: curl through the proxy.
ask() {
    curl -sS --max-time "$LIMIT" --noproxy '' -x "http://$PROXY" "$@"
}

# own ARGS... PATH: curl to the server itself.
own() {
    curl -sS --max-time "$LIMIT" --noproxy '*' "${@:1:$#-1}" \
        "http://$PROXY${*: -1}"
}

# status_line BYTES: the first line of the answer to these bytes, which are as
# printf writes them.
status_line() {
    local fd

    exec {fd}<>"/dev/tcp/${PROXY%:*}/${PROXY#*:}"
    # shellcheck disable=SC2059
    printf "$1" >&"$fd"
    timeout "$LIMIT" head -n 1 <&"$fd" | tr -d '\r\0'
    exec {fd}>&-
}
