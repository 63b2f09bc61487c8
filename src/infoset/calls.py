"""Text such as ``dcfr(alpha=1.5,beta=0)``: parse it, format it, check names and parameters.

Games and algorithms are both named this way, on the command line, in Python and in files, and
this is the only parser. It knows numbers and words, and evaluates nothing. Whatever the text, the
answer is a `Call` or a `BadInputError` that says where the text went wrong.
"""

from __future__ import annotations

import inspect
import math
import numbers
import re
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, NamedTuple

from infoset.cursor import Cursor
from infoset.errors import BadInputError, nearest, shorten

Value = bool | int | float | Fraction | str

MAX_LENGTH = 1000
"""Longest text that is read, in characters."""

EXAMPLE = "write it as in nolimit_leduc(stack=10) or dcfr(alpha=1.5,beta=0)"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_+.\-]*")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BARE = re.compile(r"[^\s,()='\"]+")
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_INT = re.compile(r"[+-]?[0-9]+")
_FRACTION = re.compile(r"[+-]?[0-9]+/[0-9]+")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITE = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}
_TRUTH = {"true": True, "false": False, "True": True, "False": False}


class Call(NamedTuple):
    """A name and its parameters, as they were written."""

    name: str
    parameters: dict[str, Value]


def parse_call(text: str) -> Call:
    """Read ``name`` or ``name(key=value,key=value)``; spaces do not matter.

    A value is a whole number, a decimal one (``1e-3``, ``inf``, ``-inf``), an exact fraction
    (``1/2``), ``true`` or ``false``, a word, a string in quotes, or another such call, which is
    kept as text.

    >>> parse_call("nolimit_leduc(stack=10)")
    Call(name='nolimit_leduc', parameters={'stack': 10})
    >>> parse_call("dcfr( alpha=1.5, beta=-inf, skip=1/2 )").parameters
    {'alpha': 1.5, 'beta': -inf, 'skip': Fraction(1, 2)}
    >>> parse_call("cfr-d(trunk=dcfr( gamma=3 ),k=10)").parameters
    {'trunk': 'dcfr(gamma=3)', 'k': 10}
    >>> parse_call("pcfr+")
    Call(name='pcfr+', parameters={})
    >>> parse_call("leduc(10)")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the name 'leduc(10)' at character 7: '10' has no \
key, and values are given by key; write it as in nolimit_leduc(stack=10) or dcfr(alpha=1.5,beta=0)
    """
    cursor = Cursor(text, "a name", longest=MAX_LENGTH, example=EXAMPLE)
    cursor.skip_blanks()
    name = cursor.expect(_NAME, "a name")
    cursor.skip_blanks()
    parameters: dict[str, Value] = {}
    if cursor.take("("):
        cursor.skip_blanks()
        if not cursor.take(")"):
            read_parameters_into(parameters, cursor)
    cursor.skip_blanks()
    if not cursor.is_at_end:
        raise cursor.expected(f"nothing more after {shorten(name)}")
    return Call(name, parameters)


def read_parameters_into(
    parameters: dict[str, Value],
    cursor: Cursor,
    *,
    is_nested: bool = False,
    words: Collection[str] = (),
) -> None:
    """Read ``key=value,key=value)``; values of a nested call are no calls themselves.

    ``words`` are values that are read as they are, although they may begin with a digit.
    """
    while True:
        begin = cursor.at
        key = cursor.take(_KEY)
        cursor.skip_blanks()
        if key is None or not cursor.take("="):
            cursor.at = begin
            raise _no_key(cursor)
        if key in parameters:
            raise cursor.error(f"{shorten(key)} is given twice", begin)
        cursor.skip_blanks()
        parameters[key] = value = read_value(cursor, words)
        cursor.skip_blanks()
        if not is_nested and isinstance(value, str) and cursor.take("("):
            inner: dict[str, Value] = {}
            cursor.skip_blanks()
            if not cursor.take(")"):
                read_parameters_into(inner, cursor, is_nested=True)
            parameters[key] = format_call(Call(value, inner))
            cursor.skip_blanks()
        if cursor.take(")"):
            return
        cursor.expect(",", "',' or ')'")
        cursor.skip_blanks()


