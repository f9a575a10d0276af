#!/usr/bin/env bats
# --warc: every exchange is kept, once, and the files are right.

load helper
load archive
load resume

sql() {
    sqlite3 "$DIR/.crawler" "$*"
}

# refused PATTERN ARGUMENT...: exit status 2, one line, and nothing is written.
refused() {
    capture keep "${@:2}"
    complaint "$1"
    same "" "$(ls -A "$DIR")" "files after ${*:2}"
}

# --- what is kept -------------------------------------------------------------

@test "every answer of the server is kept once, whatever it is" {
    start_archive_site
    run -0 keep --warc --sitemaps
    whole_archive
    stop_playground
    diff <(asked | grep -v '^archive.test/no\(index\|archive/\(meta\|header\|old\)\)$') \
        <(kept) || fail "other answers are kept than those that were given"
    same 1 "$(archive_files | wc -l)" "files"
    [[ $(archive_files) =~ ^crawl-[0-9a-f]{8}-[0-9]{14}-00000\.warc\.gz$ ]] || fail "$(archive_files)"
    for status in 200 301 404 410 500 503; do
        grep -q "^response $status " "$TMP/kept" || fail "no answer with $status"
    done
    # The page files are as without an archive.
    cp -r "$DIR" "$TMP/with"
    rm -rf "$DIR" && mkdir "$DIR"
    start_archive_site
    run -0 keep --sitemaps
    [ ! -e "$DIR/archive" ]
    diff -r -x archive -x '.crawler*' "$TMP/with" "$DIR"
    same 0 "$(sql "SELECT count(*) FROM captures")"
}

@test "fetches that are tried again are kept, each of them" {
    start_archive_site
    run -4 "${LIMITED[@]}" "$CRAWLER" -q --warc --scope host --delay 0 --retries 1 \
        --connect-to "::127.0.0.1:$PORT" http://archive.test/broken "$DIR" 0
    whole_archive
    same 2 "$(grep -c '^response 500 http://archive.test/broken$' "$TMP/kept")"
}

@test "the view captures tells where each record is" {
    start_archive_site
    run -0 keep --warc
    local file at length url

    IFS='|' read -r file at length url <<<"$(sql "SELECT file, at, length, url
        FROM captures WHERE url LIKE '%/plain'")"
    tail -c +$((at + 1)) "$DIR/archive/$file" | head -c "$length" | zcat |
        tr -d '\r' | grep -qx "WARC-Target-URI: $url"
    same "$(sql "SELECT count(*) FROM capture")" "$(wc -l < <(sql "SELECT 1 FROM captures"))"
}

@test "secrets are in no record" {
    start_archive_site
    run -0 keep --warc -H 'Cookie: secret-cookie' -H 'Authorization: secret-word' \
        -H 'X-Api-Key: secret-key' -H 'Accept-Language: eo'
    records >"$TMP/records"
    run -1 grep -ai 'secret-\|cookie: s\|authorization: ' "$TMP/records"
    grep -aq '^Accept-Language: eo' "$TMP/records"
}

@test "warcinfo tells of the crawl, and has the lines of --warc-header" {
    start_archive_site
    run -0 keep --warc --warc-header 'operator: The Library' --warc-header 'isPartOf: 2024' \
        -U 'mybot/1.0'
    records | head -c 2000 | tr -d '\r' >"$TMP/info"
    for line in 'operator: The Library' 'isPartOf: 2024' 'format: WARC File Format 1.1' \
        'http-header-user-agent: mybot/1.0' 'robots: obey' \
        "software: crawler $(cat "$PROJECT/VERSION")"; do
        grep -qx "$line" "$TMP/info" || fail "no line $line"
    done
    grep -q '^conformsTo: ' "$TMP/info"
    grep -q '^request-records: .*secret' "$TMP/info"
    run -1 grep -i '^hostname:' "$TMP/info"
    whole_archive
}

# --- files --------------------------------------------------------------------

