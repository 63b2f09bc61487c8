"""The tree of an ``.efg`` file: its nodes as states of a game, and the parser that builds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from infoset.errors import BadInputError, GameError, TooLargeError, nearest
from infoset.games import CHANCE, TERMINAL, Number, State
from infoset.interop.efg_syntax import (
    CLOSE,
    ENCODED_COMMENT,
    END,
    OPEN,
    SUM_TOLERANCE,
    TEXT,
    WORD,
    Tokens,
    decode_label,
)
from infoset.interop.labels import distinct_labels

MAX_DENOMINATOR_BITS = 4096


@dataclass(frozen=True, eq=False)
class EfgGame:
    """A game read from a file. The whole tree is in memory; its nodes are the states."""

    name: str
    title: str
    comment: str = field(repr=False)
    players: tuple[str, ...] = field(repr=False)
    _root: EfgState = field(repr=False)

    def root(self) -> State:
        """The state in which the game starts."""
        return self._root


@dataclass(eq=False, slots=True)
class EfgState:
    """One node of the tree."""

    player: int
    _infoset: _Infoset
    payoff: Number
    _children: list[EfgState] = field(default_factory=list)

    @property
    def actions(self) -> Sequence[str]:
        """Labels of the legal actions."""
        return self._infoset.actions

    @property
    def chance(self) -> Sequence[tuple[str, Number]]:
        """Outcomes and their probabilities, without those of probability zero."""
        return self._infoset.chance

    @property
    def infoset(self) -> str:
        """The name of the infoset in the file, or ``player:number`` as the file counts them."""
        return self._infoset.key

    @property
    def num_missing(self) -> int:
        """How many children have not been read yet."""
        return len(self._infoset.actions) - len(self._children)

    def child(self, action: str) -> State:
        """The state after an action or a chance outcome."""
        position = self._infoset.positions.get(action)
        if position is None:
            raise BadInputError(f"No action '{action}' here{nearest(action, self.actions)}")
        return self._children[position]


class _Infoset:
    """What the nodes of one infoset, or of one chance event, share."""

    __slots__ = ("actions", "chance", "key", "name", "positions", "spelling", "written")

    def __init__(self, name: str | None, written: _Written, spelling: str) -> None:
        self.key = ""
        self.name = name
        self.written = written
        self.spelling = spelling  # the same, to the letter: most files repeat it at every node
        self.actions = distinct_labels(written[0])
        self.positions = {label: position for position, label in enumerate(self.actions)}
        pairs = zip(self.actions, written[1], strict=False)  # only chance has probabilities
        self.chance = tuple((action, _plain(p)) for action, p in pairs if p)


# The actions of an infoset as the file has them: labels and, for chance, probabilities.
_Written = tuple[list[str], list[Fraction]]


@dataclass(eq=False, slots=True)
class _Payment:
    """What outcomes pay to the two players, on one node or added up along a path."""

    first: Fraction
    second: Fraction
    spelling: str = ""

    @property
    def total(self) -> Fraction:
        return self.first + self.second

    def is_near(self, total: Fraction) -> bool:
        """Whether the payments sum to a number, up to rounding errors."""
        gap = abs(self.total - total)
        return not gap or gap <= Fraction(SUM_TOLERANCE) * max(Fraction(1), abs(self.first))


_NO_PAYMENT = _Payment(Fraction(0), Fraction(0))
_NO_INFOSET = _Infoset(None, ([], []), "")


def _plain(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


class _Open(NamedTuple):
    """A node whose children are still to come."""

    node: EfgState
    paid: _Payment
    begin: int


class TreeReader:
    """One pass over the tokens. Nodes come before their children, so a stack is enough."""

    def __init__(self, tokens: Tokens, max_nodes: int) -> None:
        self.tokens = tokens
        self.max_nodes = max_nodes
        self.is_encoded = False
        self.infosets: dict[tuple[int, int], _Infoset] = {}
        self.outcomes: dict[int, _Payment] = {0: _NO_PAYMENT}
        self.ends: dict[_Payment, int] = {}
        """The payments of terminal nodes, and where each stands first."""

    def read(self) -> EfgGame:
        """The game, if the whole text is one."""
        title, comment, players = self.read_prologue()
        root = self.read_tree()
        self.refuse_unless_zero_sum()
        self.name_infosets()
        if self.is_encoded:
            title, comment = self.decode(title), ""
        return EfgGame(self.tokens.name, title, comment, tuple(players), root)

    def read_prologue(self) -> tuple[str, str, list[str]]:
        """Title, comment, names of the players."""
        tokens = self.tokens
        for known, purpose in (
            (("EFG",), "'EFG', with which an extensive game begins"),
            (("2",), "'2', the version of the format"),
            (("R", "D"), "'R'"),
        ):
            if tokens.value not in known:
                raise tokens.expected(purpose)
            tokens.take(WORD, purpose)
        title = tokens.take(TEXT, "the title, in quotes")
        tokens.take(OPEN, "'{' and the names of the players")
        players = []
        while (player := tokens.take_if(TEXT)) is not None:
            players.append(player)
        tokens.take(CLOSE, "the name of a player, in quotes, or '}'")
        if len(players) != 2:
            raise GameError(f"{tokens.name} has {len(players)} players; only two can be solved.")
        comment = tokens.take_if(TEXT) or ""
        self.is_encoded = comment == ENCODED_COMMENT
        return title, comment, players

    def read_tree(self) -> EfgState:
        """The root, with all that follows."""
        root: EfgState | None = None
        stack: list[_Open] = []
        num_nodes = 0
        while stack or root is None:
            if num_nodes == self.max_nodes:
                raise TooLargeError(f"{self.tokens.name} has more than {num_nodes} nodes.")
            num_nodes += 1
            opened = self.read_node(stack)
            if stack:
                stack[-1].node._children.append(opened.node)
            else:
                root = opened.node
            stack.append(opened)
            while stack and not stack[-1].node.num_missing:
                stack.pop()
        if self.tokens.kind is not END:
            raise self.tokens.expected("the end of the file, since the tree is complete")
        return root

    def read_node(self, stack: list[_Open]) -> _Open:
        """One node, without its children."""
        tokens = self.tokens
        begin = tokens.begin
        if tokens.kind is END and stack:
            parent, _, place = stack[-1]
            raise tokens.error(
                f"the file ends, but the node at line {tokens.line(place)} still lacks "
                f"{parent.num_missing} of its {len(parent.actions)} children"
            )
        letter = tokens.value
        if tokens.kind is not WORD or letter not in ("c", "p", "t"):
            raise tokens.expected("a node: 'c', 'p' or 't'")
        tokens.advance()
        tokens.take(TEXT, "the name of the node, in quotes")
        paid = stack[-1].paid if stack else _NO_PAYMENT
        if letter == "t":
            paid = self.add(paid, self.read_outcome(), begin)
            self.ends.setdefault(paid, begin)
            return _Open(EfgState(TERMINAL, _NO_INFOSET, _plain(paid.first)), paid, begin)
        player = CHANCE
        if letter == "p":
            player_begin = tokens.begin
            player = tokens.take_integer("the number of the player") - 1
            if player not in (0, 1):
                raise tokens.error(f"there is no player {player + 1}", player_begin)
        infoset = self.read_infoset(player)
        paid = self.add(paid, self.read_outcome(), begin)
        return _Open(EfgState(player, infoset, 0), paid, begin)

    def read_infoset(self, player: int) -> _Infoset:
        """Number, and as far as they are given, name and actions of an infoset."""
        tokens = self.tokens
        begin = tokens.begin
        number = tokens.take_integer("the number of the infoset")
        name = tokens.take_if(TEXT)
        infoset = self.infosets.get((player, number))
        if tokens.kind is not OPEN:
            if infoset is None:
                raise tokens.error(f"infoset {number} is new, so its actions must be given", begin)
            return infoset
        if infoset is not None and tokens.skip(infoset.spelling):
            return infoset
        actions_begin = tokens.begin
        written = self.read_actions(player)
        if infoset is None:
            shown = self.decode(name) if name else None
            infoset = _Infoset(shown, written, tokens.since(actions_begin))
            self.infosets[player, number] = infoset
        elif infoset.written != written:
            raise tokens.error(f"infoset {number} had other actions or probabilities before", begin)
        return infoset

    def read_actions(self, player: int) -> _Written:
        """Labels and, for chance, probabilities between braces."""
        tokens = self.tokens
        begin = tokens.begin
        labels: list[str] = []
        probabilities: list[Fraction] = []
        tokens.take(OPEN, "'{'")
        while (label := tokens.take_if(TEXT)) is not None:
            labels.append(self.decode(label))
            if player == CHANCE:
                probabilities.append(tokens.take_number("the probability of the outcome"))
        tokens.take(CLOSE, "an action, in quotes, or '}'")
        if not labels:
            raise tokens.error("a node that is not terminal needs an action", begin)
        if len(labels) > self.max_nodes:
            raise TooLargeError(f"{tokens.name} has more than {self.max_nodes} nodes.")
        if player == CHANCE:
            total = Fraction(0)
            for probability in probabilities:
                total = self.exactly(total + probability, begin)
            if min(probabilities) < 0 or abs(total - 1) > SUM_TOLERANCE:
                raise GameError(
                    f"{tokens.place(begin)}: the probabilities of a chance event must not be "
                    f"negative and must sum to one; these sum to {float(total):.10g}."
                )
            if total != 1:
                probabilities = [p / total for p in probabilities]
        return labels, probabilities

    def read_outcome(self) -> _Payment:
        """What the outcome of a node pays to the two players."""
        tokens = self.tokens
        begin = tokens.begin
        number = tokens.take_integer("the number of the outcome")
        tokens.take_if(TEXT)
        known = self.outcomes.get(number)
        if tokens.kind is not OPEN:
            if known is None:
                raise tokens.error(f"outcome {number} is new, so its payoffs must be given", begin)
            return known
        if known is not None and known.spelling and tokens.skip(known.spelling):
            return known
        payoffs_begin = tokens.begin
        tokens.advance()
        first = tokens.take_number("the payoff of player 1")
        second = tokens.take_number("the payoff of player 2")
        tokens.take(CLOSE, "'}'")
        if known is None:
            known = self.outcomes[number] = _Payment(first, second, tokens.since(payoffs_begin))
        elif (known.first, known.second) != (first, second):
            reason = "pays nothing" if number == 0 else "had other payoffs before"
            raise tokens.error(f"outcome {number} {reason}", begin)
        return known

    def add(self, paid: _Payment, more: _Payment, begin: int) -> _Payment:
        """Add what an outcome pays to what was paid on the way to it."""
        if more is _NO_PAYMENT or paid is _NO_PAYMENT:
            return paid if more is _NO_PAYMENT else more
        return _Payment(
            self.exactly(paid.first + more.first, begin),
            self.exactly(paid.second + more.second, begin),
        )

    def exactly(self, total: Fraction, begin: int) -> Fraction:
        """A sum as it is, as long as it can be written down.

        Exact sums of unlike fractions grow with every term, and would grow without end.
        """
        if total.denominator.bit_length() > MAX_DENOMINATOR_BITS:
            raise self.tokens.error("the numbers up to here add up to no simple fraction", begin)
        return total

    def decode(self, label: str) -> str:
        """A label as it was before it was encoded, if it was."""
        if not self.is_encoded:
            return label
        try:
            return decode_label(label)
        except UnicodeDecodeError:
            raise self.tokens.error(f"'{label}' is not percent-encoded text") from None

    def name_infosets(self) -> None:
        """Choose the key of every infoset, now that all names are known."""
        names = Counter((player, infoset.name) for (player, _), infoset in self.infosets.items())
        numbered = {(player, n): f"{player + 1}:{n}" for player, n in self.infosets}
        # A name that looks like the number of another infoset must not hide that one.
        names.update((player, text) for (player, _), text in numbered.items())
        for (player, n), infoset in self.infosets.items():
            infoset.key = numbered[player, n]
            if infoset.name is not None and names[player, infoset.name] == 1:
                infoset.key = infoset.name

    def refuse_unless_zero_sum(self) -> None:
        """Raise if the payoffs of some terminal node do not sum to zero."""
        first = next(iter(self.ends))
        wrong = next((paid for paid in self.ends if not paid.is_near(Fraction(0))), None)
        if wrong is None:
            return
        if all(paid.is_near(first.total) for paid in self.ends):
            raise GameError(
                f"{self.tokens.name} is constant-sum, not zero-sum: the payoffs of every end sum "
                f"to {_shown(wrong.total)}. Take half of that from each player, and its equilibria "
                "are those of a zero-sum game."
            )
        raise GameError(
            f"{self.tokens.place(self.ends[wrong])}: not a zero-sum game: this end pays "
            f"{_shown(wrong.first)} and {_shown(wrong.second)}."
        )


def _shown(number: Fraction) -> str:
    text = str(number)
    return text if len(text) <= 20 else f"{float(number):.12g}"
