#!/usr/bin/env bats
# Our archives before judges that others wrote: warcio.js, js-wacz,
# replayweb.page in Chromium, Chromium behind `crawler serve`; and the archive of
# another writer (wget) before ours. Run by `make test-archive`.

load ../cli/helper
load ../cli/nginx
load ../cli/certificates
load ../browser/browser

REPLAYWEB=replaywebpage-2.5.3
REPLAYWEB_SHA512=9c28f63d238ddc1c5e489284f00b183f250bbf45cf64a2567f2e25f4fc90adef52ab02d9f9629956cfec7cba8f390e06ac7fb46248dbc0e86bf1c4931f4f20b1

# get_judges: everything from the registry into build/archive, once. Its reason
# if something cannot be had.
get_judges() {
    no_browser && return
    mkdir -p "$JUDGES"
    cmp -s "$BATS_TEST_DIRNAME/package-lock.json" "$JUDGES/installed" && return
    cp "$BATS_TEST_DIRNAME"/package*.json "$JUDGES"
    (
        cd "$JUDGES" || exit
        timeout 300 npm ci --silent --no-audit --no-fund --ignore-scripts &&
            timeout 300 npm pack --silent "${REPLAYWEB/-/@}" &&
            sha512sum --quiet -c <<<"$REPLAYWEB_SHA512  $REPLAYWEB.tgz" &&
            tar xzf "$REPLAYWEB.tgz" package/ui.js package/sw.js
    ) >"$JUDGES/npm.log" 2>&1 || {
        echo "the judges cannot be had from the npm registry"
        return
    }
    cp "$BATS_TEST_DIRNAME/package-lock.json" "$JUDGES/installed"
}

# The site is crawled once, and its server is stopped: what the judges see they
# have from the archive.
setup_file() {
    JUDGES=$PROJECT/build/archive
    export JUDGES MODULES=$JUDGES/node_modules WWW=$JUDGES/package
    NO_JUDGES=$(get_judges)
    export NO_JUDGES SITE=$BATS_FILE_TMPDIR/site
    [ -z "$NO_JUDGES" ] || return 0
    TMP=$BATS_FILE_TMPDIR SERVERS=()
    mkdir "$SITE"
    start_playground --site "$PROJECT/tests/cli/archive.site"
    crawl --warc --requisites --scope host --delay 0 --retries 1 \
        http://archive.test/ "$SITE" 5 >"$TMP/log"
    stop_playground
    "$CRAWLER" export --format cdxj "$SITE" >"$TMP/site.cdxj"
}

setup() {
    helper_setup
    [ -z "$NO_JUDGES" ] || skip "$NO_JUDGES"
}

# judge SCRIPT ARGUMENT...
judge() {
    timeout -k 60 $((LIMIT * 3)) node "$BATS_TEST_DIRNAME/$1.mjs" "${@:2}"
}

# start_serve WHAT...: `crawler serve` on a free port; its address in SERVE.
start_serve() {
    local line

    mkfifo "$TMP/serve.out"
    timeout --foreground -k 60 "$((LIMIT * 3))" "$CRAWLER" serve --port 0 "$@" >"$TMP/serve.out" 2>"$TMP/serve.err" 3>&- &
    SERVERS+=($!)
    exec {SERVE_OUT}<"$TMP/serve.out"
    read -r -t "$LIMIT" -u "$SERVE_OUT" line || fail "serve: $(cat "$TMP/serve.err")"
    SERVE=$(grep -o 'http://127.0.0.1:[0-9]*' <<<"$line")
}

