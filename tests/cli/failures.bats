#!/usr/bin/env bats
# What can go wrong while a crawl runs: full disks, readers that leave, signals,
# servers that go away. What is saved stays whole, and the exit status tells.
# Servers that break: tests/cases/failures.case.

load helper
load bare

# wait_for COMMAND...: until it succeeds, $LIMIT seconds at most.
wait_for() {
    local tries=0

    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt $((LIMIT * 50)) ] || fail "waited in vain for: $*" || return
        sleep 0.02
    done
}

# crawl_in_background ARGUMENT...: sets CRAWL, its process. Signals are as a
# terminal would have them; a shell starts background jobs with some ignored.
# It starts over where there was a crawl.
crawl_in_background() {
    crawl_by --connect-to "::127.0.0.1:$PORT" "$@"
}

# crawl_by OPTION...: the same, led to the playground by these options.
crawl_by() {
    OUT=$TMP/out ERR=$TMP/err
    : >"$OUT"
    env --default-signal=INT,HUP "$CRAWLER" --log tse --restart --robots ignore \
        --delay 0 "$@" >"$OUT" 2>"$ERR" </dev/null 3>&- &
    CRAWL=$!
}

# ended STATUS: the background crawl has ended, so and in time.
ended() {
    local status=0

    timeout -k 60 "$LIMIT" tail -s 0.02 --pid="$CRAWL" -f /dev/null || {
        kill -KILL "$CRAWL"
        wait "$CRAWL" || :
        fail "the crawl did not end"
        return 1
    }
    wait "$CRAWL" || status=$?
    same "$1" "$status" "exit status: $(cat "$ERR")"
}

teardown() {
    if [ -n "${CRAWL:-}" ]; then
        kill -KILL "$CRAWL" 2>/dev/null || :
    fi
    helper_teardown
}

logged() {
    grep -q "$1" "$OUT"
}

# A small page, a page that is large, and two more behind it.
start_large() {
    cat >"$TMP/large.site" <<'END'
/
    body <a href=/small>s</a> <a href=/large>l</a> <a href=/after>a</a>
/small
    body small
/large
    repeat 100000 0123456789
/after
    body after
END
    start_playground --site "$TMP/large.site"
}

# one_error PATTERN: one line on standard error, of that form.
one_error() {
    same 1 "$(wc -l <"$ERR")" "lines on standard error: $(cat "$ERR")" || return
    grep -q "^crawler: $1" "$ERR" || fail "not '$1': $(cat "$ERR")"
}

# --- files that cannot be written --------------------------------------------

@test "a page larger than the limit of file sizes ends the crawl with an error" {
    start_large
    # Kilobytes. The signal that comes with it must not end the crawler.
    capture bash -c 'ulimit -f 100; exec "$@"' - "${LIMITED[@]}" "$CRAWLER" --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --scope host http://a.test/ \
        "$DIR" 1
    same 1 "$STATUS" "exit status"
    one_error "cannot write page 3 in .*File too large"
    whole_pages 2
}

