#!/usr/bin/env python3
"""A TCP relay that misbehaves: the network between a machine and its engine.

    relay.py [OPTION...] PORT

Listens on a free port of 127.0.0.1, prints "relay on 127.0.0.1:N", and hands
every connection on to PORT of 127.0.0.1.

    --lose SHARE   lose so many answers, 0 to 1: the request went through, the
                   answer is dropped and the connection is closed
    --only TEXT    ... of those answers that hold this text
    --seed N       of the dice

Signals:

    SIGSTOP, SIGCONT   no network: nothing arrives and nothing is refused
    SIGUSR1            cut: every connection is closed, new ones are taken
    SIGUSR2            lose the next answer (that holds the text)
    SIGTERM            end, and print "N connections, N cut, N answers lost"

It ends with the process that started it.
"""

import argparse
import asyncio
import ctypes
import os
import random
import signal


class Relay:
    def __init__(self, options):
        self.port = options.port
        self.lose = options.lose
        self.only = options.only.encode()
        self.dice = random.Random(options.seed)
        self.lose_next = 0
        self.open = set()
        self.connections = self.cuts = self.lost = 0

    def loses(self, answer):
        if self.only not in answer:
            return False
        if self.lose_next:
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

    @staticmethod
    async def copy(reader, writer, loses):
        """Until one side ends; the other side is closed then."""
        try:
            while data := await reader.read(65536):
                if loses(data):
                    break
                writer.write(data)
                await writer.drain()
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
        await asyncio.gather(
            self.copy(reader, far_writer, lambda data: False),
            self.copy(far_reader, writer, self.loses),
        )
        far_writer.transport.abort()
        self.open.discard(writer)


def arguments():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("port", type=int)
    parser.add_argument("--lose", type=float, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


async def main():
    relay = Relay(arguments())
    server = await asyncio.start_server(relay.connection, "127.0.0.1", 0)
    loop, end = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, relay.cut)
    loop.add_signal_handler(signal.SIGUSR2, relay.lose_one)
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
