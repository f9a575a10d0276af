# Names that the playground's name server answers.
#
#     load helper
#     load site
#     load dns
#
#     @test "..." {
#         names <<'END'
#     gone.example
#         error nxdomain
#     END
#         serve "${NAMES[@]}" <<'END'
#     /
#         body here
#     END
#         find_names
#         fetch_by_name 0 "http://a.example:$PORT/"
#         same 1 "$(asked a.example)"
#     }

# names <TABLE: how some names are answered; in NAMES are the options for the
# playground. Names that are not in the table lead to the playground.
names() {
    cat >"$TMP/names"
    NAMES=(--dns 0 --dns-names "$TMP/names" --dns-record "$TMP/queries")
}

# find_names: where the name server of the playground is that was started last;
# in DNS.
find_names() {
    local line

    read -r -t "$LIMIT" -u "$SERVER_OUT" line || fail "no name server"
    DNS=${line#name server on }
}

# names_are TABLE: a playground that serves nothing, and names that are answered
# so.
names_are() {
    names <<<"$1"
    start_playground "${NAMES[@]}"
    find_names
}

# fetch_by_name DEPTH [OPTION...] URL: a crawl whose names come from the name
# server; the log in JSON is $TMP/log. Its exit status is in STATUS.
fetch_by_name() {
    local depth=$1

    shift
    capture "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore \
        --dns-servers "$DNS" --log json --scope any --delay 0 --retries 0 \
        "${@:1:$#-1}" "${@: -1}" "$DIR" "$depth"
    cp "$OUT" "$TMP/log"
}

# asked [NAME]: how often the name server was asked for the IPv4 addresses of
# the name, or of any.
asked() {
    awk -F '\t' -v name="${1:-}" \
        '$5 == "A" && (name == "" || $4 == name) { n++ } END { print n + 0 }' \
        "$TMP/queries"
}
