"""The sample project: a small story game with its design documents, for the demo and for tests."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["SAMPLE", "Sample"]


@dataclass(frozen=True, slots=True)
class Sample:
    """A project to try Fletcher on, and two things to say to it.

    `documents` is the folder to ingest, `arrow_file` the writer's start, `questions` measures retrieval (JSON
    lines; the README beside this module gives their form). `question` is answered by the documents alone;
    `request` turns one of their dialogues into a scene.
    """

    name: str
    title: str
    documents: Path
    arrow_file: Path
    questions: Path
    question: str
    request: str


_HOME = Path(__file__).resolve().parent / "inland-light"

SAMPLE = Sample(
    name="inland-light",
    title="The Inland Light",
    documents=_HOME / "documents",
    arrow_file=_HOME / "inland-light.arrow",
    questions=_HOME / "questions.jsonl",
    question="Why do the night carters cross only in the dark, and what do they steer by?",
    request='Build a scene from the dialogue "Supper on a Slant" in the documents',
)
