#!/usr/bin/env bats
# --resume --retry-failed: pages that failed and may answer later are asked for
# again, and nothing else is.

load helper
load site

# Pages of example.org link to down.example.org, where nobody listens at first.
web() {
    serve <<'END'
//down.example.org/
    body <a href=/more>.</a>
//down.example.org/*
    body Here I am.
/
    body <a href=/a>.</a><a href=/missing>.</a><a href=http://down.example.org/>.</a>
    body <a href=http://down.example.org/1>.</a>
/a
    body <a href=http://down.example.org/2>.</a><a href=http://down.example.org/old>.</a>
/missing 404
END
}

DOWN=(--connect-to down.example.org::127.0.0.1:1)

# try OPTION...: the crawl, as long as down.example.org is down.
try() {
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --delay 0 --retries 0 --log none \
        --scope domain "${DOWN[@]}" --connect-to "::127.0.0.1:$PORT" "$@" http://example.org/ "$DIR" 5
}

# again OPTION...: go on, with all servers up but those that OPTIONs lead away.
again() {
    capture "${LIMITED[@]}" "$CRAWLER" --resume --retry-failed "$@" \
        --connect-to "::127.0.0.1:$PORT" "$DIR"
}

# state SQL: ask the record.
state() {
    sqlite3 "$DIR/.crawler" "$1"
}

# ends: "STATE COUNT" of all URLs.
ends() {
    state "SELECT state || ' ' || count(*) FROM urls GROUP BY state ORDER BY 1" |
        paste -sd ' '
}

@test "--retry-failed asks again for pages that may answer now, and for nothing else" {
    web
    try
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "failed 5 saved 2" "$(ends)"
    grep -qx "4 URLs failed and may answer later" "$ERR"
    grep -qx "ask again: crawler --resume --retry-failed $DIR" "$ERR"
    "$CRAWLER" status "$DIR" | grep -qx "  go on    crawler --resume --retry-failed $DIR"

    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "failed 1 saved 7" "$(ends)"
    stop_playground
    for path in / /a /missing; do
        same 1 "$(record_count "$path" example.org)" "$path"
    done
    for path in / /more /1 /2 /old; do
        same 1 "$(record_count "$path" down.example.org)" "$path"
    done
    whole_pages 7
    "$CRAWLER" verify "$DIR"
    same "http://example.org/missing client-error" \
        "$(state "SELECT url || ' ' || outcome FROM errors")"
    run ! grep -q "ask again" "$ERR"
    run ! grep -q "go on" <("$CRAWLER" status "$DIR")
    "$CRAWLER" status "$DIR" | grep -q '0 redirected, 1 failed, 0 refused$'
    "$CRAWLER" why "$DIR" http://down.example.org/1 | grep -q 'was fetched as page'
    # Depths are as if nothing had been down.
    same "http://down.example.org/ 1 http://down.example.org/1 1 http://down.example.org/2 2 http://down.example.org/more 2" \
        "$(page_depths | grep down | grep -v old | paste -sd ' ')"
}

@test "pages that fail once more can be asked for once more" {
    web
    try
    same "failed 5 saved 2" "$(ends)"
    for _ in 1 2; do
        again "${DOWN[@]}"
        same 0 "$STATUS" "status: $(cat "$ERR")"
        same "failed 5 saved 2" "$(ends)"
        "$CRAWLER" verify "$DIR"
        grep -qx "4 URLs failed and may answer later" "$ERR"
    done
    again
    same "failed 1 saved 7" "$(ends)"
}

@test "pages that answered 5xx or cut the connection are asked for again, redirects are not" {
    serve <<'END'
/
    body <a href=/broken>.</a><a href=/cut>.</a><a href=/old>.</a>
/broken 500
    times 1
/broken
    body Well again.
/cut
    times 1
    body Cut off.
    cut 0
/cut
    body Whole.
/old
    redirect /moved
/moved 503
    times 1
/moved
    body Moved.
END
    capture crawl --delay 0 --retries 0 --log none --scope host http://example.org/ "$DIR" 5
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "failed 3 redirected 1 saved 1" "$(ends)"
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "redirected 1 saved 4" "$(ends)"
    "$CRAWLER" verify "$DIR"
    stop_playground
    same 1 "$(record_count /old)" "the redirect"
}

