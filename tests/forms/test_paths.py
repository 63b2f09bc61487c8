"""Paths as text: every way to write a step, every node there and back, and any text at all."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.cards import format_cards, parse_cards
from infoset.errors import BadInputError
from infoset.forms.betting_tree import NodeKind, build_betting_tree
from infoset.forms.paths import Place, find_node
from infoset.games.holdem.spot import Spot

RIVER = build_betting_tree(Spot("Ks9h7d4c2s", "AA", "QQ", 200, 900))
TURN = build_betting_tree(Spot("Td9d6hQc", "AA", "KK", 200, 900))
FLOP = build_betting_tree(Spot("QsJh2h", "AA", "KK", 97, 331, {"bet": "37%", "raise": "a"}))
SHORT = build_betting_tree(Spot("QsJh2h", "AA", "KK", 60, 45, {"bet": "a", "raise": "a"}))
TREES = {"river": RIVER, "turn": TURN, "flop": FLOP, "short": SHORT}

# fmt: off
STEPS = [
    "check", "x", "fold", "f", "call", "c", "call 100", "call 340", "bet", "raise", "bet 100",
    "bet 50%", "b 100%", "bet 300c", "raise to 340", "raise 60%", "raise 2.5x", "r 340", "a",
    "all-in", "ALL IN", "all-in 900", "bet all-in", "raise to all-in", "2c", "As", "10h", "deal",
    "", " ", "bet 0", "bet -5", "bet 1e", "raise to", "Td", "2c2d", "٣c", "bet ٣%", "K",
]
# fmt: on


def path_text(tree, node, cards):
    """The path as the tree writes it, with cards in place of ``deal``."""
    left = iter(cards)
    steps = tree.path(node).split(", ")
    return ", ".join(format_cards([next(left)]) if step == "deal" else step for step in steps)


@pytest.mark.parametrize("name", TREES)
def test_every_node_there_and_back(name):
    tree = TREES[name]
    left = [card for card in range(52) if card not in tree.spot.board]
    draw = random.Random(name)
    for node in range(tree.num_nodes):
        cards = draw.sample(left, 2)
        text = path_text(tree, node, cards)
        place = find_node(tree, text)
        assert place == Place(node, tuple(cards[: tree.path(node).count("deal")]), text)
        assert find_node(tree, place.text) == place


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
@settings(deadline=None)
@given(path=st.one_of(st.text(), st.lists(st.sampled_from(STEPS), max_size=12).map(",".join)))
def test_any_text_is_a_place_or_bad_input(tree, path):
    try:
        place = find_node(tree, path)
    except BadInputError:
        return
    assert find_node(tree, place.text) == place
    assert tree.path(place.node).count("deal") == len(place.cards)
    assert len({*place.cards, *tree.spot.board}) == len(place.cards) + len(tree.spot.board)


@settings(deadline=None)
@given(st.data())
def test_a_walk_at_random_is_found_in_any_spelling(data):
    """Every step is written in one of the ways that mean it, by rules of its own."""
    tree, node, steps, cards = TURN, 0, [], []
    while tree.node_kind[node] in (NodeKind.DECISION, NodeKind.CHANCE):
        begin, end = int(tree.node_child_begin[node]), int(tree.node_child_end[node])
        child = data.draw(st.integers(begin, end - 1))
        amount = int(tree.node_amount[child])
        previous = int(tree.node_put[node].max()) - _start(tree, node)
        pot = 200 + 2 * int(tree.node_put[node].max())
        word, *_ = tree.action_text(child).split()
        bet = "raise" if previous else "bet"
        spellings = {
            "check": ["check", "x", " CHECK "],
            "fold": ["fold", "F"],
            "call": ["call", "c", f"call {amount}", f"Call   {amount}"],
            "bet": [f"bet {amount}", f"b{amount}", f"bet {amount}c"],
            "raise": [
                f"raise to {amount}",
                f"raise {amount}",
                f"r {amount - previous}c",
                f"raise {amount / max(previous, 1):.6f}x",
            ],
            "all-in": ["all-in", "all in", "A", f"all-in {amount}", f"{bet} all-in", f"{bet} a"],
            "deal": ["3c", "3C", "3♣"] if not cards else [],
        }[word]
        if word in ("bet", "raise", "all-in"):
            spellings.append(f"{bet} {100 * (amount - previous) / pot:.3f}%")
        steps.append(data.draw(st.sampled_from(spellings)))
        cards += parse_cards("3c") if word == "deal" else []
        node = child
        assert find_node(tree, ",".join(steps))[:2] == (node, tuple(cards))


def _start(tree, node):
    """What each had put in when the street of a node began."""
    street = tree.node_street[node]
    while node > 0 and tree.node_street[tree.node_parent[node]] == street:
        node = int(tree.node_parent[node])
    return int(tree.node_put[node, 0])


def test_percents_mean_the_nearest_bet_within_half_a_percent():
    # 37% of 97 is 35.89: a bet of 36, which is 37.11%.
    for text in ("bet 37%", "bet 37.11%", "bet 36.6%", "bet", "bet 36", "BET 36C"):
        assert find_node(FLOP, text).text == "bet 36"
    for text in ("bet 36%", "bet 38.2%", "bet 35", "bet 2.5x", "raise 36", "raise"):
        with pytest.raises(BadInputError, match=r"there are check, bet 36 \(37.1%\)"):
            find_node(FLOP, text)
    # Of 100, one chip is more than rounding does.
    even = build_betting_tree(Spot("Ks9h7d4c2s", "AA", "QQ", 100, 900))
    assert find_node(even, "bet 50.9%").text == "bet 50"
    with pytest.raises(BadInputError, match="not possible"):
        find_node(even, "bet 51%")
    # Half a percent of 10,000 is 50 chips.
    sizes = {"bet": "40%, 40.8%", "raise": "60%"}
    large = build_betting_tree(Spot("Ks9h7d4c2s", "AA", "KK", 10_000, 90_000, sizes))
    assert find_node(large, "bet 40%, raise 60.4%").text == "bet 4000, raise to 14800"
    assert find_node(large, "bet 40.2%").text == "bet 4000"
    assert find_node(large, "bet 41.3%").text == "bet 4080"
    with pytest.raises(BadInputError, match=r"could be any of bet 4000 .*, bet 4080"):
        find_node(large, "bet 40.4%")
    with pytest.raises(BadInputError, match="not possible"):
        find_node(large, "bet 41.4%")


def test_sizes_mean_what_they_mean_in_a_menu():
    """A raise is lifted to the smallest there is, and a bet of more than the stack is all-in."""
    small = Spot("Ks9h7d4c2s", "AA", "QQ", 100, 1000, {"bet": "200%", "raise": "10%, a"})
    tree = build_betting_tree(small)
    assert find_node(tree, "bet 200%, raise 10%").text == "bet 200, raise to 400"
    assert find_node(tree, "bet 200%, raise 300%").text == "bet 200, all-in 1000"
    assert find_node(SHORT, "bet 100%").text == "all-in 45"
    e = build_betting_tree(Spot("QsJh2h", "AA", "KK", 60, 50_000, {"bet": "e", "raise": "e"}))
    path = "bet e, raise e, call, 3c, bet e, raise e"
    assert find_node(e, path) == find_node(e, path.replace(" e", ""))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "check, check, check",
            "step 3 of the path, 'check' after 'check, check', .*a card is due",
        ),
        ("check, check, deal", "a card is due, such as 2c"),
        ("check, check, Td", "Td is on the board already"),
        ("check, check, 2c3c", "a card is due"),
        ("check, 2c", "step 2 .* no card is due; there are check, bet 100"),
        ("2c", "step 1 of the path, '2c', is not possible: no card is due"),
        ("bet 100, check", r"there are fold, call 100, raise to 340 \(60%\), all-in 900 \(200%\)"),
        ("bet 100, bet 340", "there are fold"),
        ("bet 100, call 90", "there are fold"),
        ("all-in, all-in", "there are fold, call 900"),
        ("bet 100, fold, check", "the hand is over"),
        ("all-in, call, 2c", "the hand is over"),
        ("bet", r"it could be any of bet 100 \(50%\), bet 200 \(100%\), all-in 900 \(450%\)"),
        ("check,, check", "step 2 of the path, ''"),
        ("check 5", "there are check"),
        ("x" * 200_000, "200,000 characters, at most 100,000"),
        ("bet " + "9" * 5000, "step 1 of the path, 'bet 9999"),
        (7, "expected a path as text, got int"),
    ],
)
def test_what_is_wrong_is_said(path, message):
    with pytest.raises(BadInputError, match=message) as caught:
        find_node(TURN, path)
    assert len(str(caught.value)) < 400


def test_ends():
    assert find_node(TURN, "") == find_node(TURN, " ") == Place(0, (), "")
    assert find_node(TURN, "check, ").text == "check"
    due = find_node(TURN, "check, check")
    assert TURN.node_kind[due.node] == NodeKind.CHANCE
    assert due.cards == ()
    both = find_node(FLOP, "x, x, as, x, x, 10C, x")
    assert format_cards(both.cards) == "AsTc"
    with pytest.raises(BadInputError, match="As is on the board already"):
        find_node(FLOP, "x, x, as, x, x, As")


def test_actions_are_read_as_errors_list_them():
    tree = build_betting_tree(Spot("Td9d6hQc", "AA", "KK", 200, 900))
    assert find_node(tree, "check, bet 100 (50%)") == find_node(tree, "check, bet 100")
    assert find_node(tree, "all-in 900 (450%), call").text == "all-in 900, call 900"
    for path in ("check (50%)", "check, bet (50%)", "bet 100 (50%) 3"):
        with pytest.raises(BadInputError):
            find_node(tree, path)
