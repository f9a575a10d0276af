#!/usr/bin/env bats
# tools/get-conformance with repositories of our own making: no network.

load helper

setup() {
    helper_setup
    # Of git, only what is said here counts.
    export HOME=$TMP GIT_CONFIG_NOSYSTEM=1
    unset XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE
    git config --global user.name Test
    git config --global user.email test@example.org
    git config --global init.defaultBranch main
    git config --global advice.detachedHead false
    # As GitHub does.
    git config --global uploadpack.allowFilter true
    git config --global uploadpack.allowAnySHA1InWant true
    git config --global "url.file://$TMP/remote/.insteadOf" https://github.com/
    DATA=$TMP/data
}

# repository NAME: with cases/one, cases/deep/two and single.json; FIRST is the
# commit, after which another one changes all of them.
repository() {
    local repo=$TMP/remote/$1

    git init -q "$repo"
    mkdir -p "$repo/cases/deep"
    echo "one of $1" >"$repo/cases/one"
    echo "two of $1" >"$repo/cases/deep/two"
    echo "[]" >"$repo/single.json"
    echo "not needed" >"$repo/large"
    git -C "$repo" add . && git -C "$repo" commit -qm first
    FIRST=$(git -C "$repo" rev-parse HEAD)
    echo changed | tee "$repo/cases/one" "$repo/cases/deep/two" "$repo/single.json" >/dev/null
    git -C "$repo" commit -qam second
}

# table LINE...: what is to be had.
table() { printf '# a comment\n\n%s\n' "$*" >"$TMP/SUITES"; }

get() { capture "$PROJECT/tools/get-conformance" "$DATA" "$TMP/SUITES"; }

two_suites() {
    repository org/a
    table "alpha https://github.com/org/a $FIRST cases x/cases
alpha https://github.com/org/a $FIRST single.json x/cases.json"
    repository org/b
    echo "beta https://github.com/org/b $FIRST cases/deep x/cases/beta" >>"$TMP/SUITES"
}

@test "get-conformance lays out the named paths of the named commits, and nothing else" {
    two_suites
    get
    same 0 "$STATUS"
    same "./.get-conformance
./x/cases.json
./x/cases/beta/two
./x/cases/deep/two
./x/cases/one" "$(cd "$DATA" && find . -type f | LC_ALL=C sort)"
    same "one of org/a" "$(cat "$DATA/x/cases/one")"
    same "two of org/b" "$(cat "$DATA/x/cases/beta/two")"
    same "alpha: laid out
beta: laid out" "$(sed 's/, .*//' "$OUT")"
}

@test "get-conformance called again fetches only what is missing" {
    two_suites
    mv "$TMP/remote/org/b" "$TMP/remote/org/c"
    get
    same 1 "$STATUS"
    grep -q '^alpha: laid out' "$OUT"
    grep -q "^beta: FAILED, https://github.com/org/b at $FIRST: fatal: " "$OUT"
    [ ! -e "$DATA/x/cases/beta" ]
    mv "$TMP/remote/org/c" "$TMP/remote/org/b"
    rm -r "$TMP/remote/org/a"
    get
    same 0 "$STATUS"
    same "alpha: there already
beta: laid out" "$(sed 's/, .*//' "$OUT")"
}

@test "get-conformance fetches a suite again whose commit in the table changed" {
    two_suites
    get
    sed -i "s/^alpha \([^ ]*\) [^ ]*/alpha \1 $(git -C "$TMP/remote/org/a" rev-parse HEAD)/" "$TMP/SUITES"
    get
    same 0 "$STATUS"
    same "changed" "$(cat "$DATA/x/cases/one")"
    same "two of org/b" "$(cat "$DATA/x/cases/beta/two")"
}

@test "get-conformance names a commit or path that is not there" {
    repository org/a
    table "gone https://github.com/org/a 1234567890123456789012345678901234567890 cases x"
    get
    same 1 "$STATUS"
    grep -q '^gone: FAILED, .* at 1234567890123456789012345678901234567890: fatal: ' "$OUT"
    table "gone https://github.com/org/a $FIRST nothing x"
    get
    same 1 "$STATUS"
    grep -q "^gone: FAILED, .*'nothing'" "$OUT"
    same "" "$(find "$DATA" -mindepth 1 ! -name .get-conformance)" "left behind"
}

@test "get-conformance without a network says so for each suite" {
    table "a https://nowhere.invalid/org/a 1234567890123456789012345678901234567890 cases x
b https://nowhere.invalid/org/b 1234567890123456789012345678901234567890 cases y"
    # A proxy that refuses is as good as no network, and never asks anybody.
    https_proxy=http://127.0.0.1:1 get
    same 1 "$STATUS"
    same 2 "$(grep -c '^[ab]: FAILED, .*unable to access' "$OUT")"
}

@test "get-conformance never writes into a directory with other things in it" {
    two_suites
    mkdir "$DATA"
    echo mine >"$DATA/notes"
    get
    same 2 "$STATUS"
    grep -q "has other things in it" "$ERR"
    same "$DATA/notes" "$(find "$DATA" -type f)"
    rm "$DATA/notes"
    get
    same 0 "$STATUS"
}

@test "get-conformance refuses wrong arguments with status 2" {
    local get=$PROJECT/tools/get-conformance

    table ""
    capture "$get" && same 2 "$STATUS"
    capture "$get" "" && same 2 "$STATUS"
    capture "$get" --help && same 2 "$STATUS"
    grep -q ^usage: "$ERR"
    capture "$get" "$DATA" "$TMP/nothing" && same 2 "$STATUS"
    capture "$get" "$TMP/SUITES" "$TMP/SUITES" && same 2 "$STATUS"
    [ ! -e "$DATA" ]
}

@test "get-conformance tells which data is not public" {
    table "lists - - - x/lists"
    get
    same 0 "$STATUS"
    same "lists: not public; tests that need x/lists are skipped" "$(cat "$OUT")"
}

@test "all conformance data that tests read is in the table" {
    local path place

    cd "$PROJECT"
    # Each has a full commit id, the same for all of a suite.
    same "" "$(grep -v '^#' tests/conformance/SUITES |
        awk '!NF { next }
             NF != 5 || $3 != "-" && ($3 !~ /^[0-9a-f]+$/ || length($3) != 40) ||
             $1 in of && of[$1] != $2 " " $3 { print }
             { of[$1] = $2 " " $3 }')"
    grep -v '^#' tests/conformance/SUITES | awk 'NF { print $5 }' >"$TMP/places"
    while read -r path; do
        for place in $(cat "$TMP/places"); do
            case $path in "$place" | "$place"/*) continue 2 ;; esac
        done
        fail "not in tests/conformance/SUITES: $path"
    done < <(
        cat tests/conformance/*.c tests/unit/*.c tests/cli/*.bats tools/fuzz-inputs |
            grep -oE "\b(corpora|encoding|html5lib|http_bad|link_extraction|mimesniff|psl|robots|sitemaps|url)/[a-z0-9_./%-]+\.(json|dat|test|txt|html)" |
            sort -u
    )
}
