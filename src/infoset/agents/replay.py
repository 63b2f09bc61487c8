"""Replay a match from its log: every hand by the rules, every payoff, every card."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from random import Random

from infoset.agents.agent import Seen
from infoset.agents.hands import CARDS, draw_outcome, numbers_of
from infoset.agents.match_log import LogHeader, LogReader, Record, number_of, read_log, written
from infoset.agents.match_result import ROUNDING, MatchResult, Tallies, Tally, big_blind_of
from infoset.agents.referee import cards_of, won_by_a
from infoset.errors import BadInputError, FileFormatError, GameError, shorten
from infoset.games import CHANCE, TERMINAL, Game, State, make, name_of

Watch = Callable[[int], None]
"""Told how many hands were replayed."""


def replay_match(
    log: str | os.PathLike[str], game: Game | None = None, *, watch: Watch | None = None
) -> MatchResult:
    """Play all hands of a log again by the rules, and work out what was won.

    Refuses, with the number of the line, what the rules or the seed do not allow: steps that are
    not possible, cards that the seed does not deal (unless the match was played on the compiled
    game, which has its own random numbers), payoffs that are not those of the steps. Values of
    AIVAT are taken as they are. A last line that was cut off is left out.

    ``game`` is needed if the log's name for it is not that of a built-in game.
    """
    begin = time.monotonic()
    with read_log(log) as reader:
        header = reader.header
        game = _game_of(reader, game)
        tallies = Tallies(
            header.duplicate, corrected=None if header.aivat is None else Tally(ROUNDING)
        )
        for record in reader.records():
            check_logged_hand(reader, record, game)
            tallies.add(won_by_a(record.hand, record.number), record.corrected)
            if watch is not None:
                watch(tallies.won.hands)
    return MatchResult(
        game=header.game,
        agents=header.agents,
        hands=tallies.won.hands,
        wanted=tallies.won.hands,
        seed=header.seed,
        figures=tallies.figures,
        big_blind=big_blind_of(game),
        is_compiled=header.is_compiled,
        seconds=time.monotonic() - begin,
        stopped_by="hands",
    )


def check_logged_hand(reader: LogReader, record: Record, game: Game | None = None) -> None:
    """Refuse a hand of a log that cannot have been played so, with the number of its line."""
    try:
        check_hand(_game_of(reader, game), reader.header, record)
    except FileFormatError:
        raise
    except BadInputError as error:
        raise reader.wrong(record.line, str(error)) from None


def _game_of(reader: LogReader, game: Game | None) -> Game:
    """The game that a log is of: the one that is given, if it is that, or the one of this name."""
    name = reader.header.game
    if game is None:
        try:
            return make(name)
        except BadInputError as error:
            needed = "its game is needed to replay it: give --game"
            raise reader.wrong(1, f"{needed} ({error})") from None
    if name_of(game) != name:
        raise reader.wrong(1, f"the log is of {shorten(name)}, not of {name_of(game)!r}")
    return game


def check_hand(game: Game, header: LogHeader, record: Record) -> None:
    """Refuse a hand of a log that cannot have been played so."""
    chance = None
    if not header.is_compiled:
        cards = cards_of(record.number, duplicate=header.duplicate)
        chance = numbers_of(header.seed, cards, CARDS)
    end = replay_steps(game, record.hand.steps, chance)
    payoff = number_of(written(end.payoff))
    if payoff != record.hand.payoff:
        raise BadInputError(
            f"the payoff is {record.hand.payoff}, but by the rules player 0 won {payoff}"
        )


def replay_steps(game: Game, steps: Sequence[str], chance: Random | None = None) -> State:
    """The end of a hand, from its steps; with ``chance``, cards must be those that it deals.

    >>> from infoset.games import make
    >>> replay_steps(make("kuhn"), ["K", "J", "bet", "call"]).payoff
    2
    >>> replay_steps(make("kuhn"), ["K", "J", "call"])
    Traceback (most recent call last):
    infoset.errors.GameError: step 3, 'call', is not possible after 'K', 'J'
    """
    state = game.root()
    for place, step in enumerate(steps):
        if state.player == TERMINAL:
            raise GameError(f"the hand is over after {_shown(steps[:place])}, but steps follow")
        if state.player != CHANCE:
            is_possible = Seen(state).allows(step)
        elif chance is not None:
            dealt = draw_outcome(state, chance.random())
            if step != dealt:
                raise GameError(
                    f"step {place + 1} deals {shorten(step)}, but the seed deals {shorten(dealt)}"
                )
            is_possible = True
        else:
            is_possible = _can_deal(state, step)
        if not is_possible:
            after = f"after {_shown(steps[:place])}" if place else "at the start"
            raise GameError(f"step {place + 1}, {shorten(step)}, is not possible {after}")
        state = state.child(step)
    if state.player != TERMINAL:
        raise GameError(f"the hand is not over after {_shown(steps)}")
    return state


def _can_deal(state: State, step: str) -> bool:
    if hasattr(state, "outcome_at"):  # too many to list; such states refuse what cannot be
        try:
            state.child(step)
        except BadInputError:
            return False
        return True
    return any(label == step and p > 0 for label, p in state.chance)


def _shown(steps: Sequence[str]) -> str:
    few = ", ".join(shorten(step, 20) for step in steps[-4:])
    return f"..., {few}" if len(steps) > 4 else few
