"""The linear program: known values, CFR's limits, corner cases, and ways to fail."""

from __future__ import annotations

import itertools
import os
import signal
import threading
from types import SimpleNamespace

import highspy
import numpy as np
import pytest

from games_for_tests import CORNERS, Changed, matrix_game, random_game, whole_payoff
from infoset.calls import parse_call
from infoset.errors import BadInputError, InfosetError
from infoset.evaluation import expected_value, exploitability
from infoset.evaluation.measure import best_response_values
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.exact import linear_program
from infoset.solvers.exact.linear_program import LinearProgramSolver
from infoset.solvers.presets import PRESETS
from infoset.solvers.sequence.regret import RegretSolver
from infoset.strategy import SequenceStrategy


def solved(game, **options):
    solver = LinearProgramSolver(compile_game(game), **options)
    solver.run()
    return solver.strategy()


@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("rps", 0.0),
        ("kuhn", -1 / 18),  # Kuhn 1950
        ("leduc", -0.085606424),  # PAPERS.md, checked independently
        ("leduc(by_rank=true)", -0.085606424),
        ("goofspiel(cards=4)", 0.0),  # the players are in the same position
        ("liars_dice(dice=1,faces=5)", 1 / 125),  # 0.008, as found by OpenSpiel's linear program
    ],
)
def test_known_value(game, value):
    strategy = solved(make(game))
    assert expected_value(strategy) == pytest.approx(value, abs=1e-8)
    # Reached on these games: 2e-15 at most.
    assert abs(exploitability(strategy)) <= 1e-13


# How far apart the two best responses may leave the value after 5,000 iterations of PCFR+.
# CFR+ leaves 1e-4 everywhere.
LIMITS = {
    "kuhn": 1e-8,
    **{f"one_card(cards={cards})": 1e-8 for cards in (2, 4, 5, 8, 13, 20)},
    "leduc": 1e-4,
    "leduc(by_rank=true)": 1e-4,
    "goofspiel(cards=4)": 1e-8,
    "liars_dice(dice=1,faces=3)": 1e-8,
    "liars_dice(dice=1,faces=4)": 1e-7,
    "nolimit_leduc(stack=4)": 1e-5,
}


@pytest.mark.parametrize("preset", ["cfr+", "pcfr+"])
@pytest.mark.parametrize("game", LIMITS)
def test_value_is_the_limit_of_regret_minimisation(game, preset):
    tree = compile_game(make(game))
    solver = LinearProgramSolver(tree)
    solver.run()
    value = expected_value(solver.strategy())
    recipe, _ = PRESETS[preset].recipe(parse_call(preset))
    other = RegretSolver(tree, recipe)
    other.run(5000)
    # No plan wins less against its best response than the value of the game allows.
    highest, lowest = best_response_values(tree, other.plans())
    assert -lowest - 1e-12 <= value <= highest + 1e-12
    assert highest + lowest < (1e-4 if preset == "cfr+" else LIMITS[game])


@pytest.mark.parametrize("corner", CORNERS)
def test_corner_cases(corner):
    strategy = solved(CORNERS[corner])
    assert abs(exploitability(strategy)) <= 1e-12


@pytest.mark.parametrize(
    ("corner", "value"),
    [
        ("single terminal", 1.5),
        ("chance only", -3.0),
        ("one action each", -2.0),
        ("all payoffs zero", 0.0),
        ("one row", 1.0),
        ("one column", 3.0),
        ("chance of probability zero", 2.0),
    ],
)
def test_value_of_corner_cases(corner, value):
    assert expected_value(solved(CORNERS[corner])) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("player", [0, 1])
def test_player_who_never_moves(player):
    game = random_game(3 + player, movers=(player,), min_actions=2)
    strategy = solved(game)
    plexes = strategy.form.treeplexes
    assert plexes[1 - player].num_infosets == 0 < plexes[player].num_infosets
    assert abs(exploitability(strategy)) <= 1e-12


@pytest.mark.parametrize("pay", [None, whole_payoff])
@pytest.mark.parametrize("seed", range(40))
def test_random_games(seed, pay):
    game = random_game(seed, depth=2 + seed % 5, **({} if pay is None else {"pay": pay}))
    strategy = solved(game)
    assert abs(exploitability(strategy)) <= 1e-12
    for treeplex, probabilities in zip(
        strategy.form.treeplexes, strategy.probabilities, strict=True
    ):
        assert (probabilities >= 0).all()
        begin = treeplex.infoset_begin[:-1]
        if len(begin):
            np.testing.assert_allclose(np.add.reduceat(probabilities, begin), 1.0, atol=1e-12)


