"""The naive twin of re-solving and CFR-D does what the papers say.

Its numbers are checked by hand on a small matrix game, against the papers' games written out and
solved by `naive`, and against the theorems.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

import naive
import naive_resolving as twin
from games_for_tests import End, Luck, TreeGame, Turn, matrix_game, random_dealt_game
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.poker import BettingRound, Card, OneCardPoker

BOTH = pytest.mark.parametrize("plus", [False, True], ids=["cfr", "cfr+"])


def small_poker(ranks):
    """Leduc by rank with one bet a round."""
    deck = tuple(Card(label, rank, count=2) for rank, label in enumerate(ranks))
    rounds = (BettingRound((2,), max_bets=1), BettingRound((4,), max_bets=1))
    return OneCardPoker(f"small poker {ranks}", deck, rounds)


def before_board(state):
    """The first betting round is over, and nobody folded."""
    return state.player == CHANCE and state.hand1 is not None


def two_moves_in(state):
    return state.hand1 is not None and len(state.public.public_history) >= 2


def one_move_in(state):
    return state.player == 1


UNEVEN = matrix_game([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
"""Rock-paper-scissors with one win of 2: equilibrium play is (1/4, 1/2, 1/4) for both."""

UNEVEN_SOLUTION = {"0": 0.25, "1": 0.5, "2": 0.25}


def uneven_equilibrium():
    return {
        (0, "row"): {f"r{i}": p for i, p in UNEVEN_SOLUTION.items()},
        (1, "col"): {f"c{i}": p for i, p in UNEVEN_SOLUTION.items()},
    }


SPLITS = {
    "small poker": lambda: (small_poker("JQ"), before_board),
    "uneven rps": lambda: (UNEVEN, one_move_in),
    **{
        f"random {seed}": lambda seed=seed: (random_dealt_game(seed, 5), two_moves_in)
        for seed in (5, 12, 15)
    },
}
EVERY = pytest.mark.parametrize("name", SPLITS)


def random_strategy(histories, seed):
    """Every action has some probability."""
    rng = random.Random(f"{seed} strategy")
    strategy = {}
    for key in histories.infosets:
        parts = {action: rng.uniform(0.1, 1) for action in histories.actions(key)}
        strategy[key] = {action: part / sum(parts.values()) for action, part in parts.items()}
    return strategy


def best_response_values(parts, strategy):
    return [
        {player: twin.best_response_values(subgame, strategy, player) for player in (0, 1)}
        for subgame in parts.subgames
    ]


def close(expected):
    return pytest.approx(expected, abs=1e-12)


def assert_same_strategy(strategy, expected, tolerance=1e-12):
    assert strategy.keys() == expected.keys()
    for key, probabilities in strategy.items():
        assert probabilities == pytest.approx(expected[key], abs=tolerance), key


# --- trunk and subgames -------------------------------------------------------------------------


def test_leduc_has_five_subgames():
    """Five ways to end the first round without a fold, as the paper says."""
    parts = twin.split(make("leduc"), before_board)
    assert len(parts.subgames) == 5
    assert len(parts.trunk) == 36
    for subgame in parts.subgames:
        assert len(subgame.roots) == 30
        assert len(subgame.infosets) == 180
        assert [len(subgame.cells(player)) for player in (0, 1)] == [6, 6]
    first = parts.subgames[0]
    assert first.roots[0].labels == ("Js", "Jh", "check", "check")
    assert next(iter(first.cells(0))) == ("Js:", "check")
    assert next(iter(first.cells(1))) == ("Jh:check", "check")
    second = parts.subgames[1]
    assert second.roots[0].labels == ("Js", "Jh", "check", "bet", "call")
    assert next(iter(second.cells(0))) == ("Js:check,bet", "call")
    assert next(iter(second.cells(1))) == ("Jh:check", "bet")


def test_rock_paper_scissors_has_one_subgame():
    """Figure 1: one infoset of player two, three augmented ones of player one."""
    parts = twin.split(make("rps"), one_move_in)
    (subgame,) = parts.subgames
    assert list(subgame.infosets) == [(1, "player1")]
    assert list(subgame.cells(0)) == [
        ("player0", "rock"),
        ("player0", "paper"),
        ("player0", "scissors"),
    ]
    assert list(subgame.cells(1)) == [()]


def test_roots_after_the_board_are_grouped_by_board_and_betting():
    game = make("leduc(by_rank=true)")
    roots = twin.subgame_roots(
        game, lambda s: s.hand1 is not None and "/" in s.public.public_history
    )
    subgames = twin.subgames_of(roots)
    assert len(subgames) == 15
    assert sorted({len(subgame.roots) for subgame in subgames}) == [8]


def test_an_infoset_is_not_cut_in_two():
    game = UNEVEN
    with pytest.raises(ValueError, match=r"\(1, 'col'\)"):
        twin.split(game, lambda state: state == game.top.child("r0"))


# --- values at the roots ------------------------------------------------------------------------


def trunk_value(node, stops, strategy, pi=1.0):
    """What player 0 wins by games that end in the trunk."""
    if node in stops:
        return 0.0
    if node.player == TERMINAL:
        return pi * node.payoff
    weights = node.odds if node.player == CHANCE else strategy[node.key]
    return sum(
        trunk_value(child, stops, strategy, pi * weights[a]) for a, child in node.children.items()
    )


@EVERY
def test_values_of_cells_add_up_to_the_value_of_the_game(name):
    parts = twin.split(*SPLITS[name]())
    strategy = random_strategy(parts.histories, 1)
    for player in (0, 1):
        sign = 1 if player == 0 else -1
        stops = {root.node for root in parts.roots}
        total = sign * trunk_value(parts.histories.root, stops, strategy)
        for subgame in parts.subgames:
            values = twin.counterfactual_values(subgame, strategy, player)
            for cell, roots in subgame.cells(player).items():
                total += roots[0].reach(player, strategy) * values[cell]
        assert total == close(sign * naive.expected_value(parts.histories, strategy))


@EVERY
def test_best_response_values_are_those_of_the_best_response_in_the_whole_game(name):
    parts = twin.split(*SPLITS[name]())
    strategy = random_strategy(parts.histories, 2)
    for player in (0, 1):
        _, chosen, _ = naive.best_response(parts.histories, strategy, player)
        profile = dict(strategy)
        for key, taken in chosen.items():
            profile[key] = {a: float(a == taken) for a in parts.histories.actions(key)}
        for subgame in parts.subgames:
            values = twin.best_response_values(subgame, strategy, player)
            assert values == close(twin.counterfactual_values(subgame, profile, player))


def test_always_rock_has_the_values_of_the_paper():
    """Values of 0, 1 and -1 for rock, paper and scissors if player two always plays rock."""
    parts = twin.split(make("rps"), one_move_in)
    strategy = parts.histories.uniform()
    strategy[1, "player1"] = {"rock": 1.0, "paper": 0.0, "scissors": 0.0}
    values = twin.counterfactual_values(parts.subgames[0], strategy, 0)
    assert list(values.values()) == [0, 1, -1]
    assert naive.expected_value(parts.histories, strategy) == 0


# --- the first iterations, by hand --------------------------------------------------------------


def enters(averages):
    return [averages[0, ("row", f"r{i}")]["F"] for i in range(3)]


def columns(averages):
    return list(averages[1, "col"].values())


@BOTH
def test_first_iterations_of_the_gadget(plus):
    """Player 1 re-solves; the three cells of player 0 have the alternative 0.

    Iteration 1: rows win 1/3, 0, -1/3 from uniform columns, so the regrets of F are 1/6, 0, -1/6
    and those of T the opposite; rows enter with 1, 1/2, 0. Against that, the columns win -1/2, 1
    and -3/2, and the second is best by far: its regret is the only one above 0.
    Iteration 2: rows win -1, 0, 1 by entering. Regrets of (F, T) become (1/6, 5/6), (0, 0) and
    (5/6, 1/6); floored at 0 after each iteration (1/6, 1), (0, 0) and (1, 1/6).
    """
    (subgame,) = twin.split(UNEVEN, one_move_in).subgames
    values = dict.fromkeys(subgame.cells(0), 0.0)
    first, second, third = twin.gadget_cfr(subgame, uneven_equilibrium(), 1, values, 3, plus=plus)
    assert enters(first) == close([1 / 2, 1 / 2, 1 / 2])
    assert columns(first) == close([1 / 3, 1 / 3, 1 / 3])
    if plus:
        assert enters(second) == close([(1 / 2 + 2) / 3, 1 / 2, (1 / 2) / 3])
        assert columns(second) == close([1 / 9, 7 / 9, 1 / 9])
        assert enters(third) == close([(1 / 2 + 2 + 3 / 7) / 6, 1 / 2, (1 / 2 + 18 / 7) / 6])
    else:
        assert enters(second) == close([3 / 4, 1 / 2, 1 / 4])
        assert columns(second) == close([1 / 6, 2 / 3, 1 / 6])
        assert enters(third) == close([5 / 9, 1 / 2, 4 / 9])


def test_first_iterations_of_max_margin():
    """Rows win 1/3, 0, -1/3, less the alternatives 0, 0, -1: the third is better by 2/3.

    The mean is 1/3, the regrets are 0, -1/3, 1/3, and the third row is chosen. Against it the
    columns win 2, -1, 0, by 5/3, -4/3, -1/3 more than the mean: the first is played.
    """
    (subgame,) = twin.split(UNEVEN, one_move_in).subgames
    cells = list(subgame.cells(0))
    values = dict(zip(cells, [0.0, 0.0, -1.0], strict=True))
    first, second = twin.max_margin_cfr(subgame, uneven_equilibrium(), 1, values, 2)
    assert first[0, twin.CHOICE] == close(dict.fromkeys(cells, 1 / 3))
    assert list(second[0, twin.CHOICE].values()) == close([1 / 6, 1 / 6, 2 / 3])
    assert columns(second) == close([2 / 3, 1 / 6, 1 / 6])


@BOTH
@pytest.mark.parametrize("alternating", [False, True], ids=["simultaneous", "alternating"])
def test_first_iterations_of_cfr_d(plus, alternating):
    """One iteration in the subgame leaves the columns uniform: rows win 1/3, 0, -1/3 each time.

    So player 0 plays uniformly, then the first row, by which player 1 loses 1/3. With alternating
    updates he does so when the values of player 1 are taken for the first time.
    """
    parts = twin.split(UNEVEN, one_move_in)
    _, result = twin.cfr_d(parts, 2, 1, plus=plus, alternating=alternating)
    (values,) = result.values
    late = 2 / 3 if plus else 1 / 2
    early = 1 - late
    assert list(result.strategy[0, "row"].values()) == close(
        [early / 3 + late, early / 3, early / 3]
    )
    assert list(values[0].values()) == close([1 / 3, 0, -1 / 3])
    assert values[1] == close({(): -1 / 3 if alternating else -late / 3})


# --- the games of the papers, written out -------------------------------------------------------


@dataclass(frozen=True)
class Scaled:
    """A state with payoffs multiplied, and something added to them."""

    state: object
    factor: float
    added: float = 0.0

    def __getattr__(self, name):
        return getattr(self.state, name)

    @property
    def payoff(self):
        return self.factor * float(self.state.payoff) + self.added

    def child(self, label):
        return Scaled(self.state.child(label), self.factor, self.added)


def state_at(game, labels):
    state = game.root()
    for label in labels:
        state = state.child(label)
    return state


def weighted_roots(subgame, reach):
    """Roots that can be reached, with their reach."""
    weighted = [(root, reach(root)) for root in subgame.roots]
    return [(root, pi) for root, pi in weighted if pi > 0]


def chance_of(weighted, follow):
    total = sum(pi for _, pi in weighted)
    return Luck(tuple((root.labels, pi / total, follow(root, total)) for root, pi in weighted))


def gadget_game(game, subgame, strategy, player, values):
    """Figure 2, with probabilities divided by k and payoffs multiplied by it."""
    opponent = 1 - player
    sign = 1 if opponent == 0 else -1
    weighted = weighted_roots(subgame, lambda r: r.reach_of_others(opponent, strategy))

    def choice(root, k):
        cell = root.cell(opponent)
        cell_reach = sum(pi for other, pi in weighted if other.cell(opponent) == cell)
        leave = End(sign * k * values[cell] / cell_reach)
        play = Scaled(state_at(game, root.labels), k)
        return Turn(opponent, cell, (("T", leave), ("F", play)))

    return TreeGame(chance_of(weighted, choice))


def max_margin_game(game, subgame, strategy, player, values):
    opponent = 1 - player
    sign = 1 if opponent == 0 else -1
    branches = []
    for cell, roots in subgame.cells(opponent).items():
        weighted = [(root, root.reach_of_others(opponent, strategy)) for root in roots]

        def shifted(root, total, value=values[cell]):
            return Scaled(state_at(game, root.labels), total, -sign * value)

        branches.append((cell, chance_of(weighted, shifted)))
    return TreeGame(Turn(opponent, twin.CHOICE, tuple(branches)))


def unsafe_game(game, subgame, strategy):
    """The reach of both players at the roots is that of chance."""

    def reach(root):
        return root.reach(0, strategy) * root.reach_of_others(0, strategy)

    return TreeGame(
        chance_of(
            weighted_roots(subgame, reach),
            lambda root, total: Scaled(state_at(game, root.labels), total),
        )
    )


def naive_averages(game, iterations, plus):
    cfr = naive.Cfr(game, alternating=True, instant=False, predictive=False)
    averages = []
    for t in range(1, iterations + 1):
        cfr.iterate(naive_step(t, plus))
        averages.append(cfr.average_strategy())
    return averages


def naive_step(t, plus):
    return naive.Step(1, 1, 1, 0.0 if plus else float("-inf"), decay=1, weight=t if plus else 1)


def assert_same_run(run, expected):
    for averages, other in zip(run, expected, strict=True):
        assert_same_strategy(averages, other, 1e-9)


@EVERY
@BOTH
@pytest.mark.parametrize("player", [0, 1])
def test_re_solving_games_are_those_of_the_papers(name, plus, player):
    """The paper's k cancels: `naive` solves the games as printed to the same strategies."""
    game, is_root = SPLITS[name]()
    parts = twin.split(game, is_root)
    strategy = random_strategy(parts.histories, 3)
    rng = random.Random("offers")
    for subgame in parts.subgames:
        values = {
            cell: value + rng.uniform(-0.01, 0.01)
            for cell, value in twin.best_response_values(subgame, strategy, 1 - player).items()
        }
        for method, written_out in (
            (twin.gadget_cfr, gadget_game),
            (twin.max_margin_cfr, max_margin_game),
        ):
            run = method(subgame, strategy, player, values, 6, plus=plus)
            other = written_out(game, subgame, strategy, player, values)
            assert_same_run(run, naive_averages(other, 6, plus))


