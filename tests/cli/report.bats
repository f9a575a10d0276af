#!/usr/bin/env bats
# crawler report: what is wrong with a site, from the record alone.

load helper
load site
load nginx

# crawl_site: all of tests/cli/report.site.
crawl_site() {
    start_playground --site "$BATS_TEST_DIRNAME/report.site"
    run -0 fetch 9 -q --links --robots obey --sitemaps
}

report() {
    "$CRAWLER" report "$@" "$DIR"
}

# found KIND [FORMAT]: the findings of a kind as JSON has them: a line for each
# place, "subject | detail | page | text | via", without the site's name.
found() {
    report --format json >"$TMP/report.json"
    python3 - "$TMP/report.json" "$1" <<'END'
import json, sys

found = json.load(open(sys.argv[1]))["findings"][sys.argv[2]]
assert found["count"] == len(found["items"]), found
assert found["places"] == sum(len(i["places"]) for i in found["items"]), found
for item in found["items"]:
    about = [item.get("url") or item.get("title") or item["digest"],
             item.get("detail", "")]
    for place in item["places"] or [{}]:
        row = about + [place.get(name, "") for name in ("url", "text", "via")]
        row[2] = row[2] or place.get("named_by", "")
        print(" | ".join(row).replace("http://example.org", "").rstrip(" |"))
if "inconclusive" in found:
    print("inconclusive:", found["inconclusive"])
END
}

# finds KIND <LINES: these and no others.
finds() {
    diff -u - <(found "$1") || fail "$1"
}

@test "every kind of finding is found, with every page and the text of its link" {
    crawl_site
    finds broken <<'END'
/missing | 404 Not Found | / | gone <b>
/missing | 404 Not Found | / | broken behind a redirect | /moved-away
/missing | 404 Not Found | /a | again
END
    finds redirect <<'END'
/moved-away | 301 to /missing | / | broken behind a redirect
/old | 301 to /new | / | old one
/old | 301 to /new | / | through
END
    finds chain <<'END'
/hop1 | 302 to /hop2, 302 to /new | / | chain
END
    finds loop <<'END'
/loop | 302 to /loop2, 302 to /loop, and so on | / | loop
END
    finds fragment <<'END'
/a#nowhere |  | / | no such
END
    finds robots <<'END'
/private/x | line 2 of robots.txt | / | forbidden
END
    finds orphan <<'END'
/lonely
END
    finds same-title <<'END'
Same |  | /a
Same |  | /b
T |  | /twin1
T |  | /twin2
END
    finds no-title <<'END'
/c | no title
END
    found duplicate | sed 's/^[0-9a-f]* //' | diff -u - <(
        printf '%s\n' '| 22 B | /twin1' '| 22 B | /twin2'
    )
    for kind in external requisite mixed slow large unknown; do
        finds "$kind" </dev/null
    done
    same "9 19" "$(python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
print(r["pages"], r["links"])' "$TMP/report.json")"
}

@test "a seed or a page of the sitemap that is not there is broken" {
    cat >"$TMP/named.site" <<'END'
/robots.txt
    type text/plain
    body Sitemap: http://example.org/sitemap.xml
/sitemap.xml
    type application/xml
    body <urlset><url><loc>http://example.org/listed</loc></url></urlset>
/moved 301
    header Location: /gone
/
    body <title>t</title>good
END
    start_playground --site "$TMP/named.site"
    printf 'http://example.org/%s\n' "" seed moved >"$TMP/seeds"
    "${LIMITED[@]}" "$CRAWLER" -q --links --sitemaps --delay 0 --scope host \
        --connect-to "::127.0.0.1:$PORT" --seeds "$TMP/seeds" "$DIR" 2
    finds broken <<'END'
/gone | 404 Not Found | a seed |  | /moved
/listed | 404 Not Found | in the sitemap
/seed | 404 Not Found | a seed
END
    run -1 report --fail-on broken
    [[ $output == *"/listed"*"    in the sitemap"* ]]
    [[ $output == *"    a seed  through http://example.org/moved"* ]]
    [[ $output != *"Nothing is wrong"* ]]
    for format in html junit; do
        [[ $(report --format "$format") == *"a seed"*"in the sitemap"* ]]
    done
}

