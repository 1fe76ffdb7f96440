"""An ingest report in words, for clients that take no tables."""

from ingest import DocumentReport, IngestReport, counted, page_list

_STATUS = {
    "indexed": "is read and indexed",
    "searchable": "is read and searchable",
    "unchanged": "is unchanged",
    "updated": "is updated",
    "removed": "is removed",
    "skipped": "is skipped",
}


def in_words(report: IngestReport) -> str:
    """One sentence or two per document."""
    return "\n".join(_document(document) for document in report.documents)


def _document(document: DocumentReport) -> str:
    if document.error is not None:
        return f"{document.name}: {document.error.code}: {document.error.message}"
    size = (
        counted(document.passages, "passage")
        if document.pages is None
        else f"{counted(document.pages, 'page')}, {counted(document.passages, 'passage')}"
    )
    text = f"{document.name} {_STATUS[document.status]} ({size})."
    if document.pages_without_text:
        text += f" Without text: page {page_list(document.pages_without_text)}."
    if document.pages_recognized:
        text += f" Pictures read by text recognition (OCR): page {page_list(document.pages_recognized)}."
    if document.pages_with_hidden_text:
        text += f" Text that nobody can see was left out: page {page_list(document.pages_with_hidden_text)}."
    return text
