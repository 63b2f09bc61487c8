"""Several algorithms side by side."""

from __future__ import annotations

import csv
import io
import signal
from dataclasses import replace
from pathlib import Path

import pytest

import infoset
from infoset.explore.convergence import By, draw_convergence
from infoset.solvers.request import Request
from infoset.solvers.solution import Solution
from infoset.solvers.solving import run

SEVERAL = Path(__file__).parents[1] / "reference_spots.json"


def test_runs_are_in_the_order_given(typed):
    names = ["lp", "dcfr", "cfr", "dcfr"]
    chosen = [word for name in names for word in ("-a", name)]
    answer = typed("compare", "kuhn", *chosen, "-n", "50", "--json")
    assert answer.code == 0
    assert [run["algorithm"] for run in answer.json["runs"]] == names
    assert answer.json["game"] == "kuhn"
    assert not answer.json["interrupted"]
    assert answer.json["runs"][1]["exploitability"] == answer.json["runs"][3]["exploitability"]
    text = typed("compare", "kuhn", *chosen, "-n", "50").out
    first_words = [line.split()[0] for line in text.splitlines() if line.strip()]
    assert [word for word in first_words if word in names] == names


def test_defaults(typed):
    runs = typed("compare", "kuhn", "--json").json["runs"]
    assert [run["algorithm"] for run in runs] == ["cfr", "cfr+", "dcfr", "idcfr+", "pcfr+"]
    assert {run["iterations"] for run in runs} == {1000}


def test_nodes_are_counted(typed):
    chosen = [word for name in ("cfr", "hybrid-cfr+", "xfp", "lp") for word in ("-a", name)]
    runs = typed("compare", "kuhn", *chosen, "-n", "50", "--json").json["runs"]
    assert [run["nodes_touched"] for run in runs] == [5800, 2900, 5800, 58]
    assert [run["curve"][-1]["nodes_touched"] for run in runs] == [5800, 2900, 5800, 58]
    lines = typed("compare", "kuhn", *chosen, "-n", "50").out.splitlines()
    head = next(line for line in lines if "exploitability  " in line)
    end = head.index("nodes") + len("nodes")
    begin = lines.index(head) + 2
    shown = [line[:end].split()[-1] for line in lines[begin : begin + 4]]
    assert shown == ["5.80e+03", "2.90e+03", "5.80e+03", "5.80e+01"]


@pytest.mark.parametrize("by", ["iterations", "seconds of iterating", "nodes touched"])
def test_figure(typed, tmp_path, by):
    chosen = ("-a", "cfr", "-a", "lp", "-n", "99")
    answer = typed("compare", "kuhn", *chosen, "--plot", "f.svg", "--by", by.split()[0], "--json")
    assert answer.json["plot"] == "f.svg"
    drawn = (tmp_path / "f.svg").read_text()
    assert "Convergence on kuhn" in drawn
    assert f"<!-- {by} -->" in drawn
    assert "exploitability (chips, NashConv / 2)" in drawn


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_the_same_runs_give_the_same_figure(tmp_path, kind):
    solutions = [infoset.solve("rps", name, iterations=9) for name in ("cfr", "xfp")]
    paths = [tmp_path / f"{i}.{kind}" for i in range(2)]
    for path in paths:
        draw_convergence(path, solutions, By.iterations)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_interrupted_comparison_shows_what_was_measured(typed, monkeypatch):
    started = []

    def press_ctrl_c_in_the_second_run(request: Request, line: object) -> Solution:
        started.append(line)

        def press(progress: object) -> None:
            if len(started) == 2:
                signal.raise_signal(signal.SIGINT)

        return run(replace(request, progress=press))

    monkeypatch.setattr("infoset.cli.compare.run_watched", press_ctrl_c_in_the_second_run)
    # A test run in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        answer = typed("compare", "kuhn", "-a", "lp", "-a", "cfr", "-a", "dcfr", "--json")
    finally:
        signal.signal(signal.SIGINT, before)
    assert answer.code == 130
    assert answer.json["interrupted"]
    assert [run["stopped_by"] for run in answer.json["runs"]] == ["exact", "interrupt"]
    assert "run 2 of 3" in answer.err


