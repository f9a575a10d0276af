"""An https server that does one thing wrong, for tls_faults.bats.

tls_server.py MODE CERTIFICATE...: serve on a free port of 127.0.0.1, print the
port, and do as MODE says on every connection. CERTIFICATE is NAME for NAME.pem
and NAME.key; connection number i has the i-th of them, then the last. Every
connection has a context of its own, so no ticket of an earlier one is accepted.
One line of output for each handshake: "resumed" or "full".
"""

import os
import signal
import socket
import ssl
import sys
import threading

PAGE = b"<a href=/2.html>2</a><a href=/3.html>3</a>" + b"." * 1000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

# The answer, and whether the end of TLS is announced before the connection's.
ANSWERS = {
    "whole": (HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n%s"
              % (len(PAGE), PAGE), True),
    "length": (HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n%s"
               % (len(PAGE), PAGE), False),
    "chunked": (HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n"
                b"\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE), False),
    "short": (HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n%s"
              % (len(PAGE) + 1, PAGE), False),
    "short-chunk": (HEAD + b"Transfer-Encoding: chunked\r\nConnection: close"
                    b"\r\n\r\n%x\r\n%s" % (len(PAGE) + 1, PAGE), False),
    "endless": (HEAD + b"Connection: close\r\n\r\n" + PAGE, False),
    "endless-closed": (HEAD + b"Connection: close\r\n\r\n" + PAGE, True),
}


def stall(connection):
    """Take the first message of the handshake and say nothing."""
    connection.recv(65536)
    while connection.recv(65536):
        pass


def stop_in_the_middle(connection):
    """Begin a record that never ends."""
    connection.recv(65536)
    connection.sendall(b"\x16\x03\x03\x10\x00\x02")
    while connection.recv(65536):
        pass


def read_request(secured):
    """False if the client has closed the connection."""
    request = b""
    while not request.endswith(b"\r\n\r\n"):
        part = secured.recv(65536)
        if not part:
            return False
        request += part
    return True


def answer_twice(secured):
    """Answer a request with a length, and the next one with the end of TLS.

    Answer and end go out together, as soon as the request is there.
    """
    read_request(secured)
    page = b"".join(b"<a href=/%d.html>" % i for i in range(200))
    secured.sendall(HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(page), page))
    if read_request(secured):
        secured.sendall(ANSWERS["endless-closed"][0])
        secured.unwrap()


def answer_once(secured):
    """Answer the first request, and the second with the end of TLS."""
    read_request(secured)
    secured.sendall(HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE))
    if read_request(secured):
        secured.unwrap()


def answer(connection, mode, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate + ".pem", certificate + ".key")
    with context.wrap_socket(connection, server_side=True) as secured:
        print("resumed" if secured.session_reused else "full", flush=True)
        if mode in ("once", "twice"):
            (answer_once if mode == "once" else answer_twice)(secured)
            return
        if not read_request(secured):
            return
        text, is_announced = ANSWERS[mode]
        secured.sendall(text)
        if is_announced:
            secured.unwrap()
        else:
            secured.shutdown(socket.SHUT_WR)


def serve(connection, mode, certificate):
    try:
        with connection:
            if mode == "stall":
                stall(connection)
            elif mode == "middle":
                stop_in_the_middle(connection)
            else:
                answer(connection, mode, certificate)
    except OSError as error:
        print("trouble:", error, flush=True)


def main():
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    mode, certificates = sys.argv[1], sys.argv[2:]
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        print(listener.getsockname()[1], flush=True)
        count = 0
        while True:
            connection = listener.accept()[0]
            certificate = certificates[min(count, len(certificates) - 1)]
            # After "once" the other connections are cut.
            now = "endless" if mode == "once" and count else mode
            count += 1
            threading.Thread(target=serve, daemon=True,
                             args=(connection, now, certificate)).start()


main()
