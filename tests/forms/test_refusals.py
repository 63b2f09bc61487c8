"""Rules that are not a finite two-player zero-sum game with perfect recall are refused.

Each with a `GameError` that says what is wrong and where, and in a moment.
"""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from games_for_tests import Dealt, End, Luck, Public, TreeGame, Turn, turn
from infoset.errors import GameError, TooLargeError
from infoset.forms import compile_game, sequence_form_of
from infoset.games import CHANCE, TERMINAL, make

HALF = Fraction(1, 2)


def refused(top):
    with pytest.raises(GameError) as caught:
        compile_game(TreeGame(top, "mine"))
    return str(caught.value)


# --- any game -----------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [2, 7, -3, None, "0", 0.0, 1.5, CHANCE - 5])
def test_other_players(player):
    text = refused(turn(0, "i", a=Turn(player, "j", (("b", End(1)),))))
    assert text.startswith(f"mine: State.player is {player!r}; this package solves two-player")
    assert text.endswith("after [a]")


@pytest.mark.parametrize("player", [True, np.int64(1), np.int8(1)])
def test_players_that_are_integers_in_disguise(player):
    tree = compile_game(TreeGame(Turn(player, "j", (("b", End(1)),))))
    assert list(tree.treeplexes[1].keys) == ["j"]


@pytest.mark.parametrize(
    "payoff",
    [
        (1, -1),
        [1, 1],
        {0: 1, 1: 1},
        np.array([1.0, -1.0]),
        np.array([1.0]),
        None,
        "1.5",
        b"1",
        1j,
        float("nan"),
        float("inf"),
        -float("inf"),
        10**400,
        Fraction(10**400),
    ],
)
def test_payoffs_that_are_not_one_finite_number(payoff):
    """A pair of payoffs is what somebody writes whose game is not zero-sum."""
    text = refused(turn(0, "i", a=End(0), b=turn(1, "j", c=End(payoff))))
    assert "the payoff is" in text
    assert "what player 0 wins, and player 1 loses" in text
    assert text.endswith("after [b c]")


@pytest.mark.parametrize("payoff", [True, np.float32(0.5), np.int64(3), Fraction(1, 3), 1e-320])
def test_payoffs_that_are_numbers(payoff):
    tree = compile_game(TreeGame(turn(0, "i", a=End(payoff))))
    assert tree.payoff.entries.tolist() == [float(payoff)]


@pytest.mark.parametrize(
    ("branches", "message"),
    [
        ((), "the outcomes of chance are none"),
        ((("x", HALF, End(1)),), "the probabilities of chance sum to 1/2, not to 1"),
        ((("x", 0.5, End(1)), ("y", 0.5 - 1e-8, End(1))), "sum to 0.99999999"),
        ((("x", HALF, End(1)), ("y", HALF - Fraction(1, 10**15), End(1))), "not to 1"),
        ((("x", -0.5, End(1)), ("y", 1.5, End(1))), "a negative probability (-0.5)"),
        ((("x", float("nan"), End(1)),), "the probability of chance is nan"),
        ((("x", float("inf"), End(1)),), "the probability of chance is inf"),
        ((("x", "1", End(1)),), "the probability of chance is '1'"),
        ((("x", None, End(1)),), "the probability of chance is None"),
        ((("x", HALF, End(1)), ("x", HALF, End(2))), "two of the same label: ['x', 'x']"),
        (((1, HALF, End(1)), (2, HALF, End(2))), "labels must be strings"),
    ],
)
def test_chance_that_is_no_distribution(branches, message):
    text = refused(turn(0, "i", a=Luck(branches)))
    assert message in text
    assert text.endswith("after [a]")


@pytest.mark.parametrize("chance", [[("x", 1, 2)], {"x": 1}, ["x"], [1]])
def test_chance_that_is_no_list_of_pairs(chance):
    class State:
        player = CHANCE

        def child(self, _):
            return End(1)

    State.chance = chance
    assert "not pairs of a label and a probability" in refused(State())


