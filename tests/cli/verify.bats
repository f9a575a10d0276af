#!/usr/bin/env bats
# crawler verify: clean after every kind of crawl, and it finds what somebody
# has changed.

load helper
load site

# verify [DIR]: sets STATUS; what it says is in $OUT.
verify() {
    capture "${LIMITED[@]}" "$CRAWLER" verify "${1:-$DIR}"
}

# clean [PAGES]: all is as recorded, in one line that counts well.
clean() {
    local pages bytes urls hosts

    verify
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
    pages=$(page_count)
    [ "${1:-$pages}" = "$pages" ] || fail "$pages pages, not $1" || return
    bytes=$(find "$DIR" -maxdepth 1 -name '[1-9]*' -exec tail -qn +3 {} + | wc -c)
    urls=$(sql "SELECT count(*) FROM url")
    hosts=$(sql "SELECT count(DISTINCT host) FROM (SELECT substr(url, host_at + 1,
        host_len) AS host FROM url JOIN fetch USING (number) UNION ALL
        SELECT substr(rest, 1, instr(rest, '/') - 1) FROM (SELECT substr(url,
        instr(url, '//') + 2) AS rest FROM robots))")
    same "verified: $pages pages, $bytes bytes, $urls URLs, $hosts hosts, all as recorded" \
        "$(sed -E 's/ 1 (page|byte|URL|host),/ 1 \1s,/g' "$OUT")"
    silent "$ERR"
}

# finds LINE...: exit status 1, and these lines (patterns), sorted, are what it
# says.
finds() {
    local line n=0

    verify
    same 1 "$STATUS" "exit status: $(cat "$OUT" "$ERR")"
    silent "$ERR"
    while IFS= read -r line; do
        n=$((n + 1))
        # shellcheck disable=SC2053 # patterns on purpose
        [[ $line == ${!n:-} ]] || fail "line $n is '$line', not '${!n:-}'" || return
    done < <(sort -V "$OUT")
    same "$#" "$n" "findings: $(cat "$OUT")"
}

sql() {
    sqlite3 "$DIR/.crawler" "$*"
}

# plant SQL: rows as if a crawl had written them.
plant() {
    sql "$*"
    "$RESEAL" "$DIR"
}

