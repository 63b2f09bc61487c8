"""The papers' artifacts, listed and made."""

from __future__ import annotations

import json

import pytest

from infoset.errors import BadInputError
from infoset.experiments import Report, experiment, registry
from infoset.machine.storage import write_atomically


@pytest.fixture(autouse=True)
def _only_ours(monkeypatch):
    monkeypatch.setattr(registry, "_known", {})

    @experiment("coin-toss", paper="Nobody 1999, On Coins", artifact="Table 1", claim="it is fair")
    def coin_toss(out, *, quick, progress):
        progress(0.5, "tossing")
        write_atomically(out / "coin.svg", b"<svg/>")
        return Report(
            verdict="reproduced at a smaller scale" if quick else "reproduced",
            rows=[{"side": "heads", "ours": 0.5, "paper": None}, {"side": "tails", "ours": 0.5}],
            numbers={"tosses": 1000},
            figures=[out / "coin.svg"],
            note="With a coin of our own.",
        )

    @experiment("many-coins", paper="Nobody 1999, On Coins", artifact="Table 2", claim="all are")
    def many_coins(out, *, quick, progress, full=False):
        verdict = "reproduced" if full else "reproduced at a smaller scale"
        return Report(verdict=verdict, numbers={"tosses": 10**6 if full else 1000})


def test_list(typed):
    assert "Table 1 of Nobody 1999, On Coins" in typed("reproduce").out
    listed = typed("reproduce", "--json").json["experiments"]
    assert listed == [
        {
            "name": "coin-toss",
            "paper": "Nobody 1999, On Coins",
            "artifact": "Table 1",
            "claim": "it is fair",
        },
        {
            "name": "many-coins",
            "paper": "Nobody 1999, On Coins",
            "artifact": "Table 2",
            "claim": "all are",
        },
    ]


def test_run_as_text(typed, tmp_path):
    answer = typed("reproduce", "coin-toss")
    assert answer.code == 0
    for text in ("it is fair", "heads", "0.5", "tosses", "Verdict: reproduced\n", "of our own"):
        assert text in answer.out
    folder = tmp_path / "reproduced" / "coin-toss"
    assert sorted(path.name for path in folder.iterdir()) == ["coin-toss.json", "coin.svg"]


def test_run_as_json_is_what_is_written(typed, tmp_path):
    answer = typed("reproduce", "coin-toss", "--quick", "--out", "here/there", "--json")
    assert answer.json["verdict"] == "reproduced at a smaller scale"
    assert answer.json["quick"] is True
    assert json.loads((tmp_path / "here/there/coin-toss.json").read_text()) == answer.json


def test_full_size_where_there_is_one(typed, refused, tmp_path):
    document = typed("reproduce", "many-coins", "--full", "--json").json
    assert (document["verdict"], document["quick"], document["full"]) == ("reproduced", False, True)
    assert document["numbers"] == {"tosses": 10**6}
    assert typed("reproduce", "many-coins", "--json").json["numbers"] == {"tosses": 1000}
    assert "'coin-toss'" in refused("reproduce", "coin-toss", "--full")
    assert not (tmp_path / "reproduced" / "coin-toss").exists()
    assert "not both" in refused("reproduce", "many-coins", "--full", "--quick")
    assert "NAME" in refused("reproduce", "--full")


def test_bad_input(refused, tmp_path):
    (tmp_path / "file").touch()
    assert "did you mean 'coin-toss'" in refused("reproduce", "coin-tos")
    assert "--out" in refused("reproduce", "coin-toss", "--out", "file")
    assert "NAME" in refused("reproduce", "--quick")


def test_registering():
    with pytest.raises(BadInputError, match="hyphens"):
        experiment("Coin Toss", paper="", artifact="", claim="")
    with pytest.raises(BadInputError, match="no verdict"):
        Report(verdict="maybe")
