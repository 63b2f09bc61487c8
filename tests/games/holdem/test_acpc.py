"""Hold'em: its edges by hand, and what holds in every hand."""

from __future__ import annotations

import dataclasses
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hands_for_tests import drawn, play_hand, random_action
from infoset.cards import evaluate_cards, parse_cards
from infoset.errors import BadInputError
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem.acpc import holdem
from infoset.games.holdem.game import Ending

SMALL = "holdem(stack=4,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)"


def played(game, *labels):
    state = game.root()
    for label in labels:
        state = state.child(label)
    return state


# By hand

GOLDEN = """\
holdem(stack=1000)
chance 1326 from 2d2c to AsAh, each 1/1326
  > AsKd
chance 1225 from 2d2c to AhAd, each 1/1225
  > QhQc
player 1 QhQc: fold call raise200..1000
  > raise300
player 0 AsKd:raise300 fold call raise500..1000
  > call
chance 17296 from 2h2d2c to AhAdAc, each 1/17296
  > 8d7h2c
player 0 AsKd:raise300,call/8d7h2c: check raise400..1000
  > check
player 1 QhQc:raise300,call/8d7h2c:check check raise400..1000
  > raise450
player 0 AsKd:raise300,call/8d7h2c:check,raise450 fold call raise600..1000
  > raise900
player 1 QhQc:raise300,call/8d7h2c:check,raise450,raise900 fold call raise1000
  > call
chance 45 from 2d to Ah, each 1/45
  > Kh
player 0 AsKd:raise300,call/8d7h2c:check,raise450,raise900,call/Kh: check raise1000
  > raise1000
player 1 QhQc:raise300,call/8d7h2c:check,raise450,raise900,call/Kh:raise1000 fold call
  > call
chance 44 from 2d to Ah, each 1/44
  > Qd
end -1000"""


def playthrough(game, labels):
    """A line of play as text: everything a state says, at every step."""
    lines, state = [game.name], game.root()
    for label in (*labels, None):
        if state.player == TERMINAL:
            lines.append(f"end {state.payoff}")
        elif state.player == CHANCE:
            chance = state.chance
            (odds,) = {p for _, p in chance}
            assert sum(p for _, p in chance) == 1
            first, last = chance[0][0], chance[-1][0]
            lines.append(f"chance {len(chance)} from {first} to {last}, each {odds}")
        else:
            stay = [action for action in state.actions if not action.startswith("raise")]
            totals = [int(a.removeprefix("raise")) for a in state.actions[len(stay) :]]
            assert totals == list(state.public.raises)
            if totals:
                assert totals == list(range(totals[0], totals[-1] + 1))
                stay.append("raise" + "..".join(map(str, sorted({totals[0], totals[-1]}))))
            lines.append(f"player {state.player} {state.infoset} {' '.join(stay)}")
        if label is not None:
            lines.append(f"  > {label}")
            state = state.child(label)
    return "\n".join(lines)


def test_playthrough():
    labels = [line[4:] for line in GOLDEN.splitlines() if line.startswith("  > ")]
    assert playthrough(make(GOLDEN.splitlines()[0]), labels) == GOLDEN


def test_the_game_of_the_competition():
    # holdem.nolimit.2p.reverse_blinds.game: stack 20000, blind 100 50, firstPlayer 2 1 1 1.
    state = played(holdem(), "2c2d", "2h2s")
    assert (state.player, state.public.betting.put) == (1, (100, 50))
    assert state.actions[:3] == ("fold", "call", "raise200")
    assert state.actions[-1] == "raise20000"
    assert state.child("call").player == 0
    assert state.child("call").actions[:2] == ("check", "raise200")
    assert state.child("call").child("check").child("AsKsQs").player == 0
    assert state.child("fold").payoff == 50


def test_equal_blinds():
    """The button speaks first, as always in the ACPC (PokerKit would have the other start)."""
    state = played(holdem(stack=40, small_blind=1, big_blind=1), "AsAh", "KsKh")
    assert state.player == 1
    assert state.actions[:2] == ("check", "raise2")
    assert state.child("check").player == 0
    assert state.child("check").child("check").player == CHANCE


def test_a_raise_is_as_large_as_the_last_one_of_the_street():
    state = played(holdem(), "AsAh", "KsKh", "raise250")
    assert state.public.raises == range(400, 20001)
    assert state.child("raise1000").public.raises == range(1750, 20001)
    flop = state.child("raise1000").child("call").child("2c3c4c")
    assert flop.public.raises == range(1100, 20001)
    assert flop.child("check").child("check").child("5d").public.raises == range(1100, 20001)


def test_all_in_for_less_than_a_raise():
    state = played(holdem(stack=1000), "AsAh", "KsKh", "raise700")
    assert state.actions == ("fold", "call", "raise1000")
    assert state.child("raise1000").actions == ("fold", "call")
    assert state.child("raise1000").child("fold").payoff == 700
    flop = played(holdem(stack=180), "AsAh", "KsKh", "call", "check", "2c3c4c")
    assert flop.actions == ("check", "raise180")


