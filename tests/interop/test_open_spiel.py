"""OpenSpiel's games walked by us must be the games OpenSpiel walks."""

from __future__ import annotations

import contextlib
import os
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from infoset.errors import BadInputError, GameError, InfosetError, MissingExtraError
from infoset.games.rules import CHANCE, Game
from infoset.interop import from_open_spiel, to_open_spiel_policy, to_pyspiel_policy
from infoset.interop import open_spiel_loading as loading
from infoset.interop.labels import distinct_labels
from infoset.interop.open_spiel import _label_edges
from unfolded import (
    exploitability,
    infosets_of,
    nodes_of,
    random_tables,
    unfold,
    uniform_value,
)

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import expected_game_score  # noqa: E402
from open_spiel.python.algorithms.exploitability import (  # noqa: E402
    exploitability as spiel_exploitability,
)
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy  # noqa: E402

SEQUENTIAL = [
    "kuhn_poker",
    "leduc_poker",
    "leduc_poker(suit_isomorphism=True)",
    "liars_dice(numdice=1,dice_sides=3)",
    "nim(pile_sizes=1;2;2)",
    "dots_and_boxes(num_rows=1,num_cols=1)",
    "python_kuhn_poker",
    "turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True))",
]
SIMULTANEOUS = [
    "matrix_rps",
    "goofspiel(num_cards=3,imp_info=True)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending,returns_type=point_difference)",
    "oshi_zumo(coins=3,size=1,horizon=3)",
    "blotto(players=2,coins=3,fields=2)",
    "zerosum(game=matrix_pd())",
]


# --- walks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SEQUENTIAL + SIMULTANEOUS)
def test_walk_is_open_spiels(spec: str) -> None:
    game = from_open_spiel(spec)
    assert isinstance(game, Game)
    root = unfold(game)
    theirs = TabularPolicy(game.turn_based)
    for player, own in enumerate(infosets_of(root)):
        line = f"Current player: {player}\n" if game.is_simultaneous else ""
        assert sorted(line + key for key in own) == sorted(theirs.states_per_player[player])
    expected = expected_game_score.policy_value(
        game.turn_based.new_initial_state(), [UniformRandomPolicy(game.turn_based)] * 2
    )
    assert float(uniform_value(root)) == pytest.approx(expected[0], abs=1e-12)


@pytest.mark.parametrize(
    ("spec", "histories", "infosets"),
    [
        # The root, 3 first cards, 6 deals with 9 histories each; 3 cards times 2 places to act.
        ("kuhn_poker", 58, (6, 6)),
        # 936 infosets, as everywhere in the literature on Leduc with suits.
        ("leduc_poker", 9457, (468, 468)),
        # The root, player 1's half after each choice, and nine ends.
        ("matrix_rps", 13, (1, 1)),
        # Bids only rise, so the 12 bids give 2**12 bid sequences. Each is a decision for each of
        # 6 rolls; each but the empty one can be called: 1 + 6 + 36 * (4096 + 4095) histories.
        pytest.param("liars_dice(numdice=1)", 294883, (12288, 12288), marks=pytest.mark.slow),
    ],
)
def test_known_sizes(spec: str, histories: int, infosets: tuple[int, int]) -> None:
    root = unfold(from_open_spiel(spec))
    assert len(nodes_of(root)) == histories
    assert tuple(map(len, infosets_of(root))) == infosets


@pytest.mark.slow
def test_perfect_information_game_of_half_a_million_histories() -> None:
    # 549,946 histories, of which 255,168 are ends: the well-known count of tic-tac-toe games.
    root = unfold(from_open_spiel("tic_tac_toe"))
    nodes = nodes_of(root)
    assert len(nodes) == 549946
    assert sum(not node.edges for node in nodes) == 255168
    assert sum(map(len, infosets_of(root))) == 549946 - 255168


def test_keys_and_labels_are_open_spiels_own() -> None:
    state = from_open_spiel("kuhn_poker").root()
    assert state.player == CHANCE
    assert state.chance == tuple((f"Deal:{card}", 1 / 3) for card in range(3))
    state = state.child("Deal:2").child("Deal:0").child("Bet")
    assert (state.player, state.infoset, state.actions) == (1, "0b", ("Pass", "Bet"))
    assert state.child("Bet").payoff == 2
    with pytest.raises(BadInputError, match="did you mean 'Pass'"):
        state.child("pass")


