"""Every solver keeps the one contract, `infoset.solvers.contract.Solver`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import naive
from infoset.cards import format_hand
from infoset.errors import FileFormatError, TooLargeError
from infoset.forms import compile_game
from infoset.forms.dealt_form import form_of_dealt
from infoset.forms.spot_form import form_of_spot
from infoset.games import make
from infoset.games.holdem.spot import Spot
from infoset.neural import neural_solver
from infoset.solvers.algorithms import find_algorithm, find_recipe
from infoset.solvers.contract import Solver, same_arrays
from infoset.solvers.exact.linear_program import LinearProgramSolver
from infoset.solvers.loop import restore
from infoset.solvers.sampled.dense import SampledSolver
from infoset.solvers.sampled.sparse import SparseSolver
from infoset.solvers.sequence.fictitious_play import FictitiousPlaySolver
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.solution_files import Checkpoint
from infoset.solvers.solving import regret_solver
from infoset.solvers.vector.solver import VectorSolver

HORIZON = 40
RIVER = Spot(
    "Ks9h7d4c2s", "AsAh,KhQh:0.5,QdJd,Tc8c", "9s9d,KcQc:0.25,Jh8h", 96, 131, {"bet": "50%, a"}
)

GENERAL = {
    "regrets": lambda game: RegretSolver(compile_game(game), find_recipe("dcfr"), HORIZON),
    "regrets, both at once": lambda game: RegretSolver(
        compile_game(game), find_recipe("pdcfr+(alternating=false)"), HORIZON
    ),
    "hedge": lambda game: RegretSolver(compile_game(game), find_recipe("hedge(skip=3)"), HORIZON),
    "regrets, partial pruning": lambda game: RegretSolver(
        compile_game(game), find_recipe("cfr+(pruning=partial)"), HORIZON
    ),
    "total pruning": lambda game: regret_solver(
        compile_game(game),
        find_recipe("cfr+(pruning=total(every=3,caution=0.1,drift=0,thrifty=false))"),
        HORIZON,
    ),
    "interval pruning": lambda game: regret_solver(
        compile_game(game),
        find_recipe("cfr(pruning=interval(every=3,caution=0.1,drift=0,thrifty=false))"),
        HORIZON,
    ),
    "fictitious play": lambda game: FictitiousPlaySolver(compile_game(game)),
    "linear program": lambda game: LinearProgramSolver(compile_game(game)),
    "neural": lambda game: neural_solver(
        compile_game(game),
        game,
        find_algorithm("dncfr(b=20,steps=2,average_steps=5,average_every=2,embedding=8)").neural,
        seed=5,
    ),
    "neural fictitious play": lambda game: neural_solver(
        compile_game(game),
        game,
        find_algorithm(
            "nfsp(b=20,anticipatory=0.5,warmup=1,batch=16,embedding=8,memory=200,average_memory=200)"
        ).neural,
        seed=5,
    ),
    "sampled, dense": lambda game: SampledSolver(
        compile_game(game), find_recipe("es-mccfr"), HORIZON, seed=5
    ),
    "sampled, with baselines": lambda game: SampledSolver(
        compile_game(game), find_recipe("vr-mccfr"), HORIZON, seed=5, threads=2
    ),
}
OTHERS = {
    "sampled, sparse": lambda game: SparseSolver(game, find_recipe("os-mccfr"), HORIZON, seed=5),
    "by hand": lambda game: VectorSolver(form_of_dealt(game), find_recipe("dcfr"), HORIZON),
    "by hand, predictive": lambda game: VectorSolver(
        form_of_dealt(game), find_recipe("pcfr+(alternating=false,skip=3)"), HORIZON
    ),
    "by hand, 16 bits": lambda game: VectorSolver(
        form_of_dealt(game), find_recipe("dcfr"), HORIZON, bits=16
    ),
}
SOLVERS = {**GENERAL, **OTHERS}


@pytest.fixture(params=SOLVERS)
def make_solver(request):
    """Makes the same solver again and again, at its start."""
    return lambda: SOLVERS[request.param](make("kuhn"))


def tables_of(strategy):
    return strategy.table(0), strategy.table(1)


def copied(solver):
    return {name: array.copy() for name, array in solver.state().items()}


def checkpoint(solver, state):
    return Checkpoint("kuhn", "", "any", iteration=solver.iteration, state=state)


def test_nothing_of_the_contract_is_missing(make_solver):
    solver = make_solver()
    names = {*Solver.__annotations__, *vars(Solver)}
    public = {name for name in names if not name.startswith("_")}
    assert len(public) == 17
    for name in public:
        assert hasattr(solver, name), name
        if inspect.isfunction(vars(Solver).get(name)):
            asked = inspect.signature(vars(Solver)[name]).parameters
            answered = inspect.signature(getattr(type(solver), name)).parameters
            assert list(asked) == list(answered), name


def test_a_strategy_is_a_distribution(make_solver):
    solver = make_solver()
    for iterations in (1, 5):
        solver.run(iterations)
        for table in tables_of(solver.strategy()):
            is_sparse = isinstance(solver, SparseSolver)  # only what was visited
            assert 0 < len(table) <= 6 if is_sparse else len(table) == 6
            for actions in table.values():
                assert min(actions.values()) >= 0.0
                assert sum(actions.values()) == pytest.approx(1.0, abs=1e-6)


def test_a_strategy_stays_as_it_is_when_the_solver_goes_on(make_solver):
    solver = make_solver()
    seen = []
    for iterations in (2, 4, 8):
        solver.run(iterations)
        strategy = solver.strategy()
        seen.append((strategy, tables_of(strategy), strategy["K:bet"]))
    for strategy, tables, row in seen:
        assert tables_of(strategy) == tables
        assert strategy["K:bet"] == row
    if not solver.is_exact:
        assert seen[0][1] != seen[1][1] != seen[2][1]


def test_to_restore_is_to_go_on(make_solver):
    whole = make_solver()
    whole.run(7)
    cut = copied(whole)
    whole.run(9)
    for run_before in (0, 3):  # also over what a solver has learnt since
        part = make_solver()
        part.run(run_before)
        assert part.accepts(cut)
        part.restore(cut, 1 if part.is_exact else 7)
        part.run(9)
        assert part.iteration == whole.iteration
        assert part.nodes_touched == whole.nodes_touched
        ours, theirs = part.state(), whole.state()
        assert ours.keys() == theirs.keys()
        for name, array in theirs.items():
            assert ours[name].tobytes() == array.tobytes(), name
        assert tables_of(part.strategy()) == tables_of(whole.strategy())
        assert part.evaluate() == whole.evaluate()


def test_a_strategy_stays_as_it_is_when_its_solver_is_restored(make_solver):
    solver = make_solver()
    solver.run(2)
    early, iteration = copied(solver), solver.iteration
    solver.run(8)
    strategy = solver.strategy()
    before = tables_of(strategy)
    solver.restore(early, iteration)
    assert tables_of(strategy) == before


def test_a_state_of_another_shape_is_not_accepted(make_solver):
    solver = make_solver()
    solver.run(3)
    state = copied(solver)
    assert solver.accepts(state)
    assert not solver.accepts({})
    assert not solver.accepts({**state, "more": np.zeros(3)})
    for name, array in state.items():
        assert not solver.accepts({k: v for k, v in state.items() if k != name}), name
        other = np.float32 if array.dtype == np.float64 else np.float64
        assert not solver.accepts({**state, name: array.astype(other)}), name
        cut = {**state, name: array.reshape(-1)[:-1]}
        with pytest.raises(FileFormatError, match=r"does not hold what .* needs"):
            restore(solver, checkpoint(solver, cut))
    assert same_arrays(solver.state(), state)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(make_solver, number):
    solver = make_solver()
    solver.run(3)
    before = copied(solver)
    floats = [name for name, array in before.items() if array.dtype.kind == "f" and array.size]
    assert floats
    for name in floats:
        spoiled = before[name].copy()
        spoiled.reshape(-1)[-1] = number
        with pytest.raises(FileFormatError, match="does not hold what 'any' needs"):
            restore(solver, checkpoint(solver, {**before, name: spoiled}))
    for name, array in solver.state().items():
        assert array.tobytes() == before[name].tobytes(), "a refused state was taken over"


def test_what_is_measured(make_solver):
    solver = make_solver()
    solver.run(20)
    evaluation = solver.evaluate()
    assert sum(evaluation.values) == pytest.approx(0.0, abs=1e-6)
    assert evaluation.exploitability >= 0.0
    if evaluation.bound is None:
        assert evaluation.exploitability == pytest.approx(solver.exploitability(), abs=1e-9)
        gap = evaluation.exploitability
        assert -1 / 18 - 2 * gap - 1e-6 <= evaluation.values[0] <= -1 / 18 + 2 * gap + 1e-6


def test_bytes(make_solver):
    solver = make_solver()
    solver.run(2)
    assert 0 < solver.kept_bytes <= solver.working_bytes or solver.is_exact
    assert solver.form_bytes >= 0
    arrays = sum(array.nbytes for array in solver.state().values())
    assert solver.kept_bytes < 4 * arrays + 10_000


# --- counterfactual values ----------------------------------------------------------------------


def both_tables(strategy):
    """A strategy as the naive twin has it."""
    first, second = tables_of(strategy)
    return {**{(0, key): row for key, row in first.items()},
            **{(1, key): row for key, row in second.items()}}  # fmt: skip


def naive_values(histories, strategy, player, *, best):
    """v_i(I) of every infoset, by the definition: reach of the others times utility."""
    if best:
        return naive.best_response(histories, strategy, player)[2]
    reach = naive.reach_of_others(histories, strategy, player)
    return {
        key: sum(reach[h] * naive.utility(h, strategy, player) for h in nodes)
        for key, nodes in histories.infosets.items()
        if key[0] == player
    }


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("game", ["kuhn", "leduc(by_rank=true)"])
@pytest.mark.parametrize("name", GENERAL)
def test_counterfactual_values_of_infosets(name, game, best):
    solver = GENERAL[name](make(game))
    solver.run(4)
    histories = naive.Histories(make(game))
    strategy = both_tables(solver.strategy())
    for player in (0, 1):
        values = solver.counterfactual_values(player, best=best)
        keys = solver.strategy().form.treeplexes[player].keys
        expected = naive_values(histories, strategy, player, best=best)
        assert values.shape == (len(keys),)
        assert len(expected) == len(keys)
        for key, value in zip(keys, values.tolist(), strict=True):
            assert value == pytest.approx(expected[player, key], abs=1e-12), key


def naive_hand_values(histories, strategy, player, *, best):
    """What each hand wins after the deal, times how likely it is: by the label of the hand."""
    if best:
        chosen = naive.best_response(histories, strategy, player)[1]
        strategy = dict(strategy)
        for key, taken in chosen.items():
            strategy[key] = {action: float(action == taken) for action in strategy[key]}
    out = {}
    for first, after in histories.root.children.items():
        for second, node in after.children.items():
            probability = histories.root.odds[first] * after.odds[second]
            hand = first if player == 0 else second
            won = probability * naive.utility(node, strategy, player)
            out[hand] = out.get(hand, 0.0) + won
    return out


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_counterfactual_values_of_hands(game, best):
    """In public form, of every hand at the root; chance deals it, too, in the naive twin."""
    solver = VectorSolver(form_of_dealt(make(game)), find_recipe("dcfr"), HORIZON)
    solver.run(3)
    histories = naive.Histories(make(game))
    strategy = both_tables(solver.strategy())
    for player in (0, 1):
        values = solver.counterfactual_values(player, best=best) / solver.form.num_pairs
        expected = naive_hand_values(histories, strategy, player, best=best)
        assert dict(zip(solver.form.hands, values.tolist(), strict=True)) == {
            hand: pytest.approx(value, abs=1e-5) for hand, value in expected.items()
        }


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("game", ["kuhn", "leduc", "river"])
def test_counterfactual_values_in_both_forms(game, best):
    """A hand at the root is worth what all infosets are together where it is first asked."""
    rules = RIVER if game == "river" else make(game)
    form = form_of_spot(rules) if game == "river" else form_of_dealt(rules)
    solvers = (
        RegretSolver(compile_game(rules), find_recipe("cfr"), HORIZON),
        VectorSolver(form, find_recipe("cfr"), HORIZON),
    )
    for solver in solvers:
        solver.run(2)
    for player in (0, 1):
        in_sequence_form, in_public_form = (
            solver.counterfactual_values(player, best=best) for solver in solvers
        )
        treeplex = solvers[0].form.treeplexes[player]
        hands = (
            [format_hand(int(hand)) for hand in form.hand_numbers[player]]
            if game == "river"
            else form.hands
        )
        weights = form.weights[player] / form.num_pairs
        assert len(set(weights.tolist())) == (2 if game == "river" else 1)
        for hand, value, weight in zip(hands, in_public_form, weights, strict=True):
            first = [
                i
                for i, (key, parent) in enumerate(
                    zip(treeplex.keys, treeplex.infoset_parent, strict=True)
                )
                if parent == 0 and key.startswith(f"{hand}:")
            ]
            assert first
            expected = in_sequence_form[first].sum()
            assert weight * value == pytest.approx(expected, abs=1e-5 * max(1, abs(expected)))


def test_counterfactual_values_of_a_game_that_is_only_sampled():
    solver = SparseSolver(make("kuhn"), find_recipe("es-mccfr"), HORIZON, seed=5)
    solver.run(2)
    with pytest.raises(TooLargeError, match="every history, are not known"):
        solver.counterfactual_values(0)
