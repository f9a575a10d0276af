#!/usr/bin/env bats
# Reports on a fleet: export, why and verify read its record in the engine as
# they read that of a page directory.

load helper
load postgres
load machines

WEB=(--web reports --hosts 30 --pages 300 --size 800 --redirects 15%
    --flaky 0 --limited 0 --errors 0 --slow 0)
DEPTH=3 # so links of the last level are refused where they are found

# Three machines crawl once; the tests only read. One of them is killed on the
# way, so partitions have had several owners.
setup_file() {
    postgres_start || return 0
    local i

    TMP=$BATS_FILE_TMPDIR SERVERS=() MACHINE=()
    start_playground "${WEB[@]}"
    "$PLAYGROUND" truth "${WEB[@]}" --depth "$DEPTH" |
        awk -F '\t' '{ print $2, $1 }' | LC_ALL=C sort >"$TMP/truth"
    machines 3 || return
    wait_until_saved 30
    kill -KILL "${MACHINE[2]}"
    wait "${MACHINE[2]}" || :
    machine 2
    for i in 1 2 3; do wait "${MACHINE[$i]}" || return; done
    MACHINE=()
    helper_teardown
}

teardown_file() { postgres_stop; }

setup() {
    postgres_needed && helper_setup
    FLEET=$BATS_FILE_TMPDIR
}

# Machines that a test leaves at work end with it.
teardown() {
    [ -z "${MACHINE[*]}" ] || kill -KILL "${MACHINE[@]}" 2>/dev/null || :
    helper_teardown
}

machine() {
    mkdir -p "$TMP/m$1"
    "$CRAWLER" --quiet --fleet "$(postgres_url)" --partitions 16 \
        --connect-to "::127.0.0.1:$PORT" --scope any --delay 20ms --links \
        --save-every 50ms http://d0.example/ "$TMP/m$1" "$DEPTH" \
        2>"$TMP/m$1.err" 3>&- &
    MACHINE[$1]=$!
}

# export_sqlite: the record of the fleet, in $DB.
export_sqlite() {
    DB=$TMP/out.db
    capture "$CRAWLER" export --format sqlite "$(postgres_url)" --output "$DB"
    same 0 "$STATUS" "$(cat "$ERR")" && silent "$ERR"
}

# of_page ID: "MACHINE PAGE", by the settings of the file.
of_page() {
    sqlite3 -separator ' ' "$DB" "SELECT substr(m.name, 9) + 0, $1 - m.value FROM setting m
        WHERE m.name = (SELECT max(name) FROM setting
            WHERE name LIKE 'machine.%' AND value + 0 < $1)"
}

@test "export --format sqlite: one file with every page once, in the usual views" {
    export_sqlite
    same "ok" "$(sqlite3 "$DB" 'PRAGMA integrity_check')"
    diff "$FLEET/truth" <(sqlite3 -separator ' ' "$DB" \
        'SELECT url, depth FROM pages' | LC_ALL=C sort) >"$TMP/diff" ||
        fail "pages: $(head -n 5 "$TMP/diff")"
    # Numbers have no holes.
    same t "$(sqlite3 "$DB" "SELECT CASE WHEN count(*) = max(number) THEN 't' END FROM url")"
    same t "$(sqlite3 "$DB" "SELECT CASE WHEN count(DISTINCT id) = max(id) THEN 't' END FROM pages")"
    same 0 "$(sqlite3 "$DB" 'SELECT count(*) FROM queue')"
    same finished "$(sqlite3 "$DB" "SELECT value FROM setting WHERE name = 'state'")"
    # Links are those of their page.
    same 0 "$(sqlite3 "$DB" 'SELECT count(*) FROM link WHERE page NOT IN (SELECT id FROM pages)')"
    [ "$(sqlite3 "$DB" 'SELECT count(*) FROM links')" -gt 100 ]
    # Nothing else is left beside it.
    same out.db "$(find "$TMP" -maxdepth 1 -name '*out.db*' -printf '%f\n')"
    same "" "$(find "$TMP" -name '.crawler-copy*')"
}

