"""The sites: Debian packages of documentation, served by nginx on loopback."""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import time
import urllib.parse
import urllib.request

PACKAGES = {
    "cppreference": ["cppreference-doc-en-html"],
    "openjdk-17": ["openjdk-17-doc"],
    "fp-docs": ["fp-docs-3.2.2"],
}
PLACES = {
    "cppreference": ("usr/share/cppreference/doc/html", "/en/index.html"),
    "openjdk-17": ("usr/share/doc/openjdk-17-jre-headless/api", "/index.html"),
    "fp-docs": ("usr/share/doc/fp-docs/3.2.2", "/fpctoc.html"),
}
NGINX = """
daemon off;
master_process off;
pid {home}/nginx.pid;
error_log {home}/nginx.err;
events {{ worker_connections 1024; }}
http {{
    types {{ text/html html htm; }}
    access_log off;
    sendfile on;
    keepalive_requests 1000000;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    server {{ listen 127.0.0.1:{port}; root {root}; absolute_redirect off; }}
}}
"""


def corpus(package):
    """The folder of a package's files, or None."""
    got = subprocess.run(["tools/get-corpus", package], check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return got.stdout.decode().strip() if got.returncode == 0 else None


def plain(path):
    """A path without escapes, as a file system has it."""
    return urllib.parse.unquote(path).lstrip("/")


class Site:
    """A site that is being served: `start` is its first URL, `truth` the set of
    paths that must be found, or None where the conformance data is missing."""

    def __init__(self, name, scratch):
        self.name = name
        folder = corpus(PACKAGES[name][0])
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not folder or not program:
            raise LookupError(f"{name}: no package or no nginx")
        root, start = PLACES[name]
        self.port = random.randrange(12000, 32000)
        self.base = f"http://127.0.0.1:{self.port}"
        self.start = self.base + start
        conf = scratch.path("nginx.conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(NGINX.format(home=scratch.home, port=self.port,
                                    root=os.path.join(folder, root)))
        self.server = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", program, "-p", scratch.home,
             "-e", scratch.path("nginx.err"), "-c", conf])
        self.wait()
        self.truth = self.read_truth()

    def wait(self):
        for _ in range(100):
            try:
                urllib.request.urlopen(self.start).close()
                return
            except OSError:
                time.sleep(0.1)
        raise LookupError(f"{self.name}: nginx does not answer")

    def read_truth(self):
        data = os.path.join(
            os.environ.get("CONFORMANCE", "../shared/conformance"), "corpora",
            self.name + ".reachable.txt.gz")
        if not os.access(data, os.R_OK):
            return None
        with gzip.open(data, "rt") as file:
            return {plain(line.strip()) for line in file}

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        self.server.wait()


def json_file(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, sort_keys=True)
