"""Read WARC files that the crawler wrote, with nothing of ours.

    read_warc.py DIR FILE...

writes into DIR, for responses, revisits and requests: `list`, one line a record
(type, status, URL, why it was cut or -, length of the payload), and for line N
of it `N.fields`, `N.head` (of HTTP) and `N.body`.

Every record is checked first: a gzip member of its own, lengths, digests, dates,
ids and whom they refer to, and an HTTP head that fits the payload. A fault ends
the program with status 1 and a line.
"""
import base64
import hashlib
import re
import sys
import zlib


def members(data):
    while data:
        member = zlib.decompressobj(31)
        text = member.decompress(data)
        if not member.eof:
            raise ValueError("the last member is cut off")
        yield text
        data = member.unused_data


def digest(name, data):
    made = hashlib.new(name, data)
    if name == "sha1":
        return "sha1:" + base64.b32encode(made.digest()).decode()
    return f"{name}:{made.hexdigest()}"


def expect(is_true, what):
    if not is_true:
        raise ValueError(what)


class Record:
    def __init__(self, text):
        head, rest = text.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        expect(lines[0] == "WARC/1.1", "no WARC/1.1")
        self.fields = [tuple(line.split(": ", 1)) for line in lines[1:]]
        self.lines = lines
        self.type = self.get("WARC-Type")
        self.url = self.get("WARC-Target-URI", "-")
        length = int(self.get("Content-Length"))
        self.block = rest[:length]
        expect(rest[length:] == b"\r\n\r\n", "wrong Content-Length")
        self.http_head, self.payload = b"", b""

    def get(self, name, default=None):
        values = [value for key, value in self.fields if key == name]
        expect(len(values) < 2, f"two {name}")
        return values[0] if values else default

    def status(self):
        return self.block.split(b" ", 2)[1].decode() if self.has_http() else "-"

    def has_http(self):
        return self.type in ("response", "revisit")

    def check(self):
        algorithm = self.get("WARC-Block-Digest").split(":")[0]
        expect(self.get("WARC-Block-Digest") == digest(algorithm, self.block),
               "block digest")
        expect(re.fullmatch(r"<urn:uuid:[0-9a-f-]{36}>",
                            self.get("WARC-Record-ID")), "id")
        expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
                            self.get("WARC-Date")), "date")
        expect("<" not in self.url, "brackets")
        if self.has_http():
            self.check_http(algorithm)

    def check_http(self, algorithm):
        at = self.block.index(b"\r\n\r\n") + 4
        self.http_head, self.payload = self.block[:at], self.block[at:]
        lines = self.http_head[:-4].split(b"\r\n")
        expect(re.match(rb"HTTP/1\.[01] \d\d\d ", lines[0]), "status line")
        lengths = []
        for line in lines[1:]:
            expect(not re.search(rb"[\r\n]", line) and line[:1] not in b" \t",
                   "header line")
            name, value = line.split(b":", 1)
            expect(name.strip().lower() != b"transfer-encoding", "framing")
            if name.strip().lower() == b"content-length":
                lengths.append(int(value))
        if self.type == "response":
            expect(lengths == [len(self.payload)] or
                   (not lengths and not self.payload), "HTTP Content-Length")
            expect(self.get("WARC-Payload-Digest") ==
                   digest(algorithm, self.payload), "payload digest")
        else:
            expect(not self.payload, "payload of a revisit")


def check_order(records):
    """A request follows its response; a revisit refers to a response before it."""
    known = {}
    for at, record in enumerate(records):
        own = record.get("WARC-Record-ID")
        expect(own not in known, "an id twice")
        known[own] = record
        if record.type == "request":
            expect(records[at - 1].get("WARC-Record-ID") ==
                   record.get("WARC-Concurrent-To"), "request of another")
            expect(records[at - 1].get("WARC-Date") == record.get("WARC-Date"),
                   "date of the request")
        original = known.get(record.get("WARC-Refers-To"))
        if record.type == "revisit":
            expect(original and original.type == "response", "revisit of nothing")
            for name, theirs in (("WARC-Refers-To-Target-URI", original.url),
                                 ("WARC-Refers-To-Date",
                                  original.get("WARC-Date")),
                                 ("WARC-Payload-Digest",
                                  original.get("WARC-Payload-Digest"))):
                expect(record.get(name) == theirs, name)


def read(paths):
    records = []
    for path in paths:
        with open(path, "rb") as file:
            first = len(records)
            records += [Record(text) for text in members(file.read())]
        expect(records[first].type == "warcinfo", "no warcinfo")
        expect(records[first].get("WARC-Filename") == path.rsplit("/", 1)[1],
               "WARC-Filename")
    for record in records:
        try:
            record.check()
        except ValueError as error:
            raise ValueError(f"{record.type} {record.url}: {error}") from error
    check_order(records)
    return records


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def main():
    folder, lines = sys.argv[1], []
    for record in read(sys.argv[2:]):
        if record.type == "warcinfo":
            continue
        lines.append(f"{record.type} {record.status()} {record.url} "
                     f"{record.get('WARC-Truncated', '-')} "
                     f"{len(record.payload)}\n")
        name = f"{folder}/{len(lines)}"
        write(f"{name}.fields", "\n".join(record.lines).encode())
        write(f"{name}.head", record.http_head)
        write(f"{name}.body", record.payload)
    write(f"{folder}/list", "".join(lines).encode())


try:
    main()
except (ValueError, KeyError, IndexError, OSError, zlib.error) as fault:
    sys.exit(f"read_warc.py: {fault}")
