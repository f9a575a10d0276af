#!/usr/bin/env bats
# Names and passwords: who gets them, and that they are written nowhere.

load helper
load resume
load site

# Of me:top%40secret and me:other, as the header of Basic authentication.
MINE='Authorization: Basic bWU6dG9wQHNlY3JldA=='
OTHER='Authorization: Basic bWU6b3RoZXI='

# closed_site: every page needs the login, on every host; / leads on.
closed_site() {
    serve <<END
/robots.txt 404
/
    when $MINE
    body <a href=/a>.</a> <a href=http://example.org/b>.</a> <a href=/moved>.</a>
    body <a href=http://other.test/>.</a> <a href=http://example.org:81/port>.</a>
/moved
    when $MINE
    redirect http://third.test/moved
/map.xml
    when $MINE
    type text/xml
    body <urlset><url><loc>http://example.org/listed</loc></url></urlset>
/*
    when $MINE
    body A page. <a href=/c>.</a>
/*
    status 401
END
}

# told: "host path" of all requests that had a login, sorted.
told() {
    record_lines | grep -F 'Authorization: ' | cut -f 5,7 | tr '\t' ' ' | LC_ALL=C sort -u
}

# hidden FILE...: no password is in any of these files and folders, as it was
# written or as it was sent.
hidden() {
    ! grep -raE 'top(@|%40)secret|dG9wQHNlY3JldA' "$@" || fail "it is told"
}

@test "a login in a seed's URL goes to its origin alone, and is written nowhere" {
    for form in tse json pages; do
        closed_site
        rm -rf "$DIR" && mkdir "$DIR"
        crawl --robots obey --scope any --delay 0 --retries 0 --links -v --log $form \
            http://me:top%40secret@example.org/ "$DIR" 2 >"$TMP/log.$form" 2>"$TMP/err.$form"
    done
    for form in jsonl csv links sitemap; do
        "$CRAWLER" export --format $form "$DIR" >"$TMP/export.$form"
    done
    "$CRAWLER" status "$DIR" >"$TMP/status"
    "$CRAWLER" verify "$DIR" >"$TMP/verify"
    "$CRAWLER" why "$DIR" http://me:top%40secret@example.org/a >"$TMP/why"
    grep -q '^http://example.org/a was fetched' "$TMP/why"
    same "http://example.org/
http://example.org/a
http://example.org/b
http://example.org/c" "$(page_urls)"
    hidden "$DIR" "$TMP"/{log,err,export,status,verify,why}*
    stop_playground
    same "example.org /
example.org /a
example.org /b
example.org /c
example.org /moved
example.org /robots.txt" "$(told)"
    same 1 "$(record_count /moved third.test)" "asked without it"
    same 1 "$(record_count / other.test)" "asked without it"
    same 1 "$(record_count /port)" "asked without it"
}

@test "a login counts wherever a URL may be written" {
    closed_site
    printf 'http://me:top%%40secret@example.org/a\n' >"$TMP/seeds"
    url=http://me:top%40secret@example.org
    # what is saved:options and arguments, with '|' for a colon
    while IFS=: read -r expected words; do
        words=${words//|/:} words=${words//URL/$url}
        rm -rf "$DIR" && mkdir "$DIR"
        # shellcheck disable=SC2086 # the words are the arguments
        capture crawl --delay 0 --retries 0 -v $words "$DIR" 0
        same "$expected" "$(page_urls | sed 's,http://example.org,,' | xargs)" "$words"
        hidden "$DIR" "$OUT" "$ERR"
    done <<END
/a:--scope host URL/a
/a:--scope host --seeds $TMP/seeds
/a:--internal URL/ http|//example.org/a
/a:--internal URL/a http|//example.org/a
/listed:--scope host --sitemap URL/map.xml
/listed:--internal http|//example.org/ --sitemap URL/map.xml
/a:--scope host --user me|top@secret http|//example.org/a
/a:--scope host --user me|top@secret example.org/a
/listed:--scope host --user me|top@secret --sitemap http|//example.org/map.xml
END
}

@test "a login for a search engine is not one for what it finds" {
    serve <<END
//search.test/?q=words
    when $MINE
    body <div id=links class=results><div class="result results_links web-result"><h2 class=result__title><a class=result__a href="http://example.org/a">A page</a></h2></div></div>
//search.test/*
    status 401
/*
    body A page.
END
    capture crawl --delay 0 --retries 0 --search words \
        --search-url 'http://me:top%40secret@search.test/?q={query}' "$DIR" 0
    same 0 "$STATUS" "$(cat "$ERR")"
    same http://example.org/a "$(page_urls)"
    hidden "$DIR" "$OUT" "$ERR"
    stop_playground
    same "search.test /?q=words" "$(told)"
}

@test "--user is for the origins of the seeds, where their URLs have none" {
    closed_site
    printf '%s\n' http://me:other@one.test/a http://two.test:82/b >"$TMP/seeds"
    crawl --delay 0 --retries 0 --scope any --user me:top@secret --seeds "$TMP/seeds" \
        --internal http://three.test/ "$DIR" 1 -q || :
    stop_playground
    same "one.test /a
two.test /b
two.test /c" "$(told)"
    same 1 "$(grep -cF "$OTHER" "$RECORD")"
    hidden "$DIR"
}

@test "--user is given once" {
    for second in you:top@secret me:other; do
        capture crawl --scope host --user me:top@secret --user "$second" http://one.test/ "$DIR" 0
        same 2 "$STATUS" "$second"
        same "crawler: --user is given twice; write NAME:PASSWORD@ into a URL for another login" "$(cat "$ERR")"
    done
    hidden "$ERR"
    same "" "$(ls -A "$DIR")" "files"
}

@test "a link with a login is fetched without it, with ours where its origin has one" {
    serve <<END
/
    when $MINE
    body <a href=http://me:other@example.org/a>.</a> <a href=http://me:top%40secret@example.org/b>.</a>
    body <a href=http://me:other@guest.test/>.</a>
//guest.test/
    when Authorization
    status 500
//guest.test/
    body A page.
/*
    when $MINE
    body A page.
/*
    status 401
END
    fetch 2 --scope any http://me:top%40secret@example.org/
    same "http://example.org/ fetched
http://example.org/a fetched
http://example.org/b fetched
http://guest.test/ fetched" "$(outcomes -)"
}

@test "a resume needs the login again, and says for whom" {
    closed_site
    begin() {
        rm -rf "$DIR" && mkdir "$DIR"
        capture "$CRAWLER" --robots ignore --connect-to "::127.0.0.1:$PORT" --scope host --delay 0 \
            --max-pages 1 "$@" "$DIR" 1
        same 3 "$STATUS" "$(cat "$ERR")"
    }
    command=(--robots ignore --connect-to "::127.0.0.1:$PORT" --scope host --delay 0)
    told_how='had a name and password for http://example.org, .*--user NAME:PASSWORD'
    begin http://me:top%40secret@example.org/
    capture "$CRAWLER" --resume "$DIR"
    complaint "$told_how"
    capture "$CRAWLER" "${command[@]}" http://example.org/ "$DIR" 1
    complaint "$told_how"
    "$CRAWLER" status "$DIR" | grep -x "  go on    crawler --resume --max-pages ... --user ... $DIR"
    capture "$CRAWLER" --resume --max-pages 2 --user me:top@secret "$DIR"
    same 3 "$STATUS" "$(cat "$ERR")"
    capture "$CRAWLER" --resume --max-pages none "$DIR"
    complaint "$told_how"
    capture "$CRAWLER" "${command[@]}" http://me:top%40secret@example.org/ "$DIR" 1
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)"
    # It is finished: nothing is sent any more.
    capture "$CRAWLER" --resume "$DIR"
    same 0 "$STATUS"
    hidden "$DIR"
    # So it is with --user.
    begin --user me:top@secret http://example.org/
    capture "$CRAWLER" --resume --max-pages none "$DIR"
    complaint "$told_how"
    capture "$CRAWLER" --resume --max-pages none --user me:top@secret "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)"
    hidden "$DIR"
}

@test "a resume takes an option again that had a login, and no other" {
    closed_site
    capture crawl --delay 0 --retries 0 --internal http://me:top%40secret@example.org/ \
        --internal http://other.test/ --max-pages 1 http://example.org/ "$DIR" 1
    same 3 "$STATUS" "$(cat "$ERR")"
    capture "$CRAWLER" --resume "$DIR"
    complaint 'had a name and password for http://example.org'
    capture "$CRAWLER" --resume --internal http://me:top%40secret@third.test/ "$DIR"
    complaint 'internal=http://third.test/ cannot change once the crawl has begun'
    capture "$CRAWLER" --resume --max-pages none --internal http://me:top%40secret@example.org/ "$DIR"
    same 0 "$STATUS" "$(cat "$ERR")"
    same 3 "$(page_count)"
    hidden "$DIR"
    same "internal=http://example.org/ internal=http://other.test/" \
        "$(state "SELECT value FROM setting WHERE value LIKE 'internal=%' ORDER BY 1" | xargs)"
}

@test "no message has a password in it, whatever is wrong" {
    secret=http://me:top@secret@example.org
    while IFS= read -r words; do
        # shellcheck disable=SC2086 # the words are the arguments
        eval "capture '$CRAWLER' ${words//URL/$secret}"
        same 2 "$STATUS" "$words: $(cat "$ERR")"
        same 1 "$(wc -l <"$ERR")" "$words"
        hidden "$ERR"
        same "" "$(ls -A "$DIR")" "$words"
    done <<'END'
URL/ "$DIR" 1
--internal http://x.test/ URL/ "$DIR" 1
--scope host URL:99999/ "$DIR" 1
--scope host http://me:p/top@secret@example.org/ "$DIR" 1
--scope host me:top@secret@example.org "$DIR" 1
--scope host http//me:top@secret@example.org/ "$DIR" 1
--internal http//me:top@secret@example.org/ http://example.org/ "$DIR" 1
--sitemap http//me:top@secret@example.org/ --scope host "$DIR" 1
--scope host --connect-to http//me:top@secret@x http://example.org/ "$DIR" 1
--scope host --dns-servers http//me:top@secret@x http://example.org/ "$DIR" 1
--scope host --listen URL http://example.org/ "$DIR" 1
--scope host --types URL http://example.org/ "$DIR" 1
--warc --warc-file URL --scope host http://example.org/ "$DIR" 1
--scope host --fleet postgres://me:top@secret@127.0.0.1:1/db http://example.org/ "$DIR" 1
--scope host --fleet postgres://me:x/top@secret@127.0.0.1:1/db http://example.org/ "$DIR" 1
--scope host --name URL --fleet postgres://x http://example.org/ "$DIR" 1
stop postgres://me:top@secret@127.0.0.1:1/db
stop postgres://me:x/top@secret@127.0.0.1:1/db
stop postgres://me:12/top@secret@127.0.0.1:1/db
stop --name URL postgres://x/
stop postgres//me:top@secret@127.0.0.1:1/db
status postgres://me:top@secret@127.0.0.1:1/db
status postgres//me:top@secret@127.0.0.1:1/db
watch http//me:top@secret@example.org/
ctl URL pause
report URL
url --base http//me:top@secret@x </dev/null
links --base http//me:top@secret@x -
--scope host http://example.org/ URL/ 1
--scope host http://example.org/ "$DIR" URL/
--internal URL:x/ http://example.org/ "$DIR" 1
--sitemap URL:x/ --scope host "$DIR" 1
--search x --search-url URL/ "$DIR" 1
--search x --search-url URL:x/ "$DIR" 1
--scope host --proxy foo://me:top@secret@example.org http://example.org/ "$DIR" 1
--scope host --connect-to me:top@secret@x http://example.org/ "$DIR" 1
--scope host -H 'X-Api-Key top@secret' http://example.org/ "$DIR" 1
--scope host -H $'X-Api-Key: top@secret\n' http://example.org/ "$DIR" 1
--scope host --user '' http://example.org/ "$DIR" 1
--scope host --user :top@secret http://example.org/ "$DIR" 1
--scope host --internal URL/ http://me:other@example.org/ "$DIR" 1
--internal URL/ --internal http://me:other@example.org/ http://example.org/ "$DIR" 1
--scope host --delay URL/ http://example.org/ "$DIR" 1
--scope host --max-pages me:top@secret@example.org http://example.org/ "$DIR" 1
--scope URL/ http://example.org/ "$DIR" 1
--scope host --robots-agent URL/ http://example.org/ "$DIR" 1
--scope host --cacert URL/ http://example.org/ "$DIR" 1
--scope host --seeds URL/ "$DIR" 1
--URL/ http://example.org/ "$DIR" 1
--resume URL/
status URL/
why URL/ http://example.org/
verify URL/
export --format csv URL/
export --format URL/ "$DIR"
url --base URL:x/ </dev/null
links --base URL:x/ -
links --charset URL/ - </dev/null
links URL/
robots URL/
END
}

@test "of two logins for an origin in a file the first counts, the other line is skipped" {
    closed_site
    printf '%s\n' http://me:top%40secret@example.org/a http://me:other@example.org/b \
        http://example.org/c >"$TMP/seeds"
    capture crawl --delay 0 --retries 0 --scope host --seeds "$TMP/seeds" "$DIR" 0
    grep -q 'seeds:2: skipped: another name or password for an origin that has one$' "$ERR"
    same "http://example.org/a
http://example.org/c" "$(page_urls)"
    hidden "$ERR"
}

# --- .netrc and a terminal ---------------------------------------------------

@test "--netrc logs in at the seeds' origins alone, and what it has is written nowhere" {
    closed_site
    export HOME=$TMP/home
    mkdir "$HOME"
    printf '# mine\nmachine example.org\n  login me password "top@secret"\n' >"$HOME/.netrc"
    printf 'machine other.test login me password top@secret\n' >>"$HOME/.netrc"
    capture crawl --scope any --delay 0 --retries 0 --netrc --max-pages 1 -v \
        http://example.org/ "$DIR" 1
    same 3 "$STATUS"
    same "example.org /" "$(told)"
    hidden "$OUT" "$ERR" "$DIR"
    # A resume reads it again, and so it need not be told.
    grep -qx "go on: crawler --resume --max-pages ... $DIR" "$ERR"
    "$CRAWLER" -q --resume --max-pages none "$DIR"
    same "example.org / /a /b /moved" "$(told | cut -d ' ' -f 1 | uniq | xargs) $(told |
        cut -d ' ' -f 2 | xargs)"
    # Without the option it does not count; a login that is given goes first.
    capture crawl --scope host --delay 0 --retries 0 http://example.org/ "$TMP" 0
    same 4 "$STATUS"
    capture crawl --scope host --delay 0 --retries 0 --netrc --user me:other http://example.org/ "$TMP" 0
    same 4 "$STATUS"
}

@test "a .netrc that is missing or has another form is one line, without what is in it" {
    closed_site
    export HOME=$TMP/home
    mkdir "$HOME"
    capture crawl --scope host --netrc http://example.org/ "$DIR" 0
    complaint "^crawler: --netrc: '.*/home/.netrc': No such file or directory"
    for command in "env -u HOME" "env HOME="; do
        # shellcheck disable=SC2086 # they are words
        capture $command "$CRAWLER" --scope host --netrc http://example.org/ "$DIR" 0
        complaint "^crawler: --netrc: HOME is not set, so there is no ~/.netrc$"
    done
    printf 'machine example.org login me top@secret\n' >"$HOME/.netrc"
    capture crawl --scope host --netrc http://example.org/ "$DIR" 0
    complaint "^crawler: --netrc: '.*/home/.netrc': not in the form of a .netrc"
    hidden "$ERR"
}

