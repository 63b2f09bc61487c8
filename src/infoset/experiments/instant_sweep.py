"""The sweep of section 5.2 of instant CFR: which parameters of DCFR are best on a game."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infoset.experiments.convergence import Measurer, rounded
from infoset.machine.storage import write_atomically

__all__ = [
    "ALPHAS",
    "FLOORED",
    "GAMMAS",
    "SHORTLIST",
    "Setting",
    "Sweep",
    "choose",
    "settings",
    "sweep_settings",
    "write_sweeps",
]

ALPHAS: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0, 2.5)
BETAS: tuple[float, ...] = (-math.inf, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
GAMMAS: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0)
SHORTLIST = 8
"""Settings of each column that are repeated before the best of them is taken."""
FLOORED = -math.inf
"""With this beta nothing is kept of negative regrets, which is regret matching+."""


@dataclass(frozen=True)
class Setting:
    """One point of the sweep."""

    alpha: float
    beta: float
    gamma: float
    instant: bool

    @property
    def algorithm(self) -> str:
        """What one types to run it."""
        name = "idcfr" if self.instant else "dcfr"
        return f"{name}(alpha={self.alpha:g},beta={self.beta:g},gamma={self.gamma:g})"

    def __str__(self) -> str:
        return f"({self.alpha:g}, {self.beta:g}, {self.gamma:g})"


def settings(*, quick: bool) -> Iterator[Setting]:
    """The paper's sweep; DCFR+ and IDCFR+ are its settings with beta = -inf."""
    alphas, betas, gammas = ALPHAS, BETAS, GAMMAS
    if quick:
        alphas, betas, gammas = (1.0, 1.5, 2.0), (-math.inf, 0.0, 1.0), (1.0, 2.0)
    for instant in (False, True):
        for alpha, beta, gamma in itertools.product(alphas, betas, gammas):
            yield Setting(alpha, beta, gamma, instant)


Sweep = Mapping[Setting, float]


def sweep_settings(measurer: Measurer, tried: Sequence[Setting], end: int) -> dict[Setting, float]:
    """What a run with each setting ends with."""
    return {setting: measurer.curve(setting.algorithm, [end]).last for setting in tried}


def choose(
    measurer: Measurer,
    sweep: Sweep,
    columns: Mapping[str, Sequence[Setting]],
    end: int,
    shortlist: int = SHORTLIST,
) -> dict[str, Setting]:
    """The best setting of each column.

    The lowest of one run each would be the luckiest, so the lowest few are repeated first.
    """
    repeated: dict[Setting, float] = {}
    chosen = {}
    for column, of_column in columns.items():
        lowest = sorted(of_column, key=sweep.__getitem__)[:shortlist]
        for setting in lowest:
            if setting not in repeated:
                repeated[setting] = measurer.curve(setting.algorithm, [end]).last
        chosen[column] = min(lowest, key=repeated.__getitem__)
    return chosen


def write_sweeps(path: Path, sweeps: Mapping[str, Sweep]) -> None:
    """Write every setting as JSON: ``{game: {algorithm: exploitability}}``."""
    document = {
        game: {s.algorithm: rounded(x) for s, x in sweep.items()} for game, sweep in sweeps.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(document, indent=1) + "\n").encode())
