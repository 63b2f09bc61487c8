"""Networks in place of tables: encodings, training, double neural CFR and what it is compared with.

Nothing but this package imports torch, and only when a solver is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.neural.encoding import Encoding as Encoding
    from infoset.neural.fictitious_play import (
        NeuralFictitiousPlaySolver as NeuralFictitiousPlaySolver,
    )
    from infoset.neural.game_encoding import encode as encode
    from infoset.neural.networks import Network as Network
    from infoset.neural.networks import Shape as Shape
    from infoset.neural.networks import make_network as make_network
    from infoset.neural.neural_cfr import NeuralCFRSolver as NeuralCFRSolver
    from infoset.neural.solving import neural_solver as neural_solver
    from infoset.neural.solving import run as run

__getattr__, __dir__ = door(__name__)
