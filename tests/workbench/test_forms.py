"""What forms make of what is written in them: the arguments of functions, or what is wrong at which field."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import Mock

import pytest
from nicegui import Client, ElementFilter, core, ui
from nicegui.page import page

from arrow_project import OPERATIONS, Story, node_data_schema, node_details
from corpora import ProjectKey
from corpora.samples import SAMPLE
from tests.server_process import PATIENCE_S
from workbench.changing.fields import Entry, Field, Group, Several, draw
from workbench.changing.forms import FunctionForm
from workbench.changing.resources import Resources
from workbench.frame.bounded import LONGEST_FORM, MOST_CHOICES, MOST_FIELDS
from workbench.projects import allowed_name
from workbench.story.open_story import OpenStory
from workbench.story.shown_story import ShownStory

OPENED = OpenStory.read("story.arrow", SAMPLE.arrow_file.read_bytes())
STORY = OPENED.story
RESOURCES = Resources(STORY, 0)


def beside_playwright(use: Coroutine[Any, Any, Any]) -> Any:
    """What it comes to in an event loop in a thread of its own: in this one, Playwright's may run."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, use).result(PATIENCE_S)


def on_a_page(use: Callable[[], Awaitable[Any]]) -> Any:
    """What `use` comes to where elements can be drawn."""

    async def drawn() -> Any:
        core.loop = asyncio.get_running_loop()
        with Client(page("/forms")):
            return await use()

    return beside_playwright(drawn())


def read(name: str, schema: dict[str, Any], written: Any, type_name: str = "") -> Any:
    """The argument that a field with that in it gives."""

    async def use() -> Any:
        field: Any = draw(name, schema, RESOURCES)
        field.element.set_value(written)
        return field.read(type_name)

    return on_a_page(use)


@pytest.mark.parametrize(
    ("type_name", "written", "argument"),
    [("num", "10", 10), ("str", "10", "10"), ("str", "true", "true"), ("str", "0420", "0420"), ("bool", "yes", True)],
)
def test_a_value_is_of_its_variables_type(type_name: str, written: str, argument: Any) -> None:
    schema = OPERATIONS["create_variable"].parameters["properties"]["initial_value"]
    value = read("initial_value", schema, written, type_name)
    assert (value, type(value)) == (argument, type(argument))


@pytest.mark.parametrize(("type_name", "written"), [("num", "ten"), ("num", "1.5"), ("bool", "perhaps")])
def test_what_is_no_value_of_that_type_is_said(type_name: str, written: str) -> None:
    with pytest.raises(ValueError, match=rf"initial value: .*needed.*“{written}”"):
        read("initial_value", {"type": ["number", "string", "boolean"]}, written, type_name)


@pytest.mark.parametrize("value", [[1], {"id": [1]}, {"a": 1}, [[0, "x"]]])
def test_what_can_be_no_choice_is_none(value: Any) -> None:
    async def use() -> Any:
        field: Any = draw("variable", {"type": "integer"}, RESOURCES, value)
        return field.element.value

    assert on_a_page(use) is None


@pytest.mark.parametrize("written", ["[1, 2", "[" * 100_000])
def test_what_is_no_json_is_said(written: str) -> None:
    with pytest.raises(ValueError, match="JSON is needed"):
        read("rect", {"type": ["array", "object"]}, written)


def test_of_what_is_written_wrongly_the_beginning_is_said() -> None:
    with pytest.raises(ValueError, match="JSON is needed") as refused:
        read("value", {}, "[" * 10_000)
    assert len(str(refused.value)) < 300


def test_what_is_no_number_of_json_is_a_word() -> None:
    assert read("value", {}, '{"min": NaN, "max": 1e999}') == {"min": "NaN", "max": "1e999"}


