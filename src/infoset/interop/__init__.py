"""Games and strategies from and for other programs: OpenSpiel and Gambit."""

from infoset.interop.efg import EfgGame, format_efg, parse_efg, read_efg, write_efg
from infoset.interop.open_spiel import (
    OpenSpielGame,
    from_open_spiel,
    to_open_spiel_policy,
    to_pyspiel_policy,
)

__all__ = [
    "EfgGame",
    "OpenSpielGame",
    "format_efg",
    "from_open_spiel",
    "parse_efg",
    "read_efg",
    "to_open_spiel_policy",
    "to_pyspiel_policy",
    "write_efg",
]
