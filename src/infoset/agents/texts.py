"""Agents by their texts: ``uniform``, ``leduc.infoset``, ``lbr(leduc.infoset,actions=fc)``.

An agent is the file of a solution, or a name with what it is made of in parentheses: first the
agent that it is made from, if there is one, then numbers and words, by place or by key. Texts may
be put into texts: ``best-response(purify(leduc.infoset))``. A file whose name holds a comma or a
parenthesis is quoted there; one that is called like an agent is meant by ``./uniform``.

Which agents there are is said in `infoset.agents.known_agents`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from infoset.agents.agent import Agent
from infoset.agents.known_agents import KNOWN, KnownAgent
from infoset.agents.strategy_agent import StrategyAgent
from infoset.calls import Call, Value, bind, read_parameters_into, read_value
from infoset.cursor import Cursor
from infoset.errors import AgentError, BadInputError, StorageError, TooLargeError, nearest, shorten
from infoset.forms import sequence_form_of
from infoset.games import Game, name_of
from infoset.games.holdem import Spot
from infoset.interop import find_rules
from infoset.solvers import Solution, read_solution

MAX_LENGTH = 4000
"""Longest text that is read, in characters."""

MAX_DEPTH = 8
"""Agents made from agents made from agents, as deep as that."""

MOST_COMPARED = 5_000_000
"""Histories of a game whose infosets are compared with those of a solution for another one."""

EXAMPLE = "write it as in uniform, FILE or resolve(FILE,iterations=100)"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_PATH = re.compile(r"[^,()'\"]+")
_QUOTED = re.compile(r"""'([^']+)'|"([^"]+)\"""")
_KEYED = re.compile(r"[A-Za-z_]\w*\s*=")


@dataclass(frozen=True)
class AgentText:
    """An agent as it was written."""

    name: str
    """That of a known agent; empty if the agent is the solution in a file."""
    file: str = ""
    made_from: AgentText | None = None
    parameters: Mapping[str, Value] = field(default_factory=dict)

    @property
    def first_file(self) -> str:
        """The file that it is made from in the end; empty if from none."""
        return self.file if self.made_from is None else self.made_from.first_file

    @property
    def is_for_another_game(self) -> bool:
        """Whether that file is the solution of another game than the one that is played."""
        if self.made_from is None:
            return False
        return KNOWN[self.name].plays_inside or self.made_from.is_for_another_game


def parse_agent(text: str) -> AgentText:
    """Read the text of an agent; no file is opened.

    >>> parse_agent("uniform").name
    'uniform'
    >>> lbr = parse_agent("lbr(purify(my games/leduc.infoset), actions=fcpa)")
    >>> lbr.parameters, lbr.made_from.name, lbr.first_file
    ({'actions': 'fcpa'}, 'purify', 'my games/leduc.infoset')
    >>> parse_agent("threshold(leduc.infoset, 0.1)").parameters
    {'least': 0.1}
    >>> parse_agent("purify(leduc.infoset")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the agent 'purify(leduc.infoset' at character 21: \
expected ',' or ')', found the end; write it as in uniform, FILE or resolve(FILE,iterations=100)
    """
    cursor = Cursor(text, "an agent", longest=MAX_LENGTH, example=EXAMPLE)
    cursor.skip_blanks()
    name = _known_name(cursor)
    if name is None:
        cursor.at = 0
        return AgentText("", _file(cursor))
    agent = _read_agent(name, cursor, 1)
    cursor.skip_blanks()
    if not cursor.is_at_end:
        raise cursor.expected(f"nothing more after {name!r}")
    return agent


def _known_name(cursor: Cursor) -> str | None:
    """The name of a known agent, if one comes next and is all there is, or has parentheses."""
    begin = cursor.at
    name = cursor.take(_NAME)
    cursor.skip_blanks()
    if name in KNOWN and (cursor.is_at_end or cursor.next in "(),"):
        return name
    cursor.at = begin
    return None


