"""Spots: hold'em after the flop, from a moment on: cards, ranges, chips, sizes, betting tree.

`infoset.spots.spot` says what a spot is, `infoset.spots.files` how it is written down, and
`infoset.spots.betting` what can happen in it. Nothing here solves anything.
"""

from infoset.spots.betting import ActionKind, BettingTree, NodeKind, build_betting_tree
from infoset.spots.cost import Cost, StreetCost, StreetSpace, cost_of, format_bytes
from infoset.spots.files import format_spot, parse_spot, read_spot, spot_of, write_spot
from infoset.spots.finding import find_spot
from infoset.spots.locked import LockedNode, locked_nodes
from infoset.spots.locks import Lock
from infoset.spots.menus import FLOP, IP, OOP, PLAYERS, RIVER, STREETS, TURN, Menu
from infoset.spots.paths import Place, find_node
from infoset.spots.picture import picture, picture_of_cost, picture_of_spot, picture_of_tree
from infoset.spots.runouts import Boards, hands_renamed, runouts_of
from infoset.spots.situations import draw_range, random_situation
from infoset.spots.sizes import (
    AllIn,
    Chips,
    Geometric,
    PotShare,
    PreviousBet,
    Size,
    format_sizes,
    parse_sizes,
)
from infoset.spots.spot import Spot

__all__ = [
    "FLOP",
    "IP",
    "OOP",
    "PLAYERS",
    "RIVER",
    "STREETS",
    "TURN",
    "ActionKind",
    "AllIn",
    "BettingTree",
    "Boards",
    "Chips",
    "Cost",
    "Geometric",
    "Lock",
    "LockedNode",
    "Menu",
    "NodeKind",
    "Place",
    "PotShare",
    "PreviousBet",
    "Size",
    "Spot",
    "StreetCost",
    "StreetSpace",
    "build_betting_tree",
    "cost_of",
    "draw_range",
    "find_node",
    "find_spot",
    "format_bytes",
    "format_sizes",
    "format_spot",
    "hands_renamed",
    "locked_nodes",
    "parse_sizes",
    "parse_spot",
    "picture",
    "picture_of_cost",
    "picture_of_spot",
    "picture_of_tree",
    "random_situation",
    "read_spot",
    "runouts_of",
    "spot_of",
    "write_spot",
]
