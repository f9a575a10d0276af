#!/usr/bin/env bats
# Two crawls and one directory.

load helper

@test "a second crawl into the same directory is refused, and hurts nothing" {
    start_playground --letters
    letters_crawl 10 --delay 300ms >"$TMP/first" 2>&1 3>&- &
    local pid=$!
    for _ in $(seq 1000); do
        [ -e "$DIR/1" ] && break
        sleep 0.05
    done
    [ -e "$DIR/1" ]
    capture letters_crawl 10
    same 1 "$STATUS"
    same "crawler: another crawl is at work in '$DIR'" "$(cat "$ERR")"
    silent "$OUT"
    wait "$pid"
    whole_pages 9
}

@test "a crawl that was killed locks nothing" {
    start_playground --letters
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" "$LETTERS/index.html" "$DIR" 10 \
        >"$TMP/first" 2>&1 3>&- &
    local pid=$!
    for _ in $(seq 1000); do
        [ -e "$DIR/1" ] && break
        sleep 0.05
    done
    kill -9 "$pid"
    wait "$pid" || true
    capture letters_crawl 10
    same 0 "$STATUS"
    whole_pages 9
}

# plant_links TARGET: a symbolic link to it under each form that the name of a
# temporary file has or had.
plant_links() {
    local name

    for name in 0 1 2 3 4 0-0 0-1 1-0 1-1 text; do
        ln -s "$1" "$DIR/.crawler-tmp-$name"
    done
}

# pages_are_files COUNT: so many pages, and none of them is a link.
pages_are_files() {
    local id

    same "$1" "$(page_count)" "pages saved"
    for id in $(seq "$1"); do
        [ -f "$DIR/$id" ] && [ ! -L "$DIR/$id" ] || fail "$id is a link"
    done
}

@test "a symbolic link under the name of a temporary file is not followed, and the crawl goes on" {
    printf 'precious\n' >"$TMP/victim"
    plant_links "$TMP/victim"
    start_playground --letters
    capture letters_crawl 10 --verbose
    same 0 "$STATUS"
    pages_are_files 9
    same precious "$(cat "$TMP/victim")" "the file that the links lead to"
}

@test "a symbolic link to nowhere under the name of a temporary file makes no file there" {
    plant_links "$TMP/new"
    start_playground --letters
    capture letters_crawl 10
    same 0 "$STATUS"
    pages_are_files 9
    [ ! -e "$TMP/new" ]
}
