"""Random numbers that depend on the walk, not on the order in which walks are made.

Every walk has a random stream of its own, which starts at a number made of the seed, the mini-batch
and the walk. So threads may make walks in any order, and a resumed run draws the same numbers as
one that was never stopped. The generator is SplitMix64 (Steele, Lea & Flood 2014): a counter with
steps of `STEP`, scrambled.

`infoset.solvers.sampled.reference_walker` has the same in plain Python.
"""

import numpy as np

from infoset.machine.compiled import inline

STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@inline
def scramble(counter):
    """64 random bits, different for different counters."""
    bits = (counter ^ (counter >> _30)) * _FIRST
    bits = (bits ^ (bits >> _27)) * _SECOND
    return bits ^ (bits >> _31)


@inline
def uniform(counter):
    """A random number in [0, 1)."""
    return np.float64(np.int64(scramble(counter) >> _11)) * 2.0**-53


@inline
def stream(key, batch, walk):
    """The first counter of a walk, by the number of its mini-batch in the run and its own number
    in the mini-batch; ``key`` is the scrambled seed."""
    return scramble(key + np.uint64(batch) * _FIRST + np.uint64(walk) * _SECOND)
