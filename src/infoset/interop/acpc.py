"""Hands of hold'em as the ACPC writes them: match states, actions, and lines of logs.

The protocol (version 2.0.0) says how a hand stands in one line of text. A player is sent what he
may see, after everything that happens; the one who must act sends it back with an action::

    MATCHSTATE:0:30:cc/r250c/:9s8h|/8c8d5c/6s           position, hand, betting, cards
    MATCHSTATE:0:30:cc/r250c/:9s8h|/8c8d5c/6s:r500      the reply

**Positions** are the players of `holdem`: 0 is the big blind, 1 the button. **Betting** has an
``f`` for a fold, ``c`` for a check or call, ``r500`` for a bet or raise (with the chips its player
will then have put in over the hand; ``r`` alone in limit hold'em), and a ``/`` before each later
street. **Cards** are those of position 0, ``|``, those of position 1, then ``/`` and the cards of
each later street. Hands that the player may not see are left out.

A log has a line for each hand that was played, with all cards, what each won, and who they were,
in the order of positions::

    STATE:0:cc/crc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:20|-20:Alice|Bob

Cards stay in the order in which they were written: what is read and written again is the same,
byte for byte. `infoset.interop.acpc_log` has whole logs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from infoset.cards import parse_cards
from infoset.cursor import Cursor
from infoset.errors import BadInputError, shorten
from infoset.games import CHANCE, TERMINAL
from infoset.games.holdem import HoldemGame, HoldemState

MAX_LINE = 65_536
"""Longest line that is read or sent, in characters."""

_NUMBER = re.compile(r"[0-9]{1,15}")
_BETTING = re.compile(r"(?:[fcr/]|(?<=r)[0-9]{1,9})*")
_STEP = re.compile(r"r[0-9]*|[fc/]")
_HAND = re.compile(r"(?:[2-9TJQKA][cdhs]){2}")
_BOARD = re.compile(r"(?:[2-9TJQKA][cdhs])+")
_CHIPS = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,6})?")
_NAME = re.compile(r"[^:|\s]{1,100}")

_LETTERS = {"fold": "f", "check": "c", "call": "c", "raise": "r"}


class MatchState(NamedTuple):
    """A hand as one player sees it, or as a log has it."""

    hand: int
    """The number of the hand in the match."""
    betting: str
    hands: tuple[str, str]
    """The cards of position 0 and of position 1; empty where they are hidden."""
    board: tuple[str, ...]
    """The cards that came up before each street but the first."""
    position: int | None = None
    """Who sees it; `None` in a log."""

    def __str__(self) -> str:
        kind = "STATE" if self.position is None else f"MATCHSTATE:{self.position}"
        cards = "".join(f"/{cards}" for cards in self.board)
        return f"{kind}:{self.hand}:{self.betting}:{'|'.join(self.hands)}{cards}"

    def seen_from(self, position: int, *, shown: bool) -> MatchState:
        """What a player sees: his cards, and the other's if they are shown.

        >>> state = match_state(7, ["5d5c", "9hQd", "call"])
        >>> print(state.seen_from(1, shown=False))
        MATCHSTATE:1:7:c:|9hQd
        """
        first, second = self.hands
        if not shown:
            first, second = (first, "") if position == 0 else ("", second)
        return self._replace(hands=(first, second), position=position)


def match_state(hand: int, steps: Sequence[str]) -> MatchState:
    """A hand from its steps, as `infoset.agents.Hand` has them: deals, actions and cards.

    The hand may be going on, but not in the middle of a deal. All cards are shown.

    >>> print(match_state(30, ["9s8h", "9c6h", "call", "check", "8c8d5c", "raise250"]))
    STATE:30:cc/r250:9s8h|9c6h/8c8d5c
    """
    first, second, *rest = steps
    betting, board = "", []
    for step in rest:
        if step[:1].islower():  # an action; cards begin with a rank
            betting += action_text(step)
        else:
            betting += "/"
            board.append(step)
    return MatchState(hand, betting, (first, second), tuple(board))


def action_text(label: str) -> str:
    """An action as the protocol writes it.

    >>> action_text("raise300"), action_text("raise"), action_text("check")
    ('r300', 'r', 'c')
    """
    word = label.rstrip("0123456789")
    if word not in _LETTERS:
        raise BadInputError(f"{shorten(label)} is no action of hold'em that the ACPC can write")
    return _LETTERS[word] + label[len(word) :]


def action_label(text: str, public: HoldemState) -> str | None:
    """The label of an action that is written as in the protocol; `None` if it is not possible.

    >>> from infoset.games import make
    >>> public = make("holdem").public()
    >>> [action_label(text, public) for text in ("c", "r300", "r100", "r", "x")]
    ['call', 'raise300', None, None, None]
    """
    if _STEP.fullmatch(text) is None or text == "/" or public.player < 0:
        return None
    label = _label(text, public)
    return None if public.game.after(public.betting, label) is None else label


def _label(text: str, public: HoldemState) -> str:
    if text == "c":
        return "call" if public.player >= 0 and public.is_facing_bet else "check"
    return "fold" if text == "f" else f"raise{text[1:]}"


def parse_match_state(text: str) -> MatchState:
    """Read what the dealer sends.

    >>> parse_match_state("MATCHSTATE:1:31:r300:|JdTc")
    MatchState(hand=31, betting='r300', hands=('', 'JdTc'), board=(), position=1)
    >>> parse_match_state("MATCHSTATE:1:31:x:|JdTc")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the match state 'MATCHSTATE:1:31:x:|JdTc' at \
