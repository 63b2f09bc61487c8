"""Where an iteration on a spot spends its time: ``python -m benchmarks.profile_spots``.

All parts are inlined into one kernel, so a profiler sees a single function. Here the kernel is
compiled with line tables, which name the source lines that every instruction comes from, calls that
were inlined included. They change no instruction: the script compiles the kernel without them too,
and says whether the machine code is the same. Then `perf` looks at a clock's every tick which
instruction runs, and ticks are summed by the part of the source.

How fast the same instructions are depends on where the room to work in lies: vectors that straddle
two cache lines cost more. Memory is handed out at any multiple of 16 bytes, so here the room is put
where a cache line begins, and 16 bytes after that: runs as they came lay between the two.

Needs Linux with `perf`, and `addr2line` of binutils.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from benchmarks.report import Table
from benchmarks.spot_games import REFERENCES, find
from benchmarks.timing import count_lasting

PARTS = {
    "down: regrets to plan": ("plan_block",),
    "down: the average": ("_add_to_average",),
    "down: transposing": ("pass_down", "end_reaches"),
    "terminal values: showdowns and folds": ("terminal_values_into", "shared_folds_into"),
    "up: transposing back, and collecting values": ("gather_values", "add_tile"),
    "up: values of decisions": ("_ascend", "value_of"),
    "up: new regrets": ("_learn",),
    "from street to street": ("leave", "take_reaches", "give_values", "clear", "sum_boards"),
}
"""Parts, and the functions that are theirs but for what those call of other parts."""
REST = "the rest"

FREQUENCY = 5000
"""Ticks a second."""
STACK_BYTES = 256
SECONDS = 2.0
REPETITIONS, PROCESSES = 3, 2
"""The fastest of the repetitions counts: others on the machine take caches and memory, from some
parts more than from others. Processes tell how far that can be trusted."""
LINE = 64
"""Bytes of a cache line."""
PLACES = {0: "where a cache line begins", 16: "16 bytes after that"}
WARM_UP = 20
"""Iterations before ticks count: at first all play evenly, and no end is out of reach."""


class Code(NamedTuple):
    """The kernel as it was compiled."""

    object_file: bytes
    section: str
    """Of the machine code,"""
    text: bytes
    """which is this before it is told where it lies,"""
    begin: int
    """in this process from here on."""


class Sample(NamedTuple):
    """What was seen of a spot."""

    milliseconds: float
    """Of the processor, an iteration."""
    ticks: Counter[str]
    """By part."""


class Profile(NamedTuple):
    """What one process saw."""

    samples: dict[tuple[str, int], Sample]
    """By spot and by where the room lies."""
    text: bytes


def main() -> None:
    """Profile the reference spots and print a table of percents."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.profile_spots", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each repetition")
    options = parser.parse_args()
    for program in ("perf", "addr2line"):
        if shutil.which(program) is None:
            sys.exit(f"Profiling needs `{program}`, which is not installed or not on the PATH.")
    console = Console(width=None if Console().is_terminal else 140)
    with console.status("compiling and sampling"):
        try:
            plain = _in_process(plain_text)
            profiles = [_in_process(profile, options.seconds) for _ in range(PROCESSES)]
        except RuntimeError as error:
            sys.exit(str(error))
    is_same = all(found.text == plain for found in profiles)
    for place in PLACES:
        tabulate(profiles, place).show(console)
    console.print(
        "With and without line tables, the machine code is "
        + ("the same, byte for byte." if is_same else "NOT the same: the profile is of another.")
    )


