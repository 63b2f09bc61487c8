"""What a text or an object names as a target."""

from __future__ import annotations

import pytest

import infoset
from infoset.errors import BadInputError
from infoset.games import make


def test_a_class_is_not_a_game():
    class MyGame:
        def root(self):
            return make("kuhn").root()

    with pytest.raises(BadInputError, match=r"MyGame is a class; give a game of it: MyGame\(\)"):
        infoset.solve(MyGame, iterations=1)
    assert infoset.solve(MyGame(), iterations=1).iterations == 1


def test_python_is_not_run(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("raise SystemExit('run')")
    for target in (path, str(path)):
        with pytest.raises(BadInputError, match="never run from here"):
            infoset.solve(target)
