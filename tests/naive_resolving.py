"""A slow and obvious twin of everything that takes a game apart: safe re-solving and CFR-D.

Written from Burch, Johanson and Bowling (2014), "Solving Imperfect Information Games Using
Decomposition", and Moravcik et al. (2016), "Refining Subgames in Large Imperfect Information
Games"; like `naive`, over histories and with dictionaries. Of the package it knows only the rules
of games, and it must stay that way.

**Words.** A *root* is a history where a subgame begins; what lies before all roots is the *trunk*.
A *subgame* is a set of roots with everything below them, such that no infoset reaches beyond it.
The *cell* of a player at a root is his augmented infoset there: his own last infoset and action on
the way, ``(infoset, action)``, or ``()`` if he has not moved. With perfect recall that one pair
stands for the whole sequence H_p(h) of the paper. A cell is always meant within one subgame: after
a public card the same own action leads to several subgames, and each has a cell of that name.

The paper's Definition 1 wants a subgame to be closed under augmented infosets as well. Taken by the
word, that forbids the paper's own subgames of Leduc: player 0, who has checked, has made the same
moves before and after player 1 checks too, and the former is in the trunk. So roots are grouped by
the infosets below them, as the paper's experiments do.

**Units.** Every value is counterfactual and unnormalised, in chips of the player himself:
v_i(I) = sum over the roots r of cell I of pi_{-i}(r) u_i(r), with pi_{-i} from the start of the
whole game. The values of all cells of a subgame, times his own reach, sum to what the subgame
contributes to his value of the game.

**Strategies** are ``{(player, infoset): {action: probability}}`` as in `naive`. The first choice of
the opponent q in a re-solving game stands among them: under ``(q, cell)`` with the actions "T" and
"F", or under ``(q, CHOICE)`` with the cells as actions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import naive
from infoset.games import CHANCE, TERMINAL

CHOICE = ("choice",)
"""Second half of the key of the choice among cells in a max-margin game."""

# --- trunk and subgames -------------------------------------------------------------------------


@dataclass(eq=False)
class Root:
    """A history where a subgame begins, and the steps (node, label) that lead to it."""

    node: naive.Node
    steps: tuple

    @property
    def labels(self):
        return tuple(label for _, label in self.steps)

    def cell(self, player):
        """The player's augmented infoset: his own last infoset and action."""
        own = [(node.key[1], label) for node, label in self.steps if node.player == player]
        return own[-1] if own else ()

    def reach(self, who, strategy):
        """The part that chance or a player has in the probability of the root."""
        pi = 1.0
        for node, label in self.steps:
            if node.player == who:
                pi *= node.odds[label] if who == CHANCE else strategy[node.key][label]
        return pi

    def reach_of_others(self, player, strategy):
        """pi_{-i}(r): chance and the opponent."""
        return self.reach(CHANCE, strategy) * self.reach(1 - player, strategy)


@dataclass(eq=False)
class Subgame:
    """Roots that belong together, and the histories of every infoset below them."""

    roots: list[Root]
    infosets: dict[tuple[int, str], list[naive.Node]]

    def cells(self, player):
        """The cells of a player and the roots of each, in the order of the first root."""
        cells = {}
        for root in self.roots:
            cells.setdefault(root.cell(player), []).append(root)
        return cells


@dataclass(eq=False)
class Split:
    """A game cut in two at the roots."""

    histories: naive.Histories
    roots: list[Root]
    subgames: list[Subgame]
    trunk: dict[tuple[int, str], list[naive.Node]]


def split(game, is_root):
    """Cut a game where a predicate of states first holds."""
    histories = naive.Histories(game)
    roots = subgame_roots(game, is_root, histories)
    subgames = subgames_of(roots)
    trunk = infosets_between([histories.root], {root.node for root in roots})
    for subgame in subgames:
        if both := trunk.keys() & subgame.infosets.keys():
            raise ValueError(f"infosets of the trunk and of a subgame: {sorted(both)}")
    return Split(histories, roots, subgames, trunk)


