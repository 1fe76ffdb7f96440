"""What is done with a story costs as much as it is long, whatever its shape: things are counted, not seconds."""

import json
import random
import sys
import tracemalloc
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest

from arrow_project import ArrowProject, Operation, OperationError, diff, outline, parse, restore, tables_of
from arrow_project.journal import Journal
from arrow_project.merging import replaced
from arrow_project.phrases import phrase, quoted
from arrow_project.project_data import ProjectData
from arrow_project.values import connections
from tests.agent.story import story_text
from tests.arrow_project.applying import do, refusal
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer
from tests.arrow_project.conftest import DOCUMENTS

_MOST_EDITS = 50


def _story(**more: dict[str, Any]) -> ArrowProject:
    """The story of the tests, with further resources by set and id; all the nodes stand at one place in scene 0."""
    document = json.loads(story_text())
    for table, resources in more.items():
        document["resources"][table] |= resources
    document["resources"]["scenes"]["0"]["map"] |= {key: {"offset": [0, 0]} for key in more.get("nodes", {})}
    return parse(json.dumps(document))


def _contents(count: int) -> dict[str, Any]:
    return {str(key): {"type": "content", "name": f"n{key}", "data": {}} for key in range(1000, 1000 + count)}


def _edits(project: ArrowProject, count: int) -> dict[str, Any]:
    operations = [{"key": "mood", "value": "calm"}] * count
    return {"type": "tag_edit", "preset": {"character": next(iter(project.data.characters)), "operations": operations}}


def test_a_tag_edit_has_so_many_operations() -> None:
    project = _story()
    assert len(do(project, "create_insert_node", **_edits(project, _MOST_EDITS))["node_ids"]) == _MOST_EDITS
    refused = refusal(project, "create_insert_node", **_edits(project, _MOST_EDITS + 1))
    assert refused.code == "TYPE_MISMATCH"
    assert "at most 50 operations, each of which becomes a node, not 51; give the others to further" in str(refused)


def test_the_places_of_a_scene_are_read_once_for_all_nodes_of_an_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    project = _story(nodes=_contents(100))
    there = len(project.data.scene_map(0))
    read: list[int] = []

    def counted(data: ProjectData, entry: dict[str, Any]) -> tuple[int, int]:
        read.append(1)
        return offset(data, entry)

    offset = ProjectData.offset
    monkeypatch.setattr(ProjectData, "offset", counted)
    do(project, "create_insert_node", **_edits(project, _MOST_EDITS))
    assert len(read) <= there + _MOST_EDITS


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("create_variable", {"type": "num"}),
        ("update_variable", {"by_name": "oil"}),
        ("create_character", {}),
        ("update_character", {"by_name": "Elena"}),
        ("create_scene", {}),
        ("update_scene", {"scene_id": 0}),
        ("create_insert_node", {"type": "content"}),
        ("update_node", {"node_id": 3}),
    ],
)
def test_a_name_has_at_most_1000_characters(function: str, arguments: dict[str, Any]) -> None:
    project = _story()
    do(project, function, name="n" * 1000, **arguments)
    project = _story()
    refused = refusal(project, function, name="n" * 1001, **arguments)
    assert refused.code == "TYPE_MISMATCH"
    assert refused.message == '"name" may have 1,000 characters and has 1,001; choose a shorter one.'


@pytest.mark.parametrize(
    ("function", "resource", "exposure"),
    [
        ("update_variable", {"variable_id": 900}, "{q}"),
        ("update_character", {"character_id": 900}, "{q.mood}"),
    ],
)
def test_a_new_name_does_not_make_texts_very_long(function: str, resource: dict[str, Any], exposure: str) -> None:
    content = {"type": "content", "name": "many", "data": {"content": exposure * 4_000}}
    kind, of_kind = (
        ("variables", {"type": "num", "init": 0}),
        ("characters", {"color": "ffffff", "tags": {"mood": ""}}),
    )["character" in function]
    project = _story(nodes={"1000": content}, **{kind: {"900": {"name": "q"} | of_kind}})
    refused = refusal(project, function, name="n" * 101, **resource)
    assert refused.code == "TYPE_MISMATCH"
    assert refused.message == (
        "Texts expose q 4,000 times, and a rename may write 400,000 characters into them; choose a name of at most 100."
    )
    do(project, function, name="n" * 100, **resource)
    assert project.data.data(1000)["content"].count("n" * 100) == 4_000


