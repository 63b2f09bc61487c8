"""Sixteen floats at a time, inside numba kernels: hands are stored sixteen side by side.

As `infoset.machine.simd`, in single precision, and with the one thing more that the vector
form needs: turning a tile of sixteen by sixteen on its side.
"""

import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model

from infoset.machine.precision import IS_DOUBLE

WIDTH = 16

_SCALAR = ir.DoubleType() if IS_DOUBLE else ir.FloatType()
_VECTOR = ir.VectorType(_SCALAR, WIDTH)
_BYTES = 8 if IS_DOUBLE else 4
_INT32 = ir.IntType(32)
_LANES = ir.VectorType(_INT32, WIDTH)


class Vec16(types.Type):
    """Numba's name for sixteen floats."""

    def __init__(self):
        super().__init__(name="vec16")


vec16 = Vec16()


@register_model(Vec16)
class _Vec16Model(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _VECTOR)


def _pointer(builder, address, index, kind=_SCALAR):
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def _place(builder, address, index):
    return builder.bitcast(_pointer(builder, address, index), _VECTOR.as_pointer())


def _load(builder, pointer):
    loaded = builder.load(pointer)
    loaded.align = _BYTES
    return loaded


def _store(builder, vector, pointer):
    builder.store(vector, pointer).align = _BYTES


@intrinsic
def load16(typingctx, address, index):
    """The sixteen floats from the one at ``index`` on."""

    def codegen(context, builder, signature, args):
        return _load(builder, _place(builder, *args))

    return vec16(types.intp, types.intp), codegen


@intrinsic
def store16(typingctx, address, index, vector):
    """Write sixteen floats from the one at ``index`` on."""

    def codegen(context, builder, signature, args):
        _store(builder, args[2], _place(builder, *args[:2]))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, vec16), codegen


_SHORTS = ir.VectorType(ir.IntType(16), WIDTH)


@intrinsic
def is_short(typingctx, kind):
    """Whether tables hold 16-bit numbers (``kind`` is an array of them); known when compiled."""
    answer = ir.Constant(ir.IntType(1), kind.dtype == types.int16)
    return types.boolean(kind), lambda context, builder, signature, args: answer


@intrinsic
def read16(typingctx, kind, address, index, scale):
    """Sixteen numbers of a table: floats as they are, or shorts times a scale."""

    def codegen(context, builder, signature, args):
        _, address, index, scale = args
        if kind.dtype != types.int16:
            return _load(builder, _place(builder, address, index))
        pointer = _pointer(builder, address, index, ir.IntType(16))
        shorts = builder.load(builder.bitcast(pointer, _SHORTS.as_pointer()))
        shorts.align = 2
        return builder.fmul(builder.sitofp(shorts, _VECTOR), scale)

    return vec16(kind, types.intp, types.intp, vec16), codegen


@intrinsic
def write_shorts16(typingctx, address, index, vector):
    """Store sixteen floats as the next lower whole numbers, in 16 bits."""

    def codegen(context, builder, signature, args):
        pointer = _pointer(builder, *args[:2], ir.IntType(16))
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        name = f"llvm.floor.v16f{8 * _BYTES}"
        floor = cgutils.get_or_insert_function(builder.module, kind, name)
        shorts = builder.fptosi(builder.call(floor, [args[2]]), _SHORTS)
        builder.store(shorts, builder.bitcast(pointer, _SHORTS.as_pointer())).align = 2
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, vec16), codegen


def _reader(name, kind, what):
    """A function that reads one number of an array, given the address of the array."""

    @intrinsic
    def read(typingctx, address, index):
        def codegen(context, builder, signature, args):
            stored = context.get_value_type(kind)
            number = builder.load(_pointer(builder, *args, stored))
            return context.cast(builder, number, kind, signature.return_type)

        found = types.intp if isinstance(kind, types.Integer) else kind
        return found(types.intp, types.intp), codegen

    read.__name__ = name
    read.__doc__ = what
    return read


byte_at = _reader("byte_at", types.uint8, "A number of an array of bytes.")
short_at = _reader("short_at", types.int16, "A number of an array of 16-bit integers.")
int_at = _reader("int_at", types.int32, "A number of an array of 32-bit integers.")
long_at = _reader("long_at", types.int64, "A number of an array of 64-bit integers.")
float_at = _reader(
    "float_at", types.float64 if IS_DOUBLE else types.float32, "A number of an array of floats."
)


