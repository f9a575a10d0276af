#!/usr/bin/env bats
# The man page says what the program does.

load helper

MAN=$PROJECT/docs/crawler.1

# The text as a reader has it, hyphens as they are typed.
plain_man() {
    sed -e 's/\\-/-/g' -e 's/\\f[A-Z]//g' -e 's/\\(lq\|\\(rq/"/g' "$MAN"
}

# The long options that --help shows, with their arguments.
options_of_help() {
    "$CRAWLER" --help | sed -n 's/^  \(-[a-zA-Z], \)\?\(--[a-z-]*\).*/\2/p' | sort -u
}

@test "the options in the man page are those of the program" {
    CRAWLER=$CRAWLER "$PROJECT/tools/update-man" --check
}

@test "update-man --check finds a man page that is out of date" {
    cp -r "$PROJECT/tools" "$TMP"
    mkdir "$TMP/docs"
    sed 's/^\.B \\-\\-max\\-pages/.B \\-\\-most\\-pages/' "$MAN" >"$TMP/docs/crawler.1"
    run ! env CRAWLER="$CRAWLER" "$TMP/tools/update-man" --check
    [[ $output == *max*pages* ]]
    # Without --check it is put right.
    CRAWLER=$CRAWLER "$TMP/tools/update-man"
    cmp "$MAN" "$TMP/docs/crawler.1"
}

@test "every option of --help is in the man page, and the other way round" {
    options_of_help >"$TMP/help"
    [ "$(wc -l <"$TMP/help")" -gt 20 ]
    plain_man | sed -n '/BEGIN OPTIONS/,/END OPTIONS/s/^\.B .*\(--[a-z-]*\).*/\1/p' |
        sort -u >"$TMP/man"
    diff -u "$TMP/help" "$TMP/man"
}

@test "every default of --help is in the man page" {
    "$CRAWLER" --help | tr -s ' \n' ' ' | grep -o '(default [^)]*)' |
        sed 's/(default \(.*\))/\1/' | sort >"$TMP/help"
    [ "$(wc -l <"$TMP/help")" -gt 5 ]
    plain_man | sed -n 's/.*; default \([^ ]*\)\.$/\1/p' | sort >"$TMP/man"
    diff -u "$TMP/help" "$TMP/man"
}

@test "every word of the log and every exit status is explained in the man page" {
    # The words are the first column of the tables.
    words=$(sed -n 's/^ *\[[A-Z_]*\] *= {"\([A-Za-z]*\)".*/\1/p' \
        "$PROJECT/src/page/outcome.c" "$PROJECT/src/frontier/verdict.c" | sort -u)
    [ "$(wc -w <<<"$words")" -ge 10 ]
    plain_man >"$TMP/man"
    for word in $words Scanning Found Saved; do
        # A link that is no URL has no line; its word is never printed.
        [ "$word" = IgnBad ] && continue
        grep -qw -- "$word" "$TMP/man" || fail "no word on $word"
    done
    for status in 0 1 2 3 4; do
        sed -n '/^\.SH EXIT STATUS/,/^\.SH ENV/p' "$TMP/man" |
            grep -qx "\.B $status" || fail "no word on status $status"
    done
}

@test "every name of an outcome and of a verdict is in the man page, as JSON has it" {
    for table in page/outcome frontier/verdict; do
        names=$(sed -n 's/^ *\[[A-Z_]*\] *= {"[A-Za-z]*", *"\([a-z-]*\)".*/\1/p' \
            "$PROJECT/src/$table.c")
        [ "$(wc -w <<<"$names")" -ge 10 ]
        for name in $names; do
            plain_man | sed -n '/^Outcomes are/,/^\.SH/p' |
                grep -qE "^\.(B|BR) $name( |\$)" || fail "no word on $name"
        done
    done
}

@test "every key of status --json is named in the man page" {
    start_playground --letters
    letters_crawl 0 >/dev/null
    sed -n '/^\.BI "crawler status/,/^\.BI "crawler why/p' <(plain_man) | tr '\n' ' ' >"$TMP/man"
    for key in $("$CRAWLER" status --json "$DIR" |
        python3 -c 'import json,sys; print(*json.load(sys.stdin))'); do
        grep -qw "$key" "$TMP/man" || fail "no word on $key"
    done
}

@test "every key of the JSON log is named in the man page" {
    start_playground --letters
    letters_crawl 0 --log json >"$TMP/json"
    sed -n '/^\.B --log json/,/^\.SH/p' <(plain_man) | tr '\n' ' ' >"$TMP/man"
    for key in $(python3 -c 'import json,sys; print(*json.load(sys.stdin))' \
        <"$TMP/json"); do
        grep -qw "$key" "$TMP/man" || fail "no word on $key"
    done
}

# columns_in_man VIEW: those that the section STATE FILE explains, in order.
columns_in_man() {
    plain_man | sed -n '/^\.SH STATE FILE/,/^\.SH STAT/p' |
        sed -n "/^\.SS $1\$/,/^\.S[SH]/p" |
        sed -n '/^\.TP$/{n;s/^\.BR* //;s/ ", " /\n/g;p}'
}

@test "every view of the state file is explained in the man page, column by column" {
    start_playground --letters
    letters_crawl 0 >/dev/null
    state() { sqlite3 "$DIR/.crawler" "$1"; }
    views=$(state "SELECT name FROM sqlite_master WHERE type = 'view'")
    same 8 "$(wc -w <<<"$views")" "views"
    for view in $views; do
        same "$(state "SELECT name FROM pragma_table_info('$view')")" \
            "$(columns_in_man "$view")" "$view"
    done
}

@test "the version in the man page is the program's" {
    same "crawler $(cat "$PROJECT/VERSION")" \
        "$(sed -n 's/^\.TH .*"\(crawler [^"]*\)".*/\1/p' "$MAN")"
}

@test "mandoc finds no fault in the man page" {
    run mandoc -T lint -W warning "$MAN"
    same "" "$output"
    same 0 "$status"
}
