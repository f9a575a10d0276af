#!/usr/bin/env bats
# Servers and pages that mean no good, and users in a hurry.

load helper

# crawl_many HOSTS: a page of each, all at once; what it took is in $TMP/memory.
crawl_many() {
    start_playground --site "$TMP/many.site"
    seq -f 'http://h%.0f.test/' 1 "$1" >"$TMP/seeds"
    capture /usr/bin/time -o "$TMP/memory" -f %M "${LIMITED[@]}" \
        "$CRAWLER" --scope any --delay 0 --per-host 100 --seeds "$TMP/seeds" --max-pages "$1" \
        --robots ignore --connect-to "::127.0.0.1:$PORT" --log none "$DIR" 1
    same 3 "$STATUS"
    whole_pages "$1"
}

# in_little_memory: the last crawl had less than 256 MB.
in_little_memory() {
    is_sanitized || [ "$(tail -n 1 "$TMP/memory")" -lt $((256 * 1024)) ] ||
        fail "$(cat "$TMP/memory") KB of memory"
}

@test "many pages of endless links at once need less than 256 MB" {
    cat >"$TMP/many.site" <<'END'
/*
    links 150000 //one.test/%d
END
    crawl_many 60
    in_little_memory
}

@test "a page whose base makes all of its links long needs little memory" {
    printf '/*\n    body <base href=/%s/>\n    links 100000 %%d\n' \
        "$(printf '%07900d' 0)" >"$TMP/many.site"
    crawl_many 1
    in_little_memory
    # What counts and what does not, together.
    same 100000 "$(python3 - "$DIR/.crawler-stats.json" <<'END'
import json, sys
links = json.load(open(sys.argv[1]))["by_verdict"]
assert set(links) == {"accept", "too-many-links"}, links
print(sum(links.values()))
END
    )"
}

# good_pages: how many pages of good.test are saved.
good_pages() {
    grep -l '^http://good' "$DIR"/[1-9]* 2>/dev/null | wc -l
}

# Two thousand wildcards that nearly match, and links to try them on: read for
# every link when it is found and again at its turn, that took minutes.
@test "a robots.txt that takes long to read slows down its own host only" {
    {
        echo //slow.test/robots.txt
        echo '    type text/plain'
        echo '    bytes User-agent: *\n'
        for ((i = 0; i < 2000; i++)); do
            echo "    bytes Disallow: /*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\\n"
        done
        cat <<END
//slow.test/
    links 5000 /$(printf '%01000d' 0 | tr 0 a)%d
//good.test/
    links 200 /%d
/robots.txt 404
/*
    body healthy
END
    } >"$TMP/slow.site"
    start_playground --site "$TMP/slow.site"
    printf 'http://%s.test/\n' slow good >"$TMP/seeds"
    "${LIMITED[@]}" "$CRAWLER" --scope any --delay 0 \
        --connect-to "::127.0.0.1:$PORT" --log none --quiet \
        --seeds "$TMP/seeds" --order priority "$DIR" 1 3>&- &
    crawl=$!
    until [ "$(good_pages)" -eq 201 ]; do
        kill -0 $crawl || fail "it ended with $(good_pages) good pages"
        sleep 0.1
    done
    # All that the other host has cost by now, in hundredths of a second of the
    # processor: a busy machine does not change that.
    cost=$(cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v parent=$crawl '$4 == parent { print $14 + $15 }') || :
    kill -TERM $crawl
    wait $crawl || STATUS=$?
    same 3 "$STATUS"
    is_sanitized || [ "$cost" -lt 500 ] || fail "$cost hundredths of a second"
}

@test "a page of endless links stops when told" {
    cat >"$TMP/many.site" <<'END'
/*
    links 300000 /x%d
END
    start_playground --site "$TMP/many.site"
    for i in $(seq 5); do echo "http://h$i.test/"; done >"$TMP/seeds"
    capture crawl --scope any --delay 0 --per-host 5 --seeds "$TMP/seeds" --max-pages 5 \
        --log none "$DIR" 1
    same 3 "$STATUS"
    whole_pages 5
    python3 - "$DIR/.crawler-stats.json" <<'END'
import json, sys
links = json.load(open(sys.argv[1]))["by_verdict"]
# Of each page 100,000 links count.
assert links == {"accept": 500000, "too-many-links": 1000000}, links
END
}

@test "a row of pages without an answer makes a host dead, one of them does not" {
    cat >"$TMP/silent.site" <<'END'
//one.test/
    links 3 /silent%d
    body <a href=/good1>x</a><a href=/good2>x</a>
//all.test/
    links 30 /silent%d
/silent*
    raw
    close
/good*
    body good
END
    start_playground --site "$TMP/silent.site"
    for host in one all; do
        crawl --scope host --delay 0 --retries 0 --log json "http://$host.test/" \
            "$DIR" 1 >"$TMP/$host"
    done
    same 3 "$(grep -c '"outcome":"fetched"' "$TMP/one")"
    stop_playground
    # The page itself and ten of thirty, then the host was given up; the first
    # of them was asked for twice, since its connection was a used one.
    [ "$(record_total all.test)" -le 12 ]
    same 30 "$(grep -c '"outcome":"connection-lost"' "$TMP/all")"
}

@test "secrets in headers go only to hosts that were named" {
    cat >"$TMP/secret.site" <<'END'
/
    body <a href=http://evil.test/a>x</a><a href=/own>x</a>
/*
    body fine
END
    start_playground --site "$TMP/secret.site" --record-headers
    crawl --scope any --delay 0 -H 'Authorization: Bearer S1' \
        -H 'Cookie: id=S2' -H 'X-Api-Key: S3' -H 'Accept-Language: de' --log none \
        http://good.test/ "$DIR" 1
    stop_playground
    same 0 "$(grep evil.test "$RECORD" | grep -cE 'S[123]')" "secrets told"
    grep evil.test "$RECORD" | grep -q 'Accept-Language: de'
    same 2 "$(grep -P '\tgood.test\t' "$RECORD" | grep -c 'S1.*S2.*S3')"
}

@test "secrets in headers go to no other port of a host that was named" {
    cat >"$TMP/secret.site" <<'END'
/robots.txt 404
/
    body <a href=http://good.test/a>x</a><a href=http://good.test:82/b>x</a><a href=/own>x</a>
/*
    body fine
END
    start_playground --site "$TMP/secret.site" --record-headers
    crawl --robots obey --scope any --delay 0 -H 'authorization: Bearer S1' \
        -H 'COOKIE: id=S2' -H 'Proxy-authorization: Basic S3' -H 'DNT: 1' \
        --log none http://good.test:81/ "$DIR" 1
    stop_playground
    same 7 "$(grep -c 'DNT: 1' "$RECORD")"
    same "/ /own /robots.txt" "$(grep -E 'S1.*S2.*S3' "$RECORD" |
        cut -f 7 | sort | xargs)"
    same 3 "$(grep -cE 'S[123]' "$RECORD")"
}

@test "behind a proxy, localhost must be named too" {
    cat >"$TMP/proxy.site" <<'END'
//seed.test/
    body <a href=http://localhost:9/a>x</a><a href=http://x.localhost/>y</a><a href=http://127.0.0.1:9/>z</a><a href=http://localhost.:9/b>w</a>
END
    start_playground --site "$TMP/proxy.site"
    "${LIMITED[@]}" "$CRAWLER" --scope any --delay 0 --retries 0 --robots ignore \
        --proxy "http://127.0.0.1:$PORT" --log json http://seed.test/ "$DIR" 1 \
        >"$TMP/log"
    stop_playground
    same 4 "$(grep -c private-address "$TMP/log")"
    same 1 "$(record_total)" "requests to the proxy"
}

@test "a .crawler that is a link is not written through, one of another is kept" {
    start_playground --letters
    echo precious >"$TMP/precious"
    ln -s ../precious "$DIR/.crawler"
    capture letters_crawl 0
    same 2 "$STATUS"
    same precious "$(cat "$TMP/precious")"
    rm "$DIR/.crawler"
    echo old >"$DIR/.crawler"
    capture letters_crawl 0
    same 2 "$STATUS"
    grep -q "^crawler: '.*/.crawler' is not the state of a crawl" "$ERR"
    same old "$(cat "$DIR/.crawler")"
    same .crawler "$(ls -A "$DIR")" "files"
    same 0 "$(record_total)" "requests"
}

