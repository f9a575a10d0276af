#!/usr/bin/env bats
# A record with single flipped bits. Other records that are not as they were
# written are in tests/cases/records.case.

load helper
load site

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
