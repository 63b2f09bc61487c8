"""Barriers and atomic counters for threads inside a kernel.

Python takes longer to start an iteration of a river on all threads than the iteration takes. So
each thread runs a whole batch of iterations inside one kernel, and threads wait for each other at
barriers.
"""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from infoset.machine.compiled import inline
from infoset.machine.simd import call_llvm, pointer_to

_INT64 = ir.IntType(64)

SPINS = 2000
"""Reads of a counter before a waiting thread yields its core to others, if threads are many."""


@intrinsic
def add_atomic(typingctx, address, index, number):
    """Add to a counter and return what it was."""

    def codegen(context, builder, signature, args):
        pointer = pointer_to(context, builder, types.intp, *args[:2], _INT64)
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(types.intp, types.intp, types.int64), codegen


@intrinsic
def load_atomic(typingctx, address, index):
    """Read a counter that others change."""

    def codegen(context, builder, signature, args):
        pointer = pointer_to(context, builder, types.intp, *args, _INT64)
        return builder.load_atomic(pointer, "seq_cst", 8)

    return types.int64(types.intp, types.intp), codegen


@intrinsic
def yield_core(typingctx):
    """Let another thread run."""

    def codegen(context, builder, signature, args):
        call_llvm(builder, "sched_yield", ir.IntType(32), [])
        return context.get_dummy_value()

    return types.void(), codegen


@inline
def arrive(counter, threads, barrier):
    """Arrive at a barrier without waiting; return how many threads arrived before.

    Barriers are numbered from 1 in the order in which threads pass them.
    """
    return add_atomic(counter, 0, 1) - (barrier - 1) * threads if threads > 1 else 0


@inline
def wait_until_all_arrived(counter, threads, barrier):
    """Wait until every thread has arrived at a barrier."""
    if threads == 1:
        return
    spins = 0
    while load_atomic(counter, 0) < barrier * threads:
        spins += 1
        if spins > SPINS:
            yield_core()


@inline
def wait_for_all(counter, threads, barrier):
    """Arrive at a barrier and wait for the other threads."""
    arrive(counter, threads, barrier)
    wait_until_all_arrived(counter, threads, barrier)
