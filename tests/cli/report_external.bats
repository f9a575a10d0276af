#!/usr/bin/env bats
# crawler report --check-external: each page of another site is asked for
# once, as a crawl would.

load helper
load site

# The site has links to other hosts, all of which lead to the same playground.
crawl_linking() {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /closed
/
    body <a href=http://a.example/good>1</a><a href=http://a.example/missing>2</a>
    body <a href=http://a.example/missing#part>3</a><a href=http://b.example/403>4</a>
    body <a href=http://d.example/429>5</a><a href=http://b.example/old>6</a>
    body <a href=http://b.example/closed/x>7</a><a href=http://c.example/file.bin>8</a>
    body <a href=http://c.example/loop>9</a><a href=http://c.example/huge>10</a>
    body <a href=/in>in</a>
/in
    body <a href=http://a.example/missing>11</a>
/good
    body Yes.
/missing 404
    body No.
/403 403
    body No.
/429 429
    body No.
/old 301
    redirect /missing
/loop 302
    redirect /loop
/file.bin
    type application/octet-stream
    body x
/huge
    repeat 50000000 x
END
    run -0 fetch 2 -q --links --robots obey
}

# methods PATH HOST: those of its requests, in order.
methods() {
    record_lines | sort -n | awk -F '\t' -v path="$1" -v host="${2:-}" '
        $7 == path && (host == "" || $5 == host) { print $6 }' | xargs
}

judged() {
    python3 - "$TMP/report.json" "$1" <<'END'
import json, sys

report = json.load(open(sys.argv[1]))
assert report["external_checked"] is True
for item in report["findings"][sys.argv[2]]["items"]:
    print(item["url"], item["detail"], *[p["text"] for p in item["places"]], sep=" | ")
END
}

@test "pages of other sites: broken, unknown, or fine; each is asked for once" {
    crawl_linking
    before=$(record_total)
    TMPDIR=$TMP "$CRAWLER" report --format json --check-external "$DIR" \
        >"$TMP/report.json"
    diff -u - <(judged external) <<'END'
http://a.example/missing | 404 Not Found | 2 | 3 | 11
http://b.example/old | 404 Not Found | 6
http://c.example/loop | a redirect that leads nowhere | 9
END
    diff -u - <(judged unknown) <<'END'
http://b.example/403 | 403 Forbidden | 4
http://b.example/closed/x | forbidden by robots.txt | 7
http://d.example/429 | 429 Too Many Requests | 5
END
    same "HEAD GET" "$(methods /missing a.example)"
    same "HEAD" "$(methods /403 b.example)"
    same "" "$(methods /closed/x)"
    same "HEAD" "$(methods /huge c.example)"
    # Nothing is left, and nothing was written to the crawl.
    same "" "$(find "$TMP" -maxdepth 1 -name 'crawler-check-*')"
    run -0 "$CRAWLER" verify "$DIR"
    # The site itself is not asked again.
    same 1 "$(record_count / example.org)"
    [ "$(record_total)" -gt "$before" ]
    run -1 "$CRAWLER" report --check-external --fail-on external "$DIR"
}

@test "a site where nobody listens is broken, not unknown for want of its robots.txt" {
    serve <<'END'
/
    body <a href=http://127.0.0.1:1/x>dead</a>
END
    run -0 "$CRAWLER" -q --links --delay 0 --allow-private --scope host \
        "http://$ADDRESS/" "$DIR" 1
    TMPDIR=$TMP run -1 "$CRAWLER" report --check-external --fail-on external "$DIR"
    TMPDIR=$TMP "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    same "http://127.0.0.1:1/x | connection refused | dead" "$(judged external)"
    same "" "$(judged unknown)"
}

@test "HEAD is asked first, and GET only where the answer to HEAD says too little" {
    serve <<'END'
/
    body <a href=http://a.example/good>.</a><a href=http://a.example/coded>.</a>
    body <a href=http://b.example/405>.</a><a href=http://b.example/501>.</a>
    body <a href=http://b.example/404>.</a><a href=http://c.example/gone>.</a>
    body <a href=http://c.example/mute>.</a><a href=http://c.example/moved>.</a>
    body <a href=http://c.example/403>.</a><a href=http://d.example/429>.</a>
    body <a href=http://e.example/late>.</a><a href=http://f.example/503>.</a>
/good
    body Yes.
/coded
    encode gzip
    body Yes.
HEAD /405 405
/405
    body Yes.
HEAD /501 501
/501
    body Yes.
HEAD /404 404
/404
    body Yes.
/gone 410
HEAD /mute
    raw HTTP/1.1 200 OK\r\n
    cut 17
/mute
    body Yes.
HEAD /moved 404
/moved 301
    redirect /good
/403 403
/429 429
/503 503
/late
    delay 60s
END
    run -0 fetch 1 -q --links --timeout 6s
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    diff -u - <(judged external | cut -d'|' -f1,2) <<'END'
http://c.example/gone | 410 Gone 
END
    diff -u - <(judged unknown | cut -d'|' -f1) <<'END'
http://c.example/403 
http://d.example/429 
http://e.example/late 
http://f.example/503 
END
    while read -r where path expected; do
        same "$expected" "$(methods "$path" "$where")" "$path"
    done <<'END'
a.example /good HEAD
a.example /coded HEAD
b.example /405 HEAD GET
b.example /501 HEAD GET
b.example /404 HEAD GET
c.example /gone HEAD GET
c.example /mute HEAD GET
c.example /moved HEAD GET
c.example /good HEAD
c.example /403 HEAD
d.example /429 HEAD
f.example /503 HEAD
a.example /robots.txt GET
END
}

