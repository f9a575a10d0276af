#!/usr/bin/env bats
# crawler links: an HTML file in, its links as a crawl would offer them out.

load helper

# links [ARGS...]: the command, within a time.
links() {
    "${LIMITED[@]}" "$CRAWLER" links "$@"
}

# of HTML [ARGS...]: the links of this text, resolved against http://h/d/e.
of() {
    printf '%s' "$1" | links --base http://h/d/e "${@:2}" -
}

# json EXPRESSION <LINES: a Python expression for every object `o`; a line
# that is no JSON, or has other fields, is an error.
json() {
    python3 -c '
import json, sys
for line in sys.stdin.buffer:
    o = json.loads(line.decode("utf-8"))
    assert list(o) == ["url", "kind", "text", "rel"], o
    assert all(type(value) is str for value in o.values()), o
    print(eval(sys.argv[1]))
' "$1"
}

@test "crawler links: all kinds, in document order, repeats included" {
    same "http://h/d/1
http://h/d/2
http://h/d/3
http://h/d/1
http://h/d/4
http://h/d/5
http://h/5
http://other/
https://h/s
http://h/d/e
http://h/d/e?q" "$(of '<A HREF=1>x</A><map><area href="2"></map>
<iframe src=3></iframe><a href=1#again>x</a>
<meta http-equiv=Refresh content="3; URL='"'4'"'">
<a href="./5#part">x</a><a href=/5>x</a><a href="//other">x</a>
<a href=https://h/s>x</a><a href="">x</a><a href="?q">x</a>')"
}

@test "crawler links: frames and iframes are links" {
    same "http://h/d/1
http://h/d/2" "$(of '<frameset><frame src=1><frame src=2></frameset>')"
}

@test "other schemes and what is no URL are left out" {
    same http://h/d/yes "$(of '<a href=mailto:x@y>.</a><a href=javascript:x()>.</a>
<a href=ftp://h/>.</a><a href="http://[/">.</a><a href=tel:1>.</a>
<a href=data:,x>.</a><a>.</a><a name=x>.</a><img src=no><a href=yes>.</a>')"
}

@test "comments, scripts, styles and other text have no links" {
    same "http://h/d/1
http://h/d/2" "$(of '<!-- <a href=no> --><script>"<a href=no>"</script>
<style><a href=no></style><textarea><a href=no></textarea>
<title><a href=no></title><noscript><a href=2></a></noscript>
<xmp><a href=no></xmp><!-- > -- <a href=no> --!><a href=1></a>
<![CDATA[<a href=no>]]><?x <a ?><plaintext><a href=no>' | LC_ALL=C sort)"
}

@test "link attributes: quotes, references, the first of two, blanks and newlines" {
    same "http://h/d/e?a=1&b=2
http://h/d/first
http://h/d/xy
http://h/d/blanks
http://h/d/q%22q
http://h/d/&lt
http://h/d/slash/" "$(of '<a href="?a=1&amp;b=2">.</a>
<a href=first href=second>.</a><a href="x
y">.</a><a
   href  =  "  blanks  " >.</a><a href='"'q\"q'"'>.</a>
<a href="&#x26;lt">.</a><a href=slash/>.</a>')"
}

@test "the base element: the first with an href counts, for all links" {
    same "http://h/b/1
http://h/b/2" "$(of '<a href=1>.</a><base target=x><base href=/b/>
<base href=/c/><a href=2>.</a>')"
    same "http://else/1" "$(of '<base href=http://else/x><a href=1>.</a>')"
    # One that is no URL is not used.
    same "http://h/d/1" "$(of '<base href="http://["><a href=1>.</a>')"
}

@test "without --base only absolute links are links" {
    same "http://a/
http://b/x" "$(echo '<a href=http://a>.</a><a href=rel>.</a>
<a href=//host/>.</a><a href=http://b/x>.</a>' | links -)"
    same "http://a/
http://base/rel" "$(echo '<a href=http://a>.</a><base href=http://base/>
<a href=rel>.</a>' | links -)"
}

