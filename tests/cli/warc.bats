#!/usr/bin/env bats
# crawler warc: the records of WARC files.

load helper

record() { # TYPE URL BLOCK
    printf 'WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-11-17T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' \
        "$1" "$2" "${#3}" "$3"
}

@test "crawler warc prints one object a record" {
    record warcinfo "" "software: x" | gzip -n >"$TMP/a.warc.gz"
    first=$(stat -c %s "$TMP/a.warc.gz")
    record response '<http://a/>' $'HTTP/1.1 301 Moved\r\nContent-Type: text/html; x=y\r\nLocation: /b\r\n\r\nbody' |
        gzip -n >>"$TMP/a.warc.gz"
    second=$(($(stat -c %s "$TMP/a.warc.gz") - first))
    capture "$CRAWLER" warc "$TMP/a.warc.gz"
    same 0 "$STATUS"
    silent "$ERR"
    same '{"file":"'"$TMP"'/a.warc.gz","offset":0,"length":'"$first"',"version":"WARC/1.1","type":"warcinfo","date":"2026-11-17T00:00:00Z","content_length":11}
{"file":"'"$TMP"'/a.warc.gz","offset":'"$first"',"length":'"$second"',"version":"WARC/1.1","type":"response","url":"http://a/","date":"2026-11-17T00:00:00Z","content_length":70,"status":301,"mime":"text/html","location":"/b"}' "$(cat "$OUT")"
}

@test "crawler warc names what is cut off or damaged, after the good records" {
    record response http://a/ x >"$TMP/one.warc"
    { cat "$TMP/one.warc" && head -c 40 "$TMP/one.warc"; } >"$TMP/cut.warc"
    { echo rubbish && cat "$TMP/one.warc"; } >"$TMP/bad.warc"
    capture "$CRAWLER" warc "$TMP/cut.warc" "$TMP/bad.warc" "$TMP/one.warc"
    same 1 "$STATUS"
    same 3 "$(wc -l <"$OUT")"
    same "crawler: $TMP/cut.warc: at byte $(stat -c %s "$TMP/one.warc"): the record is cut off
crawler: $TMP/bad.warc: at byte 0: no record begins here" "$(cat "$ERR")"
}

@test "crawler warc without a file, or with one that is not there" {
    capture "$CRAWLER" warc
    same 2 "$STATUS"
    same "crawler: warc takes one argument or more, FILE" "$(cat "$ERR")"
    capture "$CRAWLER" warc "$TMP/none"
    same 2 "$STATUS"
    same "crawler: $TMP/none: No such file or directory" "$(cat "$ERR")"
}

@test "crawler warc says of an empty file that it is empty, of a package that it is none of its files" {
    : >"$TMP/empty"
    capture "$CRAWLER" warc "$TMP/empty"
    same 1 "$STATUS"
    same "crawler: $TMP/empty: it is empty" "$(cat "$ERR")"
    printf 'PK\3\4' >"$TMP/a.wacz"
    capture "$CRAWLER" warc "$TMP/a.wacz"
    same 2 "$STATUS"
    same "crawler: $TMP/a.wacz: it is a ZIP file, no WARC file; the WARC files of a WACZ are in its folder archive/" \
        "$(cat "$ERR")"
    mkfifo "$TMP/pipe"
    capture "${LIMITED[@]}" "$CRAWLER" warc "$TMP/pipe"
    same 2 "$STATUS"
    same "crawler: $TMP/pipe: it is no regular file" "$(cat "$ERR")"
}
