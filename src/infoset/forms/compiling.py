"""Compile rules to a sequence form or a public form; the last few results are cached."""

from __future__ import annotations

from collections import OrderedDict

from infoset.errors import BadInputError
from infoset.forms.dealt_form import DealtForm, form_of_dealt
from infoset.forms.sequence_form import SequenceForm, compile_game
from infoset.forms.spot_form import SpotForm, form_of_spot
from infoset.forms.walk_states import too_large
from infoset.games import DealtGame, Game, name_of
from infoset.games.holdem import Spot

_compiled: OrderedDict[object, SequenceForm] = OrderedDict()
_COMPILED_KEPT = 4


def sequence_form_of(rules: Game, *, max_histories: int | None = None) -> SequenceForm:
    """A game in sequence form; the last few of this package's own games are remembered.

    Those never change, and are equal if their rules are, so that a game asked for twice by name is
    found. A game of the user's is compiled each time: it may have changed since.
    """
    is_ours = type(rules).__module__.partition(".")[0] == __name__.partition(".")[0]
    if not is_ours:
        return compile_game(rules, max_histories=max_histories)
    key = (type(rules), rules)
    if key in _compiled:
        _compiled.move_to_end(key)
        known = _compiled[key]
        if max_histories is not None and known.history.num_nodes > max_histories:
            raise too_large(known.history.num_nodes, max_histories, known.name)
        return known
    form = compile_game(rules, max_histories=max_histories)
    _compiled[key] = form
    while len(_compiled) > _COMPILED_KEPT:
        _compiled.popitem(last=False)
    return form


def public_form_of(rules: Game | Spot) -> SpotForm | DealtForm:
    """A spot, or a small card game, in public form."""
    if isinstance(rules, Spot):
        return form_of_spot(rules)
    if not isinstance(rules, DealtGame):
        raise BadInputError(
            f"{name_of(rules)} has no public form: its rules do not say what both players see; "
            "solve it in sequence form"
        )
    return form_of_dealt(rules)
