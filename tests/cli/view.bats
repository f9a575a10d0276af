#!/usr/bin/env bats
# --listen: what a running crawl shows, and to whom.

load helper
load view

teardown() { view_teardown; }

@test "--listen prints an address with a token of 128 bits, and shows the figures" {
    start_playground --letters
    begin
    [[ $TOKEN =~ ^[0-9a-f]{32}$ ]]
    ask /status.json | holds '.state == "running" and .pages == 1 and
        .queued.memory == 1 and .failures == 0 and .last_page == 1 and
        .hosts.pause == 1 and .ends == "unknown" and
        .urls.saved == 1 and (.seeds[0] | endswith("index.html")) and
        (.says | test("1 host in pause, next request in [0-9.]+ s")) and
        .process.memory_bytes > 0 and .process.descriptors > 5'
    ask /hosts.json | holds '.known == 1 and (.hosts | length) == 1 and
        .hosts[0].host == "cs50tse.cs.dartmouth.edu" and
        .hosts[0].waits == "pause" and .hosts[0].queued == 1 and
        .hosts[0].delay_ms == 3600000 and .hosts[0].until_ms > .at_ms'
    ask /errors.json | holds '.errors == []'
    ask /pages.jsonl | holds -s 'length == 1 and .[0].page == 1 and
        .[0].status == 200 and (.[0].url | endswith("index.html"))'
    same "" "$(ask '/pages.jsonl?after=1')"
    ask /history.json | holds '.columns[1] == "pages" and
        (.recent | length) > 0 and .recent[-1][1] == 1'
    same ok "$(ask /healthz)"
    ask "/why?url=$LETTERS/index.html" | grep -q 'was fetched as page 1'
    ask /why | holds '.ok == false'
    end_crawl
    same 3 "$STATUS"
}

@test "neither pages that gave way, nor pages not kept, nor missing robots.txt files are failures" {
    printf '%s\n' / '    body <a href=/p?a>.</a> <a href=/gone>.</a> <a href=/x.pdf>.</a>' \
        /x.pdf '    type application/pdf' '    body x' \
        '/p?a' '    body <link rel=canonical href=/p>' \
        /p '    body <a href=http://b.test/hold>.</a>' //b.test/hold '    delay 1h' >"$TMP/site"
    start_playground --site "$TMP/site"
    begin_crawl --scope any --delay 0 --ip-delay 0 --robots obey --canonical \
        --listen 127.0.0.1:0 http://a.test/ "$DIR" 9
    wait_for_file "$TMP/err" 'watch it at'
    AT=$(sed -n 's|.*watch it at http://\(.*\)/#token=.*|\1|p' "$TMP/err")
    TOKEN=$(sed -n 's|.*#token=||p' "$TMP/err")
    wait_for 'ask /hosts.json | holds "any(.hosts[];
        .host == \"b.test\" and .waits == \"fetching\")"'
    ask /status.json | holds '.outcomes.canonical == 1 and .failures == 1 and
        .not_kept == 1 and .urls.not_kept == 1 and .urls.failed == 1 and
        .fetched == .urls.saved + .urls.redirected + 2'
    "$CRAWLER" watch "$DIR" >"$TMP/screen"
    grep -q '^  not kept 1$' "$TMP/screen"
    grep -q '^  failed   1, 0 retries; most: refused by the server (4xx) (1)$' "$TMP/screen"
    ask /errors.json | holds '[.errors[] | .outcome, .url] ==
        ["client-error", "http://a.test/gone"]'
    "$CRAWLER" ctl "$DIR" stop-now
    wait_crawl
}

@test "the token is needed, but for the page and /healthz, and is never written" {
    start_playground --letters
    begin
    for path in /status.json /hosts.json /errors.json /pages.jsonl \
        /history.json /events /metrics '/why?url=http://a.test/'; do
        same 401 "$(status_of "http://$AT$path")" "$path"
        same 401 "$(status_of -H "Authorization: Bearer ${TOKEN%?}x" \
            "http://$AT$path")" "$path, another token"
        same 401 "$(status_of -H "Authorization: Bearer ${TOKEN%?}" \
            "http://$AT$path")" "$path, half of it"
    done
    same 401 "$(status_of -H 'Content-Type: application/json' \
        -d '{"order":"stop-now"}' "http://$AT/control")"
    same 200 "$(status_of "http://$AT/")"
    grep -qi '<!doctype html>' "$TMP/body"
    same 200 "$(status_of "http://$AT/healthz")"
    same 404 "$(status_of "http://$AT/other")"
    same 405 "$(status_of -X POST "http://$AT/status.json")"
    ask /status.json | holds '.state == "running"'
    end_crawl
    ! grep -rqF "$TOKEN" "$DIR" || fail "a secret is shown"
}

