#!/usr/bin/env bats
# The playground's synthetic web: a crawl finds exactly what is there, whatever
# the order and the number of workers.

load helper
load site

# What makes a crawler wait is left to the tests that are about it.
WEB=(--web truth --hosts 200 --pages 2000 --size 2000)
# For tests that crawl it many times.
SMALL=(--web truth --hosts 100 --pages 1000 --size 1000)
CALM=(--flaky 0 --limited 0 --errors 0 --slow 0)

# crawl_web DEPTH OPTION...: from the first host's root into an empty $DIR.
crawl_web() {
    local depth=$1

    shift
    rm -rf "$DIR" && mkdir "$DIR"
    capture crawl --robots obey --scope any --delay 0 --per-host 20 --log none "$@" \
        http://d0.example/ "$DIR" "$depth"
    same 0 "$STATUS" "exit status with $*: $(cat "$ERR")"
}

# truth OPTION...: "URL DEPTH" of what must be saved, sorted.
truth() {
    "$PLAYGROUND" truth "$@" | awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort
}

# exactly FILE WHAT: $DIR has these pages and no other.
exactly() {
    page_depths | diff "$1" - >"$TMP/diff" ||
        fail "with $2: $(wc -l <"$TMP/diff") lines differ: $(head -n 5 "$TMP/diff")"
}

# exact_set FILE WHAT: the same, but for depths.
exact_set() {
    diff <(cut -d ' ' -f 1 "$1") <(page_urls) >"$TMP/diff" ||
        fail "with $2: $(wc -l <"$TMP/diff") lines differ: $(head -n 5 "$TMP/diff")"
    whole_pages "$(wc -l <"$1")"
}

# asked_twice: URLs that the record has more than once.
asked_twice() {
    record_lines | cut -f 5,7 | sort | uniq -d
}

@test "breadth-first with a depth: the same pages and depths with any workers" {
    start_playground "${SMALL[@]}" "${CALM[@]}"
    truth "${SMALL[@]}" "${CALM[@]}" --depth 3 >"$TMP/truth"
    # The test is one only if the depth matters.
    all=$(truth "${SMALL[@]}" "${CALM[@]}" | wc -l)
    [ "$(wc -l <"$TMP/truth")" -lt $((all * 9 / 10)) ]
    for workers in 1 8 80; do
        for threads in 1 2; do
            crawl_web 3 --order bfs --workers $workers --threads $threads
            exactly "$TMP/truth" "$workers workers, $threads threads"
        done
    done
}

@test "by priority without a limit: the same pages with any workers" {
    start_playground "${SMALL[@]}" "${CALM[@]}"
    truth "${SMALL[@]}" "${CALM[@]}" >"$TMP/truth"
    for workers in 1 8 80; do
        for threads in 1 2; do
            crawl_web 1000 --order priority --workers $workers --threads $threads
            exact_set "$TMP/truth" "$workers workers, $threads threads"
        done
    done
    crawl_web 1000 --order bfs --per-host 8
    exactly "$TMP/truth" "bfs, 8 per host"
}

@test "nothing is asked for twice, and nothing that is forbidden" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    "$PLAYGROUND" truth "${WEB[@]}" "${CALM[@]}" --all >"$TMP/all"
    crawl_web 1000 --order priority --per-host 4
    stop_playground
    same "" "$(asked_twice)" "asked twice"
    # All that there is to find, and robots.txt of every host.
    {
        awk -F '\t' '$3 != "disallowed" { print $2 }' "$TMP/all"
        "$PLAYGROUND" hosts "${WEB[@]}" "${CALM[@]}" |
            awk -F '\t' '{ print "http://" $1 "/robots.txt" }'
    } | LC_ALL=C sort -u >"$TMP/expected"
    tail -n +2 "$RECORD" | awk -F '\t' '{ print "http://" $5 $7 }' | LC_ALL=C sort |
        diff "$TMP/expected" - | head -n 5 >"$TMP/diff"
    silent "$TMP/diff"
}

@test "a web with 503, 429, 500, late answers, noindex, nofollow is crawled whole" {
    trouble=(--web trouble --hosts 60 --pages 800 --size 2000 --flaky 0.5%
        --limited 0.5% --errors 0.5% --slow 2% --slow-time 100ms --noindex 3%
        --nofollow 10% --broken 5% --redirects 8%)
    start_playground "${trouble[@]}"
    truth "${trouble[@]}" >"$TMP/truth"
    # There is some of each.
    for kind in flaky limited error noindex broken redirect file disallowed; do
        "$PLAYGROUND" truth "${trouble[@]}" --all | grep -q "	$kind$" ||
            fail "no $kind in this web"
    done
    crawl_web 1000 --order priority --retries 1 --per-host 2
    exact_set "$TMP/truth" trouble
}

@test "a crawl of a web that ignores robots.txt finds what it hides" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    truth "${WEB[@]}" "${CALM[@]}" --ignore-robots >"$TMP/truth"
    crawl_web 1000 --robots ignore
    exactly "$TMP/truth" "--robots ignore"
    [ "$(wc -l <"$TMP/truth")" -gt "$(truth "${WEB[@]}" "${CALM[@]}" | wc -l)" ]
}

