"""The pure-Python reference walker: the walks of the kernels, by the rules of a game alone.

Same entries, same order, same random numbers: a walk here finds what the kernels find on the
compiled game, to the bit (see `infoset.solvers.sampled.kernels.walks`). It compiles nothing and
keeps only visited infosets, so the game may be of any size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from infoset.errors import GameError
from infoset.forms import MAX_DEPTH, check_player, check_probabilities, finite
from infoset.games import CHANCE, TERMINAL, State
from infoset.solvers.sampled.kernels.structures import (
    FOLLOW_ALL,
    FOLLOW_EACH,
    FOLLOW_K,
    FOLLOW_ONE,
    OPPONENT,
    STOCHASTIC,
    Method,
)
from infoset.solvers.sampled.visited import VisitedInfosets

_MASK = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def scramble(counter: int) -> int:
    """As in `infoset.solvers.sampled.kernels.random`."""
    bits = ((counter ^ (counter >> 30)) * _FIRST) & _MASK
    bits = ((bits ^ (bits >> 27)) * _SECOND) & _MASK
    return bits ^ (bits >> 31)


def key_of(seed: int) -> int:
    """The key that all random streams of a run share."""
    return scramble((seed + _STEP) & _MASK)


class Stream:
    """The random numbers of one walk, by the number of its mini-batch and its own."""

    def __init__(self, seed: int, batch: int, walk: int) -> None:
        self.counter = scramble((key_of(seed) + batch * _FIRST + walk * _SECOND) & _MASK)

    def number(self) -> float:
        """A random number in [0, 1)."""
        self.counter = (self.counter + _STEP) & _MASK
        return (scramble(self.counter) >> 11) * 2.0**-53


@dataclass(slots=True)
class Entry:
    """See `ENTRY` in the kernels' `structures`; ``last`` are the players' last sequences."""

    state: State
    last: tuple[int, int]
    slot: int = 0
    step_weight: float = 1.0
    path_weight: float = 1.0
    own_reach: float = 1.0
    opponent_reach: float = 1.0
    value: float = 0.0
    correction: float = 0.0
    surprise: float = 0.0
    """By how much its value was more than expected, times ``step_weight``."""
    node_type: int = TERMINAL
    begin: int = 0
    strategy: Sequence[float] = ()
    expected: Sequence[float] = ()
    """What the traverser is expected to win after each action: baselines, or zeros."""
    children: Sequence[Entry] = ()
    depth: int = 0


OpponentSample = tuple[int, Entry, float]
"""A sampled action of the opponent; see `OPPONENT_SAMPLE` in the kernels' `structures`."""


@dataclass(slots=True)
class FinishedWalk:
    """What a walk found; the kernels log the same."""

    visits: list[tuple[int, list[float], list[float]]] = field(default_factory=list)
    """The traverser's infosets: first sequence, regrets, and what to add to the average."""
    averages: list[tuple[int, int, float]] = field(default_factory=list)
    """The opponent's infosets: first sequence, number of actions, weight in the average."""
    baselines: list[tuple[int, int, float]] = field(default_factory=list)
    """Baselines to move: player, sequence, the value to move towards."""
    nodes: int = 0


