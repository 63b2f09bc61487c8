"""Files that only grow: every piece is with the system as soon as it is written.

A process killed at any instant leaves the pieces that were written, and at most a part of the last
one. While it lives, no other process can write to the file.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from infoset.errors import BadInputError, FileFormatError
from infoset.machine.storage import failure_to, refuse_what_is_no_file

if sys.platform != "win32":
    import fcntl


class GrowingFile:
    """A file to read from its beginning, and then to append to.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "log"
    >>> with GrowingFile(path, new=True) as file:
    ...     file.append(b"one line\\n")
    >>> with GrowingFile(path) as file:
    ...     print(*file.lines(longest=100))
    ...     file.append(b"another\\n")
    b'one line\\n'
    >>> path.read_text()
    'one line\\nanother\\n'
    """

    def __init__(self, path: str | os.PathLike[str], *, new: bool = False) -> None:
        self.path = path
        try:
            refuse_what_is_no_file(Path(os.path.realpath(path)))
            self._is_made = new and not os.path.exists(path)
            mode = "a+b" if new else "r+b"
            self._file: BinaryIO = open(path, mode, buffering=0)  # type: ignore[assignment]  # noqa: SIM115
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise BadInputError(str(failure_to("write", path, error))) from error
        try:
            _lock(self._file, path)
            self._end = self._file.seek(0, os.SEEK_END)
            if new and self._end:
                raise BadInputError(
                    f"'{os.fspath(path)}' is there already, and is not written over: resume what "
                    "it belongs to, or remove it"
                )
            self._good = self._end
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def lines(self, longest: int) -> Iterator[bytes]:
        """Every line; the part of one at the end is left out, and is overwritten by appending."""
        good = 0
        with open(self.path, "rb") as file:
            for line in whole_lines(file, longest, os.fspath(self.path)):
                good += len(line)
                yield line
        # Only now: nothing is cut off a file that was not read to its end.
        self._good = good

    def append(self, piece: bytes) -> None:
        """Write a piece behind all others."""
        try:
            if self._good < self._end:
                self._file.truncate(self._good)
            self._file.seek(self._good)
            left = memoryview(piece)
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            self._end = self._good + len(piece)  # a part of it may be there
            raise failure_to("write", self.path, error) from error
        self._good = self._end = self._good + len(piece)

    def close(self) -> None:
        """Have it reach the disk, and let others write; a new file without a word is removed."""
        if self._file.closed:
            return
        try:
            if self._is_made and not self._good:
                os.unlink(self.path)
            else:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise failure_to("write", self.path, error) from error
        finally:
            self._file.close()


def whole_lines(file: BinaryIO, longest: int, shown: str) -> Iterator[bytes]:
    """The lines of a file that end with a line break; one that is too long is refused."""
    number = 0
    while line := file.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise FileFormatError(f"'{shown}', line {number}: it is longer than {longest:,} bytes")
        if not line.endswith(b"\n"):
            return
        yield line


def _lock(file: BinaryIO, path: str | os.PathLike[str]) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise BadInputError(
                f"'{os.fspath(path)}' is being written by another process; wait for its end"
            ) from None
        # Else a file system without locks: it is written all the same.
