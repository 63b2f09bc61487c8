"""Files that are either whole or not there: written aside, synced, then renamed.

Every file the library writes goes through `write_atomically`. A process killed at any instant
leaves the old file or the new one under the name that was asked for, never a part of either.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from infoset.errors import StorageError

__all__ = ["write_atomically"]


def write_atomically(
    path: str | os.PathLike[str], data: bytes | bytearray | Iterable[bytes]
) -> None:
    """Write a file in one step, as others see it.

    The bytes (or the pieces, one after the other) go to a temporary file in the same directory,
    reach the disk, and take the place of `path` in one rename. Whatever goes wrong before that,
    a full disk or Ctrl-C, the old file stays and the temporary one is removed. Only a process
    killed outright leaves its temporary file behind, as ``.NAME.HEX.tmp``.

    A symbolic link is followed: the file it points to is replaced, not the link.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_atomically(path, b"kept")
    >>> write_atomically(path, [b"kept, ", b"whole"])
    >>> path.read_bytes(), len(list(path.parent.iterdir()))
    (b'kept, whole', 1)
    """
    try:
        target = Path(os.path.realpath(path))
        _refuse_what_is_no_file(target)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    except (OSError, ValueError) as error:  # ValueError: a NUL or an empty name
        raise _could_not_write(path, error) from error
    try:
        try:
            with open(temporary, "xb") as file:
                for piece in [data] if isinstance(data, bytes | bytearray) else data:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except OSError as error:
            raise _could_not_write(path, error) from error
    except BaseException:
        # Also for Ctrl-C. The name is ours alone (64 random bits), so this removes nothing else;
        # after the rename it is gone already.
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(target.parent)


def _refuse_what_is_no_file(target: Path) -> None:
    """Stop before a rename would take the place of a directory or a device."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file")


def _sync_directory(directory: Path) -> None:
    """Make the rename itself survive a power cut, where the system can do so."""
    # The file is in place by now. Some file systems cannot sync a directory and say so with an
    # error; the write has succeeded all the same.
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _could_not_write(path: str | os.PathLike[str], error: Exception) -> StorageError:
    """Say in a sentence which file could not be written, and why."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        reason = "the disk is full"
    return StorageError(f"Could not write '{os.fspath(path)}': {reason}.")
