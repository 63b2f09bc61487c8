"""Labels that tell the actions of one state apart, whatever a foreign game calls them."""

from __future__ import annotations

from collections.abc import Sequence


def distinct_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Number the labels that occur more than once, from the second on.

    A label without text becomes its position, counted from 1.

    >>> distinct_labels(["call", "raise", "raise", ""])
    ('call', 'raise', 'raise (2)', '4')
    """
    if len(set(labels)) == len(labels) and "" not in labels:
        return tuple(labels)
    taken = {label for label in labels if label}
    used: set[str] = set()
    repeats: dict[str, int] = {}
    result = []
    for position, label in enumerate(labels, start=1):
        name = label or str(position)
        if name in used or (not label and name in taken):
            count = repeats.get(name, 1) + 1
            while f"{name} ({count})" in taken:
                count += 1
            repeats[name] = count
            name = f"{name} ({count})"
            taken.add(name)
        used.add(name)
        result.append(name)
    return tuple(result)
