"""Games and strategies from and for other programs: OpenSpiel and Gambit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.interop.efg import format_efg as format_efg
    from infoset.interop.efg import parse_efg as parse_efg
    from infoset.interop.efg import read_efg as read_efg
    from infoset.interop.efg import write_efg as write_efg
    from infoset.interop.efg_tree import EfgGame as EfgGame
    from infoset.interop.open_spiel import OpenSpielGame as OpenSpielGame
    from infoset.interop.open_spiel import from_open_spiel as from_open_spiel
    from infoset.interop.open_spiel import to_open_spiel_policy as to_open_spiel_policy
    from infoset.interop.open_spiel import to_pyspiel_policy as to_pyspiel_policy
    from infoset.interop.targets import find_rules as find_rules

__getattr__, __dir__ = door(__name__)