def _no_key(cursor: Cursor) -> BadInputError:
    """Why no ``key=`` comes next."""
    begin = cursor.at
    word = cursor.take(_BARE)
    if word is None:
        return cursor.expected("a key")
    cursor.skip_blanks()
    if cursor.next and cursor.next in ",)":
        return cursor.error(f"{shorten(word)} has no key, and values are given by key", begin)
    if cursor.next != "=":
        return cursor.expected("'='")
    return cursor.error(f"{shorten(word)} cannot be a key", begin)


def read_value(cursor: Cursor, words: Collection[str] = ()) -> Value:
    """Read a number, a truth, a word or a string in quotes; ``words`` are read as they are."""
    begin = cursor.at
    if cursor.next and cursor.next in "'\"":
        quoted = cursor.take(_QUOTED)
        if quoted is None:
            raise cursor.error("this quote is never closed")
        return _ESCAPED.sub(r"\1", quoted[1:-1])
    word = cursor.expect(_BARE, "a value")
    value = word if word in words else _value_of(word)
    if value is None:
        raise cursor.error(f"{shorten(word)} is neither a number that fits nor a word", begin)
    return value


def format_call(call: Call, leave_out: Mapping[str, Value | None] | None = None) -> str:
    """Write a call as its shortest text; parameters with a value in ``leave_out`` are dropped.

    >>> format_call(Call("dcfr", {"alpha": 1.5, "skip": Fraction(1, 2)}))
    'dcfr(alpha=1.5,skip=1/2)'
    >>> format_call(Call("leduc", {"by_rank": False}), leave_out={"by_rank": False})
    'leduc'
    """
    dropped = leave_out or {}
    shown = [
        f"{key}={format_value(value)}"
        for key, value in call.parameters.items()
        if not (key in dropped and dropped[key] == value)
    ]
    return f"{call.name}({','.join(shown)})" if shown else call.name


def format_value(value: Value) -> str:
    """Write one value so that it is read back as an equal one of the same type.

    >>> [format_value(value) for value in (True, 3, 0.001, Fraction(1, 2), "random", "two words")]
    ['true', '3', '0.001', '1/2', 'random', "'two words'"]
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if _NAME.fullmatch(value) and value not in _TRUTH and value not in _INFINITE:
            return value
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return str(value)


def _value_of(word: str) -> Value | None:
    """The number, truth or word that was written; `None` for what is none of them."""
    if word in _TRUTH:
        return _TRUTH[word]
    if word in _INFINITE:
        return _INFINITE[word]
    if _INT.fullmatch(word):
        return int(word)
    if _FRACTION.fullmatch(word):
        above, below = word.split("/")
        return Fraction(int(above), int(below)) if int(below) else None
    if _FLOAT.fullmatch(word):
        number = float(word)
        return number if math.isfinite(number) else None
    return word if _NAME.fullmatch(word) else None


@dataclass(frozen=True, slots=True)
class Between:
    """Limits of a number, both included, to write into an annotation."""

    low: float | Fraction | None = None
    high: float | Fraction | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that a game or an algorithm knows.

    `kinds` are the types it accepts, of ``bool, int, float, Fraction, str``; a whole number is
    also accepted as a decimal one. A `default` of `None` says that it must be given. `choices`
    are the only words it accepts, if there are any.
    """

    name: str
    kinds: tuple[type, ...]
    default: Value | None = None
    limits: Between = Between()
    choices: tuple[str, ...] = ()
    meaning: str = ""

    @property
    def accepts(self) -> str:
        """What may be given, in words.

        >>> Parameter("stack", (int,), 5, Between(2, 1000)).accepts
        'a whole number from 2 to 1000'
        >>> Parameter("order", (str,), "random", choices=("random", "ascending")).accepts
        'random or ascending'
        """
        parts = list(self.choices)
        if not parts:
            parts = [words for kind, words in _KIND_WORDS.items() if kind in self.kinds]
        low, high = self.limits.low, self.limits.high
        text = " or ".join(parts)
        if low is not None and high is not None:
            return f"{text} from {low} to {high}"
        if low is not None:
            return f"{text} of at least {low}"
        return f"{text} of at most {high}" if high is not None else text


