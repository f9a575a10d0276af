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

# everything: all that is in the directory, the record included.
everything() {
    (cd "$DIR" && find . -type f -exec sha256sum {} + | sort)
}

# first_crawl: the letters, as if they had been crawled in the bare form.
first_crawl() {
    letters_crawl 10 >/dev/null
    sqlite3 "$DIR/.crawler" "INSERT INTO setting VALUES('bare', '1')"
    "$RESEAL" "$DIR"
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
        rm -rf "$DIR" && mkdir "$DIR"
        first_crawl
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

@test "again: the same crawl, bare or with --restart, fetches every page again" {
    start_playground --letters
    bare_start
    for form in bare restart; do
        again $form 1 >/dev/null
        echo changed >>"$DIR/2"
        capture again $form 1
        same 0 "$STATUS"
        [ $form = bare ] || silent "$ERR"
        same 5 "$(wc -l <"$OUT")" "lines of the log"
        whole_pages 2
        same "" "$(grep changed "$DIR/2")"
    done
    stop_playground
    same 8 "$(record_total)"
}

@test "again: a smaller crawl leaves no old pages where their numbers had a hole" {
    start_playground --letters
    bare_start
    for form in bare restart; do
        rm -rf "$DIR" && mkdir "$DIR"
        first_crawl
        rm "$DIR/3"
        # Three pages fill the hole: what is behind it must not join them.
        again $form 2 >/dev/null
        whole_pages 3
    done
}

@test "again: a crawl that fetches nothing leaves the old pages and their record alone" {
    start_playground --letters
    bare_start
    first_crawl
    before=$(everything)
    capture bare "$LETTERS/nothing.html" "$DIR" 1
    same 4 "$STATUS" "exit status"
    same "$before" "$(everything)"
    capture crawl --quiet "$LETTERS/nothing.html" "$DIR" 1
    same 4 "$STATUS" "exit status with --restart"
    same "$before" "$(everything)" "with --restart"
    capture crawl --quiet --state none "$LETTERS/nothing.html" "$DIR" 1
    same 4 "$STATUS" "exit status without a record"
    same "$before" "$(everything)" "without a record"
    # Nor do wrong arguments.
    capture bare "$LETTERS/index.html" "$DIR" 11
    same 2 "$STATUS" "exit status"
    capture crawl "$LETTERS/index.html" "$DIR" 11
    same 2 "$STATUS" "exit status"
    # Nor does a server that is not there.
    stop_playground
    capture bare "$LETTERS/index.html" "$DIR" 1
    same 4 "$STATUS" "exit status without a network"
    same "$before" "$(everything)" "without a network"
}

@test "again: the bare form refuses to replace a crawl that was begun with options" {
    start_playground --letters
    bare_start
    letters_crawl 10 >/dev/null
    before=$(everything)
    for seed in index.html A.html nothing.html; do
        capture bare "$LETTERS/$seed" "$DIR" 1
        same 2 "$STATUS" "exit status"
        same 1 "$(wc -l <"$ERR")" "lines on standard error"
        grep -q "holds another crawl, finished: 9 pages from $LETTERS/index.html; .*--restart" "$ERR"
        same "$before" "$(everything)"
    done
    letters_crawl 10 --max-pages 4 >/dev/null 2>&1 || same 3 $?
    before=$(everything)
    capture bare "$LETTERS/index.html" "$DIR" 10
    same 2 "$STATUS" "exit status"
    grep -q "holds another crawl: 4 pages so far .*'crawler --resume $DIR' goes on with it, --restart replaces it" "$ERR"
    same "$before" "$(everything)"
    # One that never had a page is no loss.
    rm -r "$DIR" && mkdir "$DIR"
    crawl --quiet "$LETTERS/nothing.html" "$DIR" 1 2>/dev/null || same 4 $?
    bare "$LETTERS/index.html" "$DIR" 0 >/dev/null
    whole_pages 1
}

@test "again: files that no crawl wrote stay in the directory" {
    start_playground --letters
    bare_start
    for name in notes.txt 1.bak 01 1a x1 -1 .hidden; do
        echo mine >"$DIR/$name"
    done
    mkdir "$DIR/sub" && echo mine >"$DIR/sub/1"
    for form in bare restart; do
        rm -f "$DIR/.crawler" "$DIR"/[1-9]
        first_crawl
        again $form 2 >/dev/null
        for name in notes.txt 1.bak 01 1a x1 -1 .hidden sub/1; do
            same mine "$(cat "$DIR/$name")" "$name"
        done
        same "1 2 3" "$(cd "$DIR" && echo [1-9])"
    done
}

@test "again: pages of another program's crawl are replaced by the bare form alone" {
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

@test "again: a crawl that is stopped before its first page leaves the old pages alone" {
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
    first_crawl
    before=$(everything)
    PLAYGROUND_PORT=$PORT LD_PRELOAD=$LEAD "$CRAWLER" "${LETTERS%/*}/stuck" "$DIR" 1 \
        >"$TMP/out" 2>"$TMP/err" 3>&- &
    pid=$!
    # It has its own record from then on, aside.
    for _ in $(seq $((LIMIT * 20))); do
        [ ! -e "$DIR/.crawler-tmp-state" ] || break
        sleep 0.05
    done
    [ -e "$DIR/.crawler-tmp-state" ]
    kill -TERM "$pid"
    kill -INT "$pid"
    STATUS=0
    wait "$pid" || STATUS=$?
    same 3 "$STATUS"
    silent "$TMP/out"
    same "$before" "$(everything)"
    # Nor are they among its pages when it starts again; what is nobody's stays.
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
    : >"$TMP/first"
    PLAYGROUND_PORT=$PORT LD_PRELOAD=$LEAD "$CRAWLER" "$@" \
        >"$TMP/first" 2>"$TMP/first.err" 3>&- &
    pid=$!
    # By its log: the files may still be those of the crawl before.
    for _ in $(seq $((LIMIT * 20))); do
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

@test "again: a bare crawl that was killed goes on where it was" {
    start_playground --letters
    bare_start
    stopped_after 3 KILL "$LETTERS/index.html" "$DIR" 3
    same 137 "$STATUS"
    capture bare "$LETTERS/index.html" "$DIR" 3
    same 0 "$STATUS"
    grep -q "^crawler: going on with the crawl in $DIR after [1-3] pages\?$" "$ERR"
    whole_pages 6
    stop_playground
    # The first page was remembered before the third was there.
    same 1 "$(record_count /tse/letters/index.html)" "requests of the first page"
}

@test "again: another bare crawl starts over" {
    start_playground --letters
    bare_start
    stopped_after 2 TERM "$LETTERS/index.html" "$DIR" 3
    bare "$LETTERS/index.html" "$DIR" 1 >/dev/null
    whole_pages 2
    stopped_after 2 TERM "$LETTERS/index.html" "$DIR" 3
    bare "$LETTERS/D.html" "$DIR" 1 >/dev/null
    whole_pages 2
    same "$LETTERS/D.html" "$(head -n 1 "$DIR/1")"
}

@test "again: a file that is nobody's page stays, with an empty marker or without one" {
    start_playground --letters
    bare_start
    for marker in empty none; do
        rm -rf "$DIR" && mkdir "$DIR"
        [ "$marker" = none ] || touch "$DIR/.crawler"
        for id in 1 2 3 7; do
            printf 'http://example.org/%s\n0\nold\n' "$id" >"$DIR/$id"
        done
        bare "$LETTERS/index.html" "$DIR" 1 >/dev/null
        same "1 2 7" "$(cd "$DIR" && echo [1-9])" "$marker"
        same "http://example.org/7" "$(head -n 1 "$DIR/7")" "$marker"
    done
}

@test "again: a file of the user's own in the place of a page is never replaced" {
    start_playground --letters
    bare_start
    # As its user made it; in a crawl of another program; in one of ours.
    for state in none empty note bare restart; do
        rm -rf "$DIR" && mkdir "$DIR"
        case $state in
        empty) touch "$DIR/.crawler" ;;
        note) echo "made by something else" >"$DIR/.crawler" ;;
        bare | restart) first_crawl ;;
        esac
        printf 'http://example.org/\n0\nold\n' >"$DIR/1"
        echo mine >"$DIR/2"
        before=$(everything)
        form=bare
        [ "$state" != restart ] || form=restart
        capture again $form 1
        same 2 "$STATUS" "$state"
        same "crawler: file 2 in '$DIR' is no page: it does not begin with a URL and a depth; \
move it away first, or it would be replaced" "$(cat "$ERR")" "$state"
        same "$before" "$(everything)" "$state"
    done
}

