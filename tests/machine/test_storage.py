"""Archives: what was written is read, and whatever else there may be in a file is refused."""

from __future__ import annotations

import io
import json
import os
import shutil
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forged_archives import HEADER, assemble, forge, members_of, sealed, top_of
from infoset.errors import FileFormatError, InfosetError, StorageError
from infoset.machine.storage import FORMAT, read_archive, write_archive

MAGIC = b"\x93NUMPY\x01\x00"

CONTENT = {"game": "kuhn", "iteration": 7, "nested": [[1, 0.1, None], {"é\ud800": "ß\n"}]}

ARRAYS = {
    "a": np.array([1.5, -0.0, np.nan, np.inf, 5e-324]),
    "b": np.array([-(2**31), 2**31 - 1], dtype=np.int32),
    "text": np.frombuffer("Kö\0".encode(), dtype=np.uint8),
    "none": np.zeros(0),
}


@pytest.fixture
def path(quick_path: Path) -> Path:
    """A small archive."""
    path = quick_path / "small.infoset"
    write_archive(path, "test", CONTENT, ARRAYS)
    return path


def assert_same(
    read: tuple[dict, dict], header: dict | None = None, arrays: dict | None = None
) -> None:
    header = CONTENT if header is None else header
    arrays = ARRAYS if arrays is None else arrays
    assert read[0] == header
    assert list(read[1]) == list(arrays)
    for name, array in arrays.items():
        assert read[1][name].dtype == array.dtype
        assert read[1][name].tobytes() == array.tobytes()


def refuse(path: Path, match: str, kind: str = "test") -> None:
    with pytest.raises(FileFormatError, match=match) as caught:
        read_archive(path, kind)
    assert str(path) in str(caught.value), "a refusal says which file"


def assert_refused_or_same(path: Path) -> bool:
    """Read a damaged file. True if it was refused; anything but a refusal is a failure."""
    try:
        read = read_archive(path, "test")
    except FileFormatError:
        return True
    assert_same(read)
    return False


# --- what was written is read -------------------------------------------------------------------


def test_what_was_written_is_read(path: Path) -> None:
    read = read_archive(path, "test")
    assert_same(read)
    for array in read[1].values():
        array[:] = 0  # an array of one's own