@test "a crawl without a single page goes on with --retry-failed" {
    web
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --delay 0 --retries 0 --log none \
        --scope host "${DOWN[@]}" http://down.example.org/ "$DIR" 5
    same 4 "$STATUS" "status: $(cat "$ERR")"
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "saved 2" "$(ends)"
    "$CRAWLER" verify "$DIR"
}

@test "a run with --retry-failed that is killed loses no page" {
    web
    try
    for _ in 1 2 3 4 5 6; do
        timeout --foreground -s KILL "0.0$((RANDOM % 9 + 1))" "$CRAWLER" -q --resume \
            --retry-failed --connect-to "::127.0.0.1:$PORT" --save-every 1ms --delay 5ms "$DIR" || :
    done
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "failed 1 saved 7" "$(ends)"
    "$CRAWLER" verify "$DIR"
    pages_are_whole 7
}

@test "a crawl that was stopped goes on with what is queued and what failed" {
    serve <<'END'
/
    body <a href=http://down.example.org/1>.</a><a href=/a>.</a>
/a
    body <a href=/b>.</a>
/b
    body <a href=/c>.</a>
/*
    body A page.
END
    # All of depth 1 has ended before /b is asked for.
    try --max-pages 3
    same 3 "$STATUS" "status: $(cat "$ERR")"
    same "failed 1 queued 1 saved 3" "$(ends)"
    run ! grep -q "ask again" "$ERR"
    again --max-pages none
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "saved 5" "$(ends)"
    "$CRAWLER" verify "$DIR"
}

@test "a host whose robots.txt could not be had is asked for it again" {
    web
    try --robots obey
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "failed 5 saved 2" "$(ends)"
    again
    same "failed 1 saved 7" "$(ends)"
    "$CRAWLER" verify "$DIR"
    stop_playground
    same 1 "$(record_count /robots.txt down.example.org)" "robots.txt"
}

@test "Retry-After holds for pages that are asked for again" {
    serve <<'END'
/
    links 12 /busy/%d
/busy/* 429
    header Retry-After: 2
END
    try --per-host 12
    same "failed 12 saved 1" "$(ends)"
    "$CRAWLER" status "$DIR" | grep -q 'dead .*given up'
    serve <<'END'
/busy/*
    body Not busy any more.
END
    again
    same "saved 13" "$(ends)"
    "$CRAWLER" verify "$DIR"
}

@test "what --max-per-domain would refuse stays as it failed" {
    web
    try --max-per-domain 3
    same 0 "$STATUS" "status: $(cat "$ERR")"
    before=$(ends)
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "$before" "$(ends)"
    run ! grep -q "ask again" "$ERR"
}

@test "a page that gave way to a URL that fails again is saved once" {
    serve <<'END'
/
    body <a href=/copy>.</a><a href=/other>.</a>
/copy
    body <link rel=canonical href=http://down.example.org/>A page.
/other
    body <link rel=canonical href=http://down.example.org/>Another page.
//down.example.org/
    body The page itself.
END
    try --canonical
    same 2 "$(page_count)" "pages: the start and the copy"
    for _ in 1 2; do
        again "${DOWN[@]}"
        same 0 "$STATUS" "status: $(cat "$ERR")"
        "$CRAWLER" verify "$DIR"
    done
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "http://down.example.org/ http://example.org/ http://example.org/copy" \
        "$(page_urls | paste -sd ' ')"
    "$CRAWLER" verify "$DIR"
}

@test "thousands of failures are asked for again with a small queue in memory" {
    serve <<'END'
/
    links 3000 http://down.example.org/%d
//down.example.org/*
    body A page.
END
    try --queue-memory 64K
    same "failed 3000 saved 1" "$(ends)"
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "saved 3001" "$(ends)"
    "$CRAWLER" verify "$DIR"
    stop_playground
    same 3001 "$(record_total)" "requests"
}

@test "stopped and gone on with after --retry-failed, in priority order, nothing is lost" {
    web
    try --order priority --workers 1
    again --max-pages 4
    same 3 "$STATUS" "status: $(cat "$ERR")"
    capture "${LIMITED[@]}" "$CRAWLER" --resume --max-pages none "$DIR"
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "failed 1 saved 7" "$(ends)"
    "$CRAWLER" verify "$DIR"
}

@test "report and export of a crawl whose failures were asked for again have each page once" {
    web
    try --links
    again
    for format in sitemap links jsonl; do
        "$CRAWLER" export --format $format "$DIR" >"$TMP/again.$format"
    done
    "$CRAWLER" report --format json "$DIR" >"$TMP/again.json"
    same "http://example.org/missing" "$(python3 -c '
import json, sys
print(*[item["url"] for item in json.load(open(sys.argv[1]))["findings"]["broken"]["items"]])' \
        "$TMP/again.json")"
    rm -r "$DIR"
    mkdir "$DIR"
    DOWN=()
    try --links
    for format in sitemap links; do
        "$CRAWLER" export --format $format "$DIR" >"$TMP/once.$format"
        diff <(sed 's/<lastmod>.*//' "$TMP/once.$format" | sort) \
            <(sed 's/<lastmod>.*//' "$TMP/again.$format" | sort)
    done
    same 7 "$(wc -l <"$TMP/again.jsonl")" "pages"
}

