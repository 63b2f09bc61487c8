"""How kernels are compiled: cached on disk, and without counting references.

Numba counts a reference to every array that is taken out of a tuple, with an atomic instruction
each. The hot kernels take some fifty arrays out of tuples per iteration and allocate none, so the
counts are dead weight: without them Kuhn runs three times as many iterations per second.
`_nrt=False` refuses to compile a kernel that would allocate.

Numba uses a cached kernel as long as the kernel's own file has not changed, even if a function that
it calls from another file has. So every kernel is compiled by a decorator of this module, whose
cache is valid only while the sources of all kernels are unchanged. For this to be true, kernels
import nothing of the project but other kernels and `infoset.machine`. A cache that cannot be read,
because a class named in it has moved, counts as empty.
"""

from pathlib import Path

from numba import njit

from infoset.machine.kernel_cache import compile_and_keep


def _stamp():
    """Path, time of change and size of every source that a kernel can be made of."""
    package = Path(__file__).parents[1]
    sources = sorted([*package.glob("machine/*.py"), *package.rglob("kernels/*.py")])
    return tuple(
        (str(source.relative_to(package)), source.stat().st_mtime_ns, source.stat().st_size)
        for source in sources
    )


_STAMP = _stamp()


def _forgiving(load_index):
    def load():
        try:
            return load_index()
        except Exception:  # whatever unpickling the index of another version may raise
            return {}

    return load


def _cached(**options):
    """A decorator as `numba.njit`, with a cache that knows the sources of all kernels."""

    def compile_later(function):
        compiled = compile_and_keep(function, **options)
        file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if file is not None:
            file._source_stamp = _STAMP
            file._load_index = _forgiving(file._load_index)
        return compiled

    return compile_later


kernel = _cached(_nrt=False)
"""A kernel that allocates nothing."""

allocating = _cached()
"""A kernel that allocates arrays, and so counts references: not for hot loops."""

threaded = _cached(_nrt=False, nogil=True, error_model="numpy")
"""A kernel that several threads may run at once."""

inline = njit(_nrt=False, forceinline=True, error_model="numpy")
"""A function that is copied into the kernels that call it, so that its many arrays are not passed
on the stack. It has no cache of its own: those kernels have."""

inline_cached = _cached(_nrt=False, forceinline=True)
"""As `inline`, with a cache of its own: for a function that Python calls too."""
