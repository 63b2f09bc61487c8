"""Vectors of numbers inside numba kernels: one type for any scalar and any width.

Numba leaves loops over a handful of numbers scalar: they are too short for its loop vectoriser, and
it switches LLVM's other one off. So kernels here work on values of a `VectorType`, which LLVM turns
into as many registers as the machine needs.

A vector is only ever a local variable of a kernel. `vectors` makes the functions that depend on the
scalar and the width: `infoset.machine.vec8` holds those for eight doubles, `infoset.machine.vec16`
for sixteen floats. The functions below work on vectors of any type. Nothing here checks bounds:
arrays are padded to whole vectors.
"""

import operator
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model

from infoset.machine.compiled import inline

_INT32 = ir.IntType(32)
_LLVM = {types.float64: ir.DoubleType(), types.float32: ir.FloatType(), types.int16: ir.IntType(16)}


class VectorType(types.Type):
    """Numba's name for `width` numbers side by side."""

    def __init__(self, scalar, width):
        self.scalar, self.width = scalar, width
        super().__init__(name=f"vector({scalar} x {width})")

    @property
    def llvm(self):
        """What LLVM calls it."""
        return ir.VectorType(_LLVM[self.scalar], self.width)

    @property
    def suffix(self):
        """How names of LLVM's intrinsic functions end for it."""
        return f"v{self.width}f{self.scalar.bitwidth}"


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, fe_type.llvm)


def call_llvm(builder, name, result, args):
    """Call a function of LLVM's by its name."""
    function = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, function, name), args)


def _splat(builder, vector, scalar):
    undefined = ir.Constant(vector.llvm, ir.Undefined)
    one = builder.insert_element(undefined, scalar, ir.Constant(_INT32, 0))
    lanes = ir.Constant(ir.VectorType(_INT32, vector.width), [0] * vector.width)
    return builder.shuffle_vector(one, undefined, lanes)


# Functions of vectors of any type.


def _operator(symbol, instruction):
    """Give vectors an arithmetic operator, number by number."""

    @intrinsic
    def apply(typingctx, a, b):
        def codegen(context, builder, signature, args):
            return getattr(builder, instruction)(*args)

        return a(a, b), codegen

    @overload(symbol)
    def typed(a, b):
        if isinstance(a, VectorType) and a == b:
            return lambda a, b: apply(a, b)
        return None


_operator(operator.add, "fadd")
_operator(operator.sub, "fsub")
_operator(operator.mul, "fmul")
_operator(operator.truediv, "fdiv")


@intrinsic
def multiply_add(typingctx, a, b, c):
    """``a * b + c``, fused where the machine can."""

    def codegen(context, builder, signature, args):
        return call_llvm(builder, f"llvm.fmuladd.{a.suffix}", a.llvm, args)

    return a(a, a, a), codegen


@intrinsic
def exponential(typingctx, a):
    """``e`` to the power of each number."""

    def codegen(context, builder, signature, args):
        return call_llvm(builder, f"llvm.exp.{a.suffix}", a.llvm, args)

    return a(a), codegen


@intrinsic
def where_greater(typingctx, a, b, then, otherwise):
    """Number by number: ``then`` where ``a > b``, else ``otherwise``."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return a(a, a, a, a), codegen


@inline
def larger(a, b):
    """The larger of two, number by number."""
    return where_greater(a, b, a, b)


@intrinsic
def splat_like(typingctx, vector, scalar):
    """A vector of the type of another, every number of it ``scalar``."""

    def codegen(context, builder, signature, args):
        number = context.cast(builder, args[1], signature.args[1], vector.scalar)
        return _splat(builder, vector, number)

    return vector(vector, scalar), codegen


@intrinsic
def tiny_like(typingctx, vector):
    """What is about to underflow, by the type of a vector: its inverse would be infinite."""
    number = 1e-290 if vector.scalar == types.float64 else 1e-30

    def codegen(context, builder, signature, args):
        return ir.Constant(vector.llvm, [number] * vector.width)

    return vector(vector), codegen


@intrinsic
def largest_of(typingctx, vector):
    """The largest number of a vector."""

    def codegen(context, builder, signature, args):
        name = f"llvm.vector.reduce.fmax.{vector.suffix}"
        return call_llvm(builder, name, _LLVM[vector.scalar], args)

    return vector.scalar(vector), codegen


@intrinsic
def is_all_zero(typingctx, vector):
    """Whether every number of a vector is +0.0, bit for bit."""

    def codegen(context, builder, signature, args):
        bits = ir.VectorType(ir.IntType(vector.scalar.bitwidth), vector.width)
        numbers = builder.bitcast(args[0], bits)
        differs = builder.icmp_unsigned("!=", numbers, ir.Constant(bits, None))
        lanes = ir.IntType(vector.width)
        return builder.icmp_unsigned("==", builder.bitcast(differs, lanes), lanes(0))

    return types.boolean(vector), codegen


# Memory: an array, or the address of its first number.


def pointer_to(context, builder, array_type, array, index, scalar=None):
    """LLVM's pointer to a number of an array, whose `scalar` an address does not tell."""
    if isinstance(array_type, types.Array):
        data = context.make_array(array_type)(context, builder, array).data
    else:
        data = builder.inttoptr(array, scalar.as_pointer())
    return builder.gep(data, [index])


