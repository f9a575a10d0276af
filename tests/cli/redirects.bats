#!/usr/bin/env bats
# Redirects: where they lead, how far, and what is saved in the end.

load helper
load site

@test "redirects of all kinds, in all forms, stay at the same depth" {
    serve <<'END'
/
    links 5 /from/%d
/from/1 301
    redirect http://example.org/to/1
/from/2 302
    redirect /to/2
/from/3 303
    redirect ../to/3
/from/4 307
    redirect //EXAMPLE.org:80/to/4#part
/from/5?to=5
    body five
/from/5 308
    redirect ?to=5
/to/*
    body here
END
    fetch 1
    same "/ 0
/from/5?to=5 1
/to/1 1
/to/2 1
/to/3 1
/to/4 1" "$(pages)"
    same 11 "$(record_total)" "requests"
}

@test "a redirected seed is saved under the URL that answered" {
    serve <<'END'
/old/place 301
    redirect /new/place
/new/place
    body <a href=next>next</a>
/new/next
    body The link was relative to where the page really is.
END
    fetch 0 http://example.org/old/place
    same "/new/place 0" "$(pages)"
    fetch 1 http://example.org/old/place
    same "/new/next 1
/new/place 0" "$(pages)"
}

@test "redirects to what was seen, to itself, in a circle, to the outside are not followed" {
    serve <<'END'
/
    body <a href=/seen>.</a><a href=/self>.</a><a href=/a>.</a>
    body <a href=/out>.</a><a href=/twice>.</a><a href=/thrice>.</a>
/seen 302
    redirect /
/self 302
    redirect /self
/a 302
    redirect /b
/b 302
    redirect /a
/out 302
    redirect http://other.example/
/twice 302
    redirect /target
/thrice 302
    redirect /target
/target
    body once
END
    fetch 5
    same "/ 0
/target 1" "$(pages)"
    same "" "$(record_column path | sort | uniq -d)" "asked twice"
    same "" "$(record_column host | grep -v '^example.org$')" "other hosts"
    crawl --scope host --delay 0 http://example.org/ "$DIR" 5 >"$TMP/tse"
    same 1 "$(grep -c 'IgnExtrn: http://other.example/' "$TMP/tse")"
}

@test "as many redirects in a row as --max-redirects says are followed" {
    serve <<'END'
/1 302
    redirect /2
/2 302
    redirect /3
/3 302
    redirect /4
/4
    body the end
END
    fetch 0 --max-redirects 3 http://example.org/1
    same "/4 0" "$(pages)"
    run fetch 0 --max-redirects 2 http://example.org/1
    same 4 "$status"
    run fetch 0 --max-redirects 0 http://example.org/1
    same 4 "$status"
    same 1 "$(outcomes | wc -l)" "fetches"
}

@test "a redirect that only spells the URL differently gets the page" {
    serve <<'END'
/
    body <a href=/a%7Eb>.</a><a href=/%c3%a9>.</a><a href=/q?>.</a>
    body <a href=/round%7E>.</a>
/a%7Eb 301
    redirect /a~b
/a~b
    body tilde
/%c3%a9 301
    redirect /%C3%A9
/%C3%A9
    body letter
/round%7E 302
    redirect /round~
/round~ 302
    redirect /round%7E
/q?
    status 301
    redirect /q
/q
    body no query
END
    fetch 1
    same "/ 0
/%C3%A9 1
/a~b 1
/q 1" "$(pages)"
    # The one that leads from spelling to spelling comes to an end.
    [ "$(record_column path | grep -c round)" -le 12 ]
}

@test "a page behind another spelling of its URL is not lost by a resume" {
    serve <<'END'
/
    body <a href=/a%7Eb>.</a><a href=/z>.</a>
/a%7Eb 301
    redirect /a~b
/a~b
    body tilde
/z
    body z
END
    fetch 1 --max-pages 2 || same 3 $?
    same 0 "$(record_count /a~b)" "it waits"
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    same "/ 0
/a~b 1
/z 1" "$(pages)"
    "$CRAWLER" verify "$DIR"
}

@test "a redirect brings a page nearer" {
    serve <<'END'
/
    body <a href=/far>.</a><a href=/jump>.</a>
/far
    body <a href=/x>.</a>
/jump 302
    redirect /x
/x
    body <a href=/y>.</a>
/y
    body y
END
    fetch 2 --per-host 8
    same "/ 0
/far 1
/x 1
/y 2" "$(pages)"
}

@test "redirects that lead nowhere are failures with a name" {
    serve <<'END'
/
    links 7 /%d
/1 302
    body no Location
/2 302
    header Location:
/3 302
    redirect mailto:someone@example.org
/4 302
    redirect http://
/5 302
    redirect javascript:alert(1)
/6 302
    redirect http://[::1/
/7 300
    redirect /ok
END
    fetch 1
    same "/ fetched
/1 bad-redirect
/2 bad-redirect
/3 bad-redirect
/4 bad-redirect
/5 bad-redirect
/6 bad-redirect
/7 other-status" "$(outcomes)"
}

@test "a Location with blanks and bytes beyond ASCII is followed as a browser would" {
    serve <<'END'
/
    links 5 /%d
/1 302
    redirect /with some blanks
/2 302
    redirect /schön?ä=ö
/3
    raw HTTP/1.1 302 Found\r\nLocation: /caf\xe9?\xe9\r\nContent-Length: 0\r\n\r\n
/4 302
    redirect http://bücher.example/
/5
    raw HTTP/1.1 302 Found\r\nLocation: \t /blanks/\t\x20\r\nContent-Length: 0\r\n\r\n
/*
    body here
END
    fetch 1
    same "/
/blanks/
/caf%E9?%E9
/sch%C3%B6n?%C3%A4=%C3%B6
/with%20some%20blanks" "$(pages | cut -d ' ' -f 1)"
    fetch 1 --scope any
    same http://xn--bcher-kva.example/ "$(page_urls | grep xn--)"
}

@test "a Location as long as a URL may be is followed, a longer one is not" {
    local long
    long=$(printf 'x%.0s' {1..8172}) # with http://example.org/ it is 8191
    serve <<END
/
    links 2 /%d
/1 302
    redirect /$long
/2 302
    redirect /${long}xx
/*
    body here
END
    fetch 1
    same "/1 redirected
/2 bad-redirect" "$(outcomes | grep '^/[12] ')"
    same 2 "$(page_count)"
}

@test "a redirect with a large body, or a cut one, is followed" {
    serve <<'END'
/
    links 3 /from/%d
/from/1 302
    redirect /to/1
    repeat 1000000 0123456789
/from/2 302
    redirect /to/2
    endless for ever
/from/3 302
    redirect /to/3
    encode gzip
    body an encoded body
/to/*
    body here
END
    fetch 1 --timeout 20s
    same "/
/to/1
/to/2
/to/3" "$(pages | cut -d ' ' -f 1)"
}

@test "a redirect does not lead to a private address" {
    serve <<'END'
//start.example/ 302
    redirect http://127.0.0.1:1/
END
    run "${LIMITED[@]}" "$CRAWLER" --log json --scope any --retries 0 --delay 0 \
        --connect-to "start.example::127.0.0.1:$PORT" \
        http://start.example/ "$DIR" 0
    same 4 "$status"
    [[ $output == *'"url":"http://127.0.0.1:1/"'*'"private-address"'* ]]
}
