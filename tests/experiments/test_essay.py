"""The essay's examples, to the fraction."""

from __future__ import annotations

from fractions import Fraction

import pytest

import naive
from infoset.experiments import find_experiment
from infoset.experiments.essay_kuhn import DealtKuhn, call_cfr
from infoset.experiments.essay_rps import match_regrets, play_rounds


def test_rock_paper_scissors_as_in_section_2_1():
    first, second = play_rounds()
    assert first.strategy == (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
    assert (first.ours, first.theirs, first.received) == ("paper", "scissors", 0)
    assert first.regrets == (2, 0, 1)
    assert second.strategy == (Fraction(2, 3), 0, Fraction(1, 3))
    assert (second.ours, second.theirs, second.received) == ("rock", "rock", 1)
    assert second.essay_sum == (2, 1, 1)
    # Printed as (2/5, 1/5, 1/5), which does not sum to one.
    assert match_regrets(second.essay_sum) == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))


def test_regrets_of_a_round_may_be_negative():
    """What the essay leaves out: scissors against rock receives 1 less than rock."""
    second = play_rounds()[1]
    assert second.regrets == (0, 1, -1)
    assert second.true_sum == (2, 1, 0)
    assert match_regrets(second.true_sum) == (Fraction(2, 3), Fraction(1, 3), 0)


def test_no_positive_regret_plays_uniformly():
    assert match_regrets([Fraction(-1), Fraction(0)]) == (Fraction(1, 2), Fraction(1, 2))


# Worked out by hand from Algorithm 1 with uniform strategies: pi_1, pi_2 and v of each history.
TRACE = {
    "[QJ]": (1, 1, Fraction(9, 8)),
    "[QJ]p": (Fraction(1, 2), 1, Fraction(3, 4)),
    "[QJ]pp": (Fraction(1, 2), Fraction(1, 2), 1),
    "[QJ]pb": (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)),
    "[QJ]pbp": (Fraction(1, 4), Fraction(1, 2), -1),
    "[QJ]pbb": (Fraction(1, 4), Fraction(1, 2), 2),
    "[QJ]b": (Fraction(1, 2), 1, Fraction(3, 2)),
    "[QJ]bp": (Fraction(1, 2), Fraction(1, 2), 1),
    "[QJ]bb": (Fraction(1, 2), Fraction(1, 2), 2),
}


def test_kuhn_trace_visits_every_history_with_its_reach_and_value():
    assert {v.history: (*v.reach, v.value) for v in call_cfr("QJ")} == TRACE


def test_kuhn_trace_updates_the_two_infosets_of_player_1():
    updated = {v.infoset: v for v in call_cfr("QJ") if v.regrets}
    assert list(updated) == ["Q:", "Q:check,bet"]
    root, later = updated.values()
    assert root.regrets == (Fraction(-3, 8), Fraction(3, 8))
    assert root.strategy_sums == (Fraction(1, 2), Fraction(1, 2))
    assert later.regrets == (Fraction(-3, 4), Fraction(3, 4))
    assert later.strategy_sums == (Fraction(1, 4), Fraction(1, 4))
    assert root.next_strategy == later.next_strategy == (0, 1)


def test_line_28_as_printed_would_never_leave_uniform_play():
    assert all(sum(v.regrets) == 0 for v in call_cfr("QJ") if v.regrets)


@pytest.mark.parametrize("cards", ["QK", "QJ", "KJ"])
def test_value_of_a_deal_agrees_with_the_naive_twin(cards):
    histories = naive.Histories(DealtKuhn(cards))
    twin = naive.expected_value(histories, histories.uniform())
    assert float(call_cfr(cards)[0].value) == pytest.approx(twin, abs=1e-15)


@pytest.mark.parametrize("name", ["essay-rps", "essay-kuhn"])
def test_essay_is_reproduced(name, tmp_path):
    report = find_experiment(name).run(tmp_path, quick=False, progress=lambda share, text: None)
    assert report.verdict == "reproduced"
    assert sorted(path.name for path in report.figures) == sorted(
        path.name for path in tmp_path.iterdir()
    )
    assert all(path.stat().st_size < 300_000 for path in report.figures)