@test "the report reads the record alone and changes nothing" {
    crawl_site
    stop_playground
    before=$(cd "$DIR" && find . -type f ! -name '*-shm' -exec sha256sum {} + | sort)
    rm -f "$DIR"/[1-9]*
    report >"$TMP/text"
    grep -q '^Broken links (broken): 1$' "$TMP/text"
    same "$(grep -v '  \./[1-9]' <<<"$before")" \
        "$(cd "$DIR" && find . -type f ! -name '*-shm' -exec sha256sum {} + | sort)"
}

@test "--slow and --large say what is slow and large" {
    crawl_site
    report --format json --large 2000 --slow 0ms >"$TMP/slow.json"
    python3 - "$TMP/slow.json" <<'END'
import json, sys

findings = json.load(open(sys.argv[1]))["findings"]
assert [i["url"] for i in findings["large"]["items"]] == \
    ["http://example.org/large"], findings["large"]
assert findings["large"]["items"][0]["detail"] == "3.0 KB"
END
    serve <<'END'
/
    body <title>Slow</title>
    delay 60ms
END
    run -0 fetch 1 -q --links
    report --slow 50ms | grep -A1 '^Slow pages (slow): 1$'
    report --slow 10m >"$TMP/text"
    run ! grep '^Slow pages' "$TMP/text"
}

@test "links that could not be judged are unknown, never broken" {
    serve <<'END'
/
    body <a href=/401>.</a><a href=/403>.</a><a href=/429>.</a><a href=/503>.</a><a href=/404>.</a><a href=/410>.</a><a href=/500>.</a><a href=/file.bin>.</a>
/401 401
/403 403
/429 429
/503 503
/404 404
/410 410
/500 500
/file.bin
    type application/octet-stream
    body x
END
    run -0 fetch 1 -q --links
    finds broken <<'END'
/404 | 404 Not Found | / | .
/410 | 410 Gone | / | .
/500 | 500 Internal Server Error | / | .
END
    same "/401 /403 /429 /503" "$(found unknown | cut -d' ' -f1 | xargs)"
}

@test "a page that gave way to its canonical URL is no redirect, and links to that" {
    serve <<'END'
/robots.txt
    type text/plain
    body Sitemap: http://example.org/map
/map
    type text/plain
    body http://example.org/p
/
    body <a href=/old>old</a><a href="/p?a=1">p</a>
/old 301
    redirect /p?a=1
/p?a=1
    body <link rel=canonical href=/p>
/p
    body P
END
    run -0 fetch 2 -q --links --robots obey --sitemaps --canonical
    finds redirect <<'END'
/old | 301 to /p?a=1 | / | old
END
    finds chain </dev/null
    finds orphan </dev/null
}

@test "a page that only the sitemap knows is an orphan only if the crawl is complete" {
    start_playground --site "$BATS_TEST_DIRNAME/report.site"
    run fetch 9 -q --links --robots obey --sitemaps --max-pages 4
    found orphan >"$TMP/orphans"
    run ! grep '^/lonely' "$TMP/orphans"
    grep -q '^inconclusive: .*the crawl has not ended' "$TMP/orphans"
    run -0 fetch 1 -q --links --robots obey --sitemaps
    found orphan >"$TMP/orphans"
    grep -q '^inconclusive: .*deeper than maxDepth' "$TMP/orphans"
    # An inconclusive kind never fails.
    report --fail-on orphan >/dev/null
}

@test "links that the crawl did not follow are told, and are not called good" {
    serve <<'END'
/
    body <title>Start</title><a href=/gone>1</a><a href=/gone2>2</a>
END
    run -0 fetch 0 -q --links
    finds broken <<'END'
inconclusive: not all links were followed, 2 URLs deeper than maxDepth
END
    run -0 report
    same "Nothing wrong was found." "${lines[-1]}"
    run fetch 5 -q --links --restart --max-pages 1
    finds broken <<'END'
inconclusive: not all links were followed, the crawl has not ended, 2 URLs still to be fetched
END
    run -0 fetch 5 -q --links --restart --exclude '**/gone'
    finds broken <<'END'
/gone2 | 404 Not Found | / | 2
inconclusive: not all links were followed, 1 URL left out by other rules
END
}

