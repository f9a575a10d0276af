#!/usr/bin/env bats
# export --format cdxj and wacz: of crawls in every state, and of WARC files.

load helper
load archive
load resume

CHECK_WACZ=$BATS_TEST_DIRNAME/check_wacz.py

# package [ARGUMENT...]: write $TMP/a.wacz of $DIR, or of what is named, and let
# other programs judge it. Its pages are in $TMP/listed.
package() {
    rm -f "$TMP/a.wacz"
    [ $# -gt 0 ] || set -- "$DIR"
    "$CRAWLER" export --format wacz --output "$TMP/a.wacz" "$@" || fail "export: $?"
    judge "$TMP/a.wacz"
}

judge() {
    unzip -tq "$1" >"$TMP/unzip" || fail "$(cat "$TMP/unzip")"
    ! command -v 7z >/dev/null || 7z t "$1" >"$TMP/7z" || fail "$(cat "$TMP/7z")"
    python3 "$CHECK_WACZ" "$@" >"$TMP/listed" || fail "not whole"
}

# index [ARGUMENT...]: the index of $DIR, sorted as every reader wants it.
index() {
    [ $# -gt 0 ] || set -- "$DIR"
    "$CRAWLER" export --format cdxj "$@" >"$TMP/index" || fail "export: $?"
    LC_ALL=C sort -c "$TMP/index" || fail "not sorted"
}

# one_line STATUS PATTERN: the last capture ended so, and said this alone.
one_line() {
    same "$1" "$STATUS" "$(cat "$OUT" "$ERR")"
    silent "$OUT"
    same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")"
    # shellcheck disable=SC2053  # it is a pattern
    [[ $(cat "$ERR") == "crawler: "$2 ]] || fail "said: $(cat "$ERR")"
}

# refused PATTERN ARGUMENT...: exit status 2 and one line.
refused() {
    capture "$CRAWLER" export "${@:2}"
    one_line 2 "$1"
}

@test "index and package of a finished crawl have every capture" {
    start_archive_site
    run -0 keep --warc --warc-max-size 20K
    index
    package
    python3 "$CHECK_WACZ" "$TMP/a.wacz" "$TMP/index" >/dev/null
    same "$(sqlite3 "$DIR/.crawler" "SELECT DISTINCT url FROM capture" | LC_ALL=C sort)" \
        "$(grep -v '"method":"GET"' "$TMP/index" | sed 's/^[^{]*{"url":"//; s/".*//' | LC_ALL=C sort -u)"
    grep -q '^test,archive)/bar%7cx ' "$TMP/index"
    # Some are found under two keys.
    [ "$(wc -l <"$TMP/index")" -gt "$(sqlite3 "$DIR/.crawler" "SELECT count(*) FROM capture")" ]
    grep -q '^test,archive)/dir ' "$TMP/index"
    grep -q '^test,archive)/dir/ ' "$TMP/index"
    # The pages are those that were saved, in their order, with title, depth and time.
    same "$(sqlite3 "$DIR/.crawler" "SELECT '{\"id\":\"' || id || '\",\"url\":\"' || p.url ||
        coalesce('\",\"title\":\"' || nullif(p.title, ''), '') || '\",\"ts\":\"' || strftime('%Y-%m-%dT%H:%M:%fZ', f.start_ms / 1000.0, 'unixepoch') ||
        '\",\"depth\":' || p.depth || '}' FROM pages p JOIN fetch f ON f.page = p.id
        WHERE NOT noarchive ORDER BY id")" "$(cat "$TMP/listed")"
    grep -q '"title":"start"' "$TMP/listed"
    # Several WARC files, all of them stored.
    [ "$(zipinfo -1 "$TMP/a.wacz" 'archive/*' | wc -l)" -gt 2 ]
    same "$(archive_files)" "$(zipinfo -1 "$TMP/a.wacz" 'archive/*' | sed 's,.*/,,')"
}

@test "the index is that of the WARC files read again" {
    start_archive_site
    run -0 keep --warc --warc-max-size 20K
    index
    mv "$TMP/index" "$TMP/of-record"
    index "$DIR"/archive/*
    diff "$TMP/of-record" "$TMP/index"
    package "$DIR"/archive/*
    python3 "$CHECK_WACZ" "$TMP/a.wacz" "$TMP/of-record" >/dev/null
}

@test "a stopped crawl and one that was killed can be packaged" {
    start_archive_site
    run -3 keep --warc --max-pages 10
    index
    package
    same 10 "$(wc -l <"$TMP/listed")"
    # As a kill leaves it: the file is open, and something follows the last commit.
    local file

    file=$(echo "$DIR"/archive/*.warc.gz)
    mv "$file" "$file.open"
    head -c 3000 /dev/urandom >>"$file.open"
    cp "$TMP/index" "$TMP/before"
    index
    cmp "$TMP/before" "$TMP/index"
    package
    same 10 "$(wc -l <"$TMP/listed")"
    # Less than was committed cannot be.
    truncate -s 1000 "$file.open"
    capture "$CRAWLER" export --format wacz --output "$TMP/b.wacz" "$DIR"
    one_line 1 "cannot read '$DIR/archive/*': it is shorter than the record says"
    [ ! -e "$TMP/b.wacz" ]
}

@test "a crawl at work can be packaged, and goes on" {
    start_archive_site
    "${LIMITED[@]}" "$CRAWLER" -q --warc --scope host --delay 100ms --retries 0 \
        --save-every 100ms --connect-to "::127.0.0.1:$PORT" http://archive.test/ "$DIR" 3 3>&- &
    local crawl=$! tries=0

    until [ "$(sqlite3 "$DIR/.crawler" 'SELECT count(*) FROM capture' 2>/dev/null || echo 0)" -gt 3 ]; do
        [ "$((tries += 1))" -lt 600 ] || fail "nothing is kept"
        sleep 0.05
    done
    index
    package
    [ -e "$DIR"/archive/*.open ]
    kill "$crawl"
    wait "$crawl" || same 3 "$?"
    "$CRAWLER" verify "$DIR" >"$TMP/verified"
    package
}

@test "--wacz packages at the end, also after a limit and when the crawl goes on" {
    start_archive_site
    run -3 keep --wacz --max-pages 5
    judge "$DIR/archive/$(basename "$DIR").wacz"
    same 5 "$(wc -l <"$TMP/listed")"
    "${LIMITED[@]}" "$CRAWLER" -q --resume --max-pages none "$DIR"
    judge "$DIR/archive/$(basename "$DIR").wacz"
    [ "$(wc -l <"$TMP/listed")" -gt 40 ]
    "$CRAWLER" verify "$DIR" >"$TMP/verified"
    # It goes with its crawl.
    run -0 keep --restart
    [ ! -e "$DIR/archive" ]
    capture keep --wacz --state none --restart
    one_line 2 "--wacz needs the record of the crawl, so it cannot be used with --state none"
}

@test "a package has what its revisits refer to in another archive, or says what is missing" {
    start_archive_site
    run -0 keep --warc
    cp -r "$DIR" "$TMP/first"
    (cd "$TMP/first" && "$CRAWLER" export --format cdxj . >index.cdxj)
    for where in "$TMP/first" "$TMP/first/index.cdxj"; do
        rm -rf "$DIR"
        mkdir "$DIR"
        run -0 keep --warc --robots ignore --warc-dedup "$where"
        package
        # Every payload of a revisit is there.
        unzip -p "$TMP/a.wacz" indexes/index.cdx.gz | zcat >"$TMP/index"
        payloads() {
            grep "$@" '"mime":"warc/revisit"' "$TMP/index" |
                sed 's/.*"digest":"\([^"]*\)".*/\1/' | LC_ALL=C sort -u
        }
        [ "$(payloads -e | wc -l)" -gt 3 ]
        same "" "$(comm -23 <(payloads -e) <(payloads -v))" "payloads that are missing"
        unzip -p "$TMP/a.wacz" archive/originals.warc.gz | gzip -t
        mkdir "$TMP/extracted"
        "$CRAWLER" export --format pages --output "$TMP/extracted" "$TMP/a.wacz"
        diff -r -q -x '.crawler*' -x archive "$DIR" "$TMP/extracted"
        rm -r "$TMP/extracted"
        # The page directory itself leads there, too.
        mkdir "$TMP/extracted" "$TMP/again"
        "$CRAWLER" export --format pages --output "$TMP/extracted" "$DIR"
        diff -r -q -x '.crawler*' -x archive "$DIR" "$TMP/extracted"
        "$CRAWLER" --quiet --log none --robots ignore --scope any --from "$DIR" \
            "$(head -n 1 "$DIR/1")" "$TMP/again" 9
        [ "$(page_urls "$TMP/again" | wc -l)" -gt 3 ]
        same "" "$(comm -13 <(page_urls) <(page_urls "$TMP/again"))"
        rm -r "$TMP/extracted" "$TMP/again"
    done
    mv "$TMP/first" "$TMP/away"
    rm "$TMP/a.wacz"
    capture "$CRAWLER" export --format wacz --output "$TMP/a.wacz" "$DIR"
    one_line 0 "[1-9]* of [1-9]* payloads in the archive of --warc-dedup were not found there; *"
    judge "$TMP/a.wacz"
}

# damage FILE OFFSET: another byte there.
damage() {
    python3 - "$@" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 1]))
