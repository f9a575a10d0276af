#!/usr/bin/env bats
# --requisites: what pages need to be shown is fetched into the archive.
#
# In requisites.site every URL that must be asked has "need" in its path, and
# none that has "not".

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

# All that pages and stylesheets of the site need.
all_needed() {
    cat <<'END'
cdn.test/need/b.css
cdn.test/need/image.png
cdn.test/need/redirect
cdn.test/need/target.png
fonts.test/need/font.ttf
frame.test/need/frame.html
frame.test/need/image.png
frame.test/need/inner.html
frame.test/need/style.css
site.test/base/need/relative.png
site.test/need/1x.png
site.test/need/2x.png
site.test/need/a.css
site.test/need/attribute.png
site.test/need/audio.mp3
site.test/need/b.css
site.test/need/b.png
site.test/need/background.png
site.test/need/both.html
site.test/need/c.css
site.test/need/embed.bin
site.test/need/font.woff2
site.test/need/icon.ico
site.test/need/import.css
site.test/need/in-frame.png
site.test/need/input.png
site.test/need/manifest.json
site.test/need/missing.png
site.test/need/module.js
site.test/need/object.svg
site.test/need/page.png
site.test/need/photo.jpg
site.test/need/picture.webp
site.test/need/poster.jpg
site.test/need/preload.woff2
site.test/need/relative.png
site.test/need/script.js
site.test/need/set1.png
site.test/need/set2.png
site.test/need/sprite.svg
site.test/need/style.png
site.test/need/svg.png
site.test/need/touch.png
site.test/need/track.vtt
site.test/need/video.mp4
site.test/need/video.webm
END
}

# Pages, and what is a page and a requisite, which is asked as each.
all_asked() {
    {
        all_needed
        printf '%s\n' site.test/ site.test/page site.test/frame \
            site.test/need/both.html site.test/need/photo.jpg
    } | LC_ALL=C sort | uniq -c | sed 's/^ *//'
}

# figures: "fetched redirected failed refused queued" of requisites, which are
# the same everywhere.
figures() {
    "$CRAWLER" status "$DIR" >"$TMP/status" || return
    python3 - "$DIR" "$TMP/status" "${ERR:-/dev/null}" <<'END'
import json, re, sqlite3, sys

directory, status, err = sys.argv[1:4]
names = ["fetched", "redirected", "failed", "refused", "queued"]
states = ["saved", *names[1:]]
db = sqlite3.connect(directory + "/.crawler")
rows = [db.execute("SELECT count(*) FROM requisites WHERE state = ?",
                   (state,)).fetchone()[0] for state in states]
line = re.search(r"^  needed   (\d+) requisites fetched, .*; (\d+) redirected, "
                 r"(\d+) failed, (\d+) refused, (\d+) queued$",
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

@test "all that pages need is asked for once, and nothing else" {
    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed 3
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$(all_asked)" "$(asked)"
    # Redirected: redirect. Failed: missing.png. Refused: /forbidden.
    same "44 1 1 1 0" "$(figures)"
    same "verified" "$("$CRAWLER" verify "$DIR" | cut -d: -f1)"
    # robots.txt of every host that was asked.
    same "cdn.test fonts.test frame.test site.test" \
        "$(record_lines | awk -F '\t' '$7 == "/robots.txt" { print $5 }' |
            sort | xargs)"
}

@test "pages, their numbers and the log are as without --requisites" {
    local dir=$DIR

    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed --workers 1 3
    cp "$OUT" "$TMP/with"
    DIR=$TMP/plain
    mkdir "$DIR"
    capture crawl --robots obey --scope host --delay 0 --retries 0 --workers 1 \
        http://site.test/ "$DIR" 3
    diff "$TMP/with" "$OUT"
    diff -r -x '.crawler*' -x archive "$dir" "$DIR"
    same 4 "$(page_count)"
}

@test "requisites come before the next pages, in every order" {
    local order

    start_playground --site "$PROJECT/tests/cli/requisites.site"
    for order in bfs priority; do
        needed --workers 1 --order "$order" 3
        same 0 "$STATUS" "$(cat "$ERR")"
        # Of this host, which is one fetch at a time: first all that / needs.
        same "/ /need/icon.ico /page" \
            "$(record_column path site.test | grep -xE '/|/page|.*icon.ico' |
                tail -n 3 | xargs)"
    done
}

@test "at --max-pages what the last page needs is fetched, and a resume goes on" {
    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed --max-pages 1 3
    same 3 "$STATUS" "$(cat "$ERR")"
    same 1 "$(page_count)"
    same 0 "$(record_count /page)" "pages beyond the limit"
    # All but what the other three pages need.
    same "41 1 1 1 0" "$(figures)"
    capture "$CRAWLER" --resume --max-pages none "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$(all_asked)" "$(asked)"
    same 4 "$(page_count)"
    same "44 1 1 1 0" "$(figures)"
}

