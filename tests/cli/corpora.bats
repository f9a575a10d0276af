#!/usr/bin/env bats
# Full crawls of real sites, served by nginx. The list of pages that must be
# found is not ours: conformance data, computed by other parsers. It is of one
# version of a package; of another one only what needs no list is checked.

load helper
load nginx

CORPORA=$CONFORMANCE/corpora

# The sanitizers make a crawl many times slower; one site shows what they can
# find. CORPORA_ALL=1 crawls the others too.
needs_speed() {
    case $CRAWLER in
    */build/asan* | */build/tsan*)
        [ -n "${CORPORA_ALL:-}" ] || skip "too slow in this build"
        ;;
    esac
}

# serve_corpus NAME PACKAGE: nginx with that site. Sets ROOT and START.
serve_corpus() {
    local folder

    needs_conformance "corpora/$1.json"
    folder=$("$PROJECT/tools/get-corpus" "$2" 2>/dev/null) ||
        skip "the Debian package $2 cannot be had"
    ROOT=$folder/$(corpus_fact "$1" root)
    START=$(corpus_fact "$1" start)
    start_nginx <<END
server {
    listen 127.0.0.1:@PORT1@;
    root $ROOT;
    absolute_redirect off;
}
END
}

corpus_fact() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
        "$CORPORA/$1.json" "$2"
}

# has_list NAME: are the files in ROOT those that the data is about?
has_list() {
    same "$(corpus_fact "$1" html_files) $(corpus_fact "$1" html_bytes)" \
        "$(find "$ROOT" \( -name '*.html' -o -name '*.htm' \) -type f -printf '%s\n' |
            awk '{ n++; bytes += $1 } END { printf "%d %.0f\n", n, bytes }')" 2>/dev/null
}

# crawl_corpus PER_HOST DIR
crawl_corpus() {
    rm -rf "$2"
    mkdir "$2"
    crawl --log none --scope host --delay 0 --per-host "$1" \
        "http://corpus.example$START" "$2" 100
}

# check_corpus NAME DIR: every page is there once, with the bytes of its file,
# under numbers without holes. Prints "path depth" of all, sorted.
check_corpus() {
    local list=

    has_list "$1" && list=$CORPORA/$1
    python3 - "$list" "$2" "$ROOT" <<'END'
import gzip, json, os, sys, urllib.parse

data, folder, root = sys.argv[1:]
problems, depths = [], {}

names = set(os.listdir(folder)) - {".crawler", ".crawler-stats.json"}
if names != {str(i + 1) for i in range(len(names))}:
    problems.append("the numbers have holes, or there are other files")
for name in names:
    page = open(os.path.join(folder, name), "rb").read()
    url, depth, body = page.split(b"\n", 2)
    path = url.decode().removeprefix("http://corpus.example")
    if path in depths:
        problems.append("twice: " + path)
    depths[path] = int(depth)
    file = root + urllib.parse.unquote(path.split("?")[0])
    if file.endswith("/"):
        file += "index.html"
    if open(file, "rb").read() != body:
        problems.append("not the bytes of the file: " + path)
if data:
    facts = json.load(open(data + ".json"))
    expected = gzip.open(data + ".reachable.txt.gz", "rt").read().split()
    problems += ["missing: " + p for p in set(expected) - set(depths)]
    problems += ["not expected: " + p for p in set(depths) - set(expected)]
    if len(depths) != facts["reachable_pages"]:
        problems.append("%d pages" % len(depths))
    if depths and max(depths.values()) != facts["max_depth"]:
        problems.append("the deepest page has %d" % max(depths.values()))
elif len(depths) < 500:
    problems.append("only %d pages" % len(depths))
for path in sorted(depths):
    print(path, depths[path])
sys.exit("\n".join(problems[:20]) or 0)
END
}

# check_dead NAME COUNT: what the server did not have is what it cannot have.
# The list has a few more: those of link elements, which are not followed.
check_dead() {
    nginx_log | awk '$3 == 404 { print $2 }' | sort -u >"$TMP/dead"
    same "" "$(cd "$ROOT" && sed 's,^/*,./,; s,?.*,,' "$TMP/dead" | grep -v % |
        xargs -rd '\n' ls -d 2>/dev/null)" "not found, but there"
    has_list "$1" || return 0
    same "$2" "$(wc -l <"$TMP/dead")" "dead links"
    same "" "$(zcat "$CORPORA/$1.dead.txt.gz" | sort | comm -13 - "$TMP/dead")" \
        "not found, but there"
}

# check_site NAME PACKAGE DEAD: with one fetch at a time and with 32 the same pages
# at the same depths.
check_site() {
    serve_corpus "$1" "$2"
    crawl_corpus 1 "$TMP/one"
    check_corpus "$1" "$TMP/one" >"$TMP/one.list"
    check_dead "$1" "$3"
    crawl_corpus 32 "$TMP/many"
    check_corpus "$1" "$TMP/many" >"$TMP/many.list"
    cmp "$TMP/one.list" "$TMP/many.list"
    rm -rf "$TMP/one" "$TMP/many"
}

@test "postgresql-doc-15: every page, once, with 1 and with 32 at a time" {
    check_site postgresql-15 postgresql-doc-15 0
}

@test "sqlite3-doc: every page, once, with 1 and with 32 at a time" {
    needs_speed
    check_site sqlite3 sqlite3-doc 426
}

@test "cppreference: every page, once, with 1 and with 32 at a time" {
    needs_speed
    check_site cppreference cppreference-doc-en-html 1
}

@test "one fetch at a time is the same crawl every time, numbers included" {
    serve_corpus postgresql-15 postgresql-doc-15
    crawl_corpus 1 "$TMP/first"
    crawl_corpus 1 "$TMP/second"
    diff -r -x .crawler -x .crawler-stats.json "$TMP/first" "$TMP/second"
    ! has_list postgresql-15 || same 1169 "$(page_count "$TMP/second")"
    [ "$(page_count "$TMP/second")" -gt 1000 ]
}

@test "a full crawl of a real site asks for nothing twice" {
    serve_corpus postgresql-15 postgresql-doc-15
    crawl_corpus 32 "$DIR"
    same "" "$(nginx_log | awk '{ print $2 }' | sort | uniq -d)"
}
