"""Run by `test_spots` in double precision: both engines on one spot, iteration by iteration."""

from __future__ import annotations

import json
import sys

import numpy as np

from infoset.calls import parse_call
from infoset.cards import hand_of
from infoset.evaluation.measure import plan_exploitability, plan_values
from infoset.forms import compile_game
from infoset.forms.paths import find_node
from infoset.games.holdem.spot import Spot
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.regret import RegretSolver
from public_history import path_of
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
        plans = general.plans()
        values = fast.evaluate().values
        gaps["value"] = max(gaps["value"], abs(values[0] - plan_values(tree, plans)[0]))
        off = fast.exploitability() - plan_exploitability(tree, plans)
        gaps["exploitability"] = max(gaps["exploitability"], abs(off))
    return gaps


def gap(tree, general, fast, name):
    """The largest difference at the infosets that the fast solver plays itself."""
    layout, form = fast.layout, fast.form
    boards = [{cards: n for n, cards in enumerate(form.dealt(s))} for s in range(form.num_streets)]
    state = general.state()
    worst = 0.0
    for player, treeplex in enumerate(tree.treeplexes):
        array = state[f"{name}{player}"]
        if name == "regrets":
            array = tree.lanes.unit.in_chips(array)
        held = form.hand_numbers[player]
        for i, key in enumerate(treeplex.keys):
            hand, history = key.split(":", 1)
            node, cards, _ = find_node(form.tree, path_of(history))
            street = len(cards)
            if cards not in boards[street]:
                continue  # played as another board with other suits
            number = boards[street][cards]
            ours = fast.numbers(name, street, player, number, node)
            rows = layout.rows[street][player]
            here = rows.hand[rows.begin[number] : rows.begin[number + 1]]
            row = int(np.flatnonzero(here >= 0)[held[here[here >= 0]] == hand_of(hand)][0])
            weight = form.weights[player][here[row]]
            begin, end = treeplex.infoset_begin[i : i + 2]
            theirs = array[begin:end]
            # The general engine's chance deals our hand, too: its regrets carry that weight. Its
            # plans start at 1, those of the vector form at the weight of the hand.
            scaled = ours[:, row] * weight if name == "regrets" else ours[:, row] / weight
            worst = max(worst, float(np.abs(scaled - theirs).max()))
    return worst


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
