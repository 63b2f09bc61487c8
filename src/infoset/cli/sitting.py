"""A person at the table: asked for actions, told what happens, and what his choices cost."""

from __future__ import annotations

import contextlib
import io
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from infoset.cli.output import Column, Table, labels, percent, printable, width
from infoset.cli.streams import end
from infoset.errors import BadInputError, InfosetError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.agents import Agent, Hand, Seen
    from infoset.explore import Advice, Adviser
    from infoset.games import Game

MOST_UNASKED = 1000
"""Hands in a row in which there is nothing to decide, before that is taken for a mistake."""

HELP = """\
Type an action as it is called, or how it begins (c for check), or its number.
A size alone is enough where only one action has it. q or Ctrl-D ends the game,
Ctrl-C too. An unfinished hand does not count."""

LEAST_COST = 0.0005
"""Chips; less is shown as nothing."""


MOST_SHOWN = 6
"""Actions of a decision up to which all are shown afterwards."""

RARE = 0.005
"""Of more actions, those that the solution takes less often are left out."""

LARGE = 100.0
"""Chips from which on a tenth is enough to say."""


class _LeftError(Exception):
    """The person has had enough."""


class Sitting:
    """Hands between a person and an agent, and what came of them."""

    def __init__(
        self,
        game: Game,
        opponent: Agent,
        adviser: Adviser | None,
        *,
        seat: int | None,
        hands: int | None,
        seed: int,
    ) -> None:
        """``seat`` is the person's; both in turn if there is none. No ``hands`` are any number."""
        self.game = game
        self.opponent = opponent
        self.adviser = adviser
        self.seed = seed
        self._seat = seat
        self._most = hands
        self.num_hands = 0
        self.won = 0.0
        self.cost = 0.0
        """Of all choices whose cost is known, `num_costs` in number."""
        self.num_costs = 0
        self._shown = 0
        """Public steps of this hand that were told."""
        self._unasked = 0
        self._asked: Seen | None = None

    def play(self) -> None:
        """Play until the hands are over or the person has had enough."""
        from infoset.agents import Person, play_hand

        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        person = Person(self._ask, lambda problem: print(f"  {printable(problem)}"))
        try:
            with heard_interrupts():
                while self._most is None or self.num_hands < self._most:
                    seat = self.num_hands % 2 if self._seat is None else self._seat
                    self._begin(seat)
                    agents = [person, self.opponent] if seat == 0 else [self.opponent, person]
                    hand = play_hand(self.game, agents, self.seed, self.num_hands)
                    self._finish(hand, seat)
        except _LeftError:
            self._say_score()
        except KeyboardInterrupt:
            print()
            self._say_score()
            end(interrupted="")
        except InfosetError:
            self._say_score()
            raise
        else:
            self._say_score()

    def _begin(self, seat: int) -> None:
        from infoset.cli.play_table import seat_name

        self._shown = 0
        self._unasked += 1
        if self._unasked > MOST_UNASKED:
            raise BadInputError(f"there was nothing to decide in {MOST_UNASKED:,} hands")
        head = f"--- hand {self.num_hands + 1}: you are {seat_name(self.game, seat)} "
        print("\n" + head.ljust(min(width(), 72), "-"))

    # Asking.

    def _ask(self, seen: Seen) -> str:
        """Show what has happened and what lies on the table; what the person types."""
        from infoset.agents import Menu
        from infoset.cli.play_table import facts

        self._unasked = 0
        is_asked_again, self._asked = seen is self._asked, seen
        if not is_asked_again:
            self._tell_events(seen)
            for parts in facts(seen):
                self._print_parts(parts, "; ")
            self._print_parts(Menu(seen.actions).parts, "   ")
        while True:
            typed = _line("> ")
            if typed.strip().casefold() in ("q", "quit", "exit"):
                raise _LeftError
            if typed.strip() != "?":
                return typed
            print(HELP)
            self._print_parts(Menu(seen.actions).parts, "   ")

    def _tell_events(self, seen: Seen) -> None:
        """What has happened in public since the person was asked last."""
        from infoset.cli.play_table import event_line, events_of
        from infoset.games import DealtGame

        if seen.public is None or not isinstance(self.game, DealtGame):
            return
        events = events_of(self.game, seen.public)
        for event in events[self._shown :]:
            _print_folded(printable(event_line(event, seen.seat)))
        self._shown = len(events)

    def _print_parts(self, parts: list[str], between: str) -> None:
        """Parts side by side, none of them broken, on as many lines as they need."""
        line = ""
        for part in map(printable, parts):
            longer = f"{line}{between}{part}" if line else f"  {part}"
            if line and len(longer) > width():
                print(line)
                longer = f"  {part}"
            line = longer
        _print_folded(line)

    # What came of it.

    def _finish(self, hand: Hand, seat: int) -> None:
        """Tell how a hand ended, what the solution would have done, and the score."""
        from infoset.cli.play_table import chips, ending_lines

        own: Any = hand.payoff if seat == 0 else -hand.payoff
        self.num_hands += 1
        self.won += float(own)
        for line in ending_lines(self.game, hand, seat, self._shown):
            _print_folded(printable(line))
        result = "you win" if own > 0 else "you lose"
        result = f"{result} {chips(abs(own))}" if own else "nobody wins"
        _print_folded(f"{result}; {self._score()}")
        if self.adviser is not None:
            self._advise(hand, seat, self.adviser)

    def _advise(self, hand: Hand, seat: int, adviser: Adviser) -> None:
        """A table of the person's decisions, as the solution sees them."""
        from infoset.cli.play_table import own_actions, where

        rows: list[tuple[Any, ...]] = []
        costs: list[float] = []
        unknown = ""
        for infoset, action in own_actions(self.game, hand, seat):
            try:
                advice = adviser.at(seat, infoset)
            except BadInputError:
                unknown = f"the solution says nothing about {printable(infoset)}"
                continue
            cost = advice.cost(action)
            if cost is None:
                unknown = f"no EV here: {advice.no_values}"
            else:
                costs.append(cost)
            rows += _rows(where(self.game, infoset), advice, action)
        if not rows and not unknown:
            return
        print()
        if rows:
            _table(rows).print()
        if unknown:
            _print_folded(unknown)
        if costs:
            self.num_costs += len(costs)
            self.cost += sum(costs)
            _print_folded(f"your choices cost {_cost(sum(costs))}; {_cost(self.cost)} in total")

    def _score(self) -> str:
        from infoset.cli.play_table import won

        count = f"{self.num_hands:,} hand{'' if self.num_hands == 1 else 's'}"
        each = f", {won(self.won / self.num_hands)} a hand" if self.num_hands > 1 else ""
        return f"score {won(self.won)} after {count}{each}"

    def _say_score(self) -> None:
        if not self.num_hands:
            print("No hand was finished.")
            return
        score = self._score()
        cost = "" if not self.num_costs else f"; your choices cost {_cost(self.cost)}"
        _print_folded(f"{score[0].upper()}{score[1:]}{cost}.")


