"""Slow and obvious twins of the pruning solvers: as `naive_pruning`, but decided at checks.

The words are those of `naive_pruning`. There every pruned action has a bound of its own, which is
looked at in every iteration. Here nothing is decided between two *checks*; what a check decides is
kept until the next one, and an action is left out only if it would stay bad until then by what can
be expected. Written from these rules, over histories and with dictionaries:

Iterations are those of CFR or CFR+ in which only sequences awake exist. After iteration t, if
``every`` divides t, both players check, each from what was known before.

*Faced.* Q is the opponent's average strategy as a plan, times W, the sum of all weights w_1..w_t.
Player 1 answers player 0's new strategy, so for him w_(t+1) times the plan to come is added. V(I)
sums what infosets were worth, with the weight of the plan that was faced: w_t for player 0,
w_(t+1) for player 1, who also counts the first iteration with its first plan (w_1), against which
he is taken to have played his first strategy. One unit is the weight of the last plan in Q.

*Total.* v_Q is a counterfactual best response to Q in the whole game. Top-down, at infosets below
no action asleep: if I was not awake, V(I) = v_Q(I), R(I, a) = v_Q(I, a) - v_Q(I), and all its
actions are awake at first. X(I, a) = v_Q(I, a) - V(I). The *gain* of an action is what X may rise
until the next check: caution * max(reach(I, Q) U(I, a) - V(I), 0) / W * (weights until the next
check), or for infinite caution reach(I) (max(U(I, a), 0) - min(L(I), 0)) * (weights) with the
reach of an opponent who wants to come here; plus drift * |X - X at the last check * W / W then|,
if that is known. An action asleep wakes unless X + gain < -tie; then R = min(X, 0). An action
that was awake, or is new, falls asleep if R <= tie and X + slack * gain < -tie, unless it is the
first of the largest v_Q(I, a) among those awake, or alone.

*Interval.* v is a best response to what was faced since the last check, scaled to as many
iterations as there were, and so is V. Asleep actions of infosets awake get R + v(I, a) - V(I),
all below them R + v(I', a') - v(I'). CFR+: if that gain is above the tie, R is at least zero;
regrets have no floor, but jump to zero before they increase. Then an action is asleep if R + gain
< -tie (times slack if it was awake), unless its regret is the first largest; where nobody has
come, nothing changes. The drift is that of R since the last check, if it rose. Asleep actions
keep their regrets.

*Live* is what is awake at infosets with a terminal at or below them between sequences awake on
both sides; the rest of what is awake is at rest, which makes no difference here. The decision is
taken if an action wakes, or if at most nine tenths of what was live would be live; else nothing
changes. What is asleep keeps its average, and in total forgets its regrets.
"""

from __future__ import annotations

import math

import naive
from infoset.games import TERMINAL
from naive_pruning import TIE, Plain, Values


def first_largest(numbers, actions, tie):
    """The first action whose number none after it exceeds by more than a tie."""
    top = actions[0]
    for a in actions[1:]:
        if numbers[a] > numbers[top] + tie:
            top = a
    return top


