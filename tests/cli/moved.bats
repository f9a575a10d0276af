#!/usr/bin/env bats
# A seed that redirects to another host of its domain takes the scope along.

load helper
load site

start_site() {
    serve <<'END'
//example.org/
    redirect http://www.example.org/en/start
//example.org/page
    body Page
//www.example.org/en/start
    body <a href=/en/a>.</a> <a href=/b>.</a> <a href=http://example.org/page>.</a>
    body <a href=http://static.example.org/>.</a> <a href=/en/out>.</a>
//www.example.org/en/a
    body A
//www.example.org/b
    body B
//www.example.org/en/out
    redirect http://static.example.org/
//static.example.org/
    body Static
//chain.example.org/
    redirect http://chain.example.org/next
//chain.example.org/next
    redirect http://www.example.org/en/a
//away.example.org/
    redirect http://www.example.net/
//www.example.net/
    body Net
END
}

# moved: the lines on standard error that tell of it.
moved() {
    grep 'the scope is now also' "$TMP/err" || :
}

@test "--scope host: the host that a seed redirects to is crawled, and a line says so" {
    start_site
    fetch 2 2>"$TMP/err"
    same "http://example.org/page
http://www.example.org/b
http://www.example.org/en/a
http://www.example.org/en/start" "$(page_urls)"
    same "crawler: http://example.org/ redirects to http://www.example.org/en/start: the scope is now also the host of that" "$(moved)"
    # A link that redirects does not take it along.
    run -0 "$CRAWLER" why "$DIR" http://static.example.org/
    [[ ${lines[0]} == *"outside the scope of the crawl" ]] || fail "$output"
    [[ $output == *"  scope "*www.example.org* ]] || fail "$output"
    run -0 "$CRAWLER" verify "$DIR"
    fetch 2 -q 2>"$TMP/err"
    silent "$TMP/err"
}

@test "--scope prefix: the directory that a seed redirects to" {
    start_site
    fetch 2 --scope prefix 2>"$TMP/err"
    same "http://example.org/page
http://www.example.org/en/a
http://www.example.org/en/start" "$(page_urls)"
    [[ $(moved) == *"also the directory of that" ]]
}

@test "a chain of redirects takes the scope along to its end, also over a stop" {
    start_site
    fetch 2 http://chain.example.org/ 2>"$TMP/err"
    same "http://www.example.org/en/a" "$(page_urls)"
    same 1 "$(moved | wc -l)"
    rm -r "$DIR" && mkdir "$DIR"
    # Stopped in the pause between the two redirects.
    fetch 2 --delay 2s --max-time 1s http://chain.example.org/ 2>"$TMP/err" || same 3 $?
    same 0 "$(page_count)"
    "$CRAWLER" --resume --delay 0 --max-time none "$DIR" >/dev/null 2>"$TMP/err" || fail "$(cat "$TMP/err")"
    same "http://www.example.org/en/a" "$(page_urls)"
}

@test "a resume and why know the host that a seed redirected to" {
    start_site
    fetch 2 --max-pages 1 2>"$TMP/err" || same 3 $?
    run -0 "$CRAWLER" why "$DIR" http://www.example.org/new
    [[ ${lines[0]} == *"would be queued"* ]] || fail "$output"
    "$CRAWLER" --resume --max-pages none "$DIR" >/dev/null 2>"$TMP/err"
    same 4 "$(page_count)"
    same "" "$(moved)" # it was said before
}

@test "another domain and a scope of --internal stay as they are" {
    start_site
    fetch 2 http://away.example.org/ 2>"$TMP/err" || same 4 $?
    same 0 "$(page_count)"
    same "" "$(moved)"
    crawl --internal http://example.org/ --delay 0 http://example.org/ "$DIR" 2 \
        >/dev/null 2>"$TMP/err" || same 4 $?
    same 0 "$(page_count)"
    same "" "$(moved)"
    # A page that the user does not want does not move it either.
    fetch 2 --exclude '**/en/**' 2>"$TMP/err" || same 4 $?
    same "" "$(moved)"
}
