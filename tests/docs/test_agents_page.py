"""The page on agents: its table is that of the code, its transcript is what is shown."""

import importlib.util
import re
from pathlib import Path

from typer.testing import CliRunner

from infoset.cli.commands import app

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_is_what_the_code_says():
    spec = importlib.util.spec_from_file_location("docs_make", DOCS / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    page = make.AGENTS_PAGE.read_text(encoding="utf-8")
    assert make.agents_page() == page, "run: python docs/make.py"
    assert "| `uniform` |" in page


def test_the_transcript_is_what_is_shown(tmp_path, monkeypatch):
    page = (DOCS / "agents.md").read_text(encoding="utf-8")
    keys, transcript = re.search(r"<!-- transcript: (.*) -->\n```\n(.*?)```", page, re.S).groups()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*words, typed=""):
        result = CliRunner().invoke(app, words, input=typed, prog_name="infoset")
        assert result.exit_code == 0
        return result.stdout

    commands = re.findall(r"^infoset (.*leduc.*)$", page, re.M)[:2]
    solve, play = (command.split() for command in commands)
    run(*solve)
    lines = "".join(f"{key}\n" for key in keys.split(", "))
    assert run(*play, "--seed", "3", typed=lines) == transcript
