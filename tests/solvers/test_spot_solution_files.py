"""Solutions of spots as files: all that was saved comes back, and nothing else does."""

from __future__ import annotations

import contextlib
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import infoset
from forged_archives import forge, top_of
from infoset.errors import BadInputError, FileFormatError, InfosetError
from infoset.games.holdem.payoffs import Rake
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import format_spot
from infoset.machine.storage import read_archive, write_archive
from infoset.solvers import solution_files
from spots_for_tests import RIVER, TURN, evaluated

KIND = "solution"
any_path = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("solutions") / "river"
    infoset.solve(RIVER, iterations=20).save(path)
    return path


@pytest.fixture
def path(saved, tmp_path):
    copy = tmp_path / "copy"
    copy.write_bytes(saved.read_bytes())
    return copy


def change(path, header=None, **arrays):
    """Write a file again with something else in it; a None takes something out."""
    old_header, old_arrays = read_archive(path, KIND)
    new_header = {**old_header, **(header or {})}
    new_arrays = {**old_arrays, **arrays}
    write_archive(
        path,
        KIND,
        {key: value for key, value in new_header.items() if value != "out"},
        {name: array for name, array in new_arrays.items() if array is not None},
    )


@pytest.mark.parametrize(
    "spot",
    [
        replace(RIVER, name="ein Fluß", big_blind=2, rake=Rake(0.05, cap=3)),
        TURN,
        # Nobody can bet: player 1 has nothing to decide but to check.
        Spot("Td9d6hQc", "AA", "KK", 100, 50, {"bet": "", "raise": ""}),
    ],
    ids=["river", "turn", "no bets"],
)
def test_a_solution_comes_back(tmp_path, spot):
    path = tmp_path / "solution"
    solution = infoset.solve(spot, "dcfr(skip=3)", iterations=40, threads=2)
    solution.save(path)
    loaded = infoset.load(path)
    assert isinstance(loaded, infoset.Solution)
    assert loaded.spot == spot
    assert loaded.summary() == solution.summary()
    assert (loaded.curve, loaded.space) == (solution.curve, solution.space)
    # Not only what was written down: the strategy itself, to the precision of single floats.
    near = 1e-5 * spot.pot
    evaluation = evaluated(loaded)
    assert evaluation.exploitability() == pytest.approx(solution.exploitability, abs=near)
    half = spot.pot / 2
    for value, told in zip(evaluation.values(), solution.values, strict=True):
        assert value + half == pytest.approx(told, abs=near)
    for street in range(4 - spot.street):
        for player in (0, 1):
            mine = loaded.strategy.probabilities(street, player)
            its = solution.strategy.probabilities(street, player)
            np.testing.assert_allclose(mine, its, atol=1e-6)


def test_views_of_a_loaded_solution_are_the_same(path):
    solution = infoset.solve(RIVER, iterations=20)
    loaded = infoset.load(path)
    for where in ("", "check", "check, check"):
        one, other = infoset.view(solution, where), infoset.view(loaded, where)
        assert (one.actions, one.pot) == (other.actions, other.pot)
        np.testing.assert_allclose(one.strategy, other.strategy, atol=1e-6)
        for player in (0, 1):
            np.testing.assert_allclose(one.values[player], other.values[player], atol=1e-3)


def test_saved_again_it_says_the_same(path, tmp_path):
    loaded = infoset.load(path)
    loaded.save(tmp_path / "again")
    again = infoset.load(tmp_path / "again")
    assert again.summary() == loaded.summary()


def test_the_file_is_as_it_is_documented(path):
    header, arrays = read_archive(path, KIND)
    assert header["spot"] == format_spot(RIVER)
    assert arrays.keys() == {"probabilities_0_0", "probabilities_0_1"}
    tree = infoset.load(path).strategy.form.tree
    for player in (0, 1):
        array = arrays[f"probabilities_0_{player}"]
        assert array.dtype == np.float32
        assert len(array) == tree.count_actions(RIVER.street, player) * RIVER.num_hands[player]


