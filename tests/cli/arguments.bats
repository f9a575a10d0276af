#!/usr/bin/env bats
# A pageDirectory that cannot be written, as only another user or another mount
# shows it. All other wrong arguments are in tests/cases/arguments.case.

load helper

SEED=$LETTERS/index.html

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
