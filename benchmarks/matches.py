"""Hands a second: Leduc beside OpenSpiel's bots, hold'em beside PokerKit's simulation."""

from __future__ import annotations

import importlib.util
import math
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.report import NOTHING, Section, Table, rate, verdict
from benchmarks.timing import FULL, QUICK, best_rates

LEDUC = "open_spiel:leduc_poker"
"""The same game for both programs: OpenSpiel's rules, compiled here."""

OPEN_SPIEL, POKER_KIT, INFOSET = "OpenSpiel", "PokerKit", "infoset"

LEDUC_BAR = 1_000_000
"""Hands a second between two table strategies that are asked for, on two cores."""
HOLDEM_BAR = 5
"""How many times as fast as PokerKit simulates the same hands."""

AGREEMENT_HANDS = 200_000
HOLDEM_HANDS, QUICK_HOLDEM_HANDS = 400, 100
WARM_UP = 4000
APART = 4.0
"""Standard errors that two means may be apart."""


def measure(*, quick: bool = False) -> Section:
    """Time matches on Leduc and on hold'em."""
    section = Section()
    section.tables += [_leduc(section, quick=quick), _holdem(section, quick=quick)]
    return section


def _leduc(section: Section, *, quick: bool) -> Table:
    """Our matches on the compiled game and by the rules, and OpenSpiel's bots with the tables."""
    import infoset
    from infoset.agents import StrategyAgent, Uniform, play_match

    table = Table(
        "Matches: hands of Leduc a second, a solution against uniform play",
        ("how", "hands/s", f"times {OPEN_SPIEL}", "bar", "met"),
        notes=[],
    )
    game: Any = infoset.game(LEDUC)
    strategy = infoset.solve(game, "cfr+", iterations=100).strategy
    agent, other = StrategyAgent(game, strategy), Uniform()

    def ours(threads: int, *, compiled: bool = True) -> Callable[[int], object]:
        return lambda hands: play_match(
            game, agent, other, hands=hands, seed=1, threads=threads, compiled=compiled
        )

    runs = {
        f"{INFOSET}, compiled, 1 thread": ours(1),
        f"{INFOSET}, compiled, 2 threads": ours(2),
        f"{INFOSET}, by the rules of {OPEN_SPIEL}": ours(1, compiled=False),
    }
    theirs = None
    if importlib.util.find_spec("pyspiel") is None:
        table.notes.append(f"{OPEN_SPIEL} is not installed, so it is not measured.")
    else:
        theirs = _open_spiel_bots(strategy)
        runs[f"{OPEN_SPIEL}, evaluate_bots (C++)"] = lambda hands: theirs(range(hands))
    rates = dict(zip(runs, best_rates([*runs.values()], QUICK if quick else FULL), strict=True))
    fastest = rates.get(f"{OPEN_SPIEL}, evaluate_bots (C++)")
    for how, hands in rates.items():
        program = how.partition(",")[0]
        section.record("leduc", how, program, hands_per_second=hands)
        times = NOTHING if fastest is None else f"{hands / fastest:.3g}"
        is_asked_for = "2 threads" in how
        bar = (f"{LEDUC_BAR:,}", verdict(hands / LEDUC_BAR)) if is_asked_for else (NOTHING, NOTHING)
        table.rows.append((how, rate(hands), times, *bar))
    if theirs is not None:
        table.notes.append(_agreement(ours(1)(AGREEMENT_HANDS), theirs(range(AGREEMENT_HANDS))))
    return table


