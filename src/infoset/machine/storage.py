"""Atomic files: written to a temporary file, synced, then renamed.

Every file the library writes goes through `replacing`. A process killed at any instant leaves the
old file or the new one under the name that was asked for, never a part of either.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import re
import secrets
import stat
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from infoset.errors import FileFormatError, StorageError, TooLargeError
from infoset.machine.interrupts import deferred_interrupt
from infoset.version import __version__

if sys.platform != "win32":
    import fcntl

ABANDONED_SECONDS = 10.0
"""Age from which a temporary file that nobody holds open is taken for that of a killed process."""


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write that takes the place of `path` in one step, as others see it.

    What is written goes to a temporary file in the same directory, reaches the disk, and takes
    the place of `path` in one rename. Whatever goes wrong before that, a full disk or Ctrl-C, the
    old file stays and the temporary one is removed. Only a process killed outright leaves its
    temporary file behind, as ``.NAME.HEX.tmp``; the next write to the same path removes it.

    A symbolic link is followed: the file it points to is replaced, not the link.
    """
    target, temporary = _aside(path)
    # Before the writing, not after it: what was left behind may be what fills the disk.
    _remove_abandoned(target)
    try:
        try:
            with open(temporary, "xb") as file:
                _hold(file)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except OSError as error:
            raise failure_to("write", path, error) from error
    except BaseException:
        # Also for Ctrl-C. The name is ours alone (64 random bits), so this removes nothing else;
        # after the rename it is gone already.
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(target.parent)


def write_atomically(
    path: str | os.PathLike[str], data: bytes | bytearray | memoryview | Iterable[bytes]
) -> None:
    """Write a file in one step, as others see it: bytes, or pieces one after the other.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_atomically(path, b"kept")
    >>> write_atomically(path, [b"kept, ", b"whole"])
    >>> path.read_bytes(), len(list(path.parent.iterdir()))
    (b'kept, whole', 1)
    """
    with replacing(path) as file:
        for piece in [data] if isinstance(data, bytes | bytearray | memoryview) else data:
            file.write(piece)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise now what writing to `path` would raise later, but for a disk that fills up."""
    _, temporary = _aside(path)
    # Ctrl-C waits: it could come just before the trial is removed.
    with deferred_interrupt() as interrupt:
        try:
            with open(temporary, "xb"):
                pass
        except OSError as error:
            raise failure_to("write", path, error) from error
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    if interrupt.requested:
        raise KeyboardInterrupt


def _aside(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The file that `path` stands for, and a name beside it that nobody else uses."""
    try:
        target = Path(os.path.realpath(path))
        refuse_what_is_no_file(target)
        return target, target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    except (OSError, ValueError) as error:  # ValueError: a NUL or an empty name
        raise failure_to("write", path, error) from error


def _remove_abandoned(target: Path) -> None:
    """Remove what writers of this file left behind when they were killed."""
    leftover = re.compile(re.escape(f".{target.name}.") + r"[0-9a-f]{16}\.tmp")
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if leftover.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if _is_abandoned(entry.path):
                        os.unlink(entry.path)


def _is_abandoned(temporary: str) -> bool:
    # The lock tells; the age is for the instant between a file's creation and its lock.
    if time.time() - os.stat(temporary).st_mtime < ABANDONED_SECONDS:
        return False
    with open(temporary, "r+b") as file:
        return _hold(file)


def _hold(file: IO[bytes]) -> bool:
    """Lock a file until it is closed, or its process ends in whatever way; can it be had?"""
    if sys.platform == "win32":
        return True  # a file that is open cannot be removed there, which is as good as a lock
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # held by another, or a file system without locks
        return False
    return True


def refuse_what_is_no_file(target: Path) -> None:
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


def failure_to(verb: str, path: str | os.PathLike[str], error: Exception | str) -> StorageError:
    """Say in a sentence which file could not be read or written, and why."""
    reason = error
    if isinstance(error, OSError):
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if is_full else error.strerror or error
    return StorageError(f"Could not {verb} '{os.fspath(path)}': {reason}.")


