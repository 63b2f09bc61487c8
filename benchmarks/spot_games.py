"""The spots of hold'em that are measured: three that a peer's figures exist for, and others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from infoset.games.holdem import Spot

SPOTS = Path(__file__).parent.parent / "tests" / "reference_spots.json"

PEER = "postflop-solver"
PEER_NOTE = (
    f"{PEER} † is written in Rust and runs DCFR with gamma 3. Its figures are from the project's "
    "issue on hold'em, not measured here: one thread, CPU time, on a machine of this kind."
)

ACCURACIES = (1.0, 0.5, 0.1, 0.01)
"""Exploitability to be reached, in percent of the pot."""


@dataclass(frozen=True)
class Reference:
    """One of the three spots, with the peer's figures as the issue gives them."""

    name: str
    is_quick: bool
    bar: float
    """How many times faster than the peer we want to be."""
    milliseconds: float
    """Of one iteration; the smaller figure where the issue has a span."""
    iterations: tuple[int | None, ...]
    """To each of `ACCURACIES`."""
    megabytes: tuple[float, float]
    """Of memory, with 32 and 16 bits."""

    @property
    def spot(self) -> Spot:
        """The spot itself."""
        return find(self.name)

    def seconds(self, accuracy: float) -> float | None:
        """What the peer takes to an accuracy."""
        iterations = self.iterations[ACCURACIES.index(accuracy)]
        return None if iterations is None else iterations * self.milliseconds / 1e3

    @property
    def accuracies(self) -> tuple[float, ...]:
        """Those that the peer has a figure for."""
        pairs = zip(ACCURACIES, self.iterations, strict=True)
        return tuple(accuracy for accuracy, iterations in pairs if iterations is not None)


REFERENCES = (
    Reference("river_deepstack", True, 2.5, 0.60, (50, 80, 230, 990), (0.84, 0.51)),
    Reference("turn_small", True, 2.0, 9.0, (50, 110, 230, 980), (7.1, 3.8)),
    Reference("flop_small", False, 2.0, 484.0, (50, 70, 140, None), (421.0, 219.0)),
)

BUTTON = "22+,A2s+,K7s+,Q9s+,J9s+,T8s+,97s+,86s+,76s,65s,54s,A8o+,KTo+,QTo+,JTo"
BIG_BLIND = "99-22,AJs-A2s,K6s+,Q8s+,J8s+,T7s+,96s+,85s+,75s+,64s+,54s,AJo-A7o,KTo+,QTo+,JTo"
CALLER = "JJ-55,AQs-ATs,KQs-KTs,QJs,QTs,JTs,T9s,98s,87s,AQo:0.5,AKo:0.25"
RERAISER = "TT+,99:0.5,AJs+,A5s-A4s,KQs,KJs:0.5,AKo,AQo:0.5,76s:0.5,65s:0.5"


@dataclass(frozen=True)
class Drawn:
    """A spot whose board is drawn from a seed, the rest being as it often is at a table."""

    street: int
    texture: str
    """Of the flop: paired, monotone (one suit), two-tone or rainbow (three suits)."""
    seed: int
    stack_to_pot: float
    ranges: tuple[str, str]
    sizes: tuple[str, str]
    """Of bets and of raises."""

    @property
    def name(self) -> str:
        """The street, the flop, and how deep the stacks are."""
        street = ("preflop", "flop", "turn", "river")[self.street]
        return f"{street} {self.texture}, {self.stack_to_pot:g} pots deep"

    def make(self) -> Spot:
        """The spot itself."""
        from infoset.games.holdem import Spot

        bets, raises = self.sizes
        return Spot(
            draw_board(self.street, self.texture, self.seed),
            *self.ranges,
            pot=200,
            stack=round(200 * self.stack_to_pot),
            bet_sizes={"bet": bets, "raise": raises},
            name=self.name,
        )


def draw_board(street: int, texture: str, seed: int) -> tuple[int, ...]:
    """A board with such a flop; turn and river may be anything.

    >>> board = draw_board(2, "paired", seed=3)
    >>> len(set(board)), len({card // 4 for card in board[:3]})
    (4, 2)
    """
    random = np.random.default_rng(seed)
    while True:
        board = tuple(int(card) for card in random.permutation(52)[: street + 2])
        if texture_of(board) == texture:
            return board


def texture_of(board: tuple[int, ...]) -> str:
    """How ranks and suits of a flop go together."""
    from infoset.cards import format_cards

    text = format_cards(board[:3])
    num_ranks, num_suits = len(set(text[::2])), len(set(text[1::2]))
    if num_ranks < 3:
        return "paired" if num_ranks == 2 else "trips"
    return ("monotone", "two-tone", "rainbow")[num_suits - 1]


SITUATIONS = ("River(500, seed=1)", "River(5k, seed=2)", "Turn(5k, seed=3)")
"""As DeepStack's networks are trained on: every hand, many sizes."""

BLINDS, RERAISED = (BIG_BLIND, BUTTON), (CALLER, RERAISER)
DRAWN = (
    Drawn(3, "paired", 1, 1.5, BLINDS, ("33%, 75%, a", "a")),
    Drawn(3, "monotone", 2, 8.0, BLINDS, ("33%, 75%, 150%", "60%, a")),
    Drawn(2, "monotone", 3, 2.5, RERAISED, ("50%, a", "a")),
    Drawn(2, "rainbow", 4, 8.0, BLINDS, ("66%", "60%")),
    Drawn(2, "paired", 5, 4.0, BLINDS, ("33%, 100%", "a")),
    Drawn(1, "paired", 6, 1.5, RERAISED, ("50%, a", "a")),
    Drawn(1, "monotone", 7, 5.0, RERAISED, ("75%", "a")),
    Drawn(1, "rainbow", 8, 1.5, RERAISED, ("75%", "a")),
)


def others(*, quick: bool) -> list[str]:
    """The names of the spots that no peer has figures for."""
    if quick:
        return [SITUATIONS[0], DRAWN[0].name, DRAWN[2].name]
    return [*SITUATIONS, *(drawn.name for drawn in DRAWN)]


@cache
def find(name: str) -> Spot:
    """A spot by its name; ``tiny 1`` is hardly more than a board on the flop."""
    from infoset.games.holdem import Spot, random_situation, read_spot

    if name in (reference.name for reference in REFERENCES):
        return read_spot(SPOTS, name)
    if name in SITUATIONS:
        return random_situation(name)
    if name.startswith("tiny"):
        board = "Ks9s7s4s2s"[: 2 * (int(name.split()[1]) + 2)]
        return Spot(board, "55", "66", pot=2, stack=1, bet_sizes={"bet": "a", "raise": ""})
    makers: dict[str, Callable[[], Spot]] = {drawn.name: drawn.make for drawn in DRAWN}
    return makers[name]()
