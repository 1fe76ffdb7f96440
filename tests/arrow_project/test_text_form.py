import json
import re
import tracemalloc
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arrow_project import ArrowProject, ParseError, check_text, long_texts, parse, text_form
from arrow_project.colliding import _looked_at  # pyright: ignore[reportPrivateUsage]
from arrow_project.text_form import (
    _has_many_ids,  # pyright: ignore[reportPrivateUsage]
    _refuse_scattered,  # pyright: ignore[reportPrivateUsage]
    _without_trailing_commas,  # pyright: ignore[reportPrivateUsage]
    decode,
    encode,
    fractions,
)


def test_a_document_is_written_byte_for_byte(lamp: ArrowProject) -> None:
    text = lamp.to_text()
    assert parse(text).to_text() == text
    assert not text.endswith("\n")


def test_documents_of_arrow_are_written_as_arrow_writes_them(real_documents: list[Path]) -> None:
    for path in real_documents:
        text = path.read_bytes().decode("utf-8")
        # two of the samples were edited by hand: they end in a line end, which Arrow does not write
        assert parse(text).to_text() == text.removesuffix("\n")


def test_arrow_s_own_forms_of_empty_objects_and_escapes(blank: ArrowProject) -> None:
    blank.data.raw["title"] = 'tab\t quote" back\\slash \u00e9 \u2028 \b\f\r\n/'
    text = blank.to_text()
    assert '"remote": {\n\n\t\t}' in text
    assert '"title": "tab\\t quote\\" back\\\\slash \u00e9 \u2028 \\b\\f\\r\\n/"' in text
    assert json.loads(text)["title"] == blank.title


def test_the_character_at_which_godot_ends_a_file_is_written_as_it_was_read(blank: ArrowProject) -> None:
    text = blank.to_text().replace('"title": "', '"title": "\\u0000', 1)
    assert parse(text).to_text() == text


@pytest.mark.parametrize(
    "text", ['""ab' * 250_000, '""ab' * 250_000 + ",]", ",]ab" * 250_000], ids=lambda text: text[-3:]
)
def test_what_is_no_json_takes_little_memory(text: str) -> None:
    def read() -> None:
        with pytest.raises(ParseError):
            decode(text)

    assert _most_memory(read) < 10 * len(text)


@pytest.mark.parametrize(("part", "times"), [("ab\n", 8), ('"', 8), ("\v", 13)])
def test_a_text_to_be_escaped_takes_little_memory(part: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_texts, "_PIECE", 10_000)
    text = part * 50_000
    assert _most_memory(lambda: encode(text)) < times * len(text)


