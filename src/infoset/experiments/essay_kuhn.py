"""The essay's Kuhn example: one call of CFR for player 1 when queen and jack are dealt.

The essay's players 1 and 2 are 0 and 1 in this package. Its "pass" is our check or fold, its
"bet" our bet or call.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import infoset
from infoset.evaluation import infoset_regrets
from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.essay_drawing import draw_infosets, draw_trace
from infoset.experiments.essay_rps import ESSAY, written
from infoset.experiments.essay_visit import Visit
from infoset.experiments.registry import Report, Step, experiment
from infoset.games import TERMINAL, State, make

__all__ = ["DealtKuhn", "Visit", "call_cfr"]

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


def call_cfr(cards: str) -> list[Visit]:
    """CFR(0, 1, 1, 1.0, 1.0) with that deal: every history, parents first."""
    visits: list[Visit] = []

    def visit(state: State, history: str, reach: tuple[Fraction, Fraction]) -> Fraction:
        place = len(visits)
        if state.player == TERMINAL:
            value = Fraction(state.payoff)
            visits.append(Visit(history, TERMINAL, reach, value))
            return value
        visits.append(Visit(history, state.player, reach, Fraction(0)))
        chance = Fraction(1, len(state.actions))
        below = []
        for action in state.actions:
            after = [reach[0], reach[1]]
            after[state.player] *= chance
            below.append(visit(state.child(action), history + SHORT[action], (after[0], after[1])))
        value = sum((chance * v for v in below), Fraction(0))
        is_ours = state.player == 0
        visits[place] = Visit(
            history,
            state.player,
            reach,
            value,
            state.infoset,
            tuple(below),
            tuple(reach[1] * (v - value) for v in below) if is_ours else (),
            tuple(reach[0] * chance for _ in below) if is_ours else (),
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
    figures = [
        *draw_infosets({cards: call_cfr(cards) for cards in ("QK", "QJ", "KJ")}, out),
        *draw_trace(visits, out),
    ]
    gap = difference_from_engine(visits)
    updated = [visit for visit in visits if visit.regrets]
    claims = [
        Claim(
            "player 1's infosets hold [QJ] and [QJ]pb, player 2's [QJ]p and [QJ]b",
            [v.history for v in visits if v.player == 0] == ["[QJ]", "[QJ]pb"]
            and [v.history for v in visits if v.player == 1] == ["[QJ]p", "[QJ]b"],
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
    return Report(
        verdict=verdict(claims, smaller=False),
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
        figures=figures,
        note=note(
            claims,
            "Our copy of the essay has no drawings: the figures are redrawn from its text, and the "
            "numbers are those of its Algorithm 1.",
            "As printed, line 28 sums all regrets. Against uniform play they sum to zero, so line "
            "34 would play uniformly for ever; the sum must be over positive regrets.",
        ),
    )
