"""Requests that only the documents of the sample project can fill."""

from corpora.samples import SAMPLE
from evaluation.agent.changes import exactly, same
from evaluation.agent.checks import cites, holds, kept_the_rest, scene_from_dialogue
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.story_state import StoryState
from evaluation.agent.task import YES, Ask, Task


def _scene(name: str, message: str, title: str, speakers: dict[str, int], *, in_grammar: bool = True) -> Task:
    checks = (scene_from_dialogue(title, speakers, 3), cites("dialogues.txt"), kept_the_rest(0, 20))
    return Task(name, SAMPLE_STORY, (Ask(message), YES), checks, in_grammar)


def _new_characters(before: StoryState, after: StoryState) -> list[str]:
    return sorted(str(one["name"]).casefold() for key, one in after.characters.items() if key not in before.characters)


def _variables_of_the_documents(_before: StoryState, after: StoryState) -> bool:
    wanted = {"lamp_pennies": False, "has_button": False, "pages_left": 7, "seal_intact": True}
    return len(after.variables) == 8 and all(
        len(found := after.named("variables", name)) == 1 and same(after.variables[found[0]]["init"], value)
        for name, value in wanted.items()
    )


TASKS = (
    _scene("supper-on-a-slant", SAMPLE.request, "Supper on a Slant", {"Osk": 6, "Sabeth": 6, "Mina": 3}),
    _scene(
        "probably",
        "Build a scene from dialogue 7 in dialogues.txt",
        "Probably",
        {"Jory": 6, "Mina": 4},
    ),
    _scene(
        "section-nine",
        'Turn the dialogue "Section Nine" into a scene',
        "Section Nine",
        {"Odile": 5, "Sabeth": 5, "Mina": 1},
    ),
    Task(
        "supper-makes-two-characters",
        SAMPLE_STORY,
        (Ask(SAMPLE.request), YES),
        (
            holds(
                "Osk and Sabeth are the new characters",
                lambda before, after: (
                    [name.split()[-1 if "mr" in name else 0] for name in _new_characters(before, after)]
                    == ["osk", "sabeth"]
                ),
            ),
        ),
    ),
    _scene(
        "the-verdict",
        "I want the scene on the Flats where the mule refuses to go on, as it is in the script.",
        "Admiral",
        {"Sabeth": 8, "Mina": 4},
        in_grammar=False,
    ),
    Task(
        "correct-the-steps",
        SAMPLE_STORY,
        (Ask("Jory gets the number of steps wrong when he warns Mina. Correct it as the documents have it."), YES),
        (
            exactly(
                changed={
                    17: {
                        "lines": lambda found: (
                            len(found) == 1
                            and ("seventeen" in found[0].casefold() or "117" in found[0])
                            and "twelve" not in found[0]
                        )
                    }
                }
            ),
            cites("game-bible.pdf"),
        ),
        in_grammar=False,
    ),
    Task(
        "missing-variables",
        SAMPLE_STORY,
        (Ask("Create the variables that the documents list and the project does not have yet."), YES),
        (
            holds("the eight variables of the documents are there", _variables_of_the_documents),
            kept_the_rest(0, 20),
            cites("variables-and-endings.md"),
        ),
        in_grammar=False,
    ),
    Task(
        "the-postmistress",
        SAMPLE_STORY,
        (Ask("Create the character of the postmistress. I forget what we called her."), YES),
        (
            holds(
                "the postmistress has her name",
                lambda before, after: len(found := _new_characters(before, after)) == 1 and "lisle" in found[0],
            ),
            kept_the_rest(0, 20),
        ),
        in_grammar=False,
    ),
    Task(
        "ages-as-tags",
        SAMPLE_STORY,
        (Ask("Give Mina and Jory a tag 'age' with their ages from the character sheets."), YES),
        (exactly(altered={6: {"tags": {"age": "27"}}, 8: {"tags": {"age": "13"}}}),),
        in_grammar=False,
    ),
)
