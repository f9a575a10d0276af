#!/usr/bin/env bats
# --from: the pages come out of an archive, by the rules of any crawl.

load helper

# add URL STATUS TYPE BODY [HEADER...]: a response at the end of $TMP/a.warc.
add() {
    local url=$1 status=$2 type=$3 body=$4 header
    local head="HTTP/1.1 $status X"$'\r\n'"Content-Type: $type"$'\r\n'

    shift 4
    for header; do head+=$header$'\r\n'; done
    printf '%s\r\n%b' "$head" "$body" >"$TMP/block"
    {
        printf 'WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n' "$url"
        printf 'WARC-Date: 2026-01-01T00:00:%02dZ\r\n' "$((SECOND = SECOND + 1))"
        [ -z "${FIELD:-}" ] || printf '%s\r\n' "$FIELD"
        printf 'Content-Length: %d\r\n\r\n' "$(stat -c %s "$TMP/block")"
        cat "$TMP/block"
        printf '\r\n\r\n'
    } >>"$TMP/a.warc"
}

# A site of a host that nobody has.
setup() {
    helper_setup
    SECOND=0
    local site=http://site.test
    add $site/robots.txt 200 text/plain 'User-agent: *\nCrawl-delay: 600\nDisallow: /secret\n'
    add $site/ 200 'text/html; charset=utf-8' \
        '<a href=/a/1>.</a><a href=/moved>.</a><a href=/secret>.</a><a href=/gone>.</a><a href=/missing>.</a><a href=/pic>.</a><a href=/busy>.</a>'
    add $site/a/1 200 text/html '20\r\n<a href=/a/2>.</a><a href=/b/3>.\r\n4\r\n</a>\r\n0\r\n\r\n' \
        'Transfer-Encoding: chunked'
    add $site/moved 301 text/html '' 'Location: /a/4'
    add $site/gone 404 text/html 'gone'
    add $site/pic 200 image/png 'png'
    add $site/busy 503 text/html 'busy' 'Retry-After: 600'
    add $site/secret 200 text/html 'secret'
    add $site/a/2 200 text/html 'old'
    add $site/a/2 200 text/html '<a href=/a/5>new</a>'
    add $site/b/3 200 text/html '<a href=/b/6>.</a>'
    add $site/a/4 200 text/html 'four'
    FIELD='WARC-Truncated: time' add $site/a/5 200 text/html 'fi'
    add $site/b/6 200 text/html 'six'
    SITE=$site/
}

# again DIR OPTION...: crawl out of the archive.
again() {
    local dir=$1

    mkdir -p "$dir"
    shift
    "${LIMITED[@]}" "$CRAWLER" --from "$TMP/a.warc" --log json "$@" \
        "$SITE" "$dir" 9 >"$TMP/log" 2>"$TMP/err"
}

# pages DIR: "number path depth" of every page file.
pages() {
    (cd "$1" && for file in $(printf '%s\n' [0-9]* | sort -n); do
        echo "$file $(sed -n '1s,^http://[^/]*,,p' "$file") $(sed -n 2p "$file")"
    done)
}

# outcomes: "path outcome" of every fetch.
outcomes() {
    python3 -c '
import json, sys
for line in open(sys.argv[1]):
    page = json.loads(line)
    print(page["url"].removeprefix("http://site.test"), page["outcome"])' "$TMP/log"
}

@test "a crawl out of an archive has its pages, its order and its outcomes, and no pause" {
    again "$TMP/p" --scope host
    same "1 / 0
2 /a/1 1
3 /a/4 1
4 /a/2 2
5 /b/3 2
6 /b/6 3" "$(pages "$TMP/p")"
    same '<a href=/a/2>.</a><a href=/b/3>.</a>' "$(tail -n +3 "$TMP/p/2")"
    same '<a href=/a/5>new</a>' "$(tail -n +3 "$TMP/p/4")"
    same "/ fetched
/a/1 fetched
/a/2 fetched
/a/4 fetched
/a/5 timed-out
/b/3 fetched
/b/6 fetched
/busy server-error
/gone client-error
/missing not-in-archive
/moved redirected
/pic not-html" "$(outcomes | LC_ALL=C sort)"
    "$CRAWLER" verify "$TMP/p"
}

@test "a second crawl, and one with many threads, is the same" {
    again "$TMP/p" --scope host --threads 1 --workers 1
    again "$TMP/q" --scope host --threads 1
    again "$TMP/r" --scope host --threads 4 --workers 40
    rm "$TMP"/[pqr]/.crawler*
    diff -r "$TMP/p" "$TMP/q"
    diff -r "$TMP/p" "$TMP/r"
}

