"""Players of real games: agents, the table they sit at, and the statistics of what they win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.agents.agent import Agent as Agent
    from infoset.agents.agent import Answer as Answer
    from infoset.agents.agent import Known as Known
    from infoset.agents.agent import Seen as Seen

__getattr__, __dir__ = door(__name__)
