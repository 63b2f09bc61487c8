"""What the kernels of sampling work on: nodes, tables, methods, walks and notes."""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import part

CHILD, BEGIN, DEGREE, KIND = 0, 1, 2, 3
"""Columns of `Nodes.table`."""

CHANCE, TERMINAL, REVEAL = 2, 3, 4
"""Kinds of nodes, besides players 0 and 1: chance whose odds are known, and whose odds depend on
the hands."""

KIND_BITS = 3
"""In the last column a kind is followed by the number of the worlds that are possible there."""

EVERY, SOME, ONE, EACH = 0, 1, 2, 3
"""What is followed of the traverser's actions: all; k of them; one by his strategy mixed with the
uniform one; each by itself, as the average strategy has it."""

OPPONENT, STOCHASTIC, BIASED = 0, 1, 2
"""Ways of averaging; see `infoset.solvers.traversals.Averaging`."""

ENTRY = np.dtype(
    [
        ("node", np.int32),
        ("kind", np.int32),
        ("at", np.int32),
        ("degree", np.int32),
        ("first", np.int32),
        ("count", np.int32),
        ("slot", np.int32),
        ("boost", np.float64),
        ("inverse", np.float64),
        ("own", np.float64),
        ("other", np.float64),
        ("value", np.float64),
        ("shift", np.float64),
    ],
    align=True,
)
"""``node``: where the walk branches or ends; ``kind``, ``at``, ``degree``: what it is, the first
sequence of its infoset, its actions; ``first``, ``count``: the entries of its children;
``slot``: the parent's action that led here, and ``boost``: one divided by the probability that it
was followed; ``inverse``: the product of these for all of the traverser's actions on the way;
``own``, ``other``: reach of the traverser and the opponent; ``value``: what the traverser wins
from the node on; ``shift``: what baselines add to that on the way from the parent (see `walk`)."""

MET = np.dtype(
    [("sequence", np.int32), ("entry", np.int32), ("shift", np.float64)],
    align=True,
)
"""A node at which the opponent's action was sampled, if there are baselines: what he did, the
entry on whose way it lies, and the entry's shift up to there."""


class Public(NamedTuple):
    """What public-chance sampling reads besides; nodes are histories. Else empty."""

    state: np.ndarray
    """[num_nodes] The public state of a node, -1 in the deal."""
    chance: np.ndarray
    """[num_nodes] Probability of the step into a node."""
    outcomes: np.ndarray
    """[num_states + 1] First outcome of each public chance state."""
    outcome_state: np.ndarray
    """The public state an outcome leads to."""
    outcome_odds: np.ndarray
    """Cumulative probability of an outcome among those of its state."""


class Nodes(NamedTuple):
    """The game as a walk reads it; see `infoset.solvers.sampled.nodes`.

    Nodes are public states where rules tell them, together with the hands of the walk; else they
    are histories, and there is one hand only.
    """

    table: np.ndarray
    """[4 * num_nodes] First child (of a terminal: where its payoffs lie), where the infoset lies
    among those of a hand and worlds (of chance: where its odds lie, or -1 if all are alike), number
    of children, kind."""
    payoffs: np.ndarray
    """What player 0 wins: [hand of player 0, hand of player 1] for each settlement."""
    odds: np.ndarray
    """Cumulative probabilities of chance."""
    num_hands: int
    num_worlds: int
    """How many different sets of pairs of hands are possible at some node."""
    first: np.ndarray
    """[2 * num_hands * num_worlds] Where the infosets of a hand begin at nodes with certain worlds:
    player 0's hands, then player 1's."""
    deals: np.ndarray
    """[3 * (1 + num_hands)] How hands are dealt: where outcomes begin, how many there are, whether
    all are alike. First player 0's, then player 1's by the hand of player 0. Empty: no deal."""
    reveals: np.ndarray
    """[3 * reveals * num_hands * num_hands] The same for what chance reveals, by both hands."""
    outcome: np.ndarray
    """The outcomes of deals and reveals: a hand, or the slot of a child."""
    outcome_odds: np.ndarray
    """Their cumulative probabilities."""
    public: Public


class Tables(NamedTuple):
    """What a sampled solver keeps, by place: see `infoset.solvers.sampled.nodes.Layout`."""

    strategy: np.ndarray
    regrets: np.ndarray
    average: np.ndarray
    kept: np.ndarray
    """[2, places] At the first sequence of an infoset: the logarithm of what had been kept of
    positive and negative regrets when it was last updated. Empty if nothing is discounted."""
    base: np.ndarray
    """Baselines: what player 0 is expected to win. Empty if there are none."""
    degree: np.ndarray
    """At the first sequence of an infoset: how many it has."""
    touched: np.ndarray
    """Work array: whether an infoset waits for its new strategy."""


