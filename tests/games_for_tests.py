"""Small games that no book knows: written out node by node, made at random, or made from others.

A node is a state in the sense of `infoset.games.rules`, so a tree of nodes is a game.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field
from fractions import Fraction

from hypothesis import strategies as st

from infoset.games import CHANCE, TERMINAL, DealtState

# --- trees written out --------------------------------------------------------------------------


@dataclass(frozen=True)
class End:
    """A terminal node."""

    payoff: object
    player: int = TERMINAL


@dataclass(frozen=True)
class Turn:
    """A node where a player moves; `branches` are pairs of a label and a node."""

    player: int
    infoset: object
    branches: tuple

    @property
    def actions(self):
        return tuple(label for label, _ in self.branches)

    def child(self, action):
        return dict(self.branches)[action]


@dataclass(frozen=True)
class Luck:
    """A node where chance moves; `branches` are a label, a probability and a node each."""

    branches: tuple
    player: int = CHANCE

    @property
    def chance(self):
        return tuple((label, p) for label, p, _ in self.branches)

    def child(self, outcome):
        return {label: node for label, _, node in self.branches}[outcome]


@dataclass(frozen=True)
class TreeGame:
    """A game that is its root."""

    top: object
    name: str = "tree"

    def root(self):
        return self.top


def turn(player, infoset, **branches):
    """A node where a player moves, the labels as keywords."""
    return Turn(player, infoset, tuple(branches.items()))


# --- trees made at random -----------------------------------------------------------------------


def generic_payoff(rng):
    """Never twice the same, so no two actions are ever equally good."""
    return rng.uniform(-5, 5)


def whole_payoff(rng):
    """Small whole numbers: many ties, many zeros."""
    return rng.randint(-2, 2)


def no_payoff(_):
    return 0


@dataclass
class _Maker:
    """Grows a random tree. What a player has seen so far is his infoset: perfect recall."""

    seed: int
    movers: tuple[int, ...]
    pay: object
    min_actions: int
    rng: random.Random = field(init=False)

    def __post_init__(self):
        self.rng = random.Random(f"{self.seed} tree")

    def grow(self, depth, seen):
        rng = self.rng
        if depth == 0 or rng.random() < 0.12:
            return End(self.pay(rng))
        kinds = [*self.movers, *self.movers, CHANCE]
        mover = rng.choice(kinds)
        if mover == CHANCE:
            return self.luck(depth, seen)
        # How many actions there are must depend on what the mover knows and on nothing else.
        knows = random.Random(f"{self.seed} {mover} {seen[mover]}")
        labels = "abcd"[: max(self.min_actions, knows.choice((1, 2, 2, 2, 3, 3, 4)))]
        # The opponent sees the action, whether it was the first, or not even that it was made.
        sight = rng.choice(["all", "all", "first", "nothing"])
        branches = []
        for label in labels:
            shown = {"all": label, "first": "ay"[label != "a"], "nothing": ""}[sight]
            after = list(seen)
            after[mover] += f"[{label}]"
            after[1 - mover] += shown
            branches.append((label, self.grow(depth - 1, tuple(after))))
        return Turn(mover, f"{mover}/{seen[mover]}", tuple(branches))

    def deal(self, depth):
        """A private signal for each player before anything else happens."""
        return self.luck(
            depth,
            ("", ""),
            sees=(True, False),
            then=lambda depth, seen: self.luck(depth, seen, sees=(False, True)),
        )

    def luck(self, depth, seen, sees=None, then=None):
        rng = self.rng
        count = rng.randint(2 if sees else 1, 3)
        parts = [rng.randint(1, 6) for _ in range(count)]
        sees = sees or rng.choice([(True, True), (True, False), (False, True), (False, False)])
        grow = then or self.grow
        branches = []
        for outcome, part in enumerate(parts):
            after = tuple(
                text + (str(outcome) if has else "") for text, has in zip(seen, sees, strict=True)
            )
            p = Fraction(part, sum(parts))
            branches.append((f"o{outcome}", p, grow(depth - 1, after)))
        return Luck(tuple(branches))


def random_game(seed, depth=5, movers=(0, 1), pay=generic_payoff, min_actions=1, deal=False):
    """A game of at most that many moves, the same for the same arguments.

    Chance shows its outcomes to both players, to one, or to none; actions may be seen by the
    opponent in full, in part, or not at all. Infosets have one to four actions. With `deal`, two
    moves of chance come first, a private signal for each player.
    """
    maker = _Maker(seed, tuple(movers), pay, min_actions)
    top = maker.deal(depth) if deal else maker.grow(depth, ("", ""))
    return TreeGame(top, f"random(seed={seed},depth={depth},movers={movers},deal={deal})")


def matrix_game(rows, name="matrix"):
    """Both choose at once: player 0 a row, player 1 a column, unseen."""
    branches = tuple(
        (f"r{i}", Turn(1, "col", tuple((f"c{j}", End(x)) for j, x in enumerate(row))))
        for i, row in enumerate(rows)
    )
    return TreeGame(Turn(0, "row", branches), name)


CORNERS = {
    "single terminal": TreeGame(End(1.5)),
    "chance only": TreeGame(Luck((("x", Fraction(1, 3), End(3)), ("y", Fraction(2, 3), End(-6))))),
    "player 0 alone": random_game(6, movers=(0,)),
    "player 1 alone": random_game(11, movers=(1,)),
    "one action each": TreeGame(turn(0, "i", a=turn(1, "j", b=turn(0, "k", c=End(-2))))),
    "all payoffs zero": random_game(4, pay=no_payoff),
    "one row": matrix_game([[3, 1, 2]]),
    "one column": matrix_game([[3], [1], [2]]),
    "more rows than a vector": matrix_game(
        [[math.sin(7 * i + 3 * j) for j in range(11)] for i in range(19)]
    ),
    "chance of probability zero": TreeGame(
        Luck((("x", 1, turn(0, "i", a=End(1), b=End(2))), ("y", 0, turn(0, "j", a=End(9)))))
    ),
}
"""Games at the edge of what is a game."""


def small_random_games(number=8):
    """A few random games of different shapes, by name."""
    games = [
        random_game(seed, 5 if seed >= 3 else 3 + seed % 3, deal=seed >= 3)
        for seed in range(number)
    ]
    return {game.name: game for game in games}


@st.composite
def games(draw, pay=None, depth=5):
    """Random games for hypothesis: any shape, generic payoffs or ties and zeros."""
    seed = draw(st.integers(0, 2**32 - 1))
    deep = draw(st.integers(0, depth))
    movers = draw(st.sampled_from([(0, 1)] * 6 + [(0,), (1,), ()]))
    payoff = pay or draw(st.sampled_from([generic_payoff, whole_payoff]))
    return random_game(seed, deep, movers, payoff, deal=deep >= 3 and draw(st.booleans()))


# --- games made from others ---------------------------------------------------------------------


@dataclass(frozen=True)
class Changed:
    """A game with payoffs scaled, actions renamed and turned round, and chance shuffled."""

    game: object
    scale: float = 1
    rename: object = None
    reverse: bool = False

    @property
    def name(self):
        return f"changed {self.game.name}"

    def root(self):
        return _ChangedState(self, self.game.root())


@dataclass(frozen=True)
class _ChangedState:
    change: Changed
    state: object

    @property
    def player(self):
        return self.state.player

    @property
    def infoset(self):
        return self.state.infoset

    @property
    def payoff(self):
        return self.state.payoff * self.change.scale

    def _turned(self, moves):
        return tuple(reversed(moves)) if self.change.reverse else tuple(moves)

    def _renamed(self, label):
        return self.change.rename(label) if self.change.rename else label

    @property
    def actions(self):
        return self._turned([self._renamed(label) for label in self.state.actions])

    @property
    def chance(self):
        return self._turned([(self._renamed(label), p) for label, p in self.state.chance])

    def child(self, action):
        moves = self.state.actions if self.player >= 0 else [m for m, _ in self.state.chance]
        (label,) = [m for m in moves if self._renamed(m) == action]
        return _ChangedState(self.change, self.state.child(label))


# --- games in public form -----------------------------------------------------------------------


@dataclass(frozen=True)
class Public:
    """A public state written out: `branches` are pairs of a label and a state.

    `odds` gives the probability of an outcome for two hands, where chance moves.
    """

    player: int
    public_history: object = ""
    branches: tuple = ()
    ending: object = None
    odds: object = None

    @property
    def actions(self):
        return tuple(label for label, _ in self.branches)

    outcomes = actions

    def probability(self, outcome, hand0, hand1):
        return self.odds(outcome, hand0, hand1)

    def child(self, label):
        return dict(self.branches)[label]


def _alike(count):
    return [(hand, Fraction(1, count)) for hand in range(count)]


@dataclass(frozen=True)
class Dealt:
    """A game in public form: hands, how they are dealt, a public tree, and what it pays."""

    top: object
    hands: tuple = ("A", "B")
    dealing: object = None
    pay: object = None
    name: str = "dealt"

    def deal(self, hand0):
        return self.dealing(hand0) if self.dealing else _alike(len(self.hands))

    def public(self):
        return self.top

    def root(self):
        return DealtState(self, self.top)

    def payoff(self, ending, hand0, hand1):
        return self.pay(ending, hand0, hand1) if self.pay else hand0 - hand1 + ending


def _shares(rng, labels):
    """Random probabilities, some of them zero."""
    parts = [rng.choice((0, 1, 1, 2, 5)) for _ in labels]
    parts[rng.randrange(len(parts))] += 1
    return {label: Fraction(part, sum(parts)) for label, part in zip(labels, parts, strict=True)}


def random_dealt_game(seed, depth=4):
    """A game in public form: hands depend on each other, and chance on both of them.

    Some hands cannot be dealt together, and some outcomes cannot come with some hands.
    """
    rng = random.Random(f"{seed} dealt")
    hands = tuple("PQRS"[: rng.randint(1, 4)])
    every = range(len(hands))
    deals = {None: _shares(rng, every), **{hand: _shares(rng, every) for hand in every}}

    def deal(hand0):
        return [(hand, p) for hand, p in deals[hand0].items() if p]

    endings = itertools.count()

    def grow(depth, public_history):
        kind = rng.choice((0, 0, 1, 1, CHANCE)) if depth and rng.random() > 0.1 else TERMINAL
        if kind == TERMINAL:
            # Some ends share a ending.
            return Public(TERMINAL, public_history, ending=rng.choice((next(endings), 7)))
        labels = "xyz"[: rng.randint(1, 3)]
        branches = tuple((label, grow(depth - 1, public_history + label)) for label in labels)
        if kind != CHANCE:
            return Public(kind, public_history, branches)
        table = {pair: _shares(rng, labels) for pair in itertools.product(every, every)}
        return Public(
            CHANCE, public_history, branches, odds=lambda outcome, *pair: table[pair][outcome]
        )

    def pay(ending, hand0, hand1):
        return random.Random(f"{seed} {ending} {hand0} {hand1}").uniform(-3, 3)

    return Dealt(grow(depth, ""), hands, deal, pay, f"random_dealt(seed={seed},depth={depth})")


def _after(row, label):
    """Player 1 answers a row unseen, then player 0 may still take one off his payoff."""
    ends = [
        (f"c{j}", turn(0, f"{label}{j}", keep=End(x), less=End(x - 1))) for j, x in enumerate(row)
    ]
    return Turn(1, "col", tuple(ends))


def rps_and_a_bad_row():
    """Rock, paper, scissors and a row that loses to all, each with something to decide after it."""
    rows = {"r": (0, -1, 1), "p": (1, 0, -1), "s": (-1, 1, 0), "bad": (-2, -2, -2)}
    return TreeGame(turn(0, "row", **{name: _after(row, name) for name, row in rows.items()}))
