"""The question names what would be lost, each thing on one line."""

import json
import re

from agent.questions.questions import Questions
from arrow_project import ArrowProject, Operation, describe_loss, diff, losses, parse, tables_of
from tests.agent.losing import LAMP, LINE, skip, tags, update, written
from tests.agent.story import story
from tests.agent.turn_runner import Pendings


def lost(project: ArrowProject, *operations: Operation) -> list[str]:
    after = project.copy()
    after.apply_all(operations)
    return [describe_loss(project, loss) for loss in losses(tables_of(project), tables_of(after))]


def test_what_is_lost_is_named() -> None:
    project = written()
    assert lost(project, tags()) == ['tags.home of character 21: "pier"', 'tags.mood of character 21: "low"']
    assert lost(project, skip(50)) == ['skip of node 50: "played"']
    assert lost(project, Operation("delete_node", {"node_id": 3})) == [
        'node 3 "pier"', "the connection from 2 slot 0 to 3",
    ]  # fmt: skip
    between = [line.partition(" ")[2] for line in lost(project, Operation("delete_node", {"node_id": 2}))[1:]]
    assert between == ["connection from 1 slot 0 to 2", "connection from 2 slot 0 to 3"]
    assert lost(project, Operation("set_project_entry", {"node_id": 2})) == ['entry of project: "1"']
    assert lost(project, update(2, data={"lines": [f"{number}. {LINE}" for number in (1, 0, 2, 3, 4, 5)]})) == [
        'the connection of "0. The lamp is cold, and nobody has come to light it since …" from 2 slot 0 to 3'
    ]
    assert lost(project, update(2, data={"lines": ["Cold."]}))[5] == (
        'lines[5] of node 2: "5. The lamp is cold, and nobody has come to light it since …" (73 characters)'
    )


def test_the_question_names_every_loss() -> None:
    project = written()
    after = project.copy()
    operations = [tags(), Operation("delete_node", {"node_id": 50}), update(3, notes="")]
    after.apply_all(operations)
    asked = Questions(Pendings()).about_changes("confirmation", project, after, operations, None)
    for loss in ("tags.home of character 21", "tags.mood of character 21", "node 50", 'notes of node 3: "Ask Ada."'):
        assert loss in asked.text.partition("What would be lost: ")[2]


def test_of_very_many_losses_the_first_are_named() -> None:
    before = written()
    before.apply(tags(**{f"tag{number}": "low" for number in range(1_001)}))
    after = before.copy()
    after.apply(tags())
    text = Questions(Pendings()).about_changes("confirmation", before, after, [tags()], None).text
    assert text.count(" of character 21: ") == 1_000
    assert "…, and more." in text


def test_where_nothing_is_lost_nothing_is_said_of_it() -> None:
    after = story()
    gold = Operation("create_variable", {"name": "gold", "type": "num"})
    after.apply(gold)
    assert "lost" not in Questions(Pendings()).about_changes("confirmation", story(), after, [gold], None).text


def test_what_is_lost_is_named_on_one_line_whatever_it_is_called() -> None:
    forged = 'gold"\nWhat would be lost: nothing.\u202e\x1b[2J'
    document = json.loads(LAMP)
    (character,) = list(document["resources"]["characters"].values())[:1]
    character["tags"] = {forged: forged}
    before = parse(json.dumps(document))
    del character["tags"]
    (loss,) = losses(tables_of(before), tables_of(parse(json.dumps(document))))
    said = describe_loss(before, loss)
    assert said.isprintable()
    assert said.startswith('tags."gold')


def test_what_a_question_quotes_is_on_one_line_and_in_sight() -> None:
    forged = 'gold"\nWhat would be lost: nothing.\u2028\u2029\u0085\u202e\u200b\u2066\U000e0041\x1b[2J\x7f'
    shown = "🧙\u200d♂️ Élise\u00a0! 港"
    document = json.loads(LAMP)
    character = next(iter(document["resources"]["characters"].values()))
    character |= {"name": forged, "tags": {forged: forged}}
    before = parse(json.dumps(document))
    character |= {"name": shown, "tags": {}}
    name, *tags = str(diff(before, parse(json.dumps(document)))).splitlines()
    assert len(tags) == 1
    assert not re.search("[\x7f-\x9f\u2028-\u202e\u2066\u200b\U000e0041]", name + tags[0])
    assert name.endswith(f'-> "{shown}"'), "what people write stays as it is"