def test_two_by_two_by_the_formula():
    """Without a saddle point, (ad - bc) / (a + d - b - c) and the shares that equalise."""
    a, b, c, d = 3.0, -1.0, -2.0, 4.0
    strategy = solved(matrix_game([[a, b], [c, d]]))
    whole = a + d - b - c
    assert expected_value(strategy) == pytest.approx((a * d - b * c) / whole, abs=1e-14)
    assert strategy["row"]["r0"] == pytest.approx((d - c) / whole, abs=1e-14)
    assert strategy["col"]["c0"] == pytest.approx((d - b) / whole, abs=1e-14)


@pytest.mark.parametrize("exponent", [-900, -60, -30, 30, 60, 900])
def test_the_size_of_payoffs_does_not_matter(exponent):
    scale = 2.0**exponent
    plain, scaled = (solved(Changed(make("kuhn"), scale=factor)) for factor in (1.0, scale))
    assert expected_value(scaled) == pytest.approx(scale * expected_value(plain), rel=1e-12)
    for ours, theirs in zip(scaled.probabilities, plain.probabilities, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("scale", [1e9, 1e-9])
def test_what_is_lost_counts_in_proportion_to_payoffs(scale):
    """Rounding leaves 1e-16 to 1e-13 of the payoffs: nothing beside them, 1e-7 in chips of 1e9."""
    game = random_game(21, deal=True)
    plain, scaled = (solved(Changed(game, scale=factor)) for factor in (1.0, scale))
    assert expected_value(scaled) == pytest.approx(scale * expected_value(plain), rel=1e-9)
    assert exploitability(scaled) <= 1e-12 * scale


def test_more_chips_may_be_lost_where_payoffs_are_large():
    """Loses 1e-9 chips and more to a best response, and is exact all the same."""
    strategy = solved(Changed(make("leduc(by_rank=true)"), scale=1e9))
    assert 1e-9 < exploitability(strategy) < 1e-13 * 1e9
    assert expected_value(strategy) == pytest.approx(-0.085606424e9, abs=10)


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e-12])
def test_a_bad_strategy_is_refused_however_small_payoffs_are(scale, monkeypatch):
    """Uniform play loses 11/24 chips on Kuhn poker: less than 1e-9, if a chip is worth that."""

    def uniform(solver, highs):
        first, second = solver.form.treeplexes
        return solver._from_positive((first.uniform(), second.uniform()))

    monkeypatch.setattr(LinearProgramSolver, "_plans_of", uniform)
    with pytest.raises(InfosetError, match="simplex found a strategy of exploitability"):
        solved(Changed(make("kuhn"), scale=scale))


@pytest.mark.parametrize("seed", range(10))
def test_payoffs_of_very_different_size(seed):
    """With HiGHS's own tolerances the loss is 1e-8 of the largest payoff here, not 1e-12."""
    tree = compile_game(make("leduc(by_rank=true)"))
    rng = np.random.default_rng(seed)
    factors = 10.0 ** rng.uniform(-9, 0, len(tree.payoff.entries))
    vars(tree)["payoff"] = tree.payoff._replace(entries=tree.payoff.entries * factors)
    solver = LinearProgramSolver(tree)
    solver.run()
    largest = np.abs(tree.payoff.entries).max()
    assert exploitability(solver.strategy()) <= 1e-10 * largest


def test_before_and_after_the_one_iteration():
    tree = compile_game(make("leduc"))
    solver = LinearProgramSolver(tree)
    assert solver.is_exact
    assert solver.iteration == 0
    for ours, uniform in zip(
        solver.strategy().probabilities, SequenceStrategy.uniform(tree).probabilities, strict=True
    ):
        np.testing.assert_allclose(ours, uniform, rtol=1e-15)
    solver.run(0)
    assert solver.iteration == 0
    solver.run(1000)
    assert solver.iteration == 1
    first = solver.state()
    solver.run(1)
    assert solver.iteration == 1
    for name, plan in solver.state().items():
        assert plan.tobytes() == first[name].tobytes()


def test_two_runs_are_bit_identical_and_so_is_a_restored_one():
    tree = compile_game(make("leduc"))
    first, second, restored = (LinearProgramSolver(tree) for _ in range(3))
    first.run()
    second.run()
    restored.restore(first.state(), first.iteration)
    restored.run()
    for other in (second, restored):
        assert other.iteration == 1
        for ours, theirs in zip(
            other.strategy().probabilities, first.strategy().probabilities, strict=True
        ):
            assert ours.tobytes() == theirs.tobytes()


