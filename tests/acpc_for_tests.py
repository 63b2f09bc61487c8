"""Peers of the ACPC protocol with sockets of their own, and a dealer that runs beside a test."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

from infoset.agents import AcpcDealer
from infoset.games import make

EXAMPLES = Path(__file__).parent / "interop" / "acpc_examples.txt"

LIMIT = make("holdem(betting=limit)")
NAMES = ("Alice", "Bob")

PATIENCE = 60.0
"""Seconds after which a test that hangs fails instead."""


def examples(title):
    """The lines of a part of the recorded examples."""
    part = EXAMPLES.read_text().partition(f"== {title} ==\n")[2].partition("\n\n")[0]
    return [line for line in part.splitlines() if line]


class Background:
    """A function that runs beside the test; its result or its error comes out of `result`."""

    def __init__(self, function, *args, **named):
        self._outcome = None

        def run():
            try:
                self._outcome = function(*args, **named), None
            except BaseException as error:
                self._outcome = None, error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def result(self):
        self._thread.join(PATIENCE)
        assert self._outcome is not None, "it hangs"
        value, error = self._outcome
        if error is not None:
            raise error
        return value


class Ports:
    """The ports of a dealer, as soon as it has them."""

    def __init__(self):
        self._there = threading.Event()

    def __call__(self, ports):
        self._ports = list(ports)
        self._there.set()

    def __getitem__(self, number):
        assert self._there.wait(PATIENCE)
        return self._ports[number]


def connected(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.settimeout(PATIENCE)
    return connection


def lines_of(connection):
    """Every line that comes, with its end; ends when the other end closes."""
    unread = b""
    while True:
        try:
            chunk = connection.recv(4096)
        except ConnectionError:
            return
        if not chunk:
            assert not unread
            return
        unread += chunk
        while b"\n" in unread:
            line, _, unread = unread.partition(b"\n")
            yield line + b"\n"


def is_turn(line):
    """Whether a state asks its player to act, by counting: for limit and no-limit, no all-ins."""
    if not line.startswith(b"MATCHSTATE:"):
        return False
    _, position, _, betting, cards = line.decode().rstrip().split(":")
    if betting.endswith("f") or all(cards.split("/")[0].split("|")):
        return False
    *before, street = betting.split("/")
    number = sum(letter in "fcr" for letter in street)
    mover = (number + 1) % 2 if not before else number % 2
    return mover == int(position)


def play_as(port, answer, *, version=b"VERSION:2.0.0\r\n"):
    """Connect, and at every turn send the bytes that ``answer`` makes of a state (no line end).

    Returns all bytes that came. An ``answer`` of `None` closes the connection.
    """
    with connected(port) as connection:
        connection.sendall(version)
        came = b""
        for line in lines_of(connection):
            came += line
            if is_turn(line):
                sent = answer(line.rstrip())
                if sent is None:
                    return came
                for piece in [sent] if isinstance(sent, bytes) else sent:
                    if isinstance(piece, float):
                        time.sleep(piece)
                    else:
                        connection.sendall(piece)
        return came


def calling(state):
    return state + b":c\r\n"


def dealt(game=LIMIT, hands=3, players=NAMES, **more):
    """A dealer that runs beside the test, and its ports."""
    ports = Ports()
    dealer = AcpcDealer(game, players, hands, on_ports=ports, **more)
    return Background(dealer.play), ports
