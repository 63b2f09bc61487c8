"""Find, measure and play equilibria of two-player zero-sum games of imperfect information.

>>> import infoset
>>> game = infoset.game("leduc")
>>> solution = infoset.solve(game, "idcfr+", iterations=200)
>>> solution.strategy["Ks:"]["bet"] > 0.2
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset import cards as cards
    from infoset import evaluation as evaluation
    from infoset import experiments as experiments
    from infoset import explore as explore
    from infoset import forms as forms
    from infoset import games as games
    from infoset import interop as interop
    from infoset import machine as machine
    from infoset import resolving as resolving
    from infoset import solvers as solvers
    from infoset import strategy as strategy
    from infoset.api import best_response as best_response
    from infoset.api import compile as compile
    from infoset.api import expected_value as expected_value
    from infoset.api import exploitability as exploitability
    from infoset.api import game as game
    from infoset.api import load as load
    from infoset.api import open_spot as open_spot
    from infoset.api import resolve as resolve
    from infoset.api import solve as solve
    from infoset.api import trim as trim
    from infoset.api import uniform as uniform
    from infoset.api import view as view
    from infoset.errors import InfosetError as InfosetError
    from infoset.evaluation import BestResponse as BestResponse
    from infoset.forms import SequenceForm as SequenceForm
    from infoset.games.holdem import BetSizes as BetSizes
    from infoset.games.holdem import Lock as Lock
    from infoset.games.holdem import Rake as Rake
    from infoset.games.holdem import Spot as Spot
    from infoset.games.holdem import read_spot as read_spot
    from infoset.interop import from_open_spiel as from_open_spiel
    from infoset.interop import read_efg as read_efg
    from infoset.interop import write_efg as write_efg
    from infoset.machine.interrupts import Cancel as Cancel
    from infoset.solvers import LocalRule as LocalRule
    from infoset.solvers import Progress as Progress
    from infoset.solvers import Recipe as Recipe
    from infoset.solvers import Solution as Solution
    from infoset.strategy import Strategy as Strategy
    from infoset.version import __version__ as __version__

__getattr__, __dir__ = door(__name__)
