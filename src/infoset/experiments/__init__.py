"""The papers' artifacts, each one command: ``infoset reproduce NAME``.

Each file of this folder adds its own experiments, so a new one is one new file.
"""

from __future__ import annotations

import importlib
import pkgutil

from infoset.experiments.registry import (
    Experiment,
    Report,
    Step,
    Verdict,
    experiment,
    find_experiment,
    known_experiments,
)

__all__ = [
    "Experiment",
    "Report",
    "Step",
    "Verdict",
    "experiment",
    "find_experiment",
    "known_experiments",
]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
