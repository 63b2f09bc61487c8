"""The client and the program as an agent: recorded dialogues, dealers not to be trusted."""

from __future__ import annotations

import socket
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acpc_for_tests import PATIENCE, Background, calling, examples, lines_of, play_as
from infoset.agents import (
    AcpcAgent,
    AcpcClient,
    Agent,
    Limits,
    Passive,
    PeerError,
    PlayedMatch,
    Uniform,
    play_hand,
)
from infoset.errors import AgentError, BadInputError
from infoset.games import make
from infoset.interop import action_label

LIMIT = make("holdem(betting=limit)")


class Scripted(Agent):
    """Answers what the script says, and writes down what it saw."""

    def __init__(self, actions):
        self.actions, self.seen = iter(actions), []

    def act(self, seen):
        self.seen.append((seen.seat, seen.infoset))
        return action_label(next(self.actions), seen.public)


class BareDealer:
    """Sends bytes, and takes one line from the client after each state that asks for it."""

    def __init__(self, pieces, *, ends=True):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self._pieces, self._ends = pieces, ends
        self._work = Background(self._serve)

    def _serve(self):
        self.server.settimeout(PATIENCE)
        came = []
        with self.server, self.server.accept()[0] as connection:
            connection.settimeout(PATIENCE)
            lines = lines_of(connection)
            came.append(next(lines))
            for piece in self._pieces:
                if piece == "answer":
                    came.append(next(lines))
                elif isinstance(piece, float):
                    time.sleep(piece)
                else:
                    connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
            came += lines
        return came

    def came(self):
        return self._work.result()


# Recorded


@pytest.mark.parametrize(
    ("title", "text", "hands", "won"),
    [("limit", "holdem(betting=limit)", 3, -80 - 40 - 20), ("no-limit", "holdem", 2, 1250 + 20000)],
)
def test_the_dialogues_of_the_protocol_byte_for_byte(title, text, hands, won):
    recorded = [line.split(" ") for line in examples(title)]
    pieces, replies = [], []
    for who, state in recorded:
        if who == "S->":
            pieces.append(state.encode() + b"\r\n")
        else:
            pieces.append("answer")
            replies.append(state)
    dealer = BareDealer(pieces)
    agent = Scripted([reply.rpartition(":")[2] for reply in replies])
    match = AcpcClient(make(text), agent, dealer.port).play()
    sent = [f"{reply}\r\n".encode() for reply in replies]
    assert dealer.came() == [b"VERSION:2.0.0\r\n", *sent]
    assert match == (hands, won, "")
    seats = [int(reply.split(":")[1]) for reply in replies]
    assert [seat for seat, _ in agent.seen] == seats


def test_what_an_agent_behind_a_client_sees():
    """The other's hand is unknown, not only hidden."""
    shown = []

    class Curious(Passive):
        def act(self, seen):
            shown.append((seen.hand, seen.infoset, seen._state.hand0, seen._state.hand1))
            return super().act(seen)

    states = [b"MATCHSTATE:1:0::|AsKd\r\n", "answer", b"MATCHSTATE:1:0:c:|AsKd\n"]
    AcpcClient(LIMIT, Curious(), BareDealer(states).port).play()
    number = LIMIT.hand_of["AsKd"]
    assert shown == [(number, "AsKd:", None, number)]


# Dealers that do what they should not

FOLDED = b"MATCHSTATE:0:0:f:AsKd|\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [FOLDED],
        [b"# hello\r\n; GUI\n\r\n", FOLDED],
        [b"MATCHSTATE:0:0::AsKd|\n", FOLDED, FOLDED],
        [FOLDED[:7], 0.01, FOLDED[7:]],
    ],
)
def test_a_client_plays_on(pieces):
    assert AcpcClient(LIMIT, Passive(), BareDealer(pieces).port).play() == (1, 5, "")


@pytest.mark.parametrize(
    ("pieces", "ended"),
    [
        ([], "the dealer closed the connection before the first hand"),
        ([FOLDED, b"MATCHSTATE:1:1::"], "the dealer closed the connection in the middle of a line"),
        ([FOLDED, b"MATCHSTATE:0:1::2c2d|\n"], "the dealer closed the connection (hand 1)"),
        ([FOLDED, b"hello\n"], "the dealer sent 'hello': cannot read the match state 'hello' at"),
        ([FOLDED, b"MATCHSTATE:0:1:cf:2c2d|\n"], "is against the rules"),
        ([FOLDED, b"MATCHSTATE:0:1:r300:2c2d|\n"], "is against the rules"),
        ([FOLDED, b"MATCHSTATE:0:1:cc/:AsKd|/As2c3c\n"], "a card is there twice"),
        (
            [FOLDED, b"MATCHSTATE:0:1:cc/cc/cc/cc:AsKd|/4c2c3c/9d/9h\n"],
            "the dealer did not show the cards at the end (hand 1)",
        ),
        ([FOLDED, b"x" * 200_000], "the dealer sent a line of more than 65,536 characters"),
        ([FOLDED, 1.5], "the dealer said nothing new for 1 s (hand 0)"),
        ([FOLDED, *[b"# wait\n", 0.05] * 30], "the dealer said nothing new for 1 s (hand 0)"),
        ([FOLDED, *[FOLDED, 0.05] * 30], "the dealer said nothing new for 1 s (hand 0)"),
        (
            [FOLDED, b"MATCHSTATE:0:1::2c2d|\n", b"MATCHSTATE:0:2::2c2d|\n"],
            "the dealer began hand 2 in the middle of another (hand 1)",
        ),
    ],
)
def test_a_match_ends_with_a_clear_line(pieces, ended):
    """What was won until then is not lost."""
    dealer = BareDealer(pieces)
    patience = 1.0 if "nothing new" in ended else 30.0
    match = AcpcClient(LIMIT, Passive(), dealer.port, patience=patience).play()
    assert ended in match.ended
    assert match[:2] == ((1, 5) if pieces else (0, 0))


