"""From histories to the matrix, and from the matrix to panels: nothing is lost on the way."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games_for_tests import (
    CORNERS,
    Dealt,
    Public,
    games,
    matrix_game,
    random_dealt_game,
    small_random_games,
)
from infoset.forms import compile_game
from infoset.forms.kernels.panels import gradient_into
from infoset.games import CHANCE, TERMINAL, make

BUILT_IN = [
    "rps",
    "kuhn",
    "one_card(cards=13)",
    "leduc",
    "leduc(by_rank=true)",
    "liars_dice(faces=3)",
    "liars_dice(dice=2,faces=2)",
    "goofspiel(cards=3)",
    "goofspiel(cards=4)",
    "nolimit_leduc(stack=4)",
]
MADE_UP = {**CORNERS, **small_random_games()}


def entries_by_hand(game):
    """The payoff matrix straight from the rules, in exact fractions where they are exact.

    ``{((infoset, action) of player 0, the same of player 1): payoff}``; the last move of each.
    """
    matrix = defaultdict(Fraction)

    def walk(state, last, reach):
        if state.player == TERMINAL:
            matrix[last] += reach * Fraction(state.payoff)
        elif state.player == CHANCE:
            for label, p in state.chance:
                walk(state.child(label), last, reach * Fraction(p))
        else:
            for action in state.actions:
                step = (state.infoset, action)
                after = (step, last[1]) if state.player == 0 else (last[0], step)
                walk(state.child(action), after, reach)

    walk(game.root(), (None, None), Fraction(1))
    return matrix


def names(treeplex):
    """Every sequence as (infoset, action); None for the empty one."""
    out = [None]
    for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
        out.extend((key, label) for label in labels)
    return out


def check_payoff(game):
    tree = compile_game(game)
    first, second = (names(treeplex) for treeplex in tree.treeplexes)
    expected = entries_by_hand(game)
    payoff = tree.payoff
    pairs = list(zip(payoff.rows.tolist(), payoff.columns.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert {(first[r], second[c]) for r, c in pairs} == set(expected)
    largest = max(abs(float(entry)) for entry in expected.values())
    for (r, c), entry in zip(pairs, payoff.entries.tolist(), strict=True):
        # Sums of rounded terms: exact but for their last digits.
        assert entry == pytest.approx(float(expected[first[r], second[c]]), abs=1e-15 * largest)


@pytest.mark.parametrize("text", BUILT_IN)
def test_payoff(text):
    check_payoff(make(text))


@pytest.mark.parametrize("name", MADE_UP)
def test_payoff_of_made_up_games(name):
    check_payoff(MADE_UP[name])


def dense(tree):
    """The payoff matrix of player 0, as large as it is."""
    matrix = np.zeros([treeplex.num_sequences for treeplex in tree.treeplexes])
    matrix[tree.payoff.rows, tree.payoff.columns] = tree.payoff.entries
    return matrix


def unpacked(tree, player):
    """The matrix of a player as his panels hold it, in the numbering of the tree."""
    lanes, panels = tree.lanes, tree.lanes.panels[player]
    matrix = np.zeros((lanes.sizes[player], lanes.sizes[1 - player]))
    for strip, row in enumerate(panels.row):
        for p in range(panels.begin[strip], panels.begin[strip + 1]):
            width, at = panels.width[p], panels.pattern[p]
            block = panels.patterns[at : at + 8 * width].reshape(width, 8).T
            matrix[row : row + 8, panels.column[p] : panels.column[p] + width] += (
                panels.scale[p] * block
            )
    for k, row in enumerate(panels.sparse_row):
        for i in range(panels.sparse_begin[k], panels.sparse_begin[k + 1]):
            matrix[row, panels.sparse_column[i]] += panels.sparse_entry[i]
    own, other = lanes.positions[player], lanes.positions[1 - player]
    inside = lanes.unit.in_chips(matrix[np.ix_(own, other)])
    # Nothing lies where there is no sequence.
    assert np.count_nonzero(matrix) == np.count_nonzero(inside)
    return inside


def check_lanes(tree, rng):
    lanes = tree.lanes
    matrices = dense(tree), -dense(tree).T
    for player, treeplex in enumerate(tree.treeplexes):
        positions = lanes.positions[player]
        assert positions[0] == 0
        assert len(set(positions.tolist())) == treeplex.num_sequences
        assert positions.max(initial=0) < lanes.sizes[player] - 7  # a vector may overhang
        assert len(set(lanes.infoset_lane[player].tolist())) == treeplex.num_infosets
        check_groups(lanes, player, treeplex)

        # As numbers: each entry is there, to its last digits.
        np.testing.assert_allclose(unpacked(tree, player), matrices[player], rtol=1e-15, atol=0)

        # As an operator: the product with anything.
        plan = rng.standard_normal(tree.treeplexes[1 - player].num_sequences)
        values = np.zeros(lanes.sizes[player])
        gradient_into(values, lanes.panels[player], lanes.spread(1 - player, plan))
        # Rounding is bounded by the sum of absolute terms.
        bound = 1e-14 * (np.abs(matrices[player]) @ np.abs(plan)) + 1e-300
        found = lanes.unit.in_chips(lanes.collect(player, values))
        off = np.abs(found - matrices[player] @ plan)
        assert (off <= bound).all()
        # And nothing where there is no sequence.
        values[positions] = 0
        assert not values.any()


def check_groups(lanes, player, treeplex):
    """The groups place every action of an infoset as they say, below its parent's place."""
    groups = lanes.groups[player]
    positions = lanes.positions[player]
    group_of_lane = np.repeat(np.arange(len(groups.begin)), groups.lanes)
    depths = []
    for infoset in range(treeplex.num_infosets):
        lane = lanes.infoset_lane[player][infoset]
        g = group_of_lane[lane]
        begin, end = treeplex.infoset_begin[infoset : infoset + 2]
        assert groups.actions[g] == end - begin
        within = lane - groups.first[g]
        places = groups.begin[g] + np.arange(end - begin) * groups.lanes[g] + within
        assert (positions[begin:end] == places).all()
        assert groups.parent[lane] == positions[treeplex.infoset_parent[infoset]]
        depths.append((g, treeplex.infoset_depth[infoset]))
    # Shallow before deep, so that one pass over the groups settles everything.
    ordered = sorted(depths)
    assert [depth for _, depth in ordered] == sorted(depth for _, depth in depths)