@test "ids: escapes, names of a, the top, text directives; a redirect keeps the fragment" {
    serve <<'END'
/
    type text/html; charset=utf-8
    body <a href="b#caf%C3%A9">1</a><a href="b#café">2</a><a href="b#a%20b">3</a>
    body <a href="b#named">4</a><a href="b#TOP">5</a><a href="b#">6</a>
    body <a href="b#in-template">7</a><a href="b#x:~:text=y">8</a><a href="b#:~:text=y">9</a>
    body <a href="old#gone">10</a><a href="b#svg">11</a><a href="#self">12</a><a href="b#CAFÉ">13</a>
/b
    type text/html; charset=utf-8
    body <p id="café"><p id="a b"><a name=named>.</a><svg><g id=svg></svg><p id=x>
    body <template><p id=in-template></template>
/old 302
    redirect /b
END
    run -0 fetch 2 -q --links
    same "10 12 13 7" "$(found fragment | cut -d '|' -f 4 | sort | xargs)"
}

@test "the fragment that a redirect names counts in place of the link's, the last one of a chain" {
    serve < <(
        cat <<'END'
/
    body <a href="good#no">1</a><a href="bad">2</a><a href="bad#ok">3</a><a href="top#no">4</a>
    body <a href="plain#ok">5</a><a href="plain#no">6</a><a href="far#no">7</a><a href="long#no">8</a>
/f
    body <p id=ok>
/good 302
    redirect /f#ok
/bad 302
    redirect /f#no2
/top 302
    redirect /f#
/plain 302
    redirect /f
/far 302
    redirect /bad2#ok
/bad2 302
    redirect /plain2#no3
/plain2 302
    redirect /f
END
        printf '/long 302\n    redirect /f#%01001d\n' 7
    )
    run -0 fetch 2 -q --links
    finds fragment <<'END'
/f#no |  | / | 6 | /plain
/f#no2 |  | / | 2 | /bad
/f#no2 |  | / | 3 | /bad
/f#no3 |  | / | 7 | /far
END
    run -0 "$CRAWLER" verify "$DIR"
}

