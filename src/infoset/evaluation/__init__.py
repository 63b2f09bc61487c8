"""Exact measurement of strategies: value, best response, exploitability, regrets, gains."""

from infoset.evaluation.gains import largest_gains, measure_strategy
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
    "largest_gains",
    "measure_strategy",
]
