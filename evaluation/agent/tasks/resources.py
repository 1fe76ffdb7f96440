"""Scenes, characters and variables."""

from evaluation.agent.changes import exactly, node
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.task import YES, Ask, Task


def _task(name: str, message: str, **changes: object) -> Task:
    return Task(name, SAMPLE_STORY, (Ask(message), YES), (exactly(**changes),))


TASKS = (
    _task(
        "create-scene",
        'Create a scene named "2 Dawn: The Gallery"',
        scenes={"new": {"name": "2 Dawn: The Gallery", "macro": False}},
    ),
    _task("create-macro", "Create a macro called Winding", scenes={"new": {"name": "Winding", "macro": True}}),
    _task("rename-scene", "Rename scene 20 to The Kitchen", altered={20: {"name": "The Kitchen"}}),
    _task(
        "scene-with-content",
        'Create a scene named "Cellar", then add a content after it: Eleven crates, and a tin with a slot.',
        scenes={"cellar": {"name": "Cellar"}},
        nodes={"new": node("content", scene="cellar", content="Eleven crates, and a tin with a slot.")},
        links={("cellar.entry", 0, "new")},
    ),
    _task(
        "create-number",
        "Create a variable pages_left = 7",
        variables={"new": {"name": "pages_left", "type": "num", "init": 7}},
    ),
    _task(
        "create-flag",
        "Add a boolean variable seal_intact that starts as true",
        variables={"new": {"name": "seal_intact", "type": "bool", "init": True}},
    ),
    _task(
        "create-text",
        'Create a text variable weather with value "fog"',
        variables={"new": {"name": "weather", "type": "str", "init": "fog"}},
    ),
    _task("start-value", "Set the initial value of oil to 36", altered={3: {"init": 36}}),
    _task(
        "rename-variable",
        "Rename the variable trust to odiles_trust",
        altered={4: {"name": "odiles_trust"}},
    ),
    _task(
        "create-character",
        "Create a character Sabeth Rook with color #5b6f52",
        characters={"new": {"name": lambda found: found in ("Sabeth Rook", "Sabeth_Rook"), "color": "5b6f52"}},
    ),
    _task(
        "two-characters",
        "Create the characters Osk and Sabeth",
        characters={"osk": {"name": "Osk"}, "sabeth": {"name": "Sabeth"}},
    ),
    _task("rename-character", "Rename the character Bursar to Chancellor", altered={9: {"name": "Chancellor"}}),
    _task("recolour", "Change Mina's color to #112233", altered={6: {"color": "112233"}}),
    _task("tag", "Give Jory the tag age = 13", altered={8: {"tags": {"age": "13"}}}),
    _task("untag", "Remove the tag species from Bursar", altered={9: {"tags": {}}}),
)