@intrinsic
def put_float(typingctx, address, index, number):
    """Write one number of an array of floats."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _pointer(builder, *args[:2]))
        return context.get_dummy_value()

    scalar = types.float64 if IS_DOUBLE else types.float32
    return types.void(types.intp, types.intp, scalar), codegen


@intrinsic
def largest16(typingctx, vector):
    """The largest of sixteen floats."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(_SCALAR, [_VECTOR])
        name = f"llvm.vector.reduce.fmax.v16f{8 * _BYTES}"
        reduce = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(reduce, args)

    return (types.float64 if IS_DOUBLE else types.float32)(vec16), codegen


class Vec16Double(types.Type):
    """Numba's name for sixteen doubles: for sums of many floats."""

    def __init__(self):
        super().__init__(name="vec16d")


vec16d = Vec16Double()
_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)


@register_model(Vec16Double)
class _Vec16DoubleModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _DOUBLES)


@intrinsic
def zeros16d(typingctx):
    """An empty sum."""
    return vec16d(), lambda context, builder, signature, args: ir.Constant(_DOUBLES, [0.0] * WIDTH)


@intrinsic
def add16d(typingctx, total, vector):
    """Add floats to a sum in double precision."""

    def codegen(context, builder, signature, args):
        vector = args[1] if IS_DOUBLE else builder.fpext(args[1], _DOUBLES)
        return builder.fadd(args[0], vector)

    return vec16d(vec16d, vec16), codegen


@intrinsic
def round16(typingctx, total):
    """A sum, back in single precision."""

    def codegen(context, builder, signature, args):
        return args[0] if IS_DOUBLE else builder.fptrunc(args[0], _VECTOR)

    return vec16(vec16d), codegen


@intrinsic
def splat16(typingctx, scalar):
    """The same float sixteen times."""

    def codegen(context, builder, signature, args):
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        one = builder.insert_element(undefined, args[0], ir.Constant(_INT32, 0))
        return builder.shuffle_vector(one, undefined, ir.Constant(_LANES, [0] * WIDTH))

    return vec16(types.float64 if IS_DOUBLE else types.float32), codegen


@intrinsic
def multiply_add16(typingctx, a, b, c):
    """``a * b + c``, fused where the machine can."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        function = cgutils.get_or_insert_function(
            builder.module, kind, f"llvm.fmuladd.v16f{8 * _BYTES}"
        )
        return builder.call(function, args)

    return vec16(vec16, vec16, vec16), codegen


@intrinsic
def where_greater16(typingctx, a, b, then, otherwise):
    """Lane by lane: ``then`` where ``a > b``, else ``otherwise``."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return vec16(vec16, vec16, vec16, vec16), codegen


@intrinsic
def max16(typingctx, a, b):
    """The larger of two, lane by lane."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return vec16(vec16, vec16), codegen


@intrinsic
def transpose16(typingctx, target, target_at, source, source_at):
    """Turn a tile of sixteen rows of sixteen, side by side in both arrays, on its side."""

    def codegen(context, builder, signature, args):
        target, target_at, source, source_at = args

        def row(address, begin, i):
            index = builder.add(begin, ir.Constant(begin.type, WIDTH * i))
            return _place(builder, address, index)

        rows = [_load(builder, row(source, source_at, i)) for i in range(WIDTH)]
        # Exchange the off-diagonal quarters of ever larger squares.
        for step in (1, 2, 4, 8):
            low = [WIDTH + i - step if i & step else i for i in range(WIDTH)]
            high = [WIDTH + i if i & step else i + step for i in range(WIDTH)]
            masks = ir.Constant(_LANES, low), ir.Constant(_LANES, high)
            for i in range(WIDTH):
                if not i & step:
                    pair = rows[i], rows[i + step]
                    rows[i] = builder.shuffle_vector(*pair, masks[0])
                    rows[i + step] = builder.shuffle_vector(*pair, masks[1])
        for i in range(WIDTH):
            _store(builder, rows[i], row(target, target_at, i))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp, types.intp), codegen


def _lane_by_lane(symbol, instruction):
    """Give the type an arithmetic operator."""

    @intrinsic
    def apply(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return getattr(builder, instruction)(*args)

        return vec16(vec16, vec16), codegen

    @overload(symbol)
    def typed(a, b):
        if a is vec16 and b is vec16:
            return lambda a, b: apply(a, b)
        return None


_lane_by_lane(operator.add, "fadd")
_lane_by_lane(operator.sub, "fsub")
_lane_by_lane(operator.mul, "fmul")
_lane_by_lane(operator.truediv, "fdiv")
