#!/usr/bin/env bats
# A record that is not there, not ours, or not as it was written: what every
# command that reads it says, and how it exits.

load helper
load site

# The commands that read a record, as words after the program's name.
COMMANDS=("status DIR" "why DIR http://example.org/a" "verify DIR"
    "export --format jsonl DIR" "export --format csv DIR"
    "export --format links DIR" "export --format sitemap DIR" "--resume DIR")

# A crawl with rows of every kind that was stopped, once for all tests.
setup_file() {
    local status=0

    export TMP=$BATS_FILE_TMPDIR
    DIR=$TMP/stopped
    mkdir "$DIR"
    SERVERS=()
    serve <<'END'
//busy.example.org/robots.txt 503
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/
    body <a href=/a>.</a><a href=/b>.</a><a href=/no>.</a><a href=/later>.</a>
    body <a href=http://busy.example.org/>.</a>
/a
    body <a href=/b>.</a>
/later 503
    header Retry-After: 3600
/*
    body A page.
END
    fetch 9 -q --scope domain --robots obey --links --order priority \
        --retries 1 --max-time 2s || status=$?
    same 3 "$status" "exit status"
    stop_playground
    for kind in setting seed domain robots host change fetch url link; do
        [ "$(sql "SELECT count(*) > 0 FROM $kind")" = 1 ] || fail "no row of $kind"
    done
}

# all_exit STATUS TEXT [COMMAND...]: every command exits so, with one line on
# standard error that has this text; if there is nothing to read, without a word
# on standard output.
all_exit() {
    local command status=$1 text=$2

    shift 2
    [ $# -gt 0 ] || set -- "${COMMANDS[@]}"
    for command; do
        # shellcheck disable=SC2086 # the words are the arguments
        capture "${LIMITED[@]}" "$CRAWLER" ${command/DIR/"$DIR"}
        same "$status" "$STATUS" "$command: $(cat "$OUT" "$ERR")" || return
        [ "$status" -eq 1 ] || silent "$OUT" || return
        same 1 "$(wc -l <"$ERR")" "lines of $command: $(cat "$ERR")" || return
        [[ $(cat "$ERR") == "crawler: "*"$text"* ]] ||
            fail "$command, not '$text': $(cat "$ERR")" || return
    done
}

# renew: $DIR is as the crawl left it.
renew() {
    rm -rf "$DIR"
    cp -r "$BATS_FILE_TMPDIR/stopped" "$DIR"
}

sql() {
    sqlite3 "$DIR/.crawler" "$*"
}

@test "no record: every command exits 2" {
    all_exit 2 "crawl"
    all_exit 2 ".crawler is missing" "${COMMANDS[@]:0:7}"
    same "" "$(ls -A "$DIR")"
}

@test "an empty file in the place of the record: every command exits 2" {
    : >"$DIR/.crawler"
    all_exit 2 "empty"
    same ".crawler" "$(ls -A "$DIR")"
    same "" "$(cat "$DIR/.crawler")"
}

@test "another file in the place of the record: every command exits 2 and leaves it alone" {
    echo text >"$DIR/.crawler"
    all_exit 2 "not the state of a crawl"
    same text "$(cat "$DIR/.crawler")"
    rm "$DIR/.crawler"
    sql "CREATE TABLE other(thing)"
    all_exit 2 "not the state of a crawl"
    rm "$DIR/.crawler"
    mkfifo "$DIR/.crawler"
    all_exit 2 "not a file"
}

@test "a record of a later version: every command exits 2" {
    renew
    sql "PRAGMA user_version = 99"
    all_exit 2 "newer version"
}

@test "a row of the record that is not as it was written: whoever reads it exits 1" {
    local kind change commands

    while IFS=@ read -r kind change commands; do
        kind=${kind% } commands=${commands# }
        renew
        sql "UPDATE $change"
        if [ "$commands" = all ]; then
            all_exit 1 "not as they were written" "${COMMANDS[@]:0:2}" \
                "${COMMANDS[@]:3}" || fail "$kind" || return
        else
            all_exit 1 "not as they were written" "$commands" || fail "$kind" || return
        fi
        # verify lists it.
        capture "$CRAWLER" verify "$DIR"
        same 1 "$STATUS" "$kind: $(cat "$OUT" "$ERR")"
        grep -qE "$kind.* not as they were written" "$OUT" ||
            fail "$kind: $(cat "$OUT" "$ERR")" || return
    done <<'END'
fetch @ fetch SET size = size + 1 WHERE place = 1 @ all
url @ url SET found = found + 1 WHERE number = 1 @ all
change @ change SET found = found + 1 @ all
host @ host SET until_ms = until_ms + 1 @ status DIR
host @ host SET until_ms = until_ms + 1 @ why DIR http://example.org/a
host @ host SET until_ms = until_ms + 1 @ --resume DIR
robots @ robots SET text = text || ' ' @ status DIR
robots @ robots SET text = text || ' ' @ why DIR http://example.org/a
robots @ robots SET text = text || ' ' @ --resume DIR
domain @ domain SET found = found + 1 @ status DIR
domain @ domain SET found = found + 1 @ --resume DIR
link @ link SET text = text || ' ' @ export --format links DIR
seed @ seed SET named = 1 - named @ status DIR
seed @ seed SET named = 1 - named @ --resume DIR
settings @ setting SET value = value + 1 WHERE name = 'depth' @ status DIR
settings @ setting SET value = value + 1 WHERE name = 'depth' @ --resume DIR
END
}

@test "a record that was cut off or overwritten: every command exits 1" {
    local size

    renew
    size=$(stat -c %s "$DIR/.crawler")
    truncate -s $((size / 2 / 4096 * 4096)) "$DIR/.crawler"
    all_exit 1 "cannot read the state" "${COMMANDS[@]:0:2}" "${COMMANDS[@]:3}"
    capture "$CRAWLER" verify "$DIR"
    same 1 "$STATUS"
    renew
    tr '\0' '\377' </dev/zero | head -c $((size - 4096)) |
        dd of="$DIR/.crawler" bs=4096 seek=1 conv=notrunc status=none
    all_exit 1 "cannot read the state" "${COMMANDS[@]:0:2}" "${COMMANDS[@]:3}"
    capture "$CRAWLER" verify "$DIR"
    same 1 "$STATUS"
}

@test "a record without one of its tables: every command exits 1" {
    renew
    sql "DROP TABLE fetch"
    all_exit 1 "no such table: fetch" "${COMMANDS[@]:0:2}" "${COMMANDS[@]:3}"
    capture "$CRAWLER" verify "$DIR"
    same 1 "$STATUS"
    grep -q "no such table: fetch" "$ERR"
}

# Every flip of a bit in the record is either found, or changes nothing that
# anybody reads: the reports, the views, a crawl that goes on.
@test "single flipped bits of the record: verify finds each that changes what is read, --resume refuses it" {
    serve <<'END'
/
    body <a href=/a>.</a><a href=/b>.</a><a href=/c>.</a><a href=/d>.</a>
/*
    body A page.
END
    # It goes on with the same limit, so it reads everything and stops.
    run -3 fetch 9 -q --links --max-pages 3
    python3 - "$CRAWLER" "$DIR" <<'END'
import random, re, sqlite3, subprocess, sys

crawler, directory = sys.argv[1:]
record = directory + "/.crawler"
good = bytearray(open(record, "rb").read())

def run(*words):
    return subprocess.run([crawler, *words, directory], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300)

def views():
    rows = []
    db = sqlite3.connect("file:" + record + "?mode=ro", uri=True)
    db.text_factory = bytes
    for view in "urls", "pages", "queue", "domains", "errors", "links", "captures":
        try:
            rows += db.execute("SELECT * FROM " + view).fetchall()
        except sqlite3.Error as error:
            rows.append(str(error))
    db.close()
    return rows

def read():
    reports = [run("status"), run("export", "--format", "jsonl"),
               run("export", "--format", "links")]
    return [(report.returncode, report.stdout) for report in reports], views()

def write(text):
    with open(record, "wb") as file:
        file.write(text)

before = read()
assert run("verify").returncode == 0
dice = random.Random(20)
# Most of a small file is empty.
used = [at for at, byte in enumerate(good) if byte]
found = refused = 0
for _ in range(400):
    at, bit = dice.choice(used), 1 << dice.randrange(8)
    flipped = bytearray(good)
    flipped[at] ^= bit
    write(flipped)
    verify = run("verify")
    where = f"byte {at}, bit {bit}: {verify}"
    assert verify.returncode in (0, 1, 2), where
    # 2 is for what is no record any more by its header.
    assert verify.returncode < 2 or at < 100, where
    found += verify.returncode > 0
    assert verify.returncode or read() == before, where
    if re.search(rb"^(rows of (?!link|content|mixed)|settings)", verify.stdout, re.M):
        resumed = run("-q", "--resume")
        assert resumed.returncode == 1, f"{where}: {resumed}"
        refused += 1
assert found > 50 and refused > 5, (found, refused)
END
}
