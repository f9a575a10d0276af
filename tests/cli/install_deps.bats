#!/usr/bin/env bats
# Which Debian packages each target of the Makefile asks for. Nothing is
# installed: dpkg-query, apt-get and id in PATH are ours.

load helper

setup() {
    helper_setup
    mkdir "$TMP/bin"
    : >"$TMP/installed"
    : >"$TMP/asked"
    fake dpkg-query 'grep -qx -- "${@: -1}" "$TMP/installed" && echo installed'
    fake apt-get '[ "$1" = update ] || printf "%s\n" "$@" | grep -v "^-\|^install$" >>"$TMP/asked"'
    fake id 'echo 0'
    export PATH=$TMP/bin:$PATH TMP
    cd "$PROJECT"
}

# fake NAME SCRIPT: a command of that name.
fake() {
    printf '#!/bin/bash\n%s\n' "$2" >"$TMP/bin/$1"
    chmod +x "$TMP/bin/$1"
}

# groups_of TARGET...: what make would have tools/install-deps install.
groups_of() {
    env -u MAKEFLAGS make -n DEPS="$TMP/installed-" "$@" 2>/dev/null |
        sed -n 's,^tools/install-deps ,,p' | sort | paste -sd ' '
}

# installs PACKAGES COMMAND...: it asks apt-get for these and nothing else.
installs() {
    local wanted=$1

    shift
    : >"$TMP/asked"
    "$@" >"$TMP/out" 2>&1 || fail "status $?: $(cat "$TMP/out")" || return
    same "$wanted" "$(sort "$TMP/asked" | paste -sd ' ')" "packages"
}

BUILD_PACKAGES="gcc libbrotli-dev libc-ares-dev libc6-dev libcurl4-openssl-dev libdeflate-dev"
BUILD_PACKAGES+=" libexpat1-dev libidn2-dev libisal-dev libpcre2-dev libpq-dev libpsl-dev libsqlite3-dev libssl-dev"
BUILD_PACKAGES+=" libxxhash-dev libzstd-dev make zlib1g-dev"

@test "each target of the Makefile installs its own group of packages" {
    same "build" "$(groups_of -B all)" "make"
    same "build demo" "$(groups_of -B demo)" "make demo"
    same "build test" "$(groups_of -B test)" "make test"
    same "build test valgrind" "$(groups_of -B VALGRIND=1 test)" "with valgrind"
    same "build guard" "$(groups_of -B guard)" "make guard"
    same "build" "$(groups_of -B install)" "make install"
    same "build" "$(groups_of lint)" "make lint: the rest is tools/lint's"
}

@test "a plain make installs what compiling needs and no test tool" {
    installs "$BUILD_PACKAGES" tools/install-deps build
    installs "ca-certificates publicsuffix" tools/install-deps demo
}

@test "make test installs the tools that the tests run" {
    installs "bats brotli ca-certificates curl dnsmasq-base git jq libcmocka-dev linkchecker mandoc nginx-light openssl postgresql procps prometheus publicsuffix python3 python3-prometheus-client sqlite3 time unzip zstd" \
        tools/install-deps test
}

@test "lint, fuzz and bench ask for their own packages before anything else" {
    local tool

    # They end there: lint and fuzz need theirs, and there is no such build.
    fake apt-get 'printf "%s\n" "$@" >>"$TMP/asked"; [ "$1" = update ]'
    for tool in "tools/lint" "tools/fuzz 1 url" "tools/bench build/none"; do
        : >"$TMP/asked"
        # shellcheck disable=SC2086 # a command with arguments
        run timeout -k 60 "$LIMIT" $tool
        case $tool in
        tools/lint) grep -qx clang-tidy "$TMP/asked" ;;
        tools/fuzz*) grep -qx clang "$TMP/asked" ;;
        tools/bench*) grep -qx wget2 "$TMP/asked" ;;
        esac || fail "$tool asked for $(paste -sd ' ' "$TMP/asked")"
    done
}

@test "only packages that are missing are installed" {
    printf '%s\n' gcc make libc6-dev >"$TMP/installed"
    installs "wrk" tools/install-deps gcc wrk
    tools/install-deps --print build >"$TMP/installed"
    installs "" tools/install-deps build
    silent "$TMP/out"
}

@test "install-deps --print lists packages and installs none" {
    installs "" tools/install-deps --print demo wrk
    same "ca-certificates publicsuffix wrk" "$(paste -sd ' ' "$TMP/out")"
    run tools/install-deps
    same 2 "$status"
}

@test "without root and sudo the missing packages are named" {
    local tool

    fake id 'echo 1000'
    for tool in sh grep cat; do ln -s "$(command -v "$tool")" "$TMP/bin/"; done
    PATH=$TMP/bin run tools/install-deps wrk gcc
    same 1 "$status"
    [[ $output == *"missing packages: wrk gcc"* ]] || fail "$output"
    silent "$TMP/asked"
}

@test "with sudo the packages are installed through it" {
    fake id 'echo 1000'
    fake sudo 'echo sudo >>"$TMP/used"; "$@"'
    installs "wrk" tools/install-deps wrk
    same 2 "$(wc -l <"$TMP/used")" "calls of sudo"
}

@test "a failed installation ends with an error" {
    fake apt-get 'exit 100'
    run tools/install-deps wrk
    [ "$status" -ne 0 ]
}
