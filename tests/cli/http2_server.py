"""A server of HTTP/2 that means no good; for hostile_http2.bats.

    http2_server.py CERTIFICATE KEY WHAT RECORD

Prints its port of 127.0.0.1, then answers each stream as WHAT says, and adds a
line with its path's number to RECORD: `flood` sends frames that are no answer
for as long as the connection lasts, `refuse` refuses the stream. Ends with its
parent, or after a minute.
"""

import os
import signal
import socket
import ssl
import struct
import sys
import threading
import time

DATA, HEADERS, RST_STREAM, SETTINGS, PING = 0, 1, 3, 4, 6
ACK, END_HEADERS = 1, 4
STATUS_200 = b"\x88"  # of the static table of HPACK


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + \
        struct.pack(">I", stream) + payload


def read(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise OSError("closed")
        data += more
    return data


def answer(connection, stream, what):
    if what == "refuse":
        connection.sendall(frame(RST_STREAM, 0, stream, struct.pack(">I", 7)))
        return
    connection.sendall(frame(HEADERS, END_HEADERS, stream, STATUS_200))
    while True:
        connection.sendall(frame(DATA, 0, stream) * 1000)


def serve(connection, context, what, record):
    try:
        connection = context.wrap_socket(connection, server_side=True)
        read(connection, 24)  # the preface
        connection.sendall(frame(SETTINGS, 0, 0))
        while True:
            head = read(connection, 9)
            read(connection, int.from_bytes(head[:3], "big"))
            if head[3] == HEADERS:
                with open(record, "a", encoding="utf-8") as file:
                    file.write(f"{time.monotonic()}\n")
                answer(connection, int.from_bytes(head[5:], "big"), what)
    except OSError:
        pass


def main():
    certificate, key, what, record = sys.argv[1:]
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.2)
    print(listener.getsockname()[1], flush=True)
    for _ in range(300):
        try:
            connection, _ = listener.accept()
            connection.settimeout(60)
            threading.Thread(target=serve, daemon=True,
                             args=(connection, context, what, record)).start()
        except socket.timeout:
            pass
        if os.getppid() != parent:
            break
    os._exit(0)


main()