def tabulate(profiles: list[Profile], place: int) -> Table:
    """Percents by part and spot: the mean of all processes."""
    samples = {
        reference.name: [found.samples[reference.name, place] for found in profiles]
        for reference in REFERENCES
    }
    title = f"Hold'em: where the time goes, in percent; room {PLACES[place]}"
    table = Table(title, ("part", *samples))
    apart = 0.0
    for part in (*PARTS, REST):
        row = [part]
        for of_spot in samples.values():
            percents = [100 * ticks[part] / max(ticks.total(), 1) for _, ticks in of_spot]
            apart = max(apart, max(percents) - min(percents))
            row.append(f"{sum(percents) / len(percents):.1f}")
        table.rows.append(row)
    times = (" and ".join(f"{taken:.3g}" for taken, _ in of_spot) for of_spot in samples.values())
    table.rows.append(("milliseconds an iteration", *times))
    table.notes.append(
        f"One thread, 32 bits, the default algorithm, {FREQUENCY:,} ticks a second; the mean of "
        f"{len(profiles)} processes, at most {apart:.1f} apart, in each the fastest of "
        f"{REPETITIONS} repetitions. Time is that of the processor."
    )
    return table


def plain_text() -> bytes:
    """The machine code of the kernel as everybody has it."""
    return _compile().text


def profile(seconds: float) -> Profile:
    """Look at each spot several times, for some seconds."""
    _write_line_tables()
    code = _compile()
    samples: dict[tuple[str, int], Sample] = {}
    for reference in REFERENCES:
        for place in PLACES:
            solver = _solver(reference.name, place)
            solver.run(WARM_UP)
            # A run begins with a walk of another kind, so few runs, each of many iterations.
            count = 4 * count_lasting(solver.run, seconds / 4)
            found = [_sample(code, solver, count, seconds) for _ in range(REPETITIONS)]
            samples[reference.name, place] = min(found, key=lambda sample: sample.milliseconds)
    return Profile(samples, code.text)


def _sample(code: Code, solver: Any, count: int, seconds: float) -> Sample:
    begin, worked = solver.iteration, time.process_time()
    ticks = _ticks(seconds, partial(solver.run, count))
    worked = time.process_time() - worked
    return Sample(1e3 * worked / (solver.iteration - begin), _by_part(code, ticks))


