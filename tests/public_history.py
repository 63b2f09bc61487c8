"""Public stories of spots as paths, and back."""

from __future__ import annotations

import re


def path_of(story):
    """``check,bet 100,call 100/2c:check`` as `infoset.forms.paths` reads it."""
    return ", ".join(filter(None, re.split("[,/:]", story)))


def story_of(path):
    """The story of a path that is written in full."""
    story = ""
    for step in filter(None, path.split(", ")):
        if re.fullmatch("[2-9TJQKA][cdhs]", step):
            story += f"/{step}:"
        else:
            story += step if story[-1:] in ("", ":") else f",{step}"
    return story
