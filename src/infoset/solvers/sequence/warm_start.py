"""Warm starts: regrets and averages for a strategy that was found elsewhere.

Brown & Sandholm, "Strategy-Based Warm Starting for Regret Minimization in Games" (AAAI 2016). The
strategy is taken for the average of ``T`` iterations, and regrets are made up that such iterations
could have left.

**Substitute regrets** (``substitute``). Let ``v'(I, a)`` be the counterfactual value of an action
if the opponent plays the strategy and the player's later infosets are worth ``v'``. Regret matching
at ``I`` adds in each iteration at most ``pi_-i(I)**2 D(I)**2 |A(I)|`` to the sum of the squares of
positive regrets, where ``D(I)`` is the largest minus the smallest payoff that can follow. After
``T`` iterations of this reach it is at most ``T`` times that. So any value ``v'(I)`` with

    sum_a (R'(I, a)+)**2 <= lambda pi_-i(I)**2 D(I)**2 |A(I)| T,    R'(I, a) = T (v'(I, a) - v'(I)),

``lambda <= 1``, leaves regrets that are as small as those of ``T`` iterations. Bottom-up, each
``v'(I)`` is chosen as low as that allows, with equality, which makes only ``share = lambda / T``
count. The plays that these regrets are measured against are worth ``v'_0(root) + v'_1(root)`` to
both players together. Real plays are worth nothing together, and the bound on exploitability after
``t`` more iterations,

    2 exploitability <= (R_0 + R_1 + T (v'_0(root) + v'_1(root))) / (T + t),

where ``R_i`` is what regret matching guarantees for ``T + t`` iterations, is that of ``T + t``
iterations only if this sum is not positive. So the *least share* for which it is not measures the
strategy: it is zero at an equilibrium. ``T = 1 / share`` iterations are the most that the theory
allows; that is half a million for what CFR finds in 100 iterations, so it is of no use.

**Proportional regrets** (``proportional``). Regret matching plays a strategy if regrets are in
proportion to it. Their length, the root of the sum of their squares, is ``kappa pi_-i(I) D(I)
sqrt(|A(I)|)``, with ``kappa = max(0.1, 0.03 T**(1/3))``: so runs went on best. In runs from zero
its mean over infosets is 0.1 to 0.5, and the bound above allows ``sqrt(T)``. Where the opponent
does not go, a twentieth of the most he could do stands for his reach. Actions that are played less
than a hundredth as often as the most frequent one, and would not gain, get no regret.

**Iterations.** By default ``T = (share ** -0.5 / 3.5) ** 0.65``, about what CFR+ needed for a
strategy of that share in Kuhn poker and three kinds of Leduc; at most 1 / share, and `MOST`.

**Discounts.** Positive substitute regrets are those of ``T`` iterations, discounted as the recipe
would have discounted them, and so are negative ones; a floor is applied at the end. Schedules go on
with iteration ``T + 1``. The average is the strategy's plan, with the weight that the recipe's
schedule gives the first ``T`` iterations together.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation import plans_in_lanes
from infoset.evaluation.kernels.sequence_values import gradient_and_given
from infoset.forms import Reaches
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.kernels.warm_start import gains_of, in_proportion, lower_values
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

Method = Literal["proportional", "substitute"]

MOST = 100_000
"""Iterations that a warm start stands for at most, however good the strategy is."""
UNREACHED = 0.05
"""What share of the most that the opponent could do to lead there counts as his reach at least."""
TRIVIAL = 0.01
"""Actions played less, next to the most frequent one, get no regret if they would not gain."""
PRECISION = 1e-3
"""How precisely a strategy's share is found."""


class Start(NamedTuple):
    """What a solver begins with instead of zeros, in the form's own numbering."""

    strategy: SequenceStrategy
    iterations: int
    """How many iterations it stands for."""
    regrets: Pair
    averages: Pair


@runtime_checkable
class Startable(Protocol):
    """A solver that can begin so."""

    def begin_from(self, start: Start) -> None:
        """Take what a warm start has instead of zeros, before the first iteration."""


