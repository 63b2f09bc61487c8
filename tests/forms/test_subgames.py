"""Games cut in two: which histories, infosets and cells a subgame has, and what cells are worth."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_resolving as twin
import resolving_for_tests as helpers
from games_for_tests import (
    CORNERS,
    End,
    Luck,
    TreeGame,
    Turn,
    games,
    matrix_game,
    random_dealt_game,
    turn,
)
from infoset.errors import BadInputError
from infoset.forms import compile_game, decompose
from infoset.games import TERMINAL, make
from infoset.resolving import Trunk, cell_values, cut_form

GAMES = {
    "leduc round=2": (lambda: make("leduc"), "round=2"),
    "leduc public": (lambda: make("leduc"), "public"),
    "leduc depth=3": (lambda: make("leduc(by_rank=true)"), "depth=3"),
    "all-in": (lambda: make("nolimit_leduc(stack=3,by_rank=true)"), "round=2"),
    "all-in public": (lambda: make("nolimit_leduc(stack=3,by_rank=true)"), "public"),
    "kuhn": (lambda: make("kuhn"), "depth=2"),
    "liar's dice": (lambda: make("liars_dice(faces=3)"), "depth=3"),
    **{
        f"dealt {seed} {cut}": (lambda seed=seed: random_dealt_game(seed, 6), cut)
        for seed, cut in ((5, "depth=2"), (36, "round=2"), (49, "public"), (43, "depth=1"))
    },
}
EVERY = pytest.mark.parametrize("name", GAMES)


@functools.cache
def both(name):
    """A game that is cut: by the package, and the twin's subgames in the same order."""
    game, text = GAMES[name][0](), GAMES[name][1]
    cut = cut_form(compile_game(game), text)
    parts = helpers.twins_split(game, text)
    return cut, parts, helpers.twins_subgames(cut, parts)


def twins(strategy):
    return helpers.by_infoset(strategy.form, strategy.probabilities)


# --- subgames and cells -------------------------------------------------------------------------


@EVERY
def test_subgames_have_the_infosets_and_cells_of_the_twin(name):
    cut, parts, subgames = both(name)
    assert helpers.infosets_of(cut, -1) == parts.trunk.keys()
    for number, subgame in enumerate(subgames):
        assert np.count_nonzero(cut.root_subgame == number) == len(subgame.roots)
        for player in (0, 1):
            cells = helpers.cells_of(cut, player, number)
            assert len(set(cells)) == len(cells)
            assert set(cells) == set(subgame.cells(player))


@EVERY
def test_roots_come_with_the_probability_and_cells_of_the_twin(name):
    cut, _, subgames = both(name)
    for number, subgame in enumerate(subgames):
        here = np.flatnonzero(cut.root_subgame == number)
        names = [helpers.cells_of(cut, player, number) for player in (0, 1)]
        begins = [cut.cells[player].of(number).start for player in (0, 1)]
        ours = sorted(
            (
                *(names[p][cut.cells[p].of_root[root] - begins[p]] for p in (0, 1)),
                round(cut.node_chance[cut.roots[root]], 12),
            )
            for root in here.tolist()
        )
        assert ours == sorted(
            (root.cell(0), root.cell(1), round(root.reach(-1, {}), 12)) for root in subgame.roots
        )


@EVERY
def test_a_subgame_holds_all_that_follows_its_roots(name):
    cut, _, _ = both(name)
    history, subgame = cut.form.history, cut.node_subgame
    is_root = np.zeros(history.num_nodes, bool)
    is_root[cut.roots] = True
    np.testing.assert_array_equal(subgame[cut.roots], cut.root_subgame)
    assert (np.diff(cut.root_subgame) >= 0).all()
    above = np.append(-1, subgame[history.node_parent[1:]])
    np.testing.assert_array_equal(subgame[~is_root], above[~is_root])
    assert (above[is_root] == -1).all()
    for player in (0, 1):
        own = np.flatnonzero(history.node_player == player)
        np.testing.assert_array_equal(
            cut.cells[player].infoset_subgame[history.node_infoset[own]], subgame[own]
        )
        for number in range(-1, cut.num_subgames):
            owner = cut.form.treeplexes[player].sequence_infoset[cut.sequences(player, number)]
            np.testing.assert_array_equal(np.unique(owner), cut.infosets(player, number))


