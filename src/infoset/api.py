"""The front door: what `import infoset` offers, for names and objects alike."""

from __future__ import annotations

import os
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from infoset import evaluation
from infoset.errors import BadInputError, StorageError, TooLargeError
from infoset.evaluation import BestResponse
from infoset.forms import Tree, compile_game
from infoset.games import Game, make
from infoset.machine.storage import check_writable
from infoset.machine.threads import num_threads
from infoset.solvers.algorithms import CUSTOM, Algorithm, find_algorithm
from infoset.solvers.files import Saving, kind_of, read_checkpoint, read_solution
from infoset.solvers.limits import Limits
from infoset.solvers.loop import Progress
from infoset.solvers.recipe import Recipe
from infoset.solvers.running import run, sample_rules
from infoset.solvers.sampled.sparse import name_of, rules_fingerprint
from infoset.solvers.solution import Solution
from infoset.solvers.vector.files import KIND as SPOT_KIND
from infoset.solvers.vector.files import read_spot_solution
from infoset.solvers.vector.running import solve_spot
from infoset.solvers.vector.solution import SpotSolution
from infoset.strategy import Strategy

__all__ = [
    "GameLike",
    "best_response",
    "compile",
    "expected_value",
    "exploitability",
    "game",
    "load",
    "prepare",
    "solve",
    "solve_spot",
    "uniform",
]

GameLike = str | os.PathLike[str] | Game | Tree
"""A name, a path to an ``.efg`` file, any object with rules, or a game compiled before."""

Store = Literal["auto", "dense", "sparse"]
"""Numbers for every sequence of a compiled game, or only for infosets that were visited."""

Table = Mapping[str, Mapping[str, float]]
StrategyLike = Strategy | Solution | Table | tuple[Table, Table]

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_ITERATIONS = 1000
OPEN_SPIEL = "open_spiel:"

_compiled: OrderedDict[object, tuple[Game, Tree]] = OrderedDict()
_COMPILED_KEPT = 4


def game(spec: str | os.PathLike[str]) -> Game:
    """The rules that a text names.

    A built-in name with parameters, ``open_spiel:NAME``, or the path of an ``.efg`` file.

    >>> game("nolimit_leduc(stack=10)").root().player
    -1
    """
    text = os.fspath(spec)
    if text.startswith(OPEN_SPIEL):
        from infoset.interop import from_open_spiel

        return from_open_spiel(text.removeprefix(OPEN_SPIEL))
    if Path(text).suffix.lower() == ".efg":
        from infoset.interop import read_efg

        return read_efg(text)
    return make(text)


def compile(spec: GameLike, *, max_histories: int | None = None) -> Tree:
    """Turn a game into flat arrays; the last few are remembered.

    >>> compile("leduc")
    Tree('leduc': 936 infosets, 2,184 sequences)
    """
    rules = _rules(spec)
    if isinstance(rules, Tree):
        return rules
    # By value where rules can be compared, so that a game asked for twice by name is found.
    try:
        key: object = (type(rules), hash(rules), rules)
    except TypeError:
        key = id(rules)
    if key in _compiled:
        _compiled.move_to_end(key)
        return _compiled[key][1]
    tree = compile_game(rules, max_histories=max_histories)
    _compiled[key] = rules, tree
    while len(_compiled) > _COMPILED_KEPT:
        _compiled.popitem(last=False)
    return tree


def _rules(spec: GameLike) -> Game | Tree:
    """The rules that are meant, or the tree that was given."""
    rules: Any = game(spec) if isinstance(spec, str | os.PathLike) else spec
    if not isinstance(rules, Tree) and (not isinstance(rules, Game) or not callable(rules.root)):
        raise BadInputError(
            f"{type(rules).__name__} is not a game: a game is a name, a path to an .efg file, or "
            "an object with a method root() (see docs/your-own-game.md)"
        )
    return rules


