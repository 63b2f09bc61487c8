"""Match states as others write them: the ACPC's own code, in OpenSpiel, and PokerKit."""

from __future__ import annotations

import numpy as np
import pytest

from hands_for_tests import drawn, random_action
from infoset.cards import format_cards
from infoset.games import CHANCE, TERMINAL, make
from infoset.interop import LoggedHand, format_log_line, match_state, read_log_line
from peers_for_tests import pokerkit_rules, universal_poker

LIMIT, NO_LIMIT = make("holdem(betting=limit)"), make("holdem")


@pytest.mark.parametrize("text", ["holdem", "holdem(betting=limit)"])
def test_states_as_the_acpcs_own_code_writes_them(text):
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = make(text), np.random.default_rng(5)
    peers = universal_poker(pyspiel, game, ranks=13, suits=4)
    for number in range(60):
        peer, state, steps = peers.new_initial_state(), game.root(), []
        while state.player != TERMINAL:
            if state.player == CHANCE:
                before = state.dealt
                state = drawn(state, rng)
                new = [card for card in game.deck if (state.dealt ^ before) >> card & 1]
                for card in new:
                    peer.apply_action(card)
                steps.append(format_cards(new))  # in the order in which the peer writes them
                continue
            written = str(peer).partition("ACPC State: ")[2].partition("\n")[0]
            assert str(match_state(0, steps)) == written
            label = random_action(state, rng)
            if game.bets:
                label = state.actions[int(rng.integers(len(state.actions)))]
            word = label.rstrip("0123456789")
            numbers = {"fold": 0, "check": 1, "call": 1, "raise": 2}
            peer.apply_action(int(label[len(word) :] or numbers[word]))
            steps.append(label)
            state = state.child(label)
        hand = LoggedHand(number, tuple(steps), state.payoff, ("A", "B"))
        assert read_log_line(format_log_line(hand), game) == hand


@pytest.mark.parametrize("game", [LIMIT, NO_LIMIT, make("holdem(stack=1500)")], ids=str)
def test_the_dialogue_as_pokerkit_writes_it(game):
    """Every state that a dealer sends to either player, in random hands."""
    pokerkit = pytest.importorskip("pokerkit")
    rng, rules = np.random.default_rng(8), pokerkit_rules(game)
    for number in range(60):
        peer, state, steps = rules(game.stack, 2), game.root(), []
        ours = [[], []]

        def tell(*, shown, number=number, steps=steps, ours=ours):
            for position in (0, 1):
                seen = match_state(number, steps).seen_from(position, shown=shown)
                ours[position].append(f"{seen}\r\n")

        while state.player != TERMINAL:
            if state.player == CHANCE:
                after = drawn(state, rng)
                if state.hand1 is None:
                    hand = after.hand0 if state.hand0 is None else after.hand1
                    steps.append(game.hands[hand])
                    peer.deal_hole(steps[-1])
                else:
                    steps.append(format_cards(after.public.board[len(state.public.board) :]))
                    peer.burn_card("??")
                    peer.deal_board(steps[-1])
                state = after
                continue
            tell(shown=False)
            if game.bets:
                label = state.actions[int(rng.integers(len(state.actions)))]
            else:
                label = random_action(state, rng)
            before = state.public.betting.put[state.player] - peer.bets[state.player]
            if label == "fold":
                peer.fold()
            elif label.startswith("raise"):
                peer.complete_bet_or_raise_to(int(label[5:]) - before if label[5:] else None)
            else:
                peer.check_or_call()
            steps.append(label)
            state = state.child(label)
        tell(shown=steps[-1] != "fold")
        history = pokerkit.HandHistory.from_game_state(rules, peer)
        for position in (0, 1):
            theirs = history.to_acpc_protocol(position, number)
            assert [line for who, line in theirs if who == "S->"] == ours[position]
