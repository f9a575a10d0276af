#!/usr/bin/env python3
"""check_warc.py DIR: is the archive of a page directory as it should be?

A second opinion, written against the standard and not against our code: every
gzip member is one record, lengths and digests are right, ids are used once, a
request follows its response, a revisit refers to a response before it. The
record's rows say the same. Prints "TYPE STATUS URL" of each capture; the exit
status is 1 after a line on standard error for each fault.

--partial: a crawl that was killed; what is behind its last commit is ignored.
--external: revisits may refer to another archive.
"""
import base64
import glob
import hashlib
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import zlib

faults = 0


def fault(where, what):
    global faults
    faults += 1
    print(f"{where}: {what}", file=sys.stderr)


def digest(label, data):
    kind = label.split(":")[0]
    if kind == "sha1":
        return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()
    return "sha256:" + hashlib.sha256(data).hexdigest()


def members(data, end):
    """(at, length, bytes) of every gzip member before `end`."""
    at = 0
    while at < end:
        stream = zlib.decompressobj(31)
        text = stream.decompress(data[at:end])
        if not stream.eof:
            fault("member", f"cut off at {at}")
            return
        length = end - at - len(stream.unused_data)
        yield at, length, text
        at += length


def parse(where, text):
    """The fields, in lower case, and the block of a record."""
    head, found, rest = text.partition(b"\r\n\r\n")
    lines = head.decode("utf-8").split("\r\n")
    if not found or lines[0] != "WARC/1.1":
        fault(where, f"no record: {lines[0]!r}")
        return {}, b""
    fields = {}
    for line in lines[1:]:
        name, colon, value = line.partition(": ")
        name = name.lower()
        if not colon or name != name.strip() or not value:
            fault(where, f"no field: {line!r}")
        if name in fields and name not in ("warc-concurrent-to", "warc-protocol"):
            fault(where, f"{name} twice")
        fields[name] = value
    length = int(fields["content-length"])
    if rest[length:] != b"\r\n\r\n":
        fault(where, f"Content-Length {length} of {len(rest)}")
    return fields, rest[:length]


def check_http(where, block, is_revisit, is_cut):
    head, found, body = block.partition(b"\r\n\r\n")
    if not found and is_revisit:
        head, found = block.removesuffix(b"\r\n\r\n"), True
    lines = head.split(b"\r\n")
    match = re.match(rb"HTTP/1\.[01] (\d{3})", lines[0])
    if not found or not match or b"\n" in head.replace(b"\r\n", b""):
        fault(where, f"no head: {lines[0]!r}")
        return 0, body
    for line in lines[1:]:
        name, _, value = line.partition(b":")
        name = name.strip().lower()
        if name == b"transfer-encoding":
            fault(where, "Transfer-Encoding in a kept head")
        if name == b"content-length" and not is_revisit:
            if int(value) != len(body):
                fault(where, f"length {value!r} of {len(body)}")
    return int(match[1]), body


