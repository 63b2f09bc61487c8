"""The precision of the public form: single, or double for tests that compare digits."""

import os
from typing import Any

import numpy as np

IS_DOUBLE = os.environ.get("INFOSET_DOUBLE") == "1"
"""Set before the first import: kernels are compiled for one precision."""

FLOAT: Any = np.float64 if IS_DOUBLE else np.float32
