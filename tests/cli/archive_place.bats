#!/usr/bin/env bats
# What is in the way of an archive, or missing from it.

load helper

# kept_letters [OPTION...]: the letters site, with an archive.
kept_letters() {
    "${LIMITED[@]}" "$CRAWLER" -q --robots ignore --delay 0 --warc \
        --connect-to "::127.0.0.1:$PORT" "$@" "$LETTERS/index.html" "$DIR" 10
}

@test "a crawl does not go on while a file of its archive is missing" {
    start_playground --letters
    run -3 kept_letters --max-pages 4
    mv "$DIR/archive" "$TMP/away"
    capture "$CRAWLER" -q --resume --max-pages none "$DIR"
    same 1 "$STATUS"
    grep -q 'archive/.*\.warc\.gz is missing; put the file back, or use --restart' "$ERR"
    rm -rf "$DIR/archive"
    mv "$TMP/away" "$DIR/archive"
    run -0 "$CRAWLER" -q --resume --max-pages none "$DIR"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "what is in the place of an archive or a package is refused, before anything is asked" {
    start_playground --letters
    touch "$DIR/archive"
    capture kept_letters
    same 2 "$STATUS"
    grep -q "/archive' must be a directory that can be written, or not be there$" "$ERR"
    [ ! -e "$DIR/.crawler" ]
    rm "$DIR/archive"
    mkdir "$DIR/archive"
    echo precious >"$DIR/archive/pages.wacz"
    capture kept_letters --wacz
    same 2 "$STATUS"
    grep -q "archive/pages.wacz' is there, and not of this crawl; move it away$" "$ERR"
    same precious "$(cat "$DIR/archive/pages.wacz")"
    stop_playground
    same 0 "$(grep -c letters "$RECORD")" "requests"
}

@test "a package that is missing is made by the next run of the same command" {
    start_playground --letters
    kept_letters --wacz
    rm "$DIR/archive/pages.wacz"
    kept_letters --wacz
    unzip -tq "$DIR/archive/pages.wacz"
}

@test "a crawl from an archive does not replace that archive" {
    start_playground --letters
    kept_letters
    capture "$CRAWLER" --from "$DIR" --restart --warc "$LETTERS/index.html" "$DIR" 10
    same 2 "$STATUS"
    run -0 "$CRAWLER" verify "$DIR"
}
