#!/usr/bin/env bats
# How often hosts, addresses and domains are asked, by the server's record.

load helper
load site

# short_gaps WHAT RULE_MS: of all times from the end of a request to the start
# of the next one of the same host, address or domain (the last two labels of
# a name), "N of M": how many are shorter than the rule. An overlap is shorter
# than any. The shortest is told after that, in microseconds, with its request.
short_gaps() {
    record_lines | sort -n | awk -F '\t' -v what="$1" -v rule_us=$(($2 * 1000)) '
        {
            key = $5
            if (what == "address") { key = $4; sub(/:[0-9]*$/, "", key) }
            if (what == "domain") {
                n = split($5, label, ".")
                key = label[n - 1] "." label[n]
            }
            if (key in end) {
                gaps++
                if ($1 - end[key] < rule_us) short++
                if (gaps == 1 || $1 - end[key] < least) {
                    least = $1 - end[key]
                    which = $5 $7
                }
            }
            if (!(key in end) || $2 > end[key]) end[key] = $2
        }
        END { print short + 0 " of " gaps + 0 ", the shortest " least " us: " which }'
}

# kept WHAT RULE_MS: no gap is shorter, and there were some to judge.
kept() {
    local found

    found=$(short_gaps "$@")
    [[ $found =~ ^0\ of\ [1-9] ]] || fail "gaps of a $1 under $2 ms: $found"
}

# broken WHAT RULE_MS: the judge sees that the rule was not kept.
broken() {
    local found

    found=$(short_gaps "$@")
    [[ ! $found =~ ^0\  ]] || fail "gaps of a $1 under $2 ms: $found"
}

# --- fifty hosts on three addresses ------------------------------------------

WEB=(--web manners --hosts 50 --pages 110 --skew 0 --slow 20% --slow-time 50ms
    --flaky 0 --limited 0 --errors 0 --redirects 5%)

# crawl_web OPTION...: all of it; its hosts are on three addresses.
crawl_web() {
    local rules

    start_playground "${WEB[@]}" --listen 127.0.1.1-3:0
    mapfile -t rules < <("$PLAYGROUND" connect-to "${WEB[@]}" \
        --listen "127.0.1.1-3:$PORT" | sed 's/^/--connect-to=/')
    capture "${LIMITED[@]}" "$CRAWLER" --restart "${rules[@]}" --scope any --log none \
        "$@" http://d0.example/ "$DIR" 100
    same 0 "$STATUS" "$(cat "$ERR")"
    stop_playground
    same 3 "$(record_column local_addr | sort -u | wc -l)" "addresses"
    same 50 "$(record_column host | sort -u | wc -l)" "hosts"
    whole_pages "$("$PLAYGROUND" truth "${WEB[@]}" | wc -l)"
}

@test "fifty hosts, three addresses: no gap is shorter than a rule" {
    crawl_web --order priority --delay 300ms --ip-delay 30ms
    kept host 300
    kept address 30
    kept domain 0
}

@test "fifty hosts breadth-first, more workers than hosts, two threads: no gap is shorter than a rule" {
    crawl_web --order bfs --delay 150ms --ip-delay 20ms --workers 100 --threads 2
    kept host 150
    kept address 20
    kept domain 0
}

@test "the check of gaps fails where the pauses are taken away" {
    crawl_web --order priority --delay 0 --ip-delay 0
    broken host 300
    broken address 30
}

# most_in_flight: the most requests that an address had open at once.
most_in_flight() {
    record_lines | awk -F '\t' '{
            sub(/:[0-9]*$/, "", $4)
            print $4, $1, 1
            print $4, $2, -1
        }' | sort -k1,1 -k2,2n -k3,3n | awk '
        { open[$1] += $3; if (open[$1] > most[$1]) most[$1] = open[$1] }
        END { for (address in most) print most[address] }' | sort -nu | xargs
}

@test "--delay 0 keeps the limit of fetches in flight per address" {
    crawl_web --order priority --delay 0
    same 1 "$(most_in_flight)"
    kept address 0
}

@test "--ip-delay 0 keeps the limit of fetches in flight per address" {
    crawl_web --order bfs --delay 1ms --ip-delay 0
    same 1 "$(most_in_flight)"
}

@test "--per-host raises the limit of an address, also with --delay 0" {
    crawl_web --order priority --delay 0 --per-host 3
    [[ $(most_in_flight) =~ ^[1-3](\ [23])*$ ]] || fail "$(most_in_flight)"
    broken address 0
}

@test "the check of gaps fails where only one rule is taken away" {
    crawl_web --order priority --delay 300ms --ip-delay 0
    kept host 300
    broken address 30
}

