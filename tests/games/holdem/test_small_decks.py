"""Small games by the rules of hold'em: they compile, and what is known about them is so."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.cards import format_cards
from infoset.errors import BadInputError, TooLargeError
from infoset.evaluation import expected_value
from infoset.forms import compile_game
from infoset.forms.walk_states import walk_states
from infoset.games import TERMINAL, make
from infoset.games.holdem.acpc import Holdem, holdem
from infoset.games.holdem.game import Ending
from infoset.solvers.exact.linear_program import LinearProgramSolver

SMALL = "holdem(stack=4,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)"

SEVEN_CARDS = tuple(4 * rank + suit for rank in range(9, 13) for suit in (2, 3))[1:]


def card_by_card(stack):
    """Seven cards, and a board that comes up one card at a time."""
    return Holdem("card by card", stack, (2, 1), SEVEN_CARDS, street_cards=(0, 1, 1, 1))


def played(game, *labels):
    state = game.root()
    for label in labels:
        state = state.child(label)
    return state


def test_the_game_is_refused_where_it_would_be_compiled():
    with pytest.raises(TooLargeError, match="holdem has at least"):
        compile_game(holdem())


def decisions(paid, first, least, stack):
    """Decisions of one street, and how often it ends with both having put in how much.

    Written from the rules alone, with no code of the package.
    """
    number, ends = 0, Counter()

    def speak(me, you, last, is_first):
        nonlocal number
        number += 1
        level = max(me, you)
        if is_first and level < stack:
            speak(level, level, last, False)
        else:
            ends[level] += 1
        for total in range(you + 1, stack + 1):
            if total - you >= last or total == stack:
                speak(you, total, total - you, False)

    speak(paid[first], paid[1 - first], least, True)
    return number, ends


def test_an_independent_count_of_a_small_game():
    number, ends = decisions((2, 1), 1, 2, 4)
    infosets = 28 * number  # hands of 8 cards
    for level, times in ends.items():
        if level < 4:
            # A flop of 8 cards, and a hand of the 5 that are left.
            infosets += times * 56 * 10 * decisions((level, level), 0, 2, 4)[0]
    assert compile_game(make(SMALL)).num_infosets == infosets


def test_an_independent_count_where_the_board_comes_card_by_card():
    """Stories of the street at hand by what both have put in; then hands of the cards left."""
    stack, infosets, public_histories = 5, 0, Counter({2: 1})
    for street in range(4):
        after = Counter()
        for level, times in public_histories.items():
            if level < stack:
                paid, first = ((level, level), 0) if street else ((2, 1), 1)
                number, ends = decisions(paid, first, 2, stack)
                infosets += times * number * math.comb(7 - street, 2)
                for end, ways in ends.items():
                    after[end] += times * ways * (7 - street)  # each card of the board
        public_histories = after
    assert compile_game(card_by_card(stack)).num_infosets == infosets


@pytest.mark.parametrize("game", [make(SMALL), card_by_card(3)], ids=lambda game: game.name)
def test_both_ways_to_compile_a_small_game_agree(game):
    in_public = compile_game(game)
    history, treeplexes = walk_states(game, game.name, 10**6)
    assert history.num_nodes == in_public.history.num_nodes
    deals = {(0, 3): 28 * 15 * 4, (0, 1, 1, 1): 21 * 10 * 6}[game.street_cards]
    assert history.num_nodes > game.least_histories == deals
    for one, other in zip(treeplexes, in_public.treeplexes, strict=True):
        assert dict(zip(one.keys, one.labels, strict=True)) == dict(
            zip(other.keys, other.labels, strict=True)
        )

    def ends(tree):
        is_end = tree.node_degree == 0
        reach = np.ones(tree.num_nodes)
        for node in range(1, tree.num_nodes):
            reach[node] = reach[tree.node_parent[node]] * tree.node_chance[node]
        return Counter(
            (payoff, round(p, 12))
            for payoff, p in zip(tree.node_payoff[is_end], reach[is_end], strict=True)
        )

    assert ends(history) == ends(in_public.history)


def test_the_value_of_a_small_game_by_hand():
    """Two streets, all-in blinds: nobody decides, so player 0 wins what his cards win: nothing."""
    game = make("holdem(stack=1,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)")
    total, wins = Fraction(0), Counter()
    for hand0, p in game.deal(None):
        for hand1, q in game.deal(hand0):
            state = played(game, game.hands[hand0], game.hands[hand1])
            for board, r in state.chance:
                end = state.child(board)
                assert end.player == TERMINAL
                total += p * q * r * end.payoff
                wins[end.payoff] += 1
    assert total == 0
    assert wins[1] == wins[-1]
    assert sum(wins.values()) == game.least_histories == 28 * 15 * 4


def test_rules_are_data():
    """A deck and streets of one's own: aces and kings, one street after a flop of three."""
    deck = tuple(itertools.chain(range(44, 52)))
    game = Holdem("mine", 3, (2, 1), deck, street_cards=(0, 3))
    assert game.hands[0] == "KdKc"
    assert len(game.hands) == 28
    state = played(game, "AsAh", "KsKh", "raise3", "call", "AdKdKc")
    assert (state.player, state.payoff) == (TERMINAL, -3)


