"""The essay's rock-paper-scissors example: regret matching by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from infoset.experiments.registry import Claim, Report, Step, experiment, report
from infoset.games import make

ESSAY = "CFR for Solving Imperfect-Information Games (essay)"

STAKE = 1
"""Each player puts in a dollar. The essay counts what is received: 2, 1 or 0."""

SIGNS = ("rock", "paper", "scissors")
ROUNDS = (("paper", "scissors"), ("rock", "rock"))
"""What we and the opponent play in the essay's two rounds."""

Vector = tuple[Fraction, ...]


class Round(NamedTuple):
    """One round, seen from our side; vectors are in the order of `SIGNS`."""

    strategy: Vector
    ours: str
    theirs: str
    received: int
    regrets: Vector
    """What each sign would have received more."""
    essay_sum: Vector
    """Regrets so far as the essay adds them: a round's negative regrets count as 0."""
    true_sum: Vector
    """Regrets so far as Hart & Mas-Colell (2000) add them."""


def match_regrets(regrets: Sequence[Fraction]) -> Vector:
    """Play in proportion to positive regret; uniformly if there is none."""
    positive = [max(regret, Fraction(0)) for regret in regrets]
    total = sum(positive)
    if total == 0:
        return (Fraction(1, len(positive)),) * len(positive)
    return tuple(regret / total for regret in positive)


def play_rounds() -> list[Round]:
    """Both rounds of the essay."""
    root = make("rps").root()
    essay_sum: Vector = (Fraction(0),) * 3
    true_sum = essay_sum
    rounds = []
    for ours, theirs in ROUNDS:
        strategy = match_regrets(essay_sum)
        received = {sign: int(root.child(sign).child(theirs).payoff) + STAKE for sign in SIGNS}
        regrets = tuple(Fraction(received[sign] - received[ours]) for sign in SIGNS)
        essay_sum = tuple(s + max(r, Fraction(0)) for s, r in zip(essay_sum, regrets, strict=True))
        true_sum = tuple(s + r for s, r in zip(true_sum, regrets, strict=True))
        rounds.append(Round(strategy, ours, theirs, received[ours], regrets, essay_sum, true_sum))
    return rounds


def written(vector: Sequence[Fraction]) -> str:
    """A vector as one writes it.

    >>> written([Fraction(2, 3), Fraction(0), Fraction(1, 3)])
    '(2/3, 0, 1/3)'
    """
    return f"({', '.join(map(str, vector))})"


@experiment(
    "essay-rps",
    paper=ESSAY,
    artifact="Section 2.1, the rock-paper-scissors example",
    claim="two rounds of regret matching lead from (1/3, 1/3, 1/3) over (2/3, 0, 1/3) to "
    "(2, 1, 1) normalised (misprinted as (2/5, 1/5, 1/5))",
)
def essay_rps(out: Path, *, quick: bool, progress: Step) -> Report:
    """Play the two rounds in exact fractions."""
    rounds = play_rounds()
    first, second = rounds
    last = match_regrets(second.essay_sum)
    claims = [
        Claim(
            "after the first round the regrets are (2, 0, 1), the strategy (2/3, 0, 1/3)",
            written(first.essay_sum) == "(2, 0, 1)" and written(second.strategy) == "(2/3, 0, 1/3)",
            f"{written(first.essay_sum)} and {written(second.strategy)}",
        ),
        Claim(
            "after the second round they are (2, 1, 1), normalised for the next strategy",
            written(second.essay_sum) == "(2, 1, 1)",
            f"{written(second.essay_sum)}, and so {written(last)}",
        ),
    ]
    return report(
        claims,
        "The printed (2/5, 1/5, 1/5) does not sum to one; (2, 1, 1) / 4 is (1/2, 1/4, 1/4).",
        "The essay drops a round's negative regrets before it adds. Against rock, scissors is "
        "regretted by -1: added with its sign, as regret matching is defined, the sum is "
        f"{written(second.true_sum)} and the next strategy "
        f"{written(match_regrets(second.true_sum))}.",
        rows=[
            {
                "round": number,
                "strategy (R, P, S)": written(played.strategy),
                "we": played.ours,
                "opponent": played.theirs,
                "received": played.received,
                "regrets": written(played.regrets),
                "sum in the essay": written(played.essay_sum),
                "next strategy": written(match_regrets(played.essay_sum)),
                "true sum": written(played.true_sum),
                "its strategy": written(match_regrets(played.true_sum)),
            }
            for number, played in enumerate(rounds, start=1)
        ],
        numbers={
            f"{name}_{sign}": float(chance)
            for name, strategy in (
                ("strategy1", first.strategy),
                ("strategy2", second.strategy),
                ("strategy3", last),
                ("strategy3_true", match_regrets(second.true_sum)),
            )
            for sign, chance in zip(SIGNS, strategy, strict=True)
        },
    )
