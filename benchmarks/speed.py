"""Iterations per second, algorithm for algorithm, beside the peers."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.contestants import (
    ALGORITHMS,
    FAMILIES,
    INFOSET,
    LITE_EFG,
    OPEN_SPIEL,
    SIMULTANEOUS,
    Contestant,
    Facts,
    absent_peers,
    contestants,
    load_our_kernels,
)
from benchmarks.games import ENTRIES, OWN_FILE, Entry
from benchmarks.report import NOTHING, Section, Table, rate, seconds, verdict
from benchmarks.timing import FULL, QUICK, best_rates

# By the third iteration every difference in updates, weights or order shows.
ITERATIONS_COMPARED = 3
TOLERANCE = 1e-9
# A regret that is zero in exact arithmetic may be rounded to either side, and then two correct
# programs part a little: OpenSpiel does so on no-limit Leduc(5), by 0.2 %.
LARGEST_PARTING = 0.01

Rates = dict[tuple[str, str], float]


def measure(*, quick: bool) -> Section:
    """Time every game that is asked for."""
    section = Section()
    absent = absent_peers()
    speed = Table(
        "Iterations per second",
        ("game", "algorithm", OPEN_SPIEL, LITE_EFG, INFOSET, "times faster", "bar", "met"),
        num_words=2,
        notes=[
            "Times faster than the faster peer; the goal is twice the bar. † LiteEFG's CFR is the "
            "simultaneous one; the row below it has ours of the same kind.",
            *absent.values(),
        ],
    )
    loading = Table(
        "Getting ready: loading and compiling a game, not part of the speeds above",
        ("game", OPEN_SPIEL, LITE_EFG, INFOSET),
        notes=["LiteEFG first turns the OpenSpiel game into a file, which it then keeps."],
    )
    same = Table(
        "The same games and the same algorithms",
        ("game", "infosets", "value", "NashConv", *ALGORITHMS, "apart"),
        notes=[
            "Value and NashConv of uniform play, on which all programs agree within "
            f"{TOLERANCE:g}; then NashConv of the average strategy after {ITERATIONS_COMPARED} "
            "iterations, and how far the program that differs most is apart. More than "
            "rounding means that it broke a tie of regrets the other way."
        ],
    )
    load_our_kernels()
    for entry in ENTRIES:
        if entry.is_quick or not quick:
            _measure_game(entry, section, (speed, loading, same), absent, quick=quick)
    section.tables = [speed, loading, same]
    return section


def _measure_game(
    entry: Entry,
    section: Section,
    tables: tuple[Table, Table, Table],
    absent: dict[str, str],
    *,
    quick: bool,
) -> None:
    speed, loading, same = tables
    rates: Rates = {}
    first_load: dict[str, float] = {}
    of_form: dict[str, list[str]] = {}
    after: list[str] = []
    apart = 0.0
    facts: Facts | None = None
    with tempfile.TemporaryDirectory() as folder:
        for family in FAMILIES:
            crowd = contestants(entry, family, Path(folder), absent)
            facts = facts or agreed_facts(entry, crowd)
            reached, parting = agreed_nash_convs(entry, crowd)
            apart = max(apart, parting)
            after += [f"{reached[algorithm]:.6f}" for algorithm in family]
            best = best_rates([one.run for one in crowd], QUICK if quick else FULL)
            for one, per_second in zip(crowd, best, strict=True):
                key = one.program, one.algorithm
                rates[key] = max(rates.get(key, 0.0), per_second)
                first_load.setdefault(one.program, one.load_seconds)
                if len(entry.open_spiel) > 1 and one.program != INFOSET:
                    name = "as .efg" if one.form == OWN_FILE else one.form.partition("(")[0]
                    text = f"{one.algorithm} {name} {rate(per_second)}"
                    of_form.setdefault(one.program, []).append(text)
                section.record(
                    entry.ours,
                    one.algorithm,
                    one.program,
                    form=one.form,
                    load_seconds=one.load_seconds,
                    iterations_per_second=per_second,
                    bar=entry.bar,
                )
    speed.rows += _speed_rows(entry, rates, can_judge=not absent)
    for program, texts in of_form.items():
        speed.notes.append(f"{program} on {entry.title}, the faster counts: {'; '.join(texts)}.")
    loaded = [seconds(first_load.get(p)) for p in (OPEN_SPIEL, LITE_EFG, INFOSET)]
    loading.rows.append((entry.title, *loaded))
    assert facts is not None
    shown = f"{facts.infosets:,}", f"{facts.value:.6f}", f"{facts.nash_conv:.6f}"
    same.rows.append((entry.title, *shown, *after, f"{apart:.0e}"))


def _speed_rows(entry: Entry, rates: Rates, *, can_judge: bool) -> list[tuple[str, ...]]:
    """One row an algorithm; LiteEFG's simultaneous CFR also stands beside the alternating one."""
    rows = []
    for algorithm in ALGORITHMS:
        ours = rates[INFOSET, algorithm]
        open_spiel = rates.get((OPEN_SPIEL, algorithm))
        stands_in = SIMULTANEOUS if algorithm == "cfr" else algorithm
        lite_efg = rates.get((LITE_EFG, stands_in))
        dagger = " †" if lite_efg is not None and stands_in != algorithm else ""
        faster = max(open_spiel or 0.0, lite_efg or 0.0)
        times = f"{ours / faster:.0f}" if faster else NOTHING
        # With a peer missing, the other may not be the faster one.
        met = verdict(ours / faster / entry.bar) if faster and can_judge else NOTHING
        peers = rate(open_spiel), rate(lite_efg) + dagger
        rows.append((entry.title, algorithm, *peers, rate(ours), times, str(entry.bar), met))
    return rows


def agreed_facts(entry: Entry, crowd: list[Contestant]) -> Facts:
    """What every program says of the game; an error if two of them differ."""
    ours, *others = [one.facts() for one in crowd]
    for one, theirs in zip(crowd[1:], others, strict=True):
        gaps = abs(theirs.value - ours.value), abs(theirs.nash_conv - ours.nash_conv)
        if theirs.infosets != ours.infosets or max(gaps) > TOLERANCE:
            raise RuntimeError(
                f"{one.program}'s {one.form} is not {entry.ours}: {theirs} against {ours}"
            )
    return ours


def agreed_nash_convs(entry: Entry, crowd: list[Contestant]) -> tuple[dict[str, float], float]:
    """NashConv by algorithm after a few iterations, and how far programs are apart on it."""
    out: dict[str, float] = {}
    apart = 0.0
    for one in crowd:
        one.run(ITERATIONS_COMPARED)
        reached = one.evaluation()()
        ours = out.setdefault(one.algorithm, reached)
        apart = max(apart, abs(reached - ours))
        if abs(reached - ours) > LARGEST_PARTING * ours:
            raise RuntimeError(
                f"{one.program}'s {one.algorithm} on {entry.ours} is another algorithm: NashConv "
                f"{reached} after {ITERATIONS_COMPARED} iterations, not {ours}"
            )
    return out, apart
