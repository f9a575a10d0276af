# What every test of the command line shares.
#
#     load helper
#
#     @test "nine pages" {
#         start_playground --letters
#         letters_crawl 10
#         same 9 "$(page_count)" "pages saved"
#         stop_playground
#         same 1 "$(record_count /tse/letters/A.html)" "requests of A"
#     }
#
# A test has its own directory, $TMP, and an empty page directory, $DIR; both
# vanish with it. Servers that it started are stopped, and fail it if they end
# badly. Nothing waits longer than $LIMIT seconds, which are for what hangs: a
# busy machine and a sanitizer may take a while.
#
# A test file that needs its own setup or teardown calls helper_setup and
# helper_teardown from it.

bats_require_minimum_version 1.5.0

# Tests are in UTF-8 and on a terminal that can redraw, whatever the machine is
# set to.
export LC_ALL=C.UTF-8 TERM=xterm

PROJECT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
CRAWLER=$(realpath -m "${CRAWLER:-$PROJECT/crawler}")
RESEAL=$(realpath -m "${RESEAL:-$PROJECT/build/release/tests/tools/reseal}")
PLAYGROUND=$(realpath -m "${PLAYGROUND:-$PROJECT/playground}")
# The public suites (tools/get-conformance); a relative path is from the project.
CONFORMANCE=${CONFORMANCE:-../shared/conformance}
[[ $CONFORMANCE == /* ]] || CONFORMANCE=$(realpath -m "$PROJECT/$CONFORMANCE")
LETTERS=http://cs50tse.cs.dartmouth.edu/tse/letters

helper_setup() {
    TMP=$BATS_TEST_TMPDIR
    DIR=$TMP/pages
    mkdir -p "$DIR"
    SERVERS=()
}

helper_teardown() {
    local pid status=0

    for pid in "${SERVERS[@]}"; do
        end_server "$pid" || status=$?
    done
    SERVERS=()
    return "$status"
}

setup() { helper_setup; }
teardown() { helper_teardown; }

# --- judging -----------------------------------------------------------------

# fail TEXT...: end the test with a message.
fail() {
    printf '%s\n' "$*" >&2
    return 1
}

# same EXPECTED GOT [WHAT]
same() {
    [ "$1" = "$2" ] && return
    printf '%s\n  expected: %s\n  got:      %s\n' "${3:-not the same}" \
        "$1" "$2" >&2
    return 1
}

# is_sanitized: the program under test is a sanitizer's build, which is slower,
# needs more memory and wants to be the first library that is loaded.
is_sanitized() {
    nm -D "$CRAWLER" 2>/dev/null | grep -qE ' (__asan_init|__tsan_init)$'
}

LIMIT=300
! is_sanitized || LIMIT=600

# Before a command: it ends after $LIMIT seconds. Without --foreground, `timeout`
# sends SIGCONT after each signal that it passes on. That takes back the SIGSTOP
# by which the leak check of a sanitizer holds the program, and the check waits
# for ever.
LIMITED=(timeout --foreground -k 60 "$LIMIT")

# without_sanitizer: skip the test where it is.
without_sanitizer() {
    ! is_sanitized || skip "not with a sanitizer"
}

# needs_conformance PATH...: skip the test where a file or folder of the public
# suites is missing, with the same reason as tests/support/conformance.c.
needs_conformance() {
    local path

    [ -d "$CONFORMANCE" ] || skip "no conformance data: tools/get-conformance"
    for path; do
        [ -e "$CONFORMANCE/$path" ] || skip "not in the conformance data: $path"
    done
}

# preload FILE: what LD_PRELOAD must be for the program under test to load this
# library; in PRELOAD. A sanitizer wants to be before it.
preload() {
    PRELOAD=$1
    is_sanitized || return 0
    PRELOAD="$(ldd "$CRAWLER" | awk '/lib[at]san/ { print $3 }') $1"
    [ "$PRELOAD" != " $1" ] || skip "the sanitizer is in the program"
}

# --- servers -----------------------------------------------------------------

# start_playground ARGS...: start a server on a free loopback port and wait
# until it listens. Sets PORT, ADDRESS, PID and RECORD, the file of its record. Not to
# be called under `run`. Several may run at once; the variables are those of
# the last one.
start_playground() {
    local name=$TMP/playground.$((${#SERVERS[@]} + 1)) line=

    RECORD=$name.record
    rm -f "$name.out"
    mkfifo "$name.out"
    "$PLAYGROUND" --lifetime "$((LIMIT * 2))s" --record "$RECORD" "$@" \
        >"$name.out" 2>"$name.err" 3>&- &
    PID=$!
    SERVERS+=("$PID")
    # The pipe stays open: a server of many addresses prints many lines.
    exec {SERVER_OUT}<"$name.out"
    read -r -t "$LIMIT" -u "$SERVER_OUT" line || {
        fail "the playground did not start: $(cat "$name.err")"
        return 1
    }
    PORT=${line##*:} ADDRESS=${line#listening on }
    echo "$ADDRESS" >"$name.address"
}

# end_server PID: stop one server and wait for it; its exit status.
end_server() {
    kill -TERM "$1" 2>/dev/null || :
    timeout -k 60 "$LIMIT" tail -s 0.02 --pid="$1" -f /dev/null || kill -KILL "$1"
    wait "$1"
}

# stop_playground: stop the server that was started last; its record is
# complete then.
stop_playground() {
    local status=0 pid rest=()

    end_server "$PID" || status=$?
    for pid in "${SERVERS[@]}"; do
        [ "$pid" = "$PID" ] || rest+=("$pid")
    done
    SERVERS=("${rest[@]}")
    sed -i '/\t\/flush-record\//d' "$RECORD"
    [ "$status" -eq 0 ] || fail "the playground ended with status $status:" \
        "$(cat "${RECORD%.record}.err")"
}

# --- crawling ----------------------------------------------------------------

# crawl ARGS...: the crawler, with every host led to the playground, and with the
# course's log unless ARGS ask for another. It starts over where the directory
# remembers a crawl.
crawl() {
    "${LIMITED[@]}" "$CRAWLER" --restart --robots ignore --log tse \
        --connect-to "::127.0.0.1:$PORT" "$@"
}

# letters_crawl DEPTH [OPTION...]: the letters site from its index into $DIR,
# without a pause unless an option sets one.
letters_crawl() {
    local depth=$1

    shift
    crawl --delay 0 "$@" "$LETTERS/index.html" "$DIR" "$depth"
}

# page_count [DIR]: how many page files there are.
page_count() {
    find "${1:-$DIR}" -maxdepth 1 -type f -name '[1-9]*' | wc -l
}

# page_urls [DIR]: the URLs of all page files, sorted.
page_urls() {
    find "${1:-$DIR}" -maxdepth 1 -type f -name '[1-9]*' \
        -exec head -qn 1 {} + | LC_ALL=C sort
}

# page_depths [DIR]: "URL DEPTH" of all page files, sorted.
page_depths() {
    find "${1:-$DIR}" -maxdepth 1 -type f -name '[1-9]*' -exec awk '
        FNR == 1 { url = $0 }
        FNR == 2 { print url, $0; nextfile }' {} + | LC_ALL=C sort
}

# whole_pages COUNT [DIR]: the directory holds .crawler and the pages 1..COUNT
# and nothing else; each has a URL, a depth and a body, and none is there twice.
whole_pages() {
    local dir=${2:-$DIR}

    diff <(echo .crawler && seq 1 "$1") \
        <(find "$dir" -mindepth 1 ! -name .crawler-stats.json -printf '%P\n' |
            sort -V) >"$TMP/files.diff" ||
        fail "the files in $dir: $(head -n 5 "$TMP/files.diff")" || return
    pages_are_whole "$1" "$dir"
}

# pages_are_whole COUNT [DIR]: the pages 1..COUNT are there; each has a URL, a
# depth and a body, and none is there twice. What else is there does not matter.
pages_are_whole() {
    [ "$1" -gt 0 ] || return 0
    # One awk for all of them, or it could not tell what is there twice.
    (cd "${2:-$DIR}" && seq 1 "$1" | xargs -s 1000000 awk -v count="$1" '
        function say(what) { print "page " FILENAME ": " what; bad = 1 }
        FNR == 1 && !/^https?:\/\/[!-~]+$/ { say("URL " $0) }
        FNR == 1 && seen[$0]++ { say("a second time " $0) }
        FNR == 2 && !/^(0|[1-9][0-9]*)$/ { say("depth " $0) }
        FNR == 3 { bodies++; nextfile }
        END {
            if (bodies != count) print count - bodies " pages without a body"
            exit bad || bodies != count
        }') >&2
}

# capture COMMAND...: run it; its exit status is in STATUS, what it printed in
# the files $OUT and $ERR.
capture() {
    OUT=$TMP/out ERR=$TMP/err STATUS=0
    "$@" >"$OUT" 2>"$ERR" </dev/null || STATUS=$?
}

# silent FILE: nothing was printed there.
silent() {
    [ ! -s "$1" ] || fail "${1##*/} should be empty but is: $(head -c 500 "$1")"
}

