#!/usr/bin/env bats
# --resume --retry-failed that is killed. The rest of it is in
# tests/cases/retry_failed.case.

load helper
load site

@test "a run with --retry-failed that is killed loses no page" {
    # Pages of example.org link to down.example.org, where nobody listens at first.
    serve <<'END'
//down.example.org/
    body <a href=/more>.</a>
//down.example.org/*
    body Here I am.
/
    body <a href=/a>.</a><a href=/missing>.</a><a href=http://down.example.org/>.</a>
    body <a href=http://down.example.org/1>.</a>
/a
    body <a href=http://down.example.org/2>.</a><a href=http://down.example.org/old>.</a>
/missing 404
END
    "${LIMITED[@]}" "$CRAWLER" --robots ignore --delay 0 --retries 0 --log none --scope domain \
        --connect-to down.example.org::127.0.0.1:1 --connect-to "::127.0.0.1:$PORT" \
        http://example.org/ "$DIR" 5
    for _ in 1 2 3 4 5 6; do
        timeout --foreground -s KILL "0.0$((RANDOM % 9 + 1))" "$CRAWLER" -q --resume \
            --retry-failed --connect-to "::127.0.0.1:$PORT" --save-every 1ms --delay 5ms "$DIR" || :
    done
    "${LIMITED[@]}" "$CRAWLER" --resume --retry-failed --connect-to "::127.0.0.1:$PORT" "$DIR"
    same "failed 1 saved 7" "$(sqlite3 "$DIR/.crawler" "SELECT state || ' ' || count(*)
        FROM urls GROUP BY state ORDER BY 1" | paste -sd ' ')"
    "$CRAWLER" verify "$DIR"
    pages_are_whole 7
}
