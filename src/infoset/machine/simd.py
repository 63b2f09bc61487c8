"""Eight doubles at a time, inside numba kernels.

Numba leaves loops over a handful of lanes scalar: they are too short for its loop vectoriser, and
it switches LLVM's other one off. Groups of infosets in small games *are* a handful of lanes, and
in large ones it is still the temporaries between loops that cost. So kernels here work on values
of type `vec8`, which LLVM turns into one 512-bit, two 256-bit or four 128-bit registers.

A `vec8` is only ever a local variable of a kernel. Nothing here checks bounds: arrays in lanes
are padded to whole vectors (see `infoset.forms.lanes`).
"""

import operator

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model

WIDTH = 8

_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, WIDTH)
_INT32 = ir.IntType(32)
_ALIGNED_AS = 8


class Vec8(types.Type):
    """Numba's name for eight doubles."""

    def __init__(self):
        super().__init__(name="vec8")


vec8 = Vec8()


@register_model(Vec8)
class _Vec8Model(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _VECTOR)


def _pointer(context, builder, array_type, array, index, to=None):
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.gep(data, [index])
    return builder.bitcast(address, to.as_pointer()) if to else address


def _splat(builder, scalar):
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, scalar, ir.Constant(_INT32, 0))
    lanes = ir.Constant(ir.VectorType(_INT32, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(one, undefined, lanes)


def _multiply_add(builder, a, b, c):
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.fmuladd.v8f64")
    return builder.call(function, [a, b, c])


@intrinsic
def load8(typingctx, array, index):
    """The eight doubles of ``array`` from ``index`` on."""

    def codegen(context, builder, signature, args):
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], _VECTOR)
        loaded = builder.load(pointer)
        loaded.align = _ALIGNED_AS
        return loaded

    return vec8(array, types.intp), codegen


@intrinsic
def store8(typingctx, array, index, vector):
    """Write eight doubles to ``array`` from ``index`` on."""

    def codegen(context, builder, signature, args):
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], _VECTOR)
        stored = builder.store(args[2], pointer)
        stored.align = _ALIGNED_AS
        return context.get_dummy_value()

    return types.void(array, types.intp, vec8), codegen


@intrinsic
def splat8(typingctx, scalar):
    """The same double eight times."""
    return vec8(types.float64), lambda context, builder, signature, args: _splat(builder, args[0])


@intrinsic
def multiply_add8(typingctx, a, b, c):
    """``a * b + c``, fused where the machine can."""

    def codegen(context, builder, signature, args):
        return _multiply_add(builder, *args)

    return vec8(vec8, vec8, vec8), codegen


@intrinsic
def where_greater8(typingctx, a, b, then, otherwise):
    """Lane by lane: ``then`` where ``a > b``, else ``otherwise``."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return vec8(vec8, vec8, vec8, vec8), codegen


@intrinsic
def max8(typingctx, a, b):
    """The larger of two, lane by lane."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return vec8(vec8, vec8), codegen


@intrinsic
def gather8(typingctx, array, indices, index):
    """``array[indices[index + i]]`` for eight ``i``."""

    def codegen(context, builder, signature, args):
        out = ir.Constant(_VECTOR, ir.Undefined)
        for lane in range(WIDTH):
            at = builder.add(args[2], ir.Constant(args[2].type, lane))
            where = builder.load(_pointer(context, builder, signature.args[1], args[1], at))
            address = _pointer(context, builder, signature.args[0], args[0], where)
            out = builder.insert_element(out, builder.load(address), ir.Constant(_INT32, lane))
        return out

    return vec8(array, indices, types.intp), codegen


@intrinsic
def scatter_add8(typingctx, array, indices, index, vector):
    """``array[indices[index + i]] += vector[i]``, one lane after the other."""

    def codegen(context, builder, signature, args):
        for lane in range(WIDTH):
            at = builder.add(args[2], ir.Constant(args[2].type, lane))
            where = builder.load(_pointer(context, builder, signature.args[1], args[1], at))
            address = _pointer(context, builder, signature.args[0], args[0], where)
            value = builder.extract_element(args[3], ir.Constant(_INT32, lane))
            builder.store(builder.fadd(builder.load(address), value), address)
        return context.get_dummy_value()

    return types.void(array, indices, types.intp, vec8), codegen


def _lane_by_lane(symbol, instruction):
    """Give the type an arithmetic operator."""

    @intrinsic
    def apply(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return getattr(builder, instruction)(*args)

        return vec8(vec8, vec8), codegen

    @overload(symbol)
    def typed(a, b):
        if a is vec8 and b is vec8:
            return lambda a, b: apply(a, b)
        return None


_lane_by_lane(operator.add, "fadd")
_lane_by_lane(operator.sub, "fsub")
_lane_by_lane(operator.mul, "fmul")
_lane_by_lane(operator.truediv, "fdiv")
