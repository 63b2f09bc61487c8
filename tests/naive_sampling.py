"""A slow and obvious twin of the solvers that sample: Monte Carlo CFR.

Written from the papers, like `naive`, over histories and with dictionaries; of the package it
knows only the rules of games. It must stay that way.

Every method samples *blocks* of terminal histories (Lanctot et al. 2009). A block is one walk
from the root on behalf of one player, the traverser i. The walk keeps, for the history h where it
stands, five products (`Reach`), and everything that is added up is made of them:

- regret of an action: pi_-i(h) / q(h) times (sampled value of the action - sampled value of h);
- average: pi(h) / q(h) times strategy, pi being that of the player whose average it is;

q(h) is the probability that the walk comes by h. Chance that is sampled by its own probabilities
stands above and below that line, and is left out of both.

All randomness comes from an oracle ``choose(history, options)``: `history` is the tuple of labels
from the root, `options` are pairs of what may be chosen (a tuple of labels) and its probability.
It is asked wherever there is something to sample, and not where the only option is to take every
label there is. Options of probability zero are not offered.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict
from dataclasses import dataclass, field, replace

import naive
from infoset.games import CHANCE, TERMINAL

# --- oracles ------------------------------------------------------------------------------------


class Random:
    """Chooses by the probabilities."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def __call__(self, history, options):
        labels, odds = zip(*options, strict=True)
        return self.random.choices(labels, odds)[0]


def replay(table):
    """Chooses what stands in ``{history: labels}``."""

    def choose(history, options):
        labels = table[history]
        assert labels in [option for option, _ in options], (history, labels, options)
        return labels

    return choose


def every_outcome(walk):
    """Run ``walk(choose)`` once for every sequence of choices: yields probability and result.

    `walk` must do the same whenever the same is chosen.
    """
    script = []  # for each question: the options not tried yet; the first one is being tried

    def follow(asked):
        def choose(history, options):
            question = next(asked)
            if question == len(script):
                script.append(list(options))
            return script[question][0][0]

        return choose

    while True:
        result = walk(follow(itertools.count()))
        yield math.prod(options[0][1] for options in script), result
        while script and len(script[-1]) == 1:
            script.pop()
        if not script:
            return
        del script[-1][0]


# --- methods: what is sampled where the traverser moves -----------------------------------------


@dataclass(frozen=True)
class Method:
    """How blocks are sampled.

    ``sets(strategy, sums)`` are the sets of actions that may be taken at an infoset of the
    traverser, with their probabilities, given his strategy there and his cumulative average.
    """

    name: str
    sets: object
    samples_opponent: bool = True
    public: bool = False


def _all_actions(strategy, sums):
    return [(tuple(strategy), 1.0)]


def external():
    """All actions of the traverser (Lanctot et al. 2009)."""
    return Method("external", _all_actions)


def robust(k):
    """k actions, all sets of them equally likely (Li et al. 2020, section 4.1)."""

    def sets(strategy, sums):
        some = list(itertools.combinations(strategy, min(k, len(strategy))))
        return [(labels, 1 / len(some)) for labels in some]

    return Method(f"robust({k})", sets)


def outcome(epsilon):
    """One action, by the strategy, now and then by a fair die (Lanctot et al. 2009)."""

    def sets(strategy, sums):
        even = epsilon / len(strategy)
        return [((a,), even + (1 - epsilon) * p) for a, p in strategy.items()]

    return Method(f"outcome({epsilon})", sets)


def average_strategy(epsilon, tau, beta, *, k=None):
    """Each action for itself, the likelier the more it was played so far (Gibson et al. 2012).

    With `k`, epsilon is k / n where there are n actions, so that about k of them are taken.
    """

    def sets(strategy, sums):
        least = epsilon if k is None else min(1.0, k / len(strategy))
        below = beta + sum(sums.values())
        xi = {
            a: min(1.0, max(least, (beta + tau * sums[a]) / below if below else 0.0))
            for a in strategy
        }
        sizes = range(len(strategy) + 1)
        subsets = [taken for size in sizes for taken in itertools.combinations(strategy, size)]
        return [
            (taken, math.prod(xi[a] if a in taken else 1 - xi[a] for a in strategy))
            for taken in subsets
        ]

    return Method(f"average_strategy({epsilon}, {tau}, {beta}, {k})", sets)


def chance():
    """Only chance is sampled (Zinkevich et al. 2007; the essay's Algorithm 1)."""
    return Method("chance", _all_actions, samples_opponent=False)


def public_chance():
    """Only what chance shows to both is sampled (Johanson et al. 2012).

    For games that begin with two hands, where all that chance does later is public. Hands are
    walked in full. An outcome is sampled once for a public state, for all pairs of hands.
    """
    return Method("public_chance", _all_actions, samples_opponent=False, public=True)


