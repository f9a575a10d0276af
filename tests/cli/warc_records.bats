#!/usr/bin/env bats
# What an archive keeps of every odd answer, judged by a reader of its own
# (read_warc.py).

load helper
load site
load nginx
load certificates

SITE=$BATS_TEST_DIRNAME/archive.site

# keep [OPTION...]: crawl the site of odd answers into an archive, and read it.
keep() {
    start_playground --site "$SITE" --record-headers
    crawl --warc --robots obey --scope host --delay 0 --retries 1 "$@" \
        http://archive.test/ "$DIR" 3 >"$TMP/out" 2>"$TMP/err"
    stop_playground
    read_archive
}

read_archive() {
    rm -rf "$TMP/kept" && mkdir "$TMP/kept"
    python3 "$BATS_TEST_DIRNAME/read_warc.py" "$TMP/kept" \
        "$DIR"/archive/*.warc.gz
    LIST=$TMP/kept/list
}

# kept WHAT URL|PATH: the head, body or fields of its last response.
kept() {
    local url=$2 line

    [[ $url == http* ]] || url=http://archive.test$url
    line=$(awk -v url="$url" '$1 != "request" && $3 == url { n = NR }
        END { print n }' "$LIST")
    [ -n "$line" ] || fail "not kept: $url" || return
    cat "$TMP/kept/$line.$1"
}

# head_of PATH: lines of the head, without their CR.
head_of() {
    kept head "$1" | tr -d '\r'
}

@test "one response or revisit for each answer, but for what asks not to be kept" {
    keep --sitemaps
    # The server's own record: path and status of every answer.
    awk -F '\t' 'NR > 1 && $7 !~ /^\/(noindex|noarchive\/(meta|header|old))$/ {
        print $8, "http://archive.test" $7 }' "$RECORD" | sort >"$TMP/answers"
    awk '$1 != "request" { print $2, $3 }' "$LIST" | sort |
        sed -E 's, (.{300}).*, \1,' >"$TMP/was-kept"
    sed -E -i 's, (.{300}).*, \1,' "$TMP/answers"
    # The status of a raw reply is not known to the playground.
    sed -E -i 's/^(-|0) /200 /' "$TMP/answers"
    diff <(sort "$TMP/answers") <(sort "$TMP/was-kept")
    same "$(grep -c '^re[sv]' "$LIST")" "$(grep -c '^request' "$LIST")"
    # Nothing of the pages that were left out, nor of what robots.txt forbids.
    same "" "$(grep -E '/(noindex|noarchive/(meta|header|old)|private/page) ' "$LIST")"
    same 1 "$(grep -c '^response .*/robots.txt ' "$LIST")"
    same 1 "$(grep -c '^response .*/sitemap.xml ' "$LIST")"
    same 2 "$(grep -c '^response 50. .*/broken ' "$LIST")"
    same "response 503
response 200" "$(grep '/busy ' "$LIST" | awk '/^res/ { print $1, $2 }')"
    same "revisit
revisit" "$(grep -v ^request "$LIST" | grep '/same/[123] ' | cut -d ' ' -f 1 | grep revisit)"
}

@test "payloads are what the page files have, as sent or without their coding" {
    local file url

    keep
    for file in "$DIR"/[1-9]*; do
        url=$(sed -n '1s,^http://archive.test,,p' "$file")
        case $url in
        /same/[23] | /noarchive/meta | /noarchive/header) continue ;;
        /gzip* | /x-gzip | /dense) kept body "$url" | gzip -dc >"$TMP/body" ;;
        *) kept body "$url" >"$TMP/body" ;;
        esac
        tail -n +3 "$file" | cmp - "$TMP/body" || fail "$url" || return
    done
}

