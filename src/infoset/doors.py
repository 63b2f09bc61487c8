"""Lazy imports for packages: names that are loaded when they are first used.

The compiler behind the kernels takes half a second to import, and `infoset --help` has no use for
it. So packages that bring it load their modules late.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["door"]


def door(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: ``modules`` says which module has which names.

    >>> find = door("infoset", {"version": ("__version__",)})
    >>> find("__version__").count(".")
    2
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{homes[name]}"), name)

    return load
