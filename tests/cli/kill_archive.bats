#!/usr/bin/env bats
# kill -9 at any moment, cut files, a full disk: the archive is whole.
#
# ARCHIVE_KILLS=100 kills so often at random moments, ARCHIVE_KILL_STEP=1 before every
# writing call, ARCHIVE_CUT_STEP=1 cuts at every byte of the last two records; that takes
# minutes.

load helper
load archive
load killer
load truth

WEB=(--web kept --hosts 5 --pages $((${ARCHIVE_KILLS:-0} * 80 + 400)) --size 1500
    --flaky 0 --limited 0 --errors 0 --slow 0)

crawl_web() {
    "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
        --per-host 8 --save-every 20ms --warc --warc-max-size 100K "$@" \
        http://d0.example/ "$DIR" 1000
}

# partly_whole: what is committed is whole, after a kill.
partly_whole() {
    [ -s "$DIR/.crawler" ] || return 0
    python3 "$CHECK_WARC" --partial "$DIR" >/dev/null 2>"$TMP/faults" ||
        fail "$1: $(tail -n 3 "$TMP/faults")" || return
    "$CRAWLER" verify "$DIR" >"$TMP/verified" || fail "$1: $(head -n 3 "$TMP/verified")"
}

# every_page_once: the archive of $DIR has exactly one capture of every page, and
# of nothing else more than one.
every_page_once() {
    whole_archive || fail "$1" || return
    sed -n 's/^[a-z]* 200 //p' "$TMP/kept" | grep -v '/robots.txt$' | LC_ALL=C sort >"$TMP/urls"
    same "" "$(uniq -d "$TMP/urls")" "$1: kept twice" || return
    same "" "$(page_urls | LC_ALL=C comm -23 - "$TMP/urls")" "$1: not kept"
}

@test "an archive killed at random moments ends as if it had not been" {
    local kills=0 wanted=${ARCHIVE_KILLS:-12} status limit longest=250
    RANDOM=1

    if is_sanitized; then
        wanted=4 longest=3000
    fi
    start_playground "${WEB[@]}"
    while :; do
        status=0
        limit=$((20 + RANDOM % (longest - 20)))
        printf -v limit '%d.%03d' $((limit / 1000)) $((limit % 1000))
        [ "$kills" -lt "$wanted" ] || limit=$LIMIT
        timeout --foreground -s KILL "$limit" "$CRAWLER" --quiet \
            --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 --per-host 8 \
            --save-every 20ms --warc --warc-max-size 100K http://d0.example/ "$DIR" 1000 ||
            status=$?
        if [ "$status" -eq 0 ] && [ "$kills" -lt 4 ] && [ "$longest" -gt 40 ]; then
            # A fast machine: once more, with less time before a kill.
            rm -rf "$DIR" && mkdir "$DIR"
            kills=0 longest=$((longest * 2 / 3))
            continue
        fi
        [[ $status =~ ^(124|137)$ ]] || break
        kills=$((kills + 1))
        partly_whole "kill $kills"
        # The next crawl may be killed at any moment of a resume, too.
    done
    same 0 "$status" "exit status after $kills kills"
    [ "$kills" -gt 3 ]
    [ -z "${ARCHIVE_KILLS:-}" ] || same "$ARCHIVE_KILLS" "$kills" kills
    every_page_once
    same 0 "$(find "$DIR/archive" -name '*.open' | wc -l)"
    [ "$(archive_files | wc -l)" -gt 3 ]
    "$PLAYGROUND" truth "${WEB[@]}" | cut -f 2 | LC_ALL=C sort | diff - <(page_urls)
}

# Not page_urls: a page of letters is kept as it is.
letters_kept() {
    "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --delay 0 --save-every 1ms \
        --warc --warc-max-size 3K "$@" "$LETTERS/index.html" "$DIR" 10
}

@test "an archive killed before any call that writes goes on" {
    local calls at

    killer
    start_playground --letters
    KILL_COUNT=$TMP/calls LD_PRELOAD=$TMP/killer.so letters_kept
    calls=$(cat "$TMP/calls")
    [ "$calls" -gt 80 ] || fail "only $calls calls are seen"
    every_page_once
    [ "$(archive_files | wc -l)" -gt 1 ]
    # Some, and all of the last ones: there the files get their names.
    for ((at = 1; at <= calls; at += (at > calls - 8 ? 1 : ${ARCHIVE_KILL_STEP:-18}))); do
        rm -rf "$DIR" && mkdir "$DIR"
        (KILL_AT=$at LD_PRELOAD=$TMP/killer.so letters_kept) 2>/dev/null || :
        partly_whole "a kill before call $at"
        letters_kept || fail "after a kill before call $at: status $?"
        every_page_once "a kill before call $at"
    done
}

