#!/usr/bin/env bats
# When make guard fails: bench/guard.py before figures of our own making.

load helper

# figures KIND=VALUE...: figures of one crawl in which these differ from 100.
figures() {
    python3 - "$@" <<'END'
import json
import sys

names = ["pages", "instructions", "allocations", "record bytes", "peak memory"]
kind = {name: 100.0 for name in names}
kind["system calls"] = {"poll": 100.0, "fsync": 0.2}
made = {"libcurl": "7.88"}
for word in sys.argv[1:]:
    name, value = word.split("=")
    if name == "libcurl":
        made[name] = value
    elif name in kind["system calls"] or name == "brk":
        kind["system calls"][name] = float(value)
    elif value:
        kind[name] = float(value)
    else:
        del kind[name]
left_out = {} if "system calls" in kind else {"system calls": "no strace"}
print(json.dumps({"made with": made, "kinds": {"small pages": kind},
                  "left out": left_out}))
END
}

# judged STATUS FAILED [KIND=VALUE...]: the status, and what is named as wrong,
# where these are now and all was 100.
judged() {
    figures >"$TMP/before"
    figures "${@:3}" >"$TMP/now"
    compare
    same "$1" "$STATUS" "status with ${*:3}"
    same "$2" "$(sed -n '/^FAILED/,$ s/^small pages *\([a-z ]*[a-z]\)  .*/\1/p' \
        "$OUT" | paste -sd ,)" "failed with ${*:3}"
}

compare() {
    capture python3 "$PROJECT/bench/guard.py" --compare "$TMP/before" "$TMP/now"
}

@test "guard: each figure has its limit, and what is cheaper passes" {
    local figure

    judged 0 ""
    same "6 passed, 0 failed, 0 skipped" "$(tail -n 1 "$OUT")"
    for figure in instructions allocations "record bytes"; do
        judged 0 "" "$figure=102"
        judged 1 "$figure" "$figure=104"
        same "5 passed, 1 failed, 0 skipped" "$(tail -n 1 "$OUT")"
        judged 0 "" "$figure=50"
    done
    judged 0 "" "peak memory=124"
    judged 1 "peak memory" "peak memory=126"
    judged 1 "instructions,allocations" instructions=104 allocations=104
}

@test "guard: system calls are judged in all and by name" {
    judged 0 "" poll=149
    judged 1 "system calls" poll=151
    # Few a page may be twice as many; a new one is seen.
    judged 0 "" fsync=0.4
    judged 1 "fsync" fsync=1.2
    judged 1 "brk" brk=1
}

@test "guard: what is missing or another crawl fails" {
    judged 1 "pages" pages=99
    judged 1 "allocations" "allocations="
    echo '{"made with": {"libcurl": "7.88"}, "kinds": {}}' >"$TMP/now"
    compare
    same 1 "$STATUS"
    same "0 passed, 6 failed, 0 skipped" "$(tail -n 1 "$OUT")"
}

@test "guard: with other libraries figures are shown and not judged" {
    judged 0 "" instructions=200 libcurl=8.14
    grep -qx 'skipped: .*libcurl 8.14, not 7.88' "$OUT"
    same "0 passed, 0 failed, 6 skipped" "$(tail -n 1 "$OUT")"
}

@test "guard: without strace the other figures are judged" {
    judged 1 "instructions" instructions=200 "system calls="
    grep -qx 'skipped: no strace' "$OUT"
    same "4 passed, 1 failed, 1 skipped" "$(tail -n 1 "$OUT")"
}
