#!/usr/bin/env bats
# One definition of how a URL ends (src/store/codes.h): `crawler status`, the
# views, .crawler-stats.json and the lines at the end of a crawl have the same
# figures, whatever kind of crawl it was.

load helper
load site

# agree SAVED REDIRECTED FAILED REFUSED QUEUED: these are the figures of all
# that tell them. What the last crawl printed is in $ERR. A figure given as -
# may be any, but the same everywhere.
agree() {
    "$CRAWLER" status "$DIR" >"$TMP/status" || return
    python3 - "$DIR" "$TMP/status" "$ERR" "$@" <<'END'
import json, os, re, sqlite3, sys

directory, status, err = sys.argv[1:4]
expected = [None if word == "-" else int(word) for word in sys.argv[4:]]
names = ["saved", "redirected", "failed", "refused", "queued"]
figures = {}

text = open(status).read()
pages = re.search(r"^  pages    (\d+) saved, .*; (\d+) redirected, (\d+) failed, "
                  r"(\d+) refused$", text, re.M).groups()
queue = re.search(r"^  queue    (\d+) URLs?(?:, (\d+) of them to be tried again)?$",
                  text, re.M)
figures["status"] = [*map(int, pages), int(queue[1])]
rows = re.findall(r"^" + r" +(\d+)" * 5 + r"  \S", text, re.M)
if not re.search(r"^  and \d+ more$", text.split("domain\n")[-1], re.M):
    figures["domains of status"] = [sum(map(int, column)) for column in zip(*rows)]

db = sqlite3.connect(directory + "/.crawler")
def ask(sql):
    return [value or 0 for value in db.execute(sql).fetchone()]
figures["urls"] = ask("SELECT " + ", ".join(
    f"sum(state = '{name}')" for name in names) + " FROM urls")
figures["domains"] = ask("SELECT sum(pages), sum(redirected), sum(failed), "
                         "sum(refused), sum(queued) FROM domains")
others = ask("""SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM queue),
    (SELECT count(*) FROM queue WHERE fetches > 0)""")
assert others == [figures["urls"][0], figures["urls"][4], int(queue[2] or 0)], others
# A URL has one end.
again = db.execute("SELECT url, count(*), group_concat(state) FROM urls "
                   "GROUP BY url HAVING count(*) > 1").fetchall()
assert not again, again

file = directory + "/.crawler-stats.json"
if os.path.exists(file):
    stats = json.load(open(file))
    figures["stats.json"] = [stats["urls"][name] for name in names]
    assert stats["pages"] == figures["urls"][0], stats["pages"]
    assert stats["queued"] == figures["urls"][4], stats["queued"]
end = re.findall(r"^URLs: " + ", ".join(r"(\d+) " + name for name in names) + "$",
                 open(err).read(), re.M)
if end:
    figures["end"] = [*map(int, end[-1])]
    line = re.findall(r"^crawler: (\d+) pages? saved, \d+ bytes?, (\d+) failed, ",
                      open(err).read(), re.M)[-1]
    assert [*map(int, line)] == [figures["urls"][0], figures["urls"][2]], line

for who, numbers in figures.items():
    assert numbers == figures["urls"], figures
    for name, number, wanted in zip(names, numbers, expected, strict=True):
        assert wanted in (None, number), (who, name, wanted, figures)
assert figures["urls"][0] == len([name for name in os.listdir(directory)
                                  if name.isdigit()]), figures
END
}

# crawl_to STATUS OPTION... SEED DEPTH: into $DIR; what it says is in $ERR.
crawl_to() {
    local status=$1

    shift
    capture crawl --delay 0 --retries 0 --log none "${@:1:$#-1}" "$DIR" "${@: -1}"
    same "$status" "$STATUS" "exit status: $(cat "$ERR")"
}

# resume_to STATUS OPTION...: go on with it.
resume_to() {
    local status=$1

    shift
    capture "${LIMITED[@]}" "$CRAWLER" --resume "$@" "$DIR"
    same "$status" "$STATUS" "exit status: $(cat "$ERR")"
}

