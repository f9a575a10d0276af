#!/usr/bin/env bats
# What goes wrong with TLS, and sessions that are resumed.

load helper
load nginx
load certificates

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    new_authority other
    new_authority ca
    sign good "DNS:example.org"
    sign next "DNS:example.org"
    sign wrong "DNS:another.example"
    sign expired "DNS:example.org" 20200201000000Z
}

# start_tls_server MODE CERTIFICATE...: see tls_server.py. Sets PORT.
start_tls_server() {
    local mode=$1

    shift
    : >"$TMP/served"
    setpriv --pdeathsig TERM python3 "$BATS_TEST_DIRNAME/tls_server.py" "$mode" \
        "${@/#/$BATS_FILE_TMPDIR/}" >"$TMP/served" 2>&1 3>&- &
    SERVERS+=("$!")
    until [ -s "$TMP/served" ]; do sleep 0.05; done
    PORT=$(head -n 1 "$TMP/served")
}

# fetch DEPTH [OPTION...]: crawl https://example.org/ at PORT.
fetch() {
    local depth=$1

    shift
    rm -rf "$DIR" && mkdir "$DIR"
    "${LIMITED[@]}" "$CRAWLER" --robots ignore --log json \
        --scope host --delay 0 --threads 1 --retries 0 \
        --connect-to "::127.0.0.1:$PORT" --cacert "$BATS_FILE_TMPDIR/ca.pem" \
        "$@" https://example.org/ "$DIR" "$depth" >"$TMP/log" 2>"$TMP/err"
}

outcomes() {
    grep -o '"outcome":"[a-z-]*' "$TMP/log" | cut -d '"' -f 4 | sort | xargs
}

# handshakes: "resumed" or "full", of every connection.
handshakes() {
    tail -n +2 "$TMP/served" | xargs
}

@test "a server that stops in the handshake costs no more than --timeout" {
    local mode

    for mode in stall middle; do
        start_tls_server "$mode" good
        run fetch 0 --timeout 1s
        same 4 "$status" "$mode"
        same connect-timed-out "$(outcomes)"
        grep -q ': no connection within --timeout$' "$TMP/err" || fail "$(cat "$TMP/err")"
    done
}

@test "a server that sends too many certificates is not connected to" {
    local i

    cp "$BATS_FILE_TMPDIR/good.key" "$BATS_FILE_TMPDIR/many.key"
    for i in $(seq 100); do
        cat "$BATS_FILE_TMPDIR/good.pem"
    done >"$BATS_FILE_TMPDIR/many.pem"
    start_tls_server whole many
    run fetch 0
    same 4 "$status"
    same tls-protocol "$(outcomes)"
}

@test "an end without close_notify: a length or chunks decide whether the page is whole" {
    local mode

    for mode in whole length chunked endless-closed; do
        start_tls_server "$mode" good
        fetch 0 || fail "$mode: $(cat "$TMP/err" "$TMP/log")"
        same fetched "$(outcomes)" "$mode"
        same 1 "$(page_count)" "$mode"
    done
    for mode in short short-chunk endless; do
        start_tls_server "$mode" good
        run fetch 0
        same 4 "$status" "$mode"
        same connection-lost "$(outcomes)" "$mode"
        grep -q ': the connection broke before the end$' "$TMP/err" ||
            fail "$mode: $(cat "$TMP/err")"
        same 0 "$(page_count)" "$mode"
    done
}

@test "an end that one connection announced does not make the page of the next one whole" {
    start_tls_server once good
    fetch 1 || fail "$(cat "$TMP/err")"
    same "connection-lost connection-lost fetched" "$(outcomes)"
    same 1 "$(page_count)"
}

@test "the announced end of a page without a length is seen on a connection that is used again" {
    start_tls_server twice good
    fetch 1 || fail "$(cat "$TMP/err")"
    same "" "$(outcomes | tr ' ' '\n' | grep -vx fetched || true)"
    same 201 "$(page_count)"
}

@test "a ticket that the server does not accept any more costs a full handshake, no page" {
    start_tls_server whole good
    fetch 1
    same "fetched fetched fetched" "$(outcomes)"
    same "full full full" "$(handshakes)"
}

@test "a server may change its certificate between two connections" {
    start_tls_server whole good next
    fetch 1
    same "fetched fetched fetched" "$(outcomes)"
}

