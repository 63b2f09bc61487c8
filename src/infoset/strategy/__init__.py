"""Strategies: the probability of every action on a form; lookup and tables."""

from infoset.strategy.public_strategy import PublicStrategy
from infoset.strategy.sequence_strategy import SequenceStrategy
from infoset.strategy.strategy import Key, Row, Strategy

__all__ = ["Key", "PublicStrategy", "Row", "SequenceStrategy", "Strategy"]
