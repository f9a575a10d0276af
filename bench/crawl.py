"""Whole crawls of real sites: the crawler, its peers, and the limit."""

import os
import re
import shutil
import subprocess

import measure
import sites

ROUNDS = 5
AT_ONCE = 32


def numbered(folder, base):
    """The paths of the crawler's page files: their first lines."""
    found = []
    for entry in os.scandir(folder):
        if entry.name.isdigit():
            with open(entry.path, "rb") as file:
                url = file.readline().decode().strip()
            found.append(sites.plain(url.removeprefix(base)))
    return found


def mirrored(folder, _base):
    """The paths of a mirror's files."""
    return [sites.plain(os.path.relpath(os.path.join(at, name), folder))
            for at, _, names in os.walk(folder) for name in names
            if name.endswith((".html", ".htm"))]


def mirrored_below_host(folder, base):
    """The same as HTTrack has it: in a folder for the host, without '~'."""
    host = base.removeprefix("http://").replace(":", "_")
    return mirrored(os.path.join(folder, host), base)


class Peer:
    def __init__(self, name, program, rounds, command, found, slow=False):
        self.name, self.rounds, self.slow = name, rounds, slow
        self.program, self.command, self.found = program, command, found

    def is_here(self):
        return self.program and shutil.which(self.program)


def peers(out):
    crawler = os.path.join(out, "crawler")
    us = [crawler, "-q", "--scope", "host", "--robots", "ignore", "--delay",
          "0", "--per-host", str(AT_ONCE), "--workers", str(AT_ONCE)]
    return [
        Peer("crawler, 1 thread", crawler, ROUNDS,
             lambda url, to: us + ["--threads", "1", url, to, "100"], numbered),
        Peer("crawler, 2 threads", crawler, ROUNDS,
             lambda url, to: us + ["--threads", "2", url, to, "100"], numbered),
        Peer("wget2", "wget2", ROUNDS,
             lambda url, to: ["wget2", "-q", "-r", "-l", "inf", "--no-robots",
                              "-A", "html,htm", "-nH", "-P", to, url], mirrored),
        Peer("wget", "wget", 3,
             lambda url, to: ["wget", "-q", "-r", "-l", "inf", "-e",
                              "robots=off", "-A", "html,htm", "-nH", "-P", to,
                              url], mirrored),
        Peer("HTTrack", "httrack", 1,
             lambda url, to: ["httrack", url, "-O", to, "-q", "-s0", "-I0",
                              "-C0", "-o0", "-c32", "-%c0", "-A0", "-r100",
                              "--disable-security-limits", "-*",
                              "+127.0.0.1*.html", "+127.0.0.1*.htm"],
             mirrored_below_host, slow=True),
        Peer("Scrapy", "scrapy", 1,
             lambda url, to: ["scrapy", "runspider", "bench/spider.py", "-a",
                              "start=" + url, "-a", "folder=" + to],
             mirrored, slow=True),
    ]


def crawl(out, peer, site, scratch):
    folder, truth = scratch.empty(), site.truth
    got = measure.run(out, scratch, peer.command(site.start, folder))
    del got["output"]
    found = peer.found(folder, site.base)
    if peer.found == mirrored_below_host:
        truth = {path.replace("~", "_") for path in truth or ()} or None
    got["pages"] = len(found)
    got["pages_per_cpu_s"] = len(found) / got["cpu_s"]
    if truth is not None:
        got["missing"] = len(truth - set(found))
        got["extra"] = len(found) - len(truth & set(found))
    return got


def limit(out, urls, scratch):
    got = measure.run(out, scratch, [
        os.path.join(out, "bench/libcurl"), urls, str(AT_ONCE)],
                      stdout=subprocess.PIPE)
    pages = int(got.pop("output").split()[0])
    got.update(pages=pages, pages_per_cpu_s=pages / got["cpu_s"])
    return got


def wrk(out, site, urls, scratch):
    script = scratch.path("wrk.lua")
    with open(script, "w", encoding="utf-8") as file:
        file.write("""local paths, at = {}, 0
for line in io.lines("%s") do
    paths[#paths + 1] = line:gsub("^http://[^/]*", "")
end
request = function()
    at = at %% #paths + 1
    return wrk.format("GET", paths[at])
end
""" % urls)
    got = measure.run(out, scratch, [
        "wrk", "-t1", f"-c{AT_ONCE}", "-d2s", "-s", script, site.base],
                      stdout=subprocess.PIPE)
    pages = int(re.search(r"(\d+) requests in", got.pop("output"))[1])
    got.update(pages=pages, pages_per_cpu_s=pages / got["cpu_s"])
    return got


def runs_of(name, out, scratch, quick):
    """Of one site: the runs of each program, interleaved."""
    site = sites.Site(name, scratch)
    runs = {}
    try:
        here = [p for p in peers(out) if p.is_here() and not (quick and p.slow)]
        for round_ in range(ROUNDS):
            for peer in here:
                if round_ < peer.rounds:
                    runs.setdefault(peer.name, []).append(
                        crawl(out, peer, site, scratch))
            if round_ == 0:
                urls = list_urls(out, here[0], site, scratch)
            runs.setdefault("bare libcurl", []).append(
                limit(out, urls, scratch))
            if shutil.which("wrk"):
                runs.setdefault("wrk", []).append(wrk(out, site, urls, scratch))
    finally:
        site.stop()
    return runs


def list_urls(out, peer, site, scratch):
    """All URLs of a site in a file, in the order of a crawl."""
    folder = scratch.empty()
    measure.run(out, scratch, peer.command(site.start, folder))
    path = scratch.path("urls")
    count = sum(entry.name.isdigit() for entry in os.scandir(folder))
    with open(path, "w", encoding="utf-8") as urls:
        for i in range(count):
            with open(os.path.join(folder, str(i + 1)), "rb") as file:
                urls.write(file.readline().decode())
    return path


def row(name, runs):
    rates = [run["pages_per_cpu_s"] for run in runs]
    last = runs[-1]
    wrong = ("" if "missing" not in last else
             f"{max(r['missing'] for r in runs)} / {max(r['extra'] for r in runs)}")
    return [name, f"{last['pages']:,}", f"{measure.median(rates):,.0f}",
            f"{min(rates):,.0f} - {max(rates):,.0f}",
            f"{max(run['peak_mb'] for run in runs):.0f}", wrong,
            str(len(runs))]


def run(out, scratch, quick, say):
    result = {"saved_on": scratch.file_system, "sites": {}}
    for name in sites.PACKAGES:
        try:
            runs = runs_of(name, out, scratch, quick)
        except LookupError as why:
            say.line(f"left out: {why}")
            continue
        result["sites"][name] = runs
        say.table(f"whole crawl: {name}, pages saved on {scratch.file_system}",
                  ["", "pages", "pages/CPU s", "from - to", "peak MB",
                   "missing / extra", "runs"],
                  [row(peer, r) for peer, r in runs.items()])
        say.line(ratios(runs))
    return result


def ratios(runs):
    rate = {name: measure.median([r["pages_per_cpu_s"] for r in of])
            for name, of in runs.items()}
    ours = rate["crawler, 1 thread"]
    parts = [f"{ours / rate[name]:.1f} x {name}" for name in rate
             if name not in ("bare libcurl", "wrk") and "crawler" not in name]
    parts.append(f"{100 * ours / rate['bare libcurl']:.0f} % of bare libcurl")
    return "crawler, 1 thread: " + ", ".join(parts)