class Checked(Plain):
    """What both kinds share."""

    def __init__(
        self, game, *, plus=False, every=10, caution=1.0, drift=0.0, slack=1.0, tie_breaker=None
    ):
        super().__init__(game, plus=plus, tie_breaker=tie_breaker)
        self.every, self.caution, self.drift, self.slack = every, caution, drift, slack
        self.awake = {(key, a) for key, actions in self.actions.items() for a in actions}
        self.live = set(self.awake)
        self.sums = dict.fromkeys(self.actions, 0.0)
        values = Values()
        self._value_after(1, self.plan(0), [self.histories.root], self._mean, values)
        for key, value in values.infoset.items():
            self.sums[key] = self.weight(1) * value
        self.layouts = 0

    # Only sequences awake exist in an iteration.

    def is_awake(self, key):
        return any((key, a) in self.awake for a in self.actions[key])

    def awake_actions(self, key):
        return [a for a in self.actions[key] if (key, a) in self.awake]

    def _until_his_turn(self, player, plan, node, met):
        """As for everybody, but what is asleep is not entered."""
        key = node.key
        if key is not None and key[0] == player and not self.is_awake(key):
            return 0.0
        return super()._until_his_turn(player, plan, node, met)

    def _add_regrets(self, key, values):
        faced = self.t + key[0]
        self.sums[key] += self.weight(faced) * values.infoset[key]
        super()._add_regrets(key, values)

    def iterate(self):
        super().iterate()
        if self.t % self.every == 0:
            self._check()

    def plan(self, player):
        """The own reach of every sequence; of what is asleep it is 0."""
        plan = {None: 1.0}
        for key in self.infosets_of(player):
            for a in self.actions[key]:
                is_awake = (key, a) in self.awake
                plan[key, a] = plan[self.family.parent[key]] * self.strategy[key][a] * is_awake
        return plan

    # Checks.

    def faced(self, player):
        """Q, by sequence of the opponent.

        The plan to come, which player 1 has faced already, is not played if a check then changes
        what is awake; it is not in the average, nor in later Qs.
        """
        average = self.average_strategy()
        plan = {None: sum(self.weight(t) for t in range(1, self.t + 1))}
        for key in self.infosets_of(1 - player):
            for a in self.actions[key]:
                plan[key, a] = plan[self.family.parent[key]] * average[key][a]
        if player == 1:
            now = self.plan(0)
            plan = {s: q + self.weight(self.t + 1) * now[s] for s, q in plan.items()}
        return plan

    def unit(self, player):
        return self.weight(self.t + player)

    def coming(self, player):
        begin = self.t + player + 1
        return sum(self.weight(t) for t in range(begin, begin + self.every))

    def response(self, player, plan):
        """v(I, a) and v(I) of a counterfactual best response in the whole game."""
        awake, partial = self.awake, self.partial
        self.partial = False  # what was faced since a check need not be a plan: see `faced`
        self.awake = {(k, a) for k, actions in self.actions.items() for a in actions}
        values = Values()
        best = lambda key, of: max(of.values())  # noqa: E731
        self._value_after(player, plan, [self.histories.root], best, values)
        self.awake, self.partial = awake, partial
        for key in self.infosets_of(player):
            values.actions.setdefault(key, dict.fromkeys(self.actions[key], 0.0))
            values.infoset.setdefault(key, max(values.actions[key].values()))
            values.reach.setdefault(key, 0.0)
        return values

    def tie(self, key, reach):
        low, high = self.family.bounds.get(key, (0.0, 0.0))
        return TIE * reach * (high - low)

    def is_reached(self, key, reach, weight):
        """Whether the opponent has come to an infoset, but for rounding errors."""
        chance = sum(self.family.chance[h] for h in self.histories.infosets[key])
        return reach > 1e-12 * chance * weight

    def gain(self, key, action, reach, value, weight, coming, change):
        high = self.family.high((key, action))
        if self.caution == math.inf:
            chance = sum(self.family.chance[h] for h in self.histories.infosets[key])
            most = chance * (max(high, 0.0) - min(self.family.low(key), 0.0))
        else:
            most = self.caution * max(reach * high - value, 0.0) / weight
        return most * coming + (self.drift * change if self.drift else 0.0)

    def _check(self):
        awake, woken = {None}, 0
        for player in (0, 1):
            awake_here, woken_here = self._decide(player)
            awake |= awake_here
            woken += woken_here
        live = self._reached(awake)
        if woken or len(live) + 2 <= 0.9 * (len(self.live) + 2):  # the empty sequences, too
            self.layouts += 1
            self._become(awake - {None}, live)

    def _reached(self, awake):
        reached = set()

        def mark(sequence):
            while sequence is not None:
                reached.add(sequence[0])
                sequence = self.family.parent[sequence[0]]

        for node, last in self.family.last.items():
            if node.player == TERMINAL and last[0] in awake and last[1] in awake:
                mark(last[0])
                mark(last[1])
        return {s for s in awake if s is not None and s[0] in reached}

    def _become(self, awake, live):
        self.awake, self.live = awake, live
        for key in self.actions:
            if self.is_awake(key):
                self.strategy[key] = self._matched(key)

    def _awake_below(self, awake, key):
        parent = self.family.parent[key]
        return parent is None or parent in awake


