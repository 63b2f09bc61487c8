"""Gambit files: what we read is what is written, and what we write others read alike."""

from __future__ import annotations

import contextlib
import io
import os
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from infoset.errors import (
    BadInputError,
    FileFormatError,
    GameError,
    InfosetError,
    StorageError,
    TooLargeError,
)
from infoset.games.rules import CHANCE, TERMINAL, Game
from infoset.interop import efg, format_efg, parse_efg, read_efg, write_efg
from infoset.interop.efg_syntax import (
    ENCODED_COMMENT,
    decode_label,
    encode_label,
    format_number,
    format_probabilities,
)
from unfolded import Node, infosets_of, nodes_of, unfold, uniform_value

HEAD = 'EFG 2 R "title" { "One" "Two" }\n'
ENDS = 't "" 1 "" { 1, -1 }\nt "" 2 "" { -1, 1 }\n'


# --- games to write -------------------------------------------------------------------------


@dataclass(frozen=True)
class SequenceForm:
    """A state given by its parts, and the game that starts there."""

    player: int = TERMINAL
    infoset: str = ""
    payoff: object = 0
    chance: tuple = ()
    children: tuple = ()  # (label, SequenceForm), in order
    name: str = "a tree"

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(label for label, _ in self.children)

    def child(self, action: str) -> SequenceForm:
        return dict(self.children)[action]

    def root(self) -> SequenceForm:
        return self


def end(payoff: object) -> SequenceForm:
    return SequenceForm(payoff=payoff)


def decide(player: int, infoset: str, **children: SequenceForm) -> SequenceForm:
    return SequenceForm(player, infoset, children=tuple(children.items()))


def toss(*outcomes: tuple[str, object, SequenceForm]) -> SequenceForm:
    return SequenceForm(
        CHANCE,
        chance=tuple((label, probability) for label, probability, _ in outcomes),
        children=tuple((label, child) for label, _, child in outcomes),
    )


def one_card_poker(deals: list[tuple[str, object]]) -> SequenceForm:
    """Player 0 sees a card, raises or folds; player 1, who sees nothing, calls or folds."""
    return toss(
        *(
            (
                card,
                probability,
                decide(
                    0,
                    f"holding {card}",
                    raise_=decide(1, "raised", call=end(2 if card == "King" else -2), fold=end(1)),
                    fold=end(-1),
                ),
            )
            for card, probability in deals
        )
    )


def awkward_labels() -> SequenceForm:
    ends = (("", end(1)), ('say "no"', end(-1)), ("50%", end(Fraction(1, 3))), ("back\\", end(0)))
    return SequenceForm(
        CHANCE,
        chance=(("♠ A", Fraction(1, 3)), (" two  spaces ", Fraction(2, 3))),
        children=(
            ("♠ A", SequenceForm(0, "line\nbreak\t♠", children=ends[1:])),
            (" two  spaces ", SequenceForm(1, "", children=(("%0A", end(2)), ("\x7f", end(5))))),
        ),
        name='a "title"\nwith ♥',
    )


def long_chain(length: int) -> SequenceForm:
    tree = end(0)
    for depth in reversed(range(length)):
        tree = decide(depth % 2, f"depth {depth}", on=tree, off=end(depth))
    return tree


GAMES = {
    "poker": one_card_poker([("King", Fraction(1, 2)), ("Queen", Fraction(1, 2))]),
    "poker, seven cards": one_card_poker([("King", Fraction(3, 7)), ("Queen", Fraction(4, 7))]),
    "poker, floats": one_card_poker([("King", 1 / 3), ("Queen", 2 / 3)]),
    "a single end": end(Fraction(-7, 3)),
    "one action": decide(0, "only", go=decide(1, "also only", go=end(0.1))),
    "awkward labels": awkward_labels(),
    "whole floats and numpy": decide(
        0, "x", a=end(2.0), b=end(np.float64(0.5)), c=end(np.int64(3))
    ),
}


def same_trees(ours: Node, theirs: Node) -> None:
    for one, other in zip(nodes_of(ours), nodes_of(theirs), strict=True):
        assert one.player == other.player
        assert one.infoset == other.infoset
        assert float(one.payoff) == float(other.payoff)
        assert [label for label, _, _ in one.edges] == [label for label, _, _ in other.edges]
        if one.player == CHANCE:
            expected = pytest.approx([float(p) for _, p, _ in one.edges], rel=1e-15)
            assert [float(p) for _, p, _ in other.edges] == expected
            assert sum(p for _, p, _ in other.edges) == 1


