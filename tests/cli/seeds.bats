#!/usr/bin/env bats
# --seeds: URLs from a file or from standard input.

load helper
load site

# start_web: every path of every host is a page with two links, one of them to
# another host.
start_web() {
    serve <<'END'
/robots.txt 404
/*
    body <a href=/next>.</a> <a href=http://other.example/>.</a>
END
}

# seeds OPTION... ARGUMENT...: crawl with --seeds $TMP/seeds; sets STATUS, OUT,
# ERR.
seeds() {
    capture crawl --delay 0 --retries 0 --log json --seeds "$TMP/seeds" "$@"
}

# complaints: what standard error says of lines, without the file's name.
complaints() {
    { grep -F ': skipped: ' "$ERR" || :; } |
        sed "s|^crawler: $TMP/seeds:||; s|: skipped: .*||" | xargs
}

@test "--seeds: one URL a line; comments, empty lines, blanks and line ends" {
    start_web
    printf '%s\n' '# a comment' '' 'http://a.example/' $'\thttp://b.example/x \r' \
        '   # indented' '  ' '#http://no.example/' 'HTTP://C.example:80/y#z' \
        >"$TMP/seeds"
    printf 'http://d.example/last' >>"$TMP/seeds"
    seeds --scope any "$DIR" 0
    same 0 "$STATUS"
    same "http://a.example/
http://b.example/x
http://c.example/y
http://d.example/last" "$(page_urls)"
    same "" "$(complaints)"
    # They have no referrer and no depth.
    same 4 "$(grep -c '"depth":0,.*"referrer":null' "$OUT")"
}

@test "a URL that is in the seeds file twice is fetched once" {
    start_web
    printf 'http://a.example/%s\n' x '' 'x#part' ./x 'y/../x' x >"$TMP/seeds"
    seeds --scope any http://a.example/x "$DIR" 0
    same 0 "$STATUS"
    same "/ /x" "$(record_column path | LC_ALL=C sort | xargs)"
}

@test "bad lines of a seeds file are reported with their number and skipped" {
    start_web
    {
        echo http://a.example/
        echo nonsense
        echo '# fine'
        echo ftp://b.example/
        echo http://
        echo
        printf 'http://c.example/\0hidden\n'
        echo "http://d.example/$(head -c 20000 /dev/zero | tr '\0' x)"
        head -c 2000000 /dev/zero | tr '\0' y
        echo
        echo http://e.example:99999/
        echo 'http://f.example/' 'http://g.example/'
        echo /relative
        echo http://last.example/
    } >"$TMP/seeds"
    seeds --scope any "$DIR" 0
    same 0 "$STATUS"
    same "2 4 5 8 9 10 12" "$(complaints)"
    same 1 "$(page_urls | grep -c last.example)"
    # Every complaint is one line of reasonable length.
    [ "$(awk '{ print length($0) }' "$ERR" | sort -n | tail -n 1)" -lt 300 ]
}

@test "a host where a URL should begin is taken as http, in a file and as seedURL" {
    start_web
    # text:URL, which is empty where it is no seed
    cases='example.org:http://example.org/
www.example.org/a?b#c:http://www.example.org/a?b
Example.ORG.:http://example.org./
example.org|8080:http://example.org|8080/
example.org?x:http://example.org/?x
localhost/x:http://localhost/x
192.0.2.7|80/:http://192.0.2.7/
[2001|db8||1]|81/x:http://[2001|db8||1]|81/x
word:
index:
.hidden:
/relative.html:
../up.html:
mailto|a@example.org:
user|pw@example.org:
example.org|x/:
ftp|//example.org/:
javascript|a.b:'
    # A colon is written as '|' there.
    while IFS=: read -r text url; do
        text=${text//|/:} url=${url//|/:}
        printf '%s\n' "$text" >"$TMP/seeds"
        rm -rf "$DIR" && mkdir "$DIR"
        seeds --scope any "$DIR" 0
        same "$url" "$(page_urls)" "in a file: $text"
        capture crawl --delay 0 --retries 0 --scope any "$text" "$DIR" 0
        same "$url" "$(page_urls)" "as an argument: $text"
        [ -n "$url" ] || same 2 "$STATUS" "$text"
    done <<<"$cases"
}

@test "a seeds file may begin with a byte order mark" {
    start_web
    printf '\xef\xbb\xbfhttp://a.example/\r\nhttp://b.example/\r\n' >"$TMP/seeds"
    seeds --scope any "$DIR" 0
    same "" "$(complaints)"
    same 2 "$(page_count)"
}

@test "--seeds - is standard input" {
    start_web
    printf 'http://a.example/\nbad\nhttp://b.example/\n' |
        crawl --delay 0 --seeds - --scope any --log none "$DIR" 0 2>"$TMP/err"
    same 2 "$(page_count)"
    grep -q '^crawler: -:2: skipped: ' "$TMP/err"
    # A pipe that comes slowly is read to its end before anything is asked.
    { echo http://c.example/ && sleep 0.3 && echo http://d.example/; } |
        crawl --delay 0 --seeds - --scope any --log none "$DIR" 0 2>/dev/null
    same 2 "$(page_count)"
    capture crawl --delay 0 --seeds - --scope any "$DIR" 0 # </dev/null
    same 2 "$STATUS"
}

@test "--seeds with no such file, no file, no URL in it: exit 2 and nothing written" {
    start_web
    bad() {
        rm -rf "$DIR" && mkdir "$DIR"
        capture crawl --delay 0 --seeds "$@"
        same 2 "$STATUS" "exit status of $*"
        silent "$OUT"
        same "" "$(ls -A "$DIR")" "what is in the directory"
    }
    bad "$TMP/missing" --scope any "$DIR" 0
    same "crawler: --seeds '$TMP/missing': No such file or directory" "$(cat "$ERR")"
    bad "$TMP/missing" --scope any http://a.example/ "$DIR" 0
    bad "$TMP" --scope any "$DIR" 0
    grep -q 'Is a directory' "$ERR"
    bad "" --scope any "$DIR" 0
    : >"$TMP/seeds"
    bad "$TMP/seeds" --scope any "$DIR" 0
    grep -q 'no URL' "$ERR"
    printf '# only\n\n# comments\n' >"$TMP/seeds"
    bad "$TMP/seeds" --scope any "$DIR" 0
    printf 'only\nnonsense\n' >"$TMP/seeds"
    bad "$TMP/seeds" --scope any "$DIR" 0
    same "1 2" "$(complaints)"
    echo http://a.example/ >"$TMP/seeds"
    bad "$TMP/seeds" --scope any "$DIR"
    bad "$TMP/seeds" --scope any "$DIR" none
    bad "$TMP/seeds" --scope any "$TMP/nowhere" 0
    same 0 "$(record_total)"
}

@test "an empty seeds file beside seedURL is no error" {
    start_web
    : >"$TMP/seeds"
    seeds --scope any http://a.example/ "$DIR" 0
    same 0 "$STATUS"
    same http://a.example/ "$(page_urls)"
}

@test "--seeds beside seedURL: both are fetched, and each makes its own scope" {
    start_web
    printf 'http://%s.example/dir/\n' a b >"$TMP/seeds"
    seeds --scope host http://c.example/dir/ "$DIR" 2
    same 0 "$STATUS"
    # Not other.example, which is nobody's host.
    same "$(printf 'http://%s.example/dir/\nhttp://%s.example/next\n' a a b b c c)" \
        "$(page_urls)"
    seeds --scope prefix http://c.example/dir/ "$DIR" 2
    same 3 "$(page_count)"
    printf 'http://www.a.example/\nhttp://b.example/\n' >"$TMP/seeds"
    seeds --scope domain "$DIR" 2
    same 4 "$(page_count)"
    echo http://www.other.example/ >>"$TMP/seeds"
    seeds --scope domain "$DIR" 2
    # other.example is of the third one's domain.
    same 8 "$(page_count)"
}

@test "--internal: other lines of a seeds file are skipped" {
    start_web
    printf 'http://%s.example/dir/x\n' a b c >"$TMP/seeds"
    seeds --internal http://b.example/dir/ "$DIR" 1
    same 0 "$STATUS"
    same "1 3" "$(complaints)"
    same http://b.example/dir/x "$(page_urls)"
}

@test "--seeds without --scope crawls the course's playground only" {
    start_playground --letters
    printf '%s\n' "$LETTERS/A.html" http://a.example/ "$LETTERS/B.html" \
        "$LETTERS/picture.gif" >"$TMP/seeds"
    capture crawl --delay 0 --seeds "$TMP/seeds" "$DIR" 0
    same 0 "$STATUS"
    same "2 4" "$(complaints)"
    same 2 "$(page_count)"
    capture crawl --delay 0 --seeds "$TMP/seeds" "$DIR" 11
    same 2 "$STATUS"
}

@test "a host in the seeds file is trusted: it may be private" {
    start_web
    echo "http://127.0.0.1:$PORT/x" >"$TMP/seeds"
    capture "$CRAWLER" --delay 0 --seeds "$TMP/seeds" --scope any --retries 0 \
        --log json "$DIR" 1
    same 0 "$STATUS" "$(cat "$ERR")"
    same "http://127.0.0.1:$PORT/next
http://127.0.0.1:$PORT/x" "$(page_urls)"
}

@test "seeds of the same importance come in the order of the file" {
    start_web
    for i in {30..1}; do
        echo "http://d$i.example/"
    done >"$TMP/seeds"
    seeds --scope any --order priority --workers 1 "$DIR" 0
    same 0 "$STATUS"
    cut -d / -f 3 "$TMP/seeds" >"$TMP/expected"
    record_column host >"$TMP/got"
    cmp "$TMP/expected" "$TMP/got"
}

@test "a seeds file of ten thousand lines is read whole" {
    start_web
    for ((i = 0; i < 10000; i++)); do
        echo "http://h$((i % 1000)).d$((i % 100)).example/$((i % 3000))"
    done >"$TMP/seeds"
    capture crawl --delay 0 --per-host 4 --scope host --log none \
        --seeds "$TMP/seeds" "$DIR" 0
    same 0 "$STATUS"
    same 3000 "$(page_count)"
    LC_ALL=C sort -u "$TMP/seeds" | cmp - <(page_urls)
    grep -q '1000 hosts of 100 domains' "$ERR" || fail "$(cat "$ERR")"
}
