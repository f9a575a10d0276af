#!/usr/bin/env bats
# How long connections stay open, by the server's own record.

load helper
load nginx

# serve_hosts PAGES: a site of so many pages, at PORTS[1] and at PORTS[2].
serve_hosts() {
    local i

    mkdir -p "$TMP/www"
    for ((i = 1; i <= $1; i++)); do
        echo "<a href=/$i.html>$i</a>"
        echo "page $i" >"$TMP/www/$i.html"
    done >"$TMP/www/index.html"
    start_nginx <<'END'
root @TMP@/www;
server { listen 127.0.0.1:@PORT1@; }
server { listen 127.0.0.1:@PORT2@; }
END
}

# seeds COUNT: a file of so many hosts.
seeds() {
    local i

    for ((i = 1; i <= $1; i++)); do
        echo "http://host$i.example/"
    done >"$TMP/seeds"
}

# connections: how many connections each host has had, one line for each.
connections() {
    nginx_log | awk '{ seen[$5 " " $6] }
        END { for (i in seen) { split(i, part); count[part[1]]++ }
              for (host in count) print host, count[host] }' | sort
}

@test "a host keeps its connection through its pauses, whatever --workers is" {
    serve_hosts 4
    seeds 12
    crawl --scope host --delay 300ms --ip-delay 0 --workers 2 --threads 2 \
        --seeds "$TMP/seeds" "$DIR" 1 >"$TMP/log"
    same 60 "$(page_count "$DIR")"
    same "$(for i in {1..12}; do echo "host$i.example 1"; done | sort)" \
        "$(connections)"
}

@test "--keep-connections 0 keeps no idle connection" {
    local count

    serve_hosts 4
    seeds 3
    crawl --scope host --delay 0 --ip-delay 0 --threads 1 --keep-connections 0 \
        --seeds "$TMP/seeds" "$DIR" 1 >"$TMP/log"
    same 15 "$(page_count "$DIR")"
    count=$(nginx_log | cut -d' ' -f6 | sort -u | wc -l)
    # One that libcurl has not closed yet may be used again.
    [ "$count" -gt 3 ] || fail "only $count connections"
}

# open_to PORT: how many connections to this port the kernel has.
open_to() {
    awk -v port="$(printf ':%04X' "$1")" \
        '$4 == "01" && substr($3, 9) == port' /proc/net/tcp | wc -l
}

# start_stray: a server that sends a byte a second after its answer. Sets PORT.
start_stray() {
    local name=$TMP/stray

    mkfifo "$name"
    setpriv --pdeathsig TERM python3 - >"$name" 3>&- <<'END' &
import os, signal, socket, threading, time

def serve(client):
    try:
        while client.recv(65536):
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                           b"Content-Length: 5\r\n\r\nalone")
            while True:
                time.sleep(1)
                client.sendall(b"!")
    except OSError:
        client.close()

signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
    SERVERS+=($!)
    read -r -t "$LIMIT" PORT <"$name"
}

@test "a server that sends bytes after its answer does not keep its connection longer" {
    local pid

    serve_hosts 30
    start_stray
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope prefix \
        --delay 2s --ip-delay 0 --connect-to "a.example:80:127.0.0.1:$PORT" \
        --connect-to "b.example:80:127.0.0.1:${PORTS[2]}" \
        --seeds <(echo http://a.example/alone.html; echo http://b.example/) \
        "$DIR" 1 >"$TMP/log" 2>&1 3>&- &
    pid=$!
    until grep -q alone "$TMP/log"; do sleep 0.1; done
    while [ "$(open_to "$PORT")" != 0 ]; do
        kill -0 "$pid" || fail "still open at the end"
        sleep 0.2
    done
    kill -0 "$pid" || fail "the crawl ended first"
    [ "$(page_count "$DIR")" -lt 25 ] || fail "it took too long"
    kill "$pid"
    wait "$pid" || true
}

@test "a host with nothing left to fetch gives its connection up within seconds" {
    local pid

    serve_hosts 30
    echo '<p>alone' >"$TMP/www/alone.html"
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope prefix \
        --delay 2s --ip-delay 0 --connect-to "a.example:80:127.0.0.1:${PORTS[1]}" \
        --connect-to "b.example:80:127.0.0.1:${PORTS[2]}" \
        --seeds <(echo http://a.example/alone.html; echo http://b.example/) \
        "$DIR" 1 >"$TMP/log" 2>&1 3>&- &
    pid=$!
    until grep -q alone "$NGINX_LOG"; do sleep 0.1; done
    # The crawl of the other host takes a minute.
    while [ "$(open_to "${PORTS[1]}")" != 0 ]; do
        kill -0 "$pid" || fail "still open at the end"
        sleep 0.2
    done
    kill -0 "$pid" || fail "the crawl ended first"
    [ "$(page_count "$DIR")" -lt 25 ] || fail "it took too long"
    same 1 "$(open_to "${PORTS[2]}")"
    kill "$pid"
    wait "$pid" || true
}