def test_second_player_does_not_see_a_simultaneous_move() -> None:
    root = from_open_spiel("matrix_rps").root()
    assert (root.player, root.actions) == (0, ("Rock", "Paper", "Scissors"))
    halves = [root.child(action) for action in root.actions]
    assert {half.infoset for half in halves} == {"Observing player: 1. Non-terminal"}
    assert [half.child("Paper").payoff for half in halves] == [-1, 0, 1]


class Resting(pyspiel.Game):
    """Both choose to go or to rest; whoever went then takes left or right, both at once.

    So there are simultaneous nodes at which player 0, player 1 or nobody is left out.
    """

    KIND = pyspiel.GameType(
        short_name="resting_for_tests",
        long_name="Resting",
        dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        provides_factored_observation_string=False,
    )

    def __init__(self, params=None) -> None:
        size = pyspiel.GameInfo(
            num_distinct_actions=2,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-100.0,
            max_utility=100.0,
            utility_sum=0.0,
            max_game_length=2,
        )
        super().__init__(self.KIND, size, params or {})

    def new_initial_state(self):
        return RestingState(self)

    @staticmethod
    def pays(first: list[int], second: list[int]) -> float:
        """What player 0 wins; never twice the same."""
        return float(sum(n * w for n, w in zip(first + second, (1, -3, 9, -27), strict=True)))


class RestingState(pyspiel.State):
    def __init__(self, game) -> None:
        super().__init__(game)
        self.rounds: list[list[int]] = []

    @property
    def is_over(self) -> bool:
        return len(self.rounds) == 2 or self.rounds == [[0, 0]]

    def current_player(self) -> int:
        return pyspiel.PlayerId.TERMINAL if self.is_over else pyspiel.PlayerId.SIMULTANEOUS

    def _legal_actions(self, player: int) -> list[int]:
        return [0, 1] if not self.rounds or self.rounds[0][player] else []

    def _apply_actions(self, actions: list[int]) -> None:
        self.rounds.append([int(action) for action in actions])

    def _action_to_string(self, player: int, action: int) -> str:
        return (("left", "right") if self.rounds else ("rest", "go"))[action]

    def is_terminal(self) -> bool:
        return self.is_over

    def returns(self) -> list[float]:
        if not self.is_over:
            return [0.0, 0.0]
        first, second = (*self.rounds, [0, 0])[:2]
        won = Resting.pays(first, second)
        return [won, -won]

    def information_state_string(self, player: int) -> str:
        seen = "".join(str(actions[player]) for actions in self.rounds)
        return f"{player} did {seen}; {len(self.rounds)} rounds"

    def __str__(self) -> str:
        return str(self.rounds)


def test_a_player_without_an_action_is_passed_over() -> None:
    """At a simultaneous node where player 0 has none, player 1 moves alone, and the other way."""
    game = from_open_spiel(Resting())
    root = unfold(game)
    assert infosets_of(root) == (
        {"0 did ; 0 rounds": ("rest", "go"), "0 did 1; 1 rounds": ("left", "right")},
        {"1 did ; 0 rounds": ("rest", "go"), "1 did 1; 1 rounds": ("left", "right")},
    )
    state = game.root().child("rest").child("go")
    assert (state.player, state.actions) == (1, ("left", "right"))
    # A zero stands for the action that player 0 does not have.
    assert [state.child(action).payoff for action in state.actions] == [-3, -30]
    state = game.root().child("go").child("rest")
    assert (state.player, state.actions) == (0, ("left", "right"))
    assert [state.child(action).payoff for action in state.actions] == [1, 10]
    both = game.root().child("go").child("go")
    pays = [both.child(a).child(b).payoff for a in ("left", "right") for b in ("left", "right")]
    assert pays == [-2, -29, 7, -20]
    assert game.root().child("rest").child("rest").payoff == 0
    # By hand: ends are equally likely within each of the four ways to begin.
    assert float(uniform_value(root)) == (0 - 33 / 2 + 11 / 2 - 44 / 4) / 4


def test_perfect_information_without_strings_uses_the_history() -> None:
    game = from_open_spiel("breakthrough(rows=4,columns=2)")
    infosets = infosets_of(unfold(game))
    assert not game.has_strings
    assert "" in infosets[0]
    with pytest.raises(GameError, match="no information state strings"):
        to_pyspiel_policy(({}, {}), game)


def test_names_load_again_and_games_are_taken_as_they_are() -> None:
    game = from_open_spiel("liars_dice(dice_sides=3,numdice=1)")
    assert game.name == "open_spiel:liars_dice(dice_sides=3,numdice=1)"
    assert from_open_spiel(game.name).name == game.name
    assert from_open_spiel(game.source).source is game.source


