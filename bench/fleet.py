"""One crawl on 1, 2 and 3 processes with one PostgreSQL: what a page costs.

The playground's synthetic web has 100,000 hosts, each of whose answers takes
100 ms, so that a process with 80 fetches at a time asks 800 times a second at
most and more processes ask more. All of them share the cores of one machine:
wall time counts only where these are not busy, CPU time does anyway.

A crawl is not measured from its beginning to its end but for a while in its
middle, when all machines have their partitions and know many hosts: making the
tables, joining, the first hosts and the last ones are no part of it. Whether a
fleet finds everything is for tests/fleet to say.
"""

import os
import signal
import subprocess
import time

import measure
import postgres

HOSTS = 100_000
PAGES = 4_000_000  # more than there is time for
SEEDS = 200
AT_ONCE = 80
SLOW_MS = 100
PROCESSES = (1, 2, 3)
ROUNDS = 3
WARM_S, MEASURED_S = 20, 60
WARM_QUICK_S, MEASURED_QUICK_S = 10, 20
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
WANTED = {"speed_of_3": 2.5, "cpu_more_than_alone": 0.15}


class Web:
    """One for all crawls."""

    def __init__(self, playground, scratch):
        options = ["--web", "fleet", "--hosts", str(HOSTS), "--pages",
                   str(PAGES), "--skew", "0", "--slow", "100%", "--slow-time",
                   f"{SLOW_MS}ms", "--errors", "0", "--flaky", "0", "--limited",
                   "0", "--rules", "0"]
        told = subprocess.run([playground, "hosts"] + options, check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        self.seeds = scratch.path("seeds")
        with open(self.seeds, "w", encoding="utf-8") as file:
            for line in told.splitlines()[:SEEDS]:
                file.write(f"http://{line.split(chr(9))[0]}/\n")
        self.server = subprocess.Popen(
            [playground] + options + ["--lifetime", "3h"],
            stdout=subprocess.PIPE, text=True)
        self.port = self.server.stdout.readline().strip().rsplit(":", 1)[1]

    def stop(self):
        self.server.terminate()
        self.server.wait()


class Process:
    """A crawler, and what it has done so far."""

    def __init__(self, out, scratch, web, number, fleet):
        self.folder = os.path.join(scratch.path("pages"), str(number))
        os.mkdir(self.folder)
        self.process = subprocess.Popen(
            [os.path.join(out, "crawler"), "-q", "--log", "none",
             "--connect-to", f"::127.0.0.1:{web.port}", "--scope", "any",
             "--order", "priority", "--delay", "0", "--ip-delay", "0",
             "--per-host", str(AT_ONCE), "--workers", str(AT_ONCE), "--threads",
             "1", "--seeds", web.seeds] + fleet + [self.folder, "100000"])

    def look(self):
        """Pages, and CPU seconds of all its threads: proc(5)."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            ticks = file.read().rsplit(") ", 1)[1].split()[11:13]
        pages = sum(entry.name.isdigit() for entry in os.scandir(self.folder))
        return pages, sum(map(int, ticks)) / TICKS_PER_S

    def is_at_work(self):
        return self.process.poll() is None

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def watch(running, server, seconds):
    """Let them work so long."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(0.5, left))
        server.look()
        if not all(process.is_at_work() for process in running):
            raise RuntimeError("a crawler has ended")


def figures(server, name):
    """Of the fleet so far: commits, segments, their bytes, mails."""
    return server.numbers(
        f"SELECT (SELECT sum(batch) FROM {name}.node), count(*), "
        f"sum(length(payload)), (SELECT sum(sent) FROM {name}.node WHERE "
        f"node > 0) FROM {name}.journal")


def measured(running, server, name, seconds):
    """What they did in that time."""
    before_s = time.monotonic()
    before = [process.look() for process in running]
    facts = figures(server, name) if name else []
    cpu = server.cpu()
    watch(running, server, seconds)
    cpu = server.cpu() - cpu
    after = [process.look() for process in running]
    wall_s = time.monotonic() - before_s
    each = [{"pages": b[0] - a[0], "cpu_s": b[1] - a[1]}
            for a, b in zip(before, after)]
    pages = sum(one["pages"] for one in each)
    result = {"processes": each, "pages": pages, "pages_per_s": pages / wall_s,
              "cpu_us_a_page": 1e6 * sum(p["cpu_s"] for p in each) / pages,
              "worst_us_a_page": max(1e6 * p["cpu_s"] / max(1, p["pages"])
                                     for p in each)}
    if name:
        more = [b - a for a, b in zip(facts, figures(server, name))]
        result.update(server_us_a_page=1e6 * cpu.total() / pages,
                      server=cpu.told(pages), commits=more[0],
                      segments=more[1], journal_bytes_a_page=more[2] / pages,
                      mails=more[3])
    return result


def crawl(out, scratch, web, count, server, name, times):
    """`count` processes; 0: one without a fleet."""
    scratch.empty()
    fleet = ["--fleet", server.url, "--name", name] if count else []
    running = [Process(out, scratch, web, i, fleet)
               for i in range(max(1, count))]
    try:
        watch(running, server, times[0])
        result = measured(running, server, name if count else None, times[1])
    finally:
        for process in running:
            process.stop()
    if count:
        server.sql(f"DROP SCHEMA {name} CASCADE")
    return result


def label(count):
    return f"{count} in a fleet" if count else "alone, SQLite"


def row(count, runs):
    def of(key, form):
        values = [run[key] for run in runs if key in run]
        return format(measure.median(values), form) if values else ""

    return [label(count), of("pages", ",.0f"), of("pages_per_s", ",.0f"),
            of("cpu_us_a_page", ".0f"), of("worst_us_a_page", ".0f"),
            of("server_us_a_page", ".1f"), of("commits", ",.0f"),
            of("segments", ",.0f"), of("mails", ",.0f"),
            of("journal_bytes_a_page", ".0f"), str(len(runs))]


def run(out, scratch, quick, say):
    counts = (0,) + PROCESSES
    runs = {count: [] for count in counts}
    times = (WARM_QUICK_S, MEASURED_QUICK_S) if quick else (WARM_S, MEASURED_S)
    server = postgres.Postgres()
    web = Web(os.path.join(out, "playground"), scratch)
    try:
        for round_ in range(1 if quick else ROUNDS):
            for count in counts:
                runs[count].append(crawl(out, scratch, web, count, server,
                                         f"bench{round_}_{count}", times))
    finally:
        web.stop()
        server.stop()
    scratch.empty()
    say.table(f"a fleet: {AT_ONCE} fetches at a time in each process, answers "
              f"take {SLOW_MS} ms, {HOSTS:,} hosts; {times[1]} s of each crawl",
              ["processes", "pages", "pages/s", "us CPU a page", "of the worst",
               "server us a page", "commits", "segments", "mails",
               "journal B a page", "runs"],
              [row(count, runs[count]) for count in counts])
    speed = {c: measure.median([r["pages_per_s"] for r in runs[c]])
             for c in counts}
    cpu = {c: measure.median([r["cpu_us_a_page"] for r in runs[c]])
           for c in counts}
    worst = max(measure.median([r["worst_us_a_page"] for r in runs[c]])
                for c in PROCESSES)
    say.line(f"3 processes fetch {speed[3] / speed[1]:.2f} times the pages a "
             f"second of one (wanted: {WANTED['speed_of_3']}); a page costs at "
             f"most {100 * (worst / cpu[0] - 1):.0f} % more CPU than alone "
             f"(wanted: {100 * WANTED['cpu_more_than_alone']:.0f} %)")
    for count in PROCESSES:
        say.line(f"{label(count)}, us of the server a page: "
                 f"{runs[count][-1]['server']}")
    return {"runs": {label(count): runs[count] for count in counts},
            "speed_of_3": speed[3] / speed[1],
            "cpu_more_than_alone": worst / cpu[0] - 1, "wanted": WANTED,
            "postgres": server.version, "saved_on": scratch.file_system}