def test_kinds_of_files_are_not_confused(path, tmp_path):
    with pytest.raises(BadInputError, match="is the solution of a spot, which is in the file"):
        infoset.load(path, game="kuhn")
    infoset.solve(RIVER, iterations=2, checkpoint=tmp_path / "checkpoint")
    with pytest.raises(FileFormatError, match="is a 'checkpoint' file, not a 'solution' file"):
        infoset.load(tmp_path / "checkpoint")
    with pytest.raises(FileFormatError, match="is a 'solution' file, not a 'checkpoint'"):
        infoset.solve(RIVER, iterations=2, resume=path)


def test_every_changed_byte_is_noticed_or_harmless(path):
    data = path.read_bytes()
    before = infoset.load(path)
    random = np.random.default_rng(0)
    for at in random.integers(0, len(data), 150).tolist():
        path.write_bytes(
            data[:at] + bytes([data[at] ^ (1 << int(random.integers(8)))]) + data[at + 1 :]
        )
        try:
            after = infoset.load(path)
        except InfosetError:
            continue
        assert after.summary() == before.summary(), at
        assert evaluated(after).exploitability() == evaluated(before).exploitability(), at


def test_what_is_truncated_is_refused(path):
    data = path.read_bytes()
    for length in (0, 1, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(FileFormatError):
            infoset.load(path)


NOT_FROM_INFOSET = "lacks something or holds something impossible"


@pytest.mark.parametrize(
    "header",
    [
        {"spot": "out"},
        {"spot": 5},
        {"spot": ""},
        {"spot": format_spot(replace(RIVER, stack=99))},
        {"spot": format_spot(replace(RIVER, range_oop="AA"))},
        {"spot": format_spot(TURN)},
        {"algorithm": "out"},
        {"iterations": -1},
        {"iterations": True},
        {"form": "out"},
        {"form": "history"},
        {"form": "sequence"},
        {"form": "rules"},
        {"fingerprint": "out"},
        {"fingerprint": "0"},
        {"exploitability": "few"},
        {"exploitability": {"chips": 0.5}},
        {"values": [1.0]},
        {"values": [1.0, "2"]},
        {"values": None},
        {"space": {"kept": 1}},
        {"threads": 0.5},
        {"bits": "many"},
        {"bits": "out"},
        {"curve": [[1, 2]]},
        {"seconds": "long"},
    ],
    ids=lambda header: str(header)[:50],
)
def test_a_header_that_lies_is_refused(path, header):
    change(path, header)
    with pytest.raises(FileFormatError, match=NOT_FROM_INFOSET):
        infoset.load(path)


def test_a_spot_that_cannot_be_read_is_refused(path):
    change(path, {"spot": "board ="})
    with pytest.raises(FileFormatError, match=r"the spot in '.*copy' is not TOML"):
        infoset.load(path)


@pytest.mark.parametrize(
    "sizes", ["5%, 10%, 15%, 20%, 25%, 30%, 35%, 40%, 45%, 50%, a", "50%"], ids=["many", "few"]
)
def test_a_spot_that_is_larger_than_the_file_is_never_built(path, monkeypatch, sizes):
    """The tree of the first has millions of nodes; that of the second fits, its tables do not."""
    huge = Spot("QsJh2h", "random", "random", 10, 10_000, {"bet": sizes, "raise": sizes})
    change(path, {"spot": format_spot(huge)})
    monkeypatch.setattr(solution_files, "PublicStrategy", None)
    with pytest.raises(FileFormatError, match=NOT_FROM_INFOSET):
        infoset.load(path)


def test_to_load_takes_little_more_than_the_file(tmp_path):
    """The arrays of the file, and the tables that are made of them; no regrets."""
    path = tmp_path / "turn"
    infoset.solve("Turn(500, seed=1)", iterations=1).save(path)
    size = path.stat().st_size
    assert size > 10_000_000
    infoset.load(path)  # what is made once
    tracemalloc.start()
    try:
        solution = infoset.load(path)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(solution.strategy) > 0
    assert kept < 1.5 * size
    assert peak < 3.0 * size


def spoiled(array, kind):
    array = array.copy()
    match kind:
        case "negative":
            array[:2] = -0.5, 1.5
        case "nan":
            array[3] = np.nan
        case "infinite":
            array[3] = np.inf
        case "sums":
            array[5] += 0.01
        case "double":
            return array.astype(np.float64)
        case "short":
            return array[:-1]
        case "missing":
            return None
        case "zero":
            array[:] = 0.0
    return array


@pytest.mark.parametrize(
    "kind", ["negative", "nan", "infinite", "sums", "double", "short", "missing", "zero"]
)
def test_arrays_that_are_no_strategy_are_refused(path, kind):
    array = read_archive(path, KIND)[1]["probabilities_0_1"]
    change(path, probabilities_0_1=spoiled(array, kind))
    with pytest.raises(FileFormatError, match=NOT_FROM_INFOSET):
        infoset.load(path)


def test_an_array_too_many_is_refused(path):
    change(path, probabilities_1_0=np.zeros(3, np.float32))
    with pytest.raises(FileFormatError, match=NOT_FROM_INFOSET):
        infoset.load(path)


def test_hands_that_the_board_blocks_have_no_strategy(tmp_path):
    path = tmp_path / "turn"
    infoset.solve(TURN, iterations=3).save(path)
    array = read_archive(path, KIND)[1]["probabilities_1_0"].copy()
    assert (array == 0.0).any()
    array[array == 0.0] = 0.5
    change(path, probabilities_1_0=array)
    with pytest.raises(FileFormatError, match=NOT_FROM_INFOSET):
        infoset.load(path)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)  # fmt: skip