# A page for every end, and some that are found twice.
every_end() {
    serve <<'END'
//down.example.org/robots.txt 503
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /private
/
    body <a href=/a>.</a><a href=/missing>.</a><a href=/broken>.</a>
    body <a href=/old>.</a><a href=/loop/a>.</a><a href=/private/x>.</a>
    body <a href=/image.png>.</a><a href=/noindex>.</a><a href=/empty>.</a>
    body <a href=/no rel=nofollow>.</a><a href=/late rel=nofollow>.</a>
    body <a href=http://other.example/>.</a>
    body <a href=http://down.example.org/1>.</a>
    body <a href=http://down.example.org/2>.</a><a href=/away>.</a>
/a
    body <a href=/late>.</a><a href=/a rel=nofollow>.</a><a href=/?>.</a>
    body <a href=/deep>.</a><a href=/missing rel=nofollow>.</a>
/deep
    body <a href=/deeper>.</a>
/missing 404
/broken 500
/old 301
    redirect /a
/away 302
    redirect http://other.example/b
/loop/a 302
    redirect /loop/b
/loop/b 302
    redirect /loop/a
/image.png
    type image/png
    body x
/noindex
    body <meta name=robots content=noindex><a href=/hidden>.</a>
/empty
/*
    body A page.
END
}

@test "the letters site has the same figures everywhere" {
    start_playground --letters
    capture letters_crawl 10 -v
    agree 9 0 0 0 0
    rm -r "$DIR"
    mkdir "$DIR"
    capture letters_crawl 2 -v
    agree - 0 0 - 0
}

@test "a crawl with every end of a URL has the same figures everywhere" {
    every_end
    crawl_to 0 --robots obey --scope domain http://example.org/ 2
    # saved: / a late deep hidden; redirected: old away loop/a loop/b; failed:
    # missing broken image noindex empty and the two of down; refused: private
    # no. The links of the deepest pages are not looked at.
    agree 5 4 7 2 0
}

@test "with --links, in priority order and with a small queue in memory the figures are the same" {
    every_end
    for options in "3 --links" "3 --links --order priority" "2 --queue-memory 64K"; do
        rm -rf "$DIR"
        mkdir "$DIR"
        # shellcheck disable=SC2086 # the words are the options
        crawl_to 0 ${options#* } --robots obey --scope domain http://example.org/ 2
        # With --links the links of the deepest pages are, too.
        agree 5 4 7 "${options%% *}" 0
    done
}

@test "links that are too deep or nofollow at first and accepted later count once" {
    # /2 is found so often that a priority crawl takes it before /s: then /t is
    # too deep at first.
    serve <<'END'
/
    body <a href=/1>.</a><a href=/s>.</a>
    body <a href=/x rel=nofollow>.</a><a href=/y rel=nofollow>.</a>
/1
    body <a href=/x>.</a><a href=/2>.</a><a href=/2>.</a><a href=/2>.</a>
/2
    body <a href=/t>.</a><a href=/u>.</a><a href=/x rel=nofollow>.</a>
/s
    body <a href=/t>.</a>
/*
    body A page.
END
    for order in bfs priority; do
        rm -rf "$DIR"
        mkdir "$DIR"
        crawl_to 0 --robots obey --links --order $order --workers 1 --scope host \
            http://example.org/ 2
        agree 6 0 0 2 0
    done
    same "http://example.org/t
http://example.org/x" "$(sqlite3 "$DIR/.crawler" "SELECT url FROM refusal JOIN url
        USING (number) WHERE refusal.verdict = 0 ORDER BY url")"
}

@test "the figures agree when a crawl stops at --max-pages, and when it goes on" {
    every_end
    for pages in 1 2 3; do
        rm -rf "$DIR"
        mkdir "$DIR"
        crawl_to 3 --robots obey --scope domain --max-pages $pages \
            http://example.org/ 2
        agree $pages - - - -
        resume_to 0 --max-pages none
        agree 5 4 7 2 0
    done
}

@test "the figures agree when a crawl is over and its failures are asked for again" {
    every_end
    crawl_to 0 --robots obey --scope domain http://example.org/ 2
    agree 5 4 7 2 0
    # broken and the two of down.
    for tries in 1 2; do
        grep -qx "3 URLs failed and may answer later" "$ERR"
        same $tries "$(record_count /broken)" "requests of broken"
        same $tries "$(record_count /robots.txt down.example.org)" "robots.txt of down"
        resume_to 0 --retry-failed
        agree 5 4 7 2 0
    done
}

@test "the figures agree at --max-per-domain" {
    serve <<'END'
/
    links 20 /x/%d
/x/3 404
/*
    body A page.
END
    crawl_to 0 --scope host --max-per-domain 5 http://example.org/ 2
    agree - 0 - - 0
    same "5 16" "$(sqlite3 "$DIR/.crawler" "SELECT sum(fetches) || ' ' ||
        sum(refused) FROM domains")"
}

@test "the figures agree for a dead host and for one page that is tried again" {
    serve <<'END'
/
    body <a href=/later>.</a><a href=/a>.</a>
    body <a href=http://dead.example.org:1/1>.</a>
    body <a href=http://dead.example.org:1/2>.</a>
/later 503
    header Retry-After: 3600
/*
    body A page.
END
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --scope domain \
        --delay 0 --retries 1 --max-time 4s --log none \
        --connect-to dead.example.org:1:127.0.0.1:1 \
        --connect-to "::127.0.0.1:$PORT" http://example.org/ "$DIR" 1
    same 3 "$STATUS" "$(cat "$ERR")"
    # Its host rests for an hour, so /a may be queued too.
    agree - 0 - 0 -
    same "http://example.org/later|1" \
        "$(sqlite3 "$DIR/.crawler" "SELECT url, fetches FROM queue WHERE fetches > 0")"
}

@test "sitemaps are no pages: the figures are those of the pages they list" {
    serve <<'END'
/map.xml
    type application/xml
    body <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    body <url><loc>http://example.org/a</loc></url>
    body <url><loc>http://example.org/missing</loc></url>
    body <url><loc>http://other.example/</loc></url></urlset>
/gone.xml 404
/missing 404
/*
    body A page.
END
    crawl_to 0 --scope host --sitemap http://example.org/map.xml \
        --sitemap http://example.org/gone.xml http://example.org/ 2
    agree 2 0 1 0 0
}

@test "a crawl without a single page has the same figures everywhere" {
    serve <<'END'
/* 404
END
    crawl_to 4 --scope host http://example.org/ 2
    agree 0 0 1 0 0
    rm -r "$DIR"
    mkdir "$DIR"
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /
END
    crawl_to 4 --robots obey --scope host http://example.org/ 2
    agree 0 0 0 1 0
}

# agree_beside_files: of a crawl that was killed, so that there may be more page
# files than its record knows.
agree_beside_files() {
    local file last

    last=$(sqlite3 "$DIR/.crawler" "SELECT coalesce(max(page), 0) FROM fetch")
    for file in "$DIR"/[1-9]*; do
        [ ! -e "$file" ] || [ "${file##*/}" -le "$last" ] || rm "$file"
    done
    ERR=/dev/null agree - - - - -
}

@test "the figures agree whenever a crawl is killed, and when it goes on to its end" {
    local command
    RANDOM=1

    start_playground --web figures --hosts 5 --pages 400 --size 500
    command=("$CRAWLER" --robots obey --connect-to "::127.0.0.1:$PORT" --scope any
        --delay 0 --retries 0 --per-host 4 --save-every 20ms --log none
        http://d0.example/ "$DIR" 50)
    for _ in 1 2 3 4 5; do
        timeout --foreground -s KILL "0.$((RANDOM % 4 + 2))" "${command[@]}" \
            >/dev/null 2>&1 || :
        [ ! -s "$DIR/.crawler" ] || agree_beside_files
    done
    capture "${LIMITED[@]}" "${command[@]}"
    same 0 "$STATUS" "$(cat "$ERR")"
    agree - - - - 0
}
