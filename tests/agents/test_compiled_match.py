"""Matches on the compiled game: hands, payoffs and probabilities are those of the rules."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.stats

import infoset
from agents.matches_for_tests import Halved, HalvedAtOnce, player, random_strategy, value_for_a
from infoset.agents import (
    Folder,
    Passive,
    Seen,
    StrategyAgent,
    Uniform,
    play_hand,
    play_match,
    replay_steps,
)
from infoset.agents.compiled_match import CHUNK, compiled_match
from infoset.agents.referee import MatchPlan
from infoset.errors import BadInputError
from infoset.games import CHANCE, TERMINAL, make

SMALL = ["kuhn", "leduc(by_rank=true)", "rps", "goofspiel(cards=3)", "liars_dice(faces=2)"]


def match_of(name, a=None, b=None, **options):
    """The match on a compiled game between two agents."""
    game = make(name)
    given = {"aivat": None, "seed": 1, "duplicate": False, **options}
    plan = MatchPlan(game, a or player(name, 1), b or player(name, 2), **given)
    return compiled_match(game, plan.referee())


def probabilities(match, seat_of_a):
    """[num_nodes] How likely a hand ends in each terminal, by products along its path."""
    tree = match.form.history
    reach = np.ones(tree.num_nodes)
    for node in range(1, tree.num_nodes):
        above = tree.node_parent[node]
        mover = tree.node_player[above]
        if mover == CHANCE:
            step = tree.node_chance[node]
        else:
            table = match.tables[0 if mover == seat_of_a else 1][mover]
            treeplex = match.form.treeplexes[mover]
            begin = treeplex.infoset_begin[tree.node_infoset[above]]
            step = table[begin + node - tree.node_child[above]]
        reach[node] = reach[above] * step
    reach[tree.node_degree > 0] = 0.0
    return reach


@pytest.mark.parametrize("name", SMALL)
def test_every_terminal_is_a_hand_of_the_rules(name):
    match = match_of(name)
    tree = match.form.history
    terminals = np.flatnonzero(tree.node_degree == 0)
    for node in np.random.default_rng(1).permutation(terminals)[:300].tolist():
        hand = match.hand_at(node)
        assert float(hand.payoff) == tree.node_payoff[node]
        assert replay_steps(make(name), hand.steps).payoff == hand.payoff


def assert_drawn_from(counts, expected):
    """A chi-square test; cells with few expected hands are taken together."""
    assert not counts[expected == 0].any()
    order = np.argsort(expected)
    groups = np.minimum(np.cumsum(expected[order]) // 10, 300)
    seen = np.bincount(groups.astype(int), counts[order])
    wanted = np.bincount(groups.astype(int), expected[order])
    filled = wanted > 5
    seen, wanted = seen[filled], wanted[filled]
    wanted *= seen.sum() / wanted.sum()
    assert scipy.stats.chisquare(seen, wanted).pvalue > 1e-3


@pytest.mark.parametrize("name", SMALL)
def test_hands_are_drawn_with_their_probabilities(name):
    match = match_of(name, seed=3)
    chunk = next(match.chunks(60_000, threads=1))
    for seat in (0, 1):
        counts = np.bincount(chunk.terminals[seat::2], minlength=match.form.history.num_nodes)
        assert_drawn_from(counts, 30_000 * probabilities(match, seat))


@pytest.mark.parametrize("name", SMALL[:2])
def test_referee_and_kernel_draw_alike(name):
    """The same test holds for hands that are played by the rules."""
    match = match_of(name, seed=3)
    tree, game = match.form.history, make(name)
    node_of = {
        match.hand_at(node).steps: node for node in np.flatnonzero(tree.node_degree == 0).tolist()
    }
    a, b = match.referee.agents
    counts = np.zeros(tree.num_nodes)
    for i in range(0, 12_000, 2):
        counts[node_of[play_hand(game, [a, b], 3, i).steps]] += 1
    assert_drawn_from(counts, 6000 * probabilities(match, 0))


def test_streams_of_hands_are_independent():
    """Winnings of neighbouring hands, and of the seeds next to each other, are not correlated."""
    won = [next(match_of("leduc", seed=s).chunks(40_000, threads=1)).won for s in range(3)]
    bound = 4 / np.sqrt(40_000)
    for lag in (1, 2, 3, 4):
        assert abs(np.corrcoef(won[0][lag:], won[0][:-lag])[0, 1]) < bound
    assert abs(np.corrcoef(won[0], won[1])[0, 1]) < bound
    assert abs(np.corrcoef(won[1], won[2])[0, 1]) < bound


def test_pairs_have_the_same_cards():
    match = match_of("leduc", duplicate=True)
    chunk = next(match.chunks(400, threads=1))
    cards = [
        [step for step in match.hand_at(node).steps if step[0] in "JQK"]
        for node in chunk.terminals.tolist()
    ]
    for first, second in zip(cards[::2], cards[1::2], strict=True):
        both = min(len(first), len(second))
        assert first[:both] == second[:both]
    actions = [match.hand_at(node).steps[2:4] for node in chunk.terminals.tolist()]
    assert actions[::2] != actions[1::2]


@pytest.mark.parametrize("duplicate", [False, True])
def test_any_number_of_threads_gives_the_same_bytes(duplicate, tmp_path):
    results, logs = [], []
    for threads in (1, 2, 5):
        log = tmp_path / str(threads)
        found = play_match(
            make("kuhn"),
            player("kuhn", 1),
            player("kuhn", 2),
            hands=2 * CHUNK + 50,
            duplicate=duplicate,
            threads=threads,
            aivat=Halved(),
            log=log,
        )
        results.append(found.figures)
        logs.append(log.read_bytes())
    assert results[0] == results[1] == results[2]
    assert logs[0] == logs[1] == logs[2]
    assert logs[0].count(b"\n") == 2 * CHUNK + 51


def test_a_log_tells_what_was_summed_up(tmp_path):
    """The statistics are those of the payoffs in the log."""
    found = play_match(
        make("leduc"),
        player("leduc", 1),
        Uniform(),
        hands=2000,
        aivat=Halved(),
        log=tmp_path / "log",
    )
    _, *hands = map(json.loads, (tmp_path / "log").read_text().splitlines())
    won = np.array([(1 - 2 * (hand["hand"] % 2)) * hand["payoff"] for hand in hands])
    assert found.figures.plain.mean == pytest.approx(won.mean(), abs=1e-12)
    assert found.mean == pytest.approx(np.mean([hand["aivat"] for hand in hands]), abs=1e-12)


def test_corrections_by_hand_and_by_terminal_are_the_same():
    game, agents = make("kuhn"), (player("kuhn", 1), player("kuhn", 2))
    at_once = HalvedAtOnce(match_of("kuhn"))
    one = play_match(game, *agents, hands=5000, aivat=Halved())
    other = play_match(game, *agents, hands=5000, aivat=at_once)
    assert one.is_compiled
    assert one.figures == other.figures

    class Wrong(Halved):
        def terminal_values(self, seat):
            return np.zeros(3)

    with pytest.raises(BadInputError, match="terminal_values of aivat has the shape"):
        play_match(game, *agents, hands=10, aivat=Wrong())


def test_winnings_are_the_exact_value():
    game = make("leduc")
    first, second = random_strategy(game, 1), random_strategy(game, 2)
    found = play_match(
        game, StrategyAgent(game, first), StrategyAgent(game, second), hands=1_000_000, seed=5
    )
    assert found.standard_error < 0.01
    truth = value_for_a(game, first, second)
    assert abs(found.mean - truth) < 4 * found.standard_error


def test_who_plays_on_the_compiled_game():
    leduc = player("leduc", 1)
    assert match_of("leduc", leduc, Uniform()) is not None
    assert match_of("leduc", Uniform(), leduc) is not None
    assert match_of("leduc", Uniform(), Uniform()) is None
    assert match_of("leduc", leduc, Passive()) is not None
    assert match_of("leduc", Folder(), leduc) is not None
    assert match_of("rps", player("rps", 1), Passive()) is None  # which is no poker
    assert match_of("kuhn", player("kuhn", 1), leduc) is None
    assert match_of("leduc", player("kuhn", 1), player("kuhn", 2)) is None

    class Own(StrategyAgent):
        def act(self, seen):
            return seen.actions[0]

    assert match_of("leduc", Own(leduc.game, leduc.strategy), leduc) is None
    # A strategy in public form is played by the rules.
    public = infoset.solve("leduc", "cfr+", iterations=5, form="public")
    agent = StrategyAgent(make("leduc"), public.strategy)
    assert match_of("leduc", agent, agent) is None


@pytest.mark.parametrize("kind", [Uniform, Passive, Folder])
def test_players_without_a_plan_play_there_as_they_do_by_the_rules(kind):
    match = match_of("leduc", player("leduc", 1), kind())
    game = make("leduc")
    states, seen = [game.root()], 0
    while states:
        state = states.pop()
        if state.player == TERMINAL:
            continue
        if state.player >= 0:
            treeplex = match.form.treeplexes[state.player]
            infoset = treeplex.infoset_of_key[state.infoset]
            begin, end = treeplex.infoset_begin[infoset : infoset + 2]
            answer = kind().act(Seen(state))
            answer = {answer: 1.0} if isinstance(answer, str) else answer
            table = match.tables[1][state.player][begin:end]
            assert [answer.get(label, 0.0) for label in treeplex.labels[infoset]] == table.tolist()
            seen += 1
            states += [state.child(label) for label in state.actions]
        else:
            states += [state.child(label) for label, _ in state.chance]
    assert seen == 3780


def test_actions_of_probability_zero_are_never_drawn():
    """Nor is anything behind them, by rounding: tiny and missing probabilities side by side."""
    from infoset.agents.kernels.deals import thresholds_into

    given = np.array([0.0, 1e-300, 1.0, 0.0, 0.25, 0.0, 0.75, 0.0, 0.0])
    out = np.zeros(9)
    thresholds_into(out, given, np.array([0, 4, 7], dtype=np.int32), np.array([4, 3, 2], np.int32))
    assert out[:4].tolist() == [0.0, 1e-300, 2.0, 2.0]
    assert out[4:7].tolist() == [0.25, 0.25, 2.0]


def test_many_outcomes_are_found_by_halving():
    """A deck of 40: more outcomes of chance than are looked through one by one."""
    match = match_of("one_card(cards=40)", Uniform(), player("one_card(cards=40)", 3), seed=2)
    chunk = next(match.chunks(60_000, threads=1))
    counts = np.bincount(chunk.terminals[::2], minlength=match.form.history.num_nodes)
    assert_drawn_from(counts, 30_000 * probabilities(match, 0))
