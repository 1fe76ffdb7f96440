"""The reading tool `check_continuity`."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agent.continuity.checking import check_scene, render
from agent.continuity.places import DocumentTexts
from agent.reading.citations import Citations
from agent.reading.reading import NotThere
from agent.turn.request import TurnContext
from arrow_project import Story
from retrieval import CitedPassage, ProjectKey, ProjectNotFound, Retriever


class CheckContinuity(BaseModel):
    """Arguments of `check_continuity`."""

    model_config = ConfigDict(extra="forbid")
    scene_id: int | None = Field(None, description="the scene; the open one if it is left out")


class ContinuityReader:
    """Answers `check_continuity` for one turn."""

    def __init__(
        self, retriever: Retriever, key: ProjectKey | None, citations: Citations, context: TurnContext
    ) -> None:
        self._retriever = retriever
        self._key = key
        self._citations = citations
        self._context = context

    def check(self, given: CheckContinuity) -> dict[str, Any]:
        """The findings, with the passages near the scene for whoever judges by himself."""
        story, scene_id = self._scene(given.scene_id)
        if self._key is None:
            raise ProjectNotFound("The client has no project open, so there are no documents.")
        documents = self._documents(self._key)
        if documents.vocabulary.is_empty:
            raise NotThere("NO_DOCUMENTS", "This project has no design documents to check the scene against.")
        report = check_scene(story, scene_id, documents)
        return report.as_dict() | {"text": render(report)}

    def _scene(self, scene_id: int | None) -> tuple[Story, int]:
        if self._context.project is None:
            raise NotThere("NO_PROJECT", "There is no .arrow content to check yet.")
        story = Story(self._context.project)
        wanted = next(
            (known for known in (scene_id, self._context.scene_id, story.scene_of_entry()) if known is not None), -1
        )
        if wanted not in story.scenes:
            known = ", ".join(f"{one.id} “{one.name}”" for one in story.scenes.values())
            raise NotThere("INVALID_SCENE_ID", f"There is no scene {wanted}. The scenes are: {known}.")
        return story, wanted

    def _documents(self, key: ProjectKey) -> DocumentTexts:
        pages = (
            page.text
            for document in self._retriever.documents(key)
            for page in self._retriever.read_pages(key, document.id)
        )

        def search(query: str, count: int) -> list[CitedPassage]:
            ranked = self._retriever.search(key, query, count)
            return [self._citations.number(one.passage, one.score, one.also_in) for one in ranked]

        return DocumentTexts(pages, search)
