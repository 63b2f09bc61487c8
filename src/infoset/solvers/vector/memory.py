"""Whether a spot fits into memory: asked before anything is allocated."""

from __future__ import annotations

from infoset.errors import TooLargeError
from infoset.forms.public_memory import cost_of
from infoset.games.holdem.spot import Spot
from infoset.machine.memory import SHARE, available_bytes, format_bytes
from infoset.solvers.recipe import Recipe

__all__ = ["check_memory", "predicted_bytes"]


def check_memory(spot: Spot, recipe: Recipe, threads: int, bits: int = 32) -> None:
    """Refuse a spot that would not fit into the memory that is free."""
    free = available_bytes()
    needed = predicted_bytes(spot, recipe, threads, bits)
    if free is not None and needed > SHARE * free:
        half = ", or store numbers in 16 bits (half of it)" if bits == 32 else ""
        raise TooLargeError(
            f"the spot needs {format_bytes(needed)} of memory, and {format_bytes(free)} are free: "
            f"give fewer bet sizes or smaller ranges, begin on a later street{half}"
        )


def predicted_bytes(spot: Spot, recipe: Recipe, threads: int, bits: int = 32) -> int:
    """What solving a spot takes by a recipe: tables, work space of all threads, and layout.

    >>> spot = Spot("Ks9h7d4c2s", "random", "random", pot=5000, stack=17500)
    >>> 1.0e6 < predicted_bytes(spot, Recipe(), threads=1) < 1.2e6
    True
    """
    return cost_of(spot).num_bytes(
        bits=bits,
        num_tables=3 if recipe.predictive else 2,
        threads=threads,
        alternating=recipe.alternating,
    )
