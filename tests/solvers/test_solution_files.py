"""Solutions and checkpoints as files: all that was saved comes back, and nothing else does."""

from __future__ import annotations

import contextlib
import json
import math
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import infoset
from forged_archives import HEADER, assemble, forge, members_of, top_of
from games_for_tests import CORNERS, End, TreeGame, Turn, games, matrix_game, random_game
from infoset.errors import BadInputError, FileFormatError, InfosetError
from infoset.machine.storage import read_archive, write_archive
from infoset.solvers.solution import Solution

any_path = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)


def assert_same(loaded: Solution, saved: Solution) -> None:
    assert loaded.summary() == saved.summary()
    assert loaded.curve == saved.curve
    assert loaded.strategy.form.name == saved.strategy.form.name
    for player in (0, 1):
        mine, its = loaded.strategy.probabilities[player], saved.strategy.probabilities[player]
        assert mine.tobytes() == its.tobytes()
        assert loaded.strategy.table(player) == saved.strategy.table(player)
    assert list(loaded.strategy.rows()) == list(saved.strategy.rows())


def must_not_compile(*_: object, **__: object) -> None:
    raise AssertionError("a solution is looked at without its rules")


# --- what was saved is loaded -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [
        ("rps", "cfr+"),
        ("kuhn", "lp"),
        ("kuhn", "dcfr(alpha=1.5,beta=-inf)"),
        ("leduc(by_rank=true)", "pcfr+"),
        ("one_card(cards=6)", "xfp"),
        ("goofspiel(cards=3)", "idcfr+"),
    ],
)
def test_a_solution_comes_back(game: str, algorithm: str, quick_path: Path, monkeypatch) -> None:
    path = quick_path / "solution"
    saved = infoset.solve(game, algorithm, iterations=20, seed=11)
    saved.save(path)
    with monkeypatch.context() as patch:
        patch.setattr("infoset.forms.compiling.compile_game", must_not_compile)
        patch.setattr("infoset.forms.compiling._compiled", OrderedDict())
        loaded = infoset.load(path)
        assert_same(loaded, saved)
    # Compiled when it is evaluated, and then the same game.
    assert infoset.evaluation.exploitability(loaded.strategy) == infoset.exploitability(game, saved)
    assert infoset.exploitability(game, loaded) == infoset.exploitability(game, saved)
    assert infoset.expected_value(game, loaded) == infoset.expected_value(game, saved)
    assert loaded.strategy.form.fingerprint == saved.strategy.form.fingerprint
    # And saved again it is the same file.
    loaded.save(quick_path / "again")
    assert (quick_path / "again").read_bytes() == path.read_bytes()


def test_a_game_from_a_file_is_found_again(quick_path: Path) -> None:
    efg = quick_path / "kuhn.efg"
    infoset.write_efg(infoset.game("kuhn"), efg)
    saved = infoset.solve(efg, "cfr+", iterations=50)
    saved.save(quick_path / "solution")
    loaded = infoset.load(quick_path / "solution")
    assert_same(loaded, saved)
    assert infoset.evaluation.exploitability(loaded.strategy) == infoset.exploitability(efg, saved)
    # The file may change, or go, in the meantime.
    infoset.write_efg(infoset.game("one_card(cards=4)"), efg)
    changed = infoset.load(quick_path / "solution")
    assert_same(changed, saved)
    with pytest.raises(FileFormatError, match=r"for '.*kuhn\.efg' as it was then"):
        infoset.evaluation.exploitability(changed.strategy)
    efg.unlink()
    gone = infoset.load(quick_path / "solution")
    assert_same(gone, saved)
    with pytest.raises(InfosetError, match=r"kuhn\.efg"):
        infoset.evaluation.exploitability(gone.strategy)


