"""Archives taken apart and put together again, by the book of docs/files.md and by nobody's."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

HEADER = "header.json"


def members_of(path: Path) -> dict[str, bytes]:
    """What is in an archive, in its order."""
    with zipfile.ZipFile(path) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def assemble(path: Path, members: dict[str, bytes], packing: int = zipfile.ZIP_STORED) -> None:
    """An archive of these members, whatever they are."""
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, piece in members.items():
            archive.writestr(name, piece)


def top_of(path: Path) -> Any:
    """The JSON document that an archive begins with."""
    return json.loads(members_of(path)[HEADER])


def sealed(top: dict[str, Any]) -> bytes:
    """A document with the checksum that belongs to it."""
    top = {key: value for key, value in top.items() if key != "checksum"}
    text = json.dumps(top, sort_keys=True)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({**top, "checksum": checksum}).encode()


def forge(path: Path, changed: dict[str, bytes], **top: Any) -> None:
    """Change arrays and the document, and make all checksums right: only the content is wrong."""
    members = {**members_of(path), **changed}
    pieces = {name.removesuffix(".npy"): piece for name, piece in members.items() if name != HEADER}
    digests = {name: hashlib.sha256(piece).hexdigest() for name, piece in pieces.items()}
    document = {**json.loads(members[HEADER]), "sha256": digests, **top}
    assemble(path, {**members, HEADER: sealed(document)})
