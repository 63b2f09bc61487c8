"""Decisions of regret-based pruning: what is left out from now on, what comes back.

Arrays are in the treeplex's own numbering. A sequence is *live* here if it has been awake so far,
an infoset is *held* if a sequence of it has. Top-down, `decide_total` and `decide_interval` write
which sequences are to be awake from now on; below a sequence that is not, nothing is.
"""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import inline, kernel
from infoset.machine.simd import where_greater
from infoset.machine.vec8 import WIDTH, load8, splat8, store8

TIE = 1e-9
"""What share of the largest possible regret is taken for a rounding error."""


class Bounds(NamedTuple):
    """How much regret an action can gain until the next check."""

    high: np.ndarray
    """[num_sequences] The most that can be won below it."""
    low: np.ndarray
    """[num_infosets] The least that can be won at its infoset and below."""
    spread: np.ndarray
    """[num_infosets] The most that can be won there minus the least."""
    reach: np.ndarray
    """[num_infosets] Probability that chance and the opponent lead there, summed over weights."""
    chance: np.ndarray
    """[num_infosets] The same if the opponent does all to lead there, of one iteration."""
    weight: float
    """The sum of the weights so far."""
    coming: float
    """The sum of the weights until the next check."""
    caution: float
    """How much of what is likely at most is expected; infinite: what is possible at most."""
    drift: float
    """How often the change since the last check is expected again."""
    slack: float
    """For how many more checks an action is to stay out before it is left out."""


@inline
def _coming_gain(bounds, i, s, value, change):
    """What the regret of an action may gain until the next check.

    ``value`` is what its infoset was worth in all iterations so far. The first part is Equation (9)
    of Brown & Sandholm (2017), with the mean reach and value so far for those to come, or Equation
    (6), which knows neither; the second expects what has changed since the last check again.
    """
    if bounds.coming == np.inf:
        return np.inf
    if bounds.caution == np.inf:
        most = bounds.chance[i] * (max(bounds.high[s], 0.0) - min(bounds.low[i], 0.0))
    else:
        likely = max(bounds.reach[i] * bounds.high[s] - value, 0.0) / bounds.weight
        most = bounds.caution * likely if bounds.caution > 0.0 else 0.0
    gain = most * bounds.coming
    if bounds.drift > 0.0:
        gain += bounds.drift * change
    return gain


@inline
def _tie(bounds, i):
    """Less than this is a rounding error."""
    return TIE * bounds.reach[i] * bounds.spread[i]


@inline
def _is_reached(bounds, i):
    """Whether the opponent has come to an infoset at all, but for rounding errors."""
    return bounds.reach[i] > 1e-12 * bounds.chance[i] * bounds.weight


@inline
def _is_held(live, begin, end):
    """Whether an infoset has a live action."""
    held = False
    for s in range(begin, end):
        held |= live[s]
    return held


@kernel
def visits_into(sums, visits, plan):
    """Count, in eight sums, the histories that a walk enters: where the opponent's plan leads."""
    zero, total = splat8(0.0), splat8(0.0)
    for s in range(0, len(visits), WIDTH):
        total = total + where_greater(load8(plan, s), zero, load8(visits, s), zero)
    store8(sums, 0, total)


@kernel
def mark_held(infoset_begin, live, held):
    """Write which infosets have a live action."""
    for i in range(len(held)):
        held[i] = False
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            if live[s]:
                held[i] = True


@kernel
def play_on(infoset_begin, infoset_parent, resting, regrets, played, average):
    """Add to averages at rest what their strategy plays, given how often it is reached.

    ``played`` holds, for sequences that lead to infosets at rest, by how much their averages have
    grown since. The strategy is that of the regrets, which do not change at rest.
    """
    for i in range(len(infoset_parent)):
        begin, end = infoset_begin[i], infoset_begin[i + 1]
        total, count = 0.0, 0
        for s in range(begin, end):
            if resting[s]:
                total += max(regrets[s], 0.0)
                count += 1
        for s in range(begin, end):
            if resting[s]:
                share = max(regrets[s], 0.0) / total if total > 0.0 else 1.0 / count
                played[s] = played[infoset_parent[i]] * share
                average[s] += played[s]


@inline
def _is_bad(bounds, i, s, value, excess, past, slack, tie):
    """Whether an action stays bad until the next check, by what its regret may gain.

    ``past`` is the excess at the last check, by weight. It is not a number if it is not known, and
    a comparison with the gain that follows is false.
    """
    if not excess < -tie:
        return False  # a gain is never negative
    change = abs(excess - past * bounds.weight)
    return excess + slack * _coming_gain(bounds, i, s, value, change) < -tie