@test "an archive of large bodies killed before any call that writes goes on" {
    local calls at name

    killer
    mkdir "$TMP/root"
    for name in a b c; do
        head -c 5M /dev/urandom >"$TMP/root/$name"
        echo "<a href=$name>.</a>"
    done >"$TMP/root/index.html"
    start_playground --root "$TMP/root"
    large_kept() {
        "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --robots ignore --scope host --delay 0 \
            --save-every 1ms --warc --warc-max-size 7M "$@" http://a.test/index.html "$DIR" 1
    }
    KILL_COUNT=$TMP/calls LD_PRELOAD=$TMP/killer.so large_kept
    calls=$(cat "$TMP/calls")
    [ "$calls" -gt 300 ] || fail "only $calls calls are seen"
    for ((at = 20; at <= calls; at += ${ARCHIVE_KILL_STEP:-37})); do
        rm -rf "$DIR" && mkdir "$DIR"
        (KILL_AT=$at LD_PRELOAD=$TMP/killer.so large_kept) 2>/dev/null || :
        partly_whole "a kill before call $at"
        same "" "$(find "$DIR" -name '*unnamed*')" "what is left behind"
        large_kept || fail "after a kill before call $at: status $?"
        whole_archive || fail "after a kill before call $at"
        same 4 "$(grep -c ' 200 ' "$TMP/kept")" "captures after a kill before call $at"
    done
}

@test "an archive killed while it replaces another one" {
    local calls at

    killer
    start_playground --letters
    letters_kept
    cp -a "$DIR" "$TMP/old"
    KILL_COUNT=$TMP/calls LD_PRELOAD=$TMP/killer.so letters_kept --restart
    calls=$(cat "$TMP/calls")
    for ((at = 1; at <= calls; at += 17)); do
        rm -rf "$DIR" && cp -a "$TMP/old" "$DIR"
        (KILL_AT=$at LD_PRELOAD=$TMP/killer.so letters_kept --restart) 2>/dev/null || :
        "$CRAWLER" verify "$DIR" >"$TMP/verified" || fail "call $at: $(cat "$TMP/verified")"
        letters_kept --restart || fail "after a kill before call $at: status $?"
        "$CRAWLER" verify "$DIR" >"$TMP/verified" || fail "call $at: $(cat "$TMP/verified")"
        same 9 "$(page_count)"
    done
}

# killed_copy: a crawl that was killed, with an open file, in $TMP/killed.
killed_copy() {
    local at=40 status

    start_playground --letters
    killer
    # What is committed by then differs from time to time.
    COMMITTED=
    OPEN=
    while [ "${COMMITTED:-0}" -lt 2000 ] || [ -z "$OPEN" ]; do
        rm -rf "$DIR" "$TMP/killed" && mkdir "$DIR"
        status=0 at=$((at + 2))
        (KILL_AT=$at LD_PRELOAD=$TMP/killer.so \
            letters_kept --warc-max-size 1M) 2>/dev/null || status=$?
        same 137 "$status" || return
        cp -a "$DIR" "$TMP/killed"
        OPEN=$(find "$DIR/archive" -name '*.open' -printf '%f\n' 2>/dev/null) || :
        COMMITTED=$(sqlite3 "$DIR/.crawler" \
            "SELECT max(at + length + request_length) FROM capture" 2>/dev/null) || :
    done
}

@test "an open file with more than is committed is cut off" {
    local more

    killed_copy
    for more in 1 2 17 100 1000 4096; do
        rm -rf "$DIR" && cp -a "$TMP/killed" "$DIR"
        head -c "$more" /dev/urandom >>"$DIR/archive/$OPEN"
        run -0 "$CRAWLER" -q --resume "$DIR"
        every_page_once "$more bytes more"
    done
    # Half of a record that was never committed.
    rm -rf "$DIR" && cp -a "$TMP/killed" "$DIR"
    head -c 300 "$DIR/archive/$OPEN" >"$TMP/half"
    cat "$TMP/half" >>"$DIR/archive/$OPEN"
    run -0 "$CRAWLER" -q --resume "$DIR"
    every_page_once "half a record"
}

