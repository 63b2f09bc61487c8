"""How kernels are compiled: cached on disk, and without counting references.

Numba counts a reference to every array that is taken out of a tuple, with an atomic instruction
each. The hot kernels take some fifty arrays out of tuples per iteration and allocate none, so the
counts are dead weight: without them Kuhn runs three times as many iterations per second.
`_nrt=False` refuses to compile a kernel that would allocate.

Numba takes a cached kernel for fresh as long as its own file has not changed. A kernel here is
made of parts from many files, so its cache looks at all of them. And numba trips over a cache that
names a class which has moved since; here that is a cache of another version, and as good as none.
"""

from pathlib import Path

from numba import njit


def _stamp():
    package = Path(__file__).parents[1]
    sources = sorted([*package.glob("machine/*.py"), *package.rglob("kernels/*.py")])
    looks = [(source.name, source.stat()) for source in sources]
    return tuple((name, look.st_mtime_ns, look.st_size) for name, look in looks)


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
        compiled = njit(cache=True, **options)(function)
        file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if file is not None:
            file._source_stamp = _STAMP
            file._load_index = _forgiving(file._load_index)
        return compiled

    return compile_later


kernel = _cached(_nrt=False)
"""A kernel that Python calls."""

threaded = _cached(_nrt=False, nogil=True, error_model="numpy")
"""A kernel that several threads may run at once."""

inlined = _cached(_nrt=False, forceinline=True)
"""A part of kernels, copied into each: its many arrays are then not passed through the stack."""

inline = njit(_nrt=False, forceinline=True, error_model="numpy")
"""As `inlined`, and not cached by itself: only the kernel that it is part of is."""

part = inline
