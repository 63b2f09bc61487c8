"""Spots of hold'em: time to an accuracy, cost of an iteration, memory, start."""

from __future__ import annotations

from benchmarks import spot_accuracy, spot_costs, spot_memory, spot_startup, spot_variety
from benchmarks.report import Section


def measure(*, quick: bool) -> Section:
    """Measure all of it."""
    section = Section()
    found: spot_variety.Found = {}
    spot_accuracy.measure(section, found, quick=quick)
    spot_costs.measure(section, quick=quick)
    spot_memory.measure(section, quick=quick)
    spot_memory.measure_bits(section, quick=quick)
    spot_variety.measure(section, found, quick=quick)
    spot_startup.measure(section, quick=quick)
    return section
