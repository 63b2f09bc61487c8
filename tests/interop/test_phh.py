"""PHH: what is written is read, PokerKit reads and writes the same, and nothing else gets in."""

from __future__ import annotations

import random
import warnings
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.errors import BadInputError, InfosetError
from infoset.games import CHANCE, TERMINAL, make
from infoset.interop import (
    HandHistory,
    format_phh,
    format_phhs,
    parse_phh,
    read_hands,
    spot_from_hand,
    write_phh,
)
from infoset.interop.phh import MAX_ACTIONS

GAMES = (
    "holdem",
    "holdem(stack=1000)",
    "holdem(stack=130)",
    "holdem(stack=100)",
    "holdem(stack=70)",
    "holdem(betting=limit)",
    "holdem(stack=60,betting=limit)",
)

HAND = {
    "variant": '"NT"',
    "antes": "[0, 0]",
    "blinds_or_straddles": "[50, 100]",
    "min_bet": "100",
    "starting_stacks": "[20000, 20000]",
    "actions": '["d dh p1 9s8h", "d dh p2 ????", "p2 cbr 300", "p1 cc", "d db 8d7h2c", "p1 cc", '
    '"p2 cbr 450", "p1 f"]',
}


def text_of(**changes):
    fields = {**HAND, **changes}
    return "".join(f"{key} = {value}\n" for key, value in fields.items() if value is not None)


def history_of(**changes):
    (hand,) = parse_phh(text_of(**changes))
    return HandHistory.of_phh(hand)


