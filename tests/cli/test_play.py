"""A person plays: what is shown, what is kept secret, what is counted, how it ends."""

from __future__ import annotations

import io
import re
import signal
import subprocess
from random import Random

import pytest
from typer.testing import CliRunner

import infoset
from infoset.agents import Agent, Passive, StrategyAgent, Uniform, play_hand
from infoset.cli import play_table
from infoset.cli.commands import app
from infoset.cli.play_table import events_of, facts
from infoset.cli.sitting import Sitting
from infoset.cli.streams import End
from infoset.errors import AgentError, BadInputError
from infoset.explore import Adviser
from infoset.games import TERMINAL


def played(*arguments, keys=""):
    """Plays with these lines typed; returns the exit code and what was shown."""
    result = CliRunner().invoke(
        app, ["play", *map(str, arguments)], input=keys, prog_name="infoset"
    )
    assert "Traceback" not in result.output
    assert "bug" not in result.output
    return result.exit_code, result.stdout


def test_a_hand_of_kuhn_from_the_deal_to_the_score(kuhn_file):
    code, out = played(
        "kuhn", "--against", kuhn_file, "--seed", 12, "--hands", 1, keys="hello\nb\n"
    )
    game = infoset.game("kuhn")
    solution = infoset.load(kuhn_file)
    opponent = StrategyAgent(game, solution.strategy)

    class Bets(Agent):
        def act(self, seen):
            return "bet"

    hand = play_hand(game, [Bets(), opponent], seed=12, hand=0)
    own, other, *steps = hand.steps
    assert code == 0
    assert f"kuhn against {kuhn_file}; seed 12" in out
    assert "--- hand 1: you are player 0" in out
    assert f"  you hold {own}\n  pot 2 (you 1, opponent 1)\n  1 check   2 bet\n> " in out
    assert "'hello' is no action here: there are check and bet\n" in out
    assert f"you: bet\nopponent: {steps[1]}\n" in out
    if steps[1] == "fold":
        assert "shown" not in out
        assert "you win 1; score +1 after 1 hand" in out
    else:
        assert f"shown: you {own}, opponent {other}\n" in out
        assert f"score {hand.payoff:+d} after 1 hand" in out
    advice = Adviser(game, solution.strategy).at(0, f"{own}:")
    cost = advice.cost("bet")
    assert re.search(rf"the deal +check +\S+ +{advice.values['check']:.3f}\n", out)
    assert re.search(rf" +bet \(you\) +\S+ +{advice.values['bet']:.3f}\n", out)
    shown = "nothing" if cost < 0.0005 else f"{cost:.3f} chips"
    assert f"your choices cost {shown}; {shown} in total" in out
    assert out.endswith(f"your choices cost {shown}.\n")


@pytest.mark.parametrize(
    ("keys", "hands"), [("q\n", 0), ("", 0), ("quit", 0), ("c\nc\nc\nf\nEXIT\n", None)]
)
def test_it_ends_cleanly_with_the_score(keys, hands):
    code, out = played("leduc", "--against", "call", "--seed", 3, keys=keys)
    assert code == 0
    if hands == 0:
        assert out.endswith("\nNo hand was finished.\n")
    else:
        assert re.search(r"\nScore .* after \d hands?.*\.\n$", out)


@pytest.fixture
def sit(monkeypatch, capsys):
    """Plays with answers that a function gives to what was shown since the last prompt."""

    def play(game, opponent, answer, *, adviser=None, seat=None, hands=None, seed=1):
        shown = []

        def asked(prompt):
            text = capsys.readouterr().out
            shown.append(text)
            return answer(text)

        monkeypatch.setattr("builtins.input", asked)
        monkeypatch.setattr("sys.stdin", io.StringIO())
        sitting = Sitting(game, opponent, adviser, seat=seat, hands=hands, seed=seed)
        try:
            sitting.play()
        finally:
            shown.append(capsys.readouterr().out)
            play.out = "".join(shown)
        return sitting, play.out

    return play


def random_answers(seed):
    """Types one of the numbers that are shown."""
    random = Random(seed)
    return lambda text: random.choice(re.findall(r"(?:^|   ?)(\d) [A-Za-z]", text.splitlines()[-1]))