def _file(cursor: Cursor) -> str:
    """All of a text, as the path of a file."""
    text = cursor.text.strip()
    cursor.skip_blanks()
    if not text:
        raise cursor.expected("an agent")
    # A file may have any name, but one that is not there was meant to be something else.
    name, _, _ = text.partition("(")
    if text.endswith(")") and not os.path.exists(text) and _NAME.fullmatch(name.strip()):
        raise BadInputError(f"there is no agent {shorten(name)}{nearest(name, KNOWN)}")
    return text


def _read_agent(name: str, cursor: Cursor, depth: int) -> AgentText:
    """What stands in the parentheses behind a name."""
    known, made_from = KNOWN[name], None
    if depth > MAX_DEPTH:
        raise cursor.error(f"agents are made from at most {MAX_DEPTH} others")
    parameters: dict[str, Value] = {}
    if cursor.take("("):
        cursor.skip_blanks()
        is_closed = cursor.take(")") is not None
        if not is_closed and known.is_made_from_agent:
            made_from = _read_inner(cursor, depth)
            cursor.skip_blanks()
            is_closed = _closes(cursor)
        if not is_closed:
            _read_parameters(known, parameters, cursor)
    if known.is_made_from_agent and made_from is None:
        raise cursor.error(f"{name} is made from another agent: {known.usage}")
    return AgentText(name, "", made_from, parameters)


def _closes(cursor: Cursor) -> bool:
    if cursor.take(")"):
        return True
    cursor.expect(",", "',' or ')'")
    cursor.skip_blanks()
    return False


def _read_inner(cursor: Cursor, depth: int) -> AgentText:
    """An agent in the parentheses of another."""
    name = _known_name(cursor)
    if name is not None:
        return _read_agent(name, cursor, depth + 1)
    quoted = cursor.take(_QUOTED)
    if quoted is not None:
        return AgentText("", quoted[1:-1])
    begin = cursor.at
    path = cursor.expect(_PATH, "a file or an agent").strip()
    if cursor.next == "(":
        raise cursor.error(f"there is no agent {shorten(path)}{nearest(path, KNOWN)}", begin)
    return AgentText("", path)


def _read_parameters(known: KnownAgent, parameters: dict[str, Value], cursor: Cursor) -> None:
    """Values by place, then values by key, and the parenthesis behind them."""
    words = {word for parameter in known.parameters for word in parameter.choices}
    for parameter in known.parameters:
        begin = cursor.at
        is_keyed = cursor.take(_KEYED) is not None
        cursor.at = begin
        if is_keyed:
            break
        parameters[parameter.name] = read_value(cursor, words)
        cursor.skip_blanks()
        if _closes(cursor):
            return
    read_parameters_into(parameters, cursor, words=words)


# From texts to agents.


def find_agent(text: str, game: Game) -> Agent:
    """The agent that a text names, ready to play a game.

    >>> from infoset.games import make
    >>> type(find_agent("call", make("kuhn"))).__name__
    'Passive'
    >>> find_agent("unifrom", make("kuhn"))
    Traceback (most recent call last):
    infoset.errors.BadInputError: there is neither an agent nor a file 'unifrom'; did you mean \
'uniform'? Known: best-response, call, fill, fold, lbr, purify, \
resolve, threshold, translated, uniform
    """
    return AgentFinder(game).find(text)


def find_agents(first: str, second: str, game: Game) -> tuple[Agent, Agent]:
    """Two agents; a file that both are made from is read once."""
    finder = AgentFinder(game)
    return finder.find(first), finder.find(second)


