"""run.py OUT [PART...]: all figures (tools/bench tells more)."""

import os
import platform
import sys
import time

import archive
import crawl
import fleet
import measure
import names
import pictures
import private
import programs
import secure
import sites
import web

PARTS = {
    "urls": programs.urls,
    "scanner": programs.scanner,
    "frontier": programs.frontier,
    "crawl": crawl.run,
    "web": web.run,
    "https": secure.run,
    "names": names.run,
    "archive": archive.run,
    "fleet": fleet.run,
}

FIGURES = "build/bench"


class Say:
    """Tables for a terminal that are Markdown too."""

    @staticmethod
    def line(text):
        print("\n" + text, flush=True)

    @staticmethod
    def table(title, head, rows):
        widths = [max(len(str(row[i])) for row in [head] + rows)
                  for i in range(len(head))]

        def put(row):
            cells = (str(cell).ljust(width) if i == 0 else
                     str(cell).rjust(width)
                     for i, (cell, width) in enumerate(zip(row, widths)))
            print("| " + " | ".join(cells) + " |")

        print(f"\n{title}\n")
        put(head)
        put(["-" * width for width in widths])
        for row in rows:
            put(row)
        sys.stdout.flush()


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def versions(out):
    return {
        "crawler": measure.version(os.path.join(out, "crawler"), "--version"),
        "wget2": measure.version("wget2", "--version"),
        "wget": measure.version("wget", "--version"),
        "HTTrack": measure.version("httrack", "--version"),
        "Scrapy": measure.version("scrapy", "version"),
        "libcurl": measure.version("curl", "--version"),
        "nginx": measure.version("/usr/sbin/nginx", "-v"),
        "wrk": measure.version("wrk", "-v"),
        "kernel": platform.release(),
        "processor": f"{os.cpu_count()} x {processor()}",
    }


def main():
    private.enter()
    out, *parts = sys.argv[1:]
    scratch = measure.Scratch()
    told = {"versions": versions(out), "started": time.strftime("%F %T")}
    for name, version in told["versions"].items():
        print(f"{name:10} {version}")
    os.makedirs(FIGURES, exist_ok=True)
    try:
        for part in parts or PARTS:
            figures = PARTS[part](
                out, scratch, bool(os.environ.get("QUICK")), Say)
            sites.json_file(f"{FIGURES}/{part}.json",
                            dict(told, figures=figures))
    finally:
        scratch.remove()
    print(f"\nvalues of every run: {FIGURES}/*.json")
    for path in pictures.draw(FIGURES, FIGURES):
        print(f"picture: {path}")


main()
