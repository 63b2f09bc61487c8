"""The arrays that the kernels of sampling read and write.

A *walk* is one sampled traversal of the game from the root, made for one player, the *traverser*.
A *mini-batch* is the walks that see the same strategies: those of one player in an iteration if
updates alternate, else those of both players.
"""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import inline

CHANCE, TERMINAL = 2, 3
"""Types of nodes, besides 0 and 1 for the player who moves."""

TYPE_BITS = 2
"""Bits of `NODE.type` that hold the type; the number of the node's worlds is above them."""

FOLLOW_ALL, FOLLOW_K, FOLLOW_ONE, FOLLOW_EACH = 0, 1, 2, 3
"""Which of the traverser's actions a walk follows: all; k of them; one, drawn from the strategy
mixed with the uniform one; each independently, with a probability that the average sets."""

OPPONENT, STOCHASTIC, BIASED = 0, 1, 2
"""Ways of averaging; see `infoset.solvers.traversals.Averaging`."""


def _record(itemsize=None, **names):
    """A record with fields such as ``int32="one two"``, filled up to so many bytes."""
    formats = {name: number for number, each in names.items() for name in each.split()}
    fields = {"names": [*formats], "formats": [*formats.values()]}
    return np.dtype(fields if itemsize is None else fields | {"itemsize": itemsize}, align=True)


NODE = _record(int32="child begin degree type")
"""``child``: the first child (of a terminal: where its payoffs begin); ``begin``: where the infoset
begins among those of a hand and worlds (of chance: where its `Nodes.draws` begin); ``degree``: the
number of children; ``type``: see `TYPE_BITS`."""

DRAW = _record(int32="begin count is_even")
"""The outcomes of a deal or of chance: the first, their number, whether all are equally likely."""

ENTRY = _record(
    int32="node node_type begin degree first_child num_children slot",
    float64="step_weight path_weight own_reach opponent_reach value correction",
)
"""A node at which a walk branches or ends.

``node``, ``node_type``, ``degree``: the node, its type and its number of actions; ``begin``: the
first sequence of its infoset; ``first_child``, ``num_children``: the entries of its children, -1 if
there are none; ``slot``: the parent's action that led here; ``step_weight``: the importance weight
of that step, 1 / its sampling probability; ``path_weight``: the product of the step weights from
the root; ``own_reach``, ``opponent_reach``: reach of the traverser and the opponent; ``value``:
what the traverser wins from here on; ``correction``: what baselines add to the value on the way
from the parent (see `infoset.solvers.sampled.kernels.walks.walk`)."""

OPPONENT_SAMPLE = _record(int32="sequence entry", float64="correction")
"""A sampled action of the opponent, logged if there are baselines: its sequence, the entry that
the walk was on the way to, and the entry's correction up to here."""

BASELINE_MOVE = _record(int32="sequence", float64="target")
"""A sequence whose baseline is to move, and the value that it moves towards."""

LENGTHS = _record(64, int64="visits increments baselines")
"""How much of a thread's log of traversers is in use; a cache line."""

READER_LENGTHS = _record(64, int64="segments averages baselines")
"""How much of a thread's log for a reader is in use; a cache line."""

SPAN = _record(64, int64="walker visits visits_end increments baselines baselines_end")
"""Which thread walked a chunk, and where in its log of traversers the infosets of an owner begin
and end; a cache line."""

SEGMENT = _record(int32="walk averages baselines")
"""A walk, and where its parts of a reader's log end."""

PATH_STEP = _record(
    int32="begin degree slot", float64="strategy step_weight path_weight average_weight"
)
"""A node of the traverser on the path of one sampled history: the first sequence of the infoset,
its number of actions, the sampled one, its probability in the strategy, the importance weights of
this step and of the path before it, and the weight of the strategy in the average."""


OPEN_WALK = _record(int32="player hand0 hand1", uint64="counter")
"""What an entry of `levels` knows of its walk: the traverser, the hands, its random counter."""

MET = _record(int32="begin degree", float64="weight")
"""An infoset of an opponent that a walk came through: its first sequence (-1: none), its number of
actions, and the weight of the visit."""


class Public(NamedTuple):
    """What public-chance sampling needs besides, where nodes are histories. Else empty."""

    state: np.ndarray
    """[num_nodes] The public state of a node, -1 in the deal."""
    chance: np.ndarray
    """[num_nodes] Probability of the step into a node."""
    outcomes: np.ndarray
    """[num_states + 1] First outcome of each public chance state."""
    outcome_state: np.ndarray
    """[outcomes] The public state that an outcome leads to."""
    outcome_cumulative: np.ndarray
    """[outcomes] Cumulative probability among the outcomes of a state."""


class Nodes(NamedTuple):
    """The game as walks read it; see `infoset.solvers.sampled.nodes`.

    If the rules say what is public, a node is a public state, and the hands of the walk say the
    rest. Else a node is a history, and there is one hand only.
    """

    table: np.ndarray
    """[num_nodes] See `NODE`."""
    payoffs: np.ndarray
    """What player 0 wins: [hand of player 0, hand of player 1] for each kind of terminal."""
    num_hands: int
    num_worlds: int
    """How many different sets of pairs of hands are possible at some node."""
    hand_begin: np.ndarray
    """[2 * num_hands * num_worlds] Where the infosets of a player's hand begin at nodes with the
    same worlds; player 0's hands first."""
    deals: np.ndarray
    """[1 + num_hands] `DRAW` of player 0's hand, then player 1's by player 0's. Empty: no deal."""
    draws: np.ndarray
    """[draws * num_hands * num_hands] `DRAW` of a chance node, by both hands."""
    outcome: np.ndarray
    """The outcomes of deals and chance: a hand, or the slot of a child."""
    outcome_cumulative: np.ndarray
    """Their cumulative probabilities."""
    public: Public


