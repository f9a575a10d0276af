#!/usr/bin/env python3
"""Run a fleet on loopback, hurt it, and have tools/fleet-check judge it.

    run_fleet.py [OPTION...] WORK_FOLDER

The engine is the PostgreSQL of tests/cli/postgres.bash, whose variables must be
in the environment (POSTGRES_HOME and so on). Every machine has a relay of its
own before it (tests/cli/relay.py). The web is the playground's.

    --machines N      (3)
    --order ORDER     bfs or priority (bfs)
    --hosts N, --pages N, --delay MS, --ip-delay MS
                      the web and its pauses (60, 600, 200, 50)
    --partitions N, --lease TIME
                      of the fleet (16, 3s)
    --script TEXT     faults by the clock, "SECONDS:FAULT[:MACHINE[:SECONDS]]",
                      separated by blanks: "1:kill:2 3:stop:1:6 5:away::3"
    --chaos SECONDS   random faults for so long, besides
    --faults TEXT     ... of these kinds ("kill kill stop cut lose term")
    --every SECONDS   ... so often on average (1.5)
    --seed N          of the dice and of the web (1)
    --option TEXT     one more for every crawler; may be repeated
    --name NAME       of the crawl in the engine (crawl)
    --patroni URL     the engine is the servers of tests/fleet/patroni.bash, and
                      there are no relays
    --limit SECONDS   what takes longer hangs (300)

Faults of a machine: kill (-9; it is started again after a while), term (the
same, with SIGTERM), stop (SIGSTOP for so long), cut (no network to the engine
for so long), drop (its connections are closed), lose (the answer of its next
commit is lost). Faults of the engine: away (shut down for so long), freeze (it
answers nobody for so long), crash (killed and started again at once), keep and
back (it is set back to what it held at keep), leader (Patroni's leader is lost,
and boots again after so long).

Exit status 0 if the fleet did its work whatever happened, 1 if it did not.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINE_FAULTS = ("kill", "term", "stop", "cut", "drop", "lose")
AGAIN_PER_FAULT = 1000  # pages of two commits


def program(name):
    return os.environ.get(name.upper(), os.path.join(PROJECT, name))


class Machine:
    def __init__(self, number, fleet):
        self.number, self.fleet = number, fleet
        self.directory = os.path.join(fleet.work, "m%d" % number)
        os.makedirs(self.directory)
        self.relay, self.url = None, fleet.options.patroni
        if not self.url:
            self.start_relay()
        self.log = open(os.path.join(fleet.work, "m%d.err" % number), "ab")
        self.process, self.start_at, self.stopped, self.cut_until = None, 0, 0, 0
        self.killed, self.exits = False, []

    def start_relay(self):
        self.relay = subprocess.Popen(
            [sys.executable, os.path.join(PROJECT, "tests/cli/relay.py")]
            + ["--only", "COMMIT", os.environ["POSTGRES_PORT"]],
            stdout=subprocess.PIPE,
            text=True,
        )
        port = int(self.relay.stdout.readline().rsplit(":", 1)[1])
        self.url = "postgres://crawl@127.0.0.1:%d/crawl" % port

    def start(self):
        options = self.fleet.options
        self.start_at, self.killed = None, False
        command = [program("crawler"), "--fleet", self.url, "--name", options.name]
        command += ["--lease", options.lease, "--partitions", str(options.partitions)]
        command += ["-U", "crawler/%d" % self.number, "--log", "none"]
        command += ["--scope", "any", "--order", options.order, "--robots", "obey"]
        command += ["--delay", "%dms" % options.delay]
        command += ["--ip-delay", "%dms" % options.ip_delay, "--threads", "1"]
        command += self.fleet.connect_to + options.option
        command += ["http://d0.example/", self.directory, "1000"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def hurt(self, fault, seconds):
        now = time.monotonic()
        if fault in ("kill", "term"):
            self.wake()
            self.killed = fault == "kill"
            self.process.send_signal(
                signal.SIGKILL if self.killed else signal.SIGTERM
            )
        elif fault == "stop":
            self.process.send_signal(signal.SIGSTOP)
            self.stopped = now + seconds
        elif fault == "cut":
            self.relay.send_signal(signal.SIGSTOP)
            self.cut_until = now + seconds
        elif fault == "drop":
            self.relay.send_signal(signal.SIGUSR1)
        elif fault == "lose":
            self.relay.send_signal(signal.SIGUSR2)

    def wake(self):
        if self.stopped and self.is_running():
            self.process.send_signal(signal.SIGCONT)
        self.stopped = 0

    def mend(self, now):
        """What lasted long enough ends."""
        if self.stopped and self.stopped <= now:
            self.wake()
        if self.cut_until and self.cut_until <= now:
            self.relay.send_signal(signal.SIGCONT)
            self.cut_until = 0

    def look(self, now, dice):
        """Has it ended? It is started again, unless it saw the end."""
        if self.process is None or self.is_running():
            return
        status, self.process = self.process.returncode, None
        if not self.killed:
            self.exits.append(status)
        self.stopped = 0
        if status != 0:
            self.start_at = now + dice.uniform(0, 4)
        if status not in (0, 3) and not self.killed:
            self.fleet.say("machine %d ended with %d" % (self.number, status))
            self.fleet.failed = True

    def end(self):
        if self.is_running():
            self.wake()
            self.process.kill()
            self.process.wait()
        if not self.relay:
            return 0
        self.relay.send_signal(signal.SIGCONT)
        self.relay.terminate()
        lost = self.relay.communicate()[0]
        return int(re.search(r"(\d+) answers lost", lost).group(1))


class Fleet:
    def __init__(self, options):
        self.options, self.work = options, options.directory
        self.dice = random.Random(options.seed)
        self.began, self.failed, self.counts = time.monotonic(), False, {}
        self.web = ["--web", "fleet%d" % options.seed, "--hosts", str(options.hosts)]
        self.web += ["--pages", str(options.pages), "--skew", "30", "--size", "1500"]
        self.web += ["--flaky", "0", "--limited", "0", "--errors", "0", "--slow", "0"]
        os.makedirs(self.work, exist_ok=True)
        self.start_web()
        self.machines = [Machine(n + 1, self) for n in range(options.machines)]
        self.script = sorted(self.read_script(options.script))
        self.engine = []  # faults under way

    def say(self, text):
        print("%6.1f %s" % (time.monotonic() - self.began, text), flush=True)

    def start_web(self):
        addresses = "127.0.1.1-12:"
        self.record = os.path.join(self.work, "record")
        self.playground = subprocess.Popen(
            [program("playground"), *self.web, "--listen", addresses + "0"]
            + ["--record", self.record, "--lifetime", "%ds" % (self.options.limit * 2)],
            stdout=subprocess.PIPE,
            text=True,
        )
        port = self.playground.stdout.readline().rsplit(":", 1)[1].strip()
        rules = subprocess.run(
            [program("playground"), "connect-to", *self.web]
            + ["--listen", addresses + port],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.split()
        self.connect_to = ["--connect-to=" + rule for rule in rules]
        self.truth = os.path.join(self.work, "truth")
        with open(self.truth, "w", encoding="utf-8") as file:
            subprocess.run(
                [program("playground"), "truth", *self.web, "--scope", "any"],
                stdout=file,
                check=True,
            )

    @staticmethod
    def read_script(text):
        for item in text.split():
            at, fault, machine, seconds = (item.split(":") + ["", ""])[:4]
            yield float(at), fault, int(machine or 0), float(seconds or 0)

    # --- faults ---

    def hurt(self, fault, number, seconds):
        if fault in MACHINE_FAULTS:
            machine = self.machines[number - 1]
            if not machine.is_running() or machine.stopped or machine.cut_until:
                return
            machine.hurt(fault, seconds)
            lasts = " for %g s" % seconds if seconds else ""
            self.say("%s of machine %d%s" % (fault, number, lasts))
        else:
            self.say("engine: %s %g" % (fault, seconds))
            self.engine.append(self.engine_fault(fault, seconds))
        self.counts[fault] = self.counts.get(fault, 0) + 1

    @staticmethod
    def engine_fault(fault, seconds):
        steps = {
            "away": "postgres_pause fast; sleep %g; postgres_go_on" % seconds,
            "freeze": "postgres_freeze; sleep %g; postgres_unfreeze" % seconds,
            "crash": "postgres_pause immediate; postgres_go_on",
            "keep": "postgres_keep",
            "back": "postgres_set_back",
            "leader": "lost=$(patroni_leader); patroni_lose $lost; sleep %g;"
            " patroni_return $lost; patroni_wait patroni_is_whole" % seconds,
        }[fault]
        return subprocess.Popen(
            ["bash", "-c", 'source "$1"; source "$2"; ' + steps, "-"]
            + [os.path.join(PROJECT, "tests/cli/postgres.bash")]
            + [os.path.join(PROJECT, "tests/fleet/patroni.bash")],
            stdin=subprocess.DEVNULL,
        )

    def random_fault(self):
        running = [m.number for m in self.machines if m.is_running()]
        if not running:
            return
        fault = self.dice.choice(self.options.faults.split())
        seconds = {"stop": (0.5, 2, 5, 8), "cut": (0.5, 2, 6, 8)}.get(fault, (0,))
        if fault not in MACHINE_FAULTS:
            seconds = (1, 3, 6)
        self.hurt(fault, self.dice.choice(running), self.dice.choice(seconds))

    # --- the crawl ---

    def step(self, now):
        for machine in self.machines:
            machine.mend(now)
            machine.look(now, self.dice)
            if machine.process is None and machine.start_at is not None:
                if machine.start_at <= now:
                    machine.start()
        self.engine = [process for process in self.engine if process.poll() is None]

    def is_due(self, fault, now):
        """Where the machines are slow to begin, there is nothing to keep yet."""
        if fault[1] == "keep" and not any(
            name.isdigit() for m in self.machines for name in os.listdir(m.directory)
        ):
            return False
        return self.began + fault[0] <= now

    def begin(self):
        """The clock of the faults begins when all machines have found the engine:
        one that is new does not wait for an engine that is away."""
        while time.monotonic() < self.began + self.options.limit and not all(
            os.path.exists(os.path.join(m.directory, ".crawler")) for m in self.machines
        ):
            self.step(time.monotonic())
            time.sleep(0.02)
        self.began = time.monotonic()

    def run(self):
        self.begin()
        next_fault = self.began + 1.5
        chaos_end = self.began + self.options.chaos
        while True:
            now = time.monotonic()
            self.step(now)
            if all(m.process is None and m.start_at is None for m in self.machines):
                return
            if now > self.began + self.options.limit:
                self.say("it hangs")
                self.failed = True
                return
            while self.script and not self.engine and self.is_due(self.script[0], now):
                self.hurt(*self.script.pop(0)[1:])
            if next_fault <= now < chaos_end and not self.engine:
                next_fault = now + self.dice.uniform(0, 2 * self.options.every)
                self.random_fault()
            time.sleep(0.02)

    def end(self):
        for process in self.engine:
            process.wait()
        self.lost = sum(machine.end() for machine in self.machines)
        self.playground.terminate()
        if self.playground.wait():
            self.failed = True
        self.say("faults: %s; %d answers lost" % (self.counts, self.lost))
        for left in self.script:
            self.say("it ended before the fault %s" % (left,))
            self.failed = True

    def judge(self):
        options, faults = self.options, sum(self.counts.values())
        exits = [status for m in self.machines for status in m.exits]
        command = [os.path.join(PROJECT, "tools/fleet-check"), "--truth", self.truth]
        command += ["--order", options.order, "--record", self.record]
        command += ["--name", options.name, "--per-host", "1"]
        command += ["--host-pause", str(options.delay)]
        command += ["--address-pause", str(options.ip_delay)]
        command += ["--again", str(faults * AGAIN_PER_FAULT)]
        command += ["--exits", " ".join(str(status) for status in exits)]
        if "back" in self.counts:
            command.append("--set-back")
        command.append(
            options.patroni
            or "postgres://crawl@127.0.0.1:%s/crawl" % os.environ["POSTGRES_PORT"]
        )
        command += [machine.directory for machine in self.machines]
        environment = dict(os.environ)
        environment["PATH"] = os.environ["POSTGRES_BIN"] + ":" + os.environ["PATH"]
        return subprocess.run(command, env=environment).returncode == 0


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("directory")
    for name, value in (
        ("machines", 3),
        ("hosts", 60),
        ("pages", 600),
        ("delay", 200),
        ("ip-delay", 50),
        ("partitions", 16),
        ("chaos", 0),
        ("seed", 1),
        ("limit", 300),
    ):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--every", type=float, default=1.5)
    parser.add_argument("--order", default="bfs")
    parser.add_argument("--lease", default="3s")
    parser.add_argument("--script", default="")
    parser.add_argument("--faults", default="kill kill stop cut lose term")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--name", default="crawl")
    parser.add_argument("--patroni", default="")
    return parser.parse_args()


def main():
    fleet = Fleet(arguments())
    try:
        fleet.run()
    finally:
        fleet.end()
    good = fleet.judge() and not fleet.failed
    print("good" if good else "BROKEN: see " + fleet.work)
    return 0 if good else 1


sys.exit(main())