@test "without --base relative links are counted on standard error, if there are any" {
    # expected:page
    while IFS=: read -r expected page; do
        printf %s "$page" >"$TMP/page"
        capture links "$TMP/page"
        same 0 "$STATUS"
        same "$expected" "$(grep -o '[0-9]* relative links* left out; --base' "$ERR" | cut -d' ' -f1)" "$page"
        [ "$(wc -l <"$ERR")" -le 1 ]
    done <<'END'
1:<a href=rel>.</a>
3:<a href=//host/>.</a><a href="">.</a><a href=?x>.</a><a href=http://b/>.</a>
1:<base href=/dir/><a href=rel>.</a>
:<a href=http://a/>.</a><a href=mailto:x>.</a>
:<base href=http://b/><a href=rel>.</a>
:<base href=ftp://b/><a href=rel>.</a>
:
END
    echo '<a href=rel>.</a>' >"$TMP/page"
    capture links --base http://h/ "$TMP/page"
    silent "$ERR"
}

@test "a charset that is declared late in the head counts" {
    {
        printf '<!doctype html><head><!-- %01100d -->' 0
        printf '<meta charset=utf-8></head><a href="/th\xc3\xa9.html">'
    } >"$TMP/page"
    same http://h/th%C3%A9.html "$(links --base http://h/ "$TMP/page")"
    {
        printf '<!doctype html><head><!-- %01100d --></head>' 0
        printf '<body><meta charset=utf-8><a href="/th\xc3\xa9.html">'
    } >"$TMP/page"
    same http://h/th%C3%83%C2%A9.html "$(links --base http://h/ "$TMP/page")"
}

@test "--xhtml reads the file as XML" {
    page='<html xmlns="http://www.w3.org/1999/xhtml"><title/><a href="x"/></html>'
    same "" "$(of "$page")"
    same http://h/d/x "$(of "$page" --xhtml)"
    # In UTF-8, where nothing else is said.
    page=$(printf '<a xmlns="http://www.w3.org/1999/xhtml" href="\xc3\xa9"/>')
    same http://h/d/%C3%83%C2%A9 "$(of "$page")"
    same http://h/d/%C3%A9 "$(of "$page" --xhtml)"
    same http://h/d/%C3%83%C2%A9 "$(of "$page" --xhtml --charset latin1)"
}

@test "links --json: url, kind, text, rel" {
    of '<a href=1 rel="nofollow next">some <b>bold</b>
    text &amp; more</a><area href=2 rel=x><iframe src=3>no</iframe>
<meta http-equiv=refresh content="0;url=4"><a href=5></a>' --json >"$TMP/out"
    same "['http://h/d/1', 'a', 'some bold text & more', 'nofollow next']
['http://h/d/2', 'area', '', 'x']
['http://h/d/3', 'iframe', '', '']
['http://h/d/4', 'refresh', '', '']
['http://h/d/5', 'a', '', '']" "$(json 'list(o.values())' <"$TMP/out")"
    same frame "$(of '<frameset><frame src=1></frameset>' --json | json 'o["kind"]')"
}

@test "links --json is JSON whatever the page has in it" {
    {
        printf '<a href="1" rel="\1\2\33 \\ &quot; \377 \xed\xa0\x80 &#0; &#xd800;">'
        printf '\1\2\33[31m \\ " \n\t\r \377 \xc3 \xf0\x9f\x98\x80 \177 &#x10ffff;'
        printf '\xe2\x80\xa8 </script> \0 </a><a href="\377\1">.</a>'
    } >"$TMP/page"
    for charset in utf-8 windows-1252 shift_jis utf-16le iso-2022-jp gb18030; do
        links --base http://h/ --charset "$charset" --json "$TMP/page" |
            json 'o["url"].encode("ascii") and o["text"].encode("utf-8")' \
                >"$TMP/out"
        [ "$charset" = utf-16le ] || same 2 "$(wc -l <"$TMP/out")" "$charset"
    done
}

