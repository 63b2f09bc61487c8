"""What a game or a spot looks like before it is solved: its size, its memory, its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.options import option
from infoset.cli.output import print_facts, printable, width, write_csv, write_json
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine
from infoset.errors import BadInputError, TooLargeError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.explore import TreeLine
    from infoset.forms import BettingTree, SequenceForm
    from infoset.games import Game
    from infoset.games.holdem import Spot

USUAL_LINES = 40
"""Lines of a game's tree, unless all are asked for."""
MOST_LINES = 10_000
"""Lines of a game's tree at most."""
SMALL = 100_000
"""Histories up to which a game is put into public form only to see whether it has one."""


@command(example="infoset tree examples/turn.toml")
def tree(
    target: str = options.TARGET,
    name: str | None = options.NAME,
    full: bool = option(
        "--full", f"The whole tree; of a game, {MOST_LINES:,} lines of it at most."
    ),
    json: bool = options.JSON,
    csv: bool = options.CSV,
    quiet: bool = options.QUIET,
) -> None:
    """Show a game or a spot before it is solved.

    How large it is, the memory that solving it takes, and its tree, cut to fit. A spot also has
    its settings, and shows its betting tree. With --csv, the nodes of the tree are the lines.
    """
    check_files(read={"TARGET": target_file(target)})
    rules = options.find_target(target, name)

    from infoset.games.holdem import Spot

    if isinstance(rules, Spot):
        _show_spot(rules, full=full, json=json, csv=csv)
        return

    from infoset.explore import tree_lines

    lines = tree_lines(rules, max_lines=MOST_LINES if full else USUAL_LINES)
    if csv:
        rows = [[*line.values()] for line in _histories(lines)]
        write_csv(["path", "player", "infoset", "probability", "payoff", "children"], rows)
        return
    with LiveLine(printable(target), quiet=quiet) as line, heard_interrupts():
        line.announce("building the game")
        size = _size(rules)
    if json:
        write_json({**size, "tree": _histories(lines)} if full else size)
    else:
        _print_game(size, lines)


# Spots.


def _show_spot(spot: Spot, *, full: bool, json: bool, csv: bool) -> None:
    from infoset.explore import spot_text
    from infoset.forms import build_betting_tree

    if not json and not csv:
        print(spot_text(spot, **({"max_lines": None} if full else {})))
        print(f"free memory: {_free_memory()}")
        return
    betting = build_betting_tree(spot)
    if csv:
        names = ["path", "kind", "street", "player", "pot", "put_oop", "put_ip"]
        write_csv(names, ([*node.values()][:-1] + node["put"] for node in _nodes(betting)))
    else:
        document = _spot_document(spot, betting)
        write_json({**document, "tree": _nodes(betting)} if full else document)


def _free_memory() -> str:
    from infoset.machine.memory import available_bytes, format_bytes

    free = available_bytes()
    return "unknown" if free is None else format_bytes(free)


def _spot_document(spot: Spot, betting: BettingTree) -> dict[str, Any]:
    """What the text shows, for programs."""
    from infoset.cards import format_cards
    from infoset.forms import cost_of
    from infoset.games.holdem import STREETS, format_spot
    from infoset.machine.memory import available_bytes

    document = {
        "name": spot.name,
        "board": format_cards(spot.board),
        "street": STREETS[spot.street],
        "pot": spot.pot,
        "stack": spot.stack,
        "hands": list(spot.num_hands),
        "combos": [hands.num_combos for hands in spot.ranges],
        "locks": len(spot.locks),
        "nodes": betting.num_nodes,
        "free_bytes": available_bytes(),
        "toml": format_spot(spot),
    }
    try:
        cost = cost_of(spot, betting)
    except TooLargeError as error:  # a spot before the flop
        return {**document, "reason": str(error)}
    streets = [
        {
            "street": STREETS[street.street],
            "boards": street.num_boards,
            "decisions": street.num_decisions,
            "folds": street.num_folds,
            "showdowns": street.num_showdowns,
        }
        for street in cost.streets
    ]
    return {
        **document,
        "streets": streets,
        "decisions": cost.num_decisions,
        "terminals": cost.num_terminals,
        "memory_bytes": {str(bits): cost.num_bytes(bits=bits) for bits in (32, 16)},
    }


def _nodes(betting: BettingTree) -> list[dict[str, Any]]:
    """Every node of the betting tree, without cards."""
    from infoset.forms import NodeKind
    from infoset.games.holdem import PLAYERS, STREETS

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


# Games.


