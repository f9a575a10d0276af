#!/usr/bin/env bats
# Machines of a fleet with --warc: each keeps the captures of its own pages, and
# only those that are committed; one index and one package are of all.

load helper
load postgres
load machines

CHECK_WARC=$BATS_TEST_DIRNAME/check_warc.py
CHECK_WACZ=$BATS_TEST_DIRNAME/check_wacz.py

setup_file() { postgres_start; }
teardown_file() { postgres_stop; }

setup() { postgres_needed && helper_setup && start_web; }

teardown() { helper_teardown; }

# archive_of DIRECTORY: every record is whole, and has its place; the captures of
# its pages are those of its page files, each once. Prints their URLs.
archive_of() {
    local dir=$1 file

    for file in "$dir"/archive/*; do
        "$CRAWLER" warc "$file" >/dev/null || fail "$file" || return
    done
    python3 "$CHECK_WARC" "$dir" --no-rows >"$TMP/kept" 2>"$TMP/faults" ||
        fail "$dir: $(head -n 5 "$TMP/faults")" || return
    awk 'NR == FNR { page[$1]; next } $3 in page { print $3 }' \
        "$TMP/truth" "$TMP/kept" | LC_ALL=C sort >"$TMP/captured"
    page_depths "$dir" | cut -d ' ' -f 1 | LC_ALL=C sort |
        diff - "$TMP/captured" >"$TMP/diff" ||
        fail "$dir: pages and captures: $(head -n 5 "$TMP/diff")" || return
    cat "$TMP/captured"
}

# urls_of_truth: one line a page.
urls_of_truth() { cut -d ' ' -f 1 "$TMP/truth" | LC_ALL=C sort; }

# all_archives: the archives together have every page once.
all_archives() {
    local dir

    for dir in "$TMP"/m[0-9]; do
        archive_of "$dir" || return
    done | LC_ALL=C sort | diff <(urls_of_truth) - >"$TMP/diffs" ||
        fail "$(head -n 5 "$TMP/diffs")"
}

# export_all FORMAT [OPTION...]: of the engine and all directories.
export_all() {
    "$CRAWLER" export --format "$1" "${@:2}" --name "$NAME" \
        "$(postgres_url)" "$TMP"/m[0-9]
}

@test "three machines keep one archive each; one is killed and comes back" {
    LEASE=2s DELAY=40ms
    machines 3 --warc --warc-max-size 20K
    wait_for_busiest
    kill -9 "${MACHINE[BUSIEST]}"
    machine_ends "$BUSIEST" 137
    machine "$BUSIEST" --warc --warc-max-size 20K
    for i in 1 2 3; do machine_ends $i 0; done
    all_pages
    all_archives
    # Of several files, whoever had how many of the pages; none has the name of
    # another.
    [ "$(find "$TMP"/m?/archive -type f | wc -l)" -gt 3 ]
    same "" "$(find "$TMP"/m?/archive -type f -printf '%f\n' | sort | uniq -d)"
    # One index: of the rows in the engine, with the directories or without.
    export_all cdxj >"$TMP/index"
    LC_ALL=C sort -c "$TMP/index"
    "$CRAWLER" export --format cdxj --name "$NAME" "$(postgres_url)" >"$TMP/rows"
    cmp "$TMP/index" "$TMP/rows"
    # One package, which lists every page once.
    export_all wacz --output "$TMP/all.wacz"
    python3 "$CHECK_WACZ" "$TMP/all.wacz" "$TMP/index" >"$TMP/listed"
    jq -r .url "$TMP/listed" | LC_ALL=C sort | diff <(urls_of_truth) -
    same "" "$(jq -r .id "$TMP/listed" | sort | uniq -d)"
    diff "$TMP/truth" <(jq -r '.url + " " + (.depth | tostring)' "$TMP/listed" |
        LC_ALL=C sort)
}

@test "a machine that comes back after the end cuts its archive to what counts" {
    LEASE=2s DELAY=40ms
    machines 3 --warc
    wait_for_busiest
    kill -9 "${MACHINE[BUSIEST]}"
    machine_ends "$BUSIEST" 137
    for i in 1 2 3; do [ "$i" = "$BUSIEST" ] || machine_ends $i 0; done
    # What is behind the last commit is there until then.
    ls "$TMP/m$BUSIEST"/archive/*.open
    echo beyond >>"$(echo "$TMP/m$BUSIEST"/archive/*.open)"
    machine "$BUSIEST" --warc
    machine_ends "$BUSIEST" 0
    all_pages
    all_archives
}

@test "a machine that stood still for longer than its lease cuts its archive" {
    LEASE=2s DELAY=40ms
    machines 2 --warc
    wait_for_busiest
    stands_still "$BUSIEST"
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    all_archives
}

@test "an engine that lost its last commits: files that it does not know are removed" {
    LEASE=2s DELAY=40ms
    machines 2 --warc --warc-max-size 20K
    wait_until_saved 60
    postgres_keep
    wait_until_saved 200
    postgres_set_back
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    all_archives
}

@test "pages only in the archive: --save archive" {
    DELAY=20ms
    machine 1 --warc --save archive
    wait_until_saved 60
    kill -9 "${MACHINE[1]}"
    machine_ends 1 137
    machine 1 --warc --save archive
    machine_ends 1 0
    same archive "$(cd "$TMP/m1" && ls)"
    export_all wacz --output "$TMP/all.wacz"
    python3 "$CHECK_WACZ" "$TMP/all.wacz" | jq -r .url | LC_ALL=C sort |
        diff <(urls_of_truth) -
}

@test "what cannot be exported is refused in one line" {
    machine 1 --warc && machine 2 --warc
    for i in 1 2; do machine_ends $i 0; done
    refused() {
        capture "$CRAWLER" export --name "$NAME" "${@:2}"
        same 2 "$STATUS" "status: $(cat "$ERR")" || return
        same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")" || return
        grep -qF -- "$1" "$ERR" || fail "no '$1' in: $(cat "$ERR")"
    }
    refused "name the engine first" --format cdxj "$TMP/m1" "$TMP/m1"
    refused "the same directory" --format cdxj "$(postgres_url)" "$TMP/m1" "$TMP/m1"
    refused "export takes the page directories behind" \
        --format wacz --output "$TMP/x" "$(postgres_url)"
    mkdir "$TMP/other"
    refused "no crawl can be read in" --format cdxj "$(postgres_url)" "$TMP/other"
    capture "$CRAWLER" --fleet "$(postgres_url)" --wacz http://d0.example/ "$TMP/other" 3
    same 2 "$STATUS"
    grep -q "crawler export --format wacz makes one" "$ERR"
    # A machine whose directory is not named is told of.
    capture "$CRAWLER" export --format cdxj --name "$NAME" "$(postgres_url)" "$TMP/m2"
    same 0 "$STATUS"
    grep -qE "machine [12] with .* pages is left out: its page directory is not named" "$ERR"
}

@test "pages and captures of a machine whose disk is lost are fetched again by the others" {
    LEASE=2s DELAY=40ms
    machines 3 --warc
    wait_for_busiest
    kill -9 "${MACHINE[BUSIEST]}"
    machine_ends "$BUSIEST" 137
    wait_until_dead "$BUSIEST"
    local numbers number
    numbers=$(postgres_sql "SELECT node FROM $NAME.node WHERE $(nodes_of "$BUSIEST") AND pages > 0")
    [ -n "$numbers" ]
    rm -r "$TMP/m$BUSIEST"
    for number in $numbers; do
        "$CRAWLER" lost --name "$NAME" "$(postgres_url)" "$number"
    done
    for i in 1 2 3; do [ "$i" = "$BUSIEST" ] || machine_ends $i 0; done
    all_pages
    all_archives
    export_all wacz --output "$TMP/all.wacz"
    python3 "$CHECK_WACZ" "$TMP/all.wacz" | jq -r .url | LC_ALL=C sort |
        diff <(urls_of_truth) -
}

@test "a finished crawl goes on when a machine is lost, and the lost directory begins anew" {
    for i in 1 2; do machine $i --warc; done
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    "$CRAWLER" lost --name "$NAME" "$(postgres_url)" 2
    same running "$(postgres_sql "SELECT state FROM $NAME.crawl")"
    # Its files do not count: it comes back under another number.
    for i in 1 2; do machine $i --warc; done
    for i in 1 2; do machine_ends $i 0; done
    all_pages
    all_archives
    same t "$(postgres_sql "SELECT pages_lost AND pages = 0 FROM $NAME.node WHERE node = 2")"
    "$CRAWLER" status --name "$NAME" "$(postgres_url)" | grep -q 'its pages are lost'
}

@test "requisites of other domains are another machine's, and none is missing" {
    start_playground --site "$BATS_TEST_DIRNAME/requisites.site"
    needs() {
        "$CRAWLER" --quiet --robots obey --scope host --delay 0 --retries 0 --warc \
            --requisites --connect-to "::127.0.0.1:$PORT" "${@:2}" \
            http://site.test/ "$1" 3
    }
    urls() { sed 's/^[^{]*{"url":"//; s/".*//' | LC_ALL=C sort -u; }
    mkdir "$TMP/alone" "$TMP/m1" "$TMP/m2"
    needs "$TMP/alone"
    for i in 1 2; do
        needs "$TMP/m$i" --fleet "$(postgres_url)" --name "$NAME" --partitions 16 \
            --save-every 50ms 3>&- &
        MACHINE[$i]=$!
    done
    for i in 1 2; do wait "${MACHINE[$i]}"; done
    "$CRAWLER" export --format cdxj "$TMP/alone" | urls >"$TMP/alone.urls"
    "$CRAWLER" export --format cdxj --name "$NAME" "$(postgres_url)" | urls |
        diff "$TMP/alone.urls" -
    # Each is known to be needed by a page, and by which.
    "$CRAWLER" export --format sqlite --name "$NAME" "$(postgres_url)" --output "$TMP/out.db"
    [ "$(sqlite3 "$TMP/out.db" 'SELECT count(*) FROM requisites')" -gt 20 ]
    same "" "$(sqlite3 "$TMP/out.db" 'SELECT url FROM requisites WHERE referrer IS NULL OR
        referrer NOT IN (SELECT id FROM pages)')"
    run -0 "$CRAWLER" why --name "$NAME" "$(postgres_url)" http://cdn.test/need/target.png
    grep -qxE '  found     as a requisite, on page [12].1, http://site.test/' <<<"$output" ||
        fail "$output"
    grep -qx '  from      http://cdn.test/need/redirect' <<<"$output" || fail "$output"
}
