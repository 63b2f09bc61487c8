"""The precision of the vector form: single, or double where a test wants to compare digits."""

import os
from typing import Any

import numpy as np

IS_DOUBLE = os.environ.get("INFOSET_DOUBLE") == "1"
"""Set before the first import: kernels are compiled for one precision."""

FLOAT: Any = np.float64 if IS_DOUBLE else np.float32