# small_crawl [OPTION...]: six pages, three levels, one redirect, some links
# that lead nowhere.
small_crawl() {
    serve <<'END'
/
    body <a href=/a>.</a><a href=/b>.</a><a href=http://other.example/>.</a>
/a
    body <a href=/a/1>.</a><a href=/a/2>.</a><a href=/>.</a>
/b 301
    redirect /b/
/b/
    body <a href=/b/1>.</a><a href=/missing>.</a>
/missing 404
/*
    body A page.
END
    fetch 9 "$@"
    stop_playground
    same 6 "$(page_count)" "pages"
    clean
}

# --- clean -------------------------------------------------------------------

@test "verify is clean after a crawl of the letters site, as the course crawls it" {
    start_playground --letters
    letters_crawl 10 >/dev/null
    clean 9
    # A directory where nothing may be written, and from anywhere.
    cp -r "$DIR" "$TMP/copy"
    chmod a-w "$TMP/copy"
    cd /
    verify "$TMP/copy/"
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
}

WEB=(--web verify --hosts 12 --pages 400 --flaky 2% --limited 1% --errors 1%
    --redirects 10% --noindex 5% --nofollow 5% --gzip 50%)

# web_crawl OPTION...: all of it.
web_crawl() {
    start_playground "${WEB[@]}"
    crawl --robots obey --scope any --log none --delay 20ms --ip-delay 0 "$@" \
        http://d0.example/ "$DIR" 100 2>"$TMP/err" || :
}

@test "verify is clean after retries, redirects, robots.txt, noindex, breadth-first" {
    web_crawl
    same "$("$PLAYGROUND" truth "${WEB[@]}" | wc -l)" "$(page_count)" "pages"
    clean
    # It was a crawl with all of these.
    for what in 'fetch WHERE due_ms > 0' 'fetch WHERE pause_ms > 500' \
        'fetch WHERE target IS NOT NULL' 'robots' 'url WHERE verdict > 0' \
        'url WHERE depth > 0 AND referrer = 0'; do
        [ "$(sql "SELECT count(*) FROM $what")" -gt 0 ] || fail "no $what"
    done
}

@test "verify is clean after a crawl in priority order" {
    web_crawl --order priority
    clean
    [ "$(sql "SELECT count(*) FROM change JOIN url USING (number)
        WHERE change.depth < url.depth")" -gt 0 ] || fail "no depth became smaller"
}

@test "verify is clean after four fetches from a host at a time" {
    web_crawl --per-host 4 --workers 200
    clean
    # Some began while others were not over.
    [ "$(sql "SELECT count(*) FROM fetch a JOIN url ua USING (number),
        fetch b JOIN url ub USING (number)
        WHERE substr(ua.url, ua.host_at + 1, ua.host_len) =
            substr(ub.url, ub.host_at + 1, ub.host_len)
        AND a.start_ms < b.start_ms AND b.start_ms < a.end_ms")" -gt 0 ] ||
        fail "nothing overlaps"
}

@test "verify is clean after a stop and a resume, also at another speed" {
    start_playground "${WEB[@]}" --slow 100% --slow-time 3ms
    capture crawl --robots obey --scope any --log none --delay 300ms --ip-delay 0 \
        --max-pages 30 http://d0.example/ "$DIR" 100
    same 3 "$STATUS" "$(cat "$ERR")"
    clean 30
    capture "${LIMITED[@]}" "$CRAWLER" --resume --max-pages 60 "$DIR"
    same 3 "$STATUS" "$(cat "$ERR")"
    clean 60
    capture "${LIMITED[@]}" "$CRAWLER" --resume --max-pages 500 --delay 20ms \
        --per-host 8 "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    clean "$("$PLAYGROUND" truth "${WEB[@]}" | wc -l)"
    # It was remembered that eight are allowed now.
    same 8 "$(sql "SELECT value FROM setting WHERE name = 'per_host'")"
}

@test "verify is clean after a URL was found again nearer, and fetched before the next commit" {
    serve <<'END'
/
    body <a href=/b>.</a><a href=/a>.</a><a href=/a>.</a><a href=/a>.</a>
/a
    body <a href=/c>.</a><a href=/c>.</a><a href=/c>.</a>
/b
    body <a href=/u>.</a>
/c
    body <a href=/u>.</a>
/u
    body The end.
END
    fetch 9 --order priority
    same "/c 2 /u 2" "$(pages | grep '[cu]' | xargs)" "depths"
    same "2|4" "$(sql "SELECT depth, referrer FROM pages WHERE url LIKE '%/u'")"
    clean
}

@test "verify is clean after sitemaps, a robots.txt that moved, a Crawl-delay" {
    serve <<'END'
//example.org/robots.txt 301
    redirect http://other.example/robots.txt
//other.example/robots.txt
    type text/plain
    body User-agent: *
    body Crawl-delay: 0.2
    body Sitemap: http://example.org/sitemap.txt
/sitemap.txt
    type text/plain
    body http://example.org/listed
/listed
    body <a href=/linked>.</a>
/*
    body A page.
END
    fetch 9 --robots obey --sitemaps --delay 50ms
    clean 3
    same 200 "$(sql "SELECT max(pause_ms) FROM fetch")" "the pause"
}

@test "verify is clean beside a running crawl, and after it was killed" {
    serve <<'END'
/
    links 2000 /page/%d
/*
    body A page.
END
    "$CRAWLER" -q --robots ignore --connect-to "::127.0.0.1:$PORT" --scope host \
        --delay 10ms http://example.org/ "$DIR" 1 3>&- &
    CRAWL=$!
    pages=0
    until [ "$pages" -gt 30 ]; do
        kill -0 "$CRAWL"
        verify
        [ "$STATUS" -eq 2 ] && continue # it has only begun
        same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
        pages=$(sed 's/^verified: \([0-9]*\) .*/\1/' "$OUT")
    done
    kill -KILL "$CRAWL"
    wait "$CRAWL" || :
    # What was saved after the last commit is as it may be, ...
    last=$(sql "SELECT max(page) FROM fetch")
    printf 'http://example.org/x\n1\nx' >"$DIR/$(($(page_count) + 1))"
    verify
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
    [[ $(cat "$OUT") == "verified: $last pages, "* ]]
    # ... but not what cannot be its.
    printf 'x' >"$DIR/4000000000"
    finds "file 4000000000: no page of that number is recorded"
}