class CheckedTotal(Checked):
    """Total pruning at checks."""

    def __init__(self, game, **options):
        super().__init__(game, **options)
        self.past = {}

    def _decide(self, player):
        q = self.faced(player)
        weight, unit = q[None], self.unit(player)
        values = self.response(player, q)
        awake, woken, past = set(), 0, {}
        self.found = getattr(self, "found", {}) if player else {}
        for key in self.infosets_of(player):
            if not self._awake_below(awake, key):
                continue
            v, reach = values.actions[key], values.reach[key]
            is_new = not self.is_awake(key)
            total = values.infoset[key] if is_new else self.sums[key]
            regrets = dict(self.regrets[key])
            tie = self.tie(key, reach)

            def gain(a, v=v, reach=reach, total=total, key=key):
                change = 0.0
                if self.drift:
                    if (key, a) not in self.past:
                        return math.inf
                    change = abs(v[a] - total - self.past[key, a] * weight)
                coming = self.coming(player)
                return self.gain(key, a, reach, total, weight, coming, change)

            here = []
            for a in self.actions[key]:
                excess = v[a] - total
                if is_new:
                    regrets[a] = max(excess / unit, 0.0) if self.plus else excess / unit
                elif (key, a) not in self.awake:
                    if excess + gain(a) < -tie:
                        continue
                    woken += 1
                    regrets[a] = 0.0 if self.plus else min(excess, 0.0) / unit
                here.append(a)
            top = first_largest(v, here, tie)
            for a in list(here):
                may = (is_new or (key, a) in self.awake) and a != top and regrets[a] <= tie / unit
                if may and v[a] - total + self.slack * gain(a) < -tie:
                    here.remove(a)
            awake |= {(key, a) for a in here}
            self.found[key] = regrets, total
            if not is_new:
                past |= {(key, a): (v[a] - total) / weight for a in self.actions[key]}
        self.past = {s: x for s, x in self.past.items() if s[0][0] != player} | past
        return awake, woken

    def _become(self, awake, live):
        for key in {key for key, _ in awake}:
            self.regrets[key], self.sums[key] = self.found[key]
        super()._become(awake, live)


class CheckedInterval(Checked):
    """Interval pruning at checks."""

    def __init__(self, game, **options):
        super().__init__(game, **options)
        self.checked_at = 0
        self.faced_before = [None, None]
        self.sums_before = dict.fromkeys(self.actions, 0.0)
        self.regrets_before = dict.fromkeys(self.live, 0.0)

    def _added(self, regret, gain):
        is_more = gain > 0 and gain > -1e-9 * regret  # more than rounding
        return max(regret, 0.0) + gain if self.plus and is_more else regret + gain

    def _check(self):
        super()._check()
        self.checked_at = self.t
        self.sums = {key: v if self.is_awake(key) else 0.0 for key, v in self.sums.items()}
        self.sums_before = dict(self.sums)

    def _decide(self, player):
        q = self.faced(player)
        before = self.faced_before[player] or dict.fromkeys(q, 0.0)
        since = {s: q[s] - before[s] for s in q}
        since = {s: x if x >= 1e-12 * q[s] else 0.0 for s, x in since.items()}  # rounding
        self.faced_before[player] = q
        count = self.t - self.checked_at
        scale = count / since[None]
        owed = {
            key: (self.sums[key] - self.sums_before[key] if self.checked_at else self.sums[key])
            * scale
            for key in self.infosets_of(player)
        }
        values = self.response(player, {s: x * scale for s, x in since.items()})
        below = {None: False}
        for key in self.infosets_of(player):
            is_below, held = below[self.family.parent[key]], self.is_awake(key)
            for a in self.actions[key]:
                is_asleep = is_below or (held and (key, a) not in self.awake)
                below[key, a] = is_asleep
                if is_asleep:
                    base = values.infoset[key] if is_below else owed[key]
                    is_reached = self.is_reached(key, values.reach[key], count)
                    gain = (values.actions[key][a] - base) * is_reached
                    regret = self.regrets[key][a]
                    lifted = self.plus and gain > self.tie(key, values.reach[key])
                    self.regrets[key][a] = max(regret + gain, 0.0) if lifted else regret + gain
        awake, woken = set(), 0
        for key in self.infosets_of(player):
            if not self._awake_below(awake, key):
                continue
            reach, held, regrets = values.reach[key], self.is_awake(key), self.regrets[key]
            tie = self.tie(key, reach)
            top = first_largest(regrets, self.actions[key], tie)
            for a in self.actions[key]:
                was_live = (key, a) in self.awake or not held
                change = max(regrets[a] - self.regrets_before[key, a], 0.0)
                gain = self.gain(key, a, reach, owed[key], count, self.every, change)
                gain *= self.slack if was_live else 1.0
                is_good = a == top or not regrets[a] + gain < -tie
                if is_good if self.is_reached(key, reach, count) else was_live:
                    awake.add((key, a))
                    woken += not was_live
        for key in self.infosets_of(player):
            self.regrets_before |= {(key, a): r for a, r in self.regrets[key].items()}
        return awake, woken


def tables(twin):
    """Regrets of sequences awake, and all averages with the last weight as the unit."""
    regrets = {s: twin.regrets[s[0]][s[1]] for s in twin.awake}
    return regrets, {s: x / twin.weight(twin.t) for s, x in twin.averages.items()}


def exploitability(twin):
    """NashConv / 2 of the average strategy."""
    return naive.exploitability(twin.histories, twin.average_strategy())
