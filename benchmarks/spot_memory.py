"""The memory of a spot, and what 16 bits cost in accuracy."""

from __future__ import annotations

from benchmarks.contestants import INFOSET
from benchmarks.report import NOTHING, Section, Table
from benchmarks.spot_accuracy import algorithms, recipe_of
from benchmarks.spot_costs import BITS
from benchmarks.spot_games import PEER, PEER_NOTE, REFERENCES, Reference, find
from benchmarks.timing import in_child

LOOKS = {1: (50, 100), 2: (100, 1000), 3: (100, 1000)}
"""Iterations after which 16 bits are compared with 32, on flop, turn and river."""

QUICK_LOOKS = (20, 100)


def measure(section: Section, *, quick: bool) -> None:
    """Arrays and peaks of the reference spots, predicted and real."""
    from infoset.forms import form_of_spot
    from infoset.machine.memory import format_bytes
    from infoset.solvers import predicted_bytes

    table = Table(
        "Hold'em: memory, one thread, the default algorithm",
        (
            "spot",
            "bits",
            f"{PEER} †",
            "tables",
            "share",
            "all arrays",
            "predicted",
            "off",
            "peak",
            "off",
        ),
        notes=[
            f"Share: our tables (regrets and averages) over {PEER}'s figure. All arrays: tables, "
            "work space and layout. Predicted: by `infoset.solvers.solving`, before anything "
            "is allocated; beside it, how far it is off the arrays. Peak: most resident memory of "
            "a "
            "process that solves the spot, above that of one that solves a tiny spot of the same "
            "street with the same bits; beside it, how far the prediction is off. A few "
            "megabytes of a peak are chance, so on small spots it says little.",
            PEER_NOTE,
        ],
    )
    algorithm = algorithms(quick=quick)[0]
    in_child("spot_kernels")  # so that they are on disk: compiling takes memory too
    for reference in REFERENCES:
        if quick and not reference.is_quick:
            continue
        for bits, theirs in zip(BITS, reference.megabytes, strict=True):
            tiny = f"tiny {reference.spot.street}"
            least = in_child("spot_memory", tiny, algorithm, str(bits))
            found = in_child("spot_memory", reference.name, algorithm, str(bits))
            if problem := least.get("error") or found.get("error"):
                table.notes.append(f"{reference.name}, {bits} bits: {problem}")
                continue
            peak = found["peak_bytes"] - least["peak_bytes"]
            predicted = predicted_bytes(form_of_spot(reference.spot), recipe_of(algorithm), 1, bits)
            figures = {
                "part": "memory",
                **found,
                "predicted_bytes": predicted,
                "peak_above_tiny_bytes": peak,
            }
            section.record(reference.name, algorithm, INFOSET, bits=bits, **figures)
            table.rows.append(
                (
                    reference.name,
                    str(bits),
                    format_bytes(int(1e6 * theirs)),
                    format_bytes(found["table_bytes"]),
                    f"{found['table_bytes'] / (1e6 * theirs):.2f}",
                    format_bytes(found["array_bytes"]),
                    format_bytes(predicted),
                    _off(predicted, found["array_bytes"]),
                    format_bytes(peak),
                    _off(predicted, peak),
                )
            )
    section.tables.append(table)


def _off(predicted: int, real: int) -> str:
    """How far a prediction is off.

    >>> _off(103, 100), _off(3, 0)
    ('+3%', '–')
    """
    return f"{100 * (predicted / real - 1):+.0f}%" if real > 0 else NOTHING


def measure_bits(section: Section, *, quick: bool) -> None:
    """Where the same run gets with 32 and with 16 bits."""
    table = Table(
        "Hold'em: what 16 bits cost in accuracy",
        ("spot", "iterations", "32 bits", "16 bits", "EV, 32 bits", "EV, 16 bits", "apart"),
        notes=[
            "Exploitability in percent of the pot, then the chips that the player out of position "
            "wins, his share of the pot included, and how far they are apart in percent of the pot."
        ],
    )
    algorithm = algorithms(quick=quick)[0]
    for reference in REFERENCES:
        if reference.is_quick or not quick:
            looks = QUICK_LOOKS if quick else LOOKS[reference.spot.street]
            _compare_bits(section, table, reference, algorithm, looks)
    section.tables.append(table)


def _compare_bits(
    section: Section, table: Table, reference: Reference, algorithm: str, looks: tuple[int, ...]
) -> None:
    from infoset.forms import form_of_spot
    from infoset.machine.threads import num_threads
    from infoset.solvers import VectorSolver

    spot = find(reference.name)
    form, recipe = form_of_spot(spot), recipe_of(algorithm)
    solvers = [VectorSolver(form, recipe, threads=num_threads(), bits=bits) for bits in BITS]
    for look in looks:
        for solver in solvers:
            solver.run(look - solver.iteration)
        percents = [100 * solver.exploitability() / spot.pot for solver in solvers]
        worths = [solver.evaluate().values[0] + spot.pot / 2 for solver in solvers]
        apart = 100 * abs(worths[1] - worths[0]) / spot.pot
        for bits, percent, worth in zip(BITS, percents, worths, strict=True):
            section.record(
                reference.name,
                algorithm,
                INFOSET,
                part="16 bits",
                bits=bits,
                iterations=look,
                exploitability_percent=percent,
                value=worth,
            )
        shown = [f"{percent:.4f}%" for percent in percents]
        chips = [f"{worth:,.4f}" for worth in worths]
        table.rows.append((reference.name, str(look), *shown, *chips, f"{apart:.4f}%"))