def test_defaults_on_a_spot(typed, spot_file):
    answer = typed("compare", spot_file, "-n", "20", "--json")
    runs = answer.json["runs"]
    names = ["cfr+", "dcfr", "dcfr(gamma=3.0)", "idcfr+", "pcfr+"]
    assert [run["algorithm"] for run in runs] == names
    assert answer.json["game"] == "aces or air"
    assert {run["form"] for run in runs} == {"public"}
    alone = infoset.solve(spot_file, "idcfr+", iterations=20)
    assert runs[3]["exploitability"] == alone.exploitability


def test_a_spot_is_compared_in_percent_of_its_pot(typed, tmp_path, spot_file):
    words = ("compare", spot_file, "-a", "cfr+", "-a", "pcfr+", "-e", "2%", "--threads", "1")
    answer = typed(*words, "--plot", "f.svg")
    assert answer.code == 0
    assert "exploitability in % of the pot" in answer.out
    lines = [line.split() for line in answer.out.splitlines()]
    shares = [line[1] for line in lines if line and line[0] in ("cfr+", "pcfr+")]
    assert all(share.endswith("%") and float(share[:-1]) <= 2 for share in shares)
    assert len(shares) == 2
    assert "exploitability (% of the pot)" in (tmp_path / "f.svg").read_text()
    rows = list(csv.DictReader(io.StringIO(typed(*words, "--csv").out)))
    assert [row["algorithm"] for row in rows] == ["cfr+", "pcfr+"]
    assert all(0 < float(row["exploitability_share_of_pot"]) <= 0.02 for row in rows)
    sixteen = typed(*words, "--bits", "16", "--json").json["runs"]
    assert {run["bits"] for run in sixteen} == {16}


def test_one_spot_of_several(typed, refused):
    words = ("-a", "cfr+", "-n", "2", "--json")
    assert typed("compare", SEVERAL, "--name", "turn_small", *words).json["game"] == "turn_small"
    assert "--name" in refused("compare", SEVERAL, *words)


def test_runs_as_csv(typed):
    answer = typed("compare", "kuhn", "-a", "cfr", "-a", "lp", "-n", "50", "--csv")
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    runs = typed("compare", "kuhn", "-a", "cfr", "-a", "lp", "-n", "50", "--json").json["runs"]
    for row, found in zip(rows, runs, strict=True):
        assert row["algorithm"] == found["algorithm"]
        assert float(row["exploitability"]) == found["exploitability"]
        assert int(row["nodes_touched"]) == found["nodes_touched"]


@pytest.mark.parametrize("game", ["kuhn", "River(5k, seed=1)"])
def test_the_table_fits_80_columns(typed, game):
    names = ("cfr+", "dcfr(alpha=1.5,beta=0.5,gamma=2)", "pcfr+")
    chosen = [word for name in names for word in ("-a", name)]
    lines = typed("compare", game, *chosen, "-n", "3").out.splitlines()
    assert max(map(len, lines)) <= 80


def test_a_game_too_large_is_refused_before_anything_is_run(typed, refused):
    chosen = ("-a", "os-mccfr", "-a", "dcfr")
    assert "holdem has at least" in refused("compare", "holdem", *chosen, "-n", "5", "-q")
    answer = typed("compare", "holdem(raises=all_in)", "-a", "os-mccfr", "-n", "5", "--json")
    assert answer.json["runs"][0]["form"] == "rules"


def test_bad_input(refused, tmp_path):
    assert "did you mean 'dcfr'" in refused("compare", "kuhn", "-a", "cfr", "-a", "dcrf")
    assert "did you mean 'kuhn'" in refused("compare", "khun")
    assert "iterations" in refused("compare", "kuhn", "-a", "cfr", "-a", "hs-dcfr", "-s", "1")
    assert "--by" in refused("compare", "kuhn", "--by", "days")
    assert ".svg" in refused("compare", "kuhn", "--plot", "figure")
    assert "exclude" in refused("compare", "kuhn", "--json", "--csv")
    assert "no pot" in refused("compare", "kuhn", "-e", "1%")
    assert list(tmp_path.iterdir()) == []