@test "verify is clean after a crawl that found nothing" {
    serve <<'END'
/ 404
END
    capture fetch 1
    same 4 "$STATUS"
    verify
    same 0 "$STATUS"
    same "verified: 0 pages, 0 bytes, 1 URL, 1 host, all as recorded" \
        "$(cat "$OUT")"
}

# --- page files --------------------------------------------------------------

@test "verify finds a missing file" {
    small_crawl
    rm "$DIR/3"
    finds "page 3: there is no file"
}

@test "verify finds a changed byte" {
    small_crawl
    sed -i '3s/page/Page/' "$DIR/6"
    finds "page 6: its bytes are not those that were saved"
}

@test "verify finds a truncated file, a longer one, one without a body, an empty one" {
    small_crawl
    truncate -s -1 "$DIR/2"
    echo >>"$DIR/3"
    sed -i 3,99d "$DIR/4"
    : >"$DIR/5"
    sed -i 2,99d "$DIR/6"
    finds "page 2: it has 51 bytes, not 52" \
        "page 3: it has 42 bytes, not 41" \
        "page 4: it has 0 bytes, not 8" \
        "page 5: its first line is not its URL, http://example.org/a/2" \
        "page 6: its second line is not its depth, 2"
}

@test "verify finds another URL or another depth in a file" {
    small_crawl
    sed -i '1s/$/x/' "$DIR/2"
    sed -i '2s/1/10/' "$DIR/3"
    sed -i '2s/2/2 /' "$DIR/4"
    finds "page 2: its first line is not its URL, http://example.org/a" \
        "page 3: its second line is not its depth, 1" \
        "page 4: its second line is not its depth, 2"
}

@test "verify finds a directory, a pipe or a link in the place of a page" {
    small_crawl
    rm "$DIR/2" "$DIR/3" "$DIR/4"
    mkdir "$DIR/2"
    mkfifo "$DIR/3"
    ln -s 1 "$DIR/4"
    finds "page 2: it is no file" "page 3: it is no file" "page 4: it is no file"
}

@test "verify finds an extra file" {
    small_crawl
    cp "$DIR/6" "$DIR/7"
    cp "$DIR/6" "$DIR/12"
    # These are nobody's numbers.
    touch "$DIR/012" "$DIR/7a" "$DIR/0" "$DIR/4294967296" "$DIR/-7"
    finds "file 7: no page of that number is recorded" \
        "file 12: no page of that number is recorded"
}

# --- the record --------------------------------------------------------------

@test "verify finds a hole in the numbers" {
    small_crawl
    plant "UPDATE fetch SET page = 7 WHERE page = 3"
    mv "$DIR/3" "$DIR/7" # or it would be a file that nobody made, too
    finds "*found on page 3, which is not recorded: http://example.org/b/1" \
        "*found on page 3, which is not recorded: http://example.org/missing" \
        "page 3: it is not recorded, but later ones are"
}

@test "verify finds a page that is there twice, by number or URL" {
    small_crawl
    plant "UPDATE fetch SET page = 4 WHERE page = 5"
    rm "$DIR/5"
    verify
    same 1 "$STATUS"
    grep -qx "page 4: it is recorded twice" "$OUT"
    grep -qx "page 5: it is not recorded, but later ones are" "$OUT"
}

