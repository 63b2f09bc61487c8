"""Figures 8a and 8b of double neural CFR: mini-batches; robust and average-strategy sampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path

from infoset.experiments.curves import (
    Curve,
    Curves,
    Line,
    drawing,
    end_rows,
    rounded,
    spaced,
    write_curves,
)
from infoset.experiments.dncfr_fig4a import (
    DOUBLE_NEURAL,
    LEDUC,
    MOST_ACTIONS,
    PRINTED,
    VARIANTS,
    Parameters,
    draw_sampled,
    off_by,
    sampled,
)
from infoset.experiments.measurer import each, with_seeds
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK, BLUE, DASHES, GREEN, ORANGE, RED

BATCHES = (1, 10, 50, 100, 500)
EQUAL_NODES = 100
"""Smaller batches go on until they have touched as many nodes as this one."""

REGRETS: Mapping[str, Parameters] = {
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
KEPT: Mapping[str, Parameters] = {
    "opponent's nodes": {"averaging": "opponent"},
    "traverser's nodes": {"averaging": "biased"},
    "opponent's nodes, unsampled left": {"averaging": "opponent", "unsampled": "left"},
    "traverser's nodes, unsampled left": {"averaging": "biased", "unsampled": "left"},
}
"""Where robust sampling keeps its average, and whether unsampled actions get a regret."""
SAME, BIASED = "opponent's nodes", "traverser's nodes"
"""As average-strategy sampling must; as Algorithm 4 does."""
PLAIN = "regret matching"

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
    others = ("average at the opponent's nodes", "regret matching+, linear average")
    variants = {"Algorithm 4": PRINTED, **{name: VARIANTS[name] for name in others}}
    measurer = with_seeds(LEDUC, seeds)
    curves: dict[str, dict[str, Curve]] = {variant: {} for variant in variants}
    for (variant, b), step in each([*product(variants, BATCHES)], progress):
        text = sampled("rs-mccfr", k=MOST_ACTIONS[LEDUC], b=b, **variants[variant])
        # Up to the end, and on to as many nodes as `EQUAL_NODES` blocks touch.
        points = sorted({*spaced(end), *spaced(max(end, end * EQUAL_NODES // b))})
        curves[variant][_batch(b)] = measurer.curve(text, points, step)
    progress(1.0, "drawing")
    write_curves(out / "dncfr-fig8a-curves.json", curves, by_nodes=True)
    printed = curves["Algorithm 4"]
    nodes = _equal_nodes(printed, end)
    at_nodes = {name: curve.at_nodes(nodes) for name, curve in printed.items()}
    per_node = [
        f"{large} beside {small} {at_nodes[large].against(at_nodes[small], 1)}"
        for small, large in pairwise(printed)
    ]
    return report(
        batch_claims(printed, end),
        f"{LEDUC}, k = max (external sampling), Algorithm 4 as in dncfr-fig4a; geometric "
        f"means over {seeds} seeds and their 95 % intervals.",
        f"Per node (our question, not the paper's), at {nodes:,.0f} nodes: {'; '.join(per_node)}.",
        rows=[row for variant, of_it in curves.items() for row in _batch_rows(variant, of_it, end)],
        numbers={"equal_nodes": rounded(nodes), "iterations": float(end)},
        figures=_draw_batches(printed, end, seeds, out),
        smaller=quick,
    )


def _batch(b: int) -> str:
    return f"b = {b}"


def _equal_nodes(curves: Curves, end: int) -> float:
    """Nodes that every size of mini-batch has touched in the longest runs."""
    return min(
        *(curve.last_nodes for curve in curves.values()),
        curves[_batch(EQUAL_NODES)].between(1, end).last_nodes,
    )


def batch_claims(curves: Curves, end: int) -> list[Claim]:
    """That each size beats the next smaller one over the last nine tenths of the iterations."""
    shared = {name: curve.at(spaced(end)) for name, curve in curves.items()}
    compared = {
        f"{large} beside {small}": shared[large].against(shared[small], end // 10)
        for small, large in pairwise(shared)
    }
    return [
        Claim(
            "larger mini-batches are better after the same iterations",
            all(comparison.word == "better" for comparison in compared.values()),
            ", ".join(f"{pair} {comparison}" for pair, comparison in compared.items()),
        )
    ]


def _batch_rows(variant: str, curves: Curves, end: int) -> list[dict[str, Cell]]:
    nodes = _equal_nodes(curves, end)
    at_end = {name: curve.between(1, end) for name, curve in curves.items()}
    at_nodes = {name: curve.at_nodes(nodes) for name, curve in curves.items()}
    return [
        *end_rows("variant", f"{variant}, {end:,} iterations", at_end),
        *end_rows("variant", f"{variant}, {rounded(nodes):,.0f} nodes", at_nodes),
    ]


def _draw_batches(curves: Curves, end: int, seeds: int, out: Path) -> Sequence[Path]:
    colours = (BLACK, BLUE, GREEN, RED, ORANGE)
    title = f"{LEDUC}, k = max. Means over {seeds} seeds and their 95 % intervals."
    legend = {"ncols": len(BATCHES)}
    with drawing(out, "dncfr-fig8a", 1, 2, size=(9.6, 4.9), title=title, legend=legend) as figure:
        for axes, by_nodes in zip(figure.panels, (False, True), strict=True):
            lines = {
                name: Line(curve if by_nodes else curve.between(1, end), colour)
                for (name, curve), colour in zip(curves.items(), colours, strict=True)
            }
            draw_sampled(axes, lines, by_nodes=by_nodes)
            words = "nodes: small b runs longer" if by_nodes else "iterations"
            axes.set_title(f"the same {words}")
    return figure.files


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
    measurer = with_seeds(LEDUC, seeds)
    curves = {
        regrets: measurer.curves(_algorithms(REGRETS[regrets]), points, step)
        for regrets, step in each(tried, progress)
    }
    progress(1.0, "drawing")
    write_curves(out / "dncfr-fig8b-curves.json", curves, by_nodes=True)
    fits = {
        (regrets, kept): ends_off_by(_ends(of_it, kept))
        for regrets, of_it in curves.items()
        for kept in KEPT
    }
    nearest = min(fits, key=lambda variant: fits[variant])
    return report(
        versus_claims(_ends(curves[PLAIN], SAME), _ends(curves[PLAIN], BIASED)),
        f"{LEDUC}, 100 blocks; average-strategy sampling with epsilon = k / number of actions, "
        "tau = 0 and beta = 0, so that each action is followed by itself with that "
        "probability. Both players walk against the same strategies, as in Algorithm 4.",
        "Average-strategy sampling needs the average at the opponent's nodes. The comparison "
        "is with robust sampling that keeps it there too; beside it, with Algorithm 4's.",
        f"Nearest to the four numbers: {nearest[0]}, robust average at {nearest[1]}, typically "
        f"{fits[nearest]:.2f} times off.",
        f"Geometric means over {seeds} seeds and their 95 % intervals.",
        rows=_versus_rows(curves, fits),
        numbers={
            "off_by_same_averaging": rounded(fits[PLAIN, SAME]),
            "off_by_algorithm_4": rounded(fits[PLAIN, BIASED]),
            "off_by_nearest": rounded(fits[nearest]),
        },
        figures=_draw_versus(curves[PLAIN], seeds, out),
        smaller=quick,
    )


def _algorithms(regrets: Parameters) -> dict[str, str]:
    """By name: average-strategy sampling, and robust sampling with every way to average."""
    both: Parameters = {"b": 100, "alternating": False, **regrets}
    return {
        **{f"{AVERAGE}, k = {k}": sampled("as-mccfr", k=k, tau=0, beta=0, **both) for k in (1, 2)},
        **{
            f"{ROBUST}, k = {k}, {kept}": sampled("rs-mccfr", k=k, **both, **how)
            for kept, how in KEPT.items()
            for k in (1, 2)
        },
    }


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
        comparison = robust.against(other, int(robust.iterations[-1]))
        claims.append(
            Claim(
                f"with k = {k} robust sampling ends lower",
                comparison.word == "better",
                f"{comparison}; {robust.last:.4f} against {other.last:.4f}",
            )
        )
    outside = []
    for (method, k), paper in PAPER.items():
        ends = printed[method, k].runs[:, -1]
        low, high = ends.min(), ends.max()
        if not low <= paper <= high:
            here = f"{paper} in the paper, {low:.4f} to {high:.4f} here"
            outside.append(f"{method} k = {k}: {here}")
    text = "the four numbers are among our runs"
    return [*claims, Claim(text, not outside, "; ".join(outside) or "all four are")]


def ends_off_by(ends: Ends) -> float:
    """How many times higher or lower than printed the four numbers are, typically."""
    return off_by(ends[key].last / paper for key, paper in PAPER.items())


def _versus_rows(
    curves: Mapping[str, Curves], fits: Mapping[tuple[str, str], float]
) -> list[dict[str, Cell]]:
    heads = {(method, k): f"{method}, k = {k}" for method, k in PAPER}
    rows: list[dict[str, Cell]] = [
        {"regrets": "the paper", **{heads[key]: paper for key, paper in PAPER.items()}}
    ]
    for (regrets, kept), fit in fits.items():
        of_it = {heads[key]: curve for key, curve in _ends(curves[regrets], kept).items()}
        ends, *bands = end_rows("regrets", regrets, of_it)
        rows.append({"regrets": regrets, "robust average": kept, **ends, "off by": rounded(fit)})
        if regrets == PLAIN:
            rows += bands
    return rows


def _draw_versus(curves: Curves, seeds: int, out: Path) -> Sequence[Path]:
    lines = {}
    for k, colour in ((1, BLUE), (2, RED)):
        robust, biased = (curves[f"{ROBUST}, k = {k}, {kept}"] for kept in (SAME, BIASED))
        average = curves[f"{AVERAGE}, k = {k}"]
        lines[f"robust, k = {k}"] = Line(robust, colour)
        lines[f"robust, k = {k}, average as in Algorithm 4"] = Line(biased, colour, DASHES[2])
        lines[f"average-strategy, k = {k}"] = Line(average, BLACK, DASHES[k - 1])
    legend = {"ncols": 2, "fontsize": 9}

    def order(label: str) -> int:
        """A column for each k."""
        return "k = 2" in label

    title = f"{LEDUC}, 100 blocks. Means over {seeds} seeds and their 95 % intervals."
    with drawing(
        out, "dncfr-fig8b", 1, 2, size=(9.6, 5.2), title=title, legend=legend, order=order
    ) as figure:
        for axes, by_nodes in zip(figure.panels, (False, True), strict=True):
            draw_sampled(axes, lines, by_nodes=by_nodes)
        for (method, k), paper in PAPER.items():
            figure.panels[0].plot(
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
    return figure.files
