#!/usr/bin/env bats
# Cookies: who gets them, and that they are written nowhere but into the file
# that was named.

load helper
load resume
load site

# member_site: every page but the first needs the cookie that the first sets.
member_site() {
    serve <<'END'
/robots.txt 404
//example.org/
    header Set-Cookie: id=t0pS3cret; Path=/; HttpOnly
    header Set-Cookie: all=t0pS3cret2; Domain=example.org
    header Set-Cookie: stranger=t0pS3cret3; Domain=other.test
    header Set-Cookie: suffix=t0pS3cret4; Domain=org
    body <a href=/in>.</a> <a href=http://www.example.org/in>.</a> <a href=http://other.test/>.</a>
//example.org/in
    when Cookie: id=t0pS3cret
    header Set-Cookie: id=; Max-Age=0
    body <a href=/out>.</a>
//example.org/out
    when Cookie: id=
    status 500
/in
    status 403
/*
    body A page.
END
}

# cookies_sent: "host path cookies" of all requests that had some, sorted.
cookies_sent() {
    record_lines | python3 -c '
import re, sys
for line in sys.stdin:
    field = line.rstrip("\n").split("\t")
    found = re.search(r"Cookie: (.*?)(\\r|\r|$)", line)
    if found: print(field[4], field[6], found.group(1))
' | LC_ALL=C sort
}

# hidden FILE...: no value of a cookie is in any of these files and folders.
hidden() {
    ! grep -ra t0pS3cret "$@" || fail "it is told"
}

@test "without an option no cookie is kept or sent" {
    member_site
    crawl -q --scope any --delay 0 http://example.org/ "$DIR" 2
    same "" "$(cookies_sent)"
    same "http://example.org/ http://other.test/" "$(page_urls | xargs)"
}

@test "--cookie-jar sends what a site sets back to it, and to nobody else" {
    member_site
    crawl -q --scope any --delay 0 --cookie-jar http://example.org/ "$DIR" 2
    same "example.org /in id=t0pS3cret; all=t0pS3cret2
example.org /out all=t0pS3cret2
www.example.org /in all=t0pS3cret2" "$(cookies_sent)"
    same "http://example.org/ http://example.org/in http://example.org/out http://other.test/" \
        "$(page_urls | xargs)"
}

@test "cookies are in no log, no record, no archive and no report" {
    for form in tse json pages; do
        member_site
        capture crawl -v --log $form --scope any --delay 0 --cookie-jar --warc --links \
            http://example.org/ "$DIR" 2
        same 0 "$STATUS" "$(cat "$ERR")"
        hidden "$OUT" "$ERR" "$DIR"
    done
    gzip -dc "$DIR"/archive/*.warc.gz >"$TMP/warc"
    # The archive has the answers, and not even the names of their cookies.
    grep -qa '^HTTP/1.1 200' "$TMP/warc"
    hidden "$TMP/warc"
    ! grep -qai '^\(Set-\)\?Cookie:' "$TMP/warc" || fail "a cookie is kept"
    "$CRAWLER" verify "$DIR"
    for command in "status" "status --json" "export --format jsonl"; do
        # shellcheck disable=SC2086 # the words are the arguments
        "$CRAWLER" $command "$DIR" >"$TMP/report"
        hidden "$TMP/report"
    done
    # Without a jar the archive has what the server sent.
    crawl -q --scope any --delay 0 --warc --restart http://example.org/ "$DIR" 0
    gzip -dc "$DIR"/archive/*.warc.gz | grep -qa '^Set-Cookie: id=t0pS3cret'
}

@test "--cookies reads a file, --save-cookies writes one that only its owner can read" {
    member_site
    printf '%s\n' '# Netscape HTTP Cookie File' \
        $'example.org\tFALSE\t/\tFALSE\t0\tid\tt0pS3cret' \
        $'.other.test\tTRUE\t/\tFALSE\t4000000000\tmine\tt0pS3cret5' \
        $'#HttpOnly_example.org\tFALSE\t/in\tTRUE\t0\ttls\tt0pS3cret6' >"$TMP/cookies"
    crawl -q --scope any --delay 0 --cookies "$TMP/cookies" --save-cookies "$TMP/saved" \
        http://example.org/in "$DIR" 0
    same "example.org /in id=t0pS3cret" "$(cookies_sent)"
    same 600 "$(stat -c %a "$TMP/saved")"
    # That the site took back is gone; the rest is as it was.
    diff -u - <(LC_ALL=C sort "$TMP/saved") <<END
# Netscape HTTP Cookie File
#HttpOnly_example.org	FALSE	/in	TRUE	0	tls	t0pS3cret6
.other.test	TRUE	/	FALSE	4000000000	mine	t0pS3cret5
END
    # It may be the same file, and others may have been able to read it.
    chmod 644 "$TMP/cookies"
    crawl -q --scope any --delay 0 --cookies "$TMP/cookies" --save-cookies "$TMP/cookies" \
        http://example.org/ "$DIR" 0
    same 600 "$(stat -c %a "$TMP/cookies")"
    grep -qx $'#HttpOnly_example.org\tFALSE\t/\tFALSE\t0\tid\tt0pS3cret' "$TMP/cookies"
    same "" "$(find "$TMP" -name '*.tmp-*')"
    hidden "$DIR"
}

@test "a resume reads the cookies again, and curl reads what was saved" {
    member_site
    capture crawl -q --scope any --delay 0 --save-cookies "$TMP/saved" --max-pages 1 \
        http://example.org/ "$DIR" 2
    same 3 "$STATUS"
    "$CRAWLER" -q --resume --cookies "$TMP/saved" --max-pages none "$DIR"
    grep -q '^example.org /in id=t0pS3cret; all=t0pS3cret2$' <(cookies_sent)
    crawl -q --scope any --delay 0 --save-cookies "$TMP/saved" http://example.org/ "$DIR" 0
    curl -s -b "$TMP/saved" --connect-to "::127.0.0.1:$PORT" http://example.org/in |
        grep -q /out
}

@test "a resume from another directory finds the same files" {
    member_site
    mkdir "$TMP/here" "$TMP/elsewhere"
    cd "$TMP/here"
    : >none
    capture crawl -q --scope any --delay 0 --cookies none --save-cookies ../here/saved --max-pages 1 \
        http://example.org/ "$DIR" 2
    same 3 "$STATUS"
    rm saved
    cd "$TMP/elsewhere"
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    [ -s "$TMP/here/saved" ]
    same "" "$(ls -A)" "files"
}

@test "--save-cookies replaces cookies or an empty file, and nothing else" {
    member_site
    mkdir "$TMP/other"
    touch "$TMP/other/.crawler" "$TMP/other/1"
    printf 'my notes\n' >"$TMP/notes"
    cp "$TMP/notes" "$TMP/kept"
    capture crawl --scope any --delay 0 --save-cookies "$TMP/notes" http://example.org/ "$DIR" 0
    complaint "^crawler: --save-cookies '$TMP/notes': the file is there and is no file of cookies"
    cmp "$TMP/kept" "$TMP/notes"
    for name in .crawler 1; do
        capture crawl --scope any --delay 0 --save-cookies "$TMP/other/$name" http://example.org/ "$DIR" 0
        complaint "^crawler: cannot write '$TMP/other/$name': the name belongs to the crawl"
        [ ! -s "$TMP/other/$name" ]
    done
    same "" "$(ls -A "$DIR")" "files"
    : >"$TMP/empty"
    crawl -q --scope any --delay 0 --save-cookies "$TMP/empty" http://example.org/ "$DIR" 0
    [ -s "$TMP/empty" ]
}

@test "--save-cookies takes no name that this crawl will use, and finds that out at once" {
    member_site
    ln -s "$DIR" "$TMP/link"
    mkdir "$DIR/archive"
    for name in "$DIR/1" "$DIR/.crawler" "$DIR/.crawler-x" "$TMP/link/99" "$DIR/archive/cookies"; do
        capture crawl --scope any --delay 0 --save-cookies "$name" http://example.org/ "$DIR" 0
        complaint "^crawler: cannot write '$name': the name belongs to the crawl"
        same "archive" "$(ls -A "$DIR")" "files"
    done
    cd "$DIR"
    capture crawl --scope any --delay 0 --save-cookies 1 http://example.org/ . 0
    complaint "^crawler: cannot write '1': the name belongs to the crawl"
    cd "$TMP"
    capture crawl --scope any --delay 0 --create --save-cookies "$TMP/new/1" http://example.org/ "$TMP/new" 0
    complaint "^crawler: cannot write '$TMP/new/1': the name belongs to the crawl"
    [ ! -e "$TMP/new" ]
    same 0 "$(record_total)" "requests"
    # Any other name beside the pages will do.
    crawl -q --scope any --delay 0 --create --save-cookies "$TMP/new/cookies" http://example.org/ "$TMP/new" 0
    [ -s "$TMP/new/cookies" ]
}

@test "--cookies '': a crawl whose file of cookies is gone goes on without it" {
    member_site
    printf 'example.org\tFALSE\t/\tFALSE\t0\tid\tt0pS3cret\n' >"$TMP/cookies"
    capture crawl -q --scope any --delay 0 --cookies "$TMP/cookies" --max-pages 1 \
        http://example.org/ "$DIR" 2
    same 3 "$STATUS"
    rm "$TMP/cookies"
    capture "$CRAWLER" -q --resume --max-pages none "$DIR"
    complaint "^crawler: --cookies '.*/cookies': No such file or directory; --cookies '' goes on without it"
    "$CRAWLER" -q --resume --max-pages 2 --cookies '' "$DIR" || same 3 $?
    # From then on, and cookies that sites set are still sent back.
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    "$CRAWLER" verify "$DIR"
    same 0 "$(record_count /out)"
    crawl -q --scope any --delay 0 --restart --cookies '' http://example.org/ "$DIR" 2
    same 1 "$(record_count /out)"
}

