#!/usr/bin/env bats
# What broken and hostile servers do. Every answer has an outcome, nothing
# hangs, and the next page is fetched.

load helper
load site

@test "codings that are unknown, broken or a bomb are failures" {
    head -c 50000000 /dev/zero | gzip -9 >"$TMP/bomb"
    printf '<p>hello hello hello</p>' | gzip >"$TMP/good"
    { head -c 10 "$TMP/good"; printf '\377\377'; } >"$TMP/broken"
    serve <<'END'
/
    links 5 /%d
/1
    body <p>
    header Content-Encoding: rot13
/2
    body <p>this was never compressed
    header Content-Encoding: gzip
/3
    file broken
    type text/html
    header Content-Encoding: gzip
/4
    file bomb
    type text/html
    header Content-Encoding: gzip
/5
    body the next page is fetched
END
    fetch 1
    same "/ fetched
/1 bad-encoding
/2 bad-encoding
/3 bad-encoding
/4 too-large
/5 fetched" "$(outcomes)"
}

@test "a coded page that ends too early is not one, whatever its framing says" {
    seq 1000 >"$TMP/plain"
    gzip -c "$TMP/plain" >"$TMP/gzip"
    brotli -c "$TMP/plain" >"$TMP/br"
    zstd -qc "$TMP/plain" >"$TMP/zstd"
    python3 -c 'import sys, zlib
sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))' \
        <"$TMP/plain" >"$TMP/deflate"
    {
        printf '/\n    body'
        for coding in gzip br zstd deflate; do
            printf ' <a href=/%s/whole>.</a> <a href=/%s/cut>.</a>' \
                $coding $coding
        done
        echo
        for coding in gzip br zstd deflate; do
            head -c -7 "$TMP/$coding" >"$TMP/$coding-cut"
            printf '/%s/whole\n    file %s\n' $coding $coding
            printf '    type text/html\n    header Content-Encoding: %s\n' $coding
            printf '/%s/cut\n    file %s-cut\n' $coding $coding
            printf '    type text/html\n    header Content-Encoding: %s\n' $coding
        done
    } >"$TMP/codings.site"
    serve <"$TMP/codings.site"
    fetch 1
    for coding in gzip br zstd deflate; do
        body_is "http://example.org/$coding/whole" "$TMP/plain"
        same "/$coding/cut bad-encoding" "$(outcomes | grep "^/$coding/cut ")"
    done
    same 5 "$(page_count)"
}

@test "a body that is cut is not saved, and tried again" {
    serve <<'END'
/
    body <a href=/length>.</a><a href=/chunk>.</a><a href=/gzip>.</a>
/length
    times 1
    repeat 1000 0123456789
    cut 5000
/length
    body whole
/chunk
    times 1
    repeat 1000 0123456789
    chunked
    reset 5000
/chunk
    body whole
/gzip
    times 1
    encode gzip
    repeat 100000 0123456789
    cut 100
/gzip
    body whole
END
    echo whole >"$TMP/whole"
    fetch 1 --retries 1 --per-host 3
    for name in length chunk gzip; do
        body_is "http://example.org/$name" "$TMP/whole"
        same 2 "$(record_count "/$name")" "requests of $name"
    done
}

@test "headers have a cap, and below it are read" {
    local page='Content-Type: text/html\r\nContent-Length: 5\r\n\r\nhello'
    serve <<END
/
    body <a href=/many>.</a><a href=/endless>.</a><a href=/line>.</a>
    body <a href=/long>.</a><a href=/last>.</a>
/many
    raw HTTP/1.1 200 OK\r\n
    repeat 2000 X-Header: of some length\r\n
    bytes $page
/endless
    raw HTTP/1.1 200 OK\r\n
    endless X-Header: of some length\r\n
/line
    raw HTTP/1.1 200 OK\r\nX-Header:\x20
    endless one line without an end
/long
    raw HTTP/1.1 200 OK\r\nX-Header:\x20
    repeat 50000 x
    bytes \r\n$page
/last
    body last
END
    fetch 1 --timeout 20s
    same "/ fetched
/endless bad-http
/last fetched
/line bad-http
/long fetched
/many fetched" "$(outcomes)"
}

@test "answers that are not HTTP, or hardly, have an outcome" {
    serve <<'END'
/
    links 13 /%d
/1
    raw <p>HTTP/0.9 has no headers</p>
    close
/2
    raw SSH-2.0-OpenSSH_9.2\r\n
    close
/3
    raw HTTP/1.1 200\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
/4
    raw HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 5\n\nhello
/5
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello
    close
/6
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: -5\r\n\r\nhello
    close
/7
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nhello
    close
/8
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello, and more than was said
/11
    raw HTTP/1.1 101 Switching Protocols\r\nContent-Type: text/html\r\nUpgrade: h2c\r\n\r\n<p>hello
    close
/12
    raw HTTP/1.1 100 Continue\r\nContent-Type: text/html\r\n\r\n
    close
/13
    raw HTTP/1.1 000 Nothing\r\nContent-Type: text/html\r\n\r\nhello
    close
/9
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nHTTP/9: x\r\nContent-Length: 5\r\n\r\nhello
/10
    body the last one
END
    fetch 1
    outcomes >"$TMP/got"
    same "/1 bad-http" "$(grep '^/1 ' "$TMP/got")"
    same "/2 bad-http" "$(grep '^/2 ' "$TMP/got")"
    same "/3 fetched" "$(grep '^/3 ' "$TMP/got")" "no reason"
    same "/4 fetched" "$(grep '^/4 ' "$TMP/got")" "line ends of one byte"
    same "/8 fetched" "$(grep '^/8 ' "$TMP/got")"
    same "/9 fetched" "$(grep '^/9 ' "$TMP/got")" "a strange header"
    same "/10 fetched" "$(grep '^/10 ' "$TMP/got")"
    for name in 6 7 11 12 13; do
        run ! grep -q "^/$name fetched" "$TMP/got"
    done
    same 14 "$(wc -l <"$TMP/got")" "every one has an outcome"
    printf hello >"$TMP/hello"
    body_is http://example.org/8 "$TMP/hello"
}