@test "every member of the archive is whole, and none is left open" {
    for file in "$SITE"/archive/*; do
        [[ $file == *.warc.gz ]]
        gzip -t "$file"
    done
}

@test "warcio.js reads every record, and finds every digest right" {
    judge check "$SITE"/archive/*.warc.gz
}

@test "warcio.js sees the records where crawler warc sees them" {
    for file in "$SITE"/archive/*.warc.gz; do
        "$MODULES/.bin/warcio" index "$file" |
            node -e 'for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
                const record = JSON.parse(line);
                console.log(record.offset, record["warc-type"]); }' >>"$TMP/theirs"
        "$CRAWLER" warc "$file" |
            node -e 'for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
                const record = JSON.parse(line);
                console.log(record.offset, record.type); }' >>"$TMP/ours"
    done
    diff "$TMP/theirs" "$TMP/ours"
    [ "$(wc -l <"$TMP/ours")" -gt 80 ]
}

# facts KEY_IS_THEIRS: of a CDXJ on standard input, what both sides must agree on.
facts() {
    node -e '
        for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
            const [, key, stamp, json] = line.match(/^(\S+) (\d+) (.*)$/);
            const { url, status, mime, digest, length, offset, filename } = JSON.parse(json);
            console.log([key, stamp, url, status, mime, digest?.replace(/^sha1:/, ""),
                         length, offset, filename].join(" "));
        }' | LC_ALL=C sort
}

@test "the index has every line that warcio.js would write" {
    (cd "$SITE/archive" && "$MODULES/.bin/warcio" cdx-index ./*.warc.gz) |
        sed 's|"filename": *"\./|"filename":"|' | facts >"$TMP/theirs"
    facts <"$BATS_FILE_TMPDIR/site.cdxj" >"$TMP/ours"
    same "" "$(LC_ALL=C comm -23 "$TMP/theirs" "$TMP/ours")" "lines of warcio.js that we lack"
    LC_ALL=C sort -c "$BATS_FILE_TMPDIR/site.cdxj"
}

@test "replayweb.page shows every page of the package, with the server gone" {
    "$CRAWLER" export --format wacz --output "$TMP/site.wacz" "$SITE"
    start_serve "$TMP/site.wacz"
    judge replay "$SERVE/archive.wacz" "$SITE" "$BATS_FILE_TMPDIR/site.cdxj"
}

@test "replayweb.page shows every page of a package of many WARC files" {
    start_playground --site "$PROJECT/tests/cli/archive.site"
    crawl --warc --warc-max-size 4K --scope host --delay 0 --retries 1 \
        http://archive.test/ "$DIR" 5 >/dev/null
    stop_playground
    [ "$(find "$DIR/archive" -name "*.warc.gz" | wc -l)" -ge 5 ]
    start_serve "$DIR"
    "$CRAWLER" export --format cdxj "$DIR" >"$TMP/many.cdxj"
    EVERY=4 judge replay "$SERVE/archive.wacz" "$DIR" "$TMP/many.cdxj"
}

@test "js-wacz makes a package of our files that replays" {
    "$MODULES/.bin/js-wacz" create -f "$SITE/archive/*.warc.gz" -o "$TMP/js.wacz"
    start_serve "$TMP/js.wacz"
    # Its index has no line for the other spelling of a URL.
    cp -r "$SITE" "$TMP/known"
    rm "$(grep -lFx 'http://archive.test/bar|x' "$TMP"/known/[0-9]*)"
    grep -v '/bar\(|\|%7C\)x"' "$BATS_FILE_TMPDIR/site.cdxj" >"$TMP/known.cdxj"
    EVERY=4 judge replay "$SERVE/archive.wacz" "$TMP/known" "$TMP/known.cdxj"
}

@test "Chromium behind the proxy shows every page as it was saved" {
    start_serve "$SITE"
    judge proxy "$SERVE" "$SITE"
}

@test "Chromium behind the proxy shows https pages" {
    mkdir "$TMP/www"
    echo '<title>secure</title><h1>secure</h1><a href=/two.html>two</a>' >"$TMP/www/index.html"
    echo '<title>two</title><h1>two</h1>' >"$TMP/www/two.html"
    (cd "$TMP" && new_authority ca && sign good "DNS:secure.example")
    start_nginx <<END
server {
    listen 127.0.0.1:@PORT1@ ssl;
    root @TMP@/www;
    ssl_certificate $TMP/good.pem;
    ssl_certificate_key $TMP/good.key;
}
END
    crawl --warc --cacert "$TMP/ca.pem" --scope host --delay 0 https://secure.example/ \
        "$DIR" 3 >/dev/null
    end_server "${SERVERS[-1]}"
    unset 'SERVERS[-1]'
    start_serve "$DIR"
    judge proxy "$SERVE" "$DIR"
}

@test "the package of a crawl that was killed opens, and all of its pages are shown" {
    start_playground --site "$PROJECT/tests/cli/archive.site"
    "$CRAWLER" --robots ignore --connect-to "::127.0.0.1:$PORT" --warc --scope host \
        --delay 100ms --save-every 100ms http://archive.test/ "$DIR" 5 >/dev/null 2>&1 3>&- &
    local pid=$!
    until [ -e "$DIR/9" ]; do sleep 0.05; done
    kill -KILL "$pid"
    wait "$pid" || :
    "$CRAWLER" export --format wacz --output "$TMP/killed.wacz" "$DIR"
    "$CRAWLER" export --format cdxj "$DIR" >"$TMP/killed.cdxj"
    # The page files that the record knows of.
    mkdir "$TMP/known"
    "$CRAWLER" export --format csv "$DIR" | tail -n +2 | cut -d, -f1 |
        while read -r page; do cp "$DIR/$page" "$TMP/known/"; done
    start_serve "$TMP/killed.wacz"
    judge replay "$SERVE/archive.wacz" "$TMP/known" "$TMP/killed.cdxj"
}

@test "what wget archived is listed, indexed, served and taken apart" {
    command -v wget >/dev/null || skip "wget is not there"
    start_playground --site "$PROJECT/tests/cli/archive.site"
    (cd "$TMP" && http_proxy=http://$ADDRESS timeout "$LIMIT" wget -q -r -l 1 \
        -e robots=off --tries 1 --timeout 30 --warc-file=site http://archive.test/) || :
    stop_playground
    "$CRAWLER" warc "$TMP/site.warc.gz" >"$TMP/records"
    [ "$(grep -c '"type":"response"' "$TMP/records")" -gt 30 ]
    "$CRAWLER" export --format cdxj "$TMP/site.warc.gz" >"$TMP/wget.cdxj"
    grep -q '"url": *"http://archive.test/chunked"' "$TMP/wget.cdxj"
    mkdir "$TMP/out"
    "$CRAWLER" export --format pages --output "$TMP/out" "$TMP/site.warc.gz"
    for url in http://archive.test/chunked http://archive.test/plain; do
        same "$(tail -n +3 "$(grep -lx "$url" "$SITE"/[1-9]* | head -n 1)")" \
            "$(tail -n +3 "$(grep -lx "$url" "$TMP"/out/[1-9]* | head -n 1)")" "$url"
    done
    start_serve "$TMP/site.warc.gz"
    same "$(tail -n +3 "$(grep -lx http://archive.test/plain "$SITE"/[1-9]* | head -n 1)")" \
        "$(curl -s -x "$SERVE" http://archive.test/plain)" "by the proxy"
}
