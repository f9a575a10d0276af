# What a crawl must leave behind, whatever happened to it on the way.
#
#     load helper
#     load truth

# same_as_truth DIR: exactly the pages that the web has, each once, and no other
# file.
same_as_truth() {
    page_depths "$1" | diff "$TMP/truth" - >"$TMP/diff" ||
        fail "$(wc -l <"$TMP/diff") lines differ: $(head -n 5 "$TMP/diff")" || return
    pages_are_whole "$(wc -l <"$TMP/truth")" "$1" || return
    same "" "$(find "$1" -mindepth 1 ! -name '[1-9]*' ! -name .crawler \
        ! -name .crawler-stats.json)" "other files" || return
    "$CRAWLER" verify "$1" >"$TMP/verified" || fail "$(head "$TMP/verified")"
}
