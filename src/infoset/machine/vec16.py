"""Sixteen floats at a time: hands of the public form, side by side; in 32 bits, or stored in 16.

Arrays are given by their addresses: a kernel has hundreds of them, and numba takes a microsecond to
unpack each from a tuple. In double precision (see `infoset.machine.precision`) floats are doubles.
"""

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from infoset.machine.precision import IS_DOUBLE
from infoset.machine.simd import VectorType, vectors

WIDTH = 16

_FLOAT = types.float64 if IS_DOUBLE else types.float32
_VECTOR = VectorType(_FLOAT, WIDTH)
_SUM = VectorType(types.float64, WIDTH)
_SHORTS = ir.VectorType(ir.IntType(16), WIDTH)

load16, store16, splat16, _, _, transpose16 = vectors(_FLOAT, WIDTH)


def _pointer(builder, address, index, stored):
    return builder.gep(builder.inttoptr(address, stored.as_pointer()), [index])


def _shorts(builder, address, index):
    pointer = _pointer(builder, address, index, ir.IntType(16))
    return builder.bitcast(pointer, _SHORTS.as_pointer())


# Tables of regrets and averages: floats, or 16-bit numbers with a scale.


@intrinsic
def is_short(typingctx, storage):
    """Whether tables hold 16-bit numbers; ``storage`` is an array of the type that they hold."""
    answer = ir.Constant(ir.IntType(1), storage.dtype == types.int16)
    return types.boolean(storage), lambda context, builder, signature, args: answer


@intrinsic
def read16(typingctx, storage, address, index, scale):
    """Sixteen numbers of a table: floats as they are, or 16-bit numbers times a scale."""

    def codegen(context, builder, signature, args):
        _, address, index, scale = args
        if storage.dtype != types.int16:
            scalar = _VECTOR.llvm.element
            pointer = _pointer(builder, address, index, scalar)
            loaded = builder.load(builder.bitcast(pointer, _VECTOR.llvm.as_pointer()))
            loaded.align = _FLOAT.bitwidth // 8
            return loaded
        shorts = builder.load(_shorts(builder, address, index))
        shorts.align = 2
        return builder.fmul(builder.sitofp(shorts, _VECTOR.llvm), scale)

    return _VECTOR(storage, types.intp, types.intp, _VECTOR), codegen


@intrinsic
def write_shorts16(typingctx, address, index, vector):
    """Store sixteen floats as the next lower whole numbers, in 16 bits."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(_VECTOR.llvm, [_VECTOR.llvm])
        name = f"llvm.floor.{_VECTOR.suffix}"
        floor = cgutils.get_or_insert_function(builder.module, kind, name)
        shorts = builder.fptosi(builder.call(floor, [args[2]]), _SHORTS)
        builder.store(shorts, _shorts(builder, *args[:2])).align = 2
        return context.get_dummy_value()

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


def _reader(name, kind, what):
    """A function that reads one number of an array, given the address of the array."""

    @intrinsic
    def read(typingctx, address, index):
        def codegen(context, builder, signature, args):
            stored = context.get_value_type(kind)
            number = builder.load(_pointer(builder, *args, stored))
            return context.cast(builder, number, kind, signature.return_type)

        result = types.intp if isinstance(kind, types.Integer) else kind
        return result(types.intp, types.intp), codegen

    read.__name__ = name
    read.__doc__ = what
    return read


byte_at = _reader("byte_at", types.uint8, "A number of an array of bytes.")
short_at = _reader("short_at", types.int16, "A number of an array of 16-bit integers.")
int_at = _reader("int_at", types.int32, "A number of an array of 32-bit integers.")
long_at = _reader("long_at", types.int64, "A number of an array of 64-bit integers.")
float_at = _reader("float_at", _FLOAT, "A number of an array of floats.")


@intrinsic
def put_float(typingctx, address, index, number):
    """Write one number of an array of floats."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _pointer(builder, *args[:2], _VECTOR.llvm.element))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, _FLOAT), codegen
