#!/usr/bin/env bats
# --canonical: a page that names another URL as its own gives way to it.

load helper
load site

@test "--canonical: pages with one canonical are saved once, under that URL" {
    serve <<'END'
/
    body <a href=/p?a=1>.</a> <a href=/p?a=2>.</a> <a href=/q>.</a> <a href=/own>.</a>
/p?a=1
    body <link rel=canonical href=/p><a href=/deep>.</a>
/p?a=2
    body <link rel="x CANONICAL" href="http://example.org/p#top">
/p
    body <link rel=canonical href=/p>P
/q
    header Link: </other>; rel="next", <p>; title="a, <b>"; rel=canonical
    body Q
/own
    body <link rel=canonical href=http://other.example/>Own
/deep
    body Deep
END
    fetch 2 --canonical --workers 1
    same "/ 0
/deep 2
/own 1
/p 1" "$(pages)"
    same "/ fetched
/deep fetched
/own fetched
/p fetched
/p?a=1 canonical
/p?a=2 canonical
/q canonical" "$(outcomes)"
    run -0 "$CRAWLER" why "$DIR" 'http://example.org/p?a=1'
    same "http://example.org/p?a=1 was fetched and not saved: it names http://example.org/p as its own" "${lines[0]}"
    [[ $output == *"  then      http://example.org/p was fetched as page "* ]] || fail "$output"
    run -0 "$CRAWLER" verify "$DIR"
    # Without the option all are saved.
    fetch 2
    same 6 "$(page_count)"
}

@test "--canonical: a hint that is wrong loses no page" {
    serve <<'END'
/
    body <a href=/slash/>.</a> <a href=/slash>.</a> <a href=/gone/1>.</a>
    body <a href=/gone/2>.</a> <a href=/a>.</a> <a href=/b>.</a>
    body <a href=/1>.</a> <a href=/excluded>.</a>
/slash/
    body <link rel=canonical href=/slash>Slash
/slash
    redirect /slash/
/gone/1
    body <link rel=canonical href=/gone>One
/gone/2
    body <link rel=canonical href=/gone>Two
/gone 404
/a
    body <link rel=canonical href=/b>A
/b
    body <link rel=canonical href=/a>B
/1
    body <link rel=canonical href=/2>1
/2
    body <link rel=canonical href=/3>2
/3
    redirect /4
/4 500
/excluded
    body <link rel=canonical href=/no/x>Excluded
END
    fetch 1 --canonical --workers 1 --exclude '**/no/**'
    same "/ 0
/2 1
/b 1
/excluded 1
/gone/1 1
/slash/ 1" "$(pages)"
    run -0 "$CRAWLER" verify "$DIR"
    run -0 "$CRAWLER" why "$DIR" http://example.org/gone/1
    [[ ${lines[0]} == "http://example.org/gone/1 was fetched as page "* ]] || fail "$output"
}

@test "--canonical: a page gives way to a URL that is in flight, and is kept if that fails" {
    serve <<'END'
/
    body <a href=/a>.</a> <a href=/b>.</a> <a href=/c>.</a> <a href=/gone>.</a>
    body <a href=/x>.</a> <a href=/y>.</a>
/a
    body <link rel=canonical href=/b>A
/b
    delay 500ms
    body B
/c
    body <link rel=canonical href=/gone>C
/gone 404
    delay 500ms
/x
    body <link rel=canonical href=/y>X
/y
    delay 500ms
    body <link rel=canonical href=/x>Y
END
    fetch 1 --canonical --per-host 8
    same "/ 0
/b 1
/c 1
/y 1" "$(pages)"
    same 2 "$(record_count /c)"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "--canonical: the links of a page that gave way in vain are recorded once" {
    serve <<'END'
/
    body <a href=/copy>.</a>
/copy
    body <link rel=canonical href=/gone><a href=/next>next</a>
/gone 404
/next
    body Next.
END
    fetch 2 --canonical --links
    same "/ 0
/copy 1
/next 2" "$(pages)"
    same "http://example.org/	http://example.org/copy
http://example.org/copy	http://example.org/next" \
        "$(sqlite3 -tabs "$DIR/.crawler" 'SELECT source, target FROM links ORDER BY 1, 2')"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "--canonical: an endless chain ends with --max-redirects, and its last page is kept" {
    local i

    for i in {0..20}; do
        printf '/%d\n    body <link rel=canonical href=/%d>%d\n' "$i" $((i + 1)) "$i"
    done >"$TMP/chain"
    serve <"$TMP/chain"
    fetch 1 --canonical --max-redirects 3 http://example.org/0
    same "/3 0" "$(pages)"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "--canonical: a stop at any page changes nothing of the end" {
    local i

    serve <<'END'
/
    body <a href=/p/1>.</a> <a href=/p/2>.</a> <a href=/gone/1>.</a> <a href=/gone/2>.</a>
    body <a href=/last>.</a>
/p/1
    body <link rel=canonical href=/p>1
/p/2
    body <link rel=canonical href=/p>2
/p
    body P
/gone/1
    body <link rel=canonical href=/gone>One
/gone/2
    body <link rel=canonical href=/gone>Two
/gone 404
/last
    body Last
END
    fetch 1 --canonical --workers 1 --max-pages 1 || same 3 $?
    for i in 2 3 4; do
        "$CRAWLER" -q --resume --max-pages "$i" "$DIR" || same 3 $?
        run -0 "$CRAWLER" verify "$DIR"
    done
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    same "/ 0
/gone/1 1
/last 1
/p 1" "$(pages)"
    run -0 "$CRAWLER" verify "$DIR"
}