@EVERY
@BOTH
def test_own_reach_does_not_matter_to_the_unsafe_subgame(name, plus):
    game, is_root = SPLITS[name]()
    parts = twin.split(game, is_root)
    strategy = random_strategy(parts.histories, 4)
    for subgame in parts.subgames:
        run = twin.unsafe_cfr(subgame, strategy, 6, plus=plus)
        assert_same_run(run, naive_averages(unsafe_game(game, subgame, strategy), 6, plus))


def test_a_player_who_does_not_come_here_still_learns_what_to_do():
    """His own reach of 0 does not hide his regrets: 'mutual counterfactual best responses'."""
    parts = twin.split(small_poker("JQ"), before_board)
    strategy = random_strategy(parts.histories, 5)
    for key in parts.trunk:
        if key[0] == 0 and key[1].endswith(":"):
            strategy[key] = {"check": 0.0, "bet": 1.0}
    (subgame,) = [s for s in parts.subgames if s.roots[0].labels[2:] == ("check", "check")]
    assert {root.reach(0, strategy) for root in subgame.roots} == {0.0}

    def gaps(profile):
        """What a best response wins more than the profile, cell by cell."""
        values = twin.counterfactual_values(subgame, profile, 0)
        best = twin.best_response_values(subgame, profile, 0)
        return [best[cell] - values[cell] for cell in values]

    solved = twin.unsafe_cfr(subgame, strategy, 200)[-1]
    assert max(gaps(strategy)) > 0.1
    assert max(gaps({**strategy, **solved})) < 0.002


