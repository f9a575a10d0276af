#!/usr/bin/env bats
# crawler export --format pages: page files out of archives.

load helper

record() { # URL FIELDS BODY
    local block=$'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'$3

    printf 'WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n' "$1"
    printf 'WARC-Date: 2026-01-01T00:00:00Z\r\n%bContent-Length: %d\r\n\r\n%s\r\n\r\n' \
        "$2" "${#block}" "$block"
}

setup() {
    helper_setup
    mkdir "$TMP/made"
    record http://a/1 '' one | gzip >"$TMP/a.warc.gz"
    record http://a/2 '' two | gzip >>"$TMP/a.warc.gz"
}

pages() { "$CRAWLER" export --format pages "$@"; }

@test "pages come out of WARC files, one after the other" {
    record http://a/3 '' three >"$TMP/b.warc"
    pages --output "$TMP/made" "$TMP/a.warc.gz" "$TMP/b.warc"
    same "http://a/1
0
one" "$(cat "$TMP/made/1")"
    same "http://a/3
0
three" "$(cat "$TMP/made/3")"
    same "1 2 3" "$(ls "$TMP/made" | paste -sd ' ')"
    # The course's programs look for this file.
    [ -e "$TMP/made/.crawler" ]
}

@test "pages come out of the archive of a page directory, with their depths" {
    mkdir -p "$TMP/p/archive"
    record http://a/ 'WARC-Page-Depth: 0\r\n' zero >"$TMP/p/archive/x-1.warc"
    record http://a/ '' again >>"$TMP/p/archive/x-1.warc"
    record http://a/deep 'WARC-Page-Depth: 7\r\n' seven >"$TMP/p/archive/x-2.warc.open"
    pages --output "$TMP/made" "$TMP/p"
    same "http://a/deep
7
seven" "$(cat "$TMP/made/2")"
    same "1 2" "$(ls "$TMP/made" | paste -sd ' ')"
}

@test "of archives whose records tell which are pages, these are taken; of others all HTML" {
    mkdir -p "$TMP/p/archive"
    record http://a/ 'WARC-Page-Depth: 0\r\n' zero >"$TMP/p/archive/x.warc"
    record http://a/requisite '' frame >>"$TMP/p/archive/x.warc"
    pages --output "$TMP/made" "$TMP/p" "$TMP/a.warc.gz"
    same "http://a/ http://a/1 http://a/2" "$(head -qn 1 "$TMP/made"/[1-9]* | paste -sd ' ')"
}

@test "pages are the same after wget has made the archive" {
    command -v wget >/dev/null || skip "wget is not installed"
    start_playground --letters
    mkdir "$TMP/live"
    "$CRAWLER" -q --delay 0 --scope host "http://$ADDRESS/tse/letters/index.html" "$TMP/live" 9
    (cd "$TMP" && wget -q -r -l inf --warc-file=site -P wget "http://$ADDRESS/tse/letters/index.html") || true
    pages --output "$TMP/made" "$TMP/site.warc.gz"
    # wget's order and depths are its own.
    for dir in live made; do
        for file in "$TMP/$dir"/[0-9]*; do
            sed 2d "$file" | md5sum
        done | sort >"$TMP/$dir.sums"
    done
    diff "$TMP/live.sums" "$TMP/made.sums"
}

@test "an output that is not there or has pages, and archives that cannot be read" {
    refused() { # MESSAGE ARGUMENT...
        capture "$CRAWLER" export "${@:2}"
        same 2 "$STATUS" "$1"
        grep -F -e "crawler: $1" "$ERR" || fail "$(cat "$ERR")"
        same "" "$(ls -A "$TMP/made")" "$1"
    }
    refused "--output is for --format wacz, pages and sqlite;" --format csv --output "$TMP/made" "$TMP"
    refused "--format pages needs --output DIRECTORY" --format pages "$TMP/a.warc.gz"
    refused "export takes a pageDirectory, WACZ or WARC files" --format pages --output "$TMP/made"
    refused "--output '$TMP/none': No such file or directory" \
        --format pages --output "$TMP/none" "$TMP/a.warc.gz"
    refused "$TMP/none: No such file or directory" \
        --format pages --output "$TMP/made" "$TMP/none"
    echo no >"$TMP/text"
    refused "$TMP/text: it is no WARC file" --format pages --output "$TMP/made" "$TMP/text"
    same 1 "$(wc -l <"$ERR")" "$(cat "$ERR")"
    pages --output "$TMP/made" "$TMP/a.warc.gz"
    capture pages --output "$TMP/made" "$TMP/a.warc.gz"
    same 2 "$STATUS"
    same "crawler: --output '$TMP/made': there is a crawl in it; use an empty directory" "$(cat "$ERR")"
    same "1 2" "$(ls "$TMP/made" | paste -sd ' ')"
}

@test "a file that is no WARC file, among those of a page directory, is told of" {
    mkdir -p "$TMP/p/archive"
    record http://a/ '' zero >"$TMP/p/archive/x.warc"
    echo no >"$TMP/p/archive/y.warc"
    capture pages --output "$TMP/made" "$TMP/p"
    same 0 "$STATUS"
    same "crawler: $TMP/p/archive/y.warc: at byte 0: it is no WARC file" "$(cat "$ERR")"
    same 1 "$(ls "$TMP/made")"
}

@test "captures that cannot be read are told of, and the others are written" {
    # A revisit without its original, and an answer that is no page anyhow.
    {
        record dns:a '' none | sed 's,^HTTP/1.1 200 OK,20260101 a A 12,'
        record http://a/1 '' one
        record http://a/4 'WARC-Refers-To-Target-URI: http://a/none\r\n' '' |
            sed 's/^WARC-Type: response/WARC-Type: revisit/'
        record http://a/2 '' two
    } >"$TMP/b.warc"
    capture pages --output "$TMP/made" "$TMP/b.warc"
    same 1 "$STATUS"
    same "crawler: 1 captures are left out: they are revisits of a capture that is not there, longer than 256 MB, or damaged" \
        "$(cat "$ERR")"
    same "1 2" "$(ls "$TMP/made" | paste -sd ' ')"
}

@test "a failure leaves nothing, so that one may try again" {
    record http://a/large '' "$(head -c 40000 /dev/zero | tr '\0' x)" >>"$TMP/b.warc"
    capture bash -c "trap '' XFSZ; ulimit -f 20
        exec '$CRAWLER' export --format pages --output '$TMP/made' '$TMP/a.warc.gz' '$TMP/b.warc'"
    same 1 "$STATUS"
    same "crawler: cannot write pages in '$TMP/made': File too large" "$(cat "$ERR")"
    same "" "$(ls -A "$TMP/made")"
    pages --output "$TMP/made" "$TMP/a.warc.gz" "$TMP/b.warc"
    same "1 2 3" "$(ls "$TMP/made" | paste -sd ' ')"
}

@test "an archive without a page" {
    gzip -c /dev/null >"$TMP/empty.warc.gz"
    capture pages --output "$TMP/made" "$TMP/empty.warc.gz"
    same 1 "$STATUS"
    same "crawler: there is no page in the archive" "$(cat "$ERR")"
    same "" "$(ls -A "$TMP/made")"
}
