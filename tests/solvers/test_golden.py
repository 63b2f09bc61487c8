"""Solvers hold the same numbers as when the golden file was recorded."""

from __future__ import annotations

import json

import pytest

from solvers.golden import FILE, cases, machine, trajectory

GOLDEN = json.loads(FILE.read_text())


def name_of(case):
    return " ".join(str(value) for key, value in case.items() if key not in ("at", "trajectory"))


def test_the_golden_file_has_every_case():
    recorded = [
        {key: value for key, value in case.items() if key != "trajectory"}
        for case in GOLDEN["cases"]
    ]
    assert recorded == cases()


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=name_of)
def test_trajectory(case):
    """To the bit on a machine of the same kind; elsewhere the first iteration, to rounding."""
    expected, got = case["trajectory"], trajectory(case)
    if machine() == GOLDEN["machine"]:
        assert got == expected
        return
    first = str(case["at"][0])
    for name, (_, total) in expected[first].items():
        wanted = float.fromhex(total)
        assert float.fromhex(got[first][name][1]) == pytest.approx(wanted, rel=1e-4, abs=1e-6)