character 17: expected ':', found 'x'
    """
    cursor = Cursor(text, "a match state", longest=MAX_LINE)
    cursor.expect("MATCHSTATE:", "'MATCHSTATE:'")
    position = int(cursor.expect(re.compile("[01](?=:)"), "a position, which is 0 or 1"))
    cursor.expect(":", "':'")
    state = _read_state(cursor)._replace(position=position)
    if not cursor.is_at_end:
        raise cursor.expected("nothing more")
    if not state.hands[position]:
        raise cursor.error(f"the cards of position {position}, who sees this, are not there")
    return state


def _read_state(cursor: Cursor) -> MatchState:
    """Read the number of the hand, the betting, and the cards."""
    hand = int(cursor.expect(_NUMBER, "the number of the hand"))
    cursor.expect(":", "':'")
    betting = cursor.expect(_BETTING, "the betting")
    cursor.expect(":", "':'")
    begin = cursor.at
    first = cursor.take(_HAND) or ""
    cursor.expect("|", "two cards or '|'")
    second = cursor.take(_HAND) or ""
    board = []
    while cursor.take("/"):
        board.append(cursor.expect(_BOARD, "cards"))
    try:
        parse_cards("".join((first, second, *board))[:200])
    except BadInputError:
        raise cursor.error("a card is there twice", begin) from None
    if len(board) != betting.count("/"):
        raise cursor.error(
            f"the betting has {betting.count('/')} streets after the first, but the board has "
            f"cards of {len(board)}"
        )
    return MatchState(hand, betting, (first, second), tuple(board))


def replay_match_state(state: MatchState, game: HoldemGame) -> tuple[tuple[str, ...], HoldemState]:
    """What happened after the deal, by the labels of the game, and the public state it led to.

    >>> from infoset.games import make
    >>> state = parse_match_state("MATCHSTATE:0:30:cc/r250:9s8h|/8c8d5c")
    >>> labels, public = replay_match_state(state, make("holdem"))
    >>> labels, public.player
    (('call', 'check', '8c8d5c', 'raise250'), 1)
    """
    public, labels, boards = game.public(), [], iter(state.board)
    for match in _STEP.finditer(state.betting):
        written = match.group()
        label = next(boards) if written == "/" else _label(written, public)
        try:
            if (written == "/") != (public.player == CHANCE):
                raise public.refusal(label)
            public = public.child(label)
        except BadInputError as error:
            raise BadInputError(
                f"hand {state.hand}: {shorten(written)} at character {match.start() + 1} of the "
                f"betting {shorten(state.betting)} is against the rules: {error}"
            ) from None
        labels.append(label)
    if public.player == CHANCE:
        raise BadInputError(
            f"hand {state.hand}: after the betting {shorten(state.betting)} cards are due, and "
            "there are none"
        )
    return tuple(labels), public


class LoggedHand(NamedTuple):
    """A hand in a log."""

    number: int
    steps: tuple[str, ...]
    """All that happened, from the root on, by the labels of the game."""
    payoff: int
    """What position 0, the big blind, won."""
    names: tuple[str, str]
    """Who sat in position 0 and in position 1."""


class Score(NamedTuple):
    """What each player won in a match, in the order of the players."""

    totals: tuple[float, float]
    names: tuple[str, str]


def format_log_line(logged: LoggedHand) -> str:
    """A hand that is over as a line of a log.

    >>> hand = LoggedHand(0, ("5d5c", "9hQd", "raise300", "fold"), -100, ("Alice", "Bob"))
    >>> format_log_line(hand)
    'STATE:0:r300f:5d5c|9hQd:-100|100:Alice|Bob'
    """
    state = match_state(logged.number, logged.steps)
    return f"{state}:{logged.payoff}|{-logged.payoff}:{'|'.join(logged.names)}"


def format_score(score: Score) -> str:
    """The last line of a log.

    >>> format_score(Score((110, -110), ("p1", "p2")))
    'SCORE:110|-110:p1|p2'
    """
    totals = "|".join(f"{total:.6f}".rstrip("0").rstrip(".") for total in score.totals)
    return f"SCORE:{totals}:{'|'.join(score.names)}"


def read_log_line(line: str, game: HoldemGame) -> LoggedHand | Score | None:
    """Read a line of a log, and check it by the rules; `None` for a comment or an empty line.

    >>> from infoset.games import make
    >>> line = "STATE:0:r300f:5d5c|9hQd:-100|100:Alice|Bob"
    >>> hand = read_log_line(line, make("holdem"))
    >>> hand.steps, hand.payoff
    (('5d5c', '9hQd', 'raise300', 'fold'), -100)
    >>> read_log_line(line.replace("100|", "200|"), make("holdem"))
    Traceback (most recent call last):
    infoset.errors.BadInputError: hand 0: position 0 won -100 by the rules, but the line says -200
    """
    line = line.rstrip("\r\n")
    if not line.strip() or line[0] in "#;":
        return None
    cursor = Cursor(line, "a line of an ACPC log", longest=MAX_LINE)
    if cursor.take("SCORE:"):
        return Score(*_read_result(cursor))
    cursor.expect("STATE:", "'STATE:', 'SCORE:' or a comment")
    state = _read_state(cursor)
    if not all(state.hands):
        raise cursor.error("a hand has no cards")
    cursor.expect(":", "':'")
    totals, names = _read_result(cursor)
    labels, public = replay_match_state(state, game)
    if public.player != TERMINAL:
        raise BadInputError(
            f"hand {state.hand}: the hand is not over after {shorten(state.betting)}"
        )
    root = game.root().child(state.hands[0]).child(state.hands[1])
    assert root.hand0 is not None
    assert root.hand1 is not None
    payoff = game.payoff(public.ending, root.hand0, root.hand1)
    for position, won in enumerate((payoff, -payoff)):
        if totals[position] != won:
            raise BadInputError(
                f"hand {state.hand}: position {position} won {won} by the rules, but the line "
                f"says {totals[position]:g}"
            )
    return LoggedHand(state.hand, (*state.hands, *labels), int(payoff), names)


def _read_result(cursor: Cursor) -> tuple[tuple[float, float], tuple[str, str]]:
    """Read ``20|-20:Alice|Bob``, up to the end."""
    first = float(cursor.expect(_CHIPS, "chips"))
    cursor.expect("|", "'|'")
    second = float(cursor.expect(_CHIPS, "chips"))
    cursor.expect(":", "':'")
    name = cursor.expect(_NAME, "a name")
    cursor.expect("|", "'|'")
    names = name, cursor.expect(_NAME, "a name")
    if not cursor.is_at_end:
        raise cursor.expected("nothing more")
    return (first, second), names


def is_name(text: str) -> bool:
    """Whether a log can call a player so: no blanks, no ``:`` and no ``|``."""
    return _NAME.fullmatch(text) is not None