@test "heads are kept with lines that fit what is kept of the body" {
    keep
    same "HTTP/1.1 200 OK
Content-Type: text/html
X-Crawler-Transfer-Encoding: chunked
Content-Length: 91" "$(head_of /chunked)"
    same "HTTP/1.1 200 OK
Content-Type: text/html
X-Crawler-Transfer-Encoding: chunked
Trailer: X-T
Content-Length: 38" "$(head_of /trailer)"
    same "HTTP/1.1 200 OK
Content-Type: text/html
X-Crawler-Content-Length: 99
X-Crawler-Transfer-Encoding: chunked
Content-Length: 49" "$(head_of /two-lengths)"
    same "HTTP/1.1 200 OK
Content-Type: text/html
X-A: one
Content-Length: 28" "$(head_of /lf)"
    same "HTTP/1.1 200 OK
Content-Type: text/html; charset=utf-8
X-A: one two three
Content-Length: 36" "$(head_of /folded)"
    same $'HTTP/1.1 200 caf\xe9
Content-Type: text/html
X-Raw: caf\xe9 \xff
X-Sp :  v  
Content-Length: 42' "$(head_of /eight-bit)"
    same "HTTP/1.1 200 OK
Content-Type: text/html
Content-Length: 34" "$(head_of /early)"
    same "HTTP/1.1 200 " "$(head_of /no-reason | head -n 1)"
    same "HTTP/1.1 204 No Content" "$(head_of /none | head -n 1)"
    same "" "$(kept body /none)$(kept body /empty)"
    # Codings that readers undo stay, under one name; others are undone.
    same "Content-Encoding: gzip" "$(head_of /x-gzip | grep -i coding)"
    same "X-Crawler-Content-Encoding: br" "$(head_of /br | grep -i coding)"
    same "X-Crawler-Content-Encoding: zstd" "$(head_of /zstd | grep -i coding)"
    same "X-Crawler-Content-Encoding: deflate" \
        "$(head_of /deflate | grep -i coding)"
    same "X-Crawler-Content-Encoding: gzip
X-Crawler-Content-Encoding: gzip" "$(head_of /two-codings | grep -i coding)"
    same "X-Crawler-Content-Encoding: zstd" \
        "$(head_of /missing-zstd | grep -i coding)"
    kept body /missing-zstd | grep -q "An error page in zstd"
    # A revisit has its own head.
    same "X-Head: another" "$(head_of /same/2 | grep X-Head)"
    kept fields /same/2 | grep -qx "WARC-Refers-To-Target-URI: http://archive.test/same/1"
    kept fields /http-1.0 | grep -qx "WARC-Protocol: http/1.0"
}

@test "answers that were cut are marked, with what came of them" {
    keep --max-size 100K
    same "response 200 http://archive.test/large length 102400" \
        "$(grep 'response.*/large' "$LIST")"
    head_of /large | grep -qxE "X-Crawler-Content-Length: [0-9]{6}"
}

@test "only gzip is asked for while an archive is written" {
    keep
    same 1 "$(awk -F '\t' 'NR > 1 { print $11 }' "$RECORD" |
        grep -o 'Accept-Encoding: [a-z, ]*' | sort -u | wc -l)"
    grep -qF 'Accept-Encoding: gzip\r\n' "$RECORD"
}

@test "secrets are in no record" {
    keep -H 'Cookie: s=topsecret' -H 'Authorization: topsecret' \
        -H 'X-Api-Key: topsecret'
    grep -q 'Cookie: s=topsecret' "$RECORD"
    same 0 "$(zcat "$DIR"/archive/*.warc.gz | grep -ac topsecret)"
}

@test "noarchive counts only where robots are obeyed" {
    keep --robots ignore
    same 5 "$(grep -cE '^response .*/(noindex|noarchive/(meta|header|old)|private/page) ' "$LIST")"
}

@test "the TLS version and the cipher suite are kept" {
    cd "$BATS_TEST_TMPDIR"
    new_authority ca
    sign good "DNS:archive.test"
    mkdir www && echo '<title>secure</title>' >www/index.html
    start_nginx <<END
root @TMP@/www;
ssl_certificate $TMP/good.pem;
ssl_certificate_key $TMP/good.key;
server { listen 127.0.0.1:@PORT1@ ssl; ssl_protocols TLSv1.2;
    ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256; }
server { listen 127.0.0.1:@PORT2@ ssl; ssl_protocols TLSv1.3; }
END
    for i in 1 2; do
        rm -rf "$DIR" && mkdir "$DIR"
        "$CRAWLER" --warc --scope host --delay 0 --allow-private --cacert "$TMP/ca.pem" \
            --connect-to "::127.0.0.1:${PORTS[i]}" https://archive.test/ "$DIR" \
            0 >/dev/null
        read_archive
        kept fields https://archive.test/ >"$TMP/fields.$i"
    done
    same "WARC-IP-Address: 127.0.0.1
WARC-Protocol: http/1.1
WARC-Protocol: tls/1.2
WARC-Cipher-Suite: TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" \
        "$(grep -E 'IP-|Protocol|Cipher' "$TMP/fields.1")"
    grep -qx "WARC-Protocol: tls/1.3" "$TMP/fields.2"
    grep -q "^WARC-Cipher-Suite: TLS_" "$TMP/fields.2"
}
