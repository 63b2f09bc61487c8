"""Random numbers that depend on where they are drawn, not on when.

Every block of a mini-batch has a stream of its own, which starts at a number made of the seed, the
iteration and the block. So threads may walk blocks in any order, and a run that goes on from a
checkpoint draws what it would have drawn. The numbers are those of SplitMix64 (Steele, Lea & Flood
2014): a counter with steps of `STEP`, scrambled.

`infoset.solvers.sampled.sparse` has the same in plain Python.
"""

import numpy as np

from infoset.machine.compiled import part

STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@part
def scramble(counter):
    """64 bits that look random, and differ for different counters."""
    bits = (counter ^ (counter >> _30)) * _FIRST
    bits = (bits ^ (bits >> _27)) * _SECOND
    return bits ^ (bits >> _31)


@part
def unit(counter):
    """A number from 0 to 1, without 1."""
    return np.float64(np.int64(scramble(counter) >> _11)) * 2.0**-53


@part
def stream(key, walk, block):
    """Where the stream of a block starts; ``walk`` numbers the walks of a run.

    The key is the seed, scrambled.
    """
    return scramble(key + np.uint64(walk) * _FIRST + np.uint64(block) * _SECOND)
