#!/usr/bin/env bats
# kill -9 before every single call that writes: the next crawl goes on from there.

load helper
load killer
load truth

letters_again() {
    "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --delay 0 \
        --save-every 1ms "$LETTERS/index.html" "$DIR" 10
}

@test "a crawl killed before any call that writes goes on" {
    local calls at status

    killer
    start_playground --letters
    KILL_COUNT=$TMP/calls LD_PRELOAD=$TMP/killer.so letters_again
    calls=$(cat "$TMP/calls")
    [ "$calls" -gt 60 ] || fail "only $calls calls are seen"
    page_depths >"$TMP/truth"
    for ((at = 1; at <= calls; at++)); do
        rm -rf "$DIR" && mkdir "$DIR"
        status=0
        KILL_AT=$at LD_PRELOAD=$TMP/killer.so letters_again || status=$?
        # The number of calls differs a little from time to time.
        [ "$status" -eq 137 ] || [ "$at" -gt $((calls / 2)) ] ||
            fail "call $at: status $status"
        letters_again || fail "after a kill before call $at: status $?"
        same_as_truth "$DIR" || fail "after a kill before call $at"
    done
}

@test "a crawl killed again while it goes on, before any call that writes, goes on" {
    local at status

    killer
    start_playground --letters
    letters_again
    page_depths >"$TMP/truth"
    for ((at = 1; at <= 60; at++)); do
        rm -rf "$DIR" && mkdir "$DIR"
        KILL_AT=60 LD_PRELOAD=$TMP/killer.so letters_again || :
        KILL_AT=$at LD_PRELOAD=$TMP/killer.so letters_again || :
        letters_again || fail "after a second kill before call $at: status $?"
        same_as_truth "$DIR" || fail "after a second kill before call $at"
    done
}

# replace_letters OPTION...: a smaller crawl in the place of the one in $DIR.
replace_letters() {
    "$CRAWLER" --quiet --connect-to "::127.0.0.1:$PORT" --delay 0 \
        --save-every 1ms "$@" "$LETTERS/index.html" "$DIR" 2
}

@test "a crawl killed before any call that writes, while it replaces another one, goes on" {
    local calls at status

    killer
    start_playground --letters
    letters_again
    cp -a "$DIR" "$TMP/old"
    KILL_COUNT=$TMP/calls LD_PRELOAD=$TMP/killer.so replace_letters --restart
    calls=$(cat "$TMP/calls")
    [ "$calls" -gt 40 ] || fail "only $calls calls are seen"
    page_depths >"$TMP/truth"
    for ((at = 1; at <= calls; at++)); do
        rm -rf "$DIR" && cp -a "$TMP/old" "$DIR"
        KILL_AT=$at LD_PRELOAD=$TMP/killer.so replace_letters --restart || :
        "$CRAWLER" verify "$DIR" >"$TMP/verified" ||
            fail "after a kill before call $at: $(cat "$TMP/verified")"
        # Without a network nothing goes.
        "$CRAWLER" --quiet --resume --retries 0 --connect-to ::127.0.0.1:1 "$DIR" \
            >/dev/null 2>&1 || :
        [ "$(page_count)" -gt 0 ] || fail "no page is left after call $at"
        replace_letters --restart || fail "after a kill before call $at: status $?"
        same_as_truth "$DIR" || fail "after a kill before call $at"
    done
}
