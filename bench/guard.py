"""What a page costs, held against what it cost before (make guard).

    bench/guard.py OUT                    measure, compare with bench/guard.json
    bench/guard.py --update OUT           measure, write bench/guard.json
    bench/guard.py --compare BEFORE NOW   compare two such files

Seven kinds of crawl. Each is of two webs, a small and a large one: a figure is
what the large one cost more, for each more page, so that the start does not
count. No figure is a time, so a busy machine takes longer and says the same:

    instructions   outside the kernel, of all threads (valgrind)
    allocations    calls of malloc and its like
    record bytes   of .crawler; of a fleet, of its rows in PostgreSQL
    system calls   all, and by name (strace)
    peak memory    of the crawl of the large web, KB

LIMITS says how many per cent more fail. System calls and peak memory depend on
who is quicker, the server or the crawler, so that their limits are wide.

What would make the others differ is kept still: one thread; a clock that goes
by what is sent, and no chance (bench/preload/steady.c); answers that come a
moment late, so that the crawler never finds one that is there already.

Other libraries and compilers cost something else. The file says which it was
made with (the first two numbers of a version); with others the figures are
shown and not judged. What became cheaper does not fail.
"""

import contextlib
import ctypes
import itertools
import json
import os
import platform
import re
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import measure
import postgres
import private
import sites

FILE = "bench/guard.json"
LIMITS = {"pages": 0, "instructions": 3, "allocations": 3, "record bytes": 3,
          "system calls": 50, "peak memory": 25}
# So many more of one system call a page are no matter, whatever their share.
CALLS_SPARE = 0.25
RUN_MAX_S = 600

# A playground that speaks TLS; its links lead to https, too.
TLS = """upstream web {{ server {web}; keepalive 32; }}
server {{
    listen 127.0.0.1:{port} ssl;
    listen 127.0.0.1:{probe};
    ssl_certificate {pem};
    ssl_certificate_key {pem};
    location = /probe {{ return 204; }}
    location / {{
        proxy_pass http://web;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_set_header Accept-Encoding "";
        proxy_redirect http:// https://;
        proxy_buffer_size 256k;
        proxy_buffers 4 256k;
        sub_filter http:// https://;
        sub_filter_once off;
    }}
}}"""


def web(hosts, pages, size=8192):
    """A web in which nothing but the answers' delay depends on time."""
    return ["--web", "guard", "--hosts", str(hosts), "--pages", str(pages),
            "--size", str(size), "--slow", "1", "--slow-time", "3ms",
            "--errors", "0", "--flaky", "0", "--limited", "0"]


class Kind:
    """The small and the large web, where they are served, the crawler's options
    beside those that all have."""

    def __init__(self, small, large, *options, place="plain", fleet=False):
        self.webs, self.options = (small, large), list(options)
        self.place, self.fleet = place, fleet


KINDS = {
    "large pages": Kind(web(1, 30, 100000), web(1, 600, 100000)),
    "small pages": Kind(web(1, 100, 2000), web(1, 3000, 2000)),
    "https": Kind(web(1, 100), web(1, 2000), place="secure"),
    "2000 hosts": Kind(web(200, 600), web(2000, 6000), place="named"),
    "--links": Kind(web(1, 100), web(1, 2000), "--links"),
    "--warc": Kind(web(1, 100), web(1, 2000), "--warc"),
    "fleet of one": Kind(web(20, 100), web(400, 2000), fleet=True),
}


# --- where the webs are served -----------------------------------------------

@contextlib.contextmanager
def playground(out, options):
    """Yields its first address, and that of its name server if it has one."""
    server = subprocess.Popen([os.path.join(out, "playground"), *options],
                              stdout=subprocess.PIPE, text=True)
    try:
        first = line = server.stdout.readline()
        while "--dns" in options and not line.startswith("name server"):
            line = server.stdout.readline()
        yield first.split()[-1], line.split()[-1]
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def plain(out, _scratch, options):
    """These yield what leads the crawler there."""
    with playground(out, options) as (at, _):
        yield ["--connect-to", "::" + at, "http://d0.example/"]


@contextlib.contextmanager
def named(out, _scratch, options):
    """With names and many addresses, as in a real web: --per-host is for
    addresses, too."""
    options = options + ["--listen", "127.0.1.1-250:0", "--dns", "0"]
    with playground(out, options) as (at, names):
        yield ["--dns-servers", names, "--allow-private", "--connect-to",
               ":::" + at.rsplit(":", 1)[1], "http://d0.example/"]


def two_free_ports():
    while True:
        port = sites.a_port()
        with socket.socket() as one, socket.socket() as other, \
                contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 1))
            return port, port + 1


@contextlib.contextmanager
def secure(out, scratch, options):
    with playground(out, options) as (at, _):
        port, probe = two_free_ports()
        nginx = sites.Nginx(scratch, TLS.format(
            web=at, port=port, probe=probe,
            pem=private.make_certificate("d0.example")),
            f"http://127.0.0.1:{probe}/probe")
        try:
            yield ["--cacert", private.path("ca.pem"), "--connect-to",
                   f"::127.0.0.1:{port}", "https://d0.example/"]
        finally:
            nginx.stop()


