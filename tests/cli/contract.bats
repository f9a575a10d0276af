#!/usr/bin/env bats
# The contract of the CS50 crawler: what is fetched, what is saved, how fast.
# The tests called "plan:" are those of the design specification.

load helper
load bare

# The links of the letters site, by the table in its description. The directory
# is a page of its own with the content of index.html.
GRAPH='letters/:A
index:A
A:B index
B:C D E index
C:D index
D:index
E:F G A index
F:H index
G:H index
H:B index'

# letters_within PAGE DEPTH: "URL DEPTH" of all pages in reach, by a search of
# the graph above that has nothing to do with the crawler's.
letters_within() {
    awk -F: -v seed="$1" -v max="$2" -v url="$LETTERS" '
        function address(p) {
            return p == "letters/" ? url "/" : url "/" p ".html"
        }
        { links[$1] = $2 }
        END {
            depth[seed] = 0; queue[tail++] = seed
            while (head < tail) {
                page = queue[head++]
                print address(page), depth[page]
                if (depth[page] == max) continue
                n = split(links[page], to, " ")
                for (i = 1; i <= n; i++)
                    if (!(to[i] in depth)) {
                        depth[to[i]] = depth[page] + 1
                        queue[tail++] = to[i]
                    }
            }
        }' <<<"$GRAPH" | LC_ALL=C sort
}

seed_of() {
    [ "$1" = letters/ ] && echo "$LETTERS/" || echo "$LETTERS/$1.html"
}

# crawl_counts PAGE COUNT...: crawl from that page at depth 0, 1, 2, ...; so many
# pages are saved, and they are the right ones at the right depths.
crawl_counts() {
    local page=$1 depth=0 count dir

    shift
    for count; do
        dir=$TMP/$RANDOM$depth
        mkdir "$dir"
        capture crawl --delay 0 "$(seed_of "$page")" "$dir" "$depth"
        same 0 "$STATUS" "exit status for $page at depth $depth: $(cat "$OUT" "$ERR")"
        silent "$ERR"
        whole_pages "$count" "$dir"
        same "$(letters_within "$page" "$depth")" "$(page_depths "$dir")" \
            "pages of $page at depth $depth"
        depth=$((depth + 1))
    done
}

# --- the testing plan --------------------------------------------------------

@test "plan: a server that does not exist" {
    # Nothing listens on port 1.
    capture "$CRAWLER" --robots ignore --log tse --connect-to ::127.0.0.1:1 --retries 0 \
        "$LETTERS/index.html" "$DIR" 3
    same 4 "$STATUS" "exit status"
    same " 0    Failed: $LETTERS/index.html" "$(cat "$OUT")"
    same "crawler: not a single page could be fetched" "$(cut -d : -f 1,2 "$ERR")"
    whole_pages 0
}

@test "plan: a server whose name has no address" {
    capture "${LIMITED[@]}" "$CRAWLER" --robots ignore --retries 0 --timeout 10s --scope host -v \
        http://no-such-host.invalid/ "$DIR" 3
    same 4 "$STATUS" "exit status"
    same " 0    Failed: http://no-such-host.invalid/" "$(cat "$OUT")"
    # Where there is no name server at all the question may get no answer.
    grep -qE 'host name not found|longer than --timeout|within --timeout' "$ERR"
    whole_pages 0
}

@test "plan: a server that is not internal" {
    start_playground --letters
    for seed in http://www.example.org/tse/letters/index.html \
        http://www.cs.dartmouth.edu/ https://cs50tse.cs.dartmouth.edu/tse/; do
        capture crawl "$seed" "$DIR" 3
        same 2 "$STATUS" "exit status for $seed"
        silent "$OUT"
        same 1 "$(wc -l <"$ERR")" "lines on standard error for $seed"
        grep -q 'not internal' "$ERR"
    done
    same "" "$(ls -A "$DIR")" "the page directory"
    same 0 "$(record_total)" "requests"
}

