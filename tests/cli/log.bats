#!/usr/bin/env bats
# The log on standard output: the course's format to the letter, the JSON form,
# and what goes to standard error.

load helper

# words FILE: "COUNT WORD" of every word of the log, sorted by the word.
words() {
    sed 's/^.[0-9] *\([A-Za-z]*\): .*/\1/' "$1" | LC_ALL=C sort | uniq -c |
        sed 's/^ *//'
}

# well_formed FILE: every line is "%2d %*s%9s: %s" of depth, depth, "", word, URL.
well_formed() {
    awk '
        !/^[ 0-9][0-9] +[A-Z][A-Za-z]+: https?:\/\/[!-~]+$/ { wrong = 1 }
        {
            match($0, /[A-Za-z]+: /)
            word = substr($0, RSTART, RLENGTH - 2)
            url = substr($0, RSTART + RLENGTH)
            depth = $1 + 0
            if (sprintf("%2d %*s%9s: %s", depth, depth, "", word, url) != $0 ||
                length(word) > 9)
                wrong = 1
        }
        wrong { print "line " NR ": " $0; exit 1 }' "$1" >&2
}

# --- the course's format -----------------------------------------------------

@test "tse: the log of depth 1, to the letter" {
    start_playground --letters
    capture letters_crawl 1
    same 0 "$STATUS"
    silent "$ERR"
    diff -u - "$OUT" <<END
 0   Fetched: $LETTERS/index.html
 0  Scanning: $LETTERS/index.html
 0     Found: $LETTERS/A.html
 0     Added: $LETTERS/A.html
 1    Fetched: $LETTERS/A.html
END
}

@test "tse: the log of depth 2, to the letter" {
    start_playground --letters
    capture letters_crawl 2
    same 0 "$STATUS"
    silent "$ERR"
    diff -u - "$OUT" <<END
 0   Fetched: $LETTERS/index.html
 0  Scanning: $LETTERS/index.html
 0     Found: $LETTERS/A.html
 0     Added: $LETTERS/A.html
 1    Fetched: $LETTERS/A.html
 1   Scanning: $LETTERS/A.html
 1      Found: https://en.wikipedia.org/wiki/Algorithm
 1   IgnExtrn: https://en.wikipedia.org/wiki/Algorithm
 1      Found: $LETTERS/B.html
 1      Added: $LETTERS/B.html
 1      Found: $LETTERS/index.html
 1    IgnDupl: $LETTERS/index.html
 2     Fetched: $LETTERS/B.html
END
}

@test "tse: the number of lines by depth" {
    start_playground --letters
    depth=0
    for lines in 1 5 13 27 52 67 74 74 74 74 74; do
        capture letters_crawl "$depth"
        same 0 "$STATUS" "exit status at depth $depth"
        same "$lines" "$(wc -l <"$OUT")" "lines at depth $depth"
        silent "$ERR"
        well_formed "$OUT"
        depth=$((depth + 1))
    done
    # The last one was depth 10.
    same "8 Added
9 Fetched
28 Found
12 IgnDupl
8 IgnExtrn
9 Scanning" "$(words "$OUT")"
}

@test "tse: a page at the greatest depth is fetched, not scanned" {
    start_playground --letters
    capture letters_crawl 3
    same "" "$(grep '^ 3' "$OUT" | grep -v Fetched)"
    same 3 "$(grep -c '^ 3' "$OUT")"
}

@test "tse: every link is found and then judged, once, in document order" {
    start_playground --letters
    capture letters_crawl 10
    awk '
        { word = $2; sub(/:$/, "", word) }
        word == "Found" { found = $1 " " $3; next }
        found != "" {
            if ($1 " " $3 != found || word !~ /^(Added|IgnDupl|IgnExtrn)$/) {
                print "after Found: " $0
                exit 1
            }
            found = ""
            next
        }
        word !~ /^(Fetched|Scanning)$/ { print "unexpected: " $0; exit 1 }
        ' "$OUT"
    same "C.html D.html E.html index.html" "$(sed -n \
        '/Scanning:.*B.html/,/Fetched/s/.*Found:.*letters.//p' "$OUT" |
        xargs)" "links of B"
}

