"""What the reading tools of a turn read from, what their arguments have in common, and how they refuse."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from agent.reading.citations import Citations
from agent.turn.request import TurnContext
from arrow_project import ArrowProject
from retrieval import ProjectKey, ProjectNotFound, Retriever


class Arguments(BaseModel):
    """What a reading tool is given; its docstring is what a model is told of the tool."""

    model_config = ConfigDict(extra="forbid")


class NotThere(Exception):
    """What a call names does not exist; the text says what does."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Sources:
    """The documents of one project, and the turn's shadow of the story.

    Attributes:
        key: The project with the documents; None when the client has none open.
        citations: The numbers of what the turn has shown.
    """

    retriever: Retriever
    key: ProjectKey | None
    citations: Citations
    context: TurnContext

    @property
    def project_key(self) -> ProjectKey:
        """The project with the documents.

        Raises:
            ProjectNotFound: There is none.
        """
        if self.key is None:
            raise ProjectNotFound("The client has no project open, so there are no documents.")
        return self.key

    @property
    def project(self) -> ArrowProject:
        """The story.

        Raises:
            NotThere: There is none.
        """
        if self.context.project is None:
            raise NotThere(
                "PERMISSION_DENIED",
                "The client has not sent the .arrow file yet, so there is no story to read. It has to send it first.",
            )
        return self.context.project
