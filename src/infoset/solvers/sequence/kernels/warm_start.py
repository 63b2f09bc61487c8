"""Bottom-up over a treeplex in its own numbering: what a warm start needs to know."""

import math

import numpy as np

from infoset.machine.compiled import inline, kernel


@inline
def _lowered(values, begin, end, room, ordered):
    """The value ``x`` below the largest at which ``sum_a (values[a] - x)_+ ** 2`` is ``room``.

    ``ordered`` is work space for the values in descending order. Of the first ``k`` of them, with
    mean ``m`` and sum of squared deviations ``d``, it is ``m - sqrt((room - d) / k)``; as many are
    taken as lie above.
    """
    count = end - begin
    for n in range(count):
        value = values[begin + n]
        at = n
        while at > 0 and ordered[at - 1] < value:
            ordered[at] = ordered[at - 1]
            at -= 1
        ordered[at] = value
    lowered = ordered[0]
    total = 0.0
    for k in range(1, count + 1):
        total += ordered[k - 1]
        mean = total / k
        deviations = 0.0
        for n in range(k):
            deviations += (ordered[n] - mean) ** 2
        if deviations > room:
            break
        lowered = mean - math.sqrt((room - deviations) / k)
        if k < count and lowered >= ordered[k]:
            break
    return lowered


@kernel
def lower_values(infoset_begin, infoset_parent, rooms, share, values, excess, ordered):
    """Choose substitute values bottom-up; returns what the roots are worth by them.

    ``values`` holds what the payoff gives each sequence, and gets what follows by substitute
    values: the value of an infoset is lowered below its best action until the squares of what its
    actions are worth more sum to ``share`` times its entry of ``rooms``. Writes ``excess``: by how
    much each sequence is worth more than its infoset.
    """
    for i in range(len(infoset_parent) - 1, -1, -1):
        begin, end = infoset_begin[i], infoset_begin[i + 1]
        lowered = _lowered(values, begin, end, share * rooms[i], ordered)
        for s in range(begin, end):
            excess[s] = values[s] - lowered
        values[infoset_parent[i]] += lowered
    total = 0.0
    for s in range(infoset_begin[0]):
        total += values[s]
    return total


@kernel
def gains_of(infoset_begin, infoset_parent, strategy, values, gains):
    """Write how much more each action is worth than its infoset, if a strategy is played.

    ``values`` holds what the payoff gives each sequence, and gets what follows.
    """
    for i in range(len(infoset_parent) - 1, -1, -1):
        begin, end = infoset_begin[i], infoset_begin[i + 1]
        mean = 0.0
        for s in range(begin, end):
            mean += strategy[s] * values[s]
        for s in range(begin, end):
            gains[s] = values[s] - mean
        values[infoset_parent[i]] += mean


@kernel
def in_proportion(infoset_begin, strategy, gains, lengths, trivial, regrets):
    """Write regrets in proportion to a strategy, so long that their squares sum to a square.

    Actions that are played less than a share ``trivial`` of the most frequent one, and gain
    nothing, get none.
    """
    for i in range(len(lengths)):
        begin, end = infoset_begin[i], infoset_begin[i + 1]
        most = 0.0
        for s in range(begin, end):
            most = max(most, strategy[s])
        squares = 0.0
        for s in range(begin, end):
            is_kept = strategy[s] >= trivial * most or gains[s] >= 0.0
            regrets[s] = strategy[s] if is_kept else 0.0
            squares += regrets[s] ** 2
        factor = lengths[i] / np.sqrt(squares)
        for s in range(begin, end):
            regrets[s] *= factor
