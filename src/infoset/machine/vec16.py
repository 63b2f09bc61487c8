"""Sixteen floats at a time: hands of the public form, side by side; in 32 bits, or stored in 16.

Arrays are given by their addresses: a kernel has hundreds of them, and numba takes a microsecond to
unpack each from a tuple. In double precision (see `infoset.machine.precision`) floats are doubles.
"""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from infoset.machine.precision import IS_DOUBLE
from infoset.machine.simd import (
    VectorType,
    call_llvm,
    load_vector,
    pointer_to,
    store_vector,
    vectors,
)

WIDTH = 16

_FLOAT = types.float64 if IS_DOUBLE else types.float32
_VECTOR = VectorType(_FLOAT, WIDTH)
_SUM = VectorType(types.float64, WIDTH)
_SHORTS = VectorType(types.int16, WIDTH)

load16, store16, splat16, *_, transpose16 = vectors(_FLOAT, WIDTH)


# Tables of regrets and averages: floats, or 16-bit numbers with a scale.


@intrinsic
def is_short(typingctx, storage):
    """Whether tables hold 16-bit numbers; ``storage`` is an array of the type that they hold."""
    answer = ir.Constant(ir.IntType(1), storage.dtype == types.int16)
    return types.boolean(storage), lambda context, builder, signature, args: answer


@intrinsic
def bytes_of(typingctx, storage):
    """How many bytes a number of a table takes."""
    stored = types.int16 if storage.dtype == types.int16 else _FLOAT
    answer = ir.Constant(ir.IntType(64), stored.bitwidth // 8)
    return types.intp(storage), lambda context, builder, signature, args: answer


@intrinsic
def read16(typingctx, storage, address, index, scale):
    """Sixteen numbers of a table: floats as they are, or 16-bit numbers times a scale."""

    def codegen(context, builder, signature, args):
        _, address, index, scale = args
        stored = _SHORTS if storage.dtype == types.int16 else _VECTOR
        numbers = load_vector(context, builder, stored, types.intp, address, index)
        if stored is _VECTOR:
            return numbers
        return builder.fmul(builder.sitofp(numbers, _VECTOR.llvm), scale)

    return _VECTOR(storage, types.intp, types.intp, _VECTOR), codegen


@intrinsic
def write_shorts16(typingctx, address, index, vector):
    """Store sixteen floats as the next lower whole numbers, in 16 bits."""

    def codegen(context, builder, signature, args):
        floor = call_llvm(builder, f"llvm.floor.{_VECTOR.suffix}", _VECTOR.llvm, args[2:])
        shorts = builder.fptosi(floor, _SHORTS.llvm)
        return store_vector(context, builder, _SHORTS, types.intp, *args[:2], numbers=shorts)

    return types.void(types.intp, types.intp, _VECTOR), codegen


# Sums of many floats, in double precision.


@intrinsic
def zeros16d(typingctx):
    """An empty sum."""
    zero = ir.Constant(_SUM.llvm, [0.0] * WIDTH)
    return _SUM(), lambda context, builder, signature, args: zero


@intrinsic
def add16d(typingctx, total, vector):
    """Add floats to a sum."""

    def codegen(context, builder, signature, args):
        numbers = args[1] if IS_DOUBLE else builder.fpext(args[1], _SUM.llvm)
        return builder.fadd(args[0], numbers)

    return _SUM(_SUM, _VECTOR), codegen


@intrinsic
def round16(typingctx, total):
    """A sum, back in single precision."""

    def codegen(context, builder, signature, args):
        return args[0] if IS_DOUBLE else builder.fptrunc(args[0], _VECTOR.llvm)

    return _VECTOR(_SUM), codegen


# Single numbers of arrays.


def _reader(scalar):
    """A function that reads one number of an array, given the address of the array."""

    @intrinsic
    def read(typingctx, address, index):
        def codegen(context, builder, signature, args):
            stored = context.get_value_type(scalar)
            number = builder.load(pointer_to(context, builder, types.intp, *args, stored))
            return context.cast(builder, number, scalar, signature.return_type)

        result = types.intp if isinstance(scalar, types.Integer) else scalar
        return result(types.intp, types.intp), codegen

    return read


byte_at = _reader(types.uint8)
short_at = _reader(types.int16)
int_at = _reader(types.int32)
long_at = _reader(types.int64)
float_at = _reader(_FLOAT)


@intrinsic
def put_float(typingctx, address, index, number):
    """Write one number of an array of floats."""

    def codegen(context, builder, signature, args):
        pointer = pointer_to(context, builder, types.intp, *args[:2], _VECTOR.llvm.element)
        builder.store(args[2], pointer)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, _FLOAT), codegen
