"""Names that take time: one page of each of many hosts, whose name server
answers after a while; asked itself, and by a dnsmasq or an unbound between, each
as Debian makes it. Names a second by the wall clock, what a host costs, and which
share of the questions was sent in vain.

wget2 is left out: it takes the system's name server and no other."""

import os
import shutil
import subprocess
import time

import measure
import sites

DELAY = "50ms"
ROUNDS = 3
ADDRESSES = "127.0.1.1-200"   # so that no limit for an address decides


BETWEEN = {
    "dnsmasq": ("dnsmasq -k --log-facility=- -C", "query[", """
port={port}
listen-address=127.0.0.53
bind-interfaces
no-resolv
no-hosts
user=root
server=127.0.0.1#{upstream}
log-queries
"""),
    "unbound": ("unbound -d -c", " IN\n", """
server:
    interface: 127.0.0.53
    port: {port}
    access-control: 127.0.0.0/8 allow
    do-daemonize: no
    username: ""
    chroot: ""
    directory: "{folder}"
    pidfile: ""
    use-syslog: no
    log-queries: yes
    do-not-query-localhost: no
forward-zone:
    name: .
    forward-addr: 127.0.0.1@{upstream}
"""),
}


def can_serve_names(playground):
    told = subprocess.run([playground, "--help"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False).stdout
    return b"--dns-delay" in told


def write_seeds(playground, web, scratch):
    told = subprocess.run([playground, "hosts"] + web, check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    hosts = [line.split("\t")[0] for line in told.splitlines()]
    path = scratch.path("seeds")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"http://{host}/\n" for host in hosts)
    return path


class Web:
    """The synthetic web, and a name server for its hosts."""

    def __init__(self, playground, web, record):
        self.record = record
        self.server = subprocess.Popen(
            [playground] + web + ["--listen", f"{ADDRESSES}:{sites.a_port()}",
                                  "--dns", "0", "--dns-delay", DELAY,
                                  "--dns-record", record,
                                  "--lifetime", "1h"], stdout=subprocess.PIPE)
        self.port = self.name_server = None
        while not self.name_server:
            line = self.server.stdout.readline().decode().strip()
            if line.startswith("listening on"):
                self.port = line.rsplit(":", 1)[1]
            elif line.startswith("name server on"):
                self.name_server = line.rsplit(" ", 1)[1]
            else:
                raise LookupError("names: the playground says " + repr(line))

    def questions(self):
        """How many different ones it was asked, and how many in all."""
        with open(self.record, encoding="utf-8") as file:
            asked = [tuple(line.split("\t")[3:5]) for line in file][1:]
        return len(set(asked)), len(asked)

    def stop(self):
        self.server.terminate()
        self.server.wait()


class Between:
    """A name server of others that asks ours."""

    def __init__(self, kind, web, scratch):
        command, self.mark, configuration = BETWEEN[kind]
        self.port = sites.a_port()
        self.name_server = f"127.0.0.53:{self.port}"
        self.log = scratch.path("log")
        path = scratch.path("configuration")
        with open(path, "w", encoding="utf-8") as file:
            file.write(configuration.format(
                port=self.port, folder=os.path.dirname(path),
                upstream=web.name_server.rsplit(":", 1)[1]))
        with open(self.log, "wb") as log:
            self.server = subprocess.Popen(command.split() + [path], stdout=log,
                                           stderr=log)
        while self.socket() is None and self.server.poll() is None:
            time.sleep(0.02)

    def socket(self):
        """How many datagrams its socket's buffer had no room for; None while
        it is not there."""
        with open("/proc/net/udp", encoding="ascii") as file:
            found = [line.split() for line in file
                     if f":{self.port:04X} " in line]
        return sum(int(words[-1]) for words in found) if found else None

    def sent(self):
        with open(self.log, encoding="utf-8") as file:
            return sum(self.mark in line for line in file) + self.socket()

    def stop(self):
        self.server.terminate()
        self.server.wait()


def crawl(out, web, name_server, seeds, hosts, scratch):
    folder = scratch.empty()
    got = measure.run(out, scratch, [
        os.path.join(out, "crawler"), "-q", "--dns-servers", name_server,
        "--connect-to", f":::{web.port}", "--allow-private", "--scope", "host",
        "--robots", "ignore", "--order", "priority", "--delay", "1s",
        "--ip-delay", "1ms", "--per-host", "200", "--workers", "200", "--seeds",
        seeds, folder, "0"])
    del got["output"]
    pages = sum(entry.name.isdigit() for entry in os.scandir(folder))
    got.update(hosts=hosts, pages=pages, missing=hosts - pages,
               names_per_s=hosts / got["wall_s"],
               pages_per_cpu_s=pages / got["cpu_s"])
    return got


def measure_once(out, kind, hosts, scratch):
    """A crawl with servers that know nothing yet."""
    playground = os.path.join(out, "playground")
    options = ["--web", "names", "--hosts", str(hosts), "--pages", str(hosts),
               "--skew", "0", "--slow", "0", "--errors", "0", "--flaky", "0",
               "--limited", "0"]
    seeds = write_seeds(playground, options, scratch)
    web = Web(playground, options, scratch.path("record"))
    between = None
    try:
        if kind in BETWEEN:
            between = Between(kind, web, scratch)
        server = between or web
        got = crawl(out, web, server.name_server, seeds, hosts, scratch)
        needed, sent = web.questions()
        if between:
            sent = between.sent()
        got.update(needed=needed, sent=sent)
        return got
    finally:
        if between:
            between.stop()
        web.stop()


def row(kind, runs):
    def middle(key, form):
        return format(measure.median([run[key] for run in runs]), form)

    rates = [run["names_per_s"] for run in runs]
    vain = [100 * (run["sent"] / run["needed"] - 1) for run in runs]
    return [kind, f"{runs[0]['hosts']:,}", middle("names_per_s", ",.0f"),
            f"{min(rates):,.0f} - {max(rates):,.0f}", middle("wall_s", ".1f"),
            f"{min(vain):.1f} - {max(vain):.1f} %", middle("cpu_s", ".2f"),
            middle("peak_mb", ".0f"), str(max(run["missing"] for run in runs)),
            str(len(runs))]


def run(out, scratch, quick, say):
    if not can_serve_names(os.path.join(out, "playground")):
        say.line("left out: names: the playground has no name server (--dns)")
        return {}
    all_runs = {}
    for kind, hosts in (("itself", 1000 if quick else 10000),
                        ("dnsmasq", 2000), ("unbound", 2000)):
        if kind in BETWEEN and not shutil.which(kind):
            say.line(f"left out: names: {kind}")
            continue
        all_runs[kind] = [measure_once(out, kind, hosts, scratch)
                          for _ in range(ROUNDS)]
    say.table(f"names: one page of each host, {DELAY} for a name; asked is the "
              "name server itself, or one between", [
                  "asked", "hosts", "names/s", "from - to", "wall s",
                  "sent in vain", "CPU s", "peak MB", "missing", "runs"],
              [row(kind, runs) for kind, runs in all_runs.items()])
    return {"runs": all_runs, "delay": DELAY}
