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
assert "inconclusive" not in report["findings"]["external"]
for item in report["findings"][sys.argv[2]]["items"]:
    print(item["url"], item.get("detail", ""), *[p.get("text", "") for p in item["places"]], sep=" | ")
END
}

# field PATH: a member of the report: "findings.external.count".
field() {
    python3 - "$TMP/report.json" "$1" <<'END'
import json, sys

at = json.load(open(sys.argv[1]))
for name in sys.argv[2].split("."):
    at = at[int(name)] if name.isdigit() else at.get(name)
print(at)
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
    run -0 "${LIMITED[@]}" "$CRAWLER" -q --links --scope host --delay 0 \
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

# stopped_check REQUESTS [OPTION...]: report --check-external, which two signals
# stop after so many requests to the other site. STATUS is its exit status.
stopped_check() {
    local count pid tries=0

    count=$(($(record_total a.example) + $1))
    shift
    TMPDIR=$TMP "$CRAWLER" report --check-external "$@" "$DIR" \
        >"$TMP/report.json" 3>&- &
    pid=$!
    until [ "$(record_total a.example)" -ge "$count" ]; do
        [ $((tries++)) -lt $((LIMIT * 20)) ] || fail "nothing is asked" || return
        sleep 0.05
    done
    kill -TERM "$pid"
    kill -INT "$pid"
    STATUS=0
    wait "$pid" || STATUS=$?
}

@test "a check that is stopped says how many pages were not asked, and is no pass" {
    serve <<'END'
/
    links 2 http://a.example/1/%d
    links 38 http://a.example/2/%d
/1/* 404
/2/*
    delay 10m
END
    run -0 fetch 0 -q --links
    # robots.txt, then HEAD and GET of two pages.
    stopped_check 5 --format json
    same 0 "$STATUS" "status"
    same False "$(field external_checked)"
    broken=$(field findings.external.count)
    [ "$broken" -gt 0 ] || fail "nothing was asked"
    same "not all pages of other sites were asked for, $((40 - broken)) pages left" \
        "$(field findings.external.inconclusive)"
    # Where nothing is known nothing has passed.
    stopped_check 1 --fail-on external
    same 1 "$STATUS" "status with --fail-on external"
    grep -qxE '  inconclusive: not all pages of other sites were asked for, [34][0-9] pages left' \
        "$TMP/report.json" || fail "$(cat "$TMP/report.json")"
    ! grep -q 'Nothing is wrong' "$TMP/report.json" || fail "it says that all is well"
    same "" "$(find "$TMP" -maxdepth 1 -name 'crawler-check-*')"
}

@test "links out of the scope are asked whatever their rel; those in it are not" {
    serve <<'END'
/
    body <a href=http://a.example/missing rel=nofollow>1</a><a href=/in rel=nofollow>2</a>
    body <a href=/page>3</a><a href=http://b.example/both rel="ugc nofollow">4</a>
/page
    body <meta name=robots content=nofollow><a href=http://a.example/meta>5</a>
    body <a href=http://b.example/both>6</a><a href=/in>7</a>
/in 404
/missing 404
/meta 404
/both 404
END
    run -0 fetch 2 -q --links --robots obey
    run -0 "$CRAWLER" report "$DIR"
    [[ $output == *"7 links, 4 of them to other sites"* ]] || fail "$output"
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    diff -u - <(judged external) <<'END'
http://a.example/meta | 404 Not Found | 5
http://a.example/missing | 404 Not Found | 1
http://b.example/both | 404 Not Found | 4 | 6
END
    same "HEAD GET" "$(methods /both b.example)"
    same "" "$(methods /in)" "in the scope"
    # A page of another site is no page of this one that was left out.
    same "not all links were followed, 1 URL that pages ask not to follow" \
        "$(field findings.broken.inconclusive)"
}

@test "a chain of redirects beyond the limit is broken on other sites, too" {
    serve <<'END'
//example.org/
    body <a href=http://other.example/1>1</a><a href=http://other.example/2>2</a>
//other.example/1 302
    redirect /1/1
//other.example/1/1 302
    redirect /1/2
//other.example/1/2 302
    redirect /1/3
//other.example/2 302
    redirect /2/1
//other.example/2/1 302
    redirect /2/2
//other.example/2/2
    body Yes.
END
    run -0 fetch 1 -q --links --max-redirects 2
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    diff -u - <(judged external) <<'END'
http://other.example/1 | at the end of too many redirects | 1
END
    diff -u /dev/null <(judged unknown)
}

@test "a page of another site behind a redirect is asked for, too" {
    serve <<'END'
//example.org/
    body <a href=/gone>1</a><a href=/hop>2</a><a href=/fine>3</a>
    body <a href=http://other.example/404>4</a><a href=/hop#part>5</a>
//example.org/gone 301
    redirect http://other.example/404
//example.org/hop 302
    redirect /hop2
//example.org/hop2 302
    redirect http://other.example/moved#there
//example.org/fine 302
    redirect http://other.example/fine
//other.example/404 404
//other.example/moved 301
    redirect /403
//other.example/403 403
//other.example/fine
    body Yes.
END
    run -0 fetch 1 -q --links
    run -0 "$CRAWLER" report "$DIR"
    [[ $output == *$'\n  http://example.org/gone  301 to http://other.example/404\n'* ]] ||
        fail "$output"
    [[ $output == *"/hop  302 to http://example.org/hop2, 302 to http://other.example/moved"$'\n'* ]] ||
        fail "$output"
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    diff -u - <(judged external) <<'END'
http://other.example/404 | 404 Not Found | 4 | 1
END
    diff -u - <(judged unknown) <<'END'
http://other.example/moved | 403 Forbidden | 2 | 5
END
    same "{'page': 1, 'url': 'http://example.org/', 'text': '1', 'via': 'http://example.org/gone'}" \
        "$(field findings.external.items.0.places.1)"
    same "http://example.org/hop" "$(field findings.unknown.items.0.places.0.via)"
    same "HEAD GET" "$(methods /404 other.example)"
    same "HEAD" "$(methods /fine other.example)"
    same 1 "$(field external_links)" "links to other sites"
}

@test "a page of another site to which a URL of the sitemap leads is asked for" {
    serve <<'END'
//example.org/
    body Yes.
//example.org/map
    type text/xml
    body <urlset><url><loc>http://example.org/listed</loc></url>
    body <url><loc>http://example.org/loop</loc></url></urlset>
//example.org/loop 302
    redirect /loop
//example.org/listed 302
    redirect http://other.example/gone
//other.example/gone 404
END
    run -0 fetch 1 --sitemap http://example.org/map -q --links
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    same "http://other.example/gone" "$(judged external | cut -d' ' -f1)"
    same "[{'named_by': 'in the sitemap', 'via': 'http://example.org/listed'}]" \
        "$(field findings.external.items.0.places)"
}

@test "redirects to more targets than can be remembered make the check inconclusive" {
    local long

    long=$(printf '%08000d' 0)
    serve <<END
//example.org/
    links 2200 /r/%d
//example.org/r/* 302
    redirect http://other.example/$long
END
    run -0 fetch 1 -q --links
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    same False "$(field external_checked)"
    [[ $(field findings.external.inconclusive) =~ \
        ^"not all pages of other sites were asked for, "[1-9][0-9]+" links through redirects that are too many to remember"$ ]] ||
        fail "$(field findings.external.inconclusive)"
    same HEAD "$(methods "/$long" other.example | cut -d' ' -f1)"
}

# crawl_through PROXY: a page with one link to another site, by a playground that
# is the proxy at this URL, with its port added.
crawl_through() {
    serve <<'END'
//nowhere.invalid/
    body <a href=http://other.invalid/page>1</a>
//other.invalid/page 404
END
    run -0 "${LIMITED[@]}" "$CRAWLER" -q --links --scope host --delay 0 --robots ignore \
        --proxy "$1:$PORT" http://nowhere.invalid/ "$DIR" 0
}

@test "after a crawl through a proxy with a password the check wants it again" {
    local proxy=http://me:t0pS3cret@127.0.0.1

    crawl_through "$proxy"
    run -2 "$CRAWLER" report --check-external "$DIR"
    same "crawler: the crawl was begun with --proxy=(not kept); give it again" "$output"
    "$CRAWLER" report --format json --check-external --proxy "$proxy:$PORT" "$DIR" \
        >"$TMP/report.json"
    same "http://other.invalid/page | 404 Not Found | 1" "$(judged external)"
    same "HEAD GET" "$(methods /page other.invalid)"
    # Without the check it is not needed, and has no effect.
    run -0 "$CRAWLER" report "$DIR"
    run -2 "$CRAWLER" report --proxy "$proxy:$PORT" "$DIR"
    same "crawler: --proxy needs --check-external" "$output"
    run -2 "$CRAWLER" report --check-external --proxy "http//$PORT" "$DIR"
    [[ $output == *"--proxy must be a URL"* ]] || fail "$output"
}

@test "the check goes through the proxy of the crawl, or through one that is given now" {
    crawl_through http://127.0.0.1
    run -1 "$CRAWLER" report --check-external --fail-on external "$DIR"
    same 2 "$(record_count /page)" "requests of the proxy of the crawl"
    first=$RECORD
    serve <<'END'
//other.invalid/page
    body Yes.
END
    run -0 "$CRAWLER" report --check-external --fail-on external,unknown \
        --proxy "http://127.0.0.1:$PORT" "$DIR"
    same 1 "$(record_count /page)" "requests of the other"
    same 2 "$(grep -c $'\t/page\t' "$first")" "requests of the first"
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

@test "what only link elements and forms name is asked for, on the site, too" {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /closed
/
    body <link rel=canonical href=/gone><link rel=next href=/there><link rel=prev href=/closed/x>
    body <link rel=alternate href=http://a.example/gone><link rel=help href=/moved>
    body <form action=/gone></form><form action=/asks></form><form action=http://a.example/asks></form>
    body <form action=/posted method=post></form><a href=http://a.example/gone>1</a>
/gone 404
/there
    body Yes.
/asks 400
/moved 301
    redirect /gone
/posted 404
/*
    body A page.
END
    run -0 fetch 1 -q --links --robots obey
    same "/ /robots.txt" "$(record_column path | LC_ALL=C sort | xargs)"
    "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    diff -u - <(judged link-element) <<'END'
http://a.example/gone | 404 Not Found | alternate
http://example.org/gone | 404 Not Found | canonical
http://example.org/moved | 404 Not Found | help
END
    diff -u - <(judged form) <<'END'
http://example.org/gone | 404 Not Found | 
END
    diff -u - <(judged external) <<'END'
http://a.example/gone | 404 Not Found | 1
END
    diff -u - <(judged unknown) <<'END'
http://a.example/asks | 400 Bad Request | 
http://example.org/asks | 400 Bad Request | 
http://example.org/closed/x | forbidden by robots.txt | prev
END
    same "HEAD GET" "$(methods /gone example.org)"
    same "HEAD" "$(methods /there)"
    same "" "$(methods /posted)$(methods /closed/x)"
    same None "$(field findings.link-element.inconclusive)"
    run -1 "$CRAWLER" report --check-external --fail-on form "$DIR"
    run -0 "$CRAWLER" report --fail-on link-element,form "$DIR"
    [[ $output == *"(link-element): 0"*"inconclusive: 5 links to pages that were not asked for (--check-external)"* ]] || fail "$output"
}

@test "parts of pages of other sites are looked for, in pages that are read for that" {
    serve <<'END'
/
    body <a href=http://a.example/page#there>1</a><a href=http://a.example/page#not>2</a>
    body <a href="http://a.example/page#caf%C3%A9">3</a><a href=http://a.example/page#top>4</a>
    body <a href=http://a.example/page#/route>5</a><a href=http://a.example/page#of-user>6</a>
    body <a href=http://a.example/plain>7</a><a href=http://b.example/file.pdf#page=2>8</a>
    body <a href=http://b.example/old#not>9</a><a href=http://b.example/moved#not>10</a>
    body <a href=http://b.example/gone#x>11</a><a href=http://b.example/405>12</a>
    body <a href=http://c.example/noindex#x>13</a><a href=/out#there>14</a><a href=/out-to#there>15</a>
    body <a href=http://c.example/closed/x#y>16</a><a href="http://a.example/page#not">again</a>
    body <form action=http://a.example/plain#x></form>
//example.org/out 302
    redirect http://a.example/page
//example.org/out-to 302
    redirect http://a.example/page#elsewhere
/page
    body <p id=there><a name=caf&eacute;></a><h2 id=user-content-of-user>
/plain
    body Plain.
/file.pdf
    type application/pdf
    body x
/old 301
    redirect /new
/moved 301
    redirect /new#here
/new
    body <p id=here>
/gone 404
HEAD /405 405
/405
    repeat 50000000 x
/noindex
    body <meta name=robots content=noindex><p id=x>
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /closed
END
    run -0 fetch 1 -q --links
    "$CRAWLER" report --format json "$DIR" >"$TMP/report.json"
    same "--check-external was not given" "$(field findings.external-fragment.not_checked)"
    run -0 "$CRAWLER" report "$DIR"
    [[ $output != *external-fragment* ]] || fail "$output"
    run -2 "$CRAWLER" report --fail-on external-fragment "$DIR"
    TMPDIR=$TMP "$CRAWLER" report --format json --check-external "$DIR" >"$TMP/report.json"
    diff -u - <(judged external-fragment) <<'END'
http://a.example/page#elsewhere |  | 15
http://a.example/page#not |  | 2 | again
http://b.example/new#not |  | 9
END
    same "http://example.org/out-to" \
        "$(jq -r '.findings["external-fragment"].items[0].places[0].via' "$TMP/report.json")"
    same "1 link to pages whose ids are not known" "$(field findings.external-fragment.inconclusive)"
    same 0 "$(field findings.fragment.count)"
    same "http://b.example/gone" "$(field findings.external.items.0.url)"
    while read -r where path expected; do
        same "$expected" "$(methods "$path" "$where")" "$path"
    done <<'END'
a.example /page HEAD GET
a.example /plain HEAD
b.example /file.pdf HEAD
b.example /old HEAD
b.example /moved HEAD
b.example /new HEAD GET
b.example /gone HEAD GET
b.example /405 HEAD GET
c.example /noindex HEAD GET
END
    # Nobody read fifty megabytes.
    [ "$(record_column bytes b.example | sort -n | tail -n 1)" -lt 30000000 ]
    run -1 "$CRAWLER" report --check-external --fail-on external-fragment "$DIR"
}