# refused TEXT: the last capture ended with status 2 and one line that holds it.
# Suites that refuse in another way have their own.
refused() {
    same 2 "$STATUS" "status: $(cat "$ERR")" || return
    same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")" || return
    grep -qF -- "$1" "$ERR" || fail "no '$1' in: $(cat "$ERR")"
}

# no_complaint FILE: standard error has nothing but the figures of the end.
no_complaint() {
    ! grep '^crawler: ' "$1" | grep -v '^crawler: [0-9]* pages\? saved, ' ||
        fail "${1##*/} should have no complaint"
}

# --- the record --------------------------------------------------------------
# These read $RECORD. A server that is still running writes it now and then;
# they wait for that. HOST is optional everywhere: without it, or with "", all
# hosts count.

# flush_record: wait until a request of our own is in the record. Requests are
# there in the order in which they ended. stop_playground takes ours out again.
flush_record() {
    local mark=/flush-record/$BASHPID-$RANDOM-$RANDOM

    timeout "$LIMIT" bash -c '
        curl -s -o /dev/null "http://$1$2"
        until grep -qF "$2" "$3"; do sleep 0.01; done' - \
        "$(cat "${RECORD%.record}.address")" "$mark" "$RECORD"
}

record_lines() {
    if kill -0 "$PID" 2>/dev/null; then
        flush_record || fail "the record is not written" || return
    fi
    tail -n +2 "$RECORD" | grep -vF "$(printf '\t/flush-record/')" || :
}