def _print_game(size: dict[str, Any], lines: list[TreeLine]) -> None:
    from infoset.explore import first_lines

    print_facts(_facts(size))
    page = width()
    for line in map(printable, first_lines(lines)):
        print(line if len(line) <= page else f"{line[: page - 3]}...")


def _size(rules: Game) -> dict[str, Any]:
    """A game in numbers, or what is known of one that is too large to compile."""
    from infoset.forms import sequence_form_of
    from infoset.machine.memory import available_bytes

    try:
        size = _compiled_size(rules, sequence_form_of(rules))
    except TooLargeError as error:
        size = {
            "name": str(getattr(rules, "name", type(rules).__name__)),
            "compiles": False,
            "histories_at_least": error.num_histories,
            "memory_bytes_at_least": error.num_bytes,
            "reason": str(error),
        }
    return {**size, "free_bytes": available_bytes()}


def _compiled_size(rules: Game, compiled: SequenceForm) -> dict[str, Any]:
    from infoset.games import CHANCE
    from infoset.solvers import DEFAULT_ALGORITHM, Limits, build_solver, find_algorithm

    history, plexes = compiled.history, compiled.treeplexes
    solver = build_solver(compiled, find_algorithm(DEFAULT_ALGORITHM), Limits(iterations=1))
    has_public_form, why = _public_form(rules, history.num_nodes)
    return {
        "name": compiled.name,
        "compiles": True,
        "histories": history.num_nodes,
        "terminals": history.num_terminals,
        "chance_nodes": int((history.node_player == CHANCE).sum()),
        "infosets": [plex.num_infosets for plex in plexes],
        "sequences": [plex.num_sequences - 1 for plex in plexes],
        "public_form": has_public_form,
        "public_form_is": why,
        "memory_bytes": {
            "histories": history.nbytes,
            "form": solver.form_bytes,
            "solver": solver.working_bytes,
            "kept": solver.kept_bytes,
        },
    }


def _public_form(rules: Game, num_histories: int) -> tuple[bool | None, str]:
    """Whether a game has a public form, and what there is to say of it; `None` if not tried."""
    from infoset.forms import public_form_of
    from infoset.games import DealtGame

    if isinstance(rules, DealtGame) and num_histories > SMALL:
        return None, "not tried on a game of this size; solve with --form public"
    try:
        form = public_form_of(rules)
    except BadInputError as error:
        return False, str(error)
    streets = f"{form.num_streets} street{'s' * (form.num_streets > 1)}"
    return True, f"{streets}, {form.num_hands[0]} hands; solve with --form public"


def _facts(size: dict[str, Any]) -> list[tuple[str, str]]:
    from infoset.machine.memory import format_bytes

    facts = [("game", printable(size["name"]))]
    if size["compiles"]:
        kinds = f"{size['terminals']:,} terminal, {size['chance_nodes']:,} of chance"
        facts.append(("histories", f"{size['histories']:,} ({kinds})"))
        for key in ("infosets", "sequences"):
            first, second = size[key]
            by_player = f"{first:,} of player 0, {second:,} of player 1"
            facts.append((key, f"{first + second:,} ({by_player})"))
        has_public_form = {True: "yes", False: "no", None: "maybe"}[size["public_form"]]
        memory = {key: format_bytes(number) for key, number in size["memory_bytes"].items()}
        solver = f"solver {memory['solver']} ({memory['kept']} kept)"
        facts += [
            ("public form", f"{has_public_form}: {size['public_form_is']}"),
            ("memory", f"form {memory['form']}, {solver}, histories {memory['histories']}"),
        ]
    else:
        facts += [
            ("size", f"too large to compile: {size['reason']}"),
            ("to solve it", "sample its rules: infoset solve GAME -a es-mccfr, or -a os-mccfr"),
        ]
    return [*facts, ("free memory", _free_memory())]


def _histories(lines: list[TreeLine]) -> list[dict[str, Any]]:
    """The histories that are drawn, for programs."""
    from infoset.games import CHANCE, TERMINAL

    words = {CHANCE: "chance", TERMINAL: "terminal"}
    path: list[str] = []
    out = []
    for line in lines:
        path = [*path[: max(line.depth - 1, 0)], line.action] if line.depth else []
        out.append(
            {
                "path": ", ".join(path),
                "player": words.get(line.player, line.player),
                "infoset": line.infoset,
                "probability": None if line.probability is None else float(line.probability),
                "payoff": None if line.payoff is None else float(line.payoff),
                "children": line.num_children,
            }
        )
    return out
