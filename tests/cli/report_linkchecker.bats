#!/usr/bin/env bats
# The broken links of a small real site, before another judge: linkchecker.
# `make test-judges` has the same for four whole sites.

load helper
load nginx
load corpus
load linkchecker

@test "a part of sqlite3-doc: the broken links are those that linkchecker finds" {
    needs_linkchecker
    find_corpus sqlite3 sqlite3-doc
    mkdir "$TMP/www"
    cp -r "$ROOT/session" "$TMP/www"
    ROOT=$TMP/www START=/session/intro.html
    serve_folder
    report_corpus --check-external
    [ "$(broken_paths | wc -l)" -gt 10 ] || fail "$(broken_paths)"
    broken_paths form | grep -qx /search
    # A stylesheet and an image, which are no links: missing files are another
    # kind (--requisites).
    agrees_with_linkchecker +/sqlite.css +/images/sqlite370_banner.gif
}
