"""The synthetic web of the playground: many hosts."""

import os
import subprocess

import measure


def truth(playground, web):
    told = subprocess.run([playground, "truth"] + web, check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    return {line.split("\t")[1] for line in told.splitlines()}


def crawl(out, playground, web, order, scratch):
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
            order, "http://d0.example/", folder, "100000"])
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


def run(out, scratch, quick, say):
    playground = os.path.join(out, "playground")
    small, large = (2000, 20000), ((10000, 100000) if quick
                                   else (100000, 1000000))
    result = {}
    rows = []
    for hosts, pages in (small, large):
        web = ["--web", "bench", "--hosts", str(hosts), "--pages", str(pages)]
        right = truth(playground, web)
        got, found = crawl(out, playground, web, "priority", scratch)
        got.update(hosts=hosts, pages=len(found),
                   pages_per_cpu_s=len(found) / got["cpu_s"],
                   missing=len(right - found), extra=len(found - right))
        result[f"{hosts} hosts"] = got
        rows.append([f"{hosts:,}", f"{len(found):,}",
                     f"{got['pages_per_cpu_s']:,.0f}", f"{got['peak_mb']:.0f}",
                     f"{got['missing']} / {got['extra']}", "1"])
    scratch.empty()
    few, many = result.values()
    grown = (many["peak_mb"] - few["peak_mb"]) * 2**20
    result["bytes_per_more_host"] = grown / (many["hosts"] - few["hosts"])
    result["bytes_per_more_page"] = grown / (many["pages"] - few["pages"])
    say.table("many hosts: the synthetic web, --order priority",
              ["hosts", "pages", "pages/CPU s", "peak MB", "missing / extra",
               "runs"], rows)
    say.line(f"from the first to the second: "
             f"{result['bytes_per_more_host']:.0f} bytes of memory for each "
             f"more host, or {result['bytes_per_more_page']:.0f} for each more "
             f"page with its URLs")
    return result
