"""What an infoset does with its regrets: regret matching, Hedge, or your own rule.

A rule is the innermost part of a recipe. Its two functions are written for vectors of numbers, with
``+ - * /`` and the functions of `infoset.machine.simd`; they are compiled into the kernels of the
sequence form and of the public form alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from infoset.solvers.schedules import Times

if TYPE_CHECKING:
    from infoset.strategy.kernels.local_rule import CompiledRule


@dataclass(frozen=True)
class LocalRule:
    """Regrets to weights of actions, and the update of regrets; see the kernels' `local_rule`.

    >>> from infoset.machine.simd import splat_like, where_greater
    >>> def squared(regret, largest, sharpness):
    ...     return where_greater(regret, splat_like(regret, 0.0), regret * regret, regret * 0.0)
    """

    name: str
    weigh: Callable[..., Any] | None = None
    """``(regret, largest, sharpness) -> weight``; the positive part of the regret if not given."""
    update: Callable[..., Any] | None = None
    """``(regret, gain, keep_positive, keep_negative, floor) -> regret``; discounted sum if not."""
    uses_largest: bool = False
    """Whether `weigh` reads the largest regret of the infoset."""
    sharpness: Callable[[Times], Times] = field(default=lambda t: np.ones_like(t, dtype=float)[()])
    """A number for every iteration ``t``, per chip of regret, that `weigh` is given."""

    @cached_property
    def compiled(self) -> CompiledRule:
        """The rule as kernels take it."""
        from infoset.strategy.kernels.local_rule import (
            CompiledRule,
            discount_and_add,
            positive_part,
        )

        weigh, update = self.weigh or positive_part, self.update or discount_and_add
        return CompiledRule(weigh, update, self.uses_largest)


REGRET_MATCHING = LocalRule("regret matching")
"""In proportion to positive regret (Hart & Mas-Colell 2000). Regret matching+ is this with regrets
that are floored at zero, which is the regret schedule's part."""


def jumping() -> LocalRule:
    """Regret matching+ without its floor: negative regrets jump to zero when they increase.

    It plays as regret matching+ does, but knows how bad an action is.
    """
    from infoset.strategy.kernels.local_rule import jump_and_add

    return LocalRule("jumping regret matching", update=jump_and_add)


def hedge(eta: float = 1.0) -> LocalRule:
    """Exponential weights: in proportion to ``exp(sharpness * regret)``, never quite zero.

    The sharpness of iteration ``t`` is ``eta / sqrt(t)`` per chip of counterfactual regret. Unlike
    regret matching it depends on the scale of payoffs.
    """
    from infoset.strategy.kernels.local_rule import exponential_weight

    return LocalRule(
        "hedge",
        weigh=exponential_weight,
        uses_largest=True,
        sharpness=lambda t: eta / np.sqrt(t),
    )