PLACES = {"plain": plain, "named": named, "secure": secure}


# --- one crawl ---------------------------------------------------------------

def run(*command):
    subprocess.run(["timeout", "-k", "10", str(RUN_MAX_S), *command],
                   check=True)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def steady(out, scratch):
    return ["LD_PRELOAD=" + os.path.abspath(f"{out}/bench/steady.so"),
            "GUARD_ALLOCATIONS=" + scratch.path("allocations")]


def under_valgrind(out, scratch, crawler):
    log = scratch.path("valgrind")
    run("env", *steady(out, scratch), "valgrind", "--tool=cachegrind",
        "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--vgdb=no",
        "--log-file=" + log, *crawler)
    count = re.search(r"I +refs: +([\d,]+)", read(log))[1]
    return {"instructions": int(count.replace(",", "")),
            "allocations": int(read(scratch.path("allocations"))),
            "record bytes": sum(
                entry.stat().st_size
                for entry in os.scandir(scratch.path("pages"))
                if entry.name.startswith(".crawler") and entry.is_file())}


def under_strace(out, scratch, crawler):
    log = scratch.path("strace")
    run("strace", "-f", "-c", "-o", log, "env", *steady(out, scratch), *crawler)
    rows = [line.split() for line in read(log).splitlines()]
    return {"system calls": {row[-1]: int(row[3]) for row in rows
                             if len(row) >= 5 and row[3].isdigit() and
                             row[-1] != "total"}}


def alone(out, scratch, crawler):
    log = scratch.path("cost")
    run(f"{out}/bench/cost", log, "env", *steady(out, scratch), *crawler)
    _, _, peak_kb, status = map(int, read(log).split())
    if status:
        raise RuntimeError(f"status {status}: {' '.join(crawler)}")
    return {"peak memory": peak_kb}


TOOLS = (under_valgrind, under_strace, alone)


class Fleet:
    """A PostgreSQL, and the crawls in it, by name."""

    def __init__(self):
        self.server, self.lock = postgres.Postgres(), threading.Lock()
        self.names = (f"guard{i}" for i in itertools.count())

    def record_bytes(self, name):
        with self.lock:
            return sum(self.server.numbers(
                f"SELECT (SELECT sum(length(payload)) FROM {name}.journal), "
                f"(SELECT sum(pg_column_size(f.*)) FROM {name}.fetched f)"))


def crawl(out, fleet, kind, options, tool):
    """What a crawl of the web with these options costs, as the tool sees it."""
    scratch = measure.Scratch()
    crawler = [os.path.join(out, "crawler"), "-q", "--threads", "1", "--scope",
               "any", "--delay", "0", "--contact", "guard@example.org"]
    name = next(fleet.names) if kind.fleet else None
    if name:
        # The server's clock is another than ours now.
        crawler += ["--fleet", fleet.server.url, "--name", name, "--lease",
                    "10m"]
    folder = scratch.empty()
    try:
        with PLACES[kind.place](out, scratch, options) as there:
            got = tool(out, scratch,
                       crawler + kind.options + there + [folder, "1000"])
        if name and "record bytes" in got:
            got["record bytes"] = fleet.record_bytes(name)
        got["pages"] = sum(e.name.isdigit() for e in os.scandir(folder))
        return got
    finally:
        scratch.remove()


# --- all figures -------------------------------------------------------------

def a_page(small, large):
    """What `large` cost more, for each of the pages that it has more."""
    pages = large["pages"] - small["pages"]
    figures = {"pages": pages}
    for figure, more in large.items():
        if figure == "system calls":
            less = small[figure]
            calls = [(round((count - less.get(name, 0)) / pages, 2), name)
                     for name, count in more.items()]
            figures[figure] = {name: count for count, name in
                               sorted(calls, reverse=True) if count > 0}
        elif figure == "peak memory":
            figures[figure] = more
        elif figure != "pages":
            figures[figure] = round((more - small[figure]) / pages, 1)
    return figures


