"""Total and interval pruning, iteration by iteration, against their naive twins."""

from __future__ import annotations

import numpy as np
import pytest

import naive
import naive_checks
from games_for_tests import random_game
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.algorithms import find_recipe
from infoset.solvers.solving import regret_solver

GAMES = {
    "kuhn": lambda: make("kuhn"),
    "leduc by rank": lambda: make("leduc(by_rank=true)"),
    "no-limit leduc": lambda: make("nolimit_leduc(stack=3,by_rank=true)"),
    **{f"random {seed}": lambda seed=seed: random_game(seed, 4, deal=True) for seed in (3, 11)},
}
TWINS = {"total": naive_checks.CheckedTotal, "interval": naive_checks.CheckedInterval}
OPTIONS = {
    "plain": {"every": 3, "caution": 0.3, "drift": 0.0, "slack": 1.0},
    "with drift and slack": {"every": 2, "caution": 0.1, "drift": 1.5, "slack": 2.0},
    "certain": {"every": 3, "caution": float("inf"), "drift": 0.0, "slack": 1.0},
    "rash": {"every": 1, "caution": 0.0, "drift": 0.0, "slack": 1.0},
}


def text_of(kind, plus, options):
    inner = ",".join(f"{key}={value}" for key, value in options.items())
    return f"cfr{'+' if plus else ''}(pruning={kind}({inner},thrifty=false))"


def arrays_by_sequence(form, pair):
    out = {}
    for player, treeplex in enumerate(form.treeplexes):
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            begin = treeplex.infoset_begin[i]
            for a, label in enumerate(labels):
                out[(player, key), label] = float(pair[player][begin + a])
    return out


def agree(what, ours, theirs, scale=1.0):
    assert ours.keys() == theirs.keys(), what
    for sequence, number in theirs.items():
        assert ours[sequence] == pytest.approx(number, rel=1e-12, abs=1e-12 * scale), (
            f"{what} of {sequence}"
        )


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("plus", [False, True], ids=["cfr", "cfr+"])
@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize("game", GAMES)
def test_the_solver_agrees_with_its_twin(game, kind, plus, options):
    rules, chosen = GAMES[game](), OPTIONS[options]
    form = compile_game(rules)
    solver = regret_solver(form, find_recipe(text_of(kind, plus, chosen)), None)
    in_chips = form.lanes.unit.in_chips

    def solvers_regrets(key):
        """Where rounding alone decides, the twin does as the solver."""
        state = solver.state()
        pair = [in_chips(state[f"regrets{p}"]) for p in (0, 1)]
        return {
            label: number
            for (of, label), number in arrays_by_sequence(form, pair).items()
            if of == key
        }

    twin = TWINS[kind](naive.Histories(rules), plus=plus, tie_breaker=solvers_regrets, **chosen)
    for _ in range(18):
        solver.run(1)
        twin.iterate()
        for masks, sequences in ((solver._awake, twin.awake), (solver._masks, twin.live)):
            ours = arrays_by_sequence(form, masks)
            assert {s for s, is_in in ours.items() if is_in} == sequences
        regrets, averages = naive_checks.tables(twin)
        tables = solver._tables()
        found = arrays_by_sequence(form, [in_chips(array) for array in tables.regrets])
        agree("regret", {s: found[s] for s in twin.awake}, regrets, 18)
        agree("average", arrays_by_sequence(form, tables.average), averages)
    assert solver.layouts == twin.layouts
    assert solver.exploitability() == pytest.approx(naive_checks.exploitability(twin), abs=1e-12)
    if options == "rash":
        assert solver.layouts > 0
        assert not np.all([mask.all() for mask in solver._masks])
