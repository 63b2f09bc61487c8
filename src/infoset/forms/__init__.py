"""Forms: the rules of a game compiled to flat arrays, as sequence form or as public form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.forms.abstraction import Abstraction as Abstraction
    from infoset.forms.abstraction import abstract_form as abstract_form
    from infoset.forms.betting_tree import MAX_NODES as MAX_NODES
    from infoset.forms.betting_tree import BettingTree as BettingTree
    from infoset.forms.betting_tree import NodeKind as NodeKind
    from infoset.forms.betting_tree import build_betting_tree as build_betting_tree
    from infoset.forms.compiling import public_form_of as public_form_of
    from infoset.forms.compiling import sequence_form_of as sequence_form_of
    from infoset.forms.dealt_form import DealtForm as DealtForm
    from infoset.forms.history import HistoryTree as HistoryTree
    from infoset.forms.history import PublicStates as PublicStates
    from infoset.forms.kernels.collapse import Payoff as Payoff
    from infoset.forms.live import LiveForm as LiveForm
    from infoset.forms.live import live_form as live_form
    from infoset.forms.live import whole_as_live as whole_as_live
    from infoset.forms.paths import Place as Place
    from infoset.forms.paths import find_node as find_node
    from infoset.forms.public_form import PublicForm as PublicForm
    from infoset.forms.public_layout import Layout as Layout
    from infoset.forms.public_layout import bettings_of as bettings_of
    from infoset.forms.public_layout import lay_out as lay_out
    from infoset.forms.public_layout import layout_of as layout_of
    from infoset.forms.public_memory import Cost as Cost
    from infoset.forms.public_memory import cost_of as cost_of
    from infoset.forms.public_parts import PartRoot as PartRoot
    from infoset.forms.public_parts import PublicPart as PublicPart
    from infoset.forms.public_parts import part_below as part_below
    from infoset.forms.public_parts import way_to as way_to
    from infoset.forms.public_tables import TINY as TINY
    from infoset.forms.public_tables import Numbers as Numbers
    from infoset.forms.public_tables import board_numbers as board_numbers
    from infoset.forms.public_tables import locked_numbers as locked_numbers
    from infoset.forms.public_tables import node_numbers as node_numbers
    from infoset.forms.public_tables import numbers_for as numbers_for
    from infoset.forms.public_tables import write_board as write_board
    from infoset.forms.reach import Reaches as Reaches
    from infoset.forms.seams import with_hand_alternative as with_hand_alternative
    from infoset.forms.seams import with_leaves as with_leaves
    from infoset.forms.sequence_form import MAX_HISTORIES as MAX_HISTORIES
    from infoset.forms.sequence_form import SequenceForm as SequenceForm
    from infoset.forms.sequence_form import compile_game as compile_game
    from infoset.forms.sequence_form import visited_tree as visited_tree
    from infoset.forms.sequence_seams import with_infoset_alternative as with_infoset_alternative
    from infoset.forms.sequence_seams import with_values as with_values
    from infoset.forms.spot_form import SpotForm as SpotForm
    from infoset.forms.spot_form import form_of_spot as form_of_spot
    from infoset.forms.spot_form import trunk_of_spot as trunk_of_spot
    from infoset.forms.subgame_forms import cell_choice_top as cell_choice_top
    from infoset.forms.subgame_forms import cell_keys as cell_keys
    from infoset.forms.subgame_forms import chance_top as chance_top
    from infoset.forms.subgame_forms import choice_top as choice_top
    from infoset.forms.subgame_forms import form_below as form_below
    from infoset.forms.subgame_forms import rooted_form as rooted_form
    from infoset.forms.subgame_forms import trunk_form as trunk_form
    from infoset.forms.subgame_forms import trunk_numbers as trunk_numbers
    from infoset.forms.subgames import Decomposition as Decomposition
    from infoset.forms.subgames import decompose as decompose
    from infoset.forms.surroundings import Histories as Histories
    from infoset.forms.surroundings import Masks as Masks
    from infoset.forms.surroundings import Surroundings as Surroundings
    from infoset.forms.treeplex import Treeplex as Treeplex
    from infoset.forms.walk_states import MAX_DEPTH as MAX_DEPTH
    from infoset.forms.walk_states import check_player as check_player
    from infoset.forms.walk_states import check_probabilities as check_probabilities
    from infoset.forms.walk_states import finite as finite

__getattr__, __dir__ = door(__name__)