class Walker:
    """Makes walks through one game by one method."""

    def __init__(
        self, root: Callable[[], State], method: Method, tables: Sequence[VisitedInfosets]
    ) -> None:
        self.root = root
        self.method = method
        self.tables = tables

    def walk(self, player: int, stream: Stream) -> FinishedWalk:
        """Walk once for a player."""
        finished = FinishedWalk()
        sign = 1.0 if player == 0 else -1.0
        entries, samples = self._expand(finished, player, sign, stream)
        for entry in reversed(entries):
            if entry.node_type != TERMINAL:
                _evaluate(entry)
        for entry in entries:
            if entry.node_type != TERMINAL:
                self._log_visit(finished, entry, player)
        if self.tables[player].has_baselines:
            for entry in entries:
                for child in entry.children:
                    value = sign * (child.value + child.correction)
                    finished.baselines.append((player, entry.begin + child.slot, value))
            for sequence, entry, correction in samples:
                value = sign * (entry.value + entry.correction - correction)
                finished.baselines.append((1 - player, sequence, value))
        return finished

    def _expand(
        self, finished: FinishedWalk, player: int, sign: float, stream: Stream
    ) -> tuple[list[Entry], list[OpponentSample]]:
        """The entries of a walk and, if there are baselines, the opponent's sampled actions."""
        entries = [Entry(self.root(), (0, 0))]
        samples: list[OpponentSample] = []
        for entry in entries:
            state, last = entry.state, entry.last
            while True:
                finished.nodes += 1
                if entry.depth > MAX_DEPTH:
                    raise GameError(f"the game goes on for {MAX_DEPTH:,} moves, maybe forever")
                node_type = state.player
                if type(node_type) is not int or not TERMINAL <= node_type <= 1:
                    node_type = check_player(node_type, GameError)
                if node_type == CHANCE:
                    label = sample_outcome(state, stream.number)
                elif node_type == 1 - player and self.method.samples_opponent:
                    actions = list(state.actions)
                    table = self.tables[node_type]
                    begin = table.visit(state.infoset, actions, last[node_type])
                    end, slot = begin + len(actions), 0
                    if len(actions) > 1:
                        slot = sample_action(table.strategy[begin:end], stream.number())
                    if self.method.averaging == OPPONENT:
                        finished.averages.append((begin, len(actions), entry.path_weight))
                    if table.has_baselines:
                        for s in range(begin, end):
                            entry.correction += sign * table.strategy[s] * table.baseline[s]
                        entry.correction -= sign * table.baseline[begin + slot]
                        samples.append((begin + slot, entry, entry.correction))
                    entry.opponent_reach *= table.strategy[begin + slot]
                    last = _with_sequence(last, node_type, begin + slot)
                    label = actions[slot]
                else:
                    break
                entry.depth += 1
                state = state.child(label)
            entry.state, entry.last, entry.node_type = state, last, node_type
            if node_type == TERMINAL:
                entry.value = sign * finite(state.payoff, "payoff", GameError)
            else:
                entry.children = self._branch(entry, player, sign, stream)
                entries.extend(entry.children)
        return entries, samples

    def _branch(self, entry: Entry, player: int, sign: float, stream: Stream) -> list[Entry]:
        """The entries of the actions that are followed from an entry."""
        mover, actions = entry.node_type, list(entry.state.actions)
        table, degree = self.tables[mover], len(actions)
        begin = table.visit(entry.state.infoset, actions, entry.last[mover])
        entry.begin = begin
        entry.strategy = table.strategy[begin : begin + degree]
        entry.expected = [0.0] * degree
        if table.has_baselines:
            entry.expected = [sign * number for number in table.baseline[begin : begin + degree]]
        average = table.average[begin : begin + degree]
        is_own = mover == player
        children = []
        for a, weight in self._followed(entry.strategy, average, stream, is_own=is_own):
            reach = entry.strategy[a]
            children.append(
                Entry(
                    entry.state.child(actions[a]),
                    _with_sequence(entry.last, mover, begin + a),
                    slot=a,
                    step_weight=weight,
                    path_weight=entry.path_weight * weight,
                    own_reach=entry.own_reach * (reach if is_own else 1.0),
                    opponent_reach=entry.opponent_reach * (1.0 if is_own else reach),
                    depth=entry.depth + 1,
                )
            )
        return children

    def _followed(
        self, strategy: Sequence[float], average: Sequence[float], stream: Stream, *, is_own: bool
    ) -> list[tuple[int, float]]:
        """The actions that are followed, each with its importance weight: all of the opponent's."""
        method, degree = self.method, len(strategy)
        is_all = method.follow == FOLLOW_ALL or (method.follow == FOLLOW_K and method.k >= degree)
        if is_all or not is_own:
            return [(a, 1.0) for a in range(degree)]
        followed: list[tuple[int, float]] = []
        if method.follow == FOLLOW_K:
            for a in range(degree):
                if stream.number() * (degree - a) < method.k - len(followed):
                    followed.append((a, degree / method.k))
                    if len(followed) == method.k:
                        break
        elif method.follow == FOLLOW_ONE:
            number, total = stream.number(), 0.0
            for a in range(degree):
                probability = method.epsilon / degree + (1.0 - method.epsilon) * strategy[a]
                total += probability
                if number < total:
                    break
            followed.append((a, 1.0 / probability))
        else:
            assert method.follow == FOLLOW_EACH
            minimum = method.epsilon if method.k == 0 else method.k / degree
            total = method.beta
            for number in average:
                total += number
            for a in range(degree):
                probability = method.beta + method.tau * average[a]
                probability = probability / total if total > 0.0 else 0.0
                probability = min(max(probability, minimum), 1.0)
                if stream.number() < probability:
                    followed.append((a, 1.0 / probability))
        return followed

    def _log_visit(self, finished: FinishedWalk, entry: Entry, player: int) -> None:
        method = self.method
        scale = entry.path_weight
        if not method.samples_opponent:
            scale *= entry.opponent_reach
        if entry.node_type != player:
            if method.averaging == OPPONENT:
                finished.averages.append((entry.begin, len(entry.strategy), scale))
            return
        regrets = [0.0] * len(entry.strategy)
        if method.counts_unsampled:
            regrets = [scale * (value - entry.value) for value in entry.expected]
        for child in entry.children:
            value = entry.expected[child.slot] + child.surprise
            regrets[child.slot] = scale * (value - entry.value)
        finished.visits.append((entry.begin, regrets, self._average_increments(entry)))

    def _average_increments(self, entry: Entry) -> list[float]:
        """What a visit adds to the traverser's average."""
        method = self.method
        if method.averaging == OPPONENT:
            return []
        weight = entry.own_reach
        if method.averaging == STOCHASTIC:
            weight *= entry.path_weight
            if method.samples_opponent:
                weight /= entry.opponent_reach
        if method.counts_unsampled:
            return [weight * probability for probability in entry.strategy]
        increments = [0.0] * len(entry.strategy)
        for child in entry.children:
            increments[child.slot] = weight * entry.strategy[child.slot]
        return increments


