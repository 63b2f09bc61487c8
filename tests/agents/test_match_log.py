"""Logs of matches: replayed, resumed after any end, and refused when they are not right."""

from __future__ import annotations

import errno
import json
import multiprocessing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.matches_for_tests import Halved, Moody, player
from infoset.agents import Passive, Uniform, play_match, replay_match, replay_steps
from infoset.agents.match_log import MOST_STEPS, number_of, read_log, written
from infoset.errors import BadInputError, FileFormatError, GameError, StorageError
from infoset.games import make
from infoset.machine.appending import GrowingFile

KUHN, LEDUC, HOLDEM = make("kuhn"), make("leduc"), make("holdem")
FIVE = make("leduc5(by_rank=true)")

MATCHES = {
    "kuhn": (KUHN, Moody, Uniform, {}),
    "leduc, duplicate, aivat": (LEDUC, Uniform, Passive, {"duplicate": True, "aivat": Halved()}),
    "halves of chips": (FIVE, Uniform, Uniform, {}),
    "holdem": (make("holdem(stack=400,raises=pot)"), Uniform, Passive, {"duplicate": True}),
}


def play(name, hands=40, **options):
    game, a, b, given = MATCHES[name]
    return play_match(game, a(), b(), hands=hands, seed=8, **given, **options)


def compiled(hands=40, **options):
    """A match on the compiled game, with a correction."""
    agents = player("leduc", 1), player("leduc", 2)
    return play_match(LEDUC, *agents, hands=hands, seed=8, aivat=Halved(), **options)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "match.log"


@pytest.mark.parametrize("name", MATCHES)
def test_a_log_is_replayed(name, log):
    found = play(name, log=log)
    again = replay_match(log, MATCHES[name][0])
    assert again.figures == found.figures
    assert (again.game, again.agents, again.seed) == (found.game, found.agents, 8)
    assert again.figures == replay_match(log).figures  # by the name of the game alone


def test_a_compiled_match_is_replayed_by_the_rules(log):
    found = compiled(hands=3000, log=log)
    assert found.is_compiled
    told = []
    again = replay_match(log, watch=told.append)
    assert told == list(range(1, 3001))
    assert again.figures.plain.mean == pytest.approx(found.figures.plain.mean, abs=1e-12)
    assert again.mean == pytest.approx(found.mean, abs=1e-12)
    assert again.standard_error == pytest.approx(found.standard_error, rel=1e-12)


def test_what_a_line_says(log):
    play_match(KUHN, Uniform(), Passive(), hands=2, log=log, names=("me", "you"))
    header, first, second = map(json.loads, log.read_text().splitlines())
    assert header["infoset_match"] == 1
    assert header["game"] == "kuhn"
    assert header["agents"] == ["me", "you"]
    assert header["seed"] == 0
    assert first["hand"] == 0
    assert second["hand"] == 1
    assert replay_steps(KUHN, second["steps"]).payoff == second["payoff"]


@given(
    st.fractions(-(10**9), 10**9, max_denominator=10**9)
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
)
def test_payoffs_are_written_exactly(payoff):
    assert number_of(json.loads(json.dumps(written(payoff)))) == payoff


def resumed_equals_whole(play, whole, cut, path):
    """Resume a log without its last bytes: result and bytes are those of a whole run."""
    path.write_bytes(whole[0][:cut])
    found = play(resume=path)
    assert found.figures == whole[1].figures
    assert path.read_bytes() == whole[0]


