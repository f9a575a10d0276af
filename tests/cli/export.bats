#!/usr/bin/env bats
# crawler export: what a crawl knows, for other programs.

load helper
load site

# export_as FORMAT [ARG...]: the command on $DIR, within a time.
export_as() {
    "${LIMITED[@]}" "$CRAWLER" export --format "$1" "${@:2}" "$DIR"
}

# site_crawl [OPTION...]: some pages, names with all that needs care.
site_crawl() {
    serve <<'END'
/
    body <a href="/a,b">one</a><a href="/it's?x=1&amp;y=2" rel="nofollow me">two &amp; "2"</a>
    body <a href=/old>three
    body 	and	<b>a half</b>
    body </a><a href=http://other.example/>out</a><a href=/a,b></a>
/a,b
    type application/xhtml+xml; charset=utf-8
    body <a xmlns="http://www.w3.org/1999/xhtml" href="/deep" rel="a	b">ünïcode</a>
/old 301
    redirect /new
/new
    body <a href=/>home</a><map><area href=/deep></map>
/it's?x=1&y=2
    body short
/deep
    body deep
/missing 404
END
    fetch 9 --links "$@"
    stop_playground
}

sql() {
    sqlite3 "$DIR/.crawler" "$*"
}

# plant SQL: rows as if a crawl had written them. A record of version 1 has no
# digests that would tell.
plant() {
    sql "PRAGMA user_version = 1; $*"
}

# python CODE <INPUT
python() {
    python3 -c "import csv, hashlib, json, sys
$1" "${@:2}"
}

@test "export jsonl: every page, by number, with all that is known of it" {
    site_crawl
    export_as jsonl >"$TMP/jsonl"
    same "1 http://example.org/ 0 None None 200 text/html
2 http://example.org/a,b 1 1 http://example.org/ 200 application/xhtml+xml
3 http://example.org/it's?x=1&y=2 1 1 http://example.org/ 200 text/html
4 http://example.org/new 1 1 http://example.org/ 200 text/html
5 http://example.org/deep 2 2 http://example.org/a,b 200 text/html" \
        "$(python '
keys = "id url depth referrer_id referrer status mime size digest fetched ms equals"
for line in sys.stdin:
    page = json.loads(line)
    assert list(page) == keys.split(), page
    print(*list(page.values())[:7])' <"$TMP/jsonl")"
    # Against the files and the view.
    python '
import datetime, sqlite3
view = sqlite3.connect(sys.argv[1] + "/.crawler").execute(
    "SELECT id, size, digest, fetched, ms FROM pages ORDER BY id").fetchall()
for line, row in zip(open(sys.argv[2]), view, strict=True):
    page = json.loads(line)
    url, depth, body = open(sys.argv[1] + "/" + str(page["id"]), "rb").read().split(b"\n", 2)
    assert (url.decode(), int(depth), len(body)) == (
        page["url"], page["depth"], page["size"]), page
    time = datetime.datetime.strptime(page["fetched"], "%Y-%m-%dT%H:%M:%S.%fZ")
    assert row == (page["id"], page["size"], page["digest"],
                   time.strftime("%Y-%m-%d %H:%M:%S"), page["ms"]), (row, page)
    assert len(page["digest"]) == 16
' "$DIR" "$TMP/jsonl"
}

@test "export csv: the same columns, by RFC 4180" {
    site_crawl
    export_as csv >"$TMP/csv"
    same "id,url,depth,referrer_id,referrer,status,mime,size,digest,fetched,ms,equals" \
        "$(head -n 1 "$TMP/csv" | tr -d '\r')"
    grep -q '^2,"http://example.org/a,b",1,1,http://example.org/,200,application/xhtml+xml,' \
        "$TMP/csv"
    # Every line ends with CR LF, and what comes back is what JSON says.
    same 6 "$(grep -c $'\r$' "$TMP/csv")"
    python '
rows = list(csv.DictReader(open(sys.argv[1], newline=""), strict=True))
pages = [json.loads(line) for line in sys.stdin]
for row, page in zip(rows, pages, strict=True):
    assert row == {k: "" if v is None else str(v) for k, v in page.items()}, row
' "$TMP/csv" < <(export_as jsonl)
}

