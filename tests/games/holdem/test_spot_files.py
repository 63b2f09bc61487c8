"""Files of spots: TOML and JSON in, TOML out, and nothing but our own errors for anything else."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infoset.errors import (
    BadInputError,
    FileFormatError,
    InfosetError,
    StorageError,
    TooLargeError,
)
from infoset.games.holdem.bet_sizes import BetSizes
from infoset.games.holdem.betting import IP, OOP, RIVER, TURN
from infoset.games.holdem.payoffs import Rake
from infoset.games.holdem.sizes import format_sizes
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import format_spot, parse_spot, read_spot, spot_of, write_spot
from reference_spots import NAMES, SPOTS

TOML = """
name = "a turn"
board = "Td9d6hQc"
range_oop = "66+,A8s+,A5s-A4s,AJo+,KQo"
range_ip = "QQ-22,AQs-A2s,ATo+"
pot = 200
stack = 900
opening = ["33%", "50%, a"]
add_allin_threshold = 1.5
force_allin_threshold = 0.15
merging_threshold = 0.1
rake = 0.05
rake_cap = 30
note = "for the reader"

[bet_sizes]
turn = { bet = "60%, a", raise = "60%" }
river = { oop = { bet = "60%, a", raise = "2.5x" }, ip = { bet = "75%" } }

