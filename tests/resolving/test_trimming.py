"""Trimmed solutions: what is kept, files, and re-solving what was thrown away."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError, FileFormatError
from infoset.evaluation import PublicEvaluation
from infoset.games import make
from infoset.resolving.trimming import nest_strategy_of
from infoset.solvers import find_algorithm

SPOT = infoset.Spot("Ks9h7d4c", "AA,QJs,T9s", "QQ,AQs,98s", 100, 150, {"bet": "50%", "raise": "a"})


@pytest.fixture(scope="module")
def leduc():
    return infoset.solve("leduc", "cfr+", iterations=300)


@pytest.fixture(scope="module")
def turn():
    return infoset.solve(SPOT, exploitability="0.1%", threads=1)


@pytest.mark.parametrize("cut", ["round=2", "public", "depth=2", "check,bet"])
def test_a_game_is_found_again(leduc, tmp_path, cut):
    """By the linear program, exactly: no more exploitable than before."""
    infoset.trim(leduc, cut).save(tmp_path / "small")
    small = infoset.load(tmp_path / "small")
    assert small.below.cut == cut
    assert len(small.strategy) < len(leduc.strategy)
    for player, key in small.strategy:
        assert small.strategy[player, key] == leduc.strategy[player, key]
    again = infoset.resolve(small, algorithm="lp")
    assert again.exploitability_before == leduc.exploitability
    assert again.exploitability_after <= leduc.exploitability + 1e-9
    direct = infoset.resolve(leduc, cut, algorithm="lp")
    assert again.exploitability_after == pytest.approx(direct.exploitability_after, abs=1e-9)


@pytest.mark.parametrize("method", ["gadget", "max-margin"])
def test_best_responses_part_by_part_are_those_to_the_whole(leduc, method):
    """What best responses win in each part, put together, measures as the whole strategy does."""
    small = infoset.trim(leduc, "round=2")
    nest = nest_strategy_of(small, make("leduc"))
    algorithm = find_algorithm("cfr+")
    found = [nest.resolve(leaf, method, algorithm, 20) for leaf in range(len(nest.nest.leaves))]
    whole = infoset.resolve(small, method=method, algorithm="cfr+", iterations=20)
    assert nest.exploitability(leaf.best for leaf in found) == pytest.approx(
        infoset.exploitability("leduc", whole.solution), abs=1e-12
    )


@pytest.mark.parametrize("cut", ["river", "round=2"])
def test_a_spot_is_found_again(turn, tmp_path, cut):
    infoset.trim(turn, cut).save(tmp_path / "small")
    small = infoset.load(tmp_path / "small")
    key = "AhAd:check,bet 50"
    assert small.strategy[key] == pytest.approx(turn.strategy[key], abs=1e-6)
    again = infoset.resolve(small, iterations=400, threads=1)
    direct = infoset.resolve(turn, cut, iterations=400, threads=1)
    assert again.exploitability_after == pytest.approx(direct.exploitability_after, abs=5e-3)
    assert again.exploitability_after < turn.exploitability + 0.1
    assert again.exploitability_after == pytest.approx(
        PublicEvaluation.of(again.solution.strategy).exploitability(), abs=1e-6
    )


def test_one_part_is_opened(turn):
    small = infoset.trim(turn, "river")
    part = infoset.open_spot(small, "check, check, 2c", iterations=400)
    whole = infoset.resolve(small, iterations=400, threads=1).solution
    keys = [key for key in part if key.startswith("QhJh")]
    assert keys
    for key in keys:
        assert part[key] == pytest.approx(whole.strategy[key], abs=1e-5)
    deeper = infoset.open_spot(small, "check, check, 2c, check", iterations=400)
    assert deeper.root == part.root
    with pytest.raises(BadInputError, match="not in the part"):
        part["QhJh:check,check/3c:"]
    with pytest.raises(BadInputError, match="in the trunk"):
        infoset.open_spot(small, "check")
    with pytest.raises(BadInputError, match="only the trimmed"):
        infoset.open_spot(turn, "check, check, 2c")


def test_what_a_trimmed_solution_no_longer_holds(turn, leduc, tmp_path):
    infoset.trim(leduc, "round=2").save(tmp_path / "small")
    small = infoset.load(tmp_path / "small")
    with pytest.raises(BadInputError, match="no infoset"):
        small.strategy["Ks:check,check/Kh:"]
    with pytest.raises(BadInputError, match="trimmed at round=2"):
        infoset.evaluation.exploitability(small.strategy)
    with pytest.raises(BadInputError, match="trimmed already"):
        infoset.trim(small, "round=2")
    with pytest.raises(BadInputError, match="trimmed at round=2 and holds nothing below"):
        infoset.resolve(small, "depth=1")
    with pytest.raises(BadInputError, match="say below which cut"):
        infoset.resolve(leduc)
    with pytest.raises(BadInputError, match="re-solve by gadget or max-margin"):
        infoset.resolve(small, method="reach")
    with pytest.raises(BadInputError, match="another game"):
        infoset.resolve(small, game=make("nolimit_leduc(stack=5)"))
    river = infoset.trim(turn, "river")
    with pytest.raises(BadInputError, match="below the cut"):
        river.strategy["AhAd:check,check/2c:"]
    with pytest.raises(BadInputError, match="trimmed at river"):
        infoset.view(river)
    with pytest.raises(BadInputError, match="where a street begins"):
        infoset.trim(turn, "check")


def test_values_that_do_not_fit(turn, leduc):
    small = infoset.trim(leduc, "round=2")
    short = small.below.values[0][1:], small.below.values[1]
    from dataclasses import replace

    with pytest.raises(BadInputError, match="of another game or cut"):
        infoset.resolve(replace(small, below=small.below._replace(values=short)))
    river = infoset.trim(turn, "river")
    short = river.below.values[0][1:], river.below.values[1]
    with pytest.raises(BadInputError, match="of another spot or cut"):
        infoset.resolve(replace(river, below=river.below._replace(values=short)))


def test_values_in_files_are_checked(leduc, turn, tmp_path):
    """Not finite, of a wrong type, or missing: a sentence."""
    from infoset.machine.storage import read_archive, write_archive

    for solution, cut in ((leduc, "round=2"), (turn, "river")):
        infoset.trim(solution, cut).save(tmp_path / "small")
        header, arrays = read_archive(tmp_path / "small", "solution")
        for bad in (np.full(3, np.nan), np.zeros(3, np.int32), None):
            forged = dict(arrays)
            name = "below0_scale" if "below0_scale" in forged else "below0"
            forged.pop(name)
            if bad is not None:
                forged[name] = bad
            write_archive(tmp_path / "forged", "solution", header, forged)
            with pytest.raises(FileFormatError):
                infoset.load(tmp_path / "forged")
