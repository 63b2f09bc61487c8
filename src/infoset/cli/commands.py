"""All commands, in the order in which the help lists them."""

from __future__ import annotations

import importlib

from infoset.cli.app import app

__all__ = ["app"]

# Importing a module adds its command to the application.
for _module in (
    "listing",
    "tree",
    "solve",
    "show",
    "evaluate",
    "resolve",
    "trim",
    "compare",
    "play",
    "match",
    "replay",
    "acpc",
    "spot_from",
    "reproduce",
):
    importlib.import_module(f"infoset.cli.{_module}")