# record_column NAME [HOST]: that column of every request, by its start.
record_column() {
    local number

    number=$(head -n 1 "$RECORD" | tr '\t' '\n' | grep -nx "$1" | cut -d: -f1)
    [ -n "$number" ] || fail "the record has no column $1" || return
    record_lines | sort -n | awk -F '\t' -v n="$number" -v host="${2:-}" \
        'host == "" || $5 == host { print $n }'
}

# record_count PATH [HOST]: how often this path (with its query) was asked.
record_count() {
    record_lines | WANTED=$1 awk -F '\t' -v host="${2:-}" \
        '$7 == ENVIRON["WANTED"] && (host == "" || $5 == host) { n++ }
         END { print n + 0 }'
}

# record_total [HOST]: the number of requests.
record_total() {
    record_column path "${1:-}" | wc -l
}

# record_min_gap_ms [HOST]: the smallest time from the end of all earlier
# requests to the start of the next one; below zero where they overlap.
# Fails if there were fewer than two.
record_min_gap_ms() {
    record_lines | sort -n | awk -F '\t' -v host="${1:-}" '
        host != "" && $5 != host { next }
        seen++ {
            gap = $1 - end
            if (seen == 2 || gap < min) min = gap
        }
        $2 > end { end = $2 }
        END {
            if (seen < 2) exit 1
            ms = int(min / 1000)
            print (ms * 1000 > min) ? ms - 1 : ms
        }'
}

# record_max_in_flight [HOST]: the most requests that were open at once.
record_max_in_flight() {
    record_lines | awk -F '\t' -v host="${1:-}" '
        host == "" || $5 == host { print $1, 1; print $2, -1 }' |
        sort -k1,1n -k2,2n |
        awk '{ open += $2; if (open > max) max = open } END { print max + 0 }'
}
