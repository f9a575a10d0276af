#!/usr/bin/env bats
# The formats of crawler report. Texts of a site are texts, whatever is in
# them.

load helper
load site

report() {
    "$CRAWLER" report "$@" "$DIR"
}

# A site whose titles, ids and links try to be markup or to rule a terminal.
crawl_hostile() {
    serve <<'END'
/
    type text/html; charset=utf-8
    body <title>&lt;script>alert(1)&lt;/script> "quoted" 'single' &amp;amp; </title>
    bytes <a href="/missing?&quot;onmouseover=alert(1)&lt;b&gt;">\x1b[31mred\x07 &#x202e;turned \xc2\x9b1m <script>alert(2)</script>]]&gt; &lt;/failure&gt;</a>
    bytes <a href="/a#&quot;&gt;&lt;img src=x onerror=alert(3)&gt;">\xff\xfe \xef\xbf\xbe \xef\xbf\xbf</a>
    body <a href="/a">.</a><a href="/b">.</a>
/a
    type text/html; charset=utf-8
    body <title>&lt;/title>&lt;/style>&lt;!--</title>
/b
    type text/html; charset=utf-8
    body <title>&lt;/title>&lt;/style>&lt;!--</title>x
/missing* 404
END
    run -0 fetch 2 -q --links
}

@test "text: no control character of a site reaches the terminal" {
    crawl_hostile
    report >"$TMP/text"
    grep -q '?\[31mred' "$TMP/text"
    python3 - "$TMP/text" <<'END'
import sys, unicodedata

text = open(sys.argv[1], encoding="utf-8").read()
bad = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
assert not bad, bad
END
}

@test "json: valid, and no byte of a text is lost that a text can have" {
    crawl_hostile
    report --format json >"$TMP/json"
    python3 - "$TMP/json" <<'END'
import json, sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
kinds = ("broken external requisite fragment loop chain redirect robots mixed orphan "
         "duplicate same-title no-title slow large unknown").split()
assert list(report["findings"]) == kinds, list(report["findings"])
place = report["findings"]["broken"]["items"][0]["places"][0]
assert place["text"].startswith("\x1b[31mred\x07 \u202eturned \x9b1m"), place
assert report["findings"]["same-title"]["items"][0]["title"] == "</title></style><!--"
END
}

@test "junit: well-formed, with the counts of its cases" {
    crawl_hostile
    report --format junit >"$TMP/junit"
    report --format junit --fail-on broken >"$TMP/only" || same 1 $?
    python3 - "$TMP/junit" "$TMP/only" <<'END'
import sys, xml.etree.ElementTree as tree

def check(element, cases):
    """As the XML schemas of JUnit have it."""
    count = {name: int(element.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    assert count["tests"] == len(cases), (count, len(cases))
    assert count["failures"] == sum(c.find("failure") is not None for c in cases), count
    assert count["skipped"] == sum(c.find("skipped") is not None for c in cases), count
    assert count["errors"] == 0

for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    assert root.tag == "testsuites"
    check(root, root.findall("testsuite/testcase"))
    for suite in root:
        assert suite.tag == "testsuite" and suite.get("name")
        check(suite, suite.findall("testcase"))
        for case in suite:
            assert case.tag in ("testcase", "system-out"), case.tag
            if case.tag == "testcase":
                assert case.get("name") and case.get("classname") == suite.get("name")
                assert [c.tag for c in case] in ([], ["failure"], ["skipped"])
                assert all(c.get("message") for c in case)
first, only = (tree.parse(path).getroot() for path in sys.argv[1:])
assert first.get("skipped") == "0" and int(first.get("failures")) > 2
assert only.get("failures") == "1" and int(only.get("skipped")) > 1
END
}

@test "html: one file without script, and markup of the site stays text" {
    crawl_hostile
    report --format html >"$TMP/html"
    python3 - "$TMP/html" <<'END'
import html.parser, sys

allowed = set("html head meta title style body main h1 h2 p a table caption thead tbody tr th "
              "td section ul li details summary span q".split())
attributes = set("lang charset http-equiv content name href rel class id scope "
                 "aria-labelledby open".split())
void = {"meta"}

class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.text, self.ids, self.links = [], "", [], []
    def handle_starttag(self, tag, attrs):
        assert tag in allowed, tag
        for name, value in attrs:
            assert name in attributes, (tag, name)
            if name == "id":
                self.ids.append(value)
            if name == "href":
                assert value.startswith(("http://", "https://", "#")), value
                self.links.append(value)
        if tag not in void:
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        self.text += data
    def handle_comment(self, data):
        raise AssertionError(data)

reader = Reader()
reader.feed(open(sys.argv[1], encoding="utf-8").read())
reader.close()
assert not reader.open, reader.open
assert len(set(reader.ids)) == len(reader.ids)
assert all(link[1:] in reader.ids for link in reader.links if link[0] == "#"), reader.links
assert "</title></style><!--" in reader.text
assert "<script>" not in open(sys.argv[1]).read()
END
}

@test "a crawl without a page proves nothing" {
    serve <<'END'
/ 404
END
    run -4 fetch 1 -q --links
    run -1 "$CRAWLER" report --fail-on broken "$DIR"
    same "Nothing is known: no page was saved." "${lines[-1]}"
}

@test "a site without a fault" {
    serve <<'END'
/
    body <title>Fine</title><a href=#here id=here>.</a>
END
    run -0 fetch 1 -q --links
    run -0 "$CRAWLER" report --fail-on any "$DIR"
    same "Nothing is wrong." "${lines[-1]}"
    report --format junit | python3 -c 'import sys, xml.etree.ElementTree as t; assert t.parse(sys.stdin).getroot().get("failures") == "0"'
}