def subgame_roots(game, is_root, histories=None):
    """The histories where the predicate first holds on their path, depth first."""
    roots = []

    def walk(state, node, steps):
        if is_root(state):
            roots.append(Root(node, steps))
        else:
            for label, child in node.children.items():
                walk(state.child(label), child, (*steps, (node, label)))

    walk(game.root(), (histories or naive.Histories(game)).root, ())
    return roots


def subgames_of(roots):
    """Group roots that share an infoset of either player at any history below them.

    A root below which nobody moves shares none and is a subgame of its own.
    """
    groups = []
    for root in roots:
        group = Subgame([root], infosets_between([root.node], ()))
        for other in [other for other in groups if other.infosets.keys() & group.infosets.keys()]:
            groups.remove(other)
            for key, nodes in group.infosets.items():
                other.infosets.setdefault(key, []).extend(nodes)
            group = Subgame(other.roots + group.roots, other.infosets)
        groups.append(group)
    order = {root: number for number, root in enumerate(roots)}
    for group in groups:
        group.roots.sort(key=order.__getitem__)
    return sorted(groups, key=lambda group: order[group.roots[0]])


def infosets_between(tops, stops):
    """The histories of every infoset from some histories on, as far as others."""
    infosets = {}

    def walk(node):
        if node not in stops:
            if node.key is not None:
                infosets.setdefault(node.key, []).append(node)
            for child in node.children.values():
                walk(child)

    for top in tops:
        walk(top)
    return infosets


# --- reach and utility in a part of the game ----------------------------------------------------


def reach_below(tops, stops, strategy, counts):
    """Reach of every history below `tops`, a dictionary of their reach.

    A step of chance or a player `who` counts if `counts(who)`.
    """
    reach = {}

    def walk(node, pi):
        reach[node] = pi
        if node not in stops:
            weights = node.odds if node.player == CHANCE else strategy.get(node.key)
            for label, child in node.children.items():
                walk(child, pi * weights[label] if counts(node.player) else pi)

    for top, pi in tops.items():
        walk(top, pi)
    return reach


def utilities(tops, leaves, strategy, player):
    """u_i(h) of every history below `tops`; `leaves` gives what player 0 wins where it ends."""
    worth = {}

    def walk(node):
        if node in leaves:
            worth[node] = leaves[node] if player == 0 else -leaves[node]
        elif node.player == TERMINAL:
            worth[node] = node.payoff if player == 0 else -node.payoff
        else:
            weights = node.odds if node.player == CHANCE else strategy[node.key]
            worth[node] = sum(weights[a] * walk(child) for a, child in node.children.items())
        return worth[node]

    for top in tops:
        walk(top)
    return worth


# --- counterfactual values at the roots ---------------------------------------------------------


def counterfactual_values(subgame, strategy, player):
    """v_i(I) of every cell of a player under a strategy profile of the whole game."""
    worth = utilities([root.node for root in subgame.roots], {}, strategy, player)
    return _by_cell(subgame, strategy, player, worth)


def best_response_values(subgame, strategy, player):
    """v_i(I) of every cell when the player answers with a counterfactual best response.

    Only the opponent's part of the strategy is read.
    """
    start = {root.node: root.reach_of_others(player, strategy) for root in subgame.roots}
    worth = best_response_utilities(subgame, start, strategy, player)
    return _by_cell(subgame, strategy, player, worth)


def _by_cell(subgame, strategy, player, worth):
    return {
        cell: sum(root.reach_of_others(player, strategy) * worth[root.node] for root in roots)
        for cell, roots in subgame.cells(player).items()
    }


def best_response_utilities(subgame, start, strategy, player):
    """u_i(r) of every root under a counterfactual best response in the subgame.

    `start` is the reach of everybody but the player at the roots.
    """
    reach = reach_below(start, (), strategy, lambda who: who != player)
    chosen = {}

    def settle(key):
        nodes = subgame.infosets[key]
        values = {
            action: sum(reach[h] * follow(h.children[action]) for h in nodes)
            for action in nodes[0].children
        }
        chosen[key] = max(values, key=values.__getitem__)

    def follow(node):
        if node.player == TERMINAL:
            return node.payoff if player == 0 else -node.payoff
        if node.player == player:
            if node.key not in chosen:
                settle(node.key)
            return follow(node.children[chosen[node.key]])
        weights = node.odds if node.player == CHANCE else strategy[node.key]
        return sum(weights[a] * follow(child) for a, child in node.children.items())

    return {root.node: follow(root.node) for root in subgame.roots}


