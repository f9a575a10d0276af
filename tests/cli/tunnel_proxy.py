"""A proxy that answers for every server: tunnel_proxy.py REQUESTS

It prints its port. It speaks HTTP (CONNECT and plain) and SOCKS5, and notes the
first line of each request in the file, "CONNECT ..." and "SOCKS" too. Every
page is "here". It ends after ten minutes at the latest.
"""
import signal
import socketserver
import sys


class Proxy(socketserver.StreamRequestHandler):
    def note(self, line):
        with open(sys.argv[1], "a", encoding="latin-1") as requests:
            requests.write(line + "\n")

    def socks(self):
        methods = self.rfile.read(1)[0]
        self.rfile.read(methods)
        self.wfile.write(b"\x05\x00")
        kind = self.rfile.read(4)[3]
        length = self.rfile.read(1)[0] if kind == 3 else {1: 4, 4: 16}[kind]
        self.rfile.read(length + 2)
        self.note("SOCKS")
        self.wfile.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")

    def handle(self):
        first = self.rfile.peek(1)[:1]
        if first == b"\x05":
            self.rfile.read(1)
            self.socks()
        while line := self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            self.note(line.decode("latin-1").strip())
            if line.startswith(b"CONNECT "):
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                                 b"Content-Length: 4\r\n\r\nhere")


signal.alarm(600)
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Proxy) as server:
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()
