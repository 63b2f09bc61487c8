"""The strategies of both players at all infosets, on a form of either kind."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from infoset.errors import BadInputError, MissingExtraError

if TYPE_CHECKING:
    import pandas
    import pyarrow

Key = str | tuple[int, str]
"""What an infoset is called, or a player and that, where both players have it."""


class Row(NamedTuple):
    """One line of a strategy's table."""

    player: int
    infoset: str
    action: str
    probability: float


class Strategy(Mapping[Key, dict[str, float]]):
    """A strategy for both players, looked up by infoset. Never changed; safe to read from threads.

    A key is the player's private hand and what both players have seen, as in ``Ks:check,bet`` or
    ``AhQh:check,bet 100/2c:check``; games of another kind have keys of their own.

    >>> import infoset
    >>> strategy = infoset.uniform("kuhn")
    >>> strategy["J:"]
    {'check': 0.5, 'bet': 0.5}
    >>> strategy[1, "K:check"]
    {'check': 0.5, 'bet': 0.5}
    """

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None  # type: ignore[arg-type]

    def get(self, key: Key, default: Any = None) -> Any:
        """The probabilities at an infoset, or ``default`` if there is none of this name."""
        try:
            return self[key]
        except BadInputError:
            return default

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the game."""

    @abstractmethod
    def infosets(self, player: int) -> Iterator[tuple[str, dict[str, float]]]:
        """One player's infosets, one after the other: key and ``{action: probability}``."""

    def table(self, player: int) -> dict[str, dict[str, float]]:
        """One player's strategy as ``{infoset: {action: probability}}``."""
        return dict(self.infosets(player))

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """The strategy as columns ``player``, ``infoset``, ``action`` and ``probability``."""

    def rows(self) -> Iterator[Row]:
        """The strategy as a table, one action a line."""
        for player in (0, 1):
            for key, actions in self.infosets(player):
                for action, probability in actions.items():
                    yield Row(player, key, action, probability)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame, one action a row."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("pandas", "tables", "A table as a data frame") from None
        return pandas.DataFrame(self.columns())

    def to_arrow(self) -> pyarrow.Table:
        """The table as an Arrow table, one action a row."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtraError("pyarrow", "tables", "A table in Arrow form") from None
        columns = self.columns()
        return pyarrow.table({name: pyarrow.array(list(col)) for name, col in columns.items()})


def split_key(key: Key) -> tuple[int | None, str]:
    """The player that a key asks for, if it does, and what the infoset is called."""
    if not isinstance(key, tuple):
        return None, key
    if len(key) != 2 or key[0] not in (0, 1):
        raise BadInputError(f"there is no player {key[0]!r}; players are 0 and 1")
    return key