[donk]
river = "50%"
"""

SETTINGS = {"board": "Td9d6hQc", "range_oop": "AA", "range_ip": "KK", "pot": 200, "stack": 900}


def written(tmp_path, content, name="spot.toml"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_toml_file(tmp_path):
    spot = read_spot(written(tmp_path, TOML))
    assert spot == Spot(
        "Td9d6hQc",
        "66+,A8s+,A5s-A4s,AJo+,KQo",
        "QQ-22,AQs-A2s,ATo+",
        200,
        900,
        BetSizes(
            {
                "turn": {"bet": "60%, a", "raise": "60%"},
                "river": {"oop": {"bet": "60%, a", "raise": "2.5x"}, "ip": {"bet": "75%"}},
            },
            donk={"river": "50%"},
            opening=["33%", "50%, a"],
            add_allin_threshold=1.5,
            force_allin_threshold=0.15,
            merging_threshold=0.1,
        ),
        rake=Rake(0.05, cap=30),
        name="a turn",
    )
    assert format_sizes(spot.bet_sizes.menus[RIVER][IP].raises) == "60%, a"


def test_the_reference_spots():
    spots = [read_spot(SPOTS, name) for name in NAMES]
    assert [spot.name for spot in spots] == ["river_deepstack", "turn_small", "flop_small"]
    references = [spot["reference"] for spot in json.loads(SPOTS.read_text())["spots"]]
    assert [list(spot.num_hands) for spot in spots] == [ref["num_hands"] for ref in references]
    turn = spots[1]
    assert (turn.pot, turn.stack, turn.street) == (200, 900, TURN)
    for player in (OOP, IP):
        assert format_sizes(turn.bet_sizes.menus[RIVER][player].bets) == "60%, a"
        assert format_sizes(turn.bet_sizes.menus[RIVER][player].raises) == "60%"
    assert turn.bet_sizes.donk == (None,) * 4


def test_json_and_toml_are_told_apart(tmp_path):
    text = json.dumps(SETTINGS)
    same = spot_of(SETTINGS)
    for name in ("spot.json", "spot.JSON", "spot", "spot.txt"):
        assert read_spot(written(tmp_path, text, name)) == same
    marked = b"\xef\xbb\xbf" + text.encode()
    assert read_spot(written(tmp_path, marked, "marked.json")) == same
    toml = "".join(f"{key} = {json.dumps(value)}\n" for key, value in SETTINGS.items())
    assert read_spot(written(tmp_path, toml, "spot")) == same


def test_short_and_long_names_of_chips():
    long = {**SETTINGS, "starting_pot": 200, "effective_stack": 900}
    del long["pot"], long["stack"]
    assert spot_of(long) == spot_of(SETTINGS)
    with pytest.raises(BadInputError, match="the pot is given twice, also as starting_pot"):
        spot_of({**SETTINGS, "starting_pot": 200})


def test_several_spots_in_one_file(tmp_path):
    toml = """
        about = "two spots"
        [[spots]]
        name = "one"
        board = "Td9d6hQc"
        range_oop = "AA"
        range_ip = "KK"
        pot = 1
        stack = 2
        [[spots]]
        name = "two"
        board = "Td9d6hQc2s"
        range_oop = "AA"
        range_ip = "KK"
        pot = 1
        stack = 2
    """
    path = written(tmp_path, toml)
    assert read_spot(path, "two").street == RIVER
    with pytest.raises(BadInputError, match=r"there are 2 spots; choose one: one, two"):
        read_spot(path)
    with pytest.raises(BadInputError, match="no spot is named 'tow'; did you mean 'two'"):
        read_spot(path, "tow")


def test_a_name_for_the_only_spot():
    assert parse_spot(TOML, "a turn").pot == 200
    with pytest.raises(BadInputError, match="this is one spot, and it is not named 'a river'"):
        parse_spot(TOML, "a river")
    listed = json.dumps({"spots": [SETTINGS]})
    assert parse_spot(listed, is_json=True) == spot_of(SETTINGS)


def test_written_and_read_back(tmp_path):
    spot = parse_spot(TOML)
    assert parse_spot(format_spot(spot)) == spot
    write_spot(tmp_path / "out.toml", spot)
    assert read_spot(tmp_path / "out.toml") == spot
    for name in NAMES:
        assert parse_spot(format_spot(read_spot(SPOTS, name))) == read_spot(SPOTS, name)


sizes = st.sampled_from(["", "50%", "33.3%, 100%", "300c, a", "e", "2e150%"])
menus = st.fixed_dictionaries({}, optional={"bet": sizes, "raise": sizes | st.just("2.5x")})
pairs = st.fixed_dictionaries({}, optional={"oop": menus, "ip": menus})
numbers = st.floats(0, 1000) | st.integers(0, 1000)


@settings(max_examples=100)
@given(
    settings_given=st.fixed_dictionaries(
        {
            "board": st.sampled_from(["Td9d6h", "Td9d6hQc", "Td9d6hQc2s"]),
            "range_oop": st.sampled_from(["AA", "66+,AKs:0.25,KdQs", "random"]),
            "range_ip": st.sampled_from(["KK", "random:0.1"]),
            "pot": st.integers(1, 10**9),
            "stack": st.integers(1, 10**9),
        },
        optional={
            "bet_sizes": st.fixed_dictionaries({}, optional={"turn": pairs, "river": pairs}),
            "donk": sizes | st.fixed_dictionaries({}, optional={"turn": sizes, "river": sizes}),
            "opening": st.lists(sizes, max_size=3),
            "add_allin_threshold": numbers,
            "force_allin_threshold": numbers,
            "merging_threshold": numbers,
            "rake": st.floats(0, 1),
            "rake_cap": numbers,
            "big_blind": st.integers(1, 10**9),
            "name": st.text().filter(lambda text: text.isprintable() and len(text) < 200),
        },
    )
)
def test_every_spot_is_written_and_read_back(settings_given):
    spot = spot_of(settings_given)
    assert parse_spot(format_spot(spot)) == spot
    assert parse_spot(json.dumps(settings_given), is_json=True) == spot


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("board = ", "is not TOML: Invalid value"),
        ("board = 'Td'\nboard = 'Td'", "is not TOML: Cannot overwrite a value"),
        ("pot = 0x", "is not TOML"),
        ("pot = 99-99-99", "is not TOML"),
        ("x = " + "[" * 100_000, "is not TOML: it is nested too deeply"),
        ("a." * 200 + "b = 1", "more than 100 dots"),
        ("pot = " + "9" * 5000, "is not TOML: a number has thousands of digits"),
    ],
)
def test_what_is_not_toml(text, message):
    with pytest.raises(FileFormatError, match=message):
        parse_spot(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON: Expecting property name"),
        ('{"pot": NaN}', "is not JSON: NaN is not a number"),
        ('{"pot": 1, "pot": 2}', "is not JSON: the key 'pot' is there twice"),
        ("[" * 200_000, "is not JSON: it is nested too deeply"),
        ('{"pot": ' + "9" * 5000 + "}", "is not JSON: a number has thousands of digits"),
        ("[1, 2]", "is JSON, but not an object"),
        ("5", "is JSON, but not an object"),
    ],
)
def test_what_is_not_json(text, message):
    with pytest.raises(FileFormatError, match=message):
        parse_spot(text, is_json=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stak": 900}, "a spot has no setting 'stak'; did you mean 'stack'"),
        ({"bet_size": {}}, "no setting 'bet_size'; did you mean 'bet_sizes'"),
        ({"board": "Td9d"}, "has 2 cards"),
        ({"pot": "200"}, "pot must be a number, not '200'"),
        ({"pot": None}, "pot must be a number"),
        ({"pot": [200]}, r"pot must be a number, not \[200\]"),
        ({"range_ip": ["AA"]}, "range_ip: expected a range as text, got list"),
        ({"rake": 2}, "more than the whole pot"),
        ({"donk": ["50%"]}, "donk must be sizes"),
        ({"spots": []}, "beside a list of spots is no place for 'board'"),
    ],
)
def test_settings_that_are_wrong(changes, message):
    text = json.dumps(SETTINGS | changes)
    with pytest.raises(BadInputError, match=message) as error:
        parse_spot(text, is_json=True, shown="'it'")
    assert str(error.value).startswith("'it': ")


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_that_are_missing(setting):
    settings_given = {key: value for key, value in SETTINGS.items() if key != setting}
    with pytest.raises(BadInputError, match=f"a spot needs its {setting}"):
        spot_of(settings_given)


@pytest.mark.parametrize(
    ("spots", "message"),
    [
        ([], "the list of spots is empty"),
        (5, "spots must be a list of spots"),
        ([5], "spots must be a list of spots"),
        ([{"name": "a"}, {"name": "a"}], "2 spots are named 'a'"),
    ],
)
def test_lists_that_are_wrong(spots, message):
    with pytest.raises(BadInputError, match=message):
        parse_spot(json.dumps({"spots": spots}), "a", is_json=True)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(StorageError, match=r"Could not read '.*none.toml': No such file"):
        read_spot(tmp_path / "none.toml")
    with pytest.raises(StorageError, match="Is a directory"):
        read_spot(tmp_path)
    with pytest.raises(StorageError, match="Could not read"):
        read_spot("a\0b")
    with pytest.raises(FileFormatError, match="is no text in UTF-8: byte 4"):
        read_spot(written(tmp_path, b"pot \xff"))
    with pytest.raises(TooLargeError, match="larger than 1 MB"):
        read_spot(written(tmp_path, b"#" * 1_000_001))
    message = rf"'{tmp_path}/spot.toml': a spot needs its board"
    with pytest.raises(BadInputError, match=message):
        read_spot(written(tmp_path, "pot = 5"))


@pytest.mark.parametrize(
    "text",
    [
        "a." * 400_000 + "b = 1",
        "x = " + '"\\"' * 200_000,
        "x = " + "'" * 900_000,
        '"a".' * 200_000 + "b = 1",
    ],
    ids=["dotted", "escapes", "quotes", "quoted dots"],
)
def test_no_file_takes_long(text):
    begin = time.perf_counter()
    with pytest.raises(InfosetError):
        parse_spot(text)
    assert time.perf_counter() - begin < 5.0


@pytest.mark.parametrize(
    "before",
    [
        'x = { a = """x" """, ',
        "x = { a = '''y' ''', ",
        '# "\n',
        'x = """\\""" """\n',
        'x = """""""\n',
    ],
    ids=["quote inside", "apostrophe inside", "comment", "escaped end", "quote at the end"],
)
def test_dots_are_not_hidden_behind_quotes(before):
    with pytest.raises(FileFormatError, match="more than 100 dots"):
        parse_spot(before + "b" + ".b" * 1000 + " = 1")


