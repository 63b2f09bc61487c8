"""Hold'em: replayed against PokerKit, its edges by hand, and small games of the same rules."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.cards import evaluate_cards, format_cards, parse_cards
from infoset.errors import BadInputError, TooLargeError
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem import Holdem, Settlement, holdem, play_hand, random_action
from infoset.trees import compile_game
from infoset.trees.walk import walk_states

SMALL = "holdem(stack=4,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)"


def played(game, *labels):
    state = game.root()
    for label in labels:
        state = state.child(label)
    return state


# Against PokerKit


def any_action(state, rng):
    """Few folds, many small and least raises, so that hands grow long; all-in now and then."""
    public = state.public
    kind = rng.random()
    if kind < 0.05 and public.is_facing_bet:
        return "fold"
    totals = public.raises
    if kind < 0.55 or not totals:
        return "call" if public.is_facing_bet else "check"
    if kind < 0.65:
        return f"raise{totals[0]}"
    if kind < 0.70:
        return f"raise{totals[-1]}"
    place = int(len(totals) ** rng.random())
    return f"raise{totals[place - 1]}"


def pokerkit_hand(game):
    """The same hand in PokerKit, whose player 0 has the big blind too."""
    from pokerkit import Automation, NoLimitTexasHoldem

    automations = (
        Automation.ANTE_POSTING,
        Automation.BET_COLLECTION,
        Automation.BLIND_OR_STRADDLE_POSTING,
        Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
        Automation.HAND_KILLING,
        Automation.CHIPS_PUSHING,
        Automation.CHIPS_PULLING,
    )
    big, small = game.blinds
    return NoLimitTexasHoldem.create_state(automations, True, 0, (small, big), big, game.stack, 2)


def compare(state, peer, seen):
    """Everything both say about a position; `seen` counts what was met."""
    public, stack = state.public, state.game.stack
    assert [stack - left for left in peer.stacks] == list(public.paid)
    assert peer.total_pot_amount == sum(public.paid)
    if state.player == CHANCE:
        assert peer.actor_index is None
        seen["run-out"] += max(public.paid) == stack
        return
    me = state.player
    assert peer.actor_index == me
    assert peer.can_fold() == public.is_facing_bet
    assert peer.checking_or_calling_amount == public.paid[1 - me] - public.paid[me]
    before = public.paid[me] - peer.bets[me]  # PokerKit counts the chips of the street
    totals = public.raises
    if len(totals) < 2000:  # else listing them takes longer than all the rest
        stay = ["fold", "call"] if peer.can_fold() else ["check"]
        assert list(state.actions) == stay + [f"raise{total}" for total in totals]
    if not totals:
        assert peer.min_completion_betting_or_raising_to_amount is None
        return
    assert peer.min_completion_betting_or_raising_to_amount == totals[0] - before
    assert peer.max_completion_betting_or_raising_to_amount == totals[-1] - before
    assert totals == range(totals[0], totals[-1] + 1)
    seen["all-in for less"] += totals[0] < public.paid[1 - me] + public.least_raise


def replay(game, rng, seen):
    peer = pokerkit_hand(game)
    state = game.root()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            after = state.drawn(rng)
            if state.hand1 is None:
                hand = after.hand0 if state.hand0 is None else after.hand1
                peer.deal_hole(game.hands[hand])
            else:
                compare(state, peer, seen)
                peer.burn_card("??")
                new = after.public.board[len(state.public.board) :]
                peer.deal_board(format_cards(new))
            state = after
            continue
        compare(state, peer, seen)
        action = any_action(state, rng)
        before = state.public.paid[state.player] - peer.bets[state.player]
        if action == "fold":
            peer.fold()
        elif action in ("check", "call"):
            peer.check_or_call()
        else:
            peer.complete_bet_or_raise_to(int(action.removeprefix("raise")) - before)
        state = state.child(action)
    assert not peer.status
    assert peer.payoffs == [state.payoff, -state.payoff]
    assert type(state.payoff) is int
    seen["tie"] += state.payoff == 0
    seen["fold"] += state.public.winner is not None
    seen["showdown"] += state.public.winner is None
    seen["river"] += state.public.street == 3


@pytest.mark.parametrize("num_hands", [1000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_hands_of_the_competition_as_pokerkit_plays_them(num_hands):
    pytest.importorskip("pokerkit")
    game, rng, seen = holdem(), np.random.default_rng(num_hands), Counter()
    for _ in range(num_hands):
        replay(game, rng, seen)
    least = {"showdown": 600, "fold": 150, "run-out": 300, "all-in for less": 100, "tie": 15}
    assert all(seen[what] >= number for what, number in least.items()), seen


@pytest.mark.parametrize(
    ("stack", "small_blind", "big_blind"),
    [
        (1, 1, 2),  # both all-in by their blinds
        (50, 50, 100),
        (51, 50, 100),  # the big blind is all-in for less than it ought to be
        (100, 50, 100),
        (101, 50, 100),  # one chip behind
        (150, 50, 100),
        (350, 50, 100),
        (40, 1, 2),
        (999, 5, 7),
    ],
)
def test_short_stacks_and_odd_blinds_as_pokerkit_plays_them(stack, small_blind, big_blind):
    pytest.importorskip("pokerkit")
    game = holdem(stack=stack, small_blind=small_blind, big_blind=big_blind)
    rng, seen = np.random.default_rng(stack), Counter()
    for _ in range(150):
        replay(game, rng, seen)
    assert seen["showdown"] > 0


# Against the ACPC's own code, which OpenSpiel's universal_poker plays by


def universal_poker(pyspiel, game, *, ranks, suits):
    streets = len(game.street_cards)
    definition = {
        "betting": "nolimit",
        "numPlayers": 2,
        "numRounds": streets,
        "blind": f"{game.blinds[0]} {game.blinds[1]}",
        "firstPlayer": " ".join("2111"[:streets]),
        "numSuits": suits,
        "numRanks": ranks,
        "numHoleCards": 2,
        "numBoardCards": " ".join(map(str, game.street_cards)),
        "stack": f"{game.stack} {game.stack}",
        "bettingAbstraction": "fullgame",
    }
    return pyspiel.load_game("universal_poker", definition)


@pytest.mark.parametrize(
    "rules",
    [
        {"stack": 20_000, "ranks": 13, "suits": 4},
        {"stack": 700, "ranks": 13, "suits": 4},
        {"stack": 2000, "ranks": 13, "suits": 4},
        {"stack": 101, "ranks": 6, "suits": 3},
        {"stack": 30, "small_blind": 1, "big_blind": 2, "streets": 3, "ranks": 5, "suits": 2},
        {"stack": 10, "small_blind": 1, "big_blind": 1, "streets": 2, "ranks": 13, "suits": 2},
    ],
    ids=str,
)
def test_hands_as_the_acpc_plays_them(rules):
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = holdem(**rules), np.random.default_rng(rules["stack"])
    peers = universal_poker(pyspiel, game, ranks=rules["ranks"], suits=rules["suits"])
    for _ in range(200):
        peer, state = peers.new_initial_state(), game.root()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                before = state.dealt
                state = state.drawn(rng)
                for card in game.deck:
                    if (state.dealt ^ before) >> card & 1:
                        assert peer.is_chance_node()
                        peer.apply_action(game.deck.index(card))
                continue
            assert peer.current_player() == state.player
            stay = [0, 1] if state.public.is_facing_bet else [1]
            assert peer.legal_actions() == stay + list(state.public.raises)
            action = any_action(state, rng)
            number = {"fold": "0", "check": "1", "call": "1"}.get(action, action[len("raise") :])
            peer.apply_action(int(number))
            state = state.child(action)
        assert peer.is_terminal()
        assert peer.returns() == [state.payoff, -state.payoff]


# By hand

GOLDEN = """\
holdem(stack=1000)
chance 1326 from 2d2c to AsAh, each 1/1326
  > AsKd