# --- writing, and reading back --------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_written_games_read_back_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / "game.efg"
    write_efg(GAMES[name], path)
    game = read_efg(path)
    assert isinstance(game, Game)
    assert game.name == str(path)
    assert game.title == GAMES[name].name
    same_trees(unfold(GAMES[name]), unfold(game))
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.efg"]


def test_exact_numbers_stay_exact() -> None:
    root = unfold(parse_efg(format_efg(GAMES["poker, seven cards"])))
    assert [p for _, p, _ in root.edges] == [Fraction(3, 7), Fraction(4, 7)]
    # Raised and called on half: (2+1)/2 with the king, (-2+1)/2 without; folded -1.
    expected = (Fraction(3, 7) * (Fraction(3, 2) - 1) + Fraction(4, 7) * (Fraction(-1, 2) - 1)) / 2
    assert uniform_value(root) == expected
    assert unfold(parse_efg(format_efg(GAMES["a single end"]))).payoff == Fraction(-7, 3)


def test_simple_floats_are_written_as_the_fractions_they_were() -> None:
    assert '{ "King" 1/3 "Queen" 2/3 }' in format_efg(GAMES["poker, floats"])


def test_text_of_a_small_game_is_as_gambit_would_write_it() -> None:
    game = decide(
        0, "me", left=decide(1, "you", up=end(1), down=end(Fraction(-1, 2))), right=end(1)
    )
    assert format_efg(game) == (
        'EFG 2 R "a tree" { "Player 1" "Player 2" }\n'
        '"Written by infoset."\n\n'
        'p "" 1 1 "me" { "left" "right" } 0\n'
        'p "" 2 1 "you" { "up" "down" } 0\n'
        't "" 1 "" { 1, -1 }\n'
        't "" 2 "" { -1/2, 1/2 }\n'
        't "" 1 "" { 1, -1 }\n'
    )


def test_deep_trees_need_no_recursion() -> None:
    length = 5_000  # five times the recursion limit
    text = format_efg(long_chain(length))
    assert len(nodes_of(unfold(parse_efg(text)))) == 2 * length + 1


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> SequenceForm:
    """Random games; an infoset may have many histories, but always the same actions."""
    label = st.text(max_size=3)
    number = st.fractions(-100, 100, max_denominator=50) | st.floats(-1e3, 1e3) | st.integers(-9, 9)

    def grow(depth: int) -> SequenceForm:
        player = draw(st.sampled_from([TERMINAL, CHANCE, 0, 1])) if depth else TERMINAL
        if player == TERMINAL:
            return end(draw(number))
        if player == CHANCE:
            labels = draw(st.lists(label.filter(bool), min_size=1, max_size=3, unique=True))
            weights = [draw(st.integers(1, 9)) for _ in labels]
            make = draw(st.sampled_from([Fraction, lambda a, b: a / b]))
            return toss(
                *(
                    (a, make(w, sum(weights)), grow(depth - 1))
                    for a, w in zip(labels, weights, strict=True)
                )
            )
        key = draw(st.sampled_from(["", "a", "1:1", "2:1", "\n", "é"]))
        actions = {"": ["x"], "a": ["x", "y"], "\n": ["%", '"']}.get(key, ["l", "r"])
        return SequenceForm(player, key, children=tuple((a, grow(depth - 1)) for a in actions))

    return grow(depth)


@settings(max_examples=150, deadline=None)
@given(trees())
def test_any_game_reads_back_the_same(tree: SequenceForm) -> None:
    same = parse_efg(format_efg(tree))
    ours, theirs = unfold(tree), unfold(same)
    if "1:1" not in infosets_of(ours)[0] and "2:1" not in infosets_of(ours)[1]:
        same_trees(ours, theirs)
    assert uniform_value(theirs) == pytest.approx(float(uniform_value(ours)), abs=1e-9)
    assert list(map(len, infosets_of(theirs))) == list(map(len, infosets_of(ours)))


@given(st.text())
@example("a  b ")
@example(" ")
@example("%")
@example("\ud800")
def test_encoded_labels_are_what_gambit_takes_and_decode_again(label: str) -> None:
    encoded = encode_label(label)
    assert re.fullmatch(r"[!#-\[\]-~]+( [!#-\[\]-~]+)*", encoded)
    assert decode_label(encoded) == label