def test_rounded_probabilities_are_fine():
    thirds = Luck(tuple((label, 1 / 3, End(1)) for label in "xyz"))
    assert compile_game(TreeGame(thirds)).payoff.entries == pytest.approx([1.0])
    tenths = Luck(tuple((str(i), 0.1, End(1)) for i in range(10)))
    assert compile_game(TreeGame(tenths)).payoff.entries == pytest.approx([1.0])


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (Turn(0, "j", ()), "infoset 'j' of player 0 has no actions"),
        (Turn(0, "j", (("x", End(1)), ("x", End(2)))), "two of the same label: ['x', 'x']"),
        (Turn(0, "j", ((1, End(1)), (2, End(2)))), "labels must be strings"),
        (Turn(0, "j", ((None, End(1)),)), "labels must be strings"),
        (Turn(0, 5, (("x", End(1)),)), "the infoset key 5 is not a string"),
        (Turn(0, None, (("x", End(1)),)), "the infoset key None is not a string"),
        (Turn(0, ["j"], (("x", End(1)),)), "the infoset key ['j'] is not a string"),
        (Turn(0, ("j", 1), (("x", End(1)),)), "the infoset key ('j', 1) is not a string"),
    ],
)
def test_keys_and_labels(node, message):
    text = refused(turn(1, "i", a=node))
    assert message in text
    assert text.endswith("after [a]")


def test_a_forgotten_action():
    after = {"x": End(1), "y": End(2)}
    text = refused(turn(0, "i", left=turn(0, "j", **after), right=turn(0, "j", **after)))
    assert "infoset 'j' of player 0 lacks perfect recall" in text
    assert "it holds both [left] and [right]" in text


def test_a_forgotten_observation():
    """The player saw two different things, did the same, and cannot tell them apart any more."""

    def branch(seen):
        return turn(1, seen, go=turn(0, "between", on=turn(1, "later", x=End(1), y=End(2))))

    text = refused(Luck((("heads", HALF, branch("h")), ("tails", HALF, branch("t")))))
    assert "infoset 'later' of player 1 lacks perfect recall" in text
    assert "it holds both [heads go on] and [tails go on]" in text


def test_absent_mindedness():
    text = refused(turn(0, "i", a=turn(0, "i", a=End(1), b=End(2)), b=End(3)))
    assert "infoset 'i' of player 0 lacks perfect recall: it holds both the start and [a]" in text


def test_forgetting_that_one_has_moved():
    text = refused(
        Luck(
            (
                ("x", HALF, turn(0, "i", a=turn(0, "j", b=End(1)))),
                ("y", HALF, turn(0, "j", b=End(2))),
            )
        )
    )
    assert "infoset 'j' of player 0 lacks perfect recall: it holds both [x a] and [y]" in text


@pytest.mark.parametrize(
    "other", [{"x": End(1)}, {"y": End(2), "x": End(1)}, {"x": End(1), "z": End(2)}]
)
def test_one_infoset_with_different_actions(other):
    text = refused(turn(0, "i", a=turn(1, "j", x=End(1), y=End(2)), b=turn(1, "j", **other)))
    assert f"has actions (x, y) after [a] but ({', '.join(other)}) after [b]" in text


def test_both_players_may_have_an_infoset_of_the_same_name():
    tree = compile_game(TreeGame(turn(0, "i", a=turn(1, "i", b=End(1), c=End(2)))))
    assert [list(t.keys) for t in tree.treeplexes] == [["i"], ["i"]]


# --- games without end, and games that are too large ----------------------------------------------


@dataclass(frozen=True)
class Endless:
    """Moves without end, in a circle or always on; `wide` moves at each state."""

    player: int
    wide: int = 2
    seen: str = ""
    is_circle: bool = False

    @property
    def actions(self):
        return tuple(f"a{i}" for i in range(self.wide))

    @property
    def chance(self):
        return tuple((label, 1 / self.wide) for label in self.actions)

    @property
    def infoset(self):
        return self.seen

    def child(self, action):
        if self.is_circle:
            return self
        mover = self.player if self.player == CHANCE else 1 - self.player
        return Endless(mover, self.wide, f"{self.seen},{action}")


@pytest.mark.parametrize(
    "state",
    [
        Endless(0),
        Endless(0, wide=40),
        Endless(0, wide=1),
        Endless(CHANCE),
        Endless(CHANCE, wide=1, is_circle=True),
        Endless(CHANCE, wide=3, is_circle=True),
    ],
)
def test_a_game_without_end_is_stopped(state):
    begin = time.process_time()
    text = refused(state)
    # Measured: at most 1.2 s.
    assert time.process_time() - begin < 12
    assert "maybe forever, after [a0 a0 a0" in text
    assert len(text) < 300