@test "the errors of the ledger are failures, and nothing else" {
    local outcome

    for outcome in fetched redirected canonical abandoned timed-out empty not-html \
        too-large noindex noarchive; do
        postgres_sql "INSERT INTO crawl.fetched (part, number, at, node, page, ms, status,
            outcome, size, digest, depth, url)
            VALUES (0, 0, -1, 1, 0, 0, 0, '$outcome', 0, 0, 0, 'http://of.test/')"
    done
    found=$(postgres_sql "SELECT DISTINCT outcome FROM crawl.errors
        WHERE at = -1 ORDER BY 1" | paste -sd ' ')
    postgres_sql "DELETE FROM crawl.fetched WHERE at = -1"
    same "empty timed-out" "$found"
    # The file for SQL has the same.
    export_sqlite
    diff <(sqlite3 "$DB" 'SELECT url, outcome FROM errors ORDER BY 1, 2' | LC_ALL=C sort) \
        <(postgres_sql -F '|' "SELECT url, outcome FROM crawl.errors" | LC_ALL=C sort)
}

@test "a page of the file is a page file of the machine that it names" {
    local id url depth node page dir

    export_sqlite
    same 3 "$(sqlite3 "$DB" "SELECT count(*) FROM setting WHERE name LIKE 'machine.%'")"
    sqlite3 -separator ' ' "$DB" "SELECT id, url, depth FROM pages WHERE id % 7 = 1" >"$TMP/some"
    [ "$(wc -l <"$TMP/some")" -gt 10 ]
    while read -r id url depth; do
        read -r node page < <(of_page "$id")
        dir=$(directory_of "$node")
        same "$url $depth" "$(head -n 2 "$dir/$page" | paste -sd ' ')" "page $id"
    done <"$TMP/some"
}

# directory_of MACHINE: the page directory that is this machine.
directory_of() {
    local key dir

    key=$(postgres_sql "SELECT directory FROM crawl.node WHERE node = $1")
    for dir in "$FLEET"/m[0-9]; do
        same "$key" "$(sqlite3 "$dir/.crawler" \
            "SELECT value FROM setting WHERE name = 'fleet.directory'")" \
            >/dev/null 2>&1 || continue
        echo "$dir"
    done
}

@test "export jsonl, csv and links of a fleet" {
    local line

    capture "$CRAWLER" export --format jsonl "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$ERR")"
    diff "$FLEET/truth" <(jq -r '"\(.url) \(.depth)"' "$OUT" | LC_ALL=C sort) >"$TMP/diff" ||
        fail "pages: $(head -n 5 "$TMP/diff")"
    # Each line names the file.
    line=$(sed -n 5p "$OUT")
    same "$(jq -r .url <<<"$line")" \
        "$(head -n 1 "$(directory_of "$(jq .machine <<<"$line")")/$(jq .page <<<"$line")")"
    # A page where another was found is one level above it.
    same true "$(jq -s '(map({(.id | tostring): .depth}) | add) as $depth |
        all(.[]; .referrer_id == null or $depth[.referrer_id | tostring] == .depth - 1)' "$OUT")"
    jq -se 'any(.[]; .referrer_id != null)' "$OUT" >/dev/null
    capture "$CRAWLER" export --format csv "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$ERR")"
    same $(($(wc -l <"$FLEET/truth") + 1)) "$(wc -l <"$OUT")" "lines of CSV"
    same "id,url,depth,referrer_id,referrer,status,mime,size,digest,fetched,ms,equals,machine,page,referrer_machine,referrer_page" \
        "$(head -n 1 "$OUT" | tr -d '\r')"
    capture "$CRAWLER" export --format links "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$ERR")"
    [ "$(wc -l <"$OUT")" -gt 100 ]
}

