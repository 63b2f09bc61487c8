"""OpenSpiel's games as ours, and our strategies as OpenSpiel's policies.

>>> game = from_open_spiel("kuhn_poker")
>>> game.name
'open_spiel:kuhn_poker()'
>>> state = game.root().child("Deal:0").child("Deal:1")
>>> state.infoset, state.actions
('0', ('Pass', 'Bet'))

OpenSpiel is imported when it is first needed, not with this module.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from infoset.errors import BadInputError, GameError, nearest
from infoset.games import CHANCE, TERMINAL, State
from infoset.interop.labels import distinct_labels
from infoset.interop.open_spiel_loading import (
    PREFIX,
    SPIEL_ERRORS,
    import_pyspiel,
    load_source,
    reason_of,
)

SUM_TOLERANCE = 1e-9

_SPIEL_TERMINAL = -4
"""OpenSpiel's own number for a state in which nobody moves."""

Table = Mapping[str, Mapping[str, float]]


class HasTable(Protocol):
    """A strategy that lists, for each player, the probabilities at every infoset."""

    def table(self, player: int) -> Table:
        """``{infoset: {action: probability}}`` of one player."""


# --- games ----------------------------------------------------------------------------------


def from_open_spiel(spec: Any) -> OpenSpielGame:
    """Take a game from OpenSpiel: any two-player zero-sum one with exact chance.

    `spec` is what ``pyspiel.load_game`` takes, such as ``"liars_dice(numdice=1)"``, or a
    ``pyspiel.Game``. Infosets are named by OpenSpiel's information state strings, actions by its
    action strings; where two actions of one state share a string, the second is numbered.

    Simultaneous moves become sequential: player 0 chooses, then player 1 without seeing it. The
    infosets keep the strings of the simultaneous game. (``pyspiel.convert_to_turn_based`` puts a
    line before each of them; load ``turn_based_simultaneous_game(game=...)`` for those.) A game
    of perfect information without information state strings uses the history instead.

    Refused, each with a sentence: other numbers of players, payoffs that do not sum to zero
    (constant sums too), sampled chance, mean-field games. Perfect recall is checked when the game
    is compiled, not here; some of OpenSpiel's strings forget the order of a player's own moves
    (``goofspiel`` without ``imp_info=True``).

    Parameters out of range can crash OpenSpiel's C++ code. So a text with parameters is first
    tried in a process of its own, which takes about a tenth of a second.
    """
    pyspiel = import_pyspiel("Reading games of OpenSpiel")
    source = load_source(pyspiel, spec) if isinstance(spec, str) else spec
    if not isinstance(source, pyspiel.Game):
        raise BadInputError(
            "A game of OpenSpiel is given as text or as a pyspiel.Game, "
            f"not as {type(spec).__name__}."
        )
    _refuse_other_kinds(pyspiel, source)
    game = OpenSpielGame(source)
    game.root()  # refuses, now rather than later, what loads but cannot start
    return game


def _refuse_other_kinds(pyspiel: Any, source: Any) -> None:
    """Stop at games that are not two-player zero-sum games with exact chance."""
    kind, types = source.get_type(), pyspiel.GameType
    if kind.dynamics == types.Dynamics.MEAN_FIELD:
        raise GameError(f"{source} is a mean-field game, not a game of two players.")
    if source.num_players() != 2:
        raise GameError(f"{source} has {source.num_players()} players; only two can be solved.")
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{source} only samples its chance events; exact probabilities are needed.")
    if kind.utility == types.Utility.CONSTANT_SUM:
        raise GameError(
            f"The payoffs of {source} sum to a constant ({source.utility_sum()}), not to zero. "
            "Take half of that from each player, and its equilibria are those of a zero-sum game."
        )
    if kind.utility != types.Utility.ZERO_SUM:
        raise GameError(f"{source} is not zero-sum: OpenSpiel says {kind.utility.name}.")
    if not kind.provides_information_state_string and (
        kind.information != types.Information.PERFECT_INFORMATION
    ):
        raise GameError(f"{source} has no information state strings to name its infosets by.")


class OpenSpielGame:
    """A game of OpenSpiel that follows the protocol of `infoset.games.rules`.

    `source` is the pyspiel game it was made from. `turn_based` is the game OpenSpiel's own
    algorithms work on: simultaneous moves put one after the other by OpenSpiel, or `source`
    itself if there are none.
    """

    def __init__(self, source: Any) -> None:
        pyspiel = import_pyspiel("Reading games of OpenSpiel")
        kind = source.get_type()
        self.name = f"{PREFIX}{source}"
        self.source = source
        self.is_simultaneous: bool = kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        self.has_strings: bool = kind.provides_information_state_string
        self.turn_based = pyspiel.convert_to_turn_based(source) if self.is_simultaneous else source

    def root(self) -> State:
        """The state in which the game starts."""
        try:
            spiel = self.turn_based.new_initial_state()
        except SPIEL_ERRORS as error:
            raise GameError(f"OpenSpiel cannot start {self.name}: {reason_of(error)}.") from error
        return _OpenSpielState(self, spiel)

    def __repr__(self) -> str:
        return f"from_open_spiel({str(self.source)!r})"


