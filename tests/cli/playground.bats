#!/usr/bin/env bats
# The playground itself, judged with curl.

load helper

# get PATH [CURL-OPTION...]: the body.
get() {
    curl -sS -m "$LIMIT" "http://127.0.0.1:$PORT$1" "${@:2}"
}

# code PATH [CURL-OPTION...]: the status, 000 where there was none.
code() {
    curl -sS -m "$LIMIT" -o /dev/null -w '%{http_code}' "http://127.0.0.1:$PORT$1" \
        "${@:2}" 2>/dev/null
}

@test "the playground says where it listens, and ends when told to" {
    start_playground --letters
    [ "$PORT" -gt 0 ]
    same 200 "$(code /tse/letters/A.html)"
    stop_playground
    run ! kill -0 "$PID"
}

@test "the playground ends by itself after its lifetime" {
    # Its default is ten minutes.
    run timeout -k 60 300 "$PLAYGROUND" --lifetime 300ms
    same 0 "$status"
}

@test "the playground ends with the process that started it" {
    mkfifo "$TMP/out"
    bash -c '"$1" >"$2" & sleep 0.2' - "$PLAYGROUND" "$TMP/out" &
    # The pipe has an end when the server has closed it.
    run timeout -k 60 "$LIMIT" cat "$TMP/out"
    same 0 "$status" "the server outlived its parent"
    [[ $output == "listening on 127.0.0.1:"* ]]
}

# A server that is kept from going on after each write, with a clock that stands
# still meanwhile: a client can be done by then, and has not asked too soon.
@test "the playground's record ends a request before its last write, not after it" {
    cat >"$TMP/kept.c" <<'END'
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>
static int writes;
int clock_gettime(clockid_t id, struct timespec *now)
{
    (void)id;
    *now = (struct timespec){.tv_sec = 1000 + writes};
    return 0;
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t (*send)(int, const struct msghdr *, int);
    *(void **)&send = dlsym(RTLD_NEXT, "sendmsg");
    writes++;
    return send(fd, message, flags);
}
END
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o "$TMP/kept.so" "$TMP/kept.c"
    preload "$TMP/kept.so"
    LD_PRELOAD=$PRELOAD start_playground --letters
    same 200 "$(code /tse/letters/A.html)"
    same 404 "$(code /tse/none.html)"
    stop_playground
    same "$(record_column start_us)" "$(record_column end_us)"
}

@test "the playground listens on loopback addresses only" {
    for address in 0.0.0.0:0 192.168.1.1:0 10.0.0.1:0 '[::]:0' 8.8.8.8:80; do
        run timeout -k 60 "$LIMIT" "$PLAYGROUND" --listen "$address"
        same 1 "$status" "$address"
        [[ $output == *loopback* ]]
    done
    for address in 127.0.0.1 nonsense '' 127.0.0.1:x 127.0.0.1:99999; do
        run timeout -k 60 "$LIMIT" "$PLAYGROUND" --listen "$address"
        same 1 "$status" "$address"
    done
}

@test "the playground listens on several addresses, on one port" {
    start_playground --letters --listen 127.0.0.1:0 --listen 127.0.7.1-3:0
    read -r -u "$SERVER_OUT" _ _ second
    read -r -u "$SERVER_OUT" _ _ third
    read -r -u "$SERVER_OUT" _ _ fourth
    same "127.0.7.1" "${second%:*}"
    same "127.0.7.3" "${fourth%:*}"
    same "${second##*:}" "${fourth##*:}"
    curl -sS -m "$LIMIT" -o /dev/null "http://$third/tse/letters/"
    same "$third" "$(record_column local_addr)"
}

@test "the playground refuses wrong options in one line" {
    for args in --nonsense --lifetime "--lifetime=x" "--letters=1" word; do
        # shellcheck disable=SC2086 # the words are the arguments
        run timeout -k 60 "$LIMIT" "$PLAYGROUND" $args
        same 2 "$status" "$args"
        same 1 "${#lines[@]}" "lines for $args"
    done
    run timeout -k 60 "$LIMIT" "$PLAYGROUND" --root /nonexistent
    same 1 "$status"
    run timeout -k 60 "$LIMIT" "$PLAYGROUND" --record /nonexistent/record
    same 1 "$status"
}

