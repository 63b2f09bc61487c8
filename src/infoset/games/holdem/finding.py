"""Find the spot that a text names: a file, or a random situation."""

from __future__ import annotations

import os
import re

from infoset.errors import BadInputError, shorten
from infoset.games.holdem.betting import FLOP, STREETS
from infoset.games.holdem.situations import EXAMPLE, random_situation
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import read_spot

SpotLike = Spot | str | os.PathLike[str]
"""A spot, the path of a spot file, or a random situation such as ``River(5k, seed=3)``."""

SITUATION = re.compile(rf"\s*({'|'.join(STREETS[FLOP:])})\s*(\(.*)?", re.IGNORECASE | re.DOTALL)


def find_spot(spot: SpotLike, name: str | None = None) -> Spot:
    """The spot that is meant; ``name`` says which, if a file has several.

    Text is a path if there is such a file, whatever it is called, and else a random situation.

    >>> find_spot("Turn(500, seed=2)").name
    'Turn(500) #2'
    """
    if isinstance(spot, Spot):
        return spot
    if not isinstance(spot, str | os.PathLike):
        raise BadInputError(
            f"{type(spot).__name__} is not a spot: give a Spot, the path of a spot file, or a "
            "random situation such as River(5k)"
        )
    if not isinstance(spot, str) or os.path.exists(spot):
        return read_spot(spot, name)
    if not SITUATION.fullmatch(spot):
        raise BadInputError(
            f"there is no spot file {shorten(spot)}, and it is no random situation; of those, "
            f"{EXAMPLE}"
        )
    if name is not None:
        raise BadInputError(f"a random situation has no name, so {shorten(name)} chooses nothing")
    return random_situation(spot)