def measured(out):
    """Every kind by every tool; as many crawls at a time as there are cores."""
    tools, left_out = TOOLS, {}
    if subprocess.run(["strace", "-o", "/dev/null", "true"], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        tools = [tool for tool in TOOLS if tool != under_strace]
        left_out["system calls"] = "strace may not trace here"
    os.makedirs(private.HOME, exist_ok=True)
    private.make_ca()
    private.make_certificate("d0.example")
    fleet = Fleet()
    try:
        with ThreadPoolExecutor(max(2, os.cpu_count())) as pool:
            jobs = {(name, tool): [
                pool.submit(crawl, out, fleet, kind, options, tool)
                for options in reversed(kind.webs)]
                    for tool in tools for name, kind in KINDS.items()}
        kinds = {name: {} for name in KINDS}
        for (name, _), (large, small) in jobs.items():
            kinds[name].update(a_page(small.result(), large.result()))
        return {"made with": versions(), "kinds": kinds, "left out": left_out}
    finally:
        fleet.server.stop()


def versions():
    """Of what changes the figures. Valgrind has a processor of its own, but for
    the widest vectors that the machine has."""
    def told(library, function):
        call = getattr(ctypes.CDLL(library), function)
        call.restype = ctypes.c_char_p
        return call(None).decode()

    curl = dict(part.split("/") for part in
                told("libcurl.so.4", "curl_version").split() if "/" in part)
    found = {"libcurl": curl["libcurl"], "OpenSSL": curl["OpenSSL"],
             "c-ares": told("libcares.so.2", "ares_version"),
             "SQLite": told("libsqlite3.so.0", "sqlite3_libversion"),
             "libc": platform.libc_ver()[1],
             "gcc": measure.version("gcc", "-dumpfullversion"),
             "valgrind": measure.version("valgrind", "--version")}
    found = {name: re.search(r"\d+(\.\d+)?", text)[0]
             for name, text in found.items()}
    has_avx2 = " avx2 " in read("/proc/cpuinfo")
    found["machine"] = platform.machine() + (" avx2" if has_avx2 else "")
    return found


# --- the judgement -----------------------------------------------------------

class Check:
    """One figure of one kind. `rows` are (what, before, now) of what is too
    much."""

    def __init__(self, kind, figure, before, now):
        self.kind, self.figure, self.rows = kind, figure, []
        self.before, self.now = total(before), total(now)
        if before is None or now is None or is_more(
                self.before, self.now, LIMITS[figure], figure == "pages"):
            self.rows.append((figure, self.before, self.now))
        elif figure == "system calls":
            self.rows += [
                (name, before.get(name, 0), count)
                for name, count in now.items()
                if is_more(before.get(name, 0) + CALLS_SPARE, count, 0) and
                is_more(before.get(name, 0), count, LIMITS[figure])]


def total(value):
    return round(sum(value.values()), 2) if isinstance(value, dict) else value


def is_more(before, now, percent, also_less=False):
    return now > before * (1 + percent / 100) or (also_less and now < before)


def checks(before, now):
    """Every figure of every kind that either has."""
    return [Check(kind, figure, *(of["kinds"].get(kind, {}).get(figure)
                                  for of in (before, now)))
            for kind in {**before["kinds"], **now["kinds"]}
            for figure in LIMITS]


def shown(value):
    if value is None:
        return "missing"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def row_of(kind, what, before, now):
    change = f"{100 * (now / before - 1):+.1f} %" if before and now else ""
    return [kind, what, shown(before), shown(now), change]


def table(title, head, rows):
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    print(f"\n{title}\n")
    for row in [head] + rows:
        print("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))))


def tell_calls(now):
    kinds = list(now["kinds"])
    calls = [now["kinds"][kind].get("system calls", {}) for kind in kinds]
    names = sorted({name for of in calls for name in of},
                   key=lambda name: -sum(of.get(name, 0) for of in calls))
    table("system calls a page, by name", ["", ""] + kinds, [
        [name, ""] + [shown(of[name]) if name in of else "" for of in calls]
        for name in names if any(of.get(name, 0) >= 0.05 for of in calls)])


def reasons(before, now):
    """Why a figure is not judged, for each that is not."""
    others = [f"{name} {version}, not {before['made with'].get(name)}"
              for name, version in now["made with"].items()
              if before["made with"].get(name) != version]
    if others:
        why = f"{FILE} was made with others: {', '.join(others)}"
        return {figure: why for figure in LIMITS}
    return now.get("left out", {})


def compare(before, now):
    """Tell all figures, what is not judged, what is wrong. The exit status."""
    head = ["", "a page", "before", "now", "change"]
    all_checks, why = checks(before, now), reasons(before, now)
    skipped = [check for check in all_checks if check.figure in why]
    failed = [check for check in all_checks
              if check.rows and check not in skipped]
    tell_calls(now)
    table("what a page costs", head, [
        row_of(check.kind, check.figure, check.before, check.now)
        for check in all_checks])
    for reason in dict.fromkeys(why.values()):
        print(f"\nskipped: {reason}")
        for check in skipped:
            if why[check.figure] == reason:
                print(f"    {check.kind}: {check.figure}")
    if failed:
        table("FAILED", head, [row_of(check.kind, *row) for check in failed
                               for row in check.rows])
        print("\nA change that has a reason to cost more says why, and has the "
              f"new\n{FILE} in it: make guard GUARD=update")
    print(f"\n{len(all_checks) - len(failed) - len(skipped)} passed, "
          f"{len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed else 0


def main(arguments):
    if arguments[:1] == ["--compare"] and len(arguments) == 3:
        return compare(*(json.loads(read(path)) for path in arguments[1:]))
    update, out = arguments[:1] == ["--update"], arguments[-1:]
    if len(arguments) != 1 + update or out[0].startswith("-"):
        sys.exit(__doc__)
    started = time.monotonic()
    now = measured(out[0])
    print(f"measured in {time.monotonic() - started:.0f} s")
    before = now if update else json.loads(read(FILE))
    if update:
        sites.json_file(FILE, now)
    return compare(before, now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