def test_both_all_in_deal_the_board_out():
    state = played(holdem(), "AsAh", "KsKh", "raise20000", "call")
    for label, count in (("2c3c4c", 45), ("8d", 44), ("9d", None)):
        assert state.player == CHANCE
        state = state.child(label)
        assert count is None or len(state.chance) == count
    assert state.player == TERMINAL
    assert state.payoff == 20000
    assert state.public.public_history == "raise20000,call/4c3c2c:/8d:/9d:"
    assert state.public.ending == Ending(20000, None, parse_cards("2c3c4c8d9d"))


def test_blinds_larger_than_the_stack():
    both = played(holdem(stack=30), "AsAh", "KsKh")
    assert (both.player, both.public.betting.put) == (CHANCE, (30, 30))
    assert played(holdem(stack=30), "AsAh", "KsKh", "Kd2c3c", "4d", "8d").payoff == -30
    one = played(holdem(stack=80), "AsAh", "KsKh")
    assert (one.player, one.public.betting.put, one.actions) == (1, (80, 50), ("fold", "call"))
    assert one.child("fold").payoff == 50
    assert one.child("call").player == CHANCE
    assert one.child("call").child("2c3c4c").child("5d").child("8d").payoff == 80


@pytest.mark.parametrize(
    ("hand0", "hand1", "board", "won"),
    [
        ("AsKd", "AhKc", "Qd7h2c8s3d", 0),
        ("2s3d", "4h5c", "AsKsQsJsTs", 0),  # the board plays
        ("AsKd", "AhQc", "Kc7h2c8s3d", 1),
        ("AsKd", "AhQc", "Jd Tc 2c Ac 3d".replace(" ", ""), 1),  # by the kicker
        ("As2d", "KhQc", "JdTc9c2h2c", -1),  # trips lose to a straight
        ("5s6s", "AsAd", "AhAc2s3s4s", 1),  # quads lose to a straight flush
        ("As2d", "6h7h", "3c4d5sKhQd", -1),  # the wheel is the lowest straight
    ],
)
def test_showdowns(hand0, hand1, board, won):
    labels = (board[:6], "check", "check", board[6:8], "check", "check", board[8:])
    state = played(holdem(), hand0, hand1, "raise777", "call", *labels, "check", "check")
    assert state.payoff == 777 * won


def test_cards_are_read_in_any_order():
    one = played(holdem(), "KdAs", "QcQh", "call", "check", "2c8d7h", "check")
    other = played(holdem(), "AsKd", "QhQc", "call", "check", "7h8d2c", "check")
    assert one == other
    assert hash(one) == hash(other)
    assert one.infoset == "QhQc:call,check/8d7h2c:check"


@pytest.mark.parametrize(
    ("labels", "wrong", "message"),
    [
        ([], "AsAs", "As is there twice"),
        ([], "As", "'As' cannot be dealt: a hand is two of the cards in the deck"),
        (["AsKd"], "AsQd", "'AsQd' cannot be dealt"),
        (["AsKd", "QcQh"], "check", "there are fold and call, and raises from 200 to 20000"),
        (["AsKd", "QcQh"], "raise199", "'raise199' is not possible at the start"),
        (["AsKd", "QcQh"], "raise20001", "raises from 200 to 20000"),
        (["AsKd", "QcQh"], "raise0300", "is not possible"),
        (["AsKd", "QcQh"], "raise٣٠٠", "is not possible"),
        (["AsKd", "QcQh"], "raise" + "9" * 5000, "is not possible"),
        (["AsKd", "QcQh", "call"], "fold", "after 'call': there is check, and raises from 200"),
        (["AsKd", "QcQh", "call"], "call", "there is check"),
        (["AsKd", "QcQh", "call", "check"], "2c3c", "what comes up is 3 of the cards in the deck"),
        (["AsKd", "QcQh", "call", "check"], "As2c3c", "'As2c3c' is not possible"),
        (["AsKd", "QcQh", "call", "check", "2c3c4c", "check", "check"], "2c", "'2c' is not"),
        (["AsKd", "QcQh", "fold"], "call", "after 'fold': the hand is over"),
    ],
)
def test_what_cannot_be_is_refused(labels, wrong, message):
    with pytest.raises(BadInputError) as refused:
        played(holdem(), *labels).child(wrong)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("holdem(stack=0)", "stack must be a whole number from 1 to 1000000, not 0"),
        ("holdem(big_blind=20)", "small_blind is 50, more than big_blind, which is 20"),
        ("holdem(ranks=2,suits=2)", "the deck has 4 cards, but 9 are dealt"),
        ("holdem(raises=huge)", "raises must be any or pot or all_in"),
        ("holdem(streets=1)", "streets must be a whole number from 2 to 4"),
    ],
)
def test_rules_that_make_no_sense_are_refused(text, message):
    with pytest.raises(BadInputError) as refused:
        make(text)
    assert message in str(refused.value)