# --- regret minimisation ------------------------------------------------------------------------


class Cfr:
    """CFR or, with `plus`, CFR+ over some infosets, in the order of `naive.Cfr`.

    Iteration t adds the strategies with which it begins to the averages, of both players, times
    own reach and weight (1, with `plus` t). Alternating updates then change player 0, and player 1
    against the new player 0; otherwise both answer the strategies with which it began. `plus`
    floors regrets at 0. Without a positive regret play is uniform.

    Whoever inherits says what the infosets are (`actions`), what own reach is (`own_reach`) and
    what actions are worth (`action_values`).

    `tie_breaker(key)` is that of `naive.Cfr`: it gives the regrets to go by where all are 0 but
    for rounding.
    """

    def __init__(self, actions, *, plus, alternating, tie_breaker=None):
        self.plus = plus
        self.alternating = alternating
        self.tie_breaker = tie_breaker
        self.t = 0
        self.strategy = {key: dict.fromkeys(of, 1 / len(of)) for key, of in actions.items()}
        self.regrets = {key: dict.fromkeys(of, 0.0) for key, of in actions.items()}
        self.averages = {key: dict.fromkeys(of, 0.0) for key, of in actions.items()}

    @property
    def weight(self):
        """The weight of this iteration in all averages."""
        return self.t if self.plus else 1

    def iterate(self):
        self.t += 1
        old = dict(self.strategy)
        if self.alternating:
            for player in (0, 1):
                self.prepare((player,), self.strategy)
                self._add_to_average(player, old)
                self.strategy.update(self._new_strategy(player, self.strategy))
        else:
            self.prepare((0, 1), old)
            for player in (0, 1):
                self._add_to_average(player, old)
                self.strategy.update(self._new_strategy(player, old))

    def prepare(self, players, strategy):
        """What has to be known before these players are updated against a strategy."""

    def _add_to_average(self, player, strategy):
        for key, pi in self.own_reach(player, strategy).items():
            for action, probability in strategy[key].items():
                self.averages[key][action] += self.weight * pi * probability

    def _new_strategy(self, player, strategy):
        new = {}
        for key, values in self.action_values(player, strategy).items():
            value = sum(strategy[key][action] * values[action] for action in values)
            for action in values:
                self.regrets[key][action] += values[action] - value
                if self.plus:
                    self.regrets[key][action] = max(self.regrets[key][action], 0.0)
            regrets = self.regrets[key]
            if self.tie_breaker and max(regrets.values()) < naive.TIE:
                regrets = self.tie_breaker(key)
            new[key] = naive.match(regrets)
        return new

    def average_strategy(self):
        """What converges; uniform where the player himself never went."""
        return {key: naive.match(sums) for key, sums in self.averages.items()}


def _actions(infosets):
    return {key: tuple(nodes[0].children) for key, nodes in infosets.items()}


def _action_values(infosets, reach, worth, player):
    """v_i(I, a) = sum over h in I of pi_{-i}(h) u_i(h a)."""
    return {
        key: {
            action: sum(reach[h] * worth[h.children[action]] for h in nodes)
            for action in nodes[0].children
        }
        for key, nodes in infosets.items()
        if key[0] == player
    }


def _own_reach(infosets, reach, player):
    own = {key: nodes for key, nodes in infosets.items() if key[0] == player}
    # With perfect recall all histories of an infoset have the same own reach.
    assert all(abs(reach[h] - reach[nodes[0]]) < 1e-12 for nodes in own.values() for h in nodes)
    return {key: reach[nodes[0]] for key, nodes in own.items()}


# --- one subgame --------------------------------------------------------------------------------


class Offer(NamedTuple):
    """What an action of a first choice leads to: a cell (none: the end), and a payment."""

    cell: tuple | None
    payment: float


