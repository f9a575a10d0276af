#!/usr/bin/env bats
# --sitemap and --sitemaps: pages that sites list are seeds.

load helper
load site

# urlset URL...: a sitemap.
urlset() {
    echo '<?xml version="1.0" encoding="UTF-8"?>'
    echo '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    printf '<url><loc>%s</loc><lastmod>2024-01-01</lastmod></url>\n' "$@"
    echo '</urlset>'
}

# index URL...: a sitemap of sitemaps.
index() {
    echo '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    printf '<sitemap><loc>%s</loc></sitemap>\n' "$@"
    echo '</sitemapindex>'
}

# The rest of every site: no rules, and pages without links.
rest() {
    printf '/robots.txt 404\n/*\n    body A page.\n'
}

# entry PATH <BODY: an entry of the site file for XML.
entry() {
    printf '%s\n    type application/xml\n    body <<THE_END\n' "$1"
    cat
    printf 'THE_END\n'
}

# listed DEPTH OPTION... [ARGUMENT]: crawl with sitemaps; sets STATUS, OUT, ERR.
listed() {
    local depth=$1

    shift
    capture crawl --robots obey --delay 0 --retries 1 --log json "$@" "$DIR" "$depth"
}

SITE=http://example.org

@test "the pages of a sitemap are seeds" {
    serve < <(
        urlset $SITE/a $SITE/b/c '/relative' '  http://example.org/blanks ' \
            "$SITE/?q=1&amp;r=2" $SITE/a | entry /sitemap.xml
        rest
    )
    listed 0 --scope host --sitemap $SITE/sitemap.xml $SITE/
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$SITE/ 0
$SITE/?q=1&r=2 0
$SITE/a 0
$SITE/b/c 0
$SITE/blanks 0
$SITE/relative 0" "$(page_depths)"
    same 1 "$(record_count /sitemap.xml)"
    # The sitemap itself is no page.
    same 0 "$(page_urls | grep -c sitemap)"
    same 5 "$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["sitemap_urls"])' "$DIR/.crawler-stats.json")"
}

@test "the scope of a sitemap alone is that of its URL" {
    serve < <(
        urlset http://example.org/a http://www.example.org/b http://other.test/c |
            entry /maps/sitemap.xml
        rest
    )
    map=$SITE/maps/sitemap.xml
    listed 0 --scope any --sitemap $map
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)"
    listed 0 --scope host --sitemap $map
    same 0 "$STATUS" "$(cat "$ERR")"
    same $SITE/a "$(page_urls)"
    listed 0 --scope domain --sitemap $map
    same 0 "$STATUS" "$(cat "$ERR")"
    same "http://example.org/a
http://www.example.org/b" "$(page_urls)"
}

@test "pages of a sitemap outside of the scope are not crawled; the sitemap may be there" {
    serve < <(
        urlset $SITE/docs/a $SITE/docs/b $SITE/blog/c http://other.test/docs/d |
            entry /sitemap.xml
        rest
    )
    listed 0 --scope prefix --sitemap $SITE/sitemap.xml $SITE/docs/
    same 0 "$STATUS"
    same "$SITE/docs/
$SITE/docs/a
$SITE/docs/b" "$(page_urls)"
    listed 0 --internal $SITE/docs/ --sitemap $SITE/sitemap.xml
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$SITE/docs/a
$SITE/docs/b" "$(page_urls)"
    same 0 "$(record_total other.test)"
    # Also at another host.
    listed 0 --scope host --sitemap http://maps.test/sitemap.xml $SITE/docs/
    same 0 "$STATUS"
    same "$SITE/blog/c
$SITE/docs/
$SITE/docs/a
$SITE/docs/b" "$(page_urls)"
}

