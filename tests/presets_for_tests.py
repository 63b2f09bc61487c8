"""The presets by kind."""

from __future__ import annotations

from infoset.solvers.presets import PRESETS

SAMPLED = [name for name, preset in PRESETS.items() if preset.is_sampled]
FULL_WIDTH = [name for name in PRESETS if name not in SAMPLED]
