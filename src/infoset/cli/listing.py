"""What there is: games and algorithms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from infoset.calls import Parameter, Value, format_value
from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.output import Column, Table, labels, write_csv, write_json

ALSO = {
    "open_spiel:NAME": "any two-player zero-sum game of OpenSpiel (needs 'infoset[interop]'), "
    "as in open_spiel:liars_dice(numdice=1)",
    "PATH.efg": "a game in a file of Gambit",
    "PATH.toml": "a hold'em spot in a file, TOML or JSON (see docs/spots.md)",
    "River(5k)": "a random hold'em situation, as in 'Turn(5k, seed=3)'",
}


@command(example="infoset games")
def games(json: bool = options.JSON, csv: bool = options.CSV) -> None:
    """List the built-in games with their parameters."""
    from infoset.games import known_games

    known = {game.name: game for game in known_games()}
    if json:
        write_json({"games": _described(known, ("summary",)), "also": ALSO})
        return
    if csv:
        _write_csv("game", "summary", known)
        return
    rows = []
    for name, game in known.items():
        lines = [f"  {_assigned(p)}  {p.meaning} ({p.accepts})" for p in game.parameters]
        rows.append((name, "\n".join([game.summary, *lines])))
    head = "what it is, and its parameters with their defaults"
    Table([labels("game"), _lines("summary", head)], [*rows, *ALSO.items()]).print()
    print("Parameters are written in parentheses: infoset solve 'nolimit_leduc(stack=10)'")


@command(example="infoset algorithms")
def algorithms(json: bool = options.JSON, csv: bool = options.CSV) -> None:
    """List the algorithms, when to use which, and their sources."""
    from infoset.solvers import known_algorithms

    known = known_algorithms()
    if json:
        write_json({"algorithms": _described(known, ("use", "citation"))})
        return
    if csv:
        _write_csv("algorithm", "use", known)
        return
    rows = []
    for name, algorithm in known.items():
        lines = [algorithm.use]
        if algorithm.parameters:
            lines.append("  " + ", ".join(map(_assigned, algorithm.parameters)))
        rows.append((name, "\n".join([*lines, f"  {algorithm.citation}"])))
    head = "when to use it, its parameters with their defaults, its source"
    Table([labels("algorithm"), _lines("use", head)], rows).print()
    meanings = [
        (parameter.name, parameter.meaning, parameter.accepts)
        for parameter in _different(p for algorithm in known.values() for p in algorithm.parameters)
    ]
    Table([*map(labels, ("parameter", "meaning", "accepts"))], meanings).print()
    print("Parameters are written in parentheses:")
    print("infoset solve leduc -a 'dcfr(alpha=1.5,beta=0)'")


def _lines(name: str, head: str) -> Column:
    """A column of words in lines of their own."""
    return Column(name, head, str, is_number=False)


def _described(known: Mapping[str, Any], about: Sequence[str]) -> list[dict[str, Any]]:
    """Some attributes of each game or algorithm, and its parameters, as JSON has them."""
    return [
        {
            "name": name,
            **{attribute: getattr(each, attribute) for attribute in about},
            "parameters": [
                {
                    "name": parameter.name,
                    "default": _plain(parameter.default),
                    "low": _plain(parameter.limits.low),
                    "high": _plain(parameter.limits.high),
                    "choices": list(parameter.choices),
                    "accepts": parameter.accepts,
                    "meaning": parameter.meaning,
                }
                for parameter in each.parameters
            ],
        }
        for name, each in known.items()
    ]


def _write_csv(what: str, about: str, known: Mapping[str, Any]) -> None:
    """A line for each parameter, or for a name that has none."""
    rows: list[tuple[Any, ...]] = []
    for name, each in known.items():
        first = name, getattr(each, about)
        rows += [
            (*first, p.name, _plain(p.default), p.accepts, p.meaning) for p in each.parameters
        ] or [(*first, None, None, None, None)]
    write_csv([what, about, "parameter", "default", "accepts", "meaning"], rows)


def _different(parameters: Iterable[Parameter]) -> list[Parameter]:
    """One parameter of each name and meaning, those of one name together."""
    by_name: dict[str, dict[str, Parameter]] = {}
    for parameter in parameters:
        if parameter.meaning:
            by_name.setdefault(parameter.name, {}).setdefault(parameter.meaning, parameter)
    return [parameter for meanings in by_name.values() for parameter in meanings.values()]


def _assigned(parameter: Parameter) -> str:
    default = "?" if parameter.default is None else format_value(parameter.default)
    return f"{parameter.name}={default}"


def _plain(value: Value | None) -> Any:
    """A value as JSON has it, or as the text that stands for it."""
    if isinstance(value, Fraction) or (isinstance(value, float) and not math.isfinite(value)):
        return format_value(value)
    return value
