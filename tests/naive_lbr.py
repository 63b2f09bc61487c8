"""A slow and obvious twin of local best responses, written from the formulas of Lisy & Bowling.

Of the package it knows only the rules of games of poker with one private card. A strategy is a
function from a player and an infoset to ``{action: probability}``.
"""

from __future__ import annotations

from infoset.games import CHANCE, TERMINAL


def opponent_range(game, strategy, seat, steps):
    """{hand label of the opponent: (probability, state)} after the steps of a hand."""
    out = {}
    for theirs in game.hands:
        dealt = [steps[0], steps[1]]
        dealt[1 - seat] = theirs
        state, probability = game.root(), 1.0
        for step in (*dealt, *steps[2:]):
            if state.player == CHANCE:
                odds = dict(state.chance)
            elif state.player == 1 - seat:
                odds = strategy(state.player, state.infoset)
            else:
                odds = {step: 1.0}
            if not odds.get(step, 0):
                break
            probability *= float(odds[step])
            state = state.child(step)
        else:
            out[theirs] = probability, state
    return out


def win_probability(state, seat):
    """Of the showdown if nobody bets any more; a tie is half a win."""
    if state.player == TERMINAL:
        won = state.payoff if seat == 0 else -state.payoff
        return (won > 0) + 0.5 * (won == 0)
    if state.player == CHANCE:
        return sum(
            float(p) * win_probability(state.child(label), seat) for label, p in state.chance
        )
    stay = "call" if "call" in state.actions else "check"
    return win_probability(state.child(stay), seat)


def wp_of(held, seat):
    total = sum(p for p, _ in held)
    return sum(p * win_probability(state, seat) for p, state in held) / total


def put(state):
    first, second = state.public.situation.betting.put
    return float(first), float(second)


def local_values(game, strategy, seat, steps):
    """{action: what it wins beyond a fold} for every action of the game there."""
    held = opponent_range(game, strategy, seat, steps)
    _, example = next(iter(held.values()))
    own, theirs = put(example)[seat], put(example)[1 - seat]
    pot, asked = own + theirs, theirs - own
    values = {}
    for action in example.actions:
        after = [(p, state.child(action)) for p, state in held.values()]
        if action == "fold":
            values[action] = 0.0
        elif action in ("call", "check"):
            wp = wp_of(after, seat)
            values[action] = wp * pot - (1 - wp) * asked
        else:
            beyond = put(after[0][1])[seat] - theirs
            folds = [strategy(1 - seat, state.infoset).get("fold", 0.0) for _, state in after]
            total = sum(p for p, _ in after)
            fp = sum(p * f for (p, _), f in zip(after, folds, strict=True)) / total
            staying = [(p * (1 - f), state) for (p, state), f in zip(after, folds, strict=True)]
            value = fp * pot
            if fp < 1:
                wp = wp_of(staying, seat)
                value += (1 - fp) * (wp * (pot + beyond) - (1 - wp) * (asked + beyond))
            values[action] = value
    return values
