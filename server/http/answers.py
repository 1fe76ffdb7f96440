"""What is answered over HTTP, as models: each answer is checked against its own before it goes out.

Fields that have a default are there only where they say something.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["indexed", "searchable", "unchanged", "updated", "removed", "skipped", "failed"]


class Answer(BaseModel):
    """An answer, or a part of one, without fields that are not described."""

    model_config = ConfigDict(extra="forbid")


class Problem(Answer):
    """What is wrong: a code for programs and a sentence for people that names the thing, the rule and the remedy."""

    code: str
    message: str


class ErrorAnswer(Answer):
    """The one form of every refusal."""

    error: Problem


class DocumentEntry(Answer):
    """One document; counts are those of what is in the corpus, also where an older version was kept.

    Of each list of pages the first 100 are there; `more_pages` says by its name how many there are besides.

    `searchable`: found by its words, while some of its vectors are still to be made. `replaced`: another version of it
    was there, which is gone; not said of others.
    """

    name: str
    id: str | None
    status: Status
    pages: int | None
    pages_without_text: list[int]
    passages: int
    embedded: int
    error: Problem | None
    pages_with_hidden_text: list[int] = Field(default_factory=list[int])
    pages_recognized: list[int] = Field(default_factory=list[int])
    more_pages: dict[str, int] = Field(default_factory=dict[str, int])
    replaced: bool = False


class CorpusReport(Answer):
    """What became of each document of a request."""

    project: str
    documents: list[DocumentEntry]
    seconds: float


class DocumentList(Answer):
    """Documents, by name."""

    documents: list[DocumentEntry]


class FolderAnswer(Answer):
    """The linked folder, what is wrong with it, and its documents."""

    project: str
    path: str
    problem: Problem | None
    documents: list[DocumentEntry]
    skipped_more: int = 0


class ProjectEntry(Answer):
    """One project and how much is in its corpus."""

    project: str
    documents: int
    passages: int
    embedded: int


class ProjectList(Answer):
    """The workspace's projects."""

    projects: list[ProjectEntry]


class FindingEntry(Answer):
    """A rule that a story breaks, or something a story editor would look at; `place` is such as `scene 0, node 12`."""

    rule: int | str
    severity: Literal["error", "warning"]
    place: str
    message: str


class CheckAnswer(Answer):
    """What is wrong with a story; broken rules come first."""

    findings: list[FindingEntry]


class FoundPassage(Answer):
    """One passage; the span counts characters of the document's text, and pages start at 1."""

    id: str
    document: str
    document_id: str
    page_from: int | None
    page_to: int | None
    heading: list[str]
    char_from: int
    char_to: int
    score: float
    text: str
    also_in: list[str] = Field(default_factory=list[str])


class PagesNotSearched(Answer):
    """Pages of a document that are pictures without text: the first 100, and how many there are besides."""

    document: str
    pages: list[int]
    more_pages: int = 0


class SearchFound(Answer):
    """Ranked passages, the best first; scores compare within one answer only.

    `confidence`: how likely it is that the documents have an answer at all, 0 to 1, and `relevance` the same as a word.
    """

    query: str
    relevance: Literal["strong", "weak", "none"]
    confidence: float = Field(ge=0, le=1)
    passages: list[FoundPassage]
    pages_without_text: list[PagesNotSearched] = Field(default_factory=list[PagesNotSearched])
    text_only: bool = False
    not_reranked: bool = False


class CitationEntry(Answer):
    """Where a number like `[2]` in the text points."""

    number: int
    document: str
    page_from: int | None
    page_to: int | None
    also_in: list[str] = Field(default_factory=list[str])


class Refused(BaseModel):
    """Why an operation was refused, with what else helps, such as the ids that are meant."""

    model_config = ConfigDict(extra="allow")

    code: str
    message: str


class OperationEntry(Answer):
    """One operation that was executed or refused."""

    function: str
    arguments: dict[str, Any]
    success: bool
    result: Any
    error: Refused | None


class QuestionEntry(Answer):
    """What waits for an answer: send it as `message` together with `pending_id`."""

    kind: Literal["confirmation", "parameters", "plan"]
    text: str
    pending_id: str


class SuggestionEntry(Answer):
    """Something to do next that would succeed as it stands: send `function`, and `params` as `function_params`."""

    label: str
    function: str
    params: dict[str, Any]


class TurnUsage(Answer):
    """What the model cost; US dollars where the price is known."""

    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class TurnAnswer(Answer):
    """What a turn said and did, and the story afterwards.

    `not_done` are those sentences of `text` that say what was not done; `diff` is what changed, or what a plan would
    change.
    """

    text: str
    citations: list[CitationEntry]
    operations: list[OperationEntry]
    not_done: list[str]
    question: QuestionEntry | None
    suggestions: list[SuggestionEntry]
    usage: TurnUsage
    changed: bool
    diff: str
    arrow_content: str


class Stores(Answer):
    """Which stores answer."""

    catalog: Literal["ok", "away"]
    vectors: Literal["ok", "away"]


class HealthAnswer(Answer):
    """`degraded`: ready, but searching by words only, or not reranked; `unavailable`: hardly anything can be done.

    `providers` has the models that a provider runs for us.
    """

    status: Literal["ok", "degraded", "unavailable"]
    version: str
    stores: Stores
    providers: dict[Literal["embedding", "reranking"], Literal["ok", "away"]]
