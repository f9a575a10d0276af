#!/usr/bin/env bats
# What is sent and where to, judged by the server's record.

load helper
load resume
load saved

# --- what to send ------------------------------------------------------------

# headers [NAME]: the request headers of the first request, or the value of one.
headers() {
    local all

    all=$(record_column request | head -n 1 | sed 's/\\r\\n/\n/g')
    [ $# -eq 0 ] && printf '%s\n' "$all" && return
    sed -n "s/^$1: //Ip" <<<"$all"
}

@test "-U, --contact and EMAIL set the User-Agent that is sent" {
    version=$(cat "$PROJECT/VERSION")
    # expected:options
    while IFS=: read -r expected options; do
        start_playground --letters --record-headers
        # shellcheck disable=SC2086 # the words are the arguments
        EMAIL=me@mail.test letters_crawl 0 $options >/dev/null
        same "$expected" "$(headers User-Agent)" "User-Agent with: $options"
        same 1 "$(headers | grep -ci user-agent)"
        same "$expected" "$(record_column user_agent)"
    done <<END
crawler/$version (+me@mail.test):
crawler/$version (+you@mail.test):--contact you@mail.test
Other/1.0:-U Other/1.0
Other/1.0:--user-agent=Other/1.0 --contact you@mail.test
Glued/2:-UGlued/2
END
}

@test "without --contact and EMAIL nothing is sent that tells who asks" {
    for email in "" $'a\nb'; do
        start_playground --letters --record-headers
        EMAIL=$email LOGNAME=somebody USER=somebody letters_crawl 0 >/dev/null
        same "crawler/$(cat "$PROJECT/VERSION")" "$(headers User-Agent)"
        ! headers | grep -E "somebody|@" || fail "it is told"
    done
}

@test "-H adds headers, repeats them and replaces ours" {
    start_playground --letters --record-headers
    letters_crawl 0 -H 'X-One: first' --header 'X-Two: second: with colon' \
        -H 'X-One: again' -H 'Accept: text/x' --header='Cookie: a=b' >/dev/null
    same "first
again" "$(headers X-One)"
    same "second: with colon" "$(headers X-Two)"
    same "text/x" "$(headers Accept)"
    same "a=b" "$(headers Cookie)"
    same "cs50tse.cs.dartmouth.edu" "$(headers Host)"
}

@test "a request without options has no more headers than it needs" {
    start_playground --letters --record-headers
    letters_crawl 0 >/dev/null
    same "GET /tse/letters/index.html HTTP/1.1" "$(headers | head -n 1)"
    same "text/html,application/xhtml+xml,*/*;q=0.1" "$(headers Accept)"
    [[ "$(headers Accept-Encoding)" == *gzip* ]]
    same "" "$(headers Cookie)$(headers Referer)$(headers Authorization)"
}

# --- how to connect ----------------------------------------------------------

@test "--connect-to leads hosts elsewhere in all its forms" {
    start_playground --letters
    to=127.0.0.1:$PORT
    for rule in "::$to" "cs50tse.cs.dartmouth.edu:80:$to" \
        "cs50tse.cs.dartmouth.edu::$to" ":80:$to" "CS50TSE.CS.Dartmouth.edu:80:$to"; do
        capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --delay 0 --connect-to "$rule" \
            "$LETTERS/A.html" "$DIR" 1
        same 0 "$STATUS" "$rule"
        whole_pages 3
    done
    # Only the port: the host is still the URL's.
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --delay 0 --scope prefix \
        --connect-to ":80::$PORT" http://127.0.0.1/tse/letters/A.html "$DIR" 1
    same 0 "$STATUS"
    whole_pages 3
    # A rule for another host or port is none; the first that fits counts.
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --delay 0 \
        --connect-to "other.test::127.0.0.1:1" --connect-to ":81:127.0.0.1:1" --connect-to "::$to" \
        --connect-to ::127.0.0.1:1 "$LETTERS/A.html" "$DIR" 1
    same 0 "$STATUS"
    whole_pages 3
    # The name in the request and in the page file is the URL's.
    same cs50tse.cs.dartmouth.edu "$(record_column host | sort -u |
        grep -v 127.0.0.1)"
}

