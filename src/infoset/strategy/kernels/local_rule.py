"""The local rule of a regret minimiser: what one infoset does with its regrets.

A rule is two functions of vectors, which `infoset.solvers.local_rules` collects:

- ``weigh(regret, largest, sharpness)``: the weight of an action. The strategy is in proportion to
  the weights of an infoset's actions; where all are zero, it is uniform. ``largest`` is the largest
  regret of the infoset, if the rule asks for it.
- ``update(regret, gain, keep_positive, keep_negative, floor)``: the regret after an iteration that
  brought ``gain``.

Kernels call `weigh`, `update` and `uses_largest` with the rule as the first argument. A rule is a
type of its own to numba, so each is compiled into the kernels, and costs no call.
"""

import hashlib
import inspect
from typing import Any

from numba.core import types
from numba.extending import NativeValue, models, overload, register_model, typeof_impl, unbox

from infoset.machine.compiled import inline
from infoset.machine.simd import (
    exponential,
    larger,
    multiply_add,
    splat_like,
    tiny_like,
    where_greater,
)

INLINED = {"_nrt": False, "forceinline": True, "error_model": "numpy"}

_RULES: dict[str, Any] = {}
"""The compiled functions of each rule, by its key."""


class CompiledRule:
    """A rule as kernels take it. Rules of the same functions are the same to numba."""

    def __init__(self, weigh: Any, update: Any, uses_largest: bool) -> None:
        sources = "\n".join(map(_source_of, (weigh, update)))
        names = f"{weigh.__module__}.{weigh.__qualname__},{update.__module__}.{update.__qualname__}"
        self.key = f"{names},{uses_largest},{hashlib.sha256(sources.encode()).hexdigest()[:16]}"
        if self.key not in _RULES:
            _RULES[self.key] = inline(weigh), inline(update), uses_largest


def _source_of(function: Any) -> str:
    """What tells a function from another of its name: its source or, if it was typed, its code.

    With the numbers and functions that it refers to: two functions that one factory has made differ
    in nothing else.
    """
    try:
        parts = [inspect.getsource(function)]
    except OSError:
        code = function.__code__
        parts = [f"{code.co_code.hex()} {code.co_names} {code.co_consts}"]
    names = inspect.getclosurevars(function)
    for name, value in sorted({**names.globals, **names.nonlocals}.items()):
        value = getattr(value, "py_func", value)
        if not inspect.isfunction(value):
            parts.append(f"{name} = {value!r}" if isinstance(value, int | float) else name)
        elif value is not function and not value.__module__.startswith("infoset."):
            parts.append(_source_of(value))
    return "\n".join(parts)


class RuleType(types.Opaque):
    """Numba's name for a rule; it knows the key alone, so that caches can hold it."""

    def __init__(self, rule_key):
        self.rule_key = rule_key
        super().__init__(name=f"rule({rule_key})")


@typeof_impl.register(CompiledRule)
def _typeof(value, context):
    return RuleType(value.key)


register_model(RuleType)(models.OpaqueModel)


@unbox(RuleType)
def _unbox(kind, value, c):
    return NativeValue(c.context.get_dummy_value())


def weigh(rule, regret, largest, sharpness):
    """The weight of an action; for kernels."""
    raise TypeError("weigh is called in kernels only")


@overload(weigh, jit_options=INLINED)
def _weigh(rule, regret, largest, sharpness):
    function = _RULES[rule.rule_key][0]
    return lambda rule, regret, largest, sharpness: function(regret, largest, sharpness)


def update(rule, regret, gain, keep_positive, keep_negative, floor):
    """The regret after an iteration; for kernels."""
    raise TypeError("update is called in kernels only")


@overload(update, jit_options=INLINED)
def _update(rule, regret, gain, keep_positive, keep_negative, floor):
    function = _RULES[rule.rule_key][1]
    return lambda rule, regret, gain, keep_positive, keep_negative, floor: function(
        regret, gain, keep_positive, keep_negative, floor
    )


def uses_largest(rule):
    """Whether the rule asks for the largest regret of an infoset; for kernels."""
    raise TypeError("uses_largest is called in kernels only")


@overload(uses_largest, jit_options=INLINED)
def _uses_largest(rule):
    if _RULES[rule.rule_key][2]:
        return lambda rule: True
    return lambda rule: False


# What kernels do with weights; the same in every rule.


@inline
def expected_regret(regret, keep, last):
    """The regret expected after the next iteration: what is kept, and the last gain once more."""
    return multiply_add(keep, regret, last)


@inline
def mean_value(total, weighted, plain, uniform):
    """The mean value of an infoset's actions by their weights; the plain mean if all are zero.

    ``total`` and ``weighted`` are sums over actions of the weights and of weight times value,
    ``plain`` of the values, and ``uniform`` is one over the number of actions.
    """
    zero, one = splat_like(total, 0.0), splat_like(total, 1.0)
    divisor = where_greater(total, zero, total, one)
    return where_greater(total, zero, weighted / divisor, plain * uniform)


@inline
def inverse_total(total):
    """One over the sum of an infoset's weights; 1 where they are zero."""
    zero, one = splat_like(total, 0.0), splat_like(total, 1.0)
    return one / where_greater(total, zero, total, one)


@inline
def probability(weight, total, inverse, uniform):
    """How often an action is taken, given its weight and the sum of all."""
    return where_greater(total, splat_like(total, 0.0), weight * inverse, uniform)


# The rules that come with the package.


def positive_part(regret, largest, sharpness):
    """Regret matching: the positive part of a regret (Hart & Mas-Colell 2000).

    What is about to underflow is none: its inverse would be infinite. Regrets reach such sizes by
    discounting alone, thousands of iterations after they mattered.
    """
    return where_greater(regret, tiny_like(regret), regret, splat_like(regret, 0.0))


def exponential_weight(regret, largest, sharpness):
    """Hedge: exponential in the regret, sharper or flatter (Freund & Schapire 1997)."""
    return exponential((regret - largest) * sharpness)


def discount_and_add(regret, gain, keep_positive, keep_negative, floor):
    """Keep a part of the past, by its sign, add what is new, and stay above the floor."""
    kept = regret * where_greater(regret, splat_like(regret, 0.0), keep_positive, keep_negative)
    return larger(kept + gain, floor)


def jump_and_add(regret, gain, keep_positive, keep_negative, floor):
    """Regret matching+ whose regrets may be negative, as interval pruning needs it.

    A negative regret jumps to zero before it increases (Brown & Sandholm 2015), which plays as if
    there were a floor at zero. A gain of a billionth of it is taken for a rounding error.
    """
    zero, tiny = splat_like(regret, 0.0), splat_like(regret, -1e-9)
    kept = where_greater(regret, zero, regret * keep_positive, regret)
    least = larger(kept * tiny, zero)
    return where_greater(gain, least, larger(kept, zero), kept) + gain
