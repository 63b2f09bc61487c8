"""How threads inside a kernel wait for each other and share out work.

Python would take longer to hand over an iteration of a river than the river takes. So each thread
runs a whole batch of iterations by itself and meets the others at barriers.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from infoset.machine.compiled import part

_INT64 = ir.IntType(64)

SPINS = 2000
"""Looks at a counter before the core is offered to others: they may be more threads than cores."""


def _pointer(builder, address, index):
    return builder.gep(builder.inttoptr(address, _INT64.as_pointer()), [index])


@intrinsic
def add_atomic(typingctx, address, index, number):
    """Add to a counter and return what it was."""

    def codegen(context, builder, signature, args):
        pointer = _pointer(builder, *args[:2])
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(types.intp, types.intp, types.int64), codegen


@intrinsic
def load_atomic(typingctx, address, index):
    """Read a counter that others change."""

    def codegen(context, builder, signature, args):
        pointer = _pointer(builder, *args)
        return builder.load_atomic(pointer, "seq_cst", 8)

    return types.int64(types.intp, types.intp), codegen


@intrinsic
def yield_core(typingctx):
    """Let another thread run."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), codegen


@part
def come(counter, threads, meeting):
    """Come to a meeting, without waiting for it to begin; how many were there before.

    Meetings are numbered from 1.
    """
    return add_atomic(counter, 0, 1) - (meeting - 1) * threads if threads > 1 else 0


@part
def wait_for_all_to_come(counter, threads, meeting):
    """Go on when every thread has come to a meeting."""
    if threads == 1:
        return
    spins = 0
    while load_atomic(counter, 0) < meeting * threads:
        spins += 1
        if spins > SPINS:
            yield_core()


@part
def wait_for_all(counter, threads, meeting):
    """Come to a meeting and go on when it begins."""
    come(counter, threads, meeting)
    wait_for_all_to_come(counter, threads, meeting)
