"""Doors of packages: what an `__init__` lists is loaded when it is first used.

The compiler behind the kernels takes half a second to import, and `infoset --help` has no use for
it. So an `__init__` imports its names for type checkers only, and `door` loads them for the others:
one list serves both.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any


def door(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package, from the imports under ``if TYPE_CHECKING``.

    >>> load, names = door("infoset")
    >>> load("SequenceForm").__name__, "solve" in names()
    ('SequenceForm', True)
    """
    module = sys.modules[package]
    assert module.__spec__ is not None
    source = module.__spec__.loader.get_source(package)  # type: ignore[union-attr]
    homes = {
        alias.name: node.module
        for block in ast.parse(source).body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }

    def load(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home == package:
            return importlib.import_module(f"{package}.{name}")
        return getattr(importlib.import_module(home), name)

    return load, lambda: sorted({*vars(module), *homes})
