#!/usr/bin/env bats
# Completion for shells, made of the tables of commands and options; and what
# make install puts where, and make uninstall takes away.

load helper

# completes WORD...: what bash offers for the last word, sorted.
completes() {
    "$CRAWLER" completion bash >"$TMP/completion.bash"
    # compopt works only while bash completes.
    bash -c 'compopt() { :; }
        source "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _crawler
        printf "%s\n" "${COMPREPLY[@]}"' "$TMP/completion.bash" "$@" | LC_ALL=C sort | xargs
}

# options_of COMMAND...: the long options in its help, sorted.
options_of() {
    "$CRAWLER" "$@" --help | sed -n 's/^  \(-[a-zA-Z], \)\?\(--[a-z-]*\).*/\2/p' | LC_ALL=C sort -u
}

@test "bash completes the options of a crawl and of every command, those that help has" {
    for command in "" status why verify export warc serve url links robots completion; do
        # shellcheck disable=SC2086 # there may be no command
        same "$(options_of $command | xargs)" "$(completes crawler $command --)" "options of '$command'"
    done
}

@test "bash completes commands, choices and limits that may be lifted" {
    same "status stop" "$(completes crawler st)"
    same "prefix" "$(completes crawler --scope p)"
    same "domain host prefix any" "$(completes crawler --scope '' | tr ' ' '\n' |
        LC_ALL=C sort | grep -v any | xargs) any"
    same "json" "$(completes crawler --log = j)"
    same "json none pages tse" "$(completes crawler --log =)"
    same "none" "$(completes crawler --max-pages n)"
    same "" "$(completes crawler --delay n)"
    same "" "$(completes crawler -U n)"
    same "--max-bytes" "$(completes crawler --scope host --max-b)"
}

@test "a name that two commands share completes to what it means there" {
    same "html json junit text" "$(completes crawler report --format '')"
    same "cdxj csv jsonl links pages sitemap sqlite wacz" "$(completes crawler export --format '')"
    same "" "$(completes crawler status --format '')"
    "$CRAWLER" completion zsh >"$TMP/_crawler"
    "$CRAWLER" completion fish >"$TMP/crawler.fish"
    same 1 "$(sed -n '/^    report)/,/;;/p' "$TMP/_crawler" | grep -c -- '--format=.*(text json html junit)')"
    same 1 "$(grep -cE "seen_subcommand_from report' -l format -x -a 'text json html junit'" "$TMP/crawler.fish")"
}

@test "the kinds of --fail-on complete, also after a comma" {
    kinds=$("$CRAWLER" report --fail-on nonsense "$DIR" 2>&1 | sed "s/.*there are //; s/,//g")
    same "$(tr ' ' '\n' <<<"$kinds" | LC_ALL=C sort | xargs)" \
        "$(completes crawler report --fail-on '')"
    same "broken" "$(completes crawler report --fail-on br)"
    same "broken,chain" "$(completes crawler report --fail-on broken,ch)"
    same "broken,chain" "$(completes crawler report --fail-on = broken,ch)"
    "$CRAWLER" completion zsh | grep -qF -- "_values -s , kind $kinds"
    "$CRAWLER" completion fish | grep -qF -- "(__fish_append , $kinds)"
}

@test "the orders of ctl complete behind its directory, and the shells of completion" {
    orders=$("$CRAWLER" ctl --help | sed -n 's/.* ctl pageDirectory \([^ ]*\).*/\1/p' |
        tr '|' '\n' | LC_ALL=C sort | xargs)
    same "$orders" "$(completes crawler ctl dir '')"
    same "pause" "$(completes crawler ctl dir pa)"
    same "" "$(completes crawler ctl '')"
    same "" "$(completes crawler ctl dir drop '')"
    same "bash fish zsh" "$(completes crawler completion '')"
    for shell in zsh fish; do
        for word in $orders bash zsh fish; do
            "$CRAWLER" completion "$shell" | grep -E ":word:|commandline" | grep -qw -- "$word" ||
                fail "$shell: $word"
        done
    done
}

@test "zsh and fish read their scripts" {
    "$CRAWLER" completion zsh >"$TMP/_crawler"
    "$CRAWLER" completion fish >"$TMP/crawler.fish"
    for name in $(options_of); do
        grep -qE -- "'\*?$name[=[]" "$TMP/_crawler" || fail "zsh: no $name"
        grep -qE -- " -l ${name#--}( |$)" "$TMP/crawler.fish" || fail "fish: no $name"
    done
    if command -v zsh >/dev/null; then
        zsh -n "$TMP/_crawler"
    fi
    if command -v fish >/dev/null; then
        fish --no-execute "$TMP/crawler.fish"
    fi
}

@test "completion for another shell is refused" {
    capture "$CRAWLER" completion tcsh
    same 2 "$STATUS"
    same "crawler: completion is for bash, zsh or fish, not 'tcsh'" "$(cat "$ERR")"
    capture "$CRAWLER" completion
    same 2 "$STATUS"
}

@test "make install puts a stripped program, its man page and completion, and uninstall takes all of it" {
    without_sanitizer
    cd "$PROJECT" || return
    cp "$CRAWLER" "$TMP/crawler"
    cd "$TMP" && mkdir docs && cp "$PROJECT/docs/crawler.1" docs && cp "$PROJECT/VERSION" .
    # A blank in the name of the folder is no end of it.
    root="$TMP/the root"
    echo data >"$TMP/the"
    make -s -f "$PROJECT/Makefile" install-files DESTDIR="$root" PREFIX=/usr >/dev/null
    "$root/usr/bin/crawler" --version
    same "" "$(nm "$root/usr/bin/crawler" 2>/dev/null)" "symbols"
    same "usr/bin/crawler usr/share/bash-completion/completions/crawler usr/share/fish/vendor_completions.d/crawler.fish usr/share/man/man1/crawler.1 usr/share/zsh/site-functions/_crawler" \
        "$(cd "$root" && find usr -type f | LC_ALL=C sort | xargs)"
    make -s -f "$PROJECT/Makefile" uninstall DESTDIR="$root" PREFIX=/usr >/dev/null
    same "" "$(find "$root" -type f)"
    same data "$(cat "$TMP/the")"
}
