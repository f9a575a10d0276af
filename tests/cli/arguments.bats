#!/usr/bin/env bats
# Wrong arguments: one line on standard error that names what is wrong, the
# right exit status, nothing on standard output, nothing written, nothing asked.

load helper

SEED=$LETTERS/index.html

setup() {
    helper_setup
    shopt -s dotglob nullglob
    echo precious >"$DIR/notes"
}

# refused STATUS PATTERN ARGUMENT...: the pattern is a regular expression. All
# in the shell itself, because this is done many hundred times.
refused() {
    local expected=$1 pattern=$2 before=("$DIR"/*) after lines LC_ALL=C

    shift 2
    # Nothing listens on port 1: a crawl that starts all the same ends soon.
    capture "${LIMITED[@]}" "$CRAWLER" --connect-to ::127.0.0.1:1 --retries 0 "$@"
    same "$expected" "$STATUS" "exit status of: $*" || return
    silent "$OUT" || return
    mapfile lines <"$ERR"
    [ "${#lines[@]}" -eq 1 ] && [[ ${lines[0]} == "crawler: "*$'\n' ]] &&
        [[ ${lines[0]} =~ $pattern ]] ||
        fail "not one line with '$pattern' for: $*: ${lines[*]}" || return
    [[ ${lines[0]%$'\n'} != *[$'\x01'-$'\x1f\x7f']* &&
        ${lines[0]} != *$'\xc2'[$'\x80'-$'\x9f']* ]] ||
        fail "control characters for: $(printf '%q ' "$@")" || return
    after=("$DIR"/*)
    same "${before[*]}" "${after[*]}" "files after: $*" || return
    same precious "$(<"$DIR/notes")" "a file after: $*"
}

# --- how many ----------------------------------------------------------------

@test "0, 1, 2, 4 and 5 arguments are refused" {
    capture "$CRAWLER"
    same 2 "$STATUS" "exit status without any"
    same 1 "$(wc -l <"$ERR")" "lines without any"
    silent "$OUT"
    refused 2 'three arguments'
    refused 2 'not 1' "$SEED"
    refused 2 'not 2' "$SEED" "$DIR"
    refused 2 'not 4' "$SEED" "$DIR" 3 4
    refused 2 'not 5' "$SEED" "$DIR" 3 4 5
    refused 2 'seedURL pageDirectory maxDepth' "$SEED" "$DIR"
}

@test "swapped arguments are refused" {
    refused 2 seedURL "$DIR" "$SEED" 3
    refused 2 seedURL 3 "$DIR" "$SEED"
    refused 2 pageDirectory "$SEED" 3 "$DIR"
}

@test "empty arguments are refused" {
    refused 2 seedURL '' "$DIR" 3
    refused 2 pageDirectory "$SEED" '' 3
    refused 2 maxDepth "$SEED" "$DIR" ''
    refused 2 . '' '' ''
}

# --- seedURL -----------------------------------------------------------------

@test "a seedURL that is no URL is refused" {
    for seed in word 17 '?' '   ' /tse/letters/index.html index.html \
        cs50tse.cs.dartmouth.edu/tse/letters/index.html \
        //cs50tse.cs.dartmouth.edu/tse/letters/ www.example.org http: http:// \
        http:/// 'http://[::1' 'http://a b/' http://a:99999/ http://a:x/ \
        'http://%zz/' "http://$(printf 'a%.0s' $(seq 9000))/"; do
        refused 2 seedURL "$seed" "$DIR" 3
    done
}

@test "a seedURL that is no http URL is refused" {
    for seed in ftp://cs50tse.cs.dartmouth.edu/tse/ file:///etc/passwd \
        mailto:a@example.org javascript:alert data:text/html,x; do
        refused 2 seedURL "$seed" "$DIR" 3
        refused 2 seedURL --scope any "$seed" "$DIR" 3
    done
}

@test "a seedURL that is not internal is refused" {
    for seed in http://www.example.org/ https://www.example.org/tse/ \
        https://cs50tse.cs.dartmouth.edu/tse/letters/index.html \
        https://en.wikipedia.org/wiki/Computer_science \
        http://www.cs.dartmouth.edu/tse/letters/index.html; do
        refused 2 'not internal' "$seed" "$DIR" 3
    done
}

@test "a seedURL that is nearly internal is refused" {
    for seed in http://cs50tse.cs.dartmouth.edu \
        http://cs50tse.cs.dartmouth.edu/ \
        http://cs50tse.cs.dartmouth.edu/tse \
        http://cs50tse.cs.dartmouth.edu/tsefoo/index.html \
        http://cs50tse.cs.dartmouth.edu/TSE/letters/index.html \
        http://cs50tse.cs.dartmouth.edu/tse/../index.html \
        http://cs50tse.cs.dartmouth.edu/tse/%2e%2e/index.html \
        http://cs50tse.cs.dartmouth.edu:8080/tse/letters/index.html \
        http://cs50tse.cs.dartmouth.edu:80/tse/letters/index.html \
        http://user@cs50tse.cs.dartmouth.edu/tse/letters/index.html \
        http://cs50tse.cs.dartmouth.edu@example.org/tse/letters/index.html \
        http://cs50tse.cs.dartmouth.edu.example.org/tse/letters/index.html \
        http://www.cs50tse.cs.dartmouth.edu/tse/letters/index.html \
        http://xcs50tse.cs.dartmouth.edu/tse/letters/index.html \
        http://cs5Otse.cs.dartmouth.edu/tse/letters/index.html \
        http://cs50tse.cs.dartmouth.ed/tse/letters/index.html \
        'http://example.org/?http://cs50tse.cs.dartmouth.edu/tse/' \
        'http://example.org/#http://cs50tse.cs.dartmouth.edu/tse/'; do
        refused 2 'not internal' "$seed" "$DIR" 3
    done
}

@test "a seedURL that is not the name of an HTML page is refused" {
    for name in a.pdf a.php a.png a.PDF v1.2 a.html.gz; do
        refused 2 'HTML' "http://cs50tse.cs.dartmouth.edu/tse/$name" "$DIR" 3
    done
}

# --- pageDirectory -----------------------------------------------------------

@test "a pageDirectory that does not exist is refused" {
    refused 2 'No such file' "$SEED" "$TMP/nothing" 3
    [ ! -e "$TMP/nothing" ]
    refused 2 'No such file' "$SEED" "$TMP/nothing/" 3
    ln -s nothing "$TMP/dangling"
    refused 2 'No such file' "$SEED" "$TMP/dangling" 3
}

@test "a pageDirectory that is a file is refused" {
    echo text >"$TMP/file"
    refused 2 'Not a directory' "$SEED" "$TMP/file" 3
    refused 2 'Not a directory' "$SEED" "$TMP/file/" 3
    refused 2 'Not a directory' "$SEED" /dev/null 3
    mkfifo "$TMP/fifo"
    refused 2 'Not a directory' "$SEED" "$TMP/fifo" 3
    same text "$(cat "$TMP/file")"
}

@test "a pageDirectory whose name is too long is refused" {
    refused 2 pageDirectory "$SEED" "$(printf 'x%.0s' $(seq 5000))" 3
}

# as_nobody COMMAND...: where file permissions count, also for root.
as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --bounding-set -dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}

@test "a pageDirectory that is not writable is refused" {
    mkdir -m 555 "$TMP/readonly"
    mkdir -m 666 "$TMP/no_search"
    mkdir -m 000 "$TMP/nothing_at_all"
    as_nobody true || skip "setpriv cannot drop capabilities"
    as_nobody touch "$TMP/readonly/x" 2>/dev/null &&
        skip "permissions do not count here"
    for dir in readonly no_search nothing_at_all; do
        capture as_nobody "$CRAWLER" "$SEED" "$TMP/$dir" 3
        same 2 "$STATUS" "exit status for $dir"
        same 1 "$(wc -l <"$ERR")" "lines for $dir"
        grep -q "$dir.*Permission denied" "$ERR"
        silent "$OUT"
    done
    chmod 755 "$TMP/no_search" "$TMP/nothing_at_all"
    same "" "$(ls -A "$TMP/readonly" "$TMP/no_search" "$TMP/nothing_at_all" |
        grep -v ':$' | grep .)" "files"
}

@test "a pageDirectory on a read-only file system is refused" {
    [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null ||
        skip "needs root and a mount namespace"
    capture unshare -m bash -c '
        mount -t tmpfs -o ro none "$1" && shift && exec "$@"' - \
        "$DIR" "$CRAWLER" "$SEED" "$DIR" 3
    same 2 "$STATUS" "exit status"
    same 1 "$(wc -l <"$ERR")" "lines"
    grep -q 'Read-only file system' "$ERR"
    silent "$OUT"
}

# --- maxDepth ----------------------------------------------------------------

@test "a maxDepth out of range is refused" {
    for depth in -1 11 12 100 -10 99999999999999999999 -99999999999999999999 \
        4294967296 4294967297 18446744073709551616 18446744073709551617; do
        refused 2 'maxDepth must be an integer from 0 to 10' "$SEED" "$DIR" \
            "$depth"
    done
}

@test "a maxDepth that is no number is refused" {
    for depth in one 1a a1 '' +5 ' 5' '5 ' 0x3 1e1 10.0 3. .5 -0 '1 2' 1,0 \
        $'\t5' '٣' NaN inf 5\; '$((3))'; do
        refused 2 maxDepth "$SEED" "$DIR" "$depth"
    done
    # These look like options.
    for depth in -a --3 -; do
        refused 2 . "$SEED" "$DIR" "$depth"
    done
}

@test "maxDepth with another scope is any whole number, and only that" {
    start_playground --letters
    for depth in 11 100000 4294967294; do
        capture crawl --delay 0 --scope prefix "$LETTERS/H.html" "$DIR" "$depth"
        same 0 "$STATUS" "exit status for $depth"
        same 9 "$(page_count)" "pages for $depth"
    done
    for depth in -1 1a '' 1.5 99999999999999999999; do
        refused 2 maxDepth --scope prefix "$SEED" "$DIR" "$depth"
    done
}

# --- the marker --------------------------------------------------------------

@test "a .crawler that is a directory is refused" {
    mkdir "$DIR/.crawler"
    refused 2 "/\.crawler' is not a file; use another directory" "$SEED" "$DIR" 3
    refused 2 "/\.crawler' is not a file" --restart "$SEED" "$DIR" 3
    rmdir "$DIR/.crawler"
}

@test "a .crawler that is a link to nowhere or a pipe is refused" {
    ln -s "$TMP/here" "$DIR/.crawler"
    refused 2 "/\.crawler' is not a file; use another directory" "$SEED" "$DIR" 3
    refused 2 "/\.crawler' is not a file" --restart "$SEED" "$DIR" 3
    [ ! -e "$TMP/here" ]
    [ -L "$DIR/.crawler" ]
    rm "$DIR/.crawler"
    # Opening a pipe for writing waits for a reader.
    mkfifo "$DIR/.crawler"
    refused 2 "/\.crawler' is not a file; use another directory" "$SEED" "$DIR" 3
    refused 2 "/\.crawler' is not a file" --restart "$SEED" "$DIR" 3
    [ -p "$DIR/.crawler" ]
}

@test "a .crawler that is a link to a file, or somebody else's file, is refused" {
    echo precious >"$TMP/letter"
    ln -s "$TMP/letter" "$DIR/.crawler"
    refused 2 "/\.crawler' is not a file; use another directory" "$SEED" "$DIR" 3
    refused 2 "/\.crawler' is not a file" --restart "$SEED" "$DIR" 3
    same precious "$(cat "$TMP/letter")"
    rm "$DIR/.crawler"
    cp "$TMP/letter" "$DIR/.crawler"
    refused 2 "/\.crawler' is not the state of a crawl; use another directory" \
        "$SEED" "$DIR" 3
    refused 2 "/\.crawler' is not the state of a crawl" --restart "$SEED" "$DIR" 3
    same precious "$(cat "$DIR/.crawler")"
}

@test "numbered files that no crawl is known to have written are refused" {
    echo precious >"$DIR/7"
    for option in --restart --quiet --delay=0; do
        refused 2 'numbered files \(7\) but no crawl.*use an empty directory' \
            "$option" "$SEED" "$DIR" 3
        # As the crawl of another program leaves it.
        : >"$DIR/.crawler"
        refused 2 'numbered files \(7\) but no crawl.*use an empty directory' \
            "$option" "$SEED" "$DIR" 3
        rm "$DIR/.crawler"
    done
    same precious "$(cat "$DIR/7")"
}

# --- options -----------------------------------------------------------------

@test "unknown options are refused" {
    for option in --nonsense --Delay --dela --delay-ms -x -Q --- --=5 --=; do
        refused 2 'no option' "$SEED" "$DIR" 3 "$option"
    done
    refused 2 'no option -z' -qz "$SEED" "$DIR" 3
    # An option of another command.
    refused 2 'no option --base' --base http://example.org/ "$SEED" "$DIR" 3
}

@test "an option without its value is refused" {
    for option in --internal --scope --max-pages --max-time --max-size \
        --max-redirects --delay --per-host --workers --threads --timeout \
        --retries --user-agent --contact --header --proxy --connect-to \
        --cacert --log -U -H; do
        refused 2 "^crawler: $option needs a value" "$SEED" "$DIR" 3 "$option"
    done
}

@test "a value for an option that takes none is refused" {
    for option in --insecure --allow-private --quiet --verbose --help \
        --version; do
        refused 2 "^crawler: $option takes no value" "$option=1" "$SEED" "$DIR" 3
    done
    refused 2 "^crawler: --quiet takes no value" --quiet= "$SEED" "$DIR" 3
}

@test "counts that are no numbers are refused" {
    for option in --max-pages --max-redirects --per-host --workers --threads \
        --retries; do
        for value in '' x 1x -1 +1 ' 1' '1 ' 1.5 1k 0x1 \
            99999999999999999999; do
            refused 2 "^crawler: $option must be" "$option" "$value" "$SEED" \
                "$DIR" 3
            # They are all read by the same rules.
            [ $option = --max-pages ] || [ "$value" != 1x ] || break
        done
    done
    for option in --max-pages --per-host --workers --threads; do
        refused 2 "$option must be at least 1" "$option=0" "$SEED" "$DIR" 3
    done
    refused 2 '--per-host must be at most 1000' --per-host 1001 "$SEED" "$DIR" 3
    refused 2 '--workers must be at most 20000' --workers=20001 "$SEED" "$DIR" 3
    refused 2 '--threads must be at most 256' --threads=257 "$SEED" "$DIR" 3
    refused 2 '--retries must be at most 100' --retries=101 "$SEED" "$DIR" 3
    refused 2 '--max-redirects must be at most 100' --max-redirects=101 \
        "$SEED" "$DIR" 3
}

@test "combinations in which one option has no effect are refused" {
    refused 2 '--sitemaps needs robots.txt' --sitemaps --robots ignore \
        "$SEED" "$DIR" 3
    refused 2 '--links are remembered in the state' --links --state none "$SEED" "$DIR" 3
    refused 2 '--save-every is for the state' --save-every 5s --state none "$SEED" "$DIR" 3
    refused 2 '--search-url needs --search' --search-url 'http://x.test/{query}' "$SEED" "$DIR" 3
}

@test "durations and sizes that are none are refused" {
    for option in --delay --timeout --max-time; do
        for value in '' x s 1x -1 +1s ' 1s' '1s ' 1..5s 1.s .5s 1e3 '1 s' \
            99999999999999999999s 1ss 1msx; do
            refused 2 "^crawler: $option must be a duration" "$option=$value" \
                "$SEED" "$DIR" 3
            [ $option = --delay ] || [ "$value" != s ] || break
        done
    done
    refused 2 'at least' --timeout=0 "$SEED" "$DIR" 3
    refused 2 'at least' --max-time=0 "$SEED" "$DIR" 3
    refused 2 'at most' --delay=2d "$SEED" "$DIR" 3
    for value in '' x 1x -1 K 1KK '1 K' 1.5.5M 99999999999999999999 1T; do
        refused 2 '^crawler: --max-size must be a size' --max-size "$value" \
            "$SEED" "$DIR" 3
    done
    refused 2 'at least' --max-size=0 "$SEED" "$DIR" 3
    refused 2 'at most' --max-size=4G "$SEED" "$DIR" 3
}

@test "words that an option does not know are refused" {
    for value in '' x Host hosts 'prefix|host' '|'; do
        refused 2 '--scope must be one of prefix\|host\|domain\|any' --scope \
            "$value" "$SEED" "$DIR" 3
    done
    for value in '' x TSE json,tse; do
        refused 2 '--log must be one of tse\|json\|pages\|none' --log "$value" "$SEED" \
            "$DIR" 3
    done
}

@test "texts that an option cannot use are refused" {
    for value in '' word /tse/ www.example.org ftp://example.org/ http://; do
        refused 2 '--internal' --internal "$value" "$SEED" "$DIR" 3
    done
    # The seed is not below it.
    refused 2 'not internal' --internal http://www.example.org/ "$SEED" "$DIR" 3
    for value in '' word 'two words: x' ': x' $'A: b\r\nC: d' $'A\n: b' 'ä: b'; do
        refused 2 '--header must be' --header "$value" "$SEED" "$DIR" 3
    done
    refused 2 '--header must be' --header 'Bearer-0123abcd' "$SEED" "$DIR" 3
    ! grep -q 0123abcd "$ERR" || fail "a secret is shown: $(cat "$ERR")"
    for value in $'a\nb' $'a\033[1m' $'a\177'; do
        refused 2 '--contact must be one line' --contact "$value" "$SEED" "$DIR" 3
        refused 2 '--user-agent must be one line' -U "$value" "$SEED" "$DIR" 3
    done
    for name in Content-Length Transfer-Encoding Connection Keep-Alive Upgrade \
        Trailer TE Expect Proxy-Connection connection; do
        refused 2 "--header cannot set $name, which belongs to the connection" \
            -H "$name: 5" "$SEED" "$DIR" 3
    done
    refused 2 '--header cannot set te,' -H 'A: b' --header=te: "$SEED" "$DIR" 3
    refused 2 '--user-agent' -U $'a\r\nHost: b' "$SEED" "$DIR" 3
    refused 2 '--contact' --contact $'a\nb' "$SEED" "$DIR" 3
    for value in '' word a:b a:b:c a:b:c:d :x:: ::: :::x ::a:99999 99999 \
        a:1:b:2:3 '[::1:1:a:1'; do
        [ "$value" = ::: ] && continue # matches all and changes nothing
        refused 2 '--connect-to must be' --connect-to "$value" "$SEED" "$DIR" 3
    done
    refused 2 '--cacert.*No such file' --cacert "$TMP/none" "$SEED" "$DIR" 3
    for value in 'two words' foo://proxy:1 ftp://proxy/ http:// http://a:x \
        http://a:99999 http//u:p@h:9 http:/h:9; do
        refused 2 '--proxy' --proxy "$value" "$SEED" "$DIR" 3
    done
}

# --- hostile arguments -------------------------------------------------------

@test "arguments with control characters are refused in one line without them" {
    for text in $'a\nb' $'\033[31mred' $'bell\a' $'\r' $'x\x7f' $'csi\xc2\x9b31m' \
        $'\xff\xfe'; do
        refused 2 maxDepth "$SEED" "$DIR" "$text"
    done
    text=$'a\n\033[31mb\xc2\x9bc'
    refused 2 seedURL "http://$text" "$DIR" 3
    refused 2 seedURL "$text" "$DIR" 3
    refused 2 pageDirectory "$SEED" "$TMP/$text" 3
    refused 2 'no option' "--$text" "$SEED" "$DIR" 3
    refused 2 'no option' $'-\033' "$SEED" "$DIR" 3
    refused 2 '--delay' --delay "$text" "$SEED" "$DIR" 3
    refused 2 '--internal' --internal "$text" "$SEED" "$DIR" 3
    refused 2 '--scope' --scope "$text" "$SEED" "$DIR" 3
}

@test "very long arguments are refused in one line" {
    long=$(head -c 100000 /dev/zero | tr '\0' x)
    refused 2 seedURL "$long" "$DIR" 3
    refused 2 'seedURL.*not internal' "http://example.org/$(head -c 8000 <<<"$long")" \
        "$DIR" 3
    refused 2 'pageDirectory.*too long' "$SEED" "$long" 3
    refused 2 maxDepth "$SEED" "$DIR" "$long"
    refused 2 'no option --xxx' "--$long" "$SEED" "$DIR" 3
    refused 2 '--delay must be' --delay "$long" "$SEED" "$DIR" 3
    refused 2 '--max-pages must be' --max-pages "$(head -c 100000 /dev/zero | tr '\0' 9)" "$SEED" \
        "$DIR" 3
}

@test "options may stand anywhere, and after -- they are arguments" {
    start_playground --letters
    capture crawl "$SEED" --delay=0 "$DIR" -q 1
    same 0 "$STATUS"
    same 2 "$(page_count)"
    capture crawl --delay 0 -- "$SEED" "$DIR" 0
    same 0 "$STATUS"
    same 1 "$(page_count)"
    refused 2 'not 4' -- "$SEED" "$DIR" 3 --quiet
    # The last one counts.
    capture crawl --delay 1h --delay 0 "$SEED" "$DIR" 1
    same 0 "$STATUS"
}
