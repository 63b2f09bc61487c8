"""The three spots that the engine is measured on, and a betting tree written down naively."""

from __future__ import annotations

import json
from fractions import Fraction
from math import floor
from pathlib import Path

SPOTS = Path(__file__).with_name("reference_spots.json")
"""A copy of the project's reference spots, conventions included."""

NAMES = [spot["name"] for spot in json.loads(SPOTS.read_text())["spots"]]


def naive_paths(spot):
    """Every way to the end of a spot, as text, in no particular order; from the conventions.

    Recursive and slow, with percents, chips, multiples of the bet and all-in as sizes. Thresholds,
    donk and opening sizes are not known here.
    """
    found = []

    def amount(size, previous, pot, all_in):
        if size == "a":
            return all_in
        number = Fraction(size[:-1])
        if size.endswith("%"):
            return previous + floor(number / 100 * pot + Fraction(1, 2))
        if size.endswith("c"):
            return previous + int(number)
        assert size.endswith("x")
        return floor(number * previous + Fraction(1, 2))

    def act(street, put, bets, player, path):
        """`put` is what each has put in before this street, `bets` what on it."""
        own, other = bets[player], bets[1 - player]
        all_in = spot.stack - put
        if own == other == 0:
            if player == 1:
                end_street(street, put, [*path, "check"], is_all_in=False)
            else:
                act(street, put, bets, 1, [*path, "check"])
        else:
            found.append(", ".join([*path, "fold"]))
            end_street(street, put + other, [*path, f"call {other}"], is_all_in=other == all_in)
            if other == all_in:
                return
        menu = spot.bet_sizes.menus[street][player]
        sizes = [str(size) for size in (menu.raises if other else menu.bets)]
        least = max(1, other + other - own)
        pot = spot.pot + 2 * put + 2 * other
        totals = {min(max(amount(size, other, pot, all_in), least), all_in) for size in sizes}
        for total in totals:
            name = f"raise to {total}" if other else f"bet {total}"
            if total == all_in:
                name = f"all-in {total}"
            after = [total, other] if player == 0 else [other, total]
            act(street, put, after, 1 - player, [*path, name])

    def end_street(street, put, path, *, is_all_in):
        if street == 3 or is_all_in:
            found.append(", ".join(path))
        else:
            act(street + 1, put, [0, 0], 0, [*path, "deal"])

    act(spot.street, 0, [0, 0], 0, [])
    return found