def random_hand(game, seed):
    rng, state, steps = random.Random(seed), game.root(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            step = state.outcome_at(rng.random())
        else:
            actions = state.actions
            step = rng.choice(actions[:2] if rng.random() < 0.7 else actions)
        steps.append(step)
        state = state.child(step)
    return HandHistory.of_steps(game, steps, names=("Änne", 'B "o"\\b'), number=seed), state.payoff


def pokerkit_payoffs(text):
    pokerkit = pytest.importorskip("pokerkit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        last = list(pokerkit.HandHistory.loads(text))[-1]
    assert not last.status
    return list(last.payoffs)


@pytest.mark.parametrize("game", GAMES)
def test_hands_of_ours_as_we_and_pokerkit_read_them(game):
    """Both replay what is written to the same end."""
    for seed in range(40):
        hand, payoff = random_hand(make(game), seed)
        text = format_phh(hand)
        back = HandHistory.of_phh(*parse_phh(text))
        assert (back.game.name, back.steps, back.hands) == (hand.game.name, hand.steps, hand.hands)
        assert (back.names, back.number, back.payoff) == (hand.names, hand.number, payoff)
        assert format_phh(back) == text
        assert pokerkit_payoffs(text) == [payoff, -payoff]


def pokerkit_hand(seed):
    """A hand that PokerKit plays at random: unequal stacks, cents, antes."""
    pokerkit = pytest.importorskip("pokerkit")
    from decimal import Decimal

    rng = random.Random(seed)
    unit = rng.choice([1, Decimal("0.5"), Decimal("0.01")])
    ante = rng.choice([0, 0, 10])
    game = pokerkit.NoLimitTexasHoldem(
        (
            *(pokerkit.Automation.ANTE_POSTING, pokerkit.Automation.BET_COLLECTION),
            pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
            *(pokerkit.Automation.CARD_BURNING, pokerkit.Automation.HOLE_DEALING),
            *(pokerkit.Automation.BOARD_DEALING, pokerkit.Automation.HAND_KILLING),
            pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
            *(pokerkit.Automation.CHIPS_PUSHING, pokerkit.Automation.CHIPS_PULLING),
        ),
        False,
        {-1: ante * unit} if rng.random() < 0.5 else ante * unit,
        (50 * unit, 100 * unit),
        100 * unit,
    )
    stacks = [rng.choice([120, 300, 1000, 5000]) * unit for _ in range(2)]
    random.seed(seed)  # PokerKit shuffles with the global source
    state = game(stacks, 2)
    while state.status:
        kind = rng.random()
        if kind < 0.35 and state.can_complete_bet_or_raise_to():
            low = state.min_completion_betting_or_raising_to_amount
            high = state.max_completion_betting_or_raising_to_amount
            amount = low + int(float((high - low) / unit) * rng.random() ** 3) * unit
            state.complete_bet_or_raise_to(amount)
        elif kind < 0.5 and state.can_fold():
            state.fold()
        else:
            state.check_or_call()
    return pokerkit.HandHistory.from_game_state(game, state), state


def in_money(hand):
    """All that a hand says about chips: where all amounts are whole, cents are not counted."""
    put, chips = hand.public.betting.put, (*hand.stacks, *hand.antes, hand.payoff)
    return [n * hand.unit for n in (*put, *chips)], len(hand.steps), hand.hands


def test_hands_of_pokerkit_as_we_read_them():
    """The chips that both win are the same, whatever the stacks, the antes and the money."""
    kinds = set()
    for seed in range(300):
        peer, state = pokerkit_hand(seed)
        hand = HandHistory.of_phh(*parse_phh(peer.dumps()))
        assert hand.public.player == TERMINAL
        won = hand.payoff * hand.unit
        # PokerKit gives a chip that cannot be split to the first player.
        assert abs(won - Fraction(state.payoffs[0])) <= (hand.payoff.denominator > 1)
        again = HandHistory.of_phh(*parse_phh(format_phh(hand)))
        assert in_money(again) == in_money(hand)
        kinds.add((hand.unit != 1, sum(hand.antes) > 0, len(set(hand.stacks)) > 1))
    assert len(kinds) == 8


def test_a_bet_that_cannot_be_called_is_all_in():
    """The button has 20,000 and bets 900 into a player with 500."""
    hand = history_of(starting_stacks="[500, 20000]", actions='["p2 cbr 900", "p1 cc"]')
    assert hand.game.stack == 500
    assert hand.steps == ("raise500", "call")
    assert hand.stacks == (500, 20000)
    hand = history_of(starting_stacks="[500, inf]", actions='["p2 cbr 900", "p1 f"]')
    assert (hand.game.stack, hand.stacks) == (500, (500, None))
    assert "starting_stacks = [500, inf]" in format_phh(hand)


def test_antes_are_won_too():
    hand = history_of(antes="[0, 25]", starting_stacks="[1000, 1025]")
    assert (hand.antes, hand.game.stack) == ((25, 0), 975)  # reversed: the big blind posts it
    assert hand.payoff == -325


def test_hidden_hands_show_up_at_the_showdown():
    calls = '"p2 cc", "p1 cc", "d db 8d7h2c", "p1 cc", "p2 cc", "d db 3s", "p1 cc", "p2 cc"'
    to_river = f'"d dh p1 ????", {calls}, "d db 4s", "p1 cc", "p2 cc"'
    assert history_of(actions=f"[{to_river}]").payoff is None
    shown = history_of(actions=f'[{to_river}, "p1 sm AhAd # aces", "p2 sm KhKd", "# gg"]')
    assert (shown.hands, shown.payoff) == (("AhAd", "KhKd"), 100)
    with pytest.raises(BadInputError, match="a card on the board is also in the hand"):
        history_of(actions=f'[{to_river}, "p1 sm 8dAd"]')


def test_several_hands_in_one_file(tmp_path):
    hands = [random_hand(make("holdem"), seed)[0] for seed in range(3)]
    assert [hand.number for hand in parse_phh(format_phhs(hands))] == [0, 1, 2]
    write_phh(tmp_path / "all.phhs", hands)
    write_phh(tmp_path / "one.phh", hands[1])
    assert [HandHistory.of_phh(h) for h in read_hands(tmp_path / "all.phhs")] == [
        HandHistory.of_phh(*parse_phh(format_phh(hand))) for hand in hands
    ]
    assert [h.number for h in read_hands(tmp_path / "one.phh")] == [1]


def test_what_cannot_be_written():
    steps = "9s8h", "JdTc", "raise300", "fold"
    with pytest.raises(BadInputError, match="it is no whole hold'em"):
        format_phh(HandHistory.of_steps(make("holdem(raises=pot)"), steps))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"variant": '"PO"'}, "variant 'PO' is Omaha; only hold'em is read"),
        ({"variant": '"TN"'}, "there is no variant 'TN'. Known: F2L3D"),
        ({"variant": "5"}, "there is no variant int"),
        ({"actions": None}, "needs its actions"),
        ({"min_bet": None}, "variant 'NT' needs its min_bet"),
        ({"variant": '"FT"'}, "variant 'FT' needs its small_bet"),
        ({"antes": "[0]"}, "antes has 1 entries, but there are 2 players"),
        ({"antes": "5"}, "antes must be a list, not int"),
        ({"antes": "[0, -1]"}, "antes: '-1' is no amount"),
        ({"antes": "[0, true]"}, "antes: bool is no amount"),
        ({"starting_stacks": "[1]"}, "starting_stacks has 1 entries; 2 to 10 players"),
        ({"starting_stacks": "[1e300, 5]"}, "is no amount"),
        ({"starting_stacks": "[nan, 5]"}, "starting_stacks: 'nan' is no amount"),
        ({"starting_stacks": "[inf, inf]"}, "neither stack is known"),
        ({"starting_stacks": "[99999999999, 5]"}, "there are more than 1,000,000,000 chips"),
        ({"starting_stacks": "[0, 500]"}, "after the antes a player has nothing left"),
        ({"starting_stacks": "[500, 0.0000001]"}, "is no amount"),
        ({"blinds_or_straddles": "[100, 50]"}, "p1 posts 50 and p2 100"),
        ({"blinds_or_straddles": "[0, 100]"}, "p1 posts 100 and p2 0"),
        ({"min_bet": "200"}, "min_bet is 200, but with a big blind of 100 only 100"),
        ({"min_bet": "0"}, "min_bet: a bet of nothing is none"),
        ({"players": '["A", "B", "C"]'}, "players has 3 entries"),
        ({"players": '["A", "B\\nC"]'}, "is no name of one line"),
        ({"actions": '["p3 f"]'}, "players are p1 to p2, not 'p3'"),
        ({"actions": '["p1 f"]'}, "action 1, 'p1 f': it is the turn of p2"),
        ({"actions": '["p2 cbr 150"]'}, "'p2 cbr 150': 'raise150' is not possible at the start"),
        ({"actions": '["p2 cbr 30000"]'}, "p2 has 20000 chips in total"),
        ({"actions": '["p2 cbr x"]'}, "'x' is no amount"),
        ({"actions": '["p2 cc", "p1 f"]'}, "there is check, and raises from 200 to 20000"),
        ({"actions": '["p2 f", "p1 cc"]'}, "action 2, 'p1 cc': 'cc' is not possible"),
        ({"actions": '["d db 8d7h2c"]'}, "'8d7h2c' is not possible at the start"),
        ({"actions": '["p2 cc", "p1 cc", "d db 8d7h"]'}, "what comes up is 3 of the cards"),
        ({"actions": '["p2 cc", "p1 cc", "d db 8d7h??"]'}, "cards of the board must be known"),
        ({"actions": '["d db 8d7h8d"]'}, "8d is there twice"),
        ({"actions": '["d dh p1 Ax"]'}, "expected cards such as 8d7h2c, found 'Ax'"),
        ({"actions": '["d dh p1 AsKsQs"]'}, "a hand of hold'em has two cards"),
        ({"actions": '["d dh p1 AsKs", "d dh p2 AsQs"]'}, "As is there twice"),
        ({"actions": '["p2 cc", "d dh p1 AsKs"]'}, "hands are dealt before anything else"),
        ({"actions": '["d dh p1 AsKs", "p1 sm AsQs"]'}, "the hand was AsKs"),
        ({"actions": '["p1 sd"]'}, "'p1 sd' is nothing that happens in hold'em"),
        ({"actions": "[5]"}, "action 1 must be text, not int"),
        ({"actions": '["p1 cc"' + ', ""' * MAX_ACTIONS + "]"}, "at most 1,000 actions"),
        (
            {
                "starting_stacks": "[5, 5, 5]",
                "antes": "[0, 0, 0]",
                "blinds_or_straddles": "[0, 0, 1]",
            },
            "there are 3 players; only hands of two",
        ),
    ],
)
def test_what_is_no_hand_is_refused(changes, why):
    with pytest.raises(BadInputError) as caught:
        history_of(**changes)
    assert why in str(caught.value)


