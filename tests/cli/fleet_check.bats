#!/usr/bin/env bats
# The judge of fleets, tools/fleet-check: a good fleet passes, and every rule
# that is broken is found. The fleet is made by hand: two machines, two
# partitions, four pages.

load helper
load postgres

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }

setup() {
    postgres_needed
    helper_setup
    PATH=$POSTGRES_BIN:$PATH
    make_fleet
    make_truth
    make_record
}

# sql TEXT: in the crawl's schema.
sql() {
    postgres_sql "SET search_path TO crawl; $1"
}

# make_fleet: tables and page files.
make_fleet() {
    rm -rf "$TMP/m1" "$TMP/m2"
    mkdir "$TMP/m1" "$TMP/m2"
    postgres_sql "SET client_min_messages TO warning;
        DROP SCHEMA IF EXISTS crawl CASCADE; CREATE SCHEMA crawl;
        SET search_path TO crawl;
        CREATE TABLE crawl (id int, state text, partitions int, additions bigint,
            pages_max bigint, pages_given bigint);
        CREATE TABLE node (node int, state text, batch bigint, lowest int,
            sent bigint, taken bigint, pages bigint);
        CREATE TABLE part (part int, owner int, epoch int);
        CREATE TABLE journal (part int, epoch int, batch bigint, node int, piece int);
        CREATE TABLE mail (part int, sender int, seq bigint);
        CREATE TABLE fetched (node int, page bigint, part int, number bigint,
            size bigint, digest bigint, depth int, url text);
        INSERT INTO crawl VALUES (1, 'finished', 2, 0, NULL, 0);
        INSERT INTO node VALUES (0, 'left', 0, 1073741824, 1, 0, 0),
            (1, 'alive', 9, 1073741824, 3, 2, 2), (2, 'alive', 7, 1073741824, 1, 3, 2);
        INSERT INTO part VALUES (0, 1, 1), (1, 2, 3);
        INSERT INTO journal VALUES (0, 1, 2, 1, 0), (0, 1, 3, 1, 0), (1, 1, 2, 1, 0),
            (1, 3, 5, 2, 0), (2, 0, 0, 0, 0), (3, 1, 4, 1, 0);
        INSERT INTO fetched VALUES $(pages_and_rows),
            (1, 0, 0, 9, 0, 0, 1, 'http://a.example/404')"
}

# pages_and_rows: write the files, print the rows of the ledger.
pages_and_rows() {
    python3 - "$TMP" <<'END'
import ctypes, sys
digest = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
digest.restype = ctypes.c_int64
digest.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
rows = []
for machine, number, part, depth, url in (
    (1, 1, 0, 0, "http://a.example/"),
    (1, 2, 0, 1, "http://a.example/x"),
    (2, 1, 1, 1, "http://b.example/"),
    (2, 2, 1, 2, "http://h.b.example/y"),
):
    body = "<html>%s</html>\n" % url
    with open("%s/m%d/%d" % (sys.argv[1], machine, number), "w") as file:
        file.write("%s\n%d\n%s" % (url, depth, body))
    rows.append("(%d, %d, %d, %d, %d, %d, %d, '%s')" % (machine, number, part,
        number, len(body), digest(body.encode(), len(body)), depth, url))
print(", ".join(rows))
END
}

make_truth() {
    printf '%s\t%s\t%s\n' 0 http://a.example/ page 1 http://a.example/x flaky \
        1 http://b.example/ page 2 http://h.b.example/y limited \
        1 http://a.example/404 broken >"$TMP/truth"
}

# request START_MS END_MS ADDRESS HOST PATH MACHINE
request() {
    printf '%d000\t%d000\t1\t%s:80\t%s\tGET\t%s\t200\t10\tcrawler/%s\n' "$@" >>"$TMP/record"
}

make_record() {
    printf 'start_us\tend_us\tconn\tlocal_addr\thost\tmethod\tpath\tstatus\tbytes\tuser_agent\n' \
        >"$TMP/record"
    request 100 110 127.0.0.1 a.example / 1
    request 310 320 127.0.0.1 a.example /x 1
    request 360 390 127.0.0.1 b.example / 1
    request 540 550 127.0.0.2 h.b.example /y 2
    request 710 720 127.0.0.1 b.example / 2
}

RULES=(--host-pause 200 --address-pause 40 --domain-pause 150 --per-host 1 --again 1
    --exits "0 3 0")

# check [OPTION...]: the judge's answer is in $OUT, its status in STATUS.
check() {
    capture "$PROJECT/tools/fleet-check" "${RULES[@]}" --truth "$TMP/truth" \
        --record "$TMP/record" "$@" "$(postgres_url)" "$TMP/m1" "$TMP/m2"
}

is_good() {
    same 0 "$STATUS" "status: $(cat "$OUT" "$ERR")"
    same "4 pages in 2 directories, 1 requested again, 2 machines: as it should be" \
        "$(cat "$OUT")"
}

# finds RULE [OPTION...]: this rule is broken, and no other.
finds() {
    local rule=$1

    shift
    check "$@"
    same 1 "$STATUS" "status: $(cat "$OUT" "$ERR")" || return
    same "$rule" "$(sed '$d; s/: .*//' "$OUT")" "rules: $(cat "$OUT")"
}

