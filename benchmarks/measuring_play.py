"""``python -m benchmarks.measuring_play``: AIVAT, local and exact best responses, measured.

What luck is left by which guess on Leduc (exactly), hands a second on hold'em, and what local best
responses win beside exact ones.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Mapping
from random import Random

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import infoset
from benchmarks.report import HERE, Section, Table, append_records, circumstances, write_summary
from infoset.agents import (
    Agent,
    Aivat,
    BestResponseAgent,
    CheckDown,
    Folder,
    Hand,
    Heuristic,
    LocalBestResponse,
    Passive,
    Seen,
    StrategyAgent,
    TreeAivat,
    Uniform,
    Zero,
    exact_values,
    play_hand,
)
from infoset.agents.agent import Answer, Known
from infoset.agents.aivat_tree import along_paths, node_steps
from infoset.evaluation import best_response, expected_value
from infoset.forms import SequenceForm, sequence_form_of
from infoset.games import CHANCE, TERMINAL, Game, PublicState, State, make
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]

PAGE = HERE / "MEASURING-PLAY.md"
HANDS = 200
FIRST_HANDS = 5
"""Hands before the clock starts: tables are read, kernels loaded."""


class Drawn(Uniform):
    """Uniform play that draws by itself: a referee need not look at 20,000 probabilities."""

    def start(self, game: Game, seat: int, random: Random) -> None:
        """Keep the source of chance."""
        self._random = random

    def act(self, seen: Seen) -> Answer:
        """Any action."""
        return self._random.choice(seen.actions)


class Fixed(Agent):
    """Random probabilities for every hand and public state, always the same."""

    def __init__(self, game: Game, seed: int) -> None:
        self.num_hands = len(game.hands)  # type: ignore[attr-defined]
        self.seed = seed

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """By action, [hands]."""
        number = zlib.crc32(f"{self.seed} {public.public_history}".encode())
        numbers = np.random.default_rng(number).dirichlet(
            [0.7] * len(public.actions), self.num_hands
        )
        return dict(zip(public.actions, numbers.T, strict=True))

    def act(self, seen: Seen) -> Answer:
        """The row of his hand."""
        assert seen.public is not None
        return {a: float(p[seen.hand]) for a, p in self.range_strategy(seen.public).items()}


def on_leduc(section: Section) -> None:
    """What is left of luck on Leduc, by what is guessed and who is known."""
    table = Table(
        "Leduc, standard deviation of what A wins a hand, in chips",
        ("agents", "known", "plain", "zero", "check-down", "exact values"),
        num_words=2,
        notes=[
            "Exact: summed over all terminals, both seats alike. Solution: the average of CFR+ "
            "after 1,000 iterations. Exact values are those of the solution against itself."
        ],
    )
    game = make("leduc")
    form = sequence_form_of(game)
    solution = infoset.solve(game, "cfr+", iterations=1_000).strategy
    assert isinstance(solution, SequenceStrategy)
    uniform = SequenceStrategy.uniform(form)
    guesses = {
        "zero": node_values(game, form, Zero(game)),
        "check-down": node_values(game, form, CheckDown(game)),
        "exact values": exact_values(solution),
    }
    for name, other in (("solution against itself", solution), ("solution, uniform", uniform)):
        for who, known in (("A", (solution, None)), ("A and B", (solution, other))):
            plain = deviation(form, solution, other, form.history.node_payoff, -1)
            figures = {"plain": plain}
            for guess, values in guesses.items():
                aivat = TreeAivat(game, known, values)
                figures[guess] = np.sqrt(
                    np.mean(
                        [
                            deviation(form, solution, other, aivat.terminal_values(seat), seat) ** 2
                            for seat in (0, 1)
                        ]
                    )
                )
            table.rows.append((name, who, *(f"{figure:.3g}" for figure in figures.values())))
            section.record("leduc", f"{name}; {who} known", "infoset", **figures)
    section.tables.append(table)


def deviation(
    form: SequenceForm, a: SequenceStrategy, b: SequenceStrategy, values: Floats, seat: int
) -> float:
    """Of a number at the terminals, when A sits in a seat; over both if ``seat`` is -1."""
    if seat < 0:
        both = [deviation(form, a, b, values, s) for s in (0, 1)]
        return float(np.sqrt(np.mean(np.square(both))))
    tree = form.history
    steps = node_steps(form, (a, b) if seat == 0 else (b, a))
    reach = along_paths(np.multiply, steps, tree.node_parent.astype(np.int64))
    is_played = (tree.node_player == TERMINAL) & (reach > 0)
    p, x = reach[is_played], values[is_played]
    return float(np.sqrt(p @ (x - p @ x) ** 2))


def node_values(game: Game, form: SequenceForm, heuristic: Heuristic) -> Floats:
    """[num_nodes] What a heuristic says of every history, for player 0."""
    tree, out = form.history, np.zeros(form.history.num_nodes)

    def walk(state: State, node: int) -> None:
        hands = getattr(state, "hand0", None), getattr(state, "hand1", None)
        if hands[1] is not None:
            out[node] = heuristic.values(state.public, 0, hands[1])[hands[0]]  # type: ignore[attr-defined]
        if state.player == TERMINAL:
            return
        labels = [label for label, _ in state.chance] if state.player == CHANCE else state.actions
        for slot, label in enumerate(labels):
            walk(state.child(label), int(tree.node_child[node]) + slot)

    walk(game.root(), 0)
    return out


def aivat_on_holdem(section: Section) -> None:
    """Hands a second, and what is left of luck."""
    table = Table(
        f"Hold'em (200 bb), AIVAT by check-down equity, {HANDS} hands",
        ("A and B", "known", "hands/s", "plain, chips", "AIVAT, chips"),
        num_words=2,
        notes=[
            "Standard deviations of what A wins a hand. Hands a second: of AIVAT alone, not of "
            "playing, one thread, CPU time. Menu: holdem(raises=pot). Random: fixed random "
            "probabilities for every hand and public state."
        ],
    )
    game, menu = make("holdem"), make("holdem(raises=pot)")
    fixed = Fixed(menu, 1), Fixed(menu, 2)
    for name, rules, a, b in (
        ("call, call", game, Passive(), Passive()),
        ("uniform, uniform", game, Drawn(), Drawn()),
        ("uniform, uniform (menu)", menu, Uniform(), Uniform()),
        ("random, random (menu)", menu, *fixed),
    ):
        hands = [
            play_hand(rules, [a, b] if i % 2 == 0 else [b, a], seed=3, hand=i)
            for i in range(HANDS + FIRST_HANDS)
        ]
        won = [float(h.payoff) * (1 if i % 2 == 0 else -1) for i, h in enumerate(hands)]
        plain = float(np.std(won[FIRST_HANDS:]))
        for who, known in (("A", (a, None)), ("A and B", (a, b))):
            aivat = Aivat(rules, known, CheckDown(rules))
            values, rate = timed(lambda i, h=hands, v=aivat: v.value(h[i], i % 2))
            left = float(np.std(values))
            table.rows.append((name, who, f"{rate:,.0f}", f"{plain:,.0f}", f"{left:,.0f}"))
            section.record(
                "holdem", f"aivat; {name}; {who} known", "infoset", hands=rate, left=left
            )
    section.tables.append(table)


def timed(one: Callable[[int], float]) -> tuple[list[float], float]:
    """The results of all but the first hands, and how many there were in a second of this CPU."""
    for i in range(FIRST_HANDS):
        one(i)
    begin = time.process_time()
    results = [one(i) for i in range(FIRST_HANDS, FIRST_HANDS + HANDS)]
    return results, HANDS / (time.process_time() - begin)


def lbr_on_holdem(section: Section) -> None:
    """Hands a second against players whose strategy is known, and what is won."""
    table = Table(
        f"Hold'em (200 bb), local best response, {HANDS} hands",
        ("opponent", "actions", "hands/s", "won, mbb/h", "standard error"),
        num_words=2,
        notes=[
            "Hands a second: of playing, both players, one thread, CPU time. The bar is 50. Always "
            "folding loses 750 mbb a hand (Lisy & Bowling 2017)."
        ],
    )
    game, menu = make("holdem"), make("holdem(raises=pot)")
    opponents: tuple[tuple[str, Game, Known], ...] = (
        ("fold", game, Folder()),
        ("call", game, Passive()),
        ("uniform", game, Drawn()),
        ("uniform (menu)", menu, Uniform()),
        ("random (menu)", menu, Fixed(menu, 1)),
    )
    for name, rules, opponent in opponents:
        for actions in ("fc", "fcpa", "56bets"):
            agent = LocalBestResponse(rules, opponent, actions)

            def one(i: int, g=rules, us=agent, them=opponent) -> float:  # type: ignore[no-untyped-def]
                seats = [us, them] if i % 2 == 0 else [them, us]
                return float(play_hand(g, seats, seed=1, hand=i).payoff) * (1 if i % 2 == 0 else -1)

            won, rate = timed(one)
            mean, error = 10 * np.mean(won), 10 * np.std(won) / np.sqrt(len(won))
            table.rows.append((name, actions, f"{rate:,.0f}", f"{mean:,.0f}", f"{error:,.0f}"))
            section.record("holdem", f"lbr({actions}); {name}", "infoset", hands=rate, won=mean)
    section.tables.append(table)


def lbr_on_small_games(section: Section) -> None:
    """What local best responses win beside exact ones."""
    table = Table(
        "Local and exact best responses, winnings in chips a hand",
        ("game", "against", "lbr fc", "lbr fcpa", "best response"),
        num_words=2,
        notes=[
            "Exact, the mean over both seats: how much a strategy loses to each. Solutions are "
            "averages of CFR+ after so many iterations."
        ],
    )
    for text in ("leduc", "nolimit_leduc(stack=5)"):
        game = make(text)
        strategies = {"uniform": infoset.uniform(game)}
        strategies |= {
            f"CFR+, {n}": infoset.solve(game, "cfr+", iterations=n).strategy for n in (10, 1_000)
        }
        for name, strategy in strategies.items():
            assert isinstance(strategy, SequenceStrategy)
            opponent = StrategyAgent(game, strategy)
            figures = {}
            for actions in ("fc", "fcpa"):
                agent = LocalBestResponse(game, opponent, actions)
                won = [played_value(game, strategy, seat, agent) for seat in (0, 1)]
                figures[f"lbr {actions}"] = float(np.mean(won))
            best = [best_response(strategy, seat).value for seat in (0, 1)]
            figures["best response"] = float(np.mean(best))
            table.rows.append((text, name, *(f"{figure:.4f}" for figure in figures.values())))
            section.record(text, f"lbr; {name}", "infoset", **figures)
    section.tables.append(table)


def played_value(
    game: Game, strategy: SequenceStrategy, seat: int, agent: LocalBestResponse
) -> float:
    """What an agent wins against a strategy in a seat, exactly."""
    table: dict[str, dict[str, float]] = {}

    def walk(state: State) -> None:
        if state.player == TERMINAL:
            return
        if state.player == seat and state.infoset not in table:
            table[state.infoset] = {str(agent.act(Seen(state))): 1.0}
        labels = [label for label, _ in state.chance] if state.player == CHANCE else state.actions
        for label in labels:
            walk(state.child(label))

    walk(game.root())
    own = SequenceStrategy.from_tables(strategy.form, (table, {}) if seat == 0 else ({}, table))
    sides = list(strategy.probabilities)
    sides[seat] = own.probabilities[seat]
    value = expected_value(SequenceStrategy(strategy.form, (sides[0], sides[1])))
    return value if seat == 0 else -value


def spots(section: Section) -> None:
    """How long an exact best response takes over a hand of a spot."""
    table = Table(
        "Exact best response against a solution of a spot, hand by hand",
        ("spot", "decisions", "ms a decision"),
        notes=["Of one thread, CPU time; public states that come again are remembered."],
    )
    for name in ("river", "turn"):
        spot = infoset.read_spot(HERE.parent / "examples" / f"{name}.toml")
        strategy = infoset.solve(spot, iterations=20).strategy
        agents = [BestResponseAgent(spot, strategy), StrategyAgent(spot, strategy)]
        play_hand(spot, agents, seed=1, hand=0)
        spent, num = 0.0, 0
        for number in range(1, 25):
            seats = agents if number % 2 == 0 else agents[::-1]
            hand: Hand = play_hand(spot, seats, seed=1, hand=number)
            state: State = spot.root()
            for step in hand.steps:
                if state.player == (0 if number % 2 == 0 else 1):
                    agents[0]._by_history.clear()
                    begin = time.process_time()
                    agents[0].act(Seen(state))
                    spent, num = spent + time.process_time() - begin, num + 1
                state = state.child(step)
        table.rows.append((name, str(num), f"{1000 * spent / num:.1f}"))
        section.record(name, "best-response", "infoset", ms=1000 * spent / num)
    section.tables.append(table)


def main() -> None:
    """Measure all, print it, and write the page."""
    around, section, console = circumstances(), Section(), Console()
    for part in (on_leduc, aivat_on_holdem, lbr_on_holdem, lbr_on_small_games, spots):
        part(section)
        section.tables[-1].show(console)
    append_records(around, "measuring-play", section.records)
    write_summary(PAGE, around, section.tables, command="python -m benchmarks.measuring_play")


if __name__ == "__main__":
    main()