@test "sitemaps are read in all forms: gzip, text, RSS, Atom, whatever the type says" {
    urlset $SITE/zipped | gzip >"$TMP/map.gz"
    printf '%s/text\n%s/more\n' $SITE $SITE >"$TMP/map.txt"
    serve < <(
        printf '/map.gz\n    type application/octet-stream\n    file map.gz\n'
        printf '/coded.xml\n    type text/xml\n    encode gzip\n    body <<END\n'
        urlset $SITE/coded
        printf 'END\n/map.txt\n    type text/plain\n    file map.txt\n'
        entry /rss <<'END'
<rss version="2.0"><channel><link>http://example.org/</link>
<item><link>http://example.org/rss-item</link></item>
<item><guid>http://example.org/rss-guid</guid></item></channel></rss>
END
        entry /atom <<'END'
<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://example.org/feed"/>
<entry><link rel="self" href="http://example.org/self"/>
<link href="http://example.org/atom-entry"/></entry></feed>
END
        printf '/wrong\n    type image/png\n    body <<END\n'
        urlset $SITE/wrong-type
        echo END
        rest
    )
    listed 0 --scope host --sitemap $SITE/map.gz --sitemap $SITE/coded.xml \
        --sitemap $SITE/map.txt --sitemap $SITE/rss --sitemap $SITE/atom \
        --sitemap $SITE/wrong
    same 0 "$STATUS" "$(cat "$ERR")"
    same "atom-entry coded more rss-guid rss-item text wrong-type zipped" \
        "$(page_urls | cut -d / -f 4 | xargs)"
}

@test "sitemap indexes are followed three deep and not four" {
    serve < <(
        index $SITE/1.xml $SITE/pages.xml | entry /index.xml
        index $SITE/2.xml | entry /1.xml
        index $SITE/3.xml | entry /2.xml
        { index $SITE/4.xml && urlset $SITE/not-here; } | entry /3.xml
        urlset $SITE/too-deep | entry /4.xml
        urlset $SITE/a | entry /pages.xml
        rest
    )
    listed 0 --scope host --sitemap $SITE/index.xml
    same 0 "$STATUS" "$(cat "$ERR")"
    same $SITE/a "$(page_urls)"
    same "0 1" "$(record_count /4.xml) $(record_count /3.xml)"
}

@test "sitemaps in a circle are read once" {
    serve < <(
        index $SITE/index.xml $SITE/other.xml | entry /index.xml
        index $SITE/index.xml $SITE/other.xml $SITE/pages.xml | entry /other.xml
        urlset $SITE/a $SITE/pages.xml | entry /pages.xml
        rest
    )
    listed 0 --scope host --sitemap $SITE/index.xml
    same 0 "$STATUS" "$(cat "$ERR")"
    for map in index other; do
        same 1 "$(record_count /$map.xml)" "requests of $map"
    done
    # Once as a sitemap, and once as a page, since one lists it as such.
    same 2 "$(record_count /pages.xml)"
    same $SITE/a "$(page_urls)"
}

@test "a broken sitemap does not stop the crawl" {
    head -c 100000 /dev/urandom >"$TMP/random"
    serve < <(
        printf '/404.xml 404\n/500.xml 500\n/empty.xml\n    type\n'
        printf '/html.xml\n    body <html><a href=/no>.</a>\n'
        printf '/cut.xml\n    body %s\n' "$(urlset $SITE/cut/a $SITE/cut/b |
            tr -d '\n' | sed 's|cut/b.*|cut/|')"
        printf '/reset.xml\n    repeat 1000 <url>\n    reset 100\n'
        printf '/random.xml\n    file random\n'
        printf '/bad.gz\n    bytes \\x1f\\x8b\\x08\\x00broken\n'
        entry /entity.xml <<'END'
<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "http://example.org/no">]>
<urlset><url><loc>&y;</loc></url><url><loc>http://example.org/&x;</loc></url></urlset>
END
        entry /bad-urls.xml < <(urlset 'http://' 'javascript:x' ftp://example.org/ '' \
            "$SITE/$(printf 'x%.0s' {1..20000})" $SITE/good)
        rest
    )
    maps=()
    for map in 404.xml 500.xml empty.xml html.xml cut.xml reset.xml random.xml bad.gz \
        entity.xml bad-urls.xml; do
        maps+=(--sitemap "$SITE/$map")
    done
    listed 0 --retries 0 --scope host "${maps[@]}" $SITE/
    same 0 "$STATUS"
    same "$SITE/
$SITE/cut/a
$SITE/good" "$(page_urls)"
    for map in 404.xml bad.gz entity.xml; do
        same 1 "$(record_count /$map)"
    done
    same 0 "$(record_count /no)"
}

