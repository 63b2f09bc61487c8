"""Slow and obvious twins of regret-based pruning (Brown & Sandholm 2015, 2017).

Written from the papers, over histories and with dictionaries; of the package they know only the
rules of games. They are the specification of the fast solver, so every choice is written down.

Words
-----
A *sequence* of a player is a pair ``(infoset, action)``; the sequence of a history is the last one
of his on its path, None before his first. A *plan* is the own reach of every sequence, 1 at None.
With the opponent's plan q and the probability c(h) of chance:

- reach(I, q)   = sum over h in I of c(h) q(opponent's sequence at h), the paper's pi_{-i}(I);
- v(I, a)       = the payoffs c(z) q(z) u_i(z) of the terminals whose own sequence is (I, a), plus
                  v(I') of the infosets I' whose parent sequence is (I, a)               (Eq. 2);
- v(I)          = sum over a of sigma(I, a) v(I, a)                                      (Eq. 1),
                  or the maximum over a in a *counterfactual best response*: CBV.

All three are linear in q, so a weighted sum Q = sum of w_t q_t may stand for q, and v(I, a) is then
the sum over iterations: W NBV(I, a), with W = Q(None) the sum of the weights. Q holds what the
player was *faced* with: sigma_1^t for player 0, and for player 1, who answers, sigma_0^(t+1).
(Player 0's Q is what player 1 adds to his average; player 1's is that of player 0 shifted by one
iteration. With the average instead, Theorem 1 would hold up to the first and last iteration only.)

U(I, a) and L(I) are the largest and smallest own payoff at a terminal below (I, a) and below I,
among terminals that chance reaches with positive probability.

An iteration
------------
``t += 1``; then for player 0, then for player 1, who faces the new strategy of player 0:

1. the average: ``averages[s] += weight(t) * plan[s]``, with what he played so far;
   weight(t) is 1 in CFR and t in CFR+;
2. the walk: v(I, a) and v(I) against the opponent's plan q, at every infoset that is *awake*, i.e.
   has no pruned action on its path. Pruned actions are not entered (their probability is 0);
3. regrets of actions that are not pruned: R + v(I, a) - v(I), with a floor of 0 in CFR+
   (interval with CFR+: see `Interval`);
4. what pruning keeps: Q, sums, bounds; then spans that end; then spans that start; then dropping;
5. matching: at every awake infoset, in proportion to positive regret over the actions that are
   not pruned, uniform over them if no regret is positive. A pruned action has probability 0.

Ties. "Negative" means less than ``-tie(I)``, tie(I) = 1e-9 reach(I, Q) (U(I) - L(I)), so that
rounding never decides. A bound that is not negative ends its span; regrets start one only if
negative. At an infoset that no faced strategy reaches, nothing is negative and nothing starts.

`slack`: a span starts (or goes on at its end) only if its bound would stay negative for that many
more iterations at the reach of the average: bound + (W(t + slack) / W(t) - 1) reach(I, Q)
(U(I, a) - L(I)) is negative, where W(t) is the sum of the first t weights of Q.

One action at least stays: if all actions of an infoset that are not pruned qualify, the one with
the largest bound stays, the first of them if several have it.

Nodes touched
-------------
A walk visits a history if the opponent's plan there is not 0 and none of the player's own actions
on its path is pruned, and a walk of a branch (I, a) visits those from h a on, h in I. Every visited
history counts 1, in every walk: updates, best responses, traversals that make up for a span.

Space
-----
`space()` counts actions: those with a regret, which is every action of an awake infoset (a pruned
one there holds its bound instead), and those with an average, which is every action not dropped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import naive
from infoset.games import CHANCE, TERMINAL

TIE = 1e-9
"""What share of the largest possible regret is taken for a rounding error."""


class Family:
    """Who comes from whom: sequences of histories, infosets below sequences, payoff bounds."""

    def __init__(self, histories):
        self.chance = {}  # history -> c(h)
        self.last = {}  # history -> the sequences of both players
        self.parent = {}  # infoset -> the sequence that leads to it
        self.children = {}  # sequence -> the infosets that come next
        self.actions = {key: histories.actions(key) for key in histories.infosets}
        self.bounds = {}  # infoset or sequence -> smallest and largest own payoff below it
        self._enter(histories.root, 1.0, (None, None))

    def _enter(self, node, c, last):
        self.chance[node], self.last[node] = c, last
        if node.player == TERMINAL:
            if c > 0:
                self._bound_above(last[0], node.payoff)
                self._bound_above(last[1], -node.payoff)
            return
        key = node.key
        if key is not None and key not in self.parent:
            self.parent[key] = last[node.player]
            self.children.setdefault(last[node.player], []).append(key)
        for label, child in node.children.items():
            if node.player == CHANCE:
                self._enter(child, c * node.odds[label], last)
            else:
                after = ((key, label), last[1]) if node.player == 0 else (last[0], (key, label))
                self._enter(child, c, after)

    def _bound_above(self, sequence, payoff):
        while sequence is not None:
            for place in (sequence, sequence[0]):
                low, high = self.bounds.get(place, (math.inf, -math.inf))
                self.bounds[place] = min(low, payoff), max(high, payoff)
            sequence = self.parent[sequence[0]]

    def low(self, key):
        return self.bounds.get(key, (0.0, 0.0))[0]

    def high(self, place):
        return self.bounds.get(place, (0.0, 0.0))[1]

    def above(self, key):
        """The player's own sequences on the path to an infoset."""
        while (sequence := self.parent[key]) is not None:
            yield sequence
            key = sequence[0]

    def below(self, sequence):
        """D(I, a): all infosets of the player after a sequence, top-down."""
        for key in self.children.get(sequence, ()):
            yield key
            for action in self.actions[key]:
                yield from self.below((key, action))


