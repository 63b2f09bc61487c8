"""Decomposition: cut a game, re-solve its parts safely, solve what does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.resolving.cfr_d import CfrDSolver as CfrDSolver
    from infoset.resolving.continual import ContinualResolver as ContinualResolver
    from infoset.resolving.continual import as_strategy as as_strategy
    from infoset.resolving.continual_spots import SpotResolver as SpotResolver
    from infoset.resolving.continual_spots import as_public_strategy as as_public_strategy
    from infoset.resolving.cuts import Cut as Cut
    from infoset.resolving.cuts import cut_form as cut_form
    from infoset.resolving.cuts import parse_cut as parse_cut
    from infoset.resolving.methods import METHODS as METHODS
    from infoset.resolving.methods import Method as Method
    from infoset.resolving.methods import check_method as check_method
    from infoset.resolving.nested import Nest as Nest
    from infoset.resolving.nested import Subgames as Subgames
    from infoset.resolving.nested import nest_of as nest_of
    from infoset.resolving.opened import OpenedPart as OpenedPart
    from infoset.resolving.opened import open_part as open_part
    from infoset.resolving.parts import PartProgress as PartProgress
    from infoset.resolving.parts import Resolved as Resolved
    from infoset.resolving.parts import resolve as resolve
    from infoset.resolving.sequence_parts import SequenceParts as SequenceParts
    from infoset.resolving.sequence_parts import resolving_form as resolving_form
    from infoset.resolving.solving import run as run
    from infoset.resolving.trimming import trim as trim
    from infoset.resolving.trunk import Trunk as Trunk
    from infoset.resolving.trunk import cell_values as cell_values

__getattr__, __dir__ = door(__name__)