@pytest.mark.parametrize("name", [*MATCHES, "compiled"])
def test_resumed_after_any_end_equals_uninterrupted(name, log, tmp_path):
    def go(**options):
        return compiled(**options) if name == "compiled" else play(name, **options)

    found = go(log=log)
    whole = log.read_bytes(), found
    ends = [i + 1 for i, byte in enumerate(whole[0]) if byte == 10]
    cuts = {
        0,
        1,
        ends[0] - 1,
        *ends[::7],
        ends[3] - 1,
        ends[5] + 1,
        ends[5] + 40,
        len(whole[0]) - 1,
    }
    for cut in sorted(cuts):
        resumed_equals_whole(go, whole, cut, tmp_path / "cut")


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 1))
def test_resumed_after_a_random_end(tmp_path_factory, share):
    folder = tmp_path_factory.mktemp("cut")
    found = play("kuhn", hands=10, log=folder / "log")
    whole = (folder / "log").read_bytes()
    cut = int(share * len(whole))
    resumed_equals_whole(
        lambda **options: play("kuhn", hands=10, **options), (whole, found), cut, folder / "cut"
    )


def test_a_match_can_be_made_longer(log):
    play("kuhn", hands=20, log=log)
    longer = play("kuhn", hands=50, resume=log)
    assert longer.hands == 50
    assert longer.figures == play("kuhn", hands=50).figures
    assert longer.as_dict()["hands"] == 50
    with pytest.raises(BadInputError, match="more than the 20 hands"):
        play("kuhn", hands=20, resume=log)
    compiled(hands=20, log=log.with_name("compiled"))
    assert compiled(hands=51, resume=log.with_name("compiled")).figures == compiled(51).figures
    with pytest.raises(BadInputError, match="more than the 20 hands"):
        compiled(hands=20, resume=log.with_name("compiled"))


def changed(log, line, change):
    """The log with one line changed, as an object."""
    lines = log.read_text().splitlines()
    content = json.loads(lines[line - 1])
    change(content)
    lines[line - 1] = json.dumps(content)
    log.write_text("\n".join(lines) + "\n")


FORGED = [
    (3, lambda hand: hand.update(payoff=5), "the payoff is 5, but by the rules player 0 won"),
    (3, lambda hand: hand.update(payoff="1/0"), "payoff and aivat are numbers"),
    (3, lambda hand: hand.update(payoff=10**400), "payoff and aivat are numbers"),
    (3, lambda hand: hand.update(payoff=True), "payoff and aivat are numbers"),
    (3, lambda hand: hand.update(payoff=None), "payoff and aivat are numbers"),
    (4, lambda hand: hand.update(steps=["Q", "J", "bet", "call"]), "deals 'Q', but the seed deals"),
    (4, lambda hand: hand["steps"].append("check"), "the hand is over"),
    (4, lambda hand: hand["steps"].pop(), "the hand is not over"),
    (4, lambda hand: hand["steps"].__setitem__(2, "raise"), "step 3, 'raise', is not possible"),
    (4, lambda hand: hand.update(steps=["K"] * (MOST_STEPS + 1)), "more than 10,000 steps"),
    (4, lambda hand: hand.update(steps="KJ"), "steps are not a list of labels"),
    (4, lambda hand: hand.update(steps=[1, 2]), "steps are not a list of labels"),
    (5, lambda hand: hand.update(hand=7), "this is hand '7', but hand 3 comes next"),
    (5, lambda hand: hand.update(hand="3"), "this is hand '3', but hand 3 comes next"),
    (5, lambda hand: hand.update(more=1), "a hand has hand, payoff, steps, and no more"),
    (5, lambda hand: hand.pop("payoff"), "a hand has hand, payoff, steps, and no more"),
    (1, lambda top: top.update(infoset_match=2), "format '2'"),
    (1, lambda top: top.pop("infoset_match"), "not the log of a match"),
    (1, lambda top: top.update(seed="x"), "not of its kind"),
    (1, lambda top: top.update(agents=["x"]), "not of its kind"),
    (1, lambda top: top.update(duplicate=1), "not of its kind"),
    (1, lambda top: top.update(more=1), "the header must have"),
    (1, lambda top: top.update(game="nothing at all"), "nothing at all"),
]


