"""A spot as text: its settings, its betting tree, its size, and the memory to solve it."""

from __future__ import annotations

from collections.abc import Iterator

from infoset.cards import format_cards
from infoset.errors import BadInputError, TooLargeError
from infoset.explore.node_view import NAMES
from infoset.forms import BettingTree, Cost, NodeKind, build_betting_tree, cost_of
from infoset.games.holdem import (
    BIG_BLIND,
    IP,
    OOP,
    PREFLOP,
    RIVER,
    STREETS,
    ActionKind,
    Menu,
    Spot,
    format_sizes,
)
from infoset.machine.memory import format_bytes

USUAL_LINES = 120
"""Lines of a tree that are drawn unless it is said."""


def spot_text(spot: Spot, *, max_lines: int | None = USUAL_LINES) -> str:
    """All there is to see before solving: settings, tree and cost; without `max_lines`, all of it.

    >>> print(spot_text(Spot("Ks9h7d4c2s", "QQ+", "TT+", 100, 60, {"bet": "50%", "raise": "a"})))
    river Ks9h7d4c2s: pot 100, stack 60 (0.6 times the pot)
    OOP: 15 hands (15 combos)
    IP:  27 hands (27 combos)
    river: bet 50%; raise a
    <BLANKLINE>
    river, pot 100, 60 behind
      OOP check
        IP check: showdown, pot 100
        IP bet 50 (50%)
          OOP fold: pot 100 to IP
          OOP call 50: showdown, pot 200
          OOP all-in 60 (5%)
            IP fold: pot 200 to OOP
            IP call 60: showdown, pot 220
      OOP bet 50 (50%)
        IP fold: pot 100 to OOP
        IP call 50: showdown, pot 200
        IP all-in 60 (5%)
          OOP fold: pot 200 to IP
          OOP call 60: showdown, pot 220
    <BLANKLINE>
    street    boards  decisions       ends
    river          1          6          9
    memory: 15.4 kB in 32 bits, 14.1 kB in 16 bits (15 and 27 hands)
    """
    tree = build_betting_tree(spot)
    try:
        cost = cost_text(cost_of(spot, tree))
    except TooLargeError as error:  # a spot before the flop
        cost = str(error)
    lines = tree.num_nodes + 1 if max_lines is None else max_lines
    return "\n\n".join([settings_text(spot), betting_tree_text(tree, max_lines=lines), cost])


def settings_text(spot: Spot) -> str:
    """The settings of a spot, a line for each kind; what is not set is left out."""
    name = f"{spot.name}, " if spot.name else ""
    board = f" {format_cards(spot.board)}" if spot.board else ""
    chips = [f"pot {spot.pot}"] if spot.pot else []
    if spot.blinds:
        chips.append(f"blinds {spot.blinds[0]} and {spot.blinds[1]}")
    chips.append(f"stack {spot.stack} ({spot.stack_to_pot:.3g} times the pot)")
    lines = [f"{name}{STREETS[spot.street]}{board}: {', '.join(chips)}"]
    for label, held in zip(("OOP:", "IP: "), spot.ranges, strict=True):
        lines.append(f"{label} {len(held)} hands ({held.num_combos:.6g} combos)")
    for n, sizes in enumerate(spot.bet_sizes.opening):
        lines.append(f"action {n + 1}: {format_sizes(sizes) or 'none'}")
    for street in range(spot.street, RIVER + 1):
        lines += _menu_lines(spot, street)
    thresholds = [
        f"{meaning} {value:g}"
        for meaning, value in (
            ("all-in added up to", spot.bet_sizes.add_allin_threshold),
            ("all-in forced up to", spot.bet_sizes.force_allin_threshold),
            ("sizes merged within", spot.bet_sizes.merging_threshold),
        )
        if value
    ]
    if thresholds:
        lines.append("thresholds: " + ", ".join(thresholds))
    if spot.rake:
        cap = "" if spot.rake.cap is None else f", at most {spot.rake.cap:g}"
        lines.append(f"rake: {100 * spot.rake.share:g}%{cap}")
    if spot.big_blind != BIG_BLIND:
        lines.append(f"big blind: {spot.big_blind}")
    if spot.locks:
        lines.append(f"locked: {len(spot.locks):,} decision{'s' * (len(spot.locks) > 1)}")
    return "\n".join(lines)


def _menu_lines(spot: Spot, street: int) -> list[str]:
    """The sizes on a street: a line for both players, or one for each."""
    donk = spot.bet_sizes.donk[street]
    donks = "" if donk is None else f"; donk {format_sizes(donk) or 'none'}"
    oop, ip = (_sizes(menu, street) for menu in spot.bet_sizes.menus[street])
    if oop == ip and not donks:
        return [f"{STREETS[street]}: {oop}"]
    return [f"{STREETS[street]} OOP: {oop}{donks}", f"{STREETS[street]} IP: {ip}"]


