"""The games, each as infoset names it and as OpenSpiel does, and the bars they are held to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWN_FILE = "efg"
"""In place of an OpenSpiel name: the game as infoset writes it to a Gambit file."""

# The ACPC rules with two blinds of one chip are exactly no-limit Leduc with an ante of one.
_UNIVERSAL_POKER = (
    "universal_poker(betting=nolimit,bettingAbstraction=fullgame,numPlayers=2,numRounds=2,"
    "blind=1 1,stack=5 5,firstPlayer=1 1,numSuits=2,numRanks=3,numHoleCards=1,numBoardCards=0 1)"
)


@dataclass(frozen=True)
class Entry:
    """One game of the speed table."""

    title: str
    ours: str
    open_spiel: tuple[str, ...]
    """The forms in which peers get the game; the form that suits a peer best counts."""
    bar: int
    """How many times the faster peer's iterations per second are asked for."""
    is_quick: bool = False


ENTRIES = (
    Entry("Kuhn", "kuhn", ("kuhn_poker",), bar=30, is_quick=True),
    Entry("Leduc", "leduc", ("leduc_poker",), bar=50, is_quick=True),
    Entry("Leduc by rank", "leduc(by_rank=true)", ("leduc_poker(suit_isomorphism=True)",), bar=30),
    Entry(
        "goofspiel 4",
        "goofspiel(cards=4)",
        ("goofspiel(imp_info=True,num_cards=4,points_order=descending)",),
        bar=30,
        is_quick=True,
    ),
    Entry("liar's dice 5", "liars_dice(faces=5)", ("liars_dice(dice_sides=5,numdice=1)",), bar=150),
    Entry("liar's dice 6", "liars_dice(faces=6)", ("liars_dice(dice_sides=6,numdice=1)",), bar=150),
    Entry("no-limit Leduc(5)", "nolimit_leduc(stack=5)", (_UNIVERSAL_POKER, OWN_FILE), bar=150),
)


def load_form(entry: Entry, form: str, folder: Path) -> Any:
    """A game as an OpenSpiel object, moves at the same time put one after the other."""
    import pyspiel

    if form != OWN_FILE:
        return pyspiel.load_game_as_turn_based(form)
    from infoset.games import make
    from infoset.interop import write_efg

    path = folder / "game.efg"
    write_efg(make(entry.ours), path)
    return pyspiel.load_game(f"efg_game(filename={path})")
