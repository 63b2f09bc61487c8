"""What came out of a match: tallies while it goes on, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.agents.statistics import Statistics
from infoset.games import Game

ROUNDING = 1e-9
"""How exact corrected winnings are; see `Statistics.rounding`."""

StoppedBy = Literal["hands", "interrupt"]
Way = Literal["plain", "duplicate", "aivat"]


@dataclass
class Tally:
    """What A has won so far, hand by hand: in hand ``i`` A sat in seat ``i % 2``."""

    rounding: float = 0.0
    hands: int = 0
    _first: float = 0.0

    def __post_init__(self) -> None:
        self.by_seat = [Statistics(rounding=self.rounding)] * 2
        self.pairs = Statistics(hands_each=2, rounding=self.rounding)
        """Means of hands ``2k`` and ``2k + 1``: of both seats with the same cards, if duplicate."""

    def add(self, won: float) -> None:
        """One hand more."""
        seat = self.hands % 2
        self.by_seat[seat] = self.by_seat[seat].plus(won)
        if seat == 0:
            self._first = won
        else:
            self.pairs = self.pairs.plus((self._first + won) / 2)
        self.hands += 1

    def add_many(self, won: NDArray[np.float64]) -> None:
        """Some hands more, joined as one sample; an even number of them went before.

        >>> tally = Tally()
        >>> tally.add_many(np.array([1.0, -2.0, 3.0, 4.0]))
        >>> tally.plain.mean, tally.pairs.mean, tally.pairs.num
        (1.5, 1.5, 2)
        """
        for seat in (0, 1):
            self.by_seat[seat] = self.by_seat[seat].joined(Statistics.of(won[seat::2]))
        both = len(won) // 2 * 2
        pairs = won[:both].reshape(-1, 2).mean(axis=1)
        self.pairs = self.pairs.joined(Statistics.of(pairs, hands_each=2))
        self.hands += len(won)
        if len(won) % 2:
            self._first = float(won[-1])

    @property
    def plain(self) -> Statistics:
        """By single hands."""
        return Statistics.of_groups(*self.by_seat)


class Figures(NamedTuple):
    """What A wins per hand, by the ways of measuring that were asked for."""

    plain: Statistics
    """By single hands."""
    duplicate: Statistics | None
    """By pairs of hands with the same cards."""
    aivat: Statistics | None
    """With luck corrected; by pairs in a duplicate match."""

    @property
    def way(self) -> Way:
        """The sharpest way that was asked for."""
        if self.aivat is not None:
            return "aivat"
        return "plain" if self.duplicate is None else "duplicate"

    @property
    def best(self) -> Statistics:
        """The figures by that way."""
        return self.aivat or self.duplicate or self.plain

    def hands_needed(self) -> dict[str, int | None]:
        """By way, how many hands it takes to get the narrowest of the intervals here."""
        ways = {way: each for way, each in self._asdict().items() if each is not None}
        narrowest = min(each.half_width for each in ways.values())
        return {way: each.hands_needed(narrowest) for way, each in ways.items()}


@dataclass
class Tallies:
    """Plain and corrected winnings, side by side."""

    duplicate: bool
    won: Tally = field(default_factory=Tally)
    corrected: Tally | None = None

    def add(self, won: float, corrected: float | None) -> None:
        """One hand more."""
        self.won.add(won)
        if self.corrected is not None:
            assert corrected is not None
            self.corrected.add(corrected)

    @property
    def figures(self) -> Figures:
        """What is known so far."""
        corrected = self.corrected
        return Figures(
            self.won.plain,
            self.won.pairs if self.duplicate else None,
            None if corrected is None else (corrected.pairs if self.duplicate else corrected.plain),
        )


class MatchProgress(NamedTuple):
    """How far a match is."""

    hands: int
    wanted: int
    seconds: float
    """Since it began, or was resumed."""
    played: int
    """Hands in this time."""
    figures: Figures


@dataclass(frozen=True)
class MatchResult:
    """A match: what A wins per hand, in chips."""

    game: str
    agents: tuple[str, str]
    hands: int
    wanted: int
    seed: int
    figures: Figures
    big_blind: int | None
    """In games that have one; winnings are told in thousandths of it, too."""
    is_compiled: bool
    """Whether hands were drawn on the compiled game, by its own random numbers."""
    seconds: float
    stopped_by: StoppedBy

    @property
    def best(self) -> Statistics:
        """By AIVAT if that was asked for, else by duplicate pairs if they were, else plain."""
        return self.figures.best

    @property
    def mean(self) -> float:
        """What A wins per hand, in chips."""
        return self.best.mean

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return self.best.standard_error

    @property
    def low(self) -> float:
        """Where the 95 % interval begins."""
        return self.best.low

    @property
    def high(self) -> float:
        """Where the 95 % interval ends."""
        return self.best.high

    def as_dict(self) -> dict[str, Any]:
        """For JSON. The figures by the sharpest way asked for come first, then by every way."""
        best, needed = self.best.as_dict(), self.figures.hands_needed()
        names = ("mean", "standard_error", "low", "high")
        document: dict[str, Any] = {
            "game": self.game,
            "agents": list(self.agents),
            "hands": self.hands,
            "wanted": self.wanted,
            "seed": self.seed,
            "way": self.figures.way,
            **{name: best[name] for name in names},
            "big_blind": self.big_blind,
            **{f"{name}_mbb": in_mbb(best[name], self.big_blind) for name in names},
        }
        for way, each in self.figures._asdict().items():
            shown = each and {**each.as_dict(), "hands_needed": needed[way]}
            document[way] = shown
        document |= {
            "is_compiled": self.is_compiled,
            "seconds": self.seconds,
            "stopped_by": self.stopped_by,
        }
        return document


def in_mbb(chips: float | None, big_blind: int | None) -> float | None:
    """Chips in thousandths of a big blind."""
    return None if chips is None or big_blind is None else 1000 * chips / big_blind


def big_blind_of(game: Game) -> int | None:
    """What a big blind is in chips, in games that have one.

    >>> from infoset.games import make
    >>> big_blind_of(make("holdem")), big_blind_of(make("leduc"))
    (100, None)
    """
    told: Any = getattr(game, "big_blind", None)
    if told is None:
        blinds: Sequence[Any] = getattr(game, "blinds", None) or ()
        told = max(blinds, default=None)
    return told if isinstance(told, int) and told > 0 else None
