"""The essay's Kuhn example: one call of CFR for player 1 when queen and jack are dealt.

The essay's players 1 and 2 are 0 and 1 in this package. Its "pass" is our check or fold, its
"bet" our bet or call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import infoset
from infoset.evaluation import infoset_regrets
from infoset.experiments.essay_rps import ESSAY, Vector, match_regrets, written
from infoset.experiments.registry import Claim, Report, Step, experiment, report
from infoset.explore import BLUE, GREY, RED, panels, save
from infoset.games import TERMINAL, State, make

SHORT = {"check": "p", "fold": "p", "bet": "b", "call": "b"}

VALUE = Fraction(9, 8)
"""What queen against jack is worth to player 1 when both play uniformly, worked out by hand."""


@dataclass(frozen=True)
class DealtKuhn:
    """Kuhn poker once chance has dealt these cards."""

    cards: str
    name: str = "kuhn after the deal"

    def root(self) -> State:
        """Player 0 is to act, the cards are dealt."""
        state = make("kuhn").root()
        for card in self.cards:
            state = state.child(card)
        return state


@dataclass(frozen=True)
class Visit:
    """What Algorithm 1 finds at one history: its arguments, and what it works out there."""

    history: str
    player: int
    reach: tuple[Fraction, Fraction]
    """The arguments pi_1 and pi_2."""
    value: Fraction
    """v_sigma, or the payoff where the game has ended."""
    infoset: str = ""
    action_values: Vector = ()
    regrets: Vector = ()
    """What line 25 adds; empty where player 1 does not act."""
    strategy_sums: Vector = ()
    """What line 26 adds."""

    @property
    def next_strategy(self) -> Vector:
        """Lines 28 to 34, with the sum over positive regrets only."""
        return match_regrets(self.regrets)


def call_cfr(cards: str) -> list[Visit]:
    """CFR(0, 1, 1, 1.0, 1.0) with that deal: every history, parents first."""
    visits: list[Visit] = []

    def visit(state: State, history: str, reach: tuple[Fraction, Fraction]) -> Fraction:
        place, player = len(visits), state.player
        value = Fraction(state.payoff) if player == TERMINAL else Fraction(0)
        visits.append(Visit(history, player, reach, value))
        if player == TERMINAL:
            return value
        chance = Fraction(1, len(state.actions))
        below = []
        for action in state.actions:
            after = [reach[0], reach[1]]
            after[player] *= chance
            below.append(visit(state.child(action), history + SHORT[action], (after[0], after[1])))
        value = sum((chance * v for v in below), Fraction(0))
        visits[place] = Visit(
            *(history, player, reach, value, state.infoset, tuple(below)),
            regrets=tuple(reach[1] * (v - value) for v in below) if player == 0 else (),
            strategy_sums=tuple(reach[0] * chance for _ in below) if player == 0 else (),
        )
        return value

    visit(DealtKuhn(cards).root(), f"[{cards}]", (Fraction(1), Fraction(1)))
    return visits


def difference_from_engine(visits: list[Visit]) -> float:
    """The largest difference from the regrets that the compiled game gives for the same deal."""
    ours = infoset_regrets(infoset.uniform(DealtKuhn("QJ")))[0]
    return max(
        abs(float(regret) - other)
        for visit in visits
        if visit.regrets
        for regret, other in zip(visit.regrets, ours[visit.infoset].values(), strict=True)
    )


@experiment(
    "essay-kuhn",
    paper=ESSAY,
    artifact="Figures 1 and 2, one iteration on Kuhn poker",
    claim="CFR for player 1 with queen and jack dealt visits the tree with [h, pi_1, pi_2] and "
    "updates player 1's two infosets",
)
def essay_kuhn(out: Path, *, quick: bool, progress: Step) -> Report:
    """Trace Algorithm 1 in exact fractions, and draw both trees."""
    visits = call_cfr("QJ")
    gap = difference_from_engine(visits)
    updated = [visit for visit in visits if visit.regrets]
    of_player = [[v.history for v in visits if v.player == player] for player in (0, 1)]
    claims = [
        Claim(
            "player 1's infosets hold [QJ] and [QJ]pb, player 2's [QJ]p and [QJ]b",
            of_player == [["[QJ]", "[QJ]pb"], ["[QJ]p", "[QJ]b"]],
            f"{len(visits)} histories, of which "
            f"{', '.join(v.history for v in updated)} are updated",
        ),
        Claim(
            "each infoset of player 1 gets pi_2 (v_a - v) as regret and pi_1 sigma as strategy sum",
            visits[0].value == VALUE and gap < 1e-12,
            f"the deal is worth {visits[0].value} to player 1; the regrets of the "
            f"compiled game differ by {gap:.0e}",
        ),
    ]
    return report(
        claims,
        "Our copy of the essay has no drawings: the figures are redrawn from its text, and the "
        "numbers are those of its Algorithm 1.",
        "As printed, line 28 sums all regrets. Against uniform play they sum to zero, so line "
        "34 would play uniformly for ever; the sum must be over positive regrets.",
        rows=[
            {
                "h": visit.history,
                "pi_1": str(visit.reach[0]),
                "pi_2": str(visit.reach[1]),
                "acts": f"player {visit.player + 1}" if visit.player != TERMINAL else "",
                "v": str(visit.value),
                "v of (p, b)": written(visit.action_values) if visit.action_values else "",
                "r += (p, b)": written(visit.regrets) if visit.regrets else "",
                "mu += (p, b)": written(visit.strategy_sums) if visit.regrets else "",
                "next strategy": written(visit.next_strategy) if visit.regrets else "",
            }
            for visit in visits
        ],
        numbers={
            "value": float(visits[0].value),
            **{
                f"{name}_{visit.history}_{action}": float(number)
                for visit in updated
                for name, vector in (("regret", visit.regrets), ("sum", visit.strategy_sums))
                for action, number in zip("pb", vector, strict=True)
            },
        },
        figures=[
            *_draw_infosets({cards: call_cfr(cards) for cards in ("QK", "QJ", "KJ")}, out),
            *_draw_trace(visits, out),
        ],
    )


COLOURS = {0: BLUE, 1: RED}
DASHES = {0: (0, (5, 3)), 1: (0, (1, 2))}

# Where each history of a deal stands: leaves side by side, parents between their children.
PLACES = {
    "": (1.75, 0.0),
    "p": (0.75, -1.0),
    "b": (3.5, -1.0),
    "pp": (0.0, -2.0),
    "pb": (1.5, -2.0),
    "bp": (3.0, -2.0),
    "bb": (4.0, -2.0),
    "pbp": (1.0, -3.0),
    "pbb": (2.0, -3.0),
}


def _box(padding: float, face: str = "white", edge: str = GREY) -> dict[str, str]:
    return {"boxstyle": f"square,pad={padding}", "facecolor": face, "edgecolor": edge}


def _draw_text(axes: Any, text: str, at: tuple[float, float], **style: Any) -> None:
    """Text in the middle of a place, or away from it by the ``xytext`` points of the style."""
    axes.annotate(text, at, **{"ha": "center", "va": "center", **style})


def _draw_tree(axes: Any, visits: Sequence[Visit], left: float, size: float) -> None:
    """Edges with their actions, and a disc a node: who acts, or what player 1 wins."""
    white = {"color": "white", "weight": "bold"}
    for visit in visits:
        actions = visit.history.partition("]")[2]
        x, y = PLACES[actions]
        if actions:
            above, _ = PLACES[actions[:-1]]
            axes.plot([left + above, left + x], [y + 1, y], color=GREY, linewidth=1, zorder=1)
            offset = (-0.5 * size if x < above else 0.5 * size, 4)
            style = {"xytext": offset, "textcoords": "offset points", "color": "#404040"}
            middle = left + (above + x) / 2, y + 0.5
            _draw_text(axes, actions[-1], middle, style="italic", **style)
        if visit.player == TERMINAL:
            wins = _signed(visit.value)
            _draw_text(axes, wins, (left + x, y), weight="bold", bbox=_box(0.25, "#f0f0f0"))
        else:
            axes.plot(left + x, y, "o", markersize=size, color=COLOURS[visit.player], zorder=2)
            _draw_text(axes, str(visit.player + 1), (left + x, y), **white)


def _signed(number: Fraction) -> str:
    """A number with its sign, the minus as long as the plus."""
    return f"{float(number):+g}".replace("-", "\N{MINUS SIGN}")


def _draw_infosets(deals: Mapping[str, Sequence[Visit]], out: Path) -> Sequence[Path]:
    """Figure 1: the trees of three deals, histories of one infoset joined."""
    width = 5.2
    left = {cards: i * width for i, cards in enumerate(deals)}
    root = (left["QJ"] + PLACES[""][0], 1.0)
    with panels(1, 1, width=9.6, height=4.3) as (figure, grid):
        axes = grid[0, 0]
        axes.axis("off")
        axes.plot(*root, "s", markersize=15, color=GREY, zorder=2)
        _draw_text(axes, "c", root, color="white", weight="bold")
        for cards, visits in deals.items():
            top = left[cards] + PLACES[""][0]
            axes.plot([root[0], top], [1, 0], color=GREY, linewidth=1, zorder=1)
            at = (root[0] + 0.55 * (top - root[0]), 0.45)
            _draw_text(axes, f"[{cards}]", at, bbox=_box(0.2, edge="none"))
            _draw_tree(axes, visits, left[cards], 17)
        for player, here, there, joined in ((0, "QK", "QJ", ("", "pb")), (1, "QJ", "KJ", "pb")):
            style = {"color": COLOURS[player], "linestyle": DASHES[player]}
            for actions in joined:
                x, y = PLACES[actions]
                curved = f"arc3,rad={0.14 if actions == 'p' else -0.14}"
                shape = {"arrowstyle": "-", "connectionstyle": curved, "shrinkA": 9, "shrinkB": 3}
                ends = (left[here] + x, y), (left[there] + x, y)
                axes.annotate("", *ends, zorder=1, arrowprops={**style, **shape, "linewidth": 1.6})
            axes.plot([], [], label=f"one infoset of player {player + 1}", **style)
        axes.legend(loc="lower center", ncols=2, bbox_to_anchor=(0.5, -0.08))
        axes.set_title("Kuhn poker after three of the six deals: payoffs to player 1, in chips")
        axes.set_xlim(-0.4, 2 * width + 4.4)
        axes.set_ylim(-3.35, 1.25)
        return save(figure, out, "essay-fig1")


def _draw_trace(visits: Sequence[Visit], out: Path) -> Sequence[Path]:
    """Figure 2: every history with its arguments, its value, and what is added at its infoset."""
    with panels(1, 1, width=9.6, height=6.4) as (figure, grid):
        axes = grid[0, 0]
        axes.axis("off")
        _draw_tree(axes, visits, 0.0, 19)
        for visit in visits:
            actions = visit.history.partition("]")[2]
            place = PLACES[actions]
            arguments = f"[{visit.history}, {visit.reach[0]}, {visit.reach[1]}]"
            boxed = {"textcoords": "offset points", "fontsize": 8.5, "bbox": _box(0.25)}
            if visit.player == TERMINAL:
                _draw_text(axes, arguments, place, xytext=(0, -18), **boxed)
                continue
            # Beside the edge that leads here, and above those that leave.
            side, beside = ("right", -16) if actions.endswith("p") else ("left", 16)
            lift = {"": 34, "pb": 16}.get(actions, 0)
            _draw_text(axes, arguments, place, xytext=(beside, 11 + lift), ha=side, **boxed)
            style = {"fontsize": 9, "color": COLOURS[visit.player], "linespacing": 1.35}
            below = {"xytext": (beside, lift), "textcoords": "offset points", "va": "top"}
            _draw_text(axes, _results(visit), place, ha=side, **below, **style)
        axes.set_title(
            "CFR(∅, 1, 1, 1.0, 1.0) on Kuhn poker with queen and jack dealt, both players uniform\n"
            "boxes: [h, π₁, π₂];  r and μ: what is added at the infosets of player 1",
        )
        axes.set_xlim(-0.6, 4.7)
        axes.set_ylim(-3.3, 0.55)
        return save(figure, out, "essay-fig2")


def _results(visit: Visit) -> str:
    """What is worked out at a history, a line each."""
    lines = [f"v = {float(visit.value):g}"]
    if visit.regrets:
        for name, vector in (("r", visit.regrets), ("μ", visit.strategy_sums)):
            p, b = map(_signed, vector)
            lines.append(f"{name}:  p {p},  b {b}")
    return "\n".join(lines)