# --- a block ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reach:
    """What brought the walk to a history: the players, and how likely the walk was to follow.

    Where the opponent is sampled, `sampled_opponent` equals `opponent`; where all his actions are
    walked it is 1. `chance` is what sampling left to be made up for: 1 where chance is sampled by
    its own probabilities, p / q where by others, p where it is walked in full (q = 1).
    """

    own: float = 1.0
    opponent: float = 1.0
    sampled_own: float = 1.0
    sampled_opponent: float = 1.0
    chance: float = 1.0

    @property
    def weight(self):
        """pi_-i(h) / q(h), of regrets and of the opponent's average."""
        return self.chance * self.opponent / (self.sampled_own * self.sampled_opponent)

    @property
    def own_weight(self):
        """pi_i(h) / q(h), of the traverser's average."""
        return self.chance * self.own / (self.sampled_own * self.sampled_opponent)

    def after(self, **factors):
        return replace(self, **{name: getattr(self, name) * x for name, x in factors.items()})


def _table():
    return defaultdict(lambda: defaultdict(float))


@dataclass
class Block:
    """What one walk finds: regrets, increments of averages, and values of actions taken.

    `values` are (how often the traverser has moved, infoset, action, what player 0 wins there),
    in the order of the walk.
    """

    regrets: dict = field(default_factory=_table)
    averages: dict = field(default_factory=_table)
    values: list = field(default_factory=list)


class _Walk:
    """One block, for one traverser."""

    def __init__(self, solver, traverser, choose):
        self.solver, self.traverser, self.choose = solver, traverser, choose
        self.sign = 1 if traverser == 0 else -1
        self.shown = {}  # outcomes of public chance, by public history
        self.moves = 0  # of the traverser, up to where the walk stands
        self.block = Block()
        self.value(solver.histories.root, (), Reach())

    def ask(self, history, options, labels):
        options = [(taken, p) for taken, p in options if p > 0]
        if len(options) == 1 and options[0][0] == tuple(labels):
            return options[0][0]
        return self.choose(history, options)

    def ask_for_one(self, history, odds):
        (label,) = self.ask(history, [((x,), p) for x, p in odds.items()], odds)
        return label

    def value(self, node, history, reach):
        """The sampled value of a history for the traverser."""
        if node.player == TERMINAL:
            return self.sign * node.payoff
        if node.player == self.traverser:
            return self.at_traverser(node, history, reach)
        if node.player != CHANCE:
            return self.at_opponent(node, history, reach)
        if not self.solver.method.public:
            return self.at_chance(node, history, reach)
        at = self.at_deal if len(history) < 2 else self.at_public_chance
        return at(node, history, reach)

    def at_chance(self, node, history, reach):
        o = self.ask_for_one(history, node.odds)
        return self.value(node.children[o], (*history, o), reach)

    def at_deal(self, node, history, reach):
        return sum(
            p * self.value(node.children[o], (*history, o), reach.after(chance=p))
            for o, p in node.odds.items()
        )

    def at_public_chance(self, node, history, reach):
        public_history = history[2:]
        odds = self.solver.public_odds[public_history]
        if public_history not in self.shown:
            self.shown[public_history] = self.ask_for_one(("public", *public_history), odds)
        o = self.shown[public_history]
        if not node.odds.get(o):
            return 0.0
        weight = node.odds[o] / odds[o]
        return weight * self.value(node.children[o], (*history, o), reach.after(chance=weight))

    def at_opponent(self, node, history, reach):
        strategy, base = self.solver.strategy[node.key], self.base(node)
        if self.solver.averaging == "opponent":
            for a, p in strategy.items():
                self.block.averages[node.key][a] += reach.weight * p
        if not self.solver.method.samples_opponent:
            return sum(
                p * self.value(node.children[a], (*history, a), reach.after(opponent=p))
                for a, p in strategy.items()
            )
        a = self.ask_for_one(history, strategy)
        then = reach.after(opponent=strategy[a], sampled_opponent=strategy[a])
        value = self.value(node.children[a], (*history, a), then)
        self.saw(node, a, value)
        return sum(strategy[x] * base[x] for x in strategy) + value - base[a]

    def at_traverser(self, node, history, reach):
        solver, key = self.solver, node.key
        strategy, base = solver.strategy[key], self.base(node)
        options = solver.method.sets(strategy, solver.averages[key])
        xi = {a: sum(p for labels, p in options if a in labels) for a in strategy}
        taken = self.ask(history, options, strategy)

        worth = dict(base)
        self.moves += 1
        for a in taken:
            then = reach.after(own=strategy[a], sampled_own=xi[a])
            value = self.value(node.children[a], (*history, a), then)
            self.saw(node, a, value)
            worth[a] += (value - base[a]) / xi[a]
        self.moves -= 1
        value = sum(strategy[a] * worth[a] for a in strategy)

        counted = strategy if solver.unsampled == "counted" else taken
        for a in counted:
            self.block.regrets[key][a] += reach.weight * (worth[a] - value)
            if solver.averaging == "stochastic":
                self.block.averages[key][a] += reach.own_weight * strategy[a]
            elif solver.averaging == "biased":
                self.block.averages[key][a] += reach.own * strategy[a]
        return value

    def base(self, node):
        """What the traverser is thought to win by each action; nothing without baselines."""
        return {a: self.sign * x for a, x in self.solver.baselines[node.key].items()}

    def saw(self, node, action, value):
        self.block.values.append((self.moves, node.key, action, self.sign * value))


