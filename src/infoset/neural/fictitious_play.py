"""Neural fictitious self-play (Heinrich & Silver 2016): best responses by Q-learning, averaged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from infoset.errors import BadInputError
from infoset.forms import SequenceForm
from infoset.neural.encoding import Rows
from infoset.neural.episodes import Episodes
from infoset.neural.game_encoding import encode
from infoset.neural.neural_solver import NeuralSolver
from infoset.neural.responder import Responder
from infoset.neural.state import Arrays, prefixed, unprefixed
from infoset.solvers import NeuralFictitiousPlay, State


class NeuralFictitiousPlaySolver(NeuralSolver):
    """Algorithm 1: play a mini-batch of episodes, remember what was done, train all networks.

    The players share nothing: each has two networks and two memories of his own. All decisions of a
    mini-batch are by the networks as they were before it, so that they are asked once, for all
    infosets. The paper trains every 128 steps of the game; in the authors' program these are the
    next decisions, of either player, in 128 games side by side. Here they are those of whole
    episodes, as many as have about 128 decisions.
    """

    def __init__(
        self, form: SequenceForm, rules: Any, recipe: NeuralFictitiousPlay, *, seed: int = 0
    ) -> None:
        encoding = encode(rules, form, suits=recipe.suits)
        super().__init__(form, encoding, seed)
        self.recipe = recipe
        self.episodes = Episodes(form, recipe.b)
        payoffs = form.history.node_payoff
        unit = float(payoffs.max() - payoffs.min()) or 1.0
        self.players = tuple(
            Responder(encoding.of_player(player), recipe, unit, 4 * seed + 2 * player)
            for player in (0, 1)
        )
        nodes = form.history.num_nodes
        self.evaluation_stride = max(1, int(nodes / self.episodes.nodes_per_batch))

    def iterate(self, iteration: int) -> None:
        """One mini-batch of episodes, and some steps of training."""
        recipe, (first, second) = self.recipe, self.players
        epsilon = recipe.epsilon_at(iteration)
        # A player's rows are 1 at sequences of the other.
        transitions = self.episodes.play(
            iteration,
            first.average() * second.average(),
            first.response(epsilon) * second.response(epsilon),
            anticipatory=recipe.anticipatory,
            seed=self.seed,
        )
        for number, (player, new) in enumerate(zip(self.players, transitions, strict=True)):
            rng = np.random.default_rng([self.seed, iteration, number])
            player.remember(new, rng)
            player.learn(rng)
            if not player.is_finite:
                raise BadInputError(
                    f"in iteration {iteration} the networks of player {number} gave numbers that "
                    "are not finite: choose smaller rates, or a clip"
                )

    def average_rows(self) -> Rows:
        """What both players' networks say of the average strategy."""
        rows = np.zeros(self.encoding.legal.shape)
        for number, player in enumerate(self.players):
            rows[self.encoding.class_player == number] = player.average_rows()
        return rows

    @property
    def news(self) -> Mapping[str, float]:
        """Losses, mean of both players, and the share of random actions in responses."""
        told = {
            "loss of values": sum(player.values.loss for player in self.players) / 2,
            "loss of the average": sum(player.strategy.loss for player in self.players) / 2,
            "epsilon": self.recipe.epsilon_at(max(1, self.iteration)),
        }
        return {name: value for name, value in told.items() if value == value}

    @property
    def num_parameters(self) -> int:
        """Of the networks of both players, target networks left out."""
        return sum(player.num_parameters for player in self.players)

    def parts(self) -> Arrays:
        """Networks and memories of both players."""
        first, second = (player.state() for player in self.players)
        return prefixed("player0", first) | prefixed("player1", second)

    def restore_parts(self, state: State) -> None:
        """Go on from saved networks and memories."""
        for number, player in enumerate(self.players):
            player.restore(unprefixed(f"player{number}", state))

    @property
    def nodes_touched(self) -> int:
        """Histories that episodes visited so far."""
        return self.episodes.nodes_touched

    def set_nodes_touched(self, count: int) -> None:
        """Go on counting nodes from here."""
        self.episodes.nodes_touched = count

    @property
    def kept_bytes(self) -> int:
        """Bytes of networks with what trains them, and memories."""
        return sum(player.nbytes for player in self.players)

    @property
    def working_bytes(self) -> int:
        """The same, with the log of episodes and the encodings."""
        encodings = sum(player.encoding.nbytes for player in self.players)
        return self.kept_bytes + self.episodes.nbytes + self.encoding.nbytes + encodings

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as episodes read it."""
        return self.episodes.form_bytes
