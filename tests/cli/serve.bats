#!/usr/bin/env bats
# crawler serve: what was recorded, byte for byte, and nothing else.

load helper
load serve
load archive

SITE=(
    '{"url": "http://a.test/", "body": "<a href=b.html>b</a> <a href=https://s.test/>s</a>"}'
    '{"url": "http://a.test/b.html", "body": "<p>b</p>", "chunked": true}'
    '{"url": "http://a.test/c", "body": "<p>c</p>", "gzip": true}'
    '{"url": "http://a.test/gone", "head": ["HTTP/1.1 410 All gone", "X-Odd:  two  "], "body": "no"}'
    '{"url": "http://a.test/to", "head": ["HTTP/1.1 301 Moved", "Location: /b.html"]}'
    '{"url": "http://a.test/time", "date": "2001-01-01T00:00:00Z", "body": "old"}'
    '{"url": "http://a.test/time", "date": "2020-01-01T00:00:00Z", "body": "new"}'
    '{"url": "https://s.test/", "body": "<a href=/t>t</a>"}'
    '{"url": "https://s.test/t", "body": "secure"}'
    '{"url": "https://s.test:8443/", "body": "other port"}'
)

@test "the bytes of the record, by http" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    same "listening on http://$PROXY/ with 10 captures" "$LISTENING"
    silent "$SERVE_ERR"

    same "<p>b</p>" "$(ask http://a.test/b.html)" "chunks are undone"
    same "<p>c</p>" "$(ask --compressed http://a.test/c)" "gzip"
    ask http://a.test/c | gzip -t
    same no "$(ask -D "$TMP/head" http://a.test/gone)"
    same "HTTP/1.1 410 All gone
X-Odd: two
Content-Length: 2
Memento-Datetime: Tue, 02 Jan 2024 03:04:05 GMT
Link: <http://a.test/gone>; rel=\"original\"" "$(tr -d '\r' <"$TMP/head" | sed '/^$/d')"
    same "/b.html" "$(ask -o /dev/null -w '%header{location}' http://a.test/to)" ||
        skip "curl is older than 7.84"
    stop_serve
}

@test "a large body, by http and https, also to a slow client" {
    local version

    make_warc "$TMP/a.warc" \
        '{"url": "http://a.test/", "body": "0123456789abcde\n", "times": 1000000}' \
        '{"url": "https://a.test/", "body": "edcba9876543210\n", "times": 1000000}' \
        '{"url": "http://a.test/chunks", "body": "0123456789abcde\n", "times": 100000, "chunked": true}'
    yes 0123456789abcde | head -n 1000000 >"$TMP/http"
    yes edcba9876543210 | head -n 1000000 >"$TMP/https"
    start_serve "$TMP/a.warc"
    ask http://a.test/ | cmp - "$TMP/http"
    ask -k https://a.test/ | cmp - "$TMP/https"
    # How long it is nobody knows before it was read.
    for version in 1.0 1.1; do
        ask "--http$version" http://a.test/chunks http://a.test/chunks |
            cmp - <(head -n 100000 "$TMP/http" | cat - <(head -n 100000 "$TMP/http"))
    done
    ask -k --limit-rate 20M https://a.test/ https://a.test/ |
        cmp - <(cat "$TMP/https" "$TMP/https")
}

@test "HEAD, 404, 405, a fetch is never made" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    start_playground --letters
    ask -I http://a.test/gone >"$TMP/head"
    grep -q '^Content-Length: 2' "$TMP/head"
    same "404: this URL was not recorded
http://127.0.0.1:$PORT/" "$(ask "http://127.0.0.1:$PORT/")"
    same 404 "$(ask -o /dev/null -w '%{http_code}' http://a.test/none)"
    same 405 "$(ask -o /dev/null -w '%{http_code}' -d x=1 http://a.test/)"
    same 404 "$(ask -ko /dev/null -w '%{http_code}' https://a.test/)"
    stop_playground
    same 0 "$(record_total)" "requests that reached the origin"
}

