"""Where games are cut: what texts mean, how many subgames there are, and what is refused."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import infoset
from games_for_tests import End, Luck, TreeGame, turn
from infoset.errors import BadInputError
from infoset.forms import compile_game
from infoset.games import CHANCE, TERMINAL
from infoset.resolving import Cut, cut_form, parse_cut


@functools.cache
def form_of(game):
    return infoset.compile(game)


def counts(game, text):
    """Subgames, roots, and cells of both players."""
    cut = cut_form(form_of(game), text)
    return cut.num_subgames, len(cut.roots), *(len(cells.sequence) for cells in cut.cells)


# --- texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cut", "back"),
    [
        ("round=2", Cut("round", 2), "round=2"),
        (" round = 12 ", Cut("round", 12), "round=12"),
        ("depth=1", Cut("depth", 1), "depth=1"),
        ("public", Cut("public"), "public"),
        (" Public", Cut("public"), "public"),
        ("flop", Cut("street", 1), "flop"),
        ("Turn", Cut("street", 2), "turn"),
        ("river ", Cut("street", 3), "river"),
        (" check, bet/Kh:check", Cut("path", path="check, bet/Kh:check"), "check, bet/Kh:check"),
        ("round", Cut("path", path="round"), "round"),
    ],
)
def test_texts_and_back(text, cut, back):
    assert parse_cut(text) == cut
    assert str(cut) == back
    assert parse_cut(cut) is cut
    assert parse_cut(str(cut)) == cut


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no cut; write it as in round=2"),
        ("  \n", "is no cut"),
        (None, "None.* is no cut"),
        (2, "is no cut"),
        (b"round=2", "is no cut"),
        ("x" * 1001, "is no cut"),
        ("round=1", "'round=1': a cut is at round=2 or later"),
        ("round=0", "a cut is at round=2 or later"),
        (",", "is no cut"),
        ("depth=0", "'depth=0': a cut is at depth=1 or later"),
    ],
)
def test_texts_that_are_no_cuts(text, message):
    with pytest.raises(BadInputError, match=message):
        parse_cut(text)


ANY_TEXT = st.text() | st.text("round=depth pulicflvtgk,/:0123456789-+.²٣", max_size=20)


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT | st.none() | st.integers() | st.binary())
@example("round=99999")
@example("depth=²")
@example("\ud800")
@example("round=-2")
def test_nonsense_is_refused_politely(text):
    """A cut that is read says what it says, and reads it again."""
    try:
        cut = parse_cut(text)
    except BadInputError:
        return
    assert parse_cut(str(cut)) == cut


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT | st.lists(st.sampled_from(["check", "bet", "call", "Kh", "/", ":"])).map(",".join))
@example(",")
@example("check,check/Kh")
@example("check,check/Kh:")
@example("fold")
def test_any_text_cuts_or_is_refused_politely(text):
    try:
        cut = cut_form(form_of("leduc"), text)
    except BadInputError:
        return
    assert cut.num_subgames > 0
    assert (cut.node_subgame[0], len(cut.roots) > 0) == (-1, True)


# --- Leduc --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "text", "expected"),
    [
        # Five ways to end the first round, 6 * 5 deals, six cards of each player.
        ("leduc", "round=2", (5, 5 * 30, 5 * 6, 5 * 6)),
        # With one of six cards on the board, 5 * 4 deals are left and five cards of each player.
        ("leduc", "public", (5 * 6, 30 * 20, 30 * 5, 30 * 5)),
        # Three ranks: all nine deals, all three cards, even if a rank is out once it is on board.
        ("leduc(by_rank=true)", "round=2", (5, 5 * 9, 5 * 3, 5 * 3)),
        ("leduc(by_rank=true)", "public", (15, 15 * 8, 15 * 3, 15 * 3)),
        ("leduc", "depth=1", (2, 2 * 30, 2 * 6, 2)),
        # One by one: check-check, check-bet, bet-call and bet-raise go on; bet-fold does not.
        ("leduc", "depth=2", (4, 4 * 30, 4 * 6, 4 * 6)),
        ("leduc", "check", (1, 30, 6, 1)),
        ("leduc", "check,bet", (1, 30, 6, 6)),
        ("leduc", "check,check", (1, 30, 6, 6)),
        ("leduc", "check, check / Kh", (1, 20, 5, 5)),
        ("leduc", "check,check/Kh:", (1, 20, 5, 5)),
        ("leduc", "check,check/Kh:bet", (1, 20, 5, 5)),
        # Cards that are not named: each by itself.
        ("leduc", "check,check,bet", (6, 6 * 20, 6 * 5, 6 * 5)),
        # Only one player decides after a bet: each of his cards is a subgame, with two of the
        # opponent's cards to hold against it.
        ("kuhn", "check,bet", (3, 6, 3, 6)),
        ("kuhn", "depth=1", (1 + 3, 12, 3 + 6, 1 + 3)),
        ("rps", "depth=1", (1, 3, 3, 1)),
    ],
)
def test_how_many_subgames_there_are(game, text, expected):
    assert counts(game, text) == expected


def test_rounds_begin_before_their_cards_and_public_cuts_after():
    form = form_of("leduc")
    assert (form.history.node_player[cut_form(form, "round=2").roots] == CHANCE).all()
    roots = cut_form(form, "public").roots
    assert (form.history.node_player[roots] == 0).all()
    assert (form.history.node_player[form.history.node_parent[roots]] == CHANCE).all()


def test_a_path_has_the_infosets_that_begin_with_it():
    form = form_of("leduc")
    for text, begin in (
        ("check,check", ":check,check/"),
        ("check,check/Kh", ":check,check/Kh:"),
        ("check,check/Kh:check", ":check,check/Kh:check"),
        ("check,bet,raise,call/Js", ":check,bet,raise,call/Js:"),
    ):
        cut = cut_form(form, text)
        for player in (0, 1):
            keys = form.treeplexes[player].keys
            assert {keys[i] for i in cut.infosets(player, 0)} == {k for k in keys if begin in k}


def test_cards_that_are_not_named_are_all_cards():
    form = form_of("leduc")
    cut = cut_form(form, "check,check,check")
    inside = {form.treeplexes[1].keys[i] for n in range(6) for i in cut.infosets(1, n)}
    assert {key.rpartition("/")[2].partition(":")[0] for key in inside} == {
        *("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
    }
    assert all("/" in key and key.split(":")[2].startswith("check") for key in inside)


@pytest.mark.parametrize("by_rank", ["false", "true"])
@pytest.mark.parametrize("text", ["round=2", "public"])
def test_all_in_roots_stay_in_the_trunk(by_rank, text):
    """Cards are dealt after an all-in and a call, too, but nobody decides anything then."""
    form = form_of(f"nolimit_leduc(stack=3,by_rank={by_rank})")
    history, cut = form.history, cut_form(form, text)
    is_decision = history.node_player >= 0
    depth = np.zeros(history.num_nodes, int)
    for node in range(1, history.num_nodes):
        above = history.node_parent[node]
        depth[node] = depth[above] + is_decision[above]
    deals = np.flatnonzero((history.node_player == CHANCE) & (depth > 0))
    followed = [is_decision[history.node_child[deal]] for deal in deals.tolist()]
    assert 0 < sum(followed) < len(deals)
    if text == "round=2":
        np.testing.assert_array_equal(np.sort(cut.roots), deals[followed])
    ends = np.flatnonzero(history.node_player == TERMINAL)
    after_all_in = np.isin(history.node_parent[ends], deals)
    assert after_all_in.any()
    assert (cut.node_subgame[ends[after_all_in]] == -1).all()
    assert (cut.node_subgame[deals[~np.array(followed)]] == -1).all()


def test_a_later_round():
    """Rounds are counted on each way through the game; moves of chance in a row are one deal."""

    def end(number):
        return turn(1, f"last {number}", x=End(number), y=End(-number))

    second = Luck((("s", 0.5, end(1)), ("t", 0.5, end(2))))
    middle = turn(0, "middle", a=second, b=End(0))
    in_a_row = Luck((("q", 0.5, middle), ("u", 0.5, end(5))))
    first = Luck((("p", 0.25, in_a_row), ("r", 0.75, end(3))))
    form = compile_game(TreeGame(turn(0, "top", a=first, b=end(4))))
    at_two, at_three, public = (cut_form(form, text) for text in ("round=2", "round=3", "public"))
    assert keys_of(at_two) == [{"middle", "last 1", "last 2", "last 3", "last 5"}]
    assert keys_of(at_three) == [{"last 1", "last 2"}]
    assert len(at_two.roots) == len(at_three.roots) == 1
    assert sorted(map(sorted, keys_of(public))) == [
        ["last 1", "last 2", "middle"],
        ["last 3"],
        ["last 5"],
    ]
    assert (form.history.node_player[public.roots] >= 0).all()


def keys_of(cut):
    """Of each subgame, the infosets of both players."""
    return [
        {cut.form.treeplexes[p].keys[i] for p in (0, 1) for i in cut.infosets(p, number)}
        for number in range(cut.num_subgames)
    ]


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        ("kuhn", "round=2", "'kuhn' cannot be cut at round=2: there is no round 2"),
        ("leduc", "round=3", "'leduc' cannot be cut at round=3: there is no round 3"),
        ("kuhn", "public", "'kuhn' cannot be cut at public: no card is dealt after the first"),
        ("kuhn", "depth=4", "'kuhn' cannot be cut at depth=4: no history with 4 actions"),
        ("kuhn", "depth=3", "nobody decides anything below this cut of 'kuhn'"),
        ("kuhn", "bet,fold", "nobody decides anything below this cut of 'kuhn'"),
        ("kuhn", "river", "'kuhn' has no river: streets are for hold'em spots"),
        ("leduc", "chek", "'leduc' has no path 'chek': at the start there is no 'chek'; did you"),
        ("leduc", "check,call", "after 'check' there is no 'call'"),
        ("leduc", "check,check/Ah", "after 'check, check' there is no 'Ah'"),
        ("leduc", ",", "is no cut"),
        ("leduc", " / : ,", "is no cut"),
        ("rps", "rock", "'rps' is not closed: player 1 cannot tell apart .* 'player1'"),
    ],
)
def test_what_cannot_be_cut(game, text, message):
    with pytest.raises(BadInputError, match=message):
        cut_form(form_of(game), text)
