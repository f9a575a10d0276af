#!/usr/bin/env bats
# What real servers do: codings, framings, types, charsets, connections,
# addresses. The crawler is judged by the pages it saved, its log, and what the
# server was asked.

load helper
load site

# --- codings and framings ----------------------------------------------------

@test "gzip, deflate, br and zstd are decoded byte for byte" {
    sample "$TMP/plain"
    gzip -c "$TMP/plain" >"$TMP/gzip"
    brotli -c "$TMP/plain" >"$TMP/br"
    zstd -qc "$TMP/plain" >"$TMP/zstd"
    python3 -c '
import sys, zlib
for name, bits in ("zlib", 15), ("raw", -15):
    coder = zlib.compressobj(9, zlib.DEFLATED, bits)
    data = coder.compress(open(sys.argv[1] + "/plain", "rb").read())
    open(sys.argv[1] + "/" + name, "wb").write(data + coder.flush())
' "$TMP"
    gzip -c "$TMP/br" >"$TMP/br+gzip"
    serve <<'END'
/
    body <a href=/gzip>.</a><a href=/x-gzip>.</a><a href=/zlib>.</a>
    body <a href=/raw>.</a><a href=/br>.</a><a href=/zstd>.</a>
    body <a href=/both>.</a><a href=/identity>.</a><a href=/plain>.</a>
/gzip
    file gzip
    header Content-Encoding: gzip
    type text/html
/x-gzip
    file gzip
    header Content-Encoding: X-GZIP
    type text/html
    chunked 7
/zlib
    file zlib
    header Content-Encoding: deflate
    type text/html
/raw
    file raw
    header Content-Encoding: deflate
    type text/html
/br
    file br
    header Content-Encoding: br
    type text/html
/zstd
    file zstd
    header Content-Encoding: zstd
    type text/html
/both
    file br+gzip
    header Content-Encoding: br, gzip
    type text/html
/identity
    file plain
    header Content-Encoding: identity
    type text/html
/plain
    file plain
    type text/html
END
    fetch 1 --per-host 4
    for name in gzip x-gzip zlib raw br zstd both identity plain; do
        body_is "http://example.org/$name" "$TMP/plain"
    done
    [[ $(record_column request | head -n 1) == *Accept-Encoding:*gzip*br*zstd* ]]
}

@test "bodies end where they end: length, chunks, the connection" {
    sample "$TMP/plain"
    serve <<'END'
/
    body <a href=/length>.</a><a href=/chunks1>.</a><a href=/chunks>.</a>
    body <a href=/close>.</a><a href=/old>.</a><a href=/trailer>.</a>
/length
    file plain
    type text/html
/chunks1
    file plain
    type text/html
    chunked 13
/chunks
    file plain
    type text/html
    chunked
/close
    file plain
    type text/html
    until-close
/old
    file plain
    type text/html
    http 1.0
    until-close
/trailer
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Type\r\n\r\n5;ext=1\r\nhello\r\n0\r\nContent-Type: image/png\r\nHTTP/1.1 404 Not Found: x\r\nLocation: /\r\n\r\n
END
    fetch 1
    for name in length chunks1 chunks close old; do
        body_is "http://example.org/$name" "$TMP/plain"
    done
    printf hello >"$TMP/hello"
    body_is http://example.org/trailer "$TMP/hello"
}

@test "a header that goes on in the next line is one header" {
    printf '<p>hi' >"$TMP/hi"
    gzip -n <"$TMP/hi" >"$TMP/packed"
    serve <<END
/robots.txt
    raw HTTP/1.1 301 Moved\r\nServer: x\r\nLocation:\r\n\t/rules.txt\r\nContent-Length: 0\r\n\r\n
/rules.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/
    body <a href=/packed>.</a> <a href=/kept>.</a> <a href=/hidden>.</a> <a href=/no>.</a>
/packed
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding:\r\n gzip\r\nContent-Length: $(stat -c %s "$TMP/packed")\r\n\r\n
    file packed
/kept
    raw HTTP/1.1 200 OK\r\nX-Note: see\r\n X-Robots-Tag: noindex\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<p>hi
/hidden
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag:\r\n  nofollow,\r\n  noindex\r\nContent-Length: 5\r\n\r\n<p>hi
END
    fetch 1 --robots obey
    same "/ fetched
/hidden noindex
/kept fetched
/packed fetched" "$(outcomes)"
    body_is http://example.org/packed "$TMP/hi"
    same 0 "$(record_count /no)"
}

@test "a page without a body is a failure" {
    gzip </dev/null >"$TMP/nothing"
    serve <<'END'
/
    links 5 /%d
/1
    type text/html
/2
    until-close
/3
    chunked
/4
    file nothing
    type text/html
    header Content-Encoding: gzip
/5 204
    header X: y
END
    fetch 1
    same "/ fetched
/1 empty
/2 empty
/3 empty
/4 empty
/5 other-status" "$(outcomes)"
    run fetch 0 http://example.org/1
    same 4 "$status" "nothing was saved"
}

