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
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
    types {{ text/html html htm; text/plain txt; }}
    # A line for each request: the number of its connection, whether its TLS
    # session was resumed ('r'), its host.
    log_format short '$connection $ssl_session_reused $host';
    access_log {log};
    sendfile on;
    keepalive_requests 1000000;
    absolute_redirect off;
    server_names_hash_max_size 65536;
    server_names_hash_bucket_size 128;
    ssl_protocols TLSv1.3;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    {servers}
}}
"""
ONE = "server {{ listen 127.0.0.1:{port}; root {root}; {more} }}"
ONE_TLS = """server {{ listen {address}:{port} ssl; root {root};
    ssl_certificate {pem}; ssl_certificate_key {pem}; }}"""


def corpus(package):
    """The folder of a package's files, or None."""
    got = subprocess.run(["tools/get-corpus", package], check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return got.stdout.decode().strip() if got.returncode == 0 else None


def plain(path):
    """A path without escapes, as a file system has it."""
    return urllib.parse.unquote(path).lstrip("/")


class Nginx:
    """nginx with these server blocks; it has answered for `probe`. With `logs`
    it writes down its requests, for `connections`."""

    def __init__(self, scratch, servers, probe, logs=False):
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            raise LookupError("no nginx")
        conf, self.log = scratch.path("nginx.conf"), scratch.path("nginx.log")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(NGINX.format(home=scratch.home, servers=servers, log=(
                f"{self.log} short buffer=64k flush=1s" if logs else "off")))
        self.server = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", program, "-p", scratch.home,
             "-e", scratch.path("nginx.err"), "-c", conf])
        for _ in range(100):
            try:
                urllib.request.urlopen(probe).close()
                break
            except OSError:
                time.sleep(0.1)
        else:
            self.stop()
            raise LookupError("nginx does not answer for " + probe)
        self.read = 0
        self.connections()

    def connections(self):
        """Since this was asked last: how many connections were used, and how
        many of them resumed a TLS session."""
        if not os.path.exists(self.log):
            return None
        time.sleep(1.2)
        with open(self.log, encoding="utf-8") as file:
            file.seek(self.read)
            lines = [line.split() for line in file]
            self.read = file.tell()
        return {"requests": len(lines),
                "connections": len({line[0] for line in lines}),
                "resumed": len({line[0] for line in lines if line[1] == "r"})}

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        self.server.wait()


def a_port():
    return random.randrange(12000, 32000)


class Site(Nginx):
    """A site that is being served: `start` is its first URL, `truth` the set of
    paths that must be found, or None where the conformance data is missing.
    With `tls` (a host name, its address, its certificate) it is https; `more`
    are further lines of its server block, for plain http."""

    def __init__(self, name, scratch, tls=None, more=""):
        self.name = name
        folder = corpus(PACKAGES[name][0])
        if not folder:
            raise LookupError(f"{name}: no package")
        root, start = PLACES[name]
        port = a_port()
        root = os.path.join(folder, root)
        if tls:
            host, address, pem = tls
            self.base = f"https://{host}:{port}"
            servers = ONE_TLS.format(address=address, port=port, root=root,
                                     pem=pem)
        else:
            self.base = f"http://127.0.0.1:{port}"
            servers = ONE.format(port=port, root=root, more=more)
        self.start = self.base + start
        self.truth = self.read_truth()
        super().__init__(scratch, servers, self.start, logs=bool(tls))

    def read_truth(self):
        data = os.path.join(
            os.environ.get("CONFORMANCE", "../shared/conformance"), "corpora",
            self.name + ".reachable.txt.gz")
        if not os.access(data, os.R_OK):
            return None
        with gzip.open(data, "rt") as file:
            return {plain(line.strip()) for line in file}


def json_file(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