# --- theorems -----------------------------------------------------------------------------------


@EVERY
@BOTH
def test_no_cell_wins_more_than_its_alternative_but_for_the_error_of_the_gadget(name, plus):
    """Theorem 1 and its use: the sum of all excesses is p's part of the gadget's NashConv."""
    parts = twin.split(*SPLITS[name]())
    strategy = random_strategy(parts.histories, 6)
    for subgame in parts.subgames:
        for player in (0, 1):
            values = twin.best_response_values(subgame, strategy, 1 - player)
            cfr = twin.gadget(subgame, strategy, player, values, plus=plus)
            for iterations in (1, 4, 40):
                while cfr.t < iterations:
                    cfr.iterate()
                average = cfr.average_strategy()
                new = twin.replaced(strategy, subgame, player, average)
                reached = twin.best_response_values(subgame, new, 1 - player)
                excess = sum(max(0.0, reached[cell] - values[cell]) for cell in values)
                error = cfr.nash_conv(average)
                assert error > -1e-12
                assert excess < error + 1e-12
                wins = cfr.best_response(1 - player, average)
                assert wins == close(sum(values.values()) + excess)


@EVERY
def test_what_is_safe_in_subgames_is_safe_in_the_game(name):
    """The opponent's best response wins no more than before, plus what the cells win more."""
    parts = twin.split(*SPLITS[name]())
    strategy = random_strategy(parts.histories, 7)
    values = best_response_values(parts, strategy)
    for player in (0, 1):
        before, _, _ = naive.best_response(parts.histories, strategy, 1 - player)
        for iterations, most in ((5, None), (100, 0.02)):
            new, excess = dict(strategy), 0.0
            for subgame, offers in zip(parts.subgames, values, strict=True):
                offer = offers[1 - player]
                average = twin.gadget_cfr(subgame, strategy, player, offer, iterations, plus=True)
                new = twin.replaced(new, subgame, player, average[-1])
                reached = twin.best_response_values(subgame, new, 1 - player)
                excess += sum(max(0.0, reached[cell] - offer[cell]) for cell in offer)
            after, _, _ = naive.best_response(parts.histories, new, 1 - player)
            assert after <= before + excess + 1e-12
            assert most is None or excess < most


