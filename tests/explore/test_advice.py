"""What a solution would do and what actions are worth, against histories counted one by one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError
from infoset.explore import Adviser
from infoset.explore.advice import NEVER, SAMPLED
from infoset.forms import form_of_spot, layout_of
from infoset.games import CHANCE, TERMINAL
from infoset.strategy import PublicStrategy, SequenceStrategy

SPOT = infoset.Spot(
    "Ks9h7d4c", "AA,QsJs:0.5", "JJ,Ts8s", pot=100, stack=150, bet_sizes={"bet": "50%,a"}
)


def naive_values(game, strategy):
    """By player and infoset: what each action wins on average, over all histories of it.

    Weighed by how likely chance and the opponent lead to each history; and that weight in total.
    """
    sums: dict = {}
    weights: dict = {}

    def walk(state, reach):
        """The value of a state for player 0; `reach` is that of player 0, player 1 and chance."""
        if state.player == TERMINAL:
            return float(state.payoff)
        if state.player == CHANCE:
            return sum(
                float(p) * walk(state.child(label), (*reach[:2], reach[2] * float(p)))
                for label, p in state.chance
            )
        player = state.player
        key = player, state.infoset
        weight = reach[1 - player] * reach[2]
        weights[key] = weights.get(key, 0.0) + weight
        value = 0.0
        for action, p in strategy[key].items():
            after = list(reach)
            after[player] *= p
            below = walk(state.child(action), tuple(after))
            value += p * below
            own = below if player == 0 else -below
            place = sums.setdefault(key, {})
            place[action] = place.get(action, 0.0) + weight * own
        return value

    walk(game.root(), (1.0, 1.0, 1.0))
    return {
        key: {action: total / weights[key] for action, total in by_action.items()}
        for key, by_action in sums.items()
        if weights[key] > 0
    }


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars_dice(faces=3)"])
def test_in_sequence_form_against_all_histories(name):
    game = infoset.game(name)
    strategy = infoset.solve(name, "cfr", iterations=20).strategy
    adviser, known = Adviser(game, strategy), naive_values(game, strategy)
    for (player, key), values in known.items():
        advice = adviser.at(player, key)
        assert advice.probabilities == strategy[player, key]
        assert advice.values == pytest.approx(values, abs=1e-9)
        for action, value in values.items():
            assert advice.cost(action) == pytest.approx(max(values.values()) - value, abs=1e-9)


def test_a_small_game_in_public_form_is_the_same():
    solution = infoset.solve("leduc", "cfr", iterations=20, form="public")
    game = infoset.game("leduc")
    adviser, known = Adviser(game, solution.strategy), naive_values(game, solution.strategy)
    for (player, key), values in known.items():
        assert adviser.at(player, key).values == pytest.approx(values, abs=1e-6)


def test_in_a_spot_values_are_those_of_the_game_that_a_spot_is():
    """Relative to half of the pot, as payoffs are; also on boards that others are played for."""
    strategy = infoset.solve(SPOT, iterations=10).strategy
    adviser = Adviser(SPOT, strategy)
    known = naive_values(SPOT, strategy)
    assert len(known) > 1000
    for (player, key), values in list(known.items())[::37]:
        advice = adviser.at(player, key)
        assert advice.probabilities == pytest.approx(strategy[player, key])
        assert advice.values == pytest.approx(values, abs=1e-3)


def test_where_the_opponent_never_comes_there_are_no_values():
    game = infoset.game("kuhn")
    form = infoset.compile("kuhn")
    never = {key: {"check": 1.0, "bet": 0.0} for key in form.treeplexes[0].keys if key[2:] == ""}
    strategy = SequenceStrategy.from_tables(form, (never, {}))
    advice = Adviser(game, strategy).at(1, "Q:bet")
    assert advice.probabilities == {"fold": 0.5, "call": 0.5}
    assert advice.values is None
    assert advice.no_values == NEVER
    assert advice.cost("fold") is None


def test_in_a_spot_where_the_opponent_never_comes_there_are_no_values():
    spot = infoset.Spot("Ks9h7d4c2s", "AA", "JJ", pot=100, stack=100, bet_sizes={"bet": "a"})
    form = form_of_spot(spot)
    tables = {(0, player): always_first(form, player) for player in (0, 1)}
    adviser = Adviser(spot, PublicStrategy.from_probabilities(form, tables))
    assert adviser.at(1, "JhJd:all-in 100").values is None
    # Both would check, and aces would fold.
    assert adviser.at(1, "JhJd:check").values == pytest.approx({"check": -50, "all-in 100": 50})


def always_first(form, player):
    """The table of a player on a river who takes the first action wherever he decides."""
    layout = layout_of(form)
    betting, rows = layout.bettings[0][player], layout.rows[0][player]
    shape = len(rows.num_live), betting.num_sequences, form.num_hands[player]
    table = np.zeros(shape, np.float32)
    table[:, np.cumsum(betting.node_actions) - betting.node_actions] = 1.0
    return table


def test_a_solution_that_was_sampled_by_the_rules_has_no_values():
    game = infoset.game("kuhn")
    solution = infoset.solve("kuhn", "es-mccfr", iterations=500, form="rules", seed=1)
    advice = Adviser(game, solution.strategy).at(0, "K:")
    assert math.isclose(sum(advice.probabilities.values()), 1.0)
    assert advice.values is None
    assert advice.no_values == SAMPLED


def test_an_infoset_that_is_not_there_is_refused():
    game = infoset.game("kuhn")
    with pytest.raises(BadInputError, match="has no infoset 'A:'"):
        Adviser(game, infoset.uniform("kuhn")).at(0, "A:")


def test_known_values_of_kuhn():
    """By the rules of thumb of Kuhn (1950): a queen that faces a bet loses 1 either way."""
    game = infoset.game("kuhn")
    adviser = Adviser(game, infoset.solve("kuhn", "cfr+", exploitability=1e-7).strategy)
    values = adviser.at(1, "Q:bet").values
    assert values == pytest.approx({"fold": -1, "call": -1}, abs=1e-3)
    assert adviser.at(1, "K:bet").values == pytest.approx({"fold": -1, "call": 2}, abs=1e-3)
    first = {card: adviser.at(0, f"{card}:") for card in "JQK"}
    value = sum(Fraction(1, 3) * Fraction(max(advice.values.values())) for advice in first.values())
    assert float(value) == pytest.approx(-1 / 18, abs=1e-4)