@given(st.lists(st.floats(1e-300, 1.0), min_size=1, max_size=6))
@example([0.1] * 10)
@example([1e-300, 1.0])
def test_probabilities_are_written_to_sum_to_one(weights: list[float]) -> None:
    total = sum(weights)
    values = [w / total for w in weights if w / total > 0]
    written = [Fraction(text) for text in format_probabilities(values)]
    assert sum(written) == 1
    assert [float(w) for w in written] == pytest.approx(values, abs=1e-15)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_written_without_loss_or_exponent(value: float) -> None:
    text = format_number(value)
    assert float(Fraction(text)) == value
    assert "e" not in text.lower()


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (end(float("nan")), "payoff of nan"),
        (end(float("inf")), "payoff of inf"),
        (toss(("a", 0.5, end(0)), ("b", 0.4, end(0))), "sum to 0.9"),
        (toss(("a", 1.5, end(0)), ("b", -0.5, end(0))), "not positive"),
        (SequenceForm(CHANCE), "no outcomes"),
        (SequenceForm(0, "stuck"), "no action at the infoset 'stuck'"),
        (SequenceForm(2, "third", children=(("a", end(0)),)), "the player 2"),
        (decide(0, "k", a=decide(0, "k", b=end(0)), c=end(0)), "different actions"),
    ],
)
def test_what_is_no_game_is_not_written(game: SequenceForm, message: str, tmp_path: Path) -> None:
    with pytest.raises(GameError, match=message):
        write_efg(game, tmp_path / "game.efg")
    assert not list(tmp_path.iterdir())


def test_infinite_games_are_given_up() -> None:
    class Forever(SequenceForm):
        def child(self, action: str) -> SequenceForm:
            return self

    with pytest.raises(TooLargeError, match="more than 1000 histories"):
        format_efg(Forever(0, "again", children=(("on", end(0)),)), max_nodes=1000)


# --- reading what others wrote --------------------------------------------------------------


def test_everything_the_format_allows() -> None:
    game = parse_efg(
        """
        EFG 2 D "Title with a \\"quote\\"" {"One","Two"} "A comment,
        over lines"
        c "root" -3 "nature" { "a" .25 "b" 1/4 "c" 5e-1 "never" 0 } 7 "bonus" { 1/2 , -.5 }
          p "" 1 10 "first" { "same" "same" "" } 0
            t "" 1 "win" { 1 -1 }
            t "" 2 "lose" { -1, 1, }
            t "" 0
          p "" 1 10 2
            t "" 7
            t"" 1"win"{1 -1}
            t "" 0
          p "" 2 1 "first" { "x" } 0
            p "" 2 2 "first" { "x" } 0
              t "" 1
          t "" 1000000 "" { +3 -3.0 }
        """,
        "a file",
    )
    assert (game.title, game.comment) == ('Title with a "quote"', "A comment,\n        over lines")
    assert game.players == ("One", "Two")
    root = unfold(game)
    assert [(a, p) for a, p, _ in root.edges] == [
        ("a", Fraction(1, 4)),
        ("b", Fraction(1, 4)),
        ("c", Fraction(1, 2)),
    ]
    half = Fraction(1, 2)
    payoffs = [node.payoff for node in nodes_of(root) if node.player == TERMINAL]
    assert payoffs == [half + 1, half - 1, half, half - 1 + half, half, half - 1, half + 1]
    # Two infosets of player 2 share a name, so both go by their numbers.
    assert infosets_of(root) == (
        {"first": ("same", "same (2)", "3")},
        {"2:1": ("x",), "2:2": ("x",)},
    )
    assert game.root().child("never").payoff == half + 3


def test_a_name_cannot_hide_the_number_of_another_infoset() -> None:
    text = 'p "" 1 1 "1:2" { "a" "b" } 0\nt "" 1 "" { 1 -1 }\np "" 1 2 "" { "a" "b" } 0\n'
    assert set(infosets_of(unfold(parse_efg(HEAD + text + ENDS)))[0]) == {"1:1", "1:2"}


def test_nearly_exact_files_are_read() -> None:
    text = 'c "" 1 "" { "a" 0.3333333333 "b" 0.6666666667 } 0\nt "" 1 "" { 0.1 -0.1000000000001 }\n'
    root = unfold(parse_efg(HEAD + text + 't "" 2 "" { 1 -1 }'))
    assert sum(p for _, p, _ in root.edges) == 1
    text = 'c "" 1 "" { "a" 0.33333333333 "b" 0.66666666666 } 0\n'
    assert sum(p for _, p, _ in unfold(parse_efg(HEAD + text + ENDS)).edges) == 1


