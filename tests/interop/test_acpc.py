"""Match states and logs of the ACPC: recorded dialogues, what is read again, and what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hands_for_tests import random_action
from infoset.errors import BadInputError, FileFormatError
from infoset.games import CHANCE, TERMINAL, make
from infoset.interop import (
    Header,
    LoggedHand,
    Score,
    action_label,
    action_text,
    format_log_line,
    format_score,
    match_state,
    parse_match_state,
    read_header,
    read_log,
    read_log_line,
    replay_match_state,
)

EXAMPLES = Path(__file__).parent / "acpc_examples.txt"
"""Two dialogues of the protocol's document (version 2.0.0), and two hands of the ACPC's dealer."""

LIMIT, NO_LIMIT = make("holdem(betting=limit)"), make("holdem")


def sections():
    """By its title: the lines of each part of the examples."""
    parts, lines = {}, []
    for line in EXAMPLES.read_text().splitlines():
        if line.startswith("== "):
            parts[line.strip("= ")] = lines = []
        elif line:
            lines.append(line)
    return parts


def dialogue(title):
    """What the server sent and what the client answered, in order."""
    return [tuple(line.split(" ", 1)) for line in sections()[title]]


DIALOGUES = [("limit", LIMIT), ("no-limit", NO_LIMIT)]


# Recorded


@pytest.mark.parametrize(("title", "game"), DIALOGUES)
def test_the_dialogues_of_the_protocol(title, game):
    """Every state is read, written again, and followed by the rules; replies are on turn."""
    lines = dialogue(title)
    assert len(lines) > 20
    last = None
    for who, text in lines:
        if who == "<-C":
            assert text.startswith(last + ":")
            state = parse_match_state(last)
            public = replay_match_state(state, game)[1]
            assert public.player == state.position
            action = text[len(last) + 1 :]
            label = action_label(action, public)
            assert label is not None
            assert action_text(label) == action
            continue
        state = parse_match_state(text)
        assert str(state) == text
        labels, public = replay_match_state(state, game)
        if all(state.hands):
            again = match_state(state.hand, (*state.hands, *labels))
            assert str(again.seen_from(state.position, shown=True)) == text
            assert public.player == TERMINAL
        last = text
    assert {state.position, 1 - state.position} == {0, 1}


def test_a_log_of_the_competitions_dealer(tmp_path):
    lines = sections()["log"]
    path = tmp_path / "match.log"
    path.write_text("\n".join(lines) + "\n")
    log = read_log(path)
    assert log.header == Header("2p.limit.h1000.r0", "holdem(betting=limit)", 2, 0)
    assert str(log.header) == lines[0]
    assert [hand.payoff for hand in log.hands] == [20, 90]
    assert log.hands[1].names == ("p2", "p1")
    assert log.score == Score((-70, 70), ("p1", "p2"))
    assert [*map(format_log_line, log.hands), format_score(log.score)] == lines[4:]


def test_lines_of_no_limit_logs():
    """From a match of the competition: uncalled bets go back, and all-in boards are dealt out."""
    for line, won in (
        ("STATE:0:cr13024c/r16916f:5d5c|9hQd/8dAs8s:13024|-13024:Alice|Bob", 13024),
        ("STATE:54:r300c/cr750r20000c//:7dKd|QhTd/Qd3d7s/6s/4s:-20000|20000:a|b", -20000),
        ("STATE:1:r20000c///:7dKd|QhTd/Qd3d7s/6s/4s:-20000|20000:a|b", -20000),
    ):
        hand = read_log_line(line, NO_LIMIT)
        assert hand.payoff == won
        assert format_log_line(hand) == line


# Properties


@st.composite
def hands_and_games(draw):
    limit = draw(st.booleans())
    stack = draw(st.sampled_from([1, 80, 150, 20_000]))
    game = make(f"holdem(stack={stack}{',betting=limit' if limit else ''})")
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    state, steps = game.root(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            step = state.outcome_at(rng.random())
        elif limit:
            step = state.actions[int(rng.integers(len(state.actions)))]
        else:
            step = random_action(state, rng)
        steps.append(step)
        state = state.child(step)
    return game, LoggedHand(draw(st.integers(0, 10**9)), tuple(steps), state.payoff, ("A", "B"))


@given(hands_and_games())
@settings(deadline=None, max_examples=150)
def test_every_hand_is_read_as_it_was_written(drawn_hand):
    game, hand = drawn_hand
    assert read_log_line(format_log_line(hand), game) == hand
    # As each player sees it, at every moment at which somebody acts.
    for end in range(2, len(hand.steps) + 1):
        state = match_state(hand.number, hand.steps[:end])
        for position in (0, 1):
            seen = state.seen_from(position, shown=False)
            assert seen.hands[1 - position] == ""
            try:
                labels, public = replay_match_state(parse_match_state(str(seen)), game)
            except BadInputError as error:
                assert "cards are due" in str(error)  # noqa: PT017
                continue
            assert labels == hand.steps[2:end]
            assert public.player in (0, 1, TERMINAL)


ALPHABET = st.sampled_from([*"MATCHSTATE:0123456789crf/|AKQJTs hd\n\r#;-.é\x00", "r300", "AsKd"])


@given(st.lists(ALPHABET, max_size=60).map("".join), st.booleans())
@example("", True)
@example("MATCHSTATE:0:1::AsKd|/" + "As" * 200, True)
@settings(deadline=None, max_examples=400)
def test_any_text_is_read_or_refused(text, begins_well):
    """Never anything but a result or a sentence."""
    for read, start in (
        (parse_match_state, "MATCHSTATE:0:1:"),
        (lambda line: read_log_line(line, NO_LIMIT), "STATE:1:"),
    ):
        try:
            read(start + text if begins_well else text)
        except BadInputError as error:
            assert len(str(error)) < 500  # noqa: PT017
    read_header(text)


LINE = "STATE:3:r300c/cr750r20000c//:7dKd|QhTd/Qd3d7s/6s/4s:-20000|20000:a|b"


@given(st.integers(0, len(LINE) - 1), st.sampled_from("cfr/:|0123456789AKdhs.-x"), st.booleans())
@settings(deadline=None, max_examples=400)
def test_a_changed_letter_never_goes_unseen_by_the_rules(place, letter, removed):
    """What is still read obeys the rules, and is written as it was read."""
    line = LINE[:place] + ("" if removed else letter) + LINE[place + 1 :]
    try:
        hand = read_log_line(line, NO_LIMIT)
    except BadInputError:
        return
    state = NO_LIMIT.root()
    for step in hand.steps:
        state = state.child(step)
    assert state.payoff == hand.payoff
    assert read_log_line(format_log_line(hand), NO_LIMIT) == hand


# What is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MATCHSTATE:2:0::AsKd|", "at character 12: expected a position, which is 0 or 1"),
        ("MATCHSTATE:0:x::AsKd|", "at character 14: expected the number of the hand, found 'x'"),
        ("MATCHSTATE:0:0:r30k:AsKd|", "at character 19: expected ':', found 'k'"),
        ("MATCHSTATE:0:0::AsK|", "expected two cards or '|', found 'A'"),
        ("MATCHSTATE:0:0::|AsKd", "the cards of position 0, who sees this, are not there"),
        ("MATCHSTATE:0:0::AsAs|", "a card is there twice"),
        ("MATCHSTATE:0:0:cc/:AsKd|", "1 streets after the first, but the board has cards of 0"),
        ("MATCHSTATE:0:0::AsKd|:c", "expected nothing more, found ':'"),
        ("VERSION:2.0.0", "at character 1: expected 'MATCHSTATE:', found 'V'"),
        ("MATCHSTATE:0:0:" + "c" * 70_000, "the text has 70,015 characters"),
    ],
)
def test_match_states_that_are_none(text, message):
    with pytest.raises(BadInputError) as refused:
        parse_match_state(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("game", "betting", "cards", "message"),
    [
        (NO_LIMIT, "r100", "AsKd|", "'r100' at character 1 of the betting 'r100' is against the"),
        (NO_LIMIT, "r", "AsKd|", "is against the rules"),
        (LIMIT, "r20", "AsKd|", "is against the rules"),
        (LIMIT, "rrrr", "AsKd|", "'r' at character 4 of the betting 'rrrr'"),
        (LIMIT, "fc", "AsKd|", "the hand is over"),
        (LIMIT, "cf", "AsKd|", "'fold' is not possible after 'call'"),
        (LIMIT, "c/", "AsKd|/2c3c4c", "'/' at character 2"),
        (LIMIT, "cc/", "AsKd|/2c3c", "what comes up is 3 of the cards in the deck"),
        (LIMIT, "cc", "AsKd|", "cards are due, and there are none"),
        (LIMIT, "ccc", "AsKd|", "what comes up is 3"),
    ],
)
def test_betting_against_the_rules(game, betting, cards, message):
    with pytest.raises(BadInputError) as refused:
        replay_match_state(parse_match_state(f"MATCHSTATE:0:9:{betting}:{cards}"), game)
    assert message in str(refused.value)
    assert "hand 9" in str(refused.value)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("STATE:0:f:|9hQd:10|-10:a|b", "a hand has no cards"),
        ("STATE:0:c:5d5c|9hQd:10|-10:a|b", "the hand is not over after 'c'"),
        ("STATE:0:f:5d5c|9hQd:10|-10:a|b", "position 0 won 5 by the rules, but the line says 10"),
        ("STATE:0:f:5d5c|9hQd:5|5:a|b", "position 1 won -5 by the rules, but the line says 5"),
        ("STATE:0:f:5d5c|9hQd:5|-5:a", "expected '|', found the end"),
        ("STATE:0:f:5d5c|9hQd:5|-5:a|b|c", "expected nothing more, found '|'"),
        ("STATES", "expected 'STATE:', 'SCORE:' or a comment"),
        ("SCORE:1|x:a|b", "expected chips, found 'x'"),
    ],
)
def test_lines_that_are_wrong(line, message):
    with pytest.raises(BadInputError) as refused:
        read_log_line(line, LIMIT)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: text.index("SCORE") - 20], "line 6: the line is truncated"),
        (lambda text: text.replace("SCORE:-70|70", "SCORE:-80|80"), "the hands sum to -70 for"),
        (lambda text: text.replace("p2|p1", "p3|p1"), "'p3' played hand 1, but the score is that"),
        (lambda text: text + "STATE:2:f:5d5c|9hQd:5|-5:p1|p2\n", "nothing can follow the score"),
        (lambda text: text.partition("\n")[2], "give the game"),
        (lambda text: text.replace("holdem.limit.2p.reverse_blinds.game", "x"), "no game 'x'"),
        (lambda text: text.replace("holdem.limit.2p.reverse_blinds.game", "kuhn"), "no game of ho"),
        (lambda text: "", "there is no hand in it"),
    ],
)
def test_logs_that_are_wrong(tmp_path, change, message):
    path = tmp_path / "match.log"
    path.write_text(change("\n".join(sections()["log"]) + "\n"))
    with pytest.raises(FileFormatError) as refused:
        read_log(path)
    assert message in str(refused.value)


def test_a_match_that_did_not_end_has_no_score(tmp_path):
    path = tmp_path / "match.log"
    path.write_text("\n".join(sections()["log"][:-1]) + "\n")
    log = read_log(path, LIMIT)
    assert log.score is None
    assert len(log.hands) == 2


def test_what_the_acpc_cannot_write():
    with pytest.raises(BadInputError, match="'bet 50' is no action of hold'em"):
        action_text("bet 50")
