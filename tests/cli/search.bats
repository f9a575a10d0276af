#!/usr/bin/env bats
# --search: a crawl that starts from the result page of a search engine. The
# playground plays the engine and the web.

load helper
load site

HTML='http://html.duckduckgo.com/html/?q={query}'
LITE='http://lite.duckduckgo.com/lite/?q={query}'

# The pages of the engine, the web behind it, and no robots.txt anywhere.
web() {
    cat <<'WEB'
/robots.txt 404
//html.duckduckgo.com/html/?q=parks
    body <<END
<!doctype html><html><body><form action="/html/" method="post"></form>
<div class="result results_links results_links_deep result--ad">
 <h2 class="result__title"><a class="result__a" href="http://ad-one.example/">Ad</a></h2></div>
<div class="result results_links web-result">
 <a rel="nofollow" class="result__a" href="http://direct.example/a?x=1&amp;y=2">Direct</a></div>
<div class="result web-result">
 <a class="result__a" href="//duckduckgo.com/l/?uddg=http%3A%2F%2Fuddg.example%2Fb%3Fc%3Dd%26e&amp;rut=0a1b">uddg</a>
 <a class="result__snippet" href="http://snippet.example/">not a title</a></div>
<div class="result web-result">
 <a class="result__a" href="//duckduckgo.com/l/?uddg=http%3A%2F%2Fdirect.example%2Fa%3Fx%3D1%26y%3D2&amp;rut=0">again</a></div>
<div class="result web-result">
 <a class="result__a" href="https://duckduckgo.com/y.js?ad_provider=x&amp;u3=http%3A%2F%2Fad-two.example">Ad</a></div>
<a href="http://footer.example/">Feedback</a>
</body></html>
END
//lite.duckduckgo.com/lite/?q=parks
    body <<END
<html><body><form action="/lite/" method="post"></form><table>
<tr class="result-sponsored"><td><a rel="nofollow" href="http://ad-one.example/" class='result-link'>Ad</a></td></tr>
<tr><td><a rel="nofollow" href="http://direct.example/a?x=1&amp;y=2" class='result-link'>Direct</a></td></tr>
<tr><td class='result-snippet'>text</td></tr>
<tr><td><a rel="nofollow" href="//duckduckgo.com/l/?uddg=http%3A%2F%2Fuddg.example%2Fb%3Fc%3Dd%26e" class='result-link'>uddg</a></td></tr>
</table></body></html>
END
//html.duckduckgo.com/html/?q=nothing
    body <form action="/html/"></form><div class="no-results">No results.</div>
    body <a href="http://footer.example/">Feedback</a>
//lite.duckduckgo.com/lite/?q=nothing
    body <form action="/lite/"></form><table><tr><td>No results.</td></tr></table>
//html.duckduckgo.com/html/?q=challenge
    body <div class="anomaly-modal__title">Unfortunately, bots use this too.</div>
    body <form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form>
//html.duckduckgo.com/html/?q=202 202
    body <div class="web-result"><a class="result__a" href="http://direct.example/">.</a></div>
//html.duckduckgo.com/html/?q=403 403
    body Forbidden
//html.duckduckgo.com/html/?q=429 429
    header Retry-After: 3600
    body Slow down.
//html.duckduckgo.com/html/?q=500 500
//html.duckduckgo.com/html/?q=404 404
//html.duckduckgo.com/html/?q=empty
//html.duckduckgo.com/html/?q=cut
    body <div class="web-result"><a class="result__a" href="http://direct.example/">.</a></div>
    cut 20
//html.duckduckgo.com/html/?q=circle 302
    redirect /html/?q=circle
//html.duckduckgo.com/html/?q=moved 302
    redirect http://lite.duckduckgo.com/lite/?q=moved
//lite.duckduckgo.com/lite/?q=moved 301
    redirect /lite/?q=parks
//html.duckduckgo.com/html/?q=nowhere 302
WEB
    cat
    printf '/*\n    body A page.\n'
}

# serve_web <MORE: the pages above, and these before the rest of the web.
serve_web() {
    serve < <(web)
}

# search QUERY [OPTION...]: crawl from the results; sets STATUS, OUT, ERR.
search() {
    local query=$1

    shift
    capture "${LIMITED[@]}" "$CRAWLER" --restart --connect-to "::127.0.0.1:$PORT" \
        --delay 0 --retries 0 --search "$query" --search-url "$HTML" "$@" \
        "$DIR" "${DEPTH:-0}"
}

