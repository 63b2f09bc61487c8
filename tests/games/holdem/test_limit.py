"""Limit hold'em: its edges by hand, small games counted anew, and hands replayed by others."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hands_for_tests import drawn
from infoset.cards import format_cards
from infoset.errors import BadInputError
from infoset.forms import compile_game
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem.acpc import Holdem, holdem
from peers_for_tests import pokerkit_rules, universal_poker

LIMIT = "holdem(betting=limit)"


def played(game, *labels):
    state = game.root()
    for label in labels:
        state = state.child(label)
    return state


# By hand


def test_the_game_of_the_competition():
    """holdem.limit.2p.reverse_blinds.game: blind 10 5, raiseSize 10 10 20 20, maxRaises 3 4 4 4."""
    state = played(make(LIMIT), "2c2d", "2h2s")
    assert (state.player, state.public.betting.put) == (1, (10, 5))
    puts = []
    for _ in range(3):
        assert state.actions == ("fold", "call", "raise")
        state = state.child("raise")
        puts.append(state.public.betting.put)
    assert puts == [(10, 20), (30, 20), (30, 40)]
    assert state.actions == ("fold", "call")  # the big blind was the first of four bets
    state = state.child("call").child("AsKsQs")
    for street, size in enumerate((10, 20, 20), start=1):
        assert state.actions == ("check", "raise")
        before = state.public.betting.put[0]
        for number in range(1, 5):
            state = state.child("raise")
            assert max(state.public.betting.put) == before + number * size
        assert state.actions == ("fold", "call")
        state = state.child("call")
        if street < 3:
            state = state.child(("Js", "4c")[street - 1])
    assert state.player == TERMINAL
    assert state.payoff == -240  # a flush with the two of spades
    assert state.public.betting.put == (240, 240)


def test_labels_and_infosets():
    state = played(make(LIMIT), "AsKd", "QhQc", "raise", "call", "8d7h2c", "check", "raise")
    assert state.infoset == "AsKd:raise,call/8d7h2c:check,raise"
    assert state.public.raises == (40,)
    assert state.child("fold").payoff == -20
    assert state.child("raise").child("fold").payoff == 30


@pytest.mark.parametrize(
    ("labels", "wrong", "message"),
    [
        ([], "raise20", "'raise20' is not possible at the start: there are fold, call, raise"),
        ([], "bet", "there are fold, call, raise"),
        (["call"], "fold", "'fold' is not possible after 'call': there are check, raise"),
        (["raise"] * 3, "raise", "there are fold, call"),
    ],
)
def test_what_cannot_be_is_refused(labels, wrong, message):
    with pytest.raises(BadInputError) as refused:
        played(make(LIMIT), "AsKd", "QhQc", *labels).child(wrong)
    assert message in str(refused.value)


def test_names_make_the_game_again():
    for text in (LIMIT, "holdem(small_blind=1,big_blind=2,betting=limit)"):
        assert make(text).name == text
        assert make(text) == make(text)
    assert make("holdem(small_blind=5,big_blind=10,betting=limit)").name == LIMIT
    assert make("holdem(betting=no_limit,small_blind=50)").name == "holdem"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("holdem(betting=limit,raises=pot)", "raises=pot is for no-limit; in limit there is one"),
        ("holdem(betting=limit,small_blind=50)", "small_blind is 50, more than big_blind"),
        ("holdem(betting=pot_limit)", "betting must be no_limit or limit"),
    ],
)
def test_rules_that_make_no_sense_are_refused(text, message):
    with pytest.raises(BadInputError) as refused:
        make(text)
    assert message in str(refused.value)


@pytest.mark.parametrize("bets", [(), (10, 10, 20), (10, 10, 20, 0)])
def test_sizes_that_do_not_fit_the_streets_are_refused(bets):
    with pytest.raises(BadInputError, match="each of the 4 streets has one size"):
        Holdem("mine", 100, (10, 5), tuple(range(52)), bets=bets)


# Counted anew


def decisions(paid, first, size, bets, stack):
    """Decisions of one street, and how often it ends with both having put in how much."""
    number, ends = 0, Counter()

    def speak(me, you, bets, is_first):
        nonlocal number
        number += 1
        level = max(me, you)
        if is_first and level < stack:
            speak(level, level, bets, False)
        else:
            ends[level] += 1
        if bets < 4 and you < stack:
            speak(you, min(stack, you + size), bets + 1, False)

    speak(paid[first], paid[1 - first], bets, True)
    return number, ends


@pytest.mark.parametrize("stack", [3, 4, 5, 9, 20_000])
def test_an_independent_count_of_a_small_game(stack):
    text = f"holdem(stack={stack},small_blind=1,big_blind=2,betting=limit,streets=2,ranks=4,suits=2"
    number, ends = decisions((2, 1), 1, 2, 1, stack)
    infosets = 28 * number  # hands of 8 cards
    for level, times in ends.items():
        if level < stack:
            # A flop of 8 cards, and a hand of the 5 that are left.
            infosets += times * 56 * 10 * decisions((level, level), 0, 2, 0, stack)[0]
    assert compile_game(make(text + ")")).num_infosets == infosets


# Others' code


def any_action(state, rng):
    """Few folds and many raises, so that bets are often four."""
    actions = list(state.actions)
    if "fold" in actions and rng.random() < 0.85:
        actions.remove("fold")
    if "raise" in actions and rng.random() < 0.5:
        return "raise"
    return actions[int(rng.integers(len(actions)))]


def pokerkit_game(game):
    """The rules in PokerKit, with the big blind counted as a bet."""
    peer = pokerkit_rules(game)
    first = replace(peer.streets[0], max_completion_betting_or_raising_count=3)
    peer.streets = (first, *peer.streets[1:])
    return peer


@pytest.mark.parametrize(
    ("stack", "num_hands"),
    [(20_000, 600), (240, 100), (100, 150), (33, 150), (12, 50), (10, 20), (7, 20)],
)
def test_hands_as_pokerkit_plays_them(stack, num_hands):
    pytest.importorskip("pokerkit")
    game = holdem(stack=stack, betting="limit")
    peers = pokerkit_game(game)
    rng, seen = np.random.default_rng(stack), Counter()
    for _ in range(num_hands):
        peer, state = peers(stack, 2), game.root()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                after = drawn(state, rng)
                if state.hand1 is None:
                    hand = after.hand0 if state.hand0 is None else after.hand1
                    peer.deal_hole(game.hands[hand])
                else:
                    peer.burn_card("??")
                    new = after.public.board[len(state.public.board) :]
                    peer.deal_board(format_cards(new))
                state = after
                continue
            public = state.public
            assert peer.actor_index == state.player
            assert [stack - left for left in peer.stacks] == list(public.betting.put)
            stay = ["fold", "call"] if peer.can_fold() else ["check"]
            can_raise = peer.can_complete_bet_or_raise_to()
            assert list(state.actions) == stay + ["raise"] * can_raise
            seen["capped"] += public.betting.num_bets == 4
            action = any_action(state, rng)
            if action == "raise":
                before = public.betting.put[state.player] - peer.bets[state.player]
                assert (
                    peer.min_completion_betting_or_raising_to_amount
                    == peer.max_completion_betting_or_raising_to_amount
                    == public.raises[0] - before
                )
                peer.complete_bet_or_raise_to()
            elif action == "fold":
                peer.fold()
            else:
                peer.check_or_call()
            state = state.child(action)
        assert not peer.status
        assert peer.payoffs == [state.payoff, -state.payoff]
        seen["fold"] += state.public.ending.winner is not None
        seen["showdown"] += state.public.ending.winner is None
    assert seen["showdown"] > 0
    if stack >= 100:
        assert min(seen["fold"], seen["capped"]) > 10, seen


@pytest.mark.parametrize(
    "rules",
    [
        {"stack": 20_000, "ranks": 13, "suits": 4},
        {"stack": 300, "ranks": 13, "suits": 4},
        {"stack": 240, "ranks": 13, "suits": 4},
        {"stack": 20_000, "ranks": 6, "suits": 3},
        {"stack": 1000, "small_blind": 1, "big_blind": 2, "streets": 3, "ranks": 5, "suits": 2},
    ],
    ids=str,
)
def test_hands_as_the_acpc_plays_them(rules):
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = holdem(**rules, betting="limit"), np.random.default_rng(rules["stack"])
    peers = universal_poker(pyspiel, game, ranks=rules["ranks"], suits=rules["suits"])
    seen = Counter()
    for _ in range(200):
        peer, state = peers.new_initial_state(), game.root()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                before = state.dealt
                state = drawn(state, rng)
                for card in game.deck:
                    if (state.dealt ^ before) >> card & 1:
                        assert peer.is_chance_node()
                        peer.apply_action(game.deck.index(card))
                continue
            assert peer.current_player() == state.player
            numbers = {"fold": 0, "check": 1, "call": 1, "raise": 2}
            assert peer.legal_actions() == [numbers[action] for action in state.actions]
            seen["capped"] += state.public.betting.num_bets == 4
            action = any_action(state, rng)
            peer.apply_action(numbers[action])
            state = state.child(action)
        assert peer.is_terminal()
        assert peer.returns() == [state.payoff, -state.payoff]
    assert seen["capped"] > 20


# Properties


@given(st.integers(1, 400), st.integers(1, 30), st.integers(2, 4), st.integers(0, 2**32))
@settings(deadline=None, max_examples=100)
def test_any_hand_keeps_its_chips(stack, blind, streets, seed):
    game = holdem(
        stack=stack, small_blind=blind, big_blind=2 * blind, betting="limit", streets=streets
    )
    rng, state = np.random.default_rng(seed), game.root()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = drawn(state, rng)
            continue
        before, me = state.public.betting, state.player
        action = any_action(state, rng)
        state = state.child(action)
        after = state.public.betting
        assert after.put[1 - me] == before.put[1 - me]
        if action == "raise":
            size = (2 if before.street < 2 else 4) * blind
            assert after.put[me] == min(stack, before.put[1 - me] + size)
            assert after.num_bets <= 4
    assert abs(state.payoff) <= min(state.public.betting.put) <= stack


def test_the_number_of_infosets_in_the_literature():
    """319,365,922,522,608: Johanson (2013), Measuring the Size of Large No-Limit Poker Games."""
    game, number, left = holdem(betting="limit"), 0, 52
    lines, boards = Counter({game.first_state(): 1}), 1  # first states of a street, and how often
    for street, cards in enumerate(game.street_cards):
        boards *= math.comb(left, cards)
        left -= cards
        decisions, after = 0, Counter()
        for first, times in lines.items():
            states = [first]
            for state in states:  # it grows on the way
                if state.player == CHANCE:
                    after[game.betting.next_street(state)] += times
                if state.player >= 0:
                    decisions += times
                    states += [game.after(state, label) for label in game.labels(state)]
        number += decisions * boards * math.comb(left, 2)
        lines = after
        assert sum(lines.values()) == (7, 7 * 9, 7 * 9 * 9, 0)[street]
    assert number == 319_365_922_522_608