@kernel
def decide_total(
    infoset_begin, infoset_parent, values, live, regrets, sums, past, floor, bounds, awake
):
    """Total pruning, Equations (5), (7) and (8); returns how many actions wake and fall asleep.

    ``values`` are those of a counterfactual best response to all that was faced. Where an infoset
    was not held, its regrets and its sum of values become those of that response. ``past`` holds
    the excess of each action at the last check by weight, and is brought up to date.
    """
    woken, asleep = 0, 0
    for i in range(len(infoset_parent)):
        begin, end = infoset_begin[i], infoset_begin[i + 1]
        if not awake[infoset_parent[i]]:
            for s in range(begin, end):
                awake[s] = False
                past[s] = np.nan
            continue
        is_new = not _is_held(live, begin, end)
        if is_new:
            best = values[begin]
            for s in range(begin + 1, end):
                best = max(best, values[s])
            sums[i] = best
        value, tie = sums[i], _tie(bounds, i)
        num_awake = 0
        top = -1
        for s in range(begin, end):
            excess = values[s] - value
            awake[s] = True
            if is_new:
                regrets[s] = max(excess, floor)
            elif not live[s]:
                if _is_bad(bounds, i, s, value, excess, past[s], 1.0, tie):
                    awake[s] = False
                else:
                    regrets[s] = max(min(excess, 0.0), floor)
                    woken += 1
            if awake[s]:
                num_awake += 1
                if top < 0 or values[s] > values[top] + tie:
                    top = s
        for s in range(begin, end):
            excess = values[s] - value
            # Not one after the other: branches that cannot be guessed are what takes time here.
            may = awake[s] & (is_new | live[s]) & (s != top) & (num_awake > 1)
            may &= (regrets[s] <= tie) & (excess < -tie)
            if may and _is_bad(bounds, i, s, value, excess, past[s], bounds.slack, tie):
                awake[s] = False
                asleep += 1
            past[s] = np.nan if is_new else excess / bounds.weight
    return woken, asleep


@kernel
def make_up(
    infoset_begin, infoset_parent, values, live, regrets, owed, scale, keep, jumps, bounds, awake
):
    """Interval pruning: add to the regrets of what was skipped what it would have brought.

    ``values`` are those of a counterfactual best response to what was faced since the last check,
    ``owed`` what infosets were worth in that time; ``scale`` turns both into a sum over iterations.
    ``keep`` is what is left of past regrets, positive and negative. Below a skipped action, the
    best response is what was played. A skipped action whose gain is positive is lifted to zero at
    least, if recipes with a floor `jumps`.
    """
    for i in range(len(infoset_parent)):
        begin, end = infoset_begin[i], infoset_begin[i + 1]
        is_asleep = not awake[infoset_parent[i]]
        # At an infoset that is awake and not held, nobody comes by: there is nothing to add.
        is_idle = not is_asleep and not _is_held(live, begin, end)
        base = owed[i]
        if is_asleep:
            base = values[begin]
            for s in range(begin + 1, end):
                base = max(base, values[s])
        tie = _tie(bounds, i)
        for s in range(begin, end):
            awake[s] = not is_asleep and (live[s] or is_idle)
            if not awake[s]:
                gain = scale * (values[s] - base) if _is_reached(bounds, i) else 0.0
                regret = regrets[s] * (keep[0] if regrets[s] > 0.0 else keep[1]) + gain
                regrets[s] = max(regret, 0.0) if jumps and gain > tie else regret


@kernel
def decide_interval(infoset_begin, infoset_parent, live, regrets, sums, past, bounds, awake):
    """Interval pruning: actions of negative regret are left out while it stays so.

    ``sums`` are what infosets were worth since the last check, as are the reach and the weight of
    ``bounds``. ``past`` holds the regrets at the last check.
    """
    woken, asleep = 0, 0
    for i in range(len(infoset_parent)):
        begin, end = infoset_begin[i], infoset_begin[i + 1]
        if not awake[infoset_parent[i]]:
            for s in range(begin, end):
                awake[s] = False
            continue
        is_idle = not _is_held(live, begin, end)
        tie = _tie(bounds, i)
        top = begin
        for s in range(begin + 1, end):
            if regrets[s] > regrets[top] + tie:
                top = s
        for s in range(begin, end):
            was_live = live[s] or is_idle
            change = max(regrets[s] - past[s], 0.0)
            gain = _coming_gain(bounds, i, s, sums[i], change)
            if was_live:
                gain *= bounds.slack
            awake[s] = s == top or not regrets[s] + gain < -tie
            if not _is_reached(bounds, i):
                awake[s] = was_live  # nothing is known that was not known before
            if awake[s] and not was_live:
                woken += 1
            elif was_live and not awake[s]:
                asleep += 1
    return woken, asleep


@kernel
def drop_averages(infoset_begin, infoset_parent, held, live, chance, average, most, mass, gone):
    """Set averages of what is asleep to zero, as long as little play is forgotten.

    An action asleep at an infoset that is held goes, with all below it, if its average is at most
    ``most``, and as long as the chance-weighted sum of what goes is, too. ``mass`` is that sum so
    far; returns it with what has gone now. ``gone`` is work space of ``[num_sequences]``, zeros.
    """
    for i in range(len(infoset_parent)):
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            if gone[infoset_parent[i]]:
                gone[s] = True
                average[s] = 0.0
            elif held[i] and not live[s] and average[s] <= most:
                lost = chance[i] * average[s]
                if mass + lost <= most:
                    mass += lost
                    gone[s] = True
                    average[s] = 0.0
    return mass