END
}

@test "a package of a damaged archive has what is good, and says so" {
    start_archive_site
    for level in 0 1; do
        rm -rf "$DIR"
        mkdir "$DIR"
        run -0 keep --warc --warc-compress "$level"
        read -r file at url < <(sqlite3 -separator ' ' "$DIR/.crawler" \
            "SELECT a.name, c.at + c.length - 20, c.url FROM capture c, archive a
                WHERE c.archive = a.number AND c.kind = 0 AND c.length > 400
                ORDER BY c.at LIMIT 1 OFFSET 2")
        captures=$(sqlite3 "$DIR/.crawler" "SELECT count(*) FROM capture")
        damage "$DIR/archive/$file" "$at"
        rm -f "$TMP/a.wacz"
        capture "$CRAWLER" export --format wacz --output "$TMP/a.wacz" "$DIR"
        one_line 1 "1 of $captures captures in '$DIR' are damaged and cannot be found in '$TMP/a.wacz'; *"
        unzip -tq "$TMP/a.wacz" >"$TMP/unzip" || fail "$(cat "$TMP/unzip")"
        unzip -p "$TMP/a.wacz" indexes/index.cdx.gz | zcat >"$TMP/index"
        ! grep -qF "\"url\":\"$url\"" "$TMP/index" || fail "$url is in the index"
        [ "$(wc -l <"$TMP/index")" -ge $((captures - 1)) ]
    done
}

@test "a capture without a date that can be read is left out of an index, and that is told" {
    printf '{"url": "http://a.test/%s", "date": "%s"}\n' good 2026-01-02T03:04:05Z \
        bad 2026-13-01T00:00:00Z worse yesterday |
        python3 "$BATS_TEST_DIRNAME/make_warc.py" "$TMP/dates.warc.gz"
    capture "$CRAWLER" export --format cdxj "$TMP/dates.warc.gz"
    same 0 "$STATUS"
    same "crawler: $TMP/dates.warc.gz: 2 captures are left out: their WARC-Date is no date" \
        "$(cat "$ERR")"
    same 1 "$(wc -l <"$OUT")"
    grep -q '^test,a)/good 20260102030405 ' "$OUT"
}

@test "wget's WARC files are indexed and packaged" {
    command -v wget >/dev/null || skip "wget is not installed"
    start_archive_site
    (cd "$TMP" && wget -q -e robots=off -i - --warc-file=site <<END || :
http://$ADDRESS/tse/
END
        http_proxy=http://$ADDRESS wget -q -e robots=off --warc-file=site http://archive.test/plain \
            http://archive.test/chunked http://archive.test/missing http://archive.test/dir/ || :)
    index "$TMP/site.warc.gz"
    for path in plain chunked dir/; do
        grep -q "\"url\":\"http://archive.test/$path\",\"mime\":\"text/html\",\"status\":\"200\"" \
            "$TMP/index" || fail "no $path in $(cat "$TMP/index")"
    done
    package "$TMP/site.warc.gz"
    grep -q '"url":"http://archive.test/chunked"' "$TMP/listed"
    # Cut off, it is good up to there.
    head -c -700 "$TMP/site.warc.gz" >"$TMP/cut.warc.gz"
    capture "$CRAWLER" export --format wacz --output "$TMP/cut.wacz" "$TMP/cut.warc.gz"
    one_line 0 "$TMP/cut.warc.gz: it is cut off at byte *; the records before it count"
    judge "$TMP/cut.wacz"
    unzip -p "$TMP/cut.wacz" archive/cut.warc.gz | gzip -t
}

@test "files with several records in a gzip member are packaged whole" {
    record() { # URL
        local block=$'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nx'
        printf 'WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n' "$1"
        printf 'WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' \
            "${#block}" "$block"
    }
    member() { for url; do record "$url"; done | gzip -n; }
    member http://a/1 http://a/2 http://a/3 >"$TMP/one.warc.gz"
    { member http://a/1; member http://a/2 http://a/3; } >"$TMP/last.warc.gz"
    for name in one last; do
        rm -f "$TMP/a.wacz"
        capture "$CRAWLER" export --format wacz --output "$TMP/a.wacz" "$TMP/$name.warc.gz"
        one_line 0 "*: [23] captures are left out: they share a gzip member with another record"
        unzip -p "$TMP/a.wacz" "archive/$name.warc.gz" | cmp - "$TMP/$name.warc.gz"
    done
    # Cut off within the shared member, it is good up to the member.
    head -c -9 "$TMP/last.warc.gz" >"$TMP/cut.warc.gz"
    rm "$TMP/a.wacz"
    "$CRAWLER" export --format wacz --output "$TMP/a.wacz" "$TMP/cut.warc.gz"
    unzip -p "$TMP/a.wacz" archive/cut.warc.gz | cmp - <(member http://a/1)
}

@test "one index and one package of several page directories" {
    start_archive_site
    run -0 keep --warc --warc-file one
    package
    local pages
    pages=$(wc -l <"$TMP/listed")
    DIR=$TMP/more
    mkdir "$DIR"
    run -0 keep --warc --warc-file two
    package
    pages=$((pages + $(wc -l <"$TMP/listed")))
    index "$TMP/pages" "$DIR"
    package "$TMP/pages" "$DIR"
    python3 "$CHECK_WACZ" "$TMP/a.wacz" "$TMP/index" >/dev/null
    same "$pages" "$(wc -l <"$TMP/listed")"
    same "" "$(jq -r .id "$TMP/listed" | sort | uniq -d)"
    # A file of the same name cannot be in one package.
    cp -r "$DIR" "$TMP/copy"
    refused "'$TMP/copy/archive/two-*' has the name of another file; *" \
        --format wacz --output "$TMP/x" "$DIR" "$TMP/copy"
    [ ! -e "$TMP/x" ]
}

@test "export of an archive refuses wrong arguments" {
    start_archive_site
    run -0 keep
    refused "there is no archive in '$DIR': the crawl was run without --warc, or nothing was archived yet" \
        --format cdxj "$DIR"
    refused "there is no archive in *" --format wacz --output "$TMP/x" "$DIR"
    refused "--format wacz needs --output FILE" --format wacz "$DIR"
    refused "--output is for *" --format cdxj --output "$TMP/x" "$DIR"
    refused "export takes page directories or WARC files" --format cdxj
    refused "export takes page directories or WARC files, not both" \
        --format cdxj "$DIR" "$TMP/none"
    refused "'$DIR' and '$DIR' are the same directory" --format cdxj "$DIR" "$DIR"
    refused "$TMP/none: No such file or directory" --format cdxj "$TMP/none"
    echo no >"$TMP/text"
    refused "$TMP/text: it is no WARC file" --format cdxj "$TMP/text"
    refused "$TMP/text: it is no WARC file" --format wacz --output "$TMP/x" "$TMP/text"
    mkfifo "$TMP/fifo"
    for file in "$TMP/fifo" /dev/null; do
        refused "$file: it is no regular file" --format cdxj "$file"
        refused "$file: it is no regular file" --format wacz --output "$TMP/x" "$file"
    done
    refused "'$TMP/text' exists: name another file, or remove it" \
        --format wacz --output "$TMP/text" "$DIR"
    refused "cannot write '$TMP/none/x': No such file or directory" \
        --format wacz --output "$TMP/none/x" "$DIR"
    for name in 7 .crawler-tmp-x; do
        refused "cannot write '$DIR/$name': the name belongs to the crawl in that directory" \
            --format wacz --output "$DIR/$name" "$DIR"
    done
    refused "a file is needed here, not standard output ('-')" \
        --format wacz --output - "$DIR"
    refused "'' is no name for a file" --format wacz --output "" "$DIR"
    mkdir "$TMP/a" "$TMP/b"
    touch "$TMP/a/w.warc" "$TMP/b/w.warc"
    refused "'$TMP/a/w.warc' and '$TMP/b/w.warc' have the same name; *" \
        --format wacz --output "$TMP/x" "$TMP/a/w.warc" "$TMP/b/w.warc"
    printf 'PK\3\4' >"$TMP/zip"
    refused "$TMP/zip: it is a ZIP file, no WARC file; *" --format cdxj "$TMP/zip"
    refused "$TMP/zip: it is a ZIP file, no WARC file; *" --format wacz --output "$TMP/x" "$TMP/zip"
    refused "/dev/null: it is no regular file" --format wacz --output "$TMP/x" /dev/null
    mkfifo "$TMP/pipe"
    refused "$TMP/pipe: it is no regular file" --format cdxj "$TMP/pipe"
    [ ! -e "$TMP/x" ]
    same no "$(cat "$TMP/text")"
}

@test "WARC files without a capture: an index without a line, no package" {
    : >"$TMP/empty.warc"
    gzip -c /dev/null >"$TMP/nothing.warc.gz"
    capture "$CRAWLER" export --format cdxj "$TMP/empty.warc"
    one_line 0 "$TMP/empty.warc: it is empty"
    capture "$CRAWLER" export --format cdxj "$TMP/nothing.warc.gz"
    same 0 "$STATUS"
    silent "$OUT"
    capture "$CRAWLER" export --format wacz --output "$TMP/x" "$TMP/nothing.warc.gz"
    one_line 1 "there is no capture to package"
    [ ! -e "$TMP/x" ]
}

@test "a package that cannot be written leaves nothing, nor does one that is killed" {
    start_archive_site
    run -0 keep --warc
    mkdir "$TMP/to"
    to_small() {
        bash -c "$1 ulimit -f 20
            exec '$CRAWLER' export --format wacz --output '$TMP/to/x.wacz' '$DIR'"
    }
    capture to_small "trap '' XFSZ;"
    one_line 1 "cannot write '$TMP/to/x.wacz': File too large"
    same "" "$(ls -A "$TMP/to")"
    capture to_small ""
    same 153 "$STATUS"
    same "" "$(ls -A "$TMP/to")"
}
