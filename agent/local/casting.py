"""Which character of the project speaks a script's line; the missing ones are created."""

from dataclasses import dataclass

from agent.local.desk import Desk, created_id
from agent.local.dialogue import Dialogue
from agent.local.names import fold, listed
from agent.local.steps import NotDone, Steps
from agent.local.story import Character, Story


@dataclass(frozen=True)
class Cast:
    """The characters of a dialogue.

    Attributes:
        ids: By the speaker's name as the script has it.
        created: Names that the project did not have.
    """

    ids: dict[str, int]
    created: tuple[str, ...]


def cast(desk: Desk, dialogue: Dialogue) -> Steps[Cast]:
    """Finds or creates a character for each speaker; ends with the cast.

    Raises:
        NotDone: A speaker's name fits several characters. Nothing has been created then.
    """
    story = desk.story()
    known = {speaker: find_character(speaker, story) for speaker in dialogue.speakers}
    ids = {speaker: character.id for speaker, character in known.items() if character is not None}
    created: list[str] = []
    for speaker in dialogue.speakers:
        if speaker not in ids:
            ids[speaker] = created_id((yield from desk.call("create_character", {"name": speaker})))
            created.append(speaker)
    return Cast(ids, tuple(created))


def find_character(speaker: str, story: Story) -> Character | None:
    """The character by whole name, or by the part of it that a script uses, such as the first name."""
    characters = list(story.characters.values())
    name = fold(speaker)
    exact = [one for one in characters if fold(one.name) == name]
    if exact:
        return exact[0]
    words = frozenset(name.split())
    partial = [one for one in characters if words < frozenset(fold(one.name).split())]
    # "Elena Marsh" in the script is the project's "Elena", but "Old Tomas" may well be another Tomas.
    partial = partial or [one for one in characters if fold(one.name) == name.split(" ")[0]]
    if len(partial) > 1:
        raise NotDone(
            f"The script's “{speaker}” may be {listed(partial, 'or')}. "
            "Write the whole name in the script, or rename one."
        )
    return partial[0] if partial else None
