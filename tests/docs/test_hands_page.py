"""The page on hands: the spot of its hand begins as it says, and its path is in the spot."""

import re
from pathlib import Path

from typer.testing import CliRunner

from infoset.cli.commands import app
from infoset.games.holdem import read_spot

PAGE = Path(__file__).parents[2] / "docs" / "hand-histories.md"


def test_the_spot_of_the_hand_is_the_one_shown(tmp_path, monkeypatch):
    page = PAGE.read_text(encoding="utf-8")
    hand, comment = re.findall(r"```toml\n(.*?)```", page, re.S)
    command = re.search(r"^infoset (spot-from .*) > spot.toml$", page, re.M)[1]
    monkeypatch.chdir(tmp_path)
    Path("hand.phh").write_text(hand, encoding="utf-8")
    result = CliRunner().invoke(app, command.split(), prog_name="infoset")
    assert result.exit_code == 0
    assert result.stdout.startswith(comment)
    Path("spot.toml").write_text(result.stdout, encoding="utf-8")
    spot = read_spot("spot.toml")
    public = spot.public()
    path = re.search(r'^infoset show turn.infoset --path "(.*)"$', page, re.M)[1]
    for label in path.split(", "):
        public = public.child(label)
    assert public.player == 0
