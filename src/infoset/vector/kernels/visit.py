"""Walks over boards: one street's passes, with the streets after it in between."""

from typing import NamedTuple

import numpy as np
from numba import njit

from infoset.trees.kernels.compiled import inlined
from infoset.vector.kernels.passes import (
    UPDATE,
    F,
    Hands,
    Rule,
    Street,
    Table,
    ascend,
    descend_opponent,
    descend_own,
    settle,
)
from infoset.vector.kernels.simd16 import WIDTH, load16, splat16, store16

walk = njit(cache=True, _nrt=False, nogil=True)


class Level(NamedTuple):
    """One street of a spot as one player's update sees it: ``own`` is his, ``other`` the rest."""

    own: Street
    other: Street
    own_hands: Hands
    other_hands: Hands
    own_table: Table
    other_table: Table
    own_step: int
    """Numbers of a table per board."""
    other_step: int
    own_live: np.ndarray
    """Hands that the board leaves, weakest first on the river; board ``b`` has its part of it."""
    own_live_begin: np.ndarray
    other_live: np.ndarray
    other_live_begin: np.ndarray
    own_group: np.ndarray
    """Where each strength begins among a river's live hands."""
    other_group: np.ndarray
    group_begin: np.ndarray
    own_dead: np.ndarray
    own_dead_begin: np.ndarray
    other_dead: np.ndarray
    other_dead_begin: np.ndarray
    chance: float
    """Probability of each card that can come here, given four cards in hands."""
    map_begin: np.ndarray
    """[num_boards + 1] Which of `maps` belong to each board: the boards that it stands for."""
    maps: np.ndarray
    """[num_maps, own rows] For a board that this one stands for: which hand plays as which."""
    child_begin: np.ndarray
    """[num_boards + 1] The boards of the next street that follow each board."""


class Work(NamedTuple):
    """Room to work in on one street, one for each thread."""

    entry: np.ndarray
    """[lines, own rows]"""
    other_entry: np.ndarray
    exits: np.ndarray
    """[lines after, own rows]"""
    other_exits: np.ndarray
    reaches: np.ndarray
    values: np.ndarray
    later: np.ndarray
    """[lines after, own rows] Values that come back from the next street."""
    entry_values: np.ndarray
    plan: np.ndarray
    cards: np.ndarray


@inlined
def down(level, work, board, mode, rule):
    """The plans of both players on a board, and the reaches of its ends."""
    is_update = mode == UPDATE
    begin = board * level.own_step
    other_begin = board * level.other_step
    other = level.other_table
    if is_update:
        descend_opponent(
            level.own,
            level.other,
            level.other_hands.num_blocks,
            other.regrets,
            other.prediction,
            other_begin,
            rule.keep_other,
            work.other_entry,
            work.other_exits,
            work.reaches,
            work.plan,
        )
        descend_own(
            level.own,
            level.own_hands.num_blocks,
            level.own_table,
            begin,
            rule,
            work.entry,
            work.exits,
            work.plan,
        )
    else:
        descend_opponent(
            level.own,
            level.other,
            level.other_hands.num_blocks,
            other.average,
            other.average[:0],
            other_begin,
            F(1.0),
            work.other_entry,
            work.other_exits,
            work.reaches,
            work.plan,
        )


@inlined
def up(level, work, board, mode, rule):
    """Settle the ends of a board and take values up to the lines that led to it."""
    live = level.own_live[level.own_live_begin[board] : level.own_live_begin[board + 1]]
    other = level.other_live[level.other_live_begin[board] : level.other_live_begin[board + 1]]
    dead = level.own_dead[level.own_dead_begin[board] : level.own_dead_begin[board + 1]]
    groups = slice(level.group_begin[board], level.group_begin[board + 1])
    parts = (live, other, level.own_group[groups], level.other_group[groups], dead)
    settle(
        level.own,
        level.own_hands,
        level.own_hands.num_blocks * WIDTH,
        level.other_hands,
        level.other_hands.num_blocks * WIDTH,
        parts,
        work.values,
        work.reaches,
        work.cards,
    )
    ascend(
        level.own,
        level.own_hands.num_blocks,
        mode,
        level.own_table,
        board * level.own_step,
        rule,
        work.values,
        work.later,
        work.entry_values,
        work.plan,
    )


@inlined
def enter(level, work, above, board):
    """Take reaches from the street above: hands that hold the new card have none."""
    rows = level.own_hands.num_blocks * WIDTH
    other_rows = level.other_hands.num_blocks * WIDTH
    lines = level.own.num_lines
    chance = splat16(F(level.chance))
    for i in range(0, lines * other_rows, WIDTH):
        store16(work.other_entry, i, load16(above.other_exits, i) * chance)
    for i in range(0, lines * rows, WIDTH):
        store16(work.entry, i, load16(above.exits, i))
    for k in range(level.other_dead_begin[board], level.other_dead_begin[board + 1]):
        for line in range(lines):
            work.other_entry[line * other_rows + level.other_dead[k]] = F(0.0)
    for k in range(level.own_dead_begin[board], level.own_dead_begin[board + 1]):
        for line in range(lines):
            work.entry[line * rows + level.own_dead[k]] = F(0.0)


@inlined
def add_to(later, level, work, board):
    """Add a board's values to those of the board above, once for each board it stands for."""
    rows = level.own_hands.num_blocks * WIDTH
    for line in range(level.own.num_lines):
        for m in range(level.map_begin[board], level.map_begin[board + 1]):
            for h in range(rows):
                later[line * rows + h] += work.entry_values[line * rows + level.maps[m, h]]


@walk
def iterate_last(level0, level1, work0, work1, rules):
    """Whole iterations of a spot on the river: reaches stay in ``work.entry``."""
    for t in range(len(rules)):
        for player in range(2):
            r = rules[t, player]
            rule = Rule(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] > 0)
            if player == 0:
                down(level0, work0, 0, UPDATE, rule)
                up(level0, work0, 0, UPDATE, rule)
            else:
                down(level1, work1, 0, UPDATE, rule)
                up(level1, work1, 0, UPDATE, rule)


@walk
def visit_last(level, work, mode, rule, board):
    """The river: reaches are in ``work.entry``, values go to ``work.entry_values``."""
    down(level, work, board, mode, rule)
    up(level, work, board, mode, rule)


@walk
def go_down(level, work, board, mode, rule):
    """The way down on a board with streets to come."""
    down(level, work, board, mode, rule)


@walk
def go_up(level, work, board, mode, rule):
    """The way up on a board with streets to come."""
    up(level, work, board, mode, rule)


@walk
def visit_rivers(level, work, above, parts, mode, rule, begin, step):
    """Every so manieth river after the turn of ``above``; values go to ``parts[board]``."""
    for board in range(begin, len(parts), step):
        enter(level, work, above, board)
        down(level, work, board, mode, rule)
        up(level, work, board, mode, rule)
        add_to(parts[board], level, work, board)


@walk
def visit_turns(level, work, last, last_work, above, parts, mode, rule, begin, step):
    """Every so manieth turn after the flop of ``above``, each with its rivers."""
    for board in range(begin, len(parts), step):
        enter(level, work, above, board)
        down(level, work, board, mode, rule)
        for i in range(len(work.later)):
            work.later[i] = F(0.0)
        for river in range(level.child_begin[board], level.child_begin[board + 1]):
            enter(last, last_work, work, river)
            down(last, last_work, river, mode, rule)
            up(last, last_work, river, mode, rule)
            add_to(work.later, last, last_work, river)
        up(level, work, board, mode, rule)
        add_to(parts[board], level, work, board)
