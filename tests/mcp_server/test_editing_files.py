"""An assistant edits a story in a file: all or nothing, checked, asked about, taken back byte for byte."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.types import ElicitRequestParams, ElicitResult

from agent import quoted_lines
from arrow_project import fingerprint, parse
from corpora import ProjectKey
from server import Access
from tests.agent.story import NEXT_ID, story_text
from tests.event_loop import is_beside_the_event_loop
from tests.mcp_server.assistant import ERAS, Era, User, assistant, text_of
from tests.server.house import House, house

_IN_EITHER_ERA = pytest.mark.parametrize("era", ERAS)  # where it matters: who is asked, told or hangs up
_GOLD = {"function": "create_variable", "arguments": {"name": "gold", "type": "num", "initial_value": 10}}
_SCENE = {"function": "create_scene", "arguments": {"name": "Quay"}}
_DELETE = {"function": "delete_node", "arguments": {"node_id": 2}}
_STORY = "story.arrow"


@pytest.fixture
def story(folder: Path) -> Path:
    """As somebody else's tool has written it: not a byte of it is as Arrow writes."""
    path = folder / _STORY
    path.write_bytes(json.dumps(json.loads(story_text(), strict=False), indent=1).encode())
    return path


@pytest.fixture
def strict_home(tmp_path: Path, folder: Path) -> Iterator[House]:
    """The operator wants every change asked about."""
    with house(tmp_path / "data", roots={"local": (folder,)}, confirm="always", completes=False) as opened:
        yield opened


def saying(words: str) -> dict[str, Any]:
    return {"function": "update_node", "arguments": {"node_id": 3, "data": {"content": words}}}


def _variables(path: Path) -> set[str]:
    return {variable["name"] for variable in parse(path.read_text("utf-8")).data.variables.values()}


@_IN_EITHER_ERA
async def test_a_change_is_tried_applied_and_taken_back_byte_for_byte(home: House, story: Path, era: Era) -> None:
    before = story.read_bytes()
    async with assistant(home.url, era) as scribe:
        planned = await scribe.ok("apply_operations", operations=[_GOLD], dry_run=True, story=_STORY)
        assert story.read_bytes() == before
        done = await scribe.ok("apply_operations", operations=[_GOLD], story=_STORY)
        assert _variables(story) == {"oil", "gold"}
        undone = await scribe.ok("undo", story=_STORY)

    assert planned["status"] == "planned"
    assert "gold" in planned["diff"]
    assert done["status"] == "done"
    assert done["operations"][0]["result"]["variable_id"] == NEXT_ID
    assert undone["status"] == "done"
    assert story.read_bytes() == before


async def test_what_a_call_came_to_is_written_beside_the_event_loop(
    home: House, story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = list[bool]()

    def noted(text: str) -> str:
        beside.append(is_beside_the_event_loop())
        return quoted_lines(text)

    monkeypatch.setattr("mcp_server.edit_tools.quoted_lines", noted)
    async with assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD], dry_run=True, story=_STORY)
        await scribe.ok("apply_operations", operations=[_GOLD], story=_STORY)
        await scribe.ok("apply_operations", operations=[_DELETE], story=_STORY)

    assert beside == [True] * 4


async def test_what_the_user_has_done_is_taken_back_once_the_user_agrees(home: House, story: Path) -> None:
    def by_the_user(name: str) -> bytes:
        asked = {"function": "create_variable", "function_params": {"name": name, "type": "num"}}
        with home.http() as http:
            answer = http.post("/projects/1/turns", json={"arrow_content": story.read_text("utf-8"), **asked})
        story.write_text(answer.json()["arrow_content"], "utf-8")
        return story.read_bytes()

    first, second = story.read_bytes(), by_the_user("courage")
    async with assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD], story=_STORY)
        own = await scribe.ok("undo", story=_STORY)
        assert story.read_bytes() == second
        asked = await scribe.ok("undo", story=_STORY)
        assert story.read_bytes() == second
        done = await scribe.ok("confirm", id=asked["id"], words="yes", story=_STORY)
    assert (own["status"], asked["status"], done["status"]) == ("done", "question", "done")
    assert parse(story.read_text("utf-8")).data.variables == parse(first.decode()).data.variables


