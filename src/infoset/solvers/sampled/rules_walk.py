"""Walk samples of a game by its rules alone: the walks of the kernels in plain Python.

Same entries, same order, same random numbers: a walk here finds what the kernels find on the
compiled game (see `infoset.solvers.sampled.kernels.walks`). It compiles nothing and remembers
only what it was asked to, so the game may be of any size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from infoset.errors import GameError
from infoset.forms.walk_states import MAX_DEPTH, check_player, check_probabilities, finite
from infoset.games.rules import CHANCE, TERMINAL, State
from infoset.solvers.sampled.kernels.sampling_data import (
    EACH,
    EVERY,
    ONE,
    OPPONENT,
    SOME,
    STOCHASTIC,
    Method,
)
from infoset.solvers.sampled.visited import VisitedInfosets

__all__ = ["Record", "Stream", "Walk", "WalkedBlock", "deal", "key_of", "pick"]

_MASK = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

Record = dict[tuple[str, ...], tuple[str, ...]]
"""What was sampled where: the labels that were followed, by history."""


def scramble(counter: int) -> int:
    """As in `infoset.solvers.sampled.kernels.random`."""
    bits = ((counter ^ (counter >> 30)) * _FIRST) & _MASK
    bits = ((bits ^ (bits >> 27)) * _SECOND) & _MASK
    return bits ^ (bits >> 31)


def key_of(seed: int) -> int:
    """What all streams of a run begin with."""
    return scramble((seed + _STEP) & _MASK)


class Stream:
    """The random numbers of one block."""

    def __init__(self, seed: int, walk: int, block: int) -> None:
        self.counter = scramble((key_of(seed) + walk * _FIRST + block * _SECOND) & _MASK)

    def number(self) -> float:
        """From 0 to 1, without 1."""
        self.counter = (self.counter + _STEP) & _MASK
        return (scramble(self.counter) >> 11) * 2.0**-53


@dataclass(slots=True)
class Entry:
    """See `ENTRY` in the kernels' `sampling_data`; ``last``: players' last sequences."""

    state: State
    last: tuple[int, int]
    slot: int = 0
    boost: float = 1.0
    inverse: float = 1.0
    own: float = 1.0
    other: float = 1.0
    value: float = 0.0
    shift: float = 0.0
    kind: int = TERMINAL
    at: int = 0
    degree: int = 0
    first: int = -1
    count: int = 0
    history: tuple[str, ...] = ()


@dataclass(slots=True)
class WalkedBlock:
    """What a walk found, as the kernels write it down."""

    visits: list[tuple[int, list[float], list[float]]]
    """The traverser's infosets: first sequence, regrets, and what to add to the average."""
    means: list[tuple[int, int, float]]
    """The opponent's infosets: first sequence, number of actions, share of the strategy."""
    bases: list[tuple[int, int, float]]
    """Baselines to move: player, sequence, towards what."""
    nodes: int