class Judged:
    """A strategy, and what the payoff says of it."""

    def __init__(self, strategy: SequenceStrategy) -> None:
        form = strategy.form
        self.strategy = strategy
        self.form = form
        plans, lanes = plans_in_lanes(strategy), form.lanes
        own = [lanes.collect(p, plans[p]) for p in (0, 1)]
        reaches = Reaches(form)
        values, rooms, scales = [], [], []
        for p in (0, 1):
            gradient = np.empty(lanes.sizes[p])
            gradient_and_given(gradient, lanes.panels[p], np.zeros(0), plans[1 - p])
            values.append(lanes.collect(p, gradient))
            reach, most = reaches.of(p, own[1 - p]), reaches.most(p)
            scale = reaches.stake[p] * np.sqrt(form.treeplexes[p].infoset_num_actions)
            rooms.append((reach * scale) ** 2)
            scales.append(np.maximum(reach, UNREACHED * most) * scale)
        self.plans: Pair = own[0], own[1]
        """Own reach of all sequences."""
        self.values: Pair = values[0], values[1]
        """What the payoff gives each sequence against the opponent's plan, in units."""
        self.rooms: Pair = rooms[0], rooms[1]
        """[num_infosets] ``pi_-i(I)**2 D(I)**2 |A(I)|``, in units squared."""
        self.scales: Pair = scales[0], scales[1]
        """[num_infosets] Their roots; of infosets that are hardly reached, something more."""
        self._excess: Pair = np.zeros_like(values[0]), np.zeros_like(values[1])

    def excess(self, share: float) -> tuple[float, Pair]:
        """The value of the substitute plays, and by how much each action is worth more."""
        total = 0.0
        for p, treeplex in enumerate(self.form.treeplexes):
            ordered = np.empty(treeplex.infoset_num_actions.max(initial=0))
            total += lower_values(
                *(treeplex.infoset_begin, treeplex.infoset_parent, self.rooms[p], share),
                *(self.values[p].copy(), self._excess[p], ordered),
            )
        return total, self._excess

    def least_share(self) -> float:
        """The least ``lambda / T`` at which both players' substitute plays win nothing together."""
        # In the root of the share what is won is convex, and all but a line near zero.
        low, high = 0.0, 1.0
        at_low = self.excess(0.0)[0]
        if at_low <= 0.0:
            return 0.0
        while (at_high := self.excess(high * high)[0]) > 0.0:
            low, at_low, high = high, at_high, 2.0 * high
            if high > 1e9:
                return high * high
        while high - low > PRECISION * high:
            guess = low + (high - low) * at_low / (at_low - at_high)
            for root in (guess, low + 2.0 * (guess - low), guess - 0.5 * PRECISION * guess):
                if low < root < high:
                    won = self.excess(root * root)[0]
                    if won > 0.0:
                        low, at_low = root, won
                    else:
                        high, at_high = root, won
        return high * high

    def gains(self) -> Pair:
        """How much more than its infoset each action is worth if both play the strategy."""
        out = []
        for p, treeplex in enumerate(self.form.treeplexes):
            gains = np.zeros(treeplex.num_sequences)
            gains_of(
                *(treeplex.infoset_begin, treeplex.infoset_parent),
                *(self.strategy.probabilities[p], self.values[p].copy(), gains),
            )
            out.append(gains)
        return out[0], out[1]


def iterations_of(share: float) -> int:
    """How many iterations a strategy of that share stands for.

    >>> [iterations_of(share) for share in (1.0, 1e-6, 1e-8, 0.0)]
    [1, 39, 176, 100000]
    """
    if share <= 0.0:
        return MOST
    usual = math.pow(math.pow(share, -0.5) / 3.5, 0.65)
    return max(1, min(MOST, int(1.0 / share), round(usual)))


def usual_iterations(strategy: SequenceStrategy) -> int:
    """How many iterations a strategy stands for, by its quality."""
    return iterations_of(Judged(strategy).least_share())