def _open_spiel_bots(strategy: Any) -> Callable[[Sequence[int]], np.ndarray]:
    """OpenSpiel's match: the bots change seats after every hand; what the first one wins."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    by_key = {}
    states = [game.new_initial_state()]
    while states:
        state = states.pop()
        if state.is_terminal():
            continue
        legal = state.legal_actions()
        if not state.is_chance_node():
            key = state.information_state_string()
            row = strategy[state.current_player(), key]
            by_key[key] = [(action, row[state.action_to_string(action)]) for action in legal]
        states += [state.child(action) for action in legal]
    solved, uniform = pyspiel.TabularPolicy(by_key), pyspiel.UniformRandomPolicy(game)
    seats = [
        [pyspiel.make_policy_bot(game, seat, 1 + seat, policy) for seat, policy in enumerate(pair)]
        for pair in ((solved, uniform), (uniform, solved))
    ]

    def play(hands: Sequence[int]) -> np.ndarray:
        # No list is kept while it is timed: a hand is one call.
        start, evaluate = game.new_initial_state, pyspiel.evaluate_bots
        won = [evaluate(start(), seats[hand % 2], hand)[hand % 2] for hand in hands]
        return np.array(won)

    return play


def _agreement(ours: Any, theirs: np.ndarray) -> str:
    error = float(theirs.std(ddof=1)) / math.sqrt(len(theirs))
    apart = abs(ours.mean - theirs.mean()) / math.hypot(error, ours.standard_error)
    assert apart < APART, f"the means are {apart:.1f} standard errors apart"
    return (
        f"Both programs play the same tables on the same game: over {len(theirs):,} hands, the "
        f"solution wins {ours.mean:.3f} ± {1.96 * ours.standard_error:.3f} here and "
        f"{theirs.mean():.3f} ± {1.96 * error:.3f} with {OPEN_SPIEL}. Its bots are called from "
        "Python, a hand a call."
    )


def _holdem(section: Section, *, quick: bool) -> Table:
    """Hands between simple agents, cards and actions drawn, and PokerKit playing what they were."""
    from infoset.agents import Folder, Passive, Uniform, play_hand
    from infoset.games import make

    table = Table(
        "Matches: hands of no-limit hold'em a second, one core",
        ("agents", POKER_KIT, INFOSET, "times faster", "bar", "met"),
        notes=[
            f"{POKER_KIT} is given the cards and the actions of the same hands, and its stacks at "
            f"the end are compared with ours. {INFOSET} also draws the cards and asks the agents. "
            f"CPU time, the best of three rounds, after {WARM_UP:,} other hands."
        ],
    )
    pairs = {
        "call, call": (make("holdem"), Passive(), Passive()),
        "call, fold": (make("holdem"), Passive(), Folder()),
        "uniform (pot, all-in), call": (make("holdem(raises=pot)"), Uniform(), Passive()),
    }
    has_kit = importlib.util.find_spec("pokerkit") is not None
    count = QUICK_HOLDEM_HANDS if quick else HOLDEM_HANDS
    for name, (game, a, b) in pairs.items():
        # Other hands are played first: whom a hand can meet is listed when it is first dealt.
        for i in range(WARM_UP):
            play_hand(game, [a, b], 7, i)
        best = {INFOSET: 0.0, POKER_KIT: 0.0}
        for seed in range(1, 4):
            begin = time.process_time()
            hands = [play_hand(game, [a, b], seed, i) for i in range(count)]
            best[INFOSET] = max(best[INFOSET], count / (time.process_time() - begin))
            if has_kit:
                begin = time.process_time()
                won = [_poker_kit(hand.steps) for hand in hands]
                best[POKER_KIT] = max(best[POKER_KIT], count / (time.process_time() - begin))
                assert won == [hand.payoff for hand in hands]
        for program, hands_per_second in best.items():
            section.record("holdem", name, program, hands_per_second=hands_per_second)
        times = best[INFOSET] / best[POKER_KIT] if has_kit else None
        met = NOTHING if times is None else verdict(times / HOLDEM_BAR)
        shown = NOTHING if times is None else f"{times:.1f}"
        theirs = rate(best[POKER_KIT] or None)
        table.rows.append((name, theirs, rate(best[INFOSET]), shown, str(HOLDEM_BAR), met))
    return table


def _poker_kit(steps: Sequence[str]) -> int:
    """Play a hand with PokerKit; what player 0, the big blind, wins."""
    from pokerkit import Automation, NoLimitTexasHoldem

    with warnings.catch_warnings():
        # It would rather draw cards itself than be told.
        warnings.simplefilter("ignore")
        state = NoLimitTexasHoldem.create_state(
            (
                Automation.ANTE_POSTING,
                Automation.BET_COLLECTION,
                Automation.BLIND_OR_STRADDLE_POSTING,
                Automation.CARD_BURNING,
                Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
                Automation.HAND_KILLING,
                Automation.CHIPS_PUSHING,
                Automation.CHIPS_PULLING,
            ),
            True,
            0,
            (50, 100),
            100,
            20_000,
            2,
        )
        first, second, *rest = steps
        state.deal_hole(first)
        state.deal_hole(second)
        before = 0  # chips that a player had put in when the street began
        for step in rest:
            if step in ("check", "call"):
                state.check_or_call()
            elif step == "fold":
                state.fold()
            elif step.startswith("raise"):
                state.complete_bet_or_raise_to(int(step[5:]) - before)
            else:
                before = 20_000 - min(state.stacks)
                state.deal_board(step)
    return int(state.stacks[0]) - 20_000
