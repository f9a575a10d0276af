"""Write a WARC file: make_warc.py FILE < LIST

A line of LIST is one JSON object: url, and what is not the default of date,
type (response, revisit, request, warcinfo), head (the lines of an HTTP
response, "HTTP/1.1 200 OK" if there are none), body, chunked (the body is
written in chunks), gzip (it is coded), fields (further lines of the record).
FILE is compressed, a member a record, if its name ends with .gz.
"""
import gzip
import json
import sys
import uuid


def chunked(body):
    parts = [body[i:i + 7] for i in range(0, len(body), 7)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n"


def block_of(entry):
    body = entry.get("body", "").encode("latin-1") * entry.get("times", 1)
    head = entry.get("head", ["HTTP/1.1 200 OK", "Content-Type: text/html"])
    if entry.get("gzip"):
        body = gzip.compress(body, mtime=0)
        head = head + ["Content-Encoding: gzip"]
    if entry.get("chunked"):
        body = chunked(body)
        head = head + ["Transfer-Encoding: chunked"]
    return "\r\n".join(head + ["", ""]).encode("latin-1") + body


def record_of(entry):
    kind = entry.get("type", "response")
    block = block_of(entry)
    fields = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>",
        f"WARC-Date: {entry.get('date', '2024-01-02T03:04:05Z')}",
        f"WARC-Target-URI: {entry['url']}",
        "Content-Type: application/http; msgtype="
        + ("request" if kind == "request" else "response"),
        *entry.get("fields", []),
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join(fields + ["", ""]).encode("latin-1") + block + b"\r\n\r\n"


with open(sys.argv[1], "wb") as out:
    for line in sys.stdin:
        record = record_of(json.loads(line))
        if sys.argv[1].endswith(".gz"):
            record = gzip.compress(record)
        out.write(record)
