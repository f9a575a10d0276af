#!/usr/bin/env bats
# The synthetic web of the playground, and its truth.

load helper

WEB=(--web 1 --hosts 50 --pages 800)

# web_get URL [CURL-OPTION...]
web_get() {
    curl -sS -m "$LIMIT" --connect-to "::127.0.0.1:$PORT" "$@"
}

@test "web: the same seed is the same web, in two servers" {
    start_playground "${WEB[@]}" --flaky 0 --limited 0
    first=$PORT
    start_playground "${WEB[@]}" --flaky 0 --limited 0
    "$PLAYGROUND" truth "${WEB[@]}" | cut -f 2 | head -n 40 >"$TMP/urls"
    same 40 "$(wc -l <"$TMP/urls")"
    mapfile -t urls <"$TMP/urls"
    web_get --compressed -g "${urls[@]}" >"$TMP/second"
    PORT=$first
    web_get --compressed -g "${urls[@]}" | cmp - "$TMP/second"
    [ "$(grep -c '<title>http://' "$TMP/second")" -eq 40 ]
}

@test "web: the truth in its own words" {
    "$PLAYGROUND" truth "${WEB[@]}" --flaky 5% --limited 5% --errors 5% \
        --noindex 5% --all >"$TMP/all"
    same "broken disallowed error file flaky limited noindex page redirect" \
        "$(cut -f 3 "$TMP/all" | sort -u | xargs)"
    same $'0\thttp://d0.example/\tpage' "$(head -n 1 "$TMP/all")"
    same "" "$(cut -f 2 "$TMP/all" | sort | uniq -d)" "a URL listed twice"
    sort -nsc -k 1,1 "$TMP/all"
    # Without --all: the pages that must be saved.
    "$PLAYGROUND" truth "${WEB[@]}" --flaky 5% --limited 5% --errors 5% \
        --noindex 5% >"$TMP/saved"
    grep -E $'\t(page|flaky|limited)$' "$TMP/all" | cmp - "$TMP/saved"
    # Without rules and noindex, all pages there are.
    same 800 "$("$PLAYGROUND" truth "${WEB[@]}" --rules 0 | wc -l)"
}

@test "web: each kind of URL is answered as the truth says" {
    knobs=(--flaky 5% --limited 5% --errors 5% --noindex 5%)
    start_playground "${WEB[@]}" "${knobs[@]}" --slow 0
    "$PLAYGROUND" truth "${WEB[@]}" "${knobs[@]}" --all >"$TMP/all"
    check() {
        local kind=$1 expected=$2 url

        url=$(awk -F '\t' -v kind="$kind" '$3 == kind { print $2; exit }' \
            "$TMP/all")
        same "$expected" "$(web_get -o /dev/null -w \
            '%{http_code} %{content_type}' "$url" | cut -d ';' -f 1)" \
            "$kind $url"
    }
    check page '200 text/html'
    check flaky '503 text/html'
    check flaky '200 text/html'
    check limited '429 text/html'
    check limited '200 text/html'
    check broken '404 text/html'
    check error '500 text/html'
    check error '500 text/html'
    check noindex '200 text/html'
    url=$(awk -F '\t' '$3 == "redirect" { print $2; exit }' "$TMP/all")
    [[ $(web_get -o /dev/null -w '%{http_code}' "$url") == 30[12378] ]]
    url=$(awk -F '\t' '$3 == "file" { print $2; exit }' "$TMP/all")
    [[ $(web_get -o /dev/null -w '%{content_type}' "$url") != text/html* ]]
    same 404 "$(web_get -o /dev/null -w '%{http_code}' http://nobody.example/)"
}

@test "web: 429 names its pause, compressed pages are the same pages" {
    start_playground "${WEB[@]}" --limited 100% --gzip 100% --flaky 0
    web_get -D "$TMP/head" -o /dev/null http://d0.example/
    grep -q '^Retry-After: 1' "$TMP/head"
    web_get -D "$TMP/head" --compressed http://d0.example/ >"$TMP/packed"
    grep -q '^Content-Encoding: gzip' "$TMP/head"
    web_get http://d0.example/ | cmp - "$TMP/packed"
}

