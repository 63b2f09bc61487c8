"""infoset acpc: a match between processes, agents at the table, and what is refused."""

from __future__ import annotations

import json
import signal
import socket
import time

import pytest

from acpc_for_tests import PATIENCE, Background, calling, play_as
from infoset.agents import AcpcClient, AcpcDealer, Passive, Uniform, play_match
from infoset.games import make
from infoset.interop import read_log

LIMIT = "holdem(betting=limit)"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_a_match_between_processes(start, tmp_path):
    """A dealer, a client, and one in this process; the hands are those of agents at one table."""
    words = ("--hands", 12, "--seed", 5, "--log", "match.log", "--names", "Alice,Bob")
    dealer = start("acpc", "dealer", LIMIT, *words)
    ports = dealer.stdout.readline().split()
    client = start("acpc", "client", LIMIT, "call", "--port", ports[1], "--seed", 5, "--json")
    other = Background(AcpcClient(make(LIMIT), Uniform(), int(ports[0]), seed=5).play)
    agents = {"Alice": Uniform(), "Bob": Passive()}
    expected = AcpcDealer(make(LIMIT), ("Alice", "Bob"), 12, seed=5, agents=agents).play()
    first, second = expected.totals
    out, err = dealer.communicate(timeout=60)
    assert dealer.returncode == 0, err
    assert out.splitlines()[0] == f"SCORE:{first}|{second}:Alice|Bob"
    assert out.splitlines()[1].startswith("12 hands; Alice wins ")
    wins, half = expected.statistics.mean, expected.statistics.half_width
    assert float(out.split()[-6]) == pytest.approx(wins, rel=1e-2) == pytest.approx(first / 12)
    assert float(out.split()[-4]) == pytest.approx(half, rel=1e-2)
    assert "waiting for programs at" in err
    assert other.result() == (12, first, "")
    out, err = client.communicate(timeout=60)
    assert client.returncode == 0, err
    expected_json = {"game": LIMIT, "hands": 12, "won": second, "mean": second / 12, "ended": None}
    assert json.loads(out) == expected_json
    log = read_log(tmp_path / "match.log")
    assert len(log.hands) == 12
    assert log.score.totals == expected.totals
    assert log.header.name == "match"


def test_a_dealer_that_is_interrupted_keeps_its_log(start, tmp_path):
    """It waits for a program that is silent; Ctrl-C ends it."""
    words = ("--hands", 5, "--log", "match.log", "--transcript", "wire.txt")
    dealer = start("acpc", "dealer", LIMIT, "program", "call", *words)
    port = int(dealer.stdout.readline())
    program = Background(
        play_as,
        port,
        lambda state: calling(state) if state.split(b":")[2] == b"0" else b"# thinking\r\n",
    )
    while "# thinking" not in (
        (tmp_path / "wire.txt").read_text() if (tmp_path / "wire.txt").exists() else ""
    ):
        assert dealer.poll() is None
    dealer.send_signal(signal.SIGINT)
    out, err = dealer.communicate(timeout=30)
    assert dealer.returncode == 130
    assert "infoset: interrupted after 1 of 5 hands" in err
    assert "1 hand; A wins" in out
    program.result()
    lines = (tmp_path / "match.log").read_text().splitlines()
    assert lines[-1] == "# the match ended: interrupted (hand 1)"
    assert len(read_log(tmp_path / "match.log").hands) == 1
    assert (tmp_path / "wire.txt").read_text().startswith("TO 1 at ")


def test_agents_at_the_table(typed, tmp_path):
    answer = typed("acpc", "dealer", LIMIT, "call", "uniform", "--hands", 20, "--json", "-q")
    assert answer.code == 0
    agents = {"A": Passive(), "B": Uniform()}
    match = AcpcDealer(make(LIMIT), ("A", "B"), 20, agents=agents).play()
    assert answer.json == {
        "game": LIMIT,
        "players": ["A", "B"],
        "hands": 20,
        "totals": list(match.totals),
        "mean": match.totals[0] / 20,
        "standard_error": match.statistics.standard_error,
        "low": match.statistics.low,
        "high": match.statistics.high,
        "ended": None,
    }
    same = play_match(make(LIMIT), Passive(), Uniform(), hands=20)
    assert (match.statistics.mean, match.statistics.low) == pytest.approx((same.mean, same.low))


