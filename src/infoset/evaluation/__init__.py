"""Exact measurement of strategies: value, best response, exploitability, regrets."""

from infoset.evaluation.measure import (
    BestResponse,
    best_response,
    expected_value,
    exploitability,
    infoset_regrets,
)

__all__ = [
    "BestResponse",
    "best_response",
    "expected_value",
    "exploitability",
    "infoset_regrets",
]
