"""Names that take time: one page of each of many hosts, whose name server
answers after a while. Names a second by the wall clock, and what a host costs.

wget2 is left out: it takes the system's name server and no other."""

import os
import subprocess

import measure
import sites

DELAY = "50ms"
ROUNDS = 3
ADDRESSES = "127.0.1.1-200"   # so that no limit for an address decides


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

    def __init__(self, playground, web):
        self.server = subprocess.Popen(
            [playground] + web + ["--listen", f"{ADDRESSES}:{sites.a_port()}",
                                  "--dns", "0", "--dns-delay", DELAY,
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

    def stop(self):
        self.server.terminate()
        self.server.wait()


def crawl(out, crawler, web, seeds, hosts, scratch):
    folder = scratch.empty()
    got = measure.run(out, scratch, [
        crawler, "-q", "--dns-servers", web.name_server, "--connect-to",
        f":::{web.port}", "--allow-private", "--scope", "host", "--robots",
        "ignore", "--order", "priority", "--delay", "1s", "--ip-delay", "1ms",
        "--per-host", "200", "--workers", "200", "--seeds", seeds, folder, "0"])
    del got["output"]
    pages = sum(entry.name.isdigit() for entry in os.scandir(folder))
    got.update(hosts=hosts, pages=pages, missing=hosts - pages,
               names_per_s=hosts / got["wall_s"],
               pages_per_cpu_s=pages / got["cpu_s"])
    return got


def row(runs):
    def middle(key, form):
        return format(measure.median([run[key] for run in runs]), form)

    rates = [run["names_per_s"] for run in runs]
    return [f"{runs[0]['hosts']:,}", middle("names_per_s", ",.0f"),
            f"{min(rates):,.0f} - {max(rates):,.0f}", middle("wall_s", ".1f"),
            middle("cpu_s", ".2f"), middle("peak_mb", ".0f"),
            str(max(run["missing"] for run in runs)), str(len(runs))]


def run(out, scratch, quick, say):
    playground = os.path.join(out, "playground")
    hosts = 1000 if quick else 10000
    if not can_serve_names(playground):
        say.line("left out: names: the playground has no name server (--dns)")
        return {}
    web_options = ["--web", "names", "--hosts", str(hosts), "--pages",
                   str(hosts), "--skew", "0", "--slow", "0", "--errors", "0",
                   "--flaky", "0", "--limited", "0"]
    seeds = write_seeds(playground, web_options, scratch)
    web = Web(playground, web_options)
    try:
        runs = [crawl(out, os.path.join(out, "crawler"), web, seeds, hosts,
                      scratch) for _ in range(ROUNDS)]
    finally:
        web.stop()
    say.table(f"names: one page of each host, {DELAY} for a name",
              ["hosts", "names/s", "from - to", "wall s", "CPU s", "peak MB",
               "missing", "runs"], [row(runs)])
    return {"runs": runs, "delay": DELAY}