@test "why names the machine that has the page" {
    local node page url

    read -r node page url < <(postgres_sql "SELECT node, page, url FROM crawl.pages
        WHERE depth = 2 ORDER BY node DESC, page LIMIT 1")
    capture "$CRAWLER" why "$(postgres_url)" "$url"
    same 0 "$STATUS" "$(cat "$ERR")"
    grep -qx "$url was fetched as page $node.$page at depth 2" "$OUT" ||
        fail "$(cat "$OUT")"
    grep -qE '^  found     on page [1-3]\.[1-9]' "$OUT" || fail "$(cat "$OUT")"
    # A URL that nobody linked to: the rules of the crawl are known.
    capture "$CRAWLER" why "$(postgres_url)" http://nobody.example/
    same 0 "$STATUS" "$(cat "$ERR")"
    grep -q 'was never seen; would be queued' "$OUT"
    capture "$CRAWLER" why "$(postgres_url)" http://d0.example/
    grep -q '^  found     as a seed' "$OUT"
}

# check_referrers FILE: every page of this export but the seed was found on the
# page that it names: that has the URL, is one level above, and links to it, or
# to what redirected to it. Prints how many were found on another machine.
check_referrers() {
    local node dirs=()

    for node in 1 2 3; do dirs+=("$(directory_of "$node")"); done
    postgres_sql -F $'\t' "SELECT url, target FROM crawl.fetched WHERE target IS NOT NULL" \
        >"$TMP/redirects"
    python3 - "$1" "$TMP/redirects" "${dirs[@]}" <<'END'
import json, re, sys, html
from urllib.parse import urljoin, urldefrag
pages = [json.loads(line) for line in open(sys.argv[1])]
redirects = dict(line.rstrip("\n").split("\t") for line in open(sys.argv[2]))
dirs = sys.argv[3:]
others = 0
for page in pages:
    if page["depth"] == 0:
        assert page["referrer_machine"] is None and page["referrer"] is None, page
        continue
    with open(f"{dirs[page['referrer_machine'] - 1]}/{page['referrer_page']}",
              errors="replace") as file:
        url, depth, text = file.read().split("\n", 2)
    assert url == page["referrer"], (url, page)
    assert int(depth) == page["depth"] - 1, (depth, page)
    links = {urldefrag(urljoin(url, html.unescape(link)))[0]
             for link in re.findall(r'href\s*=\s*["\']?([^"\'\s>]+)', text)}
    for link in list(links):
        for hop in range(20):
            link = redirects.get(link)
            links.add(link)
    assert page["url"] in links, (page, sorted(filter(None, links)))
    others += page["machine"] != page["referrer_machine"]
print(others)
END
}

@test "every page was found on the page that export names, whichever machine has it" {
    capture "$CRAWLER" export --format jsonl "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$ERR")"
    cp "$OUT" "$TMP/exported"
    same "$(wc -l <"$FLEET/truth")" "$(wc -l <"$TMP/exported")"
    others=$(check_referrers "$TMP/exported") || fail "a referrer is wrong"
    [ "$others" -gt 20 ] || fail "only $others were found on another machine"
    # The file for SQL says the same.
    export_sqlite
    diff <(jq -r '"\(.url) \(.referrer_id)"' "$TMP/exported" | LC_ALL=C sort) \
        <(sqlite3 -separator ' ' -nullvalue null "$DB" 'SELECT url, referrer FROM pages' |
            LC_ALL=C sort)
}

@test "why names the page where a URL was found, whichever machine has it" {
    local url page name found

    capture "$CRAWLER" export --format jsonl "$(postgres_url)"
    # Of each pair of machines some, and of redirects.
    jq -r 'select(.referrer) | "\(.url) \(.machine).\(.page) \(.referrer_machine).\(.referrer_page) \(.referrer)"' \
        "$OUT" | sort -t ' ' -k 2 | awk 'NR % 9 == 1' >"$TMP/some"
    [ "$(wc -l <"$TMP/some")" -gt 15 ]
    while read -r url name page found; do
        capture "$CRAWLER" why "$(postgres_url)" "$url"
        same 0 "$STATUS" "$(cat "$ERR")"
        grep -qF "$url was fetched as page $name at depth" "$OUT" || fail "$(cat "$OUT")"
        grep -qF "  found     on page $page, $found" "$OUT" || fail "$(cat "$OUT")"
    done <"$TMP/some"
}

