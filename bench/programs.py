"""What the C programs beside this file measure, read from what they print."""

import os
import re
import subprocess

import sites

SCANNED = {
    "cppreference": ("cppreference-doc-en-html",
                     "usr/share/cppreference/doc/html"),
    "python-pandas": ("python-pandas-doc", ""),
    "openjdk-17": ("openjdk-17-doc", "usr/share/doc/openjdk-17-jre-headless"),
}


def folder_of(name):
    package, below = SCANNED[name]
    corpus = sites.corpus(package)
    return corpus and os.path.join(corpus, below)


def told_by(*command):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          check=True).stdout.decode()


def scanner(out, _scratch, _quick, say):
    result = {}
    for name in SCANNED:
        folder = folder_of(name)
        if not folder:
            say.line(f"left out: scanner, {name}: no such package")
            continue
        text = told_by(os.path.join(out, "bench/scan"), folder)
        found = re.findall(r"^(\S.*?) +(\d+) MB/s +(\d+) found,? ?(.*)$",
                           text, re.M)
        result[name] = {what: {"mb_per_s": int(speed), "found": int(count),
                               "note": note.strip()}
                        for what, speed, count, note in found}
        say.table(f"scanner: {name}, {text.splitlines()[0]}",
                  ["", "MB/s", "found", ""], [list(row) for row in found])
    return result


def urls(out, _scratch, _quick, say):
    result = {}
    rows = []
    for name in SCANNED:
        folder = folder_of(name)
        if not folder:
            continue
        text = told_by(os.path.join(out, "bench/url"), folder)
        found = re.findall(r"^url: (.*?) +([\d.]+) ns", text, re.M)
        result[name] = {what: float(ns) for what, ns in found}
        rows += [[name, what, ns] for what, ns in found]
    say.table("URLs: the real links of these sites",
              ["", "", "ns a reference"], rows)
    return result


def frontier(out, _scratch, quick, say):
    counts = ["100000", "1000000"] + ([] if quick else ["10000000"])
    text = told_by(os.path.join(out, "bench/frontier"), *counts)
    found = re.findall(r"^(\w+) +(\d+) URLs: +(\d+) ns a candidate, +(\d+) "
                       r"candidates/s, +([\d.]+) bytes", text, re.M)
    say.table("frontier: 90 % repeats, hosts by a power law",
              ["order", "URLs", "ns a candidate", "candidates/s",
               "bytes a seen URL"], [list(row) for row in found])
    for line in text.splitlines():
        if "idle domains" in line:
            say.line(line)
    return [{"order": order, "urls": int(count), "ns": int(ns),
             "per_s": int(rate), "bytes_per_url": float(size)}
            for order, count, ns, rate, size in found]
