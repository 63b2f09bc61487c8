"""A slow and obvious twin of AIVAT, written from the formulas of Burch et al. (2018).

Over histories and with dictionaries; of the package it knows only the rules of games. A history is
the tuple of the labels that led to it, a strategy is a function from a player and an infoset to
``{action: probability}``, and the heuristic ``u`` is any function of a history (what player 0
wins). Both private hands count as one deal.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from infoset.games import CHANCE, TERMINAL


@dataclass(eq=False)
class History:
    steps: tuple[str, ...]
    state: Any
    children: dict[str, History]
    odds: dict[str, float]
    """Probability of each child, if chance or a known player moves; else empty."""
    reach: float
    """pi_P: the product of these."""
    actual: float
    """The probability of the history when both play as they do."""

    @property
    def mover(self):
        return self.state.player


class NaiveAivat:
    """AIVAT of one seat: ``known[seat]`` is a strategy or None; `seat`'s is known."""

    def __init__(self, game, strategies, known, seat, u):
        self.strategies = strategies
        self.known = known
        self.other = 1 - seat
        self.u = u
        self.parts: dict[Any, list[History]] = {}
        self.is_dealt = hasattr(game, "public")
        self.root = self._read((), game.root(), 1.0, 1.0)

    def _read(self, steps, state, reach, actual):
        here = History(steps, state, {}, {}, reach, actual)
        self.parts.setdefault(self.part(here), []).append(here)
        if state.player == TERMINAL:
            return here
        if state.player == CHANCE:
            happens = {label: float(p) for label, p in state.chance}
            here.odds = happens
        else:
            happens = self.strategies[state.player](state.player, state.infoset)
            if self.known[state.player]:
                here.odds = happens
        for label, p in happens.items():
            child = self._read(
                (*steps, label),
                state.child(label),
                reach * here.odds.get(label, 1.0),
                actual * p,
            )
            here.children[label] = child
        return here

    def part(self, history):
        """What the opponent's hand and the public past are; else the history by itself."""
        if not self.is_dealt:
            return history.steps
        if len(history.steps) < 2:
            return "deal"
        return history.steps[self.other], history.state.public.public_history

    def terminals(self, history=None):
        history = self.root if history is None else history
        if history.mover == TERMINAL:
            yield history
        for child in history.children.values():
            yield from self.terminals(child)

    def line(self, terminal):
        """The histories from the root to a terminal."""
        line = [self.root]
        for step in terminal.steps:
            line.append(line[-1].children[step])
        return line

    def weight(self, histories):
        return math.fsum(h.reach for h in histories)

    def guess(self, histories):
        return math.fsum(h.reach * self.u(h.steps) for h in histories)

    def correction(self, before, after):
        """k_H for the part of `before`, where `after` is what happened."""
        if self.is_dealt and len(after.steps) < 2:
            return 0.0  # the deal is told as one step, to `after` both hands
        if self.is_dealt and len(after.steps) == 2:
            every = [h for first in self.root.children.values() for h in first.children.values()]
            seen = self.parts[self.part(after)]
            return self.guess(every) - self.guess(seen) / self.weight(seen)
        if not before.odds:
            return 0.0  # the opponent moved
        histories = self.parts[self.part(before)]
        every = [child for h in histories for child in h.children.values()]
        step = after.steps[-1]
        happened = [h.children[step] for h in histories if step in h.children]
        return self.guess(every) / self.weight(histories) - self.guess(happened) / self.weight(
            happened
        )

    def corrections(self, terminal):
        line = self.line(terminal)
        return [self.correction(before, after) for before, after in itertools.pairwise(line)]

    def mean_payoff(self, terminal):
        histories = self.parts[self.part(terminal)]
        paid = math.fsum(h.reach * float(h.state.payoff) for h in histories)
        return paid / self.weight(histories)

    def value(self, terminal):
        """What player 0 has won, luck taken out."""
        return self.mean_payoff(terminal) + math.fsum(self.corrections(terminal))

    def mean_corrections(self):
        """Every part's mean correction, over all that can happen at its histories: all zero."""
        sums: dict[Any, list[float]] = {}

        def walk(history):
            for child in history.children.values():
                if child.actual > 0:
                    k = self.correction(history, child)
                    place = "deal" if len(child.steps) == 2 and self.is_dealt else None
                    key = place or self.part(history)
                    sums.setdefault(key, []).append(child.actual * k)
                    walk(child)

        walk(self.root)
        return {part: math.fsum(numbers) for part, numbers in sums.items()}
