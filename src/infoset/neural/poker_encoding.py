"""Poker with one private card, in features: the card, and what was done and paid in public."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from infoset.forms import SequenceForm
from infoset.games import CHANCE, TERMINAL, OneCardPoker, PokerState
from infoset.neural.encoding import Encoding, StepTree, encoding_of

KINDS = ("deal", "board", "check", "call", "raise", "all-in")
"""What a step is, one input each. Then come who moved (-1 or 1, 0 for chance) and what both
players have put in, as shares of the stack."""

_ACTION = re.compile(r"([a-z]+)([0-9.]*)")


def encode_poker(game: OneCardPoker, form: SequenceForm, *, suits: bool = True) -> Encoding:
    """Hand and board card by card; without ``suits`` by rank alone, so that suits look alike.

    A step is 15 or 9 inputs wide, in games of six cards with and without suits, and a cell 21 or
    15, as in Li et al. (2020).
    """
    cards = [card.label if suits else str(card.rank) for card in game.deck]
    kinds = list(dict.fromkeys(cards))
    card_features = np.eye(len(kinds), dtype=np.float32)[[kinds.index(card) for card in cards]]
    most = _most(game)
    tree = StepTree()
    step_of: dict[str, int] = {}
    root = game.public()
    stack = [(root, tree.after(-1, "deal", _features(root, "deal", None, most, card_features)))]
    while stack:
        state, step = stack.pop()
        if state.player == TERMINAL:
            continue
        if state.player != CHANCE:
            step_of[state.public_history] = step
        for label in state.outcomes if state.player == CHANCE else state.actions:
            child = state.child(label)
            if child.player == TERMINAL:
                continue
            features = _features(child, label, state, most, card_features)
            same = label
            if state.player == CHANCE and not suits:
                same = str(game.deck[game.hands.index(label)].rank)
            stack.append((child, tree.after(step, same, features)))
    hands = {label: hand for hand, label in enumerate(game.hands)}
    parts = [key.partition(":") for t in form.treeplexes for key in t.keys]
    by_amount = all(betting_round.sizes is None for betting_round in game.rounds)
    return encoding_of(
        form,
        tree,
        infoset_hand=[kinds.index(cards[hands[hand]]) for hand, _, _ in parts],
        infoset_step=[step_of[after] for _, _, after in parts],
        hand_features=np.eye(len(kinds), dtype=np.float32),
        meaning=partial(_meanings, by_amount=by_amount),
    )


def _most(game: OneCardPoker) -> float:
    """The stack, or the most that can be put in where there is none."""
    if game.stack is not None:
        return float(game.stack)
    most, stack = 0.0, [game.public()]
    seen = set()
    while stack:
        state = stack.pop()
        most = max(most, *map(float, state.situation.betting.put))
        if state.player == TERMINAL or id(state.situation) in seen:
            continue
        seen.add(id(state.situation))
        labels = state.outcomes[:1] if state.player == CHANCE else state.actions
        stack.extend(state.child(label) for label in labels)
    return most


def _features(
    state: PokerState, label: str, before: PokerState | None, most: float, cards: np.ndarray
) -> list[float]:
    betting = state.situation.betting
    board = state.situation.board
    if before is None or before.player == CHANCE:
        kind, mover = ("deal" if before is None else "board"), 0.0
    else:
        mover = -1.0 if before.player == 0 else 1.0
        verb = _ACTION.fullmatch(label)
        kind = "raise" if verb is None or verb[1] not in ("check", "call") else verb[1]
        if kind == "raise" and max(betting.put) >= most:
            kind = "all-in"
    one_hot = [float(kind == each) for each in KINDS]
    shown = cards[board].tolist() if board is not None else [0.0] * cards.shape[1]
    return [*shown, *one_hot, mover, *(float(chips) / most for chips in betting.put)]


def _meanings(actions: tuple[str, ...], *, by_amount: bool) -> list[str]:
    """Check and call are one output; so are bets and raises to as many chips, or of one size."""
    names, sizes = [], 0
    for label in actions:
        verb, amount = _ACTION.fullmatch(label).groups()  # type: ignore[union-attr]
        if verb == "fold":
            names.append("0 fold")
        elif verb in ("check", "call"):
            names.append("1 call")
        else:
            sizes += 1
            names.append(f"2 raise to {amount}" if by_amount else f"2 raise {sizes}")
    return names
