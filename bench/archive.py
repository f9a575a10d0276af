"""What an archive costs: cppreference with and without --warc, from a server
that compresses and from one that does not, beside wget and its WARC."""

import os
import shutil

import crawl
import measure
import sites

ROUNDS = 5
SERVERS = {
    "the server sends gzip": "gzip on; gzip_min_length 1; gzip_types text/html;",
    "the server does not compress": "",
}


def programs(out, is_coded):
    us = [os.path.join(out, "crawler"), "-q", "--scope", "host", "--robots",
          "ignore", "--delay", "0", "--per-host", "32", "--workers", "32",
          "--threads", "1"]
    wget = ["wget", "-q", "-r", "-l", "inf", "-e", "robots=off", "-A",
            "html,htm", "-nH"] + (["--compression=gzip"] if is_coded else [])
    all_of_us = {
        "crawler": [],
        "crawler --warc": ["--warc"],
        "crawler --warc --save archive": ["--warc", "--save", "archive"],
    }
    found = {name: lambda url, to, more=more: us + more + [url, to, "100"]
             for name, more in all_of_us.items()}
    if shutil.which("wget"):
        found["wget"] = lambda url, to: wget + ["-P", to, url]
        found["wget --warc-file"] = lambda url, to: wget + [
            "--warc-file", os.path.join(to, "site"), "-P", to, url]
    return found


def size_mb(folder):
    """Megabytes of WARC files below a folder, or of all files without any."""
    files = [os.path.join(at, name) for at, _, names in os.walk(folder)
             for name in names]
    warcs = [path for path in files if ".warc" in path]
    return sum(os.path.getsize(path) for path in warcs or files) / 1e6


def runs_of(out, scratch, more, rounds):
    site = sites.Site("cppreference", scratch, more=more)
    runs = {}
    try:
        for round_ in range(rounds):
            for name, command in programs(out, bool(more)).items():
                if name.startswith("wget") and round_ >= 2:
                    continue
                folder = scratch.empty()
                got = measure.run(out, scratch, command(site.start, folder))
                del got["output"]
                got["size_mb"] = size_mb(folder)
                got["pages"] = len(site.truth or ()) or pages_in(name, folder)
                got["us_a_page"] = 1e6 * got["cpu_s"] / got["pages"]
                runs.setdefault(name, []).append(got)
    finally:
        site.stop()
    return runs


def pages_in(name, folder):
    """Without the conformance data: as many as were saved as files."""
    kind = crawl.mirrored if name.startswith("wget") else crawl.numbered
    return len(kind(folder, "")) or 1


def row(name, runs, base):
    costs = [run["us_a_page"] for run in runs]
    cost = measure.median(costs)
    return [name, f"{1e6 / cost:,.0f}", f"{cost:.0f}",
            f"{min(costs):.0f} - {max(costs):.0f}", f"{cost - base:+.0f}",
            f"{max(run['peak_mb'] for run in runs):.0f}",
            f"{runs[-1]['size_mb']:.0f}", str(len(runs))]


def run(out, scratch, quick, say):
    result = {"saved_on": scratch.file_system, "servers": {}}
    for server, more in SERVERS.items():
        try:
            runs = runs_of(out, scratch, more, 2 if quick else ROUNDS)
        except LookupError as why:
            say.line(f"left out: {why}")
            return result
        result["servers"][server] = runs
        base = measure.median([r["us_a_page"] for r in runs["crawler"]])
        say.table(f"archive of cppreference, {server}",
                  ["", "pages/CPU s", "us a page", "from - to",
                   "more than crawler", "peak MB", "MB kept", "runs"],
                  [row(name, of, base) for name, of in runs.items()])
    return result
