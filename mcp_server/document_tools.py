"""The tools of documents: search, read, look at a page, list, add."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from mcp.types import InputRequiredResult

from agent import (
    NO_STORY,
    READING_TOOLS,
    Citations,
    TurnContext,
    TurnReader,
    ask_store,
    in_thread,
    look_at_drive,
    quoted_lines,
    quoted_name,
    remark,
)
from corpora import ProjectKey
from ingest import (
    MOST_ENTRIES,
    DocumentReport,
    FolderUnusable,
    IngestReport,
    Overwriting,
    Refusal,
    Scan,
    ScanError,
    Unread,
    scan,
)
from mcp_server.allowed_paths import AllowedPaths
from mcp_server.ingest_progress import IngestProgress
from mcp_server.pictures import picture_of
from mcp_server.projects import PROJECT, project_of
from mcp_server.questions import Decision, ask, can_ask, carried_answer
from mcp_server.tool import ADDS, AssistantCall, Tool, ToolAnswer, ToolError, closed
from retrieval import Retriever, page_range

_PASSAGES = 8
_MOST_LISTED = 200
_MOST_PATHS = 50
_MOST_ASKED_ABOUT = 1_000  # nobody reads more
# What is to be done about documents that stay, by whether an assistant's word changes nothing.
_HOW = {
    False: "Documents that are there with other content stay. Ask the user; after a yes, call again with replace {}.",
    True: "Documents that are there with other content stay. Users replace them, on the page or with fletcher ingest.",
}


def with_properties(tool: str, properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an agent's reading tool, with more properties."""
    parameters = READING_TOOLS[tool].parameters
    return parameters | {"properties": parameters["properties"] | properties}


async def ask_reader(call: AssistantCall, tool: str, key: ProjectKey | None, context: TurnContext) -> dict[str, Any]:
    """What an agent's reading tool answers.

    Raises:
        ToolError: It was refused.
    """
    own = READING_TOOLS[tool].parameters["properties"]
    given = {name: value for name, value in call.arguments.items() if name in own}
    reader = TurnReader(call.services.retriever, key, Citations(()), context)
    answer = await reader.call(tool, given)
    if isinstance(error := answer.get("error"), dict):
        raise ToolError(str(error["code"]), str(error["message"]))
    return answer


async def _search(call: AssistantCall) -> ToolAnswer:
    key = await project_of(call)
    query, document = call.arguments["query"], call.arguments.get("document")
    found = await ask_store(call.services.retriever.answer, key, query, _PASSAGES, document)
    fields = await in_thread(found.as_dict)
    passages = [_passage(passage) for passage in fields["passages"]]
    # Many assistants hand on the text alone, so it says as well how well the passages fit.
    said = [told] if (told := remark(found)) else []
    return ToolAnswer(fields, "\n\n".join([*said, *(passages or ["No passage of the documents matches."])]))


def _passage(passage: dict[str, Any]) -> str:
    """A passage as it is quoted to a model: where it stands, its id for `page_picture`, its lines behind bars."""
    place = passage["document"] + page_range(passage["page_from"], passage["page_to"])
    heading = f" ({' > '.join(passage['heading'])})" if passage["heading"] else ""
    return f"{quoted_name(place + heading)} passage {passage['id']}\n{quoted_lines(passage['text'])}"


async def _read(call: AssistantCall) -> ToolAnswer:
    fields = await ask_reader(call, "read_document", await project_of(call), NO_STORY)
    told = {name: value for name, value in fields.items() if name not in ("pages", "document")}
    pages = [f"{_page(page)}\n{quoted_lines(page['text'])}" for page in fields["pages"]]
    rest = [f"{name}: {value}" for name, value in told.items()]
    return ToolAnswer(fields, "\n\n".join([quoted_name(fields["document"]), *pages, *rest]))


def _page(page: dict[str, Any]) -> str:
    return "text" if page["page"] is None else f"page {page['page']}"