@test "a wrong cookie file is one line, without what is in it" {
    start_playground --letters
    printf 'example.org\tFALSE\t/\tFALSE\t0\tid\tgood\nt0pS3cret\n' >"$TMP/bad"
    capture crawl --scope host --cookies "$TMP/bad" http://example.org/ "$DIR" 1
    complaint "^crawler: --cookies '.*/bad': line 2 is no cookie in Netscape's format"
    hidden "$ERR"
    capture crawl --scope host --cookies "$TMP/none" http://example.org/ "$DIR" 1
    complaint "^crawler: --cookies '.*/none': No such file or directory"
    capture crawl --scope host --save-cookies "$TMP/none/file" http://example.org/ "$DIR" 1
    complaint "^crawler: cannot write '.*/none/file': No such file or directory"
    mkfifo "$TMP/pipe"
    ln -s "$TMP/elsewhere" "$TMP/link"
    for file in "$TMP" "$TMP/pipe" "$TMP/link"; do
        capture crawl --scope host --save-cookies "$file" http://example.org/ "$DIR" 1
        complaint "^crawler: cannot write '$file': it is not a regular file"
    done
    [ -p "$TMP/pipe" ]
    [ -L "$TMP/link" ]
    capture crawl --scope host --cookie-jar -H 'Cookie: t0pS3cret' http://example.org/ "$DIR" 1
    complaint '^crawler: --header Cookie and a cookie jar contradict each other'
    hidden "$ERR"
    same "" "$(ls -A "$DIR")" "files"
}