def test_a_new_name_makes_no_texts_long_in_which_arrow_sees_no_exposure() -> None:
    asks = {"type": "user_input", "name": "ask", "data": {"prompt": "{|}" * 4_000, "variable": 900}}
    project = _story(nodes={"1000": asks}, variables={"900": {"name": "|", "type": "num", "init": 0}})
    refused = refusal(project, "update_variable", variable_id=900, name="n" * 101)
    assert "expose | 4,000 times" in refused.message


def test_of_very_many_names_that_are_alike_a_few_are_mentioned() -> None:
    """Each remark is kept with its operation until the turn ends."""
    names = ["other", *("".join(letters) for letters in product("aA", repeat=6))][:60]
    variables = {str(key): {"name": name, "type": "num", "init": 0} for key, name in enumerate(names, 900)}
    remarks = do(_story(variables=variables), "update_variable", variable_id=900, name="AAAAAA")["remarks"]
    assert remarks[0] == "There is also a variable aaaaaa (901), spelled almost alike."
    assert len(remarks) == 3


def test_many_renames_make_no_story_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.operations.variables._MOST_GROWN", 3000)
    texts = {str(1000 + n): {"type": "content", "name": f"n{n}", "data": {"content": f"{{q{n}}}" * 20}} for n in (1, 2)}
    project = _story(nodes=texts, variables={str(900 + n): {"name": f"q{n}", "type": "num", "init": 0} for n in (1, 2)})
    before = project.checkpoint()
    do(project, "update_variable", variable_id=901, name="n" * 102)
    for project_now, name in ((project, "\N{GRINNING FACE}" * 12), (project.copy(), "n" * 54)):
        refused = refusal(project_now, "update_variable", variable_id=902, name=name)
        assert (
            "made the texts of this story 3,040 bytes larger than they were, and they may by 3,000" in refused.message
        )
    do(project, "update_variable", variable_id=902, name="n" * 22)
    project.rollback(before)
    do(project, "update_variable", variable_id=902, name="n" * 102)
    do(project, "update_variable", variable_id=902, name="q")
    do(project, "update_variable", variable_id=901, name="n" * 102)


def test_a_rename_writes_so_much_data_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.operations.variables._MOST_REWRITTEN", 1000)
    long = {"type": "content", "name": "long", "data": {"content": "{q}" + "x" * 997, "odd": [[]]}}
    other = {"type": "user_input", "name": "ask", "data": {"prompt": "x" * 10_000, "variable": 900}}
    variables = {"900": {"name": "q", "type": "num", "init": 0}}
    project = _story(nodes={"1000": long, "1001": other}, variables=variables)
    refused = refusal(project, "update_variable", variable_id=900, name="t")
    assert "Data of 1,064 characters exposes q, and a rename may write 1,000 anew" in refused.message
    do(project, "update_node", node_id=1000, data={"content": "{q}"})
    do(project, "update_variable", variable_id=900, name="t")


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("update_node", {"node_id": 1000, "data": {"content": "y" * 300_000}}),
        ("update_node", {"node_id": 1000, "data": {"content": "".join(f"{{a{n}}}" for n in range(1000))}}),
        ("update_node", {"node_id": 1000, "notes": "y" * 300_000}),
    ],
)
def test_of_what_was_there_before_so_much_is_kept_until_a_commit(
    monkeypatch: pytest.MonkeyPatch, function: str, arguments: dict[str, Any]
) -> None:
    monkeypatch.setattr("arrow_project.operations._MOST_KEPT", 2**20)
    node = {"type": "content", "name": "long", "data": {}}
    project = _story(nodes={"1000": node})
    before, text = project.checkpoint(), project.to_text()

    def change() -> int:
        for times in range(50):
            now = project.checkpoint()
            with suppress(OperationError):
                do(project, function, **arguments)
                do(project, "update_node", node_id=1000, data={"content": ""}, notes="")
            if project.checkpoint() == now:
                return times
        raise AssertionError("it keeps everything")

    times = change()
    assert 0 < times < 10
    assert "Do the rest in another turn" in refusal(project, "update_node", node_id=1000, name="n").message
    project.rollback(before)
    assert project.to_text() == text
    assert change() == times, "what is undone is not kept"
    project.commit()
    assert change() == times


