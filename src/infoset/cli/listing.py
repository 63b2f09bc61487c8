"""What there is: games and algorithms."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from infoset.calls import Parameter, Value, format_value
from infoset.cli.app import command
from infoset.cli.options import CsvOption, JsonOption, check_output
from infoset.cli.output import Column, Table, labels, write_csv, write_json

__all__ = ["algorithms", "games"]

ALSO = {
    "open_spiel:NAME": "any two-player zero-sum game of OpenSpiel (needs 'infoset[interop]'), "
    "as in open_spiel:liars_dice(numdice=1)",
    "PATH.efg": "a game in a file of Gambit",
    "PATH.toml": "a hold'em spot in a file, TOML or JSON (see docs/spots.md)",
    "River(5k)": "a random hold'em situation, as in 'Turn(5k, seed=3)'",
}


@command(example="infoset games")
def games(json: JsonOption = False, csv: CsvOption = False) -> None:
    """List the built-in games with their parameters."""
    check_output(json=json, csv=csv)

    from infoset.games import known_games

    known = known_games()
    if json:
        write_json(
            {
                "games": [
                    {
                        "name": game.name,
                        "summary": game.summary,
                        "parameters": [_described(p) for p in game.parameters],
                    }
                    for game in known
                ],
                "also": ALSO,
            }
        )
        return
    if csv:
        described = [(game.name, game.summary, game.parameters) for game in known]
        _write_csv("game", "summary", described)
        return
    rows = []
    for game in known:
        lines = [f"  {_assigned(p)}  {p.meaning} ({p.accepts})" for p in game.parameters]
        rows.append((game.name, "\n".join([game.summary, *lines])))
    head = "what it is, and its parameters with their defaults"
    Table([labels("game"), _lines("summary", head)], [*rows, *ALSO.items()]).print()
    print("Parameters are written in parentheses: infoset solve 'nolimit_leduc(stack=10)'")


@command(example="infoset algorithms")
def algorithms(json: JsonOption = False, csv: CsvOption = False) -> None:
    """List the algorithms, when to use which, and their sources."""
    check_output(json=json, csv=csv)

    from infoset.solvers import known_algorithms

    known = known_algorithms()
    if json:
        write_json(
            {
                "algorithms": [
                    {
                        "name": name,
                        "use": algorithm.use,
                        "citation": algorithm.citation,
                        "parameters": [_described(p) for p in algorithm.parameters],
                    }
                    for name, algorithm in known.items()
                ]
            }
        )
        return
    if csv:
        described = [(name, each.use, each.parameters) for name, each in known.items()]
        _write_csv("algorithm", "use", described)
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
    print("Parameters are written in parentheses: infoset solve leduc -a 'dcfr(alpha=1.5,beta=0)'")


def _lines(name: str, head: str) -> Column:
    """A column of words in lines of their own."""
    return Column(name, head, str, is_number=False)


def _write_csv(
    kind: str, about: str, described: Iterable[tuple[str, str, tuple[Parameter, ...]]]
) -> None:
    """A line for each parameter, or for a name that has none."""
    rows: list[tuple[Any, ...]] = []
    for name, text, parameters in described:
        rows += [
            (name, text, p.name, _plain(p.default), p.accepts, p.meaning) for p in parameters
        ] or [(name, text, None, None, None, None)]
    write_csv([kind, about, "parameter", "default", "accepts", "meaning"], rows)


def _different(parameters: Iterable[Parameter]) -> list[Parameter]:
    """One parameter of each name and meaning, those of one name together."""
    found: dict[str, dict[str, Parameter]] = {}
    for parameter in parameters:
        if parameter.meaning:
            found.setdefault(parameter.name, {}).setdefault(parameter.meaning, parameter)
    return [parameter for meanings in found.values() for parameter in meanings.values()]


def _assigned(parameter: Parameter) -> str:
    if parameter.default is None:
        return f"{parameter.name}=?"
    return f"{parameter.name}={format_value(parameter.default)}"


def _described(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": _plain(parameter.default),
        "low": _plain(parameter.limits.low),
        "high": _plain(parameter.limits.high),
        "choices": list(parameter.choices),
        "accepts": parameter.accepts,
        "meaning": parameter.meaning,
    }


def _plain(value: Value | None) -> Any:
    """A value as JSON has it, or as the text that stands for it."""
    if isinstance(value, Fraction) or (isinstance(value, float) and not math.isfinite(value)):
        return format_value(value)
    return value