def test_a_game_of_ones_own_is_given_again(quick_path: Path) -> None:
    path = quick_path / "solution"
    game = random_game(3)
    saved = infoset.solve(game, "cfr+", iterations=20)
    saved.save(path)
    without = infoset.load(path)
    assert_same(without, saved)
    with pytest.raises(
        BadInputError, match=r"whose rules were not found.*load\(path, game=\.\.\.\)"
    ):
        infoset.evaluation.exploitability(without.strategy)
    given_again = infoset.load(path, game=random_game(3))
    exact = infoset.exploitability(game, saved)
    assert infoset.evaluation.exploitability(given_again.strategy) == exact
    # Whoever has the rules can also evaluate what was loaded without them.
    by_name = infoset.load(path, game=infoset.compile(game))
    assert infoset.exploitability(game, by_name) == exact


@any_path
@given(game=games(depth=4))
def test_any_game_comes_back(quick_path: Path, game) -> None:
    saved = infoset.solve(game, "dcfr", iterations=3)
    saved.save(quick_path / "any")
    loaded = infoset.load(quick_path / "any", game=game)
    assert_same(loaded, saved)
    assert infoset.evaluation.exploitability(loaded.strategy) == infoset.exploitability(game, saved)


@pytest.mark.parametrize("name", CORNERS)
def test_corners_come_back(name: str, quick_path: Path) -> None:
    saved = infoset.solve(CORNERS[name], "cfr+", iterations=3)
    saved.save(quick_path / "corner")
    assert_same(infoset.load(quick_path / "corner"), saved)


def test_odd_letters_come_back(quick_path: Path) -> None:
    names = ["", "\0", "\n", "é", "\U0001f0a1", "\ud800", '"', "\\", "header.json"]
    branches = tuple((name, Turn(1, f"{name}?", (("x", End(1)), ("y", End(2))))) for name in names)
    saved = infoset.solve(TreeGame(Turn(0, "\udfff", branches), "gämé"), "cfr", iterations=3)
    saved.save(quick_path / "odd")
    assert_same(infoset.load(quick_path / "odd"), saved)


def test_what_comes_back_counts_nodes(path: Path) -> None:
    saved = infoset.load(path)
    assert saved.nodes_touched == saved.curve[-1].nodes_touched == 20 * 2 * 58
    assert [point.nodes_touched for point in saved.curve] == [
        point.iteration * 2 * 58 for point in saved.curve
    ]


def test_more_nodes_than_a_double_counts_come_back(path: Path) -> None:
    many = 2**53 + 1
    change(path, "solution", {"nodes_touched": many, "curve": [[20, 1.5, 0.25, many]]})
    loaded = infoset.load(path)
    assert loaded.nodes_touched == loaded.curve[0].nodes_touched == many


# --- what is not that is refused ----------------------------------------------------------------


@pytest.fixture
def path(quick_path: Path) -> Path:
    """A solution of Kuhn poker."""
    infoset.solve("kuhn", "cfr+", iterations=20).save(quick_path / "kuhn")
    return quick_path / "kuhn"


@pytest.fixture
def checkpoint(quick_path: Path) -> Path:
    """A checkpoint on Kuhn poker, after twenty iterations of PCFR+."""
    path = quick_path / "checkpoint"
    infoset.solve("kuhn", "pcfr+", iterations=20, checkpoint=path)
    return path


def change(path: Path, kind: str, header: dict | None = None, **arrays: np.ndarray | None) -> None:
    """Write an archive again with something else in it; a None takes something out."""
    old_header, old_arrays = read_archive(path, kind)
    new_header = {**old_header, **(header or {})}
    new_arrays = {**old_arrays, **arrays}
    write_archive(
        path,
        kind,
        {key: value for key, value in new_header.items() if value != "out"},
        {name: array for name, array in new_arrays.items() if array is not None},
    )


def test_the_two_kinds_are_not_confused(path: Path, checkpoint: Path) -> None:
    with pytest.raises(FileFormatError, match="is a 'checkpoint' file, not a 'solution' file"):
        infoset.load(checkpoint)
    with pytest.raises(FileFormatError, match="is a 'solution' file, not a 'checkpoint' file"):
        infoset.solve("kuhn", "cfr+", iterations=30, resume=path)