# gates: pages that come only after a redirect has set a cookie.
gates() {
    serve <<'END'
/robots.txt 404
/
    body <a href=/self>.</a> <a href=/gate>.</a> <a href=/two>.</a> <a href=/other>.</a>
/self
    when Cookie: self=1
    body Self.
/self
    header Set-Cookie: self=1; Path=/self
    redirect /self
/gate
    when Cookie: gate=1
    body Gate.
/gate
    redirect /set
/set
    header Set-Cookie: gate=1
    redirect /gate
/two
    when Cookie: two=b
    body Two.
/two
    when Cookie: two=a
    header Set-Cookie: two=b; Path=/two
    redirect /two
/two
    header Set-Cookie: two=a; Path=/two
    redirect /two
/other
    body <link rel=canonical href=/self>
/p
    body A page.
END
}

@test "a redirect that sets a cookie and leads back is asked once more, with the cookie" {
    gates
    fetch 1 --cookie-jar --per-host 8 --links
    same "/ 0
/gate 1
/other 1
/self 1
/two 1" "$(pages)"
    same "2 2 1 3" "$(for path in /self /gate /set /two; do record_count $path; done | xargs)"
    run -0 "$CRAWLER" verify "$DIR"
    "$CRAWLER" report --format json "$DIR" >"$TMP/report"
    python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))["findings"]