# asked_of_engine: the paths that the engine was asked for.
asked_of_engine() {
    record_column path html.duckduckgo.com
}

# unchanged COMMAND...: it leaves $DIR as it was, times and all.
unchanged() {
    local before after

    before=$(find "$DIR" -printf '%P %s %T@ %m\n' | sort)
    "$@"
    after=$(find "$DIR" -printf '%P %s %T@ %m\n' | sort)
    same "$before" "$after" "what is in the directory after: $*"
}

# refused QUERY TEXT [OPTION...]: exit 4, one line that has this text, nothing
# on standard output, nothing written and nothing else asked for.
refused() {
    local query=$1 text=$2

    shift 2
    unchanged search "$query" "$@"
    same 4 "$STATUS" "exit status of a search for '$query'"
    silent "$OUT"
    same 1 "$(wc -l <"$ERR")" "lines of: $(cat "$ERR")"
    grep -qF "$text" "$ERR" || fail "'$text' is not in: $(cat "$ERR")"
    grep -qF "'$query'" "$ERR" || fail "the query is not in: $(cat "$ERR")"
    [ ! -e "$DIR/.crawler" ] || fail "$DIR/.crawler was made"
    same "" "$(record_column host | grep -v 'duckduckgo\.com$')" "others asked"
}

RESULTS='http://direct.example/a?x=1&y=2
http://uddg.example/b?c=d&e'

@test "--search reads the html form: direct and uddg links, each once, no ads" {
    serve_web </dev/null
    search parks
    same 0 "$STATUS"
    same "$RESULTS" "$(page_urls)"
    # One request of the engine, two robots.txt, two pages, nothing else.
    same "direct.example direct.example html.duckduckgo.com uddg.example uddg.example" \
        "$(record_column host | sort | xargs)"
}

@test "--search reads the lite form" {
    serve_web </dev/null
    search parks --search-url "$LITE"
    same 0 "$STATUS"
    same "$RESULTS" "$(page_urls)"
    same 1 "$(record_total lite.duckduckgo.com)"
}

@test "--search with another engine takes the links that lead away from it" {
    serve_web <<'END'
//find.example/s
    body <a href=/about>.</a><a href=http://www.find.example/help>.</a>
    body <a href=http://direct.example/>.</a><a href=http://uddg.example/>.</a>
END
    search "any words" --search-url 'http://find.example/s/{query}?again={query}'
    same 4 "$STATUS"
    search "any words" --search-url 'http://find.example/s?a={query}&b={query}'
    same 0 "$STATUS" "$(cat "$ERR")"
    same "http://direct.example/
http://uddg.example/" "$(page_urls)"
    same 1 "$(record_count '/s?a=any%20words&b=any%20words')"
}

@test "--search says that it is blocked: by 202, 403, 429 and by the challenge page with 200" {
    serve_web </dev/null
    for query in 202 403 429 challenge; do
        refused $query "was refused"
    done
    # A Retry-After of an hour was no reason to wait.
    same 4 "$(record_total)"
}

@test "--search without results says so" {
    serve_web </dev/null
    refused nothing "has no results"
    refused nothing "has no results" --search-url "$LITE"
    refused empty "has no results"
}

@test "--search says that the engine cannot be reached, or answers with an error" {
    serve_web </dev/null
    for query in 500 404 cut circle nowhere; do
        refused $query "could not be made"
    done
    same 11 "$(asked_of_engine | grep -c circle)" "ten redirects"
    PORT=1
    refused parks "could not be made"
    # The reason is told.
    grep -q 'connection refused' "$ERR"
}

@test "the three failures of --search have three messages" {
    serve_web </dev/null
    for query in 202 nothing 500; do
        search $query
        sed "s/'$query'//" "$ERR"
    done | sort -u >"$TMP/messages"
    same 3 "$(wc -l <"$TMP/messages")"
}

@test "a search that hangs ends with --timeout" {
    serve_web <<'END'
//slow.example/
    delay 30s
END
    unchanged search slow --timeout 300ms --search-url 'http://slow.example/?{query}'
    same 4 "$STATUS"
    grep -q 'took longer than --timeout' "$ERR"
}

