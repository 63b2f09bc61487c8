"""Strategies: the probability of every action on a form; lookup and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.strategy.lifting import lift as lift
    from infoset.strategy.postprocessing import purify as purify
    from infoset.strategy.postprocessing import threshold as threshold
    from infoset.strategy.public_strategy import PublicAverages as PublicAverages
    from infoset.strategy.public_strategy import PublicStrategy as PublicStrategy
    from infoset.strategy.public_strategy import Tables as Tables
    from infoset.strategy.public_strategy import numbers_from as numbers_from
    from infoset.strategy.public_strategy import street_probabilities as street_probabilities
    from infoset.strategy.sequence_strategy import SequenceStrategy as SequenceStrategy
    from infoset.strategy.strategy import Key as Key
    from infoset.strategy.strategy import Row as Row
    from infoset.strategy.strategy import Strategy as Strategy
    from infoset.strategy.translation import Table as Table
    from infoset.strategy.translation import Translation as Translation
    from infoset.strategy.translation import translate as translate

__getattr__, __dir__ = door(__name__)
