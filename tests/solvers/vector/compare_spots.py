"""Run by `test_spots` in double precision: both forms of one spot, iteration by iteration."""

from __future__ import annotations

import json
import sys

import numpy as np

from infoset.calls import parse_call
from infoset.forms import compile_game
from infoset.games.holdem.spot import Spot
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.regret import RegretSolver
from spots_for_tests import spot_solver


def main(arguments):
    """Print the largest differences for each algorithm, and how large the game is."""
    spot = Spot(*arguments["spot"], **arguments["options"])
    tree = compile_game(spot)
    runs = {
        algorithm: run(spot, tree, algorithm, arguments["iterations"], arguments["threads"])
        for algorithm in arguments["algorithms"]
    }
    boards = [len(deals.cards) for deals in spot_solver(spot, Recipe()).layout.form.streets]
    print(json.dumps({"infosets": tree.num_infosets, "boards": boards, "runs": runs}))


def run(spot, tree, algorithm, iterations, threads):
    """The largest differences of regrets, averages, values and exploitability."""
    call = parse_call(algorithm)
    recipe, _ = PRESETS[call.name].recipe(call)
    general = RegretSolver(tree, recipe, 10)
    fast = spot_solver(spot, recipe, 10, threads=threads)
    gaps = {"regrets": 0.0, "average": 0.0, "value": 0.0, "exploitability": 0.0}
    for _ in range(iterations):
        general.run(1)
        fast.run(1)
        for name in ("regrets", "average"):
            gaps[name] = max(gaps[name], gap(tree, general, fast, name))
        ours, theirs = fast.evaluate(), general.evaluate()
        gaps["value"] = max(gaps["value"], abs(ours.values[0] - theirs.values[0]))
        off = abs(ours.exploitability - theirs.exploitability)
        gaps["exploitability"] = max(gaps["exploitability"], off)
    return gaps


def gap(tree, general, fast, name):
    """The largest difference at any infoset.

    One that is not played itself is compared with that which is played for it.
    """
    layout, form = fast.layout, fast.form
    state = general.state()
    worst = 0.0
    for player, treeplex in enumerate(tree.treeplexes):
        array = state[f"{name}{player}"]
        if name == "regrets":
            array = tree.lanes.unit.in_chips(array)
        for i, key in enumerate(treeplex.keys):
            place = form.find_infoset(key)
            assert place.player == player
            assert form.actions_at(place.node) == treeplex.labels[i]
            ours = fast.numbers(name, place.street, player, place.board, place.node)
            rows = layout.rows[place.street][player]
            here = rows.hand[rows.begin[place.board] : rows.begin[place.board + 1]]
            (row,) = np.flatnonzero(here == place.hand)
            weight = form.weights[player][place.hand]
            begin, end = treeplex.infoset_begin[i : i + 2]
            theirs = array[begin:end]
            # The general engine's chance deals our hand, too: its regrets carry that weight. Its
            # plans start at 1, those of the vector form at the weight of the hand.
            scaled = ours[:, row] * weight if name == "regrets" else ours[:, row] / weight
            worst = max(worst, float(np.abs(scaled - theirs).max()))
    return worst


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