@test "the scopes prefix, host and domain of a host in the middle have their pages" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    for scope in prefix host domain; do
        truth "${WEB[@]}" "${CALM[@]}" --start http://h4.d3.example/ \
            --scope $scope >"$TMP/truth"
        rm -rf "$DIR" && mkdir "$DIR"
        crawl --robots obey --scope $scope --delay 0 --log none \
            http://h4.d3.example/ "$DIR" 1000 2>/dev/null
        exactly "$TMP/truth" "--scope $scope"
    done
}

@test "crawler traps end at maxDepth" {
    traps=(--web traps --hosts 30 --pages 300 --size 1000 --traps 60%)
    start_playground "${traps[@]}" "${CALM[@]}"
    truth "${traps[@]}" "${CALM[@]}" --depth 7 >"$TMP/truth"
    crawl_web 7 --order bfs
    exactly "$TMP/truth" traps
    [ "$(wc -l <"$TMP/truth")" -gt 300 ] || fail "no trap was met"
}

@test "endless crawler traps end at --max-per-domain" {
    traps=(--web traps --hosts 30 --pages 300 --size 1000 --traps 60%)
    start_playground "${traps[@]}" "${CALM[@]}"
    crawl_web 100000 --order priority --max-per-domain 40
    requests_per_domain >"$TMP/counts"
    same 40 "$(sort -n "$TMP/counts" | tail -n 1 | cut -d ' ' -f 1)"
}

# requests_per_domain: "N DOMAIN" of page requests, by the record.
requests_per_domain() {
    record_lines | awk -F '\t' '$7 != "/robots.txt" {
        n = split($5, label, ".")
        count[label[n - 1] "." label[n]]++ }
        END { for (domain in count) print count[domain], domain }'
}

@test "--max-per-domain: no domain has more, all that can have as many" {
    start_playground "${WEB[@]}" "${CALM[@]}"
    crawl_web 1000 --order priority --max-per-domain 25 --per-host 4
    stop_playground
    requests_per_domain | sort -n >"$TMP/counts"
    same 25 "$(tail -n 1 "$TMP/counts" | cut -d ' ' -f 1)" "the most of a domain"
    # A domain that has enough pages was used up: its roots are all linked to.
    capped=$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["domains_capped"])' "$DIR/.crawler-stats.json")
    same "$capped" "$(grep -c '^25 ' "$TMP/counts")"
    [ "$capped" -ge 3 ]
}

@test "compressed or not, the saved bytes are the same" {
    small=(--web zip --hosts 10 --pages 150)
    start_playground "${small[@]}" "${CALM[@]}" --gzip 0
    crawl_web 1000
    find "$DIR" -name '[1-9]*' -exec md5sum {} + | cut -d ' ' -f 1 | sort >"$TMP/plain"
    bytes=$(record_column bytes | awk '{ n += $1 } END { print n }')
    start_playground "${small[@]}" "${CALM[@]}" --gzip 100%
    crawl_web 1000
    find "$DIR" -name '[1-9]*' -exec md5sum {} + | cut -d ' ' -f 1 | sort |
        cmp "$TMP/plain" -
    # And they were compressed.
    [ "$(record_column bytes | awk '{ n += $1 } END { print n }')" -lt $((bytes * 9 / 10)) ]
}

# --- only pages --------------------------------------------------------------

@test "what is not HTML is cut off as soon as its headers are in" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/a.pdf>.</a> <a href=/b.zip>.</a> <a href=/c>.</a> <a href=/d>.</a>
/a.pdf
    type application/pdf
    repeat 10000000 0123456789
/b.zip
    type application/zip
    chunked 65536
    endless 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
/c
    type
    bytes \x89PNG\r\n\x1a\n
    endless 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
/d
    type text/html; charset=utf-8
    body A page.
END
    fetch 1 --robots obey
    same "/ fetched
/a.pdf not-html
/b.zip not-html
/c not-html
/d fetched" "$(outcomes)"
    stop_playground
    # What was on the way already is all that was sent.
    most=$(record_column bytes | sort -n | tail -n 1)
    [ "$most" -lt 20000000 ] || fail "$most bytes were sent"
}

@test "an answer without a type is judged by its first bytes" {
    serve <<'END'
/robots.txt 404
/
    links 8 /%d
/1
    type
    body   <!-- a comment first --><html><a href=/from/1>.</a>
/2
    type unknown/unknown
    body <TITLE>x</TITLE>
/3
    type
    bytes GIF89a....
/4
    type
    body Only text, with <b>tags</b> later on.
/5
    type
    bytes %PDF-1.4
/6
    type text/plain
    body <html>
/7
    type application/xhtml+xml
    body <html xmlns="http://www.w3.org/1999/xhtml"><a href="/from/7">.</a></html>
/8
    type */*
    body <html>
/*
    body A page.
END
    fetch 2 --robots obey
    same "/ 0
/1 1
/2 1
/7 1
/8 1
/from/1 2
/from/7 2" "$(pages)"
    same 4 "$(outcomes | grep -c ' not-html$')"
}
