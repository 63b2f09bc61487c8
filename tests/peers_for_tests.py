"""The same games of hold'em in other programs: PokerKit, and the ACPC's own code in OpenSpiel."""

from __future__ import annotations


def pokerkit_rules(game):
    """The rules in PokerKit, whose player 0 has the big blind too: call them with a stack and 2.

    In limit games it counts bets without the big blind, so it allows a fifth before the flop.
    """
    from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

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
    if game.bets:
        return FixedLimitTexasHoldem(automations, True, 0, (small, big), big, 2 * big)
    return NoLimitTexasHoldem(automations, True, 0, (small, big), big)


def universal_poker(pyspiel, game, *, ranks, suits):
    """The game in OpenSpiel, which plays it with the code of the ACPC."""
    streets = len(game.street_cards)
    definition = {
        "betting": "limit" if game.bets else "nolimit",
        "numPlayers": 2,
        "numRounds": streets,
        "blind": f"{game.blinds[0]} {game.blinds[1]}",
        "firstPlayer": " ".join("2111"[:streets]),
        "numSuits": suits,
        "numRanks": ranks,
        "numHoleCards": 2,
        "numBoardCards": " ".join(map(str, game.street_cards)),
        "stack": f"{game.stack} {game.stack}",
        "bettingAbstraction": "fcpa" if game.bets else "fullgame",
    }
    if game.bets:
        definition["raiseSize"] = " ".join(map(str, game.bets))
        definition["maxRaises"] = " ".join("3444"[:streets])
    return pyspiel.load_game("universal_poker", definition)