@test "export csv: quotes and line ends are escaped" {
    site_crawl
    plant "UPDATE fetch SET mime = 'a\"b,c' || char(10) || 'd' WHERE page = 1"
    same $'a"b,c\nd' "$(export_as csv | python '
print(next(csv.DictReader(sys.stdin, strict=True))["mime"])')"
}

@test "export links: source, target, rel, text, tab separated" {
    site_crawl
    export_as links >"$TMP/links"
    same "http://example.org/|http://example.org/a,b||one
http://example.org/|http://example.org/it's?x=1&y=2|nofollow me|two & \"2\"
http://example.org/|http://example.org/old||three and a half
http://example.org/|http://other.example/||out
http://example.org/|http://example.org/a,b||
http://example.org/a,b|http://example.org/deep|a b|ünïcode
http://example.org/new|http://example.org/||home
http://example.org/new|http://example.org/deep||" "$(tr '\t' '|' <"$TMP/links")"
    same "$(sql "SELECT count(*) FROM links")" "$(wc -l <"$TMP/links")"
}

@test "export links: nothing in a text or a rel ends a line or a column" {
    site_crawl
    plant "UPDATE link SET rel = char(9, 1, 127) || 'x' || char(10, 13) || 'y',
        text = 'a' || char(0) || 'b' || char(11) WHERE place = 1"
    same "http://example.org/|http://example.org/a,b|x y|a b" \
        "$(export_as links | head -n 1 | tr '\t' '|')"
    # Nor does a terminal obey it.
    plant "UPDATE link SET rel = 'x' || char(0x9b) || '31m' || char(0x202e),
        text = char(0x200f, 0x85) || 'ä' || char(0x2066, 0x20ac, 0x2028)
        WHERE place = 1"
    same "http://example.org/|http://example.org/a,b|x 31m|ä €"$'\u2028' \
        "$(export_as links | head -n 1 | tr '\t' '|')"
    # A rel without an end has one here.
    plant "UPDATE link SET rel = hex(zeroblob(5000000)) WHERE place = 1"
    same "8 4" "$(export_as links | awk -F '\t' '{ n[NF]++ } END {
        for (i in n) print n[i], i }')"
}

@test "export links is refused for a crawl without --links" {
    start_playground --letters
    letters_crawl 1 >/dev/null
    capture export_as links
    same 2 "$STATUS"
    silent "$OUT"
    same "crawler: the crawl in '$DIR' was run without --links, so its links were not kept" \
        "$(cat "$ERR")"
    # With --links and without a link it is an empty list.
    serve <<'END'
/
    body none
END
    DIR=$TMP/empty
    mkdir "$DIR"
    fetch 1 --links
    capture export_as links
    same 0 "$STATUS"
    silent "$OUT"
}

