"""The instant CFR experiments, at their small scale."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import infoset
from infoset.experiments import known_experiments
from infoset.experiments.instant_space import OnePathSolver, difference
from infoset.experiments.instant_table1 import PAPER, settings
from infoset.solvers.outcome import instant_cfr_space

PAGES = Path(__file__).parents[2] / "experiments"
HOLDEM = [
    "instant-fig1b",
    "instant-fig1c",
    "instant-fig2-river",
    "instant-table1-river5k",
    "instant-table1-river500",
    "instant-table1-turn",
]
COLUMNS = PAPER["Leduc"]
INSTANT = ["instant-fig1a", "instant-fig2", "instant-space", "instant-table1", *HOLDEM]


@pytest.mark.parametrize("name", INSTANT)
def test_quick_run_gives_a_whole_report(name, reports):
    report, steps, folder = reports[name]
    assert report.rows
    assert report.numbers
    assert all(math.isfinite(number) for number in report.numbers.values())
    assert "olds: " in report.note or "not hold: " in report.note
    json.dumps(report.summary(), allow_nan=False)
    assert steps == sorted(steps)
    assert 0.0 <= steps[0] < 0.5
    assert steps[-1] == 1.0
    for path in report.figures:
        assert path.parent == folder
        assert 0 < path.stat().st_size < 300_000


def test_table_1_has_the_papers_row_and_one_for_each_game(reports):
    rows = reports["instant-table1"][0].rows
    assert {name: rows[0][name] for name in COLUMNS} == COLUMNS
    sizes = {row["game"]: (row["infosets"], row["histories"]) for row in rows if "infosets" in row}
    assert sizes["nolimit_leduc(stack=5)"] == (3648, 41197)
    assert sizes["leduc"] == (936, 9457)


@pytest.mark.parametrize("name", HOLDEM)
def test_hold_em_is_in_chips_and_in_thousandths_of_a_big_blind_of_100(name, reports):
    rows = reports[name][0].rows
    if "table1" in name:
        chips = [row for row in rows if "decisions" in row]
        mbb = [row for row in rows if row["game"] == "  mbb"]
        pairs = [
            (c[column], m[column]) for c, m in zip(chips, mbb, strict=True) for column in COLUMNS
        ]
    else:
        pairs = [(row["exploitability"], row["mbb"]) for row in rows]
    assert pairs
    for in_chips, in_mbb in pairs:
        assert in_mbb == pytest.approx(10 * in_chips, rel=0.01)


@pytest.mark.parametrize("name", HOLDEM)
def test_means_are_inside_their_intervals(name, reports):
    rows = reports[name][0].rows
    if "table1" not in name:
        assert all(row["low"] < row["exploitability"] < row["high"] for row in rows)
        return
    for at, row in enumerate(rows):
        if "decisions" in row:
            low, high = rows[at + 1], rows[at + 2]
            assert all(low[column] < row[column] < high[column] for column in COLUMNS)


def test_rows_of_hold_em_as_printed(reports):
    rows = [row for name in HOLDEM for row in reports[name][0].rows]
    printed = [row for row in rows if str(row.get("game")).endswith(" in the paper")]
    assert [row["game"].split()[0] for row in printed] == ["River(5k)", "River(500)", "Turn(5k)"]
    # The paper's order is the same in each: IDCFR+ lowest, CFR+ highest.
    for row in printed:
        assert row["IDCFR+"] < row["DCFR"] < row["ICFR+"] < row["CFR+"]


def test_sweep_is_that_of_section_5_2():
    every = settings(quick=False)
    assert len(every) == len(set(every)) == 2 * 5 * 7 * 4


@pytest.mark.parametrize(
    ("swept", "floored"),
    [("dcfr(beta=-inf)", "dcfr+(gamma=2)"), ("idcfr(beta=-inf)", "idcfr+")],
)
def test_no_memory_of_negative_regret_is_regret_matching_plus(swept, floored):
    """Why the sweep needs no runs of its own for DCFR+ and IDCFR+."""
    one, other = (infoset.solve("leduc", text, iterations=200) for text in (swept, floored))
    assert one.exploitability == other.exploitability


@pytest.mark.parametrize("game", ["kuhn", "leduc(by_rank=true)", "liars_dice(faces=3)"])
def test_one_path_solver_holds_the_bound_and_finds_the_same(game):
    tree = infoset.compile(game)
    solver = OnePathSolver(tree)
    solver.run(10)
    assert solver.bytes_held == instant_cfr_space(tree, alternating=True)
    assert difference(solver) < 1e-11


def test_bound_on_kuhn_by_hand():
    """12 infosets of 2 actions; a path of player 0 holds two of them: 2 * 24 + 4 numbers."""
    assert instant_cfr_space(infoset.compile("kuhn"), alternating=True) == 8 * (2 * 24 + 4)
    assert instant_cfr_space(infoset.compile("kuhn"), alternating=False) == 8 * (2 * 24 + 2 * 4)


def test_theorem_4_is_reproduced(reports):
    report = reports["instant-space"][0]
    assert report.verdict == "reproduced at a smaller scale"
    assert all(row["kept"] <= row["bound"] < row["solver"] for row in report.rows)


def test_every_experiment_has_a_page_with_its_command_and_its_verdict():
    pages = {page.parent: page.read_text() for page in PAGES.glob("*/README.md")}
    for known in known_experiments():
        homes = [folder for folder in pages if (folder / f"{known.name}.json").exists()]
        if not homes:  # The page says so.
            (page,) = (text for text in pages.values() if f"reproduce {known.name} --out" in text)
            assert any(
                f"`{known.name}`" in line and "not yet run" in line for line in page.splitlines()
            )
            continue
        assert len(homes) == 1, known.name
        measured = json.loads((homes[0] / f"{known.name}.json").read_text())
        assert not measured["quick"]
        lines = [line for line in pages[homes[0]].splitlines() if f"`{known.name}`" in line]
        assert any(f"**{measured['verdict']}**" in line for line in lines), known.name
        assert f"infoset reproduce {known.name} --out" in pages[homes[0]]
