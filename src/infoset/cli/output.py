"""How results look: tables for people, CSV and one JSON document for programs."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 80
"""Columns of a page where there is no terminal; ``COLUMNS`` says otherwise."""

MIN_WORDS = 12
"""Columns to which words are folded at most."""

GAP = "  "


def width() -> int:
    """How many columns a line may have."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return shutil.get_terminal_size((WIDTH, 24)).columns
    return WIDTH


def json_text(document: Mapping[str, Any], *, indent: int | None = 2) -> str:
    """One JSON document, with a line break at its end."""
    return json.dumps(document, indent=indent, allow_nan=False) + "\n"


def write_json(document: Mapping[str, Any], *, indent: int | None = 2) -> None:
    """Print one JSON document, or nothing if something in it cannot be written."""
    sys.stdout.write(json_text(document, indent=indent))


def write_csv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values, with a line of names first."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(["" if _is_missing(cell) else cell for cell in row] for row in rows)


def _is_missing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


@dataclass(frozen=True)
class Column:
    """A column of a table: its name for programs, and how people read it."""

    name: str
    head: str
    show: Callable[[Any], str]
    is_number: bool = True
    """Numbers are aligned to the right and never folded."""


def labels(name: str, head: str | None = None) -> Column:
    """A column of words, folded where it gets narrow."""
    return Column(name, name if head is None else head, lambda cell: printable(str(cell)), False)


@dataclass(frozen=True)
class Table:
    """One description of a table, for people and for programs."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]

    @classmethod
    def of(cls, *columns: tuple[Column, Iterable[Any]]) -> Table:
        """A table from columns, each with its cells."""
        cells = zip(*(of_column for _, of_column in columns), strict=True)
        return cls([column for column, _ in columns], [*cells])

    def write_csv(self) -> None:
        """Print the rows as comma-separated values."""
        write_csv([column.name for column in self.columns], self.rows)

    def print(self) -> None:
        """Print the rows in columns that fit the page, and an empty line."""
        cells = [
            [
                "" if cell is None else column.show(cell)
                for column, cell in zip(self.columns, row, strict=True)
            ]
            for row in self.rows
        ]
        heads = [column.head for column in self.columns]
        _print(heads, cells, [column.is_number for column in self.columns])


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print names and what there is to say of each, folded to the page, and an empty line."""
    _print(None, [[*fact] for fact in facts], [False, False])


def _print(heads: list[str] | None, cells: list[list[str]], numeric: list[bool]) -> None:
    for part in _parts(heads, cells, numeric, width()):
        print(*part, sep="\n", end="\n\n")


def _parts(
    heads: list[str] | None, cells: list[list[str]], numeric: list[bool], page: int
) -> Iterator[list[str]]:
    """The table, or parts of it below each other if the page is narrow, as lines.

    Each part begins with the first column.

    >>> cells = [["AA", "100", "20.5"], ["KK", "3", "-1"]]
    >>> for part in _parts(["hand", "EV", "equity"], cells, [False, True, True], 80):
    ...     print(*part, sep="\\n")
    hand   EV  equity
    -----------------
    AA    100    20.5
    KK      3      -1
    """
    rows = cells if heads is None else [heads, *cells]
    natural = [
        max((len(line) for row in rows for line in row[i].splitlines()), default=0)
        for i in range(len(numeric))
    ]
    least = [
        w if is_number else min(w, MIN_WORDS) for w, is_number in zip(natural, numeric, strict=True)
    ]
    groups: list[list[int]] = [[0]] if numeric else []
    for i in range(1, len(numeric)):
        group = groups[-1]
        if len(group) > 1 and sum(least[j] for j in (*group, i)) + len(GAP) * len(group) > page:
            group = [0]
            groups.append(group)
        group.append(i)
    for group in groups:
        widths = _fitted([natural[i] for i in group], [least[i] for i in group], page)
        of_group = [numeric[i] for i in group]
        folded = [_row([row[i] for i in group], widths, of_group) for row in rows]
        if heads is not None:
            folded[0].append("-" * max(map(len, folded[0])))
        yield [line for row in folded for line in row]


def _fitted(natural: list[int], least: list[int], page: int) -> list[int]:
    """Widths that sum to the page: the widest column that may be folded is, until they do."""
    widths = list(natural)
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - page
    while excess > 0:
        i = max(range(len(widths)), key=lambda i: widths[i] - least[i])
        if widths[i] == least[i]:
            break
        widths[i] -= 1
        excess -= 1
    return widths


def _row(cells: list[str], widths: list[int], numeric: list[bool]) -> list[str]:
    """The lines of one row."""
    columns = [
        [cell.rjust(w)] if is_number else _folded(cell, w)
        for cell, w, is_number in zip(cells, widths, numeric, strict=True)
    ]
    return [
        GAP.join(
            (column[i] if i < len(column) else "").ljust(w)
            for column, w in zip(columns, widths, strict=True)
        ).rstrip()
        for i in range(max(map(len, columns)))
    ]


def _folded(text: str, columns: int) -> list[str]:
    """A text in lines of so many columns; what is indented stays so."""
    out: list[str] = []
    for line in text.splitlines() or [""]:
        if len(line) <= columns:
            out.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        further = indent + "  " if indent else ""
        wrapped = textwrap.wrap(line, columns, subsequent_indent=further, break_on_hyphens=False)
        out += wrapped or [""]
    return out


def printable(text: str) -> str:
    r"""A text on one line, whatever is in it.

    >>> print(printable("P0\nK"))
    P0\nK
    """
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def number(x: float) -> str:
    """Chips, to six digits.

    >>> number(-1 / 18), number(0.00012345678)
    ('-0.0555556', '0.000123457')
    """
    return f"{x:.6g}"


def chips(value: float) -> str:
    """Chips of a spot, to a hundredth; a dash where there is nothing to expect.

    >>> chips(1234.5678), chips(-0.001), chips(float("nan"))
    ('1,234.57', '0.00', '-')
    """
    return "-" if math.isnan(value) else f"{round(value, 2) + 0.0:,.2f}"


def percent(share: float) -> str:
    """A share in percent, honest about what is only almost nothing or almost all.

    >>> [percent(p) for p in (0.0, 1e-5, 0.25, 0.9999, 1.0, float("nan"))]
    ['0', '<0.1', '25.0', '>99.9', '100', '-']
    """
    if math.isnan(share):
        return "-"
    # Sums of single-precision numbers miss 1 by a few units of the seventh digit.
    if share <= 0.0 or share >= 1.0 - 1e-6:
        return "0" if share <= 0.0 else "100"
    if share < 0.0005:
        return "<0.1"
    return ">99.9" if share >= 0.9995 else f"{100 * share:.1f}"


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> [duration(s) for s in (0.0123, 2.5, 75, 4000)]
    ['12.3 ms', '2.5 s', '1 min 15 s', '1 h 6 min']
    """
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"
