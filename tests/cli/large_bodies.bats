#!/usr/bin/env bats
# Bodies that are larger than memory: every step works in 100 MB.

load helper
load archive
load serve

# large_site MEGABYTES NAME...: a page that links to files that cannot be compressed.
large_site() {
    local name

    mkdir "$TMP/root"
    for name in "${@:2}"; do
        head -c "$1M" /dev/urandom >"$TMP/root/$name"
        echo "<a href=$name>.</a>"
    done >"$TMP/root/index.html"
    start_playground --root "$TMP/root"
}

# keep_large OPTION... DIRECTORY
keep_large() {
    "${LIMITED[@]}" "$CRAWLER" -q --threads 1 --robots ignore --scope host --delay 0 \
        --retries 0 --max-size 1G --connect-to "::127.0.0.1:$PORT" \
        "${@:1:$#-1}" http://site.test/index.html "${@: -1}" 1
}

# with_little: from here on a program may have 100 MB of its own to write to, which does
# not depend on the machine (RLIMIT_DATA).
with_little() {
    without_sanitizer
    ulimit -S -d 102400
}

@test "a body of 200 MB is crawled, verified, packaged and served in 100 MB" {
    local large=$TMP/root/large.bin file

    large_site 200 large.bin
    with_little
    keep_large --warc "$DIR"
    same 1 "$(record_count /large.bin)" "requests"
    same "" "$(find "$DIR" -name '*unnamed*')" "what is left behind"
    file=$(echo "$DIR"/archive/*.warc.gz)
    run -0 "$CRAWLER" verify "$DIR"
    [[ $output == *" 2 exchanges in 1 WARC file, all as recorded" ]] || fail "$output"
    "$CRAWLER" export --format wacz --output "$TMP/site.wacz" "$DIR"
    "$CRAWLER" export --format wacz --output "$TMP/file.wacz" "$file"
    "$CRAWLER" export --format cdxj "$file" | grep -q '"http://site.test/large.bin"'
    "$CRAWLER" warc "$file" |
        grep -q '"type":"response".*/large.bin.*"content_length":2097.*"status":200'
    start_serve "$TMP/site.wacz"
    ask http://site.test/large.bin | cmp - "$large"
    # Whoever stops in the middle leaves nothing behind.
    ask http://site.test/large.bin | head -c 1000 | cmp - <(head -c 1000 "$large")
    ask -I http://site.test/large.bin | tr -d '\r' | grep -qx 'Content-Length: 209715200'
    stop_serve
    # And crawled again, out of the package.
    mkdir "$TMP/again"
    keep_large --warc --from "$TMP/site.wacz" "$TMP/again"
    same "$(sqlite3 "$DIR/.crawler" "SELECT digest FROM capture ORDER BY digest")" \
        "$(sqlite3 "$TMP/again/.crawler" "SELECT digest FROM capture ORDER BY digest")"
    # Pages are exported, and this is none.
    mkdir "$TMP/exported"
    "$CRAWLER" export --format pages --output "$TMP/exported" "$DIR"
    same 1 "$(page_count "$TMP/exported")"
}

@test "a file of 200 MB is saved by --types, and verified, in 100 MB" {
    large_site 200 large.bin
    with_little
    keep_large --types all "$DIR"
    same 2 "$(page_count)"
    tail -n +3 "$DIR/2" | cmp - "$TMP/root/large.bin"
    run -0 "$CRAWLER" verify "$DIR"
    printf x | dd of="$DIR/2" bs=1 seek=150000000 conv=notrunc status=none
    run -1 "$CRAWLER" verify "$DIR"
    [[ $output == *"page 2: its bytes are not those that were saved"* ]] || fail "$output"
}

@test "pages that are long in an archive come out of it" {
    local line='<p>A line of a page that is long, but not too long for a page.</p>\n'

    make_warc "$TMP/a.warc" \
        "{\"url\": \"http://site.test/index.html\", \"body\": \"$line<a href=/a>.</a>\", \"times\": 30000}" \
        "{\"url\": \"http://site.test/a\", \"body\": \"$line\", \"times\": 30000, \"chunked\": true}"
    mkdir "$TMP/exported"
    "$CRAWLER" export --format pages --output "$TMP/exported" "$TMP/a.warc"
    "$CRAWLER" -q --robots ignore --scope host --from "$TMP/a.warc" http://site.test/index.html "$DIR" 1
    same 2 "$(page_count)"
    cmp <(tail -n +3 "$DIR/1") <(tail -n +3 "$TMP/exported/1")
    tail -n +3 "$DIR/2" | cmp - <(yes "${line%\\n}" | head -n 30000)
    cmp <(tail -n +3 "$DIR/2") <(tail -n +3 "$TMP/exported/2")
}

@test "large bodies are like small ones in every archive" {
    local option

    large_site 6 a b c
    cp "$TMP/root/a" "$TMP/root/b"
    for option in --warc --warc-compress=9 --warc-compress=0 --warc-digest=sha256 \
        --warc-max-size=7M --state=none --requisites; do
        rm -rf "$DIR" && mkdir "$DIR"
        keep_large --warc "$option" "$DIR"
        if [ "$option" = --state=none ]; then
            gzip -t "$DIR"/archive/*
        else
            whole_archive "$DIR" || fail "$option"
            same "response response response revisit" \
                "$(cut -d ' ' -f 1 "$TMP/kept" | LC_ALL=C sort | paste -sd ' ')" "$option"
        fi
    done
}

@test "a large body is cut at --max-size, and kept in its coding" {
    mkdir "$TMP/root"
    head -c 9M /dev/urandom >"$TMP/random"
    head -c 9M /dev/zero | cat - "$TMP/random" | gzip -c >"$TMP/coded"
    cat >"$TMP/site" <<END
/index.html
    body <a href=/large>.</a><a href=/coded>.</a><a href=/broken>.</a><img src=/image>
/large
    type application/pdf
    file random
/coded
    type application/pdf
    header Content-Encoding: gzip
    file coded
/broken
    type application/pdf
    header Content-Encoding: gzip
    file random
/image
    type image/x-raw
    file random
END
    start_playground --site "$TMP/site"
    keep_large --warc --requisites --max-size 8M "$DIR"
    whole_archive
    start_serve "$DIR"
    ask http://site.test/large | cmp - <(head -c 8M "$TMP/random")
    ask http://site.test/image | cmp - <(head -c 8M "$TMP/random")
    "$CRAWLER" warc "$DIR"/archive/*.gz | grep '"status":200' | grep -v index >"$TMP/list"
    same 4 "$(grep -c '"truncated":"length"' "$TMP/list")"
    stop_serve
    rm -rf "$DIR" && mkdir "$DIR"
    keep_large --warc "$DIR"
    whole_archive
    start_serve "$DIR"
    ask http://site.test/coded | cmp - "$TMP/coded"
    ask --compressed http://site.test/coded | tail -c 9M | cmp - "$TMP/random"
    ask http://site.test/broken | cmp - "$TMP/random"
}

@test "on a full disk a crawl with large bodies ends, and goes on later" {
    [ "$(id -u)" -eq 0 ] && mkdir "$TMP/small" &&
        mount -t tmpfs -o size=20m tmpfs "$TMP/small" 2>/dev/null ||
        skip "no small file system can be mounted"
    large_site 6 a b c d
    capture keep_large --warc --save-every 10ms "$TMP/small"
    status=$STATUS
    cp "$ERR" "$TMP/full.err"
    mount -o remount,size=200m "$TMP/small"
    capture "$CRAWLER" -q --resume "$TMP/small"
    resumed=$STATUS
    cp "$ERR" "$TMP/resumed.err"
    cp -r "$TMP/small/." "$DIR"
    umount "$TMP/small"
    same 1 "$status" "status on a full disk"
    same 1 "$(wc -l <"$TMP/full.err")" "$(cat "$TMP/full.err")"
    grep -q '^crawler: cannot write .*: No space left on device$' "$TMP/full.err" ||
        fail "$(cat "$TMP/full.err")"
    same 0 "$resumed" "$(cat "$TMP/resumed.err")"
    whole_archive
    same 5 "$(wc -l <"$TMP/kept")" "captures"
}