@pytest.mark.parametrize("text", ['"AA:0.5,KK:0.5"', "'''0.5'''", '"""a" 0.5 """', "1 # 0.5"])
def test_dots_inside_quotes_and_comments_are_no_keys(text):
    with pytest.raises(BadInputError, match="has no setting 'x'"):
        parse_spot(f"x = {text.replace('0.5', '0.5.' * 200)}")


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(data)
    with contextlib.suppress(InfosetError):
        read_spot(path)


@settings(max_examples=200)
@given(st.data())
def test_a_file_with_something_changed_is_read_or_refused(data):
    text = TOML
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(begin + 20, len(text))))
        new = data.draw(
            st.text(max_size=5) | st.sampled_from(["{", "}", "[", "=", '"', "-1", "e9"])
        )
        text = text[:begin] + new + text[end:]
    with contextlib.suppress(InfosetError):
        parse_spot(text)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
KEYS = [*SETTINGS, "bet_sizes", "donk", "opening", "rake", "rake_cap", "big_blind", "name"]


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    changes=st.dictionaries(st.sampled_from(KEYS), anything, min_size=1, max_size=3),
    menus_given=st.dictionaries(
        st.sampled_from(["flop", "turn", "river", "oop", "ip", "bet", "raise", "donk"]), anything
    ),
)
def test_any_value_is_taken_or_refused(changes, menus_given):
    with contextlib.suppress(InfosetError):
        spot_of(SETTINGS | changes)
    with contextlib.suppress(InfosetError):
        spot_of(SETTINGS | {"bet_sizes": menus_given, "donk": menus_given})


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("board", ["Ks", "9h", "7d"], "the board must be text"),
        ("board", [1, 2, 3], "the board must be text"),
        ("opening", {"a": 1}, "opening must be a list of sizes"),
    ],
)
def test_settings_of_another_shape_are_refused(setting, value, message):
    settings = {"board": "Ks9h7d", "range_oop": "AA", "range_ip": "QQ", "pot": 10, "stack": 10}
    with pytest.raises(BadInputError, match=message):
        spot_of({**settings, setting: value})
