"""What a new process pays once: importing, and having the kernels ready."""

from __future__ import annotations

import tempfile

from benchmarks.contestants import INFOSET
from benchmarks.report import Section, Table, seconds
from benchmarks.timing import in_child


def measure(*, quick: bool) -> Section:
    """Start with kernels on disk and, in a whole run, with an empty cache."""
    table = Table(
        "Once in a process: infoset's own start",
        ("kernels", "import", "kernels ready"),
        notes=["Numba keeps compiled kernels on disk; an empty cache is filled once a machine."],
    )
    section = Section([table])
    in_child("kernels")  # so that they are on disk
    for kind in ("on disk",) if quick else ("on disk", "compiled anew"):
        with tempfile.TemporaryDirectory() as folder:
            environment = {} if kind == "on disk" else {"NUMBA_CACHE_DIR": folder}
            found = in_child("kernels", **environment)
        section.record("-", f"kernels {kind}", INFOSET, **found)
        if "error" in found:
            table.notes.append(f"{kind}: {found['error']}")
            continue
        shown = seconds(found["import_seconds"]), seconds(found["kernel_seconds"])
        table.rows.append((kind, *shown))
    return section
