#!/usr/bin/env bats
# Requisites with pauses, and of a crawl that is killed. What else holds of
# --requisites is in tests/cases/requisites.case.

load helper

# needed OPTION... DEPTH: crawl the site; sets STATUS, OUT, ERR.
needed() {
    capture crawl --robots obey --scope host --delay 0 --retries 0 --warc \
        --requisites "${@:1:$#-1}" http://site.test/ "$DIR" "${@: -1}"
}

# asked: "COUNT HOST/PATH" of all requests but those for robots.txt.
asked() {
    record_lines | awk -F '\t' '$7 != "/robots.txt" { print $5 $7 }' |
        LC_ALL=C sort | uniq -c | sed 's/^ *//'
}

# All that is to be asked, in the same form: the list that the cases have.
all_asked() {
    sed -n '/^let ALL$/,/^$/s,^    ,,p' "$PROJECT/tests/cases/requisites.case" |
        sed 's,^//,,; t; s,^,site.test,' | LC_ALL=C sort | uniq -c | sed 's/^ *//'
}

# Of that, what pages and stylesheets need.
all_needed() {
    all_asked | cut -d ' ' -f 2 | grep /need/
}

# figures: "fetched redirected not_kept failed refused queued" of requisites, which are
# the same everywhere.
figures() {
    "$CRAWLER" status "$DIR" >"$TMP/status" || return
    python3 - "$DIR" "$TMP/status" "${ERR:-/dev/null}" <<'END'
import json, re, sqlite3, sys

directory, status, err = sys.argv[1:4]
names = ["fetched", "redirected", "not_kept", "failed", "refused", "queued"]
states = ["saved", *names[1:]]
db = sqlite3.connect(directory + "/.crawler")
rows = [db.execute("SELECT count(*) FROM requisites WHERE state = ?",
                   (state,)).fetchone()[0] for state in states]
line = re.search(r"^  needed   (\d+) requisites fetched, .*; (\d+) redirected, "
                 r"(\d+) not kept, (\d+) failed, (\d+) refused, (\d+) queued$",
                 open(status).read(), re.M)
assert [*map(int, line.groups())] == rows, (line[0], rows)
stats = json.load(open(directory + "/.crawler-stats.json"))["requisites"]
assert [stats[name] for name in names] == rows, (stats, rows)
size = db.execute("SELECT sum(size) FROM requisites WHERE state = 'saved'")
assert stats["bytes"] == (size.fetchone()[0] or 0), stats
for end in re.findall(r"^crawler: (\d+) requisites? fetched, (\d+) bytes?, "
                      r"(\d+) failed, (\d+) refused$", open(err).read(), re.M):
    assert [*map(int, end)] == [rows[0], stats["bytes"], rows[2], rows[3]], end
assert not db.execute("SELECT count(*) FROM errors WHERE url LIKE '%missing%'"
                      ).fetchone()[0]
print(*rows)
END
}

# captures: "COUNT STATUS URL" of what the archive has, with the length of the
# payload behind each.
captures() {
    python3 - "$DIR"/archive/*.warc.gz* <<'END'
import gzip, sys

for name in sys.argv[1:]:
    file = gzip.open(name)
    while line := file.readline():
        assert line == b"WARC/1.1\r\n", line
        fields = {}
        while (line := file.readline().strip()):
            key, _, value = line.partition(b": ")
            fields[key.lower()] = value.decode()
        block = file.read(int(fields[b"content-length"]))
        assert file.read(4) == b"\r\n\r\n"
        if fields[b"warc-type"] in ("response", "revisit"):
            head, _, body = block.partition(b"\r\n\r\n")
            print(fields[b"warc-target-uri"], head.split()[1].decode(),
                  len(body), fields.get(b"warc-truncated", "whole"))
END
}

@test "requisites keep the pauses of their hosts" {
    local host

    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed --delay 60ms --ip-delay 0 3
    same 0 "$STATUS" "$(cat "$ERR")"
    for host in site.test cdn.test frame.test fonts.test; do
        [ "$(record_min_gap_ms $host)" -ge 60 ] ||
            fail "$host: $(record_min_gap_ms $host) ms between two requests"
    done
    same "verified" "$("$CRAWLER" verify "$DIR" | cut -d: -f1)"
    same "44 1 0 1 1 0" "$(figures)"
}

# fetches: how many of them are recorded.
fetches() {
    { [ -s "$DIR/.crawler" ] &&
        sqlite3 "$DIR/.crawler" 'SELECT count(*) FROM fetch' 2>/dev/null; } ||
        echo 0
}

@test "a crawl that is killed over and over ends with all that pages need" {
    local kills=0 before pid

    start_playground --site "$PROJECT/tests/cli/requisites.site"
    while [ "$kills" -lt 5 ]; do
        before=$(fetches)
        # So slow that also a busy machine sees it before it ends.
        "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 300ms \
            --retries 0 --warc --requisites --save-every 5ms http://site.test/ \
            "$DIR" 3 >/dev/null 2>&1 3>&- &
        pid=$!
        # Let it get on a little.
        while kill -0 "$pid" 2>/dev/null &&
            [ "$(fetches)" -lt $((before + 4)) ]; do
            sleep 0.01
        done
        kill -KILL "$pid" 2>/dev/null || break
        wait "$pid" || :
        kills=$((kills + 1))
    done
    same 5 "$kills" "kills"
    capture "$CRAWLER" --resume --delay 20ms "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    # Everything, if not once.
    diff <(all_asked | cut -d ' ' -f 2) <(asked | cut -d ' ' -f 2)
    same "44 1 0 1 1 0" "$(figures)"
    same 4 "$(page_count)"
    same "verified" "$("$CRAWLER" verify "$DIR" | cut -d: -f1)"
    # And the archive has it all.
    diff <(all_needed) <(captures | awk '{ print $1 }' |
        sed 's,^http://,,' | grep /need/ | LC_ALL=C sort -u)
}
