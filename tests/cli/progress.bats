#!/usr/bin/env bats
# The progress line: on a terminal only, on standard error only, and never in
# the way of the log.

load helper

# on_terminal COLUMNS COMMAND: run a shell command on a terminal of its own;
# what the terminal got is in $TERMINAL.
on_terminal() {
    TERMINAL=$TMP/terminal
    STATUS=0
    timeout -k 60 "$LIMIT" script -qec "stty cols $1 rows 24; $2" /dev/null \
        >"$TERMINAL" </dev/null || STATUS=$?
}

# The crawler with the letters site, as words for a shell.
letters_words() {
    printf '%q ' "$CRAWLER" --restart --robots ignore --log tse --connect-to "::127.0.0.1:$PORT" "$@" \
        "$LETTERS/index.html" "$DIR"
}

# Progress is drawn as carriage return, text, "erase to the end of the line".
drawn() {
    tr '\r' '\n' <"$TERMINAL" | grep -a $'\033\\[K' | sed $'s/\033\\[K.*//' |
        grep . || fail "no progress line: $(cat -v "$TERMINAL")"
}

# What a terminal shows in the end: escapes and overwritten lines resolved.
shown() {
    python3 -c '
import re, sys
screen, column = [[]], 0
data = open(sys.argv[1], "rb").read().decode()
for token in re.findall(r"\x1b\[K|[^\x1b]|\x1b", data):
    line = screen[-1]
    if token == "\r":
        column = 0
    elif token == "\n":
        screen.append([])
        column = 0
    elif token == "\x1b[K":
        del line[column:]
    else:
        assert token != "\x1b", "an escape sequence that is not known"
        line += " " * (column - len(line))
        line[column:column + 1] = token
        column += 1
print("\n".join("".join(line).rstrip(" ") for line in screen), end="")
' "$TERMINAL"
}

@test "the progress line has all its fields, and what is waited for" {
    start_playground --letters
    on_terminal 200 "$(letters_words --delay 500ms --log none) 2"
    same 0 "$STATUS"
    whole_pages 3
    form='^[0-9]+ saved, [0-9]+ queued, [0-9]+ in flight, [0-9.]+ [KMG]?B, '
    form+='[0-9]+\.[0-9]/s, [0-9]+:[0-9][0-9]'
    form+='(, (waiting [0-9]\.[0-9] s for|looking up) cs50tse\.cs\.dartmouth\.edu)?$'
    drawn >"$TMP/drawn"
    same "" "$(grep -vE "$form" "$TMP/drawn")" "lines of another form"
    grep -qE '^1 saved, 1 queued, 0 in flight, 123 B, .*waiting 0\.[0-9] s for' \
        "$TMP/drawn"
    grep -qE '^2 saved' "$TMP/drawn"
}

@test "the progress line says when a page is tried again, and that the crawl is stopping" {
    cat >"$TMP/busy.site" <<'END'
/
    body <a href=/busy>b</a>
/busy 503
    times 1
/busy
    delay 7s
    body fine
END
    start_playground --site "$TMP/busy.site"
    # The second try is in flight when the time is over.
    on_terminal 200 "$(printf '%q ' "$CRAWLER" --robots ignore --connect-to "::127.0.0.1:$PORT" \
        --delay 0 --log none --max-time 5s --scope host http://a.test/ \
        "$DIR" 1)"
    [ "$STATUS" -eq 0 ] || [ "$STATUS" -eq 3 ]
    drawn >"$TMP/drawn"
    grep -qE ', trying a\.test again in [01]\.[0-9] s$' "$TMP/drawn"
    grep -qE '1 in flight, .*, stopping$' "$TMP/drawn"
}

@test "the progress line says that the crawl is paused by order" {
    start_playground --letters
    on_terminal 200 "(until '$CRAWLER' ctl '$DIR' pause; do sleep 0.1; done
        sleep 1; '$CRAWLER' ctl '$DIR' resume) >/dev/null 2>&1 &
        $(letters_words --scope host --delay 1s --log none) 2"
    same 0 "$STATUS"
    whole_pages 3
    drawn >"$TMP/drawn"
    grep -qE '^[01] saved, .*, paused by order$' "$TMP/drawn"
}

@test "the progress line fits the terminal, however narrow" {
    start_playground --letters
    for columns in 80 20 2; do
        on_terminal $columns "$(letters_words --delay 150ms --log none) 1"
        same 0 "$STATUS"
        drawn >"$TMP/drawn"
        same "" "$(awk -v max=$columns 'length >= max' "$TMP/drawn")" \
            "lines too long for $columns columns"
    done
}

