"""Where to cut a game: ``round=2``, ``depth=3``, ``public``, or a path such as ``check,bet``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, nearest, shorten
from infoset.forms import Decomposition, SequenceForm, decompose
from infoset.forms.kernels.subtrees import count_down
from infoset.games import CHANCE

_NUMBERED = re.compile(r"\s*(round|depth)\s*=\s*([0-9]{1,4})\s*")
_STEP = re.compile(r"[,/:]")
STREET_NAMES = ("flop", "turn", "river")

MAX_LENGTH = 1000


@dataclass(frozen=True)
class Cut:
    """Where a game is cut, whichever game it is."""

    kind: Literal["round", "depth", "public", "street", "path"]
    number: int = 0
    path: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "public":
                return "public"
            case "street":
                return STREET_NAMES[self.number - 1]
            case "path":
                return self.path
            case _:
                return f"{self.kind}={self.number}"


def parse_cut(text: str | Cut) -> Cut:
    """Read where to cut.

    - ``round=2``: where the first betting round is over, before the next cards are dealt;
    - ``public``: where the first public card has been dealt, each card by itself;
    - ``depth=3``: after three actions of the players;
    - ``turn``, ``river``: of a spot, where that street begins;
    - anything else is a path: what was done, as in ``check,bet``.

    >>> parse_cut("round=2"), parse_cut("check, bet")
    (Cut(kind='round', number=2, path=''), Cut(kind='path', number=0, path='check, bet'))
    """
    if isinstance(text, Cut):
        return text
    if not isinstance(text, str) or not _steps(text) or len(text) > MAX_LENGTH:
        raise BadInputError(
            f"{shorten(str(text))} is no cut; write it as in round=2, depth=3, public, river, or "
            "as a path such as 'check,bet'"
        )
    match = _NUMBERED.fullmatch(text)
    if match is not None:
        number = int(match[2])
        least = 2 if match[1] == "round" else 1
        if number < least:
            raise BadInputError(f"{text.strip()!r}: a cut is at {match[1]}={least} or later")
        return Cut("round" if match[1] == "round" else "depth", number)
    word = text.strip().lower()
    if word == "public":
        return Cut("public")
    if word in STREET_NAMES:
        return Cut("street", 1 + STREET_NAMES.index(word))
    return Cut("path", path=text.strip())


def _steps(path: str) -> list[str]:
    """The actions and cards that a path names."""
    return [step.strip() for step in _STEP.split(path) if step.strip()]


def cut_form(form: SequenceForm, where: str | Cut) -> Decomposition:
    """Cut a game in sequence form.

    >>> import infoset
    >>> cut_form(infoset.compile("leduc"), "round=2").num_subgames
    5
    >>> cut_form(infoset.compile("leduc"), "public").num_subgames
    30
    """
    return decompose(form, _marks(form, parse_cut(where)))


def _marks(form: SequenceForm, cut: Cut) -> NDArray[np.bool_]:
    """[num_nodes] The histories at which a game is cut."""
    history = form.history
    is_chance = history.node_player == CHANCE
    depth = count_down(history.node_parent, (history.node_player >= 0).astype(np.int32))
    after_chance = np.append(False, is_chance[history.node_parent[1:]])
    marks: NDArray[np.bool_]
    if cut.kind == "depth":
        marks = depth == cut.number
    elif cut.kind == "public":
        marks = after_chance & ~is_chance & (depth > 0)
    elif cut.kind == "round":
        is_deal = is_chance & ~after_chance & (depth > 0)
        marks = is_deal & (
            count_down(history.node_parent, is_deal.astype(np.int32)) == cut.number - 2
        )
    elif cut.kind == "path":
        return _below_path(form, cut.path)
    else:
        raise BadInputError(
            f"{form.name!r} has no {cut}: streets are for hold'em spots in public form. Cut it at "
            "round=2, public or depth=3"
        )
    if not marks.any():
        what = {
            "depth": f"no history with {cut.number} actions",
            "public": "no card is dealt after the first action",
            "round": f"there is no round {cut.number}: a round begins where cards are dealt after "
            "an action",
        }[cut.kind]
        raise BadInputError(f"{form.name!r} cannot be cut at {cut}: {what}")
    return marks


def _below_path(form: SequenceForm, path: str) -> NDArray[np.bool_]:
    """The histories right after some actions of the players, and cards if they are named."""
    history = form.history
    at = _past_chance(form, np.zeros(1, np.int64))
    done: list[str] = []
    for step in _steps(path):
        known: set[str] = set()
        following = []
        for node in at.tolist():
            for label, child in _children(form, node):
                known.add(label)
                if label == step:
                    following.append(child)
        if not following:
            # Cards that were not named: all of them.
            dealt = _past_chance(form, at)
            for node in dealt.tolist():
                for label, child in _children(form, node):
                    known.add(label)
                    if label == step:
                        following.append(child)
        if not following:
            after = f"after {', '.join(done)!r}" if done else "at the start"
            raise BadInputError(
                f"{form.name!r} has no path {shorten(path)}: {after} there is no "
                f"{step!r}{nearest(step, sorted(known))}"
            )
        done.append(step)
        at = np.array(following, np.int64)
    marks = np.zeros(history.num_nodes, bool)
    marks[at] = True
    return marks


def _children(form: SequenceForm, node: int) -> list[tuple[str, int]]:
    """What may happen at a history, in words: actions, or cards that keys of infosets name."""
    history = form.history
    first, degree = int(history.node_child[node]), int(history.node_degree[node])
    player = int(history.node_player[node])
    if player >= 0:
        labels = form.treeplexes[player].labels[int(history.node_infoset[node])]
        return [(label, first + slot) for slot, label in enumerate(labels)]
    out = []
    for child in range(first, first + degree):
        mover = int(history.node_player[child])
        if mover >= 0:
            key = form.treeplexes[mover].keys[int(history.node_infoset[child])]
            _, slash, card = key.rpartition("/")
            if slash and card.endswith(":"):
                out.append((card[:-1], child))
    return out


def _past_chance(form: SequenceForm, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first histories after some at which chance does not move."""
    history, out, stack = form.history, [], nodes.tolist()[::-1]
    while stack:
        node = stack.pop()
        if history.node_player[node] != CHANCE:
            out.append(node)
            continue
        first = int(history.node_child[node])
        stack.extend(range(first + int(history.node_degree[node]) - 1, first - 1, -1))
    return np.array(out, np.int64)
