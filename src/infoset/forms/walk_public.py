"""From public rules to the history tree: each public state once, for all hands together.

The walk over public states is plain Python and writes a small table of integers. A compiled
kernel then lays out the histories: a public state stands for one history per *world*, a pair of
hands that can still be held there.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameError, shorten
from infoset.forms.history import HistoryTree, PublicStates
from infoset.forms.kernels.expand import (
    PublicTable,
    WorldTable,
    expand_into,
    parents_into,
)
from infoset.forms.treeplex import Treeplex
from infoset.forms.walk_states import (
    check_labels,
    check_player,
    check_probabilities,
    finite,
    too_large,
)
from infoset.games import CHANCE, TERMINAL, DealtGame, Number, PublicState

NUM_COLUMNS = 11
"""Of the table of public states; the last two are `PublicTable.after_move`."""

MAX_PUBLIC_DEPTH = 2_000
"""Infinite games stop here. A public history is as long as its state is deep, so not very deep."""


@dataclass
class _Worlds:
    """The pairs of hands possible at some public states, and how they come from those above.

    Shared by a public state and all below it until chance reveals something.
    """

    hands: list[tuple[int, int]]
    offsets: list[int]
    """Per world: where its history lies behind the first child of the chance node above."""
    probability: list[float]
    """Per world: probability of the chance step that led here."""
    number: int = 0
    held: tuple[list[int], list[int]] = field(init=False)
    """The different hands of each player, in order."""

    def __post_init__(self) -> None:
        self.held = (
            list(dict.fromkeys(h for h, _ in self.hands)),
            list(dict.fromkeys(h for _, h in self.hands)),
        )


class _Rules:
    """What is read off the rules on the way, and checked."""

    def __init__(self, game: DealtGame, name: str) -> None:
        self.game = game
        self.name = name
        self.hands = list(game.hands)
        self.endings: dict[Hashable, int] = {}
        self.settled_worlds: list[set[int]] = []
        """Per ending: numbers of the worlds in which it happens."""
        self.public_histories: tuple[dict[str, int], dict[str, int]] = ({}, {})
        """Per player: the public histories at which he moves, and their public states."""
        self._known_labels: dict[tuple[str, ...], tuple[str, ...]] = {}
        check_labels(self.hands, "the hands", self.refuse_at("the start"))
        if any(":" in hand for hand in self.hands):
            raise GameError(f"{name}: a hand's label must not contain ':', which ends it in keys")

    def refuse_at(self, place: str) -> Callable[[str], GameError]:
        """What makes the error for something wrong at a place."""
        return lambda message: GameError(f"{self.name}: {message}, after {place}")

    def refuse(self, state: PublicState) -> Callable[[str], GameError]:
        """The same for a public state."""
        return self.refuse_at(f"{state.public_history!r}" if state.public_history else "the deal")

    def labels(self, state: PublicState, labels: Sequence[str], what: str) -> tuple[str, ...]:
        """The labels of actions or outcomes; the same object where they are the same."""
        given = tuple(labels)
        known = self._known_labels.get(given)
        if known is None:
            check_labels(given, what, self.refuse(state))
            known = self._known_labels.setdefault(given, given)
        return known

    def tell(self, player: int, state: PublicState, row: int) -> None:
        """Note the public history of a state at which a player moves."""
        public_history = state.public_history
        if not isinstance(public_history, str):
            raise GameError(
                f"{self.name}: PublicState.public_history is {public_history!r}, not a string"
            )
        if self.public_histories[player].setdefault(public_history, row) != row:
            raise GameError(
                f"{self.name}: two public states at which player {player} moves have the same "
                f"public history, {public_history!r}. It must tell all that both players saw, or "
                "he would lack perfect recall"
            )

    def ending(self, state: PublicState, worlds: int) -> int:
        """The number of the ending in which a state ends."""
        try:
            number = self.endings.setdefault(state.ending, len(self.endings))
        except TypeError:
            message = f"PublicState.ending is {state.ending!r}, which is not hashable"
            raise self.refuse(state)(message) from None
        if number == len(self.settled_worlds):
            self.settled_worlds.append(set())
        self.settled_worlds[number].add(worlds)
        return number

    def payoffs(self, worlds: list[_Worlds]) -> NDArray[np.float64]:
        """[ending, hand of player 0, hand of player 1] What player 0 wins, where it can be."""
        count = len(self.hands)
        out = np.zeros((len(self.endings), count, count))
        for ending, number in self.endings.items():
            for hand0, hand1 in {
                pair for w in self.settled_worlds[number] for pair in worlds[w].hands
            }:
                value = self.game.payoff(ending, hand0, hand1)
                if type(value) is int and -(2**53) < value < 2**53:
                    out[number, hand0, hand1] = value
                    continue
                place = f"{ending!r} with {self.hands[hand0]} and {self.hands[hand1]}"
                out[number, hand0, hand1] = finite(value, "payoff", self.refuse_at(place))
        return out


def walk_public(
    game: DealtGame, name: str, max_histories: int
) -> tuple[HistoryTree, list[Treeplex]]:
    """Compile a game whose only secrets are dealt; equal to `walk_states` up to numbering."""
    rules = _Rules(game, name)
    table = array("i")  # row by row
    worlds = [_first_worlds(rules)]
    labels: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
    num_infosets, num_sequences = [0, 0], [1, 1]
    num_first = len(game.deal(None))
    num_histories = 1 + num_first + len(worlds[0].hands)

    # The way to the state at hand: each state on it, who moves there, its row, the rows after the
    # players' last moves, and the steps from it that are still to be taken, the next one last. A
    # step is a label, its slot, and the worlds it leads to. States are made when their turn comes.
    path: list[tuple[PublicState, int, int, list[int], list[tuple[str, int, _Worlds]]]] = []
    state, mover, above, slot, here, last = game.public(), CHANCE, -1, 0, worlds[0], [-1, -1]
    while True:
        player = state.player
        if type(player) is not int or not TERMINAL <= player <= 1:
            player = check_player(player, rules.refuse(state))
        row = len(table) // NUM_COLUMNS
        if mover >= 0:
            last = [row, last[1]] if mover == 0 else [last[0], row]
        degree, ending, infoset, sequence, base = 0, -1, -1, -1, num_histories
        if player == TERMINAL:
            ending = rules.ending(state, here.number)
        else:
            if player == CHANCE:
                outcomes = rules.labels(state, state.outcomes, "the outcomes of chance")
                revealed = _reveal(state, outcomes, here, rules)
                degree = len(revealed)
                num_histories += sum(len(w.hands) for w in revealed)
                for w in revealed:
                    w.number = len(worlds)
                    worlds.append(w)
                steps = [
                    (outcome, slot, w)
                    for slot, (outcome, w) in enumerate(zip(outcomes, revealed, strict=True))
                    if w.hands
                ]
            else:
                actions = rules.labels(state, state.actions, "the actions")
                held = len(here.held[player])
                rules.tell(player, state, row)
                degree = len(actions)
                infoset, sequence = num_infosets[player], num_sequences[player]
                num_infosets[player] += held
                num_sequences[player] += degree * held
                labels[player].extend([actions] * held)
                num_histories += degree * len(here.hands)
                steps = [(action, slot, here) for slot, action in enumerate(actions)]
            if num_histories > max_histories:
                raise too_large(num_histories, max_histories, name)
            if len(path) >= MAX_PUBLIC_DEPTH:
                raise GameError(
                    f"{name}: the game goes on for {MAX_PUBLIC_DEPTH:,} public moves, maybe "
                    f"forever, after {shorten(state.public_history)}"
                )
            steps.reverse()
            path.append((state, player, row, last, steps))
        columns = player, above, slot, degree, here.number, ending, base, infoset, sequence
        table.extend((*columns, *last))
        while path and not path[-1][-1]:
            path.pop()
        if not path:
            break
        before, mover, above, last, steps = path[-1]
        label, slot, here = steps.pop()
        state = before.child(label)

    by_column = np.ascontiguousarray(np.array(table).reshape(-1, NUM_COLUMNS).T)
    public = PublicTable._make([*by_column[:-2], by_column[-2:]])
    tables = public, _world_table(worlds, len(rules.hands))
    history = _histories(game, tables, rules.payoffs(worlds), num_first, num_histories)
    treeplexes = []
    for player in (0, 1):
        keys = [
            f"{rules.hands[hand]}:{public_history}"
            for public_history, row in rules.public_histories[player].items()
            for hand in worlds[public.worlds[row]].held[player]
        ]
        begin = np.full(len(keys) + 1, num_sequences[player], dtype=np.int32)
        parent = np.zeros(len(keys), dtype=np.int32)
        parents_into(begin, parent, *tables, player)
        treeplexes.append(Treeplex(begin, parent, keys, labels[player]))
    return history, treeplexes


def _first_worlds(rules: _Rules) -> _Worlds:
    """The deal: every pair of hands, one after the other behind the first player's deals."""
    refuse = rules.refuse_at("the start")

    def dealt(hand0: int | None) -> list[tuple[int, float]]:
        deal = list(rules.game.deal(hand0))
        for hand, _ in deal:
            if not (isinstance(hand, int) and 0 <= hand < len(rules.hands)):
                raise refuse(f"the deal has a hand {hand!r}, but there are {len(rules.hands)}")
        probabilities = check_probabilities(deal, refuse)
        return [(hand, p) for (hand, _), p in zip(deal, probabilities, strict=True)]

    pairs = [(hand0, hand1, p) for hand0, _ in dealt(None) for hand1, p in dealt(hand0)]
    return _Worlds([pair[:2] for pair in pairs], list(range(len(pairs))), [p for *_, p in pairs])