@pytest.mark.parametrize("function", sorted(OPERATIONS.keys() - {"node_connection_replacement", "quick_insert_node"}))
def test_every_function_has_a_form_that_is_sent_or_says_what_it_needs(function: str) -> None:
    sent: list[str] = []

    async def run(name: str, _arguments: dict[str, Any]) -> bool:
        sent.append(name)
        return True

    async def use() -> str:
        shown = ShownStory()
        form = FunctionForm(shown, run)
        shown.open(OPENED)
        form.choose(function)
        await form.preview()
        return form.problem.text

    problem = on_a_page(use)
    assert sent == [function] if not problem else "needed" in problem or "Nothing is changed" in problem


@pytest.mark.parametrize("node_id", sorted(STORY.nodes))
def test_a_node_that_is_not_changed_is_given_no_data(node_id: int) -> None:
    details = node_details(OPENED.project, node_id)
    schema = node_data_schema(details["type"])
    assert schema is not None

    async def use() -> Any:
        variable = STORY.variables.get(details["data"].get("variable"))
        return Group(schema, RESOURCES, details["data"]).read(variable.type if variable else "")

    assert on_a_page(use) is None


@pytest.mark.parametrize(
    ("type_name", "data"),
    [
        ("interaction", {"actions": ["", "Ask", "Walk on"]}),
        ("dialog", {"lines": ["Who", 1, ""]}),
        ("tag_pass", {"conditions": [{"key": "side", "value": ""}, {"key": ""}, {"value": "sea"}]}),
        ("condition", {"compare_to": {"type": "value", "value": ""}}),
    ],
)
def test_of_what_nobody_has_touched_nothing_is_given(type_name: str, data: dict[str, Any]) -> None:
    schema = node_data_schema(type_name)
    assert schema is not None

    async def use() -> Any:
        return Group(schema, RESOURCES, data).read("")

    assert on_a_page(use) is None


@pytest.mark.parametrize(
    ("place", "written", "actions"),
    [
        (0, "Knock", ["Knock", "Ask", "Walk on"]),
        (1, "", ["", "", "Walk on"]),
        (2, "Run", ["", "Ask", "Run"]),
        (3, "", None),
        (3, "Wait", ["", "Ask", "Walk on", "Wait"]),
    ],
)
def test_choices_that_are_there_keep_their_slots_and_none_that_is_added_is_empty(
    place: int, written: str, actions: list[str] | None
) -> None:
    schema = node_data_schema("interaction")
    assert schema is not None

    async def use() -> Any:
        choices: Any = draw(
            "actions", schema["properties"]["actions"], RESOURCES, ["", "Ask", "Walk on"], is_present=True
        )
        choices._add(None)
        choices.fields[place].element.set_value(written)
        return choices.read("")

    assert on_a_page(use) == actions


def test_a_number_beyond_its_limits_stays_where_nobody_has_touched_it() -> None:
    schema = node_data_schema("randomizer")
    assert schema is not None

    async def use() -> Any:
        group = Group(schema, RESOURCES, {"paths": 12})
        paths: Any = group.fields["paths"]
        paths.element.sanitize()  # as whoever leaves the field has it done
        return group.read("")

    assert on_a_page(use) is None


def test_a_number_that_is_taken_away_is_asked_for() -> None:
    schema = node_data_schema("content")
    assert schema is not None

    async def use() -> Any:
        group = Group(schema, RESOURCES, {"title": "x", "brief": 5})
        brief: Any = group.fields["brief"]
        brief.element.set_value(None)
        return group.read("")

    with pytest.raises(ValueError, match="A whole number is needed"):
        on_a_page(use)


def test_the_notes_of_a_scene_are_those_that_are_written() -> None:
    story = json.loads(OPENED.text)
    scene = story["resources"]["scenes"]["0"]
    story["resources"]["nodes"][str(scene["entry"])]["notes"] = "Where it rains."

    async def use() -> Any:
        shown = ShownStory()
        form: Any = FunctionForm(shown, lambda _name, _arguments: asyncio.sleep(0, result=True))
        shown.open(OpenStory("noted.arrow", json.dumps(story)))
        form.choose("update_scene")
        return form._fields["notes"].element.value

    assert on_a_page(use) == "Where it rains."