@test "letters: every page, the directory and what is not there" {
    start_playground --letters
    for page in index A B C D E F G H; do
        same 200 "$(code "/tse/letters/$page.html")" "$page"
        same 200 "$(code "/tse/letters/$page.html" -I)" "HEAD of $page"
    done
    same "$(get /tse/letters/index.html)" "$(get /tse/letters/)"
    same 301 "$(code /tse/letters)"
    same 404 "$(code /tse/letters/I.html)"
    same 404 "$(code /)"
    same text/html "$(get /tse/letters/A.html -o /dev/null -w '%{content_type}')"
}

@test "files: types, index, redirect, escapes, and no way out" {
    mkdir -p "$TMP/www/sub"
    echo secret >"$TMP/secret"
    echo home >"$TMP/www/index.html"
    echo inside >"$TMP/www/sub/index.html"
    echo 'a space' >"$TMP/www/a b.txt"
    head -c 3000000 /dev/urandom >"$TMP/www/large.bin"
    : >"$TMP/www/empty.html"
    start_playground --root "$TMP/www"

    same home "$(get /)"
    same home "$(get '/index.html?query=1')"
    same inside "$(get /sub/)"
    same 301 "$(code /sub)"
    same inside "$(get /sub -L)"
    same "a space" "$(get /a%20b.txt)"
    same text/plain "$(get /a%20b.txt -o /dev/null -w '%{content_type}')"
    get /large.bin | cmp - "$TMP/www/large.bin"
    same 200 "$(code /empty.html)"
    for path in /../secret /sub/../../secret /%2e%2e/secret /..%2fsecret \
        /nothing /%00 /%zz; do
        same 404 "$(code "$path" --path-as-is)" "$path"
    done
}

@test "one connection serves many requests, pipelined ones too" {
    start_playground --letters
    get '/tse/letters/[A-H].html' -o /dev/null
    same 1 "$(record_column conn | sort -u | wc -l)" "connections"

    exec {sock}<>"/dev/tcp/127.0.0.1/$PORT"
    printf 'GET /tse/letters/%s.html HTTP/1.1\r\nHost: x\r\n\r\n' A B C >&"$sock"
    printf 'GET /tse/letters/D.html HTTP/1.0\r\n\r\n' >&"$sock"
    run timeout -k 60 "$LIMIT" cat <&"$sock"
    exec {sock}>&-
    same 0 "$status" "HTTP/1.0 ends with the connection"
    same "A B C D" "$(grep -o '<title>.' <<<"$output" | cut -c 8 | xargs)"
}

@test "a proxy's absolute target names the host" {
    start_playground --letters
    curl -sS -m "$LIMIT" -x "http://127.0.0.1:$PORT" -o /dev/null \
        http://example.org:81/tse/letters/B.html
    same example.org "$(record_column host)"
    same /tse/letters/B.html "$(record_column path)"
}

@test "the playground answers and closes broken requests" {
    start_playground --letters
    for text in 'nonsense\r\n\r\n' 'GET\r\n\r\n' 'GET / HTTP/2.0\r\n\r\n' \
        'GET x HTTP/1.1\r\n\r\n'; do
        exec {sock}<>"/dev/tcp/127.0.0.1/$PORT"
        # shellcheck disable=SC2059 # the text has escapes
        printf "$text" >&"$sock"
        run timeout -k 60 "$LIMIT" head -n 1 <&"$sock"
        exec {sock}>&-
        [[ $output == "HTTP/1.1 400 "* ]] || fail "$text: $output"
    done
    exec {sock}<>"/dev/tcp/127.0.0.1/$PORT"
    { printf 'GET / HTTP/1.1\r\nX: '; head -c 70000 /dev/zero | tr '\0' x; } \
        >&"$sock"
    run timeout -k 60 "$LIMIT" head -n 1 <&"$sock"
    exec {sock}>&-
    [[ $output == "HTTP/1.1 431 "* ]]
    same 200 "$(code /tse/letters/)" "and it lives on"
}

