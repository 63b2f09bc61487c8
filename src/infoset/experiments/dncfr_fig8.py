"""Figures 8a and 8b of double neural CFR: mini-batches; robust and average-strategy sampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import exp, log
from pathlib import Path

import numpy as np

from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import INTERVAL, Curve, rounded, spaced, write_curves
from infoset.experiments.dncfr_fig4a import PRINTED
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.experiments.sampling_runs import (
    DOUBLE_NEURAL,
    LEDUC,
    SampledCurve,
    SeedMeasurer,
    cells,
    draw_sampled,
    said,
    sampled,
)
from infoset.explore import BLACK, BLUE, DASHES, GREEN, ORANGE, RED, panels, save

__all__ = ["BATCHES", "PAPER", "batch_claims", "off_by", "versus_claims"]

BATCHES = (1, 10, 50, 100, 500)
EQUAL_NODES = 100
"""Smaller batches go on until they have touched as many nodes as this one."""

REGRETS: Mapping[str, Mapping[str, Cell]] = {
    "regret matching": {},
    "regret matching+": {"regrets": "floored"},
    "regret matching+, linear average": {"regrets": "floored", "gamma": 1},
}

ROBUST, AVERAGE = "robust", "average-strategy"
PAPER = {
    (ROBUST, 1): 0.5035,
    (AVERAGE, 1): 0.5781,
    (ROBUST, 2): 0.2791,
    (AVERAGE, 2): 0.3238,
}
"""Exploitability after 1,000 iterations (appendix C), by method and k."""
KEPT: Mapping[str, Mapping[str, Cell]] = {
    "opponent's nodes": {"averaging": "opponent"},
    "traverser's nodes": {"averaging": "biased"},
    "opponent's nodes, unsampled left": {"averaging": "opponent", "unsampled": "left"},
    "traverser's nodes, unsampled left": {"averaging": "biased", "unsampled": "left"},
}
"""Where robust sampling keeps its average, and whether unsampled actions get a regret."""
SAME, BIASED = "opponent's nodes", "traverser's nodes"
"""As average-strategy sampling must; as Algorithm 4 does."""
PLAIN = "regret matching"

Curves = Mapping[str, SampledCurve]
Ends = Mapping[tuple[str, int], Curve]


# Figure 8a


@experiment(
    "dncfr-fig8a",
    paper=DOUBLE_NEURAL,
    artifact="Figure 8a",
    claim="robust sampling of all actions converges faster with larger mini-batches",
)
def dncfr_fig8a(out: Path, *, quick: bool, progress: Step) -> Report:
    """A thousand iterations with five sizes of mini-batches, and as many nodes with all of them."""
    end, seeds = (100, 3) if quick else (1000, 20)
    variants = {
        "Algorithm 4": PRINTED,
        "average at the opponent's nodes": {**PRINTED, "averaging": "opponent"},
        "regret matching+, linear average": {**PRINTED, **REGRETS[f"{PLAIN}+, linear average"]},
    }
    curves = {}
    for i, (variant, given) in enumerate(variants.items()):
        share = i / len(variants), (i + 1) / len(variants)
        measurer = SeedMeasurer(LEDUC, seeds, progress, share, len(BATCHES))
        curves[variant] = {
            _batch(b): measurer.curve(
                sampled("rs-mccfr", k=measurer.most_actions, b=b, **given), _iterations(end, b)
            )
            for b in BATCHES
        }
    progress(1.0, "drawing")
    write_curves(out / "dncfr-fig8a-curves.json", curves, INTERVAL)
    printed = curves["Algorithm 4"]
    claims = batch_claims(printed, end)
    nodes = _equal_nodes(printed, end)
    per_node = [
        f"{large} beside {small} {said(printed[large].at_nodes(nodes).against(at, 1))}"
        for small, large in pairwise(printed)
        for at in (printed[small].at_nodes(nodes),)
    ]
    return Report(
        verdict=verdict(claims, smaller=quick),
        rows=[row for variant, of_it in curves.items() for row in _batch_rows(variant, of_it, end)],
        numbers={"equal_nodes": rounded(nodes), "iterations": float(end)},
        figures=_draw_batches(printed, end, seeds, out),
        note=note(
            claims,
            f"{LEDUC}, k = max (external sampling), Algorithm 4 as in dncfr-fig4a; geometric "
            f"means over {seeds} seeds and their 95 % intervals.",
            f"Per node (our question, not the paper's), at {nodes:,.0f} nodes: "
            + "; ".join(per_node)
            + ".",
        ),
    )


def _batch(b: int) -> str:
    return f"b = {b}"


def _iterations(end: int, b: int) -> list[int]:
    """Where to measure: up to ``end``, and on to as many nodes as `EQUAL_NODES` blocks touch."""
    return sorted({*spaced(end), *spaced(max(end, end * EQUAL_NODES // b))})


def _equal_nodes(curves: Curves, end: int) -> float:
    """Nodes that every size of mini-batch has touched in the longest runs."""
    return min(
        *(curve.last_nodes for curve in curves.values()),
        curves[_batch(EQUAL_NODES)].between(1, end).last_nodes,
    )


def batch_claims(curves: Curves, end: int) -> list[Claim]:
    """That each size beats the next smaller one over the last nine tenths of the iterations."""
    shared = {name: curve.at(spaced(end)) for name, curve in curves.items()}
    found = {
        f"{large} beside {small}": shared[large].against(shared[small], end // 10)
        for small, large in pairwise(shared)
    }
    return [
        Claim(
            "larger mini-batches are better after the same iterations",
            all(comparison.word == "better" for comparison in found.values()),
            ", ".join(f"{pair} {said(comparison)}" for pair, comparison in found.items()),
        )
    ]


def _batch_rows(variant: str, curves: Curves, end: int) -> list[dict[str, Cell]]:
    nodes = _equal_nodes(curves, end)
    at_end = cells({name: curve.between(1, end) for name, curve in curves.items()})
    at_nodes = cells({name: curve.at_nodes(nodes) for name, curve in curves.items()})
    texts = (f"{variant}, {end:,} iterations", f"{variant}, {rounded(nodes):,.0f} nodes")
    return [
        {"variant": label, **row}
        for text, rows in zip(texts, (at_end, at_nodes), strict=True)
        for label, row in zip((text, "  low", "  high"), rows, strict=True)
    ]


def _draw_batches(curves: Curves, end: int, seeds: int, out: Path) -> Sequence[Path]:
    colours = (BLACK, BLUE, GREEN, RED, ORANGE)
    with panels(1, 2, width=9.6, height=4.9) as (figure, grid):
        for axes, by_nodes in zip(grid[0], (False, True), strict=True):
            lines = {
                name: (curve if by_nodes else curve.between(1, end), colour, "-")
                for (name, curve), colour in zip(curves.items(), colours, strict=True)
            }
            draw_sampled(axes, lines, by_nodes=by_nodes)
        grid[0, 0].set_title("the same iterations")
        grid[0, 1].set_title("the same nodes: small b runs longer")
        grid[0, 0].set_ylabel("exploitability (chips, NashConv / 2)")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(BATCHES))
        figure.suptitle(
            f"{LEDUC}, k = max. Means over {seeds} seeds and their 95 % intervals.", fontsize=11
        )
        return save(figure, out, "dncfr-fig8a")


# Figure 8b


@experiment(
    "dncfr-fig8b",
    paper=DOUBLE_NEURAL,
    artifact="Figure 8b",
    claim="after 1,000 iterations robust sampling is better than average-strategy sampling: 0.5035 "
    "and 0.5781 with k = 1, 0.2791 and 0.3238 with k = 2",
)
def dncfr_fig8b(out: Path, *, quick: bool, progress: Step) -> Report:
    """A thousand iterations of both, with every way to keep regrets and averages."""
    # No fewer iterations in the quick mode: the paper's numbers are those after 1,000.
    seeds, points = 3 if quick else 20, spaced(1000, 30)
    tried = [PLAIN] if quick else list(REGRETS)
    measurer = SeedMeasurer(LEDUC, seeds, progress, (0.0, 1.0), 2 * len(tried) * (1 + len(KEPT)))
    curves: dict[str, dict[str, SampledCurve]] = {}
    for regrets in tried:
        both = {"b": 100, "alternating": False, **REGRETS[regrets]}
        curves[regrets] = {
            f"{AVERAGE}, k = {k}": measurer.curve(
                sampled("as-mccfr", k=k, tau=0, beta=0, **both), points
            )
            for k in (1, 2)
        }
        for kept, how in KEPT.items():
            for k in (1, 2):
                curves[regrets][f"{ROBUST}, k = {k}, {kept}"] = measurer.curve(
                    sampled("rs-mccfr", k=k, **both, **how), points
                )
    progress(1.0, "drawing")
    write_curves(out / "dncfr-fig8b-curves.json", curves, INTERVAL)
    claims = versus_claims(_ends(curves[PLAIN], SAME), _ends(curves[PLAIN], BIASED))
    fits = {
        (regrets, kept): off_by(_ends(of_it, kept))
        for regrets, of_it in curves.items()
        for kept in KEPT
    }
    nearest = min(fits, key=lambda variant: fits[variant])
    return Report(
        verdict=verdict(claims, smaller=quick),
        rows=_versus_rows(curves, fits),
        numbers={
            "off_by_same_averaging": rounded(fits[PLAIN, SAME]),
            "off_by_algorithm_4": rounded(fits[PLAIN, BIASED]),
            "off_by_nearest": rounded(fits[nearest]),
        },
        figures=_draw_versus(curves[PLAIN], seeds, out),
        note=note(
            claims,
            f"{LEDUC}, 100 blocks; average-strategy sampling with epsilon = k / number of actions, "
            "tau = 0 and beta = 0, so that each action is followed by itself with that "
            "probability. Both players walk against the same strategies, as in Algorithm 4.",
            "Average-strategy sampling needs the average at the opponent's nodes. The comparison "
            "is with robust sampling that keeps it there too; beside it, with Algorithm 4's.",
            f"Nearest to the four numbers: {nearest[0]}, robust average at {nearest[1]}, typically "
            f"{fits[nearest]:.2f} times off.",
            f"Geometric means over {seeds} seeds and their 95 % intervals.",
        ),
    )


def _ends(curves: Curves, kept: str) -> Ends:
    """By method and k: the curves of one variant, as the paper's four numbers are."""
    return {
        (method, k): curves[f"{method}, k = {k}" + (f", {kept}" if method == ROBUST else "")]
        for method, k in PAPER
    }