# --- the solver ---------------------------------------------------------------------------------


def plain(t):
    """Nothing forgotten, nothing floored, all iterations alike."""
    return naive.Step(1.0, 1.0, 1.0, -math.inf, 1.0, 1.0)


class SampledCfr:
    """Monte Carlo CFR with mini-batches of `b` blocks for each player.

    `steps` gives the `naive.Step` of iteration t. `baseline` is the rate at which baselines move
    towards sampled values (Schmid et al. 2019). ``unsampled="left"`` leaves the regrets of actions
    that were not taken alone, as the printed Algorithm 4 does. All tables are public, and may be
    set: ``{(player, infoset): {action: number}}``. `tie_breaker(key)` answers with the regrets of
    the program that this one is compared with, where regrets cancel to nothing: see `naive.Cfr`.

    Strategies, averages and baselines are read as they stand when a player's mini-batch begins,
    and changed when it has ended; if both players move at once, when both have ended. ``decay``
    fades the whole average of a player whenever the mini-batch that adds to it ends.
    """

    def __init__(
        self,
        game,
        method,
        *,
        b=1,
        averaging="opponent",
        baseline=None,
        unsampled="counted",
        alternating=True,
        steps=plain,
        tie_breaker=None,
    ):
        assert averaging in ("opponent", "stochastic", "biased")
        assert unsampled in ("counted", "left")
        assert baseline is None or method.samples_opponent
        self.histories = game if isinstance(game, naive.Histories) else naive.Histories(game)
        self.method, self.b, self.averaging = method, b, averaging
        self.baseline, self.unsampled, self.alternating = baseline, unsampled, alternating
        self.steps, self.tie_breaker, self.t = steps, tie_breaker, 0
        self.strategy = self.histories.uniform()
        self.regrets, self.averages, self.baselines = (self._zeros() for _ in range(3))
        self.public_odds = public_odds(self.histories) if method.public else {}

    def _zeros(self):
        return {
            key: dict.fromkeys(self.histories.actions(key), 0.0) for key in self.histories.infosets
        }

    def block(self, traverser, choose):
        """Walk once for a player, and change nothing."""
        return _Walk(self, traverser, choose).block

    def iteration(self, choosers):
        """One mini-batch for each player; ``choosers[player, block]`` are the oracles."""
        self.t += 1
        step = self.steps(self.t)
        for players in ((0,), (1,)) if self.alternating else ((0, 1),):
            found = {
                player: [self.block(player, choosers[player, j]) for j in range(self.b)]
                for player in players
            }
            for player, blocks in found.items():
                owner = 1 - player if self.averaging == "opponent" else player
                self._add_regrets(player, blocks, step)
                self._add_averages(owner, blocks, step)
                self._move_baselines(blocks)
                for key in self._infosets_of(player):
                    self.strategy[key] = self._matched(key)

    def _infosets_of(self, player):
        return [key for key in self.histories.infosets if key[0] == player]

    def _add_regrets(self, player, blocks, step):
        for key in self._infosets_of(player):
            for a, old in self.regrets[key].items():
                gain = sum(block.regrets[key][a] for block in blocks) / self.b
                kept = old * (step.keep_positive if old > 0 else step.keep_negative)
                self.regrets[key][a] = max(kept + gain, step.floor)

    def _add_averages(self, player, blocks, step):
        for key in self._infosets_of(player):
            for a in self.averages[key]:
                more = sum(block.averages[key][a] for block in blocks) / self.b
                self.averages[key][a] = step.decay * self.averages[key][a] + step.weight * more

    def _move_baselines(self, blocks):
        if self.baseline is None:
            return
        for block in blocks:
            # Top-down, by the moves of the traverser; `sorted` leaves histories with as many
            # of them in the order of the walk.
            for _, key, a, value in sorted(block.values, key=lambda seen: seen[0]):
                self.baselines[key][a] += self.baseline * (value - self.baselines[key][a])

    def _matched(self, key):
        if self.tie_breaker and max(self.regrets[key].values()) < naive.TIE:
            return naive.match(self.tie_breaker(key))
        return naive.match(self.regrets[key])

    def average_strategy(self):
        """What converges; uniform where nothing was added."""
        return {key: naive.match(sums) for key, sums in self.averages.items()}


def public_odds(histories):
    """q(o) for every public chance state: the odds of an outcome when no hand is known."""
    worlds = defaultdict(list)

    def walk(node, history, pi):
        if node.player == CHANCE and len(history) >= 2:
            worlds[history[2:]].append((pi, node))
        for label, child in node.children.items():
            walk(child, (*history, label), pi * node.odds.get(label, 1.0))

    walk(histories.root, (), 1.0)
    odds = _table()
    for public_history, pairs in worlds.items():
        total = sum(pi for pi, _ in pairs)
        for pi, node in pairs:
            for o, p in node.odds.items():
                odds[public_history][o] += pi * p / total
    return odds