class _OpenSpielState:
    """One state, around a state of `OpenSpielGame.turn_based`.

    `_inner` is the state of `OpenSpielGame.source`, which does not know half of a simultaneous
    move. `_edges` holds the action numbers behind the labels, once somebody has asked for labels.
    """

    __slots__ = ("_edges", "_game", "_inner", "_spiel", "player")

    def __init__(self, game: OpenSpielGame, spiel: Any) -> None:
        player = spiel.current_player()
        if player < CHANCE and player != _SPIEL_TERMINAL:
            raise GameError(f"{game.name} has a state in which OpenSpiel's player {player} moves.")
        self.player: int = TERMINAL if player == _SPIEL_TERMINAL else player
        self._game = game
        self._spiel = spiel
        self._inner = spiel.simultaneous_game_state() if game.is_simultaneous else spiel
        self._edges: dict[str, int] | None = None

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(self.edges)

    @property
    def chance(self) -> tuple[tuple[str, float], ...]:
        probabilities = [p for _, p in self._spiel.chance_outcomes() if p > 0.0]
        return tuple(zip(self.edges, probabilities, strict=True))

    @property
    def infoset(self) -> str:
        try:
            if self._game.has_strings:
                return str(self._inner.information_state_string(self.player))
            return str(self._inner.history_str())
        except SPIEL_ERRORS as error:
            raise self._failed(error) from error

    @property
    def payoff(self) -> float:
        try:
            first, second = self._spiel.returns()
        except SPIEL_ERRORS as error:
            raise self._failed(error) from error
        if not abs(first + second) <= SUM_TOLERANCE:  # written so that it stops NaN too
            raise GameError(
                f"OpenSpiel says that {self._game.name} is zero-sum, but its history "
                f"'{self._inner.history_str()}' pays {first} and {second}."
            )
        return float(first)

    def child(self, action: str) -> State:
        edges = self._edges or self.edges
        if action not in edges:
            raise BadInputError(f"No action '{action}' here{nearest(action, edges)}")
        try:
            spiel = self._spiel.child(edges[action])
        except SPIEL_ERRORS as error:
            raise self._failed(error) from error
        return _OpenSpielState(self._game, spiel)

    @property
    def edges(self) -> dict[str, int]:
        """OpenSpiel's numbers of the actions or outcomes, by label."""
        if self._edges is None:
            try:
                if self.player == CHANCE:
                    numbers = [number for number, p in self._spiel.chance_outcomes() if p > 0.0]
                else:
                    numbers = self._spiel.legal_actions()
                self._edges = _label_edges(self._inner, self.player, numbers)
            except SPIEL_ERRORS as error:
                raise self._failed(error) from error
        return self._edges

    def _failed(self, error: Exception) -> GameError:
        return GameError(
            f"OpenSpiel failed in {self._game.name} after the history "
            f"'{self._inner.history_str()}': {reason_of(error)}."
        )


def _label_edges(spiel: Any, player: int, numbers: Sequence[int]) -> dict[str, int]:
    labels = [spiel.action_to_string(player, number) for number in numbers]
    return dict(zip(distinct_labels(labels), numbers, strict=True))


# --- strategies -----------------------------------------------------------------------------


def to_open_spiel_policy(strategy: HasTable | tuple[Table, Table], game: Any) -> Any:
    """Make a strategy an ``open_spiel.python.policy.TabularPolicy``.

    `strategy` has ``table(player) -> {infoset: {action: probability}}``, or is a pair of such
    tables; `game` is what `from_open_spiel` takes or returns. The rows are in OpenSpiel's order.

    A game with simultaneous moves gets a policy for the turn-based form of it, since that is
    what OpenSpiel's best responses work on: ``policy.game``, also `OpenSpielGame.turn_based`.

    >>> from open_spiel.python.algorithms.exploitability import exploitability
    >>> uniform = {"Rock": 1 / 3, "Paper": 1 / 3, "Scissors": 1 / 3}
    >>> tables = tuple({f"Observing player: {p}. Non-terminal": uniform} for p in (0, 1))
    >>> policy = to_open_spiel_policy(tables, "matrix_rps")
    >>> round(float(exploitability(policy.game, policy)), 12)
    0.0
    """
    import_pyspiel("Handing a strategy to OpenSpiel")
    from open_spiel.python.policy import TabularPolicy

    game = game if isinstance(game, OpenSpielGame) else from_open_spiel(game)
    rows = _policy_rows(strategy, game)
    policy = TabularPolicy(game.turn_based, states={r.history: r.state for r in rows.values()})
    for key, row in rows.items():
        probabilities = policy.policy_for_key(key)
        probabilities[:] = 0.0
        for number, probability in row.choices:
            probabilities[number] = probability
    return policy


