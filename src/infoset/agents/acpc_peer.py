"""The other end of a connection: lines in and lines out, with a limit on everything.

A peer may be slow, silent, gone, or send anything at all. Nothing here waits longer than it was
told to, keeps more than `MAX_UNSENT` bytes that a peer does not read, or reads a line of more than
`MAX_LINE` characters. What a peer does wrong is a `PeerError`.
"""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import time
from dataclasses import dataclass

from infoset.errors import AgentError, BadInputError, shorten
from infoset.interop import MAX_LINE

LOOPBACK = "127.0.0.1"

VERSION = "VERSION:2.0.0"
"""What a program says first."""

MAX_UNSENT = 1 << 20
"""Bytes that wait for a peer to read them."""

LINGER = 1.0
"""Seconds in which a peer may read what it was sent last."""

_CHUNK = 1 << 16

_VERSION = re.compile(r"VERSION:([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")


class PeerError(AgentError):
    """A program behind the protocol that is gone, too slow, or cannot be understood."""


class ClosedError(PeerError):
    """A program that closed the connection, between two lines."""


@dataclass(frozen=True)
class Limits:
    """How long a program may take, in seconds; those of the competition."""

    response: float = 600.0
    """For one action."""
    hand: float = 600.0
    """For all actions of a hand."""
    mean: float = 7.0
    """For a hand, on average over the match."""
    start: float = 600.0
    """To connect and say which version it speaks."""

    def __post_init__(self) -> None:
        for name, seconds in vars(self).items():
            if not 0 < seconds <= 1e9:
                raise BadInputError(
                    f"the limit {name} must be more than 0 seconds, and at most a billion, not "
                    f"{seconds:g}"
                )