@dataclass(frozen=True)
class FirstChoice:
    """What a player may choose before the subgame begins: offers by infoset and action."""

    player: int
    offers: dict[tuple[int, tuple], dict[object, Offer]]

    def entry(self, strategy):
        """The probability with which the chooser enters each of his cells."""
        return {
            offer.cell: strategy[key][action]
            for key, offers in self.offers.items()
            for action, offer in offers.items()
            if offer.cell is not None
        }

    def payment(self, strategy):
        """What the chooser is paid before the subgame, on average."""
        return sum(
            strategy[key][action] * offer.payment
            for key, offers in self.offers.items()
            for action, offer in offers.items()
        )


class SubgameCfr(Cfr):
    """CFR in one subgame: every root has a weight in the values of each player.

    `weights[i][root]` is what stands for pi_{-i}(r) in the values of player i. With a
    `first_choice` the chooser may not enter all cells; that he enters one is his own reach, and
    it is the opponent's weight of its roots.
    """

    def __init__(self, subgame, weights, first_choice=None, *, plus, alternating, tie_breaker):
        self.subgame = subgame
        self.weights = weights
        self.first_choice = first_choice
        actions = {}
        if first_choice:
            actions = {key: tuple(offers) for key, offers in first_choice.offers.items()}
        actions |= _actions(subgame.infosets)
        super().__init__(actions, plus=plus, alternating=alternating, tie_breaker=tie_breaker)

    def _entries(self, strategy):
        """The probability that the chooser enters the subgame by a root, by root."""
        if not self.first_choice:
            return dict.fromkeys(self.subgame.roots, 1.0)
        entry = self.first_choice.entry(strategy)
        chooser = self.first_choice.player
        return {root: entry[root.cell(chooser)] for root in self.subgame.roots}

    def _is_chooser(self, player):
        return self.first_choice is not None and self.first_choice.player == player

    def own_reach(self, player, strategy):
        """Counted from the root: with perfect recall what came before cancels in the average."""
        entries = self._entries(strategy)
        start = {
            root.node: entries[root] if self._is_chooser(player) else 1.0
            for root in self.subgame.roots
        }
        reach = reach_below(start, (), strategy, lambda who: who == player)
        reached = _own_reach(self.subgame.infosets, reach, player)
        if self._is_chooser(player):
            reached |= dict.fromkeys(self.first_choice.offers, 1.0)
        return reached

    def start(self, player, strategy):
        """Reach of everybody but the player at the roots."""
        entries = self._entries(strategy)
        return {
            root.node: self.weights[player][root]
            * (1.0 if self._is_chooser(player) else entries[root])
            for root in self.subgame.roots
        }

    def action_values(self, player, strategy):
        start = self.start(player, strategy)
        reach = reach_below(start, (), strategy, lambda who: who != player)
        worth = utilities(start, {}, strategy, player)
        values = _action_values(self.subgame.infosets, reach, worth, player)
        if self._is_chooser(player):
            values |= self._offer_values(worth)
        return values

    def _offer_values(self, worth):
        """What the offers are worth to the chooser, given what the roots are."""
        chooser = self.first_choice.player
        cells = {
            cell: sum(self.weights[chooser][root] * worth[root.node] for root in roots)
            for cell, roots in self.subgame.cells(chooser).items()
        }
        return {
            key: {
                action: offer.payment + (0.0 if offer.cell is None else cells[offer.cell])
                for action, offer in offers.items()
            }
            for key, offers in self.first_choice.offers.items()
        }

    def best_response(self, player, strategy):
        """What a best response wins in a game with a first choice."""
        start = self.start(player, strategy)
        worth = best_response_utilities(self.subgame, start, strategy, player)
        if self._is_chooser(player):
            return sum(max(values.values()) for values in self._offer_values(worth).values())
        played = sum(pi * worth[node] for node, pi in start.items())
        return played - self.first_choice.payment(strategy)

    def nash_conv(self, strategy):
        """The sum of what both best responses win, in a game with a first choice."""
        return sum(self.best_response(player, strategy) for player in (0, 1))