async def test_what_the_user_has_done_is_the_users_also_where_it_leads_back_to_what_an_assistant_made(
    home: House, story: Path
) -> None:
    def renamed_by_the_user(old: str, new: str) -> None:
        before = parse(story.read_text("utf-8"))
        number = next(key for key, one in before.data.variables.items() if one["name"] == old)
        asked = {"function": "update_variable", "function_params": {"variable_id": number, "name": new}}
        with home.http() as http:
            answer = http.post("/projects/1/turns", json={"arrow_content": before.to_text(), **asked})
        story.write_text(answer.json()["arrow_content"], "utf-8")

    async with assistant(home.url) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD], story=_STORY)
        made = story.read_bytes()
        renamed_by_the_user("gold", "silver")
        renamed_by_the_user("silver", "gold")
        assert story.read_bytes() == made
        asked = await scribe.ok("undo", story=_STORY)
    assert asked["status"] == "question"
    assert story.read_bytes() == made


async def test_what_the_user_has_done_is_the_users_also_where_an_assistant_has_worked_in_another_project(
    home: House, story: Path
) -> None:
    asked = {"function": "create_scene", "function_params": {"name": "Chapter Two"}}
    with home.http() as http:
        answer = http.post("/projects/1/turns", json={"arrow_content": story.read_text("utf-8"), **asked})
    story.write_text(answer.json()["arrow_content"], "utf-8")
    async with assistant(home.url) as scribe:
        for name in ("quay", "pier"):
            renaming = {"function": "update_node", "arguments": {"node_id": 3, "name": name}}
            await scribe.ok("apply_operations", operations=[renaming], story=_STORY, project="another")
        undone = await scribe.ok("undo", story=_STORY, project="1")
    assert undone["status"] == "question"
    assert "Chapter Two" in story.read_text("utf-8")