def test_max_margin_has_the_larger_smallest_margin():
    """Both are safe; only one of them looks for more than that."""
    parts = twin.split(small_poker("JQ"), before_board)
    strategy = parts.histories.uniform()
    for subgame in parts.subgames:
        for player in (0, 1):
            values = twin.best_response_values(subgame, strategy, 1 - player)
            margins = {}
            for method in (twin.gadget_cfr, twin.max_margin_cfr):
                average = method(subgame, strategy, player, values, 100, plus=True)[-1]
                new = twin.replaced(strategy, subgame, player, average)
                reached = twin.best_response_values(subgame, new, 1 - player)
                margins[method] = min(values[cell] - reached[cell] for cell in values)
            assert margins[twin.gadget_cfr] > -1e-3
            assert margins[twin.max_margin_cfr] > margins[twin.gadget_cfr] - 1e-3
            assert margins[twin.max_margin_cfr] > 0.02


# --- rock-paper-scissors, the example of the paper ----------------------------------------------


def test_safe_re_solving_finds_the_columns_again_and_unsafe_does_not():
    """With the trunk in equilibrium every column wins the same, and unsafe regrets are all 0."""
    parts = twin.split(UNEVEN, one_move_in)
    equilibrium = uneven_equilibrium()
    (subgame,) = parts.subgames
    values = twin.best_response_values(subgame, equilibrium, 0)
    assert set(values.values()) == {0.0}

    unsafe = twin.unsafe_cfr(subgame, equilibrium, 100)[-1]
    assert columns(unsafe) == close([1 / 3, 1 / 3, 1 / 3])
    together = twin.replaced(equilibrium, subgame, 1, unsafe)
    assert naive.exploitability(parts.histories, together) == close(1 / 6)

    for method in (twin.gadget_cfr, twin.max_margin_cfr):
        safe = method(subgame, equilibrium, 1, values, 1000, plus=True)[-1]
        assert columns(safe) == pytest.approx(list(UNEVEN_SOLUTION.values()), abs=0.01)
        together = twin.replaced(equilibrium, subgame, 1, safe)
        assert naive.exploitability(parts.histories, together) < 0.005


