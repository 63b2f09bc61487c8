"""Programs that are slow, silent, malformed, or gone: what the dealer makes of them."""

from __future__ import annotations

import socket
import struct
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acpc_for_tests import LIMIT, NAMES, Background, calling, connected, dealt, is_turn, play_as
from infoset.agents import AcpcDealer, Limits, Passive, PeerError
from infoset.agents.acpc_peer import MAX_UNSENT, Peer
from infoset.errors import BadInputError
from infoset.interop import MAX_LINE, read_log

LONG = Limits(response=30.0, start=30.0)


def against(answer, hands=3, *, version=b"VERSION:2.0.0\r\n", tmp_path=None, **more):
    """A match of a program with one of ours that calls; what came of it, notes, and the log."""
    notes = []
    log = None if tmp_path is None else tmp_path / "match.log"
    limits = more.pop("limits", LONG)
    match, ports = dealt(
        hands=hands, agents={"Alice": Passive()}, note=notes.append, log=log, limits=limits, **more
    )
    program = Background(play_as, ports[0], answer, version=version)
    result = match.result()
    program.result()
    return result, notes, log and log.read_text().splitlines()


def byte_by_byte(state):
    for byte in calling(state):
        yield bytes([byte])
        yield 0.0005


@pytest.mark.parametrize(
    "answer",
    [
        calling,
        byte_by_byte,
        lambda state: state + b":c\n",
        lambda state: b"# thinking\r\n; GUI\n" + calling(state),
        lambda state: b"hello\r\n\r\n\x00\xff\xfe\n" + calling(state),
        lambda state: b"MATCHSTATE:0:99::AsKd|:r\r\n" + calling(state),
        lambda state: calling(state) + calling(state),
        lambda state: (state[:10], 0.01, state[10:] + b":", 0.01, b"c\r", 0.01, b"\n"),
        lambda state: b"#" * (MAX_LINE - 1) + b"\n" + calling(state),
    ],
    ids=["plain", "bytes", "lf", "comments", "garbage", "other", "twice", "pieces", "long"],
)
def test_a_match_goes_on(answer):
    """Whatever else the program sends: its calls are taken, and nothing else."""
    expected = AcpcDealer(LIMIT, NAMES, 3, agents={"Alice": Passive(), "Bob": Passive()}).play()
    result, _, _ = against(answer)
    assert result == expected


@pytest.mark.parametrize(
    "action", [b"r50", b"x", b"", b"f", b"rr", b"call", b"\xff", b"c c", b":c", b"/"]
)
def test_an_invalid_action_is_a_call(action, tmp_path):
    """A fold too, where there is nothing to call: the other player only checks and calls."""
    expected = AcpcDealer(LIMIT, NAMES, 3, agents={"Alice": Passive(), "Bob": Passive()}).play()

    def answer(state):
        return (
            state + b":" + action + b"\r\n" if b":c:" in state or b"/" in state else calling(state)
        )

    result, notes, log = against(answer, tmp_path=tmp_path)
    assert result == expected
    assert notes
    assert all("which is not possible after" in note and "taken as a c" in note for note in notes)
    assert [line for line in log if line.startswith("# hand")] == [f"# {note}" for note in notes]


def test_a_state_without_an_action_is_a_call():
    result, notes, _ = against(lambda state: state + b"\r\n")
    assert result.ended == ""
    assert "answered '', which is not possible" in notes[0]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda state: b"", "Bob took more than 1 s for an action"),
        (lambda state: state, "Bob took more than 1 s for an action"),
        (lambda state: b"# still thinking\n" * 1001, "sent 1,001 lines that do not answer"),
        (lambda state: b"x" * (MAX_LINE + 1) + b"\n", "sent a line of more than 65,536 characters"),
        (lambda state: b"x" * (3 * MAX_LINE), "sent a line of more than 65,536 characters"),
        (lambda state: None, "Bob closed the connection"),
    ],
    ids=["silent", "half a line", "flood", "huge", "endless", "gone"],
)
def test_a_match_ends_with_a_clear_line(answer, message, tmp_path):
    """After one hand that was played well; that one is in the log."""
    result, notes, log = against(
        lambda state: calling(state) if state.split(b":")[2] == b"0" else answer(state),
        tmp_path=tmp_path,
        limits=Limits(response=1.0, start=30.0),
    )
    assert message in result.ended
    assert result.ended.endswith("(hand 1)")
    assert result.hands == 1
    assert notes[-1] == f"the match ended: {result.ended}"
    assert log[-1] == f"# {notes[-1]}"
    read = read_log(tmp_path / "match.log")
    assert len(read.hands) == 1
    assert read.score is None


def test_a_program_that_resets_the_connection():
    match, ports = dealt(agents={"Alice": Passive()})
    connection = connected(ports[0])
    connection.sendall(b"VERSION:2.0.0\r\n")
    connection.recv(100)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    result = match.result()
    assert "closed the connection" in result.ended or "the connection to Bob broke" in result.ended
    assert result.hands == 0


