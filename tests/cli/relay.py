#!/usr/bin/env python3
"""A TCP relay that misbehaves: the network between a machine and its engine.

    relay.py [OPTION...] PORT

Listens on a free port of 127.0.0.1, prints "relay on 127.0.0.1:N", and hands
every connection on to PORT of 127.0.0.1.

    --lose SHARE   lose so many answers, 0 to 1: the request went through, the
                   answer is dropped and the connection is closed
    --only TEXT    ... of those answers that hold this text
    --request TEXT what the signals do, they do to a request that holds this text
                   and to its answer
    --seed N       of the dice

Signals:

    SIGSTOP, SIGCONT   no network: nothing arrives and nothing is refused
    SIGUSR1            cut: every connection is closed, new ones are taken
    SIGUSR2            lose the next answer (that holds the text)
    SIGHUP             hold the next request back, and print "held"; a second one:
                       hand it on, and print "answered" when its answer is through
    SIGTERM            end, and print "N connections, N cut, N answers lost"

It ends with the process that started it.
"""

import argparse
import asyncio
import ctypes
import os
import random
import signal


class Link:
    """A connection: what has become of its last request."""

    def __init__(self):
        self.fits = self.was_held = False


class Relay:
    def __init__(self, options):
        self.port = options.port
        self.lose = options.lose
        self.only = options.only.encode()
        self.request = options.request.encode()
        self.dice = random.Random(options.seed)
        self.lose_next = 0
        self.hold_next, self.held = False, None
        self.open = set()
        self.connections = self.cuts = self.lost = 0

    def loses(self, answer, link):
        if self.only not in answer:
            return False
        fits, link.fits = link.fits or not self.request, False
        if self.lose_next and fits:
            self.lose_next -= 1
        elif self.dice.random() >= self.lose:
            return False
        self.lost += 1
        return True

    def cut(self):
        self.cuts += len(self.open)
        for writer in list(self.open):
            writer.transport.abort()

    def lose_one(self):
        self.lose_next += 1

    def hold_one(self):
        if self.held:
            self.held.set()
        else:
            self.hold_next = True

    async def hold(self, link):
        self.hold_next, self.held = False, asyncio.Event()
        print("held", flush=True)
        await self.held.wait()
        self.held, link.was_held = None, True

    async def pass_requests(self, reader, writer, link):
        while data := await reader.read(65536):
            if self.request in data:
                link.fits = True
                if self.hold_next:
                    await self.hold(link)
            writer.write(data)
            await writer.drain()

    async def pass_answers(self, reader, writer, link):
        while data := await reader.read(65536):
            if self.loses(data, link):
                return
            writer.write(data)
            await writer.drain()
            if link.was_held:
                link.was_held = False
                print("answered", flush=True)

    @staticmethod
    async def until_end(copying, writer):
        """One side ends: the other side is closed then."""
        try:
            await copying
        except OSError:
            pass
        finally:
            writer.close()

    async def connection(self, reader, writer):
        self.connections += 1
        try:
            far_reader, far_writer = await asyncio.open_connection(
                "127.0.0.1", self.port
            )
        except OSError:
            writer.transport.abort()
            return
        self.open.add(writer)
        link = Link()
        await asyncio.gather(
            self.until_end(self.pass_requests(reader, far_writer, link), far_writer),
            self.until_end(self.pass_answers(far_reader, writer, link), writer),
        )
        far_writer.transport.abort()
        self.open.discard(writer)


def arguments():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("port", type=int)
    parser.add_argument("--lose", type=float, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--request", default="")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


async def main():
    relay = Relay(arguments())
    server = await asyncio.start_server(relay.connection, "127.0.0.1", 0)
    loop, end = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, relay.cut)
    loop.add_signal_handler(signal.SIGUSR2, relay.lose_one)
    loop.add_signal_handler(signal.SIGHUP, relay.hold_one)
    loop.add_signal_handler(signal.SIGTERM, end.set)
    print("relay on 127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await end.wait()
    print(
        "%d connections, %d cut, %d answers lost"
        % (relay.connections, relay.cuts, relay.lost),
        flush=True,
    )
    os._exit(0)  # connections that are open end with us


PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
asyncio.run(main())