@test "links --json: a very long text and rel are cut" {
    {
        printf '<a href="1" rel="'
        head -c 2000000 /dev/zero | tr '\0' '\1'
        printf '">'
        head -c 2000000 /dev/zero | tr '\0' x
        printf '</a><a href="2" rel="r">last</a>'
    } >"$TMP/page"
    links --base http://h/ --json "$TMP/page" >"$TMP/out"
    same "http://h/1
http://h/2" "$(json 'o["url"]' <"$TMP/out")"
    same "1000 4" "$(json 'len(o["text"])' <"$TMP/out" | xargs)"
    same r "$(json 'o["rel"]' <"$TMP/out" | tail -n 1)"
}

@test "--charset is what the HTTP header would say; a mark goes before it" {
    printf '<a href="/\xe4?\xe4">.</a>' >"$TMP/page"
    same 'http://h/%C3%A4?%E4' "$(links --base http://h/ "$TMP/page")"
    same 'http://h/%D0%B4?%E4' \
        "$(links --base http://h/ --charset windows-1251 "$TMP/page")"
    same 'http://h/%D0%B4?%E4' \
        "$(links --base http://h/ --charset ' CP1251 ' "$TMP/page")"
    { printf '<meta charset=koi8-r>'; cat "$TMP/page"; } >"$TMP/meta"
    same 'http://h/%D0%94?%E4' "$(links --base http://h/ "$TMP/meta")"
    same 'http://h/%D0%B4?%E4' \
        "$(links --base http://h/ --charset windows-1251 "$TMP/meta")"
    printf '\xff\xfe<\0a\0 \0h\0r\0e\0f\0=\0?\0\xe4\0>\0' >"$TMP/utf16"
    same 'http://h/?%C3%A4' \
        "$(links --base http://h/ --charset windows-1251 "$TMP/utf16")"
    printf '\xef\xbb\xbf<a href="?\xc3\xa4">' >"$TMP/utf8"
    same 'http://h/?%C3%A4' \
        "$(links --base http://h/ --charset windows-1251 "$TMP/utf8")"
}

@test "links prints nothing for an empty file, one without links, a tag without an end" {
    same "" "$(of '')"
    same "" "$(of 'no links')"
    same "" "$(of '<a href=never')"
    same "" "$(of '<a href="never')"
    same "" "$(of '<!-- <a href=1>')"
    same http://h/d/1 "$(of '<a href=1>x<!--')"
    run of ''
    same 0 "$status"
}

@test "links gives the same for a file, standard input and a pipe" {
    echo '<a href=1>.</a>' >"$TMP/page"
    same http://h/1 "$(links --base http://h/ "$TMP/page")"
    same http://h/1 "$(links --base http://h/ - <"$TMP/page")"
    same http://h/1 "$(links --base http://h/ <(cat "$TMP/page"))"
    cd "$TMP"
    cp page ./-file
    same http://h/1 "$(links --base http://h/ -- -file)"
}

@test "links reads a hundred thousand links and endless nesting" {
    seq -f '<div><a href="%.0f">' 100000 | links --base http://h/ - >"$TMP/out"
    seq -f 'http://h/%.0f' 100000 | cmp - "$TMP/out"
    { yes '<b><i><table><tr><td><svg><math><template>' | head -n 100000
        echo '<a href=1>'; } | links --base http://h/ - >"$TMP/out"
}

@test "links refuses wrong arguments with one line and status 2" {
    echo '<a href=1>.</a>' >"$TMP/page"
    while read -r line; do
        # shellcheck disable=SC2086 # the words are the arguments
        run links $line
        same 2 "$status" "$line"
        same 1 "${#lines[@]}" "lines for $line"
    done <<END

/nonexistent
$TMP
$TMP/page $TMP/page
--charset nonsense $TMP/page
--charset $(printf 'x%.0s' {1..500}) $TMP/page
--base relative $TMP/page
--base ftp://h/ $TMP/page
--base
--nonsense $TMP/page
--delay 1s $TMP/page
END
    run links --help
    same 0 "$status"
}

@test "links whose output cannot be written is an error" {
    seq -f '<a href="%.0f">.</a>' 10000 >"$TMP/page"
    for form in "" --json; do
        # shellcheck disable=SC2086 # none or one
        run bash -c '"$@" >/dev/full' - "$CRAWLER" links --base http://h/ \
            $form "$TMP/page"
        same 1 "$status"
        [[ $output == crawler:* ]]
    done
}