@test "a full disk ends the crawl with an error and whole pages" {
    [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null ||
        skip "needs root and a mount namespace"
    start_large
    capture unshare -m bash -c '
        dir=$1 copy=$2
        shift 2
        mount -t tmpfs -o size=200k none "$dir" || exit 99
        "$@" "$dir" 1
        status=$?
        cp -a "$dir" "$copy"
        exit "$status"' - "$DIR" "$TMP/copy" "${LIMITED[@]}" "$CRAWLER" --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --scope host http://a.test/
    same 1 "$STATUS" "exit status"
    one_error "cannot write page 3 in .*No space left on device"
    whole_pages 2 "$TMP/copy"
    same small "$(tail -n +3 "$TMP/copy/2")"
}

@test "a page file that cannot be written ends the crawl: 2 is a directory" {
    start_playground --letters
    bare_start
    # Behind a hole it is nobody's page, so it is in nobody's way before.
    mkdir "$DIR/2"
    capture bare "$LETTERS/index.html" "$DIR" 3
    same 1 "$STATUS" "exit status"
    one_error "cannot write page 2 in .*File exists"
    rmdir "$DIR/2"
    whole_pages 1
}

@test "a page file that is a link: neither it nor the file behind it is touched" {
    start_playground --letters
    bare_start
    echo precious >"$TMP/precious"
    for form in bare "crawl --delay 0"; do
        rm -f "$DIR"/[1-9]
        ln -s "$TMP/precious" "$DIR/1"
        # shellcheck disable=SC2086 # the words are the arguments
        capture $form "$LETTERS/index.html" "$DIR" 2
        same 2 "$STATUS" "exit status of $form"
        grep -q "^crawler: file 1 in '$DIR' is no page: " "$ERR"
        same "$TMP/precious" "$(readlink "$DIR/1")"
        same precious "$(cat "$TMP/precious")"
        rm "$DIR/1"
        letters_crawl 2 >/dev/null
    done
}

@test "a page directory that vanishes ends the crawl with an error" {
    start_playground --letters
    crawl_in_background --delay 400ms "$LETTERS/index.html" "$DIR" 10
    wait_for logged 'Added: '
    rm -rf "$DIR"
    ended 1
    # Whichever it has to write next.
    one_error "cannot write \\(page [2-9] in .*No such file\\|the state in .*removed\\)"
}

@test "a state file that is removed or replaced during the crawl is noticed" {
    start_playground --letters
    for what in removed replaced; do
        crawl_in_background --delay 300ms --save-every 50ms "$LETTERS/index.html" \
            "$DIR" 10
        wait_for logged 'Added: '
        if [ "$what" = removed ]; then
            rm "$DIR/.crawler"
        else
            echo 'from elsewhere' >"$TMP/elsewhere"
            mv "$TMP/elsewhere" "$DIR/.crawler"
        fi
        ended 1
        grep -q "^crawler: cannot write the state in $DIR/.crawler: it was removed or replaced while the crawl was running$" \
            "$ERR" || fail "$what: $(cat "$ERR")"
        if [ "$what" = removed ]; then
            [ ! -e "$DIR/.crawler" ] || fail "it is there again"
            : >"$DIR/.crawler"
        else
            same 'from elsewhere' "$(cat "$DIR/.crawler")"
        fi
        # Nothing is left that would be taken for a part of another file.
        pages=$(page_count)
        [ "$pages" -lt 9 ] || fail "it went on to the end"
        whole_pages "$pages"
        rm -r "$DIR"
        mkdir "$DIR"
    done
}

@test "a page directory that is moved during the crawl loses nothing" {
    start_playground --letters
    crawl_in_background --delay 100ms --save-every 50ms "$LETTERS/index.html" \
        "$DIR" 10
    wait_for logged 'Added: '
    mv "$DIR" "$TMP/moved"
    ended 0
    same 9 "$(page_count "$TMP/moved")" "pages"
    capture "$CRAWLER" verify "$TMP/moved"
    same 0 "$STATUS" "$(cat "$OUT" "$ERR")"
}

# --- the log's reader --------------------------------------------------------

@test "the crawl ends when the reader of its log leaves" {
    start_playground --letters
    # The pipe is closed long before the last page comes.
    { crawl --delay 400ms "$LETTERS/index.html" "$DIR" 10 2>"$TMP/err" ||
        echo $? >"$TMP/status"; } | head -n 1 >"$TMP/out"
    same 1 "$(cat "$TMP/status")" "exit status"
    ERR=$TMP/err
    one_error "cannot write the log: Broken pipe"
    same 1 "$(wc -l <"$TMP/out")"
    count=$(page_count)
    [ "$count" -ge 1 ]
    [ "$count" -lt 9 ]
    whole_pages "$count"
}

@test "a log that cannot be written ends the crawl with an error" {
    start_playground --letters
    capture bash -c 'exec "$@" >/dev/full' - "$CRAWLER" --log tse --restart --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 "$LETTERS/index.html" "$DIR" 10
    same 1 "$STATUS"
    one_error "cannot write the log: No space left"
    whole_pages "$(page_count)"
    # Also where it shows only at the very end.
    capture bash -c 'exec "$@" >/dev/full' - "$CRAWLER" --log tse --restart --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 "$LETTERS/index.html" "$DIR" 0
    same 1 "$STATUS"
    one_error "cannot write the log: No space left"
    capture bash -c 'exec "$@" >&-' - "$CRAWLER" --log tse --restart --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 "$LETTERS/index.html" "$DIR" 10
    same 1 "$STATUS"
    one_error "cannot write the log: Bad file descriptor"
    whole_pages "$(page_count)"
}

@test "a broken log ends the crawl at once, not after the slowest page" {
    cat >"$TMP/slow.site" <<'END'
/
    body <a href=/a>a</a> <a href=/never>n</a>
/a
    body a
/never
    delay 10m
END
    start_playground --site "$TMP/slow.site"
    capture bash -c 'exec "$@" >/dev/full' - "${LIMITED[@]}" "$CRAWLER" --robots ignore --connect-to \
        "::127.0.0.1:$PORT" --delay 0 --per-host 2 --scope host --timeout 10m \
        http://a.test/ "$DIR" 1
    same 1 "$STATUS"
    whole_pages 1
}

@test "a crawl without standard streams harms no page file" {
    start_playground --letters
    # Files that the crawler opens must not become one of them.
    capture bash -c 'exec "$@" <&- >&- 2>&-' - "$CRAWLER" --robots ignore -q --connect-to \
        "::127.0.0.1:$PORT" --delay 0 "$LETTERS/index.html" "$DIR" 10
    same 0 "$STATUS"
    whole_pages 9
    capture "${LIMITED[@]}" bash -c 'exec "$@" <&- >&- 2>&-' - "$CRAWLER" --log tse --restart --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 -v "$LETTERS/index.html" \
        "$DIR" 10
    same 1 "$STATUS" "exit status with a log"
    whole_pages "$(page_count)"
}

@test "help and version that cannot be written are an error" {
    for option in --help --version; do
        capture bash -c 'exec "$@" >/dev/full' - "$CRAWLER" "$option"
        same 1 "$STATUS" "$option"
        one_error "cannot write: No space left"
    done
}

# --- signals -----------------------------------------------------------------

# A page that takes long enough to be in flight, on another host, and one that
# never comes.
start_slow() {
    cat >"$TMP/slow.site" <<'END'
/
    body <a href=http://slow.test/slow>s</a> <a href=/next>n</a>
/slow
    delay 600ms
    body slow <a href=/deep>d</a>
/next
    body next
/stuck
    body <a href=/never>n</a> <a href=/next>n</a>
/never
    repeat 1000000 x
    drip 1 1s
END
    start_playground --site "$TMP/slow.site"
}

@test "one signal: what is in flight is saved, nothing more is asked for" {
    start_slow
    for signal in INT TERM HUP; do
        rm -rf "$DIR" && mkdir "$DIR"
        # The pause keeps /next from its turn, however late the signal is.
        crawl_by --proxy "http://127.0.0.1:$PORT" --scope any --delay 10m \
            http://a.test/ "$DIR" 3
        # Behind a proxy no name is looked up first: /slow has been handed out
        # before these lines are written.
        wait_for logged 'Added: http://a.test/next'
        kill -"$signal" "$CRAWL"
        ended 3
        no_complaint "$ERR"
        whole_pages 2
        same "http://a.test/
http://slow.test/slow" "$(page_urls)" "after $signal"
        logged 'Fetched: http://slow.test/slow'
    done
    stop_playground
    same "0 0" "$(record_count /next) $(record_count /deep)" "other requests"
}

@test "two signals stop the crawl at once" {
    start_slow
    crawl_in_background --scope host -v http://a.test/stuck "$DIR" 3
    wait_for logged 'Added: http://a.test/next'
    # Two of a kind that come together are one, so two kinds.
    kill -INT "$CRAWL"
    kill -TERM "$CRAWL"
    ended 3
    whole_pages 1
    grep -q ' 0 retries$' "$ERR"
}

@test "the same signal twice stops the crawl at once" {
    start_slow
    crawl_in_background --scope host http://a.test/stuck "$DIR" 3
    wait_for logged 'Added: http://a.test/next'
    kill -INT "$CRAWL"
    # Until it was taken.
    wait_for grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$CRAWL/status"
    kill -0 "$CRAWL"
    kill -INT "$CRAWL"
    ended 3
    whole_pages 1
}

@test "a signal ends the crawl in a pause and while it waits to try again" {
    start_slow
    crawl_in_background --delay 10m --scope host http://a.test/ "$DIR" 3
    wait_for logged 'Added: http://a.test/next'
    kill -TERM "$CRAWL"
    ended 3
    whole_pages 1
    stop_playground
    crawl_in_background -v --retries 100 --scope host http://a.test/ "$DIR" 3
    wait_for grep -q 'again in' "$ERR"
    kill -TERM "$CRAWL"
    ended 3
    # It has no page, so that of the crawl before is still there.
    whole_pages 1
}

@test "a hang-up is ignored where the user said so (nohup)" {
    start_slow
    OUT=$TMP/out ERR=$TMP/err
    env --ignore-signal=HUP "$CRAWLER" --log tse --robots ignore --connect-to "::127.0.0.1:$PORT" \
        --delay 1s --scope any http://a.test/ "$DIR" 1 >"$OUT" 2>"$ERR" \
        </dev/null 3>&- &
    CRAWL=$!
    wait_for logged 'Added: http://a.test/next'
    kill -HUP "$CRAWL"
    ended 0
    whole_pages 3
}

@test "kill -9: whole pages only, and the next crawl cleans up" {
    cat >"$TMP/bulk.site" <<'END'
/
    links 60 /p%d
/unending
    links 60 /p%d
    body <a href=/never>n</a>
/p*
    repeat 40000 0123456789
/never
    delay 10m
END
    start_playground --site "$TMP/bulk.site"
    for pages in 2 9 25; do
        rm -rf "$DIR" && mkdir "$DIR"
        crawl_in_background --per-host 8 --threads 2 --scope host \
            http://a.test/unending "$DIR" 1
        wait_for test -e "$DIR/$pages"
        kill -KILL "$CRAWL"
        wait "$CRAWL" || :
        count=$(page_count)
        [ "$count" -ge "$pages" ]
        # From 1 on, no holes, all of them whole; what else there is, is hidden.
        same "$(seq 1 "$count")" "$(cd "$DIR" && ls | sort -n)" "page files"
        for id in $(seq 2 "$count"); do
            same 400000 "$(tail -n +3 "$DIR/$id" | wc -c)" "bytes of page $id"
        done
    done
    crawl_in_background --per-host 8 --scope host http://a.test/ "$DIR" 1
    ended 0
    whole_pages 61
}

# --- servers -----------------------------------------------------------------

@test "a server that goes away in the middle of a crawl does not hang it" {
    cat >"$TMP/going.site" <<'END'
/
    body <a href=/a>a</a> <a href=/never>n</a> <a href=/b>b</a>
/a
    body a
/never
    delay 10m
/b
    body b
END
    start_playground --site "$TMP/going.site"
    crawl_in_background --retries 0 --scope host http://a.test/ "$DIR" 10
    wait_for logged 'Fetched: http://a.test/a'
    stop_playground
    ended 0
    whole_pages 2
    logged 'Failed: http://a.test/never'
    logged 'Failed: http://a.test/b'
}

# --- too little of everything ------------------------------------------------

@test "few open files: the limit is raised as far as it goes, else the crawl says so" {
    cat >"$TMP/many.site" <<'END'
//start.test/
    links 40 http://h%d.test/
/
    delay 100ms
    body page
END
    start_playground --site "$TMP/many.site"
    capture bash -c 'ulimit -Sn 30; exec "$@"' - "${LIMITED[@]}" "$CRAWLER" --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --per-host 40 --scope any \
        http://start.test/ "$DIR" 1
    same 0 "$STATUS" "exit status: $(cat "$ERR")"
    whole_pages 41
    rm -rf "$DIR" && mkdir "$DIR"
    capture bash -c 'ulimit -n 100; exec "$@"' - "${LIMITED[@]}" "$CRAWLER" --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --scope any --workers 1000 \
        http://start.test/ "$DIR" 1
    same 2 "$STATUS" "exit status"
    one_error ".*--workers 1000 .*ulimit -n"
    same "" "$(ls -A "$DIR")"
    # Fewer do.
    capture bash -c 'ulimit -n 100; exec "$@"' - "${LIMITED[@]}" "$CRAWLER" --robots ignore \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --per-host 40 --scope any --workers 10 \
        --threads 1 http://start.test/ "$DIR" 1
    same 0 "$STATUS" "exit status: $(cat "$ERR")"
    whole_pages 41
}

@test "few open files: the defaults adapt, and only what was asked for is refused" {
    printf '//start.test/\n    links 40 http://h%%d.test/\n/\n    body page\n' >"$TMP/many.site"
    start_playground --site "$TMP/many.site"
    few() {
        local limit=$1

        shift
        rm -rf "$DIR" && mkdir "$DIR"
        capture bash -c 'ulimit -n "$0"; exec "$@"' "$limit" "${LIMITED[@]}" "$CRAWLER" \
            --robots ignore --connect-to "::127.0.0.1:$PORT" --delay 0 --per-host 40 \
            --scope any "$@" http://start.test/ "$DIR" 1
    }
    for limit in 64 100 200; do
        few "$limit"
        same 0 "$STATUS" "exit status with $limit files: $(cat "$ERR")"
        whole_pages 41
    done
    few 64 --workers 3
    same 0 "$STATUS" "exit status: $(cat "$ERR")"
    few 64 --keep-connections 100
    same 2 "$STATUS"
    one_error ".*--keep-connections 100 .*ulimit -n allows 64; keep fewer connections"
    few 30
    same 2 "$STATUS"
    one_error ".*ulimit -n allows 30; raise that limit"
}

@test "no memory for the stacks of threads: one line, and the crawl can go on" {
    without_sanitizer
    printf '/\n    body page\n' >"$TMP/one.site"
    start_playground --site "$TMP/one.site"
    capture bash -c 'ulimit -v 200000; exec "$@"' - "${LIMITED[@]}" "$CRAWLER" --robots ignore \
        --scope host --threads 64 "http://127.0.0.1:$PORT/" "$DIR" 0
    same 1 "$STATUS" "exit status"
    one_error "cannot start a worker: .*"
    capture "${LIMITED[@]}" "$CRAWLER" --threads 1 --resume "$DIR"
    same 0 "$STATUS" "exit status: $(cat "$ERR")"
    whole_pages 1
}