@test "a body that is not wanted is not read" {
    serve <<'END'
/
    body <a href=/film>.</a><a href=/huge>.</a><a href=/last>.</a>
/film
    type video/mp4
    endless film
/huge
    endless <p>text
/last
    body last
END
    fetch 1 --max-size 1M --timeout 20s
    same "/ fetched
/film not-html
/huge too-large
/last fetched" "$(outcomes)"
}

@test "the status counts, however the body of a redirect or an error ends" {
    serve <<'END'
/
    links 6 /%d
/1
    raw HTTP/1.1 302 Found\r\nLocation: /to/1\r\nContent-Length: 100\r\n\r\n
    close
/2 302
    redirect /to/2
    header Content-Encoding: gzip
    body this is not gzip
/3 302
    redirect /to/3
    chunked
    repeat 10 0123456789
    reset 50
/4 404
    repeat 10 0123456789
    cut 50
/5 404
    header Content-Encoding: rot13
    body an error page
/6 500
    repeat 10 0123456789
    cut 50
/to/*
    body here
END
    fetch 1
    same "/ fetched
/1 redirected
/2 redirected
/3 redirected
/4 client-error
/5 client-error
/6 server-error
/to/1 fetched
/to/2 fetched
/to/3 fetched" "$(outcomes)"
}

@test "a server that closes without a word loses no page" {
    serve <<'END'
/
    links 100 /%d
/*
    raw HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
    close
END
    for count in 1 8; do
        fetch 1 --per-host "$count"
        same 101 "$(page_count)" "with $count"
    done
}

@test "a first header line that begins with a blank is bad, a later one goes on" {
    serve <<'END'
/
    links 20 /%d
/2
    raw HTTP/1.1 200 OK\r\n folded: into nothing\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
/3
    raw HTTP/1.1 200 OK\r\n folded into nothing\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
/4
    raw HTTP/1.1 200 OK\r\n\t: x\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
/5
    raw HTTP/1.1 103 Early\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n folded: into nothing\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
/6
    raw HTTP/1.1 200 OK\r\nX: y\r\n  folded\r\n  twice\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
/8
    raw HTTP/1.1 200 OK\r\nX: y
    repeat 40000 \x20
    bytes \r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello
/*
    header X-Some: header
    body a page
END
    fetch 1 --threads 1
    same "/2 bad-http
/3 bad-http
/4 bad-http
/5 bad-http
/6 fetched
/8 fetched" "$(outcomes | grep -E '^/[234568] ')"
    same 17 "$(page_count)"
}

@test "each raw reply of the public suites has an outcome, and the next page is fetched" {
    needs_conformance http_bad/{curl,wpt-h1-parsing,llhttp_response_cases.json}
    python3 - "$CONFORMANCE/http_bad" "$TMP" <<'END'
import glob, json, os, re, sys

bad, out = sys.argv[1:]
replies = [open(name, "rb").read() for name in sorted(
    glob.glob(bad + "/curl/*.raw") + glob.glob(bad + "/wpt-h1-parsing/*.asis"))]
for case in json.load(open(bad + "/llhttp_response_cases.json"))["cases"]:
    text = case["http_as_written"].replace("\n", "\r\n")
    for escape, byte in ("\\r", "\r"), ("\\n", "\n"), ("\\t", "\t"):
        text = text.replace(escape, byte)
    text = re.sub(r"\\x([0-9a-fA-F]{2})", lambda m: chr(int(m[1], 16)), text)
    replies.append(text.encode("latin-1", "replace"))
for case in json.load(open(bad + "/content-lengths.json")):
    replies.append(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                   + case["input"].encode("latin-1")
                   + b"\r\n\r\nFact: this is really forty-two bytes long.")
with open(out + "/my.site", "w") as site:
    site.write("/\n    links %d /r/%%d\n" % len(replies))
    for number, reply in enumerate(replies):
        open("%s/%d" % (out, number + 1), "wb").write(reply)
        site.write("/r/%d\n    raw\n    file %d\n    close\n"
                   % (number + 1, number + 1))
    site.write("/*\n    body a page\n")
open(out + "/count", "w").write(str(len(replies)))
END
    start_playground --site "$TMP/my.site"
    fetch 1 --timeout 20s --per-host 10
    same "$(cat "$TMP/count")" "$(outcomes | grep -c '^/r/[0-9]* ')" "outcomes"
    [ "$(cat "$TMP/count")" -gt 200 ]
    same "" "$(outcomes | grep timed-out)" "hung"
}