def test_a_deleted_chapter_is_made_again_in_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.operations._MOST_KEPT", 2**14)
    project = _story(nodes={})
    scene = do(project, "create_scene", name="chapter")["scene_id"]
    for _ in range(100):
        do(project, "create_insert_node", type="dialog", scene_id=scene, preset={"lines": ["{a} and {b}"]})
    assert project.data.journal.kept > 2**14


class _Text(str):
    """A text that counts how often all of it is looked through for one other."""

    searched = 0

    def replace(self, *given: Any) -> str:
        type(self).searched += 1
        return _Text(super().replace(*given))


def test_the_exposures_of_a_character_are_looked_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Text, "searched", 0)
    renamed = {f"{{Bob.t{number}}}": f"{{Ann.t{number}}}" for number in range(100)}
    texts = [_Text(f"a {{Bob.t{number}}} {{Bob.other}} {{{{Bob.t{number}}} }}") for number in range(100)]
    assert replaced(texts, renamed) == [
        f"a {{Ann.t{number}}} {{Bob.other}} {{{{Ann.t{number}}} }}" for number in range(100)
    ]
    assert _Text.searched == 0


class _Map(dict[Any, Any]):
    """A scene's map that counts how often it is asked for a node, and for all that it has."""

    asked, walked = 0, 0

    def __contains__(self, key: object) -> bool:
        type(self).asked += 1
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Any]:
        type(self).walked += 1
        return super().__iter__()

    def items(self) -> Any:
        type(self).walked += 1
        return super().items()


def test_where_jumps_lead_is_not_asked_of_each_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 100
    project = _story()
    for _ in range(count):
        entry = do(project, "create_scene")["entry_node_id"]
        do(project, "create_insert_node", type="jump", scene_id=0, preset={"target": entry})
    copy = project.copy()
    for scene in copy.data.scenes.values():
        scene["map"] = _Map(scene["map"])
    monkeypatch.setattr(_Map, "asked", 0)
    outline(copy)
    assert _Map.asked + _Map.walked < 20 * count


@pytest.mark.parametrize("seed", range(10))
def test_the_scene_of_each_node_and_what_leads_to_it_are_known_after_each_edit_and_its_undoing(seed: int) -> None:
    chosen = random.Random(seed)
    project = parse((DOCUMENTS / "lamp.arrow").read_text(encoding="utf-8"))
    writer = Writer(project, chosen)
    points = [project.checkpoint()]
    for _ in range(40):
        operation = invented(writer)
        with suppress(OperationError):
            project.apply(Operation(operation.function, operation.arguments))
        points.append(project.checkpoint())
        if chosen.random() < 0.3:
            back = chosen.randrange(len(points))
            project.rollback(points[back])
            del points[back + 1 :]
        if chosen.random() < 0.7:
            scenes = project.data.scenes.items()
            for node_id in [*project.data.nodes, 10**9]:
                first = next((scene_id for scene_id, scene in scenes if node_id in scene["map"]), None)
                assert project.data.owner(node_id) == first
            for scene_id, scene in scenes:
                ways = [(key, way) for key, entry in scene["map"].items() for way in connections(entry)]
                for node_id in project.data.nodes:
                    led = [(key, way) for key, way in ways if way[2] == node_id != key]
                    assert project.data.incoming_by_entry(node_id, scene_id) == led