def to_pyspiel_policy(strategy: HasTable | tuple[Table, Table], game: Any) -> Any:
    """Make a strategy a ``pyspiel.TabularPolicy``, the one OpenSpiel's C++ algorithms take.

    Like `to_open_spiel_policy`, for ``pyspiel.exploitability(game.turn_based, policy)``, which
    is far faster than its Python twin.

    >>> import pyspiel
    >>> game = from_open_spiel("kuhn_poker")
    >>> even = {"Pass": 0.5, "Bet": 0.5}
    >>> first = {card + played: even for card in "012" for played in ("", "pb")}
    >>> second = {card + played: even for card in "012" for played in ("p", "b")}
    >>> policy = to_pyspiel_policy((first, second), game)
    >>> round(pyspiel.exploitability(game.turn_based, policy), 12)  # 11/24
    0.458333333333
    """
    pyspiel = import_pyspiel("Handing a strategy to OpenSpiel")
    game = game if isinstance(game, OpenSpielGame) else from_open_spiel(game)
    rows = _policy_rows(strategy, game)
    return pyspiel.TabularPolicy({key: row.choices for key, row in rows.items()})


class _PolicyRow(NamedTuple):
    """What one infoset gives a policy: its first history, a state there, and the choices."""

    player: int
    history: str
    state: Any
    choices: list[tuple[int, float]]


def _policy_rows(
    strategy: HasTable | tuple[Table, Table], game: OpenSpielGame
) -> dict[str, _PolicyRow]:
    """Walk the turn-based game and look up each infoset once, by OpenSpiel's key."""
    if not game.has_strings:
        raise GameError(f"{game.name} has no information state strings: no policy can be made.")
    tables = strategy if isinstance(strategy, tuple) else (strategy.table(0), strategy.table(1))
    rows: dict[str, _PolicyRow] = {}
    for state, player, is_possible in _decisions(game.turn_based):
        key, history = state.information_state_string(player), state.history_str()
        row = rows.get(key)
        if row is None:
            choices = _choices(state, player, tables[player], game, is_possible=is_possible)
            rows[key] = _PolicyRow(player, history, state, choices)
        elif row.player != player:
            raise GameError(
                f"In {game.name} both players have an information state '{key}', so one policy "
                "cannot hold the strategies of both."
            )
        elif history < row.history:
            # TabularPolicy orders its rows by the least history of each.
            rows[key] = row._replace(history=history, state=state)
    return rows


def _decisions(source: Any) -> Iterator[tuple[Any, int, bool]]:
    """All decision states of a sequential pyspiel game; is chance able to reach them?"""
    stack = [(source.new_initial_state(), True)]
    while stack:
        state, is_possible = stack.pop()
        player = state.current_player()
        if player == CHANCE:
            for number, probability in state.chance_outcomes():
                stack.append((state.child(number), is_possible and probability > 0.0))
        elif player >= 0:
            yield state, player, is_possible
            stack.extend((state.child(number), is_possible) for number in state.legal_actions())


def _choices(
    state: Any, player: int, table: Table, game: OpenSpielGame, *, is_possible: bool
) -> list[tuple[int, float]]:
    """The action numbers of a state with their probabilities, as the strategy has them."""
    ours = _OpenSpielState(game, state)
    infoset, edges = ours.infoset, ours.edges
    if infoset not in table:
        if is_possible:
            raise BadInputError(f"The strategy says nothing about '{infoset}' of player {player}.")
        # No walk of ours gets here, but OpenSpiel's visit outcomes of probability zero as well.
        return [(number, 1.0 / len(edges)) for number in edges.values()]
    probabilities = table[infoset]
    if set(probabilities) != set(edges):
        raise BadInputError(
            f"The strategy has the actions {', '.join(probabilities)} at '{infoset}' of player "
            f"{player}; the game has {', '.join(edges)}."
        )
    values = [float(probabilities[label]) for label in edges]
    if not (all(v >= 0.0 for v in values) and math.isclose(sum(values), 1.0, abs_tol=1e-6)):
        raise BadInputError(
            f"The strategy at '{infoset}' of player {player} is not a distribution: {values}."
        )
    return list(zip(edges.values(), values, strict=True))
