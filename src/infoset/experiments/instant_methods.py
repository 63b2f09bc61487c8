"""Shared by Figures 1a, 1b and 1c of instant CFR: methods, comparisons, and drawing styles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from infoset.experiments.claims import Claim
from infoset.experiments.convergence import Band, Comparison, Curve
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED

__all__ = [
    "FIRST_DRAWN",
    "HYBRIDS",
    "HYBRID_NOTE",
    "INSTANT",
    "PAIRS",
    "algorithms_with",
    "beats_claim",
    "compare_pairs",
    "draw_methods",
    "instant_claim",
]

INSTANT = (
    "Li, Hu, Qi & Song 2019, Efficient CFR for Imperfect Information Games with Instant Updates"
)

PAIRS = {
    "CFR": ("cfr", "icfr"),
    "CFR+": ("cfr+", "icfr+"),
    "DCFR": ("dcfr", "idcfr"),
    "DCFR+": ("dcfr+(gamma=2)", "idcfr+"),
}
"""Each method without and with instant updates, all else equal."""
HYBRIDS = {
    "hybrid CFR+": "hybrid-cfr+",
    "alternating hybrid CFR+": "hybrid-cfr+(alternating=true)",
}
"""DeepStack's method as it is, by which claims about it are judged, and with alternation."""
HYBRID_NOTE = "Hybrid CFR+ updates both players at once, as DeepStack does; all others alternate."
FIRST_DRAWN = 10

Curves = Mapping[str, Curve]


def algorithms_with(hybrids: Mapping[str, str]) -> list[str]:
    """All that run: hybrids of CFR+, by label, and the pairs."""
    return [*hybrids.values(), *(name for pair in PAIRS.values() for name in pair)]


def compare_pairs(curves: Curves, begin: int) -> dict[str, Comparison]:
    """Each method with instant updates against the same without, from an iteration on."""
    return {
        method: curves[instant].against(curves[original], begin)
        for method, (original, instant) in PAIRS.items()
    }


def instant_claim(curves: Curves, begin: int) -> Claim:
    """The paper's first sentence under each of these figures."""
    found = compare_pairs(curves, begin)
    return Claim(
        "all methods converge faster with instant updates",
        all(comparison.word == "better" for comparison in found.values()),
        ", ".join(f"{method} {c.times:.2g} times lower" for method, c in found.items()),
    )


def beats_claim(
    text: str, curves: Curves, names: Iterable[str], others: Sequence[str], begin: int
) -> Claim:
    """That some algorithms beat all of some others."""
    unbeaten = {
        name: [o for o in others if curves[name].against(curves[o], begin).word != "better"]
        for name in names
    }
    return Claim(
        text,
        not any(unbeaten.values()),
        "; ".join(
            f"{name} beats all but {', '.join(those)}" if those else f"{name} beats all"
            for name, those in unbeaten.items()
        ),
    )


def draw_methods(axes: Any, curves: Curves, hybrids: Mapping[str, str], band: Band) -> None:
    """A panel of one game: dashed without instant updates, solid with, dotted the hybrids."""
    colours = dict(zip(PAIRS, (BLACK, BLUE, RED, GREEN), strict=True))
    lines: list[tuple[str, str, str, Any]] = []
    for method, (original, instant) in PAIRS.items():
        lines.append((original, method, colours[method], (0, (4, 2))))
        lines.append((instant, f"I{method}", colours[method], "-"))
    for (label, name), colour in zip(hybrids.items(), (PURPLE, ORANGE), strict=False):
        lines.append((name, label, colour, (0, (1, 1.2))))
    for name, label, colour, dashes in lines:
        curve = curves[name].since(FIRST_DRAWN)
        axes.plot(curve.iterations, curve.typical, color=colour, linestyle=dashes, label=label)
        axes.fill_between(
            curve.iterations, *band.ends(curve), color=colour, alpha=0.12, linewidth=0
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(curve.iterations[0], curve.iterations[-1])
