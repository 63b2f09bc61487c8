"""Agents by their texts: what is read, what is found, what is refused and with which words."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.agents import ResolvingAgent, Seen, StrategyAgent, find_agent, find_agents, parse_agent
from infoset.agents.known_agents import KNOWN
from infoset.agents.texts import MAX_DEPTH, AgentText
from infoset.errors import AgentError, BadInputError

KUHN = infoset.game("kuhn")
LEDUC = infoset.game("leduc")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with solutions."""
    folder = tmp_path_factory.mktemp("solutions")
    infoset.solve("kuhn", "cfr+", iterations=100).save(folder / "kuhn.infoset")
    leduc = infoset.solve("leduc", "cfr+", iterations=50)
    leduc.save(folder / "leduc.infoset")
    infoset.trim(leduc, "round=2").save(folder / "trimmed.infoset")
    infoset.solve("leduc(by_rank=true)", iterations=10).save(folder / "ranks.infoset")
    sampled = infoset.solve("leduc", "os-mccfr", form="rules", iterations=100, seed=1)
    sampled.save(folder / "sampled.infoset")
    spot = infoset.Spot("Ks9h7d4c2s", "AA,QQ", "JJ", pot=100, stack=100, name="mine")
    infoset.solve(spot, iterations=10).save(folder / "spot.infoset")
    return folder


@pytest.fixture
def at(files, monkeypatch):
    """In that folder."""
    monkeypatch.chdir(files)
    return files


# Reading.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uniform", AgentText("uniform")),
        (" uniform ( ) ", AgentText("uniform")),
        ("a.infoset", AgentText("", "a.infoset")),
        ("my (1) game, old.infoset", AgentText("", "my (1) game, old.infoset")),
        ("./uniform", AgentText("", "./uniform")),
        ("uniform.infoset", AgentText("", "uniform.infoset")),
        ("purify( a b.infoset )", AgentText("purify", "", AgentText("", "a b.infoset"))),
        ("purify('a,(b).infoset')", AgentText("purify", "", AgentText("", "a,(b).infoset"))),
        ("lbr(call)", AgentText("lbr", "", AgentText("call"))),
        (
            "resolve(threshold(a,0.1),method=gadget,iterations=5)",
            AgentText(
                "resolve",
                "",
                AgentText("threshold", "", AgentText("", "a"), {"least": 0.1}),
                {"method": "gadget", "iterations": 5},
            ),
        ),
        (
            "resolve(a, 5, method=gadget)",
            AgentText("resolve", "", AgentText("", "a"), {"iterations": 5, "method": "gadget"}),
        ),
    ],
)
def test_reading(text, expected):
    assert parse_agent(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected an agent, found the end"),
        ("  ", "expected an agent, found the end"),
        ("lbr", r"lbr is made from another agent: lbr\(FILE,actions=fcpa,from_street=0\)"),
        ("lbr()", "lbr is made from another agent"),
        ("purify(a", r"character 9: expected ',' or '\)', found the end"),
        ("purify(a) b", "character 11: expected nothing more after 'purify', found 'b'"),
        ("purify(a,)", r"character 10: expected a key, found '\)'"),
        ("purify(a,1)", "'1' has no key"),
        ("threshold(a,0.1,0.2)", "'0.2' has no key"),
        ("threshold(a,least=0.1,least=0.2)", "'least' is given twice"),
        ("purify(purfy(a))", r"character 8: there is no agent 'purfy'; did you mean 'purify'"),
        ("purfy(a)", "there is no agent 'purfy'; did you mean 'purify'"),
        ("purify('a)", "expected a file or an agent"),
        ("x" * 5000, "at most 4,000 are read"),
        ("purify(" * 9 + "a" + ")" * 9, f"agents are made from at most {MAX_DEPTH} others"),
    ],
)
def test_bad_texts(text, problem):
    with pytest.raises(BadInputError, match=problem):
        parse_agent(text)


