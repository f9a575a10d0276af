#!/usr/bin/env bats
# The commands in README.md, in their order, as a new user would type them.

load helper

# readme_lines: the indented lines of README.md, without comments at their end.
readme_lines() {
    sed -n 's/^    \([^ ].*\)/\1/p' "$PROJECT/README.md" | sed 's/  *# .*//'
}

# is_command LINE: the others are examples of what is printed.
is_command() {
    [[ $1 =~ ^(\./crawler|make|mkdir|echo|printf|tail|sqlite3)\  ]]
}

# runs_here LINE: make demo and make test are what we are part of, and a search
# needs the internet.
runs_here() {
    [[ $1 != make\ * && $1 != *--search* ]]
}

# A server for all hosts, and a ./crawler that goes there: nothing else of the
# command is changed but https, for which there is no certificate.
setup() {
    helper_setup
    cat >"$TMP/readme.site" <<'END'
//example.org/robots.txt
    type text/plain
    file robots
//example.org/
    body <a href=/private/x>one</a> <a href=/y>two</a>
//example.org/y
    body the end
END
    printf '# example.org\nUser-agent: *\nDisallow: /private\n' >"$TMP/robots"
    start_playground --letters --site "$TMP/readme.site"
    mkdir "$TMP/clone"
    cat >"$TMP/clone/crawler" <<END
#!/bin/bash
set -- "\${@//https:/http:}"
case \$1 in
status | why | verify | export | url | links | robots | warc) exec "$CRAWLER" "\$@" ;;
serve) # until it listens
    coproc "$CRAWLER" serve --port 0 "\${@:2}"
    server=\$COPROC_PID
    read -r line <&"\${COPROC[0]}" && kill "\$server" && wait "\$server" ;;
--listen) # port 8080 may be another's
    exec ${LIMITED[*]} "$CRAWLER" --connect-to ::127.0.0.1:$PORT "\${@/:8080/:0}" ;;
watch | ctl) # by now the crawl is over: all is well but for that
    [[ \$("$CRAWLER" "\$@" 2>&1) == *"no crawl that can be asked is at work in '\$2'; crawler status tells"* ]] ;;
--from) exec ${LIMITED[*]} "$CRAWLER" "\$@" ;;
http*) exec ${LIMITED[*]} "$CRAWLER" --log tse --connect-to ::127.0.0.1:$PORT "\$@" ;;
*) exec ${LIMITED[*]} "$CRAWLER" --connect-to ::127.0.0.1:$PORT "\$@" ;;
esac
END
    chmod +x "$TMP/clone/crawler"
    cd "$TMP/clone" || return
}

@test "README: its commands work in their order in a fresh clone" {
    local line count=0

    while read -r line; do
        is_command "$line" && runs_here "$line" || continue
        count=$((count + 1))
        bash -c "$line" >"$TMP/out.$count" 2>"$TMP/err.$count" ||
            fail "status $? of: $line: $(cat "$TMP/err.$count")"
        echo "$line" >>"$TMP/ran"
    done < <(readme_lines)
    [ "$count" -ge 20 ] || fail "only $count commands"

    # What it shows is what comes.
    of() { cat "$TMP/out.$(grep -nF -- "$1" "$TMP/ran" | head -n 1 | cut -d : -f 1)"; }
    same "$(sed -n 's/^    \( 0 .*\)/\1/p' "$PROJECT/README.md")" \
        "$(of letters/index.html | head -n 4)" "the first log"
    same "$(readme_lines | grep ^verified:)" "$(of 'crawler verify')" "verify"
    same "$(sed -n '/^    https:.* was refused/,/^$/p' "$PROJECT/README.md" |
        sed '/^$/d; s/^    //; s/https:/http:/g')" "$(of 'crawler why' | head -n 3)" "why"
    grep -qx 'http://example.org/b?q=%C3%BC' <(of 'crawler url')
    grep -q '^disallow' <(of 'crawler robots')
}
