"""Loading a game of OpenSpiel by its text, with our own words for what is wrong with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

from infoset.errors import BadInputError, MissingExtraError, nearest
from infoset.interop import open_spiel_probe

PREFIX = "open_spiel:"
LONGEST_SPEC = 4096
PROBE_SECONDS = 20.0

# What pyspiel raises: its SpielError is a RuntimeError; absurd sizes surface as the others.
SPIEL_ERRORS = (RuntimeError, ValueError, IndexError, MemoryError)


def import_pyspiel(purpose: str) -> Any:
    """The module pyspiel, or a word about how to get it."""
    try:
        import pyspiel
    except ImportError as error:
        raise MissingExtraError("open_spiel", "interop", purpose) from error
    return pyspiel


def load_source(pyspiel: Any, spec: str) -> Any:
    """The pyspiel game that a text names."""
    text = spec.strip().removeprefix(PREFIX)
    if len(text) > LONGEST_SPEC:
        raise BadInputError(
            f"The text of an OpenSpiel game has at most {LONGEST_SPEC} characters, not {len(text)}."
        )
    name, keys = _split_call(text)
    if name.startswith("python_") and name not in pyspiel.registered_names():
        try:
            import open_spiel.python.games  # noqa: F401  (registers them)
        except ImportError as error:
            raise BadInputError(f"OpenSpiel's own Python games do not load: {error}.") from error
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        raise BadInputError(f"OpenSpiel has no game '{name}'{nearest(name, kinds)}")
    known = kinds[name].parameter_specification
    for key in keys:
        if key not in known:
            raise BadInputError(f"OpenSpiel's {name} has no parameter '{key}'{nearest(key, known)}")
    if keys:
        _refuse_what_crashes(text)
    try:
        return pyspiel.load_game(text)
    except SPIEL_ERRORS as error:
        raise BadInputError(f"OpenSpiel refuses '{text}': {reason_of(error)}.") from error


def _split_call(text: str) -> tuple[str, list[str]]:
    """The name and the parameter names of ``name(key=value,...)``, where values may nest.

    >>> _split_call("misere(game=goofspiel(num_cards=3,imp_info=True))")
    ('misere', ['game'])
    """
    name, bracket, rest = text.partition("(")
    if not bracket:
        return name, []
    items = [""]
    depth = 1
    for position, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            if position < len(rest) - 1:
                raise BadInputError(f"'{text}' goes on after its closing bracket.")
            break
        if character == "," and depth == 1:
            items.append("")
        else:
            items[-1] += character
    if depth > 0:
        raise BadInputError(f"'{text}' lacks a closing bracket.")
    if items == [""]:
        return name, []
    keys = []
    for item in items:
        key, equals, _ = item.partition("=")
        if not equals:
            raise BadInputError(f"'{item}' in '{text}' is not of the form key=value.")
        if key in keys:
            raise BadInputError(f"'{text}' gives the parameter '{key}' twice.")
        keys.append(key)
    return name, keys


def _refuse_what_crashes(text: str) -> None:
    """Let another process load the game first: what ends that one would have ended this one."""
    if not sys.executable:
        return  # an embedded interpreter: no program to run
    # -P, since the probe lies beside this file, whose name hides the package open_spiel.
    command = [sys.executable, "-P", open_spiel_probe.__file__, text]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    try:
        code = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        raise BadInputError(
            f"OpenSpiel has not loaded '{text}' after {PROBE_SECONDS:.0f} seconds."
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the text
        raise BadInputError(f"OpenSpiel cannot be asked for {text!r}: {error}.") from error
    if code == open_spiel_probe.OUT_OF_MEMORY:
        raise BadInputError(f"OpenSpiel asks for too much memory for '{text}'.")
    if code != 0:
        raise BadInputError(
            f"'{text}' crashes OpenSpiel; a parameter is probably out of its range."
        )


def reason_of(error: Exception) -> str:
    """What OpenSpiel says is wrong, without the place in its source, on one line."""
    text = re.sub(r"^\S+\.(cc|h):\d+\s*", "", str(error))
    text = " ".join(text.split()).rstrip(".")
    return (text if len(text) <= 300 else f"{text[:300]}...") or type(error).__name__