def _reveal(
    state: PublicState, outcomes: tuple[str, ...], here: _Worlds, rules: _Rules
) -> list[_Worlds]:
    """Split the worlds by what chance reveals; a world's outcomes lie side by side."""
    revealed = [_Worlds([], [], []) for _ in outcomes]
    offset = 0
    for hand0, hand1 in here.hands:
        probabilities = [state.probability(outcome, hand0, hand1) for outcome in outcomes]
        if not _is_distribution(probabilities):
            deal = list(zip(outcomes, probabilities, strict=True))
            check_probabilities(deal, rules.refuse(state))
        for w, p in zip(revealed, probabilities, strict=True):
            if p > 0:
                w.hands.append((hand0, hand1))
                w.offsets.append(offset)
                w.probability.append(float(p))
                offset += 1
    for w in revealed:
        w.__post_init__()
    return revealed


def _is_distribution(probabilities: Sequence[Number]) -> bool:
    """A quick look at what nearly always is one; `check_probabilities` says what is wrong."""
    try:
        return min(probabilities) >= 0 and abs(math.fsum(probabilities) - 1.0) <= 1e-12
    except (TypeError, ValueError, OverflowError):
        return False


def _world_table(worlds: list[_Worlds], num_hands: int) -> WorldTable:
    place = np.full((2, len(worlds), num_hands), -1, dtype=np.int32)
    for w in worlds:
        for p in (0, 1):
            place[p, w.number, w.held[p]] = np.arange(len(w.held[p]))
    pairs = np.array([pair for w in worlds for pair in w.hands], dtype=np.int32).reshape(-1, 2)
    return WorldTable(
        begin=np.cumsum([0, *(len(w.hands) for w in worlds)]).astype(np.int32),
        hand=np.ascontiguousarray(pairs.T),
        offset=np.array([offset for w in worlds for offset in w.offsets], dtype=np.int32),
        probability=np.array([p for w in worlds for p in w.probability]),
        place=place,
    )


