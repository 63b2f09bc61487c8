"""Hold'em: random hands replayed by PokerKit and by the ACPC's own code."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hands_for_tests import drawn
from infoset.cards import format_cards
from infoset.games import CHANCE, TERMINAL
from infoset.games.holdem.acpc import holdem
from peers_for_tests import pokerkit_rules, universal_poker

# Against PokerKit


def any_action(state, rng):
    """Few folds, many small and least raises, so that hands grow long; all-in now and then."""
    public = state.public
    kind = rng.random()
    if kind < 0.05 and public.is_facing_bet:
        return "fold"
    totals = public.raises
    if kind < 0.55 or not totals:
        return "call" if public.is_facing_bet else "check"
    if kind < 0.65:
        return f"raise{totals[0]}"
    if kind < 0.70:
        return f"raise{totals[-1]}"
    place = int(len(totals) ** rng.random())
    return f"raise{totals[place - 1]}"


def compare(state, peer, seen):
    """Everything both say about a position; `seen` counts what was met."""
    public, stack = state.public, state.game.stack
    assert [stack - left for left in peer.stacks] == list(public.betting.put)
    assert peer.total_pot_amount == sum(public.betting.put)
    if state.player == CHANCE:
        assert peer.actor_index is None
        seen["run-out"] += max(public.betting.put) == stack
        return
    me = state.player
    assert peer.actor_index == me
    assert peer.can_fold() == public.is_facing_bet
    assert peer.checking_or_calling_amount == public.betting.put[1 - me] - public.betting.put[me]
    before = public.betting.put[me] - peer.bets[me]  # PokerKit counts the chips of the street
    totals = public.raises
    if len(totals) < 2000:  # else listing them takes longer than all the rest
        stay = ["fold", "call"] if peer.can_fold() else ["check"]
        assert list(state.actions) == stay + [f"raise{total}" for total in totals]
    if not totals:
        assert peer.min_completion_betting_or_raising_to_amount is None
        return
    assert peer.min_completion_betting_or_raising_to_amount == totals[0] - before
    assert peer.max_completion_betting_or_raising_to_amount == totals[-1] - before
    assert totals == range(totals[0], totals[-1] + 1)
    seen["all-in for less"] += totals[0] < public.betting.put[1 - me] + public.betting.last_raise


def replay(game, rng, seen):
    peer = pokerkit_rules(game)(game.stack, 2)
    state = game.root()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            after = drawn(state, rng)
            if state.hand1 is None:
                hand = after.hand0 if state.hand0 is None else after.hand1
                peer.deal_hole(game.hands[hand])
            else:
                compare(state, peer, seen)
                peer.burn_card("??")
                new = after.public.board[len(state.public.board) :]
                peer.deal_board(format_cards(new))
            state = after
            continue
        compare(state, peer, seen)
        action = any_action(state, rng)
        before = state.public.betting.put[state.player] - peer.bets[state.player]
        if action == "fold":
            peer.fold()
        elif action in ("check", "call"):
            peer.check_or_call()
        else:
            peer.complete_bet_or_raise_to(int(action.removeprefix("raise")) - before)
        state = state.child(action)
    assert not peer.status
    assert peer.payoffs == [state.payoff, -state.payoff]
    assert type(state.payoff) is int
    seen["tie"] += state.payoff == 0
    seen["fold"] += state.public.ending.winner is not None
    seen["showdown"] += state.public.ending.winner is None
    seen["river"] += state.public.betting.street == 3


@pytest.mark.parametrize("num_hands", [1000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_hands_of_the_competition_as_pokerkit_plays_them(num_hands):
    pytest.importorskip("pokerkit")
    game, rng, seen = holdem(), np.random.default_rng(num_hands), Counter()
    for _ in range(num_hands):
        replay(game, rng, seen)
    least = {"showdown": 600, "fold": 150, "run-out": 300, "all-in for less": 100, "tie": 15}
    assert all(seen[what] >= number for what, number in least.items()), seen


@pytest.mark.parametrize(
    ("stack", "small_blind", "big_blind"),
    [
        (1, 1, 2),  # both all-in by their blinds
        (50, 50, 100),
        (51, 50, 100),  # the big blind is all-in for less than it ought to be
        (100, 50, 100),
        (101, 50, 100),  # one chip behind
        (150, 50, 100),
        (350, 50, 100),
        (40, 1, 2),
        (999, 5, 7),
    ],
)
def test_short_stacks_and_odd_blinds_as_pokerkit_plays_them(stack, small_blind, big_blind):
    pytest.importorskip("pokerkit")
    game = holdem(stack=stack, small_blind=small_blind, big_blind=big_blind)
    rng, seen = np.random.default_rng(stack), Counter()
    for _ in range(150):
        replay(game, rng, seen)
    assert seen["showdown"] > 0


# Against the ACPC's own code, which OpenSpiel's universal_poker plays by


@pytest.mark.parametrize(
    "rules",
    [
        {"stack": 20_000, "ranks": 13, "suits": 4},
        {"stack": 700, "ranks": 13, "suits": 4},
        {"stack": 2000, "ranks": 13, "suits": 4},
        {"stack": 101, "ranks": 6, "suits": 3},
        {"stack": 30, "small_blind": 1, "big_blind": 2, "streets": 3, "ranks": 5, "suits": 2},
        {"stack": 10, "small_blind": 1, "big_blind": 1, "streets": 2, "ranks": 13, "suits": 2},
    ],
    ids=str,
)
def test_hands_as_the_acpc_plays_them(rules):
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = holdem(**rules), np.random.default_rng(rules["stack"])
    peers = universal_poker(pyspiel, game, ranks=rules["ranks"], suits=rules["suits"])
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
            stay = [0, 1] if state.public.is_facing_bet else [1]
            assert peer.legal_actions() == stay + list(state.public.raises)
            action = any_action(state, rng)
            number = {"fold": "0", "check": "1", "call": "1"}.get(action, action[len("raise") :])
            peer.apply_action(int(number))
            state = state.child(action)
        assert peer.is_terminal()
        assert peer.returns() == [state.payoff, -state.payoff]