def test_an_empty_tag_that_is_asked_for_is_so_after_another_has_changed() -> None:
    schema = node_data_schema("tag_pass")
    assert schema is not None
    before = [{"key": "side", "value": ""}, {"key": "mood"}]

    async def use() -> Any:
        conditions: Any = draw("conditions", schema["properties"]["conditions"], RESOURCES, before, is_present=True)
        conditions.fields[1].fields["key"].element.set_value("rank")
        return conditions.read("")

    assert on_a_page(use) == [{"key": "side", "value": ""}, {"key": "rank"}]


def test_tags_are_pairs() -> None:
    async def use() -> Any:
        field: Field = draw(
            "tags", OPERATIONS["update_character"].parameters["properties"]["tags"], RESOURCES, {"mood": "calm"},
            is_present=True,
        )  # fmt: skip
        before = field.read("")
        pairs: Any = field
        pairs.several.fields[0].fields["value"].element.set_value("stern")
        return before, field.read("")

    assert on_a_page(use) == (None, {"mood": "stern"})


@pytest.mark.parametrize(
    ("written", "allowed"),
    [
        ("My Story", "my-story"),
        ("Über alles!", "uber-alles"),
        ("物語", "my-story"),
        ("-_a.b_", "a.b"),
        ("x" * 99, "x" * 64),
    ],
)
def test_a_name_that_no_project_can_have_has_one_like_it(written: str, allowed: str) -> None:
    name = allowed_name(written)
    assert name == allowed
    assert ProjectKey("w", name).project_id == name


def test_the_outputs_that_are_free_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = list[int]()
    free = Story.free_outputs

    def count(story: Story, node_id: int, most: int | None = None) -> Any:
        counted.append(node_id)
        return free(story, node_id, most)

    monkeypatch.setattr(Story, "free_outputs", count)

    async def use() -> None:
        shown = ShownStory()
        form = FunctionForm(shown, lambda _name, _arguments: asyncio.sleep(0, result=True))
        shown.open(OPENED)
        shown.node_id = 13
        form.choose("create_insert_node")

    on_a_page(use)
    assert len(counted) == len(set(counted)) == len(STORY.nodes_of(0))


def form_of(opened: OpenStory, function: str) -> Any:
    """The form of a function in a story of which node 13 is looked at."""
    shown = ShownStory()
    form = FunctionForm(shown, lambda _name, _arguments: asyncio.sleep(0, result=True))
    shown.open(opened)
    shown.node_id = 13
    form.choose(function)
    return form


