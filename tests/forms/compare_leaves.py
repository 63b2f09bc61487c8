"""Run by `test_seams` in double precision: a form, and the same with leaves for a part of it."""

from __future__ import annotations

import json
import sys

import numpy as np

from infoset.forms.betting_tree import NodeKind
from infoset.forms.dealt_form import form_of_dealt
from infoset.forms.seams import with_leaves
from infoset.forms.spot_form import form_of_spot
from infoset.games import make
from infoset.games.holdem.spot import Spot
from infoset.machine.precision import FLOAT
from infoset.solvers.algorithms import find_recipe
from infoset.solvers.vector.solver import VectorSolver
from leaves_for_tests import played_out, terminal_leaves, terminals_of

# Odd amounts: with round ones regrets tie, and rounding decides what is played.
RIVER = (["Ks9h7d4c2s", "AA,KK:0.5,QJs,76s", "99,AKo:0.25,J8s,65s", 97, 251], {})
TURN = (
    ["Td9d6hQc", "QQ:0.5,JTs", "99,AcJc,8d7d:0.75", 97, 131],
    {"bet_sizes": {"bet": "37%, a", "raise": "a"}},
)
# Hearts and spades are alike, so that one river is played for two; no bets there.
CHECKED = (
    ["Td9d6cQc", "AhAs,KhJs:0.5,KsJh:0.5,QdTh,QdTs", "QhTs,QsTh,8h7h:0.75,8s7s:0.75", 97, 131],
    {"bet_sizes": {"turn": {"bet": "37%", "raise": "60%"}, "river": {"bet": "", "raise": ""}}},
)
RAKED = ([*RIVER[0]], {"rake": 0.05})


def forms_of(case):
    """A form, and the same with leaves."""
    if case in ("kuhn", "leduc"):
        form = form_of_dealt(make(case))
    else:
        spot = {"river": RIVER, "folds": RIVER, "raked": RAKED, "turn": TURN, "due": CHECKED}[case]
        form = form_of_spot(Spot(*spot[0], **spot[1]))
    if case == "due":
        nodes = np.flatnonzero(form.node_kind == NodeKind.CHANCE).tolist()
        assert len(form.streets[1].cards) < len(form.streets[1].deal_board)
        ask = played_out(form, nodes)
    else:
        kinds = (NodeKind.FOLD,) if case == "folds" else (NodeKind.FOLD, NodeKind.SHOWDOWN)
        nodes = terminals_of(form, kinds)
        ask = terminal_leaves(form, nodes)
    return form, with_leaves(form, nodes, ask)


def gap(ours, theirs):
    return float(np.abs(np.asarray(ours) - np.asarray(theirs)).max(initial=0.0))


def run(case, algorithm, iterations):
    """The largest differences in any iteration, at the decisions of the cut form."""
    whole, cut = (VectorSolver(form, find_recipe(algorithm), 10) for form in forms_of(case))
    gaps = dict.fromkeys(("regrets", "average", "value", "exploitability", "hands"), 0.0)
    for _ in range(iterations):
        for solver in (whole, cut):
            solver.run(1)
        for name in ("regrets", "average"):
            for street, boards in enumerate(cut.layout.boards):
                for player in (0, 1):
                    for node in cut.layout.bettings[street][player].nodes:
                        for board in range(len(boards)):
                            at = name, street, player, board, node
                            gaps[name] = max(gaps[name], gap(cut.numbers(*at), whole.numbers(*at)))
        ours, theirs = cut.evaluate(), whole.evaluate()
        gaps["value"] = max(gaps["value"], gap(ours.values, theirs.values))
        off = gap(ours.exploitability, theirs.exploitability)
        gaps["exploitability"] = max(gaps["exploitability"], off)
        for player in (0, 1):
            for best in (False, True):
                pair = [s.counterfactual_values(player, best=best) for s in (cut, whole)]
                gaps["hands"] = max(gaps["hands"], gap(*pair) / whole.form.num_pairs)
    return gaps


def main(runs):
    assert np.dtype(FLOAT) == np.float64
    print(json.dumps([run(*each) for each in runs]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