def _histories(
    game: DealtGame,
    tables: tuple[PublicTable, WorldTable],
    payoffs: NDArray[np.float64],
    num_first: int,
    num_histories: int,
) -> HistoryTree:
    """Lay out all histories: the deal by hand, the rest by kernel."""
    first = list(game.deal(None))
    tree = HistoryTree(
        node_parent=np.full(num_histories, -1, dtype=np.int32),
        node_player=np.full(num_histories, CHANCE, dtype=np.int8),
        node_infoset=np.full(num_histories, -1, dtype=np.int32),
        node_child=np.zeros(num_histories, dtype=np.int32),
        node_degree=np.zeros(num_histories, dtype=np.int32),
        node_chance=np.ones(num_histories),
        node_payoff=np.zeros(num_histories),
        public=PublicStates(
            *tables,
            payoffs,
            hands=np.array([hand for hand, _ in first], dtype=np.int32),
            probability=np.array([float(p) for _, p in first]),
        ),
    )
    tree.node_child[0], tree.node_degree[0] = 1, num_first
    behind = 1 + num_first
    for node, (hand0, p) in enumerate(first, start=1):
        count = len(game.deal(hand0))
        tree.node_parent[node] = 0
        tree.node_chance[node] = float(p)
        tree.node_child[node], tree.node_degree[node] = behind, count
        tree.node_parent[behind : behind + count] = node
        behind += count
    expand_into(tree.columns, *tables, payoffs, 1 + num_first)
    return tree
