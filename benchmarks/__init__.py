"""Speed, memory and scaling, measured beside the peers: ``python -m benchmarks``.

Importing this package keeps every library it loads to one thread, so it comes before them all.
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