@test "Accept-Datetime chooses the capture" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    same new "$(ask http://a.test/time)"
    same old "$(ask -H 'Accept-Datetime: Mon, 01 Jan 2001 00:00:00 GMT' http://a.test/time)"
    same old "$(ask -H 'Accept-Datetime: Thu, 31 Dec 2009 00:00:00 GMT' http://a.test/time)"
    same new "$(ask -H 'Accept-Datetime: Sat, 01 Jan 2022 00:00:00 GMT' http://a.test/time)"
    same 400 "$(ask -o /dev/null -w '%{http_code}' -H 'Accept-Datetime: now' http://a.test/time)"
}

@test "https through CONNECT, with certificates that --write-ca makes trusted" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve --write-ca "$TMP/ca.pem" "$TMP/a.warc.gz"
    same secure "$(ask --cacert "$TMP/ca.pem" https://s.test/t)"
    same "other port" "$(ask --cacert "$TMP/ca.pem" https://s.test:8443/)"
    same secure "$(ask -k https://s.test/t)"
    run -60 ask https://s.test/t
    own /ca.pem | cmp - "$TMP/ca.pem"
    # Plain requests can be tunnelled too.
    same "<p>b</p>" "$(ask -p http://a.test/b.html)"
    # The key is not written anywhere.
    run ! grep -q KEY "$TMP/ca.pem"
}

# refuses_ca FILE TEXT: --write-ca leaves it as it is.
refuses_ca() {
    capture "${LIMITED[@]}" "$CRAWLER" serve --port 0 --write-ca "$1" "$TMP/a.warc.gz"
    same 2 "$STATUS" "--write-ca $1"
    same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")"
    grep -qF -- "$2" "$ERR" || fail "$1: $(cat "$ERR")"
}

@test "--write-ca replaces its own certificate, alone in a file, and nothing else" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    openssl req -x509 -newkey rsa:2048 -nodes -subj "/CN=somebody" \
        -keyout "$TMP/key" -out "$TMP/other.pem" 2>/dev/null
    start_serve --write-ca "$TMP/own.pem" "$TMP/a.warc.gz"
    stop_serve
    cat "$TMP/own.pem" "$TMP/own.pem" >"$TMP/twice.pem"
    cat "$TMP/own.pem" "$TMP/key" >"$TMP/keyed.pem"
    { cat "$TMP/own.pem" && yes | head -n 100000; } >"$TMP/long.pem"
    cp "$TMP/own.pem" "$TMP/target"
    ln -s target "$TMP/link.pem"
    mkdir "$TMP/kept"
    cp "$TMP"/{other,twice,keyed,long}.pem "$TMP/target" "$TMP/kept"
    for name in other twice keyed long; do
        refuses_ca "$TMP/$name.pem" "is not a certificate that 'crawler serve' wrote, alone"
    done
    refuses_ca "$TMP/link.pem" "it is not a regular file"
    refuses_ca - "a file is needed here"
    for file in "$TMP"/kept/*; do
        cmp "$file" "$TMP/${file##*/}"
    done
    cp "$TMP/own.pem" "$TMP/before"
    : >"$TMP/empty.pem"
    for name in own empty; do
        start_serve --write-ca "$TMP/$name.pem" "$TMP/a.warc.gz"
        own /ca.pem | cmp - "$TMP/$name.pem"
        stop_serve
    done
    run ! cmp -s "$TMP/before" "$TMP/own.pem"
}

