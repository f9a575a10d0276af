#!/usr/bin/env bats
# One crawl over all kinds of bad servers (hostile.site), with healthy pages in
# between: nothing hangs, each fetch ends with the outcome of its kind, memory
# stays bounded, and every healthy page is saved.

load helper

# expected FIELD: the kind (1), URL (2) or outcome (3) of all fetches.
expected() {
    cut -f "$1" "$TMP/expected"
}

# rules: lead the hosts of the hostile site to the playground, one to a port
# where nobody listens, and the rest nowhere.
rules() {
    echo --connect-to=refused.example::127.0.0.1:1
    expected 2 | sed -E 's,^https?://([^/]*)/.*,\1,' | grep '\.test$' |
        sort -u | sed "s/.*/--connect-to=&::127.0.0.1:$PORT/"
}

is_sanitized() {
    nm -D "$CRAWLER" 2>/dev/null | grep -qE ' (__asan_init|__tsan_init)$'
}

setup() {
    helper_setup
    start_playground --hostile "$PROJECT/tests/cli/hostile.site"
    "$PLAYGROUND" outcomes --hostile "$PROJECT/tests/cli/hostile.site" \
        >"$TMP/expected"
    mapfile -t RULES < <(rules)
}

@test "all 33 kinds, each with its outcome, and the healthy pages" {
    same "$(seq 0 33)" "$(expected 1 | sort -nu)" "kinds"
    /usr/bin/time -o "$TMP/memory" -f %M timeout -k 5 "$LIMIT" "$CRAWLER" \
        --scope any --sitemaps --delay 0 --per-host 4 --retries 0 --timeout 4s \
        --max-redirects 4 --log json "${RULES[@]}" http://hostile.test/ "$DIR" 3 \
        >"$TMP/log" 2>"$TMP/err"
    python3 - "$TMP/log" >"$TMP/got" <<'END_PYTHON'
import json, sys
for line in open(sys.argv[1]):
    page = json.loads(line)
    print(page["url"], page["outcome"], sep="\t")
END_PYTHON
    diff <(expected 2,3 | LC_ALL=C sort) <(LC_ALL=C sort "$TMP/got")
    same "$(grep -c 'fetched$' "$TMP/expected")" "$(page_count)" "pages saved"
    is_sanitized || [ "$(tail -n 1 "$TMP/memory")" -lt $((256 * 1024)) ] ||
        fail "$(cat "$TMP/memory") KB of memory"
}

@test "the same on one thread, stopped in the middle" {
    timeout -k 5 "$LIMIT" "$CRAWLER" --scope any --sitemaps --delay 0 \
        --threads 1 --timeout 4s --max-time 2s --log none "${RULES[@]}" \
        http://hostile.test/ "$DIR" 3 2>"$TMP/err" || same 3 $?
    # What was saved by then is whole.
    whole_pages "$(page_count)"
}

@test "a hostile site with a mistake in it is told, with its line" {
    for line in 'expect' 'expect 5' 'expect five fetched' 'found 1 fetched'; do
        printf '/no-host\n    %s\n' "$line" >"$TMP/bad.site"
        capture "$PLAYGROUND" outcomes --hostile "$TMP/bad.site"
        same 2 "$STATUS" "$line"
        grep -q '^playground: .*: line 2: ' "$ERR"
    done
    capture "$PLAYGROUND" outcomes
    same 2 "$STATUS"
    grep -q -- '--hostile FILE is missing' "$ERR"
}
