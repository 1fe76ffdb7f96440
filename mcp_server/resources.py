"""Documents, their pages and the open story as resources, by addresses of our own."""

import re
from functools import partial
from typing import Any
from urllib.parse import quote, unquote

from mcp.types import (
    BlobResourceContents,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from agent import MATERIAL, ask_store, quoted_lines
from mcp_server.pictures import picture_of
from mcp_server.projects import project_of
from mcp_server.story_argument import story_of
from mcp_server.story_tools import outlined
from mcp_server.tool import AssistantCall, ToolError
from retrieval import Document, ProjectKey, Retriever

OUTLINE = "fletcher://story/outline"

_DOCUMENT = re.compile(
    r"fletcher://projects/(?P<project>[^/]+)/documents/(?P<document>[^/]+)"
    r"(?:/pages/(?P<page>[1-9]\d{0,6})(?P<png>\.png)?)?"
)
_CURSOR = re.compile(r"\d{1,9}")
_PLAIN = "text/plain"
_PER_LIST = 100
_CHARACTERS = 100_000

TEMPLATES = [
    ResourceTemplate(
        uri_template="fletcher://projects/{project}/documents/{document}",
        name="document",
        description="The text of a design document; its name is percent-encoded.",
        mime_type=_PLAIN,
    ),
    ResourceTemplate(
        uri_template="fletcher://projects/{project}/documents/{document}/pages/{page}",
        name="page",
        description="The text of a page.",
        mime_type=_PLAIN,
    ),
    ResourceTemplate(
        uri_template="fletcher://projects/{project}/documents/{document}/pages/{page}.png",
        name="page picture",
        description="A page as it was laid out.",
        mime_type="image/png",
    ),
]


def project_in(uri: str) -> str | None:
    """The project that an address names; None for that of the open story, and for what is no address of ours."""
    found = _DOCUMENT.fullmatch(uri)
    return unquote(found["project"]) if found else None


async def listed(call: AssistantCall, cursor: str | None) -> ListResourcesResult:
    """The open story where there is one, and the documents of the project, a hundred at a time."""
    start = int(cursor) if cursor is not None and _CURSOR.fullmatch(cursor) else 0
    resources = await _open_story(call) if start == 0 else []
    try:
        key = await project_of(call)
        listed = partial(call.services.retriever.documents, key)
        documents = await call.services.listing.run(key.workspace, listed)
    except ToolError:
        return ListResourcesResult(resources=resources)
    end = start + _PER_LIST
    resources += [_resource(key, document) for document in documents[start:end]]
    return ListResourcesResult(resources=resources, next_cursor=str(end) if end < len(documents) else None)


async def _open_story(call: AssistantCall) -> list[Resource]:
    try:
        story = await story_of(call)
    except ToolError:
        return []
    name = f"Outline of {story.name}"
    return [Resource(uri=OUTLINE, name=name, description="Scenes, nodes and what they say.", mime_type=_PLAIN)]


def _resource(key: ProjectKey, document: Document) -> Resource:
    uri = f"fletcher://projects/{quote(key.project_id, safe='')}/documents/{quote(document.name, safe='')}"
    pages = f"{document.pages} pages" if document.pages else None
    return Resource(uri=uri, name=document.name, description=pages, mime_type=_PLAIN)


def check_address(uri: str) -> None:
    """Raises `ToolError` where nothing can ever be at an address."""
    if uri != OUTLINE and _DOCUMENT.fullmatch(uri) is None:
        raise _no_address(uri)


def _no_address(uri: str) -> ToolError:
    shapes = ", ".join([OUTLINE, *(template.uri_template for template in TEMPLATES)])
    return ToolError("RESOURCE_NOT_FOUND", f"{uri[:200]} is no address here. They look so: {shapes}.")


async def read(call: AssistantCall, uri: str) -> ReadResourceResult:
    """What is at an address; every text of it is quoted.

    Raises:
        ToolError: Nothing is.
    """
    if uri == OUTLINE:
        return _text(uri, (await outlined(call)).shown())
    if (found := _DOCUMENT.fullmatch(uri)) is None:
        raise _no_address(uri)
    key, document = await project_of(call), unquote(found["document"])
    page = int(found["page"]) if found["page"] else None
    if found["png"]:
        picture = await picture_of(call.services, key, document, page or 1)
        contents = BlobResourceContents(uri=uri, mime_type=picture.mime_type, blob=picture.base64)
        return ReadResourceResult(contents=[contents])
    return _text(uri, await ask_store(_quoted, call.services.retriever, key, document, page))


def _quoted(retriever: Retriever, key: ProjectKey, document: str, page: int | None) -> str:
    pages = retriever.read_pages(key, document, page, page, range(_CHARACTERS + 1))
    parts = [f"page {page.number}\n{page.text}" if page.number is not None else page.text for page in pages]
    text = "\n\n".join(parts)
    cut = "\n(It goes on; read_document reads it in parts.)" if len(text) > _CHARACTERS else ""
    return f"{MATERIAL}\n{quoted_lines(text[:_CHARACTERS])}{cut}"


def _text(uri: str, text: str) -> ReadResourceResult:
    contents: list[Any] = [TextResourceContents(uri=uri, mime_type=_PLAIN, text=text)]
    return ReadResourceResult(contents=contents)
