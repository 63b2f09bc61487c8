"""Figures of solved spots: what is drawn is what the view says."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb

from infoset.cards import CLASS_NAMES, HAND_MASK, Range, board_of, format_hand, hand_of
from infoset.errors import BadInputError, MissingExtraError
from infoset.explore import spot_figures
from infoset.explore.node_view import NodeView
from infoset.explore.spot_figures import (
    REACHED,
    UNKNOWN,
    action_colours,
    draw_range_grid,
    draw_values,
    fill_cells,
    heights_of,
    title_of,
)
from infoset.explore.style import BLUE, FORMATS, GREEN, panels

SIX = ("fold", "call 50", "raise to 150", "raise to 250", "raise to 400", "all-in 900")


def made_up(board, oop, ip, player, actions, *, seed=5, path=""):
    """A view with a made-up strategy, values and equities."""
    rng = np.random.default_rng(seed)
    board = board_of(board)
    ranges = [Range.parse(text).without(board) for text in (oop, ip)]
    hands = tuple(held.hands for held in ranges)
    reach = tuple(held.weights[held.hands] for held in ranges)
    meets = (HAND_MASK[hands[0]][:, None] & HAND_MASK[hands[1]]) == 0
    met = (meets @ reach[1], meets.T @ reach[0])
    equities = tuple(np.where(m > 0, rng.random(len(m)), np.nan) for m in met)
    shape = (0, 0) if player is None else (len(actions), len(hands[player]))
    strategy = rng.random(shape)
    return NodeView(
        path=path,
        board=board,
        player=player,
        pot=200,
        put=(0, 0),
        actions=actions,
        hands=hands,
        reach=reach,
        weights=(reach[0] * met[0], reach[1] * met[1]),
        values=tuple(300 * equity**2 - 10 for equity in equities),
        equities=equities,
        strategy=strategy / strategy.sum(axis=0),
        action_values=np.zeros(shape),
    )


ALL = ",".join(CLASS_NAMES)
VIEWS = {
    "dense": made_up("Ks9h7d4c2s", ALL, ALL, 1, SIX, path="check, bet 50" + ", check" * 40),
    "two actions": made_up("Ks9h7d", "AA,KK,AKs:0.3", "22-99", 0, ("check", "all-in 900")),
    "one hand": made_up("Ks9h7d4c", "AsAc", "QsQc", 0, ("fold", "call 20")),
    # Neither AsAd of the one nor AA of the other can be there with the other.
    "cannot meet": made_up("Ks9h7d", "AsAd,QQ", "AsAh,AdAc", 0, ("check", "bet 100")),
    "nothing to meet": made_up("Ks9h7d", "AsAd", "AsAh", 0, ("check", "bet 100")),
    "nobody acts": made_up("Ks9h7d", "22+,AT+", "22+", None, ()),
}


@pytest.fixture
def drawn(monkeypatch):
    """Draws and returns the figure in place of writing it."""
    kept = []
    monkeypatch.setattr(spot_figures, "write_figure", lambda figure, path: kept.append(figure))

    def draw(function, *arguments):
        function("figure.svg", *arguments)
        return kept.pop()

    return draw


def rectangles(collection):
    """Left, right, top and bottom of each rectangle; tops are smaller, aces being above."""
    for path in collection.get_paths():
        (left, top), (right, bottom) = path.vertices.min(axis=0), path.vertices.max(axis=0)
        yield left, right, top, bottom


def filled(axes):
    """``{class name: {colour: (left, right, height)}}`` of all rectangles in a grid."""
    out = {}
    for collection in axes.collections:
        assert isinstance(collection, PolyCollection)
        if not collection.get_paths():
            continue
        colour = to_hex(collection.get_facecolor()[0]).upper()
        for left, right, top, bottom in rectangles(collection):
            row, column = round(bottom) - 1, int((left + right) / 2)
            assert bottom == row + 1
            cell = out.setdefault(CLASS_NAMES[13 * row + column], {})
            cell[colour] = (left - column, right - column, bottom - top)
    return out


@pytest.mark.parametrize("name", VIEWS)
def test_figures_are_whole_for_every_view(tmp_path, name):
    view = VIEWS[name]
    acts = "nobody" if view.player is None else ("OOP", "IP")[view.player]
    draw_range_grid(tmp_path / "grid.svg", view, 0)
    draw_range_grid(tmp_path / "other.svg", view, 1)
    draw_values(tmp_path / "values.svg", view)
    for path in tmp_path.iterdir():
        text = path.read_text()
        ET.fromstring(text)
        assert f"pot 200, {acts} to act" in text
        assert ("EV, share of the pot" if path.stem == "values" else "not here") in text
        assert "nan" not in text.lower()
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("name", ["dense", "two actions", "one hand", "cannot meet"])
def test_cells_are_divided_as_the_class_divides_its_actions(drawn, name):
    view = VIEWS[name]
    player, colours = view.player, action_colours(view.actions)
    expected, fullness = {}, {}
    for row, hand in enumerate(view.hands[player]):
        cards = format_hand(int(hand))
        suffix = "" if cards[0] == cards[2] else "s" if cards[1] == cards[3] else "o"
        of_class = cards[0] + cards[2] + suffix
        here = np.append(view.strategy[:, row], 1.0) * view.weights[player][row]
        expected[of_class] = expected.get(of_class, 0.0) + here
        fullness[of_class] = fullness.get(of_class, 0.0) + view.reach[player][row]
    blocked = {hand_of([a, b]) for a in view.board for b in range(52) if a != b}
    for of_class in fullness:
        hands = {int(hand) for hand in Range.parse(of_class).hands}
        fullness[of_class] /= len(hands - blocked)
    most = max(fullness.values())

    cells = filled(drawn(draw_range_grid, view).axes[0])
    assert cells.keys() == expected.keys()
    for of_class, (*sums, weight) in expected.items():
        at = 0.0
        if weight == 0:
            assert cells[of_class].keys() == {UNKNOWN.upper()}
            continue
        for colour, total in zip(colours, sums, strict=True):
            left, right, height = cells[of_class][colour.upper()]
            assert left == pytest.approx(at, abs=1e-9)
            assert right - left == pytest.approx(total / weight, abs=1e-9)
            assert height == pytest.approx(fullness[of_class] / most, abs=1e-9)
            at = right
        assert at == pytest.approx(1.0)


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_filled_cells_are_tiled_without_overlap(data):
    number = data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    shares = rng.dirichlet(np.full(number, 0.3), (13, 13)).transpose(2, 0, 1)
    shares[:, rng.random((13, 13)) < 0.3] = np.eye(number)[0][:, None]  # a pure strategy
    heights = np.where(rng.random((13, 13)) < 0.5, rng.random((13, 13)), 0.0)
    with panels(1, 1, width=2, height=2) as (_, grid):
        collections = fill_cells(grid[0, 0], shares, heights, [f"C{i}" for i in range(number)])
    area = np.zeros((13, 13))
    for share, collection in zip(shares, collections, strict=True):
        assert len(collection.get_paths()) == np.count_nonzero((share > 0) & (heights > 0))
        for left, right, top, bottom in rectangles(collection):
            row, column = round(bottom) - 1, int((left + right) / 2)
            assert left >= column - 1e-9
            assert right <= column + 1 + 1e-9
            area[row, column] += (right - left) * (bottom - top)
    np.testing.assert_allclose(area, heights, atol=1e-9)


def test_a_class_that_the_board_blocks_in_part_is_full(drawn):
    """Of 12 ways to hold AKo, the king on the board leaves 9; all of them are here."""
    view = made_up("Ks9h7d", "AKo,QQ:0.5", "22", 0, ("check", "bet 100"))
    cells = filled(drawn(draw_range_grid, view).axes[0])
    assert {height for _, _, height in cells["AKo"].values()} == {1.0}
    assert {height for _, _, height in cells["QQ"].values()} == {0.5}


def test_who_does_not_act_is_drawn_by_reach(drawn):
    cells = filled(drawn(draw_range_grid, VIEWS["two actions"], 1).axes[0])
    assert cells.keys() == {"22", "33", "44", "55", "66", "77", "88", "99"}
    assert all(cell == {REACHED: (0.0, 1.0, 1.0)} for cell in cells.values())


def test_legend_says_how_often_each_action_is_taken(drawn):
    view = VIEWS["dense"]
    words = [text.get_text() for text in drawn(draw_range_grid, view).legends[0].get_texts()]
    weights = view.weights[1] / view.weights[1].sum()
    assert words == [
        *(f"{action}  {view.strategy[i] @ weights:.1%}" for i, action in enumerate(SIX)),
        "not here",
    ]


def test_names_are_grey_where_nothing_comes(drawn):
    axes = drawn(draw_range_grid, VIEWS["two actions"]).axes[0]
    assert len(axes.texts) == 169
    black = {text.get_text() for text in axes.texts if text.get_color() == "black"}
    assert black == {"AA", "KK", "AKs"}


def test_dots_are_hands(drawn):
    view = VIEWS["cannot meet"]
    oop, ip = drawn(draw_values, view).axes[2:4]
    # AsAd meets neither hand of the opponent; QQ meets both.
    dots = np.concatenate([c.get_offsets() for c in oop.collections])
    is_queens = view.weights[0] > 0
    assert is_queens.sum() == 6
    expected = np.stack([view.equities[0], view.values[0] / view.pot], axis=1)[is_queens]
    np.testing.assert_allclose(sorted(dots.tolist()), sorted(expected.tolist()))
    colours = action_colours(view.actions)
    for collection in oop.collections:
        assert isinstance(collection, PathCollection)
        action = colours.index(to_hex(collection.get_facecolor()[0]).upper())
        for equity, _ in collection.get_offsets():
            row = int(np.flatnonzero(view.equities[0] == equity)[0])
            assert view.strategy[action, row] == view.strategy[:, row].max()
    assert len(ip.collections[0].get_offsets()) == 2
    # As much as a hand counts.
    dense = drawn(draw_values, VIEWS["two actions"]).axes[2].collections
    sizes = np.concatenate([c.get_sizes() for c in dense])
    weights = VIEWS["two actions"].weights[0]
    np.testing.assert_allclose(np.sort(sizes / sizes.max()), np.sort(weights / weights.max()))


def test_values_are_written_into_their_cells(drawn):
    view = VIEWS["one hand"]
    above = drawn(draw_values, view).axes[0]
    percent = round(100 * view.values[0][0] / view.pot)
    written = [text.get_text() for text in above.texts if "\n" in text.get_text()]
    assert written == [f"AA\n{percent}"]


def test_what_hardly_comes_is_left_out(drawn):
    view = made_up("Ks9h7d", "AA,QQ:0.004", "22", 0, ("check", "bet 100"))
    above, _, below, _ = drawn(draw_values, view).axes[:4]
    assert sum(len(collection.get_offsets()) for collection in below.collections) == 6
    assert [text.get_text()[:2] for text in above.texts if "\n" in text.get_text()] == ["AA"]


def test_heights_where_nothing_comes():
    view = made_up("Ks9h7d", "AA", "22", 0, ("check", "bet 100"))
    view.reach[0][:] = 0.0
    assert heights_of(view.by_class(0)).max() == 0.0


@pytest.mark.parametrize("number", range(9))
def test_bets_are_darker_the_larger_they_are(number):
    actions = ["fold", "call 5", *(f"raise to {10 * i}" for i in range(1, number + 1)), "all-in 99"]
    fold, call, *bets = action_colours(actions)
    assert (fold, call) == (BLUE, GREEN)
    brightness = [np.dot(to_rgb(colour), (0.2126, 0.7152, 0.0722)) for colour in bets]
    assert brightness == sorted(set(brightness), reverse=True)
    assert len(set(bets)) == number + 1


def test_long_paths_are_folded():
    lines = title_of(VIEWS["dense"], 60).splitlines()
    assert lines[0] == "river Ks 9h 7d 4c 2s: pot 200, IP to act"
    assert " ".join(lines[1:]) == VIEWS["dense"].path
    assert max(map(len, lines)) <= 60


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_view_gives_the_same_file(tmp_path, kind):
    view = VIEWS["two actions"]
    for draw in (draw_range_grid, draw_values):
        paths = [tmp_path / f"{draw.__name__}-{i}{kind}" for i in range(2)]
        for path in paths:
            draw(path, view)
        assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("name", ["figure", "figure.sgv", "figure.gif"])
def test_bad_names_are_refused(tmp_path, name):
    path = tmp_path / name
    for draw, what in (
        (draw_range_grid, VIEWS["one hand"]),
        (draw_values, VIEWS["one hand"]),
    ):
        with pytest.raises(BadInputError, match=rf"drawn as '{name}'.*\.svg"):
            draw(path, what)
    assert list(tmp_path.iterdir()) == []


def test_bad_input(tmp_path):
    with pytest.raises(BadInputError, match="whose range"):
        draw_range_grid(tmp_path / "f.svg", VIEWS["nobody acts"])
    with pytest.raises(BadInputError, match="no player 2"):
        draw_range_grid(tmp_path / "f.svg", VIEWS["dense"], 2)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch, tmp_path):
    # Importing from a module that is `None` here fails as if it were not installed.
    monkeypatch.setitem(sys.modules, "matplotlib.colors", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for draw, what in (
        (draw_range_grid, VIEWS["one hand"]),
        (draw_values, VIEWS["one hand"]),
    ):
        with pytest.raises(MissingExtraError, match="plots"):
            draw(tmp_path / "f.svg", what)