class Method(NamedTuple):
    """How walks go."""

    follow: int
    k: int
    epsilon: float
    tau: float
    beta: float
    """The last four as `follow` needs them."""
    wide: bool
    """All of the opponent's actions are followed."""
    public: bool
    """Only what chance shows to both is sampled."""
    counted: bool
    """Actions that were not followed get a regret."""
    averaging: int
    rate: float
    """How fast baselines learn."""


class Shares(NamedTuple):
    """Which thread walks a block, and which learns what it found.

    Batches take turns with what has a first axis of two: while some threads still walk a batch or
    learn from it, others may be at the next.
    """

    owner: np.ndarray
    """[2 * num_hands] The thread that learns what concerns a player's hand."""
    hands: np.ndarray
    """[2, blocks, 2] The hands of a block: player 0's, player 1's."""
    counter: np.ndarray
    """[2, blocks] Where its random numbers go on after the deal."""
    lists: np.ndarray
    """[2, dealer, owner, room] The blocks that a thread has dealt and whose traverser has a hand of
    another, in order."""
    listed: np.ndarray
    """[2, dealer, owner] How many of them there are."""
    deals: np.ndarray
    """[1 + dealer] Which blocks a dealer deals: the first one to come, the second and so on."""
    cuts: np.ndarray
    """[threads, 1 + pieces] Blocks stand in line, those of the first thread's hands first: where
    the pieces of a thread's share are cut."""
    taken: np.ndarray
    """[2, threads, 8] How many pieces of a thread's share somebody has begun to walk."""


class Notes(NamedTuple):
    """What threads write down of their blocks.

    Notes on the traverser's infosets are in the order in which blocks were walked: those of one
    owner's hands after those of another's. Notes on the opponent's are kept apart by *reader*, the
    thread that owns his hand.
    """

    line: np.ndarray
    """The walk of one block that is a line."""
    entries: np.ndarray
    """[threads, entries] The walk of one block."""
    met: np.ndarray
    """[threads, met] Where the opponent's action was sampled in it, if there are baselines."""
    visits: np.ndarray
    """[threads, visits] Infosets of the traverser: the first sequence."""
    gains: np.ndarray
    """For each action of each visit, its regret; then, where the average is kept at the
    traverser's nodes, as many numbers to add to that."""
    bases: np.ndarray
    """[threads, bases] Sequences of the traverser whose baselines are to be moved."""
    values: np.ndarray
    """What they are to be moved towards."""
    parts: np.ndarray
    """[threads, pieces, owner, 8] Of a piece of a thread's share: who walked it, and where the
    notes on an owner's infosets begin and end."""
    means: np.ndarray
    """[2, threads, reader, means] Infosets of the opponent: the first sequence. Batches take turns,
    as in `Shares`."""
    shares: np.ndarray
    """How much of the strategy there is to be added to the average; empty if always all."""
    met_bases: np.ndarray
    """[threads, reader, bases] Sequences of the opponent whose baselines are to be moved."""
    met_values: np.ndarray
    """What they are to be moved towards."""
    runs: np.ndarray
    """[2, threads, reader, 1 + blocks, 4] A block, and where the notes on its opponent end; the
    first row is empty. With one thread, one run stands for all blocks of a player."""
    num_runs: np.ndarray
    """[2, threads, reader] How many there are."""
    written: np.ndarray
    """[threads, 1 + reader, 16] How much was written so far in a batch: first that on the
    traverser."""
    updated: np.ndarray
    """[threads, infosets] Infosets whose strategy a thread has changed: the first sequence."""
    at_block: np.ndarray
    """[threads, blocks] Work array, all zero: where the notes of a block lie."""
    order: np.ndarray
    """[threads, blocks] The same for the runs that a thread reads, in the order of blocks."""
    counts: np.ndarray
    """[threads, 32] What was done so far; rows far apart in memory."""


VISITS, GAINS, BASES = 0, 1, 2
"""Columns of `Notes.written` for the traverser, and of `Notes.parts` for where notes begin."""

VISITS_END, BASES_END, WALKER = 3, 4, 5
"""More columns of `Notes.parts`."""

RUNS, MEANS, METS = 0, 1, 2
"""Columns of `Notes.written` for a reader; the last two also of `Notes.runs`."""

BLOCK = 0
"""Column of `Notes.runs`."""

COUNT_BITS = 31
"""In `Notes.order`, where notes begin is followed by how many they are."""


@part
def u(index):
    """An index that is known not to be negative: numba then does not count it from the end."""
    return np.uint64(index)
