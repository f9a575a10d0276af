# For tests that look at which pages a crawl saves.

# site NAME: a site file, from standard input.
site() {
    cat >"$TMP/$1.site"
}

# saved ARGUMENT...: crawl into an empty $DIR without pause or retry, and print
# the URLs saved, sorted.
saved() {
    rm -rf "$DIR"
    mkdir "$DIR"
    capture crawl --delay 0 --retries 0 "$@"
    same 0 "$STATUS" "exit status of: $*: $(cat "$ERR")" || return
    whole_pages "$(page_count)" || return
    page_urls
}

# verdict URL: the words of the last log on this link and on the fetch of it.
verdict() {
    grep -vE ' (Found|Scanning): ' "$TMP/out" | awk -v url="$1" '
        $3 == url { sub(/:$/, "", $2); printf "%s%s", sep, $2; sep = " " }
        END { print "" }'
}
