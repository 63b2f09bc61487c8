"""Continual re-solving of hold'em spots and other games in public form.

What is carried, and why, is said in `infoset.resolving.continual`: here for each hand of the
opponent, in every public state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms import (
    DealtForm,
    NodeKind,
    PartRoot,
    PublicForm,
    PublicPart,
    SpotForm,
    form_of_spot,
    layout_of,
    numbers_for,
    part_below,
    way_to,
)
from infoset.games.holdem import Spot
from infoset.resolving.batches import run_in_batches
from infoset.resolving.continual import Carried, check_continual, check_one_of, checked
from infoset.resolving.methods import Method
from infoset.resolving.public_resolving import behind_choice, empty_tables
from infoset.resolving.public_trunk import begins_of, best_values, boards_above
from infoset.solvers import SPOT_ALGORITHM, Recipe, Solution, VectorSolver
from infoset.strategy import PublicAverages, PublicStrategy

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]

ITERATIONS = 300
"""Of each re-solve, if nothing is said."""

START = PartRoot(0, 0, 0)


@dataclass(frozen=True, eq=False)
class SolvedPart:
    """A part of a spot as it was solved for a player: what he carried there, what he found."""

    whole: PublicForm
    part: PublicPart
    player: int
    reach: Floats
    """[his hands in the whole form] The probability of his own actions so far; the range that the
    spot began with is not in it."""
    values: Floats
    """[the opponent's hands in the whole form] What each may win from here on, summed over the
    player's hands by weight and reach; in chips as `PublicTrunk.values` are."""
    strategy: PublicAverages
    """On the part's form; only the player's own is meant."""

    def probabilities(self, root: PartRoot) -> Floats:
        """[actions, his hands in the whole form] What he does at one of his decisions."""
        here = self._inside(root)
        by_row = self.strategy.node_probabilities(here.street, here.board, here.node)
        rows = self.strategy.layout.rows[here.street][self.player]
        hand = rows.hand[slice(*rows.begin[here.board : here.board + 2])]
        out = np.zeros((len(by_row), self.whole.num_hands[self.player]))
        out[:, self.part.hands[self.player][hand[hand >= 0]]] = by_row[:, hand >= 0]
        return out

    def _inside(self, root: PartRoot) -> PartRoot:
        """A place of the whole form, as the part numbers it."""
        street = root.street - self.part.root.street
        node = int(np.searchsorted(self.part.nodes, root.node))
        return PartRoot(node, street, root.board - self.part.boards[street].start)

    def reach_at(self, root: PartRoot) -> Floats:
        """[his hands in the whole form] His range at a later place, by Bayes."""
        reach = self.reach
        for node, action in way_to(self.whole, root.node):
            is_here = node >= self.part.root.node and self.whole.node_player[node] == self.player
            if is_here:
                reach = reach * self.probabilities(place_above(self.whole, root, node))[action]
        return reach

    def values_at(self, root: PartRoot) -> Floats:
        """[the opponent's hands in the whole form] What each may win from a later place on.

        Where the last thing that happened is the opponent's own action, that is what he could win
        before it.
        """
        opponent, whole = 1 - self.player, self.whole
        way = way_to(whole, root.node)
        last = way[-1][0] if way else -1
        is_his = way and whole.node_player[last] == opponent
        if is_his and root.node in range(whole.node_child_begin[last], whole.node_child_end[last]):
            root = PartRoot(last, root.street, root.board)
        reach: list[Floats] = [np.ones(len(hands)) for hands in self.part.hands]
        reach[self.player] = self.reach_at(root)[self.part.hands[self.player]]
        found = best_values(self.strategy, self._inside(root), (reach[0], reach[1]))[opponent]
        values = np.zeros(whole.num_hands[opponent])
        values[self.part.hands[opponent]] = found
        return values


def place_above(form: PublicForm, root: PartRoot, node: int) -> PartRoot:
    """An earlier node on the way to a place, on the board that was there then."""
    street = int(np.searchsorted(form.street_begin, node, "right")) - 1
    return PartRoot(node, street, int(boards_above(form, root.street)[street][root.board]))


class SpotResolver:
    """A player of a spot, or of a small card game in public form, who re-solves as he decides.

    Answers are functions of what has happened: they depend neither on the order of questions nor on
    the opponent's hand. What was solved is remembered.

    >>> spot = Spot("Ks9h7d4c2s", "AA,QQ", "JJ", pot=100, stack=100)
    >>> player = SpotResolver(spot, 1, iterations=100)
    >>> sorted(player.strategy_at("JhJd:bet 50%"))
    ['all-in 100', 'call 50', 'fold']
    >>> player.carried_at("JhJd:bet 50%").range["JhJd"]
    1.0
    """

    def __init__(
        self,
        spot: Spot | SpotForm | DealtForm,
        player: int,
        *,
        algorithm: str | Recipe = SPOT_ALGORITHM,
        iterations: int = ITERATIONS,
        method: Method = "gadget",
        trunk: Solution | PublicStrategy | None = None,
        values: Mapping[str, float] | None = None,
        threads: int = 1,
    ) -> None:
        """``trunk`` is a strategy of the whole spot, of which only the opponent's values are used.

        Without it, the whole spot is solved once, and the player's decisions before the opponent's
        first action are answered by that. It is solved for both ranges or, given ``values`` as
        `SolvedPart.values` has them, by hand, against an opponent who may take these instead of
        playing. ``iterations`` are those of each solve.
        """
        if player not in (0, 1):
            raise BadInputError(f"there is no player {player!r}; players are 0 and 1")
        if check_continual(method) != "gadget":
            raise BadInputError("spots are re-solved continually by 'gadget' only")
        self.form = form_of_spot(spot) if isinstance(spot, Spot) else spot
        if isinstance(self.form, SpotForm) and self.form.locks:
            raise BadInputError("a spot with locks cannot be re-solved in parts")
        self.player = player
        self.algorithm, self.iterations = checked(algorithm, iterations)
        if self.algorithm.recipe is None or self.algorithm.is_sampled:
            raise BadInputError(f"{self.algorithm.name!r} does not work in public form")
        self.threads = threads
        self.trunk = None if trunk is None else _trunk_strategy(self.form, trunk)
        check_one_of(trunk, values)
        self._values = None if values is None else self._by_hand(values)
        self._solved: dict[PartRoot, SolvedPart] = {}
        self._start: SolvedPart | None = None

    def reset(self) -> None:
        """Forget all that was solved; the next question starts anew, with the same answers."""
        self._solved.clear()
        self._start = None

    @property
    def num_solved(self) -> int:
        """How many parts are remembered, the whole spot included."""
        known = [*self._solved.values(), *([] if self._start is None else [self._start])]
        return len({id(solved) for solved in known})

    def _by_hand(self, values: Mapping[str, float]) -> Floats:
        """[the opponent's hands] Values that were given by name."""
        opponent = 1 - self.player
        names = [self.form.hand_name(opponent, h) for h in range(self.form.num_hands[opponent])]
        if set(names) != set(values):
            odd = min(set(names) ^ set(values), key=str)
            raise BadInputError(
                f"values must be given for each hand of the opponent and no other: see {odd!r}"
            )
        return np.array([values[name] for name in names], float)

    # Questions.

    def strategy_at(self, key: str) -> dict[str, float]:
        """The probability of each action at an infoset, as in ``AhQh:check,bet 100/2c:check``."""
        root, hand = self._find(key)
        row = self.probabilities(root)[:, hand].tolist()
        return dict(zip(self.form.actions_at(root.node), row, strict=True))

    def probabilities(self, root: PartRoot) -> Floats:
        """[actions, the player's hands] What each does at a decision, on a board that is played."""
        return self._solve(root).probabilities(root)

    def hand_probabilities(self, public_history: str) -> tuple[tuple[str, ...], Floats]:
        """What the player does after a public history, as `PublicStrategy.hand_probabilities`.

        The board need not be one that is played.
        """
        where = self.form.find_decision(public_history)
        if where.player != self.player:
            raise BadInputError(
                f"player {where.player} acts after {public_history!r}, not {self.player}"
            )
        by_hand = self.probabilities(PartRoot(where.node, where.street, where.board))
        return self.form.actions_at(where.node), by_hand[:, where.names]

    def carried_at(self, key: str) -> Carried:
        """What the player carries to the public state of an infoset, by hand.

        On a board that stands for others but for its suits, hands are called as they are there.
        """
        root, _ = self._find(key)
        solved, (own, his) = self._solve(root), (self.player, 1 - self.player)
        by_hand, actions = solved.probabilities(root), self.form.actions_at(root.node)
        live = part_below(self.form, root).hands
        names = [[self.form.hand_name(p, int(hand)) for hand in live[p]] for p in (0, 1)]
        reach = (self.form.weights[own] * solved.reach)[live[own]].tolist()
        played = by_hand[:, live[own]].T.tolist()
        return Carried(
            dict(zip(names[own], reach, strict=True)),
            dict(zip(names[his], solved.values[live[his]].tolist(), strict=True)),
            {
                name: dict(zip(actions, row, strict=True))
                for name, row in zip(names[own], played, strict=True)
            },
        )

    def roots(self) -> Iterator[PartRoot]:
        """Every decision of the player, on every board that is played."""
        form = self.form
        is_own = (form.node_kind == NodeKind.DECISION) & (form.node_player == self.player)
        for node in np.flatnonzero(is_own).tolist():
            street = int(np.searchsorted(form.street_begin, node, "right")) - 1
            for board in range(len(form.streets[street].cards)):
                yield PartRoot(node, street, board)

    def _find(self, key: str) -> tuple[PartRoot, int]:
        """The public state of an infoset, and the hand."""
        place = self.form.find_infoset(key)
        if place.player != self.player:
            raise BadInputError(
                f"{key!r} is an infoset of player {place.player}, not {self.player}"
            )
        return PartRoot(place.node, place.street, place.board), place.hand

    # Solving.

    def _solve(self, root: PartRoot) -> SolvedPart:
        """The part below a decision, solved with what is carried there.

        The one above, if that says enough: see `ContinualResolver`.
        """
        if root not in self._solved:
            way = [node for node, _ in way_to(self.form, root.node)]
            own = [node for node in way if self.form.node_player[node] == self.player]
            if own:
                above = self._solve(place_above(self.form, root, own[-1]))
            else:
                above = self._solve_whole()
            has_acted = len(way) > len(own)
            solved = self._resolve(above, root) if has_acted or self.trunk is not None else None
            self._solved[root] = above if solved is None else solved
        return self._solved[root]

    def _solve_whole(self) -> SolvedPart:
        if self._start is None:
            form, (own, his) = self.form, (self.player, 1 - self.player)
            hands = np.arange(form.num_hands[0]), np.arange(form.num_hands[1])
            boards = tuple(range(len(deals.cards)) for deals in form.streets)
            part = PublicPart(START, form, np.arange(len(form.node_kind)), boards, hands)
            if self.trunk is not None:
                strategy: PublicAverages = self.trunk
            elif self._values is None:
                strategy = PublicAverages(form, self._run(form).averages())
            else:
                gadget = behind_choice(part, own, form.weights[own], self._values)
                assert gadget is not None
                strategy = self._without_choice(part, gadget)
            reach = np.ones(form.num_hands[0]), np.ones(form.num_hands[1])
            values = best_values(strategy, START, reach)[his]
            self._start = SolvedPart(form, part, own, reach[own], values, strategy)
        return self._start

    def _resolve(self, above: SolvedPart, root: PartRoot) -> SolvedPart | None:
        """Solve a part for the player; `None` if he never comes there by his own strategy."""
        form, player, opponent = self.form, self.player, 1 - self.player
        part = part_below(form, root)
        reach, values = above.reach_at(root), above.values_at(root)
        own = (form.weights[player] * reach)[part.hands[player]]
        gadget = behind_choice(part, player, own, values[part.hands[opponent]])
        if gadget is None:
            return None
        strategy = self._without_choice(part, gadget)
        return SolvedPart(form, part, player, reach, values, strategy)

    def _without_choice(self, part: PublicPart, gadget: PublicForm) -> PublicAverages:
        """What the player does in a part, if he solves it behind the opponent's choice."""
        layout, averages = layout_of(part.form), []
        for street, pair in enumerate(self._run(gadget).averages()):
            # The player has the same decisions in both forms; the opponent's are not asked for.
            tables = [numbers_for(layout, street, p) for p in (0, 1)]
            assert tables[self.player].data.shape == pair[self.player].data.shape
            tables[self.player] = pair[self.player]
            averages.append((tables[0], tables[1]))
        return PublicAverages(part.form, tuple(averages))

    def _run(self, form: PublicForm) -> VectorSolver:
        recipe = self.algorithm.recipe
        assert recipe is not None
        solver = VectorSolver(form, recipe, self.iterations, threads=self.threads)
        run_in_batches(solver, self.iterations)
        return solver


def as_public_strategy(resolver: SpotResolver, other: SpotResolver | None = None) -> PublicStrategy:
    """What one or both players do at all their decisions, to be measured exactly.

    Without a resolver for the other seat, he plays all actions alike.

    >>> from infoset.evaluation import PublicEvaluation
    >>> spot = Spot("Ks9h7d4c2s", "AA,QQ", "JJ", pot=100, stack=100)
    >>> players = (SpotResolver(spot, seat, iterations=200) for seat in (0, 1))
    >>> PublicEvaluation.of(as_public_strategy(*players)).exploitability() < 0.5
    True
    """
    resolvers = [resolver] if other is None else [resolver, other]
    if len({one.player for one in resolvers}) < len(resolvers):
        raise BadInputError(f"both resolvers play seat {resolver.player}; give one for each seat")
    if any(one.form.fingerprint != resolver.form.fingerprint for one in resolvers):
        raise BadInputError("the two resolvers play different spots")
    form = resolver.form
    tables, begins = empty_tables(form), begins_of(form)
    for one in resolvers:
        for root in one.roots():
            by_hand = one.probabilities(root)
            _, begin = begins[root.node]
            table = tables[root.street, one.player]
            table[root.board, begin : begin + len(by_hand)] = by_hand
    return PublicStrategy.from_probabilities(form, tables)


def _trunk_strategy(form: PublicForm, trunk: Solution | PublicStrategy) -> PublicStrategy:
    strategy = trunk.strategy if isinstance(trunk, Solution) else trunk
    if not isinstance(strategy, PublicStrategy):
        raise BadInputError("a trunk must be a strategy of the whole spot, in public form")
    if strategy.form is not form and strategy.form.fingerprint != form.fingerprint:
        raise BadInputError(f"the trunk is a strategy of {strategy.name!r}, not of {form.name!r}")
    return strategy
