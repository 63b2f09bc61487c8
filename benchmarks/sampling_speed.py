"""Iterations per second of samplers beside OpenSpiel, and whether both get equally far."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.contestants import INFOSET, OPEN_SPIEL, OpenSpiel, Ours, absent_peers
from benchmarks.games import ENTRIES, OWN_FILE, Entry
from benchmarks.report import NOTHING, Section, Table, rate, seconds, verdict
from benchmarks.sampling_contestants import (
    EXTERNAL,
    OUTCOME,
    OWN_NODES,
    OpenSpielSampler,
    OurSampler,
    Sampler,
    check_openings,
    load_samplers,
    open_spiel_games,
)
from benchmarks.speed import agreed_facts
from benchmarks.timing import FULL, MANY, QUICK, best_rates, repeated

GAMES = ("leduc", "liars_dice(faces=6)", "nolimit_leduc(stack=5)")
BAR = 20
"""How many times OpenSpiel's iterations per second are asked for."""

ROUNDS = 3
ITERATIONS, QUICK_ITERATIONS = 20_000, 5_000
SEEDS, QUICK_SEEDS = (1, 2, 3), (1, 2)
FACTOR = 1.25
"""How far the mean exploitabilities of two programs may be apart: seeds alone move them."""

ALGORITHMS = (EXTERNAL, OUTCOME, OWN_NODES)
PAIRED = (EXTERNAL, OWN_NODES)
"""Algorithms that both programs have."""

Rates = dict[tuple[str, str], float]


def measure(section: Section, *, quick: bool) -> None:
    """Time every game that is asked for."""
    absent = absent_peers().get(OPEN_SPIEL)
    speed = Table(
        "Sampling: iterations per second, one thread",
        ("game", "algorithm", OPEN_SPIEL, INFOSET, "times faster", "bar", "met"),
        num_words=2,
        notes=[
            "An iteration is a walk for either player, in both programs. The goal is twice the "
            "bar. † OpenSpiel's outcome sampling averages at the traverser's own nodes; the row "
            "below it has ours of the same kind. Nodes are not compared: OpenSpiel counts none.",
            *([absent] if absent else []),
        ],
    )
    same = Table(
        "Sampling: the same games and the same algorithms",
        ("game", "algorithm", "iterations", OPEN_SPIEL, INFOSET, "apart", f"within {FACTOR:g}"),
        num_words=2,
        notes=[
            "Exploitability of the average strategy: geometric mean over "
            f"{len(QUICK_SEEDS if quick else SEEDS)} seeds and, in brackets, the least and the "
            "most. Both programs are random, so their means agree within a factor only. That an "
            "iteration updates both players, and where averages are taken, is seen on Kuhn, and "
            "that the games are the same by infosets, value and NashConv of uniform play, before "
            "anything is timed.",
        ],
    )
    load_samplers(ALGORITHMS)
    if not absent:
        check_openings()
    fastest = 0.0
    for entry in ENTRIES:
        if entry.ours not in GAMES or (quick and not entry.is_quick):
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            games = {} if absent else open_spiel_games(entry, place)
            facts_of = [OpenSpiel(entry, "cfr", form, place) for form in games]
            agreed_facts(entry, [Ours(entry, "cfr"), *facts_of])
            rates = _time(section, speed, entry, games, quick=quick)
            if games:
                fastest = max(fastest, *(r for (form, _), r in rates.items() if form in games))
                _compare(section, same, entry, games, rates, quick=quick)
    if fastest:
        speed.notes.append(_overhead(section, fastest, quick=quick))
    section.tables += [speed, same]