chance 1225 from 2d2c to AhAd, each 1/1225
  > QhQc
player 1 QhQc: fold call raise200..1000
  > raise300
player 0 AsKd:raise300 fold call raise500..1000
  > call
chance 17296 from 2h2d2c to AhAdAc, each 1/17296
  > 8d7h2c
player 0 AsKd:raise300,call/8d7h2c: check raise400..1000
  > check
player 1 QhQc:raise300,call/8d7h2c:check check raise400..1000
  > raise450
player 0 AsKd:raise300,call/8d7h2c:check,raise450 fold call raise600..1000
  > raise900
player 1 QhQc:raise300,call/8d7h2c:check,raise450,raise900 fold call raise1000
  > call
chance 45 from 2d to Ah, each 1/45
  > Kh
player 0 AsKd:raise300,call/8d7h2c:check,raise450,raise900,call/Kh: check raise1000
  > raise1000
player 1 QhQc:raise300,call/8d7h2c:check,raise450,raise900,call/Kh:raise1000 fold call
  > call
chance 44 from 2d to Ah, each 1/44
  > Qd
end -1000"""


def playthrough(game, labels):
    """A line of play as text: everything a state says, at every step."""
    lines, state = [game.name], game.root()
    for label in (*labels, None):
        if state.player == TERMINAL:
            lines.append(f"end {state.payoff}")
        elif state.player == CHANCE:
            chance = state.chance
            (odds,) = {p for _, p in chance}
            assert sum(p for _, p in chance) == 1
            first, last = chance[0][0], chance[-1][0]
            lines.append(f"chance {len(chance)} from {first} to {last}, each {odds}")
        else:
            stay = [action for action in state.actions if not action.startswith("raise")]
            totals = [int(a.removeprefix("raise")) for a in state.actions[len(stay) :]]
            assert totals == list(state.public.raises)
            if totals:
                assert totals == list(range(totals[0], totals[-1] + 1))
                stay.append("raise" + "..".join(map(str, sorted({totals[0], totals[-1]}))))
            lines.append(f"player {state.player} {state.infoset} {' '.join(stay)}")
        if label is not None:
            lines.append(f"  > {label}")
            state = state.child(label)
    return "\n".join(lines)


def test_playthrough():
    labels = [line[4:] for line in GOLDEN.splitlines() if line.startswith("  > ")]
    assert playthrough(make(GOLDEN.splitlines()[0]), labels) == GOLDEN


def test_the_game_of_the_competition():
    # holdem.nolimit.2p.reverse_blinds.game: stack 20000, blind 100 50, firstPlayer 2 1 1 1.
    state = played(holdem(), "2c2d", "2h2s")
    assert (state.player, state.public.paid) == (1, (100, 50))
    assert state.actions[:3] == ("fold", "call", "raise200")
    assert state.actions[-1] == "raise20000"
    assert state.child("call").player == 0
    assert state.child("call").actions[:2] == ("check", "raise200")
    assert state.child("call").child("check").child("AsKsQs").player == 0
    assert state.child("fold").payoff == 50


def test_equal_blinds():
    """The button speaks first, as always in the ACPC (PokerKit would have the other start)."""
    state = played(holdem(stack=40, small_blind=1, big_blind=1), "AsAh", "KsKh")
    assert state.player == 1
    assert state.actions[:2] == ("check", "raise2")
    assert state.child("check").player == 0
    assert state.child("check").child("check").player == CHANCE


def test_a_raise_is_as_large_as_the_last_one_of_the_street():
    state = played(holdem(), "AsAh", "KsKh", "raise250")
    assert state.public.raises == range(400, 20001)
    assert state.child("raise1000").public.raises == range(1750, 20001)
    flop = state.child("raise1000").child("call").child("2c3c4c")
    assert flop.public.raises == range(1100, 20001)
    assert flop.child("check").child("check").child("5d").public.raises == range(1100, 20001)


def test_all_in_for_less_than_a_raise():
    state = played(holdem(stack=1000), "AsAh", "KsKh", "raise700")
    assert state.actions == ("fold", "call", "raise1000")
    assert state.child("raise1000").actions == ("fold", "call")
    assert state.child("raise1000").child("fold").payoff == 700
    flop = played(holdem(stack=180), "AsAh", "KsKh", "call", "check", "2c3c4c")
    assert flop.actions == ("check", "raise180")


def test_both_all_in_deal_the_board_out():
    state = played(holdem(), "AsAh", "KsKh", "raise20000", "call")
    for label, count in (("2c3c4c", 45), ("8d", 44), ("9d", None)):
        assert state.player == CHANCE
        state = state.child(label)
        assert count is None or len(state.chance) == count
    assert state.player == TERMINAL
    assert state.payoff == 20000
    assert state.public.story == "raise20000,call/4c3c2c:/8d:/9d:"
    assert state.public.settlement == Settlement(20000, None, parse_cards("2c3c4c8d9d"))


def test_blinds_larger_than_the_stack():
    both = played(holdem(stack=30), "AsAh", "KsKh")
    assert (both.player, both.public.paid) == (CHANCE, (30, 30))
    assert played(holdem(stack=30), "AsAh", "KsKh", "Kd2c3c", "4d", "8d").payoff == -30
    one = played(holdem(stack=80), "AsAh", "KsKh")
    assert (one.player, one.public.paid, one.actions) == (1, (80, 50), ("fold", "call"))
    assert one.child("fold").payoff == 50
    assert one.child("call").player == CHANCE
    assert one.child("call").child("2c3c4c").child("5d").child("8d").payoff == 80


@pytest.mark.parametrize(
    ("hand0", "hand1", "board", "won"),
    [
        ("AsKd", "AhKc", "Qd7h2c8s3d", 0),
        ("2s3d", "4h5c", "AsKsQsJsTs", 0),  # the board plays
        ("AsKd", "AhQc", "Kc7h2c8s3d", 1),
        ("AsKd", "AhQc", "Jd Tc 2c Ac 3d".replace(" ", ""), 1),  # by the kicker
        ("As2d", "KhQc", "JdTc9c2h2c", -1),  # trips lose to a straight
        ("5s6s", "AsAd", "AhAc2s3s4s", 1),  # quads lose to a straight flush
        ("As2d", "6h7h", "3c4d5sKhQd", -1),  # the wheel is the lowest straight
    ],
)
def test_showdowns(hand0, hand1, board, won):
    labels = (board[:6], "check", "check", board[6:8], "check", "check", board[8:])
    state = played(holdem(), hand0, hand1, "raise777", "call", *labels, "check", "check")
    assert state.payoff == 777 * won


def test_cards_are_read_in_any_order():
    one = played(holdem(), "KdAs", "QcQh", "call", "check", "2c8d7h", "check")
    other = played(holdem(), "AsKd", "QhQc", "call", "check", "7h8d2c", "check")
    assert one == other
    assert hash(one) == hash(other)
    assert one.infoset == "QhQc:call,check/8d7h2c:check"


@pytest.mark.parametrize(
    ("labels", "wrong", "message"),
    [
        ([], "AsAs", "As is there twice"),
        ([], "As", "'As' cannot be dealt: a hand is two of the cards in the deck"),
        (["AsKd"], "AsQd", "'AsQd' cannot be dealt"),
        (["AsKd", "QcQh"], "check", "there are fold and call, and raises from 200 to 20000"),
        (["AsKd", "QcQh"], "raise199", "'raise199' is not possible at the start"),
        (["AsKd", "QcQh"], "raise20001", "raises from 200 to 20000"),
        (["AsKd", "QcQh"], "raise0300", "is not possible"),
        (["AsKd", "QcQh"], "raise٣٠٠", "is not possible"),
        (["AsKd", "QcQh"], "raise" + "9" * 5000, "is not possible"),
        (["AsKd", "QcQh", "call"], "fold", "after 'call': there is check, and raises from 200"),
        (["AsKd", "QcQh", "call"], "call", "there is check"),
        (["AsKd", "QcQh", "call", "check"], "2c3c", "what comes up is 3 of the cards in the deck"),
        (["AsKd", "QcQh", "call", "check"], "As2c3c", "'As2c3c' is not possible"),
        (["AsKd", "QcQh", "call", "check", "2c3c4c", "check", "check"], "2c", "'2c' is not"),
        (["AsKd", "QcQh", "fold"], "call", "after 'fold': the hand is over"),
    ],
)
def test_what_cannot_be_is_refused(labels, wrong, message):
    with pytest.raises(BadInputError) as refused:
        played(holdem(), *labels).child(wrong)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("holdem(stack=0)", "stack must be a whole number from 1 to 1000000, not 0"),
        ("holdem(big_blind=20)", "small_blind is 50, more than big_blind, which is 20"),
        ("holdem(ranks=2,suits=2)", "the deck has 4 cards, but 9 are dealt"),
        ("holdem(raises=huge)", "raises must be any or pot or all_in"),
        ("holdem(streets=1)", "streets must be a whole number from 2 to 4"),
    ],
)
def test_rules_that_make_no_sense_are_refused(text, message):
    with pytest.raises(BadInputError) as refused:
        make(text)
    assert message in str(refused.value)


def test_names_make_the_game_again():
    assert holdem().name == "holdem"
    for text in ("holdem", "holdem(stack=200,raises=pot)", SMALL):
        assert make(text).name == text
        assert make(text) == make(text)


# Properties

NUMBERS = st.integers(1, 300)


@st.composite
def games(draw):
    small, big = sorted((draw(NUMBERS), draw(NUMBERS)))
    raises = draw(st.sampled_from(["any", "pot", "all_in"]))
    ranks, suits = draw(st.integers(3, 13)), draw(st.integers(3, 4))
    blinds = {"small_blind": small, "big_blind": big}
    return holdem(stack=draw(NUMBERS), raises=raises, ranks=ranks, suits=suits, **blinds)


@given(games(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=150)
def test_any_hand_keeps_its_chips(game, seed):
    rng = np.random.default_rng(seed)
    state, labels = game.root(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            after = state.drawn(rng)
        else:
            public, me = state.public, state.player
            others = state.actions[: 3 + len(public.raises)]
            assert len(set(others)) == len(others) == len(state.actions)
            action = random_action(state, rng)
            assert action in state.actions
            after = state.child(action)
            paid = after.public.paid
            assert paid[me] >= public.paid[me]
            assert paid[1 - me] == public.paid[1 - me]
            assert max(paid) <= game.stack
            if action.startswith("raise"):
                assert paid[me] == int(action.removeprefix("raise")) > public.paid[1 - me]
            labels.append(action)
        state = after
    assert abs(state.payoff) <= min(state.public.paid) <= game.stack
    board = state.public.board
    assert len({*board, *game.hand_cards[state.hand0], *game.hand_cards[state.hand1]}) == (
        4 + len(board)
    )
    if state.public.winner is None:
        rows = [(*game.hand_cards[hand], *board) for hand in (state.hand0, state.hand1)]
        mine, yours = evaluate_cards(rows).tolist()
        assert state.payoff == state.public.paid[0] * ((mine > yours) - (mine < yours))
    # The same labels lead to the same end.
    streets = [part.rpartition(":")[0] for part in state.public.story.split("/")[1:]]
    again = played(game, game.hands[state.hand0], game.hands[state.hand1])
    while again.player != TERMINAL:
        again = again.child(streets.pop(0) if again.player == CHANCE else labels.pop(0))
    assert again == state
    assert not streets
    assert not labels


@given(games(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_the_same_seed_plays_the_same_hand(game, seed):
    ends = []
    for _ in range(2):
        rng = np.random.default_rng(seed)
        ends.append(play_hand(game, lambda state, rng=rng: random_action(state, rng), rng))
    assert ends[0] == ends[1]


def test_cards_are_drawn_as_often_as_they_should_be():
    game, rng = holdem(ranks=3, suits=3), np.random.default_rng(7)
    counts = Counter()
    for _ in range(3000):
        state = game.root().drawn(rng).drawn(rng).child("call").child("check").drawn(rng)
        first, second = (game.hand_cards[hand] for hand in (state.hand0, state.hand1))
        for where, cards in (("0", first), ("1", second), ("flop", state.public.board)):
            counts.update((where, card) for card in cards)
    for (where, _), count in counts.items():
        expected = 3000 * (3 if where == "flop" else 2) / 9
        assert abs(count - expected) < 5 * np.sqrt(expected)
    assert len(counts) == 27


def test_states_are_frozen_and_hide_the_other_hand():
    state = played(holdem(), "AsKd", "QcQh", "raise300")
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.hand0 = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.public.paid = (0, 0)
    assert state.infoset == played(holdem(), "AsKd", "7c2h", "raise300").infoset
    assert state.infoset != played(holdem(), "AsKh", "QcQh", "raise300").infoset


def test_menus_of_raises():
    state = played(holdem(raises="pot"), "AsKd", "QcQh")
    assert state.actions == ("fold", "call", "raise300", "raise20000")
    assert state.child("raise300").actions == ("fold", "call", "raise900", "raise20000")
    assert state.child("call").actions == ("check", "raise300", "raise20000")
    with pytest.raises(BadInputError):
        state.child("raise301")
    assert played(holdem(raises="all_in"), "AsKd", "QcQh").actions[-1:] == ("raise20000",)
    # Too small is the least raise, too large is all-in, and what is equal is there once.
    rules = holdem(stack=500)
    mine = dataclasses.replace(rules, sizes=(Fraction(1, 10), Fraction(1, 4), Fraction(9)))
    assert played(mine, "AsKd", "QcQh").actions == ("fold", "call", "raise200", "raise500")
    flop = played(mine, "AsKd", "QcQh", "raise200", "call", "2c3c4c")
    assert flop.public.raises == (300, 500)


# Small games of the same rules


def test_the_game_is_refused_where_it_would_be_compiled():
    with pytest.raises(TooLargeError, match="holdem has at least"):
        compile_game(holdem())


def decisions(paid, first, least, stack):
    """Decisions of one street, and how often it ends with both having put in how much.

    Written from the rules alone, with no code of the package.
    """
    number, ends = 0, Counter()

    def speak(me, you, last, is_first):
        nonlocal number
        number += 1
        level = max(me, you)
        if is_first and level < stack:
            speak(level, level, last, False)
        else:
            ends[level] += 1
        for total in range(you + 1, stack + 1):
            if total - you >= last or total == stack:
                speak(you, total, total - you, False)

    speak(paid[first], paid[1 - first], least, True)
    return number, ends


def test_an_independent_count_of_a_small_game():
    number, ends = decisions((2, 1), 1, 2, 4)
    infosets = 28 * number  # hands of 8 cards
    for level, times in ends.items():
        if level < 4:
            # A flop of 8 cards, and a hand of the 5 that are left.
            infosets += times * 56 * 10 * decisions((level, level), 0, 2, 4)[0]
    assert compile_game(make(SMALL)).num_infosets == infosets


def test_both_ways_to_compile_a_small_game_agree():
    game = make(SMALL)
    in_public = compile_game(game)
    history, treeplexes = walk_states(game, game.name, 10**6)
    assert history.num_nodes == in_public.history.num_nodes
    assert history.num_nodes > game.least_histories == 28 * 15 * 4
    for one, other in zip(treeplexes, in_public.treeplexes, strict=True):
        assert dict(zip(one.keys, one.labels, strict=True)) == dict(
            zip(other.keys, other.labels, strict=True)
        )

    def ends(tree):
        is_end = tree.node_degree == 0
        reach = np.ones(tree.num_nodes)
        for node in range(1, tree.num_nodes):
            reach[node] = reach[tree.node_parent[node]] * tree.node_chance[node]
        return Counter(
            (payoff, round(p, 12))
            for payoff, p in zip(tree.node_payoff[is_end], reach[is_end], strict=True)
        )

    assert ends(history) == ends(in_public.history)


def test_the_value_of_a_small_game_by_hand():
    """Two streets, all-in blinds: nobody decides, so player 0 wins what his cards win: nothing."""
    game = make("holdem(stack=1,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)")
    total, wins = Fraction(0), Counter()
    for hand0, p in game.deal(None):
        for hand1, q in game.deal(hand0):
            state = played(game, game.hands[hand0], game.hands[hand1])
            for board, r in state.chance:
                end = state.child(board)
                assert end.player == TERMINAL
                total += p * q * r * end.payoff
                wins[end.payoff] += 1
    assert total == 0
    assert wins[1] == wins[-1]
    assert sum(wins.values()) == game.least_histories == 28 * 15 * 4


def test_rules_are_data():
    """A deck and streets of one's own: aces and kings, one street after a flop of three."""
    deck = tuple(itertools.chain(range(44, 52)))
    game = Holdem("mine", 3, (2, 1), deck, street_cards=(0, 3))
    assert game.hands[0] == "KdKc"
    assert len(game.hands) == 28
    state = played(game, "AsAh", "KsKh", "raise3", "call", "AdKdKc")
    assert (state.player, state.payoff) == (TERMINAL, -3)