def _evaluate(entry: Entry) -> None:
    """Write what the traverser wins from an entry on, by the values of its children."""
    total = 0.0
    for probability, value in zip(entry.strategy, entry.expected, strict=True):
        total += probability * value
    for child in entry.children:
        change = child.value + child.correction - entry.expected[child.slot]
        child.surprise = change * child.step_weight
        total += entry.strategy[child.slot] * child.surprise
    entry.value = total


def _with_sequence(last: tuple[int, int], player: int, sequence: int) -> tuple[int, int]:
    """The players' last sequences after one of them moved."""
    return (sequence, last[1]) if player == 0 else (last[0], sequence)


def sample_action(strategy: Sequence[float], number: float) -> int:
    """The action of an infoset that belongs to a random number below one."""
    total = 0.0
    for a, probability in enumerate(strategy):
        total += probability
        if number < total:
            return a
    # Rounding: the sum is a little below one.
    last = len(strategy) - 1
    while last > 0 and strategy[last] <= 0.0:
        last -= 1
    return last


def sample_outcome(state: State, number: Callable[[], float]) -> str:
    """An outcome of chance, drawn with its probability."""
    outcome_at = getattr(state, "outcome_at", None)
    if outcome_at is not None:
        return str(outcome_at(number()))
    outcomes = list(state.chance)
    probabilities = [float(p) for _, p in outcomes]
    lowest = min(probabilities, default=0.0)
    if lowest <= 0.0 or abs(math.fsum(probabilities) - 1.0) > 1e-12:
        check_probabilities(outcomes, GameError)
        if lowest <= 0.0:
            raise GameError(
                "chance has an outcome of probability 0, which sampling would never meet and "
                "could not weigh; leave it out of State.chance"
            )
    slot = 0
    if len(outcomes) > 1:
        drawn = number()
        if all(abs(p * len(outcomes) - 1.0) <= 1e-12 for p in probabilities):
            slot = int(drawn * len(outcomes))
        else:
            slot = sample_action(probabilities, drawn)
    return outcomes[slot][0]
