"""Benchmarks are run by hand; here only that they can be."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _find_benchmarks(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])


def names():
    return [each.name for each in pkgutil.iter_modules([str(ROOT / "benchmarks")])]


@pytest.mark.parametrize("name", [name for name in names() if name != "__main__"])
def test_every_module_loads_without_the_peers(name):
    importlib.import_module(f"benchmarks.{name}")


def test_every_spot_is_found():
    spots = importlib.import_module("benchmarks.spot_games")
    for name in (*(each.name for each in spots.REFERENCES), *spots.others(quick=False)):
        assert spots.find(name).pot > 0, name


def test_both_checkouts_of_a_comparison_get_the_same_run():
    against = importlib.import_module("benchmarks.against")
    row = against.Row("turn_small", "dcfr", 5, ("--bits", "16"), is_spot=True)
    older, newer = (row.command(has_spot_command=old) for old in (True, False))
    assert older[:2] == ["spot", "solve"]
    assert newer[0] == "solve"
    assert older[2:] == newer[1:]
    assert against._seconds(ROOT / "src", row) > 0


def test_what_16_bits_cost_is_told():
    report = importlib.import_module("benchmarks.report")
    section = report.Section()
    importlib.import_module("benchmarks.spot_memory").measure_bits(section, quick=True)
    (table,) = section.tables
    assert table.rows
