"""What both players of a spot have seen, as keys of infosets have it, and as paths."""

from __future__ import annotations

import re


def path_of(history):
    """``check,bet 100,call 100/2c:check`` as `infoset.forms.paths` reads it."""
    return ", ".join(filter(None, re.split("[,/:]", history)))


def public_history_of(path):
    """What both players have seen on a path that is written in full."""
    history = ""
    for step in filter(None, path.split(", ")):
        if re.fullmatch("[2-9TJQKA][cdhs]", step):
            history += f"/{step}:"
        else:
            history += step if history[-1:] in ("", ":") else f",{step}"
    return history