@test "the playground does not answer a client that speaks TLS" {
    start_playground --letters
    exec {sock}<>"/dev/tcp/127.0.0.1/$PORT"
    printf '\x16\x03\x01\n\n\r\n\r\n' >&"$sock"
    same 200 "$(code /tse/letters/)"
    run ! read -r -t 0.1 -u "$sock"
    exec {sock}>&-
    stop_playground
    same 1 "$(record_column path | wc -l)" "requests on record"
}

@test "the record has every request, escaped, while the server runs" {
    start_playground --letters --record-headers
    get '/tse/letters/A.html?x=1' -o /dev/null -A $'tab\there' -H 'X-Odd: a\b'
    # A busy machine may take longer, an idle one must not.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.1
        [ "$(wc -l <"$RECORD")" -lt 2 ] || break
    done
    same 2 "$(wc -l <"$RECORD")" "lines while it runs"
    stop_playground
    same "start_us end_us conn local_addr host method path status bytes \
user_agent request" "$(head -n 1 "$RECORD" | tr '\t' ' ')"
    same '/tse/letters/A.html?x=1' "$(record_column path)"
    same 171 "$(record_column bytes)"
    same 'tab\there' "$(record_column user_agent)"
    [[ $(record_column request) == *'\r\nX-Odd: a\\b\r\n'* ]]
    [ "$(record_column start_us)" -le "$(record_column end_us)" ]
}

@test "the helper's functions read a record as it is" {
    printf '%s\t' start_us end_us conn local_addr host method path status \
        bytes >"$TMP/record"
    printf 'user_agent\n' >>"$TMP/record"
    # b's requests overlap; a's second follows its first after 1500.9 ms.
    printf '%s\t%s\t1\tl\t%s\tGET\t%s\t200\t5\tua\n' \
        1000000 1200000 a / 1100000 1900000 b / 1150000 1160000 b /x \
        2700900 2800000 a /y >>"$TMP/record"
    RECORD=$TMP/record PID=999999999
    same 1500 "$(record_min_gap_ms a)"
    same -750 "$(record_min_gap_ms b)"
    same -750 "$(record_min_gap_ms)" "all hosts together"
    same 3 "$(record_max_in_flight)"
    same 2 "$(record_max_in_flight b)"
    same 1 "$(record_max_in_flight a)"
    same 2 "$(record_count /)"
    same 1 "$(record_count / b)"
    same 2 "$(record_total b)"
    run ! record_min_gap_ms nobody
}

# --- sites -------------------------------------------------------------------

# site <<EOF: serve the site that is read from standard input.
site() {
    cat >"$TMP/site"
    start_playground --site "$TMP/site" "$@"
}

@test "site: status, headers, types, redirects, bodies" {
    printf 'from a file' >"$TMP/part.txt"
    site <<'EOF'
# a comment
/plain
    body one  two
    body three
/type
    type text/plain; charset=x
    body x
/notype
    type
    body x
/gone 410 Really Gone
/moved
    redirect /plain
/moved-for-good 301
    redirect http://example.org/
/headers
    header X-One: 1
    header X-Two: 2
/heredoc
    body <<STOP
/not-an-entry

    indented
STOP
    bytes \x41\t\\
/file
    file part.txt
/mixed
    bytes [
    repeat 3 ab
    bytes ]
    links 2 p%d.html
EOF
    same $'one  two\nthree' "$(get /plain)"
    same 'text/plain; charset=x' "$(get /type -o /dev/null -w '%{content_type}')"
    same '' "$(get /notype -o /dev/null -w '%{content_type}')"
    same 'HTTP/1.1 410 Really Gone' "$(get /gone -I | head -n 1 | tr -d '\r')"
    same 302 "$(code /moved)"
    same "http://127.0.0.1:$PORT/plain" \
        "$(get /moved -o /dev/null -w '%{redirect_url}')"
    same 301 "$(code /moved-for-good)"
    same 2 "$(get /headers -I | grep -c '^X-')"
    same $'/not-an-entry\n\n    indented\nA\t\\' "$(get /heredoc)"
    same 'from a file' "$(get /file)"
    same text/plain "$(get /file -o /dev/null -w '%{content_type}')"
    same $'[ababab]<a href="p1.html">1</a>\n<a href="p2.html">2</a>' \
        "$(get /mixed)"
}

