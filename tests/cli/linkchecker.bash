# Debian's linkchecker as a judge of broken links. With these settings it is
# fast on loopback: without a number of requests a second, which the server has
# to allow by a header (corpus.bash), without other sites, and with pages of any
# size. It counts as one site what lies below the folder of its first page, so
# the whole server is named.
#
#     load corpus
#     load linkchecker

# linkchecker_paths: what it finds broken on the server at PORT, from START on,
# without escapes, queries and fragments, sorted. Not what stylesheets name:
# that is no link, and missing files are another kind of finding
# (--requisites).
linkchecker_paths() {
    local origin="http://127.0.0.1:$PORT"

    cat >"$TMP/linkcheckerrc" <<END
[checking]
threads=2
maxrequestspersecond=1000000
robotstxt=0
maxfilesizeparse=100000000
maxfilesizedownload=100000000
resultcachesize=1000000
allowedschemes=http
[filtering]
checkextern=0
internlinks=^$origin/
[output]
warnings=0
status=0
[csv]
separator=,
parts=urlname,parentname,result,url,valid
END
    # Its status is 1 where a link is broken, and 2 where it could not work.
    env -u http_proxy -u all_proxy -u ALL_PROXY HOME="$TMP" \
        timeout "${LINKCHECKER_LIMIT:-900}" linkchecker -f "$TMP/linkcheckerrc" \
        -o csv/utf-8 "$origin$START" >"$TMP/linkchecker.csv" \
        2>"$TMP/linkchecker.err" || [ $? -eq 1 ] ||
        fail "linkchecker: $(cat "$TMP/linkchecker.err")" || return
    python3 - "$TMP/linkchecker.csv" "$origin" <<'END' | LC_ALL=C sort -u
import csv, sys
from urllib.parse import unquote

lines = [line for line in open(sys.argv[1], encoding="utf-8") if line[0] != "#"]
for row in csv.DictReader(lines):
    assert row["valid"] == "False" and row["url"].startswith(sys.argv[2]), row
    assert row["result"].startswith("404 "), row
    if row["parentname"].endswith(".css"):
        continue
    print(unquote(row["url"].removeprefix(sys.argv[2]).split("#")[0].split("?")[0]))
END
}

# agrees_with_linkchecker [PATH...]: the broken links, link elements and forms of
# the report (--check-external) are those that linkchecker finds, but for these: "+PATH" is broken for linkchecker
# alone, "-PATH" for the report alone.
agrees_with_linkchecker() {
    broken_paths link-element form >"$TMP/ours"
    linkchecker_paths >"$TMP/theirs" || return
    {
        LC_ALL=C comm -13 "$TMP/ours" "$TMP/theirs" | sed 's/^/+/'
        LC_ALL=C comm -23 "$TMP/ours" "$TMP/theirs" | sed 's/^/-/'
    } | LC_ALL=C sort >"$TMP/differ"
    printf '%s\n' "$@" | sed '/^$/d' | LC_ALL=C sort | diff -u - "$TMP/differ"
}

needs_linkchecker() {
    command -v linkchecker >/dev/null || skip "linkchecker is not there"
}
