"""The parser of ``name(key=value)``: what it reads, what it refuses, and that it never crashes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.calls import (
    Between,
    Call,
    Parameter,
    bind,
    format_call,
    format_value,
    parameters_of,
    parse_call,
)
from infoset.errors import BadInputError, shorten


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("kuhn", "kuhn", {}),
        ("  kuhn ( ) ", "kuhn", {}),
        ("pcfr+", "pcfr+", {}),
        ("hs-dcfr(gamma=2)", "hs-dcfr", {"gamma": 2}),
        ("a(x=1 , y = 2)", "a", {"x": 1, "y": 2}),
        ("a(x=1e-3,y=.5,z=2.)", "a", {"x": 0.001, "y": 0.5, "z": 2.0}),
        ("a(x=inf,y=-inf,z=+7)", "a", {"x": math.inf, "y": -math.inf, "z": 7}),
        ("a(x=-1/3)", "a", {"x": Fraction(-1, 3)}),
        ("a(x=true,y=false,z=True)", "a", {"x": True, "y": False, "z": True}),
        ("a(x=random,y=hs-dcfr)", "a", {"x": "random", "y": "hs-dcfr"}),
        ("""a(x='two words, (yes)',y="it's",z='a\\'b')""", "a", None),
    ],
)
def test_reads(text, name, parameters):
    if parameters is None:
        parameters = {"x": "two words, (yes)", "y": "it's", "z": "a'b"}
    call = parse_call(text)
    assert call == Call(name, parameters)
    assert [type(v) for v in call.parameters.values()] == [type(v) for v in parameters.values()]


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("", 1, "expected a name"),
        ("(x=1)", 1, "expected a name"),
        ("3kuhn", 1, "expected a name"),
        ("kuhn kuhn", 6, "expected nothing more after 'kuhn', found 'k'"),
        ("kuhn)", 5, "found ')'"),
        ("a(", 3, "expected a key, found the end"),
        ("a(x", 4, "expected '=', found the end"),
        ("a(x=", 5, "expected a value, found the end"),
        ("a(x=1", 6, "expected ',' or ')', found the end"),
        ("a(x=1,)", 7, "expected a key, found ')'"),
        ("a(x=1)b", 7, "expected nothing more"),
        ("a(5)", 3, "'5' has no key"),
        ("a(x=1, 5 )", 8, "'5' has no key"),
        ("a(word)", 3, "'word' has no key"),
        ("a(x-y=1)", 3, "'x-y' cannot be a key"),
        ("a(x=1,x=2)", 7, "'x' is given twice"),
        ("a(x=1x)", 5, "'1x' is neither"),
        ("a(x=1/0)", 5, "'1/0' is neither"),
        ("a(x=1e999)", 5, "'1e999' is neither"),
        ("a(x=[1])", 5, "'[1]' is neither"),
        ("a(x=b(y=c(z=1)))", 10, "expected ',' or ')', found '('"),
        ("a(x=1(y=1))", 6, "expected ',' or ')', found '('"),
        ("a(x='open)", 5, "this quote is never closed"),
        ("a(x='open\\", 5, "this quote is never closed"),
        ("a(x==1)", 5, "expected a value, found '='"),
    ],
)
def test_refuses_and_says_where(text, where, problem):
    with pytest.raises(BadInputError) as refused:
        parse_call(text)
    message = str(refused.value)
    assert f"at character {where}:" in message
    assert problem in message
    assert "nolimit_leduc(stack=10)" in message


def test_refuses_long_text_and_other_types():
    with pytest.raises(BadInputError, match="1,001 characters, at most 1,000"):
        parse_call("a" * 1001)
    assert parse_call("a" * 1000).name == "a" * 1000
    for wrong in (None, 5, b"kuhn", ["kuhn"]):
        with pytest.raises(BadInputError, match="expected a name as text"):
            parse_call(wrong)


@given(st.text(max_size=40) | st.text("ab1(=,)'\"\\ /.+-e", max_size=25))
@settings(deadline=None, max_examples=500)
def test_any_text_is_read_or_refused(text):
    try:
        call = parse_call(text)
    except BadInputError:
        return
    again = parse_call(format_call(call))
    assert again == call
    assert format_call(again) == format_call(call)


@given(st.data())
@settings(deadline=None)
def test_one_wrong_letter_is_read_or_refused(data):
    text = "hs-dcfr(alpha=1.5,beta=-inf,skip=1/2,order='a b',on=true)"
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    text = text[:at] + data.draw(st.text(max_size=2)) + text[at + cut :]
    message = ""
    try:
        parse_call(text)
    except BadInputError as error:
        message = str(error)
    assert "\n" not in message  # one sentence, whatever was typed


