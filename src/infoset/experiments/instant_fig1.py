"""Figures 1a, 1b and 1c of instant CFR: what instant updates do to each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from infoset.experiments.curves import (
    Comparison,
    Curve,
    Curves,
    Line,
    draw_curves,
    drawing,
    in_mbb,
    rounded,
    spaced,
    write_curves,
)
from infoset.experiments.measurer import each, in_units, on_situations, size_of_situations
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED

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
PAIRED = tuple(name for pair in PAIRS.values() for name in pair)
HYBRIDS = {
    "hybrid CFR+": "hybrid-cfr+",
    "alternating hybrid CFR+": "hybrid-cfr+(alternating=true)",
}
"""DeepStack's method as it is, by which claims about it are judged, and with alternation."""
HYBRID_NOTE = "Hybrid CFR+ updates both players at once, as DeepStack does; all others alternate."
FIRST_DRAWN = 10
STYLES = "Dashed: the original method. Solid: with instant updates."

NEAREST = "nolimit_leduc(stack=5)"
"""The game nearest to the paper's, which is of no limit and of 1.1e4 infosets."""
GAMES = (
    NEAREST,
    "nolimit_leduc(stack=5,ante_in_stack=false)",
    "leduc",
    "leduc5(by_rank=true)",
)


@experiment(
    "instant-fig1a",
    paper=INSTANT,
    artifact="Figure 1a",
    claim="on Leduc all methods converge faster with instant updates; CFR+ beats DCFR; ICFR+ and "
    "IDCFR+ beat CFR, CFR+, DCFR and hybrid CFR+",
)
def instant_fig1a(out: Path, *, quick: bool, progress: Step) -> Report:
    """A thousand iterations of nine methods on four Leduc games, ten times."""
    end, repetitions = (200, 3) if quick else (1000, 10)
    games = GAMES[:3] if quick else GAMES
    algorithms = {text: text for text in ("hybrid-cfr+", *PAIRED)}
    curves = {
        game: in_units(game, repetitions).curves(algorithms, spaced(end), step)
        for game, step in each(games, progress)
    }
    progress(1.0, "drawing")
    write_curves(out / "instant-fig1a-curves.json", curves)
    begin = end // 10
    words = {
        game: [comparison.word for comparison in _compare_pairs(of_game, begin).values()]
        for game, of_game in curves.items()
    }
    nearest = words.pop(NEAREST)
    others = [word for of_game in words.values() for word in of_game]
    return report(
        _leduc_claims(curves[NEAREST], begin),
        f"Claims are checked on {NEAREST}. On the other games, instant updates are better in "
        f"{others.count('better')} of {len(others)} pairs, worse in {others.count('worse')}, "
        f"and in {others.count('unclear')} it depends on rounding.",
        f"'Times lower' compares exploitability over iterations {begin} to {end}; the range "
        f"is over {repetitions} runs that differ in rounding only.",
        rows=[row for game, of_game in curves.items() for row in _leduc_rows(game, of_game, begin)],
        numbers={
            "pairs_better_on_nearest": float(nearest.count("better")),
            "pairs_better_elsewhere": float(others.count("better")),
            "pairs_worse_elsewhere": float(others.count("worse")),
        },
        figures=_draw_leduc(curves, out),
        smaller=quick,
    )


def river_scale(*, quick: bool) -> tuple[int, range]:
    """Iterations, and the seeds of the situations."""
    return (100, range(3)) if quick else (1000, range(30))