@test "site: hosts, methods, queries, prefixes, headers, order" {
    site <<'EOF'
//a.example/
    body a
//B.example/
    body b
/
    body any
POST /form
    body posted
/form
    body not posted
/q?x=1
    body one
/q
    body other
/deep/*
    body prefix
/deep/exact
    body never
/auth
    when Authorization: secret
    body in
/auth 401
EOF
    same a "$(get / -H 'Host: a.example:81')"
    same b "$(get / -H 'Host: b.EXAMPLE')"
    same any "$(get /)"
    same posted "$(get /form -d q=1)"
    same 'not posted' "$(get /form)"
    same one "$(get '/q?x=1')"
    same other "$(get '/q?x=2')"
    same other "$(get /q)"
    same prefix "$(get /deep/exact)"
    same prefix "$(get '/deep/?a=b')"
    same 401 "$(code /auth)"
    same 401 "$(code /auth -H 'Authorization: guess')"
    same in "$(get /auth -H 'authorization: the secret')"
    same 404 "$(code /other)"
}

@test "site: an entry can be used up" {
    site <<'EOF'
/busy 503
    times 2
    header Retry-After: 1
/busy
    times 1
    body fine
EOF
    same '503 503 200 404' \
        "$(code /busy; echo -n ' '; code /busy; echo -n ' '; code /busy
           echo -n ' '; code /busy)"
}

@test "site: bodies have the framing that the entry says" {
    site <<'EOF'
/length
    repeat 100000 0123456789
/chunked
    chunked 1000
    repeat 100000 0123456789
/close
    until-close
    repeat 100000 0123456789
/old
    http 1.0
    body old
/empty
    chunked
EOF
    for path in /length /chunked /close; do
        same 1000000 "$(get $path | wc -c)" "$path"
        same "$(get /length | md5sum)" "$(get $path | md5sum)" "$path"
    done
    same 1 "$(get /chunked -D - -o /dev/null | grep -c '^Transfer-Encoding')"
    same 0 "$(get /chunked -D - -o /dev/null | grep -c '^Content-Length')"
    same 0 "$(get /close -D - -o /dev/null | grep -c '^Content-Length')"
    same 1.0 "$(get /old -o /dev/null -w '%{http_version}')" ||
        same 1 "$(get /old -o /dev/null -w '%{http_version}')"
    same 200 "$(code /empty)"
    # HTTP/1.0 knows no chunks.
    same 1000000 "$(get /chunked -0 | wc -c)"
    same 0 "$(get /chunked -0 -D - -o /dev/null | grep -c '^Transfer-Enc')"
}

@test "site: bodies have the coding that the entry says" {
    for coding in gzip deflate deflate-raw; do
        printf '/%s\n    encode %s\n    repeat 50000 hello\\n\n' \
            $coding $coding
    done >"$TMP/site"
    start_playground --site "$TMP/site"
    for coding in gzip deflate deflate-raw; do
        same 50000 "$(get /$coding --compressed | grep -cx hello)" "$coding"
        [ "$(get /$coding | wc -c)" -lt 10000 ]
    done
    get /gzip | gunzip | cmp - <(get /gzip --compressed)
}

@test "site: replies can be cut, reset, raw and lie about their length" {
    site <<'EOF'
/cut
    cut 10
    repeat 100 0123456789
/reset
    reset 5
    repeat 100 0123456789
/at-once
    raw
/raw
    raw HTTP/1.1 200 OK\r\nContent-Length: 5\r\n
    raw X: 1\r\n\r\nhello
/lie
    header Content-Length: 1000
    close
    body short
/cut-chunk
    chunked 8
    cut 20
    repeat 100 x
/garbage
    raw \x00\x01\xff
EOF
    run curl -s -m "$LIMIT" "http://127.0.0.1:$PORT/cut"
    same 18 "$status"
    [[ $output == 0123456789* ]]
    run curl -s -m "$LIMIT" "http://127.0.0.1:$PORT/reset"
    same 56 "$status"
    run curl -s -m "$LIMIT" "http://127.0.0.1:$PORT/at-once"
    same 52 "$status"
    same hello "$(get /raw)"
    run curl -s -m "$LIMIT" "http://127.0.0.1:$PORT/lie"
    same 18 "$status"
    run curl -s -m "$LIMIT" "http://127.0.0.1:$PORT/cut-chunk"
    same 18 "$status"
    run curl -s -m "$LIMIT" "http://127.0.0.1:$PORT/garbage"
    [ "$status" -ne 0 ]
    stop_playground
    same "10 5" "$(record_column bytes | head -n 2 | xargs)"
}

@test "site: replies can be delayed, drip and be endless" {
    site <<'EOF'
/late
    delay 300ms
    body late
/drip
    drip 2 100ms
    bytes 12345678
/endless
    endless x
/endless-chunks
    chunked
    endless abc
EOF
    get /late -o /dev/null &
    get /drip -o /dev/null &
    same late "$(get /late)"
    wait -n
    wait -n
    for path in /endless /endless-chunks; do
        same 3000000 "$(get $path 2>/dev/null | head -c 3000000 | wc -c)"
    done
    stop_playground
    awk -F '\t' '
        { took = ($2 - $1) / 1000 }
        $7 == "/late" && (took < 300 || took > 5000) { print; bad = 1 }
        $7 == "/drip" && (took < 300 || took > 5000) { print; bad = 1 }
        END { exit bad }' <(tail -n +2 "$RECORD")
    same 2 "$(record_count /late)"
    same 1 "$(record_count /endless)" "a reply that the client ended"
}

@test "site: a slow reply holds up no other" {
    site <<'EOF'
/slow
    delay 1h
/fast
    body fast
EOF
    for _ in 1 2 3 4 5; do
        get /slow -o /dev/null &
    done
    # All five are connected.
    until [ "$(awk -v port="$(printf ':%04X$' "$PORT")" \
        '$2 ~ port && $4 == "01"' /proc/net/tcp | wc -l)" -ge 5 ]; do
        sleep 0.05
    done
    # It comes before that of any of them.
    same fast "$(get /fast)"
    stop_playground
    wait
    same "0" "$(record_column status | sort -u | head -n 1)"
}

@test "site: mistakes are told with their line" {
    while IFS='|' read -r number text; do
        printf '/\n    body x\n%b\n' "$text" >"$TMP/site"
        run timeout -k 60 "$LIMIT" "$PLAYGROUND" --site "$TMP/site"
        same 1 "$status" "$text"
        [[ $output == *"line $number: "* ]] || fail "$text: $output"
    done <<'EOF'
3|    nonsense 1
3|nopath
3|/x abc
3|/x 1000
3|GET
4|/x\n    delay x
4|/x\n    drip 0 1s
4|/x\n    cut
4|/x\n    close now
4|/x\n    bytes \\q
4|/x\n    repeat 5
4|/x\n    links 5
4|/x\n    file nothing-here
4|/x\n    encode lzma
4|/x\n    chunked 0
4|/x\n    http 3
5|/x\n    body <<END\nno end
5|/x\n    encode gzip\n    endless x
EOF
    printf '    body x\n' >"$TMP/site"
    run timeout -k 60 "$LIMIT" "$PLAYGROUND" --site "$TMP/site"
    [[ $output == *"line 1: "* ]]
}

@test "site: a page of it replaces one of the letters" {
    site --letters <<'EOF'
/tse/letters/B.html
    body another B
EOF
    same 'another B' "$(get /tse/letters/B.html)"
    [[ $(get /tse/letters/A.html) == *Algorithm* ]]
}
