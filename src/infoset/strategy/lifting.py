"""Lifting: a strategy of an abstract game, played in the full one."""

from __future__ import annotations

from infoset.errors import BadInputError
from infoset.forms import Abstraction, Treeplex
from infoset.strategy.sequence_strategy import SequenceStrategy


def lift(abstraction: Abstraction, strategy: SequenceStrategy) -> SequenceStrategy:
    """The strategy in the full game: every infoset plays what its abstract infoset does.

    >>> from infoset.forms import abstract_form, compile_game
    >>> from infoset.games import make
    >>> never_looks = abstract_form(compile_game(make("kuhn")), lambda player, key: key[1:])
    >>> strategy = SequenceStrategy.from_tables(
    ...     never_looks.abstract, ({":": {"check": 0.9, "bet": 0.1}}, {})
    ... )
    >>> lift(never_looks, strategy)["J:"], lift(never_looks, strategy)["K:"]
    ({'check': 0.9, 'bet': 0.1}, {'check': 0.9, 'bet': 0.1})
    """
    abstract = abstraction.abstract
    # Only infosets matter, so a strategy from a file can be lifted without its game's rules.
    if not all(map(Treeplex.is_same_as, strategy.form.treeplexes, abstract.treeplexes)):
        raise BadInputError(
            f"the strategy is one of {strategy.form.name}, not of {abstract.name}, so it cannot be "
            f"lifted to {abstraction.full.name}"
        )
    first, second = (
        probabilities[sequence_map]
        for probabilities, sequence_map in zip(
            strategy.probabilities, abstraction.sequence_map, strict=True
        )
    )
    return SequenceStrategy(abstraction.full, (first, second))