# --- status and headers ------------------------------------------------------

@test "4xx and 5xx are counted, and 5xx is tried again" {
    serve <<'END'
/
    body <a href=/404>.</a><a href=/410>.</a><a href=/500>.</a>
    body <a href=/503>.</a><a href=/206>.</a><a href=/999>.</a>
/404 404
    body <a href=/never>.</a>
/410 410
    body gone
/500 500
    body for ever
/503 503
    times 1
    body busy
/503
    body fine now
/206 206
    body a part
/999 999
    body what?
/never
    body The links of an error page are not followed.
END
    fetch 3 --retries 1 --per-host 8 -v 2>"$TMP/err"
    same "/ fetched
/206 other-status
/404 client-error
/410 client-error
/500 server-error
/503 fetched
/999 other-status" "$(outcomes)"
    same 2 "$(record_count /500)"
    same 2 "$(record_count /503)"
    same 1 "$(record_count /404)"
    grep -q '^crawler: 2 pages saved, .* 5 failed, 2 retries$' "$TMP/err"
}

@test "1xx answers come before the real one" {
    local hint='HTTP/1.1 103 Early Hints\r\nContent-Type: image/png\r\nLocation: /x\r\n\r\n'
    local page='HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello'
    serve <<END
/
    body <a href=/one>.</a><a href=/many>.</a><a href=/endless>.</a>
    body <a href=/last>.</a>
/one
    raw HTTP/1.1 100 Continue\r\n\r\n$hint$page
/many
    raw
    repeat 50 HTTP/1.1 102 Processing\r\n\r\n
    bytes $page
/endless
    raw
    endless $hint
/last
    body last
END
    fetch 1 --timeout 20s
    same "/ fetched
/endless bad-http
/last fetched
/many fetched
/one fetched" "$(outcomes)"
}

# --- types -------------------------------------------------------------------

@test "the served type tells what is a page" {
    serve <<'END'
/
    links 12 /%d.txt
/1.txt
    type text/html
    body html
/2.txt
    type TEXT/HTML ; Charset=utf-8
    body html
/3.txt
    type application/xhtml+xml
    body <html xmlns="http://www.w3.org/1999/xhtml"><a href="/found">.</a></html>
/4.txt
    type text/plain
    body <html>not
/5.txt
    type image/png
    body <html>not
/6.txt
    type
    body <!DOCTYPE html>sniffed
/7.txt
    type
    body   <h1>sniffed</h1>
/8.txt
    type
    body plain text
/9.txt
    type
    header Content-Type:
    body <html>sniffed
/10.txt
    type nonsense
    body <html>sniffed
/11.txt
    type application/xml
    body <html>not
/12.txt
    type text/htmlx
    body <html>not
/found
    body found
END
    fetch 2
    same "/ fetched
/1.txt fetched
/10.txt fetched
/11.txt not-html
/12.txt not-html
/2.txt fetched
/3.txt fetched
/4.txt not-html
/5.txt not-html
/6.txt fetched
/7.txt fetched
/8.txt not-html
/9.txt fetched
/found fetched" "$(outcomes)"
}

# --- what pages say ----------------------------------------------------------

