"""Where compiled kernels are kept: beside their sources, else at home, else in a temporary folder.

Numba knows the first two, and the folder that the variable ``NUMBA_CACHE_DIR`` names. On a system
where none of them can be written to, kernels are kept in a folder of the user's own among the
temporary files; where that fails too, each process compiles them anew. A disk that fills up costs
the cache, not the run.
"""

from __future__ import annotations

import os
import stat
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import config, njit

_VARIABLE = "set NUMBA_CACHE_DIR to a folder that can be written to"
_said: set[str] = set()


def compile_and_keep(function: Callable[..., Any], **options: Any) -> Any:
    """As ``numba.njit(cache=True, **options)``, whether or not there is a place for a cache."""
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError:
        compiled = _elsewhere(function, options)
    cache: Any = getattr(compiled, "_cache", None)
    if hasattr(cache, "_cache_file"):
        cache.save_overload = _forgiving(cache.save_overload)
    return compiled


def _elsewhere(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """With a cache among the temporary files, if there can be one."""
    folder = _temporary_folder()
    if folder is None:
        _say_once(f"compiled kernels cannot be kept, so every start takes long; {_VARIABLE}")
        return njit(**options)(function)
    _say_once(f"compiled kernels are kept in '{folder}' for now; {_VARIABLE}")
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:
        return njit(**options)(function)
    finally:
        config.CACHE_DIR = before


def _temporary_folder() -> Path | None:
    """A folder that only this user can write to: what is cached there is run."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"infoset-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == user and not found.st_mode & 0o077
    return folder if is_ours or not hasattr(os, "getuid") else None


def _forgiving(save: Callable[..., None]) -> Callable[..., None]:
    """Let a kernel be used that could not be saved."""

    def attempt(*args: Any) -> None:
        try:
            save(*args)
        except OSError as error:
            reason = error.strerror or error
            _say_once(f"compiled kernels could not be saved ({reason}); {_VARIABLE}")

    return attempt


def _say_once(sentence: str) -> None:
    if sentence not in _said:
        _said.add(sentence)
        warnings.warn(sentence, RuntimeWarning, stacklevel=2)
