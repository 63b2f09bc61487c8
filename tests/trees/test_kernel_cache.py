"""A cached kernel is used only while all sources of kernels are as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.solvers.sampled.kernels.batches import run_batches
from infoset.solvers.sequence.kernels.regrets import iterate
from infoset.solvers.vector.kernels.play import play


@pytest.mark.parametrize("kernel", [iterate, run_batches, play])
def test_the_cache_of_a_kernel_looks_at_the_files_of_all_its_parts(kernel, tmp_path):
    file = kernel._cache._cache_file
    sources = Path(infoset.__file__).parent.glob("*/kernels/*.py")
    assert {name for name, *_ in file._source_stamp} == {source.name for source in sources}
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