def _add_river(name: str, artifact: str, kind: str) -> None:
    """Add a figure of the rivers: a thousand iterations of every method on thirty situations."""

    @experiment(
        name,
        paper=INSTANT,
        artifact=f"{artifact}, {kind}",
        claim="all methods converge faster with instant updates; DCFR is the strongest without "
        "them; IDCFR+ beats CFR, CFR+, DCFR and hybrid CFR+",
    )
    def run(out: Path, *, quick: bool, progress: Step) -> Report:
        end, seeds = river_scale(quick=quick)
        algorithms = {text: text for text in (*HYBRIDS.values(), *PAIRED)}
        curves = on_situations(kind, seeds).curves(algorithms, spaced(end), progress)
        progress(1.0, "drawing")
        write_curves(out / f"{name}-curves.json", {kind: curves})
        begin = end // 10
        first = min(FIRST_DRAWN, begin // 2)
        early = {text: curve.between(first, begin) for text, curve in curves.items()}
        early_times = [f"{m} {c.times:.2f}" for m, c in _compare_pairs(early, first).items()]
        words = [comparison.word for comparison in _compare_pairs(curves, begin).values()]
        size = size_of_situations(kind)
        return report(
            _river_claims(curves, begin),
            f"{kind}: {len(seeds)} random situations of {size['decisions']} decisions and about "
            f"{size['infosets']:,} infosets. Exploitability in chips and thousandths of a big "
            "blind of 100: geometric means over the situations and their 95 % intervals.",
            f"'Times lower' compares exploitability over iterations {begin} to {end}, situation "
            "by situation; 'from' and 'to' are the 95 % interval of the mean.",
            f"Up to iteration {begin} instant updates are, times lower: {', '.join(early_times)}.",
            HYBRID_NOTE,
            rows=_river_rows(curves, begin),
            numbers={
                f"pairs_{word}": float(words.count(word)) for word in ("better", "worse", "unclear")
            },
            figures=_draw_river(name, f"{kind}, {len(seeds)} random situations", curves, out),
            smaller=quick,
        )


_add_river("instant-fig1b", "Figure 1b", "River(5k)")
_add_river("instant-fig1c", "Figure 1c", "River(500)")


def _compare_pairs(curves: Curves, begin: int) -> dict[str, Comparison]:
    """Each method with instant updates against the same without, from an iteration on."""
    return {
        method: curves[instant].against(curves[original], begin)
        for method, (original, instant) in PAIRS.items()
    }


def _instant_claim(curves: Curves, begin: int) -> Claim:
    """The paper's first sentence under each of these figures."""
    comparisons = _compare_pairs(curves, begin)
    return Claim(
        "all methods converge faster with instant updates",
        all(comparison.word == "better" for comparison in comparisons.values()),
        ", ".join(f"{method} {c.times:.2g} times lower" for method, c in comparisons.items()),
    )


def _beats_claim(
    curves: Curves, begin: int, names: Sequence[str], others: Sequence[str], text: str
) -> Claim:
    """That some algorithms beat all of some others."""
    measured = []
    holds = True
    for name in names:
        unbeaten = [o for o in others if curves[name].against(curves[o], begin).word != "better"]
        holds = holds and not unbeaten
        measured.append(f"{name} beats all" + f" but {', '.join(unbeaten)}" * bool(unbeaten))
    return Claim(text, holds, "; ".join(measured))


def _leduc_claims(curves: Curves, begin: int) -> list[Claim]:
    plus, discounted = curves["cfr+"], curves["dcfr"]
    word = plus.against(discounted, begin).word
    ends = f"{plus.last:.1e} against {discounted.last:.1e} chips at the end"
    others = ("cfr", "cfr+", "dcfr", "hybrid-cfr+")
    text = "ICFR+ and IDCFR+ beat CFR, CFR+, DCFR and hybrid CFR+"
    return [
        _instant_claim(curves, begin),
        Claim("CFR+ converges faster than DCFR", word == "better", f"it is {word}, {ends}"),
        _beats_claim(curves, begin, ("icfr+", "idcfr+"), others, text),
    ]


def _river_claims(curves: Curves, begin: int) -> list[Claim]:
    others = ("cfr", "cfr+", *HYBRIDS.values())
    without = "without instant updates DCFR beats CFR, CFR+ and hybrid CFR+"
    text = "IDCFR+ beats CFR, CFR+, DCFR and hybrid CFR+"
    return [
        _instant_claim(curves, begin),
        _beats_claim(curves, begin, ("dcfr",), others, without),
        _beats_claim(curves, begin, ("idcfr+",), ("cfr", "cfr+", "dcfr", *others[2:]), text),
    ]


def _leduc_rows(game: str, curves: Curves, begin: int) -> list[dict[str, Cell]]:
    ends = {name: rounded(curve.last) for name, curve in curves.items()}
    rows: list[dict[str, Cell]] = [
        {
            "game": game,
            "method": method,
            "original": ends[PAIRS[method][0]],
            "instant": ends[PAIRS[method][1]],
            "times lower": rounded(comparison.times),
            "least": rounded(comparison.least),
            "most": rounded(comparison.most),
            "instant is": comparison.word,
        }
        for method, comparison in _compare_pairs(curves, begin).items()
    ]
    return [*rows, {"game": game, "method": "hybrid CFR+", "original": ends["hybrid-cfr+"]}]


def _river_rows(curves: Curves, begin: int) -> list[dict[str, Cell]]:
    rows = [_river_row(label, curves[name]) for label, name in HYBRIDS.items()]
    for method, comparison in _compare_pairs(curves, begin).items():
        original, instant = PAIRS[method]
        compared: dict[str, Cell] = {
            "times lower": rounded(comparison.times),
            "from": rounded(comparison.low),
            "to": rounded(comparison.high),
            "instant is": comparison.word,
        }
        rows.append(_river_row(method, curves[original]))
        rows.append({**_river_row(f"I{method}", curves[instant]), **compared})
    return rows


def _river_row(method: str, curve: Curve) -> dict[str, Cell]:
    return {
        "method": method,
        "exploitability": rounded(curve.last),
        **curve.last_band,
        "mbb": in_mbb(curve.last),
    }


def _draw_methods(axes: Any, curves: Curves, title: str, **style: Any) -> None:
    """A panel of one game: dashed without instant updates, solid with, dotted the hybrids."""
    drawn = {name: curve.since(FIRST_DRAWN) for name, curve in curves.items()}
    lines = {}
    for method, colour in zip(PAIRS, (BLACK, BLUE, RED, GREEN), strict=True):
        original, instant = PAIRS[method]
        lines[method] = Line(drawn[original], colour, (0, (4, 2)))
        lines[f"I{method}"] = Line(drawn[instant], colour)
    for (label, name), colour in zip(HYBRIDS.items(), (PURPLE, ORANGE), strict=True):
        if name in drawn:
            lines[label] = Line(drawn[name], colour, (0, (1, 1.2)))
    draw_curves(axes, lines, shade=0.12)
    iterations = drawn["cfr"].iterations
    axes.set_xlim(iterations[0], iterations[-1])
    axes.set_title(title, **style)


def _draw_leduc(curves: Mapping[str, Curves], out: Path) -> Sequence[Path]:
    title, legend = f"{STYLES} Bands: rounding alone.", {"ncols": 5}
    with drawing(out, "instant-fig1a", 2, 2, size=(9.6, 8.2), title=title, legend=legend) as figure:
        for axes, (game, of_game) in zip(figure.panels, curves.items(), strict=False):
            _draw_methods(axes, of_game, game)
    return figure.files


def _draw_river(name: str, title: str, curves: Curves, out: Path) -> Sequence[Path]:
    ylabel = "exploitability (chips), mean and its 95 % interval"
    with drawing(out, name, size=(6.4, 5.6), ylabel=ylabel, legend={"ncols": 4}) as figure:
        _draw_methods(figure.panels[0], curves, f"{title}\n{STYLES}", fontsize=10)
    return figure.files