@pytest.mark.parametrize(("line", "change", "words"), FORGED)
def test_forged_logs_are_refused_where_they_are_wrong(line, change, words, log):
    """By replay and by resume, with the number of the line; and the log stays as it is."""
    play("kuhn", hands=10, log=log)
    changed(log, line, change)
    before = log.read_bytes()
    for go in (lambda: replay_match(log), lambda: play("kuhn", hands=20, resume=log)):
        with pytest.raises(FileFormatError, match=words) as caught:
            go()
        assert f"line {line}:" in str(caught.value)
        assert log.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no json\n",
        b"[1, 2]\n",
        b"\xff\xfe\n",
        b'{"infoset_match": 1}\n',
        b"[" * 100_000 + b"\n",
        b'{"seed": ' + b"9" * 100_000 + b"}\n",
        b"x" * (2 << 20),
        b"\0" * 50,
        b"# a file of another kind",
    ],
)
def test_hostile_files_are_refused(text, log):
    log.write_bytes(text)
    with pytest.raises(FileFormatError):
        replay_match(log)
    if text:
        with pytest.raises(FileFormatError):
            play("kuhn", resume=log)
        assert log.read_bytes() == text


@pytest.mark.parametrize(
    "line",
    [
        b'{"hand": 40, "steps": [], "payoff": NaN}\n',
        b'{"hand": 40, "steps": [], "payoff": 1e999}\n',
        b'{"hand": 40}\n',
        b"\n",
        b"\0\0\0\0\n",
        b"{" * 200_000 + b"\n",
        b'"' + b"x" * (1 << 20) + b'"\n',
    ],
)
def test_a_bad_line_at_the_end_is_refused(line, log):
    play("kuhn", log=log)
    with open(log, "ab") as file:
        file.write(line)
    before = log.read_bytes()
    with pytest.raises(FileFormatError, match="line 42:"):
        replay_match(log)
    with pytest.raises(FileFormatError, match="line 42:"):
        play("kuhn", hands=60, resume=log)
    assert log.read_bytes() == before


def test_a_forged_hand_of_a_compiled_match_is_refused(log):
    """Whatever the rules allow: agents and seed say what must be there."""
    compiled(log=log)
    changed(log, 7, lambda hand: hand.update(aivat=hand["aivat"] + 1e-9))
    with pytest.raises(FileFormatError, match="line 7: the agents of this match"):
        compiled(hands=60, resume=log)


def test_the_last_correction_must_be_that_of_now(log):
    play("leduc, duplicate, aivat", log=log)
    changed(log, 41, lambda hand: hand.update(aivat=hand["aivat"] + 1e-3))
    with pytest.raises(FileFormatError, match="line 41: aivat is"):
        play("leduc, duplicate, aivat", hands=60, resume=log)


def test_another_match_is_not_resumed(log):
    play("kuhn", log=log)
    game, a, b, _ = MATCHES["kuhn"]
    options = {"hands": 60, "resume": log}
    with pytest.raises(FileFormatError, match=r"line 1: seed of the log is '8', of this match '9'"):
        play_match(game, a(), b(), seed=9, **options)
    with pytest.raises(FileFormatError, match="agents of the log"):
        play_match(game, b(), a(), seed=8, **options)
    with pytest.raises(FileFormatError, match="duplicate of the log"):
        play_match(game, a(), b(), seed=8, duplicate=True, **options)
    with pytest.raises(FileFormatError, match="aivat of the log"):
        play_match(game, a(), b(), seed=8, aivat=Halved(), **options)
    with pytest.raises(FileFormatError, match="game of the log"):
        play_match(LEDUC, a(), b(), seed=8, **options)
    with pytest.raises(FileFormatError, match="of 'kuhn', not of 'leduc'"):
        replay_match(log, LEDUC)


