"""Run by `test_dealt_games` in double precision: both engines on a small game, step by step.

Where regrets are equal, rounding decides what is played: 1/2 and 1/2 if both are exactly zero, 1
and 0 if the first is 1e-17. Both are right, and the engines would go separate ways. So they are
kept together: a number that is positive in one of them and less than TIE in both is a tie. It
becomes zero in both when the iteration is over; and until then, as player 1 answers to it already,
it is what it is in the general engine. All other numbers stay as each engine has them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np

from infoset.calls import parse_call
from infoset.evaluation.measure import plan_exploitability, plan_values
from infoset.forms import compile_game
from infoset.forms.dealt_form import form_of_dealt
from infoset.forms.public_layout import layout_of
from infoset.forms.public_tables import Numbers, node_numbers
from infoset.games import make
from infoset.games.holdem.acpc import Holdem
from infoset.machine.precision import FLOAT
from infoset.solvers.presets import PRESETS
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.vector.solver import VectorSolver

TIE = 1e-12
HORIZON = 10
INSTANT = "instant "
"""Before the name of an algorithm: with instant updates.

No predictive preset has them, nor has hedge.
"""


class Interrupted(VectorSolver):
    """Calls ``after(player)`` when that player is updated, before the other answers."""

    after = None

    def _iterate(self, steps, players, **options):
        if options:  # nobody learns
            super()._iterate(steps, players, **options)
            return
        assert (len(steps), players) == (1, (0, 2))
        for player in (0, 1):
            super()._iterate(steps, (player, player + 1))
            self.after(player)


class SideBySide:
    """One game in both forms, and where the numbers of one are in the other."""

    def __init__(self, game):
        self.tree = compile_game(game)
        self.unit = self.tree.lanes.unit
        # In the unit of the general engine, so that numbers can be taken over as they are.
        form = form_of_dealt(game)
        payoffs = form.terminal_payoffs * self.unit.of_chips(1.0)
        self.form = replace(form, terminal_payoffs=payoffs)
        self.layout = layout_of(self.form)
        self.sequences = self._sequences()
        self.margin = self.unit.of_chips(TIE)
        self.tied = [np.zeros(0, bool), np.zeros(0, bool)]

    def _sequences(self):
        """[street][player] Which sequence of the general engine each number of a table is, or -1.

        All infosets of the general engine are in the vector form, with the same actions.
        """
        layout, form = self.layout, self.form
        shapes = [[layout.table_size(s, p) for p in (0, 1)] for s in range(layout.num_streets)]
        found = [[np.full(size, -1) for size in sizes] for sizes in shapes]
        places = [[Numbers(np.arange(n, dtype=FLOAT), np.zeros(0)) for n in s] for s in shapes]
        known = {}
        for player, treeplex in enumerate(self.tree.treeplexes):
            for i, key in enumerate(treeplex.keys):
                known[player, key] = treeplex.infoset_begin[i], tuple(treeplex.labels[i])
        for key, at in form.infosets():
            begin, labels = known.pop((at.player, key))
            assert labels == form.node_actions[at.node]
            rows = layout.rows[at.street][at.player]
            here = rows.hand[rows.begin[at.board] : rows.begin[at.board + 1]]
            row = np.flatnonzero(here == at.hand)[0]
            numbers = places[at.street][at.player]
            place = node_numbers(layout, at.street, at.player, at.board, at.node, numbers)[:, row]
            found[at.street][at.player][place.astype(np.int64)] = begin + np.arange(len(labels))
        assert not known
        return found

    def collected(self, fast, name, player):
        """[sequences] A table of the vector engine in the order of the general one."""
        out = np.zeros(len(self.tree.treeplexes[player].sequence_infoset))
        for street, tables in enumerate(fast.tables):
            index = self.sequences[street][player]
            out[index[index >= 0]] = getattr(tables[player], name).data[index >= 0]
        return out

    def spread(self, fast, name, player, array):
        """Put numbers in the order of the general engine into a table of the vector one."""
        for street, tables in enumerate(fast.tables):
            index = self.sequences[street][player]
            getattr(tables[player], name).data[index >= 0] = array[index[index >= 0]]

    def run(self, algorithm, iterations):
        """The largest differences in any iteration, and how many ties there were."""
        call = parse_call(algorithm.removeprefix(INSTANT))
        recipe, _ = PRESETS[call.name].recipe(call)
        recipe = replace(recipe, instant=recipe.instant or algorithm.startswith(INSTANT))
        general = RegretSolver(self.tree, recipe, HORIZON)
        fast = Interrupted(self.form, self._in_its_unit(recipe), HORIZON)
        gaps = dict.fromkeys(("regrets", "average", "prediction", "value", "exploitability"), 0.0)
        num_ties = 0

        def after(player):
            for name in self._names(general):
                self._compare(general, fast, name, player, gaps)
            self._take_over_ties(general, fast, player)

        fast.after = after
        for _ in range(iterations):
            general.run(1)
            fast.run(1)
            for player in (0, 1):
                self._compare(general, fast, "average", player, gaps)
            self._compare_figures(general, fast, gaps)
            num_ties += self._forget_ties(general, fast)
        return {"ties": num_ties, **gaps}

    def _in_its_unit(self, recipe):
        """The recipe for payoffs in the unit of the general engine: sharpness is per chip."""

        def sharpness(t):
            return recipe.rule.sharpness(t) / self.unit.of_chips(1.0)

        return replace(recipe, rule=replace(recipe.rule, sharpness=sharpness))

    def _compare(self, general, fast, name, player, gaps):
        # The first sequence of the general engine is the empty one.
        off = (self.collected(fast, name, player) - general.state()[f"{name}{player}"])[1:]
        off = off if name == "average" else self.unit.in_chips(off)
        gaps[name] = max(gaps[name], float(np.abs(off).max(initial=0.0)))

    def _compare_figures(self, general, fast, gaps):
        plans = general.plans()
        won = [self.unit.in_chips(value) for value in fast.evaluate().values]
        off = self.unit.in_chips(fast.exploitability()) - plan_exploitability(self.tree, plans)
        gaps["value"] = max(gaps["value"], float(abs(won[0] - plan_values(self.tree, plans)[0])))
        gaps["value"] = max(gaps["value"], float(abs(won[0] + won[1])))
        gaps["exploitability"] = max(gaps["exploitability"], float(abs(off)))

    # Ties.

    def _names(self, general):
        return ("regrets", "prediction") if general.recipe.predictive else ("regrets",)

    def _matched(self, general, held):
        """[sequences] What strategies are in proportion to, where it is positive."""
        if not general.recipe.predictive:
            return held["regrets"]
        return held["regrets"] * self._keep(general) + held["prediction"]

    def _keep(self, general):
        return general.recipe.weights(general.iteration + 1, 1, HORIZON).keep_positive[0]

    def _ties(self, general, fast, player):
        """The numbers of both engines, and where they are rounding in one of them."""
        names = self._names(general)
        ours = {name: self.collected(fast, name, player) for name in names}
        theirs = {name: general.state()[f"{name}{player}"] for name in names}
        most = np.maximum(self._matched(general, ours), self._matched(general, theirs))
        # A prediction is added in one step by the vector engine, and in two by the general one:
        # what is nothing in one of them may be less, or more, in the other.
        least = -TIE if general.recipe.predictive else 0.0
        is_tied = (self.unit.in_chips(most) > least) & (self.unit.in_chips(most) < TIE)
        return ours, theirs, is_tied & ((ours["regrets"] != 0.0) | (theirs["regrets"] != 0.0))

    def _take_over_ties(self, general, fast, player):
        """The opponent answers to them before they can be forgotten."""
        ours, theirs, is_tied = self._ties(general, fast, player)
        taken = dict(theirs)
        if general.recipe.predictive:
            # As one number, which nothing is added to.
            taken["regrets"] = np.zeros_like(theirs["regrets"])
            taken["prediction"] = self._matched(general, theirs)
        for name, array in ours.items():
            self.spread(fast, name, player, np.where(is_tied, taken[name], array))
        self.tied[player] = is_tied

    def _forget_ties(self, general, fast):
        """Make zeros of them in both engines."""
        state, num_ties = general.state(), 0
        for player, is_tied in enumerate(self.tied):
            num_ties += int(is_tied.sum())
            for name in self._names(general):
                ours = self.collected(fast, name, player)
                theirs = state[f"{name}{player}"]
                if not general.recipe.predictive:
                    theirs[is_tied] = 0.0
                elif name == "prediction":
                    # It counts only until the next one comes; with it, nothing is left to match.
                    keep = self._keep(general)
                    theirs[is_tied] = -keep * state[f"regrets{player}"][is_tied] - self.margin
                self.spread(fast, name, player, np.where(is_tied, theirs, ours))
        general.restore(state, general.iteration)
        return num_ties


def game_of(name):
    """A registered game; or hold'em with two cards on the flop and one on the turn, and no more."""
    if name != "short boards":
        return make(name)
    deck = tuple(4 * rank + suit for rank in range(9, 13) for suit in (2, 3))
    return Holdem(name, stack=13, blinds=(7, 4), deck=deck, street_cards=(0, 2, 1), sizes=())


def main(arguments):
    pair = SideBySide(game_of(arguments["game"]))
    found = {
        algorithm: pair.run(algorithm, arguments["iterations"])
        for algorithm in arguments["algorithms"]
    }
    print(json.dumps({"infosets": pair.tree.num_infosets, "runs": found}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
