"""Spots of many kinds: what an iteration costs, and which algorithm is best over all of them."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.contestants import INFOSET
from benchmarks.report import Section, Table, seconds
from benchmarks.spot_accuracy import MOST_ITERATIONS, Reached, algorithms, reached_on, times_on
from benchmarks.spot_games import find, others

ACCURACIES = (0.5, 0.1)
"""Exploitability in percent of the pot at which algorithms are compared."""

Found = dict[str, dict[str, Reached]]
"""Spot: algorithm: iterations to accuracies."""


def measure(section: Section, found: Found, *, quick: bool) -> None:
    """Measure other spots; `found` has what the reference spots took, and gets the others'."""
    from infoset.cards import format_cards
    from infoset.forms import cost_of, form_of_spot

    costs = Table(
        "Hold'em: other spots, the default algorithm, one thread",
        ("spot", "board", "hands", "terminals", "CPU ms", "wall ms", "ns", "CPU to 0.1%"),
        num_words=2,
        notes=[
            "Boards are drawn from fixed seeds. Milliseconds are of one iteration, nanoseconds of "
            "one terminal and hand: CPU time of an iteration, which updates both players, over "
            "terminals times hands of both."
        ],
    )
    compared = algorithms(quick=quick)
    for name in others(quick=quick):
        spot = find(name)
        form, cost = form_of_spot(spot), cost_of(spot)
        reached = {a: reached_on(form, a, ACCURACIES) for a in compared}
        found[name] = reached
        [time] = times_on(form, compared[:1], quick=quick)
        nanoseconds = 1e9 * time.cpu / (cost.num_terminals * sum(cost.num_hands))
        for algorithm, of_algorithm in reached.items():
            figures: dict[str, Any] = {
                "iterations": {str(a): count for a, count in of_algorithm.items()}
            }
            if algorithm == compared[0]:
                figures |= {
                    "terminals": cost.num_terminals,
                    "hands": cost.num_hands,
                    "cpu_milliseconds": 1e3 * time.cpu,
                    "wall_milliseconds": 1e3 * time.wall,
                    "nanoseconds_per_terminal_and_hand": nanoseconds,
                }
            section.record(name, algorithm, INFOSET, part="variety", **figures)
        last = reached[compared[0]][ACCURACIES[-1]]
        costs.rows.append(
            (
                name,
                format_cards(spot.board),
                " x ".join(map(str, cost.num_hands)),
                f"{cost.num_terminals:,}",
                f"{1e3 * time.cpu:.3g}",
                f"{1e3 * time.wall:.3g}",
                f"{nanoseconds:.2f}",
                seconds(None if last is None else last * time.cpu),
            )
        )
    section.tables += [costs, comparison(found)]


def comparison(found: Found) -> Table:
    """Iterations of each algorithm on each spot, and how they compare over all of them.

    >>> table = comparison({"x": {"a": {0.5: 10, 0.1: 90}, "b": {0.5: 20, 0.1: 10}}})
    >>> table.rows[-1]
    ('geometric mean', '1.00, 9.00', '2.00, 1.00')
    """
    compared = list(next(iter(found.values())))
    table = Table(
        "Hold'em: iterations to 0.5% and 0.1% of the pot, by algorithm",
        ("spot", *compared),
        notes=[
            "The last row is the geometric mean, over all spots, of iterations relative to those "
            "of the best algorithm on the spot. A run that was given up counts with the "
            "iterations that it made, so the mean is then a lower bound (>)."
        ],
    )
    for name, reached in found.items():
        cells = (", ".join(_shown(of[a], name) for a in ACCURACIES) for of in reached.values())
        table.rows.append((name, *cells))
    means = (
        ", ".join(mean_relative(found, algorithm, a) for a in ACCURACIES) for algorithm in compared
    )
    table.rows.append(("geometric mean", *means))
    return table


def mean_relative(found: Found, algorithm: str, accuracy: float) -> str:
    """The geometric mean of an algorithm's iterations relative to the best on each spot."""
    logs, is_bound = [], False
    for name, reached in found.items():
        counts = {a: of[accuracy] or _most(name) for a, of in reached.items()}
        logs.append(math.log(counts[algorithm] / min(counts.values())))
        is_bound |= reached[algorithm][accuracy] is None
    mean = math.exp(sum(logs) / len(logs))
    return f"{'> ' if is_bound else ''}{mean:.2f}"


def _most(name: str) -> int:
    return MOST_ITERATIONS[find(name).street]


def _shown(iterations: int | None, name: str) -> str:
    return str(iterations) if iterations is not None else f"> {_most(name)}"
