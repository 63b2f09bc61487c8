"""A package imports only from those above it in the reading order (docs/architecture.md)."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

import infoset

SOURCE = Path(infoset.__file__).parent

ORDER = (
    "doors",
    "errors",
    "version",
    "cursor",
    "calls",
    "machine",
    "cards",
    "games",
    "interop",
    "forms",
    "strategy",
    "evaluation",
    "solvers",
    "resolving",
    "neural",
    "agents",
    "explore",
    "api",
    "batches",
    "experiments",
    "cli",
    "web",
)
"""From what is read first to what is read last: docs/architecture.md, "Packages"."""

MODULES = sorted(SOURCE.rglob("*.py"), key=str)


def name_of(path):
    """``infoset.forms.lanes`` for ``forms/lanes.py``; a package's ``__init__`` has its name."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(("infoset", *(part for part in parts if part != "__init__")))


def place_of(module):
    """Where in the order a module of ours belongs; the front door opens all but the last."""
    parts = module.split(".")
    if len(parts) == 1:
        return ORDER.index("experiments")
    if parts[1] == "__main__":
        return ORDER.index("cli")
    assert parts[1] in ORDER, f"{module}: give {parts[1]!r} its place in ORDER"
    return ORDER.index(parts[1])


def imports_of(path):
    """Every module a file imports, wherever in it, with the line: absolute names."""
    package = name_of(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            if base == "infoset":
                # ``from infoset import games``: the module, not the front door.
                for alias in node.names:
                    yield f"infoset.{alias.name}", node.lineno
            else:
                yield base, node.lineno


def calls_in(path):
    """Names of everything that is called, with the line and the call."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            yield name, node


def where(path, line):
    return f"{path.relative_to(SOURCE.parent)}:{line}"


def test_there_is_something_to_check():
    names = {name_of(path) for path in MODULES}
    assert {"infoset", "infoset.games.rules", "infoset.solvers.sequence.kernels.regrets"} <= names
    found = {module for module, _ in imports_of(SOURCE / "solvers" / "sequence" / "regret.py")}
    assert {
        "numpy",
        "infoset.strategy",
        "infoset.solvers.sequence.kernels.regrets",
    } <= found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_up_the_reading_order(path):
    own = place_of(name_of(path))
    for module, line in imports_of(path):
        if module.split(".")[0] == "infoset":
            assert place_of(module) <= own, (
                f"{where(path, line)} imports {module}, which is read after it"
            )


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_packages_are_entered_by_their_doors(path):
    """What other packages may use is in the `__init__`; kernels and `machine` have no door."""
    own = name_of(path).split(".")[1:2]
    for module, line in imports_of(path):
        parts = module.split(".")
        if parts[0] != "infoset" or parts[1:2] == own or {"kernels", "machine"} & set(parts):
            continue
        is_door = len(parts) <= 2 or module == "infoset.games.holdem"
        assert is_door, f"{where(path, line)} imports {module}, past the door of its package"


@pytest.mark.parametrize(
    "package", sorted(p.parent for p in MODULES if p.name == "__init__.py"), ids=str
)
def test_doors_open(package):
    """Everything that an `__init__` lists is there, and no module of the package hides it."""
    module = importlib.import_module(name_of(package / "__init__.py"))
    for name in dir(module):
        file = package / f"{name}.py"
        assert isinstance(getattr(module, name), ModuleType) or not file.exists(), name
    assert not hasattr(module, "no_such_name")


def test_no_import_cycles():
    """Not even imports inside functions or for type checkers alone go round in circles."""
    known = {name_of(path): path for path in MODULES}
    graph = {}
    for name, path in known.items():
        graph[name] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("infoset."):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    graph[name].add(inner if inner in known else node.module)
    # Take away whatever imports nothing that is left; what stays is a cycle.
    while free := [name for name, needs in graph.items() if not (needs - {name}) & graph.keys()]:
        for name in free:
            del graph[name]
    assert not graph, f"these import each other: {sorted(graph)}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_kernels_import_numba(path):
    folders = path.relative_to(SOURCE).parts[:-1]
    in_kernels = "kernels" in folders or folders[:1] == ("machine",)
    for module, line in imports_of(path):
        if module.split(".")[0] in ("numba", "llvmlite"):
            assert in_kernels, f"{where(path, line)} imports {module} outside kernels/"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_kernel_is_compiled_by_machine_compiled(path):
    """A decorator of numba's own would cache a kernel and not see that one it calls has changed."""
    if name_of(path) in ("infoset.machine.compiled", "infoset.machine.kernel_cache"):
        return
    compilers = {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil", "jit_module"}
    for node in ast.walk(ast.parse(path.read_text())):
        names = set()
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            names = {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute) and ast.unparse(node).startswith("numba."):
            names = {node.attr}
        elif isinstance(node, ast.Import):
            # ``import numba as anything`` would hide what is called.
            names = {"jit"} if any(a.name == "numba" and a.asname for a in node.names) else set()
        assert not names & compilers, f"{where(path, node.lineno)} compiles with numba directly"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_kernels_import_only_what_their_cache_looks_at(path):
    """Nothing of ours but kernels and `machine`: a change elsewhere would not reach the cache."""
    if "kernels" not in path.relative_to(SOURCE).parts[:-1]:
        return
    for module, line in imports_of(path):
        if module.split(".")[0] == "infoset":
            assert ".kernels" in module or module.startswith("infoset.machine."), (
                f"{where(path, line)} imports {module}: its changes would not reach cached kernels"
            )


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_neural_imports_torch(path):
    if "neural" not in path.relative_to(SOURCE).parts:
        assert not {m for m, _ in imports_of(path) if m.split(".")[0] == "torch"}


UNSAFE = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_runs_what_it_reads(path):
    """No pickle, no eval, no exec, and NumPy is never allowed to unpickle."""
    for module, line in imports_of(path):
        assert module.split(".")[0] not in UNSAFE, f"{where(path, line)} imports {module}"
    for name, call in calls_in(path):
        if isinstance(call.func, ast.Name):
            assert name not in ("eval", "exec", "__import__"), f"{where(path, call.lineno)}: {name}"
        for keyword in call.keywords:
            if keyword.arg == "allow_pickle":
                allowed = not (
                    isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                )
                assert not allowed, f"{where(path, call.lineno)} lets NumPy unpickle"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_global_random_state(path):
    """One explicit generator per run: nothing draws from a global one."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in (
            "np.random",
            "numpy.random",
        ):
            allowed = ("default_rng", "Generator", "PCG64", "SeedSequence", "BitGenerator")
            assert node.attr in allowed, f"{where(path, node.lineno)}: np.random.{node.attr}"


@pytest.mark.parametrize("name", ["naive.py", "naive_aivat.py", "naive_lbr.py"])
def test_the_twin_knows_only_the_rules(name):
    """`tests/naive.py` is independent evidence as long as it shares no code."""
    twin = Path(__file__).with_name(name)
    ours = [
        node.module
        for node in ast.walk(ast.parse(twin.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "infoset"
    ]
    assert ours == ["infoset.games"]
