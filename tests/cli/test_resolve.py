"""Re-solving and trimming saved solutions on the command line."""

from __future__ import annotations

import pytest

import infoset
from infoset.cli.progress import LiveLine
from infoset.resolving import PartProgress


@pytest.fixture
def leduc_file(tmp_path):
    infoset.solve("leduc(by_rank=true)", "cfr+", iterations=100).save("leduc")
    return "leduc"


def test_resolve(typed, leduc_file):
    answer = typed(
        "resolve", leduc_file, "--at", "round=2", "-n", "500", "--save", "better", "--json"
    )
    assert answer.code == 0
    found = answer.json
    assert found["parts"] == found["parts_done"] == 5
    assert found["exploitability_after"] < found["exploitability_before"]
    better = infoset.load("better")
    assert better.exploitability == found["exploitability_after"]
    measured = typed("evaluate", "better", "--json").json["exploitability"]
    assert measured == pytest.approx(found["exploitability_after"], abs=1e-12)
    text = typed("resolve", leduc_file, "--at", "round=2").out
    for words in ("5 parts re-solved", "exploitability before", "exploitability after"):
        assert words in text


@pytest.mark.parametrize("method", ["gadget", "unsafe", "max-margin", "reach"])
def test_methods(typed, leduc_file, method):
    answer = typed("resolve", leduc_file, "--at", "public", "--method", method, "-n", "5", "--csv")
    assert answer.code == 0
    names, numbers = answer.out.splitlines()
    assert len(names.split(",")) == len(numbers.split(","))
    assert method in numbers


def test_time_left_is_told_by_the_parts_that_are_done(typed, leduc_file, monkeypatch):
    """A quarter took ten seconds: the rest takes thirty."""
    shown, resolve = [], infoset.api.resolve

    def in_ten_seconds(*args, progress, **options):
        progress(PartProgress(1, 4, 10.0))
        return resolve(*args, **options)

    monkeypatch.setattr(infoset.api, "resolve", in_ten_seconds)
    monkeypatch.setattr(LiveLine, "show", lambda line, share, state: shown.append((share, state)))
    assert typed("resolve", leduc_file, "--at", "round=2", "-n", "5").code == 0
    assert shown == [(0.25, "part 1 of 4, 30 s left")]


def test_trim_and_resolve(typed, leduc_file):
    answer = typed("trim", leduc_file, "--at", "round=2", "--save", "small", "--json")
    assert answer.code == 0
    assert answer.json["bytes_after"] < answer.json["bytes_before"]
    assert "times smaller" in typed("trim", leduc_file, "--at", "round=2", "--save", "small").out
    again = typed("resolve", "small", "--json").json
    assert again["cut"] == "round=2"
    assert again["exploitability_after"] < 0.05
    assert typed("show", "small", "--infoset", "K:").code == 0


def test_a_spot(typed, tmp_path):
    spot = infoset.Spot("Ks9h7d4c", "AA,QJs", "QQ,98s", 100, 150, {"bet": "50%", "raise": "a"})
    infoset.solve(spot, exploitability="1%", threads=1).save("turn")
    more = typed("resolve", "turn", "--at", "river", "--sizes", "33%,75% / a", "-n", "20", "--json")
    assert more.code == 0
    assert more.json["parts"] == 144
    assert typed("trim", "turn", "--at", "river", "--save", "small").code == 0
    part = typed("resolve", "small", "--at", "check, check, 2c", "-n", "20")
    assert part.code == 0
    assert "check,check/2c:" in part.out
    assert typed("resolve", "small", "-n", "10", "--json").json["parts_done"] == 144
    assert typed("show", "small", "--infoset", "AhAd:").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("resolve", "leduc"), "say below which cut"),
        (("resolve", "leduc", "--at", "round=7"), "no round 7"),
        (("resolve", "leduc", "--at", "raise"), "has no path"),
        (("resolve", "leduc", "--at", "round=2", "--method", "safe"), "no method"),
        (("resolve", "leduc", "--at", "round=2", "-n", "0"), "iterations"),
        (("resolve", "leduc", "--at", "round=2", "--sizes", "50%"), "hold'em spots"),
        (("resolve", "leduc", "--at", "round=2", "-a", "cfr-d"), "does not re-solve"),
        (("trim", "leduc"), "say where to trim"),
        (("trim", "leduc", "--at", "river", "--save", "x"), "streets are for hold'em"),
        (("evaluate", "small"), "was trimmed at round=2"),
        (("trim", "small", "--at", "round=2", "--save", "x"), "trimmed already"),
    ],
)
def test_bad_input(typed, leduc_file, words, message):
    typed("trim", leduc_file, "--at", "round=2", "--save", "small")
    answer = typed(*words)
    assert answer.code == 2
    assert message in " ".join(answer.err.split())
    assert "Traceback" not in answer.err


def test_cfr_d_on_the_command_line(typed, tmp_path):
    answer = typed(
        *("solve", "leduc(by_rank=true)", "-a", "cfr-d(trunk=dcfr,subgame=dcfr,k=20)"),
        *("-n", "20", "--memory", "1GB", "--save", "trunk", "--json"),
    )
    assert answer.code == 0
    assert answer.json["cut"] == "round=2"
    again = typed("resolve", "trunk", "-a", "cfr+", "-n", "2000", "--json").json
    assert again["exploitability_after"] == pytest.approx(answer.json["exploitability"], rel=1e-6)
    few = typed("solve", "leduc", "-a", "cfr-d", "-n", "1", "--memory", "1kB")
    assert few.code == 2
    assert "too few for cfr-d" in " ".join(few.err.split())
