"""OpenSpiel measures the same strategies on its own games."""

from __future__ import annotations

import random

import pytest

from infoset.evaluation import best_response, expected_value, exploitability
from infoset.forms import compile_game
from infoset.games import CHANCE, make
from infoset.strategy import SequenceStrategy

pyspiel = pytest.importorskip("pyspiel")

# Games whose trees are the same in both, state by state (tests/games/test_open_spiel.py).
PAIRS = [
    ("kuhn", "kuhn_poker"),
    ("leduc", "leduc_poker"),
    ("liars_dice(faces=3)", "liars_dice(numdice=1,dice_sides=3)"),
    ("goofspiel(cards=3)", "goofspiel(imp_info=True,num_cards=3,points_order=descending)"),
]


def random_row(rng, count):
    """A distribution with some zeros."""
    weights = [rng.expovariate(1) * (rng.random() > 0.2) for _ in range(count)]
    weights[rng.randrange(count)] += 1e-3
    return [w / sum(weights) for w in weights]


def twice(ours, theirs, seed):
    """One random strategy in both forms: our tables, and OpenSpiel's policy.

    Both games are walked in lock step, so that nothing depends on how infosets are called.
    """
    rng = random.Random(seed)
    tables, policy = ({}, {}), {}

    def visit(state, spiel):
        if spiel.is_terminal():
            return
        if state.player == CHANCE:
            moves = [
                (label, number)
                for (label, _), (number, _) in zip(
                    state.chance, spiel.chance_outcomes(), strict=True
                )
            ]
        else:
            moves = list(zip(state.actions, spiel.legal_actions(), strict=True))
            row = tables[state.player].get(state.infoset)
            if row is None:
                chances = random_row(rng, len(moves))
                row = dict(zip(state.actions, chances, strict=True))
                tables[state.player][state.infoset] = row
                string = spiel.information_state_string()
                assert string not in policy
                policy[string] = [(number, row[label]) for label, number in moves]
        for label, number in moves:
            visit(state.child(label), spiel.child(number))

    visit(ours.root(), theirs.new_initial_state())
    return tables, pyspiel.TabularPolicy(policy)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_random_strategies(ours, theirs, seed):
    game, spiel = make(ours), pyspiel.load_game(theirs)
    if spiel.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        spiel = pyspiel.convert_to_turn_based(spiel)
    tables, policy = twice(game, spiel, seed)
    strategy = SequenceStrategy.from_tables(compile_game(game), tables)
    assert exploitability(strategy) == pytest.approx(
        pyspiel.exploitability(spiel, policy), abs=1e-12
    )
    assert 2 * exploitability(strategy) == pytest.approx(
        pyspiel.nash_conv(spiel, policy), abs=1e-12
    )
    values = pyspiel.expected_returns(spiel.new_initial_state(), policy, -1, True)
    assert expected_value(strategy) == pytest.approx(values[0], abs=1e-12)
    for player in (0, 1):
        theirs_best = pyspiel.TabularBestResponse(spiel, player, policy)
        root = spiel.new_initial_state()
        assert best_response(strategy, player).value == pytest.approx(
            theirs_best.value_from_state(root), abs=1e-12
        )
