#!/usr/bin/env bats
# A server that abuses HTTP/2: it sends for ever what is no answer, or refuses
# every stream.

load helper

# serve_http2 WHAT: see http2_server.py; at HTTP2_PORT, with its requests in
# $TMP/requests.
serve_http2() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
        -keyout "$TMP/key.pem" -out "$TMP/own.pem" -days 2 \
        -subj /CN=hostile.test 2>/dev/null
    : >"$TMP/requests"
    mkfifo "$TMP/http2.port"
    python3 "$PROJECT/tests/cli/http2_server.py" "$TMP/own.pem" "$TMP/key.pem" \
        "$1" "$TMP/requests" >"$TMP/http2.port" 3>&- &
    SERVERS+=($!)
    read -r HTTP2_PORT <"$TMP/http2.port"
}

# crawl_both OPTION...: hostile.test over HTTP/2 and healthy.test, by one thread.
crawl_both() {
    printf '%s\n' https://hostile.test/ http://healthy.test/ >"$TMP/seeds"
    capture timeout -k 5 "$LIMIT" "$CRAWLER" --scope any --robots ignore \
        --insecure --threads 1 --log json --retries 0 --timeout 50s \
        --connect-to "hostile.test:443:127.0.0.1:$HTTP2_PORT" \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --seeds "$TMP/seeds" "$@" \
        "$DIR" 1
    python3 -c '
import json, sys
for line in open(sys.argv[1]):
    page = json.loads(line)
    print(page["url"], page["outcome"])' "$OUT" >"$TMP/outcomes"
}

@test "frames without an end are cut off, and the others go on" {
    cat >"$TMP/healthy.site" <<'END'
/
    links 50 /%d
/*
    body healthy
END
    start_playground --site "$TMP/healthy.site"
    serve_http2 flood
    crawl_both
    same 0 "$STATUS"
    same "https://hostile.test/ bad-http" "$(grep hostile "$TMP/outcomes")"
    same 51 "$(grep -c 'healthy.* fetched' "$TMP/outcomes")"
}

@test "a stream that is refused is asked for again twice at most" {
    start_playground
    serve_http2 refuse
    crawl_both --max-pages 1
    same "https://hostile.test/ connection-lost" "$(grep hostile "$TMP/outcomes")"
    [ "$(wc -l <"$TMP/requests")" -le 3 ] || fail "$(cat "$TMP/requests")"
}
