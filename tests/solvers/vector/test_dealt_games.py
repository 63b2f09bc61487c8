"""Small card games in public form, against the sequence form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import naive
from infoset.calls import parse_call
from infoset.errors import BadInputError, TooLargeError
from infoset.forms.betting_tree import NodeKind
from infoset.forms.dealt_form import form_of_dealt
from infoset.games import make
from infoset.games.holdem.acpc import Holdem
from infoset.games.poker import BettingRound, Card, OneCardPoker
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import discounted
from infoset.solvers.vector.solver import VectorSolver
from presets_for_tests import FULL_WIDTH

HERE = Path(__file__).parent

SEVERAL = ["cfr", "cfr+", "dcfr", "pcfr+", "idcfr+", "pdcfr+", "hybrid-cfr+"]
"""The last one lets both move at once."""
PREDICTIVE = ["pcfr+", "pdcfr+", "hs-pcfr+"]
EVERY = [
    f"{preset}({options})"
    for preset in FULL_WIDTH
    for options in ("", "alternating=false,skip=1", "skip=0.29")
] + [f"instant {preset}" for preset in (*PREDICTIVE, "hedge")]

FLOP = "holdem(stack=4,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)"
LIMIT = "holdem(stack=7,small_blind=1,big_blind=2,betting=limit,streets=2,ranks=4,suits=2)"
TURN = "holdem(stack=3,small_blind=1,big_blind=2,streets=3,ranks=4,suits=2)"

INFOSETS = {
    "kuhn": 12,
    "one_card(cards=13)": 52,
    "leduc": 936,
    "nolimit_leduc(stack=5)": 3648,
    FLOP: 2352,
    TURN: 9072,
    LIMIT: 15_904,
    "short boards": 8512,
}


def compare(game, algorithms):
    """Run both engines, and return what `compare_dealt.py` finds, and where they differ."""
    arguments = {"game": game, "algorithms": algorithms, "iterations": 10}
    done = subprocess.run(
        [sys.executable, str(HERE / "compare_dealt.py"), json.dumps(arguments)],
        capture_output=True,
        text=True,
        check=False,
        # The same package as here, wherever that is.
        env={**os.environ, "INFOSET_DOUBLE": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["infosets"] == INFOSETS[game]
    gaps = {
        (algorithm, name): gap
        for algorithm, run in found["runs"].items()
        for name, gap in run.items()
        if name != "ties"
    }
    assert len(gaps) == 5 * len(algorithms)
    return found, {which: gap for which, gap in gaps.items() if not gap < 1e-9}


@pytest.mark.parametrize("game", INFOSETS)
def test_both_engines_do_the_same_in_each_of_ten_iterations(game):
    """How ties are kept from leading the engines apart, `compare_dealt` says."""
    found, gaps = compare(game, EVERY if INFOSETS[game] < 1000 else SEVERAL)
    assert gaps == {}
    if game in ("kuhn", "one_card(cards=13)"):
        assert all(found["runs"][f"{algorithm}()"]["ties"] == 0 for algorithm in SEVERAL)


def solver_of(name, algorithm, **options):
    call = parse_call(algorithm)
    recipe, _ = PRESETS[call.name].recipe(call)
    return VectorSolver(form_of_dealt(make(name)), recipe, **options)


@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("kuhn", -1 / 18),  # Kuhn (1950)
        ("leduc", -0.085606424),  # as in tests/solvers/exact/test_linear_program.py
    ],
)
@pytest.mark.parametrize("bits", [16, 32])
def test_known_values_come_out(game, value, bits):
    """In single precision and with shorts; the general engine has 2.5e-4 on Leduc poker."""
    solver = solver_of(game, "cfr+", bits=bits)
    solver.run(1000)
    assert 0 < solver.exploitability() < (6e-4 if bits == 16 else 4e-4)
    assert abs(solver.evaluate().values[0] - value) < 5e-5


@pytest.mark.parametrize("floor", [-0.02, -0.1])
@pytest.mark.parametrize("alternating", [False, True])
def test_a_floor_is_in_chips(alternating, floor):
    """As the naive twin has it; in single precision."""
    schedule = discounted(2.0, 1.0, floor=floor)
    form = form_of_dealt(make("kuhn"))
    solver = VectorSolver(form, Recipe(schedule, alternating=alternating))
    twin = naive.Cfr(make("kuhn"), alternating=alternating, instant=False, predictive=False)
    for t in range(1, 11):
        now = schedule(t)
        solver.run(1)
        twin.iterate(naive.Step(now.keep_positive, now.keep_negative, 1.0, floor, 1.0, 1.0))
        for key, at in form.infosets():
            rows = solver.layout.rows[0][at.player].hand.tolist()
            ours = solver.numbers("regrets", at.street, at.player, at.board, at.node)
            theirs = list(twin.regrets[at.player, key].values())
            assert ours[:, rows.index(at.hand)].tolist() == pytest.approx(theirs, abs=1e-5)
    assert min(min(row.values()) for row in twin.regrets.values()) == floor


@pytest.mark.parametrize("game", ["leduc", TURN])
def test_threads_change_nothing(game):
    one, two = (solver_of(game, "dcfr", threads=threads) for threads in (1, 2))
    one.run(20)
    two.run(20)
    ours, theirs = one.state(), two.state()
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        assert array.tobytes() == theirs[name].tobytes()


def test_a_called_all_in_is_a_showdown_that_waits_for_the_board():
    form = form_of_dealt(make("nolimit_leduc(stack=2)"))
    public_histories = [public_histories[0] for public_histories in form.node_histories]
    early = public_histories.index("bet2,call")
    assert early < form.street_begin[1]
    assert form.node_kind[early] == NodeKind.SHOWDOWN
    assert form.terminal_payoffs[early].tolist() == [[2, 0, -2], [2, 0, -2]]
    folded = public_histories.index("check,bet2,fold")
    assert form.node_kind[folded] == NodeKind.FOLD
    assert form.node_player[folded] == 0
    assert form.terminal_payoffs[folded].tolist() == [[-1, -1, -1], [1, 1, 1]]
    assert form.is_zero_sum


def test_boards_and_strengths_of_leduc():
    """On a jack: jacks beat kings, kings beat queens, and equal ranks tie."""
    form = form_of_dealt(make("leduc"))
    before, after = form.streets
    assert before.cards.shape == (1, 0)
    assert (before.num_new, after.num_new) == (0, 1)
    assert after.probability == 0.25
    board = after.cards[:, 0].tolist().index(form.hands.index("Js"))
    strength = dict(zip(form.hands, after.strength[0][board].tolist(), strict=True))
    assert strength["Qs"] == strength["Qh"] < strength["Ks"] == strength["Kh"] < strength["Jh"]


def test_a_flop_is_one_deal_of_three_cards():
    form = form_of_dealt(make(TURN))
    _, flop, turn = form.streets
    assert (len(flop.cards), len(turn.cards)) == (56, 280)
    assert (flop.num_new, turn.num_new) == (3, 4)
    # Eight cards, of which both hands hold four: 4 flops, then 1 turn.
    assert (flop.probability, turn.probability) == (0.25, 1.0)
    assert Counter(turn.parent.tolist()) == dict.fromkeys(range(56), 5)


# What does not fit.


@dataclass(frozen=True)
class Odd(OneCardPoker):
    """Leduc poker with a twist."""

    twist: str = ""

    def payoff(self, ending, hand0, hand1):
        won = super().payoff(ending, hand0, hand1)
        if ending.winner is None and {hand0, hand1} == {0, 2}:
            if self.twist == "a circle" and won:
                return -won
            if self.twist == "four amounts":
                return 3 * won
        return won

    @property
    def board_probability(self):
        odds = dict(super().board_probability)
        if self.twist == "a marked card":
            for (label, hand0, hand1), chance in odds.items():
                if label == "0" and chance:
                    odds[label, hand0, hand1] = chance * Fraction(3, 2)
        return odds


def odd(twist, ranks=(0, 1, 2), rounds=1):
    deck = tuple(Card(str(number), rank) for number, rank in enumerate(ranks))
    return Odd("odd", deck, (BettingRound((1,), max_bets=1),) * rounds, twist=twist)


def test_an_odd_game_without_a_twist_fits():
    assert len(list(form_of_dealt(odd("")).infosets())) == 12
    assert form_of_dealt(odd("", (0, 0, 1, 2), rounds=2)).num_streets == 2


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (make("leduc(by_rank=true)"), "the hands left to player 1 are not equally likely"),
        (make("liars_dice"), "its hands are neither single cards nor two cards each"),
        (make("rps"), "its rules are not in public form"),
        (make("one_card(cards=27)"), "it has more than 26 hands of one card"),
        (make("holdem"), "it has 4 streets, and 3 are the limit"),
        (odd("a circle"), "have no order of strength"),
        (odd("four amounts"), "the showdown after 'check,check' has more than three results"),
        (odd("a marked card", range(5), rounds=2), "1 after 'check,check' is not as likely"),
    ],
)
def test_what_does_not_fit_is_refused(game, why):
    with pytest.raises(BadInputError, match="does not fit the public form") as raised:
        form_of_dealt(game)
    assert why in str(raised.value)


def test_what_is_too_large_is_refused():
    with pytest.raises(TooLargeError, match="play with fewer cards"):
        form_of_dealt(make("holdem(streets=2,ranks=7)"))


def test_every_board_is_a_board_of_its_own_for_the_hands_it_leaves():
    """Each pair of hands meets every board that it can, once; probabilities sum to one."""
    deck = tuple(range(7, 15))
    game = Holdem("mine", stack=5, blinds=(2, 1), deck=deck, street_cards=(0, 2, 1))
    form = form_of_dealt(replace(game, sizes=()))
    rng = np.random.default_rng(0)
    for _ in range(20):
        held = rng.choice(deck, 4, replace=False)
        left = [not np.isin(board, held).any() for board in form.streets[2].cards]
        probability = form.streets[1].probability * form.streets[2].probability
        assert sum(left) * probability == pytest.approx(1.0)