@test "by default an address rests for a fifth of a host's pause" {
    serve <<'END'
/robots.txt 404
/*
    body A page.
END
    printf 'http://h%d.example/\n' {1..8} >"$TMP/seeds"
    crawl --robots obey --scope any --delay 500ms --log none --seeds "$TMP/seeds" \
        "$DIR" 0 2>/dev/null
    same 8 "$(page_count)"
    kept host 500
    kept address 100
    # With a proxy all hosts have its address, and it is not for us to know.
    capture "$CRAWLER" --restart --robots ignore --scope any --delay 500ms --log none \
        --proxy "http://127.0.0.1:$PORT" --seeds "$TMP/seeds" "$DIR" 0
    same 0 "$STATUS"
    same 8 "$(page_count)"
    broken address 100
}

# The crawl takes them for one host; so does its server.
@test "a final dot makes no other host" {
    serve <<'END'
//example.org/robots.txt
    type text/plain
    body Crawl-delay: 0.6
/robots.txt 404
//example.org/
    body <a href=/1>.</a> <a href=http://example.org./2>.</a> <a href=http://example.org.:80/3>.</a>
/*
    body A page.
END
    crawl --robots obey --scope host --delay 200ms --ip-delay 0 --log none \
        http://example.org/ "$DIR" 1 2>/dev/null
    same 4 "$(page_count)"
    same 1 "$(record_count /robots.txt)"
    stop_playground
    [ "$(record_min_gap_ms)" -ge 600 ] || fail "$(record_min_gap_ms) ms"
}

# --- robots.txt is a fetch too -----------------------------------------------

@test "a robots.txt that moved keeps the pauses of all hosts that it leads to" {
    serve <<'END'
//a.example/robots.txt 301
    redirect /there
//a.example/there 302
    redirect http://www.a.example/robots.txt
//b.test/robots.txt 301
    redirect http://www.a.example/robots.txt
//c.test/robots.txt 301
    redirect http://d.test/robots.txt
//d.test/robots.txt 301
    redirect http://c.test/robots.txt
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/*
    links 2 /%d
    body <a href=/no>.</a>
END
    printf 'http://%s/\n' a.example www.a.example b.test c.test d.test >"$TMP/seeds"
    crawl --robots obey --scope any --delay 250ms --ip-delay 20ms --log none \
        --seeds "$TMP/seeds" "$DIR" 1 2>/dev/null
    # Those that are in a circle have no rules.
    same 17 "$(page_count)"
    same 2 "$(record_count /no)"
    kept host 250
    kept address 20
    kept domain 0
}

# --- the domain's lock -------------------------------------------------------

# two_hosts HOST HOST OPTION...: twelve slow pages on two hosts; $AT is the
# address of the second one.
two_hosts() {
    serve --listen 127.0.0.1-2:0 <<'END'
/robots.txt 404
/*
    delay 200ms
    links 5 /%d
END
    printf 'http://%s/\n' "$1" "$2" >"$TMP/seeds"
    "${LIMITED[@]}" "$CRAWLER" --connect-to "$2::${AT:-127.0.0.1}:$PORT" \
        --connect-to "::127.0.0.1:$PORT" --scope any --delay 0 --log none \
        --seeds "$TMP/seeds" --order priority "${@:3}" "$DIR" 1 2>/dev/null
    same 12 "$(page_count)"
}

@test "two hosts of one domain are never asked at once" {
    two_hosts www.one.co.uk img.one.co.uk
    same 1 "$(record_max_in_flight)"
}

@test "two domains at one address are never asked at once" {
    two_hosts www.one.co.uk www.two.co.uk
    same 1 "$(record_max_in_flight)"
}

@test "two domains at two addresses are asked at once, each of them once" {
    AT=127.0.0.2 two_hosts www.one.co.uk www.two.co.uk
    same 2 "$(record_max_in_flight)"
    same 1 "$(record_max_in_flight www.one.co.uk)"
}

@test "--per-host raises the domain's lock with the host's" {
    two_hosts www.one.co.uk img.one.co.uk --per-host 3
    same 3 "$(record_max_in_flight)"
}

# --- asked to wait -----------------------------------------------------------

# after PATH HOST: milliseconds from the end of the first answer to PATH to the
# next request of the host.
after() {
    record_lines | sort -n | awk -F '\t' -v path="$1" -v host="$2" '
        $5 != host { next }
        end && $1 >= end { print int(($1 - end) / 1000); exit }
        $7 == path { end = $2 }'
}

@test "429 and 503 with Retry-After hold the whole host, and no other" {
    serve <<'END'
/robots.txt 404
//many.example/busy 429
    times 1
    header Retry-After: 2
//down.example/busy 503
    times 1
    header Retry-After: 2
/
    body <a href=/busy>.</a>
    links 4 /%d
/*
    body A page.
END
    printf 'http://%s.example/\n' many down other >"$TMP/seeds"
    crawl --robots obey --scope any --delay 0 --log none --seeds "$TMP/seeds" \
        "$DIR" 1 2>/dev/null
    same 18 "$(page_count)"
    for host in many down; do
        wait=$(after /busy $host.example)
        [ "$wait" -ge 2000 ] || fail "$host waited $wait ms"
        same 2 "$(record_count /busy $host.example)"
        # Nobody came in between.
        same "/ /busy" "$(record_column path $host.example | grep -v robots |
            head -n 2 | xargs)"
    done
    # The others did not wait with them.
    stop_playground
    same 0 "$(tail -n +2 "$RECORD" | sort -n | awk -F '\t' '
        $5 == "many.example" && $7 == "/busy" && $8 == 429 { end = $2 + 2000000 }
        $5 == "other.example" && end && $1 > end' | wc -l)"
}

# The last try of a page counts too, and a host that never has time is given up,
# or the crawl would not end.
@test "Retry-After holds a host also without another try, over and over" {
    serve <<'END'
/robots.txt 404
/
    links 14 /%d
/* 429
    header Retry-After: 1
END
    capture crawl --scope host --delay 0 --retries 0 --log json \
        http://example.org/ "$DIR" 1
    same 0 "$STATUS"
    stop_playground
    python3 - "$RECORD" <<'END'
import sys
starts = [int(line.split("\t")[0]) for line in open(sys.argv[1]).readlines()[1:]
          if line.split("\t")[6].strip("/").isdigit()]
assert len(starts) == 10, starts
gaps = [b - a for a, b in zip(starts, starts[1:])]
assert min(gaps) >= 990000, gaps
END
}

# rests_after N: seconds, cut, from the end of the Nth request below /p/ to the
# start of the next one.
rests_after() {
    record_lines | sort -n | awk -F '\t' -v n="$1" '
        $7 !~ /^\/p\// { next }
        ++seen == n { end = $2 }
        seen == n + 1 { print int(($1 - end) / 1000000); exit }'
}

@test "ten answers of 5xx in a row make a host back off, and status says so" {
    serve <<'END'
/robots.txt 404
/
    links 30 /p/%d
/p/* 503
    times 11
/*
    body A page.
END
    "${LIMITED[@]}" "$CRAWLER" --connect-to "::127.0.0.1:$PORT" -q \
        --scope host --delay 0 --retries 0 --save-every 50ms \
        http://example.org/ "$DIR" 1 3>&- &
    crawl=$!
    # It rests for five seconds, then for ten: there is time to see it.
    until "$CRAWLER" status "$DIR" >"$TMP/status" 2>&1 &&
        grep -q '1 host backs off' "$TMP/status"; do
        kill -0 "$crawl" || fail "it ended, and status said: $(cat "$TMP/status")"
        sleep 0.1
    done
    time='20[0-9-]{8} [0-9:]{8} UTC, in [0-9.]+ s'
    grep -qE "^  waits +for example.org, which backs off: failed in the server \(5xx\), until $time$" \
        "$TMP/status" || fail "$(cat "$TMP/status")"
    grep -qxE "  slow +1 host backs off" "$TMP/status"
    grep -qxE " +example.org: failed in the server \(5xx\), until $time" "$TMP/status"
    wait "$crawl"
    # Good answers ended it: the rest of the pages are there.
    same 20 "$(page_count)"
    stop_playground
    same 32 "$(record_total)" "requests, robots.txt among them"
    [ "$(rests_after 10)" -ge 5 ] || fail "rested $(rests_after 10) s"
    [ "$(rests_after 11)" -ge 10 ] || fail "rested $(rests_after 11) s"
    "$CRAWLER" status "$DIR" >"$TMP/status"
    ! grep -q 'back' "$TMP/status" || fail "$(cat "$TMP/status")"
    "$CRAWLER" verify "$DIR"
}

@test "Retry-After may be a date" {
    local until

    until=$(($(date +%s) + 3))
    serve <<END
/robots.txt 404
/busy 503
    times 1
    header Retry-After: $(TZ=GMT LC_ALL=C date -d "@$until" '+%a, %d %b %Y %H:%M:%S GMT')
/
    body <a href=/busy>.</a> <a href=/1>.</a>
/*
    body A page.
END
    fetch 1 --retries 1
    same 3 "$(page_count)"
    # When was that by the clock of the record?
    start=$(record_lines | sort -n | awk -F '\t' '$7 == "/busy" { print $1 }' | tail -n 1)
    python3 -c '
import sys, time
start = int(sys.argv[1]) / 1e6 + time.time() - time.monotonic()
assert start >= int(sys.argv[2]) - 0.01, start - int(sys.argv[2])' "$start" "$until"
}

@test "a Retry-After without end is an hour, nonsense is none" {
    serve <<'END'
/robots.txt 404
//long.example/ 503
    header Retry-After: 99999999
//more.example/ 503
    header Retry-After: 99999999999999999999
//zeros.example/ 503
    header Retry-After: 00000000000000000002
//date.example/ 503
    header Retry-After: Fri, 31 Dec 2100 23:59:59 GMT
//past.example/ 503
    header Retry-After: Fri, 31 Dec 1999 23:59:59 GMT
//word.example/ 503
    header Retry-After: soon
//less.example/ 503
    header Retry-After: -5
//many.example/ 429
END
    printf 'http://%s.example/\n' long more zeros date past word less many >"$TMP/seeds"
    capture crawl -v --robots ignore --scope any --delay 0 --log none \
        --max-time 4s --seeds "$TMP/seeds" "$DIR" 0
    same 3 "$STATUS"
    grep -q '^crawler: http://zeros.example/: .*; again in 2.0 s$' "$ERR"
    for host in long more date; do
        grep -q "^crawler: http://$host.example/: .*; again in 3600.0 s$" "$ERR" ||
            fail "$(cat "$ERR")"
    done
    # By chance a little more than a second, than five after 429.
    for host in past word less; do
        grep -qE "^crawler: http://$host.example/: .*; again in 1.[0-3] s$" "$ERR" ||
            fail "$(cat "$ERR")"
    done
    grep -qE '^crawler: http://many.example/: .*; again in (5|6).[0-9] s$' "$ERR"
}

@test "a pause begins at the end of an answer, and errors have one too" {
    serve <<'END'
/robots.txt 404
/
    delay 300ms
    body <a href=/missing>.</a> <a href=/moved>.</a> <a href=/image>.</a>
    body <a href=/lost>.</a> <a href=/last>.</a>
/missing 404
/moved 302
    redirect /to
/image
    type image/png
    bytes x
/lost
    body A page.
    cut 2
/*
    body A page.
END
    fetch 1 --robots obey --delay 200ms
    kept host 200
    same 8 "$(record_total)"
}

# --- --max-per-domain --------------------------------------------------------

# Every third page of a domain with two hosts has trouble of its own.
capped_site() {
    serve <<'END'
/robots.txt
    type text/plain
    body User-agent: *
    body Disallow: /no
/
    links 3 /moved/%d
    links 3 /broken/%d
    links 3 /image/%d
    links 20 http://www.example.org/%d
    links 3 http://other.test/%d
    body <a href=/no>.</a>
/moved/* 302
    redirect http://example.org/to
/broken/* 503
/image/*
    type image/png
    body x
/*
    links 20 /more/%d
END
}

# domain_requests: what was asked of example.org and its hosts, but for
# robots.txt.
domain_requests() {
    record_lines | awk -F '\t' '$5 ~ /(^|\.)example\.org$/ && $7 != "/robots.txt"' |
        wc -l
}

@test "--max-per-domain is never exceeded: retries and redirects count" {
    local options

    for options in "--order bfs" "--order priority --per-host 8 --threads 2"; do
        capped_site
        # shellcheck disable=SC2086
        capture crawl --robots obey --scope any --delay 0 --retries 1 --log json \
            $options --max-per-domain 12 http://example.org/ "$DIR" 3
        same 0 "$STATUS"
        same 12 "$(domain_requests)" "with $options"
        # robots.txt of both hosts came on top.
        same 2 "$(record_lines | awk -F '\t' \
            '$5 ~ /example\.org$/ && $7 == "/robots.txt"' | wc -l)"
        # The other domain has its own twelve.
        same 12 "$(record_column path other.test | grep -vc robots.txt)"
        same "2 True" "$(python3 -c '
import json, sys
stats = json.load(open(sys.argv[1]))
print(stats["domains_capped"],
      sum(stats[table].get("domain-cap", 0)
          for table in ("by_verdict", "refused_late")) > 20)
' "$DIR/.crawler-stats.json")"
    done
}

@test "--max-per-domain 1: the seed and nothing else" {
    capped_site
    capture crawl --robots obey --scope any --delay 0 --max-per-domain 1 \
        http://example.org/ "$DIR" 3
    same 0 "$STATUS"
    same 1 "$(domain_requests)"
    same "http://example.org/ http://other.test/1" "$(page_urls | xargs)"
    grep -q 'IgnCap: http://example.org/moved/1' "$OUT"
}

@test "a page that is tried again uses up --max-per-domain" {
    serve <<'END'
/robots.txt 404
/ 503
END
    capture crawl --robots obey --scope any --delay 0 --retries 5 --log json \
        --max-per-domain 1 http://example.org/ "$DIR" 3
    same 4 "$STATUS"
    same 1 "$(domain_requests)"
    same domain-cap "$(python3 -c '
import json, sys
print(json.loads(sys.stdin.readlines()[-1])["outcome"])' <"$OUT")"
}