@test "a fleet that did its work passes" {
    check
    is_good
}

@test "the page files are compared with the truth" {
    echo $'3\thttp://c.example/\tpage' >>"$TMP/truth"
    check
    same 1 "$STATUS"
    grep -q '^page missing: 1: http://c.example/$' "$OUT"
    make_truth
    sed -i '/h.b.example/d' "$TMP/truth"
    finds "page that must not be saved"
    make_truth
    sed -i 's/^1\(.*a.example.x\)/2\1/' "$TMP/truth"
    finds "wrong depth"
    check --order priority
    is_good
}

@test "a page in two directories, a hole and a stranger are found" {
    cp "$TMP/m1/2" "$TMP/m2/3"
    check
    grep -q '^page saved twice: 1: http://a.example/x in ' "$OUT"
    rm "$TMP/m2/3"
    mv "$TMP/m2/2" "$TMP/m2/3"
    check
    grep -q "^number without a page: 1: $TMP/m2/2\$" "$OUT"
    mv "$TMP/m2/3" "$TMP/m2/2"
    : >"$TMP/m1/notes"
    finds "file that is no page"
    rm "$TMP/m1/notes"
    check
    is_good
}

@test "files are compared with the ledger, byte by byte" {
    sed -i 's/<html>/<HTML>/' "$TMP/m2/2"
    finds "file not as digested"
    sed -i 's/<HTML>/<html>/' "$TMP/m2/2"
    sql "UPDATE fetched SET depth = 2 WHERE page = 1 AND node = 2"
    finds "file unlike its record"
    sql "UPDATE fetched SET depth = 1 WHERE page = 1 AND node = 2"
    rm "$TMP/m1/2"
    check
    grep -q '^recorded page without a file: 1: 1.2 http://a.example/x$' "$OUT"
    make_fleet
    sql "DELETE FROM fetched WHERE node = 2 AND page = 2"
    check
    grep -q "^file without a record: 1: $TMP/m2/2\$" "$OUT"
    grep -q "^pages of a machine do not add up: 1: 2: 2, recorded 1\$" "$OUT"
}

@test "a page that was recorded twice is found" {
    sql "INSERT INTO fetched SELECT 2, 3, part, number, size, digest, depth, url
         FROM fetched WHERE url = 'http://a.example/x'"
    check
    grep -q '^page recorded twice: 1: http://a.example/x$' "$OUT"
}

@test "pauses are judged over all machines: of hosts, domains and addresses" {
    request 800 810 127.0.0.9 b.example /z 2
    finds "pause of a host too short"$'\n'"pause of a domain too short"
    make_record
    request 800 810 127.0.0.9 i.b.example /z 2
    finds "pause of a domain too short"
    make_record
    request 750 760 127.0.0.1 c.example / 1
    finds "pause of an address too short"
}

@test "requests at the same time are found: of a host, a domain, an address" {
    RULES=(--per-host 1)
    request 715 716 127.0.0.9 b.example / 2
    finds "too many requests in flight of a host"$'\n'"too many requests in flight of a domain"
    make_record
    request 715 716 127.0.0.9 i.b.example / 2
    finds "too many requests in flight of a domain"
    make_record
    request 715 716 127.0.0.1 c.example / 1
    finds "too many requests in flight of an address"
    check --per-host 2
    is_good
}

@test "more requests made again than there were faults to explain them are found" {
    finds "pages requested again" --again 0
    sed -i '/\t\/x\t/d' "$TMP/record"
    finds "page saved that nobody requested"
}

@test "two owners of a partition are found, in the journal and in the record" {
    sql "INSERT INTO journal VALUES (1, 3, 6, 1, 0)"
    finds "two owners of a partition"
    make_fleet
    sql "INSERT INTO journal VALUES (1, 4, 6, 2, 0)"
    finds "journal of an epoch to come"
    make_fleet
    sql "UPDATE part SET epoch = 1; DELETE FROM journal WHERE part = 1 AND epoch = 3"
    finds "machines took turns without an epoch"
    check --set-back
    is_good
    make_fleet
    sql "DELETE FROM part WHERE part = 0"
    check
    grep -q '^partitions missing: 1: 1 of 2$' "$OUT"
}

@test "a crawl that did not come to its end is found" {
    sql "UPDATE crawl SET state = 'running'"
    finds "crawl not finished"
    make_fleet
    sql "UPDATE node SET sent = sent + 1 WHERE node = 1"
    finds "mails do not add up"
    make_fleet
    sql "INSERT INTO mail VALUES (1, 2, 5)"
    finds "mail left"
    make_fleet
    sql "UPDATE node SET lowest = 3 WHERE node = 2"
    finds "work left"
    make_fleet
    sql "UPDATE crawl SET pages_max = 3"
    finds "more pages than --max-pages"
}

@test "exit statuses are judged: 0 where it ended, 3 where a machine left" {
    finds "exit status of a machine" --exits "0 1"
    finds "exit status of a machine" --exits "3 3"
}

@test "what cannot be checked is not called good" {
    check --name nothing
    same 2 "$STATUS"
    grep -q '^fleet-check: the engine: ' "$ERR"
    : >"$TMP/truth"
    check
    same 2 "$STATUS"
    capture "$PROJECT/tools/fleet-check"
    same 2 "$STATUS"
}
