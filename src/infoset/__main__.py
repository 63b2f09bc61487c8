"""``python -m infoset`` is the command ``infoset``."""

from infoset.cli import main

if __name__ == "__main__":
    main()