NUMBERS = st.sampled_from(["<f8", "<f4", "<i8", "<i4", "|u1"]).flatmap(
    lambda dtype: st.binary(max_size=80).map(
        lambda data: np.frombuffer(data[: len(data) // 8 * 8], dtype=dtype)
    )
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
any_path = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@any_path
@given(
    header=st.dictionaries(st.text(), JSON, max_size=3),
    arrays=st.dictionaries(st.text("abcXYZ_019", min_size=1), NUMBERS, max_size=4),
)
def test_any_content_comes_back(quick_path: Path, header: dict, arrays: dict) -> None:
    path = quick_path / "any"
    write_archive(path, "test", header, arrays)
    assert_same(read_archive(path, "test"), header, arrays)


def test_strided_arrays_are_written_in_their_order(tmp_path: Path) -> None:
    every_other = np.arange(10.0)[::2]
    write_archive(tmp_path / "file", "test", {}, {"a": every_other})
    assert_same(read_archive(tmp_path / "file", "test"), {}, {"a": every_other})


def test_the_same_content_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    write_archive(tmp_path / "again", "test", CONTENT, ARRAYS)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_numpy_reads_the_arrays(path: Path) -> None:
    with np.load(path, allow_pickle=False) as file:
        for name, array in ARRAYS.items():
            assert file[name].dtype == array.dtype
            assert file[name].tobytes() == array.tobytes()
        assert json.loads(file[HEADER])["header"] == CONTENT


@pytest.mark.parametrize(
    "array", [np.zeros((2, 2)), np.array([None]), np.array(["x"]), np.zeros(3, dtype="<f8,<i4")]
)
def test_what_could_not_be_read_is_not_written(array: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_archive(tmp_path / "file", "test", {}, {"a": array})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("header", "match"),
    [({"value": float("nan")}, "not finite"), ({"name": "x" * (1 << 20)}, "too long")],
)
def test_a_header_that_could_not_be_read_is_not_written(
    path: Path, header: dict, match: str
) -> None:
    with pytest.raises(StorageError, match=rf"Could not write '.*small\.infoset': .*{match}"):
        write_archive(path, "test", header, {})
    assert_same(read_archive(path, "test"))


# --- damage -------------------------------------------------------------------------------------


def test_truncated_anywhere_it_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refuse(path, "not a file of infoset, or it is truncated|damaged")


def test_without_its_beginning_it_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for begin in range(1, len(whole)):
        path.write_bytes(whole[begin:])
        refuse(path, ".")


def harmless_flips(path: Path, flips: list[int]) -> set[int]:
    """Where a changed byte goes unnoticed; everywhere else the file must be refused."""
    whole = path.read_bytes()
    unnoticed = set()
    for at in range(len(whole)):
        for flip in flips:
            changed = bytearray(whole)
            changed[at] ^= flip
            path.write_bytes(changed)
            if not assert_refused_or_same(path):
                unnoticed.add(at)
    path.write_bytes(whole)
    return unnoticed


def content_bytes(path: Path) -> set[int]:
    """Where the members of an archive are, without the zip format around them."""
    out: set[int] = set()
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            begin = entry.header_offset + 30 + len(entry.filename)
            out.update(range(begin, begin + entry.file_size))
    return out


def test_any_changed_byte_is_noticed_or_harmless(path: Path) -> None:
    unnoticed = harmless_flips(path, [0x01, 0x80, 0xFF])
    assert not unnoticed & content_bytes(path)
    # Dates, rights and the like: a few bytes of each member's two descriptions.
    assert len(unnoticed) < 60 * (len(ARRAYS) + 1)


@pytest.mark.slow
def test_any_change_of_any_byte_is_noticed_or_harmless(path: Path, monkeypatch) -> None:
    monkeypatch.setitem(globals(), "ARRAYS", {"a": ARRAYS["a"]})
    write_archive(path, "test", CONTENT, ARRAYS)
    assert not harmless_flips(path, list(range(1, 256))) & content_bytes(path)


MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["set", "cut", "insert", "copy"]),
        st.floats(0, 1),
        st.floats(0, 1),
        st.binary(min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=6,
)


def mutated(data: bytes, mutations: list) -> bytes:
    for how, where, other, piece in mutations:
        at, end = int(where * len(data)), int(other * len(data))
        if how == "set":
            data = data[:at] + piece + data[at + len(piece) :]
        elif how == "cut":
            data = data[:at] + data[at + 1 + end // 16 :]
        elif how == "insert":
            data = data[:at] + piece + data[at:]
        else:
            data = data[:at] + data[end : end + 40] + data[at + 40 :]
    return data


@settings(any_path, max_examples=300)
@given(mutations=MUTATIONS)
def test_any_mutation_is_refused_or_harmless(path: Path, mutations: list) -> None:
    write_archive(path, "test", CONTENT, ARRAYS)
    path.write_bytes(mutated(path.read_bytes(), mutations))
    assert_refused_or_same(path)


@any_path
@given(data=st.binary(max_size=400), zip_ending=st.booleans())
def test_random_bytes_are_refused(quick_path: Path, data: bytes, zip_ending: bool) -> None:
    path = quick_path / "random"
    # With the mark of a zip archive's end, so that they are looked at at all.
    path.write_bytes(data + b"PK\5\6" + data[:18].ljust(18, b"\0") if zip_ending else data)
    refuse(path, ".")


@any_path
@given(top=JSON, header=JSON, digests=JSON)
def test_any_document_is_refused(path: Path, top, header, digests) -> None:
    write_archive(path, "test", CONTENT, ARRAYS)
    members = members_of(path)
    assemble(path, {**members, HEADER: json.dumps(top).encode()})
    refuse(path, ".")
    # The right checksum of the wrong thing.
    document = {"format": "infoset", "version": FORMAT, "kind": "test", "header": header}
    assemble(path, {**members, HEADER: sealed({**document, "sha256": digests})})
    refuse(path, ".")


# --- altered on purpose -------------------------------------------------------------------------


def npy(array: np.ndarray, **changed: object) -> bytes:
    """A ``.npy`` file as numpy writes it, with some of its head said differently."""
    layout = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape, **changed}
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, layout)
    return buffer.getvalue() + array.tobytes()


def test_an_altered_array_is_refused(path: Path) -> None:
    members = members_of(path)
    assemble(path, {**members, "a.npy": npy(np.array([1.5, 0.0, np.nan, np.inf, 5e-324]))})
    refuse(path, "was altered: the checksum of a is wrong")


def test_an_altered_header_is_refused(path: Path) -> None:
    top = top_of(path)
    top["header"]["iteration"] = 8
    assemble(path, {**members_of(path), HEADER: json.dumps(top).encode()})
    refuse(path, "was altered: the checksum of its header is wrong")


def test_a_header_laid_out_differently_is_the_same(path: Path) -> None:
    top = json.dumps(top_of(path), indent=3, sort_keys=True).encode()
    assemble(path, {**members_of(path), HEADER: top})
    read = read_archive(path, "test")
    assert_same((read[0], {name: read[1][name] for name in ARRAYS}))


def test_missing_and_added_members_are_refused(path: Path) -> None:
    members = members_of(path)
    assemble(path, {name: piece for name, piece in members.items() if name != "b.npy"})
    refuse(path, "arrays are missing or were added")
    assemble(path, {**members, "c.npy": npy(np.zeros(1))})
    refuse(path, "arrays are missing or were added")
    assemble(path, {name: piece for name, piece in members.items() if name != HEADER})
    refuse(path, "a zip archive, but not a file of infoset")


@pytest.mark.parametrize("added", [b"x", b"PK", b"\0" * 22, b"x" * 60_000])
def test_bytes_around_the_content_are_refused(path: Path, added: bytes) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + added)
    refuse(path, "bytes were added|not a file of infoset")
    path.write_bytes(added + whole)
    refuse(path, "bytes were added")
    path.write_bytes(whole)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = added
    refuse(path, "bytes were added")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["a.npy", HEADER])