async def _picture(call: AssistantCall) -> ToolAnswer:
    key, given = await project_of(call), call.arguments
    document, page, passage = given["document"], int(given["page"]), given.get("passage")  # JSON has 2.0, too
    picture = await picture_of(call.services, key, document, page, passage)
    fields = {"document": document, "page": page}
    return ToolAnswer(fields, f"{quoted_name(document)}, page {page}, as a picture.", picture=picture)


async def _list(call: AssistantCall) -> ToolAnswer:
    key, part = await project_of(call), call.arguments.get("name", "")
    listed = partial(_documents, call.services.retriever, key, part.casefold())
    return await call.services.listing.run(key.workspace, listed)


def _documents(retriever: Retriever, key: ProjectKey, part: str) -> ToolAnswer:
    listed = [document for document in retriever.documents(key) if part in document.name.casefold()]
    entries = [DocumentReport.listed(document).as_dict() for document in listed[:_MOST_LISTED]]
    fields: dict[str, Any] = {"project": key.project_id, "documents": entries, "total": len(listed)}
    lines = [_listed(entry) for entry in entries] or ["There are no documents."]
    if len(listed) > _MOST_LISTED:
        lines.append(f"and {len(listed) - _MOST_LISTED} more; give a part of the name")
    return ToolAnswer(fields, "\n".join(lines))


def _listed(entry: dict[str, Any]) -> str:
    pages = f", {entry['pages']} pages" if entry["pages"] else ""
    pictures = f", without text: pages {entry['pages_without_text']}" if entry["pages_without_text"] else ""
    more = "".join(f", {number} more in {name}" for name, number in entry.get("more_pages", {}).items())
    return f"- {quoted_name(entry['name'])}{pages}{pictures}{more}"


async def _add(call: AssistantCall) -> ToolAnswer | InputRequiredResult:
    """What another version would be lost of is added only once the user has agreed to just that."""
    key, answer = await project_of(call), ""
    overwriting = None if call.services.confirm == "never" else Overwriting()
    report = await _read_in(call, key, overwriting)
    if overwriting is None or not overwriting.refused:
        return await in_thread(_report, report)
    refused = overwriting.refused
    asked = await in_thread(_id_of, key, refused)
    decision = await _decision(call, asked, refused)
    if isinstance(decision, InputRequiredResult):
        return decision
    if decision == "yes":
        report = await _read_in(call, key, still := Overwriting(refused))
        refused, answer = still.refused, decision
    how = _HOW[call.services.confirm == "always"].format(asked) if refused and not answer else ""
    return await in_thread(_report, report, how)


def _id_of(key: ProjectKey, refused: Mapping[str, tuple[str, str]]) -> str:
    """Of a question about these documents, as they are there and would be."""
    return sha256(json.dumps([key.project_id, sorted(refused.items())]).encode()).hexdigest()[:16]


async def _decision(
    call: AssistantCall, asked: str, refused: Mapping[str, tuple[str, str]]
) -> Decision | InputRequiredResult | None:
    """The user's answer to that question, by the client's own window where it has one."""
    carried = carried_answer(call)
    if carried is not None and carried[0] == asked:
        return carried[1]
    if can_ask(call.context):
        return await ask(call, asked, await in_thread(_question, list(refused)))
    is_brought = call.services.confirm == "destructive" and call.arguments.get("replace") == asked
    return "yes" if is_brought else None


async def _read_in(call: AssistantCall, key: ProjectKey, overwriting: Overwriting | None) -> IngestReport:
    admitted = await look_at_drive(_admitted, call)
    found = await call.services.scanning.run(key.workspace, partial(_scanned, admitted))
    async with IngestProgress(call.context) as progress:
        return await call.services.intake.add(key, found, overwriting=overwriting, progress=progress.listen)


def _question(names: list[str]) -> str:
    named = ", ".join(map(quoted_name, names[:_MOST_ASKED_ABOUT]))
    more = f" and {len(names) - _MOST_ASKED_ABOUT} more" if len(names) > _MOST_ASKED_ABOUT else ""
    return f"Replace {named}{more}? There are documents of these names with other content, which is lost then."


