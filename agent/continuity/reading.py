"""The reading tool `check_continuity`."""

from typing import Any

from pydantic import Field

from agent.continuity.checking import check_scene
from agent.continuity.places import DocumentTexts
from agent.continuity.report import render
from agent.reading.sources import Arguments, NotThere, Sources
from arrow_project import Story
from retrieval import CitedPassage


class CheckContinuity(Arguments):
    """Compare a scene with the design documents: names spelled otherwise, speakers nobody knows, figures and facts that
    differ. Returns findings with node ids and passages to cite, and passages near the scene: read those for what
    disagrees otherwise.
    """

    scene_id: int | None = Field(None, description="the scene; the open one if it is left out")


def check_continuity(sources: Sources, given: CheckContinuity) -> dict[str, Any]:
    """The findings, with the passages near the scene for whoever judges by himself."""
    story = Story(sources.project)
    tries = (given.scene_id, sources.context.scene_id, story.scene_of_entry())
    scene_id = next((known for known in tries if known is not None), -1)
    if scene_id not in story.scenes:
        known = ", ".join(f"{one.id} “{one.name}”" for one in story.scenes.values())
        raise NotThere("INVALID_SCENE_ID", f"There is no scene {scene_id}. The scenes are: {known}.")
    documents = _documents(sources)
    if documents.vocabulary.is_empty:
        raise NotThere("NO_DOCUMENTS", "This project has no design documents to check the scene against.")
    report = check_scene(story, scene_id, documents)
    return report.as_dict() | {"text": render(report)}


def _documents(sources: Sources) -> DocumentTexts:
    retriever, key = sources.retriever, sources.project_key
    pages = (page.text for document in retriever.documents(key) for page in retriever.read_pages(key, document.id))

    def search(query: str, count: int) -> list[CitedPassage]:
        ranked = retriever.search(key, query, count)
        return [sources.citations.number(one.passage, one.score, one.also_in) for one in ranked]

    return DocumentTexts(pages, search)