def test_payoffs_cancel_within_a_share_of_their_size() -> None:
    """Doubles of some 1e12 are written with errors of some 1e-4."""
    root = unfold(parse_efg(HEAD + 't "" 1 "" { 1234567890123.1 -1234567890123.0999 }'))
    assert root.payoff == Fraction("1234567890123.1")
    with pytest.raises(GameError, match="constant-sum, not zero-sum"):
        parse_efg(HEAD + 't "" 1 "" { 0.1 -0.0999 }')


def test_percent_signs_of_others_are_left_alone() -> None:
    text = 'p "" 1 1 "%41" { "50%25" "b" } 0\n' + ENDS
    assert infosets_of(unfold(parse_efg(HEAD + text)))[0] == {"%41": ("50%25", "b")}
    encoded = f'{HEAD}"{ENCODED_COMMENT}"\n{text}'
    assert infosets_of(unfold(parse_efg(encoded)))[0] == {"A": ("50%", "b")}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "the file ends where 'EFG'"),
        ("NFG 1 R", (1, 1), "expected 'EFG', with which an extensive game begins, found 'NFG'"),
        ("EFG 3 R", (1, 5), "version"),
        ('EFG 2 R "title', (1, 9), "no closing quote"),
        ('EFG 2 R title { "a" "b" }', (1, 9), "expected the title"),
        ('EFG 2 R "t" { "a" b }', (1, 19), "expected the name of a player"),
        (HEAD, (2, 1), "the file ends where a node"),
        (HEAD + 'x ""', (2, 1), "expected a node"),
        (HEAD + '  p 1 1 "" { "a" } 0', (2, 5), "the name of the node"),
        (HEAD + 'p "" x 1 "" { "a" } 0', (2, 6), "the number of the player"),
        (HEAD + 'p "" 3 1 "" { "a" } 0', (2, 6), "there is no player 3"),
        (HEAD + 'p "" 0 1 "" { "a" } 0', (2, 6), "there is no player 0"),
        (HEAD + 'p "" 1 1.5 "" { "a" } 0', (2, 8), "the number of the infoset"),
        (HEAD + 'p "" 1 1 "" { } 0', (2, 13), "needs an action"),
        (HEAD + 'p "" 1 1 "" { a } 0', (2, 15), "expected an action, in quotes"),
        (HEAD + 'p "" 1 1 "" 0', (2, 8), "infoset 1 is new"),
        (HEAD + 'p "" 1 1 "" { "a" "b" }', (2, 24), "the number of the outcome"),
        (HEAD + 'p "" 1 1 "" { "a" "b" } 5', (2, 25), "outcome 5 is new"),
        (HEAD + 'p "" 1 1 "" { "a" "b" } 0 "" { 1 -1 }', (2, 25), "outcome 0 pays nothing"),
        (HEAD + 't "" 1 "" { 1 }', (2, 15), "expected the payoff of player 2"),
        (HEAD + 't "" 1 "" { 1 -1 0 }', (2, 18), "expected '}'"),
        (HEAD + 't "" 1 "" { 1/0 -1 }', (2, 13), "divides by zero"),
        (HEAD + 't "" 1 "" { nan -1 }', (2, 13), "expected the payoff of player 1"),
        (HEAD + 't "" 1 "" { inf -1 }', (2, 13), "expected the payoff of player 1"),
        (HEAD + 't "" 1 "" { 1e999 -1 }', (2, 13), "too large"),
        (HEAD + 't "" 1 "" { 1' + "0" * 500 + " -1 }", (2, 13), "at most 400 characters"),
        (HEAD + 't "" 1 "" { ١ -1 }', (2, 13), "expected the payoff of player 1"),
        (HEAD + 'c "" 1 "" { "a" "b" } 0', (2, 17), "expected the probability"),
        (HEAD + ENDS, (3, 1), "expected the end of the file"),
        (HEAD + 'p "" 1 1 "" { "a" "b" "c" } 0\n' + ENDS, (5, 1), "line 2 still lacks 1 of its 3"),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 -1 }\nt "" 1 "" { 2 -2 }',
            (4, 6),
            "other payoffs before",
        ),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 0\np "" 1 1 "" { "a" "c" } 0',
            (4, 8),
            "other actions or probabilities",
        ),
    ],
)
def test_malformed_files_are_refused_with_their_place(
    text: str, place: tuple[int, int], message: str
) -> None:
    with pytest.raises(FileFormatError) as caught:
        parse_efg(text, "bad.efg")
    assert str(caught.value).startswith(f"bad.efg, line {place[0]}, column {place[1]}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('EFG 2 R "" { "a" "b" "c" }', "has 3 players"),
        ('EFG 2 R "" { "a" }', "has 1 players"),
        (HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 0 }\nt "" 2 "" { 0 1 }', "constant-sum"),
        (
            HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1 -1 }\nt "" 2 "" { 2 -1 }',
            "line 4, column 1: not a zero-sum game: this end pays 2 and -1",
        ),
        (HEAD + 'c "" 1 "" { "a" 1/2 "b" 1/3 } 0\n' + ENDS, "sum to one; these sum to 0.8333"),
        (HEAD + 'c "" 1 "" { "a" 3/2 "b" -1/2 } 0\n' + ENDS, "must not be negative"),
    ],
)
def test_other_games_are_refused(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        parse_efg(text)


def test_limits_of_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + 'p "" 1 1 "" { "a" "b" } 0\n' + ENDS
    parse_efg(text, max_nodes=3)
    with pytest.raises(TooLargeError, match="more than 2 nodes"):
        parse_efg(text, max_nodes=2)
    with pytest.raises(TooLargeError, match="more than 1 nodes"):
        parse_efg(text, max_nodes=1)
    path = tmp_path / "large.efg"
    path.write_text(text)
    monkeypatch.setattr(efg, "MAX_BYTES", len(text) - 1)
    with pytest.raises(TooLargeError, match="larger than"):
        read_efg(path)


def test_sums_that_would_grow_without_end_are_refused() -> None:
    primes = [p for p in range(2, 6000) if all(p % q for q in range(2, int(p**0.5) + 1))]
    nodes = "".join(f'p "" 1 {p} "" {{ "on" }} {p} "" {{ 1/{p} -1/{p} }}\n' for p in primes)
    with pytest.raises(FileFormatError, match="no simple fraction"):
        parse_efg(HEAD + nodes + 't "" 0')


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file"):
        read_efg(tmp_path / "nowhere.efg")
    with pytest.raises(StorageError, match="directory"):
        read_efg(tmp_path)
    with pytest.raises(StorageError, match="null byte"):
        read_efg("a\0b")
    path = tmp_path / "latin.efg"
    path.write_bytes(b'EFG 2 R "\xe9"')
    with pytest.raises(FileFormatError, match="byte 9"):
        read_efg(path)
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + 't "" 1 "" { 1 -1 }').encode())
    assert read_efg(path).root().payoff == 1