# why_reads URL: ask why, in $OUT; the journals that were read, by number.
why_reads() {
    local from

    from=$(wc -l <"$POSTGRES_HOME/log")
    PGOPTIONS='-c log_statement=all' capture "$CRAWLER" why -v "$(postgres_url)" "$1"
    same 0 "$STATUS" "$(cat "$ERR")" || return
    tail -n +"$((from + 1))" "$POSTGRES_HOME/log" >"$TMP/log"
    # The parameters are on the next line, with a large P since PostgreSQL 16.
    JOURNALS=$(grep -A 1 'FROM "crawl"."*journal"* WHERE part = ' "$TMP/log" |
        sed -n "s/.*[Pp]arameters: \$1 = '\([0-9]*\)'.*/\1/p" | sort -nu | tr '\n' ' ')
}

@test "why reads the partition of the URL, and no other" {
    local part other url

    # Journal 16 is the crawl's own: its options.
    while read -r part url; do
        why_reads "$url"
        same "$part 16 " "$JOURNALS" "$url"
        silent "$ERR"
    done < <(postgres_sql "SELECT part, min(url) FROM crawl.pages JOIN crawl.fetched
        USING (node, page, url, depth) WHERE depth > 1 GROUP BY part ORDER BY part LIMIT 4")
    # It redirects to another partition: that one, too. (Which domains share one is
    # chance, so it may be the same.)
    read -r part other url < <(postgres_sql "SELECT f.part, t.part, f.url
        FROM crawl.fetched f JOIN crawl.fetched t ON t.url = f.target
        WHERE t.page > 0 ORDER BY t.part = f.part LIMIT 1")
    why_reads "$url"
    same "$(printf '%s\n' "$part" "$other" | sort -nu | paste -sd ' ') 16 " "$JOURNALS" "$url"
    grep -q '^  then ' "$OUT"
}

@test "why reads all of the record for a URL that its own partition does not know" {
    # It was refused where it was found, which can be any partition.
    export_sqlite
    sqlite3 "$DB" "SELECT url FROM urls GROUP BY url
        HAVING min(outcome) = 'too-deep' AND max(outcome) = 'too-deep' LIMIT 5" >"$TMP/refused"
    same 5 "$(wc -l <"$TMP/refused")" "links that are too deep"
    while read -r url; do
        why_reads "$url"
        grep -qF "$url was refused: " "$OUT" || fail "$(cat "$OUT")"
        grep -q "^  depth     4, maxDepth is 3" "$OUT" || fail "$(cat "$OUT")"
        grep -qE '^  found     on page [1-3]\.[1-9]' "$OUT" || fail "$(cat "$OUT")"
    done <"$TMP/refused"
    why_reads http://nobody.example/
    same "crawler: the partition of this URL does not know it: all partitions are read" \
        "$(cat "$ERR")"
    [ "$(wc -w <<<"$JOURNALS")" -gt 16 ]
    # Without -v it is read all the same, and nothing is said.
    capture "$CRAWLER" why "$(postgres_url)" http://nobody.example/
    same 0 "$STATUS"
    silent "$ERR"
}

@test "why without a ledger finds the page of the referrer in the record" {
    local table url

    postgres_sql "DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare"
    for table in crawl node part journal mail address addition fetched; do
        postgres_sql "CREATE TABLE bare.$table AS SELECT * FROM crawl.$table"
    done
    postgres_sql "DELETE FROM bare.fetched"
    while read -r url; do
        capture "$CRAWLER" why "$(postgres_url)" "$url"
        cp "$OUT" "$TMP/expected"
        capture "$CRAWLER" why --name bare "$(postgres_url)" "$url"
        same 0 "$STATUS" "$(cat "$ERR")"
        diff "$TMP/expected" "$OUT"
    done < <(postgres_sql "SELECT url FROM crawl.pages WHERE depth > 0 ORDER BY url LIMIT 5")
}

# names: pages in an answer of `why` on the file of the fleet, by machine.
names() {
    local line id node page

    while IFS= read -r line; do
        if [[ $line =~ \ page\ ([0-9]+)[,\ ] ]]; then
            id=${BASH_REMATCH[1]}
            read -r node page < <(of_page "$id")
            line=${line/ page $id/ page $node.$page}
        fi
        printf '%s\n' "$line"
    done
}

@test "why says of a partition what it says of a copy of the whole record" {
    local url

    mkdir "$TMP/copy"
    DB=$TMP/copy/.crawler
    run -0 "$CRAWLER" export --format sqlite "$(postgres_url)" --output "$DB"
    # One of each way to end, redirects from and to, and some more. What several
    # partitions refused was found in several places.
    sqlite3 "$DB" "CREATE TEMP TABLE once AS SELECT url FROM url GROUP BY url HAVING count(*) = 1;
        SELECT min(url) FROM urls JOIN once USING (url) GROUP BY state, outcome;
        SELECT url FROM url JOIN once USING (url) WHERE via LIMIT 5;
        SELECT url FROM once ORDER BY url LIMIT 20" | sort -u >"$TMP/some"
    [ "$(wc -l <"$TMP/some")" -ge 20 ] || fail "$(wc -l <"$TMP/some") URLs"
    while read -r url; do
        capture "$CRAWLER" why "$TMP/copy" "$url"
        same 0 "$STATUS" "$(cat "$ERR")"
        names <"$OUT" >"$TMP/expected"
        capture "$CRAWLER" why "$(postgres_url)" "$url"
        same 0 "$STATUS" "$(cat "$ERR")"
        diff "$TMP/expected" "$OUT" || fail "$url"
    done <"$TMP/some"
}

@test "verify finds a whole fleet to be as recorded, and each machine's files" {
    local i pages

    pages=$(wc -l <"$FLEET/truth")
    capture "$CRAWLER" verify "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
    grep -q "^verified: $pages pages, .* all as recorded$" "$OUT"
    for i in 1 2 3; do
        capture "$CRAWLER" verify "$(postgres_url)" "$FLEET/m$i"
        same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
    done
    # A file that was changed is found in its directory only.
    cp -r "$FLEET/m1" "$TMP/copy"
    echo x >>"$TMP/copy/2"
    rm "$TMP/copy/3"
    capture "$CRAWLER" verify "$(postgres_url)" "$TMP/copy"
    same 1 "$STATUS" "$(cat "$OUT" "$ERR")"
    same 2 "$(wc -l <"$OUT")" "$(cat "$OUT")"
    grep -qE '^page [1-3]\.2: it has [0-9]+ bytes, not [0-9]+$' "$OUT"
    grep -qE '^page [1-3]\.3: there is no file$' "$OUT"
}

@test "why tells of a queued URL what its partition knows" {
    local i url depth found

    NAME=queued
    start_playground "${WEB[@]}"
    for i in 1 2; do
        mkdir "$TMP/q$i"
        "$CRAWLER" --quiet --fleet "$(postgres_url)" --name "$NAME" --partitions 16 \
            --connect-to "::127.0.0.1:$PORT" --scope any --delay 10ms --max-pages 60 \
            --save-every 20ms http://d0.example/ "$TMP/q$i" "$DEPTH" 3>&- &
        MACHINE[i]=$!
    done
    for i in 1 2; do wait "${MACHINE[$i]}" || :; done
    MACHINE=()
    run -0 "$CRAWLER" export --name "$NAME" --format sqlite "$(postgres_url)" --output "$TMP/out.db"
    sqlite3 -separator ' ' "$TMP/out.db" "SELECT q.url, q.depth, p.url FROM queue q
        JOIN pages p ON p.id = q.referrer ORDER BY q.url LIMIT 8" >"$TMP/some"
    same 8 "$(wc -l <"$TMP/some")" "queued URLs"
    while read -r url depth found; do
        capture "$CRAWLER" why -v --name "$NAME" "$(postgres_url)" "$url"
        same 0 "$STATUS" "$(cat "$ERR")"
        silent "$ERR"
        same "$url is queued at depth $depth" "$(head -n 1 "$OUT")"
        grep -qE "^  found     on page [12]\.[0-9]+, " "$OUT" || fail "$(cat "$OUT")"
        grep -qF ", $found" "$OUT" || fail "$(cat "$OUT")"
        grep -qE '^  score     2.00 as all; .*; [0-9]+ before it in its partition$' "$OUT" ||
            fail "$(cat "$OUT")"
        grep -q '^  earliest ' "$OUT" || fail "$(cat "$OUT")"
        grep -q '^  waits     for ' "$OUT" || fail "$(cat "$OUT")"
    done <"$TMP/some"
}

@test "verify and export of a fleet at work are of one moment" {
    local i

    # Another crawl of the same web, slower.
    NAME=atwork
    start_playground "${WEB[@]}"
    for i in 1 2; do
        mkdir "$TMP/w$i"
        "$CRAWLER" --quiet --fleet "$(postgres_url)" --name "$NAME" --partitions 16 \
            --connect-to "::127.0.0.1:$PORT" --scope any --delay 100ms \
            --save-every 20ms http://d0.example/ "$TMP/w$i" 1000 3>&- &
        MACHINE[i]=$!
    done
    wait_until_saved 10
    for i in 1 2 3; do
        capture "$CRAWLER" verify --name "$NAME" "$(postgres_url)"
        same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
        capture "$CRAWLER" verify --name "$NAME" "$(postgres_url)" "$TMP/w1"
        same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
    done
    capture "$CRAWLER" export --name "$NAME" --format sqlite "$(postgres_url)" \
        --output "$TMP/out.db"
    same 0 "$STATUS" "$(cat "$ERR")"
    same t "$(sqlite3 "$TMP/out.db" "SELECT CASE WHEN count(*) = (SELECT value FROM setting
        WHERE name = 'count.saved') THEN 't' END FROM pages")"
    capture "$CRAWLER" why --name "$NAME" "$(postgres_url)" \
        "$(sqlite3 "$TMP/out.db" 'SELECT url FROM queue LIMIT 1')"
    same 0 "$STATUS" "$(cat "$ERR")"
}

@test "the crawl of an earlier format is read, and not gone on with" {
    local table command

    # An earlier one, as far as reports can tell: it lacked an index, and had a
    # column more.
    postgres_sql "DROP SCHEMA IF EXISTS earlier CASCADE; CREATE SCHEMA earlier"
    for table in crawl node part journal mail address addition fetched; do
        postgres_sql "CREATE TABLE earlier.$table AS SELECT * FROM crawl.$table"
    done
    postgres_sql "ALTER TABLE earlier.crawl ADD options text NOT NULL DEFAULT ''"
    postgres_sql "UPDATE earlier.crawl SET format = 2, state = 'running'"
    for command in verify "export --format csv"; do
        # shellcheck disable=SC2086 # words
        capture "$CRAWLER" $command --name earlier "$(postgres_url)"
        same 0 "$STATUS" "$(cat "$ERR")"
    done
    capture "$CRAWLER" why --name earlier "$(postgres_url)" http://d0.example/
    same 0 "$STATUS" "$(cat "$ERR")"
    mkdir "$TMP/m1"
    capture "$CRAWLER" --quiet --fleet "$(postgres_url)" --name earlier --partitions 16 \
        --scope any http://d0.example/ "$TMP/m1" "$DEPTH"
    refused "another version of this program"
    postgres_sql "UPDATE earlier.crawl SET format = 1"
    for command in verify "export --format csv" "export --format cdxj"; do
        # shellcheck disable=SC2086 # words
        capture "$CRAWLER" $command --name earlier "$(postgres_url)"
        refused "the crawl at $(postgres_url) is of another version of this program"
    done
}

@test "a damaged segment is found" {
    export NAME=damaged
    postgres_sql "DROP SCHEMA IF EXISTS damaged CASCADE; CREATE SCHEMA damaged"
    local table
    for table in crawl node part journal mail address addition fetched; do
        postgres_sql "CREATE TABLE damaged.$table AS SELECT * FROM crawl.$table"
    done
    capture "$CRAWLER" verify --name damaged "$(postgres_url)"
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
    postgres_sql "UPDATE damaged.journal SET payload = set_byte(payload, 20,
        (get_byte(payload, 20) + 1) % 256) WHERE (part, epoch, batch, piece) =
        (SELECT part, epoch, batch, piece FROM damaged.journal WHERE part < 16 AND
        length(payload) > 100 LIMIT 1)"
    capture "$CRAWLER" verify --name damaged "$(postgres_url)"
    same 1 "$STATUS" "$(cat "$OUT" "$ERR")"
    grep -q 'partition [0-9]* ' "$ERR" || fail "$(cat "$ERR")"
    same 1 "$(wc -l <"$ERR")"
}

@test "a page that is recorded twice is found" {
    # Two machines that both say they have the same URL: as a fence that does
    # not hold would leave it.
    postgres_sql "DROP SCHEMA IF EXISTS twice CASCADE; CREATE SCHEMA twice"
    local table
    for table in crawl node part journal mail address addition fetched; do
        postgres_sql "CREATE TABLE twice.$table AS SELECT * FROM crawl.$table"
    done
    postgres_sql "INSERT INTO twice.journal SELECT part, epoch, batch, piece + 100, node, payload
        FROM twice.journal WHERE (part, epoch, batch, piece) IN
        (SELECT part, epoch, batch, piece FROM twice.journal WHERE part < 16
         ORDER BY length(payload) DESC LIMIT 1)"
    capture "$CRAWLER" verify --name twice "$(postgres_url)"
    same 1 "$STATUS" "$(cat "$OUT" "$ERR")"
}

@test "wrong words are refused in one line, and a password is never shown" {
    local url

    url=$(postgres_url)
    capture "$CRAWLER" export --format sqlite "$url"
    refused "--format sqlite needs --output FILE"
    capture "$CRAWLER" export --format sqlite "$FLEET/m1" --output "$TMP/x.db"
    refused "--format sqlite is for a fleet"
    touch "$TMP/there"
    capture "$CRAWLER" export --format sqlite "$url" --output "$TMP/there"
    refused "exists"
    capture "$CRAWLER" export --format sqlite "$url" --output -
    refused "a file is needed here, not standard output ('-')"
    capture "$CRAWLER" export --format sqlite "$url" --output "$FLEET/m1/999999"
    refused "the name belongs to the crawl in that directory"
    capture "$CRAWLER" export --format sqlite "$url" --output "$TMP/no/where"
    [ "$STATUS" -ne 0 ]
    same 1 "$(wc -l <"$ERR")"
    capture "$CRAWLER" export --format pages --output "$TMP/p" "${url/crawl@/crawl:geheim@}"
    refused "not a fleet's engine"
    ! grep -q geheim "$ERR" || fail "a secret is shown"
    capture "$CRAWLER" report "${url/crawl@/crawl:geheim@}"
    [ "$STATUS" -ne 0 ]
    ! grep -q geheim "$ERR" || fail "a secret is shown"
    capture "$CRAWLER" export --format jsonl --name none "$url"
    refused "$url: "
    capture "$CRAWLER" verify "$url" "$FLEET/m1" "$FLEET/m2"
    refused "verify takes"
    capture "$CRAWLER" verify "$url" "$DIR"
    refused "is no page directory of the crawl"
    capture "$CRAWLER" verify
    refused "verify takes one argument, pageDirectory, not 0"
    capture "$CRAWLER" why "$url" 'mailto:a@b'
    refused "cannot be crawled"
    capture "$CRAWLER" why --name 'a"b' "$url" http://d0.example/
    refused "--name"
    capture "$CRAWLER" why 'postgres://u:geheim@[::1/x' http://d0.example/
    refused "the engine must be postgres://"
    ! grep -q geheim "$OUT" "$ERR" || fail "a secret is shown"
    url=${url/crawl@/crawl:geheim@}
    capture "$CRAWLER" verify "${url/:$POSTGRES_PORT/:1}"
    same 1 "$STATUS"
    grep -q "is away" "$ERR"
    ! grep -q geheim "$OUT" "$ERR" || fail "a secret is shown"
    capture "$CRAWLER" export --format sqlite "$url" --output "$TMP/secret.db"
    same 0 "$STATUS" "$(cat "$ERR")"
    ! grep -q geheim "$OUT" "$ERR" "$TMP/secret.db" || fail "a secret is shown"
}