# Showdowns with few cards


@cache
def naive_strength(cards):
    """The best five cards, compared as tuples. Written from the rules of poker alone."""

    def five(chosen):
        ranks = sorted((card // 4 for card in chosen), reverse=True)
        counts = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
        kinds = [count for count, _ in counts]
        order = [rank for _, rank in counts]
        is_flush = len({card % 4 for card in chosen}) == 1
        is_straight = len(order) == 5 and order[0] - order[4] == 4
        if order == [12, 3, 2, 1, 0]:
            is_straight, order = True, [3]
        if is_straight or is_flush:
            return (8 if is_straight and is_flush else 5 if is_flush else 4), order
        known = [[1, 1, 1, 1, 1], [2, 1, 1, 1], [2, 2, 1], [3, 1, 1], None, None, [3, 2], [4, 1]]
        return known.index(kinds), order

    return max(five(chosen) for chosen in itertools.combinations(cards, 5))


def naive_showdown(hand0, hand1, board):
    """1, 0 or -1: who is better with these cards, player 0 if positive."""
    mine, yours = (naive_strength(tuple(sorted((*hand, *board)))) for hand in (hand0, hand1))
    return (mine > yours) - (mine < yours)


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_showdowns_with_few_cards(data):
    ranks, suits = data.draw(st.integers(3, 7)), data.draw(st.integers(2, 4))
    streets = data.draw(st.integers(2, 4))
    board_cards = streets + 1
    if ranks * suits < 4 + board_cards:
        ranks = 7
    game = holdem(stack=9, ranks=ranks, suits=suits, streets=streets)
    cards = data.draw(st.permutations(game.deck))
    hands = [tuple(sorted(cards[begin : begin + 2], reverse=True)) for begin in (0, 2)]
    board = tuple(cards[4 : 4 + board_cards])
    numbers = [game.hand_of[format_cards(hand)] for hand in hands]
    won = game.payoff(Ending(9, None, tuple(sorted(board))), *numbers)
    assert won == 9 * naive_showdown(*hands, board)


@pytest.mark.parametrize(
    ("ranks", "suits", "streets"), [(4, 2, 2), (4, 2, 3), (3, 3, 4), (5, 2, 4)]
)
def test_the_value_where_one_player_calls_or_folds(ranks, suits, streets):
    """The big blind is all-in, so the button gives up his chip or sees all cards with each hand."""
    numbers = f"stack=2,small_blind=1,big_blind=2,streets={streets},ranks={ranks},suits={suits}"
    game = make(f"holdem({numbers})")
    hands = list(itertools.combinations(game.deck, 2))
    won = Fraction(0)
    for hand1 in hands:
        called, deals = 0, 0
        for hand0 in itertools.combinations(sorted(set(game.deck) - set(hand1)), 2):
            left = sorted(set(game.deck) - {*hand0, *hand1})
            for board in itertools.combinations(left, streets + 1):
                called += 2 * naive_showdown(hand0, hand1, board)
                deals += 1
        won += min(Fraction(1), Fraction(called, deals)) / len(hands)
    solver = LinearProgramSolver(compile_game(game))
    solver.run()
    assert expected_value(solver.strategy()) == pytest.approx(float(won), abs=1e-9)
    assert won < 1  # else nobody would ever call, and the cards would not matter


@pytest.mark.parametrize("street_cards", [(), (0,), (0, 2), (3, 1, 1), (0, 3, 0, 1), (0, 3, 2, 1)])
def test_boards_that_have_no_showdown_are_refused(street_cards):
    with pytest.raises(BadInputError) as refused:
        Holdem("mine", 4, (2, 1), tuple(range(52)), street_cards)
    assert f"street_cards is {street_cards}, but the first street has no" in str(refused.value)
