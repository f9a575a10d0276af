#!/usr/bin/env bats
# Records that the program wrote when their format was older (tests/data):
# reports read them as they are, --resume brings them up to date and goes on.

load helper
load site

DATA=$BATS_TEST_DIRNAME/../data
VERSIONS="1 2 3 4 5 6"

setup() {
    local version

    helper_setup
    for version in $VERSIONS; do
        cp -r "$DATA/version-$version" "$TMP/$version"
        chmod -R u+w "$TMP/$version"
    done
}

# of_versions NAME...: these of each version, "1/letters".
of_versions() {
    local version

    for version in $VERSIONS; do
        printf "$version/%s\n" "$@"
    done
}

sql() {
    sqlite3 "$DIR/.crawler" "$*"
}

# files: all in $DIR, with their bytes. SQLite's -shm is where readers meet.
files() {
    (cd "$DIR" && find . -type f ! -name '*-shm' -exec sha256sum {} + | sort)
}

# pages_line: how `status` counts the pages.
pages_line() {
    "$CRAWLER" status "$DIR" | sed -n 's/^  pages    //p'
}

@test "status, why, verify and export read older records and change nothing" {
    local version name state pages url

    for version in $VERSIONS; do
        while read -r name pages url state; do
            DIR=$TMP/$version/$name
            before=$(files)
            run -0 "$CRAWLER" status "$DIR"
            same "The crawl in $DIR is $state" "${lines[0]}"
            grep -q "^  pages    $pages saved" <<<"$output" || fail "$output"
            run -0 "$CRAWLER" why "$DIR" "$url"
            [[ ${lines[0]} == "$url was fetched as page 2 at depth 1" ]] || fail "$output"
            run -0 "$CRAWLER" verify "$DIR"
            [[ $output == "verified: $pages pages, "* ]] || fail "$output"
            same "$pages" "$("$CRAWLER" export --format jsonl "$DIR" | wc -l)"
            same "$pages" "$("$CRAWLER" export --format sitemap "$DIR" | grep -c '<loc>')"
            same "$before" "$(files)" "$name"
        done <<END
letters 9 http://cs50tse.cs.dartmouth.edu/tse/letters/A.html finished
stopped 3 http://example.org/a stopped: --max-pages was reached
killed 2 http://example.org/a stopped: killed, or the machine went down
END
        DIR=$TMP/$version/stopped
        same "http://example.org/ http://example.org/a" \
            "$("$CRAWLER" export --format links "$DIR" | head -n 1 | tr '\t' ' ' | sed 's/ *\.*$//')"
        [[ $(pages_line) == "3 saved, 267 B; 1 redirected, 1 not kept, 1 failed, "* ]]
    done
}

@test "older records are read in a directory that cannot be written" {
    as_nobody=(setpriv --bounding-set -dac_override,-dac_read_search)
    [ "$(id -u)" -eq 0 ] || as_nobody=()
    "${as_nobody[@]}" true || skip "setpriv cannot drop capabilities"
    for name in $(of_versions letters stopped); do
        DIR=$TMP/$name
        chmod 444 "$DIR"/.crawler
        chmod 555 "$DIR"
        ! "${as_nobody[@]}" touch "$DIR/x" 2>/dev/null ||
            skip "permissions do not count here"
        run -0 "${as_nobody[@]}" "$CRAWLER" status "$DIR"
        run -0 "${as_nobody[@]}" "$CRAWLER" verify "$DIR"
        run -0 "${as_nobody[@]}" "$CRAWLER" why "$DIR" http://example.org/
        run -0 "${as_nobody[@]}" "$CRAWLER" export --format csv "$DIR"
        chmod 755 "$DIR"
    done
}

@test "--resume goes on with a crawl of an older version to the same end as a new one" {
    start_playground --site "$DATA/version-1/site"
    run -0 fetch 3 -q --robots obey
    page_depths >"$TMP/expected"
    [ -s "$TMP/expected" ]
    version=$(sql "PRAGMA user_version")
    [ "$version" -gt "${VERSIONS##* }" ]
    for name in $(of_versions stopped killed); do
        DIR=$TMP/$name
        run -0 "${LIMITED[@]}" "$CRAWLER" -q --resume --delay 0 \
            --max-pages none --connect-to "::127.0.0.1:$PORT" "$DIR"
        diff "$TMP/expected" <(page_depths) || fail "$name"
        same "$version" "$(sql "PRAGMA user_version")"
        run -0 "$CRAWLER" verify "$DIR"
        same "The crawl in $DIR is finished" "$("$CRAWLER" status "$DIR" | head -n 1)"
        # Its views are those of today.
        same "$(page_count)" "$(sql "SELECT count(*) FROM pages")"
        same "$(page_count)" "$(sql "SELECT sum(pages) FROM domains")"
        same "$(page_count)" "$(sql "SELECT count(*) FROM urls WHERE state = 'saved'")"
        same "0" "$(sql "SELECT count(*) FROM queue")"
        same "http://example.org/missing|client-error" \
            "$(sql "SELECT url, outcome FROM errors WHERE outcome <> 'noindex'")"
        same "http://example.org/old|redirected" \
            "$(sql "SELECT url, state FROM urls WHERE state = 'redirected'")"
    done
}

@test "--resume of a finished crawl of an older version leaves it as it is" {
    for DIR in $(of_versions letters | sed "s|^|$TMP/|"); do
        before=$(files)
        run -0 "$CRAWLER" --resume "$DIR"
        same "$before" "$(files)"
    done
}

@test "the archive of an older version is verified and exported as it is" {
    for DIR in "$TMP"/*/archived; do
        before=$(files)
        run -0 "$CRAWLER" verify "$DIR"
        run -0 "$CRAWLER" export --format cdxj "$DIR"
        same 9 "${#lines[@]}" "captures"
        rm -f "$TMP/old.wacz"
        run -0 "$CRAWLER" export --format wacz --output "$TMP/old.wacz" "$DIR"
        same "$before" "$(files)"
    done
}