@test "--connect-to takes an IPv6 address, and so does the seed" {
    start_playground --letters --listen '[::1]:0' || skip "no IPv6 loopback"
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --delay 0 --connect-to "::[::1]:$PORT" \
        "$LETTERS/A.html" "$DIR" 1
    same 0 "$STATUS"
    whole_pages 3
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --delay 0 --scope prefix \
        "http://[0:0:0::1]:$PORT/tse/letters/A.html" "$DIR" 1
    same 0 "$STATUS"
    whole_pages 3
    same "http://[::1]:$PORT/tse/letters/A.html" "$(head -n 1 "$DIR/1")"
}

@test "a host name in another script is asked for in ASCII" {
    site idn <<'END'
//xn--bcher-kva.test/
    body books
END
    start_playground --site "$TMP/idn.site"
    for seed in http://bücher.test/ http://B%C3%BCCHER.test/ \
        http://xn--bcher-kva.test/; do
        same "http://xn--bcher-kva.test/" \
            "$(saved --scope host "$seed" "$DIR" 0)" "$seed"
    done
}

@test "--proxy gets the requests, but none for private addresses" {
    site proxied <<'END'
//nowhere.invalid/
    body <a href=/a>a</a> <a href=http://127.0.0.1/secret>s</a> <a href=http://10.0.0.1/>t</a>
/*
    body page
END
    start_playground --site "$TMP/proxied.site"
    for proxy in "http://127.0.0.1:$PORT" "127.0.0.1:$PORT"; do
        capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log tse --delay 0 --retries 0 --scope any \
            --proxy "$proxy" http://nowhere.invalid/ "$DIR" 1
        same 0 "$STATUS" "$proxy"
        whole_pages 2
        same "Added IgnPriv" "$(verdict http://127.0.0.1/secret)"
        same "Added IgnPriv" "$(verdict http://10.0.0.1/)"
    done
    same 0 "$(record_count /secret)" "asked of the proxy"
}

@test "a proxy that fails is named, without its password, and not the site" {
    through() {
        capture "$CRAWLER" --restart --robots ignore -v --log none --delay 0 --retries 0 --scope host \
            --proxy "$1" "$2" "$DIR" 0
        same 4 "$STATUS" "$(cat "$ERR")"
        ! grep -q t0pS3cret "$ERR" || fail "it is told: $(cat "$ERR")"
    }
    # Nobody listens on port 1.
    for proxy in http socks5h; do
        through "$proxy://me:t0pS3cret@127.0.0.1:1" http://example.org/
        same 2 "$(grep -cF "http://example.org/: the proxy $proxy://...@127.0.0.1:1: connection refused" "$ERR")" \
            "$proxy, in the log and at the end: $(cat "$ERR")"
    done
    through http://nowhere.invalid:1 http://example.org/
    grep -qF 'http://example.org/: the proxy http://nowhere.invalid:1: ' "$ERR"
    # One that lets nobody through: the playground knows no CONNECT.
    start_playground --letters
    through "http://127.0.0.1:$PORT" https://example.org/
    grep -qE "https://example.org/: the proxy http://127.0.0.1:$PORT \(status [45]..\): " "$ERR" ||
        fail "$(cat "$ERR")"
    # What is the site's fault stays that.
    through "http://127.0.0.1:$PORT" http://example.org/none
    grep -q 'http://example.org/none: 404 Not Found' "$ERR"
}

# asked_proxy PROXY OPTION...: what a proxy is asked when http://example.org/a?
# is fetched through it; PROXY is "http://" or the like.
asked_proxy() {
    local proxy=$1 port

    shift
    rm -f "$TMP/requests" "$TMP/proxy.port"
    mkfifo "$TMP/proxy.port"
    python3 "$PROJECT/tests/cli/tunnel_proxy.py" "$TMP/requests" >"$TMP/proxy.port" 3>&- &
    read -r port <"$TMP/proxy.port"
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log none -q --scope host \
        --proxy "${proxy}127.0.0.1:$port" "$@" 'http://example.org/a?' "$DIR" 0 ||
        fail "status $?"
    kill $!
    cat "$TMP/requests"
}

@test "an http proxy is asked for the whole URL, a server behind a tunnel for the path" {
    same "GET http://example.org/a? HTTP/1.1" "$(asked_proxy http://)"
    same "GET http://example.org/a? HTTP/1.1" "$(asked_proxy "")"
    same "SOCKS
GET /a? HTTP/1.1" "$(asked_proxy socks5h://)"
    same "SOCKS
GET /a? HTTP/1.1" "$(asked_proxy SOCKS5H://)"
    # Where it has to connect elsewhere it cannot be asked for the page.
    same "CONNECT other.test:81 HTTP/1.1
GET /a? HTTP/1.1" "$(asked_proxy http:// --connect-to example.org:80:other.test:81)"
    same "CONNECT example.org:80 HTTP/1.1
GET /a? HTTP/1.1" "$(asked_proxy http:// --connect-to example.org:80:example.org:80)"
    same "GET http://example.org/a? HTTP/1.1" \
        "$(asked_proxy http:// --connect-to another.test:80:other.test:81)"
}

@test "proxies of the environment are not used" {
    start_playground --letters
    # Nothing listens on port 1.
    export http_proxy=http://127.0.0.1:1 HTTP_PROXY=http://127.0.0.1:1
    export all_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1
    capture letters_crawl 2 --retries 0
    same 0 "$STATUS"
    whole_pages 3
}

# --- private addresses -------------------------------------------------------

# A public site, by its name, with links into the machine; the port of the
# playground must be in the page.
start_trap() {
    site secret <<'END'
/*
    body secret <a href=/more>more</a>
END
    start_playground --site "$TMP/secret.site" --listen 127.0.0.1-2:0
    SECRET_PORT=$PORT SECRET_RECORD=$RECORD SECRET_PID=$PID
    TRAPS=("http://127.0.0.1:$PORT/1" "http://localhost:$PORT/2"
        "http://127.0.0.2:$PORT/3" "http://[::1]:$PORT/4"
        "http://[::ffff:127.0.0.1]:$PORT/5" "http://0x7f000001:$PORT/6"
        "http://2130706433:$PORT/7" "http://127.1:$PORT/8"
        "http://0.0.0.0:$PORT/9" "http://017700000001:$PORT/10"
        "http://LOCALHOST:$PORT/11" "http://１２７.0.0.1:$PORT/12"
        "http://[::127.0.0.1]:$PORT/13" "http://[64:ff9b::7f00:1]:$PORT/14")
    {
        printf '/\n    type text/html; charset=utf-8\n'
        printf '    body <a href="%s">x</a>\n' "${TRAPS[@]}"
        printf '    body <a href=/go>x</a> <a href=/hop>x</a> <a href=/frame>f</a>\n'
        printf '/go\n    redirect http://127.0.0.1:%s/15\n' "$PORT"
        printf '/hop\n    redirect /hop2\n/hop2\n'
        printf '    redirect http://localhost:%s/16\n' "$PORT"
        printf '/frame\n'
        printf '    body <iframe src=http://127.0.0.1:%s/17></iframe>\n' "$PORT"
    } | site trap
    start_playground --site "$TMP/trap.site"
}

@test "private addresses are refused for hosts that nobody named" {
    start_trap
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log tse --delay 0 --retries 0 --scope any \
        --connect-to "public.test:80:127.0.0.1:$PORT" http://public.test/ "$DIR" 3
    same 0 "$STATUS"
    same "http://public.test/
http://public.test/frame" "$(page_urls)"
    whole_pages 2
    for path in $(seq 1 17); do
        grep -q "IgnPriv: .*:$SECRET_PORT/$path\$" "$OUT" ||
            fail "/$path: $(grep ":$SECRET_PORT/$path\$" "$OUT")"
    done
    RECORD=$SECRET_RECORD PID=$SECRET_PID
    same "" "$(record_column path)" "asked of the private server"
}

# A resolver may not know that name; then the host is given up, both spellings.
@test "private addresses are refused for a name with a final dot" {
    start_trap
    printf '/\n    body <a href=http://localhost.:%s/>.</a>\n' "$SECRET_PORT" |
        site trap
    start_playground --site "$TMP/trap.site"
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --log tse --delay 0 --retries 0 --scope any \
        --connect-to "public.test:80:127.0.0.1:$PORT" http://public.test/ "$DIR" 3
    same 0 "$STATUS"
    whole_pages 1
    RECORD=$SECRET_RECORD PID=$SECRET_PID
    same "" "$(record_column path)" "asked of the private server"
}

@test "private addresses are allowed with --allow-private" {
    start_trap
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log tse --delay 0 --retries 0 --scope any \
        --allow-private --connect-to "public.test:80:127.0.0.1:$PORT" \
        http://public.test/ "$DIR" 1
    same 0 "$STATUS"
    same "" "$(grep IgnPriv "$OUT")"
    RECORD=$SECRET_RECORD PID=$SECRET_PID
    same 1 "$(record_count /1)"
    same 1 "$(record_count /3)"
    same 1 "$(record_count /15)"
}

@test "private addresses are allowed for hosts that the seed, --internal and --connect-to name" {
    start_trap
    # The seed's own host, on any port; localhost is another name.
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log tse --delay 0 --retries 0 --scope any \
        "http://127.0.0.1:$PORT/" "$DIR" 1
    same 0 "$STATUS"
    grep -q "Fetched: http://127.0.0.1:$SECRET_PORT/1\$" "$OUT"
    grep -q "IgnPriv: http://localhost:$SECRET_PORT/2\$" "$OUT"
    grep -q "IgnPriv: http://127.0.0.2:$SECRET_PORT/3\$" "$OUT"
    # --internal.
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log tse --delay 0 --retries 0 --scope host \
        --internal "http://127.0.0.2:$SECRET_PORT/" \
        --connect-to "public.test:80:127.0.0.1:$PORT" http://public.test/ "$DIR" 1
    same 0 "$STATUS"
    grep -q "Fetched: http://127.0.0.2:$SECRET_PORT/3\$" "$OUT"
    # A rule that only changes the port names nobody.
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log tse --delay 0 --retries 0 --scope any \
        --connect-to "public.test:80:127.0.0.1:$PORT" \
        --connect-to "127.0.0.2:$SECRET_PORT::$SECRET_PORT" http://public.test/ \
        "$DIR" 1
    same 0 "$STATUS"
    grep -q "IgnPriv: http://127.0.0.2:$SECRET_PORT/3\$" "$OUT"
}

@test "--proxy env: the environment's proxies, by scheme, without the hosts of no_proxy" {
    serve_two() { cat >"$TMP/two.site"; start_playground --site "$TMP/two.site"; }
    serve_two <<'END'
/
    body <a href=http://direct.test/>.</a> <a href=http://sub.direct.test/>.</a> <a href=http://127.0.0.1:1/>.</a>
/*
    body A page.
END
    proxy=$PORT proxied=$RECORD proxy_pid=$PID
    serve_two <<'END'
/*
    body Asked directly.
END
    capture env http_proxy="http://me:t0pS3cret@127.0.0.1:$proxy" \
        no_proxy="other.test, .direct.test" "${LIMITED[@]}" "$CRAWLER" --robots ignore --scope any --delay 0 --retries 0 --log tse --proxy env \
        --connect-to "direct.test:80:127.0.0.1:$PORT" --connect-to "sub.direct.test:80:127.0.0.1:$PORT" \
        http://example.org/ "$DIR" 1
    same 0 "$STATUS" "$(cat "$ERR")"
    same "http://direct.test/ http://example.org/ http://sub.direct.test/" "$(page_urls | xargs)"
    same "direct.test sub.direct.test" "$(record_column host | sort | xargs)" "asked directly"
    same "IgnPriv" "$(sed -n 's/^ 1 *\(.*\): http:..127.*/\1/p' "$OUT" | tail -n 1)"
    RECORD=$proxied PID=$proxy_pid
    same "example.org" "$(record_column host | xargs)" "asked by the proxy"
    # Neither the proxy nor its password is recorded: the next run may have others.
    ! grep -ra 't0pS3cret\|127.0.0.1:'"$proxy" "$DIR" "$OUT" "$ERR" || fail "a secret is shown"
    "$CRAWLER" status "$DIR" >/dev/null
    http_proxy='http://me:t0pS3cret@[' run -2 "$CRAWLER" --proxy env --scope any http://a.test/ "$DIR" 1
    [[ $output == "crawler: --proxy env: a proxy in the environment must be a URL such as "* ]]
    [[ $output != *t0pS3cret* ]]
    # Where none is set nothing is asked through one.
    "$CRAWLER" -q --restart --robots ignore --scope host --delay 0 --proxy env \
        --connect-to "::127.0.0.1:$PORT" http://direct.test/ "$DIR" 0
    whole_pages 1
}