def versus_claims(same: Ends, printed: Ends) -> list[Claim]:
    """That robust sampling ends lower, for either k, and that the ends are those printed."""
    claims = []
    for k in (1, 2):
        robust, other = same[ROBUST, k], same[AVERAGE, k]
        found = robust.against(other, int(robust.iterations[-1]))
        claims.append(
            Claim(
                f"with k = {k} robust sampling ends lower",
                found.word == "better",
                f"{said(found)}; {robust.last:.4f} against {other.last:.4f}",
            )
        )
    outside = {
        key: (paper, low, high)
        for key, paper in PAPER.items()
        for low, high in ((printed[key].runs[:, -1].min(), printed[key].runs[:, -1].max()),)
        if not low <= paper <= high
    }
    claims.append(
        Claim(
            "the four numbers are among our runs",
            not outside,
            "; ".join(
                f"{method} k = {k}: {paper} in the paper, {low:.4f} to {high:.4f} here"
                for (method, k), (paper, low, high) in outside.items()
            )
            or "all four are",
        )
    )
    return claims


def off_by(ends: Ends) -> float:
    """How many times higher or lower than printed the four numbers are, typically."""
    logs = [log(ends[key].last / paper) for key, paper in PAPER.items()]
    return exp(float(np.sqrt(np.mean(np.square(logs)))))


