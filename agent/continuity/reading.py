"""The reading tool `check_continuity`."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from pydantic import Field

from agent.continuity.checking import check_scene
from agent.continuity.places import DocumentTexts
from agent.continuity.report import render
from agent.reading.sources import Arguments, NotThere, Sources
from arrow_project import GoOn, Story, shorten
from retrieval import CitedPassage

_NAMED = 40  # scenes in a sentence
_MOST_CHARACTERS = 30_000_000  # ten thousand pages, for which it takes half a minute
_TOO_MUCH = (
    f"The documents of this project have more than {_MOST_CHARACTERS:,} characters, and a check compares with no more. "
    "Search them for what is to be checked."
)


class CheckContinuity(Arguments):
    """Compare a scene with the design documents: names spelled otherwise, speakers nobody knows, figures and facts that
    differ. Returns findings with node ids and passages to cite, and passages near the scene: read those for what
    disagrees otherwise. A long scene comes in parts.
    """

    scene_id: int | None = Field(None, description="the scene; the open one if it is left out")
    part: int = Field(1, ge=1, description="which part of a long scene, from 1; the answer says how many there are")


def check_continuity(sources: Sources, given: CheckContinuity, go_on: GoOn = lambda: None) -> dict[str, Any]:
    """The findings, with the passages near the scene for whoever judges by himself.

    `go_on` is called again and again; what it raises ends the check.
    """
    story = Story(sources.project)
    wanted = given.scene_id
    scene = story.open_scene(sources.context.scene_id) if wanted is None else story.scenes.get(wanted)
    if scene is None:
        known = ", ".join(f"{one.id} “{shorten(one.name)}”" for one in islice(story.scenes.values(), _NAMED))
        raise NotThere("INVALID_SCENE_ID", f"There is no scene {wanted}. The scenes are: {known}.")
    retriever, key = sources.retriever, sources.project_key
    documents = _documents(sources, go_on)
    with retriever.comparing(key, go_on):
        if documents.vocabulary.is_empty:
            raise NotThere("NO_DOCUMENTS", "This project has no design documents to check the scene against.")
        report = check_scene(story, scene.id, documents, given.part)
    return report.as_dict() | {"text": render(report)}


def _documents(sources: Sources, go_on: GoOn) -> DocumentTexts:
    retriever, key = sources.retriever, sources.project_key

    def step() -> None:
        go_on()
        retriever.give_way()

    def pages() -> Iterator[str]:
        room = _MOST_CHARACTERS
        for document in retriever.documents(key):
            step()
            for page in retriever.read_pages(key, document.id):
                room -= len(page.text)
                if room < 0:
                    raise NotThere("TOO_LARGE", _TOO_MUCH)
                yield page.text

    def search(query: str, count: int) -> list[CitedPassage]:
        ranked = retriever.search(key, query, count)
        return [sources.citations.number(one.passage, one.score, one.also_in) for one in ranked]

    return DocumentTexts(pages, search, step)
