"""Continual re-solving: a player who solves what is left of the game at each of his decisions.

He carries two things: his own range, and what each of the opponent's hands could win (Moravcik et
al. 2017, DeepStack). The opponent's range is never needed.

- After his own action, his range is updated by Bayes with the strategy he has just found, and the
  opponent's values become those after that action.
- After a card, both are those of that card.
- After the opponent's action, nothing changes: no action can win him more than the best one.

The opponent's values are those of a counterfactual *best response* to the strategy that was found.
(DeepStack takes averages over the iterations of a re-solve.) The strategy found last holds the
opponent to exactly these, so what is solved next always has a strategy that does: then re-solving
adds no more to the exploitability than the next solve is short of perfect (Burch, Johanson &
Bowling 2014, Theorem 1), however inaccurate the solve before was.

`infoset.resolving.continual_spots` has the same for hold'em spots in public form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, nearest, shorten
from infoset.evaluation import infoset_values, sequence_values
from infoset.forms import (
    Decomposition,
    SequenceForm,
    cell_keys,
    sequence_form_of,
    with_infoset_alternative,
)
from infoset.games import Game
from infoset.resolving.batches import run_in_batches
from infoset.resolving.decision_cuts import START, DecisionCuts, Subgame
from infoset.resolving.methods import Method, check_method
from infoset.resolving.sequence_parts import resolving_form
from infoset.resolving.trunk import Trunk
from infoset.solvers import Algorithm, Limits, Recipe, Solution, build_solver, find_algorithm
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ITERATIONS = 1000
"""Of each re-solve, if nothing is said."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A subgame as it was solved for a player: what he carried there, and what he found."""

    cut: Decomposition
    subgame: int
    player: int
    reach: Floats
    """[his cells of the subgame] His range: the probability of his own actions so far."""
    values: Floats
    """[the opponent's cells] What the opponent may win from each on: counterfactual, in chips."""
    probabilities: Floats
    """[his sequences in the subgame] The strategy that was found."""
    best: Floats
    """[the opponent's infosets in the subgame] What a best response to it wins from each on:
    counterfactual, in chips."""

    def plan(self) -> Floats:
        """[his sequences in the whole game] Their reach; 0 of those that are elsewhere."""
        treeplex, cells = self.cut.form.treeplexes[self.player], self.cut.cells[self.player]
        plan = np.zeros(treeplex.num_sequences)
        plan[cells.sequence[cells.of(self.subgame)]] = self.reach
        found = np.zeros(treeplex.num_sequences)
        found[self.cut.sequences(self.player, self.subgame)] = self.probabilities
        for infoset in self.cut.infosets(self.player, self.subgame).tolist():
            actions = slice(*treeplex.infoset_begin[infoset : infoset + 2])
            plan[actions] = plan[treeplex.infoset_parent[infoset]] * found[actions]
        return plan

    def best_values(self) -> Floats:
        """[the opponent's infosets in the whole game] `best`; 0 of those that are elsewhere."""
        opponent = 1 - self.player
        values = np.zeros(self.cut.form.treeplexes[opponent].num_infosets)
        values[self.cut.infosets(opponent, self.subgame)] = self.best
        return values


def reach_below(above: Solved, cut: Decomposition, subgame: int) -> Floats:
    """[the player's cells of a later subgame] His range there, by Bayes."""
    cells = cut.cells[above.player]
    reach: Floats = above.plan()[cells.sequence[cells.of(subgame)]]
    return reach


def values_below(above: Solved, cut: Decomposition, subgame: int) -> Floats:
    """[the opponent's cells of a later subgame] What he may win from each on.

    Where the last thing that happened is his own action, that is what he could win before it.
    """
    opponent = 1 - above.player
    best = above.best_values()
    here = cut.cells[opponent].of(subgame)
    values: Floats = cut.cell_values(opponent, best, above.plan())[here]
    decided = _decided_at(cut, opponent, subgame)
    is_inside = above.cut.cells[opponent].infoset_subgame[decided] == above.subgame
    is_carried = (decided >= 0) & is_inside
    return np.where(is_carried, best[decided], values)