def test_another_game_is_refused(path: Path) -> None:
    loaded = infoset.load(path, game="leduc")
    with pytest.raises(FileFormatError, match="for 'kuhn' as it was then; 'leduc' now has other"):
        infoset.evaluation.exploitability(loaded.strategy)
    with pytest.raises(BadInputError, match="one for 'kuhn', not for 'leduc'"):
        infoset.exploitability("leduc", infoset.load(path))
    # Also one that differs in a payoff only.
    infoset.solve(matrix_game([[1, 2], [3, 0]]), "cfr", iterations=3).save(path)
    loaded = infoset.load(path, game=matrix_game([[1, 2], [3, 0.5]]))
    with pytest.raises(FileFormatError, match="other infosets, actions or payoffs"):
        infoset.evaluation.exploitability(loaded.strategy)


def test_altered_probabilities_are_refused(path: Path) -> None:
    members = members_of(path)
    piece = bytearray(members["probabilities0.npy"])
    piece[-1] ^= 1
    assemble(path, {**members, "probabilities0.npy": bytes(piece)})
    with pytest.raises(FileFormatError, match="altered: the checksum of probabilities0"):
        infoset.load(path)


def test_an_altered_value_is_refused(path: Path) -> None:
    top = top_of(path)
    top["header"]["exploitability"] = 0.0
    assemble(path, {**members_of(path), HEADER: json.dumps(top).encode()})
    with pytest.raises(FileFormatError, match="altered: the checksum of its header"):
        infoset.load(path)


# From here on every checksum is right: the file was made to deceive.

_, KUHN = infoset.solve("kuhn", "cfr+", iterations=2).strategy.probabilities
BEGIN = infoset.compile("kuhn").treeplexes[1].infoset_begin
PARENT = infoset.compile("kuhn").treeplexes[1].infoset_parent


def packed(data: object) -> np.ndarray:
    return np.frombuffer(json.dumps(data).encode(), dtype=np.uint8)