values = (
    st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.fractions()
    | st.text(max_size=20)
)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_+.\-]{0,10}", fullmatch=True)
keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)


@given(names, st.dictionaries(keys, values, max_size=4))
@settings(deadline=None)
def test_what_is_written_is_read_back(name, parameters):
    call = Call(name, parameters)
    again = parse_call(format_call(call))
    assert again == call
    assert list(map(type, again.parameters.values())) == list(map(type, parameters.values()))


def test_words_that_look_like_values_are_quoted():
    assert [format_value(word) for word in ("true", "inf", "5", "", "a=b")] == [
        "'true'",
        "'inf'",
        "'5'",
        "''",
        "'a=b'",
    ]


def made_up(
    *,
    cards: Annotated[int, Between(2, 10), "how many"] = 3,
    alpha: Annotated[float, Between(low=0)] = 1.5,
    skip: int | Fraction = 0,
    order: Literal["up", "down"] = "up",
    fast: bool = False,
    label: str,
) -> None: ...


KNOWN = parameters_of(made_up)


def test_parameters_are_read_off_a_signature():
    assert [p.name for p in KNOWN] == ["cards", "alpha", "skip", "order", "fast", "label"]
    assert [p.accepts for p in KNOWN] == [
        "a whole number from 2 to 10",
        "a number of at least 0",
        "a whole number or a fraction",
        "up or down",
        "true or false",
        "a word",
    ]
    assert KNOWN[0].meaning == "how many"
    assert KNOWN[3] == Parameter("order", (str,), "up", choices=("up", "down"))
    assert KNOWN[5].default is None


def test_bind_fills_defaults_and_converts():
    bound = bind(parse_call("f(label=x,alpha=2,skip=1/2)"), KNOWN)
    assert bound == {
        "cards": 3,
        "alpha": 2.0,
        "skip": Fraction(1, 2),
        "order": "up",
        "fast": False,
        "label": "x",
    }
    assert isinstance(bound["alpha"], float)
    assert bind(parse_call("f(label=x,alpha=inf)"), KNOWN)["alpha"] == math.inf
    assert bind(parse_call("f(label=x,alpha=1/4)"), KNOWN)["alpha"] == 0.25


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(label=x,crads=3)", "f has no parameter 'crads'; did you mean 'cards'?"),
        ("f", "f needs label: a word"),
        ("f(label=x,cards=1)", "f: cards must be a whole number from 2 to 10, not 1"),
        ("f(label=x,cards=11)", "not 11"),
        ("f(label=x,cards=2.5)", "not 2.5"),
        ("f(label=x,cards=true)", "not true"),
        ("f(label=x,cards=five)", "not 'five'"),
        ("f(label=x,alpha=-1)", "alpha must be a number of at least 0, not -1"),
        ("f(label=x,alpha=nan)", "not 'nan'"),
        ("f(label=x,skip=0.5)", "skip must be a whole number or a fraction, not 0.5"),
        ("f(label=x,order=sideways)", "order must be up or down, not 'sideways'"),
        ("f(label=x,fast=1)", "fast must be true or false, not 1"),
        ("f(label=5)", "label must be a word, not 5"),
        ("f(label=x,alpha=1" + "0" * 400 + ")", "not 100"),
        ("f(label=x,cards=" + "9" * 900 + ")", "not 999"),
    ],
)
def test_bind_refuses(text, message):
    with pytest.raises(BadInputError) as refused:
        bind(parse_call(text), KNOWN)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 200


def test_bind_refuses_what_only_python_can_give():
    for wrong in (None, [], math.nan, 10**5000):
        with pytest.raises(BadInputError, match="alpha must be a number"):
            bind(Call("f", {"label": "x", "alpha": wrong}), KNOWN)
    with pytest.raises(BadInputError, match="kuhn takes no parameters, so not 'cards'"):
        bind(Call("kuhn", {"cards": 3}), [])


def test_parameters_that_text_cannot_give_are_a_programming_error():
    def wrong(*, items: list[int]) -> None: ...

    with pytest.raises(TypeError, match="items cannot be given as text"):
        parameters_of(wrong)


def test_shorten_keeps_messages_short_and_printable():
    assert shorten("a" * 1000) == "'" + "a" * 28 + "..." + "a" * 28 + "'"
    assert shorten("a\nb\ud800") == r"'a\nb\ud800'"