@test "an open file with less than is committed: the crawl does not go on" {
    local size last

    killed_copy
    last=$(sqlite3 "$TMP/killed/.crawler" "SELECT max(at) FROM capture")
    for size in 0 1 $(seq "$last" "${ARCHIVE_CUT_STEP:-700}" $((COMMITTED - 1))) \
        $((COMMITTED - 1)); do
        rm -rf "$DIR" && cp -a "$TMP/killed" "$DIR"
        truncate -s "$size" "$DIR/archive/$OPEN"
        capture "$CRAWLER" -q --resume "$DIR"
        same 1 "$STATUS" "$size bytes"
        same 1 "$(wc -l <"$ERR")" "$(cat "$ERR")"
        grep -q "archive/.* has $size bytes, but $COMMITTED are recorded" "$ERR" ||
            fail "$(cat "$ERR")"
        same "$size" "$(stat -c %s "$DIR/archive/$OPEN")"
        run -1 "$CRAWLER" verify "$DIR"
        run -0 "$CRAWLER" status "$DIR"
    done
    # As it was, it goes on.
    rm -rf "$DIR" && cp -a "$TMP/killed" "$DIR"
    run -0 "$CRAWLER" -q --resume "$DIR"
    every_page_once
    # Nor does it where the file is missing.
    rm -rf "$DIR" && cp -a "$TMP/killed" "$DIR"
    rm "$DIR/archive/$OPEN"
    run -1 "$CRAWLER" -q --resume "$DIR"
    [[ $output == *" is missing; put the file back, or use --restart" ]] || fail "$output"
    run -1 "$CRAWLER" verify "$DIR"
    [[ $output == *"there is no file"* ]] || fail "$output"
}

@test "verify finds every flipped byte of an archive, and what is too much or too little" {
    local file

    start_playground --letters
    letters_kept --warc-max-size 1M
    file=$(echo "$DIR"/archive/*.warc.gz)
    cp "$file" "$TMP/good"
    python3 - "$CRAWLER" "$DIR" "$file" <<'END'
import gzip, subprocess, sys, zlib
crawler, directory, name = sys.argv[1:]
good = open(name, "rb").read()
for at in range(0, len(good), 331):
    data = bytearray(good)
    data[at] ^= 0x10
    open(name, "wb").write(data)
    status = subprocess.run([crawler, "verify", directory], capture_output=True).returncode
    try:
        same = gzip.decompress(data) == gzip.decompress(good)
    except (OSError, EOFError, zlib.error):
        same = False
    assert status == 1 or same, f"byte {at} is not found"
END
    cp "$TMP/good" "$file" && echo >>"$file"
    run -1 "$CRAWLER" verify "$DIR"
    [[ $output == *"there is more in the file than is recorded"* ]] || fail "$output"
    head -c -1 "$TMP/good" >"$file"
    run -1 "$CRAWLER" verify "$DIR"
    cp "$TMP/good" "$file" && mv "$file" "$file.open"
    run -1 "$CRAWLER" verify "$DIR"
    mv "$file.open" "$file"
    run -0 "$CRAWLER" verify "$DIR"
    [[ $output == *" exchanges in 1 WARC file, all as recorded" ]] || fail "$output"
}

@test "after a full disk the archive is whole, and the crawl goes on" {
    [ "$(id -u)" -eq 0 ] && mkdir "$TMP/small" &&
        mount -t tmpfs -o size=2m tmpfs "$TMP/small" 2>/dev/null ||
        skip "no small file system can be mounted"
    web=(--web full --hosts 3 --pages 400 --size 9000 --flaky 0 --limited 0
        --errors 0 --slow 0)
    start_playground "${web[@]}"
    capture "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
        --log none --save-every 10ms --warc --warc-compress 0 --save archive \
        http://d0.example/ "$TMP/small" 100
    status=$STATUS
    cp "$ERR" "$TMP/full.err"
    cp -r "$TMP/small" "$TMP/full"
    mount -o remount,size=64m "$TMP/small"
    capture "$CRAWLER" -q --resume "$TMP/small"
    resumed=$STATUS
    cp -r "$TMP/small/." "$DIR"
    umount "$TMP/small"
    same 1 "$status" "status on a full disk"
    grep -q 'No space left on device' "$TMP/full.err" || fail "$(cat "$TMP/full.err")"
    ! grep 'the state in .*: the archive' "$TMP/full.err" || fail "$(cat "$TMP/full.err")"
    for file in "$TMP"/full/archive/*; do
        gzip -t <"$file" || fail "$file"
        [[ $file =~ \.warc\.gz(\.open)?$ ]] || fail "$file"
    done
    same 0 "$resumed" "status with room: $(cat "$ERR")"
    whole_archive
    "$PLAYGROUND" truth "${web[@]}" | cut -f 2 | LC_ALL=C sort |
        diff - <(sqlite3 "$DIR/.crawler" "SELECT url FROM pages" | LC_ALL=C sort)
}
