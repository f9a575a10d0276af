# Crawls that keep an archive, and judges of it.
#
#     load helper
#     load archive

CHECK_WARC=$BATS_TEST_DIRNAME/check_warc.py

# start_archive_site: a server of all odd answers (tests/cli/archive.site).
start_archive_site() {
    start_playground --site "$BATS_TEST_DIRNAME/archive.site" "$@"
}

# keep OPTION...: crawl the site from http://archive.test/ into $DIR.
keep() {
    "${LIMITED[@]}" "$CRAWLER" --quiet --scope host --delay 0 --retries 0 \
        --connect-to "::127.0.0.1:$PORT" "$@" http://archive.test/ "$DIR" 3
}

# whole_archive [DIR] [OPTION]: gzip, a checker of our own and `verify` find
# nothing; what is kept is in $TMP/kept, "TYPE STATUS URL".
whole_archive() {
    local dir=${1:-$DIR} file

    for file in "$dir"/archive/*; do
        gzip -t <"$file" || fail "$file" || return
    done
    python3 "$CHECK_WARC" "$dir" "${@:2}" >"$TMP/kept" 2>"$TMP/faults" ||
        fail "$(head -n 5 "$TMP/faults")" || return
    "$CRAWLER" verify "$dir" >"$TMP/verified" ||
        fail "verify: $(head -n 5 "$TMP/verified")"
}

# asked: host and path of all requests that the server has had, sorted.
asked() {
    record_lines | awk -F '\t' '{ print $5 $7 }' | LC_ALL=C sort
}

# kept: the same of all captures of the last whole_archive.
kept() {
    sed 's,^[^ ]* [^ ]* http://,,' "$TMP/kept" | LC_ALL=C sort
}

# archive_files [DIR]: their names.
archive_files() {
    (cd "${1:-$DIR}/archive" && LC_ALL=C ls)
}

# records [DIR]: all records of the archive, unpacked.
records() {
    cat "${1:-$DIR}"/archive/* | zcat
}
