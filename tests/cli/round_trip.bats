#!/usr/bin/env bats
# An archive of ours gives its pages again, and its crawl.

load helper

setup() {
    helper_setup
    start_playground --site "$BATS_TEST_DIRNAME/archive.site"
    crawl -q --warc --warc-max-size 20K --scope host --delay 0 --retries 0 \
        http://archive.test/ "$DIR" 5
    end_server "$PID" || :
    # robots.txt, redirects, errors, revisits and cut bodies are in it too.
    [ "$(ls "$DIR/archive" | wc -l)" -gt 2 ]
    [ "$(page_count)" -gt 40 ]
    "$CRAWLER" export --format wacz --output "$TMP/a.wacz" "$DIR"/archive/*.warc.gz
}

# same_pages FOLDER: the same files as of the crawl.
same_pages() {
    diff -r -q -x '.crawler*' -x archive "$DIR" "$1"
}

@test "page files out of the archive, the WARC files and a WACZ are those of the crawl" {
    mkdir "$TMP/1" "$TMP/2" "$TMP/3"
    "$CRAWLER" export --format pages --output "$TMP/1" "$DIR"
    "$CRAWLER" export --format pages --output "$TMP/2" "$DIR"/archive/*.warc.gz
    "$CRAWLER" export --format pages --output "$TMP/3" "$TMP/a.wacz"
    same_pages "$TMP/1"
    same_pages "$TMP/2"
    same_pages "$TMP/3"
}

@test "a crawl out of the archive is the crawl, with one thread and with many" {
    local number=0 from threads

    for from in "$DIR" "$TMP/a.wacz"; do
        for threads in 1 1 4; do
            number=$((number + 1))
            mkdir "$TMP/$number"
            "${LIMITED[@]}" "$CRAWLER" -q --from "$from" --robots ignore --scope host \
                --threads "$threads" http://archive.test/ "$TMP/$number" 5
            same_pages "$TMP/$number"
        done
    done
    "$CRAWLER" verify "$TMP/1" >"$TMP/verified"
}

@test "what a crawl out of an archive keeps is an archive with the same pages" {
    mkdir "$TMP/1" "$TMP/2"
    "${LIMITED[@]}" "$CRAWLER" -q --from "$DIR" --warc --robots ignore --scope host \
        http://archive.test/ "$TMP/1" 5
    "$CRAWLER" export --format pages --output "$TMP/2" "$TMP/1"
    same_pages "$TMP/2"
}