IMPOSSIBLE = {
    "no probabilities": {"probabilities1": None},
    "too few": {"probabilities1": KUHN[:-1]},
    "too many": {"probabilities1": np.append(KUHN, 0.5)},
    "negative": {"probabilities1": np.where(np.arange(len(KUHN)) == 3, -0.5, KUHN)},
    "not a number": {"probabilities1": np.where(np.arange(len(KUHN)) == 3, np.nan, KUHN)},
    "infinite": {"probabilities1": np.where(np.arange(len(KUHN)) == 3, np.inf, KUHN)},
    "no sum of one": {"probabilities1": KUHN * 0.9},
    "an empty sequence of 0": {"probabilities1": np.append(0.0, KUHN[1:])},
    "single precision": {"probabilities1": KUHN.astype(np.float32)},
    "no infosets": {"infoset_begin1": np.zeros(0, dtype=np.int32)},
    "a late beginning": {"infoset_begin1": BEGIN + np.int32(1)},
    "falling": {"infoset_begin1": BEGIN[::-1]},
    "wide numbers": {"infoset_begin1": BEGIN.astype(np.int64)},
    "parents below": {"infoset_parent1": PARENT + np.int32(100)},
    "negative parents": {"infoset_parent1": PARENT - np.int32(100)},
    "too few parents": {"infoset_parent1": PARENT[1:]},
    "keys of numbers": {"keys1": packed([1, 2, 3, 4, 5, 6])},
    "twice one key": {"keys1": packed(["a", "a", "b", "c", "d", "e"])},
    "keys as a text": {"keys1": packed("abcdef")},
    "keys as a table": {"keys1": packed(dict.fromkeys("abcdef", 1))},
    "no JSON": {"keys1": np.array([0xFF, 0xFE], dtype=np.uint8)},
    "deep JSON": {"keys1": np.full(100_000, ord("["), dtype=np.uint8)},
    "keys of doubles": {"keys1": KUHN},
    "labels of numbers": {"labels1": packed([[1, 2]] * 6)},
    "labels as texts": {"labels1": packed(["ab"] * 6)},
    "too few labels": {"labels1": packed([["a"]] * 6)},
    "no lists of labels": {"labels1": packed([7] * 6)},
}
HEADERS = {
    "no values": {"values": "out"},
    "a value in words": {"values": ["much", 0.0]},
    "a single value": {"values": [0.0]},
    "no form": {"form": "out"},
    "an unknown form": {"form": "history"},
    "half a bit": {"bits": 0.5},
    "no number of threads": {"threads": "out"},
    "no number of iterations": {"iterations": None},
    "minus three iterations": {"iterations": -3},
    "half an iteration": {"iterations": 0.5},
    "a huge number": {"iterations": 10**400},
    "an infinite value": {"values": [10**400, 0]},
    "no curve": {"curve": "out"},
    "a point of two": {"curve": [[1, 2]]},
    "a point without nodes": {"curve": [[1, 2, 3]]},
    "a point of five": {"curve": [[1, 2, 3, 4, 5]]},
    "half a node": {"curve": [[1, 2, 3, 0.5]]},
    "minus three nodes": {"nodes_touched": -3},
    "no number of nodes": {"nodes_touched": None},
    "nothing about nodes": {"nodes_touched": "out"},
    "a curve that is none": {"curve": 7},
    "no space": {"space": {}},
    "a space in words": {"space": "wide"},
    "a seed in words": {"seed": "lucky"},
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_arrays_are_refused(path: Path, name: str) -> None:
    change(path, "solution", **IMPOSSIBLE[name])
    with pytest.raises(FileFormatError, match=r"kuhn' lacks something or holds something imposs"):
        infoset.load(path)


@pytest.mark.parametrize("name", HEADERS)
def test_impossible_headers_are_refused(path: Path, name: str) -> None:
    change(path, "solution", HEADERS[name])
    with pytest.raises(FileFormatError, match=r"kuhn' lacks something or holds something imposs"):
        infoset.load(path)


def test_a_file_that_only_claims_to_be_of_a_game_is_refused(path: Path) -> None:
    # Were it believed, the kernels would look for infosets behind the end of its arrays.
    fingerprint = read_archive(path, "solution")[0]["fingerprint"]
    infoset.solve("rps", "cfr+", iterations=20).save(path)
    change(path, "solution", {"game": "kuhn", "fingerprint": fingerprint})
    with pytest.raises(FileFormatError, match="now has other infosets"):
        infoset.evaluation.exploitability(infoset.load(path).strategy)


@any_path
@given(
    header=st.dictionaries(
        st.sampled_from(["game", "iterations", "values", "space", "curve", "seed", "form", "bits"]),
        st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
        | st.lists(st.lists(st.floats(0, 9), max_size=5), max_size=2),
        min_size=1,
    ),
    name=st.sampled_from(["probabilities0", "infoset_begin0", "infoset_parent1", "keys0"]),
    piece=st.binary(max_size=40),
)  # fmt: skip
def test_whatever_it_holds_loading_never_trips(quick_path, header, name: str, piece) -> None:
    path = quick_path / "any"
    infoset.solve("kuhn", "cfr+", iterations=3).save(path)
    array = read_archive(path, "solution")[1][name]
    mixed = np.frombuffer(piece[: len(piece) // 8 * 8], dtype=array.dtype)
    finite = {k: v for k, v in header.items() if not isinstance(v, float) or math.isfinite(v)}
    change(path, "solution", finite, **({name: mixed} if len(mixed) else {}))
    with contextlib.suppress(InfosetError):
        infoset.load(path).summary()
    forge(path, {}, header=header.get("game", {}))
    with pytest.raises(InfosetError):
        infoset.load(path)
