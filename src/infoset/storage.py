"""Files that are either whole or not there: written aside, synced, then renamed.

Every file the library writes goes through `write_atomically`. A process killed at any instant
leaves the old file or the new one under the name that was asked for, never a part of either.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import secrets
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import FileFormatError, StorageError
from infoset.version import __version__

__all__ = ["FORMAT", "read_archive", "write_archive", "write_atomically"]


def write_atomically(
    path: str | os.PathLike[str], data: bytes | bytearray | memoryview | Iterable[bytes]
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
                for piece in [data] if isinstance(data, bytes | bytearray | memoryview) else data:
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


FORMAT = 1
"""Version of the archives written here; older and newer ones are refused by name."""

_MAGIC = "infoset"
_HEADER = "header.json"
_MAX_HEADER = 1 << 24


def write_archive(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, object],
    arrays: Mapping[str, NDArray[np.generic]],
) -> None:
    """Write named arrays and a JSON header to one file that `numpy.load` can also open.

    The file is a zip archive without compression: one ``.npy`` per array, and a header with the
    kind of file, its version, and the SHA-256 of every array.
    """
    pieces = {name: _npy(array) for name, array in arrays.items()}
    text = json.dumps(
        {
            "format": _MAGIC,
            "version": FORMAT,
            "kind": kind,
            "package": __version__,
            "sha256": {name: hashlib.sha256(piece).hexdigest() for name, piece in pieces.items()},
            "header": header,
        },
        allow_nan=False,
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        # A fixed date: the same content gives the same bytes.
        archive.writestr(zipfile.ZipInfo(_HEADER), text)
        for name, piece in pieces.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), piece)
    write_atomically(path, buffer.getbuffer())


def read_archive(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `write_archive` wrote, or say in a sentence why it is not that.

    Nothing is unpickled, nothing is decompressed, and no more memory is taken than the file is
    long: an untrusted file can be refused, but it cannot do harm.
    """
    shown = f"'{os.fspath(path)}'"
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            size = os.fstat(file.fileno()).st_size
            packed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries.values())
            if packed or sum(entry.file_size for entry in entries.values()) > size:
                raise FileFormatError(f"{shown} is compressed or lies about its size; refused")
            if _HEADER not in entries or entries[_HEADER].file_size > _MAX_HEADER:
                raise FileFormatError(f"{shown} is a zip archive, but not a file of infoset")
            top = json.loads(archive.read(_HEADER))
            digests = _check_top(top, kind, shown)
            arrays = {}
            for name, digest in digests.items():
                piece = archive.read(f"{name}.npy")
                if hashlib.sha256(piece).hexdigest() != digest:
                    raise FileFormatError(f"{shown} was altered: the checksum of {name} is wrong")
                arrays[name] = _array(piece)
            return top["header"], arrays
    except FileFormatError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"Could not read {shown}: {reason}.") from error
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError) as error:
        raise FileFormatError(
            f"{shown} is not a file of infoset, or it is truncated ({error})"
        ) from error
    except (ValueError, KeyError, TypeError, RecursionError, NotImplementedError, RuntimeError) as e:
        raise FileFormatError(f"{shown} is damaged ({type(e).__name__}: {e})") from e


def _check_top(top: Any, kind: str, shown: str) -> dict[str, str]:
    """Is this our format, a version we read, and the kind of file that was asked for?"""
    if not isinstance(top, dict) or top.get("format") != _MAGIC:
        raise FileFormatError(f"{shown} is not a file of infoset")
    if top.get("version") != FORMAT:
        age = "a newer" if isinstance(top.get("version"), int) and top["version"] > FORMAT else "another"
        raise FileFormatError(
            f"{shown} was written by {age} version of infoset (format {top.get('version')!r}, this "
            f"one reads {FORMAT}); use the version that wrote it ({top.get('package')!r})"
        )
    if top.get("kind") != kind:
        raise FileFormatError(f"{shown} is a {top.get('kind')!r} file, not a {kind!r} file")
    if not isinstance(top.get("header"), dict) or not isinstance(top.get("sha256"), dict):
        raise FileFormatError(f"{shown} has no header")
    return dict(top["sha256"])


def _npy(array: NDArray[np.generic]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _array(piece: bytes) -> NDArray[Any]:
    """Read a ``.npy``, but believe its header only if it fits the bytes that follow."""
    buffer = io.BytesIO(piece)
    if np.lib.format.read_magic(buffer) != (1, 0):
        raise ValueError("an array of an unknown layout")
    shape, in_columns, dtype = np.lib.format.read_array_header_1_0(buffer)
    if dtype.hasobject or in_columns or len(shape) != 1:
        raise ValueError("an array that is not a plain row of numbers")
    rest = piece[buffer.tell() :]
    if shape[0] * dtype.itemsize != len(rest):
        raise ValueError("an array of another length than it says")
    return np.frombuffer(rest, dtype=dtype).copy()
