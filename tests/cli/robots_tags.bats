#!/usr/bin/env bats
# What pages and their headers say to robots; and the command that asks a
# robots.txt.

load helper
load site

# obey DEPTH [OPTION...] [URL]: as fetch, but robots are obeyed; the exit status
# is in STATUS, the log in JSON is $TMP/log.
obey() {
    STATUS=0
    fetch "$1" --robots obey "${@:2}" 2>"$TMP/err" || STATUS=$?
}

# --- what pages say ----------------------------------------------------------

@test "noindex pages are not saved, but their links are followed" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/meta>.</a> <a href=/header>.</a> <a href=/ours>.</a>
    body <a href=/others>.</a> <a href=/none>.</a> <a href=/late>.</a>
/meta
    body <html><head><META NAME="Robots" CONTENT="NoIndex, follow"></head>
    body <a href=/from/meta>.</a>
/header
    header X-Robots-Tag: noindex
    body <a href=/from/header>.</a>
/ours
    header X-Robots-Tag: googlebot: nofollow
    header X-Robots-Tag: crawler: noindex
    body <a href=/from/ours>.</a>
/others
    header X-Robots-Tag: otherbot: noindex, nofollow
    header X-Robots-Tag: unavailable_after: 25 Jun 2030 15:00:00 PST
    body <meta name=otherbot content=none><meta name=robots content=all>
    body <a href=/from/others>.</a>
/none
    body <meta name=crawler content=none>
    body <a href=/from/none>.</a>
/late
    repeat 20000 <!-- a long comment before it -->
    body <meta name=robots content=noindex><a href=/from/late>.</a>