def warm_start(
    strategy: SequenceStrategy,
    recipe: Recipe,
    *,
    horizon: int | None = None,
    iterations: int | None = None,
    method: Method = "proportional",
) -> Start:
    """What a regret minimiser begins with to go on from a strategy; see the top of this file.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> from infoset.solvers.algorithms import find_recipe
    >>> uniform = SequenceStrategy.uniform(compile_game(make("kuhn")))
    >>> warm_start(uniform, find_recipe("cfr")).iterations
    2
    """
    form = strategy.form
    if form.sequence_values is not None:
        raise BadInputError(
            "a form with values beside its payoff cannot be started from a strategy"
        )
    judged = Judged(strategy)
    share = 0.0
    if method == "substitute" or iterations is None:
        share = judged.least_share()
    count = iterations_of(share) if iterations is None else iterations
    length = None if horizon is None else horizon + count
    floor = form.lanes.unit.of_chips(recipe.weights(1, 1, horizon).floor)
    if method == "substitute":
        positive, negative = _kept(recipe, count, length)
        _, excess = judged.excess(share)
        regrets = [np.where(e > 0.0, positive, negative) * e for e in excess]
    else:
        regrets = _proportional(judged, count)
    weight = _weight_of(recipe, count, length)
    first, second = (np.maximum(array, floor) for array in regrets)
    plans = judged.plans
    averages = weight * plans[0], weight * plans[1]
    return Start(strategy, count, (first, second), averages)


def _proportional(judged: Judged, iterations: int) -> list[Floats]:
    kappa = max(0.1, 0.03 * iterations ** (1 / 3))
    gains, out = judged.gains(), []
    for p, treeplex in enumerate(judged.form.treeplexes):
        regrets = np.zeros(treeplex.num_sequences)
        in_proportion(
            *(treeplex.infoset_begin, judged.strategy.probabilities[p], gains[p]),
            *(kappa * judged.scales[p], TRIVIAL, regrets),
        )
        out.append(regrets)
    return out


def _kept(recipe: Recipe, iterations: int, horizon: int | None) -> tuple[float, float]:
    """What is left of a unit of positive, and of negative, regret in each of the first iterations.

    >>> _kept(Recipe(), 10, None)
    (10.0, 10.0)
    """
    weights = recipe.weights(1, iterations, horizon)
    sums = []
    for kept in (weights.keep_positive, weights.keep_negative):
        total = 0.0
        for keep in kept[:-1].tolist():
            total = total * keep + 1.0
        sums.append(total)
    return sums[0], sums[1]


def _weight_of(recipe: Recipe, iterations: int, horizon: int | None) -> float:
    """The weight of the first iterations together, the last of them counted once.

    >>> from infoset.solvers.schedules import polynomial
    >>> round(_weight_of(Recipe(average=polynomial(1)), 10, None), 9)  # 1/10 + 2/10 + ... + 1
    5.5
    """
    weights = recipe.weights(1, iterations, horizon)
    total = 0.0
    pairs = zip(weights.decay[:-1].tolist(), weights.weight.tolist(), strict=False)
    for decay, weight in pairs:
        total = total * decay + weight
    return total


def check_recipe(name: str, recipe: Recipe | None, method: str) -> None:
    """Refuse recipes that nobody knows how to start from a strategy."""
    if recipe is None or recipe.is_sampled:
        raise BadInputError(
            f"{name!r} cannot be started from a strategy: that is for regret minimisers that walk "
            "the whole game, such as 'cfr+'"
        )
    if recipe.rule.name != "regret matching":
        raise BadInputError(
            f"only regret matching can be started from a strategy, not {recipe.rule.name}: use "
            "another algorithm, such as 'cfr+'"
        )
    pruning = recipe.pruning
    if method == "substitute" and pruning is not None and pruning.kind != "partial":
        raise BadInputError(
            f"substitute regrets leave too much out with pruning={pruning.kind}: such runs moved "
            "away from the strategy they began with. Use start_method='proportional'"
        )