def test_unknown_actions_are_refused_with_the_nearest() -> None:
    state = parse_efg(HEAD + 'p "" 1 1 "" { "left" "right" } 0\n' + ENDS).root()
    with pytest.raises(BadInputError, match="did you mean 'left'"):
        state.child("letf")


WORDS = [
    "EFG",
    "2",
    "R",
    '"t"',
    "{",
    "}",
    '"a"',
    '"b"',
    "c",
    "p",
    "t",
    '""',
    "0",
    "1",
    "1/2",
    "-1",
    ",",
    '"',
    "\\",
    '\\"',
    "1e9",
    "nan",
    "é",
    "1/0",
    '"%FF"',
]
PIECES = st.sampled_from([*WORDS, "\n", HEAD, ENDS, f'{HEAD}"{ENCODED_COMMENT}"'])


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=25).map(" ".join) | st.text() | st.binary())
def test_any_text_gives_a_game_or_our_error(text: str | bytes) -> None:
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    with contextlib.suppress(InfosetError):
        uniform_value(unfold(parse_efg(text)))


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_altered_files_give_a_game_or_our_error(data: st.DataObject) -> None:
    text = format_efg(GAMES[data.draw(st.sampled_from(sorted(GAMES)))])
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 8))
        text = text[:begin] + data.draw(PIECES | st.just("")) + text[begin + length :]
    with contextlib.suppress(InfosetError):
        uniform_value(unfold(parse_efg(text)))