@test "tse: depths of two digits are aligned" {
    awk 'BEGIN {
        for (i = 0; i < 130; i++)
            print "/p" i "\n    body <a href=p" i + 1 ">next</a>"
        print "/p130\n    body end"
    }' >"$TMP/chain.site"
    start_playground --site "$TMP/chain.site"
    capture crawl --delay 0 --scope host http://a.test/p0 "$DIR" 130
    same 0 "$STATUS"
    whole_pages 131
    head -n $((4 * 100)) "$OUT" >"$TMP/head"
    well_formed "$TMP/head"
    grep -qx ' 9            Fetched: http://a.test/p9' "$OUT"
    grep -qx '10             Fetched: http://a.test/p10' "$OUT"
    grep -qx '99 \{102\}Fetched: http://a.test/p99' "$OUT"
    # From a hundred on the line is not indented further; still one format.
    grep -qx '130 \{103\}Fetched: http://a.test/p130' "$OUT"
}

@test "tse: words for what is not saved and not queued" {
    cat >"$TMP/words.site" <<'END'
/
    body <a href=/gone>1</a> <a href=/old>2</a> <a href=/text>3</a> <a href=/big>4</a>
    body <a href=/empty>5</a> <a href=http://other.test/>6</a> <a href=/>7</a>
    body <a href=/far>8</a> <a href=ftp://a.test/>9</a> <a href=mailto:x@a.test>10</a>
/gone 404
    body gone
/old
    redirect /new
/new
    body new
/text
    type text/plain
    body text
/big
    repeat 3000 x
/empty
/far 307
    redirect http://other.test/far
END
    start_playground --site "$TMP/words.site"
    capture crawl --delay 0 --max-size 2000 --scope host http://a.test/ "$DIR" 1
    same 0 "$STATUS"
    no_complaint "$ERR"
    well_formed "$OUT"
    diff -u - "$OUT" <<'END'
 0   Fetched: http://a.test/
 0  Scanning: http://a.test/
 0     Found: http://a.test/gone
 0     Added: http://a.test/gone
 0     Found: http://a.test/old
 0     Added: http://a.test/old
 0     Found: http://a.test/text
 0     Added: http://a.test/text
 0     Found: http://a.test/big
 0     Added: http://a.test/big
 0     Found: http://a.test/empty
 0     Added: http://a.test/empty
 0     Found: http://other.test/
 0  IgnExtrn: http://other.test/
 0     Found: http://a.test/
 0   IgnDupl: http://a.test/
 0     Found: http://a.test/far
 0     Added: http://a.test/far
 1     Failed: http://a.test/gone
 1   Redirect: http://a.test/old
 1      Found: http://a.test/new
 1      Added: http://a.test/new
 1    IgnMime: http://a.test/text
 1    IgnSize: http://a.test/big
 1     Failed: http://a.test/empty
 1   Redirect: http://a.test/far
 1      Found: http://other.test/far
 1   IgnExtrn: http://other.test/far
 1    Fetched: http://a.test/new
END
}

@test "tse: with the course's prefix a name that is not HTML's is ignored" {
    cat >"$TMP/names.site" <<'END'
/tse/
    body <a href=a.pdf>1</a> <a href=b.html>2</a> <a href=v1.2>3</a> <a href=c>4</a>
/tse/b.html
    type text/plain
    body the type does not count here
/tse/c
    body c
END
    start_playground --site "$TMP/names.site"
    capture crawl --delay 0 http://cs50tse.cs.dartmouth.edu/tse/ "$DIR" 1
    same 0 "$STATUS"
    same "2 Added
3 Fetched
4 Found
2 IgnName
1 Scanning" "$(words "$OUT")"
    whole_pages 3
    stop_playground
    same 0 "$(record_count /tse/a.pdf)" "requests of a.pdf"
}

# --- less and more -----------------------------------------------------------

@test "--quiet prints nothing and saves the pages" {
    start_playground --letters
    for options in -q --quiet "-q -v" "-q --log json" "--log none"; do
        rm -rf "$DIR" && mkdir "$DIR"
        # shellcheck disable=SC2086 # the words are the arguments
        capture letters_crawl 2 $options
        same 0 "$STATUS" "exit status with $options"
        silent "$OUT"
        silent "$ERR"
        whole_pages 3
    done
    # But errors are told.
    capture crawl -q --delay 0 "$LETTERS/nothing.html" "$DIR" 1
    same 4 "$STATUS"
    silent "$OUT"
    same "crawler: not a single page could be fetched" "$(cut -d : -f 1,2 "$ERR")"
}