_KIND_WORDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    Fraction: "a fraction",
    float: "a number",
    str: "a word",
}


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Read the parameters of a function off its signature.

    Types are annotations (``int``, ``float | Fraction``, ``Literal["a", "b"]``); limits and
    meaning are added to them with `Annotated`. What comes before a ``/`` is no such parameter.

    >>> def holdem(*, stack: Annotated[int, Between(2, 9), "chips of a player"] = 5) -> None: ...
    >>> parameters_of(holdem)[0].accepts, parameters_of(holdem)[0].meaning
    ('a whole number from 2 to 9', 'chips of a player')
    """
    hints = typing.get_type_hints(function, include_extras=True)
    known = []
    for name, entry in inspect.signature(function).parameters.items():
        if entry.kind is entry.POSITIONAL_ONLY:
            continue
        hint = hints[name]
        notes: list[object] = []
        if typing.get_origin(hint) is Annotated:
            hint, *notes = typing.get_args(hint)
        choices: tuple[str, ...] = ()
        if typing.get_origin(hint) is Literal:
            choices, hint = typing.get_args(hint), str
        is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
        kinds = typing.get_args(hint) if is_union else (hint,)
        if not set(kinds) <= set(_KIND_WORDS):
            raise TypeError(f"{function.__qualname__}: {name} cannot be given as text: {hint}")
        default = None if entry.default is entry.empty else entry.default
        limits = next((note for note in notes if isinstance(note, Between)), Between())
        meaning = next((note for note in notes if isinstance(note, str)), "")
        known.append(Parameter(name, kinds, default, limits, choices, meaning))
    return tuple(known)


def bind(call: Call, known: Iterable[Parameter]) -> dict[str, Value]:
    """Give every known parameter the value written for it, or else its default.

    >>> stack = Parameter("stack", (int,), 5, Between(2, 1000))
    >>> bind(Call("nolimit_leduc", {}), [stack])
    {'stack': 5}
    >>> bind(Call("nolimit_leduc", {"stak": 10}), [stack])
    Traceback (most recent call last):
    infoset.errors.BadInputError: nolimit_leduc has no parameter 'stak'; did you mean 'stack'? \
Known: stack
    >>> bind(Call("nolimit_leduc", {"stack": 0}), [stack])
    Traceback (most recent call last):
    infoset.errors.BadInputError: nolimit_leduc: stack must be a whole number from 2 to 1000, not 0
    """
    parameters = {parameter.name: parameter for parameter in known}
    for key in call.parameters:
        if not parameters:
            raise BadInputError(f"{call.name} takes no parameters, so not {shorten(key)}")
        if key not in parameters:
            raise BadInputError(
                f"{call.name} has no parameter {shorten(key)}{nearest(key, parameters)}"
            )
    bound: dict[str, Value] = {}
    for name, parameter in parameters.items():
        if name not in call.parameters:
            if parameter.default is None:
                raise BadInputError(f"{call.name} needs {name}: {parameter.accepts}")
            bound[name] = parameter.default
            continue
        given = call.parameters[name]
        value = _fit(given, parameter)
        if value is None:
            shown = shorten(given) if isinstance(given, str) else _clip(given)
            raise BadInputError(f"{call.name}: {name} must be {parameter.accepts}, not {shown}")
        bound[name] = value
    return bound


def _fit(given: object, parameter: Parameter) -> Value | None:
    """The value as one of the parameter's kinds, or `None` if it is not one of them."""
    if isinstance(given, bool):
        return given if bool in parameter.kinds else None
    if isinstance(given, str):
        is_chosen = given in parameter.choices or not parameter.choices
        return given if str in parameter.kinds and is_chosen else None
    value = _fit_number(given, parameter.kinds)
    if value is None:
        return None
    low, high = parameter.limits.low, parameter.limits.high
    is_inside = (low is None or low <= value) and (high is None or value <= high)
    return value if is_inside else None


def _fit_number(given: object, kinds: Sequence[type]) -> int | float | Fraction | None:
    """The number as the most exact of the kinds that can hold it."""
    if isinstance(given, numbers.Integral) and int in kinds:
        return int(given)
    if isinstance(given, numbers.Rational) and Fraction in kinds:
        return Fraction(int(given.numerator), int(given.denominator))
    if isinstance(given, numbers.Real) and float in kinds:
        try:
            number = float(given)
        except OverflowError:
            return None
        return None if math.isnan(number) else number
    return None


def _clip(given: object) -> str:
    """A number as it would be typed, or its beginning if it is very long."""
    try:
        text = format_value(given) if isinstance(given, int | float | Fraction) else repr(given)
    except ValueError:  # Python refuses to write integers of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 30 else f"{text[:27]}..."
