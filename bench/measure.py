"""What a program costs (bench/cost.c), and where it may save what it gets."""

import os
import shutil
import statistics
import subprocess
import tempfile
import time


def run(out, scratch, command, stdout=subprocess.DEVNULL):
    """One run: seconds of CPU and by the wall clock, peak MB, output, exit
    status."""
    told = scratch.path("cost")
    started = time.monotonic()
    done = subprocess.run([os.path.join(out, "bench/cost"), told] + command,
                          stdout=stdout, stderr=subprocess.DEVNULL, check=True)
    wall_s = time.monotonic() - started
    with open(told, encoding="utf-8") as file:
        user_us, system_us, peak_kb, status = map(int, file.read().split())
    return {
        "user_s": user_us / 1e6,
        "system_s": system_us / 1e6,
        "cpu_s": (user_us + system_us) / 1e6,
        "wall_s": wall_s,
        "peak_mb": peak_kb / 1024,
        "status": status,
        "output": (done.stdout or b"").decode(errors="replace"),
    }


def median(values):
    return statistics.median(values)


def version(*command):
    """The first line that a program says of itself, or None without it."""
    try:
        told = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False).stdout
    except OSError:
        return None
    return told.decode(errors="replace").strip().split("\n")[0]


class Scratch:
    """A folder for what is saved, empty whenever it is asked for.

    In memory where there is room, so that what is measured is the program and
    not the disk: on an ext4 without a journal, for one, a new file costs up to
    0.2 ms of CPU in the minute after others have been removed.
    """

    def __init__(self):
        place = os.environ.get("BENCH_DIR", "/dev/shm")
        if not os.access(place, os.W_OK):
            place = tempfile.gettempdir()
        self.home = tempfile.mkdtemp(prefix="crawler-bench-", dir=place)
        self.file_system = subprocess.run(
            ["stat", "-f", "-c", "%T", self.home], stdout=subprocess.PIPE,
            check=True).stdout.decode().strip()

    def path(self, name):
        return os.path.join(self.home, name)

    def empty(self):
        folder = self.path("pages")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        return folder

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)