@test "the log on the same terminal as the progress line stays readable" {
    start_playground --letters
    letters_crawl 3 >"$TMP/expected"
    on_terminal 200 "$(letters_words --delay 250ms) 3"
    same 0 "$STATUS"
    drawn >/dev/null
    # Every line of the log is there alone, then the summary, and nothing else.
    shown >"$TMP/shown"
    diff -u "$TMP/expected" <(sed '$d' "$TMP/shown")
    grep -qx 'crawler: 6 pages saved, .*' <(tail -n 1 "$TMP/shown")
}

@test "messages on standard error do not run into the progress line" {
    cat >"$TMP/gone.site" <<'END'
/
    body <a href=/slow>s</a> <a href=/gone>g</a>
/slow
    delay 2s
    body slow
/gone 404
END
    start_playground --site "$TMP/gone.site"
    on_terminal 200 "$(printf '%q ' "$CRAWLER" --robots ignore --connect-to "::127.0.0.1:$PORT" \
        --delay 0 --log none -v --scope host http://a.test/ "$DIR" 1)"
    same 0 "$STATUS"
    shown >"$TMP/shown"
    grep -q '^crawler: http://a.test/gone: ' "$TMP/shown"
    same 2 "$(grep -c ^crawler: "$TMP/shown")" "lines: $(cat "$TMP/shown")"
    # ... nor does the one that ends the crawl.
    rm -r "$DIR"
    mkdir "$DIR"
    on_terminal 200 "(until [ -e '$DIR/1' ]; do sleep 0.02; done; mkdir '$DIR/2') &
        $(printf '%q ' "$CRAWLER" --restart --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --log none --scope host \
        http://a.test/ "$DIR" 1)"
    same 1 "$STATUS"
    shown >"$TMP/shown"
    grep -q '^crawler: cannot write page 2 ' "$TMP/shown"
}

@test "the progress line is there only where standard error is a terminal" {
    start_playground --letters
    # Neither.
    capture letters_crawl 3 --delay 50ms
    silent "$ERR"
    same "" "$(LC_ALL=C grep '[^[:print:]]' "$OUT")"
    # Only standard output.
    on_terminal 200 "$(letters_words --delay 50ms) 2 2>$TMP/err"
    silent "$TMP/err"
    same "" "$(LC_ALL=C grep -v '^[[:print:]]*.$' "$TERMINAL")"
    same "" "$(grep -a $'\033' "$TERMINAL")"
    # Only standard error.
    on_terminal 200 "$(letters_words --delay 150ms) 2 >$TMP/out"
    drawn >/dev/null
    same "" "$(LC_ALL=C grep '[^[:print:]]' "$TMP/out")"
    same 13 "$(wc -l <"$TMP/out")" "lines of the log"
}

@test "--quiet has no progress line" {
    start_playground --letters
    on_terminal 200 "$(letters_words --delay 100ms -q) 2"
    same 0 "$STATUS"
    silent "$TERMINAL"
}

@test "with options there is no log beside the progress line, and pages are logged elsewhere" {
    start_playground --letters
    crawl=$(printf '%q ' "$CRAWLER" --restart --robots ignore --connect-to "::127.0.0.1:$PORT" \
        --delay 0 --max-pages 2)
    # On a terminal: the figures, why it stopped and how it goes on.
    on_terminal 200 "$crawl --internal $LETTERS/ $LETTERS/index.html $DIR 2"
    same 3 "$STATUS"
    shown >"$TMP/shown"
    grep -qx 'crawler: 2 pages saved, .*' <(head -n 1 "$TMP/shown")
    same "stopped: --max-pages was reached
go on: crawler --resume --max-pages ... $DIR" "$(tail -n 2 "$TMP/shown")"
    ! grep -q "$LETTERS" "$TMP/shown" || fail "a line a page"
    # Where standard output or standard error is no terminal, a line a page.
    on_terminal 200 "$crawl $LETTERS/index.html $DIR 2 >$TMP/out"
    same 3 "$(wc -l <"$TMP/out")" "lines: $(cat "$TMP/out")"
    same "Timestamp" "$(head -n 1 "$TMP/out" | cut -f 1)"
    on_terminal 200 "$crawl $LETTERS/index.html $DIR 2 2>$TMP/err"
    same 3 "$(wc -l <"$TERMINAL")"
    # -v asks for the course's lines, and for more of them.
    on_terminal 200 "$crawl -v $LETTERS/index.html $DIR 2"
    grep -q ' Saved: ' "$TERMINAL"
}
