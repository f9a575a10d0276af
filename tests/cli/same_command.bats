#!/usr/bin/env bats
# The same command again is a resume: what it leaves out holds on, or is asked
# for where it is secret.

load helper
load resume
load site

# chain: three pages, one after the other, on any host.
chain() {
    serve <<'END'
/
    body <a href=/a>.</a>
/a
    body <a href=/b>.</a>
/b
    body The end.
END
}

# begin OPTION...: the first page of the chain.
begin() {
    rm -rf "$DIR" && mkdir "$DIR"
    capture again --max-pages 1 "$@"
    same 3 "$STATUS" "$(cat "$ERR")"
}

# again OPTION...: the command of `begin`, with other options or without any.
again() {
    "$CRAWLER" --robots ignore --scope host --delay 0 --retries 0 "$@" \
        http://nowhere.invalid/ "$DIR" 2
}

# goes_on: the command without its options fetched the rest.
goes_on() {
    capture again
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)" "pages"
}

@test "the same command without its proxy goes on through it" {
    chain
    begin --proxy "http://127.0.0.1:$PORT"
    goes_on
    same 3 "$(record_total)" "requests"
    grep -aq "proxy=http://127.0.0.1:$PORT" "$DIR/.crawler"
    # An empty one takes it away.
    begin --proxy "http://127.0.0.1:$PORT"
    capture again --proxy '' --connect-to "::127.0.0.1:1"
    grep -q '1 page saved' "$ERR" || fail "$(cat "$ERR")"
    same 4 "$(record_total)" "requests"
}

@test "the same command without its User-Agent, headers and cookies sends them on" {
    chain
    printf '# Netscape HTTP Cookie File\nnowhere.invalid\tFALSE\t/\tFALSE\t0\tid\t7\n' >"$TMP/cookies"
    begin --connect-to "::127.0.0.1:$PORT" -U "Test/1.0" -H 'Accept-Language: de' \
        --cookies "$TMP/cookies"
    goes_on
    for header in 'User-Agent: Test/1.0' 'Accept-Language: de' 'Cookie: id=7'; do
        same 3 "$(record_lines | grep -cF "$header")" "$header"
    done
    # Another value takes the place of the old one.
    begin --connect-to "::127.0.0.1:$PORT" -U "Test/1.0"
    capture again -U Other/2.0
    same 2 "$(record_lines | grep -cF 'User-Agent: Other/2.0')"
    # And a limit does not hold on: that is how a crawl is let go on.
    same 3 "$(page_count)" "pages"
}

@test "the same command without a secret is refused as --resume is" {
    chain
    begin --proxy "http://me:t0pS3cret@127.0.0.1:$PORT"
    for form in again "$CRAWLER --resume $DIR"; do
        capture $form
        complaint '^crawler: the crawl was begun with --proxy=\(not kept\); give it again$'
    done
    capture again --proxy "http://me:t0pS3cret@127.0.0.1:$PORT"
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)" "pages"
    # Once it is finished nothing is sent.
    capture again
    same 0 "$STATUS" "$(cat "$ERR")"
    begin --connect-to "::127.0.0.1:$PORT" -H 'X-Api-Key: t0pS3cret'
    capture again
    complaint '^crawler: the crawl was begun with --header=X-Api-Key: \(not kept\); give it again$'
    capture again -H 'X-Api-Key: t0pS3cret'
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)" "pages"
}

@test "another command is refused as another crawl, not for what it leaves out" {
    chain
    begin --connect-to "::127.0.0.1:$PORT" -H 'X-Api-Key: t0pS3cret'
    capture "$CRAWLER" --robots ignore --scope host --delay 0 http://other.invalid/ "$DIR" 2
    complaint 'is another: it was begun from other seeds'
    # And --restart begins with what it is given.
    capture again --restart --connect-to "::127.0.0.1:$PORT"
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)" "pages"
}

@test "--resume and the same command again can be watched with --listen" {
    chain
    for form in again "$CRAWLER --resume --max-pages none"; do
        begin --connect-to "::127.0.0.1:$PORT"
        target=$DIR
        [ "$form" != again ] || target=
        capture $form --listen "unix:$TMP/socket" $target
        same 0 "$STATUS" "$(cat "$ERR")"
        grep -q "watch it at unix:$TMP/socket" "$ERR"
    done
}
