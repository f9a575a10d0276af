"""https as users have it, with the system's trust store: one site, and many
hosts with a certificate each. The crawler, wget2, a bare libcurl loop with as
many handshakes, and openssl s_time."""

import os
import re
import shutil
import subprocess

import crawl
import measure
import private
import sites

SITE = "cppreference"
SITE_HOST = "site.test"
AT_ONCE = 16          # fetches at a time, of the one site
WGET2_THREADS = 40    # for many hosts
PAGES = 6             # of each host, and a robots.txt
PAGE_BYTES = 19000
S_TIME_SECONDS = 3


def addresses(count):
    """The one site, and hosts of domains of their own: an address each, so that
    no limit for addresses or domains decides."""
    table = {SITE_HOST: "127.1.255.1"}
    for i in range(count):
        table[f"host{i + 1}.test"] = f"127.1.{i // 250}.{i % 250 + 1}"
    return table


def builds(out):
    """The crawler, and others to compare it with in the same rounds:
    BENCH_ALSO="before=FILE after=FILE"."""
    found = {"crawler": os.path.join(out, "crawler")}
    for word in os.environ.get("BENCH_ALSO", "").split():
        name, _, program = word.partition("=")
        found[f"crawler {name}"] = program
    return found


# One site

def site_programs(out, site):
    programs = {}
    for name, crawler in builds(out).items():
        programs[name] = lambda to, crawler=crawler: [
            crawler, "-q", "--scope", "host", "--robots", "ignore", "--delay",
            "0", "--per-host", str(AT_ONCE), "--workers", str(AT_ONCE),
            site.start, to, "100"]
    if shutil.which("wget2"):
        programs["wget2"] = lambda to: [
            "wget2", "-q", "-r", "-l", "inf", "--no-robots", "-A", "html,htm",
            "-nH", f"--max-threads={AT_ONCE}", "-P", to, site.start]
    return programs


def check_site(site, name, folder):
    found = (crawl.mirrored if name == "wget2" else crawl.numbered)(
        folder, site.base)
    told = {"pages": len(found)}
    if site.truth is not None:
        told["missing"] = len(site.truth - set(found))
        told["extra"] = len(found) - len(site.truth & set(found))
    return told


def one_site(out, scratch, certificates, rounds):
    site = sites.Site(SITE, scratch, (
        SITE_HOST, addresses(0)[SITE_HOST], certificates[SITE_HOST]))
    runs = {}
    try:
        programs = site_programs(out, site)
        for round_ in range(rounds):
            for name, command in programs.items():
                folder = scratch.empty()
                add(runs, name, measured(out, scratch, site, command(folder),
                                         lambda: check_site(site, name, folder)))
                if name == "crawler" and round_ == 0:
                    urls = list_urls(folder, scratch)
            add(runs, "bare libcurl", limit(out, scratch, site, urls, AT_ONCE, 1))
    finally:
        site.stop()
    return runs


def list_urls(folder, scratch):
    path = scratch.path("urls")
    with open(path, "w", encoding="utf-8") as urls:
        for entry in sorted(os.scandir(folder), key=lambda e: len(e.name)):
            if entry.name.isdigit():
                with open(entry.path, "rb") as file:
                    urls.write(file.readline().decode())
    return path


# Many hosts