def _vector_pointer(context, builder, vector, *place):
    pointer = pointer_to(context, builder, *place, vector.llvm.element)
    return builder.bitcast(pointer, vector.llvm.as_pointer())


def load_vector(context, builder, vector, *place):
    """Read a vector at a place: the type of an array, the array, and an index."""
    loaded = builder.load(_vector_pointer(context, builder, vector, *place))
    loaded.align = vector.scalar.bitwidth // 8
    return loaded


def store_vector(context, builder, vector, *place, numbers):
    """Write a vector to a place."""
    pointer = _vector_pointer(context, builder, vector, *place)
    builder.store(numbers, pointer).align = vector.scalar.bitwidth // 8
    return context.get_dummy_value()


class Vectors(NamedTuple):
    """The functions of one type of vector. ``array`` is an array, or an address."""

    load: Any
    """``load(array, index)``: the numbers from ``index`` on."""
    store: Any
    """``store(array, index, vector)``"""
    splat: Any
    """``splat(scalar)``: the same number everywhere."""
    gather: Any
    """``gather(array, indices, index)``: ``array[indices[index + i]]``; arrays only."""
    scatter: Any
    """``scatter(array, indices, index, vector)``: write there."""
    scatter_add: Any
    """``scatter_add(array, indices, index, vector)``: add there, one number after the other."""
    transpose: Any
    """``transpose(target, target_index, source, source_index)`` of a tile as wide as high."""


def vectors(scalar: types.Type, width: int) -> Vectors:
    """The functions that load, store and make vectors of so many numbers of a type."""
    vector = VectorType(scalar, width)

    @intrinsic
    def load(typingctx, array, index):
        def codegen(context, builder, signature, args):
            return load_vector(context, builder, vector, signature.args[0], *args)

        return vector(_address(array), types.intp), codegen

    @intrinsic
    def store(typingctx, array, index, numbers):
        def codegen(context, builder, signature, args):
            place = signature.args[0], *args[:2]
            return store_vector(context, builder, vector, *place, numbers=args[2])

        return types.void(_address(array), types.intp, vector), codegen

    @intrinsic
    def splat(typingctx, number):
        def codegen(context, builder, signature, args):
            return _splat(builder, vector, args[0])

        return vector(scalar), codegen

    gather, scatter, scatter_add = _indirect(vector)
    return Vectors(load, store, splat, gather, scatter, scatter_add, _transposer(vector))


def _address(array):
    return array if isinstance(array, types.Array) else types.intp


def _indirect(vector):
    """`Vectors.gather`, `Vectors.scatter` and `Vectors.scatter_add`."""

    def pointers(context, builder, signature, args):
        for lane in range(vector.width):
            at = builder.add(args[2], ir.Constant(args[2].type, lane))
            where = builder.load(pointer_to(context, builder, signature.args[1], args[1], at))
            yield lane, pointer_to(context, builder, signature.args[0], args[0], where)

    @intrinsic
    def gather(typingctx, array, indices, index):
        def codegen(context, builder, signature, args):
            out = ir.Constant(vector.llvm, ir.Undefined)
            for lane, pointer in pointers(context, builder, signature, args):
                number = builder.load(pointer)
                out = builder.insert_element(out, number, ir.Constant(_INT32, lane))
            return out

        return vector(array, indices, types.intp), codegen

    @intrinsic
    def scatter(typingctx, array, indices, index, numbers):
        def codegen(context, builder, signature, args):
            for lane, pointer in pointers(context, builder, signature, args):
                builder.store(builder.extract_element(args[3], ir.Constant(_INT32, lane)), pointer)
            return context.get_dummy_value()

        return types.void(array, indices, types.intp, vector), codegen

    @intrinsic
    def scatter_add(typingctx, array, indices, index, numbers):
        def codegen(context, builder, signature, args):
            for lane, pointer in pointers(context, builder, signature, args):
                number = builder.extract_element(args[3], ir.Constant(_INT32, lane))
                builder.store(builder.fadd(builder.load(pointer), number), pointer)
            return context.get_dummy_value()

        return types.void(array, indices, types.intp, vector), codegen

    return gather, scatter, scatter_add


def _transposer(vector):
    """`Vectors.transpose`."""
    width = vector.width
    lanes = ir.VectorType(_INT32, width)

    @intrinsic
    def transpose(typingctx, target, target_index, source, source_index):
        def codegen(context, builder, signature, args):
            def row(position, i):
                begin = args[position + 1]
                index = builder.add(begin, ir.Constant(begin.type, width * i))
                return context, builder, vector, signature.args[position], args[position], index

            rows = [load_vector(*row(2, i)) for i in range(width)]
            # Exchange the off-diagonal quarters of ever larger squares.
            step = 1
            while step < width:
                low = [width + i - step if i & step else i for i in range(width)]
                high = [width + i if i & step else i + step for i in range(width)]
                for i in range(width):
                    if not i & step:
                        pair = rows[i], rows[i + step]
                        rows[i] = builder.shuffle_vector(*pair, ir.Constant(lanes, low))
                        rows[i + step] = builder.shuffle_vector(*pair, ir.Constant(lanes, high))
                step *= 2
            for i in range(width):
                store_vector(*row(0, i), numbers=rows[i])
            return context.get_dummy_value()

        arrays = _address(target), types.intp, _address(source), types.intp
        return types.void(*arrays), codegen

    return transpose
