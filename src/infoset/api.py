"""The functions of `import infoset`; each takes a target by name or as an object."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from infoset import evaluation
from infoset.errors import BadInputError, StorageError
from infoset.evaluation import BestResponse
from infoset.explore import NodeView, view_node
from infoset.forms import SequenceForm, sequence_form_of
from infoset.games import Game
from infoset.games.holdem import BetSizes, Spot
from infoset.interop import find_rules
from infoset.machine.interrupts import Cancel
from infoset.neural import run
from infoset.resolving import (
    Method,
    OpenedPart,
    PartProgress,
    Resolved,
    open_part,
)
from infoset.resolving import resolve as resolve_parts
from infoset.resolving import trim as trim_solution
from infoset.solvers import (
    SPOT_ALGORITHM,
    FormName,
    Progress,
    Recipe,
    Solution,
    StartLike,
    Target,
    find_algorithm,
    make_request,
    read_solution,
)
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy

Table = Mapping[str, Mapping[str, float]]
StrategyLike = Strategy | Solution | Table | tuple[Table, Table]


def game(spec: str | os.PathLike[str]) -> Game | Spot:
    """The rules that a text names.

    A built-in name with parameters, ``open_spiel:NAME``, the path of an ``.efg`` file or of a spot
    file, or a random situation.

    >>> game("nolimit_leduc(stack=10)").root().player
    -1
    """
    return find_rules(spec)


def compile(target: Target, *, max_histories: int | None = None) -> SequenceForm:
    """Turn a game into flat arrays, in sequence form; the last few are remembered.

    >>> compile("leduc")
    SequenceForm('leduc': 936 infosets, 2,184 sequences)
    """
    if isinstance(target, SequenceForm):
        return target
    return sequence_form_of(find_rules(target), max_histories=max_histories)


def solve(
    target: Target,
    algorithm: str | Recipe | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    exploitability: float | str | None = None,
    form: FormName = "auto",
    seed: int | None = None,
    threads: int | None = None,
    bits: int | None = None,
    max_memory: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 30.0,
    resume: str | os.PathLike[str] | None = None,
    start_from: StartLike | None = None,
    start_iterations: int | None = None,
    start_method: str = "proportional",
    progress: Callable[[Progress], None] | None = None,
    cancel: Cancel | None = None,
    return_on_interrupt: bool = False,
) -> Solution:
    """Find an equilibrium of a game or a spot; stop at the first limit that is reached.

    ``exploitability`` is a number of chips; of a spot also text: ``"0.1%"`` of the pot that it
    begins with, ``"5c"`` chips, ``"20mbb"`` (thousandths of its big blind). With none of
    ``iterations``, ``seconds`` and ``exploitability``, a game gets a thousand iterations, a spot in
    public form is solved to 0.1% of its pot, and a resumed run continues to its planned length.

    With ``checkpoint``, the state of the run is saved there every ``every`` seconds and at its end;
    ``resume`` continues from such a file as if the run had never stopped. On Ctrl-C the checkpoint
    is written, then `KeyboardInterrupt` is raised; with ``return_on_interrupt``, the solution so
    far is returned. ``cancel`` does the same from another thread: `Cancel.now`. (An exact solver
    is done with all it does before it hears of that.) See docs/files.md for what happens when the
    checkpoint cannot be written.

    ``form`` is the form to solve in: ``"sequence"`` for any game, ``"public"`` for spots and small
    card games (tables in 32 or 16 ``bits``), ``"rules"`` to sample games too large for either.
    ``"auto"`` is the public form for spots and the sequence form for other games; sampled
    algorithms use the sequence form, or the rules if the game is too large for it.

    ``start_from`` is a strategy to go on from instead of zeros: of the same game, of a smaller one
    or of an abstraction, as a solution, its file, or tables. ``start_iterations`` says how many
    iterations it stands for (its quality decides, if not), ``start_method`` how regrets are made of
    it. Regret minimisers in sequence form and networks can be started so. See docs/warm-start.md.

    Sampled algorithms draw from ``seed`` (if none is given, one is chosen and reported). They and
    the public form use ``threads`` cores (all by default); the result does not depend on them.
    See docs/sampling.md.

    >>> solution = solve("kuhn", "cfr+", exploitability=1e-3)
    >>> solution.stopped_by, round(solution.strategy["K:bet"]["call"], 3)
    ('exploitability', 1.0)
    >>> small = solve("leduc(by_rank=true)", "cfr+", iterations=300)
    >>> warm = solve("leduc", "cfr+", iterations=1, start_from=small)
    >>> warm.start.similar, warm.exploitability < 3e-3
    (936, True)
    >>> solution = solve("River(5k, seed=1)", exploitability="1%")
    >>> solution.stopped_by, solution.exploitability < 50
    ('exploitability', True)
    """
    request = make_request(
        target,
        algorithm,
        iterations=iterations,
        seconds=seconds,
        exploitability=exploitability,
        form=form,
        seed=seed,
        threads=threads,
        bits=bits,
        max_memory=max_memory,
        checkpoint=checkpoint,
        every=every,
        resume=resume,
        start_from=start_from,
        start_iterations=start_iterations,
        start_method=start_method,
        progress=progress,
        cancel=cancel,
    )
    solution = run(request)
    if solution.stopped_by == "interrupt" and not return_on_interrupt:
        raise KeyboardInterrupt
    return solution


def load(path: str | os.PathLike[str], game: Target | None = None) -> Solution:
    """Read a saved solution.

    A solution in sequence form needs the rules of its game only to be evaluated, one in public form
    also to be read. They are found by the game's name, or given as ``game`` if it is a game of your
    own. The file of a spot contains the spot.
    """

    def rules(name: str) -> Any:
        if game is not None:
            return game
        try:
            return find_rules(name)
        except (BadInputError, StorageError) as error:
            raise BadInputError(
                f"'{os.fspath(path)}' holds a strategy for {name!r}, whose rules were not "
                f"found ({error}). If it is elsewhere, or a game of your own, give it: "
                "infoset.load(path, game=...), on the command line --game"
            ) from error

    solution = read_solution(path, rules)
    if game is not None and solution.spot is not None:
        raise BadInputError(
            f"'{os.fspath(path)}' is the solution of a spot, which is in the file; give no game"
        )
    return solution


def view(solution: Solution, path: str = "", *, threads: int = 1) -> NodeView:
    """A node of a solved spot, hand by hand; ``path`` is what was done so far.

    >>> spot = Spot("Ks9h7d4c2s", "AA,QQ", "KcKd,JJ", 100, 100, bet_sizes={"bet": "a", "raise": ""})
    >>> node = view(solve(spot), "check, bet all-in")
    >>> node.player, node.pot, node.actions
    (0, 200, ('fold', 'call 100'))
    """
    strategy = solution.strategy
    if not isinstance(strategy, PublicStrategy) or solution.spot is None:
        raise BadInputError(
            f"{solution.game!r} was not solved as a spot; look at its strategy by infoset instead"
        )
    if solution.below is not None:
        raise BadInputError(
            f"the solution was trimmed at {solution.below.cut}, so what hands are worth cannot be "
            "worked out: re-solve it first, or look at its trunk by infoset"
        )
    return view_node(strategy, path, threads=threads)


def resolve(
    solution: Solution,
    at: str | None = None,
    *,
    game: Target | None = None,
    method: Method = "gadget",
    algorithm: str | Recipe | None = None,
    iterations: int | None = None,
    sizes: BetSizes | Mapping[str, object] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[PartProgress], None] | None = None,
    return_on_interrupt: bool = False,
) -> Resolved:
    """Solve again all that is below a cut of a solution, keep what is above, measure the whole.

    ``at`` is ``"round=2"``, ``"depth=3"``, ``"public"``, of a spot also ``"turn"`` or ``"river"``,
    or a path such as ``"check,bet"``. A trimmed solution is re-solved where it was trimmed. With
    the methods ``"gadget"``, ``"max-margin"`` and ``"reach"`` the whole is no more exploitable than
    before, but for what ``iterations`` leave open in each part; ``"unsafe"`` promises nothing.
    ``sizes`` are other bet sizes below the cut of a spot. ``game`` is needed for the trimmed
    solution of a game of your own.

    >>> solution = solve("leduc", "cfr+", iterations=50)
    >>> again = resolve(solution, "round=2", iterations=500)
    >>> again.num_parts, again.exploitability_after < again.exploitability_before
    (5, True)
    """
    rules: Any = None
    if solution.below is not None and solution.spot is None:
        rules = find_rules(solution.game if game is None else game)
    return resolve_parts(
        *(solution, at),
        rules=rules,
        method=method,
        algorithm=algorithm,
        iterations=iterations,
        sizes=sizes,
        seed=seed,
        threads=threads,
        progress=progress,
        return_on_interrupt=return_on_interrupt,
    )


def trim(solution: Solution, at: str) -> Solution:
    """Keep of a solution what is above a cut, and of the rest only what can be won there.

    The result is small, is saved and loaded like any solution, and can be re-solved.

    >>> small = trim(solve("leduc", iterations=500), "round=2")
    >>> len(small.strategy), resolve(small, iterations=500).exploitability_after < 0.01
    (36, True)
    """
    return trim_solution(solution, at)


def open_spot(
    solution: Solution,
    path: str,
    *,
    algorithm: str = SPOT_ALGORITHM,
    iterations: int = 200,
    threads: int = 1,
) -> OpenedPart:
    """Re-solve the one part of a trimmed spot that a path leads to: ``part["AhQh:check,..."]``."""
    if solution.below is None or solution.spot is None or solution.form != "public":
        raise BadInputError("only the trimmed solution of a spot has parts to be opened")
    return open_part(
        *(solution, path),
        algorithm=find_algorithm(algorithm),
        iterations=iterations,
        threads=threads,
    )


def _strategy(target: Target, strategy: StrategyLike) -> SequenceStrategy:
    tree = compile(target)
    given: Any = strategy.strategy if isinstance(strategy, Solution) else strategy
    if isinstance(given, PublicStrategy) or (
        isinstance(given, SequenceStrategy) and not given.form.is_whole
    ):
        given = given.table(0), given.table(1)  # what was visited of the game
    if isinstance(given, SequenceStrategy):
        if given.form is not tree and given.form.fingerprint != tree.fingerprint:
            raise BadInputError(
                f"the strategy is one for {given.form.name!r}, not for {tree.name!r}"
            )
        return given
    tables = _by_player(tree, given) if isinstance(given, Mapping) else given
    is_pair = isinstance(tables, tuple | list) and len(tables) == 2
    if not is_pair or not all(isinstance(table, Mapping) for table in tables):
        raise BadInputError(
            f"{type(given).__name__} is not a strategy: give a Strategy, a Solution, or "
            "{infoset: {action: probability}}, one for both players or a pair of them"
        )
    return SequenceStrategy.from_tables(tree, tuple(tables))


def _by_player(tree: SequenceForm, table: Table) -> tuple[Table, Table]:
    """Split a table of both players' infosets."""
    first, second = (treeplex.infoset_of_key for treeplex in tree.treeplexes)
    for key in table:
        if key in first and key in second:
            raise BadInputError(f"both players have an infoset {key!r}; give two tables")
    theirs = {key: actions for key, actions in table.items() if key in second}
    return {key: actions for key, actions in table.items() if key not in theirs}, theirs


def exploitability(target: Target, strategy: StrategyLike) -> float:
    """NashConv / 2 of a strategy, in chips; zero exactly at an equilibrium.

    A strategy is a `Strategy`, a `Solution`, or a table ``{infoset: {action: probability}}``, one
    for both players or one for each; infosets left out play uniformly.

    >>> round(exploitability("kuhn", uniform("kuhn")), 6)
    0.458333
    """
    return evaluation.exploitability(_strategy(target, strategy))


def expected_value(target: Target, strategy: StrategyLike) -> float:
    """What player 0 wins on average, in chips."""
    return evaluation.expected_value(_strategy(target, strategy))


def best_response(target: Target, strategy: StrategyLike, player: int) -> BestResponse:
    """The best ``player`` can do against the other player's part of a strategy."""
    return evaluation.best_response(_strategy(target, strategy), player)


def uniform(target: Target) -> SequenceStrategy:
    """The strategy that plays every action alike."""
    return SequenceStrategy.uniform(compile(target))