class Walk:
    """Walks of one game by one method."""

    def __init__(
        self, root: Callable[[], State], method: Method, tables: Sequence[VisitedInfosets]
    ) -> None:
        self.root = root
        self.method = method
        self.tables = tables
        self.record: Record | None = None
        """If it is a dictionary, walks write down there what they sampled."""

    def block(self, player: int, stream: Stream) -> WalkedBlock:
        """Walk once for a player."""
        entries, met, nodes = self._walk(player, stream)
        for entry in reversed(entries):
            if entry.first >= 0:
                entry.value = self._worth(entries, entry, player)
        found = WalkedBlock([], [], [], nodes)
        self._write_visits(found, entries, player)
        if not self.method.wide:
            if self.method.averaging == OPPONENT:
                found.means += [(at, degree, weight) for at, degree, _, _, weight, _ in met]
            if self.tables[0].has_base:
                self._write_bases(found, entries, met, player)
        return found

    def _note(self, history: tuple[str, ...], labels: tuple[str, ...]) -> None:
        if self.record is not None:
            self.record[history] = labels

    def _walk(self, player: int, stream: Stream) -> tuple[list[Entry], list[Any], int]:
        method = self.method
        sign = 1.0 if player == 0 else -1.0
        entries = [Entry(self.root(), (0, 0))]
        met: list[tuple[int, int, int, int, float, float]] = []
        nodes = 0
        for i, entry in enumerate(entries):
            state, last, history = entry.state, entry.last, entry.history
            while True:
                nodes += 1
                if len(history) > MAX_DEPTH:
                    raise GameError(f"the game goes on for {MAX_DEPTH:,} moves, maybe forever")
                kind = state.player
                if type(kind) is not int or not TERMINAL <= kind <= 1:
                    kind = check_player(kind, GameError)
                if kind == CHANCE:
                    label = deal(state, stream.number)
                    self._note(history, (label,))
                elif kind == 1 - player and not method.wide:
                    actions = list(state.actions)
                    table = self.tables[kind]
                    at = table.visit(state.infoset, actions, last[kind])
                    slot = 0
                    if len(actions) > 1:
                        slot = pick(table.strategy, at, len(actions), stream.number())
                    if table.has_base:
                        for s in range(at, at + len(actions)):
                            entry.shift += sign * table.strategy[s] * table.base[s]
                        entry.shift -= sign * table.base[at + slot]
                    met.append((at, len(actions), i, slot, entry.inverse, entry.shift))
                    entry.other *= table.strategy[at + slot]
                    last = (at + slot, last[1]) if kind == 0 else (last[0], at + slot)
                    label = actions[slot]
                    self._note(history, (label,))
                else:
                    break
                history = (*history, label)
                state = state.child(label)
            entry.state, entry.last, entry.kind, entry.history = state, last, kind, history
            if kind == TERMINAL:
                entry.value = sign * finite(state.payoff, "payoff", GameError)
            else:
                self._branch(entries, entry, player, stream)
        return entries, met, nodes

    def _branch(self, entries: list[Entry], entry: Entry, player: int, stream: Stream) -> None:
        """Put what is followed from a node at the end of the list."""
        kind = entry.kind
        actions = list(entry.state.actions)
        table = self.tables[kind]
        at = table.visit(entry.state.infoset, actions, entry.last[kind])
        entry.at, entry.degree, entry.first = at, len(actions), len(entries)
        followed = (
            self._followed(table, at, len(actions), stream)
            if kind == player
            else [(a, 1.0) for a in range(len(actions))]
        )
        for a, boost in followed:
            reach = table.strategy[at + a]
            s = at + a
            entries.append(
                Entry(
                    entry.state.child(actions[a]),
                    (s, entry.last[1]) if kind == 0 else (entry.last[0], s),
                    slot=a,
                    boost=boost,
                    inverse=entry.inverse * boost,
                    own=entry.own * reach if kind == player else entry.own,
                    other=entry.other if kind == player else entry.other * reach,
                    history=(*entry.history, actions[a]),
                )
            )
        entry.count = len(followed)
        if kind == player and not self._is_all(len(actions)):
            self._note(entry.history, tuple(actions[a] for a, _ in followed))

    def _is_all(self, degree: int) -> bool:
        method = self.method
        return method.follow == EVERY or (method.follow == SOME and method.k >= degree)

    def _followed(
        self, table: VisitedInfosets, at: int, degree: int, stream: Stream
    ) -> list[tuple[int, float]]:
        """The traverser's actions that are followed, each with its boost."""
        method = self.method
        if self._is_all(degree):
            return [(a, 1.0) for a in range(degree)]
        out: list[tuple[int, float]] = []
        if method.follow == SOME:
            boost = degree / method.k
            for a in range(degree):
                if stream.number() * (degree - a) < method.k - len(out):
                    out.append((a, boost))
                    if len(out) == method.k:
                        break
        elif method.follow == ONE:
            number, even, total, likely = stream.number(), method.epsilon / degree, 0.0, 0.0
            a = -1
            while a < degree - 1:
                a += 1
                likely = even + (1.0 - method.epsilon) * table.strategy[at + a]
                total += likely
                if number < total:
                    break
            out.append((a, 1.0 / likely))
        else:
            assert method.follow == EACH
            least = method.epsilon if method.k == 0 else method.k / degree
            total = method.beta
            for s in range(at, at + degree):
                total += table.average[s]
            for a in range(degree):
                weight = method.beta + method.tau * table.average[at + a]
                likely = min(max(weight / total if total > 0.0 else 0.0, least), 1.0)
                if stream.number() < likely:
                    out.append((a, 1.0 / likely))
        return out

    def _worth(self, entries: list[Entry], entry: Entry, player: int) -> float:
        table, at = self.tables[entry.kind], entry.at
        below = entries[entry.first : entry.first + entry.count]
        total = 0.0
        if not table.has_base:
            for child in below:
                total += table.strategy[at + child.slot] * (child.value * child.boost)
            return total
        sign = 1.0 if player == 0 else -1.0
        for s in range(at, at + entry.degree):
            total += table.strategy[s] * (sign * table.base[s])
        for child in below:
            s = at + child.slot
            more = (child.value + child.shift - sign * table.base[s]) * child.boost
            total += table.strategy[s] * more
        return total

    def _write_visits(self, found: WalkedBlock, entries: list[Entry], player: int) -> None:
        method = self.method
        sign = 1.0 if player == 0 else -1.0
        for entry in entries:
            if entry.first < 0:
                continue
            if entry.kind != player:
                if method.averaging == OPPONENT:
                    found.means.append((entry.at, entry.degree, entry.inverse * entry.other))
                continue
            table, at = self.tables[player], entry.at
            scale = entry.inverse * entry.other if method.wide else entry.inverse
            below = entries[entry.first : entry.first + entry.count]
            if entry.count == entry.degree and not table.has_base:
                gains = [scale * (child.value * child.boost - entry.value) for child in below]
            else:
                expected = (
                    [sign * table.base[at + a] for a in range(entry.degree)]
                    if table.has_base
                    else [0.0] * entry.degree
                )
                gains = [scale * (e - entry.value) if method.counted else 0.0 for e in expected]
                for child in below:
                    e = expected[child.slot]
                    more = (child.value + child.shift - e) * child.boost
                    gains[child.slot] = scale * (e + more - entry.value)
            found.visits.append((at, gains, self._shares(entry, below)))

    def _shares(self, entry: Entry, below: Sequence[Entry]) -> list[float]:
        """What a visit adds to the traverser's average."""
        method = self.method
        if method.averaging == OPPONENT:
            return []
        share = entry.own
        if method.averaging == STOCHASTIC:
            share *= entry.inverse
            if not method.wide:
                share /= entry.other
        strategy, at = self.tables[entry.kind].strategy, entry.at
        out = [share * strategy[at + a] if method.counted else 0.0 for a in range(entry.degree)]
        for child in below:
            out[child.slot] = share * strategy[at + child.slot]
        return out

    def _write_bases(
        self, found: WalkedBlock, entries: list[Entry], met: list[Any], player: int
    ) -> None:
        sign = 1.0 if player == 0 else -1.0
        for entry in entries:
            for child in entries[entry.first : entry.first + entry.count] if entry.count else ():
                value = sign * (child.value + child.shift)
                found.bases.append((player, entry.at + child.slot, value))
        for at, _, i, slot, _, shift in met:
            value = sign * (entries[i].value + entries[i].shift - shift)
            found.bases.append((1 - player, at + slot, value))


