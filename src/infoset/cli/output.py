"""How results look: tables for people, one JSON document for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from infoset.strategy import Strategy

__all__ = [
    "Infoset",
    "Infosets",
    "duration",
    "number",
    "print_table",
    "printable",
    "probability",
    "strategy_lines",
    "table",
    "write_json",
]

Infoset = tuple[int, str, Mapping[str, float]]
"""A player, what he knows, and how likely he takes each action there."""

MAX_KEY_WIDTH = 60
"""Longer names of infosets push their own line out, not the whole column."""

LEAST_WORDS = 12
"""Columns to which words are folded at most."""

WIDTH_IN_PIPES = 200
"""Wide enough that no line of a table is folded where a program may read it."""


def write_json(document: Mapping[str, Any], *, indent: int | None = 2) -> None:
    """Print one JSON document."""
    # As one text, so that nothing is printed if something in it cannot be written.
    sys.stdout.write(json.dumps(document, indent=indent, allow_nan=False) + "\n")


def table(*heads: str, numbers: Iterable[str] = ()) -> Table:
    """An empty table; the columns named in ``numbers`` are aligned to the right."""
    out = Table(box=box.SIMPLE_HEAD, show_header=bool(any(heads)), pad_edge=False)
    right = set(numbers)
    for head in heads:
        # Where it gets narrow, words are folded first and numbers last.
        if head in right:
            out.add_column(head, justify="right", no_wrap=True)
        else:
            out.add_column(head, overflow="fold")
    return out


def print_table(shown: Table) -> None:
    """Print a table, folded to the terminal's width; plain and wide where there is none."""
    console = Console(markup=False, highlight=False, emoji=False)
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        console.width = WIDTH_IN_PIPES
    console.width = max(console.width, _least_width(shown))
    with console.capture() as capture:
        console.print(shown)
    # Tables pad their lines to one width, which is noise in a pipe.
    for line in capture.get().splitlines():
        print(line.rstrip())


def _least_width(shown: Table) -> int:
    """Below this, lines had better leave the screen than lose digits and names."""
    width = 0
    for column in shown.columns:
        cells = [str(cell) for cell in (column.header, *column.cells)]
        natural = max(len(line) for cell in cells for line in cell.splitlines() or [""])
        width += 3 + (natural if column.no_wrap else min(natural, LEAST_WORDS))
    return width


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


def probability(p: float) -> str:
    """Three digits, and honest about what is only almost never or almost always done.

    >>> [probability(p) for p in (0.0, 1e-5, 0.25, 0.99999, 1.0)]
    ['0', '<.001', '0.250', '>.999', '1']
    """
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    if p < 0.0005:
        return "<.001"
    return ">.999" if p >= 0.9995 else f"{p:.3f}"


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


@dataclass(frozen=True)
class Infosets:
    """Infosets of a strategy, to go through as often as needed without holding them all."""

    strategy: Strategy
    wanted: Mapping[int, Sequence[int] | None]
    """By player, the numbers of infosets; `None` is all of them."""

    def __iter__(self) -> Iterator[Infoset]:
        for player, numbers in self.wanted.items():
            treeplex = self.strategy.form.treeplexes[player]
            begin = treeplex.infoset_begin.tolist()
            chances = self.strategy.probabilities[player].tolist()
            for i in range(treeplex.num_infosets) if numbers is None else numbers:
                row = chances[begin[i] : begin[i + 1]]
                yield player, treeplex.keys[i], dict(zip(treeplex.labels[i], row, strict=True))


def strategy_lines(infosets: Iterable[Infoset]) -> Iterator[str]:
    """A strategy in aligned lines, one infoset each.

    Not a rich table: this one is also asked to print a million infosets. So that they need not
    all be held at once, ``infosets`` is gone through twice, the first time for the widths.

    >>> lines = strategy_lines([(0, "J:", {"check": 0.8, "bet": 0.2}), (1, "K:bet", {"call": 1.0})])
    >>> for line in lines: print(line)
    player  infoset  strategy
    0       J:       check 0.800  bet 0.200
    1       K:bet    call  1
    """
    key_width = len("infoset")
    widths: list[int] = []
    for _, key, actions in infosets:
        key_width = max(key_width, min(len(printable(key)), MAX_KEY_WIDTH))
        widths.extend([0] * (len(actions) - len(widths)))
        for i, label in enumerate(actions):
            widths[i] = max(widths[i], len(printable(label)))
    yield f"player  {'infoset':{key_width}}  strategy"
    for player, key, actions in infosets:
        cells = "  ".join(
            f"{printable(label):{width}} {probability(p):5}"
            for (label, p), width in zip(actions.items(), widths, strict=False)
        )
        yield f"{player:<6}  {printable(key):{key_width}}  {cells}".rstrip()
