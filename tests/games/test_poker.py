"""One-card poker: labels, public histories, all-in, endings, and the reduction by rank."""

from __future__ import annotations

import dataclasses
import itertools
from fractions import Fraction

import pytest

from infoset.games import CHANCE, TERMINAL, make
from infoset.games.poker import BettingRound, Card, Ending, OneCardPoker


def played(game, *actions):
    state = game.root()
    for action in actions:
        state = state.child(action)
    return state


def playthrough(game, actions):
    """A line of play as text: everything a state says, at every step."""
    lines, state = [game.name], game.root()
    for action in (*actions, None):
        if state.player == TERMINAL:
            lines.append(f"end {state.payoff}")
        elif state.player == CHANCE:
            chance = " ".join(f"{label}={p}" for label, p in state.chance)
            lines.append(f"chance {chance}")
        else:
            lines.append(f"player {state.player} {state.infoset} {' '.join(state.actions)}")
        if action is not None:
            lines.append(f"  > {action}")
            state = state.child(action)
    return "\n".join(lines)


GOLDEN = """\
nolimit_leduc(stack=5)
chance Js=1/6 Jh=1/6 Qs=1/6 Qh=1/6 Ks=1/6 Kh=1/6
  > Js
chance Jh=1/5 Qs=1/5 Qh=1/5 Ks=1/5 Kh=1/5
  > Qh
player 0 Js: check bet2 bet3 bet4 bet5
  > check
player 1 Qh:check check bet2 bet3 bet4 bet5
  > bet2
player 0 Js:check,bet2 fold call raise3 raise4 raise5
  > call
chance Jh=1/4 Qs=1/4 Ks=1/4 Kh=1/4
  > Jh
player 0 Js:check,bet2,call/Jh: check bet3 bet4 bet5
  > bet4
player 1 Qh:check,bet2,call/Jh:bet4 fold call raise5
  > raise5
player 0 Js:check,bet2,call/Jh:bet4,raise5 fold call
  > call
end 5"""


def test_playthrough():
    actions = [line[4:] for line in GOLDEN.splitlines() if line.startswith("  > ")]
    game = make(GOLDEN.splitlines()[0])
    assert playthrough(game, actions) == GOLDEN


def test_kuhn_payoffs():
    game = make("kuhn")
    lines = {
        ("check", "check"): 1,
        ("check", "bet", "fold"): "folds",
        ("check", "bet", "call"): 2,
        ("bet", "fold"): "steals",
        ("bet", "call"): 2,
    }
    for line, stake in lines.items():
        wins, loses = played(game, "K", "Q", *line), played(game, "J", "Q", *line)
        assert wins.player == loses.player == TERMINAL
        fixed = {"folds": (-1, -1), "steals": (1, 1)}
        assert (wins.payoff, loses.payoff) == fixed.get(stake, (stake, -1 if stake == 1 else -2))


def test_leduc_showdown():
    game = make("leduc")
    line = ("bet", "raise", "call")
    pot = 1 + 2 + 2  # the ante, a bet and a raise of 2
    assert played(game, "Js", "Ks", *line, "Jh", "check", "check").payoff == pot
    assert played(game, "Js", "Ks", *line, "Qh", "check", "check").payoff == -pot
    assert played(game, "Js", "Jh", *line, "Qh", "bet", "raise", "call").payoff == 0
    assert played(game, "Js", "Ks", *line, "Jh", "bet", "raise", "fold").payoff == -pot - 4
    assert played(game, "Js", "Ks", *line, "Jh", "bet", "raise").actions == ("fold", "call")


def test_five_sizes_keep_their_fractions():
    game = make("leduc5")
    state = played(game, "Ks", "Js", "bet1.5")
    assert state.actions == (
        "fold",
        "call",
        "raise2",
        "raise2.5",
        "raise3.5",
        "raise5.5",
        "raise9.5",
    )
    state = state.child("raise2.5").child("call").child("Qs").child("check")
    assert state.infoset == "Js:bet1.5,raise2.5,call/Qs:check"
    assert state.actions == ("check", "bet3.5", "bet4.5", "bet6.5", "bet10.5", "bet18.5")
    assert state.child("check").payoff == Fraction(5, 2)
    assert played(game, "Ks", "Js", "check", "bet1.5", "raise5.5", "fold").payoff == Fraction(3, 2)


def test_a_raise_is_as_large_as_the_last_one():
    game = make("nolimit_leduc(stack=10)")
    state = played(game, "Js", "Ks", "bet4")
    assert state.actions == ("fold", "call", "raise7", "raise8", "raise9", "raise10")
    assert state.child("raise8").actions == ("fold", "call", "raise10")  # all-in for less
    assert state.child("raise10").actions == ("fold", "call")
    # The next round starts afresh.
    assert played(game, "Js", "Ks", "bet4", "call", "Qs").actions[:2] == ("check", "bet5")