@settings(max_examples=80, deadline=None)
@given(games(), st.sampled_from(["depth=1", "depth=2", "depth=3", "round=2", "round=3", "public"]))
def test_any_game_is_cut_as_by_the_twin_or_refused_by_both(game, text):
    form = compile_game(game)
    try:
        parts = helpers.twins_split(game, text)
    except ValueError:  # infosets of the trunk and of a subgame
        with pytest.raises(BadInputError, match="is not closed"):
            cut_form(form, text)
        return
    if not parts.subgames:
        with pytest.raises(BadInputError, match=r"cannot be cut|nobody decides"):
            cut_form(form, text)
        return
    cut = cut_form(form, text)
    strategy = helpers.random_strategy(form, 1, zeros=0.2)
    for number, subgame in enumerate(helpers.twins_subgames(cut, parts)):
        for player in (0, 1):
            check_values(cut, number, subgame, strategy, player)


def test_roots_that_share_an_infoset_far_below_are_one_subgame():
    """Player 0 forgets nothing, but player 1 sees the first move only at last, by elimination."""
    last = turn(1, "both", x=End(1), y=End(-1))
    apart = tuple((label, turn(0, f"own {label}", go=last)) for label in "abc")
    form = compile_game(TreeGame(Turn(0, "first", apart)))
    cut = cut_form(form, "depth=1")
    assert cut.num_subgames == 1
    assert len(cut.roots) == 3
    assert [len(cells.sequence) for cells in cut.cells] == [3, 1]


@pytest.mark.parametrize("count", [255, 256, 257])
def test_an_infoset_that_a_root_leads_to_very_often(count):
    """Roots hang together however many histories of one infoset each of them leads to."""
    own = Turn(1, "blind", (("x", End(1)), ("y", End(-1))))
    many = Luck(tuple((f"o{i}", 1 / count, own) for i in range(count)))
    top = Turn(0, "first", (("a", many), ("b", many)))
    cut = cut_form(compile_game(TreeGame(top)), "depth=1")
    assert cut.num_subgames == 1
    assert len(cut.roots) == 2


# --- what cells are worth -----------------------------------------------------------------------


def check_values(cut, number, subgame, strategy, player):
    """Of the strategy and of a counterfactual best response, cell by cell."""
    names = helpers.cells_of(cut, player, number)
    for values_of, best in (
        (twin.counterfactual_values, False),
        (twin.best_response_values, True),
    ):
        ours = cell_values(cut, strategy, player, best=best)[cut.cells[player].of(number)]
        theirs = values_of(subgame, twins(strategy), player)
        np.testing.assert_allclose(ours, [theirs[cell] for cell in names], rtol=0, atol=1e-12)


@EVERY
@pytest.mark.parametrize("zeros", [0.0, 0.4])
def test_cells_are_worth_what_the_twin_says(name, zeros):
    cut, _, subgames = both(name)
    strategy = helpers.random_strategy(cut.form, name, zeros)
    chosen = range(len(subgames)) if len(subgames) < 8 else range(0, len(subgames), 7)
    for number in chosen:
        for player in (0, 1):
            check_values(cut, number, subgames[number], strategy, player)


@EVERY
def test_a_trunk_has_own_reach_and_best_values(name):
    cut, _, subgames = both(name)
    strategy = helpers.random_strategy(cut.form, name, zeros=0.2)
    trunk, probabilities = Trunk.of(cut, strategy), twins(strategy)
    for number, subgame in enumerate(subgames):
        for player in (0, 1):
            roots = subgame.cells(player)
            own = [
                roots[cell][0].reach(player, probabilities)
                for cell in helpers.cells_of(cut, player, number)
            ]
            ours = trunk.reach[player][cut.cells[player].of(number)]
            np.testing.assert_allclose(ours, own, rtol=0, atol=1e-14)
    for player in (0, 1):
        np.testing.assert_array_equal(
            trunk.values[player], cell_values(cut, strategy, player, best=True)
        )


