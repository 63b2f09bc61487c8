"""A program that loads one OpenSpiel game and plays it a little, to see whether it crashes.

``python open_spiel_probe.py TEXT`` ends with 0 whatever OpenSpiel says in words, with
`OUT_OF_MEMORY` if the game asked for too much, and by a signal if OpenSpiel's C++ code crashed
(as ``universal_poker(numSuits=0)`` does). It stands alone, importing nothing of the package, so
that it starts in a tenth of a second; `infoset.interop.open_spiel` runs it before it loads a
game with parameters into its own process.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import time
from typing import Any

OUT_OF_MEMORY = 9
MEMORY_BYTES = 4 << 30
PLAY_SECONDS = 1.0
PLAY_STEPS = 2000

_CHANCE = -1
_SIMULTANEOUS = -2


def play_a_little(game: Any, seed: int = 0) -> int:
    """Play at random, asking all that a walk of the game would ask; return the steps made."""
    rng = random.Random(seed)
    until = time.monotonic() + PLAY_SECONDS
    steps = 0
    while steps < PLAY_STEPS and time.monotonic() < until:
        state = game.new_initial_state()
        steps += 1
        while not state.is_terminal() and steps < PLAY_STEPS and time.monotonic() < until:
            steps += 1
            player = state.current_player()
            if player == _CHANCE:
                numbers = [number for number, _ in state.chance_outcomes()]
                state.action_to_string(player, numbers[0])
                state.apply_action(rng.choice(numbers))
            elif player == _SIMULTANEOUS:
                state.apply_actions([_choose(rng, state, each) for each in (0, 1)])
            else:
                state.apply_action(_choose(rng, state, player))
        if state.is_terminal():
            state.returns()
    return steps


def _choose(rng: random.Random, state: Any, player: int) -> int:
    numbers: list[int] = state.legal_actions(player) or [0]
    for number in numbers:
        state.action_to_string(player, number)
    state.information_state_string(player)
    return rng.choice(numbers)


def main(text: str) -> int:
    """Try the game and say how it went, as an exit code."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        import pyspiel

        if text.startswith("python_"):
            import open_spiel.python.games  # noqa: F401  (registers them)
        play_a_little(pyspiel.load_game(text))
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception:
        # An error in words will come again, and be reported, where the game is really loaded.
        return 0
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1])
    # Not sys.exit: destructors of a broken game may crash where nobody would care.
    os._exit(code)