@test "--write-ca on a full disk leaves the file as it was" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve --write-ca "$TMP/own.pem" "$TMP/a.warc.gz"
    stop_serve
    cp "$TMP/own.pem" "$TMP/before"
    capture bash -c "(ulimit -f 0 && trap '' XFSZ &&
        exec ${LIMITED[*]} '$CRAWLER' serve --port 0 --write-ca '$TMP/own.pem' '$TMP/a.warc.gz') 2>&1 | cat"
    grep -qF -- "--write-ca '$TMP/own.pem': File too large" "$OUT" || fail "$(cat "$OUT" "$ERR")"
    cmp "$TMP/before" "$TMP/own.pem"
}

@test "several files, of which one is cut off" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    make_warc "$TMP/b.warc.gz" '{"url": "http://b.test/", "body": "B"}' \
        '{"url": "http://b.test/2", "body": "B2"}'
    truncate -s -20 "$TMP/b.warc.gz"
    start_serve "$TMP/a.warc.gz" "$TMP/b.warc.gz"
    same B "$(ask http://b.test/)"
    same "<p>b</p>" "$(ask http://a.test/b.html)"
    same 404 "$(ask -o /dev/null -w '%{http_code}' http://b.test/2)"
    same 1 "$(wc -l <"$SERVE_ERR")" "lines about the cut file"
    grep -q 'b\.warc\.gz' "$SERVE_ERR"
}

@test "our own pages: what there is, and how to look at it" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    own -D "$TMP/head" / >"$TMP/page"
    grep -qF "<li><a href=\"http://a.test/\">http://a.test/</a></li>" "$TMP/page"
    grep -qF -- "--proxy-server=http://$PROXY" "$TMP/page"
    grep -qi "^content-security-policy: default-src 'none'" "$TMP/head"
    grep -qi '^x-content-type-options: nosniff' "$TMP/head"
    grep -qi '^referrer-policy: no-referrer' "$TMP/head"
    same 404 "$(own -o /dev/null -w '%{http_code}' /b.html)"
    same 404 "$(own -o /dev/null -w '%{http_code}' /archive.wacz)"
    same 421 "$(own -o /dev/null -w '%{http_code}' -H 'Host: a.test' /)"
    same 421 "$(own -o /dev/null -w '%{http_code}' -H 'Host: rebound.test:80' /archive.wacz)"
    same 200 "$(own -o /dev/null -w '%{http_code}' -H "Host: localhost:${PROXY#*:}" /)"
    # A browser asks the proxy for our own page too.
    same 200 "$(ask -o /dev/null -w '%{http_code}' "http://$PROXY/")"
}

# header NAME FILE: its value in a head that curl wrote.
header() {
    tr -d '\r' <"$2" | sed -n "s/^$1: //Ip"
}

@test "a WACZ: its pages by the proxy, and the package itself in parts" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    "$CRAWLER" export --format wacz --output "$TMP/a.wacz" "$TMP/a.warc.gz"
    start_serve "$TMP/a.wacz"
    silent "$SERVE_ERR"
    same "<p>b</p>" "$(ask http://a.test/b.html)"
    same secure "$(ask -k https://s.test/t)"

    size=$(stat -c %s "$TMP/a.wacz")
    own -D "$TMP/head" /archive.wacz | cmp - "$TMP/a.wacz"
    same application/wacz "$(header Content-Type "$TMP/head")"
    same "*" "$(header Access-Control-Allow-Origin "$TMP/head")"
    same bytes "$(header Accept-Ranges "$TMP/head")"
    while read -r range from len status; do
        same "$status" "$(own -D "$TMP/head" -r "$range" -o "$TMP/part" -w '%{http_code}' /archive.wacz)"
        [ "$status" = 416 ] || tail -c "+$((from + 1))" "$TMP/a.wacz" | head -c "$len" | cmp - "$TMP/part"
        same "bytes $([ "$status" = 416 ] && echo "*" || echo "$from-$((from + len - 1))")/$size" \
            "$(header Content-Range "$TMP/head")"
    done <<ROWS
