"""A cached kernel is used only while all sources of kernels are as they were."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.cards.kernels.equity import meet_into
from infoset.solvers.sampled.kernels.batches import run_batches
from infoset.solvers.sequence.kernels.regrets import iterate
from infoset.solvers.vector.kernels.iterate import iterate as iterate_public

PACKAGE = Path(infoset.__file__).parent


@pytest.mark.parametrize("kernel", [iterate, run_batches, iterate_public, meet_into])
def test_the_cache_of_a_kernel_looks_at_the_files_of_all_its_parts(kernel, tmp_path):
    file = kernel._cache._cache_file
    sources = [*PACKAGE.glob("machine/*.py"), *PACKAGE.rglob("kernels/*.py")]
    names = {str(source.relative_to(PACKAGE)) for source in sources}
    assert {name for name, *_ in file._source_stamp} == names
    # What numba does with it: entries of another stamp are as good as none.
    index = Path(file._index_path)
    file._index_path, old = str(tmp_path / index.name), file._index_path
    stamp = file._source_stamp
    try:
        file._save_index({"key": "data"})
        assert file._load_index() == {"key": "data"}
        file._source_stamp = (("walks.py", 0, np.int64(1)),)
        assert file._load_index() == {}
    finally:
        file._index_path, file._source_stamp = old, stamp


def test_a_cache_that_cannot_be_read_is_none(tmp_path):
    file = run_batches._cache._cache_file
    file._index_path, old = str(tmp_path / "index"), file._index_path
    try:
        file._save_index({"key": "data"})
        Path(file._index_path).write_bytes(Path(file._index_path).read_bytes()[:-9] + b"garbage.")
        assert file._load_index() == {}
    finally:
        file._index_path = old


EQUITY = "from infoset.cards import range_equity; print(range_equity('AA', 'KK', 'Ks9h7d').equity)"


@pytest.mark.slow
def test_a_change_in_one_kernel_reaches_the_cached_kernels_that_call_it(tmp_path):
    """Equity calls `showdown_into` from another file, where numba's own cache does not look."""
    shutil.copytree(
        PACKAGE, tmp_path / "infoset", ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )
    cache = tmp_path / "cache"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(cache)}

    def equity():
        command = [sys.executable, "-c", EQUITY]
        return float(subprocess.check_output(command, env=environment, cwd=tmp_path, text=True))

    def cached():
        return {file: file.stat().st_mtime_ns for file in cache.rglob("*.nbc")}

    first = equity()
    compiled = cached()
    assert compiled
    assert equity() == first
    assert cached() == compiled, "the second run did not use the cache"
    showdown = tmp_path / "infoset" / "cards" / "kernels" / "showdown.py"
    source = showdown.read_text()
    changed = source.replace("won[h] += 0.5 * (not_above - won[h])", "won[h] = 0.5 * won[h]")
    assert changed != source
    showdown.write_text(changed)
    # No hand of these ties another, so half of what is won is half of the equity.
    assert equity() == pytest.approx(first / 2, rel=1e-12)
