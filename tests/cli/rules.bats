#!/usr/bin/env bats
# --include, --exclude, --exclude-from, --strip-query: which URLs are crawled,
# and what is said of those that are not.

load helper
load site

# start_site: pages that rules tell apart.
start_site() {
    serve <<'END'
/
    body <a href=/docs/a>.</a> <a href=/docs/private/b>.</a> <a href=/blog/c>.</a>
    body <a href=/blog/c?page=2>.</a> <a href=/moved>.</a>
/docs/a
    body <a href=/docs/d>.</a> <a href=/blog/e>.</a>
/docs/d
    body D
/docs/private/b
    body B
/blog/c
    body C
/blog/e
    body E
/moved
    redirect /blog/e
END
}

@test "--exclude leaves pages out, with a verdict in the log and in the figures" {
    start_site
    fetch 3 --exclude '**/private/**' --exclude 're:[?&]page=\d+$' 2>"$TMP/err"
    same "/ 0
/blog/c 1
/blog/e 1
/docs/a 1
/docs/d 2" "$(pages)"
    same 2 "$(python3 -c '
import json, sys
print(sum(json.loads(line)["links"].get("excluded", 0) for line in open(sys.argv[1])))' \
        "$TMP/log")" "excluded links"
    same 2 "$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["by_verdict"]["excluded"])' \
        "$DIR/.crawler-stats.json")" "in the figures"
    same 0 "$(record_count /docs/private/b)" "requests"
    crawl --scope host --delay 0 --exclude '**/private/**' http://example.org/ \
        "$DIR" 1 >"$TMP/tse"
    grep -q ' 0   IgnExcl: http://example.org/docs/private/b' "$TMP/tse" ||
        fail "$(cat "$TMP/tse")"
}

@test "the last rule that matches decides; a seed that is named is fetched anyway" {
    start_site
    fetch 3 --exclude '**' --include 'http://example.org/docs/**' \
        --exclude '**/private/**'
    same "/ 0
/docs/a 1
/docs/d 2" "$(pages)"
    # The other way round the first two have no effect.
    fetch 3 --exclude '**/private/**' --exclude '**' || same 0 $?
    same "/ 0" "$(pages)"
}

@test "a redirect to a URL that is left out is not followed, and the end says why" {
    start_site
    fetch 1 --exclude '**/blog/**'
    same "/moved redirected" "$(outcomes | grep moved)"
    same 0 "$(record_count /blog/e)" "requests"
    run ! fetch 1 --exclude '**/blog/**' http://example.org/moved
    fetch 1 --exclude '**/blog/**' http://example.org/moved 2>"$TMP/err" || same 4 $?
    grep -qF "the rule is --exclude '**/blog/**'" "$TMP/err" || fail "$(cat "$TMP/err")"
}

@test "why names the rule that decided, of URLs that were seen and of others" {
    start_site
    fetch 3 --exclude '**/blog/**' --include '**/blog/e' --exclude 're:private'
    run -0 "$CRAWLER" why "$DIR" http://example.org/blog/c
    same "http://example.org/blog/c was refused: excluded by a rule of the user
  rule      --exclude '**/blog/**'
  found     on page 1, http://example.org/" "$output"
    run -0 "$CRAWLER" why "$DIR" http://example.org/other/private
    same "http://example.org/other/private was never seen; would be refused: excluded by a rule of the user
  rule      --exclude 're:private'" "$output"
    run -0 "$CRAWLER" why "$DIR" http://example.org/2/blog/e
    same "http://example.org/2/blog/e was never seen; would be queued if a page of depth 2 or less linked to it
  rule      --include '**/blog/e'" "$output"
    run -0 "$CRAWLER" verify "$DIR"
}

@test "a regular expression that explodes is bounded, counted and explained" {
    local long

    long=$(printf 'a%.0s' {1..5000})
    serve <<END
/
    body <a href=/$long>.</a> <a href=/b>.</a>
/b
    body B
END
    fetch 1 --exclude 're:/(a+)+[bc]$'
    same "/ 0
/b 1" "$(pages)"
    same 1 "$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["by_verdict"]["rule-limit"])' \
        "$DIR/.crawler-stats.json")" "in the figures"
    run -0 "$CRAWLER" why "$DIR" "http://example.org/$long"
    same "  rule      --exclude 're:/(a+)+[bc]\$' cannot be decided within its limits" \
        "${lines[1]}"
}

@test "--exclude-from: the record has the patterns, a resume does not need the file" {
    start_site
    printf '%s\n' '# comment' '' '  **/private/**  ' 're:blog' >"$TMP/patterns"
    fetch 3 --max-pages 1 --exclude-from "$TMP/patterns" || same 3 $?
    rm "$TMP/patterns"
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    same "/ 0
/docs/a 1
/docs/d 2" "$(pages)"
    run -0 "$CRAWLER" why "$DIR" http://example.org/blog/c
    same "  rule      --exclude 're:blog'" "${lines[1]}"
}

@test "rules are fixed once the crawl has begun, and so is their order" {
    start_site
    fetch 3 --max-pages 1 --exclude '**/blog/**' --include '**/e' || same 3 $?
    capture "$CRAWLER" --resume --exclude '**/x' "$DIR"
    same 2 "$STATUS"
    grep -qF -- '--exclude=**/x cannot change once the crawl has begun' "$ERR"
    # The same again is no change, and keeps the order of the record.
    "$CRAWLER" -q --resume --max-pages 2 --exclude '**/blog/**' "$DIR" || same 3 $?
    run -0 "$CRAWLER" why "$DIR" http://example.org/blog/e
    [[ $output != *"refused"* ]] || fail "$output"
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --log json --scope host \
        --retries 0 --connect-to "::127.0.0.1:$PORT" --delay 0 \
        --include '**/e' --exclude '**/blog/**' http://example.org/ "$DIR" 3
    same 2 "$STATUS" "another order"
}

