#!/usr/bin/env bats
# What the user sees of a broad crawl: the figures, the log of pages with their
# priorities, SIGUSR1, what is waited for.

load helper
load site

# stats KEY...: values of pageDirectory/.crawler-stats.json; A/B is B inside
# of A.
stats() {
    python3 -c '
import json, sys
stats = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = stats
    for part in key.split("/"):
        value = value.get(part, 0)
    print(json.dumps(value, sort_keys=True))' "$DIR/.crawler-stats.json" "$@"
}

# --- figures -----------------------------------------------------------------

trouble_site() {
    serve <<'END'
//a.example/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
//down.test/robots.txt 500
/robots.txt 404
//a.example/
    body <a href=/1>.</a> <a href=/1>.</a> <a href=/missing>.</a> <a href=/no>.</a>
    body <a href=/moved>.</a> <a href=/image>.</a> <a href=/busy>.</a>
    body <a href=/hidden>.</a> <a href=/skip rel=nofollow>.</a>
    body <a href=http://www.a.example/>.</a> <a href=http://b.test/>.</a>
    body <a href=http://down.test/1>.</a> <a href=http://down.test/2>.</a>
    body <a href=mailto:x>.</a> <a href=http://>.</a> <a href=/odd>.</a>
/missing 404
    type text/plain
/moved 302
    redirect /1
/image
    type image/png
    body x
/busy 503
    times 1
    type text/plain
/busy
    type application/xhtml+xml
    body <html></html>
/hidden
    body <meta name=robots content=noindex><a href=/2>.</a>
/odd 999
    type "odd \type"
/*
    body A page.
END
    capture crawl --robots obey --scope any --delay 0 --retries 1 --log json \
        http://a.example/ "$DIR" 1
    same 0 "$STATUS"
}

@test "the statistics agree with the server's record, with the pages and with each other" {
    trouble_site
    same "busy_ms
by_depth
by_mime
by_outcome
by_status
by_verdict
bytes
captures
domains_capped
domains_crawled
domains_seen
elapsed_ms
fetch_ms
hosts_dead
hosts_seen
idle_ms
names_resolved
noarchive
pages
pages_per_second
politeness_ms
queued
queued_in_file_max
queued_max
refused_late
requisites
retries
revisits
robots_fetched
robots_refused
sitemap_urls
urls" "$(python3 -c '
import json, sys
print("\n".join(sorted(json.load(open(sys.argv[1])))))' "$DIR/.crawler-stats.json")"
    same "$(page_count)" "$(stats pages)"
    same 5 "$(stats pages)"
    same "$(tail -qn +3 "$DIR"/[1-9]* | wc -c)" "$(stats bytes)"
    same '{"0": 1, "1": 4}' "$(stats by_depth)"
    same '{"200": 7, "302": 1, "404": 1, "999": 1}' "$(stats by_status)"
    # The two of down.test have failed for the reason that it has.
    same '{"client-error": 1, "fetched": 5, "noindex": 1, "not-html": 1, "other-status": 1, "redirected": 1, "server-error": 2}' \
        "$(stats by_outcome)"
    same '{"": 1, "application/xhtml+xml": 1, "image/png": 1, "text/html": 6, "text/plain": 1}' \
        "$(stats by_mime)"
    same '{"accept": 11, "bad-url": 1, "duplicate": 2, "nofollow": 1, "robots": 1}' \
        "$(stats by_verdict)"
    # A URL has one end: what failed was not refused as well.
    same '{}' "$(stats refused_late)"
    same '{"failed": 6, "queued": 0, "redirected": 1, "refused": 2, "saved": 5}' \
        "$(stats urls)"
    grep -qx 'URLs: 5 saved, 1 redirected, 6 failed, 2 refused, 0 queued' "$ERR"
    same "1 1" "$(stats retries robots_refused | xargs)"
    same "4 3" "$(stats hosts_seen domains_seen | xargs)"
    same "2 0 1" "$(stats domains_crawled domains_capped hosts_dead | xargs)"
    # One is looked up again after it failed, for its next address.
    same "0 5" "$(stats queued names_resolved | xargs)"
    [ "$(stats queued_max)" -ge 11 ]

    # Every request is a fetch that ended, one before another try, or robots.txt.
    ended=$(stats by_status | python3 -c '
import json, sys
print(sum(json.load(sys.stdin).values()))')
    same "$(record_total)" "$((ended + $(stats retries) + $(stats robots_fetched)))"
    same "$(record_count /robots.txt)" "$(stats robots_fetched)"
    # The log has a line for each that ended, and for those refused at the end.
    same $((ended + 2)) "$(wc -l <"$OUT")"
    # The summary says the same.
    same "crawler: 5 pages saved, $(stats bytes) bytes, 6 failed, 1 retry" \
        "$(head -n 1 "$ERR")"
    grep -q '4 hosts of 3 domains' "$ERR"
}

# ends: "saved redirected failed refused queued" of all URLs.
ends() {
    stats urls/saved urls/redirected urls/failed urls/refused urls/queued | xargs
}

@test "a URL of a dead host has failed, and was not refused" {
    # One seed, one end, whether robots.txt is asked for or not.
    for robots in obey ignore; do
        capture "$CRAWLER" --restart --robots $robots --scope host --delay 0 \
            --retries 0 --connect-to ::127.0.0.1:1 http://dead.example/ "$DIR" 0
        same 4 "$STATUS"
        same "0 0 1 0 0" "$(ends)" "$robots"
        same '{"connection-refused": 1}' "$(stats by_outcome)"
        same '{}' "$(stats refused_late)"
        grep -q ' 1 failed, 0 retries$' "$ERR"
    done
    # Two that wait when the host is given up, and two that are found later.
    serve <<'END'
/robots.txt 404
/
    body <a href=http://dead.example/1>.</a> <a href=http://dead.example/2>.</a>
    body <a href=/next>.</a>
/next
    body <a href=http://dead.example/3>.</a> <a href=http://dead.example/4>.</a>
    body <a href=http://dead.example/3>.</a>
END
    capture "$CRAWLER" --restart --robots obey --scope any --delay 0 --retries 0 \
        --connect-to dead.example::127.0.0.1:1 --connect-to "::127.0.0.1:$PORT" \
        http://example.org/ "$DIR" 2
    same 0 "$STATUS" "$(cat "$ERR")"
    same "2 0 4 0 0" "$(ends)"
    same '{"connection-refused": 4, "fetched": 2}' "$(stats by_outcome)"
}

@test "a URL that was refused at one place and fetched from another was not refused" {
    serve <<'END'
/
    body <a href=/a rel=nofollow>.</a> <a href=/b rel=nofollow>.</a>
    body <a href=http://other.example/>.</a> <a href=http://other.example/>.</a>
    body <a href=/a>.</a> <a href=/c%7E rel=nofollow>.</a> <a href=/c%7E>.</a>
    body <a href=/c%7E rel=nofollow>.</a>
/c%7E
    redirect /c~
/robots.txt 404
/*
    body A page.
END
    # Saved: /, /a and /c~, to which /c%7E leads; refused: /b. The rest of the web
    # is not counted.
    for state in file none; do
        fetch 2 --robots obey --state $state 2>/dev/null
        same "3 1 0 1 0" "$(ends)" "$state"
    done
}

@test "the statistics go on to count ends of URLs after a stop" {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/
    body <a href=/a>.</a> <a href=/no>.</a> <a href=/gone>.</a> <a href=/old>.</a>
    body <a href=http://other.example/>.</a>
/a
    body <a href=/no2>.</a> <a href=/no>.</a> <a href=http://other.example/>.</a>
/gone 404
/old
    redirect /b
/*
    body A page.
END
    fetch 3 --robots obey --max-pages 1 2>/dev/null || same 3 $?
    same "1 0 0 1 3" "$(ends)"
    capture "$CRAWLER" --resume --max-pages 100 "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    same "3 1 1 2 0" "$(ends)"
}

# times_together: busy, paused and idle, which is all there is.
times_together() {
    echo $(($(stats busy_ms) + $(stats politeness_ms) + $(stats idle_ms)))
}

@test "times in the statistics: pauses are told from work, and add up" {
    serve <<'END'
/robots.txt 404
/
    delay 300ms
    links 3 /%d
/*
    body A page.
END
    fetch 1 --robots obey --delay 500ms 2>/dev/null
    elapsed=$(stats elapsed_ms)
    # Four pauses of 500 ms; a busy machine hears of a page's end late.
    [ "$(stats politeness_ms)" -ge 400 ]
    [ "$(stats busy_ms)" -ge 300 ]
    [ "$(stats fetch_ms)" -ge 300 ]
    same "$elapsed" "$(times_together)" "busy, paused and idle"
    python3 -c '
import sys
rate, pages, ms = map(float, sys.argv[1:])
assert abs(rate - pages * 1000 / ms) < 0.01, rate' \
        "$(stats pages_per_second)" "$(stats pages)" "$elapsed"
}

@test "times of a crawl that was stopped and goes on add up too" {
    serve <<'END'
/robots.txt 404
/*
    links 5 /%d
END
    fetch 1 --robots obey --delay 20ms --max-pages 2 2>/dev/null || same 3 $?
    same "$(stats elapsed_ms)" "$(times_together)"
    before=$(stats elapsed_ms)
    capture "$CRAWLER" --resume --max-pages 1000 "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    same "$(stats elapsed_ms)" "$(times_together)"
    [ "$(stats elapsed_ms)" -ge "$before" ]
    # One that has hardly any time.
    fetch 0 --robots obey --max-time 1ms 2>/dev/null || same 3 $?
    same "$(stats elapsed_ms)" "$(times_together)"
}

@test "the statistics stay bounded with more depths, types and statuses than there is room for" {
    serve < <(
        printf '/robots.txt 404\n/\n    links 40 /type/%%d\n    body <a href=/deep/1>.</a>\n'
        for i in {1..40}; do
            printf '/type/%d\n    type x/t%d\n    body .\n' "$i" "$i"
        done
        for i in {1..80}; do
            printf '/deep/%d\n    body <a href=/deep/%d>.</a>\n' "$i" $((i + 1))
        done
        printf '/*\n    body A page.\n'
    )
    fetch 100 --robots obey 2>/dev/null
    same 82 "$(stats pages)"
    same "1 19" "$(stats by_depth/62 by_depth/63 | xargs)"
    same 40 "$(stats by_outcome/not-html)"
    # All are counted, the last ones together.
    python3 -c '
import json, sys
mime = json.load(open(sys.argv[1]))["by_mime"]
assert len(mime) == 32 and sum(mime.values()) == 122 and mime["others"] == 10
assert mime["text/html"] == 82, mime
' "$DIR/.crawler-stats.json"
}

@test "a crawl that ends early, or finds nothing, has its figures too" {
    serve <<'END'
/robots.txt 404
/gone 404
/*
    links 5 /%d
END
    fetch 1 --robots obey --max-pages 2 2>/dev/null || same 3 $?
    same "2 4" "$(stats pages queued | xargs)"
    rm -r "$DIR" && mkdir "$DIR"
    fetch 1 --robots obey http://example.org/gone 2>/dev/null || same 4 $?
    same '0 {"404": 1}' "$(stats pages by_status | xargs -d '\n')"
}

@test "the course's crawl has no statistics file" {
    start_playground --letters
    capture letters_crawl 1
    same 0 "$STATUS"
    silent "$ERR"
    [ ! -e "$DIR/.crawler-stats.json" ]
}

# --- the log of pages --------------------------------------------------------

@test "--log pages: time, priority, depth, size, URL" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/a>.</a> <a href=/missing>.</a> <a href=/moved>.</a>
/a
    body Twelve bytes
/missing 404
/moved 302
    redirect /to
/*
    body A page.
END
    crawl --robots obey --scope host --delay 0 --log pages http://example.org/ "$DIR" \
        1 >"$TMP/out" 2>/dev/null
    same "Timestamp	Priority	Depth	Size	URL" "$(head -n 1 "$TMP/out")"
    # Only what was saved, in the order of the numbers.
    same "2.00	0	61	http://example.org/
2.00	1	13	http://example.org/a
2.00	1	8	http://example.org/to" "$(tail -n +2 "$TMP/out" | cut -f 2-)"
    same "" "$(tail -n +2 "$TMP/out" | cut -f 1 |
        grep -vE '^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9](:[0-5][0-9]){2}\.[0-9]{3}Z$')"
    for id in 1 2 3; do
        same "$(sed -n 1p "$DIR/$id")" "$(sed -n $((id + 1))p "$TMP/out" | cut -f 5)"
    done
}

# priorities OPTION... ARGUMENT...: "PRIORITY URL" of a crawl with one worker,
# as it went. Behind a proxy no name is looked up, so that no host has to wait
# for that and the order is that of the scores alone.
priorities() {
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore \
        --proxy "http://127.0.0.1:$PORT" --scope any --order priority --workers 1 --delay 0 --log pages "$@" \
        2>/dev/null | tail -n +2 | cut -f 2,5 | tr '\t' ' '
}

@test "priorities as calculated by hand" {
    serve <<'END'
//a.test/
    body <a href=http://b.test/1>.</a> <a href=http://b.test/2>.</a>
    body <a href=/x>.</a> <a href=http://b.test/1>.</a> <a href=http://c.test/>.</a>
//b.test/1
    body <a href=http://a.test/x>.</a>
//a.test/x
    body <a href=http://www.c.test/>.</a> <a href=http://c.test/>.</a>
    body <a href=http://e.test/>.</a> <a href=http://d.test/>.</a>
/*
    body A page.
END
    # The seed is 10. It makes b/1 10 + 2 + 0.03, b/2 10 + 1 + 0.03, c 10 + 1 + 0.01
    # and a/x 9.9 + 1 + 0.01. b/1 makes a/x 9.9 + 2 + 0.02 and b/2 9.9 + 1 + 0.03.
    # a/x makes c 10 + 2 + 0.03, www.c 10 + 1 + 0.03, e and d 10 + 1 + 0.01; after c
    # www.c is 9.9 + 1 + 0.03, as is b/2, which is older.
    same "10.00 http://a.test/
12.03 http://b.test/1
11.92 http://a.test/x
12.03 http://c.test/
11.01 http://e.test/
11.01 http://d.test/
10.93 http://b.test/2
10.93 http://www.c.test/" "$(priorities http://a.test/ "$DIR" 5)"
}

@test "the priority of a URL that is found again rises" {
    serve <<'END'
//a.test/
    body <a href=http://b.test/>.</a> <a href=http://c.test/>.</a>
    body <a href=http://d.test/>.</a>
//b.test/
    body <a href=http://d.test/>.</a> <a href=http://d.test/>.</a>
/*
    body A page.
END
    same "10.00 http://a.test/
11.01 http://b.test/
13.03 http://d.test/
11.01 http://c.test/" "$(priorities http://a.test/ "$DIR" 5)"
}

@test "novelty falls by a tenth a fetch, and not below zero" {
    serve <<'END'
/
    links 105 /%d
/*
    body A page.
END
    priorities http://example.org/ "$DIR" 5 >"$TMP/got"
    # The domain was found 105 times, each URL once.
    {
        echo "10.00 http://example.org/"
        for i in {1..105}; do
            n=$((i < 100 ? 1000 - 10 * i : 0))
            n=$((n + 100 + 105))
            printf '%d.%02d http://example.org/%d\n' $((n / 100)) $((n % 100)) "$i"
        done
    } >"$TMP/expected"
    diff "$TMP/expected" "$TMP/got"
}

@test "failures count as fetches, robots.txt and what is refused do not" {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/
    body <a href=/missing>.</a> <a href=/no>.</a> <a href=/moved>.</a> <a href=/last>.</a>
/missing 404
/moved 302
    redirect /to
/*
    body A page.
END
    # Found: four times, and once more by the redirect. After /, /missing and
    # /moved: /last is older than /to, which is as important as /moved was.
    same "10.00 http://example.org/
10.75 http://example.org/last
10.65 http://example.org/to" \
        "$(priorities --robots obey http://example.org/ "$DIR" 5)"
}

@test "breadth-first every priority is 2" {
    start_playground --letters
    letters_crawl 10 --log pages >"$TMP/out"
    same "2.00" "$(tail -n +2 "$TMP/out" | cut -f 2 | sort -u)"
    same 9 "$(tail -n +2 "$TMP/out" | wc -l)"
}

# --- while it runs -----------------------------------------------------------

# until COMMAND...: wait until it is true.
until_true() {
    local i

    for ((i = 0; i < LIMIT * 50; i++)); do
        if "$@"; then
            return
        fi
        sleep 0.02
    done
    fail "did not come true: $*"
}

@test "SIGUSR1 prints the figures and stops nothing" {
    serve <<'END'
/robots.txt 404
/
    links 2 /%d
/hold
    body .
/*
    body A page.
END
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 1s \
        --log pages http://example.org/ "$DIR" 1 >"$TMP/out" 2>"$TMP/err" 3>&- &
    crawler=$!
    until_true [ -e "$DIR/1" ]
    kill -USR1 $crawler
    until_true grep -q '^links by verdict' "$TMP/err"
    grep -q '^crawler: 1 page saved, ' "$TMP/err" || fail "$(cat "$TMP/err")"
    grep -q '^  fetched  *1$' "$TMP/err"
    grep -qE '2 queued \(at most 2\)' "$TMP/err"
    kill -USR1 $crawler
    wait $crawler
    same 3 "$(page_count)"
    # Once for each signal and once at the end.
    same 3 "$(grep -c '^crawler: [0-9] pages\? saved, ' "$TMP/err")"
    same 4 "$(wc -l <"$TMP/out")"
}

@test "SIGUSR1 works for the course's crawl" {
    start_playground --letters
    "$CRAWLER" --connect-to "::127.0.0.1:$PORT" "$LETTERS/index.html" "$DIR" 1 \
        >"$TMP/out" 2>"$TMP/err" 3>&- &
    crawler=$!
    until_true [ -e "$DIR/1" ]
    kill -USR1 $crawler
    wait $crawler
    same 1 "$(grep -c '^crawler: [0-9] pages\? saved, ' "$TMP/err")"
    same 2 "$(page_count)"
}

# on_terminal OPTION... ARGUMENT...: the crawler on a terminal; the progress
# lines that it showed, one a line.
on_terminal() {
    local words

    words=$(printf '%q ' "$CRAWLER" --restart --connect-to "::127.0.0.1:$PORT" --log none "$@")
    timeout "$LIMIT" script -qec "stty cols 200 rows 24; $words" /dev/null \
        </dev/null 2>&1 | tr '\r' '\n' | sed $'s/\033\\[K.*//'
}

@test "the progress line tells what is waited for" {
    serve <<'END'
//down.test/robots.txt 503
/robots.txt 404
//busy.test/ 503
    times 1
/*
    links 1 /%d
END
    on_terminal --scope host --delay 700ms http://pause.test/ "$DIR" 1 >"$TMP/lines" || :
    grep -qE ', waiting 0\.[0-9] s for pause\.test$' "$TMP/lines" ||
        fail "$(cat -v "$TMP/lines")"
    on_terminal --scope host --delay 0 --retries 1 http://busy.test/ "$DIR" 0 \
        >"$TMP/lines" || :
    grep -qE ', trying busy\.test again in [01]\.[0-9] s$' "$TMP/lines" ||
        fail "$(cat -v "$TMP/lines")"
    on_terminal --scope host --delay 0 --retries 1 http://down.test/ "$DIR" 0 \
        >"$TMP/lines" || :
    grep -qE ', down\.test is in trouble, again in [01]\.[0-9] s$' "$TMP/lines" ||
        fail "$(cat -v "$TMP/lines")"
}
