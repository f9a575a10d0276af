#!/usr/bin/env bats
# A crawl that gets no page says why: exit status 4, and one line with the true
# reason and what would help.

load helper
load site

NOTHING="crawler: not a single page could be fetched"

# nothing LINE OPTION... [ARGUMENT]: such a crawl of the site, its directory and
# depth 1 added, ends with this line, and nothing else is on standard error.
nothing() {
    local line=$1

    shift
    capture crawl -q --delay 0 --retries 0 --robots obey "$@" "$DIR" 1
    same 4 "$STATUS" "exit status: $(cat "$ERR")" || return
    same "$NOTHING: $line" "$(cat "$ERR")"
}

SITE=http://example.org

# --- robots.txt --------------------------------------------------------------

@test "forbidden by robots.txt: the line and its text are told" {
    serve <<'END'
/robots.txt
    type text/plain
    body # for all
    body User-agent: *
    body Disallow: /private/   # mine
/*
    body A page.
END
    for state in file none; do
        nothing "$SITE/private/a: forbidden by robots.txt (line 3: Disallow: /private/   # mine); --robots ignore is for a site of your own" \
            --scope host --state $state $SITE/private/a
    done
}

@test "a rule of robots.txt is shown without what a terminal obeys, and cut" {
    {
        printf '/robots.txt\n    type text/plain\n    bytes User-agent: *\\n\n'
        printf '    bytes Disallow: / # \\x1b]0;x\\x07%s\\n\n' "$(printf '%0300d' 0)"
        printf '/*\n    body A page.\n'
    } >"$TMP/rule.site"
    start_playground --site "$TMP/rule.site"
    nothing "$SITE/: forbidden by robots.txt (line 2: Disallow: / # ?]0;x?$(printf '%080d' 0)); --robots ignore is for a site of your own" \
        --scope host $SITE/
}

@test "robots.txt that cannot be had: its status is told" {
    serve <<'END'
/robots.txt 503
/*
    body A page.
END
    nothing "$SITE/robots.txt: 503 Service Unavailable, and without its robots.txt nothing of the host may be fetched; --robots ignore is for a site of your own" \
        --scope host $SITE/
    # Also for several pages, and after another try.
    printf '%s\n' $SITE/1 $SITE/2 $SITE/3 >"$TMP/seeds"
    nothing "all 3 URLs such as $SITE/robots.txt: 503 Service Unavailable, and without its robots.txt nothing of the host may be fetched; --robots ignore is for a site of your own" \
        --scope host --retries 1 --seeds "$TMP/seeds"
}

@test "robots.txt that never answers: so it is told" {
    serve <<'END'
/robots.txt
    delay 10m
/*
    body A page.
END
    nothing "$SITE/robots.txt: took longer than --timeout, and without its robots.txt nothing of the host may be fetched; --robots ignore is for a site of your own" \
        --scope host --timeout 200ms $SITE/
}

@test "no page: the only one asks not to be indexed, and the crawl says so" {
    serve <<'END'
/robots.txt 404
/
    body <meta name=robots content=noindex>
    body <a href=http://a.test/>.</a> <a href=http://b.test/>.</a>
END
    nothing "$SITE/: a page that asks not to be indexed; --robots ignore is for a site of your own" \
        --scope host $SITE/
}

# --- redirects ---------------------------------------------------------------

redirect_site() {
    serve <<'END'
/robots.txt 404
//example.org/www 301
    redirect http://www.example.org:8080/home
//example.org/docs/up 301
    redirect /other/
//example.org/away 302
    redirect http://other.test/x?y=z
//example.org/chain 302
    redirect /docs/chain
//example.org/docs/chain 302
    redirect http://other.test/end
//example.org/self 302
    redirect /self
//example.org/ring 302
    redirect /ring2
//example.org/ring2 302
    redirect /ring3
//example.org/ring3 302
    redirect /ring
//example.org/spell%7E 302
    redirect /spell~
//example.org/spell~ 302
    redirect /spell%7E
//example.org/1 302
    redirect /2
//example.org/2 302
    redirect /3
//example.org/3 302
    redirect /4
//example.org/nowhere 302
    redirect mailto:me@example.org
//example.org/gone-1 302
    redirect /gone
//example.org/gone-2 302
    redirect /gone
//example.org/gone 410
/*
    body A page.
END
}

@test "a redirect out of scope: where it leads, the seed or the --scope that follows it" {
    redirect_site
    nothing "$SITE/www: redirects to http://www.example.org:8080/home: outside the scope of the crawl; start from http://www.example.org:8080/home, or use --scope domain to follow it" \
        --scope host $SITE/www
    nothing "$SITE/docs/up: redirects to $SITE/other/: outside the scope of the crawl; start from $SITE/other/, or use --scope host to follow it" \
        --scope prefix $SITE/docs/up
    nothing "$SITE/away: redirects to http://other.test/x?y=z: outside the scope of the crawl; start from http://other.test/x?y=z, or use --scope any to follow it" \
        --scope domain $SITE/away
    # With --internal a seed of its own would not be in scope either.
    nothing "$SITE/docs/chain: redirects to http://other.test/end: outside the scope of the crawl; use --scope any to follow it" \
        --internal $SITE/ $SITE/chain
}

@test "the --scope that is proposed follows the redirect" {
    redirect_site
    for words in "host www" "prefix docs/up" "domain away"; do
        # shellcheck disable=SC2086 # two words
        set -- $words
        capture crawl -q --delay 0 --robots obey --scope "$1" "$SITE/$2" "$DIR" 0
        same 4 "$STATUS"
        scope=$(grep -o -- '--scope [a-z]*' "$ERR")
        # shellcheck disable=SC2086 # two words
        crawl -q --delay 0 --robots obey $scope "$SITE/$2" "$DIR" 0
        same 1 "$(page_count)" "pages with $scope from $2"
    done
}

@test "no page: a redirect loop, however long, is told" {
    redirect_site
    nothing "$SITE/self: redirects to itself, a redirect loop" --scope host $SITE/self
    nothing "$SITE/ring3: redirects to $SITE/ring, a redirect loop" --scope host $SITE/ring
    # Two seeds of one loop.
    printf '%s\n' $SITE/ring $SITE/ring2 >"$TMP/seeds"
    nothing "$SITE/ring3: redirects to $SITE/ring, a redirect loop" \
        --scope host --seeds "$TMP/seeds"
    # Between two spellings of one URL.
    capture crawl -q --delay 0 --scope host "$SITE/spell%7E" "$DIR" 0
    same 4 "$STATUS"
    grep -qE "^$NOTHING: $SITE/spell(%7E|~): redirects to $SITE/spell(%7E|~), a redirect loop$" \
        "$ERR" || fail "$(cat "$ERR")"
}

@test "no page: too many redirects, or one that leads nowhere, is told" {
    redirect_site
    nothing "$SITE/3: redirects to $SITE/4: at the end of too many redirects; --max-redirects allows more" \
        --scope host --max-redirects 2 $SITE/1
    nothing "$SITE/nowhere: a redirect that leads nowhere (302 Found)" \
        --scope host $SITE/nowhere
}

@test "two redirects to one page that fails: its own reason counts" {
    redirect_site
    printf '%s\n' $SITE/gone-1 $SITE/gone-2 >"$TMP/seeds"
    nothing "$SITE/gone: 410 Gone" --scope host --seeds "$TMP/seeds"
}

@test "no page: a redirect to what is no page of the course's playground is told" {
    serve <<'END'
/tse/a.html
    redirect /tse/a.pdf
END
    capture crawl --delay 0 http://cs50tse.cs.dartmouth.edu/tse/a.html "$DIR" 1
    same 4 "$STATUS"
    same "$NOTHING: http://cs50tse.cs.dartmouth.edu/tse/a.html: redirects to http://cs50tse.cs.dartmouth.edu/tse/a.pdf: its name is not that of an HTML page" \
        "$(cat "$ERR")"
}

@test "a very long URL is shown as far as it helps" {
    long=$(printf '%08000d' 0)
    serve <<END
/robots.txt 404
/go 302
    redirect http://other.test/$long
END
    capture crawl -q --delay 0 --robots obey --scope host $SITE/go "$DIR" 1
    same 4 "$STATUS"
    [ "$(wc -c <"$ERR")" -lt 1000 ] || fail "$(wc -c <"$ERR") bytes"
    grep -q "^$NOTHING: $SITE/go: redirects to http://other.test/0*\.\.\.: outside the scope of the crawl; use --scope any to follow it$" "$ERR" ||
        fail "$(cat "$ERR")"
}

# --- sitemaps ----------------------------------------------------------------

@test "no page: a sitemap that lists nothing, none of the scope, or cannot be had is told" {
    serve <<'END'
/robots.txt 404
/empty.xml
    type application/xml
    body <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>
/other.xml
    type application/xml
    body <urlset><url><loc>http://www.example.org/1</loc></url>
    body <url><loc>http://www.example.org/2</loc></url></urlset>
/missing.xml 404
/html.xml
    body <!doctype html><p>Hello
/moved.xml 302
    redirect /moved.xml
END
    nothing "the sitemap $SITE/empty.xml: lists no URL" --scope host \
        --sitemap $SITE/empty.xml
    nothing "all 2 URLs such as http://www.example.org/1: outside the scope of the crawl; use --scope domain" \
        --scope host --sitemap $SITE/other.xml
    nothing "the sitemap $SITE/missing.xml: 404 Not Found" --scope host \
        --sitemap $SITE/missing.xml
    nothing "the sitemap $SITE/html.xml: not a sitemap that can be read, or one that declares entities" \
        --scope host --sitemap $SITE/html.xml
    nothing "the sitemap $SITE/moved.xml: redirects to itself, a redirect loop" \
        --scope host --sitemap $SITE/moved.xml
}

# --- answers -----------------------------------------------------------------

@test "no page: a status is told with its standard phrase, not the server's" {
    serve <<'END'
/robots.txt 404
/404
    raw HTTP/1.1 404 All is well\x1b[31m\r\nContent-Length: 0\r\n\r\n
/403 403
/500 500
/429 429
/204 204
/499 499
END
    nothing "$SITE/404: 404 Not Found" --scope host $SITE/404
    nothing "$SITE/403: 403 Forbidden" --scope host $SITE/403
    nothing "$SITE/500: 500 Internal Server Error" --scope host $SITE/500
    nothing "$SITE/429: 429 Too Many Requests" --scope host $SITE/429
    nothing "$SITE/204: 204 No Content" --scope host $SITE/204
    nothing "$SITE/499: status 499" --scope host $SITE/499
    same "$SITE/499 could not be fetched: status 499" \
        "$("$CRAWLER" why "$DIR" $SITE/499 | head -n 1)"
}

@test "no page: the MIME type, the empty body or the size is told" {
    serve <<'END'
/robots.txt 404
/image
    type image/png
    body x
/odd
    header Content-Type: a/\x1b[31mred
    body x
/empty
    type text/html
/large
    repeat 5000 x
/untyped
    header Content-Type:
    bytes \x89PNG\r\n\x1a\n
END
    nothing "$SITE/image: not an HTML page but image/png" --scope host $SITE/image
    nothing "$SITE/untyped: not an HTML page" --scope host $SITE/untyped
    nothing "$SITE/empty: the answer has no body" --scope host $SITE/empty
    nothing "$SITE/large: larger than --max-size, or than the 50 MB of a sitemap" \
        --scope host --max-size 1K $SITE/large
    # Whatever a server sends, the line is one and safe.
    capture crawl -q --delay 0 --scope host $SITE/odd "$DIR" 0
    same 4 "$STATUS"
    same 1 "$(wc -l <"$ERR")"
    run ! grep -q $'\x1b' "$ERR"
    grep -q "^$NOTHING: $SITE/odd: not an HTML page" "$ERR" || fail "$(cat "$ERR")"
}

# --- no answer ---------------------------------------------------------------

@test "no page: connection refused is told, whether robots.txt is asked for or not" {
    PORT=1
    for robots in obey ignore; do
        for retries in 0 1; do
            nothing "$SITE/: connection refused" --scope host --robots $robots \
                --retries $retries $SITE/
        done
    done
    printf '%s\n' $SITE/1 $SITE/2 >"$TMP/seeds"
    nothing "all 2 URLs such as $SITE/: connection refused" --scope host \
        --seeds "$TMP/seeds"
}

@test "no page: a host name that does not exist is told" {
    for delay in 0 1s; do
        capture "${LIMITED[@]}" "$CRAWLER" -q --restart --retries 0 --timeout 10s \
            --delay $delay --scope host http://no-such-host.invalid/a "$DIR" 0
        same 4 "$STATUS"
        # Where there is no name server at all the question may get no answer.
        grep -qE "^$NOTHING: http://no-such-host.invalid/a?: (host name not found|no connection within --timeout)$" \
            "$ERR" || fail "$(cat "$ERR")"
    done
}

@test "no page: an answer that takes too long is told" {
    serve <<'END'
/robots.txt 404
/
    delay 10m
END
    nothing "$SITE/: took longer than --timeout" --scope host --timeout 200ms $SITE/
}

@test "no page: a private address that nobody named is told" {
    serve <<'END'
/robots.txt 404
/go 302
    redirect http://127.0.0.3:1/x
END
    capture "${LIMITED[@]}" "$CRAWLER" -q --scope any --delay 0 --retries 0 \
        --connect-to "example.org::127.0.0.1:$PORT" $SITE/go "$DIR" 0
    same 4 "$STATUS"
    same "$NOTHING: http://127.0.0.3:1/: a private address that was not named (--allow-private)" \
        "$(cat "$ERR")"
}

# --- several -----------------------------------------------------------------

@test "no page: of different reasons the most frequent is told, with its count and an example" {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/image
    type image/png
    body x
/* 404
END
    printf "$SITE/%s\n" image no1 gone1 no2 gone2 gone3 >"$TMP/seeds"
    nothing "3 of 6 URLs such as $SITE/gone1: 404 Not Found" --scope host \
        --seeds "$TMP/seeds"
    printf "$SITE/%s\n" image no1 gone1 no2 >"$TMP/seeds"
    nothing "2 of 4 URLs such as $SITE/no1: forbidden by robots.txt (line 2: Disallow: /no); --robots ignore is for a site of your own" \
        --scope host --seeds "$TMP/seeds"
}

@test "a seed outside of the scope is told before anything is fetched" {
    serve <<'END'
/*
    body A page.
END
    capture crawl --internal $SITE/docs/ $SITE/blog/ "$DIR" 1
    same 2 "$STATUS"
    grep -q "^crawler: seedURL '$SITE/blog/' cannot be crawled: not internal: it must begin with a prefix of --internal" "$ERR"
    echo $SITE/blog/ >"$TMP/seeds"
    capture crawl --internal $SITE/docs/ --seeds "$TMP/seeds" "$DIR" 1
    same 2 "$STATUS"
    grep -q "seeds:1: skipped: not internal" "$ERR"
    grep -q "has no URL to start from" "$ERR"
    same 0 "$(record_total)"
}

@test "no page: the statistics have the same reason, once" {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /
END
    capture crawl --delay 0 --robots obey --scope host $SITE/ "$DIR" 1
    same 4 "$STATUS"
    same "crawler: 0 pages saved, 0 bytes, 0 failed, 0 retries" "$(head -n 1 "$ERR")"
    grep -qx 'URLs: 0 saved, 0 redirected, 0 failed, 1 refused, 0 queued' "$ERR"
}

@test "a crawl that saved a page gives no reason for having none" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/gone>.</a>
/gone 404
END
    capture crawl -q --delay 0 --robots obey --scope host $SITE/ "$DIR" 1
    same 0 "$STATUS"
    silent "$ERR"
}
