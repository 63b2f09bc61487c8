"""Prefetch cache lines that another core may hold, which takes long to load."""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def prefetch_read(typingctx, address):
    """Have the cache line at an address brought here, to be read."""

    def codegen(context, builder, signature, args):
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        pointer = builder.inttoptr(args[0], byte)
        builder.call(prefetch, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(types.intp), codegen
