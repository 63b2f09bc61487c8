"""Sampled solving: speed beside OpenSpiel, threads on mini-batches, time to an exploitability."""

from __future__ import annotations

from benchmarks import sampling_accuracy, sampling_speed, sampling_threads
from benchmarks.report import Section


def measure(*, quick: bool) -> Section:
    """Measure all of it."""
    section = Section()
    sampling_speed.measure(section, quick=quick)
    sampling_threads.measure(section, quick=quick)
    sampling_accuracy.measure(section, quick=quick)
    return section