@test "links of a, area, frame, iframe, refresh are followed, others are not" {
    serve <<'END'
/
    body <a href=a>.</a><map><area href=area></map><iframe src=iframe></iframe>
    body <meta http-equiv=refresh content="5; url=refresh">
    body <a href=frames>.</a><link rel=next href=/no/link>
    body <img src=/no/img><script src=/no/script></script>
    body <form action=/no/form></form><!-- <a href=/no/comment> -->
    body <script>"<a href=/no/text>"</script><a name=/no/name>
/frames
    body <frameset><frame src=frame></frameset>
/no/*
    body no
/*
    body yes
END
    fetch 2
    same "/
/a
/area
/frame
/frames
/iframe
/refresh" "$(pages | cut -d ' ' -f 1)"
}

@test "application/xhtml+xml is read as XML, up to where it is not well-formed" {
    serve <<'END'
/
    links 2 /%d
/1
    type application/xhtml+xml
    body <html xmlns="http://www.w3.org/1999/xhtml"><script src="x.js"/><title/>
    body <A href="/no/case"/><a href="/café"/><![CDATA[<a href="/no/cdata"/>]]>
    body <p><br></p><a href="/no/error"/></html>
/2
    body <html xmlns="http://www.w3.org/1999/xhtml"><title/><a href="/no/title"/>
/caf%C3%A9
    body yes
/no/*
    body no
END
    fetch 2
    same "/
/1
/2
/caf%C3%A9" "$(pages | cut -d ' ' -f 1)"
}

@test "a Refresh header leads on as the meta element does" {
    serve <<'END'
/
    header Refresh: 5; url=deep/next?q
    body <base href=/elsewhere/>
/deep/next?q
    header refresh: 0;/last
    header Refresh: 0;/no/second
    body <a href=/moved>.</a>
/last
    header Refresh: 30
    body .
/moved
    redirect /place
    header Refresh: 0; url=/no/redirect
/no/*
    body no
/*
    body yes
END
    fetch 5
    same "/
/deep/next?q
/last
/place" "$(pages | cut -d ' ' -f 1)"
}

@test "the base element moves relative links, and only the first one" {
    serve <<'END'
/
    body <base target=_top><a href=before>.</a><base href=/deep/er/>
    body <base href=/other/><a href=after>.</a><a href=/root>.</a><a href=?q>.</a>
/*
    body here
END
    fetch 1
    same "/
/deep/er/?q
/deep/er/after
/deep/er/before
/root" "$(pages | cut -d ' ' -f 1)"
}

@test "queries are sent in the charset of the page, paths in UTF-8" {
    python3 -c '
import sys
def page(name, charset, text, label=""):
    html = "<meta charset=%s>" % label if label else ""
    html += "<a href=\"/%s/%s?q=%s\">.</a>" % (name, text, text)
    open(sys.argv[1] + "/" + name, "wb").write(html.encode(charset))
page("sjis", "shift_jis", "日本", "Shift_JIS")
page("1251", "cp1251", "да", "windows-1251")
page("euckr", "euc_kr", "한", "euc-kr")
page("header", "cp1251", "да", "utf-8")
page("latin", "latin-1", "é&amp;&#8364;&#1103;")
page("utf8", "utf-8", "é", "utf-8")
open(sys.argv[1] + "/utf16", "wb").write(
    "\ufeff<a href=\"/utf16/é?q=é\">.</a>".encode("utf-16-be"))
open(sys.argv[1] + "/2022", "wb").write(
    "<a href=\"/2022/é?q=日\">.</a>".encode("iso2022_jp", "xmlcharrefreplace"))
' "$TMP"
    serve <<'END'
/
    body <a href=/sjis>.</a><a href=/1251>.</a><a href=/euckr>.</a>
    body <a href=/header>.</a><a href=/latin>.</a><a href=/utf8>.</a>
    body <a href=/utf16>.</a><a href=/2022>.</a>
/sjis
    type text/html
    file sjis
/1251
    type text/html
    file 1251
/euckr
    type text/html
    file euckr
/header
    type text/html; charset="cp1251"
    file header
/latin
    type text/html
    file latin
/utf8
    type text/html
    file utf8
/utf16
    type text/html; charset=iso-8859-1
    file utf16
/2022
    type text/html; charset=iso-2022-jp
    file 2022
/*
    body asked
END
    fetch 2
    same '/1251/%D0%B4%D0%B0?q=%E4%E0
/2022/%C3%A9?q=%1B$BF|%1B(B
/euckr/%ED%95%9C?q=%C7%D1
/header/%D0%B4%D0%B0?q=%E4%E0
/latin/%C3%A9&%E2%82%AC%D1%8F?q=%E9&%80%26%231103%3B
/sjis/%E6%97%A5%E6%9C%AC?q=%93%FA%96{
/utf16/%C3%A9?q=%C3%A9
/utf8/%C3%A9?q=%C3%A9' "$(record_column path | grep '?' | LC_ALL=C sort)"
    body_is http://example.org/sjis "$TMP/sjis"
    body_is http://example.org/utf16 "$TMP/utf16"
}

# --- connections and addresses -----------------------------------------------

@test "a connection is used again, after errors and redirects too" {
    serve <<'END'
/
    links 20 /page/%d
    body <a href=/404>.</a><a href=/302>.</a>
/404 404
    repeat 2000 An error page.
/302 302
    redirect /page/1?
/page/*
    body a page
END
    fetch 1 --threads 1
    same 21 "$(page_count)"
    same 1 "$(record_column conn | sort -u | wc -l)" "connections"
    fetch 1 --threads 1 --per-host 4 http://other.example/
    [ "$(record_column conn other.example | sort -u | wc -l)" -le 4 ]
}

@test "a server that closes every connection loses no page" {
    serve <<'END'
/
    links 20 /page/%d
/page/*
    body a page
    close
END
    fetch 1 --per-host 5
    same 21 "$(page_count)"
    same 21 "$(record_total)" "requests"
}

@test "IPv6 addresses are fetched from, as the seed and by --connect-to" {
    [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6 ||
        skip "no IPv6 loopback here"
    cat >"$TMP/my.site" <<'END'
/
    body <a href=/next>.</a>
/next
    body next
END
    start_playground --site "$TMP/my.site" --record-headers --listen '[::1]:0'
    run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --delay 0 \
        "http://[0:0::1]:$PORT/" "$DIR" 1
    same 0 "$status"
    same "http://[::1]:$PORT/
http://[::1]:$PORT/next" "$(page_urls)"
    [[ $(record_column request | head -n 1) == *"Host: [::1]:$PORT\\r"* ]]

    run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --delay 0 \
        --connect-to "example.org:80:[::1]:$PORT" http://example.org/ "$DIR" 1
    same 0 "$status"
    same 2 "$(record_total example.org)"
}

@test "international host names are asked for in their ASCII form" {
    serve <<'END'
/
    type text/html; charset=utf-8
    body <a href="http://BÜCHER.example/one">.</a>
    body <a href="http://xn--bcher-kva.example/two">.</a>
    body <a href="http://bu&#x308;cher.example/three">.</a>
/*
    body here
END
    fetch 1 http://bücher.example/
    same "http://xn--bcher-kva.example/
http://xn--bcher-kva.example/one
http://xn--bcher-kva.example/three
http://xn--bcher-kva.example/two" "$(page_urls)"
    same xn--bcher-kva.example "$(record_column host | sort -u)"
}

@test "--connect-to takes a name or an address as a URL would" {
    serve <<'END'
/
    body here
END
    for host in bücher.example BÜCHER.example xn--bcher-kva.example; do
        run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --delay 0 --retries 0 \
            --connect-to "$host:80:127.0.0.1:$PORT" http://bücher.example/ \
            "$DIR" 0
        same 0 "$status" "$host"
    done
    run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --delay 0 --retries 0 \
        --connect-to "[0:0::2]::127.0.0.1:$PORT" 'http://[::2]/' "$DIR" 0
    same 0 "$status" "an address"
    for host in 'a/b' 'a b' '[::g]' 'u@h'; do
        run "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --scope host --connect-to "$host::x:1" \
            http://example.org/ "$DIR" 0
        same 2 "$status" "$host"
    done
}

# serve_spellings: a page with links in all spellings that a URL may have, all
# of them pages.
serve_spellings() {
    python3 -c '
import html, sys
forms = ("/p%cq", "/p/%c", "/x?a%cb", "/?%c", "/%%2e%%2e/%c", "/..%%2f%c", "/%%%c",
         "/x?%%%c", "/a//%c//")
links = [form % code for code in range(0x21, 0x7f) for form in forms]
links += ["/p%%%02x?%%%02X" % (code, code) for code in range(256)]
links += ["/empty?", "/empty/?/?"]
for link in links:
    print("<a href=\"%s\">.</a>" % html.escape(link))' >"$TMP/page"
    serve <<'END'
/start
    file page
    type text/html
/*
    body here
END
}

# same_as_saved: what was asked, by the first line of each request (without the
# beginning $1), is the URLs of the pages (without the beginning $2).
same_as_saved() {
    stop_playground
    [ "$(page_count)" -gt 900 ]
    page_urls | sed "s,^$2,," >"$TMP/saved"
    record_column request | sed "s,^GET $1,,; s, HTTP/1.1.*,,; s,\\\\\\\\,\\\\,g" |
        LC_ALL=C sort >"$TMP/asked"
    cmp "$TMP/asked" "$TMP/saved"
}

@test "what is asked is the URL, byte for byte" {
    serve_spellings
    fetch 1 --per-host 8 http://example.org/start
    same_as_saved "" http://example.org
    grep -qx '/empty?' "$TMP/asked"
}

@test "what a proxy is asked is the whole URL, byte for byte, without a password" {
    serve_spellings
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log none --scope host \
        --delay 0 --per-host 8 --proxy "127.0.0.1:$PORT" \
        http://me:secret@example.org/start "$DIR" 1
    same_as_saved http://example.org http://example.org
    grep -qx '/empty?' "$TMP/asked"
}

@test "a request has one line, Host, User-Agent, Accept and the user's headers" {
    serve <<'END'
/*
    body here
END
    fetch 0 -U 'name/1.0 (+x@example.org)' -H 'X-One: 1' -H 'Accept: text/html' \
        -H 'X-None:' \
        'http://example.org:81/a/../b|c?d=e f#g'
    same 'GET /b|c?d=e%20f HTTP/1.1\r\nHost: example.org:81\r\nUser-Agent: name/1.0 (+x@example.org)\r\n' \
        "$(record_column request | grep -o '^.*1.0 (+x@example.org)\\r\\n')"
    [[ $(record_column request) == *'\r\nX-One: 1\r\n'* ]]
    [[ $(record_column request) == *'\r\nX-None:\r\n'* ]]
    same 1 "$(record_column request | grep -o 'Accept: ' | wc -l)"
    fetch 0
    [[ $(record_column request | tail -n 1) == *"User-Agent: crawler/"*"(+"* ]]
}
