"""Strategies in public form: keys, tables, and that nothing changes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError
from infoset.forms import form_of_spot
from infoset.games.holdem import Spot
from infoset.solvers import Limits, Recipe, RegretSolver, VectorSolver, build_solver, find_algorithm
from infoset.strategy import PublicStrategy

TURN = Spot("Ts9s6hQc", "AA,KJs,QJs", "JJ,A9s", 100, 150, {"bet": "50%, a", "raise": "a"})


@pytest.fixture(scope="module")
def solution():
    return infoset.solve(TURN, iterations=60, threads=1)


def test_keys_are_those_of_the_game_itself(solution):
    """The same infoset has the same name, the same actions and the same strategy in both forms."""
    river = Spot("Ts9s6hQc2d", "AA,KJs,QJs", "JJ,A9s", 100, 150, TURN.bet_sizes)
    public = infoset.solve(river, "cfr+", iterations=40)
    sequence = infoset.solve(river, "cfr+", iterations=40, form="sequence")
    assert set(public.strategy) == set(sequence.strategy)
    for key, actions in sequence.strategy.items():
        assert public.strategy[key] == pytest.approx(actions, abs=2e-4), key
        assert list(public.strategy[key]) == list(actions)


def test_a_key_names_the_cards_that_were_dealt(solution):
    strategy = solution.strategy
    key = "AhAc:check,bet 50,call 50/2d:check,all-in 100"
    assert sum(strategy[key].values()) == pytest.approx(1.0)
    assert list(strategy[key]) == ["fold", "call 100"]
    with pytest.raises(BadInputError, match="never holds"):
        strategy["AhAc:check,bet 50,call 50/Ah:"]
    with pytest.raises(BadInputError, match="player 0, not 1"):
        strategy[1, "AhAc:"]


def test_what_is_not_there_is_not_in_it(solution):
    assert "AhAc:" in solution.strategy
    assert "AhAc:fold" not in solution.strategy
    assert "nonsense" not in solution.strategy
    assert solution.strategy.get("nonsense") is None


def test_suits_that_are_alike_play_alike():
    """On a board of one suit the three others can be renamed, in hand and deal alike."""
    spot = Spot("Ts9s6s2s", "AA", "JJ", 100, 150, TURN.bet_sizes)
    strategy = infoset.solve(spot, iterations=30).strategy
    for first, second, third in ("hcd", "hdc", "chd", "cdh", "dhc", "dch"):
        ours = strategy[f"A{first}A{second}:check,check/5{third}:"]
        assert ours == strategy["AhAc:check,check/5d:"]
        theirs = strategy[f"J{first}J{third}:check,bet 50,call 50/5{third}:check"]
        assert theirs == strategy["JhJd:check,bet 50,call 50/5d:check"]


def test_what_underflows_is_nothing_in_tables_and_at_infosets_alike():
    """Kernels take less than 1e-30 for nothing, and then all actions alike."""
    river = Spot("Ts9s6hQc2d", "AhAd,KhJh", "JJ", 100, 150, {"bet": "50%, a", "raise": "a"})
    form = form_of_spot(river)
    uniform = VectorSolver(form, Recipe()).strategy()
    tables = {(0, player): uniform.probabilities(0, player) for player in (0, 1)}
    tables[0, 0][0, :3, 0] = 1e-32, 3e-32, 0.0  # the first decision of one hand
    tables[0, 0][0, :3, 1] = 1e-28, 3e-28, 0.0  # and of the other
    strategy = PublicStrategy.from_probabilities(form, tables)
    shown = strategy.probabilities(0, 0)[0, :3].T
    np.testing.assert_allclose(shown, [[1 / 3] * 3, [0.25, 0.75, 0.0]], atol=1e-6)
    for hand, row in enumerate(shown):
        looked_up = strategy[f"{form.hand_name(0, hand)}:"]
        assert list(looked_up.values()) == pytest.approx(row.tolist(), abs=1e-6)


def test_tables_have_every_action_once(solution):
    frame = solution.strategy.to_pandas()
    assert list(frame.columns) == ["player", "infoset", "action", "probability"]
    sums = frame.groupby(["player", "infoset"])["probability"].sum()
    assert len(sums) == len(solution.strategy)
    assert np.allclose(sums, 1.0, atol=1e-6)
    assert solution.strategy.to_arrow().to_pylist() == frame.to_dict("records")
    sample = frame[frame.infoset == "AhAc:check,bet 50"]
    assert dict(zip(sample.action, sample.probability, strict=True)) == pytest.approx(
        solution.strategy["AhAc:check,bet 50"]
    )


def test_many_threads_may_read_at_once(solution, tmp_path):
    """Of a solution that was just loaded, so that whatever is made on first use is made by all."""
    solution.save(tmp_path / "turn")
    keys = list(solution.strategy)[:: len(solution.strategy) // 200]
    loaded = infoset.load(tmp_path / "turn").strategy
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda key: loaded[key], keys * 4))
    alone = infoset.load(tmp_path / "turn").strategy
    assert answers == [alone[key] for key in keys] * 4


@pytest.mark.parametrize("bits", [32, 16])
def test_a_solver_that_goes_on_does_not_change_it(bits):
    form = form_of_spot(TURN)
    solver = build_solver(form, find_algorithm("dcfr"), Limits(iterations=20), bits=bits)
    solver.run(5)
    strategy = solver.strategy()
    before = dict(strategy)
    solver.run(10)
    assert dict(strategy) == before
    assert dict(solver.strategy()) != before


def test_loading_builds_no_solver(solution, tmp_path, monkeypatch):
    solution.save(tmp_path / "turn")
    infoset.solve("leduc", iterations=5).save(tmp_path / "leduc")

    def refuse(*args, **kwargs):
        raise AssertionError("a solver was built")

    for solver in (VectorSolver, RegretSolver):
        monkeypatch.setattr(solver, "__init__", refuse)
    with pytest.raises(AssertionError, match="a solver was built"):
        RegretSolver(infoset.compile("kuhn"), Recipe())
    assert infoset.load(tmp_path / "turn").strategy["AhAc:"]
    assert infoset.load(tmp_path / "leduc").strategy["Ks:check,bet"]