def test_names_make_the_game_again():
    assert holdem().name == "holdem"
    for text in ("holdem", "holdem(stack=200,raises=pot)", SMALL):
        assert make(text).name == text
        assert make(text) == make(text)


# Properties

NUMBERS = st.integers(1, 300)


@st.composite
def games(draw):
    small, big = sorted((draw(NUMBERS), draw(NUMBERS)))
    raises = draw(st.sampled_from(["any", "pot", "all_in"]))
    ranks, suits = draw(st.integers(3, 13)), draw(st.integers(3, 4))
    blinds = {"small_blind": small, "big_blind": big}
    return holdem(stack=draw(NUMBERS), raises=raises, ranks=ranks, suits=suits, **blinds)


@given(games(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=150)
def test_any_hand_keeps_its_chips(game, seed):
    rng = np.random.default_rng(seed)
    state, labels = game.root(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            after = drawn(state, rng)
        else:
            public, me = state.public, state.player
            others = state.actions[: 3 + len(public.raises)]
            assert len(set(others)) == len(others) == len(state.actions)
            action = random_action(state, rng)
            assert action in state.actions
            after = state.child(action)
            paid = after.public.betting.put
            assert paid[me] >= public.betting.put[me]
            assert paid[1 - me] == public.betting.put[1 - me]
            assert max(paid) <= game.stack
            if action.startswith("raise"):
                assert paid[me] == int(action.removeprefix("raise")) > public.betting.put[1 - me]
            labels.append(action)
        state = after
    assert abs(state.payoff) <= min(state.public.betting.put) <= game.stack
    board = state.public.board
    assert len({*board, *game.hand_cards[state.hand0], *game.hand_cards[state.hand1]}) == (
        4 + len(board)
    )
    if state.public.ending.winner is None:
        rows = [(*game.hand_cards[hand], *board) for hand in (state.hand0, state.hand1)]
        mine, yours = evaluate_cards(rows).tolist()
        assert state.payoff == state.public.betting.put[0] * ((mine > yours) - (mine < yours))
    # The same labels lead to the same end.
    streets = [part.rpartition(":")[0] for part in state.public.public_history.split("/")[1:]]
    again = played(game, game.hands[state.hand0], game.hands[state.hand1])
    while again.player != TERMINAL:
        again = again.child(streets.pop(0) if again.player == CHANCE else labels.pop(0))
    assert again == state
    assert not streets
    assert not labels


@given(games(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_the_same_seed_plays_the_same_hand(game, seed):
    ends = []
    for _ in range(2):
        rng = np.random.default_rng(seed)
        ends.append(play_hand(game, lambda state, rng=rng: random_action(state, rng), rng))
    assert ends[0] == ends[1]


def test_cards_are_drawn_as_often_as_they_should_be():
    game, rng = holdem(ranks=3, suits=3), np.random.default_rng(7)
    counts = Counter()
    for _ in range(3000):
        state = drawn(drawn(game.root(), rng), rng).child("call").child("check")
        state = drawn(state, rng)
        first, second = (game.hand_cards[hand] for hand in (state.hand0, state.hand1))
        for where, cards in (("0", first), ("1", second), ("flop", state.public.board)):
            counts.update((where, card) for card in cards)
    for (where, _), count in counts.items():
        expected = 3000 * (3 if where == "flop" else 2) / 9
        assert abs(count - expected) < 5 * np.sqrt(expected)
    assert len(counts) == 27


def test_states_are_frozen_and_hide_the_other_hand():
    state = played(holdem(), "AsKd", "QcQh", "raise300")
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.hand0 = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.public.betting = state.public.betting._replace(put=(0, 0))
    assert state.infoset == played(holdem(), "AsKd", "7c2h", "raise300").infoset
    assert state.infoset != played(holdem(), "AsKh", "QcQh", "raise300").infoset


def test_menus_of_raises():
    state = played(holdem(raises="pot"), "AsKd", "QcQh")
    assert state.actions == ("fold", "call", "raise300", "raise20000")
    assert state.child("raise300").actions == ("fold", "call", "raise900", "raise20000")
    assert state.child("call").actions == ("check", "raise300", "raise20000")
    with pytest.raises(BadInputError):
        state.child("raise301")
    assert played(holdem(raises="all_in"), "AsKd", "QcQh").actions[-1:] == ("raise20000",)
    # Too small is the least raise, too large is all-in, and what is equal is there once.
    rules = holdem(stack=500)
    mine = dataclasses.replace(rules, sizes=(Fraction(1, 10), Fraction(1, 4), Fraction(9)))
    assert played(mine, "AsKd", "QcQh").actions == ("fold", "call", "raise200", "raise500")
    flop = played(mine, "AsKd", "QcQh", "raise200", "call", "2c3c4c")
    assert flop.public.raises == (300, 500)
