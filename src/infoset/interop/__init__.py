"""Games, strategies and hands from and for other programs: OpenSpiel, Gambit, the ACPC, PHH."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.interop.acpc import MAX_LINE as MAX_LINE
    from infoset.interop.acpc import LoggedHand as LoggedHand
    from infoset.interop.acpc import MatchState as MatchState
    from infoset.interop.acpc import Score as Score
    from infoset.interop.acpc import action_label as action_label
    from infoset.interop.acpc import action_text as action_text
    from infoset.interop.acpc import format_log_line as format_log_line
    from infoset.interop.acpc import format_score as format_score
    from infoset.interop.acpc import is_name as is_name
    from infoset.interop.acpc import match_state as match_state
    from infoset.interop.acpc import parse_match_state as parse_match_state
    from infoset.interop.acpc import read_log_line as read_log_line
    from infoset.interop.acpc import replay_match_state as replay_match_state
    from infoset.interop.acpc_log import GAME_FILES as GAME_FILES
    from infoset.interop.acpc_log import AcpcLog as AcpcLog
    from infoset.interop.acpc_log import Header as Header
    from infoset.interop.acpc_log import LogWriter as LogWriter
    from infoset.interop.acpc_log import read_header as read_header
    from infoset.interop.acpc_log import read_log as read_log
    from infoset.interop.efg import format_efg as format_efg
    from infoset.interop.efg import parse_efg as parse_efg
    from infoset.interop.efg import read_efg as read_efg
    from infoset.interop.efg import write_efg as write_efg
    from infoset.interop.efg_tree import EfgGame as EfgGame
    from infoset.interop.hand_files import Played as Played
    from infoset.interop.hand_files import choose_hand as choose_hand
    from infoset.interop.hand_files import read_hands as read_hands
    from infoset.interop.hand_history import HandHistory as HandHistory
    from infoset.interop.hand_history import format_phh as format_phh
    from infoset.interop.hand_history import format_phhs as format_phhs
    from infoset.interop.hand_history import write_phh as write_phh
    from infoset.interop.hand_spots import SpotFromHand as SpotFromHand
    from infoset.interop.hand_spots import spot_from_hand as spot_from_hand
    from infoset.interop.hand_spots import spot_text as spot_text
    from infoset.interop.open_spiel import OpenSpielGame as OpenSpielGame
    from infoset.interop.open_spiel import from_open_spiel as from_open_spiel
    from infoset.interop.open_spiel import to_open_spiel_policy as to_open_spiel_policy
    from infoset.interop.open_spiel import to_pyspiel_policy as to_pyspiel_policy
    from infoset.interop.phh import PhhHand as PhhHand
    from infoset.interop.phh import parse_phh as parse_phh
    from infoset.interop.phh import read_phh as read_phh
    from infoset.interop.room_hands import parse_room_hands as parse_room_hands
    from infoset.interop.targets import find_rules as find_rules

__getattr__, __dir__ = door(__name__)
