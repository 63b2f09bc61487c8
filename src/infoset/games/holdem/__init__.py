"""Hold'em: the ACPC game, spots, bet sizes, locks and spot files. Nothing here solves anything.

Names are loaded when first asked for: spots bring NumPy, and listing the games does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door
from infoset.games.holdem import acpc as acpc  # registers its game

if TYPE_CHECKING:
    from infoset.games.holdem.acpc import Holdem as Holdem
    from infoset.games.holdem.bet_sizes import BetSizes as BetSizes
    from infoset.games.holdem.bet_sizes import Menu as Menu
    from infoset.games.holdem.bet_sizes import sizing_context as sizing_context
    from infoset.games.holdem.betting import FLOP as FLOP
    from infoset.games.holdem.betting import IP as IP
    from infoset.games.holdem.betting import NOBODY as NOBODY
    from infoset.games.holdem.betting import OOP as OOP
    from infoset.games.holdem.betting import PLAYERS as PLAYERS
    from infoset.games.holdem.betting import PREFLOP as PREFLOP
    from infoset.games.holdem.betting import RIVER as RIVER
    from infoset.games.holdem.betting import STREETS as STREETS
    from infoset.games.holdem.betting import ActionKind as ActionKind
    from infoset.games.holdem.betting import Betting as Betting
    from infoset.games.holdem.betting import BettingState as BettingState
    from infoset.games.holdem.betting import action_text as action_text
    from infoset.games.holdem.game import HoldemDeal as HoldemDeal
    from infoset.games.holdem.game import HoldemGame as HoldemGame
    from infoset.games.holdem.game import HoldemState as HoldemState
    from infoset.games.holdem.locks import Lock as Lock
    from infoset.games.holdem.payoffs import Rake as Rake
    from infoset.games.holdem.payoffs import terminal_payoffs as terminal_payoffs
    from infoset.games.holdem.situations import draw_range as draw_range
    from infoset.games.holdem.situations import is_situation_text as is_situation_text
    from infoset.games.holdem.situations import random_situation as random_situation
    from infoset.games.holdem.sizes import MAX_PERCENT as MAX_PERCENT
    from infoset.games.holdem.sizes import AllIn as AllIn
    from infoset.games.holdem.sizes import Chips as Chips
    from infoset.games.holdem.sizes import PotShare as PotShare
    from infoset.games.holdem.sizes import Size as Size
    from infoset.games.holdem.sizes import SizingContext as SizingContext
    from infoset.games.holdem.sizes import format_sizes as format_sizes
    from infoset.games.holdem.sizes import parse_sizes as parse_sizes
    from infoset.games.holdem.spot import BIG_BLIND as BIG_BLIND
    from infoset.games.holdem.spot import Spot as Spot
    from infoset.games.holdem.spot_files import AmbiguousSpotError as AmbiguousSpotError
    from infoset.games.holdem.spot_files import format_spot as format_spot
    from infoset.games.holdem.spot_files import parse_spot as parse_spot
    from infoset.games.holdem.spot_files import read_spot as read_spot
    from infoset.games.holdem.spot_files import write_spot as write_spot

__getattr__, __dir__ = door(__name__)