@pytest.mark.parametrize(
    "said",
    ["-1234" * 90_000, "[]" * 240_000, ", " * 240_000, "\\\\" * 240_000],
    ids=["ids", "brackets", "commas", "marks"],
)
def test_no_search_goes_over_megabytes(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Meanwhile no other thread would run."""
    lengths = list[int]()

    def noted(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda text: lengths.append(len(text)) or call(text)

    for name in ("_ID", "_TRAILING_COMMA", "_LONE_SURROGATE"):
        pattern = getattr(text_form, name)
        searches = {call: noted(getattr(pattern, call)) for call in ("finditer", "search", "fullmatch")}
        monkeypatch.setattr(text_form, name, Mock(spec=re.Pattern, **searches))
    story = f'{{"a":"{said}\\ud83d\\ude00","b":[{", ".join(["12345"] * 20_001)}]}}'
    assert decode(story[:-1] + ",}")[0] == json.loads(story)
    assert len(lengths) > 5
    assert max(lengths) < 100_100


def test_half_a_character_is_found_without_writing_the_story_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile no other thread would run."""
    monkeypatch.setattr(json, "dumps", Mock(side_effect=AssertionError))
    assert decode(r'{"\ud83d\ude00":["\ud83d\ude00"]}')[0] == {"\U0001f600": ["\U0001f600"]}
    for text in (r'{"\ud83d":[]}', r'{"a":[{"b":"\ude00"}]}', r'{"a":["\ude00\ud83d",]}'):
        with pytest.raises(ParseError, match="half of a character"):
            decode(text)


def test_brackets_in_texts_are_no_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were taken away level by level, which took a minute of the longest story."""
    told = Mock(return_value=1)
    monkeypatch.setattr(text_form, "most_times", told)
    decode('{"a":["%s",{}]}' % ("[{" * 100))
    told.assert_called_once_with(3)


@given(text=st.text(st.sampled_from('12345- ",]}[{\\'), max_size=40), piece=st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_looked_through_in_pieces_reads_the_same(monkeypatch: pytest.MonkeyPatch, text: str, piece: int) -> None:
    def looked_through() -> object:
        return _without_trailing_commas(text), _has_many_ids(text)

    monkeypatch.setattr(text_form, "_MANY_IDS", 0)
    monkeypatch.setattr(long_texts, "_PIECE", 10**9)
    at_once = looked_through()
    monkeypatch.setattr(long_texts, "_PIECE", piece)
    assert looked_through() == at_once


def _most_memory(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@given(st.text(st.sampled_from('",]}:[{\\ \n1\U0001f525'), max_size=30))
def test_commas_in_texts_stay(said: str) -> None:
    written = json.dumps({"a,]": [said, {"b": said}]})
    for comma in (",", " ,\n"):
        assert decode(re.sub(r"(?=\}\]\}\Z)|(?=\]\}\Z)|(?=\}\Z)", comma, written))[0] == json.loads(written)


def test_reads_what_godot_reads(blank: ArrowProject) -> None:
    text = blank.to_text()
    tolerated = "\ufeff" + text.replace('"characters": {\n\n\t\t}', '"characters": {},').replace(
        "Fog over", "Fog\x01over"
    )
    assert parse(tolerated).to_text() == text.replace("Fog over", "Fog\x01over")
    assert parse(text.encode()).to_text() == text


def test_numbers_become_whole_and_keys_become_ids(blank: ArrowProject) -> None:
    project = parse(blank.to_text().replace('"offset": [\n\t\t\t\t\t\t\t100,', '"offset": [\n\t\t\t\t\t\t\t-3.9,'))
    assert project.data.scene_map(0)[1]["offset"] == [-3, 100]
    assert [finding.rule for finding in project.data.findings] == [63]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", 1),
        ("[]", 1),
        ("{} {}", 1),
        ('{"a": NaN}', 1),
        ('"\\ud800"', 1),
        (b"\xff\xfe", 1),
        ("[" * 100_000, 1),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", 1),
        ('{"a": 1e400}', 63),
        ('{"title": "x"}', 3),
    ],
)
def test_what_arrow_would_not_load_is_a_parse_error(text: str | bytes, rule: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.code == "PARSE_ERROR"
    assert caught.value.rule == rule


def test_a_document_of_arrow_1_is_migrated(blank: ArrowProject) -> None:
    old = json.loads(blank.to_text())
    old["next_resource_seed"] = 7
    del old["meta"]["authors"], old["meta"]["chapter"]
    project = parse(json.dumps(old))
    assert project.data.authors == {0: ["Anonymous Contributor", 7]}
    assert "next_resource_seed" not in project.data.raw


def test_authors_without_seed_get_one(blank: ArrowProject) -> None:
    old = json.loads(blank.to_text())
    old["meta"]["authors"] = {"5": "Somebody"}
    assert parse(json.dumps(old)).data.authors == {5: ["Somebody", 0]}


@pytest.mark.parametrize("given", [None, 5, 1.5, [], {}, bytearray(b"{}")])
def test_only_text_is_read(given: Any) -> None:
    with pytest.raises(TypeError, match="read from str or bytes"):
        parse(given)
    with pytest.raises(TypeError, match="read from str or bytes"):
        check_text(given)


def _numbered(numbers: Iterable[int]) -> str:
    return json.dumps(dict.fromkeys(numbers))


# Made when they are read: whoever collects the tests would wait for all of them.
_SCATTERED: dict[str, Callable[[], str]] = {
    "of many authors": lambda: _numbered(number << 21 for number in range(1, 20_002)),
    "all over": lambda: _numbered(number * 1_000_003 % 2**62 + 2**40 for number in range(30_000)),
    "too wide": lambda: f'{{"use":[{",".join(str(1_000_000 + 101 * number) for number in range(30_000))}]}}',
    "in many lists": lambda: f'{{"io":[{",".join(f"[0,0,{number << 40},0]" for number in range(1, 20_002))}]}}',
    "escaped": lambda: re.sub("[0-9]", r"\\u003\g<0>", _numbered(number << 21 for number in range(1, 20_002))),
    "with exponents": lambda: f'{{"use":[{",".join(f"{number}e9" for number in range(1, 20_002))}]}}',
    "by themselves": lambda: json.dumps([{"target": number << 40} for number in range(1, 20_002)]),
    "too many": lambda: _numbered(range(2**40, 2**40 + 100_001)),
    "of six digits": lambda: _numbered(range(100_000, 250_000, 4)),
    "with a comma too many": lambda: _numbered(range(100_000, 250_000, 4))[:-1] + ",}",
}


@pytest.mark.parametrize("scattered", _SCATTERED)
def test_numbers_that_somebody_has_chosen_for_their_places_in_tables_are_refused(scattered: str) -> None:
    """Each of some could be looked for among all others, in one go for which everybody waits."""
    text = _SCATTERED[scattered]()
    with pytest.raises(ParseError, match="ids that lie far apart"):
        decode(text)


def test_no_more_numbers_are_looked_at_than_a_story_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table can be ten million of them, and to sort them keeps everybody waiting."""
    monkeypatch.setattr("arrow_project.text_form._MOST_IDS", 10)
    monkeypatch.setattr("arrow_project.text_form.sorted", Mock(side_effect=AssertionError), raising=False)
    with pytest.raises(ParseError, match="ids that lie far apart"):
        decode(_numbered(range(10_000, 40_000)))


def test_numbers_that_are_no_ids_are_welcome_beside_many_ids() -> None:
    story = {
        "nodes": {number: {} for number in range(30_000, 60_000)},
        "variables": {number: {"init": number << 40} for number in range(1, 101)},
        "characters": {0: {"color": "336699", "name": "1234567"}},
    }
    assert decode(json.dumps(story))[0] == story


def test_numbers_in_what_is_said_and_places_on_the_canvas_are_no_ids() -> None:
    said = " ".join(str(number) for number in range(100_000, 300_000, 7))
    places = [{"offset": [number, -number]} for number in range(100_000, 300_000, 7)]
    story = {"lines": [said], "content": said, "map": places}
    assert decode(json.dumps(story)) == (story, False)


@pytest.mark.parametrize(("step", "many", "is_read"), [(1.9, 9_000, True), (3, 9_000, False), (1.9, 21_000, False)])
def test_the_more_ids_there_are_the_fewer_may_lack_between_them(step: float, many: int, *, is_read: bool) -> None:
    story = json.dumps({"nodes": [10_000 + int(step * number) for number in range(many)]})
    if is_read:
        decode(story)
        return
    with pytest.raises(ParseError, match="ids that lie far apart") as refused:
        decode(story)
    assert refused.value.rule == 63


def test_ids_are_looked_at_once_however_many_fractions_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.text_form._MANY_IDS", 3)
    looked = Mock(wraps=_refuse_scattered)
    monkeypatch.setattr("arrow_project.text_form._refuse_scattered", looked)
    decode(json.dumps({"offset": [20_000.5] * 3 + [0.5] * 50 + [20_000.5] * 3}))
    assert looked.call_count == 1


@pytest.mark.parametrize(
    "crowded",
    ["[" + "1," * 500_001 + "1]", '""ab' * 1_000_001, '"' + "a|" * 500_001 + '"'],
    ids=["values", "marks", "bars"],
)
def test_a_crowded_story_is_not_read(monkeypatch: pytest.MonkeyPatch, crowded: str) -> None:
    monkeypatch.setattr("arrow_project.text_form.json.loads", Mock(side_effect=AssertionError))
    with pytest.raises(ParseError, match="500,000 values"):
        decode(crowded)


def test_a_key_that_would_be_written_a_million_times_is_refused() -> None:
    assert decode(json.dumps({"K" * 1_000: 1})) == ({"K" * 1_000: 1}, False)
    with pytest.raises(ParseError, match="1,000 characters"):
        decode(json.dumps({"K" * 1_001: 1}))


def test_of_a_long_key_places_have_the_beginning() -> None:
    nested = {"K" * 900: {"L" * 900: [0.5]}}
    (place,) = fractions(json.dumps(nested))
    assert place == f"{'K' * 59}….{'L' * 59}….0"


def test_a_fraction_behind_a_key_with_dots_is_named(blank: ArrowProject) -> None:
    document = json.loads(blank.to_text()) | {"resources.nodes.x": 0.5}
    (finding,) = (each for each in check_text(json.dumps(document)) if each.rule == 63)
    assert finding.place == "resources.nodes.x"


def test_the_ids_of_a_story_of_many_nodes_are_no_such_numbers() -> None:
    chapter, authors = 5 << 43, (0, 1, 63)
    ids = [chapter | author << 37 | seed for author in authors for seed in range(25_000) if seed % 5]
    value, _ = decode(_numbered(ids))
    assert value == dict.fromkeys(ids)


def test_numbers_are_read_in_python_where_others_have_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()
    monkeypatch.setattr("arrow_project.text_form._number", lambda digits: read.append(digits) or float(digits))
    assert len(list(fractions('{"a": [1.5, 2.0, 2.25]}'))) == 2
    assert read == ["1.5", "2.0", "2.25"]


def test_a_document_is_written_piece_by_piece_however_deeply_it_nests() -> None:
    """To put together at each level what is within copied the innermost once for each: a minute for 1 MB."""
    document: object = [1] * 1000
    for _ in range(50):
        document = [document]
    written = list[str]()
    text_form._write(document, "\n", written.append)  # pyright: ignore[reportPrivateUsage]
    assert "".join(written) == encode(document)
    assert max(map(len, written)) < 100


@cache
def _colliding() -> list[int]:
    """A thousand numbers, of which three hundred are looked for in the places of the others in a table of 2**11."""
    mask, place, run = 2**11 - 1, 3, list[int]()
    for _ in range(700):
        run.append(place)
        place = (5 * place + 1) & mask
    chosen, order = list[int](), {place: number for number, place in enumerate(run)}
    for number in (run[low] | high << 11 for high in range(1, 2**13) for low in range(0, 350, 7)):
        place, rest = number & mask, number
        while rest and place in order:
            rest >>= 5
            place = (5 * place + rest + 1) & mask
        if order.get(place, 700) < 200:
            chosen.append(number)
    return run + chosen[:300]


@pytest.mark.parametrize("place", ["title", "meta", "data", "map", "nodes"])
def test_numbers_that_were_chosen_to_be_looked_for_among_all_others_are_refused(place: str) -> None:
    """Two such objects are compared in one step."""

    def story(numbers: Iterable[int]) -> str:
        keys = {str(number): 0 for number in numbers}
        entry = {"type": "entry", "name": "a", "data": {"plaque": ""}}
        other = {"type": "other", "name": "b", "data": {"deep": [keys]} if place == "data" else {}}
        scene_map = {"1": {"offset": [0, 0]}, "2": {"offset": [0, 0]} | ({"deep": keys} if place == "map" else {})}
        scenes = {"0": {"name": "s", "entry": 1, "map": scene_map}}
        nodes = {"1": entry, "2": other} | (dict.fromkeys(keys, other) if place == "nodes" else {})
        resources = {"scenes": scenes, "nodes": nodes, "variables": {}, "characters": {}}
        meta = {"chapter": 0, "authors": {"0": ["a", 9]}} | ({"more": keys} if place == "meta" else {})
        title = keys if place == "title" else "t"
        return json.dumps({"title": title, "entry": 1, "meta": meta, "resources": resources})

    decode(story(range(1, 5_000)))
    decode(story(_colliding()[:60]))
    with pytest.raises(ParseError, match="numbers as keys that no editor gives") as refused:
        decode(story(_colliding()))
    assert refused.value.rule == 63


@pytest.mark.parametrize("bit", [0, 1 << 40], ids=["small", "large"])
def test_nor_are_they_in_several_tables(bit: int) -> None:
    """A check and an outline count the ids of all maps together, as they follow each other."""
    first, chosen = [number | bit for number in _colliding()[:700]], _colliding()[700:]
    maps = [{str(number): {"offset": [0, 0]} for number in [1, *numbers]} for numbers in (first, chosen)]
    scenes = {str(number): {"name": "s", "entry": 1, "map": part} for number, part in enumerate(maps)}
    nodes = {"1": {"type": "entry", "name": "a", "data": {"plaque": ""}}}
    resources = {"scenes": scenes, "nodes": nodes, "variables": {}, "characters": {}}
    meta = {"chapter": 0, "authors": {"0": ["a", 9_000]}}
    for numbers in maps:
        decode(json.dumps(numbers))
    with pytest.raises(ParseError, match="numbers as keys that no editor gives"):
        parse(json.dumps({"title": "t", "entry": 1, "meta": meta, "resources": resources}))


@given(st.integers(0, 2**53), st.sets(st.integers(0, 127), min_size=65))
def test_numbers_that_lie_close_together_have_places_of_their_own(least: int, further: set[int]) -> None:
    keys = [least + one for one in further]
    assert [_looked_at(keys, bits) for bits in (7, 8, 9, 10)] == [0] * 4


@given(st.lists(st.integers(0, 2**53 - 1), min_size=65, max_size=2_000, unique=True))
def test_numbers_that_nobody_chose_are_read(numbers: list[int]) -> None:
    decode(json.dumps(dict.fromkeys(map(str, numbers), 0)))


def test_ids_of_many_authors_are_read() -> None:
    ids = [author << 37 | number for author in range(60) for number in range(300)]
    decode(json.dumps(dict.fromkeys(map(str, ids), 0)))


def test_the_numbers_of_a_large_story_are_its_ids() -> None:
    nodes = {str(number): {"type": "content", "name": str(number), "data": {}} for number in range(1, 3_000)}
    nodes["1"] = {"type": "entry", "name": "a", "data": {"plaque": ""}}
    scene_map = {number: {"offset": [0, 0]} for number in nodes}
    resources = {"scenes": {"0": {"name": "s", "entry": 1, "map": scene_map}}, "nodes": nodes}
    meta = {"chapter": 0, "authors": {"0": ["a", 9_000]}}
    story = {"title": "t", "entry": 1, "meta": meta, "resources": resources | {"variables": {}, "characters": {}}}
    assert len(parse(json.dumps(story)).data.nodes) == 2_999