def _sizes(menu: Menu, street: int) -> str:
    raises = f"raise {format_sizes(menu.raises) or 'none'}"
    # Before the flop the big blind is the bet.
    return raises if street == PREFLOP else f"bet {format_sizes(menu.bets) or 'none'}; {raises}"


def betting_tree_text(tree: BettingTree, *, max_lines: int = USUAL_LINES) -> str:
    """The betting tree, a line for each action, the actions after it further in.

    A tree of more than `max_lines` actions is drawn up to the last street on which it has no more;
    if the first street alone has more, it is cut off. What is not drawn is counted.
    """
    if max_lines < 1:
        raise BadInputError(f"a tree needs at least one line, not {max_lines}")
    last = RIVER
    while last > tree.spot.street and tree.street_begin[last + 1] > max_lines:
        last -= 1
    below = _counts_below(tree)
    lines = [f"{STREETS[tree.spot.street]}, {_amounts(tree, 0)}"]
    hidden = 0
    for depth, node in _walk(tree, last):
        if len(lines) < max_lines:
            lines.append(
                "  " * depth + _line(tree, node, below, is_cut=tree.node_street[node] == last)
            )
        else:
            hidden += 1
    if hidden:
        where = f"on the {STREETS[last]}" if last > PREFLOP else "before the flop"
        lines.append(f"... and {hidden:,} actions more {where}")
    return "\n".join(lines)


def _walk(tree: BettingTree, last: int) -> Iterator[tuple[int, int]]:
    """Depth and number of every node that an action leads to, each before those after it."""
    stack = [(0, 0)]
    while stack:
        depth, node = stack.pop()
        if node:
            yield depth, node
        if tree.node_kind[node] == NodeKind.CHANCE:
            if tree.node_street[node] == last:
                continue
            node = int(tree.node_child_begin[node])  # a deal has no line of its own
        children = range(int(tree.node_child_begin[node]), int(tree.node_child_end[node]))
        stack += [(depth + 1, child) for child in reversed(children)]


def _counts_below(tree: BettingTree) -> list[int]:
    """[n] How many nodes are below each, without cards."""
    below = [0] * tree.num_nodes
    for node in range(tree.num_nodes - 1, 0, -1):
        below[tree.node_parent[node]] += below[node] + 1
    return below


def _amounts(tree: BettingTree, node: int) -> str:
    behind = tree.spot.stack - int(tree.node_put[node].max())
    return f"pot {tree.pot(node)}, {behind} behind"


def _line(tree: BettingTree, node: int, below: list[int], *, is_cut: bool) -> str:
    parent = int(tree.node_parent[node])
    kind = tree.node_kind[node]
    player = int(tree.node_player[parent])
    text = f"{NAMES[player]} {tree.action_text(node)}"
    match kind:
        case NodeKind.FOLD:
            # What was bet and not called goes back, and is not part of the pot.
            pot = tree.spot.pot + 2 * int(tree.node_put[node, player])
            return f"{text}: pot {pot} to {NAMES[1 - player]}"
        case NodeKind.SHOWDOWN:
            how = "showdown" if tree.node_street[node] == RIVER else "all-in, board dealt out"
            return f"{text}: {how}, pot {tree.pot(node)}"
        case NodeKind.CHANCE:
            following = f"{text}: {STREETS[tree.node_street[node] + 1]}, {_amounts(tree, node)}"
            return f"{following} ({below[node]:,} nodes)" if is_cut else following
    if tree.node_action[node] in (ActionKind.CHECK, ActionKind.CALL):
        return text
    return f"{text} ({_share(tree, node, parent, player)})"


def _share(tree: BettingTree, node: int, parent: int, player: int) -> str:
    """A bet or raise in percent of the pot once the bet before it is called."""
    before = int(tree.node_put[parent, 1 - player])
    pot = tree.spot.pot + 2 * before
    return f"{100 * (int(tree.node_put[node, player]) - before) / pot:.3g}%"


def cost_text(cost: Cost) -> str:
    """How large a spot is on every street, and the memory it takes."""
    lines = [f"{'street':<8}{'boards':>8}{'decisions':>11}{'ends':>11}"]
    for street in cost.streets:
        num_ends = street.num_folds + street.num_showdowns
        lines.append(
            f"{STREETS[street.street]:<8}{street.num_boards:>8,}{street.num_decisions:>11,}"
            f"{num_ends:>11,}"
        )
    if len(cost.streets) > 1:
        lines.append(f"{'total':<16}{cost.num_decisions:>11,}{cost.num_terminals:>11,}")
    full, half = (format_bytes(cost.num_bytes(bits=bits)) for bits in (32, 16))
    hands = f"{cost.num_hands[OOP]:,} and {cost.num_hands[IP]:,} hands"
    lines.append(f"memory: {full} in 32 bits, {half} in 16 bits ({hands})")
    return "\n".join(lines)
