"""Fictitious play: against a twin written from the paper, and what it converges to."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from games_for_tests import CORNERS, Changed, matrix_game, random_game, whole_payoff
from infoset.evaluation import exploitability
from infoset.forms import compile_game
from infoset.games import CHANCE, TERMINAL, make
from infoset.solvers.sequence.fictitious_play import FictitiousPlaySolver
from infoset.strategy import SequenceStrategy


class NaiveFictitiousPlay:
    """Algorithm 1 of Heinrich, Lanctot & Silver (2015), over histories and with exact fractions.

    A strategy is ``{(player, infoset): {action: probability}}``. Nothing here knows sequences,
    plans or sums of them: the average moves infoset by infoset, as Theorem 7 of the paper says.
    """

    def __init__(self, game, *, alternating):
        self.alternating = alternating
        self.iteration = 0
        self.root = game.root()
        self.actions = {}
        self.holds = defaultdict(list)
        self._read(self.root)
        self.average = {
            key: dict.fromkeys(actions, Fraction(1, len(actions)))
            for key, actions in self.actions.items()
        }

    def _read(self, state):
        if state.player == CHANCE:
            for label, _ in state.chance:
                self._read(state.child(label))
        elif state.player != TERMINAL:
            key = state.player, state.infoset
            self.actions[key] = list(state.actions)
            for action in state.actions:
                self._read(state.child(action))

    def _best_response(self, player):
        """At every infoset the action worth most, the first of them if there are several."""
        weights = defaultdict(list)

        def visit(state, reach):
            """Find all histories of an infoset, with their reach by chance and the opponent."""
            if state.player == CHANCE:
                for label, p in state.chance:
                    visit(state.child(label), reach * Fraction(p))
            elif state.player == player:
                weights[state.infoset].append((state, reach))
                for action in state.actions:
                    visit(state.child(action), reach)
            elif state.player != TERMINAL:
                for action, p in self.average[state.player, state.infoset].items():
                    visit(state.child(action), reach * p)

        chosen = {}

        def worth(state):
            if state.player == TERMINAL:
                return Fraction(state.payoff) * (1 - 2 * player)
            if state.player == CHANCE:
                return sum(Fraction(p) * worth(state.child(label)) for label, p in state.chance)
            if state.player == player:
                return worth(state.child(choose(state.infoset)))
            average = self.average[state.player, state.infoset]
            return sum(p * worth(state.child(action)) for action, p in average.items())

        def choose(infoset):
            if infoset not in chosen:
                values = {
                    action: sum(reach * worth(h.child(action)) for h, reach in weights[infoset])
                    for action in self.actions[player, infoset]
                }
                chosen[infoset] = max(values, key=values.__getitem__)
            return chosen[infoset]

        visit(self.root, Fraction(1))
        return {
            (player, infoset): {
                a: Fraction(a == choose(infoset)) for a in self.actions[player, infoset]
            }
            for infoset in weights
        }

    def _own_reach(self, player, strategy):
        """x(sigma_u): with what probability a player's own actions lead to each of his infosets."""
        reach = {}

        def visit(state, x):
            if state.player == CHANCE:
                for label, _ in state.chance:
                    visit(state.child(label), x)
            elif state.player == player:
                key = player, state.infoset
                reach[key] = x
                for action in state.actions:
                    visit(state.child(action), x * strategy[key][action])
            elif state.player != TERMINAL:
                for action in state.actions:
                    visit(state.child(action), x)

        visit(self.root, Fraction(1))
        return reach

    def _mix(self, player, response, share):
        """Theorem 7: a behavioural strategy that is realisation equivalent to the mixture."""
        old, new = self._own_reach(player, self.average), self._own_reach(player, response)
        for key, best in response.items():
            whole = (1 - share) * old[key] + share * new[key]
            self.average[key] = {
                action: p + share * new[key] * (best[action] - p) / whole
                for action, p in self.average[key].items()
            }

    def iterate(self):
        self.iteration += 1
        share = Fraction(1, self.iteration + 1)
        if self.alternating:
            for player in (0, 1):
                self._mix(player, self._best_response(player), share)
        else:
            responses = [self._best_response(player) for player in (0, 1)]
            for player in (0, 1):
                self._mix(player, responses[player], share)

    def strategy(self, tree):
        tables = ({}, {})
        for (player, infoset), actions in self.average.items():
            tables[player][infoset] = {action: float(p) for action, p in actions.items()}
        return SequenceStrategy.from_tables(tree, tables)


