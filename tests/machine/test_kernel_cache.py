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


READ_ONLY = """
import os, sys, warnings
import numba.core.caching as caching
may_write = sys.argv[1:]
def refuse(self, ensure=caching._CacheLocator.ensure_cache_path):
    if not any(self.get_cache_path().startswith(folder) for folder in may_write):
        raise OSError(30, "Read-only file system")
    ensure(self)
caching._CacheLocator.ensure_cache_path = refuse
warnings.simplefilter("always")
from infoset.cards import range_equity
print(range_equity("AA", "KK", "Ks9h7d").equity)
"""


def run_where_only(folders, environment):
    environment = {**os.environ, **environment}
    environment.pop("NUMBA_CACHE_DIR", None)
    return subprocess.run(
        [sys.executable, "-c", READ_ONLY, *map(str, folders)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.slow
def test_kernels_are_kept_among_temporary_files_if_nothing_else_can_be_written(tmp_path):
    ran = run_where_only([tmp_path], {"TMPDIR": str(tmp_path)})
    assert float(ran.stdout) > 0
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))
    assert ran.stderr.count("RuntimeWarning") == 1
    assert "compiled kernels are kept in" in ran.stderr
    assert "set NUMBA_CACHE_DIR to" in ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("trap", ["nowhere", "a file", "open to all", "a link"])
def test_without_any_place_kernels_work_and_nothing_foreign_is_loaded(tmp_path, trap):
    folder = tmp_path / f"infoset-kernels-{os.getuid()}"
    if trap == "a file":
        folder.write_text("")
    elif trap == "open to all":
        folder.mkdir()
        folder.chmod(0o777)
    elif trap == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    where = [] if trap == "nowhere" else [tmp_path]
    ran = run_where_only(where, {"TMPDIR": str(tmp_path)})
    assert float(ran.stdout) > 0
    assert not list(tmp_path.rglob("*.nbc"))
    if trap != "nowhere":  # there the folder is made, but nothing may be written to it
        assert ran.stderr.count("RuntimeWarning") == 1
        assert "cannot be kept" in ran.stderr


def test_a_full_disk_costs_the_cache_and_not_the_run(monkeypatch):
    from infoset.machine import kernel_cache

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel_cache, "_said", set())
    save = kernel_cache._forgiving(full)
    with pytest.warns(RuntimeWarning, match="No space left.*NUMBA_CACHE_DIR"):
        save("signature", "data")
    save("signature", "data")