# --- what other programs make of it ---------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(GAMES) - {"a single end"}))
def test_open_spiel_reads_the_same_game(name: str, tmp_path: Path) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import expected_game_score
    from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy

    write_efg(GAMES[name], tmp_path / "game.efg")
    source = pyspiel.load_game(f"efg_game(filename={tmp_path / 'game.efg'})")
    assert source.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    root = unfold(GAMES[name])
    theirs = expected_game_score.policy_value(
        source.new_initial_state(), [UniformRandomPolicy(source)] * 2
    )
    assert theirs[0] == pytest.approx(float(uniform_value(root)), abs=1e-12)
    infosets = [len(keys) for keys in TabularPolicy(source).states_per_player]
    assert infosets == [len(keys) for keys in infosets_of(root)]


@pytest.mark.parametrize(
    "spec", ["kuhn_poker", "leduc_poker", "goofspiel(num_cards=3,imp_info=True)"]
)
def test_open_spiel_games_survive_the_way_through_a_file(spec: str, tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    from infoset.interop import from_open_spiel

    game = from_open_spiel(spec)
    write_efg(game, tmp_path / "game.efg")
    same_trees(unfold(game), unfold(read_efg(tmp_path / "game.efg")))
    theirs = from_open_spiel(f"efg_game(filename={tmp_path / 'game.efg'})")
    root = unfold(theirs)
    assert float(uniform_value(root)) == pytest.approx(
        float(uniform_value(unfold(game))), abs=1e-12
    )
    assert list(map(len, infosets_of(root))) == list(map(len, infosets_of(unfold(game))))


@pytest.mark.peer
@pytest.mark.parametrize("name", [*GAMES, "kuhn_poker", "goofspiel(num_cards=3,imp_info=True)"])
def test_gambit_reads_the_same_game(name: str) -> None:
    gambit = pytest.importorskip("pygambit")
    game = GAMES.get(name)
    if game is None:
        pytest.importorskip("pyspiel")
        from infoset.interop import from_open_spiel

        game = from_open_spiel(name)
    text = format_efg(game)
    theirs = gambit.read_efg(io.StringIO(text))
    root = unfold(game)
    assert _gambit_uniform_values(theirs) == pytest.approx(
        [float(uniform_value(root)), -float(uniform_value(root))], abs=1e-12
    )
    for player, own in zip(theirs.players, infosets_of(root), strict=True):
        assert len(player.infosets) == len(own)
        named = {
            infoset.label: tuple(a.label for a in infoset.actions) for infoset in player.infosets
        }
        assert named == {
            encode_label(key): tuple(map(encode_label, labels)) for key, labels in own.items()
        }
    # And what Gambit writes of it, we read.
    again = unfold(parse_efg(theirs.to_efg()))
    assert float(uniform_value(again)) == pytest.approx(float(uniform_value(root)), abs=1e-12)


def _gambit_uniform_values(game) -> list[float]:
    """What both players win under Gambit's centroid, the uniform strategy."""
    if not any(player.infosets for player in game.players):
        # No profile of strategies without infosets; read the payoffs off the chance tree.
        outcome = game.root.outcome
        return [float(outcome[player]) for player in game.players]
    profile = game.mixed_behavior_profile(rational=False)
    return [float(profile.payoff(player)) for player in game.players]


def _catalog() -> list[str]:
    try:
        import pygambit
    except ImportError:
        return []
    folder = Path(pygambit.__file__).parent / "catalog_data"
    return sorted(os.fspath(path.relative_to(folder)) for path in folder.rglob("*.efg"))


@pytest.mark.peer
def test_gambits_own_games_are_read_or_refused_rightly() -> None:
    gambit = pytest.importorskip("pygambit")
    folder = Path(gambit.__file__).parent / "catalog_data"
    num_read = 0
    for name in _catalog():
        theirs = gambit.read_efg(folder / name)
        if len(theirs.players) != 2:
            with pytest.raises(GameError, match="players"):
                read_efg(folder / name)
        elif not theirs.is_const_sum:
            with pytest.raises(GameError, match="not a zero-sum game"):
                read_efg(folder / name)
        else:
            try:
                root = unfold(read_efg(folder / name))
            except GameError as error:
                assert "constant-sum" in str(error)  # noqa: PT017
                continue
            num_read += 1
            assert len(nodes_of(root)) == len(theirs.nodes)
            assert [len(p.infosets) for p in theirs.players] == [len(k) for k in infosets_of(root)]
            if theirs.is_perfect_recall:
                value = _gambit_uniform_values(theirs)[0]
                assert float(uniform_value(root)) == pytest.approx(value, abs=1e-12)
    assert num_read >= 4
