"""Make the artifacts of papers again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.options import argument, option
from infoset.cli.output import (
    Column,
    Table,
    json_text,
    labels,
    number,
    print_facts,
    printable,
    write_json,
)
from infoset.cli.paths import check_directory
from infoset.cli.progress import LiveLine
from infoset.errors import BadInputError

if TYPE_CHECKING:
    from infoset.experiments import Experiment, Report


@command(example="infoset reproduce instant-fig1a --quick")
def reproduce(
    name: str | None = argument("[NAME]", "What to reproduce; without it, a list.", default=None),
    out: Path | None = option(
        "--out DIR", "Folder for figures and numbers. Default: reproduced/NAME."
    ),
    quick: bool = option("--quick", "A smaller scale that takes seconds."),
    full: bool = option(
        "--full", "The paper's scale, where the default is smaller: hours or days."
    ),
    json: bool = options.JSON,
    csv: bool = options.CSV,
    quiet: bool = options.QUIET,
) -> None:
    """Make results of papers again.

    Without a name, lists what can be made. With one, measures it, writes figures and numbers to
    a folder, and sets them beside what the paper says.
    """
    from infoset.experiments import find_experiment, known_experiments
    from infoset.machine.storage import write_atomically

    if name is None:
        if out is not None or quick or full:
            raise BadInputError("say what to reproduce: infoset reproduce NAME")
        _list(known_experiments(), json=json, csv=csv)
        return
    chosen = find_experiment(name)
    if quick and full:
        raise BadInputError("give --quick or --full, not both")
    run = chosen.at_full_scale() if full else chosen.run
    folder = Path("reproduced") / name if out is None else out
    check_directory("--out", folder)
    with LiveLine(name, quiet=quiet) as line:
        line.announce("running")
        report = run(folder, quick=quick, progress=line.show)
    document = {**_described(chosen), "quick": quick, "full": full, **report.summary()}
    write_atomically(folder / f"{name}.json", json_text(document).encode())
    if json:
        write_json(document)
    elif csv:
        _rows_table(report).write_csv()
    else:
        _print(chosen, report, folder)


def _described(chosen: Experiment) -> dict[str, Any]:
    return {key: getattr(chosen, key) for key in ("name", "paper", "artifact", "claim")}


def _list(known: tuple[Experiment, ...], *, json: bool, csv: bool) -> None:
    if json:
        write_json({"experiments": [_described(chosen) for chosen in known]})
        return
    rows = [(chosen.name, f"{chosen.artifact} of {chosen.paper}", chosen.claim) for chosen in known]
    shown = Table([*map(labels, ("name", "artifact", "claim"))], rows)
    if csv:
        shown.write_csv()
    elif known:
        shown.print()
    else:
        print("There is nothing to reproduce yet.")


def _print(chosen: Experiment, report: Report, folder: Path) -> None:
    print(f"{chosen.artifact} of {chosen.paper}")
    print(f"The paper's claim: {chosen.claim}")
    print()
    if report.rows:
        _rows_table(report).print()
    if report.numbers:
        print_facts((key, number(value)) for key, value in report.numbers.items())
    if report.note:
        print(report.note)
    print(f"Verdict: {report.verdict}")
    print(f"Numbers and figures are in {folder}")


def _rows_table(report: Report) -> Table:
    heads = list(dict.fromkeys(head for row in report.rows for head in row))
    columns = [
        Column(
            *(head, head, _cell),
            is_number=all(isinstance(row.get(head, 0), int | float) for row in report.rows),
        )
        for head in heads
    ]
    return Table(columns, [[row.get(head) for head in heads] for row in report.rows])


def _cell(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return printable(str(value))