def _versus_rows(
    curves: Mapping[str, Curves], fits: Mapping[tuple[str, str], float]
) -> list[dict[str, Cell]]:
    heads = {key: f"{key[0]}, k = {key[1]}" for key in PAPER}
    rows: list[dict[str, Cell]] = [
        {"regrets": "the paper", **{heads[key]: paper for key, paper in PAPER.items()}}
    ]
    for (regrets, kept), fit in fits.items():
        of_it = _ends(curves[regrets], kept)
        found, low, high = cells({heads[key]: curve for key, curve in of_it.items()})
        rows.append({"regrets": regrets, "robust average": kept, **found, "off by": rounded(fit)})
        if regrets == PLAIN:
            rows += [{"regrets": "  low", **low}, {"regrets": "  high", **high}]
    return rows


def _draw_versus(curves: Curves, seeds: int, out: Path) -> Sequence[Path]:
    with panels(1, 2, width=9.6, height=5.2) as (figure, grid):
        for axes, by_nodes in zip(grid[0], (False, True), strict=True):
            lines: dict[str, tuple[SampledCurve, str, object]] = {}
            for k, colour in ((1, BLUE), (2, RED)):
                lines[f"robust, k = {k}"] = (curves[f"{ROBUST}, k = {k}, {SAME}"], colour, "-")
                lines[f"robust, k = {k}, average as in Algorithm 4"] = (
                    curves[f"{ROBUST}, k = {k}, {BIASED}"],
                    colour,
                    DASHES[2],
                )
                lines[f"average-strategy, k = {k}"] = (
                    curves[f"{AVERAGE}, k = {k}"],
                    BLACK,
                    DASHES[k - 1],
                )
            draw_sampled(axes, lines, by_nodes=by_nodes)
        axes = grid[0, 0]
        for (method, k), paper in PAPER.items():
            axes.plot(
                [1000],
                [paper],
                marker="o" if method == ROBUST else "s",
                markersize=6,
                color=BLUE if k == 1 else RED,
                markerfacecolor="none" if method == AVERAGE else None,
                linestyle="none",
                label=f"the paper: {method}, k = {k}",
                clip_on=False,
            )
        axes.set_ylabel("exploitability (chips, NashConv / 2)")
        named = dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
        # A column for each k.
        labels = sorted(named, key=lambda label: "k = 2" in label)
        handles = [named[label] for label in labels]
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=9)
        figure.suptitle(
            f"{LEDUC}, 100 blocks. Means over {seeds} seeds and their 95 % intervals.",
            fontsize=11,
        )
        return save(figure, out, "dncfr-fig8b")