@test "again: the bare form says that it replaces pages" {
    start_playground --letters
    bare_start
    first_crawl
    capture bare "$LETTERS/index.html" "$DIR" 0
    same 0 "$STATUS"
    same "crawler: 9 pages of an earlier crawl in $DIR will be replaced when a page is saved" "$(cat "$ERR")"
    whole_pages 1
}

@test "again: a file in the way of a page is not replaced, and the crawl says so" {
    start_playground --letters
    bare_start
    touch "$DIR/.crawler"
    echo mine >"$DIR/2"
    capture bare "$LETTERS/index.html" "$DIR" 1
    same 1 "$STATUS" "exit status"
    grep -q "cannot write page 2 in $DIR: File exists" "$ERR"
    same mine "$(cat "$DIR/2")"
}

@test "again: a crawl that was begun with --user alone is not replaced by the bare form" {
    start_playground --letters
    bare_start
    bare --user me:secret "$LETTERS/index.html" "$DIR" 0 >/dev/null
    before=$(everything)
    capture bare "$LETTERS/A.html" "$DIR" 0
    same 2 "$STATUS" "exit status"
    same "$before" "$(everything)"
}

@test "again: a record that looks like none is not replaced by the bare form" {
    start_playground --letters
    bare_start
    letters_crawl 1 >/dev/null
    # A bit of the file's head that says whose it is.
    printf '\x00' | dd of="$DIR/.crawler" bs=1 seek=68 conv=notrunc 2>/dev/null
    before=$(everything)
    capture bare "$LETTERS/A.html" "$DIR" 0
    same 2 "$STATUS" "exit status"
    same "$before" "$(everything)"
}
