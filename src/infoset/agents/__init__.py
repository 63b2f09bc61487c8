"""Players of real games: agents, the table they sit at, and the statistics of what they win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.agents.agent import Agent as Agent
    from infoset.agents.agent import Answer as Answer
    from infoset.agents.agent import Known as Known
    from infoset.agents.agent import Seen as Seen
    from infoset.agents.aivat import Aivat as Aivat
    from infoset.agents.aivat_tree import TreeAivat as TreeAivat
    from infoset.agents.aivat_tree import exact_values as exact_values
    from infoset.agents.best_response import BestResponseAgent as BestResponseAgent
    from infoset.agents.hands import Hand as Hand
    from infoset.agents.hands import play_hand as play_hand
    from infoset.agents.heuristics import CheckDown as CheckDown
    from infoset.agents.heuristics import ExactValues as ExactValues
    from infoset.agents.heuristics import Heuristic as Heuristic
    from infoset.agents.heuristics import Zero as Zero
    from infoset.agents.local_best_response import LocalBestResponse as LocalBestResponse
    from infoset.agents.simple import Folder as Folder
    from infoset.agents.simple import Passive as Passive
    from infoset.agents.simple import Uniform as Uniform
    from infoset.agents.strategy_agent import StrategyAgent as StrategyAgent

__getattr__, __dir__ = door(__name__)