0-0 0 1 206
10-29 10 20 206
-22 $((size - 22)) 22 206
100- 100 $((size - 100)) 206
0-$((size + 10)) 0 $size 206
-$((size + 10)) 0 $size 206
$size- 0 0 416
ROWS
    same 206 "$(own -I -r 0- -o "$TMP/head" -w '%{http_code}' /archive.wacz)"
    same "$size" "$(header Content-Length "$TMP/head")"
    same 204 "$(own -X OPTIONS -D "$TMP/head" -w '%{http_code}' -H 'Origin: https://replayweb.page' \
        -H 'Access-Control-Request-Headers: range' /archive.wacz)"
    same Range "$(header Access-Control-Allow-Headers "$TMP/head")"
    own / | grep -qF "<a href=\"https://replayweb.page/?source=http://$PROXY/archive.wacz\">"
}

@test "the page directory of a crawl: every page again, and its package" {
    start_playground --letters
    letters_crawl 10 --warc >/dev/null
    stop_playground
    mkdir "$TMP/again" "$TMP/temp"
    TMPDIR=$TMP/temp start_serve "$DIR"
    silent "$SERVE_ERR"
    "${LIMITED[@]}" "$CRAWLER" --proxy "http://$PROXY" --delay 0 -q \
        "$LETTERS/index.html" "$TMP/again" 10
    same 9 "$(page_count "$TMP/again")"
    for page in "$DIR"/[1-9]*; do
        cmp "$page" "$TMP/again/${page##*/}"
    done
    own /archive.wacz >"$TMP/a.wacz"
    python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as package:
    sys.exit(package.testzip() or "datapackage.json" not in package.namelist())
' "$TMP/a.wacz"
    # It is made once, and its file has no name.
    own /archive.wacz | cmp - "$TMP/a.wacz"
    same "" "$(ls -A "$TMP/temp")"
    silent "$SERVE_ERR"
    stop_serve

    # It needs room only when one asks for it.
    TMPDIR=$TMP/none start_serve "$DIR"
    silent "$SERVE_ERR"
    own / | grep -qF '<a href="/archive.wacz">'
    for _ in 1 2; do
        same 503 "$(own -o "$TMP/why" -w '%{http_code}' /archive.wacz)"
    done
    grep -q "the package could not be made" "$TMP/why"
    same "crawler: cannot write /archive.wacz in '$TMP/none': No such file or directory" \
        "$(cat "$SERVE_ERR")"
    same 0 "$(own / | grep -cF '<a href="/archive.wacz">')"
}

@test "a page directory without an archive: one line, exit status 2" {
    start_playground --letters
    letters_crawl 0 >/dev/null
    capture "$CRAWLER" serve --port 0 "$DIR"
    same 2 "$STATUS"
    same 1 "$(wc -l <"$ERR")" "lines"
    grep -qF "$DIR" "$ERR"
}

@test "hostile requests are refused and the server goes on" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    while IFS='|' read -r status bytes; do
        got=$(status_line "$bytes")
        [[ $got == "HTTP/1.1 $status "* ]] || fail "$bytes: $got, not $status"
    done <<'ROWS'
400|nonsense\r\n\r\n
400|\x16\x03\x01\x02\x00\x01\r\n\r\n
400|CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n
400|CONNECT a.test HTTP/1.1\r\nHost: a\r\n\r\n
400|CONNECT a,DNS.b:443 HTTP/1.1\r\nHost: a\r\n\r\n
400|GET http://u@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n
400|GET / HTTP/1.1\r\n\r\n
400|GET http://a.test/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n
501|GET http://a.test/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n
501|TRACE / HTTP/1.1\r\nHost: a\r\n\r\n
404|GET http://../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n
404|GET http://a.test/%%00%%0d%%0aX: HTTP/1.1\r\nHost: a\r\n\r\n
421|GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n
ROWS
    head -c 100000 /dev/zero | tr '\0' a >"$TMP/long"
    same 431 "$(ask -o /dev/null -w '%{http_code}' -H "X: $(cat "$TMP/long")" http://a.test/)"
    # A tunnel with something else in it than TLS or HTTP.
    same "HTTP/1.1 200 Connection established" "$(status_line \
        'CONNECT s.test:443 HTTP/1.1\r\nHost: s.test:443\r\n\r\n\x16\x03nonsense')"
    same "<p>b</p>" "$(ask http://a.test/b.html)"
    stop_serve
}