class Tables(NamedTuple):
    """What a sampled solver keeps, by place: see `infoset.solvers.sampled.nodes.Layout`."""

    strategy: np.ndarray
    regrets: np.ndarray
    average: np.ndarray
    log_kept: np.ndarray
    """[2, places] At the first sequence of an infoset: the logarithm of the product of all
    discounts of positive and negative regrets up to its last update. Empty without discounts."""
    baseline: np.ndarray
    """What player 0 is expected to win after a sequence. Empty without baselines."""
    degree: np.ndarray
    """At the first sequence of an infoset: its number of actions."""
    pending: np.ndarray
    """Work array: 1 at the first sequence of an infoset whose strategy is out of date."""


class Method(NamedTuple):
    """What a walk samples, and what it adds to regrets and averages."""

    follow: int
    k: int
    epsilon: float
    tau: float
    beta: float
    """``k`` to ``beta`` are the parameters of ``follow``."""
    samples_opponent: bool
    """One action of the opponent is followed, else all."""
    public_chance: bool
    """Only chance that both players see is sampled."""
    counts_unsampled: bool
    """Actions that were not followed get a regret, too."""
    averaging: int
    baseline_rate: float
    """How far a baseline moves towards each sampled value."""


class WorkSplit(NamedTuple):
    """Which thread makes a walk, and which one updates the infosets that it visited.

    Where the first axis is 2, mini-batches take turns by their *parity*: some threads may still
    work on one mini-batch while others begin the next.
    """

    hand_owner: np.ndarray
    """[2 * num_hands] The thread that updates the infosets of a player's hand."""
    hands: np.ndarray
    """[2, walks, 2] The hands of a walk: player 0's, player 1's."""
    counter: np.ndarray
    """[2, walks] The random counter of a walk after the deal."""
    walks: np.ndarray
    """[2, dealer, owner, capacity] The walks that a thread has dealt and whose traverser holds a
    hand of the owner, in order."""
    num_walks: np.ndarray
    """[2, dealer, owner] Their number."""
    deal_ends: np.ndarray
    """[1 + dealer] Where the walks begin that the first thread at the barrier deals, the second
    and so on."""
    chunk_ends: np.ndarray
    """[threads, 1 + chunks] All walks are lined up by owner and split evenly among threads: where
    the chunks of a thread begin and end."""
    chunks_taken: np.ndarray
    """[2, threads, 8] How many chunks of a thread some thread has begun; rows are a cache line."""


class WalkLog(NamedTuple):
    """What the walks of a mini-batch found; tables are updated from it when all have ended.

    What concerns the traverser is logged in the order of the walks, which are grouped by the owner
    of the traverser's hand. What concerns the opponent is logged by *reader*, the thread that owns
    the opponent's hand.
    """

    path: np.ndarray
    """[longest path] The single history of outcome sampling; see `PATH_STEP`."""
    entries: np.ndarray
    """[threads, entries] The current walk; see `ENTRY`."""
    opponent_samples: np.ndarray
    """[threads, entries] Its sampled actions of the opponent; see `OPPONENT_SAMPLE`."""
    visits: np.ndarray
    """[threads, visits] Visited infosets of the traverser: the first sequence."""
    increments: np.ndarray
    """[threads, increments] For each visit the regrets of all actions; then, unless `OPPONENT` is
    the way of averaging, what to add to the averages of all actions."""
    baseline_moves: np.ndarray
    """[threads, baselines] Those of the traverser; see `BASELINE_MOVE`."""
    spans: np.ndarray
    """[threads, chunks, owner] See `SPAN`."""
    average_infosets: np.ndarray
    """[2, threads, reader, visits] Visited infosets of the opponent: the first sequence. By parity,
    as in `WorkSplit`."""
    average_weights: np.ndarray
    """[2, threads, reader, visits] The weight of each in the average; empty if all are 1."""
    opponent_baseline_moves: np.ndarray
    """[threads, reader, baselines] Those of the opponent."""
    segments: np.ndarray
    """[2, threads, reader, 1 + walks] See `SEGMENT`; number 0 is empty. With one thread, a segment
    holds all walks of a player."""
    lengths: np.ndarray
    """[threads] See `LENGTHS`."""
    reader_lengths: np.ndarray
    """[2, threads, reader] See `READER_LENGTHS`."""
    updated: np.ndarray
    """[threads, infosets] Infosets whose strategy a thread has changed: the first sequence."""
    walk_segment: np.ndarray
    """[threads, walks] Work array, all zero: the segment of a walk."""
    segment_order: np.ndarray
    """[threads, 1 + walks] Work array: the segments that a thread reads, in the order of walks."""
    counts: np.ndarray
    """[threads, 32] Nodes touched and infosets updated so far; rows lie far apart in memory."""


COUNT_BITS = 31
"""In `WalkLog.walk_segment`, the low bits hold the length of a segment, the others its begin."""


@inline
def unsigned(index):
    """An index that is known not to be negative: numba then omits the check for counting from the
    end."""
    return np.uint64(index)