def _steps_back(count: int) -> int:
    """How many calls there are on the way back from a story with so many nodes more, each leading to the next."""
    before = _story()
    now = _story(nodes=_contents(count))
    for node_id in range(1000, 999 + count):
        now.data.scene_map(0)[node_id]["io"] = [[node_id, 0, node_id + 1, 0]]
    calls = 0

    def counted(_frame: object, event: str, _given: object) -> None:
        nonlocal calls
        calls += event == "call"

    profile = sys.getprofile()
    sys.setprofile(counted)
    try:
        way = restore(now, before)
    finally:
        sys.setprofile(profile)
    assert len(way.operations) == count
    assert not way.remaining
    return calls


def test_the_way_back_grows_as_the_story_does() -> None:
    assert _steps_back(200) < 3 * _steps_back(100)


class _Walked(dict[int, str]):
    steps = moved = 0

    def update(self, moved: Iterable[tuple[int, str]]) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        pairs = list(moved)
        self.moved += len(pairs)
        super().update(pairs)

    def __iter__(self) -> Iterator[int]:
        for key in super().__iter__():
            self.steps += 1
            yield key

    def __reversed__(self) -> Iterator[int]:
        for key in super().__reversed__():
            self.steps += 1
            yield key


def test_what_was_made_last_is_removed_and_comes_back_without_a_walk_over_all() -> None:
    table, journal = _Walked(dict.fromkeys(range(1000), "")), Journal()
    for key in range(999, 899, -1):
        journal.drop(table, key)
    assert table.steps < 300
    journal.rollback(0)
    assert list(table) == list(range(1000))
    assert table.steps + table.moved < 10_000


def test_what_leads_to_the_selected_nodes_is_found_in_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    project = _story(nodes=_contents(100))
    for node_id in range(1000, 1099):
        do(project, "create_connection", from_node_id=node_id, to_node_id=node_id + 1)
    copy = project.copy()
    scene = copy.data.scenes[0]
    scene["map"] = _Map(scene["map"])
    monkeypatch.setattr(_Map, "walked", 0)
    told = outline(copy, 0, range(1001, 1041))
    assert all(f'"comes_from": [{node_id}]' in told for node_id in range(1000, 1040))
    assert _Map.walked < 20


def test_what_undoes_a_removal_keeps_what_was_removed_and_not_the_rest() -> None:
    project = _story(nodes=_contents(2000))
    before = project.to_text()
    first = project.checkpoint()
    tracemalloc.start()
    try:
        for node_id in (*range(1000, 1050), *range(2950, 3000)):
            do(project, "delete_node", node_id=node_id)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1_000_000
    project.rollback(first)
    assert project.to_text() == before


def test_a_long_name_is_not_written_out_for_each_that_has_it() -> None:
    speaking = {"type": "monolog", "name": "n", "data": {"character": 900, "monolog": "hm"}, "ref": [900]}
    project = _story(
        nodes={str(key): speaking for key in range(1000, 1100)},
        characters={"900": {"name": "B" * 10_000, "color": "ffffff", "use": list(range(1000, 1100))}},
    )
    after = project.copy()
    for node_id in range(1000, 1100):
        do(after, "delete_node", node_id=node_id)
    assert len(str(diff(project, after))) < 50_000


def test_whoever_is_listed_as_a_user_is_not_kept_again_for_each_that_is_added() -> None:
    speaking = {"type": "dialog", "name": "n", "data": {"character": 900, "lines": ["hm"]}, "ref": [900]}
    nodes = {str(key): {**speaking, "name": f"n{key}"} for key in range(1000, 4000)}
    bob = {"name": "Bob", "color": "ffffff", "use": list(range(1000, 4000))}
    project = _story(nodes=nodes, characters={"900": bob})
    before = project.to_text()
    first = project.checkpoint()
    listed = project.data.characters[900]["use"]
    for _ in range(3):
        do(project, "create_insert_node", type="dialog", preset={"character": 900, "lines": ["hm"]}, position=[0, 0])
    assert project.data.characters[900]["use"] is listed
    assert len(listed) == 3003
    project.rollback(first)
    assert project.to_text() == before


