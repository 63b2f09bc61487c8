"""Files named on the command line, looked at before any work is done."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from infoset.errors import BadInputError, StorageError

__all__ = ["check_apart", "check_directory", "check_readable", "check_writable", "game_file"]


def check_readable(path: Path) -> None:
    """Refuse what cannot be a file to read, before anything waits for it."""
    try:
        if path.is_dir():
            raise BadInputError(f"'{path}' is a directory, not a file")
        if not path.exists():
            raise BadInputError(f"there is no file '{path}'")
        if not path.is_file():
            raise BadInputError(f"'{path}' is not a regular file")
        with open(path, "rb"):
            pass
    except OSError as error:
        raise BadInputError(f"'{path}' cannot be read: {error.strerror}") from None


def game_file(game: str) -> Path | None:
    """The file that a game is read from; it must be readable. Names are left to the library."""
    if not game.lower().endswith(".efg"):
        return None
    check_readable(Path(game))
    return Path(game)


def check_writable(option: str, path: Path | None) -> None:
    """Refuse a file that could not be written at the end, before hours are spent on it."""
    if path is None:
        return
    from infoset.machine import storage

    parent = Path(os.path.realpath(path)).parent
    if not parent.is_dir():
        raise BadInputError(f"{option}: there is no directory '{parent}'")
    try:
        storage.check_writable(path)
    except StorageError as error:
        raise BadInputError(f"{option}: {error}") from None


def check_directory(option: str, path: Path) -> None:
    """Make a folder for results, unless it is there, and refuse one that cannot be written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise BadInputError(f"{option}: '{path}' is a file, not a directory") from None
    except OSError as error:
        raise BadInputError(f"{option}: '{path}' cannot be made: {error.strerror}") from None
    check_writable(option, path / "trial")


def check_apart(written: Mapping[str, Path | None], read: Mapping[str, Path | None]) -> None:
    """Refuse to write two results to one file, or over a file that is read.

    A checkpoint may take the place of the one that is resumed: it is the same run, further on.
    """
    seen: dict[str, str] = {}
    for option, path in {**read, **written}.items():
        if path is None:
            continue
        real = os.path.realpath(path)
        if real in seen and {seen[real], option} != {"--resume", "--checkpoint"}:
            raise BadInputError(f"{option} and {seen[real]} name the same file '{path}'")
        seen[real] = option
