#!/usr/bin/env bats
# Looking names up: many at once, slow ones, none at all.

load helper
load site
load dns

# look_up OPTION...: crawl the seeds with the names of the name server; the time
# in ms is in TOOK. A crawl that waits for names longer than $LIMIT is ended by
# force, with another status.
look_up() {
    local start

    start=$(date +%s%3N)
    capture "${LIMITED[@]}" "$CRAWLER" --scope any --dns-servers "$DNS" \
        --log json --seeds "$TMP/seeds" "$@" "$DIR" "${DEPTH:-0}"
    TOOK=$(($(date +%s%3N) - start))
}

# No name is ever answered.
silent_names='*
    drop'

@test "--max-time does not wait for names" {
    names_are "$silent_names"
    printf 'http://h%d.example/\n' {1..300} >"$TMP/seeds"
    look_up --max-time 500ms
    same 3 "$STATUS"
}

@test "--max-time does not wait for a single name, whose look-up is all there is to do" {
    names_are "$silent_names"
    echo http://slow.example/ >"$TMP/seeds"
    look_up --max-time 500ms
    same 3 "$STATUS"
    same 1 "$(asked slow.example)"
}

@test "a signal does not wait for names" {
    names_are "$silent_names"
    printf 'http://h%d.example/\n' {1..300} >"$TMP/seeds"
    "$CRAWLER" --scope any --log none --dns-servers "$DNS" --seeds "$TMP/seeds" \
        "$DIR" 0 >"$TMP/out" 2>"$TMP/err" 3>&- &
    crawler=$!
    until [ -e "$DIR/.crawler" ] && [ "$(asked)" -gt 0 ]; do
        sleep 0.02
    done
    kill -INT $crawler
    timeout "$LIMIT" tail -s 0.02 --pid=$crawler -f /dev/null ||
        { kill -KILL $crawler && fail "it waits"; }
    wait $crawler || STATUS=$?
    same 3 "$STATUS"
}

@test "localhost is this machine, whatever a name server says" {
    names <<'END'
*
    address 127.0.0.9
END
    serve "${NAMES[@]}" <<'END'
/robots.txt 404
/*
    body here
END
    find_names
    for host in localhost LOCALHOST some.localhost; do
        rm -rf "$DIR" && mkdir "$DIR"
        echo "http://$host:$PORT/" >"$TMP/seeds"
        look_up
        same 0 "$STATUS" "$host"
    done
    # One that nobody named is at a private address.
    printf '/start\n    body <a href=http://localhost:1/>.</a>\n' >"$TMP/leads.site"
    start_playground --site "$TMP/leads.site"
    rm -rf "$DIR" && mkdir "$DIR"
    echo http://public.test/start >"$TMP/seeds"
    DEPTH=1 look_up --robots ignore --connect-to "public.test::127.0.0.1:$PORT"
    grep -q '"url":"http://localhost:1/".*"outcome":"private-address"' "$OUT"
    same 0 "$(asked)" "queries"
}

@test "names that are slow do not hold up those that are known" {
    names_are "$silent_names"
    serve <<'END'
/robots.txt 404
/*
    links 5 /%d
END
    {
        printf 'http://fast%d.example/\n' {1..20}
        printf 'http://slow%d.example/\n' {1..300}
    } >"$TMP/seeds"
    rules=()
    for i in {1..20}; do
        rules+=("--connect-to=fast$i.example::127.0.0.1:$PORT")
    done
    # All pages that there are; then it stops.
    DEPTH=1 look_up "${rules[@]}" --order priority --delay 2ms --ip-delay 1ms --max-pages 120
    same 3 "$STATUS"
    same 120 "$(page_count)"
}

@test "many names at once cost little memory" {
    without_sanitizer
    names_are "$silent_names"
    seq -f 'http://h%.0f.example/' 1 30000 >"$TMP/seeds"
    /usr/bin/time -f %M -o "$TMP/memory" "$CRAWLER" --dns-servers "$DNS" \
        --scope any --log none --max-time 1s --seeds "$TMP/seeds" "$DIR" 0 \
        >/dev/null 2>&1 || same 3 $?
    [ "$(tail -n 1 "$TMP/memory")" -lt 100000 ] || fail "$(cat "$TMP/memory") KB"
}

@test "a name that is not found is tried again, later each time" {
    names_are '*
    error nxdomain'
    printf 'http://nowhere.example/%d\n' 1 2 >"$TMP/seeds"
    look_up --retries 1 -v
    same 4 "$STATUS"
    same "nowhere.example/1 no-dns
nowhere.example/2 no-dns" "$(
        cp "$OUT" "$TMP/log"
        outcomes http://
    )"
    [ "$TOOK" -ge 1000 ] || fail "it took $TOOK ms"
    # The failure is remembered, but not for the next try of the same host.
    same 2 "$(asked nowhere.example)"
}

# serve_at ADDRESS...: the playground, as a host with these addresses.
serve_at() {
    names < <(echo '*.example' && printf '    address %s\n' "$@")
    serve "${NAMES[@]}" <<'END'
/robots.txt 404
/*
    links 3 /%d
END
    find_names
}

@test "a name whose first addresses do not answer is reached by another" {
    serve_at 127.0.0.9 127.0.0.8 127.0.0.1
    echo "http://three.example:$PORT/" >"$TMP/seeds"
    DEPTH=1 look_up --delay 1ms --ip-delay 1ms
    same 0 "$STATUS"
    same 4 "$(page_count)"
    # Both that do not answer were tried once, and then it stays.
    same 1 "$(grep -c /robots.txt "$RECORD")" "robots.txt"
    [ "$TOOK" -ge 2000 ] || fail "it took $TOOK ms"
    # The addresses are remembered.
    same 1 "$(asked three.example)"
}

@test "a host none of whose addresses answers is given up after --retries" {
    serve_at 127.0.0.9 127.0.0.8
    echo "http://two.example:$PORT/" >"$TMP/seeds"
    look_up --delay 1ms --ip-delay 1ms --retries 2
    same 4 "$STATUS"
    same 0 "$(page_count)"
}