# is_sitemap <XML: valid by the schema of sitemaps.org (its rules for a urlset
# of locs); prints the URLs.
is_sitemap() {
    python '
import xml.etree.ElementTree as tree
ns = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
text = sys.stdin.buffer.read()
assert text.startswith(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
assert len(text) <= 50 * 1024 * 1024, len(text)
root = tree.fromstring(text)
assert root.tag == ns + "urlset" and 1 <= len(root) <= 50000, len(root)
for url in root:
    assert url.tag == ns + "url" and [e.tag for e in url] == [ns + "loc"]
    assert 12 <= len(url[0].text) < 2048
    print(url[0].text)'
}

@test "export sitemap: every page, escaped" {
    site_crawl
    capture export_as sitemap
    same 0 "$STATUS"
    silent "$ERR"
    same "$(sql "SELECT url FROM pages ORDER BY id")" "$(is_sitemap <"$OUT")"
    grep -qx "<url><loc>http://example.org/it&apos;s?x=1&amp;y=2</loc></url>" "$OUT"
    same "$(cat "$OUT")" "$(export_as sitemap --part 1)"
    capture export_as sitemap --part 2
    same 2 "$STATUS"
    same "crawler: there is no --part 2: the sitemap has 1" "$(cat "$ERR")"
}

# many_pages COUNT URL: the record of that many pages; ?N is added to the URL.
many_pages() {
    plant "DELETE FROM url; DELETE FROM fetch;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
        INSERT INTO url SELECT i, '$2?' || i, 7, 11, 7, 11, min(i - 1, 1),
            i > 1, 1, 0, 0, 0, 0, 0, 0, 0 FROM n;
        INSERT INTO fetch(number, page, status, outcome, mime,
            size, digest, start_ms, end_ms, pause_ms, due_ms, target, noarchive)
        SELECT number, number, 200, 0, 'text/html', 1, number,
            1e12, 1e12, 0, 0, NULL, 0 FROM url"
}

@test "export sitemap: as many parts as the limit of 50,000 URLs needs" {
    site_crawl
    many_pages 100001 http://example.org/
    capture export_as sitemap
    same 2 "$STATUS"
    silent "$OUT"
    same "crawler: the pages do not fit into one sitemap: print it with --part 1 to --part 3, each into a file of its own" \
        "$(cat "$ERR")"
    for part in 1 2 3; do
        export_as sitemap --part "$part" | is_sitemap >>"$TMP/urls"
    done
    cmp "$TMP/urls" <(sql "SELECT url FROM url ORDER BY number")
    same 1 "$(export_as sitemap --part 3 | is_sitemap | wc -l)"
    many_pages 50000 http://example.org/
    export_as sitemap | is_sitemap >"$TMP/urls"
    same 50000 "$(wc -l <"$TMP/urls")"
}

@test "export sitemap: as many parts as the limit in bytes needs, without URLs that are too long" {
    site_crawl
    # A little over 2000 bytes an entry: 25,000 and some in 50 MB.
    many_pages 30000 "http://example.org/$(printf '%01950d' 0)"
    capture export_as sitemap
    same 2 "$STATUS"
    [[ $(cat "$ERR") == *"--part 1 to --part 2,"* ]]
    { export_as sitemap --part 1 | is_sitemap; export_as sitemap --part 2 | is_sitemap; } \
        >"$TMP/urls"
    cmp "$TMP/urls" <(sql "SELECT url FROM url ORDER BY number")
    plant "UPDATE url SET url = url || hex(zeroblob(100)) WHERE number > 7"
    capture export_as sitemap
    same 0 "$STATUS"
    same "crawler: 29993 pages are left out: a sitemap has no URLs of more than 2047 characters" \
        "$(cat "$ERR")"
    same 7 "$(is_sitemap <"$OUT" | wc -l)"
}

@test "export of a crawl without a page is empty" {
    serve <<'END'
/ 404
END
    capture fetch 1 --links
    for format in jsonl links; do
        capture export_as "$format"
        same 0 "$STATUS"
        silent "$OUT"
    done
    same 1 "$(export_as csv | wc -l)"
    capture export_as sitemap
    same 1 "$STATUS"
    silent "$OUT"
    same 1 "$(wc -l <"$ERR")"
}

@test "export has the depth and the referrer that the fetch had" {
    site_crawl
    number=$(sql "SELECT number FROM url WHERE url LIKE '%/deep'")
    plant "INSERT INTO change VALUES (NULL, $number, 7, 1, 9, 0), (NULL, $number, 9, 3, 9, 0)"
    same "9 3 http://example.org/it's?x=1&y=2" "$(export_as jsonl | python '
for line in sys.stdin:
    page = json.loads(line)
print(page["depth"], page["referrer_id"], page["referrer"])')"
}

@test "export works beside a running crawl, and after a resume" {
    serve <<'END'
/
    links 300 /page/%d
/*
    body A page.
END
    fetch 1 --max-pages 50 || :
    same 50 "$(export_as jsonl | wc -l)"
    "$CRAWLER" -q --resume --max-pages 100 --delay 5ms "$DIR" 3>&- &
    CRAWL=$!
    while kill -0 "$CRAWL" 2>/dev/null; do
        pages=$(export_as jsonl | wc -l)
        [ "$pages" -ge 50 ] && [ "$pages" -le 100 ] || fail "$pages pages"
    done
    wait "$CRAWL" || :
    same "$(seq 100)" "$(export_as jsonl | python '
for line in sys.stdin:
    print(json.loads(line)["id"])')"
}

@test "export refuses wrong arguments with exit status 2 and one line" {
    refused() {
        capture "$CRAWLER" export "${@:2}"
        same 2 "$STATUS" "$(cat "$OUT" "$ERR")"
        silent "$OUT"
        same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")"
        [[ $(cat "$ERR") == "crawler: "$1 ]] || fail "said: $(cat "$ERR")"
    }
    refused "export needs --format jsonl, csv, links, sitemap, cdxj, wacz, pages or sqlite" "$DIR"
    refused "--format must be one of jsonl|csv|links|sitemap|cdxj|wacz|pages|sqlite, not 'xml'" \
        --format xml "$DIR"
    refused "--format must be one of *, not ''" --format= "$DIR"
    refused "--format needs a value: *" "$DIR" --format
    refused "export takes one argument, pageDirectory, not 0" --format csv
    refused "export takes one argument, pageDirectory, not 2" --format csv a b
    refused "--part is for --format sitemap" --format csv --part 1 "$DIR"
    refused "--part must be at least 1, not '0'" --format sitemap --part 0 "$DIR"
}

@test "export of an impossible record ends with exit status 1 and one line" {
    site_crawl
    cp "$DIR/.crawler" "$TMP/good"
    for change in "url SET number = 4000000000 WHERE number = 2" \
        "fetch SET page = 4294967295 WHERE page = 5" \
        "fetch SET number = 4000000000 WHERE page = 5" \
        "fetch SET mime = hex(zeroblob(100)) WHERE page = 5" \
        "url SET url = url || hex(zeroblob(5000)) WHERE number = 2" \
        "url SET referrer = 4000000000 WHERE url LIKE '%/new'"; do
        cp "$TMP/good" "$DIR/.crawler"
        plant "UPDATE $change"
        capture export_as jsonl
        same 1 "$STATUS" "$change: $(cat "$ERR")"
        [[ $(cat "$ERR") == "crawler: cannot read the state in '$DIR/.crawler': "* ]]
        same 1 "$(wc -l <"$ERR")"
    done
    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE link SET page = 77 WHERE place = 3"
    capture export_as links
    same 1 "$STATUS"
    # A time that cannot be is no reason.
    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE fetch SET start_ms = 9000000000000000000 WHERE page = 1"
    [[ $(export_as jsonl | head -n 1) == *'"fetched":"9999-12-31T23:59:59.999Z","ms":0,"equals":null}' ]]
}

@test "pages of equal content: export names the first one, status counts them" {
    serve <<'END'
/
    body <a href=/a>.</a> <a href=/b>.</a> <a href=/c>.</a> <a href=/d>.</a>
/a
    body Equal
/b
    body Equal
/c
    body Other
/d
    body Equal
END
    fetch 1 --workers 1
    same "1 None
2 None
3 2
4 None
5 2" "$(export_as jsonl | python '
for line in sys.stdin:
    page = json.loads(line)
    print(page["id"], page["equals"])')"
    same ",
,
,2
,
,2" "$(export_as csv | tr -d '\r' | sed '1d; s/.*\(,[0-9]*\)$/\1/')"
    "$CRAWLER" status "$DIR" | grep -qx '  equal    2 pages have the content of an earlier one'
    same 2 "$("$CRAWLER" status --json "$DIR" | python 'print(json.load(sys.stdin)["equal"])')"
    # A crawl without any says nothing of it.
    fetch 0
    run ! grep -q equal <("$CRAWLER" status "$DIR")
}

@test "export ends when nobody reads its output" {
    site_crawl
    many_pages 20000 http://example.org/
    for format in jsonl csv links sitemap; do
        capture sh -c '"$0" export --format "$2" "$1" >/dev/full' "$CRAWLER" \
            "$DIR" "$format"
        same 1 "$STATUS" "$format"
        same "crawler: cannot write: No space left on device" "$(cat "$ERR")"
        capture sh -c '"$0" export --format "$2" "$1" >&-' "$CRAWLER" \
            "$DIR" "$format"
        same 1 "$STATUS" "$format"
        [[ $(cat "$ERR") == "crawler: cannot write: "* ]]
    done
}
