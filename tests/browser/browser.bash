# What the browser tests share: the judges from the npm registry, once, in
# build/browser. Without them every test is skipped, with the reason.

# no_browser: is a program missing that judges in a browser need? Says which.
no_browser() {
    local tool

    for tool in node npm chromium; do
        command -v "$tool" >/dev/null || {
            echo "$tool is not there"
            return
        }
    done
    [ "$(node -p 'parseInt(process.versions.node)')" -lt 20 ] &&
        echo "Node 20 is needed, and this is $(node --version)"
}

# get_browser: its reason if something cannot be had.
get_browser() {
    no_browser && return
    mkdir -p "$JUDGES"
    # Suites that run side by side install once.
    exec 8>"$JUDGES/lock"
    flock 8
    cmp -s "$PROJECT/tests/browser/package-lock.json" "$JUDGES/installed" && return
    cp "$PROJECT"/tests/browser/package*.json "$JUDGES"
    (cd "$JUDGES" && timeout 300 npm ci --silent --no-audit --no-fund --ignore-scripts) \
        >"$JUDGES/npm.log" 2>&1 8>&- || {
        echo "the judges cannot be had from the npm registry"
        return
    }
    cp "$PROJECT/tests/browser/package-lock.json" "$JUDGES/installed"
}

# use_browser: call it in setup_file; the tests then call need_browser.
use_browser() {
    JUDGES=$PROJECT/build/browser
    export JUDGES MODULES=$JUDGES/node_modules
    NO_BROWSER=$(get_browser)
    export NO_BROWSER
}

need_browser() {
    [ -z "$NO_BROWSER" ] || skip "$NO_BROWSER"
}

# in_browser SCRIPT ARGUMENT...: run a script of tests/browser; 300 s are for a
# browser that hangs.
in_browser() {
    timeout 300 node "$PROJECT/tests/browser/$1" "${@:2}"
}
