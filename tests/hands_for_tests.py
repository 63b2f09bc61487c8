"""Hands of hold'em played at random."""

from __future__ import annotations

from infoset.games import CHANCE, TERMINAL


def drawn(state, rng):
    """Where chance leads at random; no list of its outcomes is made."""
    return state.child(state.outcome_at(rng.random()))


def play_hand(game, choose, rng):
    """Play one hand to its end, the cards drawn with `rng` and every action chosen by `choose`."""
    state = game.root()
    while state.player != TERMINAL:
        state = drawn(state, rng) if state.player == CHANCE else state.child(choose(state))
    return state


def random_action(state, rng):
    """Get out, stay in, raise or go all-in, each as likely; smaller raises are likelier.

    The logarithm of a raise's place among all is uniform. The raises are not listed.
    """
    labels = ["fold", "call"] if state.public.is_facing_bet else ["check"]
    totals = state.public.raises
    if totals:
        place = int((len(totals) + 1) ** rng.random()) - 1
        labels += [f"raise{totals[min(place, len(totals) - 1)]}", f"raise{totals[-1]}"]
    return labels[int(rng.integers(len(labels)))]
