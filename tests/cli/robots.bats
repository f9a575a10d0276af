#!/usr/bin/env bats
# robots.txt: pauses, and hosts with TLS. All else is in tests/cases/robots.case.

load helper
load nginx
load site

# obey DEPTH [OPTION...] [URL]: as fetch, but robots are obeyed; the exit status
# is in STATUS, the log in JSON is $TMP/log.
obey() {
    STATUS=0
    fetch "$1" --robots obey "${@:2}" 2>"$TMP/err" || STATUS=$?
}

# asked: the paths asked for but for /robots.txt, sorted.
asked() {
    record_column path | { grep -vx /robots.txt || :; } | LC_ALL=C sort | xargs
}

# robots_gaps: the milliseconds between the requests of robots.txt.
robots_gaps() {
    record_lines | sort -n | awk -F '\t' '$7 == "/robots.txt" {
        if (n++) print int(($1 - last) / 1000)
        last = $2 }'
}

@test "robots.txt with 5xx: nothing is asked for; again after growing pauses, then given up" {
    serve <<'END'
/robots.txt 503
/*
    body A page.
END
    obey 1 --retries 2
    same 4 "$STATUS"
    same "" "$(asked)"
    same 3 "$(record_count /robots.txt)" "requests of robots.txt"
    same "/ server-error" "$(outcomes)"
    mapfile -t gaps < <(robots_gaps)
    [ "${gaps[0]}" -ge 1000 ] || fail "first pause: ${gaps[0]} ms"
    [ "${gaps[1]}" -ge 2000 ] || fail "second pause: ${gaps[1]} ms"
    same 1 "$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["hosts_dead"])' "$DIR/.crawler-stats.json")"
}

@test "robots.txt with 429 holds the host as long as Retry-After says" {
    serve <<'END'
/robots.txt 429
    times 1
    header Retry-After: 2
/*
    body A page.
END
    obey 1 --retries 1
    same 0 "$STATUS"
    [ "$(robots_gaps)" -ge 2000 ] || fail "$(robots_gaps)"
    same / "$(asked)"
}

# certificate: one for example.org, in $TMP/own.pem and $TMP/own.key.
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
        -keyout "$TMP/own.key" -subj /CN=example.org -days 3 -out "$TMP/own.pem" \
        -addext subjectAltName=DNS:example.org 2>/dev/null
}

# obey_tls OPTION...: http goes to PORTS[1], https to PORTS[2].
obey_tls() {
    STATUS=0
    "${LIMITED[@]}" "$CRAWLER" --cacert "$TMP/own.pem" --log json \
        --connect-to "example.org:80:127.0.0.1:${PORTS[1]}" \
        --connect-to "example.org:443:127.0.0.1:${PORTS[2]}" \
        --scope host --delay 0 --retries 0 --max-time 20s "$@" "$DIR" 1 \
        >"$TMP/log" 2>"$TMP/err" || STATUS=$?
}

@test "robots.txt that moved from http to https is read there" {
    certificate
    start_nginx <<END
ssl_certificate $TMP/own.pem;
ssl_certificate_key $TMP/own.key;
server {
    listen 127.0.0.1:@PORT1@;
    default_type text/html;
    location = /robots.txt { return 301 https://example.org/robots.txt; }
    location / { return 200 '<a href=/no>.</a> <a href=/yes>.</a>'; }
}
server {
    listen 127.0.0.1:@PORT2@ ssl;
    default_type text/html;
    location = /robots.txt { return 200 "User-agent: *\nDisallow: /no\n"; }
    location / { return 200 'A page.'; }
}
END
    obey_tls http://example.org/
    same 0 "$STATUS"
    same "/ /robots.txt /robots.txt /yes" \
        "$(nginx_log | cut -d ' ' -f 2 | LC_ALL=C sort | xargs)"
}

@test "http and https of a host have different robots.txt rules" {
    certificate
    start_nginx <<END
ssl_certificate $TMP/own.pem;
ssl_certificate_key $TMP/own.key;
server {
    listen 127.0.0.1:@PORT1@;
    default_type text/html;
    location = /robots.txt { return 200 "User-agent: *\nDisallow: /1\n"; }
    location / { return 200 '<a href=/1>.</a><a href=/2>.</a>
        <a href=https://example.org/1>.</a><a href=https://example.org/2>.</a>'; }
}
server {
    listen 127.0.0.1:@PORT2@ ssl;
    default_type text/html;
    location = /robots.txt { return 200 "User-agent: *\nDisallow: /2\n"; }
    location / { return 200 'A page.'; }
}
END
    obey_tls http://example.org/
    same 0 "$STATUS"
    same "http://example.org/
http://example.org/2
https://example.org/1" "$(page_urls)"
}

@test "Crawl-delay is kept, and only raises the pause" {
    serve <<'END'
//slow.example/robots.txt
    type text/plain
    body User-agent: *
    body Crawl-delay: 0.7
//ours.example/robots.txt
    type text/plain
    body User-agent: *
    body Crawl-delay: 3000
    body User-agent: crawler
    body Disallow: /no
//less.example/robots.txt
    type text/plain
    body User-agent: *
    body Crawl-delay: 0.001
/*
    links 3 /%d
END
    printf 'http://%s.example/\n' slow ours less >"$TMP/seeds"
    STATUS=0
    crawl --robots obey --scope any --delay 300ms --ip-delay 0 --log none \
        --seeds "$TMP/seeds" "$DIR" 1 2>"$TMP/err" || STATUS=$?
    same 0 "$STATUS"
    same 12 "$(page_count)"
    stop_playground
    [ "$(record_min_gap_ms slow.example)" -ge 700 ] ||
        fail "slow: $(record_min_gap_ms slow.example)"
    for host in ours less; do
        gap=$(record_min_gap_ms $host.example)
        [ "$gap" -ge 300 ] || fail "$host: $gap"
    done
    # The judge can tell: the others were not as slow.
    [ "$(record_min_gap_ms less.example)" -lt 700 ]
}
