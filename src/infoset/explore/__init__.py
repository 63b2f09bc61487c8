"""Views of a node, trees as text, and figures. Nothing here solves anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.explore.convergence import draw_convergence
    from infoset.explore.node_view import NodeView
    from infoset.explore.spot_figures import draw_range_grid, draw_values
    from infoset.explore.tree_text import spot_text
    from infoset.explore.views import view_node

__all__ = [
    "NodeView",
    "draw_convergence",
    "draw_range_grid",
    "draw_values",
    "spot_text",
    "view_node",
]

__getattr__ = door(
    __name__,
    {
        "convergence": ("draw_convergence",),
        "node_view": ("NodeView",),
        "spot_figures": ("draw_range_grid", "draw_values"),
        "tree_text": ("spot_text",),
        "views": ("view_node",),
    },
)
