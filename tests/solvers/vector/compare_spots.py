"""Run by `test_spots` in double precision: both forms of one spot, iteration by iteration."""

from __future__ import annotations

import functools
import json
import sys

import numpy as np

from infoset.forms import compile_game
from infoset.forms.public_layout import layout_of
from infoset.forms.spot_form import form_of_spot
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_recipe
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.vector.solver import VectorSolver


def main(arguments):
    """Print the largest differences for each algorithm, and how large the game is."""
    spot = Spot(*arguments["spot"], **arguments["options"])
    pair = BothForms(spot)
    runs = {
        algorithm: pair.run(algorithm, arguments["iterations"], arguments["threads"])
        for algorithm in arguments["algorithms"]
    }
    boards = [len(deals.cards) for deals in pair.form.streets]
    print(json.dumps({"infosets": pair.tree.num_infosets, "boards": boards, "runs": runs}))


class BothForms:
    """One spot in both forms, and where the infosets of one are in the other."""

    def __init__(self, spot):
        self.tree, self.form = compile_game(spot), form_of_spot(spot)
        layout = layout_of(self.form)
        self.places = []
        for player, treeplex in enumerate(self.tree.treeplexes):
            for i, key in enumerate(treeplex.keys):
                place = self.form.find_infoset(key)
                assert place.player == player
                assert self.form.actions_at(place.node) == treeplex.labels[i]
                rows = layout.rows[place.street][player]
                here = rows.hand[rows.begin[place.board] : rows.begin[place.board + 1]]
                (row,) = np.flatnonzero(here == place.hand)
                sequences = slice(*treeplex.infoset_begin[i : i + 2])
                weight = self.form.weights[player][place.hand]
                self.places.append((place, int(row), sequences, weight))

    def run(self, algorithm, iterations, threads):
        """The largest differences of regrets, averages, values and exploitability."""
        recipe = find_recipe(algorithm)
        general = RegretSolver(self.tree, recipe, 10)
        fast = VectorSolver(self.form, recipe, 10, threads=threads)
        gaps = {"regrets": 0.0, "average": 0.0, "value": 0.0, "exploitability": 0.0}
        for _ in range(iterations):
            general.run(1)
            fast.run(1)
            for name in ("regrets", "average"):
                gaps[name] = max(gaps[name], self.gap(general, fast, name))
            ours, theirs = fast.evaluate(), general.evaluate()
            gaps["value"] = max(gaps["value"], abs(ours.values[0] - theirs.values[0]))
            off = abs(ours.exploitability - theirs.exploitability)
            gaps["exploitability"] = max(gaps["exploitability"], off)
        return gaps

    def gap(self, general, fast, name):
        """The largest difference at any infoset.

        One that is not played itself is compared with that which is played for it.
        """
        state, worst = general.state(), 0.0
        arrays = [state[f"{name}{player}"] for player in (0, 1)]
        if name == "regrets":
            arrays = [self.tree.lanes.unit.in_chips(array) for array in arrays]
        numbers = functools.cache(functools.partial(fast.numbers, name))
        for place, row, sequences, weight in self.places:
            ours = numbers(place.street, place.player, place.board, place.node)[:, row]
            # Chance deals our hand, too, in sequence form: its regrets carry that weight. Its
            # plans start at 1, those of the public form at the weight of the hand.
            scaled = ours * weight if name == "regrets" else ours / weight
            worst = max(worst, float(np.abs(scaled - arrays[place.player][sequences]).max()))
        return worst


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