def test_limit_that_is_not_ours():
    limit = {"variant": '"FT"', "min_bet": None, "small_bet": "100", "big_bet": "200"}
    assert history_of(**limit, actions='["p2 cbr 200"]').steps == ("raise",)
    with pytest.raises(BadInputError, match="'raise to 300' is not possible"):
        history_of(**limit, actions='["p2 cbr 300"]')
    with pytest.raises(BadInputError, match="small_bet and big_bet are 100 and 300"):
        history_of(**{**limit, "big_bet": "300"})


def test_files_that_are_something_else():
    for text in ("", "5", "x = 5", "[a]\nx = 1", "variant = [", "a." * 200 + "b = 1"):
        with pytest.raises(BadInputError):
            parse_phh(text)
    with pytest.raises(BadInputError, match="the text, hand 2: there is no variant 'X'"):
        parse_phh(f"[1]\n{text_of()}\n[2]\nvariant = 'X'")


VALID = [
    text_of(),
    format_phhs([random_hand(make("holdem"), 5)[0], random_hand(make(GAMES[-1]), 7)[0]]),
]
PIECES = st.sampled_from(
    [
        *('"', "[", "]", ",", "\n", "=", "p1", "p3", "cbr", "db", "dh", "sm", "#", "??", "As"),
        *("0.5", "-1", "1e9", "1e999999999", "inf", "nan", "9" * 5000, "0.000001", ".", "'''"),
        *("\x00", "\ud800"),
    ]
)


@settings(max_examples=400)
@given(st.data())
def test_fuzz(data):
    """However a file is broken, there is a sentence; what is read can be written and read again."""
    text = data.draw(st.sampled_from(VALID))
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = begin + data.draw(st.integers(0, 12))
        text = text[:begin] + data.draw(PIECES | st.text(max_size=4)) + text[end:]
    try:
        hands = parse_phh(text)
    except InfosetError:
        return
    for hand in hands:
        for street in ("preflop", "flop", "turn", "river"):
            with suppress(InfosetError):
                assert spot_from_hand(hand, street, bets="a", raises="a").spot.stack > 0
        try:
            history = HandHistory.of_phh(hand)
        except InfosetError:
            continue
        again = HandHistory.of_phh(*parse_phh(format_phh(history)))
        assert (again.steps, again.hands, again.payoff) == (
            *(history.steps, history.hands, history.payoff),
        )
