"""Write the tables of the documentation from the code they describe: ``python docs/make.py``."""

from pathlib import Path

from infoset.solvers.algorithms import KnownAlgorithm, known_algorithms

PAGE = Path(__file__).parent / "algorithms.md"
BEGIN, END = "<!-- table: made by docs/make.py -->\n", "<!-- end -->"
COMMON = ("skip", "alternating")


def line(algorithm: KnownAlgorithm) -> str:
    """One row of the table."""
    own = [p for p in algorithm.parameters if p.name not in COMMON]
    parameters = ", ".join(f"`{p.name}={p.default:g}`" for p in own)
    cells = f"`{algorithm.name}`", algorithm.formula, parameters, algorithm.use, algorithm.citation
    return "| " + " | ".join(cells) + " |"


def page(text: str) -> str:
    """The page with a fresh table."""
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    head = ["| name | rule | parameters | use it for | source |", "|---|---|---|---|---|"]
    table = "\n".join([*head, *map(line, known_algorithms())])
    return f"{before}{BEGIN}{table}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
