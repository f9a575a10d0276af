# Small sites and the crawler on them, for the tests of what servers do.
#
#     load helper
#     load site
#
#     @test "..." {
#         serve <<'END'
#     /
#         body <a href=/next>.</a>
#     END
#         fetch 1
#         same "/ fetched" "$(outcomes | head -n 1)"
#     }

# serve <SITE: a playground with this site.
serve() {
    cat >"$TMP/my.site"
    start_playground --site "$TMP/my.site" --record-headers "$@"
}

# fetch DEPTH [OPTION...] [URL]: crawl the site from http://example.org/ (or
# URL) into $DIR; the log in JSON is $TMP/log.
fetch() {
    local depth=$1 url=http://example.org/

    shift
    if [ $# -gt 0 ] && [[ ${*: -1} == http*:* ]]; then
        url=${*: -1}
        set -- "${@:1:$#-1}"
    fi
    crawl --log json --scope host --delay 0 --retries 0 "$@" "$url" "$DIR" \
        "$depth" >"$TMP/log"
}

# outcomes [ROOT]: "path outcome" of every fetch, sorted.
outcomes() {
    python3 -c '
import json, sys
for line in open(sys.argv[1]):
    page = json.loads(line)
    print(page["url"].removeprefix(sys.argv[2]), page["outcome"])
' "$TMP/log" "${1:-http://example.org}" | LC_ALL=C sort
}

# pages: "path depth" of every page file, sorted.
pages() {
    local file

    for file in "$DIR"/[1-9]*; do
        printf '%s %s\n' "$(sed -n '1s,^http://example.org,,p' "$file")" \
            "$(sed -n 2p "$file")"
    done | LC_ALL=C sort
}

# page URL: the file that has it.
page() {
    grep -lxm 1 -F -- "$1" "$DIR"/[1-9]* | head -n 1
}

# body_is URL FILE: the page has exactly these bytes.
body_is() {
    local file

    file=$(page "$1")
    [ -n "$file" ] || fail "not saved: $1" || return
    tail -n +3 "$file" | cmp - "$2"
}

# sample FILE: a page that no text tool can copy without harm: all bytes, line
# ends of all kinds, none at the end.
sample() {
    python3 -c '
import sys
out = b"<!doctype html>\r\n<title>all bytes</title>\n\r\0"
out += bytes(range(256)) * 40 + b"\r" + bytes(reversed(range(256)))
sys.stdout.buffer.write(out * 20 + b"the end")' >"$1"
}