def test_impossible_chance_outcomes_are_left_out(tmp_path) -> None:
    path = tmp_path / "impossible.efg"
    path.write_text(
        'EFG 2 R "" { "a" "b" }\nc "" 1 "" { "x" 0 "y" 1 } 0\n'
        'p "" 1 1 "never" { "l" "r" } 0\nt "" 1 "" { 1 -1 }\nt "" 2 "" { -1 1 }\n'
        'p "" 1 2 "always" { "l" "r" } 0\nt "" 1 "" { 1 -1 }\nt "" 2 "" { -1 1 }\n'
    )
    game = from_open_spiel(f"efg_game(filename={path})")
    root = unfold(game)
    assert [(label, p) for label, p, _ in root.edges] == [("y", 1.0)]
    tables = random_tables(root)
    ours = exploitability(root, tables)
    assert pyspiel.exploitability(game.source, to_pyspiel_policy(tables, game)) == pytest.approx(
        ours
    )


def test_what_follows_an_impossible_outcome_is_impossible(tmp_path) -> None:
    """Also after another outcome, possible by itself: no strategy says anything about it."""
    path = tmp_path / "impossible.efg"
    leaf = 't "" 1 "" { 1 -1 }\nt "" 2 "" { -1 1 }\n'
    path.write_text(
        'EFG 2 R "" { "a" "b" }\nc "" 1 "" { "x" 0 "y" 1 } 0\n'
        f'c "" 2 "" {{ "v" 1/2 "w" 1/2 }} 0\np "" 1 1 "never" {{ "l" "r" }} 0\n{leaf}'
        f'p "" 1 1 "never" {{ "l" "r" }} 0\n{leaf}p "" 1 2 "always" {{ "l" "r" }} 0\n{leaf}'
    )
    game = from_open_spiel(f"efg_game(filename={path})")
    tables = random_tables(unfold(game))
    assert len(tables[0]) == 1
    policy = to_pyspiel_policy(tables, game)
    state = game.source.new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    never = policy.get_state_policy(state.information_state_string(0))
    assert [probability for _, probability in never] == [0.5, 0.5]


# --- strategies -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn_poker",
        "liars_dice(numdice=1,dice_sides=2)",
        "matrix_rps",
        "goofspiel(num_cards=3,imp_info=True)",
        "oshi_zumo(coins=2,size=1,horizon=2)",
        "turn_based_simultaneous_game(game=matrix_rps())",
    ],
)
def test_exploitability_of_a_policy_is_ours(spec: str) -> None:
    game = from_open_spiel(spec)
    root = unfold(game)
    tables = random_tables(root, seed=7)
    ours = exploitability(root, tables)
    assert ours > 1e-3
    policy = to_open_spiel_policy(tables, game)
    assert policy.states_per_player == TabularPolicy(game.turn_based).states_per_player
    assert spiel_exploitability(policy.game, policy) == pytest.approx(ours, abs=1e-12)
    policy = to_pyspiel_policy(tables, game)
    assert pyspiel.exploitability(game.turn_based, policy) == pytest.approx(ours, abs=1e-12)


def test_uniform_leduc_is_worth_what_open_spiel_says() -> None:
    class Uniform:
        def table(self, player: int) -> dict[str, dict[str, float]]:
            return {
                key: {label: 1 / len(labels) for label in labels}
                for key, labels in infosets_of(root)[player].items()
            }

    game = from_open_spiel("leduc_poker")
    root = unfold(game)
    policy = to_pyspiel_policy(Uniform(), game)
    # NashConv 4.747222 is the constant of OpenSpiel's own tests.
    assert pyspiel.exploitability(game.source, policy) == pytest.approx(4.747222 / 2, abs=1e-6)
    assert exploitability(root, (Uniform().table(0), Uniform().table(1))) == pytest.approx(
        4.747222 / 2, abs=1e-6
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.pop("0"), "says nothing about '0'"),
        (lambda table: table["0"].pop("Bet"), "the game has Pass, Bet"),
        (lambda table: table["0"].update(Fold=0.0), "the game has Pass, Bet"),
        (lambda table: table["0"].update(Bet=0.75), "not a distribution"),
        (lambda table: table["0"].update(Bet=float("nan")), "not a distribution"),
        (lambda table: table.update({"0": {"Pass": 1.5, "Bet": -0.5}}), "not a distribution"),
    ],
)
def test_strategies_of_something_else_are_refused(change, message: str) -> None:
    tables = random_tables(unfold(from_open_spiel("kuhn_poker")))
    change(tables[0])
    for convert in (to_open_spiel_policy, to_pyspiel_policy):
        with pytest.raises(BadInputError, match=message):
            convert(tables, "kuhn_poker")