@test "another Host is refused: no name of the web leads here" {
    start_playground --letters
    begin
    port=${AT##*:}
    for host in evil.test "evil.test:$port" 127.0.0.1 "127.0.0.1:1" localhost \
        "127.0.0.2:$port"; do
        for path in / /healthz /status.json /nothing; do
            same 421 "$(status_of -H "Host: $host" \
                -H "Authorization: Bearer $TOKEN" "http://$AT$path")" "$host $path"
        done
    done
    same 200 "$(status_of -H "Host: localhost:$port" \
        -H "Authorization: Bearer $TOKEN" "http://$AT/status.json")"
    end_crawl
}

@test "every answer has the headers that keep browsers out" {
    start_playground --letters
    begin
    for path in / /status.json /nothing /healthz; do
        ask "$path" -D "$TMP/head" -o "$TMP/body"
        for line in "Content-Security-Policy: default-src 'none'" \
            'X-Content-Type-Options: nosniff' 'Referrer-Policy: no-referrer' \
            'Cache-Control: no-store' \
            'Cross-Origin-Resource-Policy: same-origin'; do
            grep -qF "$line" "$TMP/head" || fail "$path: no $line"
        done
    done
    # The hashes are those of the script and the style that are sent.
    ask / -D "$TMP/head" -o "$TMP/body"
    for element in script style; do
        hash=$(perl -0777 -ne "print \$1 if m{<$element>(.*?)</$element>}s" \
            "$TMP/body" | openssl dgst -sha256 -binary | base64)
        grep -qF "$element-src 'sha256-$hash'" "$TMP/head"
    done
    end_crawl
}

@test "crawled text is only ever served as text" {
    start_playground --letters
    begin
    url="$LETTERS/<script>alert(1)</script>"
    for path in /status.json /hosts.json /errors.json /pages.jsonl \
        /history.json /screen.txt /metrics /healthz /nothing \
        "/why?url=${url//</%3C}"; do
        same 200 "$(status_of -D "$TMP/head" -H "Authorization: Bearer $TOKEN" \
            "http://$AT$path" | sed 's/404/200/')" "$path"
        grep -qiE '^content-type: (application/jsonl?|text/plain; (version=0.0.4; )?charset=utf-8)' \
            "$TMP/head" || fail "$path: $(cat "$TMP/head")"
        grep -qi '^x-content-type-options: nosniff' "$TMP/head"
    done
    # It is there, as text.
    grep -qi 'script.* was never seen' "$TMP/body"
    end_crawl
}

@test "a host that was asked for its robots.txt says so" {
    printf '/robots.txt\n    delay 1h\n/\n    body x\n' >"$TMP/site"
    start_playground --site "$TMP/site"
    begin_crawl --scope host --listen 127.0.0.1:0 --robots obey http://a.test/ \
        "$DIR" 9
    wait_for_file "$TMP/err" 'watch it at'
    AT=$(sed -n 's|.*watch it at http://\(.*\)/#token=.*|\1|p' "$TMP/err")
    TOKEN=$(sed -n 's|.*#token=||p' "$TMP/err")
    wait_for 'ask /hosts.json | holds ".hosts[0].waits == \"robots\" and
        .hosts[0].says == \"asked for its robots.txt\""'
    "$CRAWLER" ctl "$DIR" stop-now
    wait_crawl
}

@test "events come once a second, and end with the crawl" {
    start_playground --letters
    begin
    ask /events -N >"$TMP/events" 3>&- &
    reader=$!
    wait_for "[ \$(grep -c '^event: status' '$TMP/events') -ge 3 ]"
    end_crawl
    wait "$reader"
    same end "$(sed -n 's/^event: //p' "$TMP/events" | tail -n 1)"
    same 'errors' "$(sed -n 's/^event: //p' "$TMP/events" | sed -n 3p)"
    sed -n 's/^data: //p' "$TMP/events" | holds -s 'length > 6'
    sed -n 's/^data: //p' "$TMP/events" | tail -n 1 |
        holds '.state == "ended" and .pages == 1'
}

@test "only loopback addresses are listened on; others are told to use ssh -L" {
    for where in 0.0.0.0:8080 192.0.2.1:80 '[::]:80' 8080 localhost:8080 \
        example.org:80 unix: 127.0.0.1:99999; do
        run -2 "$CRAWLER" --scope host --listen "$where" "$LETTERS/" "$DIR" 1
        [[ $output == *"ssh -L"* ]]
        same 1 "${#lines[@]}"
    done
    run -2 "$CRAWLER" --scope host --metrics-open "$LETTERS/" "$DIR" 1
    [[ $output == *"--metrics-open needs --listen"* ]]
    same "" "$(ls -A "$DIR")"
}

@test "a port that is taken ends the crawl before anything is written" {
    start_playground --letters
    run -2 "$CRAWLER" --scope host --listen "127.0.0.1:$PORT" "$LETTERS/" \
        "$DIR" 1
    [[ $output == *"cannot listen on 127.0.0.1:$PORT: Address already in use"* ]]
    same "" "$(ls -A "$DIR")"
    run -2 "$CRAWLER" --create --scope host --listen "127.0.0.1:$PORT" "$LETTERS/" \
        "$TMP/new" 1
    [ ! -e "$TMP/new" ]
}

@test "a Unix socket is for its owner only, and asks for the token all the same" {
    start_playground --letters
    begin_crawl --scope host --delay 1h --listen "unix:$TMP/socket" \
        "$LETTERS/index.html" "$DIR" 9
    wait_for_file "$TMP/err" 'watch it at'
    same 600 "$(stat -c %a "$TMP/socket")"
    TOKEN=$(sed -n 's/.* token //p' "$TMP/err")
    same 401 "$(status_of --unix-socket "$TMP/socket" \
        http://localhost/status.json)"
    same 200 "$(status_of --unix-socket "$TMP/socket" \
        -H "Authorization: Bearer $TOKEN" http://localhost:99/status.json)"
    same 421 "$(status_of --unix-socket "$TMP/socket" \
        -H "Authorization: Bearer $TOKEN" http://evil.test/status.json)"
    end_crawl
    [ ! -e "$TMP/socket" ]
}

@test "a Unix socket that a killed crawl left is used again, a living one is not" {
    start_playground --letters
    listening() {
        "$CRAWLER" --robots ignore --connect-to "::127.0.0.1:$PORT" --scope host --delay 0 -q \
            --listen "unix:$TMP/socket" "$LETTERS/index.html" "$@"
    }
    python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$TMP/socket"
    listening "$DIR" 0
    same 1 "$(page_count)"
    begin_crawl --scope host --delay 1h --listen "unix:$TMP/socket" \
        "$LETTERS/A.html" "$TMP/other" 9 --create
    wait_for_file "$TMP/err" 'watch it at'
    rm -r "$DIR" && mkdir "$DIR"
    run -2 listening "$DIR" 0
    same "crawler: cannot listen on unix:$TMP/socket: Address already in use" "$output"
    end_crawl
    echo mine >"$TMP/socket"
    run -2 listening "$DIR" 0
    same mine "$(cat "$TMP/socket")"
}

# 0.0.0.0 leads to this machine, too.
@test "a crawl does not fetch from its own address and port, however it is written" {
    cat >"$TMP/site" <<END
/
    body <a href=http://own.test/healthz>x</a>
    body <a href=http://zero.test/healthz>x</a>
    body <a href=http://mapped.test/healthz>x</a>
END
    start_playground --site "$TMP/site"
    own=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
    "${LIMITED[@]}" "$CRAWLER" -q --scope any --robots ignore --delay 0 \
        --allow-private --listen "127.0.0.1:$own" --retries 0 \
        --connect-to "own.test:80:127.0.0.1:$own" \
        --connect-to "zero.test:80:0.0.0.0:$own" \
        --connect-to "mapped.test:80:[::ffff:127.0.0.1]:$own" \
        --connect-to "a.test:80:127.0.0.1:$PORT" http://a.test/ "$DIR" 3 \
        2>"$TMP/err"
    same 1 "$(page_count)"
    for host in own zero mapped; do
        run -0 "$CRAWLER" why "$DIR" "http://$host.test/healthz"
        [[ $output == *"private address"* ]] || fail "$output"
    done
}
