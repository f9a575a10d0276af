#!/usr/bin/env bats
# The set of URLs that are fetched within maxDepth, and the depth of each, is that
# of a search of the graph: whatever the order, the number of fetches in flight,
# the memory for the queue, and however often the crawl was killed.

load helper
load view

teardown() { view_teardown; }

# A web of several hosts and domains, with redirects, and pages that are read and
# not saved. Nothing in it fails now and then.
web_of() {
    WEB=(--web "$1" --hosts 25 --pages 1500 --redirects 10% --noindex 10%
        --skew 0 --size 500 --flaky 0 --limited 0 --errors 0 --slow 0)
}

# truth_of DEPTH START...: "URL DEPTH" of the pages within it.
truth_of() {
    local depth=$1 start=()

    shift
    for url in "$@"; do start+=(--start "$url"); done
    "$PLAYGROUND" truth "${WEB[@]}" --scope any --depth "$depth" "${start[@]}" |
        awk -F '\t' '$3 == "page" { print $2, $1 }' | LC_ALL=C sort
}

# found DIR: what the record says.
found() {
    sqlite3 -separator ' ' "$1/.crawler" 'SELECT url, depth FROM pages' | LC_ALL=C sort
}

# is_truth DIR DEPTH START...
is_truth() {
    local dir=$1

    shift
    truth_of "$@" >"$TMP/truth"
    [ "$(wc -l <"$TMP/truth")" -gt 50 ] || fail "this web has next to no pages" || return
    found "$dir" | diff "$TMP/truth" - >"$TMP/diff" ||
        fail "$dir: $(wc -l <"$TMP/diff") lines differ: $(head -n 5 "$TMP/diff")" || return
    "$CRAWLER" verify "$dir" >"$TMP/verified" || fail "$(head "$TMP/verified")"
}

# crawl_to DIR OPTION...: from the first page of the web, to depth 3.
crawl_to() {
    local dir=$1

    shift
    "$CRAWLER" --quiet --create --connect-to "::127.0.0.1:$PORT" --scope any \
        --delay 0 --ip-delay 0 "$@" http://d0.example/ "$dir" 3
}

# again_in DIR: how many URLs were found nearer after they were done.
again_in() {
    sqlite3 "$1/.crawler" "SELECT coalesce(sum(value), 0) FROM setting
        WHERE name IN ('count.scanned_again', 'count.fetched_again')"
}

@test "every order and every number of fetches finds the same URLs at the same depths" {
    local n=0 again=0 seed options

    for seed in 1 2 3 4; do
        web_of "$seed"
        start_playground "${WEB[@]}"
        for options in "--order bfs" "--order priority" \
            "--order bfs --workers 1" "--order priority --workers 1" \
            "--order bfs --queue-memory 64K" "--order priority --queue-memory 64K" \
            "--order priority --workers 1 --queue-memory 64K --links" \
            "--order priority --warc --save archive"; do
            n=$((n + 1))
            # shellcheck disable=SC2086 # words
            crawl_to "$TMP/$n" $options
            is_truth "$TMP/$n" 3 http://d0.example/
            again=$((again + $(again_in "$TMP/$n")))
        done
        stop_playground
    done
    # Or nothing was put to the test.
    [ "$again" -gt 50 ] || fail "only $again URLs were found nearer"
}

