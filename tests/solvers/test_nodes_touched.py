"""Nodes touched: what a run counts, against histories and public nodes counted one by one."""

from __future__ import annotations

import itertools

import pytest

import infoset
from infoset.cards import parse_cards
from infoset.forms import compile_game
from infoset.forms.betting_tree import NodeKind
from infoset.forms.dealt_form import form_of_dealt
from infoset.forms.seams import with_leaves
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem.spot import Spot
from infoset.solvers.exact.linear_program import LinearProgramSolver
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.fictitious_play import FictitiousPlaySolver
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.vector.solver import VectorSolver
from spots_for_tests import spot_solver


def children(state):
    if state.player == TERMINAL:
        return []
    steps = [label for label, _ in state.chance] if state.player == CHANCE else state.actions
    return [state.child(step) for step in steps]


def walk(state):
    """A state and all that can follow it."""
    yield state
    for child in children(state):
        yield from walk(child)


# --- games --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "nodes"), [("kuhn", 58), ("leduc", 9_457), ("rps", 13)])
def test_full_width_solvers_touch_every_history(game, nodes):
    assert sum(1 for _ in walk(make(game).root())) == nodes
    tree = compile_game(make(game))
    in_each_iteration = {
        RegretSolver(tree, Recipe()): 2 * nodes,
        RegretSolver(tree, Recipe(alternating=False)): nodes,
        FictitiousPlaySolver(tree): 2 * nodes,
        FictitiousPlaySolver(tree, alternating=True): 2 * nodes,
    }
    for solver, touched in in_each_iteration.items():
        assert solver.nodes_touched == 0
        solver.run(3)
        solver.run(4)
        assert solver.nodes_touched == 7 * touched
        solver.restore(solver.state(), 5)
        assert solver.nodes_touched == 5 * touched


def test_a_linear_program_reads_every_history_once():
    solver = LinearProgramSolver(compile_game(make("kuhn")))
    assert solver.nodes_touched == 0
    solver.run()
    solver.run()
    assert solver.nodes_touched == 58


def test_what_a_run_tells():
    solution = infoset.solve("kuhn", "cfr+", iterations=100)
    assert solution.nodes_touched == 100 * 2 * 58
    assert [point.nodes_touched for point in solution.curve] == [
        point.iteration * 2 * 58 for point in solution.curve
    ]
    told = solution.summary()
    assert told["nodes_touched"] == told["curve"][-1]["nodes_touched"] == 11_600
    assert infoset.solve("kuhn", "lp").nodes_touched == 58


def test_a_resumed_run_counts_on(tmp_path):
    infoset.solve("kuhn", "cfr+", iterations=10, checkpoint=tmp_path / "run")
    resumed = infoset.solve("kuhn", iterations=30, resume=tmp_path / "run")
    assert resumed.nodes_touched == 30 * 2 * 58
    assert all(point.nodes_touched == point.iteration * 2 * 58 for point in resumed.curve)


# --- spots and small card games -----------------------------------------------------------------

RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs", "99,AKo:0.25,J8s", 100, 250)
# No two suits are alike. Some are all-in on the turn, and the river still comes.
TURN = Spot("Td9d6hQc", "KsKh,JTs", "99,AcJc,8d7d", 97, 131, {"bet": "37%, a", "raise": "a"})

# Three streets, and all-ins before the last.
HOLDEM = "holdem(stack=3,small_blind=1,big_blind=2,streets=3,ranks=4,suits=2)"


def visits(places):
    """[player] How many pairs there are of what is seen in the open and a hand of the player."""
    return [len({(seen, hands[player]) for seen, hands in places}) for player in (0, 1)]


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
def test_spots_touch_public_nodes_with_every_hand(spot):
    states = (state for state in walk(spot.root()) if state.hand1 is not None)
    places = [(state.public.public_history, (state.hand0, state.hand1)) for state in states]
    solver = spot_solver(spot, Recipe())
    assert [solver.layout.num_visits(player) for player in (0, 1)] == visits(places)
    solver.run(3)
    assert solver.nodes_touched == 3 * sum(visits(places))
    at_once = spot_solver(spot, Recipe(alternating=False))
    at_once.run(1)
    assert at_once.nodes_touched == sum(visits(places))


def test_what_a_run_on_a_spot_tells(tmp_path):
    solution = infoset.solve(RIVER, iterations=20)
    each = sum(solution.strategy.layout.num_visits(player) for player in (0, 1))
    assert solution.nodes_touched == solution.summary()["nodes_touched"] == 20 * each
    assert solution.curve[-1].nodes_touched == 20 * each
    solution.save(tmp_path / "spot")
    assert infoset.load(tmp_path / "spot").nodes_touched == 20 * each


def test_boards_that_are_alike_are_visited_once():
    """Clubs and hearts are alike here, and so are diamonds and spades, all with their boards."""
    spot = Spot("TdTs6s6d", "AA", "KK", 100, 100, {"bet": "a", "raise": ""})
    solver = spot_solver(spot, Recipe())
    rivers = solver.form.runouts[-1].board_cards.tolist()
    assert len(rivers) < 48
    is_showdown = solver.form.tree.node_kind == NodeKind.SHOWDOWN
    is_turn = solver.form.tree.node_street == spot.street
    # After an all-in on the turn a river is dealt, and ends it.
    num_on_turn, num_on_river = is_turn.sum(), (~is_turn | is_showdown).sum()
    for player, rank in enumerate("AK"):
        hands = [*itertools.combinations(parse_cards(f"{rank}c{rank}d{rank}h{rank}s"), 2)]
        left = sum(not {*hand} & {*board} for board in rivers for hand in hands)
        expected = num_on_turn * len(hands) + num_on_river * left
        assert solver.layout.num_visits(player) == expected


@pytest.mark.parametrize("name", ["kuhn", "leduc", "nolimit_leduc(stack=3)", HOLDEM])
def test_small_card_games_touch_public_histories_with_every_hand(name):
    game = make(name)
    states = (state for state in walk(game.root()) if state.hand1 is not None)
    places = [(state.public.public_history, (state.hand0, state.hand1)) for state in states]
    solver = VectorSolver(form_of_dealt(game), Recipe())
    solver.run(2)
    assert solver.nodes_touched == 2 * sum(visits(places))


@pytest.mark.parametrize(
    ("leaves", "nodes"),
    [
        # The root, what follows a check, and after a bet the decision, fold and call.
        ([1], 1 + 1 + 3),
        ([1, 2], 1 + 2),
        ([2], 1 + 5 + 1),
    ],
)
def test_leaves_are_touched_too(leaves, nodes):
    """Kuhn poker has nine public nodes: check, check; check, bet, fold or call; bet, ..."""
    whole = form_of_dealt(make("kuhn"))
    assert VectorSolver(whole, Recipe()).layout.num_visits(0) == 3 * 9
    solver = VectorSolver(with_leaves(whole, leaves, {}), Recipe())
    solver.run(2)
    assert solver.nodes_touched == 2 * 2 * 3 * nodes