@test "wrong patterns: one line with the place, status 2, nothing is written" {
    local row pattern text

    while IFS=$'\t' read -r pattern text; do
        capture "$CRAWLER" --scope host --exclude "$pattern" http://example.org/ "$DIR" 1
        same 2 "$STATUS" "$pattern"
        same "crawler: --exclude '$pattern': $text" "$(cat "$ERR")"
        silent "$OUT"
        same "" "$(ls -A "$DIR")"
    done <<'END'
re:(a	missing closing parenthesis (at character 3)
re:[z-a]	range out of order in character class (at character 4)
http://h/\	nothing follows the \ (at character 10)
*.pdf	no URL begins so; begin with http://, https:// or ** (at character 1)
/docs/**	no URL begins so; begin with http://, https:// or ** (at character 1)
END
    capture "$CRAWLER" --scope host --include '**/a' http://example.org/ "$DIR" 1
    same 2 "$STATUS"
    same "crawler: --include '**/a' has no effect: without an --exclude before it every URL is included; --exclude '**' before it crawls only these" "$(cat "$ERR")"
    printf '**/a\nre:(\n' >"$TMP/patterns"
    capture "$CRAWLER" --scope host --exclude-from "$TMP/patterns" http://example.org/ "$DIR" 1
    same 2 "$STATUS"
    same "crawler: $TMP/patterns:2: 're:(': missing closing parenthesis (at character 2)" "$(cat "$ERR")"
    echo '# nothing' >"$TMP/patterns"
    for row in "$TMP/patterns" "$TMP/missing"; do
        capture "$CRAWLER" --scope host --exclude-from "$row" http://example.org/ "$DIR" 1
        same 2 "$STATUS"
        same 1 "$(wc -l <"$ERR")" "lines"
    done
}

@test "crawler url --check: the verdict and the rule for each line" {
    same "excluded	--exclude **	http://h/a
included	--include http://h/b/**	http://h/b/c?d
! no scheme
undecided	--exclude re:(x+x+)+[yz]	http://h/x..." "$(
        printf '%s\n' HTTP://h:80/a 'http://h/b/./c?d&sid=1#e' c \
            "http://h/$(printf 'x%.0s' {1..3000})" |
            "$CRAWLER" url --check --exclude '**' --include 'http://h/b/**' \
                --exclude 're:(x+x+)+[yz]' --strip-query sid |
            sed 's/^! no scheme.*/! no scheme/; s/xx*$/x.../')"
    capture "$CRAWLER" url --exclude '**'
    same 2 "$STATUS"
    capture "$CRAWLER" url --check
    same 2 "$STATUS"
}

@test "--strip-query: addresses that differ in such keys are one page" {
    serve <<'END'
/
    body <a href="/p?id=1&utm_source=a">.</a> <a href="/p?utm_source=b&id=1">.</a>
    body <a href="/p?id=1#x">.</a> <a href="/p?id=2&sid=7">.</a> <a href=/moved>.</a>
/p?id=1
    body One
/p?id=2
    body Two
/moved
    redirect /q?sid=1
/q
    body Q
END
    fetch 1 --strip-query tracking,sid 'http://example.org/?utm_medium=x'
    same "/ 0
/p?id=1 1
/p?id=2 1
/q 1" "$(pages)"
    run -0 "$CRAWLER" why "$DIR" 'http://example.org/p?gclid=3&id=1'
    [[ ${lines[0]} == "http://example.org/p?id=1 was fetched as page "* ]] || fail "$output"
    capture "$CRAWLER" --scope host --strip-query a,,b http://example.org/ "$DIR" 1
    same 2 "$STATUS"
    same "crawler: --strip-query 'a,,b': a key is empty" "$(cat "$ERR")"
    for keys in sid=1 'a,b&c' '#x'; do
        capture "$CRAWLER" --scope host --strip-query "$keys" http://example.org/ "$TMP" 1
        same 2 "$STATUS"
        same "crawler: --strip-query '$keys': no key has a &, = or #" "$(cat "$ERR")"
    done
}

@test "--strip-query: a redirect that only adds such a key is followed as it stands" {
    serve <<'END'
/
    body <a href=/in>.</a>
/in?sid=1
    body In <a href=/in?sid=2>.</a>
/in?sid=2
    body Never
/in
    redirect /in?sid=1
END
    fetch 3 --strip-query sid
    same "/ 0
/in?sid=1 1" "$(pages)"
}

@test "the man page lists the keys of tracking as they are" {
    local listed

    listed=$(sed -n '/"utm_\*/,/;/p' "$PROJECT/src/url/query.c" | tr -cd 'A-Za-z_* \n' |
        tr -s ' \n' ' ' | sed 's/^ *return STR//; s/^ //; s/ $//')
    [[ $listed == "utm_* "*" pk_*" ]] || fail "$listed"
    tr -s ' \n' ' ' <"$PROJECT/docs/crawler.1" | grep -qF "stands for $listed." ||
        fail "the man page has other keys than: $listed"
}