@pytest.mark.parametrize(("length", "is_drawn"), [(10, True), (LONGEST_FORM // 20, False)])
def test_of_a_node_that_nobody_reads_in_a_form_none_is_drawn(length: int, is_drawn: bool) -> None:
    story = json.loads(OPENED.text)
    story["resources"]["nodes"]["13"] = {"type": "dialog", "name": "n", "data": {"lines": ["x" * length] * 20}}

    async def use() -> set[str]:
        form = form_of(OpenStory("large.arrow", json.dumps(story)), "update_node")
        return set(form._fields)

    drawn = on_a_page(use)
    assert "name" in drawn
    assert ("data" in drawn) is is_drawn


@pytest.mark.parametrize(("lines", "kind"), [(MOST_FIELDS, Several), (MOST_FIELDS + 1, Entry)])
def test_of_more_than_a_form_has_fields_for_there_is_one_field(lines: int, kind: type) -> None:
    story = json.loads(OPENED.text)
    story["resources"]["nodes"]["13"] = {"type": "dialog", "name": "n", "data": {"lines": ["x"] * lines}}

    async def use() -> type:
        form = form_of(OpenStory("large.arrow", json.dumps(story)), "update_node")
        return type(form._fields["data"].fields["lines"])

    assert on_a_page(use) is kind


def test_where_a_form_has_no_more_fields_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    monkeypatch.setattr("workbench.changing.fields.notify", said.append)

    async def use() -> int:
        several = Several("lines", Mock(), [])
        for _ in range(MOST_FIELDS + 1):
            several._add(None)  # pyright: ignore[reportPrivateUsage]
        return len(several.fields)

    assert on_a_page(use) == MOST_FIELDS
    assert said == ["A form has 50 of a kind at most. Apply these, and add more afterwards."]


@pytest.mark.parametrize("function", ["update_node", "update_node_map", "create_insert_node"])
def test_of_a_node_that_no_form_shows_no_more_is_looked_at_than_a_form_shows(
    function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = json.loads(OPENED.text)
    story["resources"]["nodes"]["13"] = {"type": "interaction", "name": "n", "data": {"actions": ["x"] * LONGEST_FORM}}
    large = OpenStory("large.arrow", json.dumps(story))
    monkeypatch.setattr("workbench.changing.forms.node_data", lambda *_: pytest.fail("all of it was looked at"))

    async def use() -> int:
        form_of(large, function)
        return len(Resources(large.story, 0, 13, 13).free_outputs)

    assert on_a_page(use) == MOST_CHOICES


@pytest.mark.parametrize("function", ["update_node", "update_node_map"])
def test_a_form_of_a_node_looks_at_none_of_its_connections(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = OpenStory.read("story.arrow", SAMPLE.arrow_file.read_bytes())
    for ways in ("outgoing", "incoming", "incoming_by_entry"):
        monkeypatch.setattr(opened.project.data, ways, lambda *_: pytest.fail("they were gone through"))

    async def use() -> set[str]:
        form = form_of(opened, function)
        return set(form._fields)

    assert on_a_page(use) >= ({"name", "notes", "data"} if function == "update_node" else {"modifications"})


@pytest.mark.parametrize("function", ["create_insert_node", "create_connection"])
def test_a_form_does_not_go_through_all_nodes_of_a_scene(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Story, "nodes_of", lambda *_: pytest.fail("they were gone through"))

    async def use() -> bool:
        shown = ShownStory()
        form: Any = FunctionForm(shown, lambda _name, _arguments: asyncio.sleep(0, result=True))
        shown.open(OPENED)
        form.choose(function)
        return bool(form._fields)

    assert on_a_page(use)


@pytest.mark.parametrize("is_skipped", [True, False])
def test_whether_a_node_is_skipped_is_shown_as_it_is(is_skipped: bool) -> None:
    story = json.loads(OPENED.text)
    story["resources"]["scenes"]["0"]["map"]["13"]["skip"] = is_skipped

    async def use() -> bool:
        form = form_of(OpenStory("skipped.arrow", json.dumps(story)), "update_node_map")
        return form._fields["modifications"].fields["skip"].element.value

    assert on_a_page(use) is is_skipped


@pytest.mark.parametrize(("length", "is_drawn"), [(10, True), (LONGEST_FORM // 20, False)])
def test_of_a_character_that_nobody_reads_in_a_form_no_tags_are_drawn(length: int, is_drawn: bool) -> None:
    story = json.loads(OPENED.text)
    key = next(iter(story["resources"]["characters"]))
    story["resources"]["characters"][key]["tags"] = {f"tag{number}": "x" * length for number in range(20)}

    async def use() -> set[str]:
        shown = ShownStory()
        form: Any = FunctionForm(shown, lambda _name, _arguments: asyncio.sleep(0, result=True))
        shown.open(OpenStory("large.arrow", json.dumps(story)))
        form.choose("update_character")
        form._first.element.set_value(int(key))
        return set(form._fields)

    drawn = on_a_page(use)
    assert "name" in drawn
    assert ("tags" in drawn) is is_drawn


def test_of_very_many_nodes_and_variables_the_id_is_typed_and_no_field_has_them_all() -> None:
    story = json.loads(OPENED.text)
    scene, nodes = story["resources"]["scenes"]["0"], story["resources"]["nodes"]
    for key in range(1000, 1000 + MOST_CHOICES):
        nodes[str(key)] = {"type": "interaction", "name": f"n{key}", "data": {"actions": ["go"]}}
        scene["map"][str(key)] = {"offset": [key, 0], "io": []}
        story["resources"]["variables"][str(key)] = {"name": f"v{key}", "type": "num", "init": 1}
    large, sent = OpenStory("large.arrow", json.dumps(story)), list[dict[str, Any]]()

    async def run(_name: str, arguments: dict[str, Any]) -> bool:
        sent.append(arguments)
        return True

    async def use() -> list[int]:
        shown, most = ShownStory(), list[int]()
        form: Any = FunctionForm(shown, run)
        shown.open(large)
        shown.node_id = 1199
        for function in sorted(OPERATIONS.keys() - {"node_connection_replacement", "quick_insert_node"}):
            form.choose(function)
            most.extend(len(one.options) for one in ElementFilter(kind=ui.select) if one is not form._function)
        form.choose("create_insert_node")
        most.append(form._fields["connect_from"].element.value[0])
        form.choose("create_connection")
        form._fields["to_node_id"].element.set_value("1001")
        await form.preview()
        form.choose("update_node")
        give_up()
        form._first.element.set_value("1002")
        form._fields["name"].element.set_value("other")
        await form.preview()
        return most

    *most, selected = on_a_page(use)
    assert max(most) <= MOST_CHOICES
    assert selected == 1199
    assert [sent[0]["from_node_id"], sent[0]["to_node_id"]] == [1199, 1001]
    assert sent[1] == {"node_id": 1002, "name": "other"}


def test_what_is_written_stays_until_it_is_in_the_story() -> None:
    async def previewed(_name: str, _arguments: Any) -> bool:
        return True

    async def use() -> list[str]:
        shown, left = ShownStory(), list[str]()
        form: Any = FunctionForm(shown, previewed)

        def look() -> None:
            left.append(form._fields["name"].element.value)

        shown.open(OPENED)
        form.choose("create_variable")
        form._fields["notes"].element.set_value("how many burn")
        shown.change(OpenStory("story.arrow", OPENED.text))  # by an undo, while the variable has no name yet
        left.append(form._fields["notes"].element.value)
        form._fields["notes"].element.set_value("")
        form._fields["name"].element.set_value("lamps")
        form._fields["type"].element.set_value("num")
        shown.save(OPENED.written("a" * 64))
        look()
        shown.change(OpenStory("story.arrow", OPENED.text))  # by a message
        look()
        await form.preview()
        shown.change(OPENED, OpenStory("story.arrow", OPENED.text))
        form._fields["name"].element.set_value("lamps_lit")
        shown.change(OpenStory("story.arrow", OPENED.text))  # by a yes to what was written before
        form.is_applied()
        look()
        await form.preview()
        shown.change(OPENED)  # by a yes that was stopped
        look()
        shown.change(OpenStory("story.arrow", OPENED.text))  # by a yes to the preview
        form.is_applied()
        look()
        form._fields["name"].element.set_value("lamps")
        shown.open(OpenStory("another.arrow", OPENED.text))
        look()
        return left

    assert on_a_page(use) == ["how many burn", "lamps", "lamps", *["lamps_lit"] * 2, "", ""]


def give_up() -> None:
    """Says yes to the question whether what is written in a form is given up."""
    button: Any
    (button,) = [one for one in ElementFilter(kind=ui.button) if one.text == "Give it up"]
    for listener in button._event_listeners.values():
        button._handle_event({"listener_id": listener.id, "args": {}})


def test_what_is_written_of_a_node_is_not_given_up_unasked_for_another_one() -> None:
    async def use() -> tuple[list[Any], list[list[str]]]:
        form = form_of(OPENED, "update_node")
        shown = form._shown
        risks, notes, first = [shown.at_risk], form._fields["notes"].element, form._first.element
        notes.set_value("four pages")
        risks.append(shown.at_risk)
        first.set_value(14)
        await asyncio.sleep(0)
        left = [first.value, form._fields["notes"].element.value]
        give_up()
        risks.append(shown.at_risk)
        return [*left, first.value, form._fields["notes"].element.value], risks

    left, risks = on_a_page(use)
    assert left == [13, "four pages", 14, ""]
    assert risks == [[], [OPENED.name], []]


def test_what_is_previewed_is_not_given_up_unasked_either() -> None:
    async def previewed(_name: str, _arguments: Any) -> bool:
        return True

    async def use() -> tuple[list[Any], list[list[str]]]:
        shown = ShownStory()
        form: Any = FunctionForm(shown, previewed)
        shown.open(OPENED)
        form.choose("create_insert_node")
        form._first.element.set_value("monolog")
        form._fields["preset"].fields["text"].element.set_value("She waits.")
        form._first.element.set_value("content")
        form._fields["notes"].element.set_value("four pages")
        await form.preview()
        risks = [shown.at_risk]
        form.choose("create_scene")
        left = [form._function.value, form._fields["notes"].element.value]
        shown.change(OpenStory("story.arrow", OPENED.text))  # by a yes
        form.is_applied()
        left.append(form._fields["notes"].element.value)
        risks.append(shown.at_risk)  # of what is written as another type
        form._first.element.set_value("monolog")
        left.append(form._fields["preset"].fields["text"].element.value)
        await form.preview()
        shown.change(OpenStory("story.arrow", OPENED.text))
        form.is_applied()
        risks.append(shown.at_risk)
        return left, risks

    left, risks = on_a_page(use)
    assert left == ["create_insert_node", "four pages", "", "She waits."]
    assert risks == [[OPENED.name], [OPENED.name], []]


def test_what_is_written_of_a_new_node_stays_when_its_type_is_chosen() -> None:
    async def previewed(_name: str, _arguments: Any) -> bool:
        return True

    async def use() -> list[str]:
        shown = ShownStory()
        form: Any = FunctionForm(shown, previewed)
        shown.open(OPENED)
        form.choose("create_insert_node")
        form._fields["notes"].element.set_value("four pages")
        form._first.element.set_value("monolog")
        left = [form._fields["notes"].element.value]
        form._fields["preset"].fields["text"].element.set_value("She waits.")
        form._first.element.set_value("content")
        left.append(form._fields["notes"].element.value)
        shown.change(OpenStory("story.arrow", OPENED.text))  # by a message
        form._first.element.set_value("monolog")
        left.append(form._fields["preset"].fields["text"].element.value)
        for choose in (form.choose, form._function.set_value):
            choose("create_scene")
            left.append(form._fields["preset"].fields["text"].element.value)
        assert form._function.value == "create_insert_node"
        give_up()
        return [*left, form._function.value, form._fields["notes"].element.value]

    stays = ["four pages", "four pages", *["She waits."] * 3]
    assert on_a_page(use) == [*stays, "create_scene", ""]


def test_what_is_written_as_several_types_holds_one_state_of_the_story() -> None:
    """Each is a whole story, which counts where it is open and nowhere else."""

    async def use() -> set[int]:
        shown = ShownStory()
        form: Any = FunctionForm(shown, lambda _name, _arguments: asyncio.sleep(0, result=True))
        shown.open(OPENED)
        form.choose("create_insert_node")
        for number, node_type in enumerate(["content", "dialog", "monolog"]):
            form._first.element.set_value(node_type)
            form._fields["notes"].element.set_value("Elena waits.")
            shown.change(OPENED.changed(OPENED.text.replace("The lamp", f"The lamp {number}", 1)))
        form._first.element.set_value("content")
        return {id(of_type.named.story) for of_type in form._of_types.values()}

    assert len(on_a_page(use)) == 1