def _in_process(call: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns in a new process, which keeps its kernels to itself."""
    before = os.environ.get("NUMBA_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder  # numba reads it when the process imports it
        try:
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=context) as process:
                return process.submit(call, *arguments).result()
        finally:
            del os.environ["NUMBA_CACHE_DIR"]
            if before is not None:
                os.environ["NUMBA_CACHE_DIR"] = before


def _write_line_tables() -> None:
    """Have numba write line tables and, unlike ``debug=True``, do nothing else differently."""
    from numba.core.cpu import CPUContext, CPUTargetOptions
    from numba.core.debuginfo import DIBuilder
    from numba.core.errors import NumbaDebugInfoWarning

    class LineTables(DIBuilder):
        def _di_compile_unit(self) -> Any:
            self.emission_kind = "LineTablesOnly"
            return super()._di_compile_unit()

        def mark_variable(self, *arguments: Any, **named: Any) -> None:
            pass

    finalize = CPUTargetOptions.finalize

    def finalize_with_lines(self: Any, flags: Any, options: Any) -> None:
        finalize(self, flags, options)
        # Only now: what else follows from them has been decided.
        flags.debuginfo = flags.dbg_directives_only = True

    CPUContext.DIBuilder = property(lambda self: LineTables)
    CPUTargetOptions.finalize = finalize_with_lines
    # The operators of `machine.simd` are lambdas: their lines count for who uses them.
    warnings.simplefilter("ignore", NumbaDebugInfoWarning)


def _solver(name: str, place: int = 0) -> Any:
    """A solver whose buffers lie so many bytes after the begin of a cache line."""
    from benchmarks.spot_accuracy import algorithms, recipe_of
    from infoset.evaluation import Walker
    from infoset.forms import form_of_spot
    from infoset.solvers import VectorSolver

    class PlacedWalker(Walker):
        def _buffers(self, street: int) -> dict[str, Any]:
            buffers = super()._buffers(street)
            return {name: _placed(array, place) for name, array in buffers.items()}

    solver = VectorSolver(form_of_spot(find(name)), recipe_of(algorithms(quick=True)[0]))
    solver.walker = PlacedWalker(solver.layout)
    return solver


def _placed(array: np.ndarray[Any, Any], place: int) -> np.ndarray[Any, Any]:
    """A copy of an array that lies so many bytes after the begin of a cache line."""
    room = np.zeros(array.nbytes + 2 * LINE, np.uint8)
    begin = -room.ctypes.data % LINE + place
    copy: np.ndarray[Any, Any] = room[begin : begin + array.nbytes].view(array.dtype)
    copy[:] = array
    return copy


def _compile() -> Code:
    """Compile the kernel and find it in memory."""
    from llvmlite.binding import ObjectFileRef

    from infoset.solvers.vector.kernels.iterate import iterate

    _solver("tiny 3").run(1)
    [compiled] = iterate.overloads.values()
    library = compiled.library
    object_file = library._get_compiled_object()
    sections = ObjectFileRef.from_data(object_file).sections()
    [(section, text)] = [
        (s.name().decode(), s.data()) for s in sections if s.is_text() and s.size()
    ]
    address = library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    offset = text.index(ctypes.string_at(address, 32))
    return Code(object_file, section, text, address - offset)


def _ticks(seconds: float, run: Callable[[], object]) -> list[list[int]]:
    """What runs at each tick while this process runs something: addresses, callers after called."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/perf.data"
        options = ["-q", "-e", "cpu-clock", "-F", str(FREQUENCY), "-p", str(os.getpid())]
        # A little of the stack, to see who called `memset`.
        options += ["--call-graph", f"dwarf,{STACK_BYTES}", "-o", file]
        perf = subprocess.Popen(
            ["perf", "record", *options, "--", "sleep", str(seconds)],
            stderr=subprocess.PIPE,
            text=True,
        )
        while perf.poll() is None:
            run()
        if perf.returncode != 0:
            raise RuntimeError(f"perf cannot sample: {perf.communicate()[1].strip()}")
        script = ["perf", "script", "--no-inline", "-i", file, "-F", "ip"]
        text = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    ticks = (tick.split() for tick in text.split("\n\n"))
    return [[int(address, 16) for address in tick] for tick in ticks if tick]


def _by_part(code: Code, ticks: list[list[int]]) -> Counter[str]:
    """How many ticks each part had; a function outside of the kernel is its caller's."""
    found: Counter[int] = Counter()
    parts: Counter[str] = Counter()
    for addresses in ticks:
        offsets = (address - code.begin for address in addresses)
        inside = [offset for offset in offsets if 0 <= offset < len(code.text)]
        if inside:
            found[inside[0]] += 1
        else:
            parts[REST] += 1
    for lines, count in zip(_lines(code, found), found.values(), strict=True):
        parts[_part(lines)] += count
    return parts


def _lines(code: Code, offsets: Iterable[int]) -> list[list[str]]:
    """For each instruction: the line it comes from, the line that called it, and so on."""
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(code.object_file)
        file.flush()
        text = subprocess.run(
            ["addr2line", "-a", "-i", "-j", code.section, "-e", file.name],
            input="\n".join(map(hex, offsets)),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    found: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("0x"):
            found.append([])
        else:
            found[-1].append(line)
    return found


def _part(lines: list[str]) -> str:
    """The innermost part that these lines, each called by the next, are of."""
    parts = {function: part for part, functions in PARTS.items() for function in functions}
    for place in lines:
        path, _, number = place.partition(" (discriminator")[0].rpartition(":")
        function = _functions(path).get(int(number)) if number.isdigit() else None
        if function in parts:
            return parts[function]
    return REST


@cache
def _functions(path: str) -> dict[int, str]:
    """Line: the function that it is in."""
    if not Path(path).is_file():
        return {}
    tree = ast.parse(Path(path).read_text())
    return {
        line: node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


if __name__ == "__main__":
    main()
