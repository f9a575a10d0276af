#!/usr/bin/env bats
# What the options do, judged by the pages saved and by the server's record.

load helper
load saved

# --- what to crawl -----------------------------------------------------------

# Six hosts, all of them this server.
start_hosts() {
    site hosts <<'END'
//www.example.co.uk/dir/
    body <a href=sub/a>1</a> <a href=/top>2</a> <a href=http://img.example.co.uk/>3</a>
    body <a href=http://example.co.uk/>4</a> <a href=http://other.co.uk/>5</a>
    body <a href=http://www.example.co.uk:8080/port>6</a> <a href=/dirt>7</a>
//one.github.io/
    body <a href=http://two.github.io/>two</a> <a href=http://a.one.github.io/>a</a>
/*
    body page
END
    start_playground --site "$TMP/hosts.site"
    WWW=http://www.example.co.uk
}

@test "--scope prefix: the directory of the seed" {
    start_hosts
    same "$WWW/dir/
$WWW/dir/sub/a" "$(saved --scope prefix $WWW/dir/ "$DIR" 3)"
    same "IgnExtrn" "$(verdict $WWW/dirt)"
    same "IgnExtrn" "$(verdict $WWW/top)"
    same "$WWW/dir/sub/a" "$(saved --scope prefix $WWW/dir/sub/a "$DIR" 3)"
}

@test "--scope host: the host with its port" {
    start_hosts
    same "$WWW/dir/
$WWW/dir/sub/a
$WWW/dirt
$WWW/top" "$(saved --scope host $WWW/dir/ "$DIR" 3)"
    same IgnExtrn "$(verdict $WWW:8080/port)"
    same IgnExtrn "$(verdict http://img.example.co.uk/)"
}

@test "--scope domain: the registrable domain, by the public suffix list" {
    start_hosts
    same "http://example.co.uk/
http://img.example.co.uk/
$WWW/dir/
$WWW/dir/sub/a
$WWW/dirt
$WWW/top
$WWW:8080/port" "$(saved --scope domain $WWW/dir/ "$DIR" 3)"
    same IgnExtrn "$(verdict http://other.co.uk/)"
    # github.io is a public suffix: its users are strangers to each other.
    same "http://a.one.github.io/
http://one.github.io/" "$(saved --scope domain http://one.github.io/ "$DIR" 3)"
    same IgnExtrn "$(verdict http://two.github.io/)"
}

@test "--scope any: everything" {
    start_hosts
    saved --scope any $WWW/dir/ "$DIR" 1 >"$TMP/urls"
    same 8 "$(wc -l <"$TMP/urls")"
    grep -qx http://other.co.uk/ "$TMP/urls"
    same "" "$(grep Ign "$TMP/out")"
}

@test "--internal: repeatable, with and without a slash, together with --scope" {
    start_hosts
    same "http://img.example.co.uk/
$WWW/dir/
$WWW/dir/sub/a" "$(saved --internal $WWW/dir/ \
        --internal http://img.example.co.uk $WWW/dir/ "$DIR" 3)"
    # Letter for letter: "/dir" begins "/dirt" too.
    same "$WWW/dir/
$WWW/dir/sub/a
$WWW/dirt" "$(saved --internal $WWW/dir $WWW/dir/ "$DIR" 3)"
    same "http://other.co.uk/
$WWW/dir/
$WWW/dir/sub/a" "$(saved --scope prefix --internal HTTP://Other.CO.UK/ \
        $WWW/dir/ "$DIR" 3)"
    # With --internal alone the seed itself must be below one.
    capture crawl --internal http://other.co.uk/ $WWW/dir/ "$DIR" 3
    same 2 "$STATUS"
}

@test "the MIME type decides what is a page, not the name" {
    site mime <<'END'
/
    body <a href=a.php>1</a> <a href=b.html>2</a> <a href=c.xhtml>3</a> <a href=d>4</a>
    body <a href=e>5</a> <a href=f>6</a> <a href=g.png>7</a> <a href=h>8</a>
/a.php
    type text/html; charset=iso-8859-1
    body php
/b.html
    type text/plain
    body <html>
/c.xhtml
    type application/xhtml+xml
    body x
/d
    type TEXT/HTML
    body d
/e
    type
    body <!DOCTYPE html><title>no type</title>
/f
    type
    bytes %PDF-1.4 no type
/g.png
    type image/png
    endless png
/h
    type application/json
    body {}
END
    start_playground --site "$TMP/mime.site"
    same "http://a.test/
http://a.test/a.php
http://a.test/c.xhtml
http://a.test/d
http://a.test/e" "$(saved --scope host http://a.test/ "$DIR" 1)"
    for name in b.html f g.png h; do
        same "Added IgnMime" "$(verdict http://a.test/$name)" "$name"
    done
}

@test "--max-pages saves exactly so many pages" {
    site wide <<'END'
/
    links 30 /p%d
/p1*
    delay 20ms
    body page
/p2* 404
    delay 5ms
/p*
    body page
END
    start_playground --letters --site "$TMP/wide.site"
    for n in 1 2 5 8; do
        capture letters_crawl 10 --max-pages $n
        same 3 "$STATUS" "exit status for $n"
        whole_pages $n
    done
    # No more are asked for than could be needed.
    for options in "" "--per-host 8 --threads 2" "--per-host 100 --workers 3"; do
        for n in 1 2 7 13; do
            rm -rf "$DIR" && mkdir "$DIR"
            # shellcheck disable=SC2086 # the words are the arguments
            capture crawl --delay 0 --scope host $options --max-pages $n \
                http://a.test/ "$DIR" 1
            same 3 "$STATUS" "exit status for $n, $options"
            whole_pages $n
        done
    done
    # The limit was not in the way: the crawl is complete.
    capture letters_crawl 10 --max-pages 9
    same 0 "$STATUS" "exit status for all pages"
    whole_pages 9
    capture letters_crawl 10 --max-pages 10
    same 0 "$STATUS" "exit status for more than all"
}

@test "--max-time: stop in time, even in the middle of a long pause" {
    start_playground --letters
    # What would wait on is ended after $LIMIT, with another status.
    capture crawl --delay 1h --max-time 3s "$LETTERS/index.html" "$DIR" 9
    same 3 "$STATUS" "exit status"
    whole_pages 1
    # ... or while waiting to try again.
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --connect-to ::127.0.0.1:1 \
        --retries 50 --max-time 300ms "$LETTERS/index.html" "$DIR" 9
    same 3 "$STATUS" "exit status"
    # A crawl that is done before has not been stopped.
    capture letters_crawl 10 --max-time 10m
    same 0 "$STATUS" "exit status"
    whole_pages 9
}

@test "--max-size holds to the byte, whatever the coding" {
    site size <<'END'
/
    body <a href=fits>1</a> <a href=large>2</a> <a href=gzip-fits>3</a>
    body <a href=gzip-large>4</a> <a href=chunked-fits>5</a> <a href=chunked-large>6</a>
    body <a href=endless>7</a> <a href=close-large>8</a> <a href=bomb>9</a>
/fits
    repeat 4000 x
/large
    repeat 4001 x
/gzip-fits
    repeat 4000 x
    encode gzip
/gzip-large
    repeat 4001 x
    encode gzip
/chunked-fits
    repeat 4000 x
    chunked 100
/chunked-large
    repeat 4001 x
    chunked 100
/close-large
    repeat 4001 x
    until-close
/endless
    endless x
/bomb
    repeat 20000000 x
    encode gzip
END
    start_playground --site "$TMP/size.site"
    for size in 4000 3.90625K; do
        same "http://a.test/
http://a.test/chunked-fits
http://a.test/fits
http://a.test/gzip-fits" "$(saved --scope host --max-size $size \
            http://a.test/ "$DIR" 1)" "pages for $size"
        for name in large gzip-large chunked-large close-large endless bomb; do
            same "Added IgnSize" "$(verdict http://a.test/$name)" "$name"
        done
    done
}

@test "--max-redirects allows a chain of so many and no longer" {
    site chain <<'END'
/
    body <a href=/1>1</a>
/1
    redirect /2
/2 301
    redirect 3
/3 303
    redirect http://a.test/4
/4 307
    redirect //a.test/5
/5 308
    redirect /x/../6#part
/6
    body end
END
    start_playground --site "$TMP/chain.site"
    for n in 5 6 10; do
        same "http://a.test/
http://a.test/6" "$(saved --scope host --max-redirects $n http://a.test/ \
            "$DIR" 1)" "$n redirects"
        same "http://a.test/6 1" "$(page_depths | tail -n 1)"
    done
    for n in 0 1 4; do
        same "http://a.test/" "$(saved --scope host --max-redirects $n \
            http://a.test/ "$DIR" 1)" "$n redirects"
        same IgnRedir "$(verdict http://a.test/$((n + 2)))" "$n redirects"
    done
}

@test "a redirect is judged like a link: seen, outside, a loop, the seed's own" {
    site judged <<'END'
/
    body <a href=/a>a</a> <a href=/to-a>1</a> <a href=/out>2</a> <a href=/self>3</a>
    body <a href=/ping>4</a> <a href=/nowhere>5</a> <a href=/mail>6</a> <a href=/twice>7</a>
/a
    body a
/to-a
    redirect /a
/out
    redirect http://other.test/
/self
    redirect /self
/ping
    redirect /pong
/pong
    redirect /ping
/nowhere 302
/mail
    redirect mailto:x@a.test
/twice
    redirect /a
/start
    redirect /
END
    start_playground --site "$TMP/judged.site"
    same "http://a.test/
http://a.test/a" "$(saved --scope host http://a.test/start "$DIR" 1)"
    same "http://a.test/ 0" "$(page_depths | head -n 1)" "the redirect's depth"
    same "IgnExtrn" "$(verdict http://other.test/)"
    same "Added Redirect IgnDupl" "$(verdict http://a.test/self)"
    same "Added Redirect IgnDupl" "$(verdict http://a.test/ping)"
    same "Added Failed" "$(verdict http://a.test/nowhere)"
    same "Added Failed" "$(verdict http://a.test/mail)"
    stop_playground
    same "" "$(record_column path | sort | uniq -d)" "asked for twice"
}

# --- how fast ----------------------------------------------------------------

@test "--retries: how often and after how long, by the server's record" {
    site retries <<'END'
/
    body <a href=/busy>1</a> <a href=/flaky>2</a> <a href=/cut>3</a> <a href=/gone>4</a>
    body <a href=/reset>5</a> <a href=/slow>6</a> <a href=/empty>7</a> <a href=/good>8</a>
/busy 503
/flaky 500
    times 2
/flaky
    body <a href=/deep>deep</a>
/deep
    body deep
/cut
    repeat 100 x
    cut 10
/gone 404
/reset
    repeat 100 x
    reset 0
/slow
    times 1
    delay 60s
/slow
    body quick now
/empty
/good
    body good
END
    start_playground --site "$TMP/retries.site"
    # All at once, so that the waits are one wait.
    capture crawl --delay 0 --per-host 20 --retries 2 --timeout 8s \
        --scope host http://a.test/ "$DIR" 2
    same 0 "$STATUS" "exit status"
    whole_pages 5
    same "http://a.test/ 0
http://a.test/deep 2
http://a.test/flaky 1
http://a.test/good 1
http://a.test/slow 1" "$(page_depths)"
    stop_playground
    for expected in 3:/busy 3:/flaky 3:/cut 3:/reset 2:/slow 1:/gone 1:/empty \
        1:/good 1:/deep; do
        same "${expected%:*}" "$(record_count "${expected#*:}")" "$expected"
    done
    # A second, then two.
    record_lines | sort -n | awk -F '\t' '
        $7 == "/busy" {
            if (n && $1 - end < n * 1000000) {
                print "try " n + 1 " after " $1 - end " us"
                exit 1
            }
            end = $2
            n++
        }'
}

@test "--retries 0: every page is asked for once" {
    site once <<'END'
/
    body <a href=/busy>1</a> <a href=/cut>2</a>
/busy 500
/cut
    repeat 100 x
    cut 10
END
    start_playground --site "$TMP/once.site"
    same http://a.test/ "$(saved --scope host http://a.test/ "$DIR" 1)"
    stop_playground
    same 3 "$(record_total)"
}

@test "--timeout: a page that never comes costs no more than this" {
    site slow <<'END'
/
    body <a href=/never>1</a> <a href=/drip>2</a> <a href=/good>3</a>
/never
    delay 10m
    body never
/drip
    repeat 100000 x
    drip 1 50ms
/good
    body good
END
    start_playground --site "$TMP/slow.site"
    same "http://a.test/
http://a.test/good" "$(saved --timeout 3s --per-host 3 --scope host http://a.test/ \
        "$DIR" 1)"
    same "Added Failed" "$(verdict http://a.test/never)"
    same "Added Failed" "$(verdict http://a.test/drip)"
}

# Two hosts with five pages each.
start_pair() {
    site pair <<'END'
//one.test/
    links 4 /p%d
    body <a href=http://two.test/>two</a>
//two.test/
    links 4 /p%d
/p*
    delay 30ms
    body page
END
    start_playground --site "$TMP/pair.site"
}

@test "--delay: for each host, not between hosts" {
    start_pair
    capture crawl --delay 200ms --scope any http://one.test/ "$DIR" 2
    same 0 "$STATUS"
    whole_pages 10
    stop_playground
    for host in one.test two.test; do
        gap=$(record_min_gap_ms $host)
        # As the server noted it, which may be a little late.
        [ "$gap" -ge 180 ] || fail "a pause of $gap ms on $host"
    done
    gap=$(record_min_gap_ms)
    [ "$gap" -lt 200 ] || fail "the hosts wait for each other: $gap ms"
}

@test "--per-host: never more at once, and up to that many" {
    site many <<'END'
/
    links 12 /p%d
/p*
    delay 60ms
    body page
END
    for n in 1 3; do
        start_playground --site "$TMP/many.site"
        saved --scope host --per-host $n --threads 2 http://a.test/ "$DIR" 1 \
            >/dev/null
        same 13 "$(page_count)"
        most=$(record_max_in_flight)
        [ "$most" -le $n ] || fail "$most at once with --per-host $n"
        [ "$n" -eq 1 ] || [ "$most" -gt 1 ] || fail "one after the other"
    done
}

@test "--workers: never more at once over all hosts" {
    awk 'BEGIN {
        print "//start.test/"
        for (i = 0; i < 12; i++)
            print "    body <a href=http://h" i ".test/>" i "</a>"
        print "/\n    delay 200ms\n    body page"
    }' >"$TMP/hosts.site"
    start_playground --site "$TMP/hosts.site"
    saved --scope any --workers 3 --per-host 12 http://start.test/ "$DIR" 1 >/dev/null
    same 13 "$(page_count)"
    most=$(record_max_in_flight)
    [ "$most" -le 3 ] || fail "$most at once with --workers 3"
    [ "$most" -gt 1 ] || fail "hosts one after the other"
}

@test "--threads: the result is the same with any number" {
    start_playground --letters
    letters_crawl 10 --threads 1 >"$TMP/log"
    one=$(page_depths)
    for options in "--threads 2 --per-host 8" "--threads 16" \
        "--threads 256 --workers 1" "--threads 3 --workers 2 --per-host 5"; do
        rm -rf "$DIR" && mkdir "$DIR"
        # shellcheck disable=SC2086 # the words are the arguments
        letters_crawl 10 $options >"$TMP/log"
        whole_pages 9
        same "$one" "$(page_depths)" "$options"
    done
}

@test "durations and sizes are taken as people write them" {
    start_playground --letters
    for delay in 0 0s 0ms 1ms 0.001 0.001s 0.00001m 0h; do
        capture crawl --delay $delay "$LETTERS/index.html" "$DIR" 1
        same 0 "$STATUS" "--delay $delay"
    done
    for size in 1000 1K 1k 1kb 1KB 0.5M 16M 1G; do
        capture letters_crawl 1 --max-size $size
        same 0 "$STATUS" "--max-size $size"
        whole_pages 2
    done
}

# --- about -------------------------------------------------------------------

@test "--help: on standard output, every option, whatever else is said" {
    for options in --help -h "--help $LETTERS/index.html x 99" "-qh"; do
        # shellcheck disable=SC2086 # the words are the arguments
        capture "$CRAWLER" $options
        same 0 "$STATUS" "$options"
        silent "$ERR"
        grep -q '^usage: crawler \[options\] seedURL pageDirectory maxDepth$' "$OUT"
        same "" "$(awk 'length > 79' "$OUT")" "lines over 79 columns"
        same "" "$(grep ' $' "$OUT")" "blanks at the end of a line"
    done
    for name in internal scope max-pages max-time max-size max-redirects delay \
        per-host workers threads timeout retries user-agent contact header proxy \
        connect-to cacert insecure allow-private log quiet verbose help version; do
        grep -q -- "--$name" "$OUT" || fail "no --$name in --help"
    done
    for command in url links; do
        capture "$CRAWLER" "$command" --help
        same 0 "$STATUS"
        grep -q "^usage: crawler $command" "$OUT"
    done
}

@test "--version prints the name and the version" {
    capture "$CRAWLER" --version
    same 0 "$STATUS"
    silent "$ERR"
    same "crawler $(cat "$PROJECT/VERSION")" "$(cat "$OUT")"
}

@test "exit statuses 0 to 4 are as the man page says" {
    start_playground --letters
    capture letters_crawl 1
    same 0 "$STATUS" "finished"
    rm "$DIR/2"
    mkdir "$DIR/2"
    capture letters_crawl 1
    same 1 "$STATUS" "cannot write"
    rmdir "$DIR/2"
    capture letters_crawl eleven
    same 2 "$STATUS" "wrong arguments"
    capture letters_crawl 10 --max-pages 1
    same 3 "$STATUS" "stopped before the end"
    capture crawl --delay 0 "$LETTERS/none.html" "$DIR" 1
    same 4 "$STATUS" "not a single page"
    # A page and failures beside it: finished.
    printf '%s\n' '/' '    body <a href=/gone>g</a>' >"$TMP/half.site"
    start_playground --site "$TMP/half.site"
    capture crawl --delay 0 --scope host http://a.test/ "$DIR" 1
    same 0 "$STATUS" "finished, with a failure"
}
