"""All commands, in the order in which the help lists them."""

from __future__ import annotations

import importlib

from infoset.cli.app import app

__all__ = ["app"]

# Importing a module adds its commands to the application.
for _module in (
    *("listing", "solve", "inspection", "compare", "reproduce"),
    *("spot", "spot_solve", "spot_show"),
):
    importlib.import_module(f"infoset.cli.{_module}")