def pick(odds: Sequence[float], begin: int, degree: int, number: float) -> int:
    """The first of several whose probabilities add up to more than a number below one."""
    total = 0.0
    for a in range(degree):
        total += odds[begin + a]
        if number < total:
            return a
    last = degree - 1
    while last > 0 and odds[begin + last] <= 0.0:
        last -= 1
    return last


def deal(state: State, number: Callable[[], float]) -> str:
    """An outcome of chance, drawn by its probability."""
    outcome_at = getattr(state, "outcome_at", None)
    if outcome_at is not None:
        return str(outcome_at(number()))
    outcomes = list(state.chance)
    odds = [float(p) for _, p in outcomes]
    if not odds or min(odds) <= 0.0 or abs(math.fsum(odds) - 1.0) > 1e-12:
        check_probabilities(outcomes, GameError)
        if min(odds) <= 0.0:
            raise GameError(
                "chance has an outcome of probability 0, which sampling would never meet and "
                "could not weigh; leave it out of State.chance"
            )
    degree = len(odds)
    slot = 0
    if degree > 1:
        drawn = number()
        if all(abs(p * degree - 1.0) <= 1e-12 for p in odds):
            slot = int(drawn * degree)
        else:
            total = odds[0]
            while slot < degree - 1 and drawn >= total:
                slot += 1
                total += odds[slot]
    return outcomes[slot][0]