def test_two_members_of_one_name_are_refused(path: Path, name: str) -> None:
    piece = members_of(path)[name]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, piece)
    refuse(path, "two arrays of one name")


HEADS = {
    "huge": npy(np.zeros(1), shape=(2**60,)),
    "larger than 64 bits": npy(np.zeros(1), shape=(2**70,)),
    "too long": npy(np.zeros(1), shape=(2,)),
    "too short": npy(np.zeros(2), shape=(1,)),
    "negative": npy(np.zeros(1), shape=(-1,)),
    "two dimensions": npy(np.zeros((1, 1))),
    "no dimension": npy(np.zeros(())),
    "columns first": npy(np.zeros(1), fortran_order=True),
    "objects": npy(np.zeros(1), descr="|O"),
    "pickled": MAGIC + struct.pack("<H", 0) + b"\x80\x04K\x07.",
    "text": npy(np.array(["K"])),
    "dates": npy(np.zeros(1, dtype="M8[s]")),
    "records": npy(np.zeros(1, dtype="<f8,<i4")),
    "nothing wide": npy(np.zeros(0), descr="|V0", shape=(2**62,)),
    "the other end first": npy(np.zeros(1, dtype=">f8")),
    "another layout": npy(np.zeros(1)).replace(MAGIC, b"\x93NUMPY\x02\x00"),
    "unclosed": MAGIC + struct.pack("<H", 20) + b"{'descr': '<f8', ((((",
    "a call": MAGIC + struct.pack("<H", 30) + b"{'descr': exit(3)}".ljust(30),
    "half a head": npy(np.zeros(1))[:40],
    "empty": b"",
}


@pytest.mark.parametrize("name", HEADS)
def test_an_array_that_is_no_row_of_numbers_is_refused(path: Path, name: str) -> None:
    forge(path, {"a.npy": HEADS[name]})
    refuse(path, "damaged .*not a plain row of numbers")


@any_path
@given(head=st.binary(max_size=140), after=st.binary(max_size=20))
def test_any_head_of_an_array_is_refused(path: Path, head: bytes, after: bytes) -> None:
    write_archive(path, "test", CONTENT, ARRAYS)
    forge(path, {"a.npy": MAGIC + struct.pack("<H", len(head)) + head + after})
    refuse(path, "not a plain row of numbers")


# --- of another kind, another version, another program ------------------------------------------


def test_another_kind_is_refused(path: Path) -> None:
    refuse(path, "is a 'test' file, not a 'solution' file", kind="solution")


@pytest.mark.parametrize(
    ("version", "age"),
    [(FORMAT + 1, "a newer"), (10**30, "a newer"), (FORMAT - 1, "an older"), (-1, "an older")]
    + [(strange, "another") for strange in (None, "1", 1.5, [1], {})],
)
def test_another_version_is_refused_and_said(path: Path, version: object, age: str) -> None:
    # As the other version would be: its header need not be sealed in the way of this one.
    top = {**top_of(path), "version": version, "package": "9.9", "checksum": "?", "new": 1}
    assemble(path, {**members_of(path), HEADER: json.dumps(top).encode()})
    refuse(path, rf"written by {age} version of infoset .* the version that wrote it \('9\.9'\)")


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    )


def npz(pack=np.savez) -> bytes:
    buffer = io.BytesIO()
    pack(buffer, a=np.zeros(100))
    return buffer.getvalue()


