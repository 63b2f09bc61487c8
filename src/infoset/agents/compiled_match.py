"""Matches on the compiled game, between two agents who play strategies from tables.

Hands are drawn by a kernel on the tree of histories; what comes out is the terminal of each. Random
numbers are counters made of the seed and the number of the hand, so threads make no difference.
They are not those of `infoset.agents.hands`: for one seed, other hands are dealt than by the rules,
with the same probabilities.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.agents.agent import Agent
from infoset.agents.hands import Hand
from infoset.agents.kernels.deals import Seats, Tree, draw_hands_into, thresholds_into
from infoset.agents.match_log import Record, hand_line, hand_text
from infoset.agents.referee import Referee
from infoset.agents.simple import Folder, Passive, Simple, Uniform
from infoset.agents.strategy_agent import StrategyAgent
from infoset.errors import AgentError, BadInputError, GameError, shorten
from infoset.forms import SequenceForm, sequence_form_of
from infoset.games import CHANCE, TERMINAL, Game, name_of
from infoset.solvers.sampled.kernels.random import scramble
from infoset.strategy import SequenceStrategy

CHUNK = 1 << 16
"""Hands that are drawn and summed up together; an even number. Results depend on it."""

Floats = NDArray[np.float64]


class Chunk(NamedTuple):
    """Some hands in a row."""

    first: int
    """The number of the first."""
    terminals: NDArray[np.int32]
    """[hand] The node in which each ended."""
    won: Floats
    """[hand] What A won."""
    corrected: Floats | None
    """[hand] The same with luck corrected, if that is asked for."""


def compiled_match(game: Game, referee: Referee) -> CompiledMatch | None:
    """The match on the compiled game, if both agents play from tables of it.

    One of them at least brings a strategy of the whole game in sequence form; the other may be a
    player without a plan. What is decided here depends on nothing but the game and the agents.
    """
    first, second = table_strategies(game, referee.agents)
    if first is None or second is None:
        return None
    tables = first.probabilities, second.probabilities
    return CompiledMatch(first.form, tables, referee)


def table_strategies(
    game: Game, agents: tuple[Agent, Agent]
) -> tuple[SequenceStrategy | None, SequenceStrategy | None]:
    """The strategies of agents who play from tables of a compiled game, both on one form.

    `None` for an agent who does not; for both if none brings a strategy of the whole game.
    """
    brought = _strategy_of(agents[0]) or _strategy_of(agents[1])
    form = None if brought is None else brought.form
    if form is None or not form.is_whole or form.name != name_of(game):
        return None, None
    try:
        own = sequence_form_of(game)
    except GameError:
        return None, None
    if own is not form and own.fingerprint != form.fingerprint:
        return None, None
    return _on_form(agents[0], own), _on_form(agents[1], own)


def _strategy_of(agent: Agent) -> SequenceStrategy | None:
    """The strategy in sequence form that an agent plays."""
    if not isinstance(agent, StrategyAgent) or type(agent).act is not StrategyAgent.act:
        return None
    return agent.strategy if isinstance(agent.strategy, SequenceStrategy) else None


def _on_form(agent: Agent, form: SequenceForm) -> SequenceStrategy | None:
    """What an agent plays, as a strategy on a form."""
    if type(agent) in (Uniform, Passive, Folder):
        assert isinstance(agent, Simple)
        return _without_plan(agent, form)
    own = _strategy_of(agent)
    if own is None or (own.form is not form and own.form.fingerprint != form.fingerprint):
        return None
    return replace(own, form=form)


def _without_plan(agent: Simple, form: SequenceForm) -> SequenceStrategy | None:
    """What a player does who only looks at the actions; `None` where he does not know what."""
    out = SequenceStrategy.uniform(form)
    for probabilities, treeplex in zip(out.probabilities, form.treeplexes, strict=True):
        for begin, labels in zip(treeplex.infoset_begin.tolist(), treeplex.labels, strict=False):
            try:
                answer = agent.choose(labels)
            except AgentError:
                return None
            if isinstance(answer, str):
                answer = {answer: 1.0}
            row = [answer.get(label, 0.0) for label in labels]
            probabilities[begin : begin + len(row)] = row
    return out


@dataclass
class CompiledMatch:
    """A match on the compiled game."""

    form: SequenceForm
    tables: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]
    """[agent][seat] The probability of every sequence's action."""
    referee: Referee
    _texts: dict[tuple[int, int], str] = field(default_factory=dict)

    def chunks(self, hands: int, threads: int) -> Generator[Chunk]:
        """All hands, in order."""
        firsts = range(0, hands, CHUNK)
        sizes = (min(CHUNK, hands - first) for first in firsts)
        if threads == 1 or len(firsts) == 1:
            for first, size in zip(firsts, sizes, strict=True):
                yield self._chunk(first, self._draw(first, size))
            return
        _ = self._tree, self._seats
        pool = ThreadPoolExecutor(threads)
        ahead: deque[tuple[int, Future[NDArray[np.int32]]]] = deque()
        try:
            for first, size in zip(firsts, sizes, strict=True):
                ahead.append((first, pool.submit(self._draw, first, size)))
                if len(ahead) > 2 * threads:
                    begin, drawn = ahead.popleft()
                    yield self._chunk(begin, drawn.result())
            for begin, drawn in ahead:
                yield self._chunk(begin, drawn.result())
        finally:
            pool.shutdown(cancel_futures=True)

    def lines(self, chunk: Chunk) -> list[bytes]:
        """The hands of a chunk as a log has them."""
        return [
            hand_line(number, self._text(terminal, number % 2))
            for number, terminal in enumerate(chunk.terminals.tolist(), chunk.first)
        ]

    def check(self, record: Record, line: bytes) -> None:
        """Refuse a hand of a log that these agents do not play with this seed."""
        if hand_line(record.number, hand_text(record.hand, record.corrected)) != line:
            raise BadInputError(
                "the agents of this match, with its seed, play this hand otherwise: "
                f"{shorten(line.decode().strip(), 200)}"
            )

    def hand_at(self, terminal: int) -> Hand:
        """The hand that ends in a node."""
        steps, node, tree = [], terminal, self.form.history
        while tree.node_parent[node] >= 0:
            above = int(tree.node_parent[node])
            steps.append(node - int(tree.node_child[above]))
            node = above
        state, labels = self.referee.game.root(), []
        for place in reversed(steps):
            if state.player == CHANCE:
                label = state.chance[place][0]
            else:
                infoset = tree.node_infoset[node]
                label = self.form.treeplexes[state.player].labels[infoset][place]
            labels.append(label)
            state = state.child(label)
            node = int(tree.node_child[node]) + place
        return Hand(tuple(labels), state.payoff)

    def _draw(self, first: int, size: int) -> NDArray[np.int32]:
        terminals = np.empty(size, dtype=np.int32)
        key = scramble(np.uint64(self.referee.seed))
        duplicate = self.referee.duplicate
        draw_hands_into(terminals, first, duplicate, np.uint64(key), self._tree, *self._seats)
        return terminals

    def _chunk(self, first: int, terminals: NDArray[np.int32]) -> Chunk:
        won = self.form.history.node_payoff[terminals]
        won[1::2] *= -1.0
        corrected = None
        if self.referee.correction is not None:
            corrected = np.empty(len(terminals))
            for seat in (0, 1):
                corrected[seat::2] = self._corrected(seat, terminals[seat::2])
        return Chunk(first, terminals, won, corrected)

    def _text(self, terminal: int, seat: int) -> str:
        """All of a hand's line but its number."""
        key = (terminal, seat if self.referee.correction is not None else 0)
        text = self._texts.get(key)
        if text is None:
            corrected = None
            if self.referee.correction is not None:
                corrected = float(self._corrected(seat, np.array([terminal]))[0])
            text = self._texts[key] = hand_text(self.hand_at(terminal), corrected)
        return text

    def _corrected(self, seat: int, terminals: NDArray[np.integer[Any]]) -> Floats:
        """[terminal] What A wins in a seat, with luck corrected."""
        values: Floats = self._values[seat]
        if not self._knows_all_values:
            correction = self.referee.correction
            assert correction is not None
            for terminal in np.unique(terminals[np.isnan(values[terminals])]).tolist():
                values[terminal] = correction.value(self.hand_at(terminal), seat)
        return values.take(terminals)

    @cached_property
    def _knows_all_values(self) -> bool:
        return hasattr(self.referee.correction, "terminal_values")

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        """[seat][num_nodes] Corrected winnings at terminals; NaN where nobody has asked yet."""
        correction: Any = self.referee.correction
        num_nodes = self.form.history.num_nodes
        if not self._knows_all_values:
            return np.full(num_nodes, np.nan), np.full(num_nodes, np.nan)
        first, second = (np.asarray(correction.terminal_values(seat), float) for seat in (0, 1))
        for values in (first, second):
            if values.shape != (num_nodes,):
                raise BadInputError(
                    f"terminal_values of aivat has the shape {values.shape}, but the game has "
                    f"{num_nodes:,} histories"
                )
        return first, second

    @cached_property
    def _tree(self) -> Tree:
        tree = self.form.history
        begin = tree.node_child.copy()
        for player, treeplex in enumerate(self.form.treeplexes):
            nodes = tree.node_player == player
            begin[nodes] = treeplex.infoset_begin[tree.node_infoset[nodes]]
        is_chance = tree.node_player == CHANCE
        chance = np.zeros(tree.num_nodes)
        thresholds_into(chance, tree.node_chance, begin[is_chance], tree.node_degree[is_chance])
        degree = np.where(tree.node_player == TERMINAL, np.int32(0), tree.node_degree)
        return Tree(tree.node_player, tree.node_child, degree, begin, chance)

    @cached_property
    def _seats(self) -> tuple[Seats, Seats]:
        """Of hands with even and with odd numbers."""
        (a0, a1), (b0, b1) = (
            [self._thresholds(seat, table[seat]) for seat in (0, 1)] for table in self.tables
        )
        return Seats(a0, b1), Seats(b0, a1)

    def _thresholds(self, seat: int, probabilities: Floats) -> Floats:
        treeplex = self.form.treeplexes[seat]
        out = np.zeros(treeplex.num_sequences)
        count = treeplex.infoset_num_actions.astype(np.int32)
        thresholds_into(out, probabilities, treeplex.infoset_begin[:-1], count)
        return out