@test "plan: a valid server but a page that does not exist" {
    start_playground --letters
    capture crawl --delay 0 "$LETTERS/nothing.html" "$DIR" 3
    same 4 "$STATUS" "exit status"
    same " 0    Failed: $LETTERS/nothing.html" "$(cat "$OUT")"
    same "crawler: not a single page could be fetched" "$(cut -d : -f 1,2 "$ERR")"
    whole_pages 0
    same 1 "$(record_total)" "a 404 is final"
}

@test "plan: a closed set of pages with repeats, cycles and dead ends" {
    cat >"$TMP/closed.site" <<'END'
/tse/closed/
    body <a href=one.html>1</a> <a href=one.html#top>1</a> <a href="one.html">1</a>
    body <a href=./one.html>1</a> <a href=../closed/one.html>1</a> <A HREF=two.html>2</A>
    body <a href="HTTP://CS50TSE.CS.DARTMOUTH.EDU/tse/closed/one.html">1</a>
    body <a href=/tse/closed/>self</a> <a href="">self</a> <a href="#here">self</a>
/tse/closed/one.html
    body <a href=two.html>2</a> <a href=three.html>3</a> <a href=one.html>self</a>
    body <a href=missing.html>gone</a> <a href=//cs50tse.cs.dartmouth.edu/tse/closed/two.html>2</a>
/tse/closed/two.html
    body <a href=three.html>3</a> <a href=.>home</a> <a href=three.html>3</a>
/tse/closed/three.html
    body <a href=one.html>1</a> <a href=four.html>4</a> <a href=missing.html>gone</a>
/tse/closed/four.html
    body <a href=mailto:x@example.org>mail</a> <a href=javascript:x()>js</a>
    body <a href=picture.png>picture</a> <a href=http://www.example.org/>outside</a>
END
    start_playground --site "$TMP/closed.site"
    site=http://cs50tse.cs.dartmouth.edu/tse/closed
    for options in "" "--per-host 8 --threads 2"; do
        rm -rf "$DIR" && mkdir "$DIR"
        # shellcheck disable=SC2086 # the words are the arguments
        capture crawl --delay 0 $options "$site/" "$DIR" 5
        same 0 "$STATUS" "exit status"
        silent "$ERR"
        whole_pages 5
        same "$(sort <<END
$site/ 0
$site/one.html 1
$site/two.html 1
$site/three.html 2
$site/four.html 3
END
)" "$(page_depths)" "pages and depths"
    done
    stop_playground
    # Every page once in each crawl, the missing one too, nothing else at all.
    same "$(printf '2 /tse/closed/%s\n' '' four.html missing.html one.html \
        three.html two.html)" "$(record_column path | LC_ALL=C sort | uniq -c |
            sed 's/^ *//')" "requests"
}

@test "plan: depths 0 to 5 from index.html" {
    start_playground --letters
    crawl_counts index 1 2 3 6 8 9
    stop_playground
    same 29 "$(record_total)" "no page is fetched that is not saved"
}

@test "plan: depths from other seeds of the same site: A, B, C" {
    start_playground --letters
    crawl_counts A 1 3 6 8 9 9 9
    crawl_counts B 1 5 8 9 9 9 9
    crawl_counts C 1 3 4 5 6 8 9
}

@test "plan: depths from other seeds of the same site: D, E, F" {
    start_playground --letters
    crawl_counts D 1 2 3 4 6 8 9
    crawl_counts E 1 5 7 9 9 9 9
    # A bag that gives the latest first saves 5 at depth 3.
    crawl_counts F 1 3 5 8 9 9 9
}

@test "plan: depths from other seeds of the same site: G, H, the directory" {
    start_playground --letters
    crawl_counts G 1 3 5 8 9 9 9
    crawl_counts H 1 3 7 9 9 9 9
    crawl_counts letters/ 1 2 4 7 9 10 10
}

@test "plan: a greater depth changes nothing once all is found" {
    start_playground --letters
    for depth in 6 7 10; do
        letters_crawl "$depth" >/dev/null
        whole_pages 9
    done
}

@test "three arguments and nothing else: only pages are asked for" {
    start_playground --letters
    bare_start
    capture bare "$LETTERS/index.html" "$DIR" 1
    same 0 "$STATUS" "exit status"
    silent "$ERR"
    same 5 "$(wc -l <"$OUT")" "lines of the log"
    whole_pages 2
    stop_playground
    same "/tse/letters/index.html
/tse/letters/A.html" "$(record_column path)" "requests"
    gap=$(record_min_gap_ms)
    [ "$gap" -ge 990 ] || fail "a pause of $gap ms"
}

