# Real sites, as Debian packages have them, on nginx.
#
#     load helper
#     load nginx
#     load corpus
#
#     @test "..." {
#         serve_corpus sqlite3 sqlite3-doc
#         report_corpus
#         broken_paths
#     }

# corpus_fact NAME FACT
corpus_fact() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' \
        "$CONFORMANCE/corpora/$1.json" "$2"
}

# find_corpus NAME PACKAGE: sets ROOT, its files, and START, its first path. The
# test is skipped where they cannot be had.
find_corpus() {
    local folder

    case $CRAWLER in
    */build/asan* | */build/tsan*)
        [ -n "${CORPORA_ALL:-}" ] || skip "too slow in this build"
        ;;
    esac
    needs_conformance "corpora/$1.json"
    folder=$("$PROJECT/tools/get-corpus" "$2" 2>/dev/null) ||
        skip "the Debian package $2 cannot be had"
    ROOT=$folder/$(corpus_fact "$1" root)
    # shellcheck disable=SC2034 # the test's
    START=$(corpus_fact "$1" start)
    [ "$(find "$ROOT" \( -name '*.html' -o -name '*.htm' \) -type f -printf '%s\n' |
        awk '{ bytes += $1 } END { printf "%d %d", NR, bytes }')" = \
        "$(corpus_fact "$1" html_files) $(corpus_fact "$1" html_bytes)" ] ||
        skip "another version of $2"
}

# serve_folder: the files of ROOT. Only a server with the header is asked by
# linkchecker more often than ten times a second.
serve_folder() {
    start_nginx <<END
server {
    listen 127.0.0.1:@PORT1@;
    root $ROOT;
    absolute_redirect off;
    add_header LinkChecker yes always;
}
END
}

# serve_corpus NAME PACKAGE
serve_corpus() {
    find_corpus "$1" "$2"
    serve_folder
}

# report_corpus [OPTION...]: crawl all of it; the report, with these options, is
# $TMP/report.json.
report_corpus() {
    crawl -q --links --scope host --delay 0 --per-host 8 \
        "http://corpus.example$START" "$DIR" 100
    "$CRAWLER" report --format json "$@" "$DIR" >"$TMP/report.json"
}

# broken_paths [KIND...]: of the report, without escapes and queries, sorted; also
# those of these kinds.
broken_paths() {
    python3 - "$TMP/report.json" broken "$@" <<'END' | LC_ALL=C sort -u
import json, sys
from urllib.parse import unquote

SITE = "http://corpus.example"
findings = json.load(open(sys.argv[1]))["findings"]
for item in [item for kind in sys.argv[2:] for item in findings[kind]["items"]]:
    assert item["detail"] == "404 Not Found" and item["places"], item
    if item["url"].startswith(SITE):
        print(unquote(item["url"].removeprefix(SITE).split("?")[0]))
END
}