@test "a sitemap that fails is told with --verbose; alone it is exit 4" {
    serve < <(
        printf '/gone.xml 404\n'
        rest
    )
    listed 0 -v --scope host --sitemap $SITE/gone.xml
    same 4 "$STATUS"
    grep -q "^crawler: $SITE/gone.xml: " "$ERR" || fail "$(cat "$ERR")"
    # A sitemap's host that is not there at all.
    PORT=1
    listed 0 -v --retries 0 --scope host --sitemap $SITE/gone.xml
    same 4 "$STATUS"
    grep -q "^crawler: $SITE/gone.xml: " "$ERR" || fail "$(cat "$ERR")"
}

@test "a sitemap that was not used is told, once, and is no page that failed" {
    python3 -c 'print("http://example.org/no\n" * 2500000, end="")' | gzip >"$TMP/large"
    serve < <(
        printf '/html.xml\n    body <!doctype html><a href=/no>.</a>\n'
        printf '/large.gz\n    type application/gzip\n    file large\n'
        entry /entity.xml <<'END'
<!DOCTYPE urlset [<!ENTITY a "b">]>
<urlset><url><loc>http://example.org/no</loc></url></urlset>
END
        entry /cut.xml <<<'<urlset><url><loc>http://example.org/cut</loc></url>'
        rest
    )
    listed 0 -v --scope host --sitemap $SITE/html.xml --sitemap $SITE/large.gz \
        --sitemap $SITE/entity.xml --sitemap $SITE/cut.xml $SITE/
    same 0 "$STATUS"
    same "$SITE/
$SITE/cut" "$(page_urls)"
    none="not a sitemap that can be read, or one that declares entities"
    large="larger than --max-size, or than the 50 MB of a sitemap"
    same "crawler: $SITE/entity.xml: $none (status 200)
crawler: $SITE/html.xml: $none (status 200)
crawler: $SITE/large.gz: $large (status 200)" "$(grep "^crawler: $SITE" "$ERR" | sort)"
    grep -q '^crawler: 2 pages saved, .* 0 failed, 0 retries$' "$ERR"
    same "$SITE/entity.xml|not-a-sitemap|200
$SITE/html.xml|not-a-sitemap|200
$SITE/large.gz|too-large|200" "$(sqlite3 "$DIR/.crawler" \
        "SELECT url, outcome, status FROM errors ORDER BY url")"
    same "1 1 1" "$(record_count /html.xml) $(record_count /entity.xml) \
$(record_count /large.gz)"
    why() { "$CRAWLER" why "$DIR" "$SITE/$1" | head -n 1; }
    same "$SITE/entity.xml was fetched and not kept: $none" "$(why entity.xml)"
    same "$SITE/html.xml was fetched and not kept: $none" "$(why html.xml)"
    same "$SITE/large.gz could not be fetched: $large" "$(why large.gz)"
    same "$SITE/cut.xml was read as a sitemap" "$(why cut.xml)"
}

@test "a sitemap that moved, and one that has trouble once, are read" {
    serve < <(
        printf '/moved.xml 301\n    redirect http://maps.example.org/here.xml\n'
        urlset $SITE/moved | entry //maps.example.org/here.xml
        printf '/busy.xml 503\n    times 1\n'
        urlset $SITE/busy | entry /busy.xml
        printf '/circle.xml 302\n    redirect /circle.xml\n'
        rest
    )
    listed 0 --scope host --sitemap $SITE/moved.xml --sitemap $SITE/busy.xml \
        --sitemap $SITE/circle.xml
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$SITE/busy
$SITE/moved" "$(page_urls)"
    same 1 "$(record_count /circle.xml)"
}

@test "--sitemap with wrong arguments is refused" {
    bad() {
        capture "$CRAWLER" --delay 0 "$@"
        same 2 "$STATUS" "exit status of: $*"
        same "" "$(ls -A "$DIR")"
    }
    bad --scope any --sitemap nonsense "$DIR" 0
    bad --scope any --sitemap ftp://example.org/x "$DIR" 0
    bad --scope any --sitemap "" "$DIR" 0
    # --sitemaps says where to look, not where to start.
    bad --scope any --sitemaps "$DIR" 0
}

