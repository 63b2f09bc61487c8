"""Sampling from the command line."""

from __future__ import annotations

import pytest

import infoset


def test_json_tells_the_seed_the_nodes_and_that_it_is_exact(typed):
    found = typed("solve", "leduc", "-a", "es-mccfr", "-n", "2000", "--seed", "5", "--json").json
    assert (found["seed"], found["form"], found["exploitability_is"]) == (5, "sequence", "exact")
    assert found["bound"] is None
    again = infoset.solve("leduc", "es-mccfr", iterations=2000, seed=5)
    assert found["exploitability"] == again.exploitability
    assert found["nodes_touched"] == again.nodes_touched == found["curve"][-1]["nodes_touched"] > 0


def test_a_seed_is_chosen_and_told_if_none_is_given(typed):
    first, second = (
        typed("solve", "kuhn", "-a", "os-mccfr", "-n", "50", "--json").json for _ in range(2)
    )
    assert first["seed"] != second["seed"]
    text = typed("solve", "kuhn", "-a", "os-mccfr", "-n", "50", "--seed", "11").out
    assert "seed" in text
    assert "11" in text


def test_threads_change_nothing(typed):
    one, two = (
        typed(
            "solve", "leduc", "-a", "rs-mccfr", "-n", "50", "--seed", "1", "--threads", n, "--json"
        )
        for n in ("1", "2")
    )
    for name in ("value", "exploitability", "nodes_touched"):
        assert one.json[name] == two.json[name]


def test_rules_that_are_sampled_give_a_bound_that_says_so(typed, tmp_path):
    path = str(tmp_path / "leduc.infoset")
    words = ("solve", "leduc", "-a", "es-mccfr", "-n", "800", "--seed", "1", "--form", "rules")
    found = typed(*words, "--save", path, "--json").json
    assert found["form"] == "rules"
    assert found["exploitability_is"] == "sampled lower bound"
    assert found["exploitability"] == found["bound"]["lower"]
    assert found["bound"]["confidence"] == 0.95
    assert 0 < found["infosets"] <= 936
    exact = infoset.exploitability("leduc", infoset.load(path))
    assert 0 < found["exploitability"] <= exact
    # The compiled game walks the same samples.
    dense = infoset.solve("leduc", "es-mccfr", iterations=800, seed=1)
    assert exact == pytest.approx(dense.exploitability, rel=1e-12)
    assert found["nodes_touched"] == dense.nodes_touched
    text = typed(*words).out
    assert "at least" in text
    assert "visited" in text
    shown = typed("show", path, "--infoset", "Js:")
    assert shown.code == 0
    assert "Js:" in shown.out
    measured = typed("evaluate", path)
    assert measured.code != 0
    assert "never enumerated" in measured.err


def test_a_game_too_large_to_compile_is_sampled_by_itself(typed):
    words = ("solve", "holdem(raises=all_in)", "-n", "5", "--json")
    found = typed(*words, "-a", "os-mccfr", "--seed", "1").json
    assert found["form"] == "rules"
    assert found["memory_bytes"] > 0
    refused = typed(*words, "-a", "dcfr")
    assert refused.code == 2
    assert "es-mccfr" in refused.err
    refused = typed(*words, "-a", "os-mccfr", "--form", "sequence")
    assert refused.code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-a", "rs-mccfr(k=0)"), "k must be a whole number"),
        (("-a", "es-mccfr(b=0)"), "b must be a whole number"),
        (("-a", "os-mccfr(epsilon=0)"), "epsilon must be above 0"),
        (("-a", "os-mccfr(epsilon=1.01)"), "epsilon must be a number from 0 to 1"),
        (("-a", "dcfr(b=10)"), "no parameter 'b'"),
        (("-a", "chance-cfr(baseline=0.5)"), "baselines"),
        (("-a", "as-mccfr(averaging=biased)"), "average-strategy sampling"),
        (("-a", "es-mccfr", "--threads", "0"), "threads must be"),
        (("-a", "dcfr", "--threads", "2"), "one core"),
        (("-a", "dcfr", "--form", "rules"), "whole game"),
        (("-a", "pcs-mccfr", "--form", "rules"), "compiled game"),
        (("-a", "es-mccfr", "--form", "rules", "-e", "0.1"), "lower bound"),
        (("-a", "es-mccfr", "--form", "somewhere"), "somewhere"),
    ],
)
def test_what_cannot_be_is_refused(typed, words, said):
    answer = typed("solve", "leduc", "-n", "5", *words)
    assert answer.code == 2
    assert said in answer.err
    assert not answer.out


def test_a_run_goes_on_with_its_own_seed_and_form(typed, tmp_path):
    path = str(tmp_path / "run")
    start = ("solve", "leduc", "-a", "es-mccfr(b=3)", "-n", "40", "--checkpoint", path)
    for form in ("sequence", "rules"):
        typed(*start, "--seed", "8", "--form", form)
        more = ("solve", "leduc", "-n", "90", "--resume", path, "--form", form, "--json")
        found = typed(*more).json
        whole = infoset.solve("leduc", "es-mccfr(b=3)", iterations=90, seed=8, form=form)
        assert found["seed"] == 8
        assert found["value"] == whole.value
        assert found["nodes_touched"] == whole.nodes_touched
        refused = typed(*more, "--seed", "9")
        assert refused.code == 2
        assert "seed 8" in refused.err
        other = "rules" if form == "sequence" else "sequence"
        refused = typed("solve", "leduc", "-n", "90", "--resume", path, "--form", other)
        assert refused.code == 2


def test_compare_draws_by_nodes(typed, tmp_path):
    path = tmp_path / "nodes.svg"
    names = ("-a", "es-mccfr", "-a", "rs-mccfr(b=10)", "-a", "cfr+")
    answer = typed("compare", "leduc", *names, "-n", "200", "--seed", "1", "--by", "nodes",
                   "--plot", str(path))  # fmt: skip
    assert answer.code == 0
    assert "nodes touched" in path.read_text()
