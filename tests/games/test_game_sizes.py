"""Every built-in game walked state by state: sizes, exact chance, perfect recall."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from infoset.games import CHANCE, TERMINAL, make

# Decision infosets, and histories (chance and terminal ones too), where a source or a sum by hand
# says how many. Poker: PAPERS.md; 9,457 is OpenSpiel's Leduc. One-card poker has 4 infosets a card
# and 9 histories a deal. Liar's dice with one die of F faces has F * 2 ** (2 * F) infosets (every
# set of bids, for every roll) and F * F * (2 ** (2 * F + 1) - 1) histories after the rolls.
# Goofspiel: OpenSpiel's infosets; histories are products of the cards left.
SIZES = {
    "rps": (2, 1 + 3 + 9),
    "kuhn": (12, 58),
    "one_card(cards=3)": (12, 58),
    "one_card(cards=6)": (24, 1 + 6 + 30 * 9),
    "leduc": (936, 9457),
    "leduc(by_rank=true)": (288, None),
    "nolimit_leduc(stack=5)": (3648, None),
    "nolimit_leduc(stack=4,ante_in_stack=false)": (3648, None),
    "liars_dice(dice=1,faces=2)": (2 * 2**4, 1 + 2 + 4 * 31),
    "liars_dice(dice=1,faces=3)": (3 * 2**6, 1 + 3 + 9 * 127),
    "liars_dice(dice=1,faces=4)": (4 * 2**8, 1 + 4 + 16 * 511),
    "liars_dice(dice=2,faces=2)": (3 * 2**8, 1 + 3 + 9 * 511),
    "goofspiel(cards=2)": (2, 1 + 2 + 4),
    "goofspiel(cards=3)": (16, 1 + 3 + 9 * (1 + 2 + 4)),
    "goofspiel(cards=4)": (162, 1 + 4 + 16 * (1 + 3 + 9 * (1 + 2 + 4))),
    "goofspiel(cards=3,points_order=random)": (90, 1 + 3 * (1 + 3 + 9 + 9 * 2 * (1 + 2 + 4))),
}


class Walk:
    """All histories of a game, one after the other, checked on the way."""

    def __init__(self, game):
        self.num_histories = 0
        self.recall = {}
        self.actions = {}
        self.total = Fraction(0)
        self.value = Fraction(0)
        self.visit(game.root(), ((), ()), Fraction(1))

    def visit(self, state, past, reach):
        """`past` is what each player knew and did; `reach` is under uniform play."""
        self.num_histories += 1
        if state.player == TERMINAL:
            self.total += reach
            self.value += reach * state.payoff
        elif state.player == CHANCE:
            assert sum(p for _, p in state.chance) == 1
            assert all(p > 0 for _, p in state.chance)
            assert len({label for label, _ in state.chance}) == len(state.chance)
            for label, p in state.chance:
                assert isinstance(p, int | Fraction)
                self.visit(state.child(label), past, reach * p)
        else:
            player, infoset = state.player, state.infoset
            own = past[player]
            # One owner, one past, one set of actions: perfect recall.
            assert self.recall.setdefault(infoset, (player, own)) == (player, own)
            assert self.actions.setdefault(infoset, state.actions) == state.actions
            assert len(set(state.actions)) == len(state.actions) > 0
            for action in state.actions:
                step = (*own, (infoset, action))
                after = (step, past[1]) if player == 0 else (past[0], step)
                self.visit(state.child(action), after, reach / len(state.actions))


@pytest.mark.parametrize("text", SIZES)
def test_size_chance_and_recall(text):
    walk = Walk(make(text))
    num_infosets, num_histories = SIZES[text]
    assert len(walk.actions) == num_infosets
    assert num_histories in (None, walk.num_histories)
    assert walk.total == 1


def public_count(game):
    """Public states by who moves, and infosets: hands that can still be held at each."""
    kinds = Counter()
    num_infosets = 0
    pending = [(game.public(), frozenset(range(len(game.hands))))]
    while pending:
        state, hands = pending.pop()
        kinds[state.player] += 1
        if state.player == CHANCE:
            for label in state.outcomes:
                possible = {
                    hand
                    for hand in hands
                    if any(state.probability(label, hand, other) for other, _ in game.deal(hand))
                }
                pending.append((state.child(label), frozenset(possible)))
        elif state.player != TERMINAL:
            num_infosets += len(hands)
            pending.extend((state.child(action), hands) for action in state.actions)
    return num_infosets, kinds


# PAPERS.md, "Games, exactly".
PUBLIC_SIZES = {
    "kuhn": 12,
    "leduc": 936,
    "leduc(by_rank=true)": 288,
    "leduc5": 113_832,
    "leduc5(by_rank=true)": 34_224,
    "nolimit_leduc(stack=5)": 3_648,
    "nolimit_leduc(stack=10)": 97_728,
    "liars_dice(dice=1,faces=6)": 24_576,
}


@pytest.mark.parametrize("text", PUBLIC_SIZES)
def test_size_in_public_form(text):
    num_infosets, kinds = public_count(make(text))
    assert num_infosets == PUBLIC_SIZES[text]
    assert kinds[0] == kinds[1]


@pytest.mark.slow
def test_size_of_the_largest():
    num_infosets, kinds = public_count(make("nolimit_leduc(stack=15)"))
    assert num_infosets == 1_140_672
    assert sum(kinds.values()) == 674_571


def betting_round(level, stack):
    """Decisions of one no-limit round from both having put in `level`, and where it leaves them.

    Written from the rules alone, with no code of the package.
    """
    num_decisions = 0
    ends = Counter()

    def speak(me, you, last_raise, is_opening):
        nonlocal num_decisions
        num_decisions += 1
        if me < you:
            ends[you] += 1  # a call; a fold ends the hand
        elif is_opening:
            speak(you, me, last_raise, False)
        else:
            ends[me] += 1
        for total in range(you + 1, stack + 1):
            if total - you >= last_raise or total == stack:
                speak(you, total, total - you, False)

    speak(level, level, 1, True)
    return num_decisions, ends


def nolimit_infosets(stack):
    """Six cards in the first round; six boards and five cards left in the second."""
    first, ends = betting_round(1, stack)
    second = sum(n * betting_round(level, stack)[0] for level, n in ends.items() if level < stack)
    return 6 * first + 30 * second


@pytest.mark.parametrize("stack", [2, 3, 5, 8])
def test_nolimit_leduc_agrees_with_an_independent_count(stack):
    assert public_count(make(f"nolimit_leduc(stack={stack})"))[0] == nolimit_infosets(stack)
    beside = make(f"nolimit_leduc(stack={stack - 1},ante_in_stack=false)") if stack > 2 else None
    if beside:
        assert public_count(beside)[0] == nolimit_infosets(stack)


def test_the_independent_count_agrees_with_the_papers_page():
    sizes = [nolimit_infosets(stack) for stack in (5, 10, 15)]
    assert sizes == [3_648, 97_728, 1_140_672]


def test_uniform_play():
    # OpenSpiel, expected_game_score of the uniform policy: kuhn_poker 0.125, leduc_poker -0.078125.
    assert Walk(make("kuhn")).value == Fraction(1, 8)
    assert Walk(make("leduc")).value == Fraction(-5, 64)