FOREIGN = {
    "empty": b"",
    "text": b"EFG 2 R\n",
    "png": png(),
    "npy": npy(np.zeros(3)),
    "npz": npz(),
    "compressed npz": npz(np.savez_compressed),
    "an empty zip": b"PK\5\6" + bytes(18),
    "zeros": bytes(100_000),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_the_file_of_another_program_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(FOREIGN[name])
    refuse(path, "not a file of infoset")


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"[]", b"7", b"null", b"{", b"\xff"),
        *(b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000),
        *(b'{"format": "infoset", "version": NaN}', b'{"format": "infoset", "version": 1}'),
    ],
    ids=lambda text: text[:20].decode(errors="replace") + f" {len(text)}",
)
def test_a_header_that_is_none_is_refused(path: Path, text: bytes) -> None:
    assemble(path, {**members_of(path), HEADER: text})
    refuse(path, ".")


def unreadable(message: str) -> pytest.raises:
    return pytest.raises(StorageError, match=rf"Could not read '.*': .*{message}.*\.$")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for place, message in {
        tmp_path / "missing": "No such file",
        tmp_path: "is a directory",
        tmp_path / "file" / "below": "Not a directory",
        tmp_path / "pipe": "not a regular file",  # and no waiting for a writer
        tmp_path / "loop": "symbolic links",
        tmp_path / ("x" * 400): "name too long",
        "a\0b": "null byte",
        "": "No such file|is a directory",
        "/dev/zero": "not a regular file",
    }.items():
        with unreadable(message):
            read_archive(place, "test")


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        ("builtins.open", PermissionError(13, "Permission denied"), "Permission denied"),
        (
            "infoset.machine.storage._read_member",
            OSError(5, "Input/output error"),
            "Input/output error",
        ),
    ],
)
def test_an_error_of_the_system_is_said(path: Path, monkeypatch, step, error, message) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(step, fail)
    with unreadable(message):
        read_archive(path, "test")


# --- memory -------------------------------------------------------------------------------------


def peak_bytes(action) -> int:
    tracemalloc.start()
    try:
        action()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def refused(path: Path) -> None:
    with pytest.raises(InfosetError):
        read_archive(path, "test")


def test_compressed_bombs_are_refused_in_little_memory(path: Path) -> None:
    members = members_of(path)
    bomb = {**members, "a.npy": npy(np.zeros(8 << 20))}
    assemble(path, bomb, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    refuse(path, "compressed or lies about its size")
    assert peak_bytes(lambda: refused(path)) < 1 << 20
    # The header, too.
    assemble(path, {**members, HEADER: b" " * (64 << 20)}, zipfile.ZIP_DEFLATED)
    assert peak_bytes(lambda: refused(path)) < 1 << 20


@pytest.mark.parametrize("copies", [1, 1000])
def test_members_that_share_their_bytes_are_refused_in_little_memory(
    path: Path, copies: int
) -> None:
    assemble(path, {**members_of(path), "big.npy": bytes(1 << 20)})
    with zipfile.ZipFile(path, "a") as archive:
        entry = archive.getinfo("big.npy")
        for i in range(copies):
            again = zipfile.ZipInfo(f"{i:03}.npy")
            for field in ("header_offset", "CRC", "compress_size", "file_size", "external_attr"):
                setattr(again, field, getattr(entry, field))
            archive.filelist.append(again)
        archive._didModify = True
    refuse(path, "lies about its size")
    assert peak_bytes(lambda: refused(path)) < 4 << 20


def test_a_lie_about_a_size_takes_no_memory(path: Path) -> None:
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
    for offset in (20, 24):  # the packed and the plain size of the first member
        lying = bytearray(whole)
        lying[directory + offset : directory + offset + 4] = (0xFFFF_FFF0).to_bytes(4, "little")
        path.write_bytes(lying)
        assert peak_bytes(lambda: assert_refused_or_same(path)) < 1 << 20


def test_large_arrays_are_neither_copied_to_be_written_nor_twice_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    arrays = {name: np.random.default_rng(1).random(1 << 20) for name in "abcd"}
    size = sum(array.nbytes for array in arrays.values())
    assert peak_bytes(lambda: write_archive(path, "test", {}, arrays)) < 1 << 20
    kept: list = []
    assert peak_bytes(lambda: kept.append(read_archive(path, "test"))) < size + (4 << 20)
    assert_same(kept[0], {}, arrays)


@pytest.mark.slow
def test_an_array_beyond_four_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if min(memory, shutil.disk_usage(tmp_path).free) < 10 << 30:
        pytest.skip("neither memory nor disk for it")
    array = np.zeros((1 << 32) + 1, dtype=np.uint8)
    array[-1] = 7
    write_archive(path, "test", {}, {"a": array, "b": np.arange(3.0)})
    _, arrays = read_archive(path, "test")
    assert len(arrays["a"]) == len(array)
    assert arrays["a"][-1] == 7
    assert arrays["b"].tolist() == [0, 1, 2]
    path.unlink()
