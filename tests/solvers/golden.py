"""Golden trajectories: what solvers held after some iterations.

They were recorded at the end of the redesign (docs/decisions/0010), after trajectories of the code
before it had been compared.

``python tests/solvers/golden.py`` records them anew. That is right only after a change that is
meant to change numbers: the changelog should then say which, and why.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import llvmlite
import llvmlite.binding
import numba
import numpy as np

from infoset.forms import compile_game
from infoset.forms.spot_form import form_of_spot
from infoset.games import make
from infoset.games.holdem import Lock, Rake, Spot
from infoset.solvers import NEURAL, Limits, build_solver, find_algorithm, known_algorithms

FILE = Path(__file__).with_name("golden.json")

TABULAR = {name: known for name, known in known_algorithms().items() if name not in NEURAL}
"""Networks are trained by another library, whose last bits are its own."""
FULL_WIDTH = [
    name
    for name, known in TABULAR.items()
    if not known.is_sampled and name not in ("xfp", "lp", "hedge", "cfr-d")
]
SAMPLED = [name for name, known in TABULAR.items() if known.is_sampled]
VARIANTS = ("cfr(alternating=false)", "cfr+(skip=3)", "dcfr(beta=-inf)", "xfp", "hedge")

SIZES = {"bet": "50%, a", "raise": "a"}
SPOTS = {
    "river": Spot("Ks9h7d4c2s", "QQ+,A5s,98s", "TT+,AKo,65s", 200, 450, SIZES),
    "raked": Spot("Ks9h7d4c2s", "QQ+,AKs", "JJ+,AQs", 200, 300, SIZES, rake=Rake(0.05, 20)),
    "locked": Spot(
        *("Ks9h7d4c2s", "QQ+,AKs", "JJ+,AQs", 200, 300, SIZES),
        locks=[Lock("check", {"check": "JJ,KK"})],
    ),
    "turn": Spot("Ts9s6hQc", "AA,KJs", "JJ,A9s", 100, 150, {"bet": "a", "raise": ""}),
}


def cases() -> list[dict[str, object]]:
    """What is run: a kind, a game or spot, an algorithm, and iterations at which to look."""
    out: list[dict[str, object]] = []
    for game in ("kuhn", "leduc"):
        for algorithm in (*FULL_WIDTH, *VARIANTS):
            out.append({"form": "sequence", "game": game, "algorithm": algorithm, "at": [1, 50]})
    for spot in SPOTS:
        for algorithm in FULL_WIDTH if spot == "river" else ("cfr+", "dcfr", "pdcfr+", "icfr"):
            for bits in (32, 16):
                case = {"form": "public", "game": spot, "algorithm": algorithm, "bits": bits}
                out.append({**case, "at": [1, 20]})
    for algorithm in SAMPLED:
        for game in ("kuhn", "leduc"):
            # Public-chance sampling needs public cards, which Kuhn poker has not.
            if (algorithm, game) != ("pcs-mccfr", "kuhn"):
                case = {"form": "sequence", "game": game, "algorithm": algorithm, "seed": 1}
                out.append({**case, "at": [1, 20]})
        if algorithm != "pcs-mccfr":
            case = {"form": "rules", "game": "kuhn", "algorithm": algorithm, "seed": 1}
            out.append({**case, "at": [1, 5]})
    return out


def trajectory(case: dict[str, object]) -> dict[str, dict[str, list[str]]]:
    """By iteration and name of the array: a checksum, and a sum by which differences are judged."""
    game = str(case["game"])
    if case["form"] == "public":
        form = form_of_spot(SPOTS[game])
    else:
        form = compile_game(make(game)) if case["form"] == "sequence" else make(game)
    at = list(case["at"])  # type: ignore[call-overload]
    solver = build_solver(
        *(form, find_algorithm(str(case["algorithm"])), Limits(iterations=at[-1])),
        seed=int(case.get("seed", 0)),  # type: ignore[call-overload]
        bits=int(case.get("bits", 32)),  # type: ignore[call-overload]
    )
    out = {}
    for iteration in at:
        solver.run(iteration - solver.iteration)
        out[str(iteration)] = {name: _digest(array) for name, array in solver.state().items()}
    return out


def _digest(array: np.ndarray) -> list[str]:
    numbers = np.ascontiguousarray(array)
    flat = numbers.ravel().astype(np.float64)
    # Weights of all sizes, so that numbers which change places do not cancel.
    total = float((flat * (1.0 + np.arange(len(flat)) % 7)).sum())
    return [hashlib.sha256(numbers.tobytes()).hexdigest()[:16], total.hex()]


def machine() -> dict[str, str]:
    """What the last bits depend on."""
    return {
        "cpu": llvmlite.binding.get_host_cpu_name(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }


if __name__ == "__main__":
    recorded = [{**case, "trajectory": trajectory(case)} for case in cases()]
    lines = ",\n".join(json.dumps(each) for each in recorded)
    FILE.write_text(f'{{"machine": {json.dumps(machine())}, "cases": [\n{lines}\n]}}\n')
    sys.stderr.write(f"{len(recorded)} cases\n")