def test_a_wide_game_without_end_takes_little_memory():
    tracemalloc.start()
    refused(Endless(0, wide=20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Measured: 175 MB, of keys that grow with every move. Making all children of a state before
    # the first of them is walked would take 20 times that.
    assert peak < 6e8


def test_a_circle_of_a_player_lacks_perfect_recall():
    assert "lacks perfect recall" in refused(Endless(0, is_circle=True))


def test_a_deep_game_is_fine():
    """A thousand moves, each of which may end it: deep, but small."""
    state = End(0)
    for depth in range(1000, 0, -1):
        state = turn(depth % 2, f"{depth:04}", stop=End(depth), go=state)
    tree = compile_game(TreeGame(state))
    assert tree.history.num_nodes == 2001
    assert tree.num_infosets == 1000


@pytest.mark.parametrize("text", ["leduc", "goofspiel(cards=4)"])
def test_a_game_that_is_too_large(text):
    game = make(text)
    count = compile_game(game).history.num_nodes
    with pytest.raises(TooLargeError, match=r"has at least [\d,]+ histories, the limit is"):
        compile_game(game, max_histories=count - 1)
    assert compile_game(game, max_histories=count).history.num_nodes == count
    # A game that is remembered is refused where a new one is.
    for _ in range(2):
        assert sequence_form_of(game, max_histories=count).history.num_nodes == count
    with pytest.raises(TooLargeError):
        sequence_form_of(game, max_histories=count - 1)


def test_too_large_says_how_much_memory_it_would_take():
    with pytest.raises(TooLargeError, match=r"would take more than 140 MB"):
        compile_game(TreeGame(Endless(CHANCE, wide=1000)), max_histories=10**6)


# --- games in public form -----------------------------------------------------------------------


def end(ending=0):
    return Public(TERMINAL, "end", ending=ending)


def moves(player, public_history, *labels):
    return Public(player, public_history, tuple((label, end()) for label in labels))


FINE = Public(0, "", (("x", moves(1, "x", "l", "r")), ("y", end(3))))


def refused_deal(**parts):
    with pytest.raises(GameError) as caught:
        compile_game(Dealt(parts.pop("top", FINE), name="mine", **parts))
    text = str(caught.value)
    assert text.startswith("mine: ")
    return text


@pytest.mark.parametrize(
    ("top", "message"),
    [
        (moves(2, "", "x"), "State.player is 2"),
        (moves(0.0, "", "x"), "State.player is 0.0"),
        (moves(0, ""), "the actions are none, after the deal"),
        (moves(0, "", "x", "x"), "the actions have two of the same label: ['x', 'x']"),
        (moves(0, "", 1, 2), "labels must be strings"),
        (moves(0, 5, "x"), "PublicState.public_history is 5, not a string"),
        (Public(TERMINAL, "end", ending=[1]), "[1], which is not hashable, after 'end'"),
        (
            Public(0, "", (("x", moves(1, "same", "l")), ("y", moves(1, "same", "l")))),
            "two public states at which player 1 moves have the same public history, 'same'",
        ),
        (
            Public(0, "", (("x", moves(1, "same", "l")), ("y", moves(1, "same", "r")))),
            "two public states at which player 1 moves have the same public history, 'same'",
        ),
    ],
)
def test_public_states(top, message):
    assert message in refused_deal(top=top)


def test_both_players_may_move_at_the_same_story():
    """A public history is told to each by himself: who moves is known."""
    game = Dealt(Public(0, "start", (("x", moves(1, "start", "l", "r")),)))
    assert compile_game(game).num_infosets == 4


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        ((), "the hands are none"),
        (("A", "A"), "the hands have two of the same label"),
        ((1, 2), "labels must be strings"),
        (("A", "A:x"), "must not contain ':'"),
    ],
)
def test_hands(hands, message):
    assert message in refused_deal(hands=hands)


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        ([], "chance moves but has no outcome"),
        ([(0, HALF), (1, Fraction(1, 3))], "sum to 5/6, not to 1"),
        ([(0, Fraction(3, 2)), (1, -HALF)], "a negative probability (-0.5)"),
        ([(0, float("nan")), (1, HALF)], "the probability of chance is nan"),
        ([(0, "1")], "the probability of chance is '1'"),
        ([(0, HALF), (0, HALF)], "the same outcome twice"),
        ([(0, HALF), (2, HALF)], "the deal has a hand 2, but there are 2"),
        ([(0, HALF), (-1, HALF)], "the deal has a hand -1"),
        ([("A", HALF), ("B", HALF)], "the deal has a hand 'A'"),
    ],
)
@pytest.mark.parametrize("whose", [0, 1])
def test_deals(deal, message, whose):
    fine = [(0, HALF), (1, HALF)]
    text = refused_deal(dealing=lambda hand0: deal if (hand0 is None) == (whose == 0) else fine)
    assert message in text


