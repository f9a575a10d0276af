#!/usr/bin/env bats
# Readers that do not read, and those that never say what they want.

load helper
load view

teardown() { view_teardown; }

@test "a thousand stalled readers change nothing in the crawl" {
    start_playground --letters
    begin_crawl --scope host --delay 200ms --listen 127.0.0.1:0 \
        "$LETTERS/index.html" "$DIR" 9
    wait_for_file "$TMP/err" 'watch it at'
    AT=$(sed -n 's|.*watch it at http://\(.*\)/#token=.*|\1|p' "$TMP/err")
    TOKEN=$(sed -n 's|.*#token=||p' "$TMP/err")
    python3 - "$AT" "$TOKEN" "$CRAWL" 3>&- <<'END' &
import os, socket, sys
host, port = sys.argv[1].split(":")
asked = ("GET /events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n"
         % (sys.argv[1], sys.argv[2])).encode()
texts = [asked, asked[:20], b"", b"\0" * 100, asked * 50]
held = []
for i in range(1000):
    try:
        s = socket.create_connection((host, int(port)), 5)
        s.sendall(texts[i % len(texts)])
        held.append(s)
    except OSError:
        pass
try:
    while True:
        os.kill(int(sys.argv[3]), 0)
        __import__("time").sleep(0.1)
except OSError:
    pass
END
    readers=$!
    wait_crawl
    wait "$readers"
    same 0 "$STATUS"
    same 9 "$(page_count)"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "the control socket answers while all places of --listen are taken" {
    start_playground --letters
    begin
    for _ in $(seq 20); do
        exec {fd}<>"/dev/tcp/${AT%:*}/${AT##*:}"
    done
    same ok "$(ask_socket /healthz)"
    "$CRAWLER" ctl "$DIR" stop
    wait_crawl
    same 3 "$STATUS"
}
