"""Strategies: what is read from tables, how it is looked up, and how it is laid out in rows."""

from __future__ import annotations

import numpy as np
import pytest

from games_for_tests import End, TreeGame, turn
from infoset.errors import BadInputError
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.sequence.regret import Recipe, RegretSolver
from infoset.strategy import Row, SequenceStrategy

KUHN = compile_game(make("kuhn"))
# Both players have an infoset "same".
SHARED = compile_game(
    TreeGame(turn(0, "same", a=turn(1, "same", x=End(1), y=End(2)), b=turn(1, "own", z=End(3))))
)


def test_probabilities_are_scaled_to_sum_to_one():
    """What is off by rounding in a file, or in decimals, is made exact."""
    table = {"J:": {"check": 0.6666666, "bet": 0.3333333}}
    row = SequenceStrategy.from_tables(KUHN, (table, {}))["J:"]
    assert row["check"] == pytest.approx(2 / 3, abs=1e-15)
    assert sum(row.values()) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("off", [-2e-6, 2e-6, 0.5, -1.0])
def test_probabilities_that_do_not_sum_to_one_are_refused(off):
    for table in ({"J:": {"check": 0.5 + off, "bet": 0.5}}, {"J:": {"bet": 1 + off}}):
        with pytest.raises(BadInputError, match="must be at least 0 and sum to 1"):
            SequenceStrategy.from_tables(KUHN, (table, {}))


@pytest.mark.parametrize("row", [{"check": -0.5, "bet": 1.5}, {"check": float("nan"), "bet": 1}])
def test_what_is_no_probability_is_refused(row):
    with pytest.raises(BadInputError, match="must be at least 0 and sum to 1"):
        SequenceStrategy.from_tables(KUHN, ({"J:": row}, {}))


def test_what_is_left_out():
    """Actions that are not named are not taken; infosets that are not named play uniformly."""
    strategy = SequenceStrategy.from_tables(KUHN, ({"J:": {"bet": 1}}, {"K:bet": {"call": 1}}))
    assert strategy["J:"] == {"check": 0.0, "bet": 1.0}
    assert strategy["Q:"] == {"check": 0.5, "bet": 0.5}
    assert strategy["K:bet"] == {"fold": 0.0, "call": 1.0}


def test_names_that_are_unknown():
    with pytest.raises(BadInputError, match="player 0 has no infoset 'K:bet'"):
        SequenceStrategy.from_tables(KUHN, ({"K:bet": {"call": 1}}, {}))
    with pytest.raises(BadInputError, match="no action 'cal'; did you mean 'call'"):
        SequenceStrategy.from_tables(KUHN, ({}, {"K:bet": {"cal": 1}}))
    uniform = SequenceStrategy.uniform(KUHN)
    for key in ("K:bett", (0, "K:bet"), (1, "K:")):
        with pytest.raises(BadInputError, match="kuhn has no infoset"):
            uniform[key]
    with pytest.raises(BadInputError, match="there is no player 2"):
        uniform[2, "K:"]


def test_a_name_that_both_players_have():
    strategy = SequenceStrategy.from_tables(SHARED, ({"same": {"a": 1}}, {"same": {"y": 1}}))
    assert strategy[0, "same"] == {"a": 1, "b": 0}
    assert strategy[1, "same"] == {"x": 0, "y": 1}
    with pytest.raises(BadInputError, match="both players have an infoset 'same'"):
        strategy["same"]
    assert strategy.get("same") is None
    assert strategy["own"] == {"z": 1}
    assert list(strategy) == [(0, "same"), (1, "same"), (1, "own")]
    assert len(strategy) == 3


@pytest.mark.parametrize(("tree", "number"), [(KUHN, 24), (SHARED, 5)], ids=["kuhn", "shared"])
def test_rows_tables_and_columns_say_the_same(tree, number):
    solver = RegretSolver(tree, Recipe())
    solver.run(5)
    strategy = solver.strategy()
    rows = list(strategy.rows())
    assert len(rows) == number
    for row in rows:
        assert strategy[row.player, row.infoset][row.action] == row.probability
        assert strategy.table(row.player)[row.infoset][row.action] == row.probability
    frame = pytest.importorskip("pandas").DataFrame(strategy.to_pandas())
    assert [Row(*line) for line in frame.itertuples(index=False)] == rows
    arrow = pytest.importorskip("pyarrow") and strategy.to_arrow()
    assert [Row(**line) for line in arrow.to_pylist()] == rows


def test_a_plan_that_never_goes_somewhere_is_uniform_there():
    """Out of plans that are products of probabilities come the probabilities."""
    chances = [treeplex.uniform() for treeplex in KUHN.treeplexes]
    first = KUHN.treeplexes[0]
    at = {key: int(first.infoset_begin[i]) for key, i in first.infoset_of_key.items()}
    chances[0][at["J:"] : at["J:"] + 2] = 0.0, 1.0  # never checks,
    chances[0][at["K:"] : at["K:"] + 2] = 0.25, 0.75
    chances[0][at["K:check,bet"] : at["K:check,bet"] + 2] = 0.1, 0.9
    plan = chances[0].copy()
    for i, parent in enumerate(first.infoset_parent):
        plan[first.infoset_begin[i] : first.infoset_begin[i + 1]] *= plan[parent]
    lanes = KUHN.lanes
    strategy = SequenceStrategy.from_plans(
        KUHN, (lanes.spread(0, plan), lanes.spread(1, chances[1]))
    )
    assert strategy["J:"] == {"check": 0.0, "bet": 1.0}
    assert strategy["J:check,bet"] == {"fold": 0.5, "call": 0.5}  # so never comes here
    assert strategy["K:check,bet"] == pytest.approx({"fold": 0.1, "call": 0.9})
    np.testing.assert_allclose(strategy.probabilities[0], chances[0], atol=1e-15)


def test_what_is_not_there_is_nothing_and_not_an_error():
    strategy = SequenceStrategy.uniform(compile_game(make("kuhn")))
    assert strategy.get("K:") == strategy["K:"] == strategy.get((0, "K:"))
    for missing in ("nonsense", (1, "K:"), (2, "K:"), 5):
        assert strategy.get(missing) is None
        assert strategy.get(missing, 7) == 7
        assert missing not in strategy
