#!/usr/bin/env bats
# Which certificates of authorities are trusted, and what that costs.

load helper
load nginx
load certificates

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    new_authority ca
    new_authority other
    sign good "DNS:example.org,IP:127.0.0.1"
    { many_authorities 140 && cat ca.pem; } >many.pem
}

# file NAME: one of the files that setup_file made.
file() { echo "$BATS_FILE_TMPDIR/$1.pem"; }

# serve: 41 pages over TLS at PORT, each on a connection of its own.
serve() {
    local i

    mkdir -p "$TMP/www"
    for i in {1..40}; do
        echo "<a href=/$i.html>$i</a>"
        echo "page $i" >"$TMP/www/$i.html"
    done >"$TMP/www/index.html"
    start_nginx <<SERVERS
server {
    listen 127.0.0.1:@PORT1@ ssl;
    root @TMP@/www;
    keepalive_timeout 0;
    ssl_certificate $BATS_FILE_TMPDIR/good.pem;
    ssl_certificate_key $BATS_FILE_TMPDIR/good.key;
}
SERVERS
}

# fetch DEPTH [OPTION...]: crawl that site; the log in JSON is $TMP/log.
fetch() {
    local depth=$1

    shift
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log json --scope host \
        --delay 0 --threads 1 --connect-to "::127.0.0.1:$PORT" "$@" \
        https://example.org/ "$DIR" "$depth" >"$TMP/log" 2>"$TMP/err"
}

# cpu_ms COMMAND...: the CPU time that it takes, in milliseconds; in CPU_MS.
cpu_ms() {
    local TIMEFORMAT='%3U %3S' used

    { time "$@" 2>"$TMP/timed.err"; } 2>"$TMP/used" || return
    read -r -a used <"$TMP/used"
    CPU_MS=$((10#${used[0]/./} + 10#${used[1]/./}))
}

# system_store FILE: let libcurl say that this is the system's file of
# certificates, to commands with LD_PRELOAD=$STORE. A file that is not there
# makes a machine without the package ca-certificates.
system_store() {
    cat >"$TMP/store.c" <<SOURCE
#include <curl/curl.h>
#include <dlfcn.h>

curl_version_info_data *curl_version_info(CURLversion age)
{
    static curl_version_info_data info;
    curl_version_info_data *(*next)(CURLversion);

    *(void **)&next = dlsym(RTLD_NEXT, "curl_version_info");
    info = *next(age);
    info.cainfo = "$1";
    return &info;
}
SOURCE
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o "$TMP/store.so" "$TMP/store.c" -ldl
    preload "$TMP/store.so"
    STORE=$PRELOAD
    unset SSL_CERT_FILE
}

@test "a connection costs the same with 141 trusted certificates as with one" {
    serve
    cpu_ms fetch 1 --cacert "$(file ca)"
    same 41 "$(page_count)"
    few=$CPU_MS
    cpu_ms fetch 1 --cacert "$(file many)"
    same 41 "$(page_count)"
    same 82 "$(nginx_log | cut -d ' ' -f 6 | sort -u | wc -l)" "connections"
    # Where every connection parses the file it is ten times as much.
    [ "$CPU_MS" -le $((4 * few)) ] ||
        fail "141 certificates: $CPU_MS ms, one: $few ms"
}

@test "the system's certificates are trusted by default, and parsed once" {
    serve
    system_store "$(file ca)"
    LD_PRELOAD=$STORE cpu_ms fetch 1
    same 41 "$(page_count)"
    few=$CPU_MS
    system_store "$(file many)"
    LD_PRELOAD=$STORE cpu_ms fetch 1
    same 41 "$(page_count)"
    [ "$CPU_MS" -le $((4 * few)) ] ||
        fail "141 certificates: $CPU_MS ms, one: $few ms"
}

@test "SSL_CERT_FILE names the trusted certificates" {
    serve
    SSL_CERT_FILE=$(file ca) fetch 0
    same 1 "$(page_count)"
    SSL_CERT_FILE=$(file other) run -4 fetch 0
    grep -q '"outcome":"tls-issuer"' "$TMP/log"
}

@test "--cacert goes before SSL_CERT_FILE, and an empty SSL_CERT_FILE is none" {
    serve
    SSL_CERT_FILE=$(file other) fetch 0 --cacert "$(file ca)"
    same 1 "$(page_count)"
    SSL_CERT_FILE=$(file ca) run -4 fetch 0 --cacert "$(file other)"
    grep -q '"outcome":"tls-issuer"' "$TMP/log"
    SSL_CERT_FILE='' run -4 fetch 0
    grep -q '"outcome":"tls-issuer"' "$TMP/log"
}

@test "an SSL_CERT_FILE without certificates is an error for an https seed" {
    serve
    echo nonsense >"$TMP/empty.pem"
    for file in /nonexistent "$TMP" "$TMP/empty.pem"; do
        SSL_CERT_FILE=$file run -2 fetch 0
        same 1 "$(wc -l <"$TMP/err")" "lines"
        grep -q "SSL_CERT_FILE '$file': .*; set it to .* or unset it" "$TMP/err"
        same "" "$(ls -A "$DIR")" "nothing was written"
        SSL_CERT_FILE=$file fetch 0 --insecure
        same 1 "$(page_count)"
        rm -r "$DIR" && mkdir "$DIR"
    done
}

# lost ARGUMENT...: the crawler on a machine without ca-certificates.
lost() {
    system_store /nonexistent/ca-certificates.crt
    LD_PRELOAD=$STORE "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log none \
        --connect-to "::127.0.0.1:$PORT" "$@" 2>"$TMP/err"
}

@test "without ca-certificates an https seed is refused, with what to install" {
    serve
    run -2 lost --scope host https://example.org/ "$DIR" 0
    same 1 "$(wc -l <"$TMP/err")" "lines"
    grep -q '/nonexistent/ca-certificates.crt.*install.*ca-certificates.*--cacert' "$TMP/err"
    same "" "$(ls -A "$DIR")" "nothing was written"
    lost --scope host --cacert "$(file ca)" https://example.org/ "$DIR" 0
    no_complaint "$TMP/err"
    lost --scope host --insecure https://example.org/ "$DIR" 0
    no_complaint "$TMP/err"
}

@test "without ca-certificates an http seed is crawled, with one warning" {
    start_playground --letters
    lost --scope host http://example.org/tse/letters/index.html "$DIR" 0
    same 1 "$(page_count)"
    same 1 "$(grep -c 'https pages cannot be fetched.*install.*ca-certificates' "$TMP/err")"
    lost "$LETTERS/index.html" "$DIR" 0
    no_complaint "$TMP/err"
}