@test "a crawl reads a thousand sitemaps at most, and fifty thousand entries of each" {
    python3 -c '
print("\n".join("http://example.org/same?" for n in range(49990)))
for n in range(20):
    print("http://example.org/%d" % n)' >"$TMP/long"
    serve < <(
        mapfile -t maps < <(seq -f "$SITE/map/%.0f" 1 1100)
        index "${maps[@]}" | entry /index.xml
        index "${maps[@]:0:999}" "${maps[0]}" | entry /full.xml
        printf '/map/*\n    type text/plain\n    body %s/same\n' $SITE
        printf '/long.txt\n    type text/plain\n    file long\n'
        rest
    )
    listed 0 --scope host --per-host 8 --sitemap $SITE/index.xml
    same 0 "$STATUS"
    same $SITE/same "$(page_urls)"
    same 999 "$(record_column path | grep -c ^/map/)"
    note="crawler: more than 1000 sitemaps are named; the rest is left out"
    same 1 "$(grep -cx "$note" "$ERR")" "notes"
    listed 0 -q --scope host --per-host 8 --sitemap $SITE/index.xml
    silent "$ERR"
    # As many as count, and one of them twice.
    listed 0 --scope host --per-host 8 --sitemap $SITE/full.xml
    no_complaint "$ERR"
    listed 0 --scope host --sitemap $SITE/long.txt
    same 11 "$(page_count)"
}

@test "a sitemap may be larger than --max-size, but not endless" {
    mapfile -t urls < <(seq -f "$SITE/%.0f" 1 20)
    serve < <(
        urlset "${urls[@]}" | entry /map.xml
        printf '/endless.xml\n    type text/plain\n    endless %s/endless\\n\n' $SITE
        rest
    )
    listed 0 --scope host --max-size 100 --sitemap $SITE/map.xml
    same 20 "$(page_count)"
    # It is given up, or what came counts; it ends in any case.
    listed 0 --scope host --sitemap $SITE/endless.xml $SITE/
    same 0 "$STATUS"
}

# --- robots.txt --------------------------------------------------------------

robots_site() {
    serve < <(
        cat <<'END'
//example.org/robots.txt
    type text/plain
    body Sitemap: /relative.xml
    body User-agent: *
    body Disallow: /private
    body Sitemap: http://example.org/second.xml
    body sitemap: http://maps.other.test/third.xml
    body Sitemap: nonsense://
    body Sitemap:
//www.example.org/robots.txt
    type text/plain
    body Sitemap: http://www.example.org/www.xml
/robots.txt 404
/
    body <a href=http://www.example.org/linked>.</a>
END
        urlset $SITE/from-relative $SITE/private/x | entry //example.org/relative.xml
        urlset $SITE/from-second http://outside.test/ | entry /second.xml
        urlset $SITE/from-third | entry //maps.other.test/third.xml
        urlset http://www.example.org/from-www | entry /www.xml
        rest
    )
}

@test "--sitemaps: those that robots.txt names, of every host that is met" {
    robots_site
    listed 1 --scope domain --sitemaps $SITE/
    same 0 "$STATUS"
    same "http://example.org/ 0
http://example.org/from-relative 0
http://example.org/from-second 0
http://example.org/from-third 0
http://www.example.org/from-www 0
http://www.example.org/linked 1" "$(page_depths)"
    same 0 "$(record_total outside.test)"
    same 0 "$(record_count /private/x)"
    same "1 1 1" "$(record_count /relative.xml) $(record_count /second.xml) \
$(record_count /www.xml)"
    listed 1 --scope any --sitemaps $SITE/
    same 1 "$(page_urls | grep -c outside.test)"
}

@test "without --sitemaps robots.txt names none" {
    robots_site
    listed 1 --scope domain $SITE/
    same 2 "$(page_count)"
    same 0 "$(record_column path | grep -c xml)"
}

@test "sitemaps do not count as pages" {
    serve < <(
        urlset $SITE/a $SITE/b $SITE/c $SITE/d | entry /map.xml
        rest
    )
    listed 0 --scope host --max-per-domain 3 --sitemap $SITE/map.xml
    same 3 "$(page_count)"
    listed 0 --scope host --max-pages 2 --sitemap $SITE/map.xml
    same 3 "$STATUS"
    same 2 "$(page_count)"
    # A seed beside it is a page like any other.
    listed 0 --scope host --sitemap $SITE/map.xml $SITE/map.xml
    same 4 "$(page_count)"
}
