#!/usr/bin/env bats
# One crawl over all kinds of bad servers (hostile.site), with healthy pages in
# between: nothing hangs, each fetch ends with the outcome of its kind, memory
# stays bounded, and every healthy page is saved.

load helper

# expected FIELD: the kind (1), URL (2) or outcome (3) of all fetches.
expected() {
    cut -f "$1" "$TMP/expected"
}

# rules: lead the hosts of the hostile site to the playground, one to a port
# where nobody listens, and the rest nowhere.
rules() {
    echo --connect-to=refused.example::127.0.0.1:1
    expected 2 | sed -E 's,^https?://([^/]*)/.*,\1,' | grep '\.test$' |
        sort -u | sed "s/.*/--connect-to=&::127.0.0.1:$PORT/"
}

setup() {
    helper_setup
    # Long enough for what is large on a busy machine. A sanitizer makes all of
    # it ten times as slow, but for the servers.
    TIMEOUT=20s BODIES=100 MANY=64
    ! is_sanitized || BODIES=20 MANY=8 TIMEOUT=90s
    start_playground --hostile "$PROJECT/tests/cli/hostile.site"
    "$PLAYGROUND" outcomes --hostile "$PROJECT/tests/cli/hostile.site" \
        >"$TMP/expected"
    mapfile -t RULES < <(rules)
}

@test "all 33 kinds of hostile servers have their outcome, and healthy pages are saved" {
    same "$(seq 0 33)" "$(expected 1 | sort -nu)" "kinds"
    /usr/bin/time -o "$TMP/memory" -f %M "${LIMITED[@]}" "$CRAWLER" \
        --scope any --sitemaps --delay 0 --per-host 40 --retries 0 \
        --timeout "$TIMEOUT" --max-redirects 4 --log json "${RULES[@]}" http://hostile.test/ "$DIR" 3 \
        >"$TMP/log" 2>"$TMP/err"
    python3 - "$TMP/log" >"$TMP/got" <<'END_PYTHON'
import json, sys
for line in open(sys.argv[1]):
    page = json.loads(line)
    print(page["url"], page["outcome"], sep="\t")
END_PYTHON
    diff <(expected 2,3 | LC_ALL=C sort) <(LC_ALL=C sort "$TMP/got")
    same "$(grep -c 'fetched$' "$TMP/expected")" "$(page_count)" "pages saved"
    is_sanitized || [ "$(tail -n 1 "$TMP/memory")" -lt $((256 * 1024)) ] ||
        fail "$(cat "$TMP/memory") KB of memory"
}

@test "a crawl of hostile servers on one thread can be stopped in the middle" {
    "${LIMITED[@]}" "$CRAWLER" --scope any --sitemaps --delay 0 \
        --threads 1 --timeout "$TIMEOUT" --max-time 2s --log none "${RULES[@]}" \
        http://hostile.test/ "$DIR" 3 2>"$TMP/err" || same 3 $?
    # What was saved by then is whole.
    whole_pages "$(page_count)"
}

@test "a hostile site with a mistake in it is told, with its line" {
    for line in 'expect' 'expect 5' 'expect five fetched' 'found 1 fetched'; do
        printf '/no-host\n    %s\n' "$line" >"$TMP/bad.site"
        capture "$PLAYGROUND" outcomes --hostile "$TMP/bad.site"
        same 2 "$STATUS" "$line"
        grep -q '^playground: .*: line 2: ' "$ERR"
    done
    capture "$PLAYGROUND" outcomes
    same 2 "$STATUS"
    grep -q -- '--hostile FILE is missing' "$ERR"
}

# start_resetter: a server at port $RESETS that resets every connection as soon
# as it is made.
start_resetter() {
    mkfifo "$TMP/resetter"
    timeout "$LIMIT" python3 - >"$TMP/resetter" 3>&- <<'END' &
import socket, struct
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                          struct.pack("ii", 1, 0))
    connection.close()
END
    RESETTER=$!
    read -r -t "$LIMIT" RESETS <"$TMP/resetter"
}

@test "a connection that is reset as soon as it is made is lost, and the next host is fetched" {
    start_resetter
    capture "${LIMITED[@]}" "$CRAWLER" --log json --scope any --delay 0 \
        --robots ignore --retries 1 --connect-to "reset.test::127.0.0.1:$RESETS" \
        --connect-to "tls.test::127.0.0.1:$RESETS" \
        --connect-to "hostile.test::127.0.0.1:$PORT" --seeds <(
            printf '%s\n' http://reset.test/ https://tls.test/ \
                http://hostile.test/healthy/1
        ) "$DIR" 0
    kill "$RESETTER"
    same 0 "$STATUS"
    # Whether there was a connection is a matter of microseconds.
    same "http://hostile.test/healthy/1 fetched
http://reset.test/ lost
https://tls.test/ lost" "$(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    page = json.loads(line)
    print(page["url"], page["outcome"])' "$OUT" | LC_ALL=C sort |
        sed -E 's/(not-connected|connection-lost|tls-protocol|tls-failed)$/lost/')"
}

# crawl_in_little_memory OPTION...: the seeds in $TMP/seeds; log in $TMP/log.
crawl_in_little_memory() {
    /usr/bin/time -o "$TMP/memory" -f %M "${LIMITED[@]}" "$CRAWLER" \
        --scope any --delay 0 --per-host 100 --retries 0 --timeout 2m --log json \
        --connect-to "::127.0.0.1:$PORT" --seeds "$TMP/seeds" "$@" "$DIR" 0 \
        >"$TMP/log" 2>"$TMP/err"
    is_sanitized || [ "$(tail -n 1 "$TMP/memory")" -lt $((256 * 1024)) ] ||
        fail "$(cat "$TMP/memory") KB of memory"
}

# As many threads as a larger machine would have.
@test "a hundred endless bodies at once need less than 256 MB" {
    cat >"$TMP/endless.site" <<'END'
/healthy
    body healthy
/*
    endless <p>text
END
    start_playground --site "$TMP/endless.site"
    for ((i = 1; i <= BODIES; i++)); do
        echo "http://h$i.test/"
        [ $((i % 10)) -ne 0 ] || echo "http://h$i.test/healthy"
    done >"$TMP/seeds"
    for threads in 2 $MANY; do
        rm -rf "$DIR"/[1-9]*
        crawl_in_little_memory --robots ignore --restart --threads "$threads"
        # All are cut. On a busy machine one that gets on too slowly, while
        # others wait for its memory, is cut before it is too large.
        same "$BODIES" "$(grep -cE '"outcome":"(too-large|timed-out)"' "$TMP/log")"
        same $((BODIES / 10)) "$(page_count)" "healthy pages"
    done
}

@test "a hundred endless sitemaps at once need less than 256 MB" {
    cat >"$TMP/endless.site" <<'END'
/robots.txt
    type text/plain
    body Sitemap: /sitemap.xml
/sitemap.xml
    type text/xml
    bytes <urlset>
    endless <url>text</url>
/*
    body healthy
END
    start_playground --site "$TMP/endless.site"
    # 50 MB of each are read.
    for threads in 2 $MANY; do
        bodies=$((threads == 2 ? BODIES / 4 : BODIES))
        seq -f 'http://h%.0f.test/' 1 "$bodies" >"$TMP/seeds"
        rm -rf "$DIR"/[1-9]*
        crawl_in_little_memory --sitemaps --restart --threads "$threads"
        same "$bodies" "$(page_count)" "healthy pages"
    done
}