@test "--verbose logs Saved after each Fetched, reasons and a summary on stderr" {
    cat >"$TMP/verbose.site" <<'END'
/
    body <a href=/gone>1</a> <a href=/text>2</a> <a href=/busy>3</a>
/gone 404
/text
    type text/plain
    body text
/busy 503
END
    start_playground --site "$TMP/verbose.site"
    capture crawl --delay 0 --retries 1 -v --scope host http://a.test/ "$DIR" 1
    same 0 "$STATUS"
    well_formed "$OUT"
    same " 0     Saved: http://a.test/" "$(grep -A1 Fetched "$OUT" | tail -n 1)"
    same 1 "$(grep -c Saved "$OUT")"
    grep -qx 'crawler: http://a.test/gone: 404 Not Found' "$ERR"
    grep -qx 'crawler: http://a.test/text: not an HTML page but text/plain (status 200)' "$ERR"
    grep -q '^crawler: http://a.test/busy: 503 Service Unavailable; again in 1.[0-2] s' "$ERR"
    grep -qx 'crawler: http://a.test/busy: 503 Service Unavailable' "$ERR"
    grep -q '^crawler: 1 page saved, .* bytes, 3 failed, 1 retry$' "$ERR"
    same 5 "$(grep -c ^crawler: "$ERR")" "messages on standard error"
}

@test "the log has no control characters where there is no terminal" {
    start_playground --letters
    for options in "" -v "--log json"; do
        # shellcheck disable=SC2086 # the words are the arguments
        capture letters_crawl 10 $options
        same "" "$(LC_ALL=C grep -n '[^[:print:]]' "$OUT" "$ERR")" "$options"
        tail -c 1 "$OUT" | cmp - <(echo)
    done
}

# --- JSON --------------------------------------------------------------------

# judge_json PYTHON: run it with `pages`, the list of the objects in $OUT.
judge_json() {
    python3 -c '
import json, sys
pages = [json.loads(line) for line in open(sys.argv[1], encoding="ascii")]
dir = sys.argv[2]
def same(expected, got, what=""):
    if expected != got:
        sys.exit("%s\n  expected: %r\n  got:      %r" % (what, expected, got))
'"$1" "$OUT" "$DIR"
}

@test "json: one object for each fetch, with everything in it" {
    start_playground --letters
    capture letters_crawl 10 --log json
    same 0 "$STATUS"
    silent "$ERR"
    same 9 "$(wc -l <"$OUT")" "lines"
    judge_json '
keys = ["time", "url", "depth", "outcome", "id", "status", "mime", "bytes",
        "ms", "referrer", "links"]
import datetime, os
for page in pages:
    same(keys, list(page), "keys")
    same("fetched", page["outcome"])
    same(200, page["status"])
    same("text/html", page["mime"])
    datetime.datetime.strptime(page["time"][:19], "%Y-%m-%dT%H:%M:%S")
    same("Z", page["time"][-1])
    assert 0 <= page["ms"] < 60000
    lines = open(os.path.join(dir, str(page["id"])), "rb").read().split(b"\n", 2)
    same(lines[0].decode(), page["url"], "URL of the file")
    same(int(lines[1]), page["depth"], "depth of the file")
    same(len(lines[2]), page["bytes"], "bytes of the file")
same(list(range(1, 10)), [page["id"] for page in pages], "ids")
times = [page["time"] for page in pages]
same(sorted(times), times, "times")
total = {}
for page in pages:
    for verdict, count in page["links"].items():
        total[verdict] = total.get(verdict, 0) + count
same({"accept": 8, "duplicate": 12, "external": 8}, total, "links")
'
}

@test "json: the referrer is the page where the link was found first" {
    start_playground --letters
    capture letters_crawl 10 --log json
    judge_json '
name = lambda url: url and url.rsplit("/")[-1][0]
same({"i": None, "A": "i", "B": "A", "C": "B", "D": "B", "E": "B", "F": "E",
      "G": "E", "H": "F"},
     {name(p["url"]): name(p["referrer"]) for p in pages})
'
}