# --- depth is the shortest distance ------------------------------------------

# The short way to "target" is through a page that takes its time; who does not
# wait for it comes by the long way and never gets to "deep".
@test "a page keeps its shortest depth when the short way is slow" {
    cat >"$TMP/slow.site" <<'END'
/tse/
    body <a href=slow.html>s</a> <a href=a.html>a</a> <a href=moved.html>m</a>
/tse/slow.html
    delay 250ms
    body <a href=target.html>t</a>
/tse/a.html
    body <a href=b.html>b</a>
/tse/b.html
    body <a href=target.html>t</a> <a href=here.html>h</a>
/tse/moved.html
    delay 250ms
    redirect /tse/here.html
/tse/here.html
    body here <a href=near.html>n</a>
/tse/near.html
    body near
/tse/target.html
    body <a href=deep.html>d</a>
/tse/deep.html
    body deep
END
    start_playground --site "$TMP/slow.site"
    site=http://cs50tse.cs.dartmouth.edu/tse
    for options in "" "--per-host 8 --threads 2"; do
        rm -rf "$DIR" && mkdir "$DIR"
        # shellcheck disable=SC2086 # the words are the arguments
        crawl --delay 0 $options "$site/" "$DIR" 3 >"$TMP/log"
        whole_pages 8
        same "$(sort <<END
$site/ 0
$site/a.html 1
$site/b.html 2
$site/deep.html 3
$site/here.html 1
$site/near.html 2
$site/slow.html 1
$site/target.html 2
END
)" "$(page_depths)" "options: $options"
    done
}

# random_site SEED: a site of 120 pages below /tse/SEED/, and in a second file
# what is within 6 hops of its first page.
random_site() {
    awk -v seed="$1" -v n=120 -v site="$TMP/$1.site" -v truth="$TMP/$1.truth" '
        BEGIN {
            srand(seed)
            dir = "/tse/" seed "/p"
            for (i = 0; i < n; i++) {
                print dir i >site
                if (rand() < 0.15)
                    print "    delay " int(rand() * 25) "ms" >site
                for (j = 0; j < 3; j++) {
                    # Mostly short steps, so that there are many levels.
                    step = int(rand() * 9) - 3
                    to = rand() < 0.9 ? (i + step + n) % n : int(rand() * n)
                    links[i] = links[i] " " to
                    print "    body <a href=p" to ">" to "</a>" >site
                }
            }
            depth[0] = 0
            queue[tail++] = 0
            while (head < tail) {
                page = queue[head++]
                print "http://cs50tse.cs.dartmouth.edu" dir page, depth[page] >truth
                if (depth[page] == 6)
                    continue
                split(links[page], found, " ")
                for (j = 1; j <= 3; j++)
                    if (!(found[j] in depth)) {
                        depth[found[j]] = depth[page] + 1
                        queue[tail++] = found[j]
                    }
            }
        }'
}

@test "depths are the shortest in random graphs with many fetches at once" {
    for seed in 1 2 3; do
        random_site "$seed"
    done
    start_playground --site "$TMP/1.site" --site "$TMP/2.site" \
        --site "$TMP/3.site"
    for seed in 1 2 3; do
        capture crawl --delay 0 --per-host 8 --threads 2 \
            "http://cs50tse.cs.dartmouth.edu/tse/$seed/p0" "$DIR" 6
        same 0 "$STATUS" "exit status"
        whole_pages "$(wc -l <"$TMP/$seed.truth")"
        same "$(LC_ALL=C sort "$TMP/$seed.truth")" "$(page_depths)" \
            "graph $seed"
    done
    stop_playground
    same "" "$(record_column path | sort | uniq -d)" "fetched twice"
}

# --- page files --------------------------------------------------------------

# same_bytes PAGE-FILE ORIGINAL
same_bytes() {
    tail -n +3 "$1" | cmp - "$2" || fail "$1 is not what was served as $2"
}