@test "a crawl by priority that is killed again and again finds the same" {
    local seed kills=0 status dir

    RANDOM=7
    for seed in 5 6; do
        web_of "$seed"
        start_playground "${WEB[@]}"
        for dir in "$TMP/$seed.pages" "$TMP/$seed.deeper"; do
            # shellcheck disable=SC2209
            local depth=3 more=()
            if [ "$dir" = "$TMP/$seed.deeper" ]; then
                # Once more, and the kills come while it goes deeper.
                crawl_to "$dir" --order priority --workers 1 --save-every 20ms
                depth=5 more=(--resume --max-depth 5)
            fi
            while :; do
                status=0
                if [ -s "$dir/.crawler" ]; then
                    timeout --foreground -s KILL "0.0$((RANDOM % 60 + 30))" \
                        "$CRAWLER" --quiet "${more[@]:---resume}" "$dir" || status=$?
                    more=()
                else
                    timeout --foreground -s KILL 0.1 "$CRAWLER" --quiet --create \
                        --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 \
                        --ip-delay 0 --order priority --save-every 20ms \
                        http://d0.example/ "$dir" 3 || status=$?
                fi
                # The kill may have come before the new depth was recorded.
                if [ "$depth" = 5 ] && [ "$status" != 0 ] && [ "$(sqlite3 "$dir/.crawler" \
                    "SELECT value FROM setting WHERE name = 'depth'")" != 5 ]; then
                    more=(--resume --max-depth 5)
                fi
                [ "$status" != 0 ] || break
                kills=$((kills + 1))
                # A busy machine would never come to the end.
                if [ "$kills" -gt 60 ]; then
                    "$CRAWLER" --quiet "${more[@]:---resume}" "$dir" && break
                fi
            done
            is_truth "$dir" "$depth" http://d0.example/
        done
        stop_playground
    done
    [ "$kills" -gt 4 ] || fail "only $kills kills"
}

@test "seeds that are added and greater depths give the set of a crawl that began so" {
    local order seed

    for order in bfs priority; do
        web_of 8
        start_playground "${WEB[@]}"
        seed=$("$PLAYGROUND" truth "${WEB[@]}" --scope any --depth 4 |
            awk -F '\t' '$1 == 4 && $3 == "page" { print $2; exit }')
        "$CRAWLER" --quiet --create --connect-to "::127.0.0.1:$PORT" --scope any \
            --delay 0 --ip-delay 0 --order $order http://d0.example/ "$TMP/$order" 2
        "$CRAWLER" --quiet --resume --seed "$seed" "$TMP/$order"
        is_truth "$TMP/$order" 2 http://d0.example/ "$seed"
        "$CRAWLER" --quiet --resume --max-depth 4 "$TMP/$order"
        is_truth "$TMP/$order" 4 http://d0.example/ "$seed"
        stop_playground
    done
}

ctl() { "$CRAWLER" ctl "$DIR" "$@"; }

# A chain of pages, one a linked from the other; maxDepth is 3.
@test "a seed by hand is at depth 0 also if it was fetched before, and all behind it is nearer" {
    for i in $(seq 1 8); do
        printf '/%s\n    body <a href=/%s>next</a>\n' "$i" $((i + 1))
    done >"$TMP/site"
    start_playground --site "$TMP/site"
    begin_crawl --scope host --delay 1h --ip-delay 0 http://a.test/1 "$DIR" 3
    wait_for '[ "$(ask_socket /status.json | jq .pages)" -ge 1 ]'
    ctl pause
    ctl delay a.test 0
    ctl resume
    wait_crawl
    same "1 0,2 1,3 2,4 3" "$(sqlite3 "$DIR/.crawler" "SELECT group_concat(
        substr(url, 15) || ' ' || depth) FROM (SELECT * FROM pages ORDER BY url)")"
    begin_crawl --resume --seed http://a.test/8 "$DIR"
    wait_for 'ctl pause'
    ctl delay a.test 0
    same "the URL was fetched before: what it links is followed from there" \
        "$(ctl seed http://a.test/3)"
    ctl resume
    wait_crawl
    same 0 "$STATUS"
    same "1 0,2 1,3 0,4 1,5 2,6 3,8 0" "$(sqlite3 "$DIR/.crawler" "SELECT group_concat(
        substr(url, 15) || ' ' || depth) FROM (SELECT * FROM pages ORDER BY url)")"
    run -0 "$CRAWLER" verify "$DIR"
}
