# Relays between machines of a fleet and their engine (relay.py).
#
#     load helper
#     load relay
#
#     start_relay "$POSTGRES_PORT" --lose 0.1 --only COMMIT
#     "$CRAWLER" --fleet "$(postgres_url "$RELAY_PORT")" ...
#     kill -STOP "$RELAY_PID"          # no network

# start_relay PORT [OPTION...]: sets RELAY_PORT, RELAY_PID and RELAY_OUT, what
# it printed. It is stopped with the other servers of the test.
start_relay() {
    local port=$1

    shift
    RELAY_OUT=$TMP/relay.$((${#SERVERS[@]} + 1))
    : >"$RELAY_OUT" # an earlier one may have had that name
    python3 "$BATS_TEST_DIRNAME/relay.py" "$@" "$port" >"$RELAY_OUT" 2>&1 3>&- &
    RELAY_PID=$!
    SERVERS+=("$RELAY_PID")
    # shellcheck disable=SC2016 # the other shell reads them
    timeout "$LIMIT" bash -c 'until grep -q "^relay on" "$1"; do
        kill -0 "$2" && sleep 0.02 || exit 1; done' - "$RELAY_OUT" "$RELAY_PID" ||
        fail "the relay did not start: $(cat "$RELAY_OUT")" || return
    # shellcheck disable=SC2034 # the test's
    RELAY_PORT=$(sed -n 's/^relay on .*://p' "$RELAY_OUT")
}

# relay_says TEXT: wait until it prints this line.
relay_says() {
    # shellcheck disable=SC2016 # the other shell reads them
    timeout "$LIMIT" bash -c 'until grep -qx "$1" "$2"; do sleep 0.02; done' - \
        "$1" "$RELAY_OUT" || fail "the relay does not say '$1': $(cat "$RELAY_OUT")"
}

# stop_relay: end the one that was started last; then RELAY_OUT has its figures.
stop_relay() {
    local pid rest=()

    kill -CONT "$RELAY_PID"
    end_server "$RELAY_PID"
    for pid in "${SERVERS[@]}"; do
        [ "$pid" = "$RELAY_PID" ] || rest+=("$pid")
    done
    SERVERS=("${rest[@]}")
}