assert not any(found[kind]["items"] for kind in ("loop", "broken", "chain") if kind in found), found
' "$TMP/report"
    run -0 "$CRAWLER" why "$DIR" http://example.org/gate
    [[ ${lines[0]} == "http://example.org/gate was fetched as page "* ]] || fail "$output"
    # Without a jar nothing is asked again.
    fetch 1 --restart
    same "/ 0
/other 1" "$(pages)"
    # A page that gave way to such a URL need not be had again.
    fetch 1 --restart --cookie-jar --canonical --delay 10ms
    same "/ 0
/gate 1
/self 1
/two 1" "$(pages)"
}

@test "a redirect back is asked again only if other cookies go with it, and not for ever" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/same>.</a> <a href=/elsewhere>.</a> <a href=/ring/1>.</a>
/same
    header Set-Cookie: no=1; Domain=other.test
    redirect /same
/elsewhere
    header Set-Cookie: no=1; Path=/far
    redirect /elsewhere
/ring/1
    header Set-Cookie: a=1
    redirect /ring/2
/ring/2
    header Set-Cookie: b=1
    redirect /ring/1
END
    fetch 1 --cookie-jar --links
    same "/ 0" "$(pages)"
    same "1 1" "$(for path in /same /elsewhere; do record_count $path; done | xargs)"
    [ "$(record_total)" -le 12 ] || fail "$(record_column path)"
    run -0 "$CRAWLER" verify "$DIR"
    run -1 "$CRAWLER" report --fail-on loop "$DIR"
    # A seed that is such a loop is told as one.
    capture crawl --scope host --delay 0 --cookie-jar --restart http://example.org/ring/1 "$DIR" 1
    same 4 "$STATUS"
    grep -q 'a redirect loop' "$ERR" || fail "$(cat "$ERR")"
}

@test "a page behind another spelling of its URL is saved once, whoever leads there with other cookies" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/x>.</a> <a href=/%7Ea>.</a> <a href=/z>.</a>
/x
    redirect /y
/y
    header Set-Cookie: a=1
    redirect /~a
/%7Ea
    redirect /~a
/~a
    body A.
/z
    body <a href=/late>.</a>
/late
    redirect /later
/later
    header Set-Cookie: b=1
    redirect /~a
END
    fetch 2 --cookie-jar
    same "/ 0
/z 1
/~a 1" "$(pages)"
    run -0 "$CRAWLER" verify "$DIR"
    # Also if it was stopped in between.
    for count in 1 2; do
        fetch 2 --restart --cookie-jar --max-pages $count || same 3 $?
        "$CRAWLER" -q --resume --max-pages none "$DIR"
        same 3 "$(page_count)" "after $count"
        run -0 "$CRAWLER" verify "$DIR"
    done
}

@test "a redirect back is asked again after a resume, and with its host's pause" {
    local seed

    for seed in self gate; do
        gates
        printf '%s\n' "http://example.org/$seed" http://example.org/p >"$TMP/seeds"
        capture crawl -q --scope host --delay 300ms --cookie-jar --max-pages 1 --restart \
            --seeds "$TMP/seeds" "$DIR" 0
        same 3 "$STATUS" "$seed"
        "$CRAWLER" -q --resume --max-pages none "$DIR"
        same "/$seed 0 /p 0" "$({ pages | grep -v ^/p; pages | grep ^/p; } | xargs)"
        run -0 "$CRAWLER" verify "$DIR"
        [ "$(record_min_gap_ms)" -ge 300 ] || fail "a gap of $(record_min_gap_ms) ms"
    done
}
