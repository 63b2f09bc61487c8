"""Write the tables of the documentation from the code they describe: ``python docs/make.py``."""

from pathlib import Path

from infoset.agents.known_agents import KNOWN, KnownAgent
from infoset.calls import format_value
from infoset.solvers import NEURAL, Preset, known_algorithms

HERE = Path(__file__).parent
BEGIN, END = "<!-- table: made by docs/make.py -->\n", "<!-- end -->"
COMMON = {"skip": 0, "alternating": True, "pruning": "none"}
SAMPLING = {"b": 1, "regrets": "summed", "gamma": 0, "averaging": "opponent", "baseline": 0}
TABULAR = {n: a for n, a in known_algorithms().items() if n not in NEURAL}
PAGES = {
    HERE / "algorithms.md": {n: a for n, a in TABULAR.items() if not a.is_sampled},
    HERE / "sampling.md": {n: a for n, a in TABULAR.items() if a.is_sampled},
    HERE / "neural.md": NEURAL,
}
"""The pages with a table, and the algorithms in it."""
AGENTS_PAGE = HERE / "agents.md"
AGENTS = "<!-- agents: made by docs/make.py -->\n"
PARAMETERS = "<!-- parameters of {}: made by docs/make.py -->\n"


def line(name: str, algorithm: Preset) -> str:
    """One row of the table: parameters that others share are left out where they are as usual."""
    usual = {**COMMON, **(SAMPLING if algorithm.is_sampled else {})}
    own = [p for p in algorithm.parameters if p.name not in COMMON or algorithm.is_sampled]
    if algorithm in NEURAL.values():
        own = [p for p in own if p.name in algorithm.defaults]
    parameters = ", ".join(
        f"`{p.name}={p.default:g}`"
        if isinstance(p.default, float)
        else f"`{p.name}={format_value(p.default)}`"
        for p in own
        if p.name not in usual or p.default != usual[p.name]
    )
    cells = f"`{name}`", algorithm.formula, parameters, algorithm.use, algorithm.citation
    return "| " + " | ".join(cells) + " |"


def parameters(name: str) -> str:
    """All parameters of an algorithm, a line each."""
    rows = ["| parameter | default | accepts | meaning |", "|---|---|---|---|"]
    rows += [
        f"| `{p.name}` | `{format_value(p.default)}` | {p.accepts} | {p.meaning} |"
        for p in known_algorithms()[name].parameters
        if p.default is not None
    ]
    return "\n".join(rows)


def agent_line(agent: KnownAgent) -> str:
    """One row of the table of agents."""
    accepted = "; ".join(f"`{p.name}`: {p.meaning}, {p.accepts}" for p in agent.parameters)
    return f"| `{agent.usage}` | {agent.meaning.removesuffix('.')} | {accepted} |"


def agents_page() -> str:
    """The page on agents with a fresh table."""
    before, rest = AGENTS_PAGE.read_text(encoding="utf-8").split(AGENTS)
    table = [
        "| agent | what it does | parameters |",
        "|---|---|---|",
        *map(agent_line, KNOWN.values()),
    ]
    text = "\n".join(table)
    return f"{before}{AGENTS}{text}\n{END}{rest.split(END, 1)[1]}"


def page(path: Path) -> str:
    """A page with fresh tables."""
    text = path.read_text(encoding="utf-8")
    for name in PAGES[path]:
        if (begin := PARAMETERS.format(name)) in text:
            before, rest = text.split(begin)
            text = f"{before}{begin}{parameters(name)}\n{END}{rest.split(END, 1)[1]}"
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    head = ["| name | rule | parameters | use it for | source |", "|---|---|---|---|---|"]
    table = "\n".join([*head, *(line(*each) for each in PAGES[path].items())])
    return f"{before}{BEGIN}{table}\n{END}{after}"


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(page(path), encoding="utf-8")
    AGENTS_PAGE.write_text(agents_page(), encoding="utf-8")
