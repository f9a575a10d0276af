#!/usr/bin/env bats
# The same directory again: what the bare form and --restart do to the pages
# that are there.

load helper
load bare

# The first crawl is one with options, which is fast; the bare form pauses for
# a second after every page.

fingerprint() {
    (cd "$DIR" && find . -type f -name '[1-9]*' -exec sha256sum {} + | sort)
}

# again FORM DEPTH [PAGE]: crawl the letters into $DIR once more.
again() {
    local seed=$LETTERS/${3:-index.html}

    case $1 in
    bare) bare "$seed" "$DIR" "$2" ;;
    restart) crawl --delay 0 "$seed" "$DIR" "$2" ;;
    esac
}

@test "again: a smaller crawl leaves no old pages" {
    start_playground --letters
    bare_start
    for form in bare restart; do
        letters_crawl 10 >/dev/null
        whole_pages 9
        again $form 1 >/dev/null
        whole_pages 2
        again $form 0 >/dev/null
        whole_pages 1
        again $form 1 >/dev/null
        whole_pages 2
        same "$LETTERS/A.html 1
$LETTERS/index.html 0" "$(page_depths)"
    done
}

@test "again: the same once more is fetched once more" {
    start_playground --letters
    bare_start
    for form in bare restart; do
        again $form 1 >/dev/null
        echo changed >>"$DIR/2"
        capture again $form 1
        same 0 "$STATUS"
        silent "$ERR"
        same 5 "$(wc -l <"$OUT")" "lines of the log"
        whole_pages 2
        same "" "$(grep changed "$DIR/2")"
    done
    stop_playground
    same 8 "$(record_total)"
}

@test "again: nor where the old pages had a hole" {
    start_playground --letters
    bare_start
    for form in bare restart; do
        letters_crawl 10 >/dev/null
        rm "$DIR/3"
        # Three pages fill the hole: what is behind it must not join them.
        again $form 2 >/dev/null
        whole_pages 3
    done
}

@test "again: a crawl that fetches nothing leaves the old pages alone" {
    start_playground --letters
    bare_start
    letters_crawl 10 >/dev/null
    before=$(fingerprint)
    capture bare "$LETTERS/nothing.html" "$DIR" 1
    same 4 "$STATUS" "exit status"
    whole_pages 9
    same "$before" "$(fingerprint)"
    # Nor do wrong arguments.
    capture bare "$LETTERS/index.html" "$DIR" 11
    same 2 "$STATUS" "exit status"
    capture crawl "$LETTERS/index.html" "$DIR" 11
    same 2 "$STATUS" "exit status"
    same "$before" "$(fingerprint)"
    # Nobody remembers who wrote them: with options they are left alone.
    for option in --restart --quiet; do
        capture "$CRAWLER" $option --connect-to "::127.0.0.1:$PORT" \
            "$LETTERS/index.html" "$DIR" 0
        same 2 "$STATUS" "exit status with $option"
        same 1 "$(wc -l <"$ERR")" "lines on standard error with $option"
        same "$before" "$(fingerprint)"
    done
    # Without, the next page takes their place.
    bare "$LETTERS/index.html" "$DIR" 0 >/dev/null
    whole_pages 1
}

@test "again: other files in the directory stay" {
    start_playground --letters
    bare_start
    for name in notes.txt 1.bak 01 1a x1 -1 .hidden; do
        echo mine >"$DIR/$name"
    done
    mkdir "$DIR/sub" && echo mine >"$DIR/sub/1"
    for form in bare restart; do
        letters_crawl 10 >/dev/null
        again $form 2 >/dev/null
        for name in notes.txt 1.bak 01 1a x1 -1 .hidden sub/1; do
            same mine "$(cat "$DIR/$name")" "$name"
        done
        same "1 2 3" "$(cd "$DIR" && echo [1-9])"
    done
}

@test "again: the pages of another program's crawl" {
    start_playground --letters
    bare_start
    for marker in "" "made by something else"; do
        printf '%s' "$marker" >"$DIR/.crawler"
        for id in 1 2 3 4; do
            printf 'http://example.org/%s\n0\nold\n' "$id" >"$DIR/$id"
        done
        before=$(fingerprint)
        capture crawl --delay 0 "$LETTERS/index.html" "$DIR" 1
        same 2 "$STATUS"
        same "$before" "$(fingerprint)"
        bare "$LETTERS/index.html" "$DIR" 1 >/dev/null
        whole_pages 2
        rm -r "$DIR" && mkdir "$DIR"
    done
}

