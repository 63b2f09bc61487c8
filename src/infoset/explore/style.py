"""How figures look, once for all of them. matplotlib is imported only to draw."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset.errors import BadInputError, MissingExtraError, nearest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".pdf", ".png")

# Okabe & Ito (2008): told apart with any kind of colour vision.
BLACK, GREY = "#000000", "#808080"
BLUE, RED, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, SKY, ORANGE = "#CC79A7", "#56B4E9", "#E69F00"

COLOURS = (BLUE, RED, GREEN, PURPLE, BLACK, SKY, ORANGE)
"""For lines of equal rank, in this order; then again with other `DASHES`."""
DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))

_STYLE = {
    # As outlines, so that no viewer's fonts move a label onto a line.
    "svg.fonttype": "path",
    "svg.hashsalt": "infoset",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e5e5e5",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
}


def check_path(path: str | os.PathLike[str]) -> Path:
    """Where a figure goes; refused if it could not be drawn, before anything is computed for it.

    >>> check_path("river.png").name
    'river.png'
    >>> check_path("river.sgv")
    Traceback (most recent call last):
    infoset.errors.BadInputError: a figure cannot be drawn as 'river.sgv'; did you mean '.svg'? \
Known: .pdf, .png, .svg
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        hint = nearest(path.suffix, FORMATS)
        raise BadInputError(f"a figure cannot be drawn as '{path.name}'{hint}")
    _check_matplotlib()
    return path


def _check_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plots", "A figure")


@contextlib.contextmanager
def panels(
    rows: int,
    columns: int,
    *,
    width: float,
    height: float,
    row_heights: Sequence[float] | None = None,
) -> Iterator[tuple[Figure, Any]]:
    """A figure of so many inches with [rows, columns] empty axes, in the house style.

    Rows are of one height unless `row_heights` says how they compare.
    """
    _check_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.subplots(rows, columns, squeeze=False, height_ratios=row_heights)


def plain(text: str) -> str:
    """Text that is drawn as it is: between two dollars, matplotlib would read a formula."""
    return text.replace("$", r"\$")


def write_figure(figure: Figure, path: Path, dpi: int = 160) -> None:
    """Write a figure in the format that its name asks for; the same figure gives the same file."""
    from infoset.machine.storage import write_atomically

    kind = path.suffix.lower().removeprefix(".")
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=dpi, metadata=undated)
    write_atomically(path, buffer.getvalue())


def save(figure: Figure, out: Path, name: str) -> Sequence[Path]:
    """Write a figure as SVG and as PNG."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"{name}.{kind}" for kind in ("svg", "png")]
    for path in paths:
        write_figure(figure, path, dpi=110)
    return paths