@test "web: traps go on for ever" {
    start_playground "${WEB[@]}" --traps 100% --flaky 0 --limited 0
    "$PLAYGROUND" truth "${WEB[@]}" --traps 100% --depth 7 >"$TMP/truth"
    for trap in /calendar/ /grow/ '/session?sid='; do
        last=$(grep -F "$trap" "$TMP/truth" | tail -n 1)
        same 7 "${last%%$'\t'*}" "depth of the last $trap"
        url=$(cut -f 2 <<<"$last")
        same 200 "$(web_get -o /dev/null -w '%{http_code}' "$url")"
        web_get "$url" | grep -qF "$trap"
    done
    run timeout -k 60 "$LIMIT" "$PLAYGROUND" truth "${WEB[@]}" --traps 1
    same 2 "$status" "without a depth there is no truth"
}

@test "web: hosts, and where they are" {
    "$PLAYGROUND" hosts "${WEB[@]}" >"$TMP/hosts"
    same 50 "$(wc -l <"$TMP/hosts")"
    same 800 "$(awk '{ n += $3 } END { print n }' "$TMP/hosts")"
    same 26 "$(cut -f 2 "$TMP/hosts" | sort -u | wc -l)" "domains"
    awk '{ n = length($1) - length($2)
           if (substr($1, n + 1) != $2) { print; bad = 1 } }
         END { exit bad }' "$TMP/hosts"

    start_playground "${WEB[@]}" --listen 127.0.9.1-20:0
    "$PLAYGROUND" connect-to "${WEB[@]}" --listen "127.0.9.1-20:$PORT" \
        >"$TMP/rules"
    same 50 "$(wc -l <"$TMP/rules")"
    args=()
    while read -r rule; do
        args+=(--connect-to "$rule")
    done <"$TMP/rules"
    mapfile -t urls < <(sed 's|\t.*|/robots.txt|; s|^|http://|' "$TMP/hosts")
    curl -sS -m "$LIMIT" -o /dev/null "${args[@]}" "${urls[@]}" >/dev/null
    stop_playground
    same 50 "$(record_total)"
    # Every host on one address, and all but a few addresses used.
    same "$(sed 's/::/ /' "$TMP/rules" | sort)" \
        "$(paste -d ' ' <(record_column host) <(record_column local_addr) |
            sort)"
    [ "$(record_column local_addr | sort -u | wc -l)" -ge 15 ]
}

@test "web: wrong options are told" {
    while read -r args; do
        # shellcheck disable=SC2086 # the words are the arguments
        run timeout -k 60 "$LIMIT" "$PLAYGROUND" $args
        [ "$status" -ne 0 ] || fail "$args"
        same 1 "${#lines[@]}" "lines for $args"
    done <<'EOF'
truth
truth --web 1 --hosts 0
truth --web 1 --hosts 10 --pages 9
truth --web 1 --scope world
truth --web 1 --start http://example.org/
truth --web 1 --start http://d0.example/missing/0.html
truth --web 1 --broken 60% --files 60%
truth --web 1 --broken 2
truth --web 1 --letters
hosts --web 1 --depth 3
connect-to --web 1
connect-to --web 1 --listen 10.0.0.1:80
--web 1 --hosts 0
--depth 3
EOF
}

@test "web: a crawl finds the truth, each page at its depth" {
    # The crawler as it is when robots.txt and 429 are no matter.
    knobs=(--rules 0 --limited 0 --flaky 0.5% --slow 1% --slow-time 50ms)
    start_playground "${WEB[@]}" "${knobs[@]}"
    crawl --delay 0 --per-host 4 --scope any --log none http://d0.example/ \
        "$DIR" 100
    stop_playground
    for file in "$DIR"/[1-9]*; do
        { read -r url && read -r depth; } <"$file"
        printf '%s\t%s\n' "$depth" "$url"
    done | LC_ALL=C sort >"$TMP/got"
    "$PLAYGROUND" truth "${WEB[@]}" "${knobs[@]}" | cut -f 1,2 |
        LC_ALL=C sort >"$TMP/expected"
    same 800 "$(wc -l <"$TMP/expected")"
    diff "$TMP/expected" "$TMP/got"
}