@test "--user NAME asks the terminal for the password, and is refused where there is none" {
    closed_site
    capture setsid "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --user me \
        http://example.org/ "$DIR" 0
    complaint '^crawler: --user needs a password: NAME:PASSWORD, NAME: for an empty one, or a terminal'
    # Typed on a terminal it is not shown.
    python3 - "$CRAWLER" --connect-to "::127.0.0.1:$PORT" --scope host --delay 0 --user me \
        http://example.org/ "$DIR" 0 >"$TMP/shown" <<'END'
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
while b"Password for me: " not in shown:
    shown += os.read(fd, 1000)
os.write(fd, b"top@secret\n")
while True:
    try:
        part = os.read(fd, 1000)
    except OSError:
        break
    if not part:
        break
    shown += part
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
    whole_pages 1
    grep -q '1 page saved' "$TMP/shown"
    hidden "$TMP/shown" "$DIR"
}

@test "a signal ends the question for a password, and the terminal is as it was" {
    python3 - "$CRAWLER" --scope host --user me http://example.org/ "$DIR" 0 <<'END'
import os, pty, resource, signal, sys, termios

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
# Tests may have been started with these ignored, as a shell does in the
# background.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
signal.alarm(300)

def ask(end):
    """Start it, wait for the prompt, end it; its status, and is there an echo?"""
    # Not over the terminal: what is written there last can be lost when it goes.
    told, tell = os.pipe()
    pid, fd = pty.fork()
    if not pid:
        # The terminal outlives the crawler.
        child = os.fork()
        if not child:
            os.execv(sys.argv[1], sys.argv[1:])
        for number in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        os.write(tell, b"%d\n" % child)
        status = os.waitpid(child, 0)[1]
        echo = termios.tcgetattr(0)[3] & termios.ECHO != 0
        os.write(tell, b"%d %d\n" % (os.waitstatus_to_exitcode(status), echo))
        os._exit(0)
    os.close(tell)
    shown = b""
    while b"Password for me: " not in shown:
        shown += os.read(fd, 1000)
    with os.fdopen(told) as lines:
        end(fd, int(lines.readline()))
        got = lines.readline().strip()
    os.waitpid(pid, 0)
    os.close(fd)
    return got

for name, end, status in (
    ("Ctrl-C", lambda fd, pid: os.write(fd, b"half\x03"), "-2 1"),
    ("Ctrl-\\", lambda fd, pid: os.write(fd, b"\x1c"), "-3 1"),
    ("kill", lambda fd, pid: os.kill(pid, signal.SIGTERM), "-15 1"),
    ("Ctrl-D", lambda fd, pid: os.write(fd, b"\x04"), "2 1"),
):
    got = ask(end)
    assert got == status, f"{name}: {got}, not {status}"
END
}