/*
    body A page.
END
    obey 2
    same 0 "$STATUS"
    same "/ 0
/from/header 2
/from/late 2
/from/meta 2
/from/others 2
/from/ours 2
/others 1" "$(pages)"
    same "/header noindex
/late noindex
/meta noindex
/none noindex
/ours noindex" "$(outcomes | grep noindex)"
    # Numbers have no holes, and the log of the course has its own word.
    whole_pages 7
    crawl --robots obey --scope host --delay 0 http://example.org/ "$DIR" 1 \
        >"$TMP/out" 2>/dev/null
    same 5 "$(grep -c ' IgnNoIdx: ' "$TMP/out")"
}

@test "tags for a named robot are for the name in the User-Agent" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/header>.</a> <a href=/meta>.</a> <a href=/crawler>.</a>
/header
    header X-Robots-Tag: mybot: noindex
    body A page.
/meta
    body <meta name=MyBot content=noindex>A page.
/crawler
    header X-Robots-Tag: crawler: noindex
    body <meta name=crawler content=noindex>A page.
END
    obey 1 -U 'Mozilla/5.0 (compatible; mybot/1.0)'
    same "/ 0
/crawler 1" "$(pages)"
    rm "$DIR"/[1-9]*
    obey 1 --robots-agent crawler -U mybot/1.0
    same "/ 0
/header 1
/meta 1" "$(pages)"
}

@test "nofollow of a page, of a header and of a link is obeyed" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/meta>.</a> <a href=/header>.</a> <a href=/others>.</a>
    body <a href=/rel rel="external NoFollow">.</a>
    body <a href=/like rel=nofollows>.</a>
    body <area href=/area rel=nofollow>
/meta
    body <meta name=robots content="nofollow"><a href=/from/meta>.</a>
/header
    header X-Robots-Tag: index, nofollow
    body <a href=/from/header>.</a>
/others
    header X-Robots-Tag: otherbot: nofollow
    body <a href=/from/others>.</a>
/*
    body A page.
END
    obey 2
    same "/ 0
/from/others 2
/header 1
/like 1
/meta 1
/others 1" "$(pages)"
    grep '"url":"http://example.org/"' "$TMP/log" | grep -q '"nofollow":2'
    grep 'example.org/meta"' "$TMP/log" | grep -q '"links":{"nofollow":1}'
    same 0 "$(record_count /rel)"
    crawl --robots obey --scope host --delay 0 http://example.org/ "$DIR" 0 \
        >"$TMP/out" 2>/dev/null
    # At the last level no links are looked at.
    same " 0   Fetched: http://example.org/" "$(cat "$TMP/out")"
}

@test "a nofollow link that another page has without it is followed" {
    serve <<'END'
/robots.txt 404
/
    body <a rel=nofollow href=/x>.</a> <a href=/a>.</a>
/a
    body <a href=/x>.</a>
/x
    body .
END
    obey 2
    same "/ 0
/a 1
/x 2" "$(pages)"
}

@test "robots tags with a date, with a comma in it, in several headers are read" {
    serve <<'END'
/robots.txt 404
/
    body <a href=/1>.</a> <a href=/2>.</a> <a href=/3>.</a> <a href=/4>.</a>
/1
    header X-Robots-Tag: unavailable_after: Wednesday, 03-Jul-30 15:00:00 GMT, noindex
    body .
/2
    header X-Robots-Tag: max-snippet: 20 , NOINDEX
    body .
/3
    header X-Robots-Tag: otherbot: noindex
    header X-Robots-Tag: nofollow
    body <a href=/no>.</a>
/4
    header x-robots-tag: otherbot: all, crawler: none
    body <a href=/no>.</a>
END
    obey 2
    same "/ 0
/3 1" "$(pages)"
    same 0 "$(record_count /no)"
}

# --- the command -------------------------------------------------------------

# judge OPTION... FILE <URLS: what the command prints, tabs as blanks.
judge() {
    "$CRAWLER" robots "$@" | tr '\t' ' '
}

@test "crawler robots: the verdict, its line, the URL" {
    printf '%s\r\n' '# first' 'User-agent: *' 'Disallow: /a' '' 'Allow: /a/b' \
        'User-agent: fastbot' 'Disallow: /' 'Allow: /$' >"$TMP/robots.txt"
    printf '%s\n' http://x.example/ http://x.example/a/c https://x.example:8080/a/b/ \
        http://x.example/b >"$TMP/urls"
    same "allow 0 http://x.example/
disallow 3 http://x.example/a/c
allow 5 https://x.example:8080/a/b/
allow 0 http://x.example/b" "$(judge "$TMP/robots.txt" <"$TMP/urls")"
    same "allow 8 http://x.example/
disallow 7 http://x.example/a/c
disallow 7 https://x.example:8080/a/b/
disallow 7 http://x.example/b" \
        "$(judge --agent FastBot/2.1 "$TMP/robots.txt" <"$TMP/urls")"
    same "$(judge --agent fastbot "$TMP/robots.txt" <"$TMP/urls")" \
        "$(judge -U 'Mozilla/5.0 (compatible; FastBot/2.1)' "$TMP/robots.txt" <"$TMP/urls")"
    same "$(judge --agent crawler "$TMP/robots.txt" <"$TMP/urls")" \
        "$(judge "$TMP/robots.txt" <"$TMP/urls")"
    run -2 "$CRAWLER" robots -U 42 "$TMP/robots.txt" </dev/null
    # The last line may lack its end.
    same "disallow 3 http://x.example/a" \
        "$(printf http://x.example/a | judge "$TMP/robots.txt")"
}

@test "crawler robots: bad input is refused or has no rules" {
    printf 'User-agent: *\nDisallow: /\n' >"$TMP/robots.txt"
    # One answer a line, whatever the line.
    printf 'nonsense\n\nftp://x.example/\nhttp://x.example/\n' |
        "$CRAWLER" robots "$TMP/robots.txt" >"$TMP/out"
    same 4 "$(wc -l <"$TMP/out")"
    same 3 "$(grep -c '^! ' "$TMP/out")"
    same "disallow	2	http://x.example/" "$(tail -n 1 "$TMP/out")"

    capture "$CRAWLER" robots "$TMP/missing"
    same 2 "$STATUS"
    silent "$OUT"
    same "crawler: $TMP/missing: No such file or directory" "$(cat "$ERR")"
    capture "$CRAWLER" robots
    same 2 "$STATUS"
    capture "$CRAWLER" robots "$TMP/robots.txt" another
    same 2 "$STATUS"
    capture "$CRAWLER" robots "$TMP"
    same 2 "$STATUS"
    capture "$CRAWLER" robots --scope any "$TMP/robots.txt"
    same 2 "$STATUS"

    # No rules at all, and no URLs at all.
    : >"$TMP/empty"
    same "allow 0 http://x.example/" "$(echo http://x.example/ | judge "$TMP/empty")"
    same "" "$(judge "$TMP/empty" </dev/null)"
    head -c 3000000 /dev/urandom >"$TMP/random"
    same 1 "$(echo http://x.example/a | judge "$TMP/random" | wc -l)"
}

@test "crawler robots agrees with public suites" {
    needs_conformance robots/robots_cases.json
    # One in twelve: all of them are the unit tests' business.
    python3 - "$CONFORMANCE/robots/robots_cases.json" "$CRAWLER" "$TMP" \
        >"$TMP/out" <<'END'
import base64, json, subprocess, sys

suite, crawler, tmp = sys.argv[1:]
cases = [c for c in json.load(open(suite))["cases"] if c["core"]]
checked = 0
for case in cases[::12]:
    text = (base64.b64decode(case["robots_b64"]) if case.get("robots_b64")
            else case["robots"].encode("utf-8", "surrogatepass"))
    url = case.get("url_norm") or case["url"]
    if "\n" in url or len(url) > 8000 or not url.startswith("http") or not case["agent"]:
        continue
    open(tmp + "/robots", "wb").write(text)
    run = subprocess.run([crawler, "robots", "--agent", case["agent"], tmp + "/robots"],
                         input=url.encode() + b"\n", capture_output=True)
    got = run.stdout.decode(errors="replace").split("\t")[0]
    checked += 1
    if got != ("allow" if case["allowed"] else "disallow"):
        print("case", case["id"], repr(text), case["agent"], url,
              "expected", case["allowed"], "got", got)
assert checked > 80, checked
END
    silent "$TMP/out"
}