@given(st.text(alphabet="uniformlbresvpy(),='\"0.1 a", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        agent = parse_agent(text)
    except BadInputError:
        return
    assert agent.name in KNOWN or agent.file


# Finding.


@pytest.mark.parametrize("known", KNOWN.values(), ids=lambda known: known.name)
def test_every_agent_says_what_it_does_and_is_read_as_it_is_written(known):
    assert known.meaning.endswith(".")
    assert known.usage.startswith(known.name)
    for parameter in known.parameters:
        assert parameter.meaning
    usage = known.usage.replace("...", "0.5")
    assert parse_agent(usage).name == known.name
    assert not known.is_made_from_agent or parse_agent(usage).first_file == "FILE"


@pytest.mark.parametrize(
    ("name", "parameter", "word"),
    [
        (name, parameter.name, word)
        for name, known in KNOWN.items()
        for parameter in known.parameters
        for word in parameter.choices
    ],
)
def test_every_word_that_may_be_chosen_can_be_written(name, parameter, word):
    assert parse_agent(f"{name}(FILE,{parameter}={word})").parameters == {parameter: word}


def test_words_that_begin_with_a_digit_can_be_written_by_place():
    assert parse_agent("lbr(FILE, 56bets, from_street=2)").parameters == {
        "actions": "56bets",
        "from_street": 2,
    }


def test_a_file_is_played_as_its_solution_does(at):
    agent = find_agent("kuhn.infoset", KUHN)
    known = infoset.load(at / "kuhn.infoset").strategy
    seen = Seen(KUHN.root().child("K").child("J").child("bet"))
    assert agent.act(seen) == known["J:bet"]


def test_two_agents_of_a_file_share_it(at):
    first, second = find_agents("leduc.infoset", "resolve(leduc.infoset,7)", LEDUC)
    assert isinstance(second, ResolvingAgent)
    assert second._resolvers[0].trunk is first.strategy
    assert second._resolvers[0].iterations == 7


def test_the_uniform_strategy_is_written_down():
    agent = find_agent("resolve(uniform,iterations=50)", KUHN)
    assert infoset.exploitability(KUHN, agent.strategy()) < 0.3  # 0.458 of uniform play


def test_a_solution_of_a_spot_plays_the_same_spot_whatever_it_is_called(at):
    settings = {"pot": 100, "stack": 100}
    same = infoset.Spot("Ks9h7d4c2s", "AA,QQ", "JJ", **settings, name="yours", big_blind=7)
    assert isinstance(find_agent("spot.infoset", same), StrategyAgent)
    for other, what in (
        (infoset.Spot("Ks9h7d4c3s", "AA,QQ", "JJ", **settings), "board"),
        (infoset.Spot("Ks9h7d4c2s", "AA,QQ", "JJ,TT", **settings), "range_ip"),
        (infoset.Spot("Ks9h7d4c2s", "AA,QQ", "JJ", pot=90, stack=90), "pot, stack"),
    ):
        with pytest.raises(AgentError, match=rf"a solution of 'mine'.*the spots differ in {what}$"):
            find_agent("spot.infoset", other)


def test_a_solution_of_a_game_that_is_called_otherwise_must_know_all_infosets(at):
    class Mine:
        name = "my leduc"

        def root(self):
            return LEDUC.root()

    assert isinstance(find_agent("leduc.infoset", Mine()), StrategyAgent)
    with pytest.raises(AgentError, match=r"not of 'leduc': it says nothing about 'J.:' in seat 0"):
        find_agent("ranks.infoset", LEDUC)


@pytest.mark.parametrize(
    ("text", "game", "problem"),
    [
        ("leduc.infoset", "kuhn", "a solution of 'leduc', not of 'kuhn': it says nothing about"),
        ("leduc.infoset", "holdem", "a solution of 'leduc', not of 'holdem'$"),
        ("spot.infoset", "leduc", "a solution of 'mine', not of 'leduc'"),
        ("trimmed.infoset", "leduc", r"was trimmed at round=2: .* infoset resolve FILE"),
        ("resolve(trimmed.infoset)", "leduc", "was trimmed at round=2"),
        ("missing.infoset", "leduc", "there is no file 'missing.infoset'"),
        ("unifrom", "leduc", "neither an agent nor a file 'unifrom'; did you mean 'uniform'"),
        (".", "leduc", "is a directory"),
        ("/dev/null", "leduc", "'/dev/null' is not a regular file"),
        ("resolve(sampled.infoset)", "leduc", "resolve needs a strategy of the whole game"),
        ("best-response(sampled.infoset)", "leduc", "best-response needs .* --form sequence"),
        ("resolve(leduc.infoset,iterations=0)", "leduc", "iterations must be a whole number"),
        ("resolve(leduc.infoset,iteration=5)", "leduc", "did you mean 'iterations'"),
        ("resolve(leduc.infoset,method=reach)", "leduc", "auto or gadget or max-margin, not"),
        ("resolve(call)", "leduc", "resolve needs a strategy that is written down"),
        ("threshold(leduc.infoset)", "leduc", "threshold needs least: a number from 0 to 1"),
        ("threshold(leduc.infoset,2)", "leduc", "least must be a number from 0 to 1, not 2"),
        ("uniform(5)", "leduc", "'5' has no key"),
        ("translated(call)", "holdem", r"it needs a file: translated\(FILE\)"),
    ],
)
def test_what_is_refused(at, text, game, problem):
    with pytest.raises(BadInputError, match=problem):
        find_agent(text, infoset.game(game))


def test_a_file_that_is_no_solution_is_refused(at, tmp_path):
    path = tmp_path / "broken.infoset"
    shutil.copy(at / "kuhn.infoset", path)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(BadInputError, match=r"broken\.infoset"):
        find_agent(f"resolve({path})", KUHN)
