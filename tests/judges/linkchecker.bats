#!/usr/bin/env bats
# The broken links of four real sites, as linkchecker finds them: another
# program that walks through a site on its own. The lists of
# tests/cli/report_corpora.bats are a third judge. Run by `make test-judges`;
# a site takes up to some minutes.
#
# Each path that is broken for one of the two alone is listed with its reason.

load ../cli/helper
load ../cli/nginx
load ../cli/corpus
load ../cli/linkchecker

# judge NAME PACKAGE [DIFFERENCE...]
judge() {
    needs_linkchecker
    serve_corpus "$1" "$2"
    report_corpus --check-external
    agrees_with_linkchecker "${@:3}"
}

@test "sqlite3-doc: as linkchecker finds them" {
    judge sqlite3 sqlite3-doc
}

@test "apache2-doc: as linkchecker finds them" {
    judge apache2 apache2-doc
}

@test "postgresql-doc-15: as linkchecker finds them" {
    # The address of a list of mails, in a link element with rev: to the standard
    # that is no link.
    judge postgresql-15 postgresql-doc-15 +/pgsql-docs@lists.postgresql.org
}

@test "cppreference: as linkchecker finds them" {
    local images=/upload.cppreference.com/mwiki/images/thumb/9/91/math-atan2.png
    local manual=www.sourceware.org/pub/binutils/ppc-docs/ppc-poweropen

    # An icon, in a link element, and images, which are no links; and of the two
    # slashes in a path linkchecker makes one, where the standard keeps them.
    judge cppreference cppreference-doc-en-html +/favicon.ico \
        "+$images/428px-math-atan2.png" "+$images/570px-math-atan2.png" \
        "+/en/c/ftp:/$manual/" "-/en/c/ftp://$manual/"
}