class Peer:
    """A connection that speaks in lines; ``name`` is what messages call the other end."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        connection.setblocking(False)
        with contextlib.suppress(OSError):  # it is only faster so
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.name = name
        self._connection = connection
        self._unread = bytearray()
        self._searched = 0
        self._unsent = bytearray()

    def send(self, line: str) -> None:
        """Send a line, or keep it until the peer reads."""
        self._unsent += line.encode("ascii") + b"\r\n"
        self._flush()
        if len(self._unsent) > MAX_UNSENT:
            raise PeerError(f"{self.name} does not read what it is sent")

    def receive(self, deadline: float) -> str | None:
        """The next line, without its end; `None` if none has come by ``deadline``.

        That is a time of `time.monotonic`. What has come already is read even after it.
        """
        while (line := self._next_line()) is None:
            if not self._wait(max(0.0, deadline - time.monotonic())):
                return None
        return line

    def _next_line(self) -> str | None:
        """A line that has come."""
        end = self._unread.find(b"\n", self._searched)
        if max(end, 0 if end >= 0 else len(self._unread)) > MAX_LINE:
            raise PeerError(f"{self.name} sent a line of more than {MAX_LINE:,} characters")
        if end < 0:
            self._searched = len(self._unread)
            return None
        line = self._unread[:end].decode("ascii", "backslashreplace")
        del self._unread[: end + 1]
        self._searched = 0
        return line.removesuffix("\r")

    def _wait(self, seconds: float) -> bool:
        """Wait until there is something to read, and read it; whether there was."""
        with selectors.DefaultSelector() as selector:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)
            selector.register(self._connection, events)
            ready = selector.select(min(seconds, 3600.0))
        mask = ready[0][1] if ready else 0
        if mask & selectors.EVENT_WRITE:
            self._flush()
        if mask & selectors.EVENT_READ:
            self._read()
        return bool(mask) or seconds > 3600.0

    def _read(self) -> None:
        try:
            chunk = self._connection.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            raise self._broken(error) from error
        if not chunk and self._unread:
            raise PeerError(f"{self.name} closed the connection in the middle of a line")
        if not chunk:
            raise ClosedError(f"{self.name} closed the connection")
        self._unread += chunk

    def _flush(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: self._connection.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError as error:
            raise self._broken(error) from error

    def _broken(self, error: OSError) -> ClosedError:
        return ClosedError(f"the connection to {self.name} broke: {_why(error)}")

    def close(self, linger: float = LINGER) -> None:
        """End the connection, after the peer has had a moment to read what was sent last.

        A connection that is closed with something unread is reset, and the other end may lose what
        it has not read yet. So what it still sends is read, and dropped.
        """
        deadline = time.monotonic() + linger
        with contextlib.suppress(OSError, PeerError), self._connection:
            while self._unsent and (left := deadline - time.monotonic()) > 0:
                self._unread.clear()
                self._wait(left)
            self._connection.shutdown(socket.SHUT_WR)
            while (left := deadline - time.monotonic()) > 0:
                self._unread.clear()
                self._wait(left)
        self._connection.close()


def listen(port: int = 0, host: str = LOOPBACK) -> socket.socket:
    """Listen on a port; with 0 the system chooses one that is free."""
    if not 0 <= port <= 65_535:
        raise BadInputError(f"a port is a number from 0 to 65535, not {port}")
    try:
        return socket.create_server((host, port), backlog=1)
    except (OSError, UnicodeError) as error:
        raise BadInputError(
            f"cannot listen on port {port} of {shorten(host)}: {_why(error)}; choose another, or "
            "0 for any"
        ) from error


def port_of(listener: socket.socket) -> int:
    """The port that a socket listens on."""
    port: int = listener.getsockname()[1]
    return port


def accept(listener: socket.socket, name: str, deadline: float) -> Peer:
    """The program that connects by ``deadline`` and speaks the right version.

    Whoever connects after it is refused.
    """
    port = port_of(listener)
    listener.settimeout(max(1e-3, min(deadline - time.monotonic(), 1e6)))
    try:
        connection, _ = listener.accept()
    except OSError as error:
        raise PeerError(
            f"{name} did not connect to port {port} in time"
            if isinstance(error, TimeoutError)
            else f"{name} could not connect: {_why(error)}"
        ) from error
    listener.close()
    peer = Peer(connection, name)
    try:
        check_version(peer.receive(deadline), name)
    except PeerError as error:
        with contextlib.suppress(PeerError):
            peer.send(f"# {error}")
        peer.close()
        raise
    return peer


def check_version(line: str | None, name: str) -> None:
    """Refuse a program that does not begin with the version of the protocol, or another one.

    >>> check_version("VERSION:2.0.0", "Bob")
    >>> check_version("VERSION:1.0.0", "Bob")
    Traceback (most recent call last):
    infoset.agents.acpc_peer.PeerError: Bob speaks version 1.0.0 of the ACPC protocol; here it is \
2.0.0
    """
    if line is None:
        raise PeerError(f"{name} connected, but did not say in time which version it speaks")
    version = _VERSION.fullmatch(line)
    if version is None:
        raise PeerError(f"{name} began with {shorten(line)}; a program begins with {VERSION}")
    major, minor, revision = map(int, version.groups())
    if (major, minor) != (2, 0):
        raise PeerError(
            f"{name} speaks version {major}.{minor}.{revision} of the ACPC protocol; here it is "
            "2.0.0"
        )


def connect(port: int, host: str, name: str, seconds: float) -> Peer:
    """Connect to a port, and try again for some seconds if nobody listens there yet."""
    if not 0 < port <= 65_535:
        raise BadInputError(f"a port to connect to is a number from 1 to 65535, not {port}")
    deadline = time.monotonic() + seconds
    while True:
        left = max(0.1, deadline - time.monotonic())
        try:
            return Peer(socket.create_connection((host, port), timeout=left), name)
        except ConnectionRefusedError as error:
            if time.monotonic() >= deadline:
                raise _no_answer(name, port, host, error) from error
            time.sleep(0.1)
        except (OSError, UnicodeError) as error:
            raise _no_answer(name, port, host, error) from error


def _no_answer(name: str, port: int, host: str, error: Exception) -> PeerError:
    where = f"port {port} of {shorten(host)}"
    return PeerError(f"{name} at {where} does not answer: {_why(error)}")


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
