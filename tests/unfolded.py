"""Slow and obvious measures of any game, for comparison with what other programs say."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from infoset.games.rules import CHANCE, TERMINAL, Game

Tables = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]


@dataclass
class Node:
    """A state with everything asked of it once."""

    player: int
    infoset: str = ""
    payoff: Any = 0
    edges: list[tuple[str, Any, Node]] = field(default_factory=list)  # label, chance, child


def unfold(game: Game) -> Node:
    """The whole tree; iterative, since some tests are deep."""
    root = Node(TERMINAL)
    stack = [(game.root(), root)]
    while stack:
        state, node = stack.pop()
        node.player = state.player
        if node.player == TERMINAL:
            node.payoff = state.payoff
            continue
        if node.player == CHANCE:
            labels = list(state.chance)
        else:
            node.infoset = state.infoset
            labels = [(label, None) for label in state.actions]
        for label, probability in labels:
            child = Node(TERMINAL)
            node.edges.append((label, probability, child))
            stack.append((state.child(label), child))
    return root


def nodes_of(root: Node) -> list[Node]:
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(child for _, _, child in reversed(node.edges))
    return found


def infosets_of(root: Node) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Every infoset of both players with its actions, which must not depend on the history."""
    result: tuple[dict[str, tuple[str, ...]], ...] = ({}, {})
    for node in nodes_of(root):
        if node.player in (0, 1):
            labels = tuple(label for label, _, _ in node.edges)
            assert result[node.player].setdefault(node.infoset, labels) == labels
    return result[0], result[1]


def uniform_value(node: Node) -> Any:
    """What player 0 wins if both play every action equally often; exact if the game is."""
    if node.player == TERMINAL:
        return node.payoff
    even = Fraction(1, len(node.edges))
    return sum(
        (even if probability is None else probability) * uniform_value(child)
        for _, probability, child in node.edges
    )


def random_tables(root: Node, seed: int = 0) -> Tables:
    rng = random.Random(seed)
    tables: Tables = ({}, {})
    for table, infosets in zip(tables, infosets_of(root), strict=True):
        for key, labels in infosets.items():
            weights = [rng.random() + 0.01 for _ in labels]
            table[key] = {a: w / sum(weights) for a, w in zip(labels, weights, strict=True)}
    return tables


def exploitability(root: Node, tables: Tables) -> float:
    """NashConv / 2, by recursion over histories grouped by infoset. Needs perfect recall."""
    return sum(_best_response_value(root, tables[1 - p], p) for p in (0, 1)) / 2


def _best_response_value(root: Node, table: dict[str, dict[str, float]], player: int) -> float:
    members: dict[str, list[tuple[Node, float]]] = {}
    stack = [(root, 1.0)]
    while stack:
        node, reach = stack.pop()
        if node.player == player:
            members.setdefault(node.infoset, []).append((node, reach))
        for label, probability, child in node.edges:
            weight = 1.0
            if node.player == CHANCE:
                weight = float(probability)
            elif node.player == 1 - player:
                weight = table[node.infoset][label]
            stack.append((child, reach * weight))

    chosen: dict[str, int] = {}

    def value(node: Node) -> float:
        if node.player == TERMINAL:
            return float(node.payoff) * (1 if player == 0 else -1)
        if node.player == CHANCE:
            return sum(float(p) * value(child) for _, p, child in node.edges)
        if node.player != player:
            return sum(table[node.infoset][a] * value(child) for a, _, child in node.edges)
        if node.infoset not in chosen:
            totals = [
                sum(reach * value(member.edges[a][2]) for member, reach in members[node.infoset])
                for a in range(len(node.edges))
            ]
            chosen[node.infoset] = totals.index(max(totals))
        return value(node.edges[chosen[node.infoset]][2])

    return value(root)