# --- Leduc --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def leduc():
    """Leduc by rank, cut after the first round, and an equilibrium to within 0.008 chips."""
    parts = twin.split(make("leduc(by_rank=true)"), before_board)
    cfr = naive.Cfr(parts.histories, alternating=True, instant=False, predictive=False)
    for t in range(1, 151):
        cfr.iterate(naive_step(t, plus=True))
    return parts, cfr.average_strategy()


def test_safe_re_solving_keeps_an_equilibrium_of_leduc(leduc):
    """The shape of Figure 3: safe goes down to what it was, unsafe stays far above it."""
    parts, equilibrium = leduc
    values = best_response_values(parts, equilibrium)
    before = naive.exploitability(parts.histories, equilibrium)
    safe = {
        iterations: naive.exploitability(
            parts.histories, twin.resolved(parts, equilibrium, values, iterations, plus=True)
        )
        for iterations in (10, 80)
    }
    unsafe = naive.exploitability(
        parts.histories, twin.unsafely_resolved(parts, equilibrium, 80, plus=True)
    )
    assert before < 0.008
    assert safe[10] > 0.1
    assert safe[80] < 0.02
    assert unsafe > 0.1


# --- CFR-D --------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("alternating", [False, True], ids=["simultaneous", "alternating"])
@pytest.mark.parametrize(
    "is_root",
    [lambda state: False, lambda state: state.player == TERMINAL],
    ids=["no roots", "roots where the game ends"],
)
def test_a_trunk_that_is_the_whole_game_is_solved_by_cfr(plus, alternating, is_root):
    parts = twin.split(make("kuhn"), is_root)
    cfr = naive.Cfr(make("kuhn"), alternating=alternating, instant=False, predictive=False)
    for t, result in enumerate(
        twin.cfr_d(parts, 8, 1, plus=plus, alternating=alternating), start=1
    ):
        cfr.iterate(naive_step(t, plus))
        assert_same_strategy(result.strategy, cfr.average_strategy())