@pytest.mark.parametrize(
    ("operator", "said"),
    [("rgx", f"^{'.' * 499_990}$"), ("cts", "ж\u200b" * 250_000), ("cts", "ж\1" * 250_000)],
    ids=["dots", "unseen", "control"],
)
def test_what_a_condition_compares_with_is_told_and_kept_in_little_memory(operator: str, said: str) -> None:
    data = {"variable": 1, "operator": operator, "with": [0, said]}
    variable = {"name": "word", "type": "str", "init": ""}
    project = _story(nodes={"1000": {"type": "condition", "name": "asks", "data": data}}, variables={"1": variable})
    tracemalloc.start()
    try:
        outline(project)
        shown = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        do(project, "update_node", node_id=1000, data={"operator": "bgn"})
        assert max(shown, tracemalloc.get_traced_memory()[1]) < 25 * len(said)
    finally:
        tracemalloc.stop()


def _named_by_many_scenes(scenes: int, ways: int) -> ArrowProject:
    """A long dialog that the maps of many scenes have, each with some of its connections."""
    document = json.loads(story_text())
    resources = document["resources"]
    lines = [f"line {number}" for number in range(ways)]
    data = {"character": -1, "lines": lines, "playable": True}
    resources["nodes"]["1000"] = {"type": "dialog", "name": "d", "data": data}
    for key in range(5000, 5000 + scenes):
        place = {"offset": [0, 0], "io": [[1000, key % ways, 2, 0]], "skip": key == 5001}
        resources["scenes"][str(key)] = {"name": f"s{key}", "entry": 2, "map": {"1000": place}}
    return parse(json.dumps(document))


def test_a_node_that_many_scenes_name_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    project = _named_by_many_scenes(scenes=300, ways=200)
    looked_at = list[int]()

    def counted(place: dict[str, Any]) -> Any:
        found = connections(place)
        looked_at.append(len(found))
        return found

    monkeypatch.setattr(sys.modules["arrow_project.losses"], "connections", counted)
    place = tables_of(project)["place"][1000]
    assert [way[1] for way in place["io"]] == [*range(200), *range(100)]
    assert place["skip"] is True
    assert sum(looked_at) == 300
    assert "io" in project.data.scene_map(5000)[1000]
    assert len(connections(project.data.scene_map(5000)[1000])) == 1, "the project's own stays as it is"


@pytest.mark.parametrize(
    ("type_name", "data"),
    [("dialog", {"character": -1, "lines": ["Hm."] * 200, "playable": True}), ("from_later", {"numbers": [7] * 1_000})],
)
def test_the_meaning_of_a_node_that_many_scenes_name_is_written_once(
    type_name: str, data: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = _named_by_many_scenes(scenes=300, ways=1)
    project.data.nodes[1000].update(type=type_name, data=data)
    written = list[tuple[int, int | None]]()

    def noted(data: ProjectData, node_id: int, limit: int | None = None) -> str:
        written.append((node_id, limit))
        return phrase(data, node_id, limit)

    monkeypatch.setattr("arrow_project.outlining.phrase", noted)
    assert outline(project, max_characters=20_000)
    assert written.count((1000, 48)) == 1, "and not in 300 scenes"
    assert len(written) < 60, "whole where it has room"


@pytest.mark.parametrize("value", [[7] * 1_000, {"a": "é" * 1_000}, 3, None, ["ab", {"c": []}]])
def test_of_what_is_no_text_as_much_is_written_as_is_shown(value: Any) -> None:
    told = json.dumps(value, ensure_ascii=False)
    assert quoted(value) == json.dumps(told, ensure_ascii=False)
    assert quoted(value, 48) == json.dumps(told if len(told) <= 48 else f"{told[:47]}…", ensure_ascii=False)


def test_what_many_scenes_name_is_told_in_each_of_them_where_there_is_room() -> None:
    project = _named_by_many_scenes(scenes=3, ways=2)
    said = outline(project)
    assert said.count("1000 dialog") == 3
    assert outline(project, max_characters=3 * len(said)) == said
