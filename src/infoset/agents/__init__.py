"""Players of real games: agents, the table they sit at, and the statistics of what they win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.agents.acpc_agent import AcpcAgent as AcpcAgent
    from infoset.agents.acpc_client import AcpcClient as AcpcClient
    from infoset.agents.acpc_client import PlayedMatch as PlayedMatch
    from infoset.agents.acpc_dealer import AcpcDealer as AcpcDealer
    from infoset.agents.acpc_dealer import DealtMatch as DealtMatch
    from infoset.agents.acpc_peer import LOOPBACK as LOOPBACK
    from infoset.agents.acpc_peer import Limits as Limits
    from infoset.agents.acpc_peer import PeerError as PeerError
    from infoset.agents.agent import Agent as Agent
    from infoset.agents.agent import Answer as Answer
    from infoset.agents.agent import Known as Known
    from infoset.agents.agent import Seen as Seen
    from infoset.agents.agent import Witness as Witness
    from infoset.agents.aivat import Aivat as Aivat
    from infoset.agents.aivat_tree import TreeAivat as TreeAivat
    from infoset.agents.aivat_tree import exact_values as exact_values
    from infoset.agents.best_response import BestResponseAgent as BestResponseAgent
    from infoset.agents.compiled_match import table_strategies as table_strategies
    from infoset.agents.filled_agent import FilledAgent as FilledAgent
    from infoset.agents.hands import Hand as Hand
    from infoset.agents.hands import play_hand as play_hand
    from infoset.agents.heuristics import CheckDown as CheckDown
    from infoset.agents.heuristics import ExactValues as ExactValues
    from infoset.agents.heuristics import Heuristic as Heuristic
    from infoset.agents.heuristics import Zero as Zero
    from infoset.agents.local_best_response import LocalBestResponse as LocalBestResponse
    from infoset.agents.logged_hands import is_match_log as is_match_log
    from infoset.agents.logged_hands import read_match_hands as read_match_hands
    from infoset.agents.match import play_match as play_match
    from infoset.agents.match_log import read_log as read_log
    from infoset.agents.match_result import Figures as Figures
    from infoset.agents.match_result import MatchProgress as MatchProgress
    from infoset.agents.match_result import MatchResult as MatchResult
    from infoset.agents.match_result import big_blind_of as big_blind_of
    from infoset.agents.match_result import in_mbb as in_mbb
    from infoset.agents.person import Menu as Menu
    from infoset.agents.person import Person as Person
    from infoset.agents.referee import AgentLike as AgentLike
    from infoset.agents.referee import Correction as Correction
    from infoset.agents.referee import won_by_a as won_by_a
    from infoset.agents.replay import check_logged_hand as check_logged_hand
    from infoset.agents.replay import replay_match as replay_match
    from infoset.agents.replay import replay_steps as replay_steps
    from infoset.agents.resolving_agent import ResolvingAgent as ResolvingAgent
    from infoset.agents.simple import Folder as Folder
    from infoset.agents.simple import Passive as Passive
    from infoset.agents.simple import Uniform as Uniform
    from infoset.agents.statistics import Statistics as Statistics
    from infoset.agents.strategy_agent import StrategyAgent as StrategyAgent
    from infoset.agents.texts import AgentFinder as AgentFinder
    from infoset.agents.texts import find_agent as find_agent
    from infoset.agents.texts import find_agents as find_agents
    from infoset.agents.texts import parse_agent as parse_agent
    from infoset.agents.translation import TranslatedAgent as TranslatedAgent
    from infoset.agents.translation import translate_size as translate_size

__getattr__, __dir__ = door(__name__)
