"""Figures of convergence: what is drawn is what the curves say."""

from __future__ import annotations

import sys
import types

import pytest

from infoset.errors import BadInputError, MissingExtraError
from infoset.explore import convergence
from infoset.explore.convergence import By, draw_convergence
from infoset.explore.style import FORMATS
from infoset.games.holdem.spot import Spot
from infoset.games.rules import name_of
from infoset.solvers.outcome import Point

ACES = Spot("Ks9h7d4c2s", "AA", "QQ", 200, 900, name="aces")


def solved(algorithm, curve, spot=ACES, game=None):
    """What a figure of convergence reads of a solution."""
    game = game or name_of(spot)
    return types.SimpleNamespace(algorithm=algorithm, spot=spot, curve=curve, game=game)


CURVES = [
    solved("dcfr", [Point(1, 0.5, 50.0, 7), Point(10, 5.0, 2.0, 70), Point(20, 9.0, 0.0, 140)]),
    solved("cfr", [Point(1, 0.25, 40.0, 7), Point(20, 8.0, 10.0, 140)]),
    solved("lp", [Point(1, 0.25, 0.0, 7)]),
]


@pytest.fixture
def drawn(monkeypatch):
    """Draws and returns the figure in place of writing it."""
    kept = []
    monkeypatch.setattr(convergence, "write_figure", lambda figure, path: kept.append(figure))

    def draw(*arguments):
        draw_convergence("figure.svg", *arguments)
        return kept.pop()

    return draw


@pytest.mark.parametrize(
    ("by", "label", "places"),
    [
        (By.iterations, "iterations", [[1, 10], [1, 20], []]),
        (By.seconds, "seconds of iterating", [[0.5, 5], [0.25, 8], []]),
        (By.nodes, "nodes touched", [[7, 70], [7, 140], []]),
    ],
)
def test_convergence_on_spots_is_in_percent_of_the_pot(drawn, by, label, places):
    (axes,) = drawn(CURVES, by).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert (axes.get_xlabel(), axes.get_ylabel()) == (label, "exploitability (% of the pot)")
    assert [line.get_ydata().tolist() for line in axes.lines] == [[25, 1], [20, 5], []]
    assert [line.get_xdata().tolist() for line in axes.lines] == places
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ["cfr", "dcfr", "lp (exactly 0)"]
    assert axes.get_title(loc="left") or axes.get_title() == "Convergence on aces"


def test_convergence_on_games_is_in_chips(drawn):
    curves = [solved("cfr", CURVES[1].curve, spot=None, game="kuhn"), CURVES[0]]
    for given, games in ((curves[:1], "kuhn"), (curves, "2 games")):
        (axes,) = drawn(given).axes
        assert axes.get_ylabel() == "exploitability (chips, NashConv / 2)"
        assert axes.lines[0].get_ydata().tolist() == [40.0, 10.0]
        titles = axes.get_title(), axes.get_title(loc="left")
        assert f"Convergence on {games}" in titles


def test_several_spots_are_told_apart(drawn):
    other = Spot("Td9d6hQc", "AA", "KK", 100, 50)
    (axes,) = drawn([CURVES[0], solved("cfr", CURVES[1].curve, other)]).axes
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ["dcfr, aces", "cfr, turn Td9d6hQc"] or words == [
        "cfr, turn Td9d6hQc",
        "dcfr, aces",
    ]
    assert [line.get_ydata().tolist() for line in axes.lines] == [[25, 1], [40, 10]]


def test_a_run_without_measurements_is_only_named(drawn):
    (axes,) = drawn([solved("cfr", []), solved("$x$", [Point(1, 0.5, 2.0, 7)])]).axes
    assert axes.get_legend_handles_labels()[1] == ["cfr", r"\$x\$"]
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == [r"\$x\$", "cfr"]


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_runs_give_the_same_file(tmp_path, kind):
    paths = [tmp_path / f"{i}{kind}" for i in range(2)]
    for path in paths:
        draw_convergence(path, CURVES)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("name", ["figure", "figure.sgv", "figure.gif"])
def test_bad_names_are_refused(tmp_path, name):
    with pytest.raises(BadInputError, match=rf"drawn as '{name}'.*\.svg"):
        draw_convergence(tmp_path / name, CURVES)
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_draw(tmp_path):
    with pytest.raises(BadInputError, match="no solution"):
        draw_convergence(tmp_path / "f.svg", [])
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch, tmp_path):
    # Importing from a module that is `None` here fails as if it were not installed.
    monkeypatch.setitem(sys.modules, "matplotlib.colors", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="plots"):
        draw_convergence(tmp_path / "f.svg", CURVES)


def test_losses_of_networks_are_drawn_below(drawn):
    news = [{"loss of regrets": 0.5, "observed": 0.25}, {"loss of regrets": 0.25}, {}]
    points = [Point(10 * i, i, 1 / i, 100 * i, told) for i, told in enumerate(news, start=1)]
    above, below = drawn([solved("dncfr", points, spot=None, game="kuhn")]).axes
    assert above.lines[0].get_xdata().tolist() == [10, 20, 30]
    (line,) = below.lines
    assert line.get_xdata().tolist() == [10, 20]
    assert line.get_ydata().tolist() == [0.5, 0.25]
    assert (below.get_xlabel(), above.get_xlabel(), below.get_ylabel()) == (
        "iterations",
        "",
        "loss",
    )
    assert [text.get_text() for text in below.get_legend().get_texts()] == ["loss of regrets"]