@test "a crawl that replaces no other does not tell how to ask for the other's failures" {
    web
    try
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --delay 0 --retries 0 \
        --log none --scope host "${DOWN[@]}" http://down.example.org/ "$DIR" 5
    same 4 "$STATUS" "status: $(cat "$ERR")"
    run ! grep -q "ask again" "$ERR"
    same "failed 5 saved 2" "$(ends)"
}

@test "an archive goes on with --retry-failed, with requisites and sitemaps" {
    serve <<'END'
//down.example.org/sitemap.xml
    type application/xml
    body <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://example.org/lonely</loc></url></urlset>
//down.example.org/style.css
    type text/css
    body p { color: red }
/
    body <link rel=stylesheet href=http://down.example.org/style.css><a href=/a>.</a>
/*
    body A page.
END
    try --warc --requisites --sitemap http://down.example.org/sitemap.xml
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same 2 "$(page_count)" "pages"
    grep -qx "2 URLs failed and may answer later" "$ERR"
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same 3 "$(page_count)" "pages"
    same "saved" "$(state "SELECT state FROM requisites")"
    "$CRAWLER" verify "$DIR"
    same 5 "$(state "SELECT count(*) FROM captures WHERE status = 200")" "captures"
}

@test "a crawl of an archive tells nothing of asking again" {
    serve <<'END'
/
    body <a href=/broken>.</a><a href=/a>.</a>
/broken 503
/a
    body A page.
END
    try --warc
    grep -qx "1 URL failed and may answer later" "$ERR"
    mkdir "$TMP/from"
    run -3 --separate-stderr "$CRAWLER" --from "$DIR" --scope host --log none --max-pages 1 \
        http://example.org/ "$TMP/from" 5
    run -0 --separate-stderr "$CRAWLER" --resume --max-pages none "$TMP/from"
    [[ $stderr == *"2 pages saved"*", 1 failed"* ]] || fail "$stderr"
    [[ $stderr != *"ask again"* ]] || fail "$stderr"
    run -1 grep "go on" <("$CRAWLER" status "$TMP/from")
}

@test "a crawl in which nothing failed has nothing to ask again" {
    web
    capture crawl --delay 0 --log none --scope domain http://example.org/ "$DIR" 5
    same "failed 1 saved 7" "$(ends)"
    before=$(record_total)
    again
    same 0 "$STATUS" "status: $(cat "$ERR")"
    same "failed 1 saved 7" "$(ends)"
    same "$before" "$(record_total)" "requests"
}

@test "--retry-failed without --resume is refused, and counts for one run only" {
    web
    capture "$CRAWLER" --retry-failed --scope host http://example.org/ "$DIR" 5
    refused "--retry-failed needs --resume"
    capture "$CRAWLER" --retry-failed "$DIR"
    refused "--retry-failed needs --resume"
    [ ! -e "$DIR/.crawler" ]
    try
    again "${DOWN[@]}"
    before=$(record_total)
    capture "${LIMITED[@]}" "$CRAWLER" --resume --connect-to "::127.0.0.1:$PORT" "$DIR"
    same 0 "$STATUS"
    grep -q "is finished: 2 pages; --retry-failed asks again for 4 URLs that failed, --restart" "$ERR"
    same "$before" "$(record_total)" "requests"
    same "failed 5 saved 2" "$(ends)"
}

@test "secrets of a finished crawl are asked for with --retry-failed" {
    web
    try -H 'X-Api-Key: sesame'
    same 0 "$STATUS" "status: $(cat "$ERR")"
    again
    refused "the crawl was begun with --header"
    again -H 'X-Api-Key: sesame'
    same "failed 1 saved 7" "$(ends)"
}