@pytest.mark.parametrize("name", ["leduc", "kuhn", "holdem(raises=pot)"])
def test_cards_of_the_opponent_are_seen_at_a_showdown_only(sit, name):
    game, hands = infoset.game(name), 60
    sitting, out = sit(game, Uniform(), random_answers(5), hands=hands, seed=9)
    told = re.split(r"\n--- hand \d+: .*\n", out)[1:]
    assert len(told) == hands
    ends = {"fold": 0, "showdown": 0}
    answers = [(number, line) for number, line in enumerate(told)]
    for number, text in answers:
        other = opponent_hand(game, 9, number)
        before, _, after = text.partition("shown: ")
        assert other not in before
        if after:
            ends["showdown"] += 1
            assert after.split("\n")[0].endswith(f", opponent {other}")
        else:
            ends["fold"] += 1
            assert re.search(r"(you|opponent): fold\nyou (win|lose) ", text)
    assert min(ends.values()) > 5
    assert sitting.num_hands == hands


def opponent_hand(game, seed, number):
    """What the person does not hold in a hand: the deal does not depend on what is played."""
    deals = play_hand(game, [Passive(), Passive()], seed, number).steps[:2]
    return deals[1 - number % 2]


def test_the_score_is_the_sum_of_what_was_won(sit):
    game = infoset.game("leduc")
    sitting, out = sit(game, Passive(), lambda text: "c", hands=20, seed=4)
    hands = [play_hand(game, [Passive(), Passive()], 4, number) for number in range(20)]
    won = sum(hand.payoff if number % 2 == 0 else -hand.payoff for number, hand in enumerate(hands))
    assert sitting.won == won
    assert f"Score {won:+} after 20 hands, {won / 20:+.3g} a hand.\n" in out


def test_the_cost_is_the_sum_over_all_choices(sit):
    game = infoset.game("leduc")
    solution = infoset.solve("leduc", "cfr+", iterations=200)
    adviser = Adviser(game, solution.strategy)
    opponent = StrategyAgent(game, solution.strategy)
    sitting, out = sit(game, opponent, random_answers(2), adviser=adviser, hands=30)
    costs = [float(cost) for cost in re.findall(r"your choices cost ([\d.]+) chips; ", out)]
    assert sitting.cost == pytest.approx(sum(costs), abs=0.0005 * 30)
    assert sitting.cost > 1.0


def test_playing_as_the_solution_does_costs_next_to_nothing(sit, monkeypatch):
    """At every decision the action that an equilibrium takes most often."""
    game = infoset.game("leduc")
    strategy = infoset.solve("leduc", "cfr+", exploitability=1e-4).strategy
    asked = []

    def facts_and_more(seen):
        asked.append(seen.infoset)
        return facts(seen)

    def answer(text):
        actions = strategy[asked[-1]]
        return max(actions, key=actions.get)

    monkeypatch.setattr(play_table, "facts", facts_and_more)
    adviser = Adviser(game, strategy)
    sitting, _ = sit(game, StrategyAgent(game, strategy), answer, adviser=adviser, hands=200)
    # 0.004 chips when it was written; with random actions about 199.
    assert sitting.cost < 0.01


def test_seats_change_unless_one_is_chosen(sit):
    game = infoset.game("kuhn")
    _, out = sit(game, Uniform(), random_answers(1), hands=4)
    assert re.findall(r"you are player (\d)", out) == ["0", "1", "0", "1"]
    _, out = sit(game, Uniform(), random_answers(1), hands=3, seat=1)
    assert re.findall(r"you are player (\d)", out) == ["1", "1", "1"]


def test_ctrl_c_ends_with_the_score_and_130(sit):
    answers = iter(["check"] * 3)

    def answer(text):
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    with pytest.raises(End) as ended:
        sit(infoset.game("leduc"), Passive(), answer)
    assert ended.value.code == 130
    assert re.search(r"\nScore .* after 1 hand\.\n$", sit.out)


def test_ctrl_c_in_a_terminal(start):
    process = start("play", "kuhn", "--against", "call", stdin=subprocess.PIPE)
    shown = ""
    while not shown.endswith("> "):
        letter = process.stdout.read(1)
        assert letter, process.stderr.read()
        shown += letter
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == "\nNo hand was finished.\n"
    assert err == ""


def test_what_is_typed_may_be_anything(start):
    process = start("play", "kuhn", "--against", "call", stdin=subprocess.PIPE)
    process.stdin.buffer.write(b"\xff\xfe\x00\x1b[31m\n?\nc\n")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == ""
    assert "is no action here" in out
    assert "\x1b" not in out
    assert "Type an action as it is called" in out


def test_a_problem_of_the_opponent_ends_it_with_the_score(sit):
    class Breaks(Passive):
        hands = 0

        def start(self, game, seat, random):
            self.hands += 1

        def act(self, seen):
            return super().act(seen) if self.hands < 3 else "jump"

    with pytest.raises(AgentError, match="answered 'jump'"):
        sit(infoset.game("leduc"), Breaks(), lambda text: "c")
    assert re.search(r"\nScore .* after 2 hands, .* a hand\.\n$", sit.out)