@test "json: failures, redirects and their links" {
    cat >"$TMP/json.site" <<'END'
/
    body <a href=/gone>1</a> <a href=/old>2</a> <a href=/text>3</a>
    body <a href=http://other.test/>4</a> <a href="http://[bad/">5</a> <a href=/hop1>6</a>
/gone 404
    body gone
/old
    redirect /new
/new
    type Text/HTML; charset=utf-8
    body <a href=/deep>d</a>
/text
    type application/pdf
    body text
/hop1
    redirect /hop2
/hop2
    redirect http://other.test/
END
    start_playground --site "$TMP/json.site"
    capture crawl --delay 0 --log json --scope host http://a.test/ "$DIR" 1
    same 0 "$STATUS"
    judge_json '
by = {page["url"][len("http://a.test/"):]: page for page in pages}
same(["", "gone", "hop1", "hop2", "new", "old", "text"], sorted(by))
same({"accept": 4, "bad-url": 1, "external": 1}, by[""]["links"])
same(("client-error", None, 404), tuple(by["gone"][k] for k in ("outcome", "id", "status")))
same(("redirected", None, 302, {"accept": 1}),
     tuple(by["old"][k] for k in ("outcome", "id", "status", "links")))
same(("fetched", 2, 200, 1), tuple(by["new"][k] for k in ("outcome", "id", "status", "depth")))
same("text/html", by["new"]["mime"].lower())
same(("not-html", "application/pdf"), (by["text"]["outcome"], by["text"]["mime"]))
same({"external": 1}, by["hop2"]["links"])
# Where the first of the redirects was found.
for url in ("old", "new", "hop1", "hop2"):
    same("http://a.test/", by[url]["referrer"], url)
'
}

@test "json: a connection that fails" {
    capture "$CRAWLER" --robots ignore --connect-to ::127.0.0.1:1 --retries 0 --log json \
        "$LETTERS/index.html" "$DIR" 1
    same 4 "$STATUS"
    judge_json '
same(1, len(pages))
page = pages[0]
same(("connection-refused", None, 0, "", 0, None, {}),
     tuple(page[k] for k in ("outcome", "id", "status", "mime", "bytes", "referrer", "links")))
'
}

# --- hostile texts -----------------------------------------------------------

@test "hostile characters in URLs and headers never reach the log raw" {
    printf '%s\n' '/' \
        '    type text/html; charset=utf-8' \
        '    bytes <a href="/a&#27;[31mred">1</a> <a href="/b\x1b[2Jc">2</a>' \
        '    bytes <a href="/d&#x9b;31m">3</a> <a href="/\xe2\x80\xaeevil">4</a>' \
        '    bytes <a href="/e\r\nX: y">5</a> <a href="/f\tg">6</a> <a href="/h\x07">7</a>' \
        '    bytes <a href="/i&quot;,&quot;x&quot;:&quot;">8</a> <a href="/j\\">9</a>' \
        '    bytes <a href="/k%0a%1b[31m">10</a> <a href="/l?q=\x7f\xff">11</a>' \
        '    bytes <a href="http://\x1b.test/">12</a> <a href="/moved">13</a> <a href="/odd">14</a>' \
        '/moved' \
        '    raw HTTP/1.1 302 Found\r\nLocation: /to\x1b[31m\x9b\xe2\x80\xae"x\r\nContent-Length: 0\r\n\r\n' \
        '/odd' \
        '    raw HTTP/1.1 200 \x1b[31mOK\r\nContent-Type: text/\x1b[31m"html\r\nContent-Length: 1\r\n\r\nx' \
        '/*' \
        '    body page' >"$TMP/hostile.site"
    start_playground --site "$TMP/hostile.site"
    for options in -v "-v --log json"; do
        # shellcheck disable=SC2086 # the words are the arguments
        capture crawl --delay 0 --scope host $options http://a.test/ "$DIR" 2
        same 0 "$STATUS"
        same "" "$(LC_ALL=C grep -n '[^[:print:]]' "$OUT" "$ERR")" "$options"
    done
    judge_json '
assert len(pages) >= 12
'
    capture crawl --delay 0 --scope host http://a.test/ "$DIR" 2
    well_formed "$OUT"
    # Nor the first line of a page file, which the next program reads.
    whole_pages "$(page_count)"
}
