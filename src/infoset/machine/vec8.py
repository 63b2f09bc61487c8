"""Eight doubles at a time: infosets of the sequence form, side by side."""

from numba.core import types

from infoset.machine.simd import vectors

WIDTH = 8

load8, store8, splat8, gather8, scatter8, scatter_add8, _ = vectors(types.float64, WIDTH)
