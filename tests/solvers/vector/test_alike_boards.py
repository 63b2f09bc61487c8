"""One board for all that are alike, against a solver that plays every board by itself.

`test_spots` compares with the sequence form. Here only the deals are written out: no suit may have
another name, so every card that comes is a board of its own.
"""

from __future__ import annotations

import numpy as np
import pytest

from infoset.cards import Range, hand_of, parse_cards
from infoset.forms import boards
from infoset.forms.boards import hands_renamed
from infoset.forms.spot_form import form_of_spot
from infoset.games.holdem.betting import RIVER, TURN
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_algorithm
from spots_for_tests import evaluated, spot_solver

MENU = {"bet": "37%, a", "raise": "a"}
PAIRS = "AhAs,KhJs:0.5,KsJh:0.5,QdTh,QdTs"
SPOTS = {
    # Hearts and spades are alike.
    "turn, two suits": Spot(
        "Td9d6cQc", PAIRS, "QhTs,QsTh,8h7h:0.75,8s7s:0.75,9c9h,9c9s", 97, 131, MENU
    ),
    # All but hearts are: renaming them goes round in circles of three.
    "turn, three suits": Spot(
        "Qh9h6h4h",
        "AcKc,AdKd,AsKs,8c7d,8c7s,8d7c,8d7s,8s7c,8s7d",
        "QcTc,QdTd,QsTs,AhJh,TcTd:0.5,TcTs:0.5,TdTs:0.5",
        97,
        131,
        MENU,
    ),
    # Clubs and diamonds change places only if hearts and spades do.
    "turn, two pairs of suits": Spot("7c7d7h7s", "AcKh,AdKs,AhKc,AsKd", "QQ,JcJd", 97, 131, MENU),
    "turn, raked": Spot("Td9d6cQc", PAIRS, "QhTs,QsTh,8h7h,8s7s", 97, 131, MENU, rake=0.05),
    "turn, locked": Spot(
        "Td9d6cQc",
        PAIRS,
        "QhTs,QsTh,8h7h:0.75,8s7s:0.75",
        97,
        131,
        MENU,
        locks=[
            Lock("check, check, 2h", {"check": "AhAs"}),
            Lock("check, check, 2s", {"check": "AhAs"}),
        ],
    ),
    "flop, three suits": Spot(
        "Qh9h6h", "AcKc,AdKd,AsKs", "QcTc,QdTd,QsTs,AhJh", 97, 61, {"bet": "a", "raise": ""}
    ),
}


def solvers_of(spot, algorithm, monkeypatch):
    """One that plays a board for all alike, and one that plays every board."""
    recipe = find_algorithm(algorithm).recipe
    few = spot_solver(spot, recipe)
    with monkeypatch.context() as patch:
        patch.setattr(boards, "_RENAMINGS", ((0, 1, 2, 3),))
        every = spot_solver(spot, recipe)
    num_boards = [[len(deals.cards) for deals in s.layout.form.streets[1:]] for s in (few, every)]
    all_of_them = [48] if spot.street == TURN else [49, 49 * 48]
    assert num_boards[0] < num_boards[1] == all_of_them
    return few, every


@pytest.mark.parametrize("name", SPOTS)
def test_nothing_else_changes(name, monkeypatch):
    """Two iterations of CFR have no ties here, so numbers are the same but for rounding."""
    spot = SPOTS[name]
    few, every = solvers_of(spot, "cfr", monkeypatch)
    for iteration in range(2):
        for solver in (few, every):
            solver.run(1)
        assert few.evaluate().values == pytest.approx(every.evaluate().values, abs=1e-4), iteration
        best = [evaluated(solver).best_response_values() for solver in (few, every)]
        assert best[0] == pytest.approx(best[1], abs=1e-4)
        assert few.exploitability() == pytest.approx(every.exploitability(), abs=1e-4)
    for street in range(len(few.tables)):
        names = numbers_of_boards(few.form, street), numbers_of_boards(every.form, street)
        assert names[0].keys() <= names[1].keys()
        for board in names[0]:
            for player in (0, 1):
                for node in few.layout.bettings[street][player].nodes:
                    for numbers in ("regrets", "average"):
                        ours, theirs = (
                            by_hand(solver, numbers, street, player, boards[board], node)
                            for solver, boards in zip((few, every), names, strict=True)
                        )
                        np.testing.assert_allclose(ours, theirs, atol=2e-5)


def numbers_of_boards(form, street):
    """The number of each board by the cards that were dealt."""
    return {dealt: number for number, dealt in enumerate(form.dealt(street))}


def by_hand(solver, numbers, street, player, board, node):
    """[actions, hands] As `VectorSolver.numbers`, in the order of hands."""
    rows = solver.layout.rows[street][player]
    hand = rows.hand[rows.begin[board] : rows.begin[board + 1]]
    found = solver.numbers(numbers, street, player, board, node)
    return found[:, hand >= 0][:, np.argsort(hand[hand >= 0])]


@pytest.mark.parametrize("name", ["turn, two suits", "turn, three suits", "turn, raked"])
def test_long_runs_end_with_the_same_values(name, monkeypatch):
    few, every = solvers_of(SPOTS[name], "dcfr", monkeypatch)
    for solver in (few, every):
        solver.run(200)
    most = few.exploitability() + every.exploitability()
    assert 0 < most < 0.3
    for ours, theirs in zip(few.evaluate().values, every.evaluate().values, strict=True):
        assert abs(ours - theirs) <= most


def test_boards_that_are_alike_hold_the_same_under_other_names(monkeypatch):
    """In the solver that plays every board: what one board stands for is really the same."""
    spot = SPOTS["turn, three suits"]
    _, every = solvers_of(spot, "cfr", monkeypatch)
    every.run(2)
    river = form_of_spot(spot).runouts[RIVER]
    numbers = numbers_of_boards(every.form, 1)
    seen = set()
    for card, number, suits in zip(
        river.deal_card.tolist(), river.deal_board, river.deal_suits, strict=True
    ):
        played = numbers[tuple(river.board_cards[number].tolist()[len(spot.board) :])]
        dealt = numbers[card,]
        renamed = hands_renamed(suits)
        seen.add(played == dealt)
        for player in (0, 1):
            chances = every.strategy().probabilities(1, player)
            hands = every.form.hand_numbers[player]
            place = {int(hand): i for i, hand in enumerate(hands)}
            for i, hand in enumerate(hands):
                np.testing.assert_allclose(
                    chances[dealt, :, i], chances[played, :, place[int(renamed[hand])]], atol=1e-4
                )
    assert seen == {False, True}


def test_ranges_that_hardly_tell_suits_apart():
    """A range that is hardly different tells suits apart too, and hardly changes anything."""
    spot = SPOTS["turn, two suits"]
    weights = spot.range_ip.weights.copy()
    weights[hand_of(parse_cards("8h7h"))] += 1e-6
    apart = Spot("Td9d6cQc", spot.range_oop, Range(weights), 97, 131, MENU)
    few, every = (spot_solver(s, find_algorithm("cfr").recipe) for s in (spot, apart))
    assert len(few.layout.form.streets[1].cards) == 35
    assert len(every.layout.form.streets[1].cards) == 48
    for solver in (few, every):
        solver.run(2)
    assert few.evaluate().values == pytest.approx(every.evaluate().values, abs=1e-3)
    assert few.exploitability() == pytest.approx(every.exploitability(), abs=1e-3)
