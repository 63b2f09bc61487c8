"""The table as a person sees it who plays: what has happened, what lies there, how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from infoset.agents import Hand, Seen
from infoset.cards import format_cards
from infoset.games import CHANCE, TERMINAL, DealtGame, Game, Number, PokerState, PublicState
from infoset.games.holdem import STREETS, HoldemGame, HoldemState, Spot

_BETWEEN_STEPS = re.compile("[,/:]")

BOARD = "board"
"""What chance reveals to both players, in games of ours."""


class Event(NamedTuple):
    """A public step: an action of a player, or a card for both."""

    player: int
    label: str
    after: PublicState


def events_of(game: DealtGame, public: PublicState) -> list[Event]:
    """All public steps that led to a state; none if its history is not written as ours are.

    >>> from infoset.games import make
    >>> game = make("leduc")
    >>> state = game.public().child("check").child("check").child("Ks").child("bet")
    >>> [event[:2] for event in events_of(game, state)]
    [(0, 'check'), (1, 'check'), (-1, 'Ks'), (0, 'bet')]
    """
    state, events = game.public(), []
    for label in filter(None, _BETWEEN_STEPS.split(public.public_history)):
        player = state.player
        try:
            state = state.child(label)
        except (KeyError, ValueError):
            return []
        events.append(Event(player, label, state))
    return events if state.public_history == public.public_history else []


def event_line(event: Event, seat: int) -> str:
    """A step in words, for the player in a seat."""
    if event.player == CHANCE:
        after = event.after
        if isinstance(after, HoldemState):
            return f"{STREETS[after.betting.street]}: {event.label}"
        return f"{BOARD}: {event.label}"
    return f"{'you' if event.player == seat else 'opponent'}: {event.label}"


def facts(seen: Seen) -> list[list[str]]:
    """What the player who acts holds, and what lies on the table; in lines of parts.

    >>> from infoset.games import make
    >>> facts(Seen(make("leduc").root().child("Qs").child("Jh").child("bet")))
    [['you hold Jh'], ['pot 4 (you 1, opponent 3)', '2 to call']]
    """
    public = seen.public
    if public is None:
        return [[f"you know: {seen.infoset or 'nothing yet'}"]]
    hand, _, _ = seen.infoset.partition(":")
    cards = [f"you hold {hand}"]
    if isinstance(public, HoldemState):
        if public.board:
            cards.append(f"{BOARD} {format_cards(public.board)}")
        betting, game = public.betting, public.game
        behind = game.betting.stack - betting.put[seen.seat]
        pot = [*_pot(game.pot, betting.put, seen.seat), f"{chips(behind)} behind"]
        return [cards, pot]
    if isinstance(public, PokerState):
        situation = public.situation
        if situation.board is not None:
            cards.append(f"{BOARD} {situation.game.hands[situation.board]}")
        return [cards, [*_pot(0, situation.betting.put, seen.seat)]]
    return [cards]


def _pot(before: int, put: tuple[Number, Number], seat: int) -> Iterator[str]:
    """What lies in the middle, whose it was, and what is missing for a call."""
    own, other = put[seat], put[1 - seat]
    parts = [f"you {chips(own)}, opponent {chips(other)}"] if own or other else []
    parts += [f"{chips(before)} before"] if before and parts else []
    shares = f" ({', '.join(parts)})" if parts else ""
    yield f"pot {chips(before + own + other)}{shares}"
    if other > own:
        yield f"{chips(other - own)} to call"


def chips(amount: Number) -> str:
    """An exact number of chips as people write it.

    >>> from fractions import Fraction
    >>> chips(20000), chips(Fraction(3, 2)), chips(-7)
    ('20,000', '1.5', '-7')
    """
    return f"{float(amount):,.10g}" if amount != int(amount) else f"{int(amount):,}"


def won(amount: float) -> str:
    """Chips won or lost, with their sign.

    >>> won(3), won(-1234.5), won(0), won(1/3)
    ('+3', '-1,234.5', '0', '+0.333')
    """
    return "0" if amount == 0 else f"{amount:+,.3f}".rstrip("0").rstrip(".")


def seat_name(game: Game, seat: int) -> str:
    """What a player is called in a seat.

    >>> from infoset.games import make
    >>> seat_name(make("kuhn"), 1), seat_name(make("holdem"), 1)
    ('player 1', 'the button (player 1)')
    """
    if isinstance(game, Spot):
        return f"{('out of position', 'in position')[seat]} (player {seat})"
    if isinstance(game, HoldemGame):
        return f"{('in the big blind', 'the button')[seat]} (player {seat})"
    return f"player {seat}"


def ending_lines(game: Game, hand: Hand, seat: int, num_told: int) -> Iterator[str]:
    """What has happened since so many public steps, and the hands if they are shown.

    What was folded, or folded to, is not.

    >>> from infoset.agents import Hand
    >>> from infoset.games import make
    >>> [*ending_lines(make("kuhn"), Hand(("K", "J", "bet", "fold"), 1), 0, 0)]
    ['you: bet', 'opponent: fold']
    >>> [*ending_lines(make("kuhn"), Hand(("K", "J", "bet", "call"), 2), 0, 1)]
    ['opponent: call', 'shown: you K, opponent J']
    """
    if not isinstance(game, DealtGame):
        yield from _actions(game, hand, seat)
        return
    deals, steps, state = hand.steps[:2], hand.steps[2:], game.public()
    for number, label in enumerate(steps):
        player, state = state.player, state.child(label)
        if number >= num_told:
            yield event_line(Event(player, label, state), seat)
    assert state.player == TERMINAL
    if not steps or steps[-1] != "fold":
        yield f"shown: you {deals[seat]}, opponent {deals[1 - seat]}"


def _actions(game: Game, hand: Hand, seat: int) -> Iterator[str]:
    """The actions of both players, on a line; what chance did may be secret, and stays so."""
    state, parts = game.root(), []
    for step in hand.steps:
        if state.player != CHANCE:
            parts.append(f"{'you' if state.player == seat else 'opponent'} {step}")
        state = state.child(step)
    if parts:
        yield f"played: {', '.join(parts)}"


def own_actions(game: Game, hand: Hand, seat: int) -> list[tuple[str, str]]:
    """The infosets at which the player of a seat decided in a hand, and what he did there."""
    state, out = game.root(), []
    for step in hand.steps:
        if state.player == seat:
            out.append((state.infoset, step))
        state = state.child(step)
    return out


def where(game: Game, infoset: str) -> str:
    """An infoset without the hand, in words."""
    if not isinstance(game, DealtGame):
        return infoset or "the start"
    _, _, public_history = infoset.partition(":")
    parts = [part for part in _BETWEEN_STEPS.split(public_history) if part]
    return ", ".join(parts) or "the deal"