@test "page files have the bytes as they were served" {
    mkdir -p "$TMP/www/tse"
    cd "$TMP/www/tse"
    printf 'no newline at the end' >plain.html
    printf 'a\n' >newline.html
    printf '\n\n\n' >blank.html
    printf '\n' >one_newline.html
    printf 'x' >x.html
    printf 'a\0b\0\0\nc\0' >nul.html
    printf '\0' >only_nul.html
    printf '\xff\xfe\x80caf\xe9\xc3\n\xed\xa0\x80' >bytes.html
    printf 'dos\r\nlines\r\n\r\n' >crlf.html
    printf '\xef\xbb\xbfwith a mark' >bom.html
    printf 'http://example.org/\n7\nlooks like a page file\n' >fake.html
    head -c 300000 /dev/urandom >random.html
    # A byte of every value.
    for i in $(seq 0 255); do printf '%b' "\\x$(printf %02x "$i")"; done >all.html
    same 256 "$(stat -c %s all.html)"
    pages=(*.html)
    printf '<a href=%s>x</a>\n' "${pages[@]}" >index.html
    start_playground --root "$TMP/www"

    crawl --delay 0 http://cs50tse.cs.dartmouth.edu/tse/index.html "$DIR" 1 \
        >/dev/null
    same $((${#pages[@]} + 1)) "$(page_count)" "pages"
    same_bytes "$DIR/1" index.html
    for i in "${!pages[@]}"; do
        file=$DIR/$((i + 2))
        same "http://cs50tse.cs.dartmouth.edu/tse/${pages[i]}" \
            "$(sed -n 1p "$file" | tr -d '\0')"
        same 1 "$(sed -n 2p "$file" | tr -d '\0')" "depth of ${pages[i]}"
        same_bytes "$file" "${pages[i]}"
    done
}

@test "page files are decoded from transfer and content codings, nothing more" {
    cat >"$TMP/coded.site" <<'END'
/tse/
    body <a href=gzip.html>1</a><a href=deflate.html>2</a><a href=raw.html>3</a>
    body <a href=chunked.html>4</a><a href=close.html>5</a><a href=old.html>6</a>
/tse/gzip.html
    bytes gzip\r\n\xff no newline
    encode gzip
/tse/deflate.html
    bytes deflate\n
    encode deflate
/tse/raw.html
    bytes raw deflate\n\n
    encode deflate-raw
/tse/chunked.html
    repeat 1000 0123456789\n
    chunked 7
/tse/close.html
    bytes until the end
    until-close
/tse/old.html
    bytes HTTP/1.0
    http 1.0
END
    start_playground --site "$TMP/coded.site"
    crawl --delay 0 http://cs50tse.cs.dartmouth.edu/tse/ "$DIR" 1 >/dev/null
    whole_pages 7
    printf 'gzip\r\n\xff no newline' >"$TMP/2"
    printf 'deflate\n' >"$TMP/3"
    printf 'raw deflate\n\n' >"$TMP/4"
    for _ in $(seq 1000); do echo 0123456789; done >"$TMP/5"
    printf 'until the end' >"$TMP/6"
    printf 'HTTP/1.0' >"$TMP/7"
    for id in 2 3 4 5 6 7; do
        same_bytes "$DIR/$id" "$TMP/$id"
    done
}

@test "page files are numbered in the order of the log, without holes" {
    cat >"$TMP/holes.site" <<'END'
/tse/
    body <a href=a.html>a</a><a href=gone.html>g</a><a href=b.html>b</a>
    body <a href=empty.html>e</a><a href=c.html>c</a><a href=old.html>o</a>
/tse/a.html
    body a
/tse/b.html
    body b
/tse/c.html
    body c
/tse/empty.html
/tse/gone.html 410
    body gone
/tse/old.html
    redirect new.html
/tse/new.html
    body new
END
    start_playground --site "$TMP/holes.site"
    crawl --delay 0 http://cs50tse.cs.dartmouth.edu/tse/ "$DIR" 1 >"$TMP/log"
    whole_pages 5
    same "$(sed -n 's/.*Fetched: //p' "$TMP/log")" \
        "$(for id in 1 2 3 4 5; do head -n 1 "$DIR/$id"; done)"
    # A redirect's page is saved under the URL that answered, at its depth.
    same "http://cs50tse.cs.dartmouth.edu/tse/new.html 1" "$(page_depths |
        grep new)"
    same "" "$(page_urls | grep old)" "the URL that redirects"
    same 2 "$(grep -c Failed "$TMP/log")" "failures: empty and gone"
}

# --- the pause ---------------------------------------------------------------

@test "the pause is at least a second from the end of a fetch to the next" {
    # A server that has to wait for a processor notes an end too late, and the
    # pause looks a little short; not three times in a row.
    for _ in 1 2 3; do
        start_playground --letters
        # The defaults, as a student runs it.
        crawl "$LETTERS/index.html" "$DIR" 2 >/dev/null
        whole_pages 3
        same 3 "$(record_total)" "requests"
        gap=$(record_min_gap_ms)
        [ "$gap" -lt 1000 ] || break
    done
    [ "$gap" -ge 1000 ] || fail "a pause of $gap ms"
    [ "$gap" -lt 8000 ] || fail "a pause of $gap ms is more than asked for"
}

@test "the pause is never short by a part of a millisecond" {
    start_playground --letters
    for _ in 1 2 3; do
        crawl --delay 7ms --per-host 1 "$LETTERS/index.html" "$DIR" 10 >/dev/null
    done
    whole_pages 9
    stop_playground
    # The server may be late to note an end, so a few may look shorter.
    record_lines | sort -n | awk -F '\t' '
        NR > 1 && $7 !~ /index/ && $1 - end < 7000 {
            print "a pause of " $1 - end " us"
            short++
        }
        { end = $2 }
        END { exit short > 4 || NR != 27 }'
}

@test "the pause is counted from the end of a slow answer" {
    cat >"$TMP/slow.site" <<'END'
/tse/
    delay 200ms
    body <a href=a.html>a</a><a href=b.html>b</a>
/tse/a.html
    repeat 30 0123456789
    drip 100 60ms
/tse/b.html
    body b
END
    start_playground --site "$TMP/slow.site"
    crawl --delay 150ms http://cs50tse.cs.dartmouth.edu/tse/ "$DIR" 1 >/dev/null
    whole_pages 3
    stop_playground
    gap=$(record_min_gap_ms)
    # The answers take longer than this.
    [ "$gap" -ge 120 ] || fail "a pause of $gap ms"
}

# --- seeds and directories as people write them ------------------------------

@test "a seed in mixed case, with dot segments or doubled slashes is normalized" {
    start_playground --letters
    for seed in HTTP://CS50TSE.cs.Dartmouth.EDU/tse/letters/A.html \
        http://cs50tse.cs.dartmouth.edu/tse/x/../letters/./A.html \
        http://cs50tse.cs.dartmouth.edu//tse//letters//A.html \
        'http://cs50tse.cs.dartmouth.edu/tse/letters/A.html#part'; do
        capture crawl --delay 0 "$seed" "$DIR" 1
        same 0 "$STATUS" "exit status for $seed"
        whole_pages 3
        same "$LETTERS/A.html" "$(head -n 1 "$DIR/1")" "$seed"
        same " 0   Fetched: $LETTERS/A.html" "$(head -n 1 "$OUT")" "$seed"
    done
    # The path keeps its case.
    capture crawl --delay 0 "$LETTERS/a.html" "$DIR" 1
    same 4 "$STATUS"
}

@test "a pageDirectory may be relative, a link, and have blanks or a final slash" {
    start_playground --letters
    cd "$TMP"
    mkdir 'a dir' target
    ln -s target link
    for dir in "$DIR/" pages pages/ ./pages// 'a dir' 'a dir/' link link/; do
        capture crawl --delay 0 "$LETTERS/index.html" "$dir" 1
        same 0 "$STATUS" "exit status for '$dir'"
        whole_pages 2 "$dir/"
    done
    cd "$DIR"
    capture crawl --delay 0 "$LETTERS/index.html" . 2
    same 0 "$STATUS"
    whole_pages 3
}