@test "files are not larger than --warc-max-size, and pairs stay together" {
    start_archive_site
    run -0 keep --warc-file site --warc-max-size 12K --warc-digest sha256 --warc-compress 9
    whole_archive
    [ "$(archive_files | wc -l)" -ge 4 ] || fail "$(archive_files)"
    run -1 grep -v '^site-[0-9a-f]\{8\}-[0-9]\{14\}-000[0-9][0-9]\.warc\.gz$' <(archive_files)
    # A pair that is larger has a file for itself; the checker saw that every
    # request is behind its response.
    find "$DIR/archive" -size +12288c | while read -r file; do
        same 1 "$(sql "SELECT count(*) FROM captures WHERE file = '${file##*/}'")"
    done
    run -0 grep -c ^sha256: <(sql "SELECT digest FROM capture")
}

@test "--warc-compress 0 stores, 12 is smallest" {
    local level size last=

    start_archive_site
    for level in 0 1 12; do
        rm -rf "$DIR" && mkdir "$DIR"
        run -0 keep --warc --warc-compress $level
        whole_archive
        size=$(cat "$DIR"/archive/* | wc -c)
        [ -z "$last" ] || [ "$size" -lt "$last" ] || fail "level $level: $size, not below $last"
        last=$size
    done
}

@test "an existing file is never opened, whatever its name" {
    start_archive_site
    run -3 keep --warc --max-pages 1
    local name
    name=$(archive_files | cut -d - -f 1,2)
    local now=$EPOCHSECONDS # once: a second that passes in the loop must leave no gap
    for seconds in {0..200}; do
        TZ=UTC0 printf -v stamp '%(%Y%m%d%H%M%S)T' $((now + seconds))
        echo mine >"$DIR/archive/$name-$stamp-00001.warc.gz"
        ln -s "$TMP/elsewhere" "$DIR/archive/$name-$stamp-00002.warc.gz"
    done
    run -0 keep --warc --max-pages none
    same mine "$(find "$DIR/archive" -name '*-00001.warc.gz' -exec cat {} + | sort -u)"
    [ ! -e "$TMP/elsewhere" ]
    same 1 "$(find "$DIR/archive" -name "$name-*-00003.warc.gz" | wc -l)"
}

@test "an archive that cannot be written is refused with one line" {
    start_archive_site
    ln -s "$TMP" "$DIR/archive"
    capture keep --warc
    same 2 "$STATUS"
    same 1 "$(wc -l <"$ERR")" "$(cat "$ERR")"
    grep -q "'$DIR/archive' must be a directory that can be written" "$ERR"
    same "" "$(find "$TMP" -name "*warc*")" "files elsewhere"
}

# --- revisits -----------------------------------------------------------------

@test "a payload is kept once, if it has 1 KB or more" {
    start_archive_site
    run -0 keep --warc
    whole_archive
    same "response revisit revisit" \
        "$(grep '/same/[123]$' "$TMP/kept" | cut -d' ' -f1 | sort | xargs)"
    same "response response" "$(grep '/same/short/' "$TMP/kept" | cut -d' ' -f1 | xargs)"
    same "$(sql "SELECT number FROM captures WHERE url LIKE '%/same/%' AND kind = 'response'
        AND url NOT LIKE '%short%'")" \
        "$(sql "SELECT DISTINCT refers FROM captures WHERE kind = 'revisit'")"
}

@test "a resumed crawl knows what an earlier file has" {
    start_archive_site
    run -3 keep --warc --max-pages 30
    run -0 "$CRAWLER" -q --resume --max-pages none "$DIR"
    whole_archive
    same 2 "$(archive_files | wc -l)"
    same 2 "$(grep -c ^revisit "$TMP/kept")"
}

@test "--warc-dedup refers to what another page directory or an index has" {
    local url

    start_archive_site
    run -0 keep --warc
    mv "$DIR" "$TMP/first" && mkdir "$DIR"
    run -0 keep --warc --warc-dedup "$TMP/first"
    whole_archive "$DIR" --external
    [ "$(grep -c ^revisit "$TMP/kept")" -gt 2 ] || fail "no more revisits"
    same 1 "$(sql "SELECT count(*) FROM captures WHERE kind = 'revisit' AND refers IS NULL
        AND url = 'http://archive.test/large'")"
    records | tr -d '\r' | grep -aqx 'WARC-Refers-To-Target-URI: http://archive.test/large'
    # An index that lists one of them.
    url=http://elsewhere.test/large
    digest=$(sqlite3 "$TMP/first/.crawler" "SELECT digest FROM captures WHERE url LIKE '%/large'")
    printf 'test,elsewhere)/large 20200102030405 {"url": "%s", "mime": "text/html", "status": "200", "digest": "%s", "length": "9", "offset": "0", "filename": "x.warc.gz"}\n' \
        "$url" "$digest" >"$TMP/index.cdxj"
    rm -rf "$DIR" && mkdir "$DIR"
    run -0 keep --warc --warc-dedup "$TMP/index.cdxj"
    whole_archive "$DIR" --external
    same 3 "$(grep -c ^revisit "$TMP/kept")"
    records | tr -d '\r' >"$TMP/records"
    grep -aqx "WARC-Refers-To-Target-URI: $url" "$TMP/records"
    grep -aqE '^WARC-Refers-To-Date: 2020-01-02T03:04:05(\.000)?Z' "$TMP/records"
}

@test "--warc-dedup with --restart does not refer to the archive that is replaced" {
    start_archive_site
    run -0 keep --warc
    "$CRAWLER" export --format cdxj "$DIR" >"$TMP/own.cdxj"
    cp -r "$DIR" "$TMP/before"
    capture keep --warc --restart --warc-dedup "$TMP/own.cdxj"
    complaint "^crawler: --warc-dedup '$TMP/own.cdxj': it lists files of the archive that --restart replaces"
    capture keep --warc --restart --warc-dedup "$DIR"
    complaint "^crawler: --warc-dedup '$DIR': --restart replaces the archive there"
    diff -r "$TMP/before" "$DIR"
    # That of another directory may have an index of the same kind.
    sed -i 's/"filename": *"/&other-/' "$TMP/own.cdxj"
    run -0 keep --warc --restart --warc-dedup "$TMP/own.cdxj"
}

# --- what is saved ------------------------------------------------------------

@test "--save archive writes no page files; pages still have numbers" {
    start_archive_site
    run -0 keep --warc
    sql "SELECT id, url, depth FROM pages WHERE url NOT LIKE '%/noarchive/%'" |
        cut -d'|' -f2- >"$TMP/expected"
    rm -rf "$DIR" && mkdir "$DIR"
    stop_playground # it counts how often it was asked for /busy
    start_archive_site
    run -0 keep --warc --save archive --log json
    same 0 "$(page_count)"
    whole_archive
    diff "$TMP/expected" <(sql "SELECT url, depth FROM pages WHERE url NOT LIKE '%/noarchive/%'")
    same "$(seq "$(sql "SELECT count(*) FROM pages")" | xargs)" \
        "$(sql "SELECT id FROM pages ORDER BY id" | xargs)"
    # It goes on, and starts over a crawl that has page files.
    rm -rf "$DIR" && mkdir "$DIR"
    run -3 keep --warc --save archive --max-pages 5
    run -0 "$CRAWLER" -q --resume --max-pages none "$DIR"
    whole_archive
    rm -rf "$DIR" && mkdir "$DIR"
    run -0 keep
    run -0 keep --restart --warc --save archive
    same 0 "$(page_count)"
    whole_archive
}

@test "noarchive: the page is saved, its exchange is not kept, and all say so" {
    start_archive_site
    run -0 keep --warc
    for page in meta header; do
        url=http://archive.test/noarchive/$page
        same 1 "$(grep -lx "$url" "$DIR"/[1-9]* | wc -l)" "saved: $page"
        run -0 "$CRAWLER" why "$DIR" "$url"
        [[ $output == *"it asks not to be archived (noarchive)"* ]] || fail "$output"
    done
    same 0 "$(sql "SELECT count(*) FROM captures WHERE url LIKE '%/noarchive/meta'")"
    same 1 "$(sql "SELECT count(*) FROM captures WHERE url LIKE '%/noarchive/others'")"
    run -0 "$CRAWLER" status "$DIR"
    [[ $output == *"exchanges in 1 file, "*"; 3 left out (noarchive)"* ]] || fail "$output"
    same 3 "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["noarchive"])' \
        "$DIR/.crawler-stats.json")"
    # Where the archive is all that is saved, it is not saved at all.
    rm -rf "$DIR" && mkdir "$DIR"
    "${LIMITED[@]}" "$CRAWLER" --log tse --warc --save archive --scope host --delay 0 --retries 0 \
        --connect-to "::127.0.0.1:$PORT" http://archive.test/ "$DIR" 3 >"$TMP/log" 2>/dev/null
    grep -q 'IgnNoArch: http://archive.test/noarchive/meta$' "$TMP/log"
    run -0 "$CRAWLER" why "$DIR" http://archive.test/noarchive/meta
    [[ $output == *"was fetched and not kept: a page that asks not to be archived"* ]] ||
        fail "$output"
    # Whoever ignores robots.txt ignores this.
    rm -rf "$DIR" && mkdir "$DIR"
    run -0 keep --warc --robots ignore
    same 1 "$(sql "SELECT count(*) FROM captures WHERE url LIKE '%/noarchive/meta'")"
}

@test "the logs tell what was left out" {
    start_archive_site
    "${LIMITED[@]}" "$CRAWLER" --log tse --warc --scope host --delay 0 --retries 0 \
        --connect-to "::127.0.0.1:$PORT" http://archive.test/ "$DIR" 3 >"$TMP/log" 2>/dev/null
    same "Fetched: IgnNoArch:" \
        "$(grep -E '(Fetched|IgnNoArch): http://archive.test/noarchive/meta$' "$TMP/log" |
            awk '{ print $2 }' | xargs)"
    "${LIMITED[@]}" "$CRAWLER" --restart --warc --log json --scope host --delay 0 --retries 0 \
        --connect-to "::127.0.0.1:$PORT" http://archive.test/ "$DIR" 3 >"$TMP/log" 2>/dev/null
    same "http://archive.test/noarchive/header http://archive.test/noarchive/meta" \
        "$(python3 -c '
import json, sys
print(*sorted(p["url"] for p in map(json.loads, open(sys.argv[1])) if p.get("noarchive")))' \
            "$TMP/log")"
}

# --- without a record, over another crawl -------------------------------------

@test "--state none keeps an archive, too" {
    start_archive_site
    run -0 keep --warc --state none
    python3 "$CHECK_WARC" --no-rows "$DIR" >"$TMP/kept"
    [ "$(wc -l <"$TMP/kept")" -gt 40 ]
    same 1 "$(archive_files | grep -c 'warc\.gz$')"
    # Another one leaves it alone.
    archive_files >"$TMP/before"
    sha256sum "$DIR"/archive/* >"$TMP/sums"
    rm "$DIR"/[1-9]*
    run -0 keep --warc --warc-file other --state none
    sha256sum --status -c "$TMP/sums"
    same 2 "$(archive_files | wc -l)"
}

@test "--restart removes the files that the old record names, and no others" {
    start_archive_site
    run -0 keep --warc --warc-max-size 20K
    echo mine >"$DIR/archive/mine.warc.gz"
    archive_files >"$TMP/old"
    run -0 keep --restart --warc --warc-file new
    same "mine.warc.gz new" "$(archive_files | sed 's/-.*//' | xargs)"
    rm "$DIR/archive/mine.warc.gz"
    whole_archive
    # A crawl that saves nothing destroys nothing, and leaves nothing.
    archive_files >"$TMP/old"
    run -4 "$CRAWLER" -q --restart --warc --warc-file none --scope host --delay 0 --retries 0 \
        --connect-to "::127.0.0.1:$PORT" http://archive.test/missing "$DIR" 3
    diff "$TMP/old" <(archive_files)
    whole_archive
    # Without --warc the old files go as well.
    run -0 keep --restart
    [ ! -e "$DIR/archive" ] || fail "$(archive_files)"
}

@test "the course's form never touches an archive" {
    start_playground --letters
    mkdir "$DIR/archive" && echo mine >"$DIR/archive/crawl-20240506070809-00000.warc.gz"
    for round in 1 2; do
        run -0 "$CRAWLER" "$LETTERS/index.html" "$DIR" 1 || :
        same mine "$(cat "$DIR/archive/"*)"
    done
}

@test "a crawl that stops and goes on: no record is there twice" {
    start_archive_site
    for pages in 5 10 20; do
        run -3 keep --warc --max-pages $pages
        whole_archive
    done
    run -0 keep --warc --max-pages none
    whole_archive
    same 4 "$(archive_files | wc -l)"
    stop_playground
    diff <(asked | sort -u | grep -v '^archive.test/no\(index\|archive/\(meta\|header\|old\)\)$') \
        <(kept | sort -u)
}

# --- options ------------------------------------------------------------------

@test "options of an archive that are wrong: one line, exit status 2, no file" {
    start_archive_site
    refused "warc-file must be a name" --warc-file ../x
    refused "warc-file must be a name" --warc-file a/b
    refused "warc-file must be a name" --warc-file .hidden
    refused "warc-file must be a name" --warc-file ''
    refused "warc-file must be a name" --warc-file "$(printf 'a\nb')"
    refused "warc-max-size must be" --warc --warc-max-size 1
    refused "warc-max-size must be" --warc --warc-max-size many
    refused "warc-compress must be at most 12" --warc --warc-compress 13
    refused "warc-digest must be one of sha1|sha256" --warc --warc-digest md5
    refused "warc-header must be 'name: value'" --warc --warc-header novalue
    refused "warc-header must be 'name: value'" --warc --warc-header 'a: '
    refused "warc-header must be 'name: value'" --warc --warc-header "$(printf 'a: b\r\nc: d')"
    refused "warc-header must be 'name: value'" --warc --warc-header "$(printf 'a: b\033[1m')"
    refused "warc-header must be 'name: value'" --warc --warc-header 'a b: c'
    refused "warc-dedup '/nowhere': No such file" --warc --warc-dedup /nowhere
    refused "warc-dedup '/dev/null': " --warc --warc-dedup /dev/null
    echo text >"$TMP/text"
    refused "neither a page directory nor a CDXJ index" --warc --warc-dedup "$TMP/text"
    refused "save must be one of pages|archive|both" --warc --save all
    refused "save pages keeps no archive" --warc --save pages
    refused "save archive needs --warc" --save archive
    refused "save both needs --warc" --save both
    for option in --warc-max-size=1M --warc-compress=2 --warc-digest=sha256 \
        '--warc-header=a: b' --warc-dedup=/tmp; do
        refused "^crawler: ${option%%=*} needs --warc" "$option"
    done
}

@test "a resume cannot begin, drop or rename an archive" {
    start_archive_site
    run -3 keep --warc --max-pages 3
    capture "$CRAWLER" --resume --warc-file other "$DIR"
    same 2 "$STATUS"
    grep -q "warc-file=other cannot change once the crawl has begun" "$ERR"
    capture keep --max-pages 3
    same 2 "$STATUS"
    grep -q "it was begun with --warc" "$ERR"
    rm -rf "$DIR" && mkdir "$DIR"
    run -3 keep --max-pages 3
    capture "$CRAWLER" --resume --warc "$DIR"
    same 2 "$STATUS"
}

@test "archive/ is a directory on the file system of the page directory" {
    start_playground --letters
    mkdir "$TMP/elsewhere"
    ln -s "$TMP/elsewhere" "$DIR/archive"
    capture "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --warc "$LETTERS/index.html" "$DIR" 1
    same 2 "$STATUS" "status with a link"
    grep -q "/archive' must be a directory" "$ERR" || fail "$(cat "$ERR")"
    same "" "$(ls "$TMP/elsewhere")"
    rm "$DIR/archive" && mkdir "$DIR/archive"
    [ "$(id -u)" -eq 0 ] && mount -t tmpfs tmpfs "$DIR/archive" 2>/dev/null ||
        skip "no file system can be mounted"
    capture "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --restart --warc "$LETTERS/index.html" "$DIR" 1
    files=$(ls "$DIR/archive")
    umount "$DIR/archive"
    same 1 "$STATUS" "status with another file system"
    grep -q '/archive: it must be on the file system of the page directory$' "$ERR" ||
        fail "$(cat "$ERR")"
    same "" "$files"
}
