"""Files named on the command line, checked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from infoset.errors import BadInputError, StorageError

Files = Mapping[str, Path | None]
"""Files by the option that names each; `None` is an option that was not given."""

FILES = (".efg", ".toml", ".json")
"""A target that ends like this is a file."""


def _check_readable(path: Path) -> None:
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


def target_file(target: str | None) -> Path | None:
    """The file that a target is read from; it must be readable. Names are left to the library.

    A file that is called like a game is not meant.
    """
    from infoset.games import is_game_text

    if target is None or is_game_text(target):
        return None
    path = Path(target)
    if not target.lower().endswith(FILES) and not os.path.isfile(path):
        return None
    _check_readable(path)
    return path


def check_files(read: Files, written: Files | None = None, drawn: Files | None = None) -> None:
    """Check all files of a command, by the option that names each.

    Figures are ``drawn``. What is read must be there; two results must not go to one file, nor over
    a file that is read; and what could not be written at the end is refused before hours are spent.
    """
    from infoset.explore import check_path

    sources, texts, figures = (
        {option: path for option, path in (files or {}).items() if path is not None}
        for files in (read, written, drawn)
    )
    for path in sources.values():
        _check_readable(path)
    _check_apart({**sources, **texts, **figures})
    for option, path in {**texts, **figures}.items():
        _check_writable(option, path)
    for path in figures.values():
        check_path(path)


def _check_writable(option: str, path: Path) -> None:
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
    _check_writable(option, path / "trial")


def _check_apart(files: Mapping[str, Path]) -> None:
    """Refuse to write two results to one file, or over a file that is read.

    A checkpoint may take the place of the one that is resumed: it is the same run, further on.
    """
    seen: dict[str, str] = {}
    for option, path in files.items():
        real = os.path.realpath(path)
        if real in seen and {seen[real], option} != {"--resume", "--checkpoint"}:
            raise BadInputError(f"{option} and {seen[real]} name the same file '{path}'")
        seen[real] = option