async def test_however_many_calls_there_were_each_is_taken_back(
    home: House, story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kept in ("agent.turn.direct.KEPT_TURNS", "server.services.KEPT_TURNS", "fletcher.story_file._KEPT_TURNS"):
        monkeypatch.setattr(kept, 3)

    def gold(number: int) -> dict[str, Any]:
        return {"function": "create_variable", "arguments": {"name": f"gold_{number}", "type": "num"}}

    versions: list[str] = []
    async with assistant(home.url) as scribe:
        for number in range(6):
            versions.append(fingerprint(parse(story.read_text("utf-8"))))
            await scribe.ok("apply_operations", operations=[gold(number)], story=_STORY)
        for version in reversed(versions):
            await scribe.ok("undo", story=_STORY)
            assert fingerprint(parse(story.read_text("utf-8"))) == version
        assert await scribe.code("undo", story=_STORY) in ("NOTHING_TO_UNDO", "CONFLICT")


async def test_a_list_is_done_as_a_whole_or_not_at_all(home: House, story: Path) -> None:
    before = story.read_bytes()
    wrong = {"function": "update_node", "arguments": {"node_id": 999, "name": "x"}}
    async with assistant(home.url) as scribe:
        answer = await scribe.call("apply_operations", operations=[_GOLD, wrong, _SCENE], story=_STORY)

    assert answer.structured_content["error"]["code"] == "INVALID_NODE_ID"
    assert "Operation 2 of 3 (update_node)" in text_of(answer)
    assert "Nothing of the list was done." in text_of(answer)
    assert story.read_bytes() == before


async def test_later_operations_name_what_earlier_ones_make(home: House, story: Path) -> None:
    def node(name: str) -> dict[str, Any]:
        data = {"type": "content", "name": name, "preset": {"content": name}, "scene_id": 0}
        return {"function": "create_insert_node", "arguments": data}

    link = {"function": "create_connection", "arguments": {"from_node_id": "created_1", "to_node_id": "created_2"}}
    last = {"function": "update_node", "arguments": {"node_id": "last_created", "notes": "the last"}}
    async with assistant(home.url) as scribe:
        done = await scribe.ok("apply_operations", operations=[node("one"), node("two"), link, last], story=_STORY)
        assert await scribe.code("apply_operations", operations=[link], story=_STORY) == "INVALID_ARGUMENTS"

    first, second = (done["operations"][index]["result"]["node_id"] for index in (0, 1))
    written = parse(story.read_text("utf-8")).data
    assert [(target, slot) for _, _, target, slot in written.outgoing(first, 0)] == [(second, 0)]
    assert written.nodes[second]["notes"] == "the last"


async def test_what_takes_away_comes_back_as_a_question(home: House, story: Path) -> None:
    before = story.read_bytes()
    async with assistant(home.url) as scribe:
        asked = await scribe.ok("apply_operations", operations=[_DELETE], story=_STORY)
        assert asked["status"] == "question"
        assert story.read_bytes() == before
        unclear = await scribe.code("confirm", id=asked["id"], words="delete scene 0 as well", story=_STORY)
        assert story.read_bytes() == before
        done = await scribe.ok("confirm", id=asked["id"], words="yes, do it", story=_STORY)
        again = await scribe.code("confirm", id=asked["id"], words="yes", story=_STORY)

    assert unclear == "NOT_AN_ANSWER"
    assert done["status"] == "done"
    assert again == "NOT_PENDING"
    assert 2 not in parse(story.read_text("utf-8")).data.nodes


async def test_a_list_whose_words_mean_what_it_makes_itself_is_asked_about_all_the_same(
    home: House, story: Path
) -> None:
    jump = {"type": "jump", "scene_id": 0, "preset": {"reason": "a reason of the writer's. " * 9}}
    target = {"id": "last_created"}  # of no type: a node is meant
    shorter = {"node_id": "created_1", "data": {"reason": "", "target": target}}
    async with assistant(home.url) as scribe:
        made = await scribe.ok("apply_operations", operations=[_called("create_insert_node", jump)], story=_STORY)
        shorter["node_id"] = made["operations"][0]["result"]["node_id"]
        operations = [
            _called("create_insert_node", {"type": "marker", "scene_id": 0}),
            _called("update_node", shorter),
        ]
        asked = await scribe.ok("apply_operations", operations=operations, story=_STORY)
        assert asked["status"] == "question"
        done = await scribe.ok("confirm", id=asked["id"], words="yes", story=_STORY)
    marker, updated = done["operations"]
    nodes = parse(story.read_text("utf-8")).data.nodes
    assert nodes[shorter["node_id"]]["data"]["target"] == marker["result"]["node_id"]
    assert updated["success"]


def _called(function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"function": function, "arguments": arguments}


@_IN_EITHER_ERA
async def test_of_a_long_question_what_would_be_lost_is_shown_first(home: House, story: Path, era: Era) -> None:
    user = User(["no"])
    long = {"type": "content", "scene_id": 0, "preset": {"content": "What is new. " * 10_000}}
    async with assistant(home.url, era, user) as scribe:
        await scribe.ok("apply_operations", operations=[_called("create_insert_node", long), _DELETE], story=_STORY)
    (shown,) = user.shown
    assert len(shown) < 110_000
    assert "What would be lost: node 2" in shown


async def test_a_list_of_which_a_part_is_asked_about_waits_as_a_whole(home: House, story: Path) -> None:
    before = story.read_bytes()
    operations = [saying("Said anew."), _GOLD, _DELETE]
    async with assistant(home.url) as scribe:
        asked = await scribe.ok("apply_operations", operations=operations, story=_STORY)
        assert story.read_bytes() == before
        refused = await scribe.ok("confirm", id=asked["id"], words="no", story=_STORY)
        assert story.read_bytes() == before
        again = await scribe.ok("apply_operations", operations=operations, story=_STORY)
        done = await scribe.ok("confirm", id=again["id"], words="yes", story=_STORY)

    assert "update node, create variable, delete node would change this" in asked["question"]
    assert "Said anew." in asked["question"]
    assert refused["status"] == "unchanged"
    assert [one["function"] for one in done["operations"]] == ["update_node", "create_variable", "delete_node"]
    assert "Said anew." in story.read_text("utf-8")
    assert _variables(story) >= {"gold"}
    assert 2 not in parse(story.read_text("utf-8")).data.nodes


async def test_what_a_list_itself_has_written_is_no_loss(home: House, story: Path) -> None:
    async with assistant(home.url) as scribe:
        operations = [saying("a" * 60), saying("b" * 60), saying("c" * 60)]
        done = await scribe.ok("apply_operations", operations=operations, story=_STORY)

    assert done["status"] == "done"
    assert "c" * 60 in story.read_text("utf-8")


@_IN_EITHER_ERA
async def test_what_an_assistant_takes_away_counts_over_calls_and_connections(
    home: House, story: Path, era: Era
) -> None:
    async def say(words: str) -> dict[str, Any]:
        async with assistant(home.url, era) as scribe:
            return await scribe.ok("apply_operations", operations=[saying(words)], story=_STORY)

    async def answer(asked: dict[str, Any], words: str) -> None:
        async with assistant(home.url, era) as scribe:
            await scribe.ok("confirm", id=asked["id"], words=words, story=_STORY)

    little = [await say("a" * 40), await say("b" * 40)]
    much = await say("c" * 40)
    await answer(much, "no")
    still = await say("d" * 40)
    await answer(still, "yes")
    anew = [await say("e" * 40), await say("f" * 40)]
    again = await say("g" * 40)

    assert [one["status"] for one in little] == ["done", "done"]
    assert (much["status"], still["status"]) == ("question", "question")
    assert [one["status"] for one in anew] == ["done", "done"]
    assert again["status"] == "question"
    assert "f" * 40 in story.read_text("utf-8")


async def test_what_is_only_tried_is_not_taken_away(home: House, story: Path) -> None:
    async with assistant(home.url) as scribe:
        for letter in "abcdefgh":
            planned = await scribe.ok("apply_operations", operations=[saying(letter)], dry_run=True, story=_STORY)
            assert planned["status"] == "planned"
        done = await scribe.ok("apply_operations", operations=[saying("i")], story=_STORY)
    assert done["status"] == "done"


async def test_a_no_is_a_no(home: House, story: Path) -> None:
    before = story.read_bytes()
    async with assistant(home.url) as scribe:
        asked = await scribe.ok("apply_operations", operations=[_DELETE], story=_STORY)
        refused = await scribe.ok("confirm", id=asked["id"], words="no", story=_STORY)

    assert refused["status"] == "unchanged"
    assert story.read_bytes() == before


@_IN_EITHER_ERA
async def test_a_client_that_can_ask_asks_its_user(home: House, story: Path, era: Era) -> None:
    before = story.read_bytes()
    user = User(["no", None, "yes"])
    async with assistant(home.url, era, user) as scribe:
        refused = await scribe.ok("apply_operations", operations=[_DELETE], story=_STORY)
        closed = await scribe.code("apply_operations", operations=[_DELETE], story=_STORY)
        assert story.read_bytes() == before
        done = await scribe.ok("apply_operations", operations=[_DELETE], story=_STORY)

    assert (refused["status"], closed, done["status"]) == ("unchanged", "NOT_ANSWERED", "done")
    assert all("delete node" in question for question in user.shown)


@_IN_EITHER_ERA
async def test_so_many_calls_wait_for_their_users(
    home: House, story: Path, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of clients that are told what to ask none does."""
    monkeypatch.setattr("server.services._QUESTIONS_EACH", 1)

    async def delete(user: User) -> str:
        async with assistant(home.url, era, user) as scribe:
            answer = await scribe.call("apply_operations", operations=[_DELETE], story=_STORY)
        return answer.structured_content.get("error", answer.structured_content).get("code", "done")

    class Busy(User):
        async def answer(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
            others.append(await delete(User(["no"])))
            return await super().answer(context, params)

    others = list[str]()
    first, second = await delete(Busy(["no"])), await delete(User(["no"]))
    assert (first, second) == ("done", "done")
    assert others == ["TOO_BUSY" if era == "legacy" else "done"]


async def test_under_always_an_assistants_word_alone_changes_nothing(strict_home: House, story: Path) -> None:
    before = story.read_bytes()
    async with assistant(strict_home.url) as scribe:
        asked = await scribe.ok(
            "apply_operations",
            operations=[_GOLD],
            story=_STORY,
        )
        answer = await scribe.call("confirm", id=asked["id"], words="yes", story=_STORY)

    assert asked["status"] == "question"
    assert "never" not in asked["how"]
    assert answer.structured_content["error"]["code"] == "USER_NEEDED"
    assert f"--pending {asked['id']} -m yes" in text_of(answer)
    assert story.read_bytes() == before


async def test_what_the_user_is_to_paste_under_always_names_the_file_and_runs_nothing(
    strict_home: House, folder: Path
) -> None:
    (folder / "named").mkdir()
    file = folder / "named" / "a $(touch b);'echo' c.arrow"
    file.write_text(story_text(), "utf-8")
    (folder / "named" / "d\x1b[201~\ne.arrow").write_text(story_text(), "utf-8")
    (folder / "link.arrow").symlink_to(folder / "named" / "d\x1b[201~\ne.arrow")
    async with assistant(strict_home.url) as scribe:
        plain, unseen = [
            (await scribe.ok("apply_operations", operations=[_GOLD], story=story))["how"].split("in a terminal: ")[1]
            for story in (str(file), "link.arrow")
        ]
    program, command, named, *_ = shlex.split(plain)
    assert (program, command, named) == ("fletcher", "chat", str(file))
    assert unseen.isprintable()


@_IN_EITHER_ERA
async def test_under_always_the_users_own_yes_counts(strict_home: House, story: Path, era: Era) -> None:
    before = story.read_bytes()
    async with assistant(strict_home.url, era, User(["yes", "yes"])) as scribe:
        done = await scribe.ok("apply_operations", operations=[_GOLD], story=_STORY)
        assert _variables(story) == {"oil", "gold"}
        undone = await scribe.ok("undo", story=_STORY)

    assert (done["status"], undone["status"]) == ("done", "done")
    assert story.read_bytes() == before


async def test_a_question_of_another_workspace_is_not_answered(tmp_path: Path, folder: Path) -> None:
    access = Access({"a-token": "one", "b-token": "two"})
    with house(tmp_path / "data", access=access, roots={"one": (folder,), "two": (folder,)}) as home:
        async with (
            assistant(home.url, headers={"authorization": "Bearer a-token", "x-fletcher-project": "1"}) as one,
            assistant(home.url, headers={"authorization": "Bearer b-token", "x-fletcher-project": "1"}) as two,
        ):
            asked = await one.ok("apply_operations", operations=[_DELETE], story=_STORY)
            assert await two.code("confirm", id=asked["id"], words="yes", story=_STORY) == "NOT_PENDING"


async def test_each_operation_by_its_own_name_where_a_client_asks(home: House, story: Path) -> None:
    async with assistant(home.url, query="?tools=operations") as scribe:
        names = {tool.name for tool in (await scribe.client.list_tools()).tools}
        done = await scribe.ok("create_variable", name="gold", type="num", story=_STORY)

    assert {"create_insert_node", "delete_scene", "apply_operations"} <= names
    assert done["status"] == "done"
    assert _variables(story) == {"oil", "gold"}


async def test_of_several_projects_one_is_named_beside_the_story(home: House, story: Path) -> None:
    home.put("people.md", "Elena", ProjectKey("local", "2"))
    async with assistant(home.url) as scribe:
        unnamed = await scribe.code("apply_operations", operations=[_GOLD], story=_STORY)
        asked = await scribe.ok("apply_operations", operations=[_DELETE], story=_STORY, project="2")
        done = await scribe.ok("confirm", id=asked["id"], words="yes", story=_STORY, project="2")
        undone = await scribe.ok("undo", story=_STORY, project="2")
        outlined = await scribe.ok("outline", story=_STORY, project="1")

    assert unnamed == "PROJECT_NEEDED"
    assert (done["status"], undone["status"], outlined["project"]) == ("done", "done", "1")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{}", "has no"), ('"' + "|" * 500_001 + '"', "500,000 values, bars or braces")],
    ids=["empty", "crowded"],
)
async def test_a_file_that_is_no_project_is_named(home: House, folder: Path, text: str, problem: str) -> None:
    (folder / "other.arrow").write_text(text, "utf-8")
    async with assistant(home.url) as scribe:
        wrong: dict[str, dict[str, Any]] = {"outline": {}, "apply_operations": {"operations": [_GOLD]}}
        for tool, arguments in wrong.items():
            answer = await scribe.call(tool, story="other.arrow", **arguments)
            assert text_of(answer).startswith(f"PARSE_ERROR: {folder / 'other.arrow'} is not a project that Arrow")
            assert problem in text_of(answer)


async def test_a_file_of_too_many_characters_is_not_read(home: House, folder: Path) -> None:
    (folder / "other.arrow").write_text(story_text().ljust(16 * 2**20 + 1), "utf-8")
    async with assistant(home.url) as scribe:
        wrong: dict[str, dict[str, Any]] = {"outline": {}, "apply_operations": {"operations": [_GOLD]}}
        for tool, arguments in wrong.items():
            answer = text_of(await scribe.call(tool, story="other.arrow", **arguments))
            assert answer.startswith(f"FILE_TOO_LARGE: {folder}")
            assert "must not have more than 16,777,216 characters" in answer


async def test_what_could_not_be_read_again_is_not_written(
    home: House, story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arrow_project.long_texts.MOST_VALUES", 1_000)  # which is told as what it is
    document = json.loads(story.read_text("utf-8"))
    values = sum(map(story.read_text("utf-8").count, ",[{"))
    document["resources"]["nodes"]["3"]["data"]["crowd"] = [0] * (940 - values)
    story.write_text(json.dumps(document), "utf-8")
    before = story.read_bytes()
    async with assistant(home.url) as scribe:
        await scribe.ok("outline", story=_STORY)
        arguments = {"type": "num", "initial_value": 10}
        operations = [_GOLD | {"arguments": arguments | {"name": f"gold{n}"}} for n in range(40)]
        answer = text_of(await scribe.call("apply_operations", story=_STORY, operations=operations))
    assert answer.startswith("PARSE_ERROR: ")
    assert "stays as it was: this would not be read again. The text has more than 500,000 values" in answer
    assert story.read_bytes() == before


async def test_an_undo_would_lose_what_was_done_since(home: House, story: Path) -> None:
    async with assistant(home.url) as scribe:
        nothing = await scribe.code("undo", story=_STORY)
        await scribe.ok("apply_operations", operations=[_GOLD], story=_STORY)
        changed = story_text(title="Another")
        story.write_text(changed, "utf-8")
        conflict = await scribe.code("undo", story=_STORY)

    assert (nothing, conflict) == ("NOTHING_TO_UNDO", "CONFLICT")
    assert story.read_text("utf-8") == changed
