"""How the tests type commands: in this process where they can, in another where they must."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import infoset
from infoset.cli.commands import app

SOURCE = Path(infoset.__file__).parents[1]

# A test run started in the background ignores Ctrl-C, and its children would too.
ENTER = """
import signal
from infoset.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
"""

# Half of the pot and all-in, a street, aces and air against kings.
SPOT = {
    "name": "aces or air",
    "board": "Ks9h7d4c2s",
    "range_oop": "AA,6h5h,6d5d,6c5c",
    "range_ip": "KhKd,QQ,JJ",
    "pot": 100,
    "stack": 100,
    "bet_sizes": {"bet": "50%, a", "raise": "a"},
}


GOOD = {
    "board": "Ks9h7d4c2s",
    "range_oop": "QQ+",
    "range_ip": "TT+",
    "pot": 100,
    "stack": 60,
    "bet_sizes": {"bet": "50%", "raise": "a"},
}


class Typed:
    """What a command answered."""

    def __init__(self, arguments: tuple[str, ...]) -> None:
        result = CliRunner().invoke(app, list(arguments), prog_name="infoset")
        self.code = result.exit_code
        self.out = result.stdout
        self.err = result.stderr
        assert "Traceback" not in self.out + self.err
        assert result.exception is None or isinstance(result.exception, SystemExit)

    @property
    def json(self) -> dict[str, Any]:
        """The one document on stdout."""
        return json.loads(self.out)


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Typed]:
    """Types a command in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return lambda *arguments: Typed(tuple(map(str, arguments)))


@pytest.fixture
def refused(typed: Callable[..., Typed]) -> Callable[..., str]:
    """Types a command that is bad input; returns the sentence that says why."""

    def refuse(*arguments: object) -> str:
        answer = typed(*arguments)
        assert answer.code == 2
        assert answer.out == ""
        assert answer.err
        return answer.err

    return refuse


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts a command as a process of its own."""

    def start_it(*arguments: object, **options: Any) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE), **options.pop("env", {})}
        environment.pop("COLUMNS", None)
        # Printed once Ctrl-C is the program's own affair, not that of Python starting up.
        ready = options.pop("ready", None)
        script = ENTER + (f"print({ready!r}, flush=True)\n" if ready else "") + "main()"
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            text=True,
            **pipes,
        )

    return start_it


@pytest.fixture(scope="session")
def kuhn_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved solution of Kuhn poker."""
    path = tmp_path_factory.mktemp("saved") / "kuhn.infoset"
    infoset.solve("kuhn", "cfr+", iterations=1000).save(path)
    return path


@pytest.fixture
def write_spot(tmp_path: Path) -> Callable[..., Path]:
    """Writes a spot file with some settings changed; those that are `None` are left out."""

    def write(**changes: object) -> Path:
        settings = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
        path = tmp_path / "spot.json"
        path.write_text(json.dumps(settings))
        return path

    return write


def _written(path: Path, **changes: object) -> Path:
    path.write_text(json.dumps({**SPOT, **changes}))
    return path


@pytest.fixture(scope="session")
def spot_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spot of one street, as a file."""
    return _written(tmp_path_factory.mktemp("spots") / "river.json")


@pytest.fixture(scope="session")
def turn_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small spot of two streets, as a file."""
    changes = {"board": "Ks9h7d4c", "bet_sizes": {"bet": "50%", "raise": "a"}, "name": "turn"}
    return _written(tmp_path_factory.mktemp("spots") / "turn.json", **changes)


@pytest.fixture(scope="session")
def locked_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The spot of one street, with a lock."""
    lock = {"path": "check", "strategy": {"check": "QQ,JJ", "bet 50%": "KhKd"}}
    return _written(tmp_path_factory.mktemp("spots") / "locked.json", lock=[lock])


@pytest.fixture(scope="session")
def solved(spot_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `--save` writes for the spot of one street."""
    path = tmp_path_factory.mktemp("saved") / "river.infoset"
    infoset.solve(spot_file, iterations=500).save(path)
    return path


@pytest.fixture(scope="session")
def solved_turn(turn_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `--save` writes for the spot of two streets."""
    path = tmp_path_factory.mktemp("saved") / "turn.infoset"
    infoset.solve(turn_file, iterations=100).save(path)
    return path