def test_who_leaves_before_the_last_word_has_played_the_match():
    expected, _, _ = against(calling, hands=2)
    match, ports = dealt(hands=2, agents={"Alice": Passive()})
    with connected(ports[0]) as connection:
        connection.sendall(b"VERSION:2.0.0\r\n")
        unread, answered = b"", 0
        while answered < 8:  # four a hand: before the flop and on each street
            unread += connection.recv(4096)
            *lines, unread = unread.split(b"\n")
            for line in lines:
                if is_turn(line):
                    connection.sendall(line.rstrip() + b":c\r\n")
                    answered += 1
    assert match.result() == expected


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(response=30.0, hand=0.3, mean=30.0, start=30.0), "took more than 0.3 s in a hand"),
        (
            Limits(response=30.0, hand=30.0, mean=0.1, start=30.0),
            "took more than 0.1 s a hand on average over the match",
        ),
    ],
)
def test_all_actions_of_a_hand_and_of_a_match_have_a_limit(limits, message):
    """Each action takes 0.1 s, which none of the limits of one action forbids."""
    result, _, _ = against(lambda state: (0.1, calling(state)), limits=limits)
    assert message in result.ended


# Programs that do not begin as they should


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (b"VERSION:1.0.0\r\n", "Bob speaks version 1.0.0 of the ACPC protocol; here it is 2.0.0"),
        (b"VERSION:2.1.0\r\n", "Bob speaks version 2.1.0"),
        (b"GET / HTTP/1.1\r\n", "Bob began with 'GET / HTTP/1.1'; a program begins with VERSION:"),
        (b"VERSION:2.0.0", "Bob connected, but did not say in time which version it speaks"),
        (b"\n", "Bob began with ''"),
    ],
)
def test_a_program_that_begins_wrongly(version, message, tmp_path):
    match, ports = dealt(
        agents={"Alice": Passive()},
        limits=Limits(start=30.0 if version.endswith(b"\n") else 1.5),
        log=tmp_path / "match.log",
    )
    program = Background(play_as, ports[0], calling, version=version)
    with pytest.raises(PeerError) as refused:
        match.result()
    assert message in str(refused.value)
    assert not (tmp_path / "match.log").exists()  # so the next try is not refused for it
    assert program.result() == f"# {refused.value}\r\n".encode()


@pytest.mark.parametrize("version", [b"VERSION:2.0.0\n", b"VERSION:2.0.7\r\n"])
def test_versions_that_are_spoken(version):
    assert against(calling, version=version)[0].ended == ""


def test_nobody_connects():
    match, _ = dealt(limits=Limits(start=0.2))
    with pytest.raises(PeerError, match=r"Alice did not connect to port \d+ in time"):
        match.result()


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        dealer = AcpcDealer(LIMIT, NAMES, 1, ports=(port, 0))
        with pytest.raises(BadInputError, match=rf"cannot listen on port {port} of '127.0.0.1'"):
            dealer.play()


def send_much(peer):
    for _ in range(100 * MAX_UNSENT // 1000):
        peer.send("x" * 1000)


def test_a_peer_that_does_not_read():
    ours, theirs = socket.socketpair()
    peer = Peer(ours, "Bob")
    with theirs, pytest.raises(PeerError, match="Bob does not read what it is sent"):
        send_much(peer)
    peer.close(linger=0.1)


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line)), st.randoms())
@settings(max_examples=50, deadline=None)
def test_lines_come_out_as_they_went_in_however_they_are_cut(lines, random):
    ours, theirs = socket.socketpair()
    peer, sent = Peer(ours, "Bob"), b"".join(line + b"\n" for line in lines)
    came = []
    with theirs:
        while sent:
            size = random.randint(1, 40)
            theirs.sendall(sent[:size])
            sent = sent[size:]
            while (line := peer.receive(0.0)) is not None:
                came.append(line)
        while len(came) < len(lines):
            came.append(peer.receive(time.monotonic() + 30))
    expected = [line.removesuffix(b"\r").decode("ascii", "backslashreplace") for line in lines]
    assert came == expected
    peer.close(linger=0.0)


def test_who_connects_second_is_refused():
    match, ports = dealt(hands=1, agents={"Alice": Passive()})
    first = connected(ports[0])
    with first:
        first.sendall(b"VERSION:2.0.0\r\n")
        assert first.recv(100).startswith(b"MATCHSTATE:1:0::|")
        with pytest.raises(ConnectionRefusedError):
            connected(ports[0])
    match.result()


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", b":c\r\n", b":r\n"]), max_size=8))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_end_in_a_result(pieces):
    limits = Limits(response=0.05, start=30.0)
    result, _, _ = against(lambda state: b"".join([state, *pieces]), hands=2, limits=limits)
    assert result.ended or result.hands == 2
