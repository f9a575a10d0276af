#!/usr/bin/env bats
# The figures of a crawl that is killed. The rest is in tests/cases/figures.case.

load helper

# agree FIGURE...: as tests/cli/figures.py has it. What the last crawl printed is
# in $ERR.
agree() {
    "$CRAWLER" status "$DIR" >"$TMP/status" || return
    python3 "$BATS_TEST_DIRNAME/figures.py" "$DIR" "$TMP/status" "$ERR" "$@"
}

# agree_beside_files: of a crawl that was killed, so that there may be more page
# files than its record knows.
agree_beside_files() {
    local file last

    last=$(sqlite3 "$DIR/.crawler" "SELECT coalesce(max(page), 0) FROM fetch")
    for file in "$DIR"/[1-9]*; do
        [ ! -e "$file" ] || [ "${file##*/}" -le "$last" ] || rm "$file"
    done
    ERR=/dev/null agree - - - - - -
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
    agree - - - - - 0
}
