"""The dealer: recorded matches byte for byte, matches as without connections, hostile programs."""

from __future__ import annotations

from collections import Counter

import pytest

from acpc_for_tests import LIMIT, NAMES, Background, dealt, examples, play_as
from infoset.agents import AcpcClient, AcpcDealer, Limits, Passive, Uniform, play_hand
from infoset.errors import BadInputError, StorageError
from infoset.games import make
from infoset.interop import acpc_log, read_log

# Recorded


def test_a_recorded_match_byte_for_byte(tmp_path):
    """Two hands that the ACPC's dealer dealt: each player's bytes, the log, and the watch."""
    wire = examples("wire")
    answers = {}
    for line in wire:
        who, number, text = line.split(" ")
        if who == "FROM":
            answers[text.rpartition(":")[0].encode()] = text.encode() + b"\r\n"
    cards = {
        0: iter(["5d5c", "9hQd", "8dAs8s", "4h", "6d"]),
        1: iter(["6sKs", "5dJd", "2sTh2h", "Qh", "8h"]),
    }
    watched = []
    match, ports = dealt(
        hands=2,
        players=("p1", "p2"),
        cards=lambda hand, state: next(cards[hand]),
        log=tmp_path / "match.log",
        name="2p.limit.h1000.r0",
        watch=watched.append,
    )
    programs = [Background(play_as, ports[number], answers.__getitem__) for number in (0, 1)]
    assert match.result()[:4] == (("p1", "p2"), 2, (-70, 70), "")
    assert [seat.mean for seat in match.result().by_seat] == [20, -90]
    for number, program in enumerate(programs, start=1):
        expected = [line.split(" ")[2] for line in wire if line.startswith(f"TO {number} ")]
        assert program.result() == "".join(f"{line}\r\n" for line in expected).encode()
    assert (tmp_path / "match.log").read_text().splitlines() == examples("log")
    plain = [" ".join((*line.split(" ")[:2], line.split(" ")[4])) for line in watched]
    assert plain == wire


@pytest.mark.parametrize(
    ("title", "text", "first", "hands", "deals"),
    [
        (
            "limit",
            "holdem(betting=limit)",
            0,
            3,
            ["TdAs 8hTc 2c8c3h 9c Kh", "AcAh Qd7c 2h8h5c Th", "9d7s AcAh 5d2cJc 3d"],
        ),
        ("no-limit", "holdem", 30, 2, ["9s8h 9c6h 8c8d5c 6s 2d", "KsJs JdTc 6dJc9c Kh Qc"]),
    ],
)
def test_the_dialogues_of_the_protocol_byte_for_byte(title, text, first, hands, deals):
    """One side is recorded; the other is who makes the same hands of it."""
    recorded = [line.split(" ") for line in examples(title)]
    answers = {
        t.rpartition(":")[0].encode(): t.encode() + b"\r\n" for w, t in recorded if w[0] == "<"
    }
    finals = {}
    for _, state in recorded:
        finals[state.split(":")[2]] = state.split(":")[3]

    def other(line):
        """What the other player did next, from the last state of the hand."""
        hand, betting = line.decode().split(":")[2:4]
        rest = finals[hand][len(betting) :]
        size = 1 + len(rest[1:]) - len(rest[1:].lstrip("0123456789"))
        return line + b":" + rest[:size].encode() + b"\n"

    cards = {first + number: iter(deal.split()) for number, deal in enumerate(deals)}
    match, ports = dealt(
        make(text), hands, first=first, cards=lambda hand, state: next(cards[hand])
    )
    recorded_one = Background(play_as, ports[0], answers.__getitem__)
    other_one = Background(play_as, ports[1], other)
    assert match.result().ended == ""
    expected = "".join(f"{state}\r\n" for who, state in recorded if who == "S->")
    assert recorded_one.result() == expected.encode()
    other_one.result()


# As without connections