class AgentFinder:
    """Makes agents for a game from their texts; a file is read once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._read_files: dict[str, Solution] = {}

    def find(self, text: str | AgentText) -> Agent:
        """The agent that a text names."""
        if isinstance(text, str):
            text = parse_agent(text)
        if not text.name:
            return StrategyAgent(self.game, self.solution(text.file).strategy)
        known = KNOWN[text.name]
        given = bind(Call(text.name, {**text.parameters}), known.parameters)
        if text.made_from is None:
            return known.make(self.game, **given)
        if known.plays_inside:
            return known.make(self.game, *self._inside(text), **given)
        return known.make(self.game, self.find(text.made_from), **given)

    def solution(self, path: str) -> Solution:
        """The solution in a file, if it is one of this game, and of all of it."""
        solution = self._read(path)
        if solution.below is not None:
            raise AgentError(
                f"'{path}' was trimmed at {solution.below.cut}: what is below is needed to play. "
                "Re-solve it: infoset resolve FILE --save WHOLE"
            )
        _check_covers(path, solution, self.game)
        return solution

    def _inside(self, text: AgentText) -> tuple[Game, Agent]:
        """The game that an agent was made for, and the agent as it plays that."""
        assert text.made_from is not None
        path = text.made_from.first_file
        if not path:
            raise AgentError(
                f"{text.name} plays by the solution of another game, so it needs a file: "
                f"{KNOWN[text.name].usage}"
            )
        solution = self._read(path)
        inner: Any = solution.spot or find_rules(solution.game)
        finder = AgentFinder(inner)
        finder._read_files = self._read_files
        return inner, finder.find(text.made_from)

    def _read(self, path: str) -> Solution:
        if path not in self._read_files:
            if not os.path.exists(path):
                # A word may have been meant as an agent.
                is_word = _NAME.fullmatch(path) is not None
                hint = nearest(path, KNOWN) if is_word else ""
                what = "is neither an agent nor a file" if is_word else "is no file"
                raise BadInputError(f"there {what} {shorten(path)}{hint}")
            if Path(path).is_dir():
                raise BadInputError(f"'{path}' is a directory, not the file of a solution")
            if not Path(path).is_file():
                raise BadInputError(f"'{path}' is not a regular file")
            self._read_files[path] = read_solution(path, self._rules)
        return self._read_files[path]

    def _rules(self, name: str) -> Any:
        """The game that a solution was made for: this one, or the one that is called so."""
        if name == name_of(self.game):
            return self.game
        try:
            return find_rules(name)
        except (BadInputError, StorageError) as error:
            raise AgentError(
                f"the solution is one of {name!r}, not of {name_of(self.game)!r}, and the rules "
                f"of that were not found ({error})"
            ) from error


def _check_covers(path: str, solution: Solution, game: Game) -> None:
    """Refuse the solution of another game, and say where they differ if that can be said.

    The solution of a game that is called otherwise is taken if all infosets are alike.
    """
    ours = name_of(game)
    refusal = f"'{path}' is a solution of {solution.game!r}, not of {ours!r}"
    if solution.spot is not None and isinstance(game, Spot):
        differing = _differences(solution.spot, game)
        if differing:
            raise AgentError(f"{refusal} as it is here: the spots differ in {differing}")
        return
    if solution.spot is not None or isinstance(game, Spot):
        raise AgentError(refusal)
    if solution.game == ours:
        return
    try:
        form = sequence_form_of(game, max_histories=MOST_COMPARED)
    except TooLargeError:
        hint = ". To play by its smaller menu of bets: translated(FILE)"
        is_menu = ours.startswith("holdem") and solution.game.startswith("holdem")
        raise AgentError(refusal + (hint if is_menu else "")) from None
    for player, treeplex in enumerate(form.treeplexes):
        for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
            known = solution.strategy.get((player, key))
            if known is None or set(known) != set(labels):
                says = "nothing" if known is None else f"only {', '.join(known)}"
                raise AgentError(f"{refusal}: it says {says} about {shorten(key)} in seat {player}")


def _differences(one: Spot, other: Spot) -> str:
    """In what two spots are not the same game, whatever they are called; empty if they are."""
    names = [each.name for each in fields(Spot) if each.name not in ("name", "big_blind")]
    return ", ".join(name for name in names if getattr(one, name) != getattr(other, name))