KEYS = ["spot", "algorithm", "iterations", "exploitability", "values", "seconds", "space", "curve"]


@any_path
@given(header=st.dictionaries(st.sampled_from([*KEYS, "threads", "stopped_by"]), anything))
def test_whatever_it_says_loading_never_trips(saved, tmp_path, header):
    path = tmp_path / "any"
    path.write_bytes(saved.read_bytes())
    change(path, header)
    with contextlib.suppress(InfosetError):
        infoset.load(path).summary()
    forge(path, {}, header=header.get("spot", {}))
    with pytest.raises(InfosetError):
        infoset.load(path)


@any_path
@given(data=st.data())
def test_whatever_the_spot_is_loading_never_trips(saved, tmp_path, data):
    """Pieces of the spot's text changed, all checksums right."""
    path = tmp_path / "any"
    path.write_bytes(saved.read_bytes())
    text = top_of(path)["header"]["spot"]
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(begin + 10, len(text))))
        text = text[:begin] + data.draw(st.text("0159akqTs,%x=.-+\"'{}[]", max_size=4)) + text[end:]
    change(path, {"spot": text})
    with contextlib.suppress(InfosetError):
        evaluated(infoset.load(path)).exploitability()


def test_what_is_no_archive_at_all_is_refused(tmp_path):
    (tmp_path / "text").write_text("solution")
    with pytest.raises(FileFormatError, match="is not a file of infoset"):
        infoset.load(tmp_path / "text")


def test_another_kind_of_file_is_not_read_as_a_solution(path):
    assert top_of(path)["kind"] == KIND
    forge(path, {}, kind="checkpoint")
    with pytest.raises(FileFormatError, match="is a 'checkpoint' file, not a 'solution' file"):
        infoset.load(path)


@pytest.mark.parametrize("form", ["public", "rules"])
def test_a_game_is_not_read_in_another_form(tmp_path, form):
    path = tmp_path / "kuhn"
    infoset.solve("kuhn", iterations=5).save(path)
    change(path, {"form": form})
    with contextlib.suppress(FileFormatError):
        loaded = infoset.load(path)
        assert form == "rules"  # the same arrays: what was visited of the game
        assert not loaded.strategy.form.is_whole
        return
    assert form == "public"
