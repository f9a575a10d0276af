#!/usr/bin/env bats
# Commands of a fleet: status, pause, continue, stop and lost ask the engine.

load helper
load postgres

# engine_check leaves a crawl behind: finished, with machines and mail.
setup_file() {
    postgres_start || return 0
    "$(dirname "$RESEAL")/engine_check" "$(postgres_url)" >/dev/null
}

teardown_file() { postgres_stop; }

setup() {
    postgres_needed
    helper_setup
    # A crawl at work: machine 1 is alive, machine 2 is dead.
    sql "UPDATE crawl SET state = 'running', wanted = 'run';
         UPDATE node SET state = 'alive', pages_lost = false, name = 'one' WHERE node = 1;
         UPDATE node SET state = 'dead', pages_lost = false, name = 'two' WHERE node = 2"
}

sql() {
    postgres_sql "SET search_path TO engine_check; $1"
}

# fleet COMMAND [ARGUMENT...]: of the crawl in the engine.
fleet() {
    capture "$CRAWLER" "$1" --name engine_check "$(postgres_url)" "${@:2}"
}

@test "status of a fleet shows its machines" {
    fleet status
    same 0 "$STATUS" "$(cat "$ERR")"
    silent "$ERR"
    grep -qx "The crawl 'engine_check' at $(postgres_url) is running" "$OUT"
    grep -qE '^  machines 1 at work, .* dead$' "$OUT"
    grep -qE '^ +1  alive .* one$' "$OUT"
    grep -qE '^ +2   dead .* two$' "$OUT"
}

@test "pause, continue and stop are kept in the engine" {
    fleet pause
    same 0 "$STATUS" "$(cat "$ERR")"
    same pause "$(sql 'SELECT wanted FROM crawl')"
    fleet status
    grep -q 'is paused$' "$OUT"
    fleet continue
    same run "$(sql 'SELECT wanted FROM crawl')"
    fleet stop
    same stop "$(sql 'SELECT wanted FROM crawl')"
    grep -q 'To go on: crawler continue' "$OUT"
    fleet status
    grep -q 'is stopped$' "$OUT"
}

@test "a finished crawl is not told to pause" {
    sql "UPDATE crawl SET state = 'finished'"
    fleet pause
    refused "the crawl 'engine_check' at $(postgres_url) is finished"
    same run "$(sql 'SELECT wanted FROM crawl')"
}

@test "the pages of a machine are lost only if it is not at work" {
    fleet lost 1
    refused "machine 1 is at work"
    fleet lost 9
    refused "has no machine 9"
    fleet lost 0
    refused "has no machine 0"
    fleet lost two
    refused "'two' is no number of a machine"
    fleet lost 2
    same 0 "$STATUS" "$(cat "$ERR")"
    same t "$(sql 'SELECT pages_lost FROM node WHERE node = 2')"
    fleet status
    grep -q 'two (its pages are lost)$' "$OUT"
}

@test "what is no engine, no crawl or no name is refused in one line" {
    local command

    for command in status pause continue stop; do
        capture "$CRAWLER" "$command" --name none "$(postgres_url)"
        refused "$(postgres_url): "
    done
    capture "$CRAWLER" pause "$TMP"
    refused "the engine must be postgres://"
    capture "$CRAWLER" stop --name 'a"b' "$(postgres_url)"
    refused "--name"
    capture "$CRAWLER" pause
    refused "takes one argument"
    capture "$CRAWLER" lost "$(postgres_url)"
    refused "takes two arguments"
    capture "$CRAWLER" status 'postgres://u:geheim@[::1/x'
    refused "the engine must be postgres://"
    capture "$CRAWLER" status --json "$(postgres_url)"
    refused "--json"
}

# Every command that takes the engine and a name, as FORM.
FORMS=('status ENGINE' 'pause ENGINE' 'continue ENGINE' 'stop ENGINE' 'lost ENGINE 2'
    'add ENGINE http://d0.example/' 'why ENGINE http://d0.example/' 'verify ENGINE'
    'export --format csv ENGINE' 'export --format cdxj ENGINE'
    'export --format sqlite --output TMP/x.db ENGINE'
    '--scope any --fleet ENGINE http://d0.example/ TMP 3')

# each_form ENGINE [OPTION...]: its message, for all FORMS.
each_form() {
    local form

    for form in "${FORMS[@]}"; do
        form=${form/ENGINE/$1}
        # shellcheck disable=SC2086 # words
        capture "$CRAWLER" ${form//TMP/$TMP} "${@:2}"
        [ "$STATUS" -ne 0 ] || fail "$form: status 0" || return
        cat "$ERR"
    done
}

@test "every command refuses a name and an engine in the same words" {
    local name

    for name in Web pg_x "$(printf 'a%.0s' {1..41})" '' 'a"b'; do
        same "crawler: --name must be at most 40 small letters, digits and '_', not beginning with pg_, not '$name'" \
            "$(each_form "$(postgres_url)" --name "$name" | sort -u)"
    done
    same "crawler: the engine must be postgres://[USER@]HOST[:PORT][,...]/DATABASE" \
        "$(each_form 'postgres://u:geheim@[::1/x' | sort -u)"
    each_form "$(postgres_url 1)" | sed 's/ is away: .*/ is away/' | sort -u >"$TMP/away"
    same "crawler: the engine $(postgres_url 1) is away" "$(cat "$TMP/away")"
}

@test "a password in the URL is never shown" {
    local url

    url=$(postgres_url)
    url=${url/crawl@/crawl:geheim@}
    capture "$CRAWLER" status --name engine_check "$url"
    same 0 "$STATUS" "$(cat "$ERR")"
    ! grep -q geheim "$OUT" "$ERR" || fail "a secret is shown"
    # Neither where nobody answers, nor where the database is not there.
    capture "$CRAWLER" pause "${url/:$POSTGRES_PORT/:1}"
    same 1 "$STATUS"
    grep -q "is away" "$ERR"
    ! grep -q geheim "$OUT" "$ERR" || fail "a secret is shown"
    capture "$CRAWLER" pause "${url%/crawl}/nothing"
    [ "$STATUS" -ne 0 ]
    ! grep -q geheim "$OUT" "$ERR" || fail "a secret is shown"
}

@test "no such crawl, and a wrong password, are said to be that, at once" {
    local start=$SECONDS url command

    for command in status pause verify 'export --format jsonl'; do
        # shellcheck disable=SC2086 # words
        capture "$CRAWLER" $command --name nothing "$(postgres_url)"
        same "crawler: $(postgres_url): there is no such crawl" "$(cat "$ERR")"
    done
    postgres_sql "CREATE ROLE locked LOGIN PASSWORD 'right'"
    sed -i '1i host all locked 127.0.0.1/32 scram-sha-256' "$POSTGRES_HOME/data/pg_hba.conf"
    postgres_sql "SELECT pg_reload_conf()" >"$TMP/reloaded"
    url=$(postgres_url)
    url=${url/crawl@/locked:wrong@}
    until capture "$CRAWLER" status "$url" && grep -q "password authentication failed" "$ERR"; do
        [ $((SECONDS - start)) -lt "$LIMIT" ] || fail "$(cat "$ERR")" || return
        sleep 0.1
    done
    capture "$CRAWLER" --scope any --fleet "$url" http://a.test/ "$DIR" 3
    [ "$STATUS" -ne 0 ]
    same 1 "$(wc -l <"$ERR")" "lines: $(cat "$ERR")"
    grep -q "password authentication failed" "$ERR" || fail "$(cat "$ERR")"
    ! grep -q "is away\|wrong" "$ERR" || fail "$(cat "$ERR")"
}
