"""How large a spot is, and the memory that solving it takes: known before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import BadInputError
from infoset.spots.betting import BettingTree, NodeKind, build_betting_tree
from infoset.spots.menus import IP, OOP, RIVER
from infoset.spots.runouts import Boards, runouts_of
from infoset.spots.spot import Spot

__all__ = ["Cost", "StreetCost", "cost_of", "format_bytes"]


@dataclass(frozen=True)
class StreetCost:
    """One street of a spot, its cards included."""

    street: int
    num_boards: int
    """Boards, one for all that are alike."""
    num_decisions: int
    num_folds: int
    """Ends by a fold on this street."""
    num_showdowns: int
    """Ends by a showdown on this street; those of an all-in before it are counted on the river."""
    num_numbers: int
    """Actions times hands that a player can have there: the numbers of one array of all."""


@dataclass(frozen=True)
class Cost:
    """A spot, its cards included, in numbers."""

    num_hands: tuple[int, int]
    streets: tuple[StreetCost, ...]
    """From the spot's own street to the river."""

    @property
    def num_decisions(self) -> int:
        """How many decisions there are, each on every board but once for all hands."""
        return sum(street.num_decisions for street in self.streets)

    @property
    def num_terminals(self) -> int:
        """How many ends there are, each on every board but once for all hands.

        As postflop-solver counts them: a showdown of an all-in counts once for every board that
        the river can bring, and boards that differ only in suits that are alike count once.
        """
        return sum(street.num_folds + street.num_showdowns for street in self.streets)

    @property
    def num_numbers(self) -> int:
        """How many numbers an array has that holds one for each action and hand."""
        return sum(street.num_numbers for street in self.streets)

    def num_bytes(self, *, bits: int = 32, num_arrays: int = 2) -> int:
        """The memory of that many such arrays: regrets and the average strategy are two.

        What 16 bits need beside them (a scale a row) and what a solver needs to work in (reaches
        and values on one path) is not counted; both are small beside the arrays of a turn or flop.
        """
        if bits not in (16, 32, 64):
            raise BadInputError(f"numbers are stored in 16, 32 or 64 bits, not {bits}")
        return self.num_numbers * num_arrays * bits // 8


def cost_of(
    spot: Spot,
    tree: BettingTree | None = None,
    runouts: tuple[Boards, Boards, Boards] | None = None,
) -> Cost:
    """Count a spot; its tree and boards are built if they are not given.

    >>> cost = cost_of(Spot("Ks9h7d4c2s", "random", "random", pot=5000, stack=17500))
    >>> cost.num_hands, cost.num_terminals, format_bytes(cost.num_bytes())
    ((1081, 1081), 37, '0.5 MB')
    """
    tree = tree or build_betting_tree(spot)
    num_boards = [len(boards) for boards in runouts or runouts_of(spot, tree)]
    num_hands = spot.num_hands
    streets = []
    for street in range(spot.street, RIVER + 1):
        boards = num_boards[street]
        # The showdown of an all-in is played on every river.
        before = range(spot.street, RIVER + 1) if street == RIVER else ()
        num_actions = [tree.count_actions(street, player) for player in (OOP, IP)]
        streets.append(
            StreetCost(
                street=street,
                num_boards=boards,
                num_decisions=boards * tree.count(NodeKind.DECISION, street),
                num_folds=boards * tree.count(NodeKind.FOLD, street),
                num_showdowns=boards * sum(tree.count(NodeKind.SHOWDOWN, s) for s in before),
                num_numbers=boards
                * sum(a * h for a, h in zip(num_actions, num_hands, strict=True)),
            )
        )
    return Cost(num_hands, tuple(streets))


def format_bytes(number: int) -> str:
    """A number of bytes, in the unit in which it is easy to read.

    >>> format_bytes(691_840), format_bytes(421_000_000), format_bytes(12_300_000_000)
    ('0.7 MB', '421 MB', '12.3 GB')
    """
    if number < 50_000:
        return f"{number / 1e3:.1f} kB"
    if number < 1e9:
        return f"{number / 1e6:.1f} MB" if number < 1e8 else f"{number / 1e6:.0f} MB"
    return f"{number / 1e9:.1f} GB" if number < 1e12 else f"{number / 1e12:,.1f} TB"