@dataclass
class Values:
    """What a bottom-up pass found: v(I, a), v(I) and reach(I), by infoset."""

    actions: dict = field(default_factory=dict)
    infoset: dict = field(default_factory=dict)
    reach: dict = field(default_factory=dict)


class Plain:
    """CFR and CFR+ (`plus`), unpruned or with `partial` pruning; the base of all twins.

    Partial pruning skips histories that the opponent does not reach. What is left out are zeros,
    so nothing changes but the number of nodes. Without it (`partial=False`) all are visited.
    """

    def __init__(self, game, *, plus=False, partial=True, tie_breaker=None):
        self.histories = game if isinstance(game, naive.Histories) else naive.Histories(game)
        self.family = Family(self.histories)
        self.actions = self.family.actions
        self.plus = plus
        self.partial = partial
        self.tie_breaker = tie_breaker
        self.t = 0
        self.nodes_touched = 0
        self.strategy = self.histories.uniform()
        self.regrets = {key: dict.fromkeys(actions, 0.0) for key, actions in self.actions.items()}
        self.averages = {(key, a): 0.0 for key, actions in self.actions.items() for a in actions}
        self.pruned = {}  # (I, a) -> what its span keeps; never one below another

    # --- an iteration ---------------------------------------------------------------------------

    def weight(self, t):
        """w_t in the average: 1 in CFR, t in CFR+."""
        return t if self.plus else 1

    def iterate(self):
        """One iteration: player 0, then player 1 against the new strategy of player 0."""
        self.t += 1
        for player in (0, 1):
            for sequence, reach in self.plan(player).items():
                if sequence is not None:
                    self.averages[sequence] += self.weight(self.t) * reach
            plan = self.plan(1 - player)
            values = Values()
            self._value_after(player, plan, [self.histories.root], self._mean, values)
            for key in values.actions:
                self._add_regrets(key, values)
            self._prune(player, plan, values)
            for key in self.infosets_of(player):
                if self.is_awake(key):
                    self.strategy[key] = self._matched(key)

    def plan(self, player):
        """The own reach of every sequence; of those after a pruned action it is 0."""
        plan = {None: 1.0}
        for key in self.infosets_of(player):
            for action in self.actions[key]:
                before = plan[self.family.parent[key]]
                plan[key, action] = before * self.strategy[key][action] if before > 0 else 0.0
        return plan

    def _add_regrets(self, key, values):
        for action in self.awake_actions(key):
            gain = values.actions[key][action] - values.infoset[key]
            self.regrets[key][action] = self._added(self.regrets[key][action], gain)

    def _added(self, regret, gain):
        return max(regret + gain, 0.0) if self.plus else regret + gain

    def _prune(self, player, plan, values):
        """Step 4; nothing to do here."""

    def _matched(self, key):
        awake = self.awake_actions(key)
        regrets = {action: self.regrets[key][action] for action in awake}
        if self.tie_breaker and max(regrets.values()) < naive.TIE:
            regrets = {action: self.tie_breaker(key)[action] for action in awake}
        return dict.fromkeys(self.actions[key], 0.0) | naive.match(regrets)

    # --- infosets -------------------------------------------------------------------------------

    def infosets_of(self, player):
        """A player's infosets, top-down."""
        return [key for key in self.actions if key[0] == player]

    def is_awake(self, key):
        return not any(sequence in self.pruned for sequence in self.family.above(key))

    def awake_actions(self, key):
        return [action for action in self.actions[key] if (key, action) not in self.pruned]

    def reach(self, key, plan):
        """pi_{-i}(I)."""
        opponent = 1 - key[0]
        return sum(
            self.family.chance[h] * plan[self.family.last[h][opponent]]
            for h in self.histories.infosets[key]
        )

    # --- counterfactual values ------------------------------------------------------------------

    def _value_after(self, player, plan, starts, value_of, values):
        """The value of what follows some histories; writes those of the infosets on the way.

        `value_of(key, values of its actions)` makes v(I) of all v(I, a).
        """
        total, met = 0.0, {}
        for start in starts:
            total += self._until_his_turn(player, plan, start, met)
        for key, reached in met.items():
            values.actions[key] = {
                action: self._value_after(
                    player, plan, [h.children[action] for h in reached], value_of, values
                )
                for action in self.awake_actions(key)
            }
            values.infoset[key] = value_of(key, values.actions[key])
            values.reach[key] = self.reach(key, plan)
            total += values.infoset[key]
        return total

    def _until_his_turn(self, player, plan, node, met):
        """The payoffs that come before the player moves again; collects where he does."""
        reach = self.family.chance[node] * plan[self.family.last[node][1 - player]]
        if self.partial and plan[self.family.last[node][1 - player]] == 0:
            return 0.0
        self.nodes_touched += 1
        if node.player == TERMINAL:
            return reach * (node.payoff if player == 0 else -node.payoff)
        if node.player == player:
            met.setdefault(node.key, []).append(node)
            return 0.0
        return sum(
            self._until_his_turn(player, plan, child, met) for child in node.children.values()
        )

    def _mean(self, key, values):
        return sum(self.strategy[key][action] * value for action, value in values.items())

    # --- results --------------------------------------------------------------------------------

    def average_strategy(self):
        """What converges; uniform where the player himself never went."""
        return {
            key: naive.match({action: self.averages[key, action] for action in actions})
            for key, actions in self.actions.items()
        }

    def exploitability(self):
        return naive.exploitability(self.histories, self.average_strategy())

    def space(self):
        """Actions with a regret (or a bound in its place), and actions with an average."""
        return len(self.averages), len(self.averages)


