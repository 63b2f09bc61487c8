"""Checkpoints as files: a run that goes on from one is the run that was never stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import infoset
from infoset.errors import BadInputError, FileFormatError
from infoset.machine.storage import read_archive, write_archive
from infoset.solvers.recipe import Recipe
from infoset.solvers.solution import Solution
from infoset.solvers.solution_files import read_checkpoint, write_checkpoint

any_path = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)


@pytest.fixture
def checkpoint(quick_path: Path) -> Path:
    """A checkpoint on Kuhn poker, after twenty iterations of PCFR+."""
    path = quick_path / "checkpoint"
    infoset.solve("kuhn", "pcfr+", iterations=20, checkpoint=path)
    return path


def change(path: Path, header: dict | None = None, **arrays: np.ndarray | None) -> None:
    """Write a checkpoint again with something else in it; a None takes something out."""
    old_header, old_arrays = read_archive(path, "checkpoint")
    new_header = {**old_header, **(header or {})}
    new_arrays = {**old_arrays, **arrays}
    write_archive(
        path,
        "checkpoint",
        {key: value for key, value in new_header.items() if value != "out"},
        {name: array for name, array in new_arrays.items() if array is not None},
    )


def test_a_checkpoint_comes_back(checkpoint: Path, quick_path: Path) -> None:
    read = read_checkpoint(checkpoint)
    assert (read.game, read.algorithm, read.horizon, read.iteration) == ("kuhn", "pcfr+", 20, 20)
    assert read.state.keys() == {
        f"{name}{p}" for name in ("regrets", "average", "prediction") for p in (0, 1)
    }
    write_checkpoint(quick_path / "again", read)
    assert (quick_path / "again").read_bytes() == checkpoint.read_bytes()


def test_a_resumed_run_takes_algorithm_and_seed_from_its_checkpoint(quick_path: Path) -> None:
    path = quick_path / "checkpoint"
    infoset.solve("kuhn", "pcfr+", iterations=20, seed=5, checkpoint=path)
    resumed = infoset.solve("kuhn", iterations=30, resume=path)
    assert (resumed.algorithm, resumed.seed, resumed.iterations) == ("pcfr+", 5, 30)
    assert_same_strategy(resumed, infoset.solve("kuhn", "pcfr+", iterations=30))


def assert_same_strategy(one: Solution, other: Solution) -> None:
    for mine, its in zip(one.strategy.probabilities, other.strategy.probabilities, strict=True):
        assert mine.tobytes() == its.tobytes()
    assert (one.value, one.exploitability) == (other.value, other.exploitability)


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr", "idcfr+", "pdcfr+", "xfp", "hybrid-cfr+"])
@any_path
@given(stops=st.lists(st.integers(1, 40), min_size=1, max_size=4, unique=True))
def test_a_run_in_pieces_is_the_same_run(quick_path: Path, algorithm: str, stops: list) -> None:
    """Wherever it was cut: the strategy, the measured numbers, the points of the curve."""
    path = quick_path / "pieces"
    path.unlink(missing_ok=True)
    limit = {"exploitability": 0.05}  # reached by all of them, in more or less than forty
    for stop in sorted(stops):
        resume = path if path.exists() else None
        infoset.solve("kuhn", algorithm, iterations=stop, **limit, checkpoint=path, resume=resume)
    # The curve of the pieces is spaced for shorter runs, so take one without points.
    write_checkpoint(path, replace(read_checkpoint(path), curve=[]))
    pieces = infoset.solve("kuhn", algorithm, **limit, resume=path)
    whole = infoset.solve("kuhn", algorithm, **limit)
    assert_same_strategy(pieces, whole)
    assert (pieces.iterations, pieces.stopped_by) == (whole.iterations, "exploitability")


def test_where_a_run_ends_does_not_depend_on_where_it_was_cut(quick_path: Path) -> None:
    """Even if it was cut where it had arrived, between two evaluations, without knowing it."""
    path = quick_path / "cut"
    whole = infoset.solve("kuhn", "cfr+", exploitability=1e-3)
    arrived = 0
    for cut in range(whole.iterations - 30, whole.iterations):
        piece = infoset.solve("kuhn", "cfr+", iterations=cut, checkpoint=path)
        arrived += piece.exploitability <= 1e-3
        assert (
            infoset.solve("kuhn", exploitability=1e-3, resume=path).iterations == whole.iterations
        )
    assert arrived > 0, "the test tests nothing"


def test_a_finished_run_resumed_is_finished(checkpoint: Path) -> None:
    whole = infoset.solve("kuhn", "pcfr+", iterations=20)
    again = infoset.solve("kuhn", "pcfr+", iterations=20, resume=checkpoint)
    assert_same_strategy(again, whole)
    assert [point.iteration for point in again.curve] == [p.iteration for p in whole.curve]


def test_a_checkpoint_goes_on_only_with_what_it_was_made_for(checkpoint: Path) -> None:
    for game, algorithm, match in (
        ("leduc", "pcfr+", "a run of 'kuhn' in sequence form, which is not 'leduc' in sequence"),
        ("kuhn", "cfr+", r"a run of 'pcfr\+', not of 'cfr\+'"),
    ):
        with pytest.raises(BadInputError, match=match):
            infoset.solve(game, algorithm, iterations=30, resume=checkpoint)
    infoset.solve("kuhn", "hs-dcfr", iterations=20, checkpoint=checkpoint)
    with pytest.raises(BadInputError, match=r"a run of 20 iterations.*go on with iterations=20"):
        infoset.solve("kuhn", "hs-dcfr", iterations=30, resume=checkpoint)


def test_a_recipe_of_ones_own_is_given_again(checkpoint: Path) -> None:
    recipe = Recipe(alternating=False)
    infoset.solve("kuhn", recipe, iterations=5, checkpoint=checkpoint)
    resumed = infoset.solve("kuhn", recipe, iterations=9, resume=checkpoint)
    assert_same_strategy(resumed, infoset.solve("kuhn", recipe, iterations=9))
    with pytest.raises(BadInputError, match="a run of a recipe of your own: give it again"):
        infoset.solve("kuhn", iterations=9, resume=checkpoint)


@pytest.mark.parametrize(
    "arrays",
    [
        {"regrets0": None},
        {"prediction1": None},
        {"regrets0": np.zeros(3)},
        {"average1": np.zeros(10_000)},
        {"extra": np.zeros(3)},
        {"regrets0": np.zeros(13, dtype=np.float32)},
    ],
    ids=lambda arrays: next(iter(arrays)),
)
def test_a_state_that_does_not_fit_is_refused(checkpoint: Path, arrays: dict) -> None:
    change(checkpoint, **arrays)
    with pytest.raises(FileFormatError, match=r"does not hold what|holds something impossible"):
        infoset.solve("kuhn", "pcfr+", iterations=30, resume=checkpoint)


@pytest.mark.parametrize(
    "header",
    [
        {"iteration": -1},
        {"iteration": 10**30},
        {"iteration": "out"},
        {"iteration": True},
        {"seconds": "long"},
        {"horizon": 0.5},
        {"form": "out"},
        {"bits": "out"},
        {"bits": -1},
        {"curve": [[1, 0.5, 0.5]]},
        {"curve": [[1, 0, 10**400]]},
        {"seed": [1]},
    ],
    ids=str,
)
def test_an_impossible_checkpoint_is_refused(checkpoint: Path, header: dict) -> None:
    change(checkpoint, header)
    with pytest.raises(FileFormatError, match="lacks something or holds something impossible"):
        infoset.solve("kuhn", "pcfr+", iterations=30, resume=checkpoint)


def test_a_seed_that_could_not_be_saved_is_refused_at_once() -> None:
    for seed in (1.5, "1", np.float64(2)):
        with pytest.raises(BadInputError, match="seed must be a whole number"):
            infoset.solve("kuhn", iterations=1, seed=seed)


def test_a_sampled_run_goes_on_with_its_own_seed_alone(quick_path: Path) -> None:
    path = quick_path / "sampled"
    infoset.solve("kuhn", "es-mccfr", iterations=20, seed=5, checkpoint=path)
    for seed in (0, 6):
        with pytest.raises(BadInputError, match=f"a run with seed 5, not {seed}"):
            infoset.solve("kuhn", iterations=30, seed=seed, resume=path)
    assert infoset.solve("kuhn", iterations=30, seed=5, resume=path).seed == 5