@test "again: one that is stopped before its first page leaves them alone too" {
    cat >"$TMP/stuck.site" <<'END'
/tse/stuck
    times 1
    delay 10m
/tse/stuck
    body <a href=/tse/next>.</a>
/tse/next
    body Next.
END
    start_playground --letters --site "$TMP/stuck.site"
    bare_start
    letters_crawl 10 >/dev/null
    before=$(fingerprint)
    inode=$(stat -c %i "$DIR/.crawler")
    PLAYGROUND_PORT=$PORT LD_PRELOAD=$LEAD "$CRAWLER" "${LETTERS%/*}/stuck" "$DIR" 1 \
        >"$TMP/out" 2>"$TMP/err" 3>&- &
    pid=$!
    # It has its own record from then on.
    for _ in $(seq 600); do
        [ "$inode" = "$(stat -c %i "$DIR/.crawler")" ] || break
        sleep 0.05
    done
    [ "$inode" != "$(stat -c %i "$DIR/.crawler")" ]
    kill -TERM "$pid"
    kill -INT "$pid"
    STATUS=0
    wait "$pid" || STATUS=$?
    same 3 "$STATUS"
    silent "$TMP/out"
    whole_pages 9
    same "$before" "$(fingerprint)"
    # Nor are they among its pages when it goes on; what is nobody's stays.
    echo mine >"$DIR/2024"
    bare "${LETTERS%/*}/stuck" "$DIR" 1 >/dev/null
    same mine "$(cat "$DIR/2024")"
    rm "$DIR/2024"
    whole_pages 2
}

# stopped_after COUNT SIGNAL ARGUMENT...: the bare form until it has saved so
# many pages, then the signal; its exit status is in STATUS.
stopped_after() {
    local count=$1 signal=$2 pid

    shift 2
    PLAYGROUND_PORT=$PORT LD_PRELOAD=$LEAD "$CRAWLER" "$@" \
        >"$TMP/first" 2>"$TMP/first.err" 3>&- &
    pid=$!
    # By its log: the files may still be those of the crawl before.
    for _ in $(seq 600); do
        [ "$(grep -c ' Fetched: ' "$TMP/first")" -lt "$count" ] || break
        sleep 0.05
    done
    kill "-$signal" "$pid"
    STATUS=0
    wait "$pid" || STATUS=$?
    [ -e "$DIR/$count" ] || fail "no page $count: $(cat "$TMP/first.err")"
}

@test "again: a bare crawl that was stopped goes on where it was" {
    start_playground --letters
    bare_start
    stopped_after 2 TERM "$LETTERS/index.html" "$DIR" 2
    same 3 "$STATUS"
    before=$(fingerprint)
    capture bare "$LETTERS/index.html" "$DIR" 2
    same 0 "$STATUS"
    same "crawler: going on with the crawl in $DIR after 2 pages" "$(cat "$ERR")"
    whole_pages 3
    same "$before" "$(fingerprint | grep -v ' ./3$')" "pages of before"
    same "$LETTERS/A.html 1
$LETTERS/B.html 2
$LETTERS/index.html 0" "$(page_depths)"
    same 3 "$(record_total)" "nothing was fetched twice"
    cat "$TMP/first" "$OUT" >"$TMP/both"
    letters_crawl 2 | cmp - "$TMP/both"
}

@test "again: so does one that was killed" {
    start_playground --letters
    bare_start
    stopped_after 3 KILL "$LETTERS/index.html" "$DIR" 3
    same 137 "$STATUS"
    capture bare "$LETTERS/index.html" "$DIR" 3
    same 0 "$STATUS"
    grep -q "^crawler: going on with the crawl in $DIR after [1-3] pages$" "$ERR"
    whole_pages 6
    stop_playground
    # The first page was remembered before the third was there.
    same 1 "$(record_count /tse/letters/index.html)" "requests of the first page"
}

@test "again: another bare crawl, or one that had options, starts over" {
    start_playground --letters
    bare_start
    stopped_after 2 TERM "$LETTERS/index.html" "$DIR" 3
    bare "$LETTERS/index.html" "$DIR" 1 >/dev/null
    whole_pages 2
    stopped_after 2 TERM "$LETTERS/index.html" "$DIR" 3
    bare "$LETTERS/D.html" "$DIR" 1 >/dev/null
    whole_pages 2
    same "$LETTERS/D.html" "$(head -n 1 "$DIR/1")"
    capture letters_crawl 10 --max-pages 4
    same 3 "$STATUS"
    capture bare "$LETTERS/index.html" "$DIR" 1
    same 0 "$STATUS"
    silent "$ERR"
    whole_pages 2
}