@test "stalled clients keep nobody waiting" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    # Nothing sent, half a request, a tunnel without a handshake, half of one, a
    # reply that is not read.
    timeout "$LIMIT" python3 -c '
import socket, subprocess, sys
host, port = sys.argv[1].rsplit(":", 1)
kinds = [b"", b"GET http://a.test/ HT", b"CONNECT s.test:443 HTTP/1.1\r\nHost: s\r\n\r\n",
         b"GET http://a.test/ HTTP/1.1\r\nHost: a\r\n\r\n" * 200]
clients = []
for i in range(100):
    s = socket.create_connection((host, int(port)))
    s.sendall(kinds[i % 4])
    if i % 8 == 2:
        s.recv(1000)
        s.sendall(b"\x16\x03\x01")
    clients.append(s)
sys.exit(subprocess.run(sys.argv[2:]).returncode)
' "$PROXY" curl -sS --noproxy '' --max-time "$LIMIT" -x "http://$PROXY" \
        -k http://a.test/b.html https://s.test/t >"$TMP/got"
    same "<p>b</p>secure" "$(cat "$TMP/got")"
    stop_serve
}

@test "clients that stop in their handshake do not keep all places" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    timeout "$LIMIT" python3 -c '
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
host, port = sys.argv[1].rsplit(":", 1)
clients = []
for i in range(1000): # as many as it takes
    s = socket.create_connection((host, int(port)))
    s.sendall(b"CONNECT s.test:443 HTTP/1.1\r\nHost: s\r\n\r\n")
    clients.append(s)
for s in clients:
    s.recv(1000)
    s.sendall(b"\x16\x03\x01")
begun, got = time.monotonic(), b""
while not got:
    try:
        with socket.create_connection((host, int(port))) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: " + sys.argv[1].encode() + b"\r\n\r\n")
            got = s.recv(1000)
    except ConnectionError:
        pass
    time.sleep(0.1)
print(got.split(b"\r\n")[0].decode(), "late" if time.monotonic() - begun > 9 else "soon")
' "$PROXY" >"$TMP/got"
    same "HTTP/1.1 200 OK soon" "$(cat "$TMP/got")"
    stop_serve
}

@test "wrong arguments: one line, exit status 2" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    : >"$TMP/empty"
    echo no >"$TMP/text"
    mkdir "$TMP/dir"
    while IFS='|' read -r args text; do
        # shellcheck disable=SC2086
        capture "${LIMITED[@]}" "$CRAWLER" serve $args
        same 2 "$STATUS" "serve $args"
        silent "$OUT"
        same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")"
        grep -qF -- "$text" "$ERR" || fail "serve $args: $(cat "$ERR")"
    done <<ROWS
|serve takes
$TMP/none|No such file
$TMP/empty|$TMP/empty
$TMP/dir|$TMP/dir
$TMP/text|$TMP/text: it is no WARC file
--port 65536 $TMP/a.warc.gz|--port must be at most 65535
--port x $TMP/a.warc.gz|--port must be a whole number
--port 0 --write-ca $TMP/none/ca.pem $TMP/a.warc.gz|cannot write '$TMP/none/ca.pem'
--depth 1 $TMP/a.warc.gz|there is no option --depth
ROWS
}

@test "a port that is taken: one line, exit status 2" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    capture "$CRAWLER" serve --port "${PROXY#*:}" "$TMP/a.warc.gz"
    same 2 "$STATUS"
    same "crawler: cannot listen on $PROXY: Address already in use; --port 0 takes any free port" "$(cat "$ERR")"
}