def solve(
    game: GameLike,
    algorithm: str | Recipe | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    exploitability: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
    store: Store = "auto",
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 30.0,
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
    return_on_interrupt: bool = False,
) -> Solution:
    """Find an equilibrium; stop at the first limit that is reached.

    With none of ``iterations``, ``seconds`` and ``exploitability``, a thousand iterations are
    done (or, with ``resume``, as many as the run was to have). With ``checkpoint``, the run is
    saved there every so many seconds and at its end, and ``resume`` goes on from such a file as
    if the run had never stopped. On Ctrl-C the checkpoint is written, then `KeyboardInterrupt`
    is raised; with ``return_on_interrupt``, what there is then is returned. See docs/files.md for
    what happens when the checkpoint cannot be written.

    Algorithms that sample draw from ``seed`` (one is chosen, and told, if none is given), and walk
    the blocks of a mini-batch on ``threads`` cores (all, if not given); what they find depends on
    the seed alone. They need not compile the game: with ``store="sparse"`` they walk its rules and
    hold only infosets that they visited; ``"auto"`` does so if the game is too large to compile.
    See docs/sampling.md.

    >>> solution = solve("kuhn", "cfr+", exploitability=1e-3)
    >>> solution.stopped_by, round(solution.strategy["K:bet"]["call"], 3)
    ('exploitability', 1.0)
    """
    resumed = None if resume is None else read_checkpoint(resume)
    if iterations is None and seconds is None and exploitability is None:
        iterations = DEFAULT_ITERATIONS if resumed is None else resumed.horizon
    limits = Limits(iterations, seconds, exploitability)
    saving = None if checkpoint is None else Saving(checkpoint, every)
    if saving is not None:
        check_writable(saving.path)  # now, not after hours
    if seed is not None and not isinstance(seed, int):
        raise BadInputError(f"seed must be a whole number, not {seed!r}")
    if resumed is not None:
        if algorithm is None and resumed.algorithm == CUSTOM:
            raise BadInputError("the checkpoint is a run of a recipe of your own: give it again")
        if algorithm is None:
            algorithm = resumed.algorithm
        if seed is None:
            seed = resumed.seed
    chosen = find_algorithm(DEFAULT_ALGORITHM if algorithm is None else algorithm)
    chosen.check(limits.iterations)
    if threads is not None and not chosen.is_sampled:
        raise BadInputError(
            f"{chosen.name!r} runs on one core; threads are for algorithms that sample, such as "
            "'rs-mccfr(b=100)'"
        )
    threads = num_threads(threads) if chosen.is_sampled else 1
    if chosen.is_sampled and seed is None:
        seed = secrets.randbits(32)
    found = prepare(game, chosen, store)
    if resumed is not None:
        if isinstance(found, Tree):
            name, fingerprint, kind = found.name, found.fingerprint, "dense"
        else:
            name, fingerprint, kind = name_of(found), rules_fingerprint(found), "sparse"
        if resumed.fingerprint != fingerprint:
            raise BadInputError(
                f"the checkpoint is a run of {resumed.game!r}, which is not the game {name!r} "
                f"in a {kind} store"
            )
        resumed.check_goes_on(chosen, limits.iterations)
        if chosen.is_sampled and resumed.seed != seed:
            raise BadInputError(f"the checkpoint is a run with seed {resumed.seed}, not {seed}")
    common: dict[str, Any] = {"saving": saving, "resumed": resumed, "progress": progress}
    if isinstance(found, Tree):
        solution = run(found, chosen, limits, seed=seed, threads=threads, **common)
    else:
        assert seed is not None
        solution = sample_rules(found, chosen, limits, seed=seed, **common)
    if solution.stopped_by == "interrupt" and not return_on_interrupt:
        raise KeyboardInterrupt
    return solution


def prepare(spec: GameLike, algorithm: Algorithm, store: Store = "auto") -> Tree | Game:
    """The compiled game, or its rules alone where those are to be sampled: for `solve`."""
    if store not in get_args(Store):
        raise BadInputError(f"store must be {', '.join(get_args(Store))}, not {store!r}")
    if store == "sparse" and not algorithm.is_sampled:
        raise BadInputError(
            f"{algorithm.name!r} needs the whole game; store='sparse' is for algorithms that "
            "sample, such as 'es-mccfr'"
        )
    if store == "sparse" and isinstance(spec, Tree):
        raise BadInputError("a compiled game has no rules to walk; give the game itself")
    rules = _rules(spec)
    if store == "sparse":
        assert not isinstance(rules, Tree)
        return rules
    try:
        return compile(rules)
    except TooLargeError as error:
        if isinstance(rules, Tree) or not algorithm.is_sampled or store == "dense":
            hint = "" if algorithm.is_sampled else " To sample it: algorithm 'es-mccfr'."
            raise TooLargeError(f"{error}{hint}") from None
        return rules


