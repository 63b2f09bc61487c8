"""Thresholding and purification: against a twin by infoset, in both forms, and their properties."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
import naive
from infoset.errors import BadInputError
from infoset.evaluation import measure_strategy
from infoset.forms import compile_game
from infoset.games import make
from infoset.strategy import SequenceStrategy, purify, threshold
from spots_for_tests import RIVER, TURN

KUHN = compile_game(make("kuhn"))


def naive_threshold(actions, least):
    """What is left of the probabilities of one infoset, by the definition."""
    most = max(actions.values())
    kept = {a: p if p >= least or p == most else 0.0 for a, p in actions.items()}
    total = math.fsum(kept.values())
    return {a: p / total for a, p in kept.items()}


def naive_purify(actions):
    likeliest = [a for a, p in actions.items() if p == max(actions.values())]
    return {a: 1 / len(likeliest) if a in likeliest else 0.0 for a in actions}


def assert_same_tables(strategy, cut, expected, within=1e-12):
    for player in (0, 1):
        before, after = strategy.table(player), cut.table(player)
        assert before.keys() == after.keys()
        for key, actions in before.items():
            assert after[key] == pytest.approx(expected(actions), abs=within), key


@st.composite
def kuhn_strategies(draw):
    """Kuhn strategies with ties, zeros and shares close to any threshold."""
    tables = []
    for treeplex in KUHN.treeplexes:
        table = {}
        for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
            numbers = draw(st.lists(st.integers(0, 5), min_size=len(labels), max_size=len(labels)))
            total = sum(numbers)
            if total:
                table[key] = {a: n / total for a, n in zip(labels, numbers, strict=True)}
        tables.append(table)
    return SequenceStrategy.from_tables(KUHN, tuple(tables))


@given(kuhn_strategies(), st.floats(0, 1))
def test_a_threshold_is_that_of_the_twin(strategy, least):
    assert_same_tables(strategy, threshold(strategy, least), lambda a: naive_threshold(a, least))


@given(kuhn_strategies(), st.floats(0, 1), st.floats(0, 1))
def test_properties(strategy, least, other):
    """Again changes nothing more; zero changes nothing; one purifies; support only shrinks."""
    low, high = sorted((least, other))
    cut = threshold(strategy, low)
    assert_same_tables(strategy, purify(strategy), naive_purify)
    assert_same_tables(strategy, threshold(strategy, 0.0), dict)
    assert_same_tables(strategy, threshold(strategy, 1.0), naive_purify)
    assert_same_tables(cut, threshold(cut, low), dict)
    assert_same_tables(purify(strategy), purify(purify(strategy)), dict)
    for key, actions in threshold(strategy, high).items():
        assert sum(actions.values()) == pytest.approx(1.0, abs=1e-12)
        assert all(strategy[key][a] > 0 and cut[key][a] > 0 for a, p in actions.items() if p > 0)
        # What stays keeps its proportions.
        first, second = (
            [table[key][a] for a, p in actions.items() if p] for table in ({key: actions}, strategy)
        )
        assert [p / max(first) for p in first] == pytest.approx([p / max(second) for p in second])


def test_the_strategy_itself_is_not_changed():
    strategy = infoset.solve("leduc", iterations=20).strategy
    before = [array.tobytes() for array in strategy.probabilities]
    purify(strategy)
    assert before == [array.tobytes() for array in strategy.probabilities]


@pytest.mark.parametrize("form", ["sequence", "public"])
@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_what_it_costs_is_what_a_naive_measurement_says(game, form):
    """In both forms: the twin by infoset, measured by recursion over the rules."""
    histories = naive.Histories(make(game))
    strategy = infoset.solve(game, "cfr+", iterations=30, form=form).strategy
    for cut, expected in (
        (threshold(strategy, 0.2), lambda actions: naive_threshold(actions, 0.2)),
        (purify(strategy), naive_purify),
    ):
        twin = {(p, key): expected(a) for p in (0, 1) for key, a in strategy.infosets(p)}
        measured = measure_strategy(cut).exploitability
        assert measured == pytest.approx(naive.exploitability(histories, twin), abs=1e-5)


@pytest.mark.parametrize("bits", [16, 32])
def test_spots(bits):
    """On several boards, with hands that boards block, in both precisions."""
    strategy = infoset.solve(TURN, iterations=30, bits=bits, threads=1).strategy
    cut = threshold(strategy, 0.1)
    assert_same_tables(strategy, cut, lambda a: naive_threshold(a, 0.1), within=1e-4)
    assert {table.data.dtype for pair in cut.averages for table in pair} == {
        table.data.dtype for pair in strategy.averages for table in pair
    }
    assert_same_tables(strategy, purify(strategy), naive_purify, within=1e-4)


def test_locks_stay():
    lock = {"path": "check", "strategy": {"check": "99:0.25", "bet 50%": "99:0.75"}}
    spot = infoset.Spot("Ks9h7d4c2s", RIVER.range_oop, RIVER.range_ip, 100, 250, locks=[lock])
    strategy = infoset.solve(spot, iterations=20).strategy
    assert purify(strategy)["9d9c:check"]["check"] == pytest.approx(0.25, abs=1e-6)
    assert set(purify(strategy)["3d3c:check"].values()) == {0.0, 1.0}


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), "0.1", True, None])
def test_what_is_no_probability_is_refused(least):
    with pytest.raises(BadInputError, match="must be a probability from 0 to 1"):
        threshold(SequenceStrategy.uniform(KUHN), least)
