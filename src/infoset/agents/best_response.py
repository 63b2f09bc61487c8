"""A player who knows the other's strategy and plays a best response to it, exactly."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from infoset.agents.agent import Answer, Floats, Seen
from infoset.agents.local_best_response import steps_of
from infoset.agents.strategy_agent import StrategyAgent
from infoset.cards import HAND_INDEX, NUM_HANDS
from infoset.errors import AgentError, TooLargeError
from infoset.evaluation import best_response, evaluation_below
from infoset.forms import SequenceForm, SpotForm, find_node, sequence_form_of
from infoset.games import CHANCE, Game, PublicState, name_of
from infoset.games.holdem import HoldemGame, HoldemState
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy


class BestResponseAgent(StrategyAgent):
    """Plays a best response to a strategy, in either seat.

    In sequence form it is worked out once, for all infosets. Of a spot in public form each decision
    is evaluated when it comes up, for all hands at once: milliseconds on the river, more on a flop.
    Where the strategy it responds to never goes, it takes the first action.

    >>> import infoset
    >>> game = infoset.game("kuhn")
    >>> agent = BestResponseAgent(game, infoset.uniform(game))
    >>> agent.act(Seen(game.root().child("K").child("J").child("check").child("bet")))
    {'fold': 0.0, 'call': 1.0}
    """

    opponent: Strategy
    """The strategy it responds to."""

    def __new__(cls, game: Game, strategy: Strategy) -> BestResponseAgent:
        """An agent of the kind that fits the strategy."""
        is_of_spot = isinstance(strategy, PublicStrategy) and isinstance(strategy.form, SpotForm)
        return super().__new__(_SpotBestResponseAgent if is_of_spot else cls)

    def __init__(self, game: Game, strategy: Strategy) -> None:
        self.opponent = strategy
        tables = _in_sequence_form(game, strategy)
        answers = [best_response(tables, seat) for seat in (0, 1)]
        sides = tuple(answer.strategy.probabilities[answer.player] for answer in answers)
        super().__init__(game, SequenceStrategy(tables.form, (sides[0], sides[1])))


def _in_sequence_form(game: Game, strategy: Strategy) -> SequenceStrategy:
    """The strategy on the compiled game."""
    if isinstance(strategy, SequenceStrategy):
        return strategy
    try:
        form = sequence_form_of(game)
    except TooLargeError as error:
        raise AgentError(
            f"{name_of(game)} is too large for an exact best response: {error}"
        ) from error
    sides = form.treeplexes[0].uniform(), form.treeplexes[1].uniform()
    for seat, side in enumerate(sides):
        _write_into(side, form, seat, strategy)
    return SequenceStrategy(form, sides)


def _write_into(side: Floats, form: SequenceForm, seat: int, strategy: Strategy) -> None:
    """Write one player's probabilities, infoset by infoset."""
    treeplex = form.treeplexes[seat]
    for infoset, key in enumerate(treeplex.keys):
        begin, end = treeplex.infoset_begin[infoset : infoset + 2]
        known = strategy[seat, key]
        side[begin:end] = [known[label] for label in treeplex.labels[infoset]]


class _SpotBestResponseAgent(BestResponseAgent):
    """What is best in a spot, decision by decision."""

    def __init__(self, game: Game, strategy: Strategy) -> None:
        if not isinstance(game, HoldemGame):
            raise AgentError(f"{name_of(game)} is not the spot that the strategy is for")
        assert isinstance(strategy, PublicStrategy)
        assert isinstance(strategy.form, SpotForm)
        self.game = game
        self.opponent = strategy
        self._by_history = {}
        self._averages = strategy
        self._form = strategy.form
        self._number = np.array([HAND_INDEX[cards] for cards in game.hand_cards], np.intp)
        self._weights = game.hand_weights
        self._played = StrategyAgent(game, strategy)

    @property
    def strategy(self) -> Strategy:  # type: ignore[override]
        """There is none that could be looked at."""
        raise AgentError(
            "a best response in a spot is worked out decision by decision, so it cannot be used as "
            "a strategy; solve the spot in sequence form if it is small"
        )

    def act(self, seen: Seen) -> Answer:
        """The best action with the hand; the first of several."""
        public, hand = seen.public, seen.hand
        assert public is not None
        by_action = self.range_strategy(public)
        return {action: float(of_hands[hand]) for action, of_hands in by_action.items()}

    def _strategy_at(self, public: PublicState) -> Mapping[str, Floats]:
        """[hands] By action: 1 for the hands with which it is best."""
        assert isinstance(public, HoldemState)
        path = public.public_history.replace("/", ",").replace(":", ",")
        place, player = find_node(self._form.tree, path), public.player
        board, name = self._form.played_board(place.cards)
        reach = np.zeros(NUM_HANDS)
        reach[self._number] = self._opponent_reach(public)
        largest = reach.max() or 1.0
        children = self._form.tree.children(place.node)
        values = np.zeros((len(children), len(self._number)))
        for action, node in enumerate(children):
            part = evaluation_below(
                self._averages,
                node=node,
                street=len(place.cards),
                board=board,
                offsets=np.zeros(2),
            )
            entries = [np.zeros_like(part.walker.root_reach(p)) for p in (0, 1)]
            rows = []
            for p in (0, 1):
                of_board = part.layout.rows[0][p]
                live = of_board.hand[of_board.begin[0] :][: of_board.num_live[0]]
                row = np.full(NUM_HANDS, -1)
                row[self._form.hand_numbers[p][live]] = np.arange(len(live))
                rows.append(row[name])
            held = np.flatnonzero((rows[1 - player] >= 0) & (reach > 0))
            entries[1 - player][rows[1 - player][held]] = reach[held] / largest
            part.walker.start_with(entries[0], entries[1])
            of_rows = part.hand_values(player, best=True)
            own = rows[player][self._number]
            values[action] = np.where(own >= 0, of_rows[own], 0.0)
        best = values.argmax(axis=0)
        labels = self._form.actions_at(place.node)
        return {label: (best == action).astype(float) for action, label in enumerate(labels)}

    def _opponent_reach(self, there: HoldemState) -> Floats:
        """[hands of the game] How likely the opponent plays to a place, by his weights."""
        assert isinstance(self.game, HoldemGame)
        other = 1 - there.player
        reach = np.array(self._weights[other], float)
        public: PublicState = self.game.public()
        for step in steps_of(there.public_history):
            if public.player != CHANCE and public.player == other:
                reach = reach * self._played.range_strategy(public)[step]
            public = public.child(step)
        return reach