@pytest.mark.parametrize("text", BUILT_IN)
def test_lanes(text):
    check_lanes(compile_game(make(text)), np.random.default_rng(5))


@pytest.mark.parametrize("name", MADE_UP)
def test_lanes_of_made_up_games(name):
    check_lanes(compile_game(MADE_UP[name]), np.random.default_rng(6))


@settings(max_examples=60, deadline=None)
@given(game=games(), seed=st.integers(0, 999))
def test_lanes_of_random_games(game, seed):
    check_lanes(compile_game(game), np.random.default_rng(seed))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_lanes_of_random_games_in_public_form(seed):
    check_lanes(compile_game(random_dealt_game(seed)), np.random.default_rng(seed))


def showdowns(*blocks):
    """Hands against hands: every block is a public state at which hand i meets hand j.

    Hands lie side by side in lanes, so blocks become panels.
    """
    num_rows, num_columns = np.shape(blocks[0])
    hands = tuple(f"h{i}" for i in range(max(num_rows, num_columns)))

    def deal(hand0):
        count = num_rows if hand0 is None else num_columns
        return [(hand, Fraction(1, count)) for hand in range(count)]

    meetings = tuple(
        (
            f"b{b}",
            Public(0, f"b{b}", (("go", Public(1, f"b{b},go", (("on", Public(-2, "", (), b)),))),)),
        )
        for b in range(len(blocks))
    )
    top = Public(-1, "", meetings, odds=lambda *_: Fraction(1, len(blocks)))
    return Dealt(top, hands, deal, lambda b, hand0, hand1: float(blocks[b][hand0][hand1]))


def random_matrix(rng, rows, columns, kind):
    return {
        "dense": rng.standard_normal((rows, columns)),
        "sparse": rng.standard_normal((rows, columns)) * (rng.random((rows, columns)) < 0.1),
        "ones": np.ones((rows, columns)),
        "blocks": np.kron(np.eye(5), rng.standard_normal((7, 7)))[:rows, :columns],
        "small numbers": rng.integers(-2, 3, (rows, columns)),
    }[kind]


KINDS = st.sampled_from(["dense", "sparse", "ones", "blocks", "small numbers"])


@settings(max_examples=60, deadline=None)
@given(rows=st.integers(1, 30), columns=st.integers(1, 30), kind=KINDS, seed=st.integers(0, 999))
def test_lanes_of_matrices(rows, columns, kind, seed):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, rows, columns, kind)
    check_lanes(compile_game(matrix_game(matrix.tolist())), rng)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 30),
    columns=st.integers(1, 30),
    kinds=st.lists(KINDS, min_size=1, max_size=4),
    scales=st.lists(st.sampled_from([1, 2, -3, 0.1, 1 / 3]), min_size=4, max_size=4),
    seed=st.integers(0, 999),
)
def test_lanes_of_showdowns(rows, columns, kinds, scales, seed):
    rng = np.random.default_rng(seed)
    blocks = [random_matrix(rng, rows, columns, kind) for kind in kinds]
    pots = [scale * blocks[i % len(blocks)] for i, scale in enumerate(scales)]
    check_lanes(compile_game(showdowns(*blocks, *pots)), rng)


def test_panels_share_patterns():
    """The same showdown for another pot is stored once."""
    block = np.arange(1, 26).reshape(5, 5)
    tree = compile_game(showdowns(*(k * block for k in (1, 2, -3, 7))))
    panels = tree.lanes.panels[0]
    assert len(panels.pattern) == 4
    assert len(set(panels.pattern.tolist())) == 1
    assert sorted(panels.scale / 25) == pytest.approx([-3, 1, 2, 7])
    check_lanes(tree, np.random.default_rng(1))


def test_panels_that_only_look_alike_are_kept_apart():
    block = np.arange(1, 26).reshape(5, 5).astype(float)
    other = block.copy()
    other[4, 4] *= 1 + 1e-12
    tree = compile_game(showdowns(block, other))
    assert len(set(tree.lanes.panels[0].pattern.tolist())) == 2
    check_lanes(tree, np.random.default_rng(1))


def test_small_payoffs_beside_large_ones():
    small, larger = np.full((3, 3), 1e6), np.full((3, 3), 1e6)
    small[1:], larger[1:] = 1.0, 1.0 + 3e-10
    check_lanes(compile_game(showdowns(small, larger)), np.random.default_rng(1))


@pytest.mark.filterwarnings("ignore:invalid value")
def test_tiny_payoffs_beside_plain_ones():
    block = np.ones((3, 3))
    block[0] = 1e-310
    check_lanes(compile_game(showdowns(block)), np.random.default_rng(1))
