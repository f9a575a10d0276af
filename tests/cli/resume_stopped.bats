#!/usr/bin/env bats
# Going on after a stop: what was under way, and what is known of hosts.

load helper
load resume

# stopped_while_waiting OPTION...: begin a crawl of example.org whose server,
# $TMP/first, does not answer something; stop it at once while it waits for that.
# Another server, $TMP/then, is at the same place after that.
stopped_while_waiting() {
    local pid tries=0

    start_playground --site "$TMP/first"
    behind "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 0 \
        "$@" http://example.org/ "$DIR" 1
    pid=$PID_BEHIND
    until [ "$(state 'SELECT count(*) FROM url' 2>/dev/null)" = "$WAITING" ]; do
        [ $((tries++)) -lt $((LIMIT * 50)) ] || fail "it has not begun" || return
        sleep 0.02
    done
    kill -TERM $pid
    kill -INT $pid
    STATUS=0
    wait $pid || STATUS=$?
    same 3 "$STATUS" "exit status when stopped"
    stop_playground
    start_playground --site "$TMP/then" --listen "127.0.0.1:$PORT"
}

@test "a crawl stopped while it awaits robots.txt holds nothing against the host" {
    printf '/robots.txt\n    delay 10m\n' >"$TMP/first"
    cat >"$TMP/then" <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/
    body <a href=/no>.</a> <a href=/yes>.</a>
/*
    body A page.
END
    WAITING=1 stopped_while_waiting --retries 0
    capture "$CRAWLER" --resume "$DIR"
    same 0 "$STATUS"
    whole_pages 2
    same 0 "$(record_count /no)"
}

@test "a crawl stopped while it awaits a page does not count that as a try" {
    printf '/\n    body <a href=/p>.</a>\n/p\n    delay 10m\n' >"$TMP/first"
    printf '/p 503\n    times 1\n/p\n    body A page.\n' >"$TMP/then"
    WAITING=2 stopped_while_waiting --robots ignore --retries 1
    capture "$CRAWLER" --resume "$DIR"
    same 0 "$STATUS"
    whole_pages 2
}

@test "names that are no domains can be in a state that goes on" {
    start_playground --site <(cat <<'END'
/
    body <a href=http://1../>.</a> <a href=http://2../x>.</a> <a href=http://x../>.</a>
    body <a href=http://a.example./>.</a> <a href=/1>.</a>
/*
    body A page.
END
)
    capture "$CRAWLER" --scope any --order priority --delay 0 --ip-delay 0 --retries 0 \
        --robots ignore --max-pages 1 --connect-to "example.org::127.0.0.1:$PORT" \
        --connect-to ::127.0.0.1:1 http://example.org/ "$DIR" 1
    same 3 "$STATUS"
    capture "$CRAWLER" --resume --max-pages 100 "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    whole_pages 2
}

@test "a resume knows that a host answered http, so a closed https port does not end it" {
    start_playground --site <(cat <<'END'
/
    body <a href=https://h.test/s>.</a> <a href=/1>.</a> <a href=/2>.</a> <a href=/3>.</a>
/*
    body A page.
END
)
    capture "$CRAWLER" --scope host --delay 0 --retries 0 --robots ignore --max-pages 1 \
        --connect-to "h.test:80:127.0.0.1:$PORT" --connect-to h.test:443:127.0.0.1:1 \
        http://h.test/ "$DIR" 1
    same 3 "$STATUS"
    capture "$CRAWLER" --resume --max-pages 100 "$DIR"
    same 0 "$STATUS"
    whole_pages 4
}