def _print_folded(line: str) -> None:
    for folded in textwrap.wrap(line, width(), subsequent_indent="    ") or [line]:
        print(folded)


def _line(prompt: str) -> str:
    """What is typed on a line; the end of all input is one who leaves."""
    if sys.stdin is None:
        raise _LeftError
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # line editing, wherever it is there
    try:
        typed = input(prompt)
    except EOFError:
        print()
        raise _LeftError from None
    if not is_terminal:
        print(printable(typed))  # as if it had been typed there
    return typed


def _table(rows: list[tuple[Any, ...]]) -> Table:
    """Lines of `_rows`; without values if there are none."""
    values = [abs(row[3]) for row in rows if row[3] is not None]
    decimals = _decimals(values)
    columns = [
        labels("after"),
        labels("action"),
        Column("solution", "solution %", percent),
        Column("value", "EV, chips", lambda value: f"{round(value, decimals) + 0.0:,.{decimals}f}"),
    ]
    return Table(columns, rows) if values else Table(columns[:3], [row[:3] for row in rows])


def _decimals(amounts: Iterable[float]) -> int:
    """How many decimals of chips there is reason to read."""
    return 3 if max(amounts, default=0.0) < LARGE else 1


def _rows(after: str, advice: Advice, chosen: str) -> list[tuple[Any, ...]]:
    """A line for each action of a decision; of many, those that matter."""
    values, probabilities = advice.values, advice.probabilities
    best = None if values is None else max(values, key=values.__getitem__)
    out: list[tuple[Any, ...]] = []
    for action, probability in probabilities.items():
        matters = probability >= RARE or action in (chosen, best)
        if matters or len(probabilities) <= MOST_SHOWN:
            value = None if values is None else values[action]
            shown = f"{action} (you)" if action == chosen else action
            out.append((None if out else after, shown, probability, value))
    return out


def _cost(cost: float) -> str:
    """Chips that were given away.

    >>> _cost(0.0), _cost(0.0001), _cost(1.23456), _cost(1234.56)
    ('nothing', 'nothing', '1.235 chips', '1,234.6 chips')
    """
    return "nothing" if cost < LEAST_COST else f"{cost:,.{_decimals([cost])}f} chips"