@test "redirects of the search engine are followed, also to another host" {
    serve_web </dev/null
    search moved
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$RESULTS" "$(page_urls)"
    same "/lite/?q=moved /lite/?q=parks" \
        "$(record_column path lite.duckduckgo.com | xargs)"
    # Long addresses survive the way.
    long=$(printf 'x%.0s' {1..3000})
    cat >"$TMP/long.site" <<END
//long.example/start 302
    redirect http://long.example/$long?1
//long.example/$long?1 302
    redirect /lite/$long?2
//long.example/lite/$long?2
    body <a class=result-link href=http://direct.example/$long>.</a>
/robots.txt 404
/*
    body A page.
END
    start_playground --site "$TMP/long.site"
    search x --search-url 'http://long.example/start?{query}'
    same 0 "$STATUS" "$(cat "$ERR")"
    same "http://direct.example/$long" "$(page_urls)"
}

@test "--max-redirects holds for the search engine too" {
    serve_web </dev/null
    refused moved "could not be made" --max-redirects 1
    search moved --max-redirects 2
    same 0 "$STATUS"
}

@test "the query of --search is percent-encoded" {
    serve_web </dev/null
    for query in 'two words' 'a&b=c' 'caf'$'\xc3\xa9' '100%+"#?/' "x'y~z-._" \
        'uml '$'\xff' $'tab\tline\nend' '{query}'; do
        search "$query"
    done
    same '/html/?q=two%20words
/html/?q=a%26b%3Dc
/html/?q=caf%C3%A9
/html/?q=100%25%2B%22%23%3F%2F
/html/?q=x%27y~z-._
/html/?q=uml%20%FF
/html/?q=tab%09line%0Aend
/html/?q=%7Bquery%7D' "$(asked_of_engine)"
}

@test "--search with wrong arguments: exit 2, nothing asked, nothing written" {
    serve_web </dev/null
    bad() {
        unchanged capture "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --delay 0 "$@"
        same 2 "$STATUS" "exit status of: $*"
        same 1 "$(wc -l <"$ERR")" "lines of $(cat "$ERR")"
    }
    bad --search x --search-url http://s.example/ "$DIR" 0
    grep -qF '{query}' "$ERR"
    bad --search x --search-url 'ftp://s.example/{query}' "$DIR" 0
    bad --search x --search-url '{query}' "$DIR" 0
    bad --search x --search-url '' "$DIR" 0
    bad --search '' --search-url "$HTML" "$DIR" 0
    bad --search x --search-url "$HTML" "$DIR"
    bad --search x --search-url "$HTML" http://a.example/ http://b.example/ "$DIR" 0
    bad --search x --search-url "$HTML" "$TMP/missing" 0
    bad --search x --search-url "$HTML" "$DIR" many
    bad --search x --search-url "$HTML" "$DIR" -1
    bad --search "$(printf 'x%.0s' {1..20000})" --search-url "$HTML" "$DIR" 0
    bad --search x --search-url "$HTML" --order random "$DIR" 0
    bad --search x --search-url "$HTML" --max-per-domain 0 "$DIR" 0
    same 0 "$(record_total)"
}

@test "what a former crawl left is kept when the search fails" {
    serve_web </dev/null
    search parks
    same 2 "$(page_count)"
    for query in nothing 403 500; do
        unchanged search $query
        same 4 "$STATUS"
    done
}

# --- what it implies ---------------------------------------------------------

# A domain of seventy pages and more, that links to another one.
large() {
    cat <<'END'
//html.duckduckgo.com/html/?q=large
    body <div class=web-result><a class=result__a href=http://www.large.example/>.</a></div>
//www.large.example/
    links 70 http://www.large.example/%d
    body <a href=http://else.test/>.</a><a href=http://more.large.example/>.</a>
END
}

@test "--search implies any scope, priorities, fifty pages a domain, the pages' log" {
    serve_web < <(large)
    DEPTH=1 search large
    same 0 "$STATUS"
    # Fifty of the domain, and one of another; the domain's lock is one.
    same 51 "$(page_count)"
    same 50 "$(record_lines | cut -f 5,7 | grep 'large\.example' | grep -vc robots.txt)"
    same 1 "$(page_urls | grep -c else.test)"
    same "Timestamp	Priority	Depth	Size	URL" "$(head -n 1 "$OUT")"
    same 52 "$(wc -l <"$OUT")"
    same "10.00	0" "$(sed -n 2p "$OUT" | cut -f 2,3)"
}

@test "--max-per-domain, --log, --order and --scope override what --search implies" {
    serve_web < <(large)
    DEPTH=1 search large --max-per-domain 5
    same 6 "$(page_count)"
    DEPTH=1 search large --max-per-domain 1000
    same 73 "$(page_count)"
    DEPTH=1 search large --max-per-domain none
    same 73 "$(page_count)"
    DEPTH=1 search large --log tse --max-per-domain 2
    same " 0   Fetched: http://www.large.example/" "$(head -n 1 "$OUT")"
    DEPTH=1 search large --log json --max-per-domain 2
    head -n 1 "$OUT" | python3 -c 'import json, sys; json.load(sys.stdin)'
    DEPTH=1 search large -q
    silent "$OUT"
    silent "$ERR"
    DEPTH=1 search large --order bfs
    same "2.00" "$(tail -n +2 "$OUT" | cut -f 2 | sort -u)"
    # Of the domain; the other host's page comes when it comes.
    same http://www.large.example/1 \
        "$(cut -f 5 "$OUT" | grep -m 1 'large\.example/[0-9]')"
    DEPTH=1 search large --scope host
    same 50 "$(page_count)"
    same 0 "$(page_urls | grep -cv www.large)"
    DEPTH=1 search large --scope domain --max-per-domain 100
    same 72 "$(page_count)"
    before=$(record_count /robots.txt)
    DEPTH=1 search large --robots ignore --max-per-domain 2
    same "$before" "$(record_count /robots.txt)"
}

@test "--internal keeps the search results that begin so" {
    serve_web </dev/null
    search parks --internal http://uddg.example/
    same 0 "$STATUS" "$(cat "$ERR")"
    same 'http://uddg.example/b?c=d&e' "$(page_urls)"
    unchanged search parks --internal http://another.example/
    same 4 "$STATUS"
    grep -q "has no results that can be crawled" "$ERR"
}

@test "--search works beside seedURL and --seeds" {
    serve_web </dev/null
    echo http://from-file.example/ >"$TMP/seeds"
    capture "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --delay 0 --search parks \
        --search-url "$HTML" --seeds "$TMP/seeds" http://argument.example/ "$DIR" 0
    same 0 "$STATUS" "$(cat "$ERR")"
    same "http://argument.example/
$(head -n 1 <<<"$RESULTS")
http://from-file.example/
$(tail -n 1 <<<"$RESULTS")" "$(page_urls)"
}

# --- private addresses -------------------------------------------------------

@test "a search result does not make its host trusted: private addresses are refused" {
    serve_web </dev/null
    cat >"$TMP/private.site" <<END
//s.example/
    body <a class=result-link href=http://127.0.0.1:$PORT/secret>.</a>
    body <a class=result-link href=http://localhost:$PORT/secret>.</a>
    body <a class=result-link href=http://[::ffff:7f00:1]:$PORT/secret>.</a>
    body <a class=result-link href=http://2130706433:$PORT/secret>.</a>
//moved.example/ 302
    redirect http://127.0.0.1:$PORT/html/?q=parks
END
    private() {
        capture "$CRAWLER" --connect-to "s.example::127.0.0.1:$ENGINE" \
            --connect-to "moved.example::127.0.0.1:$ENGINE" --delay 0 --retries 0 \
            --log json --search x --search-url 'http://s.example/?{query}' "$@" \
            "$DIR" 0
    }
    web_record=$RECORD
    start_playground --site "$TMP/private.site"
    ENGINE=$PORT
    private
    same 4 "$STATUS"
    # The same address three times over is one URL.
    same "private-address private-address private-address" \
        "$(grep -o '"outcome":"[a-z-]*' "$OUT" | cut -d '"' -f 4 | xargs)"
    private --log tse
    same "IgnPriv" "$(awk '{ sub(/:$/, "", $2); print $2 }' "$OUT" | sort -u)"
    # Nor may the engine send us there.
    private --search-url 'http://moved.example/?{query}'
    same 4 "$STATUS"
    grep -q 'could not be made: a private address' "$ERR"
    RECORD=$web_record
    same 0 "$(record_total)" "requests to the private server"
    # Named by the user it is fine.
    private --allow-private
    same 0 "$STATUS"
}