@test "the list of processes shows no login and no header of a crawl at work" {
    serve <<END
/
    body <a href=/a>.</a>
/*
    body A page.
END
    url=http://example.org/
    # Options and arguments, with '|' for a blank inside of a word.
    while read -r -a words; do
        rm -rf "$DIR" && mkdir "$DIR"
        "${LIMITED[@]}" "$CRAWLER" -q --robots ignore --scope host --delay 1m \
            --connect-to "::127.0.0.1:$PORT" "${words[@]//|/ }" "$DIR" 1 2>"$TMP/err" &
        pid=$!
        until [ -s "$DIR/1" ]; do
            kill -0 "$pid" || fail "${words[*]}: $(cat "$TMP/err")"
            sleep 0.05
        done
        shown=$(tr '\0' ' ' <"/proc/$(pgrep -P "$pid" || echo "$pid")/cmdline")
        kill "$pid"
        wait "$pid" || :
        [[ $shown != *secret* && $shown != *bob* ]] || fail "$shown"
        [[ $shown == *" --delay 1m --connect-to "*" $DIR 1 " ]] || fail "$shown"
    done <<END
--user bob:secret $url
--user=bob:secret $url
-H X-Key:|secret $url
-HX-Key:|secret $url
-vHX-Key:|secret $url
--header=X-Key:|secret $url
http://bob:secret@example.org/
http://bob:se@secret@example.org/
--sitemap http://bob:secret@example.org/map.xml $url
--internal http://bob:secret@example.org/a $url
--user bob:secret -- $url
END
}

# The files of a process whose memory is closed belong to root.
@test "the memory of a crawl with secrets is closed to others, and in no core file" {
    without_sanitizer
    user=$(id -u) home=$TMP as=(env)
    if [ "$user" = 0 ]; then
        user=65534 home=$(mktemp -d) as=(setpriv --reuid 65534 --clear-groups)
        chmod 755 "$home"
    fi
    serve <<<"/*
    body A page."
    printf 'http://example.org/%d\n' 1 2 >"$home/seeds"
    owners=
    for secret in -q --user=bob:secret; do
        mkdir -m 777 "$home/$secret"
        "${as[@]}" "$CRAWLER" "$secret" --scope host --robots ignore --delay 1h --listen 127.0.0.1:0 \
            --connect-to "::127.0.0.1:$PORT" --seeds "$home/seeds" "$home/$secret" 0 >"$TMP/out" 2>"$TMP/err" 3>&- &
        pid=$!
        until [ -s "$home/$secret/1" ]; do
            kill -0 "$pid" || fail "$(cat "$TMP/err")"
            sleep 0.05
        done
        owners+=" $(stat -c %u "/proc/$pid/environ")"
        # What is its own the program still opens: it starts once more to answer this.
        read -r at token < <(sed -n 's|.*watch it at http://\(.*\)/#token=\(.*\)|\1 \2|p' "$TMP/err")
        why=$(curl -s -m "$LIMIT" -H "Authorization: Bearer $token" "http://$at/why?url=http://example.org/1")
        kill "$pid"
        wait "$pid" || :
        [[ $why == "http://example.org/1 "* ]] || fail "$why"
    done
    [ "$home" = "$TMP" ] || rm -rf "$home"
    same " $user 0" "$owners"
}