@test "SIGINT ends it with status 0" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve "$TMP/a.warc.gz"
    # The server is the child of timeout, which passes the signal on.
    kill -INT "$SERVE_PID"
    wait "$SERVE_PID"
    SERVERS=()
}

@test "the crawler crawls it again through the proxy" {
    make_warc "$TMP/a.warc.gz" "${SITE[@]}"
    start_serve --write-ca "$TMP/ca.pem" "$TMP/a.warc.gz"
    "${LIMITED[@]}" "$CRAWLER" --proxy "http://$PROXY" --cacert "$TMP/ca.pem" \
        --scope any --delay 0 -q http://a.test/ "$DIR" 3
    same "http://a.test/
http://a.test/b.html
https://s.test/
https://s.test/t" "$(page_urls)"
    same secure "$(tail -n +3 "$(grep -lx https://s.test/t "$DIR"/[1-9]*)")"
}

@test "wget's archive of a site: every page again, with the origin down" {
    command -v wget >/dev/null || skip "no wget"
    start_playground --letters
    (cd "$TMP" && wget -q -r -l 9 -p --warc-file=site -P mirror \
        "http://$ADDRESS/tse/letters/index.html") || :
    [ -s "$TMP/site.warc.gz" ]
    "${LIMITED[@]}" "$CRAWLER" --scope host --delay 0 -q --robots ignore \
        "http://$ADDRESS/tse/letters/index.html" "$DIR" 9
    stop_playground
    start_serve "$TMP/site.warc.gz"
    mkdir "$TMP/again"
    "${LIMITED[@]}" "$CRAWLER" --proxy "http://$PROXY" --scope host --delay 0 -q \
        --robots ignore "http://$ADDRESS/tse/letters/index.html" "$TMP/again" 9
    [ "$(page_count)" -gt 5 ]
    for page in "$DIR"/[1-9]*; do
        cmp "$page" "$TMP/again/${page##*/}"
    done
    same "$(page_count)" "$(page_count "$TMP/again")"
}

@test "what was recorded and cannot be read is told apart from what was not recorded" {
    make_warc "$TMP/a.warc.gz" '{"url": "http://a.test/", "body": "A", "date": "some day"}' \
        '{"url": "http://a.test/orphan", "type": "revisit", "fields": ["WARC-Payload-Digest: sha1:AA"]}'
    start_serve "$TMP/a.warc.gz"
    same "502" "$(ask -o "$TMP/body" -w '%{http_code}' http://a.test/orphan)"
    same "502: this URL was recorded, but cannot be read: it refers to a record that is not there
http://a.test/orphan" "$(cat "$TMP/body")"
    same "404" "$(ask -o /dev/null -w '%{http_code}' http://a.test/none)"
    # A date that cannot be read is none.
    ask -D "$TMP/head" -o "$TMP/body" http://a.test/
    same A "$(cat "$TMP/body")"
    ! grep -qi '^Memento-Datetime' "$TMP/head" || fail "$(cat "$TMP/head")"
    stop_serve
}

@test "serve finds what a crawl refers to in another archive" {
    start_archive_site
    run -0 keep --warc
    cp -r "$DIR" "$TMP/first"
    rm -r "$DIR" && mkdir "$DIR"
    run -0 keep --warc --warc-dedup "$TMP/first"
    url=$(sqlite3 "$DIR/.crawler" "SELECT url FROM capture WHERE kind <> 0 AND refers = 0
        AND status = 200 AND mime = 'text/html' LIMIT 1")
    start_serve "$TMP/first"
    ask -o "$TMP/wanted" "$url"
    stop_serve
    start_serve "$DIR"
    same "200" "$(ask -o "$TMP/got" -w '%{http_code}' "$url")"
    cmp "$TMP/wanted" "$TMP/got"
    stop_serve
}