def load(path: str | os.PathLike[str], game: GameLike | None = None) -> Solution | SpotSolution:
    """Read a saved solution: a `Solution` of a game, or a `SpotSolution` of a spot.

    The rules of a game are needed only to evaluate it; they are found by the game's name, or given
    as ``game`` if it is a game of your own. A spot is in the file itself.
    """
    if kind_of(path) == SPOT_KIND:
        if game is not None:
            raise BadInputError(
                f"'{os.fspath(path)}' is the solution of a spot, which is in the file; give no game"
            )
        return read_spot_solution(path, threads=num_threads())

    def compile_named(name: str) -> Tree:
        if game is not None:
            return compile(game)
        try:
            return compile(name)
        except (BadInputError, StorageError) as error:
            raise BadInputError(
                f"'{os.fspath(path)}' holds a strategy for {name!r}, whose rules were not found "
                f"({error}). If it is elsewhere, or a game of your own, give it: "
                "infoset.load(path, game=...), on the command line --game"
            ) from error

    return read_solution(path, compile_named)


def _strategy(game: GameLike, strategy: StrategyLike) -> Strategy:
    tree = compile(game)
    found: Any = strategy.strategy if isinstance(strategy, Solution) else strategy
    if isinstance(found, Strategy) and not found.tree.is_whole:
        found = found.table(0), found.table(1)  # what was visited of the game
    if isinstance(found, Strategy):
        if found.tree is not tree and found.tree.fingerprint != tree.fingerprint:
            raise BadInputError(
                f"the strategy is one for {found.tree.name!r}, not for {tree.name!r}"
            )
        return found
    tables = _by_player(tree, found) if isinstance(found, Mapping) else found
    is_pair = isinstance(tables, tuple | list) and len(tables) == 2
    if not is_pair or not all(isinstance(table, Mapping) for table in tables):
        raise BadInputError(
            f"{type(found).__name__} is not a strategy: give a Strategy, a Solution, or "
            "{infoset: {action: probability}}, one for both players or a pair of them"
        )
    return Strategy.from_tables(tree, tuple(tables))


def _by_player(tree: Tree, table: Table) -> tuple[Table, Table]:
    """Split a table of both players' infosets."""
    first, second = (treeplex.infoset_of_key for treeplex in tree.treeplexes)
    for key in table:
        if key in first and key in second:
            raise BadInputError(f"both players have an infoset {key!r}; give two tables")
    theirs = {key: actions for key, actions in table.items() if key in second}
    return {key: actions for key, actions in table.items() if key not in theirs}, theirs


def exploitability(game: GameLike, strategy: StrategyLike) -> float:
    """NashConv / 2 of a strategy, in chips; zero exactly at an equilibrium.

    A strategy is a `Strategy`, a `Solution`, or a table ``{infoset: {action: probability}}``, one
    for both players or one for each; infosets left out play uniformly.

    >>> round(exploitability("kuhn", uniform("kuhn")), 6)
    0.458333
    """
    return evaluation.exploitability(_strategy(game, strategy))


def expected_value(game: GameLike, strategy: StrategyLike) -> float:
    """What player 0 wins on average, in chips."""
    return evaluation.expected_value(_strategy(game, strategy))


def best_response(game: GameLike, strategy: StrategyLike, player: int) -> BestResponse:
    """The best ``player`` can do against the other player's part of a strategy."""
    return evaluation.best_response(_strategy(game, strategy), player)


def uniform(game: GameLike) -> Strategy:
    """The strategy that plays every action alike."""
    return Strategy.uniform(compile(game))
