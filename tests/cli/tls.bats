#!/usr/bin/env bats
# https, against nginx with certificates of our own making.

load helper
load nginx
load certificates

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    new_authority ca
    sign good "DNS:example.org,DNS:*.example.org,IP:127.0.0.1"
    sign wrong "DNS:another.example"
    sign expired "DNS:example.org" 20200201000000Z
    sign future "DNS:example.org" 20990101000000Z 20980101000000Z
    sign many "DNS:a.example,DNS:b.example,DNS:c.example,DNS:d.example"
    new_key own
    openssl req -x509 -new -key own.key -subj "/CN=example.org" -days 3 \
        -addext "subjectAltName=DNS:example.org" -out own.pem
}

# serve_site [NAME]: a site of 60 pages; plain at PORTS[1], with TLS at PORTS[2],
# where HTTP/2 is offered too, with TLS and HTTP/1.1 alone at PORTS[3], and a
# connection for seven requests only at PORTS[4]. NAME is the certificate's.
serve_site() {
    local i certificate=$BATS_FILE_TMPDIR/${1:-good}

    mkdir -p "$TMP/www"
    for i in {1..60}; do
        echo "<a href=/$i.html>$i</a>"
        echo "<a href=/>home</a> page $i" >"$TMP/www/$i.html"
    done >"$TMP/www/index.html"
    start_nginx <<END
root @TMP@/www;
ssl_certificate $certificate.pem;
ssl_certificate_key $certificate.key;
server {
    listen 127.0.0.1:@PORT1@;
    location = /old { return 301 https://example.org/1.html; }
    location = /mixed.html {
        default_type text/html;
        return 200 '<a href=https://example.org/2.html>.</a>
                    <a href=//example.org/3.html>.</a>
                    <a href=https://example.org:8443/4.html>.</a>';
    }
}
server {
    listen 127.0.0.1:@PORT2@ ssl http2;
    listen 127.0.0.2:@PORT2@ ssl http2;
    gzip on;
    gzip_min_length 1;
    absolute_redirect off;
    location = /moved { return 302 /1.html; }
    location = /none { default_type text/html; return 200; }
    location = /links.html {
        default_type text/html;
        return 200 '<a href=moved>.</a><a href=404>.</a><a href=none>.</a>';
    }
}
server { listen 127.0.0.1:@PORT3@ ssl; }
server { listen 127.0.0.1:@PORT4@ ssl; keepalive_requests 7; }
END
}

# fetch DEPTH PORT [OPTION...] [URL]: crawl https://example.org/ (or URL),
# whose server is at PORT; the log in JSON is $TMP/log.
fetch() {
    local depth=$1 port=$2 url=https://example.org/

    shift 2
    if [ $# -gt 0 ] && [[ ${*: -1} == http*:* ]]; then
        url=${*: -1}
        set -- "${@:1:$#-1}"
    fi
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log json --scope host --delay 0 \
        --connect-to "::127.0.0.1:$port" "$@" "$url" "$DIR" "$depth" \
        >"$TMP/log" 2>"$TMP/err"
}

CA() { echo "$BATS_FILE_TMPDIR/ca.pem"; }

@test "a server that offers HTTP/2 is asked with HTTP/1.1" {
    serve_site
    fetch 1 "${PORTS[2]}" --cacert "$(CA)"
    same 61 "$(page_count)"
    same https://example.org/ "$(page_urls | head -n 1)"
    same "61 HTTP/1.1" "$(nginx_log | cut -d ' ' -f 4 | sort | uniq -c | xargs)"
    # The answers were compressed.
    tail -n +3 "$DIR/1" | cmp - "$TMP/www/index.html"
}

@test "redirects, errors and empty pages over https are as over http" {
    serve_site
    fetch 1 "${PORTS[2]}" --cacert "$(CA)" https://example.org/links.html
    same "https://example.org/1.html
https://example.org/links.html" "$(page_urls)"
    same "client-error empty fetched fetched redirected" \
        "$(grep -o '"outcome":"[a-z-]*' "$TMP/log" | cut -d '"' -f 4 | sort | xargs)"
}

@test "a server that offers HTTP/1.1 alone is asked with it" {
    serve_site
    fetch 1 "${PORTS[3]}" --cacert "$(CA)"
    same 61 "$(page_count)"
    same "61 HTTP/1.1" "$(nginx_log | cut -d ' ' -f 4 | sort | uniq -c | xargs)"
}

@test "all pages of a host are fetched over one connection" {
    serve_site
    fetch 1 "${PORTS[2]}" --cacert "$(CA)" --threads 1
    same 61 "$(page_count)"
    same 1 "$(nginx_log | cut -d ' ' -f 6 | sort -u | wc -l)" "connections"
}

@test "a connection that the server ends loses no page" {
    serve_site
    fetch 1 "${PORTS[4]}" --cacert "$(CA)" --per-host 8
    same 61 "$(page_count)"
    same "" "$(nginx_log | cut -d ' ' -f 2 | sort | uniq -d)" "asked twice"
    [ "$(nginx_log | cut -d ' ' -f 6 | sort -u | wc -l)" -ge 9 ]
}

# refused NAME OUTCOME TEXT [OPTION...]: this certificate is refused, at once and
# with its own outcome, which the end and --verbose tell as TEXT, and the server
# is not asked for anything.
refused() {
    local name=$1 outcome=$2 text=$3

    shift 3
    serve_site "$name"
    run fetch 1 "${PORTS[2]}" -v "$@"
    same 4 "$status" "exit status"
    same 1 "$(wc -l <"$TMP/log")" "fetches"
    grep -q "\"outcome\":\"$outcome\",\"id\":null,\"status\":0" "$TMP/log" ||
        fail "$(cat "$TMP/log")"
    grep -qxF "crawler: https://example.org/: $text" "$TMP/err" ||
        fail "$(cat "$TMP/err")"
    grep -qxF "crawler: not a single page could be fetched: https://example.org/: $text" \
        "$TMP/err" || fail "$(cat "$TMP/err")"
    same "" "$(nginx_log)"
    same 0 "$(page_count)"
    same "https://example.org/ could not be fetched: ${text%%: *}" \
        "$("$CRAWLER" why "$DIR" https://example.org/ | head -n 1)"
}

@test "a certificate of an unknown authority is refused, and told as that" {
    refused good tls-issuer "the certificate's issuer is unknown (--cacert)"
}

@test "a certificate for another name is refused, and told whom it is for" {
    refused wrong tls-name "the certificate is for another host: another.example" \
        --cacert "$(CA)"
}

@test "of a certificate for many other names the first few are told" {
    refused many tls-name \
        "the certificate is for another host: a.example, b.example, c.example and 1 more" \
        --cacert "$(CA)"
}

@test "an expired certificate is refused, and told as that" {
    refused expired tls-expired "the certificate has expired" --cacert "$(CA)"
}

@test "a certificate of the future is refused, and told as that" {
    refused future tls-not-yet-valid "the certificate is not valid yet" --cacert "$(CA)"
}

@test "a self-signed certificate is refused, and told as that" {
    refused own tls-self-signed "the certificate is self-signed (--cacert)" \
        --cacert "$(CA)"
}

@test "a certificate that is refused for robots.txt is told as that of the site" {
    serve_site wrong
    for robots in obey ignore; do
        run fetch 0 "${PORTS[2]}" -q --cacert "$(CA)" --robots $robots
        same 4 "$status"
        same "crawler: not a single page could be fetched: https://example.org/: the certificate is for another host: another.example" \
            "$(cat "$TMP/err")"
    done
}

@test "--insecure takes any certificate" {
    for name in good wrong expired future own; do
        serve_site "$name"
        fetch 0 "${PORTS[2]}" --insecure
        same 1 "$(page_count)" "$name"
    done
}

@test "a certificate may be for an address" {
    serve_site
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --log none --cacert "$(CA)" \
        "https://127.0.0.1:${PORTS[2]}/" "$DIR" 0
    same "https://127.0.0.1:${PORTS[2]}/" "$(page_urls)"
    run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --log json --cacert "$(CA)" \
        "https://127.0.0.2:${PORTS[2]}/" "$DIR" 0
    same 4 "$status"
    [[ $output == *'"outcome":"tls-name"'* ]]
    [[ $output == *'the certificate is for another host: example.org, *.example.org, 127.0.0.1'* ]]
}

# both ARGS...: the crawler, with http and https of every host at their ports.
both() {
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log json --scope host --delay 0 \
        --connect-to ":80:127.0.0.1:${PORTS[1]}" \
        --connect-to ":443:127.0.0.1:${PORTS[2]}" --cacert "$(CA)" "$@" \
        >"$TMP/log"
}

@test "http and https pages of a host are one site, other ports are not" {
    serve_site
    both http://example.org/mixed.html "$DIR" 1
    same "http://example.org/3.html
http://example.org/mixed.html
https://example.org/2.html" "$(page_urls)"
    grep -q '"links":{.*"external":1' "$TMP/log"
}

@test "a redirect from http to https is followed" {
    serve_site
    both http://example.org/old "$DIR" 0
    same https://example.org/1.html "$(page_urls)"
}

@test "TLS spoken to a plain server is a failure with a name, and the other way round" {
    serve_site
    run fetch 0 "${PORTS[1]}" --cacert "$(CA)"
    same 4 "$status"
    grep -q '"outcome":"tls-protocol"' "$TMP/log"
    grep -q ': no secure connection: the TLS handshake failed$' "$TMP/err"
    run fetch 0 "${PORTS[2]}" http://example.org/
    same 4 "$status"
    grep -q '"outcome":"client-error","id":null,"status":400' "$TMP/log"
}

@test "a file for --cacert that has no certificate is a wrong argument" {
    echo nonsense >"$TMP/empty.pem"
    for file in /nonexistent "$TMP" "$TMP/empty.pem"; do
        run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --cacert "$file" \
            https://127.0.0.1:1/ "$DIR" 0
        same 2 "$status" "$file"
        same 1 "${#lines[@]}" "lines"
        same "" "$(ls -A "$DIR")" "nothing was written"
    done
}

# serve_secrets: example.org with http at PORTS[1], with https at PORTS[2], and
# https of another port at PORTS[3]; every page links to the pages of all.
serve_secrets() {
    local certificate=$BATS_FILE_TMPDIR/good

    start_nginx <<SERVERS
log_format secrets '\$scheme \$server_port \$uri'
                   ' \$http_authorization \$http_cookie \$http_proxy_authorization';
access_log @TMP@/secrets secrets;
ssl_certificate $certificate.pem;
ssl_certificate_key $certificate.key;
server {
    default_type text/html;
    listen 127.0.0.1:@PORT1@;
    listen 127.0.0.1:@PORT2@ ssl;
    listen 127.0.0.1:@PORT3@ ssl;
    location = /robots.txt { return 404; }
    location / {
        return 200 '<a href=http://example.org/plain>.</a>
                    <a href=https://example.org/safe>.</a>
                    <a href=https://example.org:8443/other>.</a>';
    }
}
SERVERS
}

# told_secrets SEED: who got all secrets in a crawl from there, "PORT PATH", as
# the number of its server; nobody may have got a part of them.
told_secrets() {
    : >"$TMP/secrets"
    "${LIMITED[@]}" "$CRAWLER" --restart --robots obey --log none \
        --scope any --delay 0 --cacert "$(CA)" -q \
        --connect-to "example.org:80:127.0.0.1:${PORTS[1]}" \
        --connect-to "example.org:443:127.0.0.1:${PORTS[2]}" \
        --connect-to "example.org:8443:127.0.0.1:${PORTS[3]}" \
        -H 'Authorization: S1' -H 'Cookie: S2' -H 'Proxy-Authorization: S3' \
        "$1" "$DIR" 1
    # The seed, three links and three robots.txt.
    same 7 "$(wc -l <"$TMP/secrets")" "requests" || return
    awk -v p1="${PORTS[1]}" -v p2="${PORTS[2]}" '
        /S[123]/ { print ($2 == p1 ? 1 : $2 == p2 ? 2 : 3), $3, $4, $5, $6 }' \
        "$TMP/secrets" | sort
}

@test "secrets in headers do not go from https to http, nor to another port" {
    serve_secrets
    same "2 / S1 S2 S3
2 /robots.txt S1 S2 S3
2 /safe S1 S2 S3" "$(told_secrets https://example.org/)"
    same "3 / S1 S2 S3
3 /other S1 S2 S3
3 /robots.txt S1 S2 S3" "$(told_secrets https://example.org:8443/)"
}

@test "secrets in headers go from http to https of the same host" {
    serve_secrets
    same "1 / S1 S2 S3
1 /plain S1 S2 S3
1 /robots.txt S1 S2 S3
2 /robots.txt S1 S2 S3
2 /safe S1 S2 S3" "$(told_secrets http://example.org/)"
}