def test_a_match_that_ends_early(typed):
    """The result is there all the same, and the exit code says that it is not whole."""
    port = free_port()
    program = Background(_knocking, port)
    words = ("--hands", 5, "--ports", port, "--names", "Alice,Bob", "--json")
    answer = typed("acpc", "dealer", LIMIT, "call", "program", *words)
    assert answer.code == 2
    assert answer.json["hands"] == 1
    assert answer.json["ended"] == "Bob closed the connection (hand 1)"
    assert (
        "infoset: the match ended after 1 of 5 hands: Bob closed the connection (hand 1)\n"
    ) in answer.err
    program.result()


def _knocking(port, version=b"VERSION:2.0.0\r\n"):
    """A program that leaves in its second hand; it tries to connect until the dealer listens."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return play_as(
                port,
                lambda state: None if state.split(b":")[2] == b"1" else calling(state),
                version=version,
            )
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_a_client_that_is_interrupted_says_what_it_won(start):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        client = start("acpc", "client", LIMIT, "call", "--port", port)
        server.settimeout(PATIENCE)
        with server.accept()[0] as connection:
            connection.sendall(b"MATCHSTATE:0:0:f:AsKd|\r\nMATCHSTATE:1:1::|2c2d\r\n")
            came = b""
            while b":c" not in came:
                came += connection.recv(100)
            client.send_signal(signal.SIGINT)
            out, err = client.communicate(timeout=30)
    assert client.returncode == 130
    assert out == "1 hand; won +5 chips, 5 a hand\n"
    assert err == "infoset: interrupted after 1 hand\n"


def test_another_version_is_refused(typed):
    port = free_port()
    program = Background(_knocking, port, b"VERSION:1.0.0\r\n")
    answer = typed("acpc", "dealer", LIMIT, "program", "call", "--ports", port, "--log", "x.log")
    assert answer.code == 2
    assert "A speaks version 1.0.0 of the ACPC protocol; here it is 2.0.0" in answer.err
    program.result()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("dealer", "kuhn"), "the ACPC protocol is for hold'em"),
        (("dealer", LIMIT, "call", "fold", "--hands", 0), "hands must be 1 to 1,000,000,000"),
        (("dealer", LIMIT, "unifrom"), "did you mean 'uniform'?"),
        (("dealer", LIMIT, "--names", "A"), "--names are two, with a comma between them, not 'A'"),
        (("dealer", LIMIT, "--names", "A,A"), "both players are called 'A'"),
        (("dealer", LIMIT, "--ports", "1"), "--ports has one for each program: 2, not 1"),
        (("dealer", LIMIT, "--ports", "1,x"), "--ports are whole numbers, not 'x'"),
        (("dealer", LIMIT, "--ports", "1,70000"), "a port is a number from 0 to 65535, not 70000"),
        (("dealer", LIMIT, "--mean", "0"), "the limit mean must be more than 0 seconds"),
        (("dealer", LIMIT, "--log", "."), "--log: Could not write '.': it is a directory"),
        (("dealer", LIMIT, "--host", "192.0.2.1"), "of '192.0.2.1': "),
        (("client", LIMIT, "call"), "say where the dealer listens: --port 18374"),
        (("client", "leduc", "call", "--port", 9), "the ACPC protocol is for hold'em"),
        (("client", LIMIT, "call", "--port", 70000), "from 1 to 65535, not 70000"),
        (("client", LIMIT, "call", "--port", 9, "--patience", 0), "--patience is more than 0"),
    ],
)
def test_what_makes_no_sense_is_refused(refused, words, message):
    assert message in refused("acpc", *words)


def test_two_results_never_go_to_one_file(refused, tmp_path):
    words = ("--hands", 1, "--log", "same", "--transcript", "same")
    message = refused("acpc", "dealer", "holdem", "call", "call", *words)
    assert "--transcript and --log name the same file 'same'" in message
    assert not (tmp_path / "same").exists()


def test_the_error_of_a_single_hand_is_not_told(typed):
    out = typed("acpc", "dealer", LIMIT, "call", "fold", "--hands", 1).out
    assert out.splitlines()[-1] == "1 hand; A wins 5 chips a hand"


def test_a_port_in_use_is_refused_and_leaves_no_log(refused, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        said = refused("acpc", "dealer", LIMIT, "--ports", f"{port},0", "--log", "match.log")
    assert f"cannot listen on port {port} of '127.0.0.1'" in said
    assert not (tmp_path / "match.log").exists()


def test_the_help_of_both(typed):
    for words in ((), ("-h",)):
        answer = typed("acpc", *words)
        assert "dealer" in answer.out + answer.err
        assert "client" in answer.out + answer.err
    for name in ("dealer", "client"):
        assert "Example: infoset acpc " + name in typed("acpc", name, "-h").out
