"""A slow and obvious twin of everything in `infoset.solvers` and `infoset.evaluation`.

Written from the papers, over histories and with dictionaries; of the package it knows only the
rules of games. It must stay that way: its worth is that it shares no idea with the fast code
(no sequences, no plans, no matrix). A strategy is ``{(player, infoset): {action: probability}}``.

Every quantity is built from two definitions of Zinkevich et al. (2007):

- the reach of a history by everybody but one player, pi_{-i}(h), a product along the history;
- the utility u_i(h) of a history, an average over what follows it;

and the counterfactual value of an action is v_i(I, a) = sum over h in I of pi_{-i}(h) u_i(h a).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from infoset.games import CHANCE, TERMINAL

# --- the game, read once ------------------------------------------------------------------------


@dataclass(eq=False)
class Node:
    """A history."""

    player: int
    key: tuple[int, str] | None = None
    children: dict[str, Node] = field(default_factory=dict)
    odds: dict[str, float] = field(default_factory=dict)
    payoff: float = 0.0


class Histories:
    """All histories of a game; infosets as lists of the histories they hold."""

    def __init__(self, game):
        self.infosets: dict[tuple[int, str], list[Node]] = {}
        self.root = self._read(game.root())

    def _read(self, state):
        if state.player == TERMINAL:
            return Node(TERMINAL, payoff=float(state.payoff))
        if state.player == CHANCE:
            outcomes = list(state.chance)
            children = {label: self._read(state.child(label)) for label, _ in outcomes}
            odds = {label: float(p) for label, p in outcomes}
            return Node(CHANCE, None, children, odds)
        node = Node(state.player, (state.player, state.infoset))
        self.infosets.setdefault(node.key, []).append(node)
        node.children = {action: self._read(state.child(action)) for action in state.actions}
        return node

    def actions(self, key):
        return list(self.infosets[key][0].children)

    def uniform(self):
        return {
            key: dict.fromkeys(self.actions(key), 1 / len(self.actions(key)))
            for key in self.infosets
        }


# --- reach and utility --------------------------------------------------------------------------


def reach_of_others(histories, strategy, player):
    """pi_{-i}(h) for every history: what chance and the opponent do to bring it about."""
    reach = {}

    def walk(node, pi):
        reach[node] = pi
        for label, child in node.children.items():
            if node.player == CHANCE:
                walk(child, pi * node.odds[label])
            elif node.player == player:
                walk(child, pi)
            else:
                walk(child, pi * strategy[node.key][label])

    walk(histories.root, 1.0)
    return reach


def own_reach(histories, strategy, player):
    """pi_i(I) for every infoset of a player: what he does himself to get there."""
    reach = {}

    def walk(node, pi):
        if node.player == player:
            # With perfect recall all histories of an infoset have the same own reach.
            assert abs(reach.setdefault(node.key, pi) - pi) < 1e-12
        for label, child in node.children.items():
            walk(child, pi * strategy[node.key][label] if node.player == player else pi)

    walk(histories.root, 1.0)
    return reach


def utility(node, strategy, player):
    """u_i(h): what a player wins on average once a history has happened."""
    if node.player == TERMINAL:
        return node.payoff if player == 0 else -node.payoff
    weights = node.odds if node.player == CHANCE else strategy[node.key]
    return sum(weights[a] * utility(child, strategy, player) for a, child in node.children.items())


def expected_value(histories, strategy):
    """What player 0 wins on average."""
    return utility(histories.root, strategy, 0)


# --- best response ------------------------------------------------------------------------------


def best_response(histories, strategy, player):
    """The value of a best response, the actions it takes, and its counterfactual values.

    An infoset is settled when somebody below it is first asked for its utility: the action with
    the largest counterfactual value there, all that follows being settled in the same way.
    """
    reach = reach_of_others(histories, strategy, player)
    chosen, worth = {}, {}

    def settle(key):
        values = {
            action: sum(reach[h] * follow(h.children[action]) for h in histories.infosets[key])
            for action in histories.actions(key)
        }
        chosen[key] = max(values, key=values.__getitem__)
        worth[key] = values[chosen[key]]

    def follow(node):
        if node.player == TERMINAL:
            return node.payoff if player == 0 else -node.payoff
        if node.player == player:
            if node.key not in chosen:
                settle(node.key)
            return follow(node.children[chosen[node.key]])
        weights = node.odds if node.player == CHANCE else strategy[node.key]
        return sum(weights[a] * follow(child) for a, child in node.children.items())

    value = follow(histories.root)
    # Those that the best response itself avoids are settled too: a counterfactual best response.
    for key in histories.infosets:
        if key[0] == player and key not in chosen:
            settle(key)
    return value, chosen, worth


def exploitability(histories, strategy):
    """NashConv / 2: the sum of what both best responses win, halved."""
    return sum(best_response(histories, strategy, player)[0] for player in (0, 1)) / 2


def best_pure_value(histories, strategy, player):
    """The most that any pure strategy of a player wins, by trying every single one."""
    keys = [key for key in histories.infosets if key[0] == player]
    best = None
    for choice in itertools.product(*(histories.actions(key) for key in keys)):
        pure = dict(strategy)
        for key, taken in zip(keys, choice, strict=True):
            pure[key] = {action: float(action == taken) for action in histories.actions(key)}
        value = utility(histories.root, pure, player)
        best = value if best is None else max(best, value)
    return best


# --- regret minimisation ------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """The numbers of one iteration, as a schedule gives them."""

    keep_positive: float
    keep_negative: float
    keep_positive_next: float
    floor: float
    decay: float
    weight: float


TIE = 1e-13
"""Regrets this small are rounding errors of regrets that cancel."""


def match(regrets):
    """Regret matching: in proportion to positive regret, uniform if there is none (Eq. 4)."""
    positive = {action: max(regret, 0.0) for action, regret in regrets.items()}
    total = sum(positive.values())
    if total > 0:
        return {action: regret / total for action, regret in positive.items()}
    return dict.fromkeys(regrets, 1 / len(regrets))


def hedge(regrets, sharpness):
    """Exponential weights (Freund & Schapire 1997), the largest of them 1."""
    largest = max(regrets.values())
    weights = {action: math.exp(sharpness * (r - largest)) for action, r in regrets.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


class Cfr:
    """Counterfactual regret minimisation and its relatives, one infoset after the other.

    `regrets` are R(I, a), `gains` the r(I, a) added last, `averages` sums of weighted own reach
    times strategy, `strategy` is what is played in the next iteration.

    Where regrets cancel to nothing, rounding alone decides between uniform play and one action,
    and whoever adds in another order decides otherwise. `tie_breaker(key)`, if given, is asked
    there, and answers with the regrets and gains of the program that this one is compared with.

    A local rule other than regret matching is two functions: `strategy_of(regrets, t)`, what is
    played in iteration t, and `update(regret, gain, step)`, the regret after an iteration.
    """

    def __init__(
        self,
        game,
        *,
        alternating,
        instant,
        predictive,
        tie_breaker=None,
        strategy_of=None,
        update=None,
    ):
        self.histories = game if isinstance(game, Histories) else Histories(game)
        self.alternating = alternating
        self.instant = instant
        self.predictive = predictive
        self.tie_breaker = tie_breaker
        self.strategy_of = strategy_of or (lambda regrets, t: match(regrets))
        self.update = update or self._discounted
        self.t = 0
        self.strategy = self.histories.uniform()
        self.regrets = self._zeros()
        self.gains = self._zeros()
        self.averages = self._zeros()

    def _zeros(self):
        return {
            key: dict.fromkeys(self.histories.actions(key), 0.0) for key in self.histories.infosets
        }

    def iterate(self, step):
        """One iteration: both players against the last strategies, or one after the other."""
        self.t += 1
        old = dict(self.strategy)
        if self.alternating:
            for player in (0, 1):
                self._add_to_average(player, old, step)
                self.strategy.update(self._new_strategy(player, dict(self.strategy), step))
        else:
            updates = []
            for player in (0, 1):
                self._add_to_average(player, old, step)
                updates.append(self._new_strategy(player, old, step))
            for update in updates:
                self.strategy.update(update)

    def _add_to_average(self, player, strategy, step):
        """The average is weighted by own reach (Li et al. 2019, Eq. 6)."""
        reach = own_reach(self.histories, strategy, player)
        for key, pi in reach.items():
            for action, probability in strategy[key].items():
                self.averages[key][action] *= step.decay
                self.averages[key][action] += step.weight * pi * probability

    def _new_strategy(self, player, strategy, step):
        """Update the regrets of one player's infosets, deepest first; return what he plays next.

        What an infoset passes up is its value under the old strategy in CFR; with instant updates
        (Li et al. 2019) it is its value under the new one: Eq. 1 to 3 give the regrets, Eq. 4 the
        new strategy, Eq. 5 the value. The old reach of the opponent is used throughout.
        """
        reach = reach_of_others(self.histories, strategy, player)
        passed_up = strategy if not self.instant else dict(strategy)
        new = {}
        worth = {}

        def settle(key):
            histories = self.histories.infosets[key]
            values = {
                action: sum(reach[h] * follow(h.children[action]) for h in histories)
                for action in self.histories.actions(key)
            }
            value = sum(strategy[key][action] * values[action] for action in values)
            self.gains[key] = {action: values[action] - value for action in values}
            self.regrets[key] = {
                action: self.update(old, self.gains[key][action], step)
                for action, old in self.regrets[key].items()
            }
            new[key] = self._matched(key, step)
            if self.instant:
                passed_up[key] = new[key]

        def follow(node):
            """u_i(h), with everything of the player below it settled."""
            if node not in worth:
                if node.player == TERMINAL:
                    worth[node] = node.payoff if player == 0 else -node.payoff
                else:
                    if node.player == player and node.key not in new:
                        settle(node.key)
                    weights = node.odds if node.player == CHANCE else passed_up[node.key]
                    worth[node] = sum(weights[a] * follow(h) for a, h in node.children.items())
            return worth[node]

        follow(self.histories.root)
        return new

    @staticmethod
    def _discounted(regret, gain, step):
        keep = step.keep_positive if regret > 0 else step.keep_negative
        return max(regret * keep + gain, step.floor)

    def _matched(self, key, step):
        expected = self._expected_next(self.regrets[key], self.gains[key], step)
        if self.tie_breaker and max(expected.values()) < TIE:
            expected = self._expected_next(*self.tie_breaker(key), step)
        return self.strategy_of(expected, self.t + 1)

    def _expected_next(self, regrets, gains, step):
        """Predictive: as if the last regrets came once more, after the next discount (Xu 2024)."""
        if not self.predictive:
            return regrets
        return {a: regrets[a] * step.keep_positive_next + gains[a] for a in regrets}

    def average_strategy(self):
        """What converges; uniform where the player himself never went."""
        return {key: match(sums) for key, sums in self.averages.items()}


def counterfactual_regrets(histories, strategy):
    """r(I, a) = v(I, a) - v(I) under a strategy, for both players."""
    out = {}
    for player in (0, 1):
        reach = reach_of_others(histories, strategy, player)
        for key, nodes in histories.infosets.items():
            if key[0] != player:
                continue
            values = {
                action: sum(reach[h] * utility(h.children[action], strategy, player) for h in nodes)
                for action in histories.actions(key)
            }
            value = sum(strategy[key][action] * values[action] for action in values)
            out[key] = {action: values[action] - value for action in values}
    return out