def read_text(path: str | os.PathLike[str], *, max_bytes: int) -> str:
    """The text of a file in UTF-8 of at most so many bytes."""
    try:
        with open(path, "rb") as file:
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise failure_to("read", path, error) from error
    if len(data) > max_bytes:
        raise TooLargeError(f"'{os.fspath(path)}' is larger than {max_bytes // 10**6} MB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"'{os.fspath(path)}' is no text in UTF-8: byte {error.start} is not of it"
        ) from None


FORMAT = 1
"""Version of the archives written here; older and newer ones are refused by name."""

_MAGIC = "infoset"
_HEADER = "header.json"
_MAX_HEADER = 1 << 20
_CHUNK = 1 << 20
_END = b"PK\5\6" + bytes(18)
"""What a zip archive ends with, but for the sizes in its middle: no comment behind it."""
_DTYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|u1")


def write_archive(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, object],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write named rows of numbers and a JSON header to one file that `numpy.load` can also open.

    The file is a zip archive without compression: one ``.npy`` per array, and a header with the
    kind of file, its version, and the SHA-256 of every array and of itself. The same content
    gives the same bytes. Arrays are written from where they are; none is copied.
    """
    rows = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    heads = {name: _npy_head(array.dtype, array.size) for name, array in rows.items()}
    digests = {}
    for name, array in rows.items():
        if array.dtype.str not in _DTYPES or array.ndim != 1:
            raise TypeError(f"array {name!r} of {array.dtype} and shape {array.shape}")
        digest = hashlib.sha256(heads[name])
        digest.update(array.data)
        digests[name] = digest.hexdigest()
    top = {
        "format": _MAGIC,
        "version": FORMAT,
        "kind": kind,
        "package": __version__,
        "sha256": digests,
        "header": header,
    }
    try:
        text = json.dumps({**top, "checksum": _checksum(top)}, allow_nan=False).encode()
    except ValueError as error:
        raise failure_to("write", path, "it would hold numbers that are not finite") from error
    if len(text) > _MAX_HEADER:
        raise failure_to("write", path, "names in its header are too long")
    with replacing(path) as file:
        archive = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
        try:
            archive.writestr(zipfile.ZipInfo(_HEADER), text)
            for name, array in rows.items():
                entry = zipfile.ZipInfo(f"{name}.npy")
                # Known beforehand, so that an array of more than 2 GiB gets the fields it needs.
                entry.file_size = len(heads[name]) + array.nbytes
                with archive.open(entry, "w") as member:
                    member.write(heads[name])
                    member.write(array.data)
            archive.close()
        finally:
            # Not closed after an error: that would write on, and put an error of its own in the
            # place of Ctrl-C. Without a file there is nothing to close.
            archive.fp = None


def read_archive(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read what `write_archive` wrote, or say in a sentence why it is not that.

    Nothing is unpickled or decompressed, and the arrays take no more memory than the file is
    long: an untrusted file can be refused, but it cannot do harm.
    """
    shown = f"'{os.fspath(path)}'"
    try:
        refuse_what_is_no_file(Path(path))  # before `open` waits for the other end of a pipe
        file = open(path, "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise failure_to("read", path, error) from error
    try:
        with file, zipfile.ZipFile(file) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            if _HEADER not in entries:
                raise FileFormatError(f"{shown} is a zip archive, but not a file of infoset")
            _check_entries(archive.infolist(), os.fstat(file.fileno()).st_size, shown)
            _check_ends(file, archive, shown)
            top = json.loads(archive.read(_HEADER), parse_constant=refuse_constant)
            digests = _check_top(top, kind, shown)
            if entries.keys() != {_HEADER, *(f"{name}.npy" for name in digests)}:
                raise FileFormatError(f"{shown} was altered: arrays are missing or were added")
            arrays = {}
            for name, digest in digests.items():
                piece = _read_member(archive, entries[f"{name}.npy"])
                if hashlib.sha256(piece).hexdigest() != digest:
                    raise FileFormatError(f"{shown} was altered: the checksum of {name} is wrong")
                arrays[name] = _array(piece)
            return top["header"], arrays
    except (FileFormatError, MemoryError):
        raise
    except OSError as error:
        raise failure_to("read", path, error) from error
    except (zipfile.BadZipFile, EOFError) as error:
        raise FileFormatError(
            f"{shown} is not a file of infoset, or it is truncated ({error})"
        ) from error
    except Exception as error:  # `zipfile` and `json` trip in a dozen ways over what is malformed
        raise FileFormatError(f"{shown} is damaged ({type(error).__name__}: {error})") from error


def _check_entries(entries: list[zipfile.ZipInfo], size: int, shown: str) -> None:
    """Stop before anything is read that is larger inside the archive than outside."""
    if any(entry.header_offset < 0 for entry in entries):
        raise FileFormatError(f"{shown} is damaged: its beginning is missing")
    if len({entry.filename for entry in entries}) < len(entries):
        raise FileFormatError(f"{shown} was altered: it holds two arrays of one name")
    packed = any(
        entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size
        for entry in entries
    )
    if packed or sum(entry.file_size for entry in entries) > size:
        raise FileFormatError(f"{shown} is compressed or lies about its size; refused")
    if any(entry.filename == _HEADER and entry.file_size > _MAX_HEADER for entry in entries):
        raise FileFormatError(f"{shown} has a header that is too long; refused")


def _check_ends(file: IO[bytes], archive: zipfile.ZipFile, shown: str) -> None:
    """Refuse bytes before the first member or behind the end, which no checksum covers."""
    file.seek(-len(_END), os.SEEK_END)
    end = file.read()
    is_end = end[:4] == _END[:4] and end[-2:] == _END[-2:]
    if not is_end or archive.infolist()[0].header_offset != 0:
        raise FileFormatError(f"{shown} was altered: bytes were added before or behind its content")


def refuse_constant(name: str) -> NoReturn:
    """Refuse JSON's ``NaN`` and ``Infinity``."""
    raise ValueError(f"{name} is not a number")


def _check_top(top: Any, kind: str, shown: str) -> dict[str, str]:
    """Is this our format, a version we read, unaltered, and the kind of file asked for?"""
    if not isinstance(top, dict) or top.get("format") != _MAGIC:
        raise FileFormatError(f"{shown} is not a file of infoset")
    version = top.get("version")
    if version != FORMAT:
        age = "another"
        if isinstance(version, int):
            age = "a newer" if version > FORMAT else "an older"
        raise FileFormatError(
            f"{shown} was written by {age} version of infoset (format {version!r}, this "
            f"one reads {FORMAT}); use the version that wrote it ({top.get('package')!r})"
        )
    checksum = top.pop("checksum", None)
    if checksum != _checksum(top):
        raise FileFormatError(f"{shown} was altered: the checksum of its header is wrong")
    if top.get("kind") != kind:
        raise FileFormatError(f"{shown} is a {top.get('kind')!r} file, not a {kind!r} file")
    if not isinstance(top.get("header"), dict) or not isinstance(top.get("sha256"), dict):
        raise FileFormatError(f"{shown} has no header")
    return dict(top["sha256"])


def _checksum(top: Mapping[str, object]) -> str:
    """SHA-256 of a header, however its text is laid out."""
    return hashlib.sha256(json.dumps(top, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _read_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytearray:
    """The bytes of a member, read into memory that an array can then keep."""
    piece = bytearray(entry.file_size)
    begin = 0
    with archive.open(entry) as member:
        while chunk := member.read(_CHUNK):
            piece[begin : begin + len(chunk)] = chunk
            begin += len(chunk)
    if begin != entry.file_size:
        raise EOFError(f"{entry.filename} ends early")
    return piece


def _npy_head(dtype: np.dtype[Any], count: int) -> bytes:
    """What a ``.npy`` file with a row of numbers begins with."""
    buffer = io.BytesIO()
    layout = {"descr": dtype.str, "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(buffer, layout)
    return buffer.getvalue()


def _array(piece: bytearray) -> NDArray[Any]:
    """The array of a ``.npy`` file.

    Its head is not parsed, which would be to trust it: it must be the one we would have written.
    """
    for dtype in map(np.dtype, _DTYPES):
        begin = len(_npy_head(dtype, 0))
        count = max(len(piece) - begin, 0) // dtype.itemsize
        fits = begin + count * dtype.itemsize == len(piece)
        if fits and piece[:begin] == _npy_head(dtype, count):
            return np.frombuffer(piece, dtype=dtype, offset=begin)
    raise ValueError("an array that is not a plain row of numbers")