@EVERY
def test_cells_and_ends_of_the_trunk_add_up_to_the_value_of_the_game(name):
    cut, parts, _ = both(name)
    history = cut.form.history
    strategy = helpers.random_strategy(cut.form, name)
    trunk = Trunk.of(cut, strategy)
    value = naive.expected_value(parts.histories, twins(strategy))
    ends = np.flatnonzero((history.node_player == TERMINAL) & (cut.node_subgame < 0))
    plans = [np.ones(t.num_sequences) for t in cut.form.treeplexes]
    for player, treeplex in enumerate(cut.form.treeplexes):
        for infoset in range(treeplex.num_infosets):
            begin, end = treeplex.infoset_begin[infoset : infoset + 2]
            above = plans[player][treeplex.infoset_parent[infoset]]
            plans[player][begin:end] = above * strategy.probabilities[player][begin:end]
    reach = cut.node_chance * plans[0][cut.node_sequence[0]] * plans[1][cut.node_sequence[1]]
    in_trunk = float((reach * history.node_payoff)[ends].sum())
    for player, sign in ((0, 1), (1, -1)):
        below = trunk.reach[player] @ cell_values(cut, strategy, player)
        assert below + sign * in_trunk == pytest.approx(sign * value, abs=1e-12)


# --- one player alone ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["player 0 alone", "player 1 alone"])
def test_a_player_who_never_moves_has_one_cell_a_subgame(name):
    game = CORNERS[name]
    cut = cut_form(compile_game(game), "depth=1")
    idle = 1 if name == "player 0 alone" else 0
    assert cut.cells[idle].sequence.tolist() == [0] * cut.num_subgames
    strategy = helpers.random_strategy(cut.form, 3)
    subgames = helpers.twins_subgames(cut, helpers.twins_split(game, "depth=1"))
    for number, subgame in enumerate(subgames):
        for player in (0, 1):
            check_values(cut, number, subgame, strategy, player)


# --- what is refused ----------------------------------------------------------------------------


def test_marks_that_tear_an_infoset_name_it_and_its_histories():
    form = compile_game(matrix_game([[3, 1], [2, 5], [0, 4]]))
    marks = np.zeros(form.history.num_nodes, bool)
    marks[1] = True
    with pytest.raises(BadInputError) as error:
        decompose(form, marks)
    text = str(error.value)
    assert "player 1 cannot tell apart the histories of his infoset 'col'" in text
    assert "[r0 at 'row'] is below the cut and [r1 at 'row'; r2 at 'row'] is not" in text
    assert "1 infosets are torn" in text


def test_histories_of_chance_are_named_too():
    """Both players' infosets are looked at: here one of player 0, whose numbers come first."""
    hidden = Luck(
        (
            ("x", 0.5, turn(0, "i", a=End(1), b=End(2))),
            ("y", 0.5, turn(1, "j", c=turn(0, "i", a=End(0), b=End(3)))),
        )
    )
    form = compile_game(TreeGame(hidden))
    with pytest.raises(BadInputError) as error:
        cut_form(form, "depth=1")
    text = str(error.value)
    assert "player 0 cannot tell apart the histories of his infoset 'i'" in text
    assert "[outcome 1 of chance, c at 'j'] is below" in text
    assert "[outcome 0 of chance] is not" in text


def test_only_some_of_many_histories_are_named():
    form = compile_game(matrix_game([[i, -i] for i in range(40)]))
    marks = np.zeros(form.history.num_nodes, bool)
    marks[1] = True
    with pytest.raises(BadInputError) as error:
        decompose(form, marks)
    assert str(error.value).count("at 'row'") == 1 + 4


def test_a_cut_below_which_nobody_decides_is_refused():
    form = compile_game(matrix_game([[3, 1], [2, 5]]))
    marks = form.history.node_player == TERMINAL
    with pytest.raises(BadInputError, match="nobody decides anything below this cut of 'matrix'"):
        decompose(form, marks)


def test_marks_below_marks_do_not_count():
    """Each way through the game is cut once: where it is marked first."""
    form = compile_game(random_dealt_game(36, 6))
    first = cut_form(form, "depth=1")
    marks = np.zeros(form.history.num_nodes, bool)
    marks[first.roots] = True
    again = decompose(
        form, marks | (form.history.node_player == TERMINAL) | (first.node_subgame >= 0)
    )
    np.testing.assert_array_equal(again.node_subgame, first.node_subgame)
    np.testing.assert_array_equal(again.roots, first.roots)
