"""The papers' artifacts, each one command: ``infoset reproduce NAME``.

Each file of this folder adds its own experiments, so a new one is one new file, in four steps
(`instant_fig1.py` has them all):

1. `experiment` above a function gives it a name, the artifact, and what the paper claims.
2. `with_seeds`, `in_units` or `on_situations` (`measurer.py`) run algorithms again and again, which
   gives a `Curve` each, with the band that suits how its repetitions differ.
3. `write_curves` keeps the points, `drawing` begins and ends a figure, `draw_curves` fills a panel.
4. `report` takes a `Claim` for each sentence of the paper, and the rows of a table.

A function that also takes ``full`` can be made at the paper's scale, where its default is smaller.
Networks are measured by `neural_runs.py`, and reported by `neural_figures.py` (`dncfr_fig4b.py`).
"""

from __future__ import annotations

import importlib
import pkgutil

from infoset.experiments.registry import Experiment as Experiment
from infoset.experiments.registry import Report as Report
from infoset.experiments.registry import experiment as experiment
from infoset.experiments.registry import find_experiment as find_experiment
from infoset.experiments.registry import known_experiments as known_experiments

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