# --- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn", "no game 'kuhn'; did you mean 'kuhn_poker'"),
        ("", "no game ''"),
        ("\0", "no game"),
        ("kuhn_poker(playrs=2)", "no parameter 'playrs'; did you mean 'players'"),
        ("kuhn_poker(players=x)", "Wrong type for parameter players"),
        ("kuhn_poker(players=99)", "max_num_players = 10"),
        ("kuhn_poker(players=\0)", "cannot be asked"),
        ("kuhn_poker(players=2", "lacks a closing bracket"),
        ("kuhn_poker(players=2))", "goes on after"),
        ("kuhn_poker(players=2)x", "goes on after"),
        ("kuhn_poker(players=2,players=2)", "twice"),
        ("kuhn_poker(,)", "key=value"),
        ("goofspiel(points_order=upwards)", "Unrecognized points_order"),
        ("efg_game(filename=nowhere.efg)", "refuses"),
        ("liars_dice(numdice=-3)", "cannot start"),
        ("x" * 5000, "at most 4096 characters"),
        (17, "not as int"),
    ],
)
def test_bad_texts_are_refused(spec: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        from_open_spiel(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn_poker(players=3)", "3 players"),
        ("matrix_pd", "not zero-sum"),
        ("mfg_crowd_modelling", "mean-field"),
        ("negotiation", "samples its chance"),
        ("dark_chess", "no information state strings"),
    ],
)
def test_other_kinds_of_games_are_refused(spec: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        from_open_spiel(spec)


def test_constant_sum_is_refused_with_advice(tmp_path) -> None:
    path = tmp_path / "constant.efg"
    path.write_text(
        'EFG 2 R "" { "a" "b" }\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1 0 }\nt "" 2 "" { 0 1 }\n'
    )
    with pytest.raises(GameError, match=r"constant \(1.0\), not to zero. Take half"):
        from_open_spiel(f"efg_game(filename={path})")


@pytest.mark.parametrize(
    "spec", ["universal_poker(numSuits=0)", "connect_four(rows=0)", "havannah(board_size=-1)"]
)
def test_what_crashes_open_spiel_does_not_crash_us(spec: str) -> None:
    with pytest.raises(BadInputError, match="crashes OpenSpiel"):
        from_open_spiel(spec)


def test_what_never_loads_is_given_up(monkeypatch) -> None:
    monkeypatch.setattr(loading, "PROBE_SECONDS", 0.3)
    with pytest.raises(BadInputError, match="has not loaded"):
        from_open_spiel("blotto(coins=1000)")


def test_without_open_spiel_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[interop\]'"):
        from_open_spiel("kuhn_poker")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="kuhn_poker(),=2 \0\n∞", max_size=30) | st.text(max_size=20))
@example("kuhn_poker(" * 300)
@example("kuhn_poker(players=" + "9" * 400 + ")")
def test_any_text_gives_a_game_or_our_error(text: str) -> None:
    with contextlib.suppress(InfosetError):
        from_open_spiel(text)


# --- labels ---------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["", "1", "2", "a", "a (2)", "a (3)", "b"]), max_size=12))
def test_labels_become_distinct_and_first_ones_stay(labels: list[str]) -> None:
    distinct = distinct_labels(labels)
    assert len(set(distinct)) == len(labels)
    assert "" not in distinct
    for position, label in enumerate(labels):
        if label and label not in labels[:position]:
            assert distinct[position] == label


def test_actions_that_share_a_string_are_numbered() -> None:
    class Stub:
        def action_to_string(self, player: int, number: int) -> str:
            return "pass" if number < 7 else "play"

    assert _label_edges(Stub(), 0, [5, 6, 7]) == {"pass": 5, "pass (2)": 6, "play": 7}


def test_probe_finds_open_spiel_without_an_environment(monkeypatch) -> None:
    # The child process must see the same packages, whatever the caller's variables are.
    monkeypatch.setattr(os, "environ", {})
    with pytest.raises(BadInputError, match="crashes OpenSpiel"):
        from_open_spiel("universal_poker(numSuits=0)")
