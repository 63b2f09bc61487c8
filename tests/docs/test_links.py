"""Every relative link and picture in the documentation leads somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "experiments").rglob("*.md"),
    *(ROOT / "benchmarks").glob("*.md"),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    missing = [
        target for target in targets if "://" not in target and not (page.parent / target).exists()
    ]
    assert not missing
    assert "SPEED-TABLE" not in text


def test_pages_are_found():
    assert len(PAGES) > 12


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page):
    """As in ``solvers/loop.py``: from a package, the top, or somewhere below."""
    names = re.findall(r"`([\w./-]+\.py)`", page.read_text(encoding="utf-8"))
    files = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if ".venv" not in str(path)}
    missing = [name for name in names if not any(f"/{file}".endswith(f"/{name}") for file in files)]
    assert not missing
