"""A trust store and a table of hosts as the system has them, and ours beside:
seen by this process and its children only, in a mount namespace of its own.

The crawler and its peers are so measured with the system's certificates, as
users have them; the machine's own files are never written."""

import os
import shutil
import subprocess
import sys

INSIDE = "BENCH_PRIVATE_MOUNTS"
HOME = "build/bench/tls"
STORE, HOSTS = "/etc/ssl/certs", "/etc/hosts"


def enter():
    """Start this program again in such a namespace, if that is possible."""
    unshare = ["unshare", "--mount", "--propagation", "private"]
    if os.getuid() != 0:
        unshare[1:1] = ["--user", "--map-root-user"]
    works = shutil.which("unshare") and not subprocess.run(
        unshare + ["true"], stderr=subprocess.DEVNULL, check=False).returncode
    if INSIDE not in os.environ and works:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", unshare + [sys.executable] + sys.argv)


def openssl(*command):
    subprocess.run(("openssl",) + command, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def path(name):
    return os.path.abspath(os.path.join(HOME, name))


def make_ca():
    if not os.path.exists(path("ca.pem")):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
                "3650", "-subj", "/CN=crawler bench CA", "-keyout",
                path("ca.key"), "-out", path("ca.pem"))


def make_certificate(host):
    """One file with the key and the certificate of a host (P-256)."""
    pem, temporary = path(host + ".pem"), path("new.pem")
    if os.path.exists(pem):
        return pem
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-days", "3650", "-subj",
            "/CN=" + host, "-addext", "subjectAltName=DNS:" + host, "-addext",
            "basicConstraints=critical,CA:FALSE", "-CA", path("ca.pem"),
            "-CAkey", path("ca.key"), "-keyout", temporary, "-out",
            path("new.crt"))
    with open(temporary, "a", encoding="utf-8") as to, \
            open(path("new.crt"), encoding="utf-8") as certificate:
        to.write(certificate.read())
    os.rename(temporary, pem)
    return pem


def bind(copy, place):
    subprocess.run(["mount", "--bind", copy, place], check=True)


def trust(scratch):
    """Add our CA to the system's trust store: to the file of all certificates,
    and to the folder under the hash of its name."""
    store = scratch.path("certs")
    shutil.copytree(STORE, store, symlinks=True)
    name = subprocess.run(
        ["openssl", "x509", "-noout", "-hash", "-in", path("ca.pem")],
        check=True, stdout=subprocess.PIPE).stdout.decode().strip()
    shutil.copy(path("ca.pem"), os.path.join(store, name + ".0"))
    with open(os.path.join(store, "ca-certificates.crt"), "a",
              encoding="utf-8") as file, \
            open(path("ca.pem"), encoding="utf-8") as ours:
        file.write(ours.read())
    bind(store, STORE)


def name_hosts(scratch, addresses):
    """Add names, each with its address, to the table of hosts."""
    table = scratch.path("hosts")
    shutil.copy(HOSTS, table)
    with open(table, "a", encoding="utf-8") as file:
        file.writelines(f"{address} {host}\n"
                        for host, address in addresses.items())
    bind(table, HOSTS)


def prepare(scratch, addresses):
    """Certificates for these hosts, the CA trusted, the names known; a
    LookupError where that cannot be done privately. The certificates' files."""
    if INSIDE not in os.environ:
        raise LookupError("https: no mount namespace of its own (unshare)")
    if not shutil.which("openssl"):
        raise LookupError("https: no openssl")
    os.makedirs(HOME, exist_ok=True)
    make_ca()
    files = {host: make_certificate(host) for host in addresses}
    trust(scratch)
    name_hosts(scratch, addresses)
    return files