@test "a smaller scope gives the part that it says" {
    again "$TMP/p" --scope host --robots ignore
    same "1 / 0
2 /a/1 1
3 /secret 1
4 /a/4 1
5 /a/2 2
6 /b/3 2
7 /b/6 3" "$(pages "$TMP/p")"
    SITE=http://site.test/a/1 again "$TMP/r" --scope prefix
    same "1 /a/1 0
2 /a/2 1" "$(pages "$TMP/r")"
}

@test "no name is looked up and nobody is connected to" {
    command -v strace >/dev/null || skip "strace is not installed"
    mkdir "$TMP/p"
    # What looks for leaks cannot do so under strace.
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -e trace=connect,sendto,sendmsg,sendmmsg -o "$TMP/calls" \
        "$CRAWLER" -q --from "$TMP/a.warc" --scope host "$SITE" "$TMP/p" 9
    ! grep -E 'connect|send' "$TMP/calls" || fail "it asks the network"
}

@test "a crawl out of an archive goes on after a stop" {
    again "$TMP/p" --scope host
    again "$TMP/q" --scope host --max-pages 3 || same 3 "$?"
    "${LIMITED[@]}" "$CRAWLER" --resume -q --max-pages none "$TMP/q"
    rm "$TMP"/[pq]/.crawler*
    diff -r "$TMP/p" "$TMP/q"
}

@test "a resume from another directory reads the same archive" {
    mkdir "$TMP/p" "$TMP/elsewhere"
    cd "$TMP"
    capture "$CRAWLER" -q --from a.warc --max-pages 3 --scope host "$SITE" "$TMP/p" 9
    same 3 "$STATUS"
    # The same command goes on too.
    capture "$CRAWLER" -q --from a.warc --max-pages 4 --scope host "$SITE" "$TMP/p" 9
    same 3 "$STATUS"
    cd "$TMP/elsewhere"
    "$CRAWLER" -q --resume --max-pages none "$TMP/p"
    same 6 "$(pages "$TMP/p" | wc -l)"
}

@test "why tells that a URL is not in the archive" {
    again "$TMP/p" --scope host
    "$CRAWLER" why "$TMP/p" http://site.test/missing | grep -F "not in the archive (--from)"
    SITE=http://other.test/ again "$TMP/q" --scope host || same 4 "$?"
    grep -F "not in the archive (--from)" "$TMP/err"
}

@test "an archive without a response, or none at all, is refused before anything is written" {
    mkdir "$TMP/p"
    : >"$TMP/empty"
    echo no >"$TMP/text"
    for name in none "$TMP/p" "$TMP/empty" "$TMP/text"; do
        capture "$CRAWLER" --from "$name" --scope host "$SITE" "$TMP/p" 1
        same 2 "$STATUS" "$name"
        same 1 "$(wc -l <"$ERR")" "$name"
        grep -F -e "--from $name" "$ERR"
        same "" "$(ls -A "$TMP/p")" "$name"
    done
}

@test "--from does not take what lies in the page directory, which --restart would remove" {
    again "$TMP/p" --scope host --wacz
    file=$(echo "$TMP"/p/archive/*.warc.gz)
    ln -s "$file" "$TMP/link.warc.gz"
    ln -s p "$TMP/linked"
    cp -r "$TMP/p" "$TMP/before"
    for name in "$TMP/p" "$TMP/linked" "$TMP/p/archive" "$file" "$TMP/link.warc.gz" \
        "$TMP/linked/archive/${file##*/}" "$TMP"/p/archive/*.wacz; do
        capture "$CRAWLER" --restart --warc --from "$name" --scope host "$SITE" "$TMP/p" 1
        same 2 "$STATUS" "$name"
        same "crawler: --from $name: it is the page directory itself, or in it; name another one for the new crawl" \
            "$(cat "$ERR")"
        diff -r "$TMP/before" "$TMP/p"
    done
    # Another name for the same bytes keeps them.
    ln "$file" "$TMP/own.warc.gz"
    "$CRAWLER" -q --restart --warc --from "$TMP/own.warc.gz" --scope host "$SITE" "$TMP/p" 1
    [ -s "$TMP/own.warc.gz" ]
}

@test "a damaged archive is read as far as it is good, with a line that says so" {
    printf 'WARC/1.1\r\nWARC-Type: resp' >>"$TMP/a.warc"
    again "$TMP/p" --scope host
    same 6 "$(pages "$TMP/p" | wc -l)"
    grep -E -e "--from $TMP/a.warc: at byte [0-9]+: the record is cut off" "$TMP/err"
}