def _report(report: IngestReport, how: str = "") -> ToolAnswer:
    """What an assistant can do something about first, and of thousands the others only counted."""
    told = sorted(report.documents, key=_importance)[:_MOST_LISTED]
    counts = Counter(document.status for document in report.documents)
    fields: dict[str, Any] = replace(report, documents=tuple(told)).as_dict() | {"counts": dict(counts)}
    lines = [_added(entry) for entry in fields["documents"]]
    if len(told) < len(report.documents):
        lines.append(f"in all: {', '.join(f'{number} {status}' for status, number in counts.items())}")
    return ToolAnswer(fields | ({"how": how} if how else {}), "\n".join([*filter(None, [how]), *lines]))


def _importance(document: DocumentReport) -> int:
    return {"failed": 0, "unchanged": 2, "skipped": 2}.get(document.status, 1)


def _added(entry: dict[str, Any]) -> str:
    error = f": {entry['error']['message']}" if entry["error"] else ""
    return f"- {quoted_name(entry['name'])} {entry['status']}{error}"


def _admitted(call: AssistantCall) -> list[tuple[Path, Path]]:
    """The real paths with their folders; where a drive hangs, that is seen here, and the scan waits nowhere."""
    allowed = AllowedPaths(call.services.roots, call.caller)
    admitted = [allowed.admit(path) for path in dict.fromkeys(call.arguments["paths"])]
    try:
        for real, _ in admitted:
            call.services.roots.require_apart(real)
    except FolderUnusable as error:
        raise ToolError(error.code, error.message) from error
    # A folder's links lead nowhere else, into Fletcher's own files least of all; a file was named, wherever it is.
    return [(real, real if real.is_dir() else real.parent) for real, _ in admitted]


def _scanned(admitted: list[tuple[Path, Path]]) -> tuple[Unread | Refusal, ...]:
    """What is there, by real paths: a link in a folder that leads out of it is skipped."""
    scans: list[Scan] = []
    try:
        for path, folder in admitted:
            scans.append(scan(path, folder))
            if sum(map(len, scans)) > MOST_ENTRIES:
                problem = f"The paths of one call have at most {MOST_ENTRIES:,} files together; make several calls."
                raise ToolError("FOLDER_TOO_LARGE", problem)
    except ScanError as error:
        raise ToolError(error.code, error.message) from error
    return Scan.of(scans).unread


DOCUMENT_TOOLS = (
    Tool(
        "search_documents",
        "Search the project's design documents. Returns passages with document, physical pages and heading. Cite what "
        "you take from one as (document, p. N).",
        with_properties("search_documents", {"project": PROJECT}),
        _search,
    ),
    Tool(
        "read_document",
        READING_TOOLS["read_document"].description.replace(" Each page has a number to cite.", ""),
        with_properties("read_document", {"project": PROJECT}),
        _read,
    ),
    Tool(
        "page_picture",
        "See a page of a document as it was laid out: maps, scans, tables, handwriting. With passage, that is marked.",
        closed(
            {
                "document": {"type": "string", "maxLength": 1000, "description": "the document's name"},
                "page": {"type": "integer", "minimum": 1, "description": "physical page"},
                "passage": {"type": "string", "maxLength": 200, "description": "id that search_documents gave"},
                "project": PROJECT,
            },
            "document",
            "page",
        ),
        _picture,
    ),
    Tool(
        "list_documents",
        "The documents of the project, with pages, and which pages are pictures without text.",
        closed({"name": {"type": "string", "description": "only those whose name contains this"}, "project": PROJECT}),
        _list,
    ),
    Tool(
        "add_documents",
        "Read files or folders of the user's machine into the project (PDF, Word, Markdown, text, tables …). Only "
        "below the folders that were allowed. They can be searched when it answers. The user is asked before one takes "
        "the place of another version.",
        closed(
            {
                "paths": {
                    "type": "array",
                    "items": {"type": "string", "maxLength": 4096},
                    "minItems": 1,
                    "maxItems": _MOST_PATHS,
                },
                "replace": {
                    "type": "string",
                    "maxLength": 100,
                    "description": "what an earlier call has said, once the user has agreed to replace those documents",
                },
                "project": PROJECT,
            },
            "paths",
        ),
        _add,
        ADDS,
    ),
)
