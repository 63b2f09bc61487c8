"""All commands, in the order in which the help lists them."""

# Importing a module adds its commands to the application.
from infoset.cli import (  # isort: skip
    listing as _listing,  # noqa: F401
    solve as _solve,  # noqa: F401
    inspection as _inspection,  # noqa: F401
    compare as _compare,  # noqa: F401
    reproduce as _reproduce,  # noqa: F401
)
from infoset.cli.app import app

__all__ = ["app"]
