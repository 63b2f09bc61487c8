"""How kernels are compiled: cached on disk, and without counting references.

Numba counts a reference to every array that is taken out of a tuple, with an atomic instruction
each. The hot kernels take some fifty arrays out of tuples per iteration and allocate none, so the
counts are dead weight: without them Kuhn runs three times as many iterations per second.
`_nrt=False` refuses to compile a kernel that would allocate.
"""

from numba import njit

kernel = njit(cache=True, _nrt=False)
"""A kernel that Python calls."""

inlined = njit(cache=True, _nrt=False, forceinline=True)
"""A part of kernels, copied into each: its many arrays are then not passed through the stack."""

part = njit(_nrt=False, forceinline=True)
"""As `inlined`, and not cached by itself: only the kernel that it is part of is."""
