"""Spots of hold'em: which one is meant, and what it looks like before it is solved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.cli.app import app, command
from infoset.cli.options import JsonOption
from infoset.cli.output import write_json
from infoset.cli.targets import check_readable
from infoset.errors import BadInputError

if TYPE_CHECKING:
    from infoset.forms.betting_tree import BettingTree
    from infoset.forms.public_memory import Cost
    from infoset.games.holdem.spot import Spot

__all__ = ["NameOption", "SpotArgument", "find_spot", "spot_file", "spots"]

spots = typer.Typer(
    name="spot",
    help="Solve hold'em spots after the flop.",
    epilog="Example: infoset spot solve examples/turn.toml -e 0.5% --save turn.infoset",
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(spots)

SpotArgument = Annotated[
    str,
    typer.Argument(
        metavar="SPOT",
        help="A file that describes a spot (TOML or JSON, see docs/spots.md), or a random "
        "situation, as in 'River(5k)' or 'Turn(5k, seed=3)'.",
        show_default=False,
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Which spot, if the file has several."),
]

SUFFIXES = (".toml", ".json")
"""What ends like this is a file, and is missed at once if it is not there."""


@spots.callback()
def _spot(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def spot_file(text: str) -> Path | None:
    """The file that a spot is read from; it must be readable. `None` for a random situation."""
    path = Path(text)
    if os.path.exists(path) or path.suffix.lower() in SUFFIXES:
        check_readable(path)
        return path
    return None  # what it is, the library finds out, which takes a moment to load


def find_spot(text: str, name: str | None) -> Spot:
    """The spot in a file, by its name if there are several, or a random situation."""
    path = spot_file(text)

    from infoset.games.holdem import finding

    try:
        return finding.find_spot(path or text, name)
    except BadInputError as error:
        if name is None and "choose one" in str(error):
            raise BadInputError(f"{error} (with --name NAME)") from None
        raise


@command(example="infoset spot tree examples/turn.toml", group=spots)
def tree(
    spot: SpotArgument,
    name: NameOption = None,
    full: Annotated[
        bool, typer.Option("--full", help="Every action of the tree, however many there are.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show a spot before it is solved.

    Its settings, its betting tree, how large it is, and the memory that solving it takes.
    """
    found = find_spot(spot, name)

    from infoset.explore.tree_text import picture_of_cost, picture_of_spot, picture_of_tree
    from infoset.forms.betting_tree import build_betting_tree
    from infoset.forms.public_memory import cost_of

    betting = build_betting_tree(found)
    cost = cost_of(found, betting)
    if json:
        document = _document(found, betting, cost)
        if full:
            document["tree"] = _nodes(betting)
        write_json(document)
        return
    lines = {"max_lines": betting.num_nodes + 1} if full else {}
    print(picture_of_spot(found), picture_of_tree(betting, **lines), sep="\n\n", end="\n\n")
    print(picture_of_cost(cost))
    print(_free_memory())


def _free_memory() -> str:
    from infoset.machine.memory import available_bytes, format_bytes

    free = available_bytes()
    return "free memory: unknown" if free is None else f"free memory: {format_bytes(free)}"


def _document(spot: Spot, betting: BettingTree, cost: Cost) -> dict[str, Any]:
    """What the picture shows, for programs."""
    from infoset.cards import format_cards
    from infoset.games.holdem.menus import STREETS
    from infoset.games.holdem.spot_files import format_spot
    from infoset.machine.memory import available_bytes

    return {
        "name": spot.name,
        "board": format_cards(spot.board),
        "street": STREETS[spot.street],
        "pot": spot.pot,
        "stack": spot.stack,
        "hands": list(cost.num_hands),
        "combos": [held.num_combos for held in spot.ranges],
        "streets": [
            {
                "street": STREETS[street.street],
                "boards": street.num_boards,
                "decisions": street.num_decisions,
                "folds": street.num_folds,
                "showdowns": street.num_showdowns,
            }
            for street in cost.streets
        ],
        "locks": len(spot.locks),
        "nodes": betting.num_nodes,
        "decisions": cost.num_decisions,
        "terminals": cost.num_terminals,
        "memory_bytes": {str(bits): cost.num_bytes(bits=bits) for bits in (32, 16)},
        "free_bytes": available_bytes(),
        "toml": format_spot(spot),
    }


def _nodes(betting: BettingTree) -> list[dict[str, Any]]:
    """Every node of the betting tree, without cards."""
    from infoset.forms.betting_tree import NodeKind
    from infoset.games.holdem.menus import PLAYERS, STREETS

    return [
        {
            "path": betting.path(node),
            "kind": NodeKind(betting.node_kind[node]).name.lower(),
            "street": STREETS[betting.node_street[node]],
            "player": PLAYERS[player] if (player := int(betting.node_player[node])) >= 0 else None,
            "pot": betting.pot(node),
            "put": betting.node_put[node].tolist(),
        }
        for node in range(betting.num_nodes)
    ]