class Faced(Plain):
    """What both forms of regret-based pruning share: Q, and when a bound is negative."""

    def __init__(self, game, *, plus=False, slack=0, tie_breaker=None):
        super().__init__(game, plus=plus, tie_breaker=tie_breaker)
        self.slack = slack
        # Q of each player, over the sequences of his opponent.
        self.faced = [dict.fromkeys(self.plan(1 - player), 0.0) for player in (0, 1)]

    def faced_weight(self, t):
        """w_t in Q."""
        return 1

    def _face(self, player, plan):
        for sequence, reach in plan.items():
            self.faced[player][sequence] += self.faced_weight(self.t) * reach

    def tie(self, key):
        span = self.family.high(key) - self.family.low(key)
        return TIE * self.reach(key, self.faced[key[0]]) * span

    def is_negative(self, key, bound):
        return bound < -self.tie(key)

    def stays_negative(self, key, action, bound):
        """Negative, and for `slack` more iterations at the reach of the average."""
        first, last = self.t + 1, self.t + self.slack
        more = sum(self.faced_weight(t) for t in range(first, last + 1))
        so_far = sum(self.faced_weight(t) for t in range(1, first))
        span = self.family.high((key, action)) - self.family.low(key)
        reach = self.reach(key, self.faced[key[0]])
        return self.is_negative(key, bound + more / so_far * reach * span)

    def all_but_one(self, key, bounds, qualified):
        """The qualified actions, without the best one if no other action would be left."""
        if len(qualified) < len(self.awake_actions(key)):
            return qualified
        best = max(qualified, key=lambda action: bounds[action])
        return [action for action in qualified if action != best]

    def _branch(self, sequence, plan):
        """A best response below (I, a) against a plan: v(I, a), and the values below."""
        key, action = sequence
        opponent = 1 - key[0]
        starts = [
            h.children[action]
            for h in self.histories.infosets[key]
            if plan[self.family.last[h][opponent]] != 0
        ]
        values = Values()
        return self._value_after(key[0], plan, starts, self._best, values), values

    def _best(self, key, values):
        return max(values.values())