@test "--proxy env: a crawl through a proxy does not go on directly where the environment names none" {
    cat >"$TMP/proxied.site" <<'END'
/
    body <a href=/1>.</a> <a href=/2>.</a>
/*
    body A page.
END
    start_playground --site "$TMP/proxied.site"
    unset http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY
    begin() {
        "$CRAWLER" -q --links --robots ignore --scope host --delay 0 --retries 0 --max-pages "$1" --proxy env \
            http://example.invalid/ "$DIR" 1
    }
    http_proxy="http://127.0.0.1:$PORT" begin 1 || same 3 $?
    cp -r "$DIR" "$TMP/before"
    capture "$CRAWLER" -q --resume --max-pages none "$DIR"
    complaint "^crawler: the crawl was begun with --proxy env and a proxy, but the environment names none now: set http_proxy, https_proxy or all_proxy, or go on without one by --proxy ''"
    capture begin none
    complaint '^crawler: the crawl was begun with --proxy env and a proxy, but'
    no_proxy=example.invalid capture "$CRAWLER" -q --resume --max-pages none --proxy env "$DIR"
    complaint '^crawler: the crawl was begun with --proxy env and a proxy, but'
    capture "$CRAWLER" report --check-external "$DIR"
    complaint '^crawler: the crawl was begun with --proxy env and a proxy, but'
    diff -r "$TMP/before" "$DIR"
    # Another proxy of the environment is as good, and so is one that is named.
    all_proxy="http://127.0.0.1:$PORT" "$CRAWLER" -q --resume --max-pages 2 "$DIR" || same 3 $?
    rm -rf "$TMP/before"
    cp -r "$DIR" "$TMP/before"
    "$CRAWLER" -q --resume --max-pages none --proxy "http://127.0.0.1:$PORT" "$DIR"
    whole_pages 3
    "$CRAWLER" verify "$DIR"
    # Without a proxy it goes on if the user says so, and from then on.
    rm -rf "$DIR"
    cp -r "$TMP/before" "$DIR"
    "$CRAWLER" -q --resume --max-pages 2 --proxy '' "$DIR" || same 3 $?
    "$CRAWLER" -q --resume --max-pages 3 --connect-to "::127.0.0.1:$PORT" "$DIR" || same 3 $?
    whole_pages 3
    # A crawl that never had one does not miss it.
    "$CRAWLER" -q --robots ignore --restart --scope host --delay 0 --max-pages 1 --proxy env \
        --connect-to "::127.0.0.1:$PORT" http://example.invalid/ "$DIR" 1 || same 3 $?
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    whole_pages 3
}