@given(st.lists(st.binary(max_size=60) | st.sampled_from([b"MATCHSTATE:", FOLDED]), max_size=6))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_end_in_a_result(pieces):
    match = AcpcClient(LIMIT, Passive(), BareDealer(pieces).port, patience=30.0).play()
    assert isinstance(match, PlayedMatch)
    assert match.won == 5 * match.hands


def test_an_agent_that_answers_wrongly_is_told_and_the_dealer_is_let_go():
    class Wrong(Passive):
        def act(self, seen):
            return "raise20"

    dealer = BareDealer([b"MATCHSTATE:1:0::|AsKd\r\n"])
    with pytest.raises(AgentError, match="an agent answered 'raise20'"):
        AcpcClient(LIMIT, Wrong(), dealer.port).play()
    assert dealer.came() == [b"VERSION:2.0.0\r\n"]


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(PeerError, match=f"the dealer at port {port} of '127.0.0.1' does not answ"):
        AcpcClient(LIMIT, Passive(), port, connecting=0.2).play()


@pytest.mark.parametrize("host", ["a" * 70, "a..b", ""])
def test_addresses_that_are_none(host):
    with pytest.raises(PeerError, match="does not answer"):
        AcpcClient(LIMIT, Passive(), 9, host=host, connecting=0.2).play()


def test_a_dealer_that_listens_later():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    client = Background(AcpcClient(LIMIT, Passive(), port).play)
    time.sleep(0.3)
    with socket.create_server(("127.0.0.1", port)) as server, server.accept()[0] as connection:
        connection.sendall(FOLDED)
        connection.shutdown(socket.SHUT_WR)
        assert client.result() == (1, 5, "")


def test_other_games_are_refused():
    with pytest.raises(BadInputError, match="the ACPC protocol is for hold'em"):
        AcpcClient(make("leduc"), Passive(), 1)
    with pytest.raises(AgentError, match="the ACPC protocol is for hold'em, not for leduc"):
        AcpcAgent(make("leduc"))
    with pytest.raises(BadInputError, match="a port to connect to is a number from 1 to 65535"):
        AcpcClient(LIMIT, Passive(), 0).play()


# A program as an agent


@pytest.mark.parametrize("text", ["holdem(betting=limit)", "holdem(stack=600)"])
def test_a_program_plays_as_the_agent_behind_it(text):
    """The hands of a match at one table, whether an agent sits there or talks to it."""
    game, hands, seed = make(text), 40, 11
    expected, won = [], 0
    for number in range(hands):
        seat = number % 2
        expected.append(play_hand(game, [Uniform(), Uniform()], seed, number))
        won += expected[-1].payoff * (1 if seat == 0 else -1)
    with AcpcAgent(game) as program:
        client = Background(AcpcClient(game, Uniform(), program.port, seed=seed).play)
        for number in range(hands):
            agents = [program, Uniform()] if number % 2 == 0 else [Uniform(), program]
            assert play_hand(game, agents, seed, number) == expected[number]
    assert client.result() == (hands, won, "")


def test_a_program_is_told_everything():
    """The states that a dealer would send, and nothing twice."""

    class Raises(Passive):
        def act(self, seen):
            return "raise" if seen.infoset.endswith(":") else super().act(seen)

    with AcpcAgent(LIMIT) as agent:
        program = Background(play_as, agent.port, calling)
        hand = play_hand(LIMIT, [agent, Raises()], 5, 0)
    hand0, hand1, *rest = hand.steps
    flop, turn, river = (step for step in rest if not step[0].islower())
    boards = ["", f"/{flop}", f"/{flop}/{turn}", f"/{flop}/{turn}/{river}"]
    bettings = ["", "r", "rc/", "rc/c", "rc/cc/", "rc/cc/c", "rc/cc/cc/", "rc/cc/cc/c"]
    states = [f"MATCHSTATE:0:0:{b}:{hand0}|{boards[b.count('/')]}" for b in bettings]
    states.append(f"MATCHSTATE:0:0:rc/cc/cc/cc:{hand0}|{hand1}{boards[3]}")
    assert program.result().decode() == "".join(f"{state}\r\n" for state in states)


def test_a_program_that_is_silent_or_gone():
    limits = Limits(response=0.3, start=30.0)
    for answer, message in (
        (lambda state: None, "Bob closed the connection"),
        (lambda state: b"", r"Bob took more than 0\.3 s for an action"),
    ):
        with AcpcAgent(LIMIT, name="Bob", limits=limits) as agent:
            program = Background(play_as, agent.port, answer)
            with pytest.raises(PeerError, match=message):
                play_hand(LIMIT, [Passive(), agent], 1, 0)
        program.result()
    with (
        AcpcAgent(LIMIT, name="Bob", limits=Limits(start=0.3)) as agent,
        pytest.raises(PeerError, match="Bob did not connect"),
    ):
        play_hand(LIMIT, [Passive(), agent], 1, 0)


def test_an_invalid_action_is_a_call():
    notes = []
    with AcpcAgent(LIMIT, note=notes.append) as agent:
        program = Background(play_as, agent.port, lambda state: state + b":r99\r\n")
        hand = play_hand(LIMIT, [agent, Passive()], 1, 0)
    program.result()
    assert set(hand.steps) & {"raise", "fold"} == set()
    assert len(notes) == 4
    with pytest.raises(AgentError, match=r"this program plays holdem\(betting=limit\), not holdem"):
        agent.start(make("holdem"), 0, None)
