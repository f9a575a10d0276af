#!/usr/bin/env bats
# crawler url: references in, one answer for each out, in order.

load helper

# url [ARGS...] <LINES: the command, within a time.
url() {
    "${LIMITED[@]}" "$CRAWLER" url "$@"
}

# lines_of TEXT...: each on its line.
lines_of() {
    printf '%s\n' "$@"
}

@test "absolute URLs as they would be fetched, without the fragment" {
    same "http://example.org/
http://example.org/a%20b?c%20d
https://example.org/
http://example.org:8080/
http://xn--bcher-kva.example/%C3%BC?%C3%BC
http://user:pw@1.2.3.4/
http://[::1]/" "$(lines_of HTTP://EXAMPLE.org:80 \
        'http://example.org/x/../a b?c d#e f' 'https:example.org#' \
        'http:\\example.org:8080\' 'http://BÜCHER.example/ü?ü#ü' \
        'http://user:pw@0x1.2.772/' 'http://[0:0:0:0:0:0:0:1]' | url)"
}

@test "references are resolved against --base" {
    same "http://h/d/b
http://h/b
http://h/d/e?q
http://h/d/e?x
http://other/
http://h/
https://other/s
http://h/d/a%EF%BF%BDb" "$(lines_of b /b '?q#f' '#f' //other ../.. \
        https://other/s $'a\xffb' | url --base 'http://h/d/e?x#y')"
}

@test "what is no http URL has ! and a reason" {
    lines_of relative ftp://example.org/ mailto:a@b javascript:void\(0\) \
        http:// http://a:b:c/ http://a:65536/ 'http://a b/' 'http://[::g]/' \
        'http://1.2.3.256/' data:text/html,x http://a%00b/ |
        url >"$TMP/out"
    same 12 "$(grep -c '^! [a-z]' "$TMP/out")" "reasons"
    same 12 "$(wc -l <"$TMP/out")" "lines"
    # They are not all the same: each kind of mistake is named.
    [ "$(sort -u "$TMP/out" | wc -l)" -ge 4 ]
}

@test "crawler url: bad lines do not end it, and the order is that of the input" {
    same "http://a/
!
http://b/
!
!
http://c/" "$(lines_of http://a nonsense http://b '' '   ' http://c |
        url | sed 's/^!.*/!/')"
}

@test "an empty line is the base itself, and blanks around do not count" {
    same "http://h/d?q
http://h/d?q
http://h/x
http://h/y" "$(printf '\n \t \n  x \t\r\ny\r' | url --base http://h/d?q)"
}

@test "crawler url: no input, no output; no final newline, still an answer" {
    same "" "$(url </dev/null)"
    same http://a/ "$(printf http://a/ | url)"
    same 1 "$(printf http://a/ | url | wc -l)"
}

@test "crawler url goes on after lines of a megabyte and bytes of all kinds" {
    {
        printf 'http://a/'
        head -c 1000000 /dev/zero | tr '\0' x
        printf '\nhttp://b/\n'
        head -c 1000000 /dev/zero
        printf '\n'
        head -c 300000 /dev/zero | tr '\0' '\377'
        printf '\n'
        head -c 500000 /dev/zero | tr '\0' ' '
        printf 'http://c/\n'
        printf '\1\2\177\33[2J\n\xc3\n\xed\xa0\x80\n\xf8\x88\x80\x80\x80\n'
    } >"$TMP/in"
    url --base http://h/ <"$TMP/in" >"$TMP/out"
    same 9 "$(wc -l <"$TMP/out")" "lines"
    [[ $(sed -n 1p "$TMP/out") == '! '*long* ]]
    same http://b/ "$(sed -n 2p "$TMP/out")"
    same http://c/ "$(sed -n 5p "$TMP/out")"
    # Whatever came in, what goes out is printable ASCII.
    same "" "$(LC_ALL=C grep -n '[^ -~]' "$TMP/out")"
}

@test "crawler url takes the longest URL there is, and refuses one byte more" {
    local x
    x=$(printf 'x%.0s' {1..8183}) # with http://h/ it is 8192
    same "http://h/${x#x}" "$(echo "http://h/${x#x}" | url)"
    [[ $(echo "http://h/${x}x" | url) == '! '*long* ]]
    # A fragment is not part of what is fetched, but of what is given.
    [[ $(echo "http://h/#${x}x" | url) == '! '*long* ]]
}

@test "crawler url answers each of a hundred thousand lines" {
    seq 100000 | url --base http://h/d/ >"$TMP/out"
    seq -f 'http://h/d/%.0f' 100000 | cmp - "$TMP/out"
}

@test "crawler url refuses wrong arguments" {
    run url --base relative </dev/null
    same 2 "$status"
    same 1 "${#lines[@]}" "lines"
    run url --base ftp://example.org/ </dev/null
    same 2 "$status"
    run url http://example.org/ </dev/null
    same 2 "$status"
    run url --base </dev/null
    same 2 "$status"
    run url --nonsense </dev/null
    same 2 "$status"
    run url --json </dev/null
    same 2 "$status" "an option of another command"
    run url --help </dev/null
    same 0 "$status"
    [[ $output == *--base* ]]
}

@test "crawler url: input that cannot be read and output that cannot be written are errors" {
    run url <"$TMP"
    same 1 "$status" "a directory as input"
    [[ $output == crawler:* ]]
    run bash -c '"$1" url <&-' - "$CRAWLER"
    same 1 "$status" "closed input"
    run bash -c 'seq 10000 | "$1" url --base http://h/ >/dev/full' - "$CRAWLER"
    same 1 "$status" "a full device"
    [[ $output == crawler:* ]]
}