def _decided_at(cut: Decomposition, player: int, subgame: int) -> Ints:
    """[cells of the subgame] The infoset at which a player did the last thing before a cell.

    -1 if it was not the last, or if what he did may also lead elsewhere.
    """
    form, history, cells = cut.form, cut.form.history, cut.cells[player]
    here = cells.of(subgame)
    infoset = form.treeplexes[player].sequence_infoset[cells.sequence[here]].astype(np.int64)
    is_root = cut.root_subgame == subgame
    cell, before = cells.of_root[is_root] - here.start, history.node_parent[cut.roots[is_root]]
    own = np.flatnonzero(history.node_player == player)
    size = np.bincount(history.node_infoset[own], minlength=1 + infoset.max(initial=0))
    is_his = (before >= 0) & (history.node_player[before] == player)
    is_right_after = is_his & (history.node_infoset[before] == infoset[cell])
    count = np.bincount(cell[is_right_after], minlength=len(infoset))
    return np.where((infoset >= 0) & (count == size[infoset]), infoset, -1)


@dataclass(frozen=True)
class Carried:
    """What a player knows at one of his decisions, and what he plays there, in words."""

    range: dict[str, float]
    """By his last infoset and action: the probability that he comes there of his own accord."""
    opponent_values: dict[str, float]
    """By the opponent's last infoset and action: what he may win from there on, times the
    probability that chance and the player lead there."""
    strategy: dict[str, dict[str, float]]
    """At all infosets of the public state: the probability of each action."""


