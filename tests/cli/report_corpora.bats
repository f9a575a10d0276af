#!/usr/bin/env bats
# The broken links of real sites. The list of what must be found is not ours:
# conformance data, computed by other parsers.

load helper
load nginx
load corpus

# broken_are NAME PACKAGE [PATH...]: they are those of the list, but for the
# paths that only link elements have, which a crawl does not follow.
broken_are() {
    serve_corpus "$1" "$2"
    report_corpus
    broken_paths >"$TMP/found"
    python3 - "$TMP/found" "$CONFORMANCE/corpora/$1.dead.txt.gz" "${@:3}" <<'END'
import gzip, sys
from urllib.parse import unquote

found = set(open(sys.argv[1], encoding="utf-8").read().splitlines())
expected = {unquote(line) for line in gzip.open(sys.argv[2], "rt").read().split("\n") if line}
left_out = set(sys.argv[3:])
assert left_out <= expected, left_out - expected
print("only in the report:", sorted(found - expected)[:10])
print("only in the list:", sorted(expected - left_out - found)[:10])
assert found == expected - left_out
END
}

@test "sqlite3-doc: the broken links are those of the list" {
    broken_are sqlite3 sqlite3-doc
}

@test "apache2-doc: the broken links are those of the list" {
    broken_are apache2 apache2-doc
}

@test "postgresql-doc-15: there is no broken link" {
    # The list has the address of a list of mails, in a link element.
    broken_are postgresql-15 postgresql-doc-15 /pgsql-docs@lists.postgresql.org
}

@test "cppreference: the broken links are those of the list" {
    broken_are cppreference cppreference-doc-en-html /favicon.ico
}