def test_all_in_and_called_shows_the_board_and_the_hands():
    state = played(make("nolimit_leduc(stack=4)"), "Js", "Ks", "bet4", "call")
    assert state.player == CHANCE
    assert [label for label, _ in state.chance] == ["Jh", "Qs", "Qh", "Kh"]
    assert state.child("Jh").player == TERMINAL
    assert [state.child(board).payoff for board in ("Jh", "Qs", "Kh")] == [4, -4, -4]
    assert state.child("Jh").public.public_history == "bet4,call/Jh:"


def test_the_ante_may_come_on_top_of_the_stack():
    on_top = make("nolimit_leduc(stack=4,ante_in_stack=false)")
    within = make("nolimit_leduc(stack=5)")
    assert on_top.name == "nolimit_leduc(stack=4,ante_in_stack=false)"
    assert (on_top.deck, on_top.rounds, on_top.stack) == (within.deck, within.rounds, within.stack)
    assert on_top != within


def test_settlements_are_few_and_shared():
    game = make("nolimit_leduc(stack=5)")
    endings, num_ends = set(), 0
    pending = [game.public()]
    while pending:
        state = pending.pop()
        if state.player == TERMINAL:
            num_ends += 1
            endings.add(state.ending)
        else:
            labels = state.outcomes if state.player == CHANCE else state.actions
            pending.extend(map(state.child, labels))
    # A fold: 4 amounts lost (1 to 4) by either player. A showdown: 5 amounts on 6 boards.
    assert len(endings) == 4 * 2 + 5 * 6
    assert num_ends == 1268
    assert Ending(chips=2, winner=1, board=None) in endings
    assert game.payoff(Ending(2, 1, None), 5, 0) == -2


def test_states_are_frozen_and_equal_by_what_they_say():
    state = make("leduc").public().child("check")
    again = make("leduc").public().child("check")
    assert state == again
    assert hash(state) == hash(again)
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.public_history = ""


REDUCED = ["leduc", "nolimit_leduc(stack=4)", "leduc5"]


@pytest.mark.parametrize("text", REDUCED)
def test_by_rank_is_the_same_game_with_suits_forgotten(text):
    """Every state with suits behaves as the state without them that stands for it.

    Players, actions and payoffs are the same, and the chance of a rank is that of its suits
    together. So a strategy of the small game is worth as much in the large one, and the value is
    unchanged: forgetting suits loses nothing, since relabelling them changes no payoff.
    """
    game = make(text)
    name = f"{text[:-1]},by_rank=true)" if text.endswith(")") else f"{text}(by_rank=true)"
    small = make(name)
    assert small.name == name
    assert small.hands == ("J", "Q", "K")
    for card in range(6):
        by_rank = {small.hands[hand]: p for hand, p in small.deal(card // 2)}
        for rank in "JQK":
            dealt = sum(p for hand, p in game.deal(card) if game.hands[hand][0] == rank)
            assert dealt == by_rank[rank]

    num_compared = 0

    def compare(large, little):
        nonlocal num_compared
        num_compared += 1
        assert large.player == little.player
        if large.player == TERMINAL:
            for hand0, hand1 in pairs:
                ends = game.payoff(large.ending, hand0, hand1)
                assert ends == small.payoff(little.ending, hand0 // 2, hand1 // 2)
        elif large.player == CHANCE:
            for hand0, hand1 in pairs:
                for rank in "JQK":
                    together = sum(large.probability(rank + s, hand0, hand1) for s in "sh")
                    assert together == little.probability(rank, hand0 // 2, hand1 // 2)
            for rank, suit in itertools.product("JQK", "sh"):
                compare(large.child(rank + suit), little.child(rank))
        else:
            assert large.actions == little.actions
            for action in large.actions:
                compare(large.child(action), little.child(action))

    pairs = [(0, 1), (0, 2), (0, 4), (3, 1), (2, 3), (4, 2), (5, 4)]
    compare(game.public(), small.public())
    assert num_compared > 100


def test_a_variant_is_data():
    """Two bets of any of two sizes, a longer deck, and a half-chip ante: no new code."""
    deck = tuple(Card(str(rank), rank, count=3) for rank in range(4))
    rounds = (BettingRound((1, Fraction(3, 2)), max_bets=2), BettingRound((2,), max_bets=1))
    game = OneCardPoker("mine", deck, rounds, ante=Fraction(1, 2))
    state = played(game, "0", "3")
    assert state.actions == ("check", "bet1.5", "bet2")
    state = state.child("bet2").child("raise3.5").child("call")
    assert dict(state.chance) == {
        "0": Fraction(2, 10),
        "1": Fraction(3, 10),
        "2": Fraction(3, 10),
        "3": Fraction(2, 10),
    }
    assert state.child("0").child("bet").child("call").payoff == Fraction(11, 2)