@test "a server that knows no HEAD is not in trouble: each HEAD has its GET at once" {
    serve <<'END'
/
    links 30 http://a.example/p/%d
HEAD /p/* 501
/p/*
    body Yes.
END
    run -0 fetch 1 -q --links
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    same "" "$(judged external)$(judged unknown)"
    same "$(printf 'HEAD GET %.0s' {1..30} | xargs)" \
        "$(record_column method a.example | tail -n +2 | xargs)" "methods, after robots.txt"
}

@test "without --check-external no other site is asked" {
    crawl_linking
    before=$(record_total)
    run -0 "$CRAWLER" report --fail-on slow "$DIR"
    [[ $output == *"11 of them to other sites, which were not checked (--check-external)"* ]]
    same "$before" "$(record_total)"
}

@test "the pause of the crawl holds for every host that is asked, between HEAD and GET, too" {
    serve <<'END'
/
    body <a href=http://a.example/1>.</a><a href=http://a.example/2>.</a><a href=http://a.example/3>.</a>
HEAD /2 405
/*
    body x
END
    run -0 fetch 1 -q --links --delay 300ms
    run -0 "$CRAWLER" report --check-external "$DIR"
    same 5 "$(record_total a.example)" "requests, with robots.txt"
    [ "$(record_min_gap_ms a.example)" -ge 300 ]
}

@test "a private address is not asked for, nor is the site's password sent" {
    serve <<'END'
/
    body Another server, on this machine.
END
    OTHER=$PORT OTHER_RECORD=$RECORD
    serve <<END
/
    body <a href=http://127.0.0.1:$OTHER/>.</a><a href=http://localhost:$OTHER/x>.</a><a href=http://a.example/>.</a>
END
    run -0 timeout "$LIMIT" "$CRAWLER" -q --links --scope host --delay 0 \
        --robots ignore --user me:secret --connect-to "example.org:80:127.0.0.1:$PORT" \
        --connect-to "a.example:80:127.0.0.1:$PORT" http://example.org/ "$DIR" 0
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    same "http://127.0.0.1:$OTHER/ http://localhost:$OTHER/x" \
        "$(judged unknown | cut -d' ' -f1 | xargs)"
    same 2 "$(judged unknown | grep -c 'a private address that was not named (--allow-private)')" \
        "$(judged unknown)"
    record_lines >"$TMP/requests"
    grep -q $'\ta.example\t' "$TMP/requests"
    same "" "$(grep -v $'\texample.org\t' "$TMP/requests" | grep -i authorization)"
    RECORD=$OTHER_RECORD
    same 0 "$(record_total)" "requests of the other server"
}

@test "pages of another site that stopped to answer before they were asked for are unknown" {
    serve <<'END'
/
    links 200 http://a.example/%d
/*
    body Yes.
END
    run -0 fetch 0 -q --links --delay 300ms
    TMPDIR=$TMP "$CRAWLER" report --check-external --format json "$DIR" \
        >"$TMP/report.json" 3>&- &
    local check=$! tries=0
    # robots.txt, and a page.
    until [ "$(record_total a.example)" -ge 2 ]; do
        [ $((tries++)) -lt $((LIMIT * 20)) ] || fail "nothing is asked"
        sleep 0.05
    done
    stop_playground
    wait "$check"
    python3 - "$TMP/report.json" <<'END'
import json, sys

found = json.load(open(sys.argv[1]))["findings"]
assert all("connection refused" in i["detail"] for i in found["external"]["items"]), found["external"]
assert 0 < found["external"]["count"] < 10, found["external"]
assert found["unknown"]["count"] > 5, found["unknown"]
assert all("given up" in i["detail"] for i in found["unknown"]["items"]), found["unknown"]
END
}
