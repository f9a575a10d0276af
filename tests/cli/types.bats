#!/usr/bin/env bats
# --types: what is saved beside HTML.

load helper
load resume
load site

# many_types: a page and answers of many types that it leads to.
many_types() {
    serve <<'END'
/robots.txt 404
/
    body <a href=/a.pdf>.</a> <a href=/t.txt>.</a> <a href=/i.png>.</a> <a href=/n>.</a>
    body <a href=/x.json>.</a> <a href=/page>.</a> <a href=/secret.pdf>.</a> <a href=/none.pdf>.</a>
/a.pdf
    type Application/PDF; version=1
    bytes %PDF-1.4 <a href=/from-pdf>not a link</a>\x00\xff
/secret.pdf
    type application/pdf
    header X-Robots-Tag: noindex
    body %PDF
/none.pdf
    type application/pdf
/t.txt
    type text/plain
    body <a href=/from-text>not a link</a>
/i.png
    type image/png
    bytes \x89PNG
/x.json
    type application/json
    body {}
/n
    type
    bytes \x01\x02no type
/page
    body A page.
END
}

@test "without --types only HTML is saved, of any other type nothing" {
    many_types
    fetch 2
    same "/ 0
/page 1" "$(pages)"
    fetch 2 --types html
    same "/ 0
/page 1" "$(pages)"
}

@test "--types saves the types that it names, byte for byte, and looks for no links in them" {
    many_types
    fetch 3 --robots obey --types html,pdf,text
    same "/ 0
/a.pdf 1
/page 1
/t.txt 1" "$(pages)"
    printf '%%PDF-1.4 <a href=/from-pdf>not a link</a>\0\377' >"$TMP/expected"
    tail -n +3 "$(page http://example.org/a.pdf)" | cmp - "$TMP/expected"
    same "/ fetched
/a.pdf fetched
/i.png not-html
/n not-html
/none.pdf empty
/page fetched
/secret.pdf noindex
/t.txt fetched
/x.json not-html" "$(outcomes)"
    stop_playground
    same 0 "$(record_count /from-pdf)"
    same 0 "$(record_count /from-text)"
    "$CRAWLER" verify "$DIR"
}

@test "--types takes MIME types, all types of a kind, and all of them" {
    many_types
    for list in "image/*" "image" " text/html , image/png"; do
        fetch 1 --types "$list"
        same "/ /i.png /page" "$(pages | cut -d ' ' -f 1 | xargs)" "pages with $list"
    done
    fetch 1 --types application/json,text/plain
    same "/ /page /t.txt /x.json" "$(pages | cut -d ' ' -f 1 | xargs)"
    fetch 1 --types all
    same "/ /a.pdf /i.png /n /page /secret.pdf /t.txt /x.json" \
        "$(pages | cut -d ' ' -f 1 | xargs)"
}

@test "--types cannot change the answer of the course's crawl, and a wrong word is named" {
    start_playground --letters
    capture letters_crawl 1 --types pdf
    complaint '^crawler: --types has no effect on the CS50 playground, where names decide'
    for word in PDF html, ,pdf '' '*/pdf' 'i*/png' image/p* image/ 'a b/c'; do
        capture crawl --scope host --types "$word" http://example.org/ "$DIR" 1
        complaint "^crawler: --types must be of html, pdf, .*, not '"
    done
    same "" "$(ls -A "$DIR")" "files"
}

@test "--types is kept by a resume, and pages come out of the archive with their numbers" {
    many_types
    capture crawl --scope host --delay 0 --types pdf,text --warc --max-pages 2 \
        http://example.org/ "$DIR" 1
    same 3 "$STATUS"
    capture "$CRAWLER" --resume --types all "$DIR"
    complaint '^crawler: --types=all cannot change once the crawl has begun'
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    same "/ /a.pdf /page /secret.pdf /t.txt" "$(pages | cut -d ' ' -f 1 | xargs)"
    mkdir "$TMP/again"
    "$CRAWLER" export --format pages --output "$TMP/again" "$DIR"
    for number in 1 2 3 4 5; do
        cmp "$DIR/$number" "$TMP/again/$number"
    done
    mkdir "$TMP/from"
    "$CRAWLER" -q --from "$DIR" --robots ignore --scope host --types pdf,text \
        http://example.org/ "$TMP/from" 1
    diff <(page_urls) <(page_urls "$TMP/from")
}
