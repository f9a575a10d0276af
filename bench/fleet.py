"""One crawl on 1, 2 and 3 processes with one PostgreSQL: what a page costs.

The playground's synthetic web has many hosts, each of whose answers takes 100
ms, so that a process with 80 fetches at a time gets 800 pages a second at most
and more processes get more. All of them share the cores of one machine: wall
time counts only where these are not busy, CPU time does anyway.
"""

import os
import subprocess
import time

import measure

HOSTS = 3000
PAGES = 36000  # 45 seconds for one process
PAGES_QUICK = 9000
SEEDS = 60
AT_ONCE = 80
SLOW_MS = 100
PROCESSES = (1, 2, 3)
ROUNDS = 3
POSTGRES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../tests/cli/postgres.bash")
WANTED = {"speed_of_3": 2.5, "cpu_more_than_alone": 0.15}


class Postgres:
    """A server of its own on loopback, with fsync; it ends with this program."""

    def __init__(self):
        self.shell = subprocess.Popen(
            ["bash", "-c", 'source "$1"; postgres_start on || '
             '{ echo "$POSTGRES_WHY"; exit 1; }; '
             'echo "$POSTGRES_PORT $POSTGRES_HOME $POSTGRES_BIN"; '
             "read -r; postgres_stop", "-", POSTGRES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = self.shell.stdout.readline().strip()
        if not told.split(" ")[0].isdigit():
            raise LookupError(told or "PostgreSQL does not start")
        port, self.home, self.bin = told.split(" ")
        self.url = f"postgres://crawl@127.0.0.1:{port}/crawl"

        # One connection for all questions: a new one costs the server as much
        # as a hundred pages.
        self.psql = subprocess.Popen(
            [os.path.join(self.bin, "psql"), "-XqAt", "-d", self.url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)

    def stop(self):
        self.psql.communicate()
        self.shell.communicate("\n")

    def sql(self, text):
        """The first line of the answer, or nothing after an error."""
        self.psql.stdin.write(f"{text};\n\\echo end\n")
        self.psql.stdin.flush()
        lines = []
        while (line := self.psql.stdout.readline().strip()) != "end":
            lines.append(line)
        return lines[0] if lines else ""

    def cpu_s(self):
        """Of all its processes, also of those that have ended."""
        with open(f"{self.home}/data/postmaster.pid", encoding="utf-8") as file:
            server = int(file.readline())
        ticks = 0
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                    stat = file.read().rsplit(") ", 1)[1].split()
            except OSError:
                continue
            if int(entry) == server:
                ticks += sum(map(int, stat[11:15]))
            elif int(stat[1]) == server:
                ticks += sum(map(int, stat[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")


class Web:
    def __init__(self, playground, pages, scratch):
        self.options = ["--web", "fleet", "--hosts", str(HOSTS), "--pages",
                        str(pages), "--skew", "0", "--slow", "100%",
                        "--slow-time", f"{SLOW_MS}ms", "--errors", "0",
                        "--flaky", "0", "--limited", "0", "--rules", "0"]
        hosts = self.told(playground, "hosts", [])[:SEEDS]
        roots = [f"http://{line.split(chr(9))[0]}/" for line in hosts]
        self.seeds = scratch.path("seeds")
        with open(self.seeds, "w", encoding="utf-8") as file:
            file.write("\n".join(roots) + "\n")
        starts = [word for root in roots for word in ("--start", root)]
        self.pages = len(self.told(playground, "truth", starts))
        self.server = subprocess.Popen(
            [playground] + self.options + ["--lifetime", "1h"],
            stdout=subprocess.PIPE, text=True)
        self.port = self.server.stdout.readline().strip().rsplit(":", 1)[1]

    def told(self, playground, what, more):
        return subprocess.run([playground, what] + self.options + more,
                              check=True, stdout=subprocess.PIPE,
                              text=True).stdout.splitlines()

    def stop(self):
        self.server.terminate()
        self.server.wait()


def command(out, web, folder, fleet):
    return [os.path.join(out, "crawler"), "-q", "--log", "none", "--connect-to",
            f"::127.0.0.1:{web.port}", "--scope", "any", "--order", "priority",
            "--delay", "0", "--ip-delay", "0", "--per-host", str(AT_ONCE),
            "--workers", str(AT_ONCE), "--threads", "1", "--seeds",
            web.seeds] + fleet + [folder, "100000"]


class Process:
    """A crawler under bench/cost."""

    def __init__(self, out, scratch, web, number, fleet):
        self.folder = os.path.join(scratch.path("pages"), str(number))
        os.mkdir(self.folder)
        self.told = scratch.path(f"cost{number}")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [os.path.join(out, "bench/cost"), self.told]
            + command(out, web, self.folder, fleet), stdout=subprocess.DEVNULL)

    def result(self):
        self.process.wait()
        with open(self.told, encoding="utf-8") as file:
            user_us, system_us, peak_kb, status = map(int, file.read().split())
        pages = sum(entry.name.isdigit() for entry in os.scandir(self.folder))
        cpu_s = (user_us + system_us) / 1e6
        return {"pages": pages, "cpu_s": cpu_s, "peak_mb": peak_kb / 1024,
                "status": status, "cpu_us_a_page": 1e6 * cpu_s / max(1, pages)}


def middle_rate(samples, pages):
    """Pages a second from a fifth to four fifths of all. They come in lumps, a
    commit at a time: of a crawl of a few seconds it is a rough figure."""
    inner = [s for s in samples if 0.2 * pages <= s[1] <= 0.8 * pages]
    if len(inner) < 2 or inner[-1][0] == inner[0][0]:
        return None
    return (inner[-1][1] - inner[0][1]) / (inner[-1][0] - inner[0][0])


def saved(postgres, scratch, name):
    """So many pages count so far; without a fleet: are there."""
    if not postgres:
        return sum(entry.name.isdigit()
                   for entry in os.scandir(os.path.join(scratch.path("pages"),
                                                        "0")))
    return int(postgres.sql(f"SELECT sum(pages) FROM {name}.node") or 0)


def crawl(out, scratch, playground, count, postgres, name, pages):
    """`count` processes; 0: one without a fleet."""
    web = Web(playground, pages, scratch)
    scratch.empty()
    before_s = postgres.cpu_s()
    fleet = ["--fleet", postgres.url, "--name", name] if count else []
    samples = []
    try:
        started = time.monotonic()
        running = [Process(out, scratch, web, i, fleet)
                   for i in range(max(1, count))]
        while any(p.process.poll() is None for p in running):
            time.sleep(0.5)
            samples.append((time.monotonic(),
                            saved(postgres if count else None, scratch, name)))
        wall_s = time.monotonic() - started
        done = [p.result() for p in running]
    finally:
        web.stop()
    pages = sum(one["pages"] for one in done)
    result = {
        "processes": done, "pages": pages, "missing": web.pages - pages,
        "wall_s": wall_s, "pages_per_s": pages / wall_s,
        "pages_per_s_in_the_middle": middle_rate(samples, pages),
        "cpu_us_a_page": 1e6 * sum(p["cpu_s"] for p in done) / pages,
    }
    if count:
        batches, journal, rows = map(int, postgres.sql(
            f"SELECT (SELECT sum(batch) FROM {name}.node), (SELECT "
            f"sum(length(payload)) FROM {name}.journal), (SELECT count(*) "
            f"FROM {name}.journal)").split("|"))
        result.update(
            server_us_a_page=1e6 * (postgres.cpu_s() - before_s) / pages,
            commits=batches, journal_bytes_a_page=journal / pages,
            segments=rows)
        postgres.sql(f"DROP SCHEMA {name} CASCADE")
    return result


def label(count):
    return f"{count} in a fleet" if count else "alone, SQLite"


def rate(run):
    return run["pages_per_s_in_the_middle"] or run["pages_per_s"]


def row(count, runs):
    def of(key, form):
        values = [run[key] for run in runs if key in run]
        return format(measure.median(values), form) if values else ""

    return [label(count), of("pages", ",.0f"),
            f"{measure.median([rate(run) for run in runs]):,.0f}",
            of("pages_per_s", ",.0f"),
            of("cpu_us_a_page", ".0f"), of("server_us_a_page", ".1f"),
            of("commits", ",.0f"), of("journal_bytes_a_page", ".0f"),
            str(max(run["missing"] for run in runs)), str(len(runs))]


def run(out, scratch, quick, say):
    playground = os.path.join(out, "playground")
    counts = (0,) + PROCESSES
    runs = {count: [] for count in counts}
    postgres = Postgres()
    try:
        for round_ in range(1 if quick else ROUNDS):
            for count in counts:
                runs[count].append(
                    crawl(out, scratch, playground, count, postgres,
                          f"bench{round_}_{count}",
                          PAGES_QUICK if quick else PAGES))
    finally:
        postgres.stop()
    scratch.empty()
    say.table(f"a fleet: {AT_ONCE} fetches at a time in each process, answers "
              f"take {SLOW_MS} ms",
              ["processes", "pages", "pages/s", "from start to end",
               "us CPU a page",
               "server us a page", "commits", "journal B a page", "missing",
               "runs"], [row(count, runs[count]) for count in counts])
    speed = {c: measure.median([rate(r) for r in runs[c]]) for c in counts}
    cpu = {c: measure.median([r["cpu_us_a_page"] for r in runs[c]])
           for c in counts}
    most = max(cpu[count] for count in PROCESSES)
    say.line(f"3 processes fetch {speed[3] / speed[1]:.2f} times the pages a "
             f"second of one (wanted: {WANTED['speed_of_3']}); a page costs at "
             f"most {100 * (most / cpu[0] - 1):.0f} % more CPU than alone "
             f"(wanted: {100 * WANTED['cpu_more_than_alone']:.0f} %)")
    return {"runs": {label(count): runs[count] for count in counts},
            "speed_of_3": speed[3] / speed[1],
            "cpu_more_than_alone": most / cpu[0] - 1, "wanted": WANTED,
            "saved_on": scratch.file_system}
