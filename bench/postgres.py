"""A PostgreSQL of a measurement's own, and what CPU time it takes."""

import os
import subprocess

POSTGRES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../tests/cli/postgres.bash")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")

# What a process of the server is called in its command line.
KINDS = (("autovacuum", "autovacuum"), ("checkpointer", "checkpointer"),
         ("background writer", "background writer"),
         ("walwriter", "walwriter"), ("127.0.0.1(", "connections"),
         ("[local]", "questions"))


class Cpu:
    """CPU seconds by kind of process. `questions` are those of the measurement
    itself, and no part of the sum."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __sub__(self, before):
        return Cpu({kind: s - before.seconds.get(kind, 0)
                    for kind, s in self.seconds.items()})

    def total(self):
        return sum(s for kind, s in self.seconds.items() if kind != "questions")

    def told(self, pages):
        """Microseconds a page, the dearest first."""
        us = sorted(((1e6 * s / pages, kind)
                     for kind, s in self.seconds.items() if kind != "questions"),
                    reverse=True)
        return ", ".join(f"{kind} {value:.1f}" for value, kind in us
                         if value >= 0.05)


class Postgres:
    """A server of its own on loopback, with fsync; it ends with this program.

    Call `look` a few times a second: a process that has ended is known by what
    was seen of it last. What nobody saw of such is in the sum all the same, as
    `ended`: the kernel adds it to the server's own figures."""

    def __init__(self):
        self.shell = subprocess.Popen(
            ["bash", "-c", 'source "$1"; postgres_start on installed || '
             '{ echo "$POSTGRES_WHY"; exit 1; }; '
             'echo "$POSTGRES_PORT $POSTGRES_HOME $POSTGRES_BIN"; '
             "read -r; postgres_stop", "-", POSTGRES],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = self.shell.stdout.readline().strip()
        if not told.split(" ")[0].isdigit():
            raise LookupError(told or "PostgreSQL does not start")
        port, self.home, self.bin = told.split(" ")
        self.url = f"postgres://crawl@127.0.0.1:{port}/crawl"
        with open(f"{self.home}/data/postmaster.pid", encoding="utf-8") as file:
            self.server = int(file.readline())
        self.seen = {}  # by process: its kind and CPU seconds

        # One connection for all questions, by the socket, so that it can be
        # told from those of the crawlers.
        self.psql = subprocess.Popen(
            [os.path.join(self.bin, "psql"), "-XqAt", "-h", self.home, "-p",
             port, "-U", "crawl", "-d", "crawl"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        # Helpers of a question would be counted as the server's own.
        self.sql("SET max_parallel_workers_per_gather = 0")
        self.version = self.sql("SHOW server_version")

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

    def numbers(self, text):
        """The first row of the answer."""
        return [int(word or 0) for word in self.sql(text).split("|")]

    # --- CPU time ----------------------------------------------------------

    @staticmethod
    def _stat(pid):
        """From the state of the process on: /proc/PID/stat, proc(5)."""
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(") ", 1)[1].split()

    @staticmethod
    def _kind(pid):
        with open(f"/proc/{pid}/cmdline", encoding="utf-8",
                  errors="replace") as file:
            title = file.read()
        for word, kind in KINDS:
            if word in title:
                return kind
        return "others"

    def _children(self):
        with open(f"/proc/{self.server}/task/{self.server}/children",
                  encoding="utf-8") as file:
            return file.read().split()

    def look(self):
        """Note what each process of the server has used so far."""
        for pid in self._children():
            try:
                with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
                    seconds = int(file.read().split()[0]) / 1e9
                self.seen[pid] = (self._kind(pid), seconds)
            except OSError:
                continue  # it has ended

    def cpu(self):
        """All that the server has used so far."""
        self.look()
        user, system, ended_user, ended_system = map(
            int, self._stat(self.server)[11:15])
        ended_s = (ended_user + ended_system) / TICKS_PER_S
        seconds = {"server": (user + system) / TICKS_PER_S}
        for pid, (kind, used_s) in self.seen.items():
            seconds[kind] = seconds.get(kind, 0) + used_s
            if not os.path.exists(f"/proc/{pid}"):
                ended_s -= used_s
        seconds["ended"] = ended_s
        return Cpu(seconds)