@test "verify finds one URL under two numbers" {
    small_crawl
    plant "INSERT INTO fetch(number, page, status, outcome, mime,
            size, digest, start_ms, end_ms, pause_ms, due_ms, target, noarchive, depth, settled)
        SELECT number, 7, status, outcome, mime, size,
        digest, start_ms, end_ms, 0, due_ms, target, 0, depth, 0 FROM fetch WHERE page = 6"
    plant "UPDATE setting SET value = 7 WHERE name = 'count.saved'"
    plant "UPDATE setting SET value = (SELECT sum(size) FROM fetch WHERE page > 0)
        WHERE name = 'count.bytes'"
    cp "$DIR/6" "$DIR/7"
    finds "it has ended more than once: http://example.org/b/1" \
        "page 6: its URL is that of page 7"
    # And as two URLs that are the same.
    plant "INSERT INTO url SELECT 100, url, host_at, host_len, domain_at, domain_len,
        depth, referrer, found, kind, verdict, redirects, line, via, 0, 0 FROM url
        WHERE url LIKE '%/b/1'"
    plant "UPDATE fetch SET number = 100 WHERE page = 7"
    finds "page 7: its URL is that of another page, http://example.org/b/1"
}

@test "verify finds a wrong depth in the record: of a page, of a seed, of what was refused" {
    small_crawl
    cp "$DIR/.crawler" "$TMP/good"
    plant "UPDATE url SET depth = 3 WHERE url LIKE '%/a/1'"
    finds "depth 3, but it was fetched at depth 2: http://example.org/a/1" \
        "depth 3, but page 2, where it was found, has 1: http://example.org/a/1"

    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE url SET depth = 0 WHERE url LIKE '%other.example%'"
    finds "depth 0, but page 1, where it was found, has 0: http://other.example/"

    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE url SET depth = 1 WHERE referrer = 0"
    verify
    grep -qx "depth 1, but it was found on no page: http://example.org/" "$OUT"

    # The latest change counts.
    cp "$TMP/good" "$DIR/.crawler"
    number=$(sql "SELECT number FROM url WHERE url LIKE '%/a/2'")
    plant "INSERT INTO change VALUES (NULL, $number, 9, 9, 9, 0),
        (NULL, $number, 2, 2, 9, 0)"
    clean
    plant "INSERT INTO change VALUES (NULL, $number, 1, 2, 9, 0)"
    finds "depth 1, but page 2, where it was found, has 1: http://example.org/a/2"

    # And a redirect stays at its depth.
    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE url SET depth = 4 WHERE url LIKE '%/b'"
    finds "depth 1, but what redirected there has 4: http://example.org/b/" \
        "depth 4, but it was fetched at depth 1: http://example.org/b" \
        "depth 4, but page 1, where it was found, has 0: http://example.org/b"
}

@test "verify finds a pause that was too short" {
    small_crawl --delay 100ms
    cp "$DIR/.crawler" "$TMP/good"
    plant "UPDATE fetch SET start_ms = (SELECT end_ms + 40 FROM fetch
        ORDER BY place DESC LIMIT 1 OFFSET 1)
        WHERE place = (SELECT max(place) FROM fetch)"
    finds "example.org: asked at 20??-??-??T??:??:??.???Z, 60 ms before its pause was over"
    # What rounding may do is not found.
    plant "UPDATE fetch SET start_ms = start_ms + 58
        WHERE place = (SELECT max(place) FROM fetch)"
    clean
    # A rule that was not kept.
    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE fetch SET pause_ms = pause_ms + 100000
        WHERE place = (SELECT max(place) - 2 FROM fetch)"
    finds "example.org: asked at *" "example.org: asked at *"
}

# last_until_third PLACE...: these fetches go on until the third begins.
last_until_third() {
    local place

    for place; do
        plant "UPDATE fetch SET end_ms = (SELECT start_ms FROM fetch
            WHERE place = 3) WHERE place = $place"
    done
}

@test "verify finds more fetches at a time than were allowed" {
    small_crawl --delay 100ms
    last_until_third 1
    finds "example.org: asked at *" "example.org: asked at *"
    plant "UPDATE setting SET value = 2 WHERE name = 'per_host'"
    clean
    last_until_third 2
    finds "example.org: asked at *"
    plant "UPDATE setting SET value = 3 WHERE name = 'per_host'"
    clean
}

