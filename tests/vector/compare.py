"""Run by `test_engine` in double precision: both forms of one spot, iteration by iteration."""

from __future__ import annotations

import json
import sys

import numpy as np

from infoset.calls import parse_call
from infoset.forms import compile_game
from infoset.forms.spot_form import form_of_spot
from infoset.games.holdem.spot import Spot
from infoset.solvers.presets import PRESETS
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.vector.solver import VectorSolver


def main(arguments):
    """Print the largest differences of regrets, averages, values and exploitability."""
    spot = Spot(*arguments["spot"], **arguments["options"])
    call = parse_call(arguments["algorithm"])
    recipe, _ = PRESETS[call.name].recipe(call)
    tree = compile_game(spot)
    general = RegretSolver(tree, recipe, 10)
    fast = VectorSolver(form_of_spot(spot), recipe, 10, threads=arguments["threads"])
    places = [[fast.form.find_infoset(key) for key in t.keys] for t in tree.treeplexes]
    gaps = {"regrets": 0.0, "average": 0.0, "value": 0.0, "exploitability": 0.0}
    for _ in range(arguments["iterations"]):
        general.run(1)
        fast.run(1)
        for name in ("regrets", "average"):
            gaps[name] = max(gaps[name], gap(tree, general, fast, places, name))
        ours, theirs = fast.evaluate(), general.evaluate()
        gaps["value"] = max(gaps["value"], abs(ours.values[0] - theirs.values[0]))
        off = abs(ours.exploitability - theirs.exploitability)
        gaps["exploitability"] = max(gaps["exploitability"], off)
    gaps["infosets"] = tree.num_infosets
    print(json.dumps(gaps))


def gap(tree, general, fast, places, name):
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
        for i, place in enumerate(places[player]):
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
