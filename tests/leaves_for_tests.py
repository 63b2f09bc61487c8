"""Leaves of public forms whose values are worked out pair of hands by pair of hands."""

from __future__ import annotations

import itertools

import numpy as np

from infoset.forms.betting_tree import NodeKind


def can_meet(form):
    """[hands of player 0, hands of player 1] Whether two hands share no card."""
    first, second = form.cards
    return np.array([[not {*a} & {*b} for b in second.tolist()] for a in first.tolist()])


def is_live(form, player, dealt):
    """[hands] Which hands hold none of the cards that were dealt."""
    return ~np.isin(form.cards[player], np.array(dealt, np.uint8)).any(axis=1)


def dealt_cards(form, street, board):
    """The cards of a board that were dealt since the game began."""
    deals = form.streets[street]
    return deals.cards[board][deals.cards.shape[1] - deals.num_new :]


def showdown(form, node, player, strength0, strength1):
    """[hands of player 0, hands of player 1] What a player gets at a showdown."""
    win, tie, lose = form.terminal_payoffs[node, player].tolist()
    sign = np.sign(strength0[:, np.newaxis] - strength1)
    sign = sign if player == 0 else -sign
    return np.where(sign > 0, win, np.where(sign < 0, lose, tie))


def payoffs_at(form, street, board, node):
    """Per player: [hands of player 0, hands of player 1] what a terminal on a board pays."""
    out = []
    for player in (0, 1):
        if form.node_kind[node] == NodeKind.FOLD:
            shape = form.num_hands
            pays = np.full(shape, form.terminal_payoffs[node, player, 0])
        else:
            last = form.streets[-1]
            assert street == form.num_streets - 1
            pays = showdown(form, node, player, *(last.strength[p][board] for p in (0, 1)))
        out.append(pays)
    return out


def values_against(form, street, board, pays, reach):
    """Per player: [hands] counterfactual values, by every pair of hands that can be held."""
    dealt = dealt_cards(form, street, board)
    meets = can_meet(form) & is_live(form, 0, dealt)[:, np.newaxis] & is_live(form, 1, dealt)
    first, second = (np.where(meets, of_player, 0.0) for of_player in pays)
    return first @ reach[1], second.T @ reach[0]


def terminal_leaves(form, nodes):
    """What terminals that were cut off pay, asked for with the reaches: for `with_leaves`."""
    nodes = sorted(nodes)

    def ask(street, reach):
        begin, end = form.street_begin[street : street + 2]
        here = [node for node in nodes if begin <= node < end]
        values = np.zeros_like(reach[0]), np.zeros_like(reach[1])
        for leaf, board in itertools.product(range(len(here)), range(reach[0].shape[1])):
            pays = payoffs_at(form, street, board, here[leaf])
            at = reach[0][leaf, board], reach[1][leaf, board]
            for player, of_hand in enumerate(values_against(form, street, board, pays, at)):
                values[player][leaf, board] = of_hand
        return values

    return ask


def terminals_of(form, kinds=(NodeKind.FOLD, NodeKind.SHOWDOWN), streets=None):
    """Terminals on some streets; an early showdown waits for the last street and is none."""
    out = []
    for street in range(form.num_streets) if streets is None else streets:
        for node in range(*form.street_begin[street : street + 2]):
            is_early = street < form.num_streets - 1
            if form.node_kind[node] in kinds and not (
                is_early and form.node_kind[node] == NodeKind.SHOWDOWN
            ):
                out.append(node)
    return out


def played_out(form, cut):
    """What a street that is only checked through is worth: for leaves where its card is due.

    ``cut`` are the nodes of ``form`` where the card is due; below each, both players check. Every
    card is dealt by itself, also where the form plays one board for several.
    """
    cut = sorted(cut)

    def ask(street, reach):
        assert street == form.num_streets - 2
        deals = form.streets[street + 1]
        values = np.zeros_like(reach[0]), np.zeros_like(reach[1])
        meets = can_meet(form)
        for leaf, node in enumerate(cut):
            end = int(form.node_child_begin[node])
            while form.node_kind[end] != NodeKind.SHOWDOWN:
                end = int(form.node_child_begin[end])  # check
            for board, renaming in zip(deals.deal_board, deals.deal_renaming, strict=True):
                names = deals.renamings[renaming]
                strength = [deals.strength[p][board][names[p]] for p in (0, 1)]
                dealt = dealt_cards(form, street + 1, board)
                live = [is_live(form, p, dealt)[names[p]] for p in (0, 1)]
                here = meets & live[0][:, np.newaxis] & live[1]
                for player in (0, 1):
                    pays = np.where(here, showdown(form, end, player, *strength), 0.0)
                    won = pays @ reach[1][leaf, 0] if player == 0 else pays.T @ reach[0][leaf, 0]
                    values[player][leaf, 0] += deals.probability * won
        return values

    return ask
