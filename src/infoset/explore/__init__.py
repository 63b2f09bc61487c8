"""Views of a node, trees as text, and figures. Nothing here solves anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.explore.advice import Advice as Advice
    from infoset.explore.advice import Adviser as Adviser
    from infoset.explore.convergence import By as By
    from infoset.explore.convergence import draw_convergence as draw_convergence
    from infoset.explore.game_text import TreeLine as TreeLine
    from infoset.explore.game_text import first_lines as first_lines
    from infoset.explore.game_text import tree_lines as tree_lines
    from infoset.explore.node_view import NodeView as NodeView
    from infoset.explore.spot_figures import action_colours as action_colours
    from infoset.explore.spot_figures import draw_range_grid as draw_range_grid
    from infoset.explore.spot_figures import draw_values as draw_values
    from infoset.explore.style import BLACK as BLACK
    from infoset.explore.style import BLUE as BLUE
    from infoset.explore.style import DASHES as DASHES
    from infoset.explore.style import GREEN as GREEN
    from infoset.explore.style import GREY as GREY
    from infoset.explore.style import ORANGE as ORANGE
    from infoset.explore.style import PURPLE as PURPLE
    from infoset.explore.style import RED as RED
    from infoset.explore.style import check_path as check_path
    from infoset.explore.style import panels as panels
    from infoset.explore.style import save as save
    from infoset.explore.tree_text import spot_text as spot_text
    from infoset.explore.views import view_node as view_node

__getattr__, __dir__ = door(__name__)