@dataclass
class Span:
    """Iterations in which Interval RBP skips an action."""

    bound: float  # the most that the regret can be by now
    owed: float  # sum of v(I) since the start
    before: dict  # Q at the start


class Interval(Faced):
    """Interval RBP (Brown & Sandholm 2015a, as reviewed in 2017).

    Q is unweighted, as regrets are: w_t = 1 in CFR+ too (its average is linear nevertheless).

    Step 4, after the regrets of iteration t:

    a. Q += q. For every pruned (I, a): owed += v(I), bound += reach(I, q) U(I, a) - v(I). This is
       the rule sum v(I, a) + sum reach(I) U(I, a) <= sum v(I) with the actual v(I), which holds at
       least as long as the one with L(I).
    b. Every span whose bound is not negative any more is *made up*: with q' = Q - Q(start), a
       best response below (I, a) against q', as if it had been played in all skipped iterations:
       R(I', a') += v'(I', a') - v'(I') in D(I, a), and R(I, a) += v'(I, a) - owed.
    c. At every awake infoset, top-down, actions with R(I, a) negative (`stays_negative` with slack)
       start a span, all but one at least; bound = R(I, a). Spans below (I, a) are made up first,
       so a branch that is skipped owes nothing from before.

    CFR+: regrets may be negative. One that is and increases first jumps to zero: R = max(R, 0) + r
    if r > 0, else R + r, which plays as CFR+ does. A span's whole increment is one increase, and
    only lifts the regret to zero, or above it by what the sum says: max(R + r, 0) if r > 0.
    """

    def _added(self, regret, gain):
        return max(regret, 0.0) + gain if self.plus and gain > 0 else regret + gain

    def _made_up(self, regret, gain):
        return max(regret + gain, 0.0) if self.plus and gain > 0 else regret + gain

    def _prune(self, player, plan, values):
        self._face(player, plan)
        for (key, action), span in self.pruned.items():
            if key in values.infoset:
                value = values.infoset[key]
                span.owed += value
                span.bound += values.reach[key] * self.family.high((key, action)) - value
        for sequence, span in list(self.pruned.items()):
            if sequence[0][0] == player and not self.is_negative(sequence[0], span.bound):
                self._make_up(sequence)
        for key in self.infosets_of(player):
            if self.is_awake(key):
                self._start(key)

    def _make_up(self, sequence):
        key, action = sequence
        span = self.pruned.pop(sequence)
        missed = {s: q - span.before[s] for s, q in self.faced[key[0]].items()}
        value, values = self._branch(sequence, missed)
        for below in values.actions:
            for a, v in values.actions[below].items():
                gain = v - values.infoset[below]
                self.regrets[below][a] = self._made_up(self.regrets[below][a], gain)
        self.regrets[key][action] = self._made_up(self.regrets[key][action], value - span.owed)

    def _start(self, key):
        regrets = self.regrets[key]
        negative = [a for a in self.awake_actions(key) if self.stays_negative(key, a, regrets[a])]
        for action in self.all_but_one(key, regrets, negative):
            for below in list(self.family.below((key, action))):
                for a in self.actions[below]:
                    if (below, a) in self.pruned:
                        self._make_up((below, a))
            self.pruned[key, action] = Span(regrets[action], 0.0, dict(self.faced[key[0]]))