def test_a_seat_without_decisions_is_noticed(sit):
    with pytest.raises(BadInputError, match="nothing to decide in 1,000 hands"):
        sit(OnlyFirst(), Uniform(), lambda text: "x", seat=1)


class OnlyFirst:
    """A game in which only player 0 decides."""

    name = "only first"

    def root(self):
        return OnlyFirstState()


class OnlyFirstState:
    def __init__(self, choice=None):
        self.choice = choice

    player = property(lambda self: 0 if self.choice is None else TERMINAL)
    actions = ("left", "right")
    infoset = ""
    payoff = property(lambda self: 1 if self.choice == "left" else -1)

    def child(self, action):
        return OnlyFirstState(action)


def test_without_public_states_what_chance_did_stays_secret(sit):
    game = infoset.game("open_spiel:kuhn_poker")
    _, out = sit(game, Uniform(), random_answers(3), hands=20)
    assert "you know: " in out
    for played_line in re.findall(r"played: (.*)", out):
        assert re.fullmatch(r"((you|opponent) (Pass|Bet)(, )?)+", played_line)
    assert "shown" not in out


def test_a_public_history_that_is_written_otherwise_is_not_told():
    game = infoset.game("kuhn")
    state = game.public().child("check")

    class Other:
        public_history = "o-x-o"

    assert [event.label for event in events_of(game, state)] == ["check"]
    assert events_of(game, Other()) == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("kuhn", "--seat", "2"), "--seat is 0 or 1, not 2"),
        (("kuhn", "--hands", "0"), "at least 1, not 0"),
        (("kuhn", "--seed", "-1"), "at least 0, not -1"),
        (("kuhn", "--against", "nobody"), "neither an agent nor a file 'nobody'"),
        (("kuhn", "--against", "resolve(call)"), "resolve needs a strategy"),
        (("nothing",), "there is no game 'nothing'"),
        (("missing.toml",), "there is no file 'missing.toml'"),
        (("holdem",), "say against whom: --against call"),
    ],
)
def test_what_is_refused(refused, arguments, problem):
    assert problem in refused("play", *arguments)


def test_a_game_is_solved_first_if_nobody_is_named():
    code, out = played("kuhn", "--seed", 1, "--hands", 1, keys="c\nc\n")
    assert code == 0
    assert re.search(
        r"^Solved: exploitability \S+ chips\.\nkuhn against the solution; seed 1\n", out
    )
    assert "solution %" in out


def test_the_file_of_a_solution_is_played_and_played_against(kuhn_file):
    code, out = played(kuhn_file, "--seed", 1, "--hands", 1, keys="c\nc\n")
    assert code == 0
    assert f"kuhn against {kuhn_file}; seed 1" in out
    code, out = played(kuhn_file, "--against", "call", "--seed", 1, "--hands", 1, keys="c\nc\n")
    assert code == 0
    assert "kuhn against call; seed 1" in out


def test_a_spot_is_solved_first_and_told_in_chips(write_spot):
    code, out = played(write_spot(), "--seed", 1, "--hands", 2, keys="1\n1\n1\n1\n1\n")
    assert code == 0
    assert "Half of the pot of 100 counts as yours: who folds at once loses 50." in out
    assert "you are out of position (player 0)" in out
    assert "you are in position (player 1)" in out
    assert re.search(r"you hold \w{4}; board Ks9h7d4c2s\n  pot 100; 60 behind\n", out)
    assert "EV, chips" in out


def test_the_same_seed_is_the_same_game(kuhn_file):
    keys = "1\n2\n1\n2\n1\n2\n1\n1\n1\n"
    first, again, other = (
        played("kuhn", "--against", kuhn_file, "--seed", seed, "--hands", 4, keys=keys)[1]
        for seed in (5, 5, 6)
    )
    assert first == again
    assert first.replace("seed 5", "seed 6") != other


def test_no_limit_raises_are_typed_as_sizes():
    keys = "r 300\nch\nch\nch\n"
    code, out = played("holdem", "--against", "call", "--seed", 5, "--hands", 1, keys=keys)
    assert code == 0
    assert "  fold   call   raise200 to raise20000\n" in out or "check   raise200" in out
    assert "you: raise300\n" in out
    assert "\nflop: " in out
    assert "in the big blind (player 0)" in out
    assert re.search(r"pot 600 \(you 300, opponent 300\); 19,700 behind", out)