def write_pages(folder):
    """Pages of about the same size that lead to each other and elsewhere."""
    os.makedirs(folder)
    text = "<p>Some words of a page that nobody reads, and a few more.</p>\n"
    for i in range(PAGES):
        name = "index.html" if i == 0 else f"page{i}.html"
        links = "".join(f'<li><a href="page{k}.html#part{i}">Page {k}</a>\n'
                        for k in range(1, PAGES)) + \
            "".join(f'<li><a href="https://elsewhere{k}.example/{i}">Other</a>\n'
                    for k in range(20))
        page = f"<!doctype html><title>Page {i}</title><ul>{links}</ul>\n"
        page += text * ((PAGE_BYTES - len(page)) // len(text))
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(page)
    with open(os.path.join(folder, "robots.txt"), "w", encoding="utf-8") as file:
        file.write("User-agent: *\nDisallow: /private/\n")


class Hosts(sites.Nginx):
    """All hosts, the same pages each; `seeds` is a file with their roots and
    `urls` one with all that they have, host by host."""

    def __init__(self, scratch, names, certificates):
        root = scratch.path("root")
        shutil.rmtree(root, ignore_errors=True)
        write_pages(root)
        self.names, self.port = names, sites.a_port()
        places = addresses(len(names))
        servers = "\n".join(
            sites.ONE_TLS.format(address=places[name], port=self.port,
                                 root=root, pem=certificates[name])
            for name in names)
        super().__init__(scratch, servers, self.base(names[0]), logs=True)
        self.seeds, self.urls = scratch.path("seeds"), scratch.path("all")
        with open(self.seeds, "w", encoding="utf-8") as file:
            file.writelines(self.base(name) + "\n" for name in names)
        with open(self.urls, "w", encoding="utf-8") as file:
            for name in names:
                for page in self.pages():
                    file.write(self.base(name) + page + "\n")

    def base(self, name):
        return f"https://{name}:{self.port}/"

    @staticmethod
    def pages():
        return ["robots.txt", ""] + [f"page{i}.html" for i in range(1, PAGES)]

    def check(self, count):
        """How many pages must be there, and how many are not or are extra."""
        wanted = PAGES * len(self.names)
        return {"pages": count, "missing": max(wanted - count, 0),
                "extra": max(count - wanted, 0)}


def count_pages(folder):
    return sum(entry.name.isdigit() for entry in os.scandir(folder))


def count_mirrored(folder):
    return sum(name.endswith(".html") for _, _, names in os.walk(folder)
               for name in names)


def host_programs(out, hosts):
    """Name, command for a folder, how to count its pages."""
    programs = []
    for name, crawler in builds(out).items():
        us = [crawler, "-q", "--scope", "host", "--order", "priority",
              "--seeds", hosts.seeds]
        programs.append((name + ", --delay 0", lambda to, us=us: us + [
            "--delay", "0", to, "10"], count_pages))
        programs.append((name + ", polite", lambda to, us=us: us + [
            "--delay", "1s", to, "10"], count_pages))
    if shutil.which("wget2"):
        programs.append(("wget2", lambda to: [
            "wget2", "-q", "-r", "-l", "inf", f"--max-threads={WGET2_THREADS}",
            "-P", to, "-i", hosts.seeds], count_mirrored))
    return programs


def many_hosts(out, scratch, certificates, count, rounds):
    names = [f"host{i + 1}.test" for i in range(count)]
    hosts = Hosts(scratch, names, certificates)
    runs = {}
    try:
        programs = host_programs(out, hosts)
        for _ in range(rounds):
            for name, command, counted in programs:
                folder = scratch.empty()
                add(runs, name, measured(
                    out, scratch, hosts, command(folder),
                    lambda: hosts.check(counted(folder))))
            add(runs, "bare libcurl", limit(out, scratch, hosts, hosts.urls, 80,
                                            1 + PAGES))
            add(runs, "openssl s_time", s_time(out, scratch, hosts))
    finally:
        hosts.stop()
    return runs


# Runs

def add(runs, name, got):
    runs.setdefault(name, []).append(got)


def measured(out, scratch, server, command, check):
    got = measure.run(out, scratch, command)
    del got["output"]
    got.update(server.connections())
    got.update(check())
    got["pages_per_cpu_s"] = got["pages"] / got["cpu_s"]
    return got


def limit(out, scratch, server, urls, at_once, row):
    """The bare loop: all URLs of a host in a row on one connection. robots.txt
    is no page."""
    got = measure.run(out, scratch, [
        os.path.join(out, "bench/libcurl"), urls, str(at_once), str(row)],
                      stdout=subprocess.PIPE)
    answers = int(got.pop("output").split()[0])
    got.update(server.connections())
    got["pages"] = answers * (row - 1) // row if row > 1 else answers
    got["pages_per_cpu_s"] = got["pages"] / got["cpu_s"]
    return got


def s_time(out, scratch, hosts):
    """Handshakes and one page each, with openssl alone and one context."""
    got = measure.run(out, scratch, [
        "openssl", "s_time", "-connect", f"{hosts.names[0]}:{hosts.port}",
        "-new", "-verify", "3", "-CAfile", "/etc/ssl/certs/ca-certificates.crt",
        "-time", str(S_TIME_SECONDS), "-www", "/"], stdout=subprocess.PIPE)
    pages = int(re.search(r"(\d+) connections in \d+ real",
                          got.pop("output"))[1])
    got.update(hosts.connections())
    got.update(pages=pages, pages_per_cpu_s=pages / got["cpu_s"])
    return got


# What is told

HEAD = ["", "pages/CPU s", "from - to", "CPU s", "wall s", "connections",
        "resumed", "peak MB", "missing / extra", "runs"]


def row(name, runs):
    rates = [run["pages_per_cpu_s"] for run in runs]

    def middle(key, form):
        return format(measure.median([run[key] for run in runs]), form)

    wrong = "" if "missing" not in runs[0] else (
        f"{max(r['missing'] for r in runs)} / {max(r['extra'] for r in runs)}")
    return [name, f"{measure.median(rates):,.0f}",
            f"{min(rates):,.0f} - {max(rates):,.0f}", middle("cpu_s", ".2f"),
            middle("wall_s", ".1f"), middle("connections", ",.0f"),
            middle("resumed", ",.0f"), middle("peak_mb", ".0f"), wrong,
            str(len(runs))]


def idle_connection_kb(few, many, hosts):
    """What one more host costs a polite crawl, which keeps its connection: from
    the peaks of two crawls that differ in the number of hosts."""
    told = {}
    for name, runs in many.items():
        if name.endswith("polite") and name in few:
            grown = (measure.median([run["peak_mb"] for run in runs]) -
                     measure.median([run["peak_mb"] for run in few[name]]))
            told[name] = grown * 1024 / hosts
    return told


def run(out, scratch, quick, say):
    rounds, count, few = (1, 200, 50) if quick else (3, 1000, 100)
    try:
        certificates = private.prepare(scratch, addresses(count))
        result = {
            "site": one_site(out, scratch, certificates, max(rounds, 1)),
            "few": many_hosts(out, scratch, certificates, few, rounds),
            "hosts": many_hosts(out, scratch, certificates, count, rounds),
        }
    except LookupError as why:
        say.line(f"left out: {why}")
        return {}
    titles = {
        "site": f"https, one site: {SITE}, {AT_ONCE} fetches at a time",
        "few": f"https, {few} hosts, {PAGES} pages of {PAGE_BYTES // 1000} KB",
        "hosts": f"https, {count} hosts, {PAGES} pages of "
                 f"{PAGE_BYTES // 1000} KB",
    }
    for part, title in titles.items():
        say.table(title, HEAD, [row(*item) for item in result[part].items()])
    kept = idle_connection_kb(result["few"], result["hosts"], count - few)
    for name, kb in kept.items():
        say.line(f"{name}: {kb:.0f} KB of memory for each more host")
    result.update(hosts_count=count, few_count=few, kb_per_more_host=kept)
    return result
