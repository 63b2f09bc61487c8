"""The trees of the essay's Figures 1 and 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from infoset.experiments.essay_visit import Visit
from infoset.explore import BLUE, GREY, RED, panels, save
from infoset.games import TERMINAL

__all__ = ["draw_infosets", "draw_trace"]

COLOURS = {0: BLUE, 1: RED}

# Where each history of a deal stands: leaves side by side, parents between their children.
PLACES = {
    "": (1.75, 0.0),
    "p": (0.75, 1.0),
    "b": (3.5, 1.0),
    "pp": (0.0, 2.0),
    "pb": (1.5, 2.0),
    "bp": (3.0, 2.0),
    "bb": (4.0, 2.0),
    "pbp": (1.0, 3.0),
    "pbb": (2.0, 3.0),
}


def _actions(visit: Visit) -> str:
    """The part of a history after the deal."""
    return visit.history.partition("]")[2]


def _draw_tree(axes: Any, visits: Sequence[Visit], x: float, size: float) -> None:
    """Edges with their actions, and a disc a node: who acts, or what player 1 wins."""
    for visit in visits:
        at = _actions(visit)
        h, depth = PLACES[at]
        if at:
            above, _ = PLACES[at[:-1]]
            axes.plot([x + above, x + h], [1 - depth, -depth], color=GREY, linewidth=1, zorder=1)
            axes.annotate(
                at[-1],
                (x + (above + h) / 2, 0.5 - depth),
                xytext=(-0.5 * size if h < above else 0.5 * size, 4),
                textcoords="offset points",
                ha="center",
                va="center",
                style="italic",
                color="#404040",
            )
        if visit.player == TERMINAL:
            axes.annotate(
                f"{int(visit.value):+d}".replace("-", "\N{MINUS SIGN}"),
                (x + h, -depth),
                ha="center",
                va="center",
                weight="bold",
                bbox={"boxstyle": "square,pad=0.25", "facecolor": "#f0f0f0", "edgecolor": GREY},
            )
        else:
            axes.plot(x + h, -depth, "o", markersize=size, color=COLOURS[visit.player], zorder=2)
            axes.annotate(
                str(visit.player + 1),
                (x + h, -depth),
                ha="center",
                va="center",
                color="white",
                weight="bold",
            )


def draw_infosets(deals: Mapping[str, Sequence[Visit]], out: Path) -> Sequence[Path]:
    """Figure 1: the trees of three deals, histories of one infoset joined."""
    width = 5.2
    with panels(1, 1, width=9.6, height=4.3) as (figure, grid):
        axes = grid[0, 0]
        axes.axis("off")
        left = {cards: i * width for i, cards in enumerate(deals)}
        root = (left["QJ"] + PLACES[""][0], 1.0)
        axes.plot(*root, "s", markersize=15, color=GREY, zorder=2)
        axes.annotate("c", root, ha="center", va="center", color="white", weight="bold")
        for cards, visits in deals.items():
            top = left[cards] + PLACES[""][0]
            axes.plot([root[0], top], [1, 0], color=GREY, linewidth=1, zorder=1)
            axes.annotate(
                f"[{cards}]",
                (root[0] + 0.55 * (top - root[0]), 0.45),
                ha="center",
                va="center",
                bbox={"boxstyle": "square,pad=0.2", "facecolor": "white", "edgecolor": "none"},
            )
            _draw_tree(axes, visits, left[cards], 17)
        for here, there, joined, player in (
            ("QK", "QJ", ("", "pb"), 0),
            ("QJ", "KJ", ("p", "b"), 1),
        ):
            for at in joined:
                h, depth = PLACES[at]
                axes.annotate(
                    "",
                    (left[here] + h, -depth),
                    (left[there] + h, -depth),
                    zorder=1,
                    arrowprops={
                        "arrowstyle": "-",
                        "connectionstyle": f"arc3,rad={0.14 if at == 'p' else -0.14}",
                        "linestyle": (0, (5, 3)) if player == 0 else (0, (1, 2)),
                        "linewidth": 1.6,
                        "color": COLOURS[player],
                        "shrinkA": 9,
                        "shrinkB": 3,
                    },
                )
        axes.plot([], [], color=BLUE, linestyle=(0, (5, 3)), label="one infoset of player 1")
        axes.plot([], [], color=RED, linestyle=(0, (1, 2)), label="one infoset of player 2")
        axes.legend(loc="lower center", ncols=2, bbox_to_anchor=(0.5, -0.08))
        axes.set_title("Kuhn poker after three of the six deals: payoffs to player 1, in chips")
        axes.set_xlim(-0.4, 2 * width + 4.4)
        axes.set_ylim(-3.35, 1.25)
        return save(figure, out, "essay-fig1")


def draw_trace(visits: Sequence[Visit], out: Path) -> Sequence[Path]:
    """Figure 2: every history with its arguments, its value, and what is added at its infoset."""
    with panels(1, 1, width=9.6, height=6.4) as (figure, grid):
        axes = grid[0, 0]
        axes.axis("off")
        _draw_tree(axes, visits, 0.0, 19)
        for visit in visits:
            at = _actions(visit)
            ends = visit.player == TERMINAL
            # Beside the edge that leads here, and above those that leave.
            is_left = at.endswith("p")
            beside, lift = -16 if is_left else 16, {"": 34, "pb": 16}.get(at, 0)
            axes.annotate(
                f"[{visit.history}, {visit.reach[0]}, {visit.reach[1]}]",
                (PLACES[at][0], -PLACES[at][1]),
                xytext=(0, -18) if ends else (beside, 11 + lift),
                textcoords="offset points",
                ha="center" if ends else "right" if is_left else "left",
                va="center",
                fontsize=8.5,
                bbox={"boxstyle": "square,pad=0.25", "facecolor": "white", "edgecolor": GREY},
            )
            if not ends:
                axes.annotate(
                    _findings(visit),
                    (PLACES[at][0], -PLACES[at][1]),
                    xytext=(beside, lift),
                    textcoords="offset points",
                    ha="right" if is_left else "left",
                    va="top",
                    fontsize=9,
                    color=COLOURS[visit.player],
                    linespacing=1.35,
                )
        axes.set_title(
            "CFR(∅, 1, 1, 1.0, 1.0) on Kuhn poker with queen and jack dealt, both players uniform\n"
            "boxes: [h, π₁, π₂];  r and μ: what is added at the infosets of player 1",
        )
        axes.set_xlim(-0.6, 4.7)
        axes.set_ylim(-3.3, 0.55)
        return save(figure, out, "essay-fig2")


def _findings(visit: Visit) -> str:
    """What is worked out at a history, a line each."""
    lines = [f"v = {float(visit.value):g}"]
    if visit.regrets:
        for name, vector in (("r", visit.regrets), ("μ", visit.strategy_sums)):
            p, b = (f"{float(x):+g}".replace("-", "\N{MINUS SIGN}") for x in vector)
            lines.append(f"{name}:  p {p},  b {b}")
    return "\n".join(lines)
