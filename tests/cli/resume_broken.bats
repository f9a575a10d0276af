#!/usr/bin/env bats
# Going on with a state that is not as this program left it: newer, older,
# damaged, or of somebody else.

load helper
load resume

@test "a state that is newer, foreign or broken is left alone" {
    start_playground --letters
    part --max-pages 2 10
    state 'PRAGMA user_version = 99'
    cp "$DIR/.crawler" "$TMP/kept"
    for options in "" --restart; do
        capture letters $options 10
        complaint 'written by a newer version of this program \(format 99'
    done
    capture "$CRAWLER" --resume "$DIR"
    complaint 'written by a newer version'
    cmp "$TMP/kept" "$DIR/.crawler"

    echo 'the marker of some other program' >"$DIR/.crawler"
    capture letters 10
    complaint 'is not the state of a crawl'
    rm "$DIR/.crawler"
    sqlite3 "$DIR/.crawler" 'CREATE TABLE t(x)'
    capture letters 10
    complaint 'is not the state of a crawl'

    cp "$TMP/kept" "$DIR/.crawler"
    state 'PRAGMA user_version = 1'
    dd if=/dev/urandom of="$DIR/.crawler" bs=4096 seek=1 count=8 \
        conv=notrunc status=none
    capture letters 10
    same 1 "$STATUS"
    grep -q '^crawler: cannot read the state in ' "$ERR"
    whole_pages 2
}

# spoil TABLE: the first page of it in the state file.
spoil() {
    local page

    page=$(state "SELECT rootpage FROM sqlite_master WHERE name = '$1'")
    tr '\0' '\377' </dev/zero | dd of="$DIR/.crawler" bs=4096 \
        seek=$((page - 1)) count=1 iflag=fullblock conv=notrunc status=none
}

@test "--resume of a damaged state exits with 1, not as for a wrong argument" {
    start_playground --letters
    part --max-pages 2 10
    cp "$DIR/.crawler" "$TMP/kept"
    for table in setting seed url fetch; do
        cp "$TMP/kept" "$DIR/.crawler"
        spoil "$table"
        capture "$CRAWLER" --resume "$DIR"
        same 1 "$STATUS" "exit status with a damaged $table"
        grep -q '^crawler: cannot .* the state in .*: database disk image is malformed$' \
            "$ERR" || fail "$table: $(cat "$ERR")"
    done
    cp "$TMP/kept" "$DIR/.crawler"
    state "UPDATE setting SET value = '5000000000' WHERE name = 'count.saved'"
    capture "$CRAWLER" --resume "$DIR"
    same 1 "$STATUS"
    same "crawler: cannot read the state in '$DIR/.crawler': more pages than there can be" \
        "$(cat "$ERR")"
    whole_pages 2
    same 2 "$(record_total)" "requests"
}

@test "--resume calls an impossible row a broken state, and does not crash" {
    start_playground --letters
    part --max-pages 3 10
    cp "$DIR/.crawler" "$TMP/kept"
    while read -r change; do
        cp "$TMP/kept" "$DIR/.crawler"
        state "$change"
        rows=$(state 'SELECT count(*) FROM url')
        capture letters 10
        same 1 "$STATUS" "exit status after $change"
        grep -q 'the state in' "$ERR" || fail "$change: $(cat "$ERR")"
        # Nothing is added to what is not understood.
        same "$rows" "$(state 'SELECT count(*) FROM url')" "URLs after $change"
    done <<'END'
UPDATE url SET url = 'no url' WHERE number = 1
UPDATE url SET host_at = 5000 WHERE number = 2
UPDATE url SET number = 1 << 60 WHERE number = 2
UPDATE url SET verdict = 77 WHERE number = 2
UPDATE url SET depth = -1 WHERE number = 3
UPDATE url SET depth = 4000000000 WHERE number = 3
UPDATE fetch SET number = 123456789
UPDATE fetch SET page = 'x' || char(0) || 'y', start_ms = -5
UPDATE fetch SET page = page + 1
INSERT INTO change VALUES(NULL, 99999, 1, 1, 1, 0)
INSERT INTO host VALUES(NULL, '//', 1, 1, 0, 200, 0, 0)
DROP TABLE fetch
END
}

@test "going on with the state of an older program adds the names it did not know" {
    names() {
        state "SELECT * FROM outcome ORDER BY code; SELECT * FROM verdict ORDER BY code"
    }
    start_playground --letters
    part --max-pages 2 10
    before=$(names)
    state "DELETE FROM outcome WHERE code = (SELECT max(code) FROM outcome);
        DELETE FROM verdict WHERE code = (SELECT max(code) FROM verdict)"
    [ "$before" != "$(names)" ]
    part --max-pages 4 10
    same "$before" "$(names)"
}