def test_a_log_is_not_written_over(log, tmp_path):
    play("kuhn", log=log)
    before = log.read_bytes()
    with pytest.raises(BadInputError, match="is there already"):
        play("kuhn", log=log)
    assert log.read_bytes() == before
    with pytest.raises(BadInputError, match="goes on in its own log"):
        play("kuhn", log=tmp_path / "other", resume=log)
    (tmp_path / "empty").touch()
    play("kuhn", log=tmp_path / "empty")
    assert (tmp_path / "empty").read_bytes() == before


def test_unwritable_logs_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "no" / "log", "/dev/null", "a\0b"):
        with pytest.raises(BadInputError, match="Could not write"):
            play("kuhn", log=path)
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(BadInputError, match="Could not"):
            play("kuhn", resume=path)
        with pytest.raises((BadInputError, StorageError), match="Could not read"):
            replay_match(path)


class Full:
    """A file on a disk that has room for so many bytes more."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def __getattr__(self, name):
        return getattr(self._file, name)

    def write(self, piece):
        if not self._room:
            raise OSError(errno.ENOSPC, "No space left on device")
        size = min(len(piece), self._room)
        self._room -= size
        return self._file.write(piece[:size])


@pytest.mark.parametrize("room", [0, 20, 900, 1000, 1024])
def test_a_full_disk_is_told_and_nothing_is_lost(room, log, tmp_path, monkeypatch):
    found = play("kuhn", log=tmp_path / "whole")
    make_file = GrowingFile.__init__

    def opened(file, *args, **options):
        make_file(file, *args, **options)
        file._file = Full(file._file, room)

    with monkeypatch.context() as patch:
        patch.setattr(GrowingFile, "__init__", opened)
        with pytest.raises(StorageError, match="disk is full"):
            play("kuhn", log=log)
    if room < 100:  # not even the header
        assert not log.exists()
        return
    assert log.stat().st_size == room
    assert play("kuhn", resume=log).figures == found.figures
    assert log.read_bytes() == (tmp_path / "whole").read_bytes()


def hold(path, pipe):
    with GrowingFile(path):
        pipe.send("held")
        pipe.recv()


def test_two_processes_do_not_write_to_one_log(log):
    play("kuhn", log=log)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    other = context.Process(target=hold, args=(str(log), theirs))
    other.start()
    try:
        assert ours.recv() == "held"
        with pytest.raises(BadInputError, match="written by another process"):
            play("kuhn", hands=60, resume=log)
    finally:
        ours.send("enough")
        other.join(10)
    assert play("kuhn", hands=60, resume=log).hands == 60


def test_a_match_that_cannot_begin_leaves_no_log(log):
    kuhn = player("kuhn", 1)
    with pytest.raises(BadInputError):
        play_match(LEDUC, kuhn, kuhn, hands=10, log=log)
    assert not log.exists()


def test_steps_that_are_not_possible():
    for steps, words in (
        (["K", "K"], "step 2, 'K', is not possible after 'K'"),
        (["X"], "step 1, 'X', is not possible at the start"),
        (["K", "J", "bet", "fold", "call"], "the hand is over"),
        ([], "the hand is not over"),
    ):
        with pytest.raises(GameError, match=words):
            replay_steps(KUHN, steps)
    # A board that a player holds, and cards that are dealt twice.
    with pytest.raises(GameError, match="step 5, 'Ks'"):
        replay_steps(LEDUC, ["Ks", "Qh", "check", "check", "Ks"])
    with pytest.raises(GameError, match="step 2, 'AsKh'"):
        replay_steps(HOLDEM, ["AsKd", "AsKh"])
    with pytest.raises(GameError, match="step 5, 'AsQd2c'"):
        replay_steps(HOLDEM, ["AsKd", "QhQc", "call", "check", "AsQd2c"])
    with pytest.raises(GameError, match="step 3, 'raise1'"):
        replay_steps(HOLDEM, ["AsKd", "QhQc", "raise1"])


def test_a_header_can_be_read_alone(log):
    play("kuhn", log=log)
    with read_log(log) as reader:
        assert reader.header.game == "kuhn"
        assert [record.number for record in reader.records()] == list(range(40))