class Checker:
    def __init__(self, external):
        self.external = external
        self.ids = set()
        self.responses = {}
        self.captures = []
        self.response = None

    def record(self, name, at, length, text):
        where = f"{name} at {at}"
        fields, block = parse(where, text)
        if not fields:
            return
        kind, record_id = fields["warc-type"], fields["warc-record-id"]
        if record_id in self.ids:
            fault(where, f"id {record_id} twice")
        self.ids.add(record_id)
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z",
                            fields["warc-date"]):
            fault(where, "date " + fields["warc-date"])
        label = fields.get("warc-block-digest", "sha1:")
        if digest(label, block) != label:
            fault(where, "block digest")
        if (at == 0) != (kind == "warcinfo"):
            fault(where, f"{kind} in the wrong place")
        if kind == "warcinfo":
            if fields["warc-filename"] != name.removesuffix(".open"):
                fault(where, "WARC-Filename " + fields["warc-filename"])
        elif kind == "request":
            self.request(where, fields, block, length)
        elif kind in ("response", "revisit"):
            self.capture(where, name, at, length, fields, block)
        else:
            fault(where, f"type {kind}")

    def request(self, where, fields, block, length):
        of = self.response
        if not of or fields.get("warc-concurrent-to") != of["id"]:
            fault(where, "not the request of the record before it")
            return
        if not block.startswith(b"GET ") or not block.endswith(b"\r\n\r\n"):
            fault(where, "no request")
        of["request_length"] = length
        if (fields["warc-date"], fields["warc-target-uri"]) != \
                (of["date"], of["url"]):
            fault(where, "another date or URL than its response")
        self.response = None

    def capture(self, where, name, at, length, fields, block):
        is_revisit = fields["warc-type"] == "revisit"
        status, body = check_http(where, block, is_revisit,
                                  "warc-truncated" in fields)
        payload = fields["warc-payload-digest"]
        if is_revisit:
            self.revisit(where, fields, body)
        else:
            if digest(payload, body) != payload:
                fault(where, "payload digest")
            self.responses[fields["warc-record-id"]] = fields
        self.response = {
            "id": fields["warc-record-id"], "date": fields["warc-date"],
            "url": fields["warc-target-uri"], "kind": fields["warc-type"],
            "status": status, "digest": payload, "file": name,
            "at": at, "length": length, "request_length": 0,
        }
        self.captures.append(self.response)

    def revisit(self, where, fields, body):
        if body:
            fault(where, "a revisit with a body")
        if not fields["warc-profile"].endswith("/identical-payload-digest"):
            fault(where, "profile")
        of = self.responses.get(fields.get("warc-refers-to"))
        if of is None:
            if not self.external or not fields["warc-refers-to-target-uri"]:
                fault(where, "refers to nothing")
            return
        for ours, theirs in (("warc-payload-digest", "warc-payload-digest"),
                             ("warc-refers-to-target-uri", "warc-target-uri"),
                             ("warc-refers-to-date", "warc-date")):
            if fields[ours] != of[theirs]:
                fault(where, f"{ours} is not that of the original")


def rows_of(directory):
    # A copy: to open the record of a killed crawl changes it.
    copy = tempfile.TemporaryDirectory()
    for path in glob.glob(directory + "/.crawler") + \
            glob.glob(directory + "/.crawler-wal"):
        shutil.copy(path, copy.name)
    db = sqlite3.connect(copy.name + "/.crawler")
    ends = dict(db.execute("SELECT name, start FROM archive"))
    rows = db.execute("SELECT url, kind, status, digest, file, at, length,"
                      " request_length FROM captures").fetchall()
    for row in rows:
        ends[row[4]] = max(ends[row[4]], row[5] + row[6] + row[7])
    db.close()
    copy.cleanup()
    return rows, ends


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    partial, external = "--partial" in sys.argv, "--external" in sys.argv
    directory = words[0]
    rows, ends = rows_of(directory) if "--no-rows" not in sys.argv else ([], {})
    checker = Checker(external)
    names = sorted(os.path.basename(path)
                   for path in glob.glob(directory + "/archive/*"))
    if "--no-rows" not in sys.argv:
        names.sort(key=lambda name: (
            list(ends).index(name.removesuffix(".open"))
            if name.removesuffix(".open") in ends else 99999))
    for name in names:
        if name.endswith(".open") and not partial:
            fault(name, "is not complete")
        with open(f"{directory}/archive/{name}", "rb") as file:
            data = file.read()
        end = len(data)
        if partial:
            if name.removesuffix(".open") not in ends:
                continue
            end = ends[name.removesuffix(".open")]
            if end > len(data):
                fault(name, f"{len(data)} bytes, {end} are committed")
        for member in members(data, end):
            checker.record(name, *member)
    if "--no-rows" not in sys.argv:
        found = [(c["url"], c["kind"], c["status"], c["digest"],
                  c["file"].removesuffix(".open"), c["at"], c["length"],
                  c["request_length"]) for c in checker.captures]
        for row, record in zip(rows, found):
            if tuple(row) != record:
                fault("row", f"{row} is not {record}")
        if len(rows) != len(found):
            fault("rows", f"{len(rows)} rows, {len(found)} captures")
    for capture in checker.captures:
        print(capture["kind"], capture["status"], capture["url"])
    sys.exit(faults > 0)


main()
