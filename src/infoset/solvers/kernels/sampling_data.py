"""What the kernels of sampling work on: nodes, tables, methods, walks and notes."""

from typing import NamedTuple

import numpy as np

from infoset.trees.kernels.compiled import part
from infoset.trees.kernels.prefetch import prefetch_write

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
    """The game as a walk reads it; see `infoset.solvers.sampling.nodes`.

    Nodes are public states where rules tell them, together with the hands of the walk; else they
    are histories, and there is one hand only.
    """

    table: np.ndarray
    """[4 * num_nodes] First child (of a terminal: where its payoffs lie), first sequence of the
    infosets (of chance: where its odds lie, or -1 if all are alike), number of children, kind."""
    payoffs: np.ndarray
    """What player 0 wins: [hand of player 0, hand of player 1] for each settlement."""
    odds: np.ndarray
    """Cumulative probabilities of chance."""
    num_hands: int
    place: np.ndarray
    """[worlds, player, hand] Which of the infosets of a node is that of a hand."""
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
    """What a sampled solver keeps, by sequence: player 0's, then player 1's."""

    strategy: np.ndarray
    regrets: np.ndarray
    average: np.ndarray
    kept: np.ndarray
    """[2, sequences] At the first sequence of an infoset: the logarithm of what had been kept of
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


class Notes(NamedTuple):
    """What threads write down of their blocks.

    Each thread has a set of notes for every thread, itself included: what is to be added to the
    infosets that are that thread's. Sets are rows, those of the first thread first.
    """

    line: np.ndarray
    """The walk of one block that is a line."""
    entries: np.ndarray
    """[threads, entries] The walk of one block."""
    met: np.ndarray
    """[threads, met] Where the opponent's action was sampled in it, if there are baselines."""
    visits: np.ndarray
    """[sets, visits] Infosets of the traverser: the first sequence."""
    gains: np.ndarray
    """For each action of each visit, its regret; then, where the average is kept at the
    traverser's nodes, as many numbers to add to that."""
    means: np.ndarray
    """[sets, means] Infosets of the opponent: the first sequence."""
    shares: np.ndarray
    """How much of the strategy there is to be added to the average; empty if always all."""
    bases: np.ndarray
    """Sequences whose baselines are to be moved."""
    values: np.ndarray
    """What they are to be moved towards."""
    written: np.ndarray
    """[sets, 16] How many visits, gains, means and bases there are."""
    updated: np.ndarray
    """[threads, infosets] Infosets whose strategy a thread has changed: the first sequence."""
    fetched: np.ndarray
    """[threads, 16] For what is read only to have it near."""
    counts: np.ndarray
    """[threads, 32] What was done so far; rows far apart in memory."""


VISITS, GAINS, MEANS, BASES = 0, 1, 2, 3
"""Columns of `Notes.written`."""

SHARED_BITS = 6
"""Infosets whose first sequences differ in these last bits only belong to the same thread: then
threads write to no cache line of a table in common, not even of one with a byte for a sequence."""


@part
def set_for(thread, threads, at):
    """The set in which a thread writes notes of an infoset."""
    if threads == 1:
        return 0
    if threads == 2:
        return 2 * thread + ((at >> SHARED_BITS) & 1)
    return thread * threads + (at >> SHARED_BITS) % threads


@part
def note_mean(notes, thread, at, share):
    """Note what is to be added to the average of an infoset; whether there was room for it.

    Where notes were read by another core, their cache lines must come back to be written to again;
    they are asked for some notes ahead.
    """
    where = set_for(thread, len(notes.counts), at)
    means = notes.means[where]
    m = notes.written[where, MEANS]
    if m == len(means):
        return False
    means[u(m)] = at
    if len(notes.counts) > 1 and m & 15 == 0:
        prefetch_write(means.ctypes.data + 4 * (m + 48))
    if notes.shares.shape[1] > 0:
        notes.shares[where, u(m)] = share
    notes.written[where, MEANS] = m + 1
    return True


@part
def u(index):
    """An index that is known not to be negative: numba then does not count it from the end."""
    return np.uint64(index)
