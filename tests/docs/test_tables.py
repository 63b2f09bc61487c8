import importlib.util
from pathlib import Path

from infoset.solvers.presets import PRESETS

DOCS = Path(__file__).parents[2] / "docs"


def test_the_table_of_algorithms_is_what_the_presets_say():
    spec = importlib.util.spec_from_file_location("docs_make", DOCS / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    texts = {path: path.read_text(encoding="utf-8") for path in make.PAGES}
    for path, text in texts.items():
        assert make.page(path) == text, "run: python docs/make.py"
    for name in PRESETS:
        assert any(f"| `{name}` |" in text for text in texts.values())
