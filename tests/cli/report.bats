#!/usr/bin/env bats
# crawler report of what needs a server that stops, or one that speaks TLS. The
# rest of it is in tests/cases/report.case.

load helper
load site
load nginx

# found KIND: a line for each place where there is a finding of the kind, "URL |
# detail | page | text".
found() {
    "$CRAWLER" report --format json "$DIR" | python3 -c '
import json, sys
for item in json.load(sys.stdin)["findings"][sys.argv[1]]["items"]:
    for place in item["places"]:
        print(item["url"], item.get("detail", ""), place["url"], place["text"], sep=" | ")' "$1"
}

@test "pages that were never asked for are unknown, if their host had answered" {
    serve < <(
        echo /
        echo '    type text/html'
        for i in {1..30}; do echo "    body <a href=/p$i>$i</a>"; done
        for i in {1..30}; do printf '/p%d\n    body %d\n' "$i" "$i"; done
    )
    # At most a few of the pages are fetched before the server is gone.
    fetch 1 -q --links --delay 1s --retries 0 >"$TMP/out" 2>&1 &
    local crawl=$!
    until [ -e "$DIR/1" ]; do sleep 0.05; done
    stop_playground
    wait "$crawl"
    found unknown | cut -d ' ' -f 1 | sort >"$TMP/unknown"
    sqlite3 "$DIR/.crawler" "SELECT u.url FROM refusal r
        JOIN url u USING (number) JOIN verdict v ON v.code = r.verdict WHERE v.name = 'host-dead'" |
        sort >"$TMP/unasked"
    [ -s "$TMP/unasked" ]
    diff "$TMP/unasked" "$TMP/unknown"
    [ -n "$(found broken | grep 'connection refused')" ]
}

@test "mixed content: what pages of https load by http" {
    mkdir "$TMP/www"
    openssl ecparam -name prime256v1 -genkey -noout -out "$TMP/own.key"
    openssl req -x509 -new -key "$TMP/own.key" -subj "/CN=example.org" -days 3 \
        -addext "subjectAltName=DNS:example.org" -out "$TMP/own.pem" 2>/dev/null
    echo '<title>M</title><img src=http://example.org/i.png><script src=/s.js></script>
        <a href=http://example.org/>no mixed content</a> <a href=safe.html>nor there</a>' >"$TMP/www/index.html"
    start_nginx <<'END'
server {
    listen 127.0.0.1:@PORT1@ ssl;
    ssl_certificate @TMP@/own.pem;
    ssl_certificate_key @TMP@/own.key;
    root @TMP@/www;
    location = /safe.html {
        add_header Content-Security-Policy "img-src *; upgrade-insecure-requests";
    }
}
END
    echo '<title>S</title><img src=http://example.org/i.png>' >"$TMP/www/safe.html"
    run -0 fetch 1 -q --links --insecure https://example.org/
    same 2 "$(page_count)"
    same "http://example.org/i.png |  | https://example.org/ | image" "$(found mixed)"
}