@EVERY
def test_regrets_of_the_trunk_are_those_of_the_whole_strategy(name):
    """Trunk and solved subgames together are a strategy of the game, and `naive` knows regrets."""
    parts = twin.split(*SPLITS[name]())
    cfr = twin.CfrD(parts, 5)
    regrets = {key: dict.fromkeys(of, 0.0) for key, of in cfr.strategy.items()}
    for _ in range(4):
        whole = dict(cfr.strategy)
        for subgame in parts.subgames:
            whole |= twin.unsafe_cfr(subgame, cfr.strategy, 5)[-1]
        gains = naive.counterfactual_regrets(parts.histories, whole)
        for key, of in regrets.items():
            for action in of:
                of[action] += gains[key][action]
        cfr.iterate()
        assert_same_strategy(cfr.regrets, regrets)


@pytest.mark.parametrize(
    ("alternating", "most"), [(False, 0.03), (True, 0.004)], ids=["simultaneous", "alternating"]
)
def test_cfr_d_solves_the_trunk_and_re_solving_the_rest(alternating, most):
    """Little to exploit, and the value of the game: 0 to four digits, by CFR+ at length."""
    parts = twin.split(small_poker("JQ"), before_board)
    exploitability, value = {}, {}
    for iterations in (2, 40):
        cfr = twin.CfrD(parts, 20, subgame_plus=True, alternating=alternating, plus=alternating)
        for _ in range(iterations):
            cfr.iterate()
        result = cfr.result()
        trunk = {**parts.histories.uniform(), **result.strategy}
        whole = twin.resolved(parts, trunk, result.values, 100, plus=True)
        exploitability[iterations] = naive.exploitability(parts.histories, whole)
        value[iterations] = naive.expected_value(parts.histories, whole)
    assert exploitability[40] < most < 0.1 < exploitability[2]
    assert value[40] == pytest.approx(0, abs=most)


def test_cfr_d_takes_solutions_of_subgames_from_elsewhere():
    """Columns in equilibrium: no row is better than another, and all values are 0."""
    parts = twin.split(UNEVEN, one_move_in)
    columns_in_equilibrium = {(1, "col"): uneven_equilibrium()[1, "col"]}
    *_, result = twin.cfr_d(parts, 3, 0, solve=lambda subgame, strategy: columns_in_equilibrium)
    assert list(result.strategy[0, "row"].values()) == close([1 / 3] * 3)
    assert set(result.values[0][0].values()) == {0.0}
