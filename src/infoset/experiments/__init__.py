"""The papers' artifacts, each one command: ``infoset reproduce NAME``.

Each file of this folder adds its own experiments, so a new one is one new file.
"""

from __future__ import annotations

import importlib
import pkgutil

from infoset.experiments.registry import Experiment as Experiment
from infoset.experiments.registry import Report as Report
from infoset.experiments.registry import Step as Step
from infoset.experiments.registry import Verdict as Verdict
from infoset.experiments.registry import experiment as experiment
from infoset.experiments.registry import find_experiment as find_experiment
from infoset.experiments.registry import known_experiments as known_experiments

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
