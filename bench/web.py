"""The synthetic web of the playground: many hosts."""

import os
import subprocess

import measure


def truth(playground, web):
    told = subprocess.run([playground, "truth"] + web, check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    return {line.split("\t")[1] for line in told.splitlines()}


def crawl(out, playground, web, scratch, options):
    server = subprocess.Popen([playground] + web + ["--lifetime", "2h"],
                              stdout=subprocess.PIPE)
    try:
        port = server.stdout.readline().decode().strip().rsplit(":", 1)[1]
        folder = scratch.empty()
        # All hosts are at one address, which --per-host counts for, too.
        got = measure.run(out, scratch, [
            os.path.join(out, "crawler"), "--connect-to",
            f"::127.0.0.1:{port}", "--scope", "any", "--delay", "0",
            "--per-host", "200", "--workers", "200", "--log", "none", "--order",
            "priority", *options, "http://d0.example/", folder, "100000"])
    finally:
        server.terminate()
        server.wait()
    del got["output"]
    found = set()
    for entry in os.scandir(folder):
        if entry.name.isdigit():
            with open(entry.path, "rb") as file:
                found.add(file.readline().decode().strip())
    return got, found


# A page must cost the same on few hosts and on many, and for as long as the crawl
# lasts; and keeping connections must not cost more than it saves.
def run(out, scratch, quick, say):
    playground = os.path.join(out, "playground")
    webs = [(200, 20000), (2000, 20000), (10000, 20000)]
    webs += [(10000, 100000)] if quick else [(30000, 300000), (100000, 1000000)]
    kept = [["--keep-connections", "100"], []]
    result = {}
    rows = []
    for hosts, pages in webs:
        web = ["--web", "bench", "--hosts", str(hosts), "--pages", str(pages)]
        right = truth(playground, web)
        for options in kept if pages < 1000000 else [[]]:
            got, found = crawl(out, playground, web, scratch, options)
            got.update(hosts=hosts, pages=len(found),
                       us_a_page=1e6 * got["cpu_s"] / len(found),
                       missing=len(right - found), extra=len(found - right))
            result[" ".join([f"{hosts} hosts, {pages} pages"] + options)] = got
            rows.append([f"{hosts:,}", f"{len(found):,}",
                         options[1] if options else "default",
                         f"{got['us_a_page']:.0f}", f"{got['peak_mb']:.0f}",
                         f"{got['missing']} / {got['extra']}", "1"])
    scratch.empty()
    few, many = list(result.values())[3], list(result.values())[-1]
    grown = (many["peak_mb"] - few["peak_mb"]) * 2**20
    result["bytes_per_more_host"] = grown / (many["hosts"] - few["hosts"])
    result["bytes_per_more_page"] = grown / (many["pages"] - few["pages"])
    say.table("many hosts: the synthetic web, --order priority",
              ["hosts", "pages", "connections kept", "us of CPU a page",
               "peak MB", "missing / extra", "runs"], rows)
    say.line(f"from 2,000 hosts to the last: "
             f"{result['bytes_per_more_host']:.0f} bytes of memory for each "
             f"more host, or {result['bytes_per_more_page']:.0f} for each more "
             f"page with its URLs")
    return result
