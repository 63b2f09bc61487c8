"""How large the paper's networks are: LSTM with attention, of an embedding that suits the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infoset.experiments.registry import Claim
from infoset.forms import SequenceForm

EMBEDDINGS = {5: 16, 10: 32, 15: 64}
"""By stack (appendix F.4)."""
PARAMETERS = {5: 2608, 10: 7424, 15: 23_360}
"""By stack (Table 1)."""


def parameters(rules: Any, form: SequenceForm, embedding: int) -> int:
    """Of one of the two networks on a game whose infosets are told apart by suits."""
    # Imported here: torch takes seconds, and is an extra.
    from infoset.neural import Shape, encode, make_network

    encoding = encode(rules, form, suits=True)
    return make_network(Shape("lstm", embedding, attention=True), encoding, 0).num_parameters


def table_claims(counts: Mapping[int, int]) -> list[Claim]:
    """That networks on the games of Table 1 are as large as printed, by stack."""
    return [
        Claim(
            f"Leduc({stack}): embedding {EMBEDDINGS[stack]}, {PARAMETERS[stack]:,} parameters",
            count == PARAMETERS[stack],
            f"{count:,}",
        )
        for stack, count in counts.items()
    ]