def test_deals_in_floats_are_fine():
    game = Dealt(FINE, hands=tuple("abcdefghij"), dealing=lambda _: [(i, 0.1) for i in range(10)])
    assert compile_game(game).num_infosets == 20


@pytest.mark.parametrize(
    ("odds", "message"),
    [
        (lambda *_: Fraction(1, 3), "sum to 2/3, not to 1"),
        (lambda o, *_: 1.5 if o == "h" else -0.5, "a negative probability"),
        (lambda *_: float("nan"), "the probability of chance is nan"),
        (lambda *_: None, "the probability of chance is None"),
        (lambda o, hand0, hand1: HALF if hand0 == hand1 else 0.4, "sum to 0.8, not to 1"),
    ],
)
def test_public_chance(odds, message):
    branches = (("h", moves(0, "h", "x")), ("t", moves(0, "t", "x")))
    text = refused_deal(top=Public(0, "", (("go", Public(CHANCE, "go", branches, odds=odds)),)))
    assert message in text
    assert text.endswith("after 'go'")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((), "the outcomes of chance are none"),
        (("h", "h"), "the outcomes of chance have two of the same label"),
    ],
)
def test_public_outcomes(labels, message):
    branches = tuple((label, end()) for label in labels)
    assert message in refused_deal(top=Public(CHANCE, "", branches, odds=lambda *_: HALF))


@pytest.mark.parametrize("payoff", [float("nan"), float("inf"), None, "1", (1, -1), 10**400])
def test_public_payoffs(payoff):
    text = refused_deal(pay=lambda s, hand0, hand1: payoff if (s, hand0, hand1) == (3, 1, 0) else 1)
    assert "the payoff is" in text
    assert text.endswith("after 3 with B and A")


def test_payoffs_that_cannot_happen_are_not_asked_for():
    """The other hand is always dealt to player 1, and chance then names his hand."""

    def pay(ending, hand0, hand1):
        assert hand0 != hand1
        assert ending == hand1
        return hand0 - hand1

    top = Public(
        CHANCE,
        "",
        (("A", end(0)), ("B", end(1))),
        odds=lambda outcome, _, hand1: Fraction("AB"[hand1] == outcome),
    )
    dealing = {None: [(0, HALF), (1, HALF)], 0: [(1, Fraction(1))], 1: [(0, Fraction(1))]}
    tree = compile_game(Dealt(top, dealing=dealing.__getitem__, pay=pay))
    assert tree.payoff.entries.tolist() == [0.0]
    assert sorted(tree.history.node_payoff[tree.history.node_player == TERMINAL]) == [-1, 1]


@dataclass(frozen=True)
class EndlessPublic(Endless):
    """The same in public form."""

    @property
    def public_history(self):
        return self.seen

    @property
    def outcomes(self):
        return self.actions

    def probability(self, *_):
        return 1 / self.wide

    def child(self, action):
        after = super().child(action)
        return EndlessPublic(after.player, after.wide, after.seen)


@pytest.mark.parametrize("player", [0, CHANCE])
@pytest.mark.parametrize("wide", [1, 20])
def test_a_public_game_without_end_is_stopped(player, wide):
    begin = time.process_time()
    text = refused_deal(top=EndlessPublic(player, wide))
    # Measured: at most 1.4 s.
    assert time.process_time() - begin < 14
    assert "maybe forever, after ',a0,a0,a0" in text
    assert len(text) < 300


def test_a_wide_public_game_without_end_takes_little_memory():
    tracemalloc.start()
    refused_deal(top=EndlessPublic(0, wide=20), hands=tuple("abcdefgh"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Measured: 10 MB; with keys made on the way, one per hand, ten times as much.
    assert peak < 6e7


def test_a_public_game_that_is_too_large():
    with pytest.raises(TooLargeError, match="the limit is 1,000"):
        compile_game(Dealt(EndlessPublic(0)), max_histories=1000)