def assert_same_trajectory(game, *, alternating, iterations=10):
    tree = compile_game(game)
    solver = FictitiousPlaySolver(tree, alternating=alternating)
    twin = NaiveFictitiousPlay(game, alternating=alternating)
    for _ in range(iterations):
        solver.run(1)
        twin.iterate()
        for ours, theirs in zip(
            solver.strategy().probabilities, twin.strategy(tree).probabilities, strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("alternating", [False, True])
@pytest.mark.parametrize("game", ["rps", "kuhn", "leduc(by_rank=true)"])
def test_ten_iterations_as_the_twin(game, alternating):
    assert_same_trajectory(make(game), alternating=alternating)


@pytest.mark.parametrize("alternating", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_random_games_with_ties_as_the_twin(seed, alternating):
    game = random_game(seed, depth=3 + seed % 3, pay=whole_payoff)
    assert_same_trajectory(game, alternating=alternating)


@pytest.mark.parametrize("corner", CORNERS)
def test_corner_cases_as_the_twin(corner):
    assert_same_trajectory(CORNERS[corner], alternating=False)


@pytest.mark.parametrize("alternating", [False, True])
def test_suits_change_nothing(alternating):
    """Leduc with and without suits is one game, so rounding apart it has one trajectory."""
    with_suits, by_rank = (
        FictitiousPlaySolver(compile_game(make(game)), alternating=alternating)
        for game in ("leduc", "leduc(by_rank=true)")
    )
    for solver in (with_suits, by_rank):
        solver.run(1000)
    assert exploitability(with_suits.strategy()) == pytest.approx(
        exploitability(by_rank.strategy()), rel=1e-9
    )


# Measured: 0.0067 and 0.0012 on Kuhn, 0.063 and 0.022 on Leduc. Uniform play is at 0.458 and 2.37,
# and ten times the iterations gain a factor of three or four.
@pytest.mark.parametrize(
    ("game", "alternating", "bound"),
    [
        ("kuhn", False, 0.0075),
        ("kuhn", True, 0.0015),
        ("leduc(by_rank=true)", False, 0.07),
        ("leduc(by_rank=true)", True, 0.025),
    ],
)
def test_converges(game, alternating, bound):
    solver = FictitiousPlaySolver(compile_game(make(game)), alternating=alternating)
    assert exploitability(solver.strategy()) > 0.4
    solver.run(1000)
    assert 0 < exploitability(solver.strategy()) < bound


@pytest.mark.parametrize("alternating", [False, True])
@pytest.mark.parametrize("game", ["leduc(by_rank=true)", "goofspiel(cards=4)", "kuhn"])
@pytest.mark.parametrize("scale", [2.0**30, 2.0**-30, Fraction(1, 999_983)])
def test_the_size_of_payoffs_does_not_matter(scale, game, alternating):
    """Ties least of all: they are within 1e-12 of the largest payoff, in whatever unit.

    Thousandths and the like are held as whole numbers of a small unit, here of a millionth.
    """
    solvers = [
        FictitiousPlaySolver(compile_game(Changed(make(game), scale=s)), alternating=alternating)
        for s in (1, scale)
    ]
    for solver in solvers:
        solver.run(300)
    plain, scaled = (solver.strategy().probabilities for solver in solvers)
    for ours, theirs in zip(scaled, plain, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_ties_are_ties_however_many_plans_are_summed(seed):
    """Rounding grows with the sum of plans, and so does what counts as equally good.

    Both actions of player 0 are worth the mean of the same three numbers, but summed in another
    order. After a million iterations rounding is a hundred times 1e-12 of the largest payoff.
    """
    a, b, c = np.random.default_rng(seed).uniform(-1, 1, 3).tolist()
    solver = FictitiousPlaySolver(compile_game(matrix_game([[a, b, c], [b, c, a]])))
    count = 1e6 + 1
    halves, thirds = np.array([1, 1 / 2, 1 / 2]), np.array([1, 1 / 3, 1 / 3, 1 / 3])
    solver.restore({"average0": count * halves, "average1": count * thirds}, 10**6)
    solver.run(1)
    first, second = solver.state()["average0"][1:] - count / 2
    assert (first, second) == (pytest.approx(1.0), pytest.approx(0.0))


def test_starts_uniform():
    tree = compile_game(make("leduc"))
    solver = FictitiousPlaySolver(tree)
    assert solver.iteration == 0
    assert not solver.is_exact
    for ours, uniform in zip(
        solver.strategy().probabilities, SequenceStrategy.uniform(tree).probabilities, strict=True
    ):
        np.testing.assert_allclose(ours, uniform, rtol=1e-15)


@pytest.mark.parametrize("alternating", [False, True])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "goofspiel(cards=4)"])
def test_a_restored_run_is_bit_identical(game, alternating):
    tree = compile_game(make(game))
    straight, stopped, resumed = (
        FictitiousPlaySolver(tree, alternating=alternating) for _ in range(3)
    )
    straight.run(137)
    for size in (1, 20, 0, 16):
        stopped.run(size)
    resumed.restore(stopped.state(), stopped.iteration)
    resumed.run(100)
    assert resumed.iteration == straight.iteration == 137
    for name, array in straight.state().items():
        assert array.dtype == np.float64
        assert array.tobytes() == resumed.state()[name].tobytes()
    for ours, theirs in zip(
        resumed.strategy().probabilities, straight.strategy().probabilities, strict=True
    ):
        assert ours.tobytes() == theirs.tobytes()


def test_the_state_is_a_copy():
    solver = FictitiousPlaySolver(compile_game(make("kuhn")))
    before = solver.state()
    kept = {name: array.copy() for name, array in before.items()}
    solver.run(3)
    for name, array in before.items():
        np.testing.assert_array_equal(array, kept[name])


def test_bytes():
    tree = compile_game(make("leduc"))
    solver = FictitiousPlaySolver(tree)
    assert solver.kept_bytes == 8 * tree.num_sequences
    assert solver.working_bytes == 2 * 8 * sum(tree.lanes.sizes)