def unsafe(subgame, strategy, *, plus=False, alternating=True, tie_breaker=None):
    """The subgame with both players' reach fixed at the roots (Ganzfried & Sandholm 2013).

    The regrets of a player count roots by pi_{-i}(r), chance and the opponent: his own reach would
    scale all regrets of an infoset alike, and hide them where it is 0.
    """
    weights = {
        player: {root: root.reach_of_others(player, strategy) for root in subgame.roots}
        for player in (0, 1)
    }
    return SubgameCfr(subgame, weights, plus=plus, alternating=alternating, tie_breaker=tie_breaker)


def gadget(subgame, strategy, player, values, *, plus=False, alternating=True, tie_breaker=None):
    """The paper's re-solving game (Figure 2) for a player p against the values of opponent q.

    In each of his cells q either takes its value ("T") or plays ("F"). Chance brings about a root
    with pi_{-q}(r), which is the part of chance and of p. The paper divides these probabilities by
    their sum k, and multiplies all payoffs by it; every counterfactual value is a sum of products
    of the two, so k cancels and is left out here. T pays k v(I) / (sum of pi_{-q} over I) at each
    root there, and so v(I) in total; here it pays v(I) to the cell.

    p's trunk strategy is played by chance here, so both players' values weigh a root by pi_{-q}(r).
    """
    opponent = 1 - player
    offers = {
        (opponent, cell): {"T": Offer(None, values[cell]), "F": Offer(cell, 0.0)}
        for cell in subgame.cells(opponent)
    }
    return SubgameCfr(
        subgame,
        _weights_for(subgame, strategy, player),
        FirstChoice(opponent, offers),
        plus=plus,
        alternating=alternating,
        tie_breaker=tie_breaker,
    )


def max_margin(
    subgame, strategy, player, values, *, plus=False, alternating=True, tie_breaker=None
):
    """The game in which player p makes the smallest margin large (Moravcik et al. 2016).

    The margin of a cell I of the opponent q is v(I) less the value of I against p's new strategy.
    q first chooses a cell, in the order of the first roots; then the roots of it come with
    pi_{-q}(r), and he wins his unnormalised counterfactual value less v(I).
    """
    opponent = 1 - player
    offers = {cell: Offer(cell, -values[cell]) for cell in subgame.cells(opponent)}
    return SubgameCfr(
        subgame,
        _weights_for(subgame, strategy, player),
        FirstChoice(opponent, {(opponent, CHOICE): offers}),
        plus=plus,
        alternating=alternating,
        tie_breaker=tie_breaker,
    )


def _weights_for(subgame, strategy, player):
    """pi_{-q}(r) for both players, q being the opponent of the player who re-solves."""
    weights = {root: root.reach_of_others(1 - player, strategy) for root in subgame.roots}
    return {0: weights, 1: weights}


def averages_of(cfr, iterations):
    """The average strategies after each of some iterations."""
    averages = []
    for _ in range(iterations):
        cfr.iterate()
        averages.append(cfr.average_strategy())
    return averages


def unsafe_cfr(subgame, strategy, iterations, **options):
    """The average strategies in the subgame of `unsafe` after each iteration."""
    return averages_of(unsafe(subgame, strategy, **options), iterations)


def gadget_cfr(subgame, strategy, player, values, iterations, **options):
    """The average strategies in the re-solving game of `gadget` after each iteration."""
    return averages_of(gadget(subgame, strategy, player, values, **options), iterations)


def max_margin_cfr(subgame, strategy, player, values, iterations, **options):
    """The average strategies in the game of `max_margin` after each iteration."""
    return averages_of(max_margin(subgame, strategy, player, values, **options), iterations)


# --- putting strategies together ----------------------------------------------------------------


def replaced(strategy, subgame, player, new):
    """The strategy with what is new for a player in a subgame."""
    keys = [key for key in subgame.infosets if key[0] == player]
    return {**strategy, **{key: new[key] for key in keys}}


def resolved(parts, strategy, values, iterations, method=gadget, **options):
    """A strategy of the whole game: both players re-solved in all subgames.

    `values[number][player]` are those of the cells of a player in a subgame. Of `strategy` only
    the trunk is read.
    """
    combined = dict(strategy)
    for number, subgame in enumerate(parts.subgames):
        for player in (0, 1):
            cfr = method(subgame, strategy, player, values[number][1 - player], **options)
            for _ in range(iterations):
                cfr.iterate()
            combined = replaced(combined, subgame, player, cfr.average_strategy())
    return combined