class ContinualResolver:
    """A player of a game in sequence form who re-solves at each of his decisions.

    Answers are functions of what has happened: they depend neither on the order of questions nor on
    the opponent's cards. What was solved is remembered.

    >>> import infoset
    >>> player = ContinualResolver(infoset.compile("kuhn"), 1, iterations=200)
    >>> round(player.strategy_at("K:bet")["call"], 2), round(player.strategy_at("J:bet")["call"], 2)
    (1.0, 0.0)
    >>> player.carried_at("K:bet").range
    {'start': 1.0}
    """

    def __init__(
        self,
        game: Game | SequenceForm,
        player: int,
        *,
        algorithm: str | Recipe = "cfr+",
        iterations: int = ITERATIONS,
        method: Method = "gadget",
        trunk: Solution | SequenceStrategy | None = None,
        values: Mapping[str, float] | None = None,
        seed: int = 0,
    ) -> None:
        """``trunk`` is a strategy of the whole game, of which only the opponent's values are used.

        Without it, the whole game is solved once, before the opponent's first action, and the
        player's decisions up to then are answered by that. It is solved for both players or, given
        ``values``, against an opponent who may take these instead of playing: counterfactual values
        in chips, by the key of his first infosets.

        ``iterations`` are those of each solve; ``seed`` is for algorithms that sample.
        """
        if player not in (0, 1):
            raise BadInputError(f"there is no player {player!r}; players are 0 and 1")
        self.form = game if isinstance(game, SequenceForm) else sequence_form_of(game)
        self.player = player
        self.method = check_continual(method)
        self.algorithm, self.iterations = checked(algorithm, iterations)
        self.seed = seed
        check_one_of(trunk, values)
        self.trunk = None if trunk is None else _trunk_strategy(self.form, trunk)
        self._first_form = self.form
        if values is not None:
            self._first_form = with_infoset_alternative(self.form, 1 - player, values)
        self._cuts = DecisionCuts(self.form, player)
        self._solved: dict[Subgame, Solved] = {}

    def reset(self) -> None:
        """Forget all that was solved; the next question starts anew, with the same answers."""
        self._solved.clear()

    @property
    def num_solved(self) -> int:
        """How many subgames are remembered, the whole game included."""
        return len({id(solved) for solved in self._solved.values()})

    # Questions.

    def strategy_at(self, key: str) -> dict[str, float]:
        """The probability of each action at an infoset of the player."""
        return self._strategy_of(self._infoset(key))

    def carried_at(self, key: str) -> Carried:
        """What the player carries to the public state of an infoset, and what he plays there."""
        infoset = self._infoset(key)
        subgame = self._cuts.subgame_of(infoset)
        solved, opponent = self._solve(subgame), 1 - self.player
        treeplex = self.form.treeplexes[self.player]
        names = [cell_keys(solved.cut, p, solved.subgame) for p in (self.player, opponent)]
        depth = treeplex.infoset_depth
        alike = [
            other
            for other in solved.cut.infosets(self.player, solved.subgame).tolist()
            if depth[other] == depth[infoset] and self._cuts.subgame_of(other) == subgame
        ]
        return Carried(
            dict(zip(names[0], solved.reach.tolist(), strict=True)),
            dict(zip(names[1], solved.values.tolist(), strict=True)),
            {treeplex.keys[other]: self._strategy_of(other) for other in alike},
        )

    def infosets(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Every infoset of the player: key and probabilities. All subgames are solved for it."""
        for infoset, key in enumerate(self.form.treeplexes[self.player].keys):
            yield key, self._strategy_of(infoset)

    def _infoset(self, key: str) -> int:
        known = self.form.treeplexes[self.player].infoset_of_key
        if not isinstance(key, str) or key not in known:
            hint = nearest(str(key), list(known)[:2000]).split(" Known:")[0]
            raise BadInputError(
                f"player {self.player} of {self.form.name!r} has no infoset "
                f"{shorten(str(key))}{hint}"
            )
        return known[key]

    def _strategy_of(self, infoset: int) -> dict[str, float]:
        treeplex = self.form.treeplexes[self.player]
        solved = self._solve(self._cuts.subgame_of(infoset))
        sequences = solved.cut.sequences(self.player, solved.subgame)
        begin = int(np.searchsorted(sequences, treeplex.infoset_begin[infoset]))
        labels = treeplex.labels[infoset]
        row = solved.probabilities[begin : begin + len(labels)].tolist()
        return dict(zip(labels, row, strict=True))

    # Solving.

    def _solve(self, subgame: Subgame) -> Solved:
        """A subgame, solved with what is carried there; the one above, if that says enough."""
        if subgame not in self._solved:
            if subgame.level == START:
                self._solved[subgame] = self._solve_whole()
            else:
                above = self._solve(self._cuts.above(subgame))
                cut = self._cuts.cut(subgame.level)
                self._solved[subgame] = self._resolve(above, cut, subgame.number) or above
        return self._solved[subgame]

    def _solve_whole(self) -> Solved:
        player, opponent = self.player, 1 - self.player
        strategy = self.trunk
        if strategy is None:
            found = self._run(self._first_form).probabilities[player]
            strategy = _with_player(self.form, player, found)
        best = infoset_values(strategy, opponent, best=True)
        value = sequence_values(strategy, opponent, best=True)[:1]
        found = strategy.probabilities[player][1:]
        return Solved(self._cuts.cut(START), 0, player, np.ones(1), value, found, best)

    def _resolve(self, above: Solved, cut: Decomposition, subgame: int) -> Solved | None:
        """Solve a subgame for the player; `None` if what was found above does as well.

        It does where he never comes by his own strategy, and, without a trunk, until the opponent
        acts: the whole game was solved for that.
        """
        player, opponent = self.player, 1 - self.player
        own, his = (cut.cells[p].of(subgame) for p in (player, opponent))
        if self.trunk is None and not cut.cells[opponent].sequence[his].any():
            return None
        reach, values = reach_below(above, cut, subgame), values_below(above, cut, subgame)
        trunk = _trunk_with(cut, player, (own, reach), (his, values))
        form = resolving_form(trunk, subgame, player, self.method)
        if form is None:
            return None
        strategy = self._run(form)
        if self.method != "gadget":  # in which payoffs are not those of the game
            gadget = resolving_form(trunk, subgame, player, "gadget")
            assert gadget is not None
            strategy = _with_player(gadget, player, strategy.probabilities[player])
        num_sequences = len(cut.sequences(player, subgame))
        num_infosets = len(cut.infosets(opponent, subgame))
        found = strategy.probabilities[player]
        best = infoset_values(strategy, opponent, best=True)
        return Solved(
            *(cut, subgame, player, reach, values),
            found[len(found) - num_sequences :],
            best[len(best) - num_infosets :],
        )

    def _run(self, form: SequenceForm) -> SequenceStrategy:
        limits = Limits(iterations=self.iterations)
        solver = build_solver(form, self.algorithm, limits, seed=self.seed)
        run_in_batches(solver, self.iterations)
        strategy = solver.strategy()
        assert isinstance(strategy, SequenceStrategy)
        return strategy


def as_strategy(
    resolver: ContinualResolver, other: ContinualResolver | None = None
) -> SequenceStrategy:
    """What one or both players do at all their infosets, to be measured exactly.

    Without a resolver for the other seat, he plays all actions alike.

    >>> import infoset
    >>> from infoset.evaluation import exploitability
    >>> game = infoset.compile("kuhn")
    >>> players = (ContinualResolver(game, seat, iterations=300) for seat in (0, 1))
    >>> exploitability(as_strategy(*players)) < 0.01
    True
    """
    resolvers = [resolver] if other is None else [resolver, other]
    if len({one.player for one in resolvers}) < len(resolvers):
        raise BadInputError(f"both resolvers play seat {resolver.player}; give one for each seat")
    if any(one.form.fingerprint != resolver.form.fingerprint for one in resolvers):
        raise BadInputError("the two resolvers play different games")
    tables: list[dict[str, dict[str, float]]] = [{}, {}]
    for one in resolvers:
        tables[one.player] = dict(one.infosets())
    return SequenceStrategy.from_tables(resolver.form, (tables[0], tables[1]))


def check_continual(method: str) -> Method:
    """A method that needs no more than what is carried."""
    checked_method = check_method(method)
    if checked_method in ("unsafe", "reach"):
        needs = "the opponent's range" if checked_method == "unsafe" else "what he gave up so far"
        raise BadInputError(
            f"continual re-solving cannot use {method!r}, which needs {needs}; use 'gadget' or "
            "'max-margin'"
        )
    return checked_method


def checked(algorithm: str | Recipe, iterations: int) -> tuple[Algorithm, int]:
    """An algorithm and how often it iterates in each solve."""
    chosen = find_algorithm(algorithm)
    count = 1 if chosen.is_exact else Limits(iterations=iterations).iterations or 1
    chosen.check(count)
    return chosen, count


def check_one_of(trunk: object, values: object) -> None:
    """Refuse a trunk together with values, which it has of its own."""
    if trunk is not None and values is not None:
        raise BadInputError("give a trunk or values at the start, not both: a trunk has its own")


def _trunk_strategy(form: SequenceForm, trunk: Solution | SequenceStrategy) -> SequenceStrategy:
    strategy = trunk.strategy if isinstance(trunk, Solution) else trunk
    if not isinstance(strategy, SequenceStrategy) or not strategy.form.is_whole:
        raise BadInputError("a trunk must be a strategy of the whole game, in sequence form")
    if strategy.form is not form and strategy.form.fingerprint != form.fingerprint:
        raise BadInputError(f"the trunk is a strategy of {strategy.name!r}, not of {form.name!r}")
    return strategy


def _trunk_with(
    cut: Decomposition, player: int, own: tuple[slice, Floats], his: tuple[slice, Floats]
) -> Trunk:
    """What is carried to one subgame; everything else is 0, and is not asked for."""
    reach, values, slack = (
        (np.zeros(len(cut.cells[0].sequence)), np.zeros(len(cut.cells[1].sequence)))
        for _ in range(3)
    )
    reach[player][own[0]] = own[1]
    values[1 - player][his[0]] = his[1]
    return Trunk(cut, reach, values, slack)


def _with_player(form: SequenceForm, player: int, probabilities: Floats) -> SequenceStrategy:
    """A player's part of a strategy; the other plays all actions alike."""
    pair = [form.treeplexes[0].uniform(), form.treeplexes[1].uniform()]
    pair[player] = probabilities
    return SequenceStrategy(form, (pair[0], pair[1]))
