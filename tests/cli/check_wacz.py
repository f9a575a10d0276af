"""check_wacz.py WACZ [CDXJ]: is the package whole, by Python's own modules?

Every file is listed with its length and digest, headers agree, the blocks of
the index are those that index.idx tells, in order, and every line leads to a
record of its URL. With CDXJ, the index in the package has the same lines.
Prints the lines of pages.jsonl and extraPages.jsonl, without their heads.
"""
import gzip
import hashlib
import json
import struct
import sys
import zipfile
import zlib


def check(condition, *said):
    if not condition:
        sys.exit("check_wacz: " + " ".join(map(str, said)))


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def check_headers(path, package):
    data = open(path, "rb").read()
    for info in package.infolist():
        name_len, extra_len = struct.unpack_from("<HH", data,
                                                 info.header_offset + 26)
        check(bool(extra_len) == bool(info.extra), info.filename,
              "has an extra field in one header only")
        stored = info.compress_type == zipfile.ZIP_STORED
        check(stored or not info.filename.endswith(".gz"), info.filename,
              "is not stored")


def check_description(package):
    text = package.read("datapackage.json")
    digest = json.loads(package.read("datapackage-digest.json"))
    check(digest == {"path": "datapackage.json", "hash": sha256(text)}, digest)
    about = json.loads(text)
    check(about["profile"] == "data-package", about)
    check(about["wacz_version"] == "1.1.1", about)
    listed = {}
    for resource in about["resources"]:
        data = package.read(resource["path"])
        check(resource["bytes"] == len(data), resource)
        check(resource["hash"] == sha256(data), resource)
        check(resource["path"].endswith("/" + resource["name"]), resource)
        listed[resource["path"]] = True
    check(sorted([*listed, "datapackage.json", "datapackage-digest.json"]) ==
          sorted(package.namelist()), "files:", package.namelist())
    return about


def index_lines(package):
    packed = package.read("indexes/index.cdx.gz")
    idx = package.read("indexes/index.idx").decode().splitlines()
    check(idx[0].startswith('!meta 0 {"format": "cdxj-gzip-1.0"'), idx[0])
    lines, end = [], 0
    for row in idx[1:]:
        key, stamp, about = row.split(" ", 2)
        about = json.loads(about)
        check(about["filename"] == "index.cdx.gz" and about["offset"] == end,
              row)
        end += about["length"]
        block = packed[about["offset"]:end]
        check(about["digest"] == sha256(block), row)
        text = gzip.decompress(block).decode()
        check(text.startswith(f"{key} {stamp} {{"), row)
        lines += text.splitlines(keepends=True)
    check(end == len(packed), "bytes behind the last block")
    check(lines == sorted(lines, key=str.encode), "the index is not sorted")
    return lines


def check_line(package, line, warcs):
    about = json.loads(line.split(" ", 2)[2])
    name = "archive/" + about["filename"]
    if name not in warcs:
        warcs[name] = package.read(name)
    at, length = int(about["offset"]), int(about["length"])
    member = zlib.decompressobj(31)
    record = member.decompress(warcs[name][at:at + length])
    check(member.eof and not member.unused_data, "not one member:", line)
    head = record.split(b"\r\n\r\n", 1)[0].decode().split("\r\n")
    fields = dict(field.split(": ", 1) for field in head[1:])
    # wget puts brackets around it.
    # A line with a method is of the other spelling of a URL.
    url = fields["WARC-Target-URI"].strip("<>")
    check((url.replace("|", "%7C") if "method" in about else url) == about["url"], line, fields)
    check(fields["WARC-Payload-Digest"] == about["digest"], line, fields)
    is_revisit = fields["WARC-Type"] == "revisit"
    check(is_revisit == (about["mime"] == "warc/revisit")
          if "mime" in about else not is_revisit, line, fields)
    date = "".join(c for c in fields["WARC-Date"][:19] if c.isdigit())
    check(line.split(" ")[1] == date, line, fields)


def pages(package):
    for name in ("pages/pages.jsonl", "pages/extraPages.jsonl"):
        if name not in package.namelist():
            continue
        head, *rest = package.read(name).decode().splitlines()
        check(json.loads(head)["format"] == "json-pages-1.0", head)
        yield from rest


def main():
    package = zipfile.ZipFile(sys.argv[1])
    check(package.testzip() is None, "a file is broken")
    check_headers(sys.argv[1], package)
    about = check_description(package)
    lines = index_lines(package)
    warcs = {}
    for line in lines:
        check_line(package, line, warcs)
    if len(sys.argv) > 2:
        check("".join(lines) == open(sys.argv[2]).read(), "another index")
    urls = {json.loads(line.split(" ", 2)[2])["url"] for line in lines}
    all_pages = list(pages(package))
    for page in all_pages:
        check(json.loads(page)["url"] in urls, "not in the index:", page)
    if all_pages:
        check(about["mainPageUrl"] == json.loads(all_pages[0])["url"], about)
    print("\n".join(all_pages))


main()