def unsafely_resolved(parts, strategy, iterations, **options):
    """A strategy of the whole game: all subgames solved anew with the reach of the trunk."""
    combined = dict(strategy)
    for subgame in parts.subgames:
        cfr = unsafe(subgame, strategy, **options)
        for _ in range(iterations):
            cfr.iterate()
        combined |= cfr.average_strategy()
    return combined


# --- CFR-D --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CfrDResult:
    """What CFR-D keeps: the trunk's average strategy, and average values of cells.

    `values[number][player]` are those of the cells of a player in a subgame.
    """

    strategy: dict
    values: list[dict[int, dict[tuple, float]]] = field(repr=False)


class CfrD(Cfr):
    """CFR in the trunk, with every subgame solved from scratch whenever values are needed.

    A subgame is solved by `subgame_iterations` of `unsafe`, with the reach of the trunk's current
    strategies, or by `solve(subgame, strategy)`; either gives strategies for it, by default the
    averages of that solve. What they are worth at the roots are the leaf values of the trunk.

    With simultaneous updates, all subgames are solved once an iteration. With alternating ones
    they are solved before the update of each player, for player 1 with the new player 0.

    The values that are kept for a player's cells are those that his update was made from; they are
    averaged over iterations with the weights of the trunk's average, 1 or (`plus`) t. They are
    counterfactual, so his own reach has no part in them.
    """

    def __init__(
        self,
        parts,
        subgame_iterations,
        *,
        plus=False,
        alternating=False,
        subgame_plus=False,
        subgame_alternating=True,
        solve=None,
        tie_breaker=None,
    ):
        super().__init__(
            _actions(parts.trunk), plus=plus, alternating=alternating, tie_breaker=tie_breaker
        )
        self.parts = parts
        self.subgame_iterations = subgame_iterations
        self.subgame_options = {"plus": subgame_plus, "alternating": subgame_alternating}
        self.solve = solve or self.solve_by_cfr
        self.leaves = {}
        self.total_weight = 0
        self.sums = [
            {player: dict.fromkeys(subgame.cells(player), 0.0) for player in (0, 1)}
            for subgame in parts.subgames
        ]

    def solve_by_cfr(self, subgame, strategy):
        cfr = unsafe(subgame, strategy, **self.subgame_options)
        for _ in range(self.subgame_iterations):
            cfr.iterate()
        return cfr.average_strategy()

    def iterate(self):
        super().iterate()
        self.total_weight += self.weight

    def prepare(self, players, strategy):
        """Solve all subgames; keep what the players' cells are worth."""
        for subgame, sums in zip(self.parts.subgames, self.sums, strict=True):
            whole = {**strategy, **self.solve(subgame, strategy)}
            tops = [root.node for root in subgame.roots]
            worth = utilities(tops, {}, whole, 0)
            self.leaves |= {top: worth[top] for top in tops}
            for player in players:
                for cell, value in counterfactual_values(subgame, whole, player).items():
                    sums[player][cell] += self.weight * value

    def own_reach(self, player, strategy):
        reach = self._reach(strategy, lambda who: who == player)
        return _own_reach(self.parts.trunk, reach, player)

    def action_values(self, player, strategy):
        reach = self._reach(strategy, lambda who: who != player)
        worth = utilities([self.parts.histories.root], self.leaves, strategy, player)
        return _action_values(self.parts.trunk, reach, worth, player)

    def _reach(self, strategy, counts):
        return reach_below({self.parts.histories.root: 1.0}, self.leaves, strategy, counts)

    def average_values(self):
        return [
            {
                player: {cell: total / self.total_weight for cell, total in cells.items()}
                for player, cells in sums.items()
            }
            for sums in self.sums
        ]

    def result(self):
        return CfrDResult(self.average_strategy(), self.average_values())


def cfr_d(parts, iterations, subgame_iterations, **options):
    """What CFR-D keeps after each trunk iteration."""
    cfr = CfrD(parts, subgame_iterations, **options)
    results = []
    for _ in range(iterations):
        cfr.iterate()
        results.append(cfr.result())
    return results