@test "numbered files of somebody else are not touched" {
    start_playground --letters
    echo thesis >"$DIR/1"
    capture crawl --scope host --delay 0 "$LETTERS/index.html" "$DIR" 1
    same 2 "$STATUS"
    grep -q "has numbered files (1) but no crawl is recorded that made them" "$ERR"
    same 1 "$(ls -A "$DIR")" "files"
    same thesis "$(cat "$DIR/1")"
}

@test "a seed whose connection is refused is told as that" {
    capture "${LIMITED[@]}" "$CRAWLER" --connect-to ::127.0.0.1:1 --retries 0 \
        "$LETTERS/index.html" "$DIR" 1
    same 4 "$STATUS"
    grep -q '^crawler: not a single page could be fetched: .*connection refused' "$ERR"
}

# They hold all the memory for large bodies that there is, to the last byte but
# one, and send no more.
@test "large bodies that do not get on make room for those that do" {
    cat >"$TMP/large.site" <<'END'
/page
    repeat 300000 0123456789
    drip 60000 20ms
/*
    header Content-Length: 16000000
    repeat 1500000 0123456789
END
    start_playground --site "$TMP/large.site"
    {
        seq -f 'http://good%.0f.test/page' 8
        seq -f 'http://stuck%.0f.test/' 8
    } >"$TMP/seeds"
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --scope any \
        --connect-to "::127.0.0.1:$PORT" --delay 0 --per-host 16 --retries 0 --timeout 1m \
        --seeds "$TMP/seeds" --log json "$DIR" 0
    same 8 "$(grep -c '"outcome":"fetched"' "$OUT")"
    same 8 "$(grep -c '"outcome":"timed-out"' "$OUT")"
}

@test "many large pages at once share a budget of memory, and small ones go by" {
    cat >"$TMP/large.site" <<'END'
//small.test/
    links 50 /small%d
//small.test/*
    body small
/*
    repeat 1200000 012345678\n
    chunked
END
    start_playground --site "$TMP/large.site"
    {
        echo http://small.test/
        seq -f 'http://large%.0f.test/' 24
    } >"$TMP/seeds"
    # A sanitizer keeps what is freed; that must not count here.
    ASAN_OPTIONS=quarantine_size_mb=1 /usr/bin/time -f %M -o "$TMP/memory" \
        "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --robots ignore \
        --scope any --delay 0 --per-host 50 --timeout "${LIMIT}s" \
        --seeds "$TMP/seeds" --log none "$DIR" 1
    whole_pages 75
    # 288 MB of pages.
    same 24 "$(find "$DIR" -name '[1-9]*' -size +11M | wc -l)"
    # The thread sanitizer remembers who touched every byte.
    nm -D "$CRAWLER" | grep -q ' __tsan_init$' ||
        [ "$(tail -n 1 "$TMP/memory")" -lt 160000 ] ||
        fail "$(cat "$TMP/memory") KB"
}
