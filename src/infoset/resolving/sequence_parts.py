"""Re-solving subgames in sequence form: gadget games, and the strategy put together of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation import exploitability
from infoset.forms import (
    SequenceForm,
    cell_choice_top,
    chance_top,
    choice_top,
    form_below,
)
from infoset.resolving.batches import run_in_batches
from infoset.resolving.methods import Method, check_method
from infoset.resolving.trunk import Trunk
from infoset.solvers import Algorithm, Limits, build_solver
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]


def resolving_form(trunk: Trunk, subgame: int, player: int, method: Method) -> SequenceForm | None:
    """The game whose solution is a player's new strategy in a subgame.

    `None` if there is nothing to find: if by the trunk the player never goes there (or, for
    ``unsafe``, if nobody does).
    """
    cut, opponent = trunk.cut, 1 - player
    chance = cut.node_chance[cut.roots]
    own = trunk.reach[player][cut.cells[player].of_root]
    if method == "unsafe":
        weights = chance * own * trunk.reach[opponent][cut.cells[opponent].of_root]
    else:
        weights = chance * own
    if not (weights[cut.root_subgame == subgame] > 0).any():
        return None
    if method == "unsafe":
        return form_below(cut, subgame, chance_top(cut, subgame, weights))
    here = cut.cells[opponent].of(subgame)
    values = trunk.values[opponent][here]
    if method == "reach":
        values = values + trunk.slack[opponent][here]
    make_top = choice_top if method == "gadget" else cell_choice_top
    return form_below(cut, subgame, make_top(cut, subgame, weights, opponent, values))


class SequenceParts:
    """The subgames of a cut game, each to be re-solved; what was not keeps its strategy."""

    def __init__(self, trunk: Trunk, strategy: SequenceStrategy, *, seed: int = 0) -> None:
        self.trunk = trunk
        self.seed = seed
        first, second = strategy.probabilities
        self._probabilities = first.copy(), second.copy()

    def __len__(self) -> int:
        return self.trunk.cut.num_subgames

    def resolve(self, number: int, method: Method, algorithm: Algorithm, iterations: int) -> float:
        """Re-solve a subgame for both players; return how well that was done.

        That is the exploitability in the games that were solved, of both players together.
        """
        check_method(method)
        players = {"unsafe": [(0, (0, 1))]}.get(method, [(0, (0,)), (1, (1,))])
        total = 0.0
        for player, learners in players:
            form = resolving_form(self.trunk, number, player, method)
            if form is None:
                continue
            solver = build_solver(form, algorithm, Limits(iterations), seed=self.seed)
            run_in_batches(solver, iterations)
            strategy = solver.strategy()
            assert isinstance(strategy, SequenceStrategy)
            total += exploitability(strategy)
            for learner in learners:
                self._take(number, learner, strategy)
        return total

    def _take(self, part: int, player: int, strategy: SequenceStrategy) -> None:
        """Play in a subgame as a strategy of the game that was made of it does."""
        sequences = self.trunk.cut.sequences(player, part)
        found = strategy.probabilities[player]
        self._probabilities[player][sequences] = found[len(found) - len(sequences) :]

    def strategy(self) -> SequenceStrategy:
        """Trunk and subgames put together."""
        first, second = self._probabilities
        return SequenceStrategy(self.trunk.cut.form, (first.copy(), second.copy()))