def test_silent(capfd):
    solved(make("kuhn"))
    assert capfd.readouterr() == ("", "")


def test_bytes():
    tree = compile_game(make("leduc"))
    solver = LinearProgramSolver(tree)
    assert solver.kept_bytes == 8 * tree.num_sequences
    # Measured: 4 MiB for Leduc.
    assert 2e6 < solver.working_bytes < 8e6


def test_time_limit():
    solver = LinearProgramSolver(compile_game(make("nolimit_leduc(stack=5)")), seconds=1e-3)
    with pytest.raises(InfosetError, match=r"stack=5.*not solved within 0\.001 seconds"):
        solver.run()
    assert solver.iteration == 0


def test_the_second_method_has_the_time_that_is_left(monkeypatch):
    """By a clock that goes on by 3 seconds whenever somebody looks at it."""
    given = []

    def hardly(program, method, seconds):
        given.append((method, seconds))
        return original(program, method, None)

    original = linear_program._solve
    clock = SimpleNamespace(monotonic=itertools.count(100, 3).__next__)
    monkeypatch.setattr(linear_program, "_solve", hardly)
    monkeypatch.setattr(linear_program, "time", clock)
    monkeypatch.setattr(linear_program, "EXACT", -1.0)  # nothing is good enough
    with pytest.raises(InfosetError, match="simplex found a strategy"):
        solved(make("kuhn"), seconds=10)
    assert given == [("simplex", 7), ("ipm", 4)]


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_time_limit_that_makes_no_sense(seconds):
    with pytest.raises(BadInputError, match="seconds must be a number above 0"):
        LinearProgramSolver(compile_game(make("kuhn")), seconds=seconds)


def test_program_that_has_no_solution(monkeypatch):
    def infeasible(tree):
        program, exponent = original(tree)
        program.col_upper_ = np.zeros(program.num_col_)
        return program, exponent

    original = linear_program._program
    monkeypatch.setattr(linear_program, "_program", infeasible)
    with pytest.raises(InfosetError, match=r"kuhn: .*simplex ended with 'Infeasible', ipm ended"):
        solved(make("kuhn"))


def test_second_opinion(monkeypatch):
    """What the first method finds is measured; if it is not good enough the next one is asked."""
    asked = []

    def stopped_early(program, method, seconds):
        highs = original(program, method, seconds)
        asked.append(method)
        if method == "simplex":
            values = np.zeros(program.num_col_)
            values[:3] = 1.0
            solution = highspy.HighsSolution()
            solution.col_value = values
            solution.row_dual = np.ones(program.num_row_)
            monkeypatch.setattr(highs, "getSolution", lambda: solution, raising=False)
        return highs

    original = linear_program._solve
    monkeypatch.setattr(linear_program, "_solve", stopped_early)
    assert expected_value(solved(make("kuhn"))) == pytest.approx(-1 / 18, abs=1e-12)
    assert asked == ["simplex", "ipm"]


def test_solution_that_is_not_good_enough(monkeypatch):
    monkeypatch.setattr(linear_program, "EXACT", -1.0)
    with pytest.raises(InfosetError, match=r"simplex found a strategy of exploitability .*, ipm"):
        solved(make("kuhn"))


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c(monkeypatch):
    ended_with = []

    def run_and_interrupt(self):
        os.kill(os.getpid(), signal.SIGINT)
        original(self)
        ended_with.append(self.getModelStatus())

    original = highspy.Highs.run
    monkeypatch.setattr(highspy.Highs, "run", run_and_interrupt)
    solver = LinearProgramSolver(compile_game(make("nolimit_leduc(stack=7)")))
    with pytest.raises(KeyboardInterrupt):
        solver.run()
    assert solver.iteration == 0
    for thread in threading.enumerate():
        if thread.name.startswith("highs"):
            thread.join(10)
    assert ended_with == [highspy.HighsModelStatus.kInterrupt]
    monkeypatch.undo()
    assert abs(exploitability(solved(make("kuhn")))) <= 1e-12


def test_number_of_threads_set_elsewhere():
    """HiGHS refuses another number of threads than its first run in a thread had."""
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("threads", 2)
    highs.addVar(0.0, 1.0)
    highs.run()
    assert abs(exploitability(solved(make("kuhn")))) <= 1e-12
