#!/usr/bin/env bats
# What a reader of a running crawl may cost, and questions that make no sense.

load helper
load view

teardown() { view_teardown; }

# client PROGRAM [ARGUMENT...]: Python with some functions for a client that does
# as it pleases. AT and TOKEN are the crawl's.
client() {
    timeout -k 60 "$LIMIT" python3 - "$AT" "$TOKEN" 3>&- <<END
import select, socket, sys, time
at, token = sys.argv[1:]
place = (at.split(":")[0], int(at.split(":")[1]))

def connect(room=None):
    s = socket.socket()
    if room:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    s.settimeout($LIMIT)
    s.connect(place)
    return s

def head(path, lines=""):
    return ("GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n"
            % (path, at, token, lines)).encode()

def read_all(s):
    text = b""
    try:
        while piece := s.recv(65536):
            text += piece
    except ConnectionResetError:
        pass
    return text

# Is this answered? False: the connection was closed.
def is_served(s, request):
    try:
        s.sendall(request)
        return s.recv(4096).startswith(b"HTTP/1.1 200")
    except (ConnectionResetError, BrokenPipeError):
        return False

$1
END
}

@test "the page has at most 40 KB, and asks nobody but the crawl for anything" {
    start_playground --letters
    begin
    same 200 "$(status_of "http://$AT/")"
    [ "$(wc -c <"$TMP/body")" -le 40960 ]
    # Neither a resource of its own nor one of others: all is in the page.
    ! grep -qE '(src|href|action)="?(https?:)?/|@import|url\(|EventSource' \
        "$TMP/body" || fail "it loads something"
    end_crawl
}

@test "a head of 8 KB is read, a longer one is refused" {
    start_playground --letters
    begin
    client '
def with_length(length):
    rest = length - len(head("/healthz", "X: \r\n"))
    return head("/healthz", "X: " + "x" * rest + "\r\n")

for length, status in ((8192, b"200"), (8193, b"431"), (100000, b"431")):
    s = connect()
    s.sendall(with_length(length))
    s.shutdown(socket.SHUT_WR)
    answer = read_all(s)
    assert answer.split()[1] == status, (length, answer)
    assert b"default-src" in answer, answer
    assert status == b"200" or b"\"ok\":false" in answer, answer
'
    end_crawl
}

@test "a body of 4 KB is read, a longer one is refused" {
    start_playground --letters
    begin
    for pair in 4096:400 4097:413; do
        head -c "${pair%:*}" /dev/zero | tr '\0' x >"$TMP/order"
        same "${pair#*:}" "$(status_of -H "Authorization: Bearer $TOKEN" \
            -H 'Content-Type: application/json' -H 'Expect:' \
            --data-binary "@$TMP/order" "http://$AT/control")" "$pair"
    done
    end_crawl
}

@test "a head has 5 seconds, however its bytes are spread" {
    start_playground --letters
    begin
    client '
silent, half, slow = connect(), connect(), connect()
start = time.monotonic()
half.sendall(head("/healthz")[:-2])
for byte in head("/healthz")[:20]:
    slow.sendall(bytes([byte]))
for s, status in ((half, b"408"), (slow, b"408"), (silent, b"")):
    answer = read_all(s)
    assert (answer.split()[1] if answer else b"") == status, answer
    assert time.monotonic() - start > 4.9
'
    end_crawl
}

@test "sixteen readers are served at a time, further ones are closed at once" {
    start_playground --letters
    begin
    client '
readers = [connect() for _ in range(16)]
for s in readers:
    assert is_served(s, head("/events"))
for _ in range(3):
    assert not is_served(connect(), head("/healthz"))
# When one is gone there is a place again.
readers.pop().close()
while not is_served(connect(), head("/healthz")):
    pass
for s in readers:
    assert s.recv(65536)
'
    end_crawl
}

@test "a reader that takes no byte for 5 seconds is cut, and others are served" {
    start_playground --letters
    begin
    client '
# More than the system keeps for a client: what does not fit waits for it.
stalled = [connect(room=4096) for _ in range(15)]
start = time.monotonic()
watch = select.poll()
for s in stalled:
    s.sendall(head("/") * 400)
    watch.register(s, 0)
reader = connect()
assert is_served(reader, head("/events"))
# Nothing is read; only the end of each is waited for.
left = len(stalled)
while left:
    events = watch.poll('$LIMIT' * 1000)
    assert events, "they were never cut"
    for fd, event in events:
        assert event & (select.POLLHUP | select.POLLERR)
        assert time.monotonic() - start > 4.9
        watch.unregister(fd)
        left -= 1
assert reader.recv(65536)
'
    end_crawl
}

@test "a question that makes no sense is answered with 400 and what is wrong" {
    start_playground --letters
    begin
    for path in '/pages.jsonl?after=-1' '/pages.jsonl?after=x' \
        '/pages.jsonl?after=' '/pages.jsonl?after' '/pages.jsonl?after=1.5' \
        '/pages.jsonl?after=18446744073709551616' '/screen.txt?columns=wide' \
        '/screen.txt?rows=-1'; do
        same 400 "$(status_of -H "Authorization: Bearer $TOKEN" \
            "http://$AT$path")" "$path"
        [[ $path == /pages* ]] && says="after is a number" ||
            says="columns and rows are numbers"
        same "{\"ok\":false,\"error\":\"$says\"}" "$(cat "$TMP/body")"
    done
    for path in /why '/why?url=' '/why?url' '/why?uri=http://a.test/'; do
        same 400 "$(status_of -H "Authorization: Bearer $TOKEN" \
            "http://$AT$path")" "$path"
        same "the question is /why?url=URL" "$(jq -r .error "$TMP/body")"
    done
    for url in http://a.test/%zz http://a.test/% http://a.test/%4 \
        http://a.test/%00; do
        same 400 "$(status_of -H "Authorization: Bearer $TOKEN" \
            "http://$AT/why?url=$url")" "$url"
        [[ $(jq -r .error "$TMP/body") == *"percent-encoding is broken" ]]
    done
    for url in hello --help ftp://a.test/ %2Fetc%2Fpasswd; do
        same 400 "$(status_of -H "Authorization: Bearer $TOKEN" \
            "http://$AT/why?url=$url")" "$url"
        same "a URL begins with http:// or https://" \
            "$(jq -r .error "$TMP/body")"
    done
    # What a path does not have is ignored, and numbers beyond all pages are
    # numbers.
    ask '/errors.json?after=7&x=%zz' | holds '.errors == []'
    for path in '/status.json?after=-1' '/hosts.json?columns=x' \
        '/events?rows=x' '/metrics?after=x' '/pages.jsonl?columns=x&rows=x' \
        '/screen.txt?after=x'; do
        same 200 "$(status_of -H "Authorization: Bearer $TOKEN" -I \
            "http://$AT$path")" "$path"
    done
    same "" "$(ask '/pages.jsonl?after=18446744073709551615')"
    end_crawl
}

@test "a URL of 7 KB can be asked for; with one of 8 KB the head is too long" {
    start_playground --letters
    begin
    long=http://cs50tse.cs.dartmouth.edu/$(printf 'x%.0s' {1..7000})
    same 200 "$(status_of -H "Authorization: Bearer $TOKEN" \
        "http://$AT/why?url=$long")"
    grep -q 'was never seen' "$TMP/body"
    same 431 "$(status_of -H "Authorization: Bearer $TOKEN" \
        "http://$AT/why?url=$long$long")"
    end_crawl
}
