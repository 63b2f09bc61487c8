"""Probabilities laid on a form: lookup, tables."""

from infoset.strategy.strategy import Row, Strategy

__all__ = ["Row", "Strategy"]