@pytest.mark.parametrize(
    ("text", "hands"), [("holdem(betting=limit)", 50), ("holdem(stack=600)", 30), ("holdem", 3)]
)
def test_clients_play_the_hands_of_a_match_without_connections(text, hands, tmp_path):
    game, seed = make(text), 7
    match, ports = dealt(game, hands, seed=seed, log=tmp_path / "match.log")
    agents = [Uniform(), Uniform()]
    clients = [
        Background(AcpcClient(game, agent, ports[number], seed=seed).play)
        for number, agent in enumerate(agents)
    ]
    result = match.result()
    log = read_log(tmp_path / "match.log")
    assert log.game == game
    totals = [0, 0]
    for number, logged in enumerate(log.hands):
        at_table = agents if number % 2 == 0 else agents[::-1]
        hand = play_hand(game, at_table, seed, number)
        assert logged.steps == hand.steps
        assert logged.payoff == hand.payoff
        assert logged.names == (NAMES if number % 2 == 0 else NAMES[::-1])
        totals[number % 2] += hand.payoff
        totals[1 - number % 2] -= hand.payoff
    assert len(log.hands) == result.hands == hands
    assert result.totals == log.score.totals == tuple(totals)
    for client, total in zip(clients, totals, strict=True):
        assert client.result() == (hands, total, "")


def test_an_agent_at_the_table_plays_as_one_behind_a_client():
    by_client, ports = dealt(hands=10, agents={"Bob": Uniform()}, seed=3)
    client = Background(AcpcClient(LIMIT, Uniform(), ports[0], seed=3).play)
    at_table = AcpcDealer(LIMIT, NAMES, 10, seed=3, agents={"Alice": Uniform(), "Bob": Uniform()})
    assert by_client.result() == at_table.play()
    client.result()


# Bad input


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"game": make("leduc")}, "the ACPC protocol is for hold'em"),
        ({"first": -1}, "the first hand must be 0 to 999,999,999,999,999, not -1"),
        ({"seed": -1}, "the seed must be 0 to"),
        ({"hands": 0}, "hands must be 1 to 1,000,000,000, not 0"),
        ({"players": ("A B", "C")}, "a log cannot name 'A B'"),
        ({"players": ("A", "A")}, "both players are called 'A'"),
        ({"agents": {"Eve": Passive()}}, "there is an agent for 'Eve', who does not play"),
        ({"name": "x:y"}, "a log cannot name 'x:y'"),
    ],
)
def test_matches_that_make_no_sense(given_, message):
    usual = {"game": LIMIT, "players": NAMES, "hands": 1}
    with pytest.raises(BadInputError, match=message):
        AcpcDealer(**(usual | given_))


@pytest.mark.parametrize("limit", ["response", "hand", "mean", "start"])
@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_limits_that_make_no_sense(limit, seconds):
    with pytest.raises(BadInputError, match=f"the limit {limit} must be more than 0 seconds"):
        Limits(**{limit: seconds})


def test_a_log_is_never_written_over(tmp_path):
    path = tmp_path / "match.log"
    path.write_text("precious")
    agents = {"Alice": Passive(), "Bob": Passive()}
    dealer = AcpcDealer(LIMIT, NAMES, 1, agents=agents, log=path)
    with pytest.raises(BadInputError, match="exists; give another name, or remove it"):
        dealer.play()
    assert path.read_text() == "precious"


def test_a_full_disk_is_told_with_the_log_it_hit(tmp_path, monkeypatch):
    def full(path, *_, **options):
        return open("/dev/full", "w", encoding=options["encoding"])

    monkeypatch.setattr(acpc_log, "open", full, raising=False)
    agents = {"Alice": Passive(), "Bob": Passive()}
    dealer = AcpcDealer(LIMIT, NAMES, 1, agents=agents, log=tmp_path / "match.log")
    with pytest.raises(StorageError, match=r"cannot write '.*match\.log': No space left on device"):
        dealer.play()


def test_an_interrupted_match_says_so_in_its_log(tmp_path):
    def press(match):
        if match.hands == 2:
            raise KeyboardInterrupt

    agents = {"Alice": Passive(), "Bob": Passive()}
    path = tmp_path / "match.log"
    dealer = AcpcDealer(LIMIT, NAMES, 9, agents=agents, log=path, on_hand=press)
    with pytest.raises(KeyboardInterrupt):
        dealer.play()
    kinds = Counter(line.partition(":")[0] for line in path.read_text().splitlines())
    assert kinds["STATE"] == 2
    assert kinds["# the match ended"] == 1