@test "verify takes fetches that began in one millisecond in the order that is right" {
    small_crawl --delay 0
    plant "UPDATE fetch SET start_ms = 1700000000000, end_ms = 1700000000000 + 2000 * (place = 1),
        pause_ms = 3000 * (place = 1)
        WHERE place <= 3"
    plant "UPDATE fetch SET start_ms = start_ms + 10000, end_ms = end_ms + 10000 WHERE place > 3"
    clean
}

@test "verify finds a short pause after a robots.txt, and of the host that was asked for it" {
    serve <<'END'
//example.org/robots.txt 302
    redirect http://other.example/rules
//other.example/rules
    type text/plain
    body User-agent: *
/*
    body <a href=http://other.example/>.</a>
END
    fetch 1 --robots obey --scope any --delay 100ms
    clean
    cp "$DIR/.crawler" "$TMP/good"
    plant "UPDATE robots SET end_ms = end_ms + 50000 WHERE url LIKE '%example.org/%'"
    verify
    grep -q "^example.org: asked at " "$OUT" || fail "$(cat "$OUT")"
    ! grep -q "^other.example: " "$OUT" || fail "$(cat "$OUT")"
    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE robots SET end_ms = end_ms + 50000 WHERE url LIKE '%/rules'"
    verify
    grep -q "^other.example: asked at " "$OUT" || fail "$(cat "$OUT")"
    ! grep -q "^example.org: " "$OUT" || fail "$(cat "$OUT")"
}

@test "verify finds counters, ends and rows that fit nothing" {
    small_crawl
    cp "$DIR/.crawler" "$TMP/good"
    plant "UPDATE setting SET value = value + 1 WHERE name IN
        ('count.saved', 'count.bytes')"
    finds "7 pages are counted, but 6 are recorded" \
        "* bytes are counted, but * are recorded"

    cp "$TMP/good" "$DIR/.crawler"
    plant "INSERT INTO refusal SELECT NULL, number, 9, 0, 1, 0 FROM fetch
        WHERE page = 2"
    finds "it has ended more than once: http://example.org/a"

    cp "$TMP/good" "$DIR/.crawler"
    plant "INSERT INTO refusal VALUES (NULL, 777, 9, 0, 1, 0)"
    plant "INSERT INTO change VALUES (NULL, 778, 1, 1, 1, 0)"
    finds "a change belongs to number 778, which is no URL" \
        "a refusal belongs to number 777, which is no URL"

    # A URL that is gone takes its page with it.
    cp "$TMP/good" "$DIR/.crawler"
    number=$(sql "SELECT number FROM url WHERE url LIKE '%/a/1'")
    plant "DELETE FROM url WHERE number = $number"
    finds "rows belong to number $number, which is no URL"

    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE url SET verdict = 3 WHERE url LIKE '%/a/1'"
    finds "it was refused, and yet more is recorded of it: http://example.org/a/1"

    cp "$TMP/good" "$DIR/.crawler"
    plant "UPDATE fetch SET outcome = 8 WHERE page = 4"
    finds "page 4: it is recorded as one that was not fetched"
}

@test "verify lists no more than a hundred findings of a kind" {
    start_playground "${WEB[@]}"
    crawl -q --scope any --delay 0 http://d0.example/ "$DIR" 100
    count=$(page_count)
    rm "$DIR"/[1-9]*
    plant "UPDATE setting SET value = 0 WHERE name = 'count.saved'"
    verify
    same 1 "$STATUS"
    same 102 "$(wc -l <"$OUT")"
    same "and $((count - 100)) more page files" "$(tail -n 1 "$OUT")"
    same "0 pages are counted, but $count are recorded" \
        "$(grep counted "$OUT")"
}

@test "verify takes no harm from what somebody wrote into the record" {
    small_crawl
    cp "$DIR/.crawler" "$TMP/good"
    # A terminal must not obey it.
    plant "UPDATE url SET url = replace(url, '/a/1', char(27) || '[31m' || char(10))
        WHERE url LIKE '%/a/1'"
    verify
    same 1 "$STATUS"
    grep -qx 'page 4: its first line is not its URL, http://example.org?\[31m?' "$OUT"
    # No number decides how much memory is taken.
    for change in "url SET number = 4000000000 WHERE number = 2" \
        "url SET number = 9000000000000000000 WHERE number = 2" \
        "fetch SET page = 4294967295 WHERE page = 6" \
        "fetch SET size = 9000000000000000000 WHERE page = 6" \
        "fetch SET start_ms = 9000000000000000000 WHERE page = 6" \
        "fetch SET end_ms = 9000000000000000000 WHERE page = 6" \
        "fetch SET pause_ms = 9000000000000000000 WHERE page = 6" \
        "fetch SET number = -1 WHERE page = 6" \
        "fetch SET number = 'many' WHERE page = 6" \
        "url SET referrer = 4294967295 WHERE number = 2" \
        "url SET depth = 4294967295 WHERE number = 2" \
        "url SET via = 9000000000000000000 WHERE number = 2" \
        "url SET via = 2 WHERE number = 2" \
        "url SET host_len = 99 WHERE number = 2" \
        "url SET url = NULL WHERE number = 2" \
        "setting SET value = 'x' WHERE name = 'count.saved'" \
        "setting SET value = '4000000000' WHERE name = 'per_host'"; do
        cp "$TMP/good" "$DIR/.crawler"
        # Rows that cannot be get no digest.
        plant "UPDATE $change" 2>/dev/null || :
        verify
        [ "$STATUS" -le 1 ] || fail "$change: status $STATUS, $(cat "$OUT" "$ERR")"
        ! grep "out of memory" "$ERR" || fail "$change"
    done
}

# --- what it is not asked for ------------------------------------------------

@test "verify with wrong arguments or no directory: exit status 2" {
    refused() {
        capture "$CRAWLER" verify "${@:2}"
        same 2 "$STATUS" "$(cat "$OUT" "$ERR")"
        silent "$OUT"
        same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")"
        [[ $(cat "$ERR") == "crawler: "$1 ]] || fail "said: $(cat "$ERR")"
    }
    refused "verify takes one argument, pageDirectory, not 0"
    refused "verify takes one argument, pageDirectory, not 2" "$DIR" "$DIR"
    refused "there is no option --format; *" --format csv "$DIR"
    refused "pageDirectory '$TMP/none': No such file or directory" "$TMP/none"
    touch "$TMP/file"
    refused "pageDirectory '$TMP/file': Not a directory" "$TMP/file"
}

@test "verify finds a damaged page of the state file, whichever it is" {
    start_playground --web damage --hosts 3 --pages 200 --flaky 0 --errors 0
    crawl --scope any --delay 0 --log none --max-pages 60 http://d0.example/ \
        "$DIR" 100 2>/dev/null || same 3 $? "exit status at a limit"
    clean 60
    cp "$DIR/.crawler" "$TMP/good"
    unread=0
    for ((page = 2; page <= $(sql "PRAGMA page_count"); page++)); do
        cp "$TMP/good" "$DIR/.crawler"
        tr '\0' '\377' </dev/zero | dd of="$DIR/.crawler" bs=4096 \
            seek=$((page - 1)) count=1 iflag=fullblock conv=notrunc status=none
        verify
        same 1 "$STATUS" "page $page: $(cat "$OUT" "$ERR")"
        if grep -q "^the state is damaged: [^*]" "$OUT"; then
            [ -s "$ERR" ] || unread=$((unread + 1))
        else
            grep -q "^crawler: cannot read the state in '$DIR/.crawler': " "$ERR" ||
                fail "page $page: $(cat "$OUT" "$ERR")"
        fi
    done
    # Some have nothing that verify reads, and are told of all the same.
    [ "$unread" -gt 0 ] || fail "verify would have seen all of it anyway"
}

@test "verify ends when nobody reads what it found" {
    small_crawl
    for where in /dev/full closed; do
        if [ "$where" = closed ]; then
            capture sh -c '"$0" verify "$1" >&-' "$CRAWLER" "$DIR"
        else
            capture sh -c '"$0" verify "$1" >/dev/full' "$CRAWLER" "$DIR"
        fi
        same 1 "$STATUS"
        grep -q "^crawler: cannot write: " "$ERR"
    done
}
