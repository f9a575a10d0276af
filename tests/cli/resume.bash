# A crawl of the letters that stops and goes on, for resume*.bats.
#
#     load helper
#     load resume

# letters OPTION... DEPTH: the crawl of the letters, begun or gone on with.
letters() {
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --delay 0 "${@:1:$#-1}" \
        "$LETTERS/index.html" "$DIR" "${@: -1}"
}

# part OPTION... DEPTH: the letters, up to a limit.
part() {
    letters "$@" >/dev/null 2>&1 || same 3 $? "exit status at a limit"
}

# behind COMMAND...: in the background, so that a signal reaches the program.
behind() {
    "$@" >/dev/null 2>&1 3>&- &
    PID_BEHIND=$!
}

# state SQL: ask the record, or change it. With rows that cannot be it keeps its
# old digests. It fails where there is no record yet: sqlite3 would make an empty
# file, into which the crawler does not write its own.
state() {
    [ -s "$DIR/.crawler" ] || return
    sqlite3 "$DIR/.crawler" "$1" || return
    case $1 in
    SELECT* | PRAGMA*) ;;
    *) "$RESEAL" "$DIR" 2>/dev/null || : ;;
    esac
}

# complaint PATTERN: exit status 2, one line, and it says so.
complaint() {
    same 2 "$STATUS" "exit status"
    same 1 "$(wc -l <"$ERR")" "lines of complaint: $(cat "$ERR")"
    grep -qE "$1" "$ERR" || fail "not '$1': $(cat "$ERR")"
    silent "$OUT"
}
