"""Hold'em: the ACPC game, spots, bet sizes, locks and spot files. Nothing here solves anything.

Names are loaded when first asked for: spots bring NumPy, and listing the games does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door
from infoset.games.holdem import acpc as acpc  # registers its game

if TYPE_CHECKING:
    from infoset.games.holdem.bet_sizes import BetSizes
    from infoset.games.holdem.finding import find_spot
    from infoset.games.holdem.locks import Lock
    from infoset.games.holdem.payoffs import Rake
    from infoset.games.holdem.situations import draw_range, random_situation
    from infoset.games.holdem.sizes import format_sizes, parse_sizes
    from infoset.games.holdem.spot import Spot
    from infoset.games.holdem.spot_files import (
        AmbiguousSpotError,
        format_spot,
        parse_spot,
        read_spot,
        write_spot,
    )

__all__ = [
    "AmbiguousSpotError",
    "BetSizes",
    "Lock",
    "Rake",
    "Spot",
    "draw_range",
    "find_spot",
    "format_sizes",
    "format_spot",
    "parse_sizes",
    "parse_spot",
    "random_situation",
    "read_spot",
    "write_spot",
]

__getattr__ = door(
    __name__,
    {
        "bet_sizes": ("BetSizes",),
        "finding": ("find_spot",),
        "locks": ("Lock",),
        "payoffs": ("Rake",),
        "situations": ("draw_range", "random_situation"),
        "sizes": ("format_sizes", "parse_sizes"),
        "spot": ("Spot",),
        "spot_files": (
            "AmbiguousSpotError",
            "format_spot",
            "parse_spot",
            "read_spot",
            "write_spot",
        ),
    },
)
