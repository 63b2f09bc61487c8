"""Decomposition measured: re-solving, trimmed flops, CFR-D within a budget.

Run it alone: ``python -m benchmarks.decomposition``, or name some of its sections behind it.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import infoset
from benchmarks.spot_games import find
from infoset.machine.memory import format_bytes

FLOP = infoset.Spot(
    *("Ks9h7d", "AA,KQs,QJs,T9s,88,A5s", "KK,QQ,JJ,AQs,98s,76s", 100, 200),
    {"bet": "50%", "raise": "a"},
)

"""Its pot is 100, so that chips are per cent of it."""

TURN = infoset.Spot(
    *("Ks9h7d4c", "AA,KQs,QJs,T9s,88,A5s", "KK,QQ,JJ,AQs,98s,76s", 100, 200),
    {"bet": "50%", "raise": "a"},
)

SMALL_FLOP = infoset.Spot("Ks9h7d", "AA,KQs,QJs", "KK,JJ,AQs", 100, 100, {"bet": "50%"})


def best_of(times: int, work) -> float:
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


def resolving() -> None:
    solution = infoset.solve("leduc", "lp")
    for algorithm in ("cfr", "cfr+", "dcfr"):
        for method in ("gadget", "unsafe", "max-margin", "reach"):
            again = [
                infoset.resolve(
                    solution, "round=2", method=method, algorithm=algorithm, iterations=1000
                )
                for _ in range(5)
            ]
            seconds = min(each.seconds for each in again)
            after = again[0].exploitability_after
            print(
                f"| leduc, {method} | {algorithm} x 1000 | {1000 * seconds:.0f} ms | {after:.2e} |"
            )


def trimming() -> None:
    solution = infoset.solve(FLOP, exploitability="0.1%", threads=1)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        solution.save(whole)
        for cut, path in (
            ("turn", "check, check, 2c"),
            ("river", "check, check, 2c, check, check, 3d"),
        ):
            small = Path(folder, "small")
            seconds = best_of(
                1, lambda cut=cut, small=small: infoset.trim(solution, cut).save(small)
            )
            trimmed = infoset.load(small)
            opened = best_of(3, lambda path=path, trimmed=trimmed: infoset.open_spot(trimmed, path))
            ratio = os.path.getsize(whole) / os.path.getsize(small)
            line = f"| flop at {cut} | {ratio:.0f} times smaller | trimmed in {seconds:.1f} s "
            print(line + f"| a part opens in {1000 * opened:.0f} ms |", flush=True)
            if cut == "turn":
                again = infoset.resolve(trimmed, iterations=300, threads=2)
                before, after = again.exploitability_before, again.exploitability_after
                print(
                    f"| whole, {again.num_parts} parts | {before:.4f} -> {after:.4f} chips of 100 |"
                )


def wide_flop() -> None:
    """The reference flop: how small it becomes, how fast it opens, what re-solving all costs."""
    spot = find("flop_small")
    solution = infoset.solve(spot, exploitability="0.5%", threads=2)
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder, "whole"), Path(folder, "small")
        solution.save(whole)
        for cut, path in (
            ("river", "check, check, 2c, check, check, 3d"),
            ("turn", "check, check, 2c"),
        ):
            infoset.trim(solution, cut).save(small)
            ratio = os.path.getsize(whole) / os.path.getsize(small)
            print(f"| at {cut} | {ratio:.1f} times smaller |", flush=True)
            trimmed = infoset.load(small)
            for count in (50, 100, 200):
                opened = best_of(
                    2,
                    lambda path=path, count=count, trimmed=trimmed: infoset.open_spot(
                        trimmed, path, iterations=count
                    ),
                )
                print(f"| {count} iterations | opens in {1000 * opened:.0f} ms |", flush=True)
        for count in (200, 400):
            again = infoset.resolve(trimmed, iterations=count, threads=2)
            before, after = (
                100 * number / spot.starting_pot
                for number in (again.exploitability_before, again.exploitability_after)
            )
            print(
                f"| {count} | {before:.3f} % -> {after:.3f} % | {again.seconds:.0f} s |", flush=True
            )


def holdem_check() -> None:
    """A turn solved to 0.01 % of the pot, its rivers thrown away and solved again; a flop too."""
    for spot, cut, target, counts in (
        (TURN, "river", "0.01%", (10, 30, 100, 300, 1000)),
        (FLOP, "turn", "0.1%", (30, 100, 300)),
    ):
        solution = infoset.solve(spot, exploitability=target, threads=2)
        for count in counts:
            for method in ("gadget", "unsafe"):
                found = infoset.resolve(solution, cut, method=method, iterations=count, threads=2)
                before, after = found.exploitability_before, found.exploitability_after
                print(
                    f"| {cut}, {found.num_parts} parts | {method} | {count} | {before:.4f} % "
                    f"| {after:.4f} % | {found.seconds:.1f} s |",
                    flush=True,
                )


def nested_flop() -> None:
    """CFR-D on a flop: its tables are those of the flop (and turn) and of one turn or river."""
    for name, iterations in (
        ("cfr-d(trunk=dcfr,subgame=dcfr,k=30,at='round=2')", 40),
        ("cfr-d(trunk=dcfr,subgame=dcfr,k=30,at='round=3')", 40),
        ("dcfr", 100),
    ):
        solution = infoset.solve(SMALL_FLOP, name, iterations=iterations, threads=2)
        space = solution.space
        print(
            f"| {name} | {format_bytes(space.solver + space.form)} counted | "
            f"{solution.exploitability:.3f} % of the pot | {solution.seconds:.1f} s |",
            flush=True,
        )


def nested() -> None:
    name = "nolimit_leduc(stack=12)"
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = infoset.solve(
        name, "cfr-d(trunk=dcfr,subgame=dcfr,k=30)", iterations=60, max_memory=20_000_000
    )
    peak = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin)
    space = found.space
    print(
        f"| cfr-d | {format_bytes(space.solver + space.form)} counted, peak {format_bytes(peak)} "
        f"more than before | {found.exploitability:.4f} | {found.seconds:.0f} s |",
        flush=True,
    )
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    plain = infoset.solve(name, "dcfr", iterations=60)
    peak = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin)
    space = plain.space
    print(
        f"| dcfr | {format_bytes(space.solver + space.form)} counted, peak {format_bytes(peak)} "
        f"more than before | {plain.exploitability:.4f} | {plain.seconds:.1f} s |"
    )


if __name__ == "__main__":
    sections = (resolving, trimming, wide_flop, holdem_check, nested, nested_flop)
    for section in sections:
        if len(sys.argv) == 1 or section.__name__ in sys.argv[1:]:
            section()