@test "links of pages that were read and not saved count, and the page is named" {
    serve <<'END'
/robots.txt
    type text/plain
    body Sitemap: http://example.org/sitemap.xml
/sitemap.xml
    type application/xml
    body <urlset><url><loc>http://example.org/alone</loc></url>
    body <url><loc>http://example.org/moved</loc></url>
    body <url><loc>http://example.org/known</loc></url></urlset>
/
    body <title>1</title><a href=hidden>h</a><a href=copy>c</a><a href=good#no>g</a>
/hidden
    body <title>2</title><meta name=robots content=noindex>
    body <a href=gone1>one</a><a href=good#nor>two</a><a href=known>three</a>
/copy
    body <title>3</title><link rel=canonical href=/good><a href=gone2>four</a>
/good
    body <title>4</title>
/alone
    body <title>5</title>
/known
    body <title>6</title>
/moved 302
    redirect /lonely
/lonely
    body <title>7</title>
END
    run -0 fetch 3 -q --links --canonical --robots obey --sitemaps
    finds broken <<'END'
/gone1 | 404 Not Found | /hidden | one
/gone2 | 404 Not Found | /copy | four
END
    finds fragment <<'END'
/good#no |  | / | g
/good#nor |  | /hidden | two
END
    finds orphan <<'END'
/alone
/lonely
END
    "$CRAWLER" export --format links "$DIR" | cut -f 1,2 | grep -c 'hidden.*gone1\|copy.*gone2' |
        grep -qx 2
    same 2 "$(sqlite3 "$DIR/.crawler" "SELECT count(*) FROM links WHERE target LIKE '%/gone%'
        AND page = 0 AND source IN ('http://example.org/hidden', 'http://example.org/copy')")"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "links that are no valid URL are broken, as they are written and without a password" {
    serve <<'END'
/
    body <a href=" http://[::bad/x ">1</a><a href="http://exa mple/">2</a><a href="//b:99999">3</a>
    body <a href="mailto:a@b">4</a><a href="javascript:x">5</a><a href="http://me:geheim@[x/">6</a>
END
    run -0 fetch 2 -q --links
    found broken >"$TMP/found"
    diff -u - "$TMP/found" <<'END'
//b:99999 | not a valid URL | / | 3
http://...@[x/ | not a valid URL | / | 6
http://[::bad/x | not a valid URL | / | 1
http://exa mple/ | not a valid URL | / | 2
END
    ! grep -q geheim "$DIR/.crawler" || fail "a secret is kept"
    # However many bytes stand before it, no finding is lost.
    serve < <(
        printf '/\n    body <a href=/gone>1</a>\n    body <a href="'
        head -c 70000 /dev/zero | tr '\0' '\001'
        printf 'http://[x">2</a>\n'
    )
    run -0 fetch 2 -q --links --restart
    finds broken <<'END'
http://[x | not a valid URL | / | 2
/gone | 404 Not Found | / | 1
END
    report --format html >"$TMP/report.html"
    ! grep -q 'href="//b' "$TMP/report.html" || fail "a link that leads elsewhere"
}

@test "fragments: a redirect on the way is named, blanks and line breaks are as in browsers" {
    serve <<'END'
/
    body <a href="to">1</a><a href="b#go&#10;o&#9;d">2</a><a href="b# good">3</a>
    body <a href="b# lead">4</a><a href="b#good ">5</a>
/to 302
    redirect /b#bad
/b
    body <p id=good><p id=" lead">
END
    run -0 fetch 2 -q --links
    finds fragment <<'END'
/b# good |  | / | 3
/b#bad |  | / | 1 | /to
END
}

@test "fragments of pages that were not saved are inconclusive" {
    serve <<'END'
/
    body <a href="hidden#a">1</a><a href="hidden#top">2</a><a href="left#a">3</a><a href="x.pdf#page=2">4</a>
    body <a href="gone#a">5</a>
/hidden
    body <meta name=robots content=noindex><p id=a>
/left
    body <p id=a>
/x.pdf
    type application/pdf
    body %PDF-1.4
END
    run -0 fetch 2 -q --links --robots obey --exclude '**/left'
    finds fragment <<'END'
inconclusive: 2 links to pages whose ids are not known
END
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
    sqlite3 "$DIR/.crawler" "SELECT substr(u.url, 19) FROM refusal r
        JOIN url u USING (number) JOIN verdict v ON v.code = r.verdict WHERE v.name = 'host-dead'" |
        sort >"$TMP/unasked"
    [ -s "$TMP/unasked" ]
    diff "$TMP/unasked" "$TMP/unknown"
    [ -n "$(found broken | grep 'connection refused')" ]
}

@test "only HTML must have a title and ids: a PDF (--types) leaves nothing inconclusive" {
    serve <<'END'
/
    body <title>T</title><a href="/doc.pdf#page=2">pdf</a><a href=/c>c</a>
/doc.pdf
    type application/pdf
    body %PDF-1.4
/c
    body No title.
END
    run -0 fetch 2 -q --links --types html,pdf
    same 3 "$(find "$DIR" -name '[1-9]*' | wc -l)" "pages, with the PDF"
    finds no-title <<'END'
/c | no title
END
    finds fragment </dev/null
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
    same "http://example.org/i.png |  | https://example.org/ | image" \
        "$(report --format json | python3 -c '
import json, sys
for i in json.load(sys.stdin)["findings"]["mixed"]["items"]:
    for place in i["places"]:
        print(i["url"], "| ", "|", place["url"], "|", place["text"])')"
}

@test "--fail-on: exit status 1 where there is a finding of the kind" {
    crawl_site
    run -1 "$CRAWLER" report --fail-on broken "$DIR"
    [[ $output == *"/missing  404 Not Found"* ]]
    run -1 "$CRAWLER" report --fail-on mixed,chain "$DIR"
    run -1 "$CRAWLER" report --fail-on any "$DIR"
    run -0 "$CRAWLER" report --fail-on mixed,slow "$DIR"
}

@test "wrong words are refused with one line and status 2, and nothing is written" {
    crawl_site
    mkdir "$DIR/archive"
    ln -s "$DIR/archive" "$TMP/link"
    cp -r "$DIR" "$TMP/before"
    while IFS='|' read -r words expected; do
        # shellcheck disable=SC2086 # words
        capture "$CRAWLER" report ${words//DIR/$DIR}
        same 2 "$STATUS" "$words"
        silent "$OUT"
        same 1 "$(wc -l <"$ERR")" "$words: $(cat "$ERR")"
        grep -q -- "$expected" "$ERR" || fail "$words: $(cat "$ERR")"
    done <<'END'
DIR DIR|takes one argument, pageDirectory
--format pdf DIR|must be one of text|json|html|junit
--fail-on broken,nothing DIR|no kind 'nothing'; there are broken, external
--fail-on= DIR|no kind ''
--fail-on broken, DIR|no kind ''
--fail-on broken,external DIR|--fail-on external needs --check-external
--output DIR DIR|it is not a regular file
--output DIR/.crawler DIR|the name belongs to the crawl
--output DIR/1 DIR|the name belongs to the crawl
--output DIR/99 DIR|the name belongs to the crawl
--output DIR/archive/new DIR|the name belongs to the crawl
--output DIR/../link/new DIR|the name belongs to the crawl
/nowhere|No such file
--output /nowhere/x DIR|/nowhere/x
END
    diff -r "$TMP/before" "$DIR"
    start_playground --letters
    run -0 letters_crawl 1 -q
    run -2 "$CRAWLER" report "$DIR"
    same "crawler: the crawl in '$DIR' was run without --links, so its links were not kept" "$output"
}

@test "--output replaces a file when the report is complete" {
    crawl_site
    echo old >"$TMP/report.txt"
    run -0 "$CRAWLER" report --output "$TMP/report.txt" "$DIR"
    same "" "$output"
    diff "$TMP/report.txt" <(report)
    # Beside the pages too, if the crawl does not use the name.
    run -0 "$CRAWLER" report --output "$DIR/report.txt" "$DIR"
    cmp "$TMP/report.txt" "$DIR/report.txt"
}

@test "--output writes into what is no regular file, and does not replace it" {
    crawl_site
    run -0 "$CRAWLER" report --output /dev/null "$DIR"
    same "" "$output"
    [ -c /dev/null ]
    diff <("$CRAWLER" report --output /dev/stdout "$DIR") <(report)
    "$CRAWLER" report --output /dev/stdout "$DIR" >"$TMP/by_name"
    diff "$TMP/by_name" <(report)
    "$CRAWLER" report --output >(cat >"$TMP/by_pipe"; touch "$TMP/read") "$DIR"
    timeout "$LIMIT" bash -c 'until [ -e "$1" ]; do sleep 0.05; done' - "$TMP/read"
    diff "$TMP/by_pipe" <(report)
    mkfifo "$TMP/pipe"
    cat "$TMP/pipe" >"$TMP/read" 3>&- &
    "$CRAWLER" report --output "$TMP/pipe" "$DIR"
    wait $!
    diff "$TMP/read" <(report)
    [ -p "$TMP/pipe" ]
    # A file in memory is a file.
    local file
    file=$(mktemp -p /dev/shm)
    for _ in 1 2; do "$CRAWLER" report --output "$file" "$DIR"; done
    diff "$file" <(report)
    rm "$file"
    capture "$CRAWLER" report --output /dev/full "$DIR"
    same 1 "$STATUS"
    same "crawler: cannot write '/dev/full': No space left on device" "$(cat "$ERR")"
    # A link to a file is nothing to write through.
    ln -s "$TMP/by_name" "$TMP/link"
    run -2 "$CRAWLER" report --output "$TMP/link" "$DIR"
}

@test "--output - is standard output" {
    crawl_site
    cd "$TMP"
    diff <("$CRAWLER" report --output - "$DIR") <(report)
    [ ! -e "$TMP/-" ]
}

@test "a record of an earlier version: links are judged, titles and ids are inconclusive" {
    cp -r "$BATS_TEST_DIRNAME/../data/version-3/stopped/." "$DIR"
    chmod -R u+w "$DIR"
    finds broken <<'END'
/missing | 404 Not Found | / | .
inconclusive: not all links were followed, the crawl has not ended, 3 URLs still to be fetched, 1 URL left out by other rules
END
    same "inconclusive: titles and ids of 3 pages are not known: fetched by an earlier version of this program, or of no known type" \
        "$(found no-title)"
}