@test "--max-per-domain is about pages" {
    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed --max-per-domain 1 3
    same 0 "$STATUS" "$(cat "$ERR")"
    same 1 "$(page_count)"
    same "41 1 1 1 0" "$(figures)"
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
    same "44 1 1 1 0" "$(figures)"
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
    same "44 1 1 1 0" "$(figures)"
    same 4 "$(page_count)"
    same "verified" "$("$CRAWLER" verify "$DIR" | cut -d: -f1)"
    # And the archive has it all.
    diff <(all_needed) <(captures | awk '{ print $1 }' |
        sed 's,^http://,,' | grep /need/ | LC_ALL=C sort -u)
}

@test "an image that is linked too is in the archive with its body, each time" {
    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed 3
    same "200 19 whole
200 19 whole" "$(captures | sed -n 's,^http://site.test/need/photo.jpg ,,p')"
    "$CRAWLER" why "$DIR" http://site.test/need/photo.jpg >"$TMP/why"
    grep -q 'was fetched as a requisite$' "$TMP/why" || fail "$(cat "$TMP/why")"
}

@test "why tells which page and which stylesheet need it" {
    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed 3
    "$CRAWLER" why "$DIR" http://fonts.test/need/font.ttf >"$TMP/why"
    same "http://fonts.test/need/font.ttf was fetched as a requisite
  found     as a requisite, on page 1, http://site.test/
  from      http://site.test/need/a.css
  answer    status 200, font/ttf, 16 bytes" "$(head -n 4 "$TMP/why")"
    "$CRAWLER" why "$DIR" http://cdn.test/forbidden/not.png >"$TMP/why"
    grep -q 'refused: forbidden by robots.txt$' "$TMP/why"
    grep -q 'line 2 of http://cdn.test/robots.txt' "$TMP/why"
    "$CRAWLER" why "$DIR" http://site.test/need/missing.png >"$TMP/why"
    grep -q 'could not be fetched' "$TMP/why"
}

@test "a frame in scope that is too deep is a requisite" {
    start_playground --site "$PROJECT/tests/cli/requisites.site"
    needed 0
    same 0 "$STATUS" "$(cat "$ERR")"
    same 1 "$(page_count)"
    same 1 "$(record_count /frame site.test)"
    # With what it needs.
    same 1 "$(record_count /need/in-frame.png site.test)"
    same 0 "$(record_count /page)"
}

@test "what pages need that are not archived is not fetched" {
    cat >"$TMP/my.site" <<'END'
/robots.txt 404
/
    body <img src=/a.png><a href=/meta>.</a><a href=/header>.</a><a href=/noindex>.</a>
/meta
    body <meta name=robots content=noarchive><img src=/not1.png>
/header
    header X-Robots-Tag: noarchive
    body <img src=/not2.png>
/noindex
    body <meta name=robots content=noindex><img src=/not3.png>
/a.png
    header X-Robots-Tag: noindex
    type image/png
    body A picture.
END
    start_playground --site "$TMP/my.site"
    needed 3
    same 0 "$STATUS" "$(cat "$ERR")"
    same "1 site.test/
1 site.test/a.png
1 site.test/header
1 site.test/meta
1 site.test/noindex" "$(asked)"
    same "200 11 whole" "$(captures | sed -n 's,^http://site.test/a.png ,,p')"
}

@test "a page that is not archived is fetched for another one, also after a resume" {
    cat >"$TMP/my.site" <<'END'
/robots.txt 404
/
    body <a href=/left-out>.</a><a href=/shows>.</a>
/left-out
    body <meta name=robots content=noarchive>
/shows
    body <img src=/left-out>
END
    start_playground --site "$TMP/my.site"
    needed --save both --max-pages 2 3
    same 3 "$STATUS" "$(cat "$ERR")"
    same 1 "$(record_count /left-out site.test)"
    capture "$CRAWLER" --resume --max-pages none "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    same 2 "$(record_count /left-out site.test)"
}

@test "stylesheets that import each other for ever, and hosts that are not there" {
    cat >"$TMP/my.site" <<'END'
/robots.txt 404
/
    body <link rel=stylesheet href=/1.css><img src=http://127.0.0.1:1/x.png>
    body <img src=/loop><img src=/large>
/loop 302
    header Location: /loop?
/large
    type image/png
    repeat 100000 x
END
    local i

    for ((i = 1; i < 20; i++)); do
        printf '/%d.css\n    type text/css\n    body @import "%d.css";\n' \
            $i $((i + 1)) >>"$TMP/my.site"
    done
    start_playground --site "$TMP/my.site"
    capture "${LIMITED[@]}" "$CRAWLER" --robots obey --scope host --delay 0 \
        --retries 0 --warc --requisites --max-size 50K --allow-private \
        --connect-to "site.test:80:127.0.0.1:$PORT" http://site.test/ "$DIR" 3
    same 0 "$STATUS" "$(cat "$ERR")"
    # Named by a page, and five times by a stylesheet.
    same 6 "$(record_column path | grep -c css)"
    # 127.0.0.1:1 was given up; /large is too large; /loop? leads to itself.
    same "1 page saved" "$(grep -o '1 page.* saved' "$ERR" | sed s/pages/page/)"
    same "6 2 2 0 0" "$(figures)"
}

@test "--requisites needs an archive" {
    capture "$CRAWLER" --requisites http://example.org/ "$DIR" 1
    same 2 "$STATUS"
    same "crawler: --requisites needs --warc" "$(cat "$ERR")"
    same "" "$(ls -A "$DIR")"
}
