"""Every code that a request can be refused with, its status and what it means; and the description of each route's."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from server.http.answers import ErrorAnswer

_UNAVAILABLE = 503
_OF_THE_MODEL = 502

_MEANINGS: Mapping[str, tuple[int, str]] = {
    "BAD_REQUEST": (400, "The form cannot be read: send multipart/form-data with files in fields named 'files'."),
    "UNAUTHORIZED": (401, "A valid token is needed: 'Authorization: Bearer TOKEN' or '?token=TOKEN'."),
    "FORBIDDEN": (403, "The host, the origin of the page, or the page of another site is not served."),
    "FOLDER_NOT_ALLOWED": (403, "The folder is not below one that FLETCHER_FOLDERS names for the workspace."),
    "PROJECT_NOT_FOUND": (404, "Nothing was ever put into this project."),
    "DOCUMENT_NOT_FOUND": (404, "The project has no document of that name or id."),
    "FOLDER_NOT_FOUND": (404, "The project has no linked folder."),
    "ORIGINAL_NOT_FOUND": (404, "The document's file has gone from the disk; send it again."),
    "NO_PAGES": (404, "Documents of this format have no pages."),
    "PAGE_NOT_FOUND": (404, "The document has no page of that number."),
    "PASSAGE_NOT_FOUND": (404, "The document has no passage of that id."),
    "NOT_PENDING": (404, "No question of that id is open: it was answered, has expired, or is another project's."),
    "REQUEST_TIMEOUT": (408, "The body came too slowly; send it again, or less of it."),
    "CONFLICT": (409, "The story says something else than when the question was asked, or since the last turn."),
    "NOTHING_TO_UNDO": (409, "There is no turn to take back in this project."),
    "DOCUMENT_OF_FOLDER": (409, "The document would come back, as its file is in the linked folder."),
    "WORKSPACE_FULL": (409, "There are as many linked folders, or projects without documents, as there may be."),
    "PAYLOAD_TOO_LARGE": (413, "The body is longer than the server's limit; the message names it."),
    "INVALID_REQUEST": (422, "A field is missing, misspelled or has a value that cannot be; the message names it."),
    "INVALID_NAME": (422, "The project id cannot be one."),
    "EMPTY_QUERY": (422, "The query has no word to search for."),
    "PARSE_ERROR": (422, "arrow_content is not a project that Arrow would open; the message names the rule."),
    "FOLDER_UNUSABLE": (422, "The folder is not there, cannot be read, or holds the server's own data."),
    "PAGE_NOT_DRAWN": (422, "The page is there and cannot be drawn; the code says why, such as TIMEOUT."),
    "HEAD_TOO_LARGE": (431, "The head of the request has too much of something, as its address; the message names it."),
    "RATE_LIMITED": (429, "Too many turns of the workspace, or too many wrong tokens of the address; see Retry-After."),
    "INTERNAL": (500, "Something went wrong in the server; its log has the details."),
    "MODEL_AUTHENTICATION": (_OF_THE_MODEL, "The provider refused the server's key."),
    "MODEL_NOT_FOUND": (_OF_THE_MODEL, "The provider does not know the model that is set."),
    "MODEL_QUOTA": (_OF_THE_MODEL, "The account's quota or credit at the provider is used up."),
    "MODEL_RATE_LIMIT": (_OF_THE_MODEL, "The provider takes no more requests for now; try again later."),
    "MODEL_OVERLOADED": (_OF_THE_MODEL, "The provider is overloaded; try again later."),
    "MODEL_UNREACHABLE": (_OF_THE_MODEL, "The provider cannot be reached."),
    "MODEL_REJECTED": (_OF_THE_MODEL, "The provider rejects the request; the message says why."),
    "MODEL_MISBEHAVED": (_OF_THE_MODEL, "The model kept making calls that cannot be read."),
    "MODEL_ERROR": (_OF_THE_MODEL, "The provider answered with an error."),
    "CONTEXT_TOO_LARGE": (_OF_THE_MODEL, "Conversation and project do not fit into the model."),
    "STEP_LIMIT": (_OF_THE_MODEL, "The model took too many steps."),
    "CONTENT_FILTER": (_OF_THE_MODEL, "The model or its provider's filter refuses to answer this."),
    "ANSWER_BROKEN_OFF": (_OF_THE_MODEL, "The answer ended before it was complete; try again."),
    "ANSWER_TOO_LONG": (_OF_THE_MODEL, "The model's answer came to the limit of its length."),
    "CATALOG_ERROR": (_UNAVAILABLE, "The catalog's database does not answer."),
    "CATALOG_BUSY": (_UNAVAILABLE, "Another process needs the catalog alone, or too many requests wait for it."),
    "STORAGE_ERROR": (_UNAVAILABLE, "The data directory cannot be written."),
    "SERVER_CLOSING": (_UNAVAILABLE, "The server ends; ask the next one."),
    "RETRIEVAL_ERROR": (_UNAVAILABLE, "The corpus cannot be searched; the message says why."),
    "EMBEDDING_MODEL_MISMATCH": (_UNAVAILABLE, "The vectors were made by another model: run 'fletcher reindex'."),
    "EMBEDDING_MODEL_UNAVAILABLE": (_UNAVAILABLE, "The embedding model cannot be loaded."),
    "RERANKER_UNAVAILABLE": (_UNAVAILABLE, "The reranker that is set cannot be loaded."),
    "PROVIDER_AWAY": (_UNAVAILABLE, "The provider of a model does not answer."),
    "VECTOR_STORE_UNAVAILABLE": (_UNAVAILABLE, "Chroma does not answer."),
    "VECTOR_STORE_DAMAGED": (_UNAVAILABLE, "The vectors' files were damaged and are made anew."),
    "TOO_BUSY": (
        _UNAVAILABLE,
        "There is no room for more requests, JSON, stories of turns, or answers that are not read; see Retry-After.",
    ),
}
_RETRIED = (429, _UNAVAILABLE)

OF_EVERY_ROUTE = ("FORBIDDEN", "HEAD_TOO_LARGE", "INTERNAL")
OF_A_WORKSPACE = ("TOO_BUSY",)
OF_A_TOKEN = ("UNAUTHORIZED", "RATE_LIMITED")
OF_A_BODY = ("REQUEST_TIMEOUT", "PAYLOAD_TOO_LARGE", "INVALID_REQUEST")
OF_THE_CATALOG = ("CATALOG_ERROR", "CATALOG_BUSY", "STORAGE_ERROR", "SERVER_CLOSING")
OF_A_PROJECT = ("INVALID_NAME", *OF_THE_CATALOG)
OF_A_SEARCH = tuple(code for code in _MEANINGS if code.startswith(("EMBEDDING_", "RERANKER_", "VECTOR_", "RETRIEVAL_")))
OF_A_MODEL = tuple(code for code, (status, _) in _MEANINGS.items() if status == _OF_THE_MODEL)


def status_of(code: str, otherwise: int = _UNAVAILABLE) -> int:
    """The HTTP status of a refusal; `otherwise` for codes that only their sender knows."""
    return _MEANINGS[code][0] if code in _MEANINGS else otherwise


def refusals(codes: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """The description of what a route answers instead, by status, with an example of each code."""
    described: dict[int | str, dict[str, Any]] = {}
    for code in codes:
        status, meaning = _MEANINGS[code]
        answer = described.setdefault(status, _described(status))
        answer["content"]["application/json"]["examples"][code] = {
            "value": {"error": {"code": code, "message": meaning}}
        }
    for answer in described.values():
        examples = answer["content"]["application/json"]["examples"]
        answer["description"] = ", ".join(f"`{code}`" for code in examples)
    return described


def _described(status: int) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "model": ErrorAnswer,
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"examples": {}}},
    }
    if status in _RETRIED:
        answer["headers"] = {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}}}
    return answer
