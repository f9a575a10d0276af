#!/usr/bin/env bats
# Limits of a crawl as a whole (--max-bytes, --limit-rate, none), --create, and
# what a crawl says when it stops.

load helper
load resume
load site

# ten_pages: / leads to nine others; each has 1,000 bytes.
ten_pages() {
    serve <<'END'
/
    links 9 <a href=/%d>x</a>
    repeat 775 x
/*
    repeat 1000 x
END
}

@test "--max-bytes stops once so many bytes are saved, says so, and a resume goes on" {
    ten_pages
    capture crawl --log pages --scope host --delay 0 --max-bytes 3500 http://example.org/ "$DIR" 1
    same 3 "$STATUS"
    same 4 "$(page_count)" "pages, of which three have less than 3,500 bytes"
    grep -qx 'stopped: --max-bytes was reached' "$ERR"
    grep -qx "go on: crawler --resume --max-bytes ... $DIR" "$ERR"
    "$CRAWLER" status "$DIR" >"$TMP/status"
    grep -qx "The crawl in $DIR is stopped: --max-bytes was reached" "$TMP/status"
    grep -q '^  limits   --max-bytes$' "$TMP/status"
    grep -qx "  go on    crawler --resume --max-bytes ... $DIR" "$TMP/status"
    # The old limit holds still: nothing more is fetched.
    capture "$CRAWLER" --resume "$DIR"
    same 3 "$STATUS"
    same 4 "$(page_count)"
    "$CRAWLER" -q --resume --max-bytes none "$DIR"
    whole_pages 10
}

@test "a crawl that stops says why and with which command it goes on" {
    ten_pages
    capture crawl --scope host --delay 0 --max-pages 2 --user me:secret \
        -H 'X-Key: secret' http://example.org/ "$DIR" 1
    same 3 "$STATUS"
    grep -qx 'stopped: --max-pages was reached' "$ERR"
    grep -qx "go on: crawler --resume --max-pages ... --header ... --user ... $DIR" "$ERR"
    ! grep secret "$ERR" "$OUT" || fail "a secret is shown"
    # Without a record there is nothing to go on with; a crawl that is finished
    # says neither.
    capture crawl --state none --scope host --delay 0 --max-pages 2 http://example.org/ "$DIR" 1
    grep -qx 'stopped: --max-pages was reached' "$ERR"
    ! grep -q '^go on' "$ERR" || fail "$(cat "$ERR")"
    capture crawl --create --scope host --delay 0 http://example.org/ "$TMP/new" 1
    same 0 "$STATUS"
    ! grep -qE '^(stopped|go on)' "$ERR" || fail "$(cat "$ERR")"
}

@test "--limit-rate: the average of all fetches stays below it" {
    ten_pages
    # Ten answers of 1,000 bytes and their heads at 20,000 bytes a second: the
    # last fetch begins when those before it are paid for, 0.45 s at least.
    crawl -q --scope host --delay 0 --ip-delay 0 --limit-rate 20000 http://example.org/ "$DIR" 1
    whole_pages 10
    stop_playground
    took=$(record_column start_us | sort -n | awk 'NR == 1 { first = $1 } { last = $1 } END { print last - first }')
    [ "$took" -ge 450000 ] || fail "ten pages within $took us"
}

@test "none lifts every limit, and a wrong limit is one line" {
    ten_pages
    crawl -q --scope host --delay 0 --max-pages none --max-time none --max-bytes none \
        --max-per-domain none --limit-rate none --max-size none --max-redirects none \
        --timeout none --queue-memory none http://example.org/ "$DIR" 1
    whole_pages 10
    for bad in --max-bytes=0 --max-bytes=many --limit-rate=0 --limit-rate=-1 --max-size=3G; do
        capture crawl --scope host $bad http://example.org/ "$DIR" 1
        complaint "^crawler: ${bad%=*} must be .*, or none, not '${bad#*=}'"
    done
}

@test "--create makes the page directory, and a wrong command leaves none behind" {
    ten_pages
    crawl -q --create --scope host --delay 0 http://example.org/ "$TMP/new" 1
    whole_pages 10 "$TMP/new"
    # It may be there already.
    crawl -q --create --scope host --delay 0 http://example.org/ "$TMP/new" 1
    whole_pages 10 "$TMP/new"
    for wrong in "--scope host http://example.org/ $TMP/none x" \
        "--scope host --seeds $TMP/missing $TMP/none 1" \
        "--warc-dedup $TMP/missing --warc --scope host http://example.org/ $TMP/none 1"; do
        # shellcheck disable=SC2086 # the words are the arguments
        capture crawl --create $wrong
        same 2 "$STATUS" "exit status of $wrong: $(cat "$ERR")"
        [ ! -e "$TMP/none" ] || fail "$wrong has made the directory"
    done
    capture crawl --create --scope host http://example.org/ "$TMP/none/below" 1
    complaint "^crawler: pageDirectory '.*/none/below' cannot be made: No such file"
    capture crawl --scope host http://example.org/ "$TMP/none" 1
    complaint 'No such file or directory; --create makes it$'
    ln -s "$TMP/nowhere" "$TMP/link"
    for option in --create -q; do
        capture crawl "$option" --scope host http://example.org/ "$TMP/link" 1
        complaint "^crawler: pageDirectory '.*/link' must be an existing directory .*: No such file or directory; it is a link that leads nowhere$"
    done
    touch "$TMP/file"
    capture crawl --create --scope host http://example.org/ "$TMP/file" 1
    complaint "^crawler: pageDirectory '.*/file' must be an existing directory"
}

@test "a finished crawl removes the control socket that a killed one left" {
    serve <<'END'
/
    body A page.
END
    fetch 9
    python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$DIR/.crawler-socket"
    fetch 9
    [ ! -e "$DIR/.crawler-socket" ]
}