def _time(
    section: Section, table: Table, entry: Entry, games: dict[str, Any], *, quick: bool
) -> Rates:
    """Iterations per second by form and algorithm."""
    tree = _tree(entry)
    crowd: list[Sampler] = [OurSampler(tree, algorithm) for algorithm in ALGORITHMS]
    crowd += [OpenSpielSampler(game, a, form) for form, game in games.items() for a in PAIRED]
    rounds = [
        best_rates([one.run for one in crowd], QUICK if quick else MANY)
        for _ in range(1 if quick else ROUNDS)
    ]
    best = [max(found) for found in zip(*rounds, strict=True)]
    rates = {(one.form, one.algorithm): r for one, r in zip(crowd, best, strict=True)}
    for one in crowd:
        section.record(
            entry.ours,
            one.algorithm,
            one.program,
            part="speed",
            form=one.form,
            iterations_per_second=rates[one.form, one.algorithm],
            bar=BAR,
        )
    for algorithm in ALGORITHMS:
        ours = rates[OurSampler.form, algorithm]
        paired = OWN_NODES if algorithm == OUTCOME else algorithm
        theirs = max((rates[form, paired] for form in games), default=None)
        dagger = "" if paired == algorithm or theirs is None else " †"
        times = ours / theirs if theirs else None
        shown = (NOTHING, NOTHING) if times is None else (f"{times:.0f}", verdict(times / BAR))
        row = entry.title, algorithm, rate(theirs) + dagger, rate(ours), shown[0], str(BAR)
        table.rows.append((*row, shown[1]))
    if len(games) > 1:
        texts = (
            f"{algorithm} {'as .efg' if form == OWN_FILE else form.partition('(')[0]} "
            f"{rate(rates[form, algorithm])}"
            for algorithm in PAIRED
            for form in games
        )
        table.notes.append(f"{OPEN_SPIEL} on {entry.title}, the faster counts: {'; '.join(texts)}.")
    return rates


def _compare(
    section: Section,
    table: Table,
    entry: Entry,
    games: dict[str, Any],
    rates: Rates,
    *,
    quick: bool,
) -> None:
    """Where as many iterations get, in the form that OpenSpiel is fastest in."""
    tree = _tree(entry)
    iterations = QUICK_ITERATIONS if quick else ITERATIONS
    for algorithm in PAIRED:
        form = max(games, key=lambda form, a=algorithm: rates[form, a])
        found: dict[str, list[float]] = {OPEN_SPIEL: [], INFOSET: []}
        for seed in QUICK_SEEDS if quick else SEEDS:
            pair: tuple[Sampler, ...] = (
                OpenSpielSampler(games[form], algorithm, form, seed),
                OurSampler(tree, algorithm, seed),
            )
            for one in pair:
                one.run(iterations)
                found[one.program].append(one.exploitability())
        means = {program: geometric_mean(reached) for program, reached in found.items()}
        apart = means[INFOSET] / means[OPEN_SPIEL]
        for program, reached in found.items():
            section.record(
                entry.ours,
                algorithm,
                program,
                part="same answers",
                iterations=iterations,
                exploitability=reached,
            )
        cells = [
            f"{means[p]:.3f} ({min(found[p]):.3f}–{max(found[p]):.3f})"
            for p in (OPEN_SPIEL, INFOSET)
        ]
        agrees = "yes" if 1.0 / FACTOR <= apart <= FACTOR else "no"
        row = entry.title, algorithm, f"{iterations:,}", *cells, f"{apart:.2f}", agrees
        table.rows.append(row)


def _overhead(section: Section, fastest: float, *, quick: bool) -> str:
    """What calling OpenSpiel from Python costs: a call that does nothing is timed."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    [calls] = best_rates([repeated(game.num_players)], QUICK if quick else FULL)
    section.record("-", "empty call", OPEN_SPIEL, part="overhead", seconds=1.0 / calls)
    return (
        f"{OPEN_SPIEL}'s loop is in Python. A call that does nothing, `game.num_players()`, takes "
        f"{seconds(1.0 / calls)}, loop included: {100 * fastest / calls:.1f}% of its shortest "
        "iteration here, and less of the others."
    )


def geometric_mean(numbers: Sequence[float]) -> float:
    """The mean of what differs by factors.

    >>> round(geometric_mean([1.0, 4.0]), 9)
    2.0
    """
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def _tree(entry: Entry) -> Any:
    from infoset.forms import compile_game
    from infoset.games import make

    return compile_game(make(entry.ours))
