"""Several algorithms side by side."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest
from infoset.cli.figures import By, draw_convergence

import infoset


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
    shown = [line[:end].split()[-1] for line in lines if line.endswith("s") and line != head]
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

    def press_ctrl_c_in_the_second_run(line: object, target: object) -> Callable[[object], None]:
        started.append(line)
        return lambda _: signal.raise_signal(signal.SIGINT) if len(started) == 2 else None

    monkeypatch.setattr("infoset.cli.compare.follow", press_ctrl_c_in_the_second_run)
    # A test run in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        answer = typed("compare", "kuhn", "-a", "lp", "-a", "cfr", "-a", "dcfr", "--json")
    finally:
        signal.signal(signal.SIGINT, before)
    assert answer.code == 1
    assert answer.json["interrupted"]
    assert [run["stopped_by"] for run in answer.json["runs"]] == ["exact", "interrupt"]
    assert "run 2 of 3" in answer.err


def test_bad_input(refused, tmp_path):
    assert "did you mean 'dcfr'" in refused("compare", "kuhn", "-a", "cfr", "-a", "dcrf")
    assert "did you mean 'kuhn'" in refused("compare", "khun")
    assert "iterations" in refused("compare", "kuhn", "-a", "cfr", "-a", "hs-dcfr", "-s", "1")
    assert "--by" in refused("compare", "kuhn", "--by", "days")
    assert ".svg" in refused("compare", "kuhn", "--plot", "figure")
    assert list(tmp_path.iterdir()) == []