class Total(Faced):
    """Total RBP (Brown & Sandholm 2017), with exact counterfactual best responses (CBR).

    Q has the weights of the average: w_t = t in CFR+. V(I) = sum of w_t v(I) is kept for every
    awake infoset, and X(I, a) = v_Q(I, a) - V(I), with v_Q of a best response against Q, is the
    T NBV(I, a) - sum v(I) of (5) and (7) (the T that (6) forgets is in Q).

    Step 4, after the regrets of iteration t:

    a. Q += w_t q; V(I) += w_t v(I) at every awake infoset; for every pruned (I, a)
       bound += w_t (reach(I, q) U(I, a) - v(I))                                              (9).
    b. Every span whose bound is not negative any more is *checked*: a best response against Q
       below (I, a). If X(I, a) is negative (`stays_negative` with slack), the span goes on with
       bound = X(I, a). If not, it ends: R(I, a) = X(I, a) / w_t                              (7),
       and in D(I, a) R(I', a') = (v_Q(I', a') - v_Q(I')) / w_t and V(I') = v_Q(I')           (8),
       floored in CFR+ (so all of D(I, a) starts at 0). Then c. for D(I, a), with these v_Q.
       (The span ends *after* an iteration in which regret may have become positive; in that
       iteration itself it could not be positive yet, so playing the action never was right.
       Only that iteration can have made X positive, hence w_t, the weight of its regrets.)
    c. If `every` divides t: for every awake infoset, top-down, the actions of which R(I, a) <=
       tie(I) / w_t are candidates, if two actions or more are not pruned. One pass of best
       responses against Q visits the branches of all candidates, each history once. Pruned actions
       below are not visited: V(I') + bound stands for their v_Q(I', a'). It is no less than it,
       and no more than v_Q(I'), so every v_Q(I') is exact and nothing has to be made up before.
       Candidates of which X(I, a) stays negative (5) start a span, all but one at least;
       bound = X(I, a). All that is held in D(I, a) is forgotten: regrets, V, spans.
    d. With `threshold` C: at every pruned (I, a), top-down, whose average is at most
       C / sqrt(t) of all weights, the averages of (I, a) and below are dropped (set to 0, in the
       opponent's Q too, which could not be held otherwise), as long as the chance-weighted mass
       that the player drops, `dropped_mass`, stays at most `allowed_mass` = C / sqrt(t) in total.
       Both are shares of all weights so far. Exploitability is at most Delta times
       the mass of both players higher for it.
    """

    def __init__(self, game, *, plus=False, slack=0, every=10, threshold=None, tie_breaker=None):
        super().__init__(game, plus=plus, slack=slack, tie_breaker=tie_breaker)
        self.every = every
        self.threshold = threshold
        self.sums = dict.fromkeys(self.actions, 0.0)  # V(I)
        self.dropped = set()
        self._mass = [0.0, 0.0]

    def faced_weight(self, t):
        return self.weight(t)

    def _prune(self, player, plan, values):
        weight = self.faced_weight(self.t)
        self._face(player, plan)
        for key, value in values.infoset.items():
            self.sums[key] += weight * value
            for action in self.actions[key]:
                if (key, action) in self.pruned:
                    high = self.family.high((key, action))
                    self.pruned[key, action] += weight * (values.reach[key] * high - value)
        for sequence, bound in list(self.pruned.items()):
            if sequence[0][0] == player and not self.is_negative(sequence[0], bound):
                self._check(sequence)
        if self.t % self.every == 0:
            self._look_for_starts(player)
        if self.threshold is not None:
            self._drop(player)

    def _check(self, sequence):
        key, action = sequence
        value, values = self._branch(sequence, self.faced[key[0]])
        excess = value - self.sums[key]
        if self.stays_negative(key, action, excess):
            self.pruned[sequence] = excess
            return
        del self.pruned[sequence]
        self.dropped.discard(sequence)
        self._set_regret(key, action, excess)
        for below in self.family.below(sequence):
            self.regrets[below] = {}
            # Where Q does not lead, all values are 0.
            best = values.actions.get(below, dict.fromkeys(self.actions[below], 0.0))
            self.sums[below] = max(best.values())
            for a in self.actions[below]:
                self.dropped.discard((below, a))
                self._set_regret(below, a, best[a] - self.sums[below])
        for below in list(self.family.below(sequence)):
            if below in values.actions:
                self._start(below, values.actions[below])

    def _set_regret(self, key, action, excess):
        regret = excess / self.faced_weight(self.t)
        self.regrets[key][action] = max(regret, 0.0) if self.plus else regret

    def _candidates(self, key):
        """Actions of which (5) may hold; none of a single action that is left."""
        awake = self.awake_actions(key)
        most = self.tie(key) / self.faced_weight(self.t)
        return [a for a in awake if self.regrets[key][a] <= most] if len(awake) > 1 else []

    def _look_for_starts(self, player):
        found = {}
        for key in self.infosets_of(player):
            if not self.is_awake(key):
                continue
            for action in self._candidates(key):
                if action not in found.setdefault(key, {}):
                    value, values = self._branch((key, action), self.faced[player])
                    found[key][action] = value
                    found.update(values.actions)
        for key in self.infosets_of(player):
            if key in found:
                self._start(key, found[key])

    def _best(self, key, values):
        at_most = [
            self.sums[key] + self.pruned[key, action]
            for action in self.actions[key]
            if (key, action) in self.pruned
        ]
        return max([*values.values(), *at_most])

    def _start(self, key, best):
        if not self.is_awake(key):
            return
        excess = {action: value - self.sums[key] for action, value in best.items()}
        qualified = [a for a in self._candidates(key) if self.stays_negative(key, a, excess[a])]
        for action in self.all_but_one(key, excess, qualified):
            self.pruned[key, action] = excess[action]
            for below in self.family.below((key, action)):
                self.regrets.pop(below, None)
                self.sums.pop(below, None)
                for a in self.actions[below]:
                    self.pruned.pop((below, a), None)

    # --- dropping averages ----------------------------------------------------------------------

    def _all_weights(self):
        return sum(self.weight(t) for t in range(1, self.t + 1))

    def allowed_mass(self):
        return self.threshold / math.sqrt(self.t)

    def dropped_mass(self, player):
        """The chance-weighted share of a player's play that is not in his average."""
        return self._mass[player] / self._all_weights()

    def _drop(self, player):
        most = self.allowed_mass() * self._all_weights()
        for key in self.infosets_of(player):
            chance = sum(self.family.chance[h] for h in self.histories.infosets[key])
            for action in self.actions[key]:
                sequence = (key, action)
                average = self.averages[sequence]
                if sequence not in self.pruned or average > most:
                    continue
                if self._mass[player] + chance * average > most:
                    continue
                self._mass[player] += chance * average
                self._drop_average(sequence)
                for below in self.family.below(sequence):
                    for a in self.actions[below]:
                        self._drop_average((below, a))

    def _drop_average(self, sequence):
        self.dropped.add(sequence)
        self.averages[sequence] = 0.0
        self.faced[1 - sequence[0][0]][sequence] = 0.0

    def space(self):
        awake = sum(len(actions) for key, actions in self.actions.items() if self.is_awake(key))
        return awake, len(self.averages) - len(self.dropped)