@test "a certificate that is changed for a wrong one is refused, and told as that" {
    start_tls_server whole good wrong good
    fetch 1
    same "fetched fetched tls-name" "$(outcomes)"
    start_tls_server whole good expired good
    fetch 1
    same "fetched fetched tls-expired" "$(outcomes)"
}

@test "a server that renegotiates gets the page through" {
    local pid server

    mkfifo "$TMP/typed"
    nginx_ports
    setpriv --pdeathsig TERM openssl s_server -accept "127.0.0.1:$PORT" -tls1_2 -msg \
        -cert "$BATS_FILE_TMPDIR/good.pem" -key "$BATS_FILE_TMPDIR/good.key" \
        <"$TMP/typed" >"$TMP/server" 2>&1 3>&- &
    server=$!
    exec 7>"$TMP/typed"
    until grep -q ACCEPT "$TMP/server"; do sleep 0.05; done
    fetch 0 3>&- 7>&- &
    pid=$!
    until grep -q '^GET ' "$TMP/server"; do sleep 0.05; done
    echo R >&7
    # One of either side in each handshake.
    until [ "$(grep -c Finished "$TMP/server")" -ge 4 ]; do
        kill -0 "$pid" || fail "no second handshake: $(cat "$TMP/server" "$TMP/log")"
        sleep 0.05
    done
    printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\npage' >&7
    wait "$pid"
    kill "$server"
    exec 7>&-
    same fetched "$(outcomes)"
}

# serve_closing: a site of eleven pages that closes every connection, with TLS
# 1.2 at PORTS[1] and 1.3 at PORTS[2]; the log tells which were resumed.
serve_closing() {
    local i certificate=$BATS_FILE_TMPDIR/good

    mkdir -p "$TMP/www"
    for i in {1..10}; do
        echo "<a href=/$i.html>$i</a>"
        echo "page $i" >"$TMP/www/$i.html"
    done >"$TMP/www/index.html"
    start_nginx <<END
root @TMP@/www;
log_format sessions '\$server_port \$ssl_protocol \$ssl_session_reused';
access_log @TMP@/sessions sessions;
ssl_certificate $certificate.pem;
ssl_certificate_key $certificate.key;
keepalive_timeout 0;
server { listen 127.0.0.1:@PORT1@ ssl; ssl_protocols TLSv1.2; }
server { listen 127.0.0.1:@PORT2@ ssl; ssl_protocols TLSv1.3; }
END
}

@test "sessions are resumed where a server closes every connection" {
    local i version=(0 TLSv1.2 TLSv1.3)

    serve_closing
    for i in 1 2; do
        PORT=${PORTS[i]}
        : >"$TMP/sessions"
        fetch 1
        same 11 "$(page_count)"
        same "1 ${version[i]} .
10 ${version[i]} r" "$(cut -d ' ' -f 2,3 "$TMP/sessions" | sort | uniq -c | sed 's/^ *//')"
    done
}

@test "no session is resumed at another origin" {
    serve_closing
    printf 'https://example.org:%d/1.html\nhttps://example.org:%d/1.html\n' 8001 8002 >"$TMP/seeds"
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host \
        --delay 0 --threads 1 --connect-to "::127.0.0.1:${PORTS[2]}" -q \
        --cacert "$BATS_FILE_TMPDIR/ca.pem" --seeds "$TMP/seeds" "$DIR" 0
    same "2 ." "$(cut -d ' ' -f 3 "$TMP/sessions" | sort | uniq -c | xargs)"
}

@test "when the trusted certificates change, what was verified before does not count" {
    local pid

    serve_closing
    PORT=${PORTS[2]}
    cp "$BATS_FILE_TMPDIR/ca.pem" "$TMP/trusted.pem"
    fetch 1 --delay 1s --cacert "$TMP/trusted.pem" 3>&- &
    pid=$!
    until [ -s "$TMP/sessions" ]; do sleep 0.05; done
    cp "$BATS_FILE_TMPDIR/other.pem" "$TMP/new.pem"
    mv "$TMP/new.pem" "$TMP/trusted.pem"
    wait "$pid" || true
    [[ $(outcomes) == *tls-issuer* ]] || fail "$(cat "$TMP/log")"
    [ "$(page_count)" -lt 11 ] || fail "all pages were fetched"
}
