"""A slow and obvious twin of warm starts (Brown & Sandholm 2016), over histories.

Written from the definitions in the paper, with dictionaries and recursion; of the package it knows
only the rules of games. With pi(h) the probability that chance and the opponent lead to a history:

- room(I) = pi(I)**2 D(I)**2 |A(I)|, with pi(I) the sum of pi(h) over h in I, and D(I) the largest
  minus the smallest payoff of all ends below I that chance allows;
- v'(I, a) = the sum of pi(z) u(z) over the ends z that follow (I, a) before the player moves again,
  plus v'(I') of the infosets I' at which he moves next;
- v'(I) = the x below max v'(I, a) at which the sum of (v'(I, a) - x)+ ** 2 is share * room(I),
  found by bisection;
- v'(root) likewise, for the start of the game.
"""

from __future__ import annotations

import math

import naive
from infoset.games import CHANCE, TERMINAL


class WarmStart:
    """What both methods make of a strategy ``{(player, infoset): {action: probability}}``."""

    def __init__(self, histories, strategy):
        self.histories = histories
        self.strategy = strategy
        self.reach = [naive.reach_of_others(histories, strategy, player) for player in (0, 1)]
        self.possible = self._possible(histories.root, 1.0)

    def _possible(self, node, chance):
        """The probability of chance alone, of every history."""
        out = {node: chance}
        for label, child in node.children.items():
            p = node.odds[label] if node.player == CHANCE else 1.0
            out |= self._possible(child, chance * p)
        return out

    def _payoffs_below(self, node, player):
        if node.player == TERMINAL and self.possible[node] > 0:
            yield node.payoff if player == 0 else -node.payoff
        for child in node.children.values():
            yield from self._payoffs_below(child, player)

    def stake(self, key):
        """D(I)."""
        nodes = self.histories.infosets[key]
        payoffs = [payoff for h in nodes for payoff in self._payoffs_below(h, key[0])]
        return max(payoffs) - min(payoffs) if payoffs else 0.0

    def reach_of(self, key):
        """pi(I)."""
        return sum(self.reach[key[0]][h] for h in self.histories.infosets[key])

    def most_reach_of(self, key):
        """pi(I) if the opponent did all to get there."""
        return sum(self.possible[h] for h in self.histories.infosets[key])

    def room(self, key):
        count = len(self.histories.actions(key))
        return (self.reach_of(key) * self.stake(key)) ** 2 * count

    # --- substitute values ----------------------------------------------------------------------

    def excess(self, share):
        """By how much every action is worth more than its infoset; the value of both players."""
        out, total = {}, 0.0
        for player in (0, 1):
            total += self._after([self.histories.root], player, share, out)
        return total, out

    def _after(self, starts, player, share, out):
        """v' of all that follows some histories."""
        total, met = 0.0, {}
        for start in starts:
            total += self._until_his_turn(start, player, met)
        for key, nodes in met.items():
            values = {
                action: self._after([h.children[action] for h in nodes], player, share, out)
                for action in self.histories.actions(key)
            }
            worth = lowered(values.values(), share * self.room(key))
            out[key] = {action: value - worth for action, value in values.items()}
            total += worth
        return total

    def _until_his_turn(self, node, player, met):
        if node.player == TERMINAL:
            return self.reach[player][node] * (node.payoff if player == 0 else -node.payoff)
        if node.player == player:
            met.setdefault(node.key, []).append(node)
            return 0.0
        return sum(self._until_his_turn(child, player, met) for child in node.children.values())

    # --- regrets in proportion to the strategy --------------------------------------------------

    def proportional(self, iterations):
        kappa = max(0.1, 0.03 * iterations ** (1 / 3))
        gains = naive.counterfactual_regrets(self.histories, self.strategy)
        out = {}
        for key, played in self.strategy.items():
            most = max(played.values())
            kept = {
                action: p if p >= 0.01 * most or gains[key][action] >= 0 else 0.0
                for action, p in played.items()
            }
            reach = max(self.reach_of(key), 0.05 * self.most_reach_of(key))
            length = kappa * reach * self.stake(key) * math.sqrt(len(played))
            norm = math.sqrt(sum(p * p for p in kept.values()))
            out[key] = {action: length * p / norm for action, p in kept.items()}
        return out


def lowered(values, room):
    """The x at which the squares of what lies above it sum to ``room``."""
    values = list(values)
    high = max(values)
    low = high - math.sqrt(room)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(value - middle, 0.0) ** 2 for value in values) > room:
            low = middle
        else:
            high = middle
    return high


def begin(twin, strategy, regrets, weight):
    """Give a `naive.Cfr` these regrets, and a strategy as its average."""
    twin.regrets = {key: dict(row) for key, row in regrets.items()}
    twin.strategy = {key: twin.strategy_of(row, 1) for key, row in regrets.items()}
    for player in (0, 1):
        for key, pi in naive.own_reach(twin.histories, strategy, player).items():
            for action, p in strategy[key].items():
                twin.averages[key][action] = weight * pi * p
