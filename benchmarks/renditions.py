"""Whether stories are found as well in PDF (two columns, running headers) and in Word as in plain text.

`python -m benchmarks.renditions FOLDER [STORIES]`: a folder of `documents/` and `questions.jsonl` as FairytaleQA's; the
peer is the text itself. Coverage is the share of the gold section's words that stand in the first 2,000 characters of
the ranked passages, in runs of five words, so that renditions can be compared. A PDF passage's pages are right if its
words are on them; what is on each page is known from the writing.
"""

import html
import json
import re
import sys
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import docx
import pymupdf
from rich.console import Console
from rich.table import Table

from corpora import Catalog, Originals, Passage, ProjectKey
from ingest import Ingestor, ReaderPool, scan
from retrieval import Embedder, Retriever, VectorStore

_FAIRYTALES = Path(__file__).resolve().parents[2] / "shared" / "data" / "fairytaleqa" / "val"
_KEY = ProjectKey("local", "renditions")
_BUDGET, _RUN, _RIGHT = 2000, 5, 0.9
_PAGE = pymupdf.paper_rect("a4")
_MARGIN, _GAP, _TOP = 56, 22, 72
_STYLE = "p { font-family: serif; font-size: 10.5pt; line-height: 1.25; text-align: justify; margin: 0 0 6pt 0; }"


@dataclass(frozen=True)
class StoryQuestion:
    """A question and the words that answer it, from the document whose name without suffix is `story`."""

    story: str
    text: str
    gold: str


@dataclass(frozen=True)
class Result:
    """Mean coverage among all stories and within the right one, and the share of passages with the right pages."""

    passages: int
    among_all: float
    within: float
    right_pages: float | None


def main(folder: Path, count: int) -> None:
    """Prints the table."""
    if not folder.is_dir():
        Console().print(f"{folder} is not here; name a folder of documents/ and questions.jsonl.", markup=False)
        return
    stories = {path.stem: path.read_text("utf-8") for path in sorted((folder / "documents").glob("*.txt"))[:count]}
    questions = list(_questions(folder, stories))
    table = Table("rendition", "passages", "coverage@2000, all stories", "within the story", "pages right")
    embedder = Embedder()
    for suffix in ("txt", "pdf", "docx"):
        with tempfile.TemporaryDirectory() as place:
            documents = Path(place) / "documents"
            documents.mkdir()
            written = {name: _write(documents / f"{name}.{suffix}", text) for name, text in stories.items()}
            result = _measured(documents, Path(place) / "data", embedder, questions, written)
        pages = "" if result.right_pages is None else f"{result.right_pages:.1%}"
        table.add_row(suffix, str(result.passages), f"{result.among_all:.3f}", f"{result.within:.3f}", pages)
    Console().print(f"{len(stories)} stories, {len(questions)} questions")
    Console().print(table)


def _questions(folder: Path, stories: Mapping[str, str]) -> Iterator[StoryQuestion]:
    for line in (folder / "questions.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        story = Path(entry["document"]).stem
        if story in stories:
            gold = " ".join(stories[story][start:end] for start, end in entry["gold"])
            yield StoryQuestion(story, entry["question"], gold)


def _write(path: Path, text: str) -> list[str]:
    """Write a rendition; returns what is on each of its pages, if it has pages."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    if path.suffix == ".pdf":
        return _write_pdf(path, paragraphs)
    if path.suffix == ".docx":
        document = docx.Document()
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
        document.save(str(path))
    else:
        path.write_text(text, "utf-8")
    return []


def _write_pdf(path: Path, paragraphs: Sequence[str]) -> list[str]:
    width = (_PAGE.width - 2 * _MARGIN - _GAP) / 2
    lefts = (_MARGIN, _MARGIN + width + _GAP)
    columns = [pymupdf.Rect(left, _TOP, left + width, _PAGE.height - _MARGIN) for left in lefts]
    story = pymupdf.Story("".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs), user_css=_STYLE)
    writer = pymupdf.DocumentWriter(str(path) + ".bare")
    more = True
    while more:
        page = writer.begin_page(_PAGE)
        for column in columns:
            if more:
                more, _ = story.place(column)
                story.draw(page)
        writer.end_page()
    writer.close()
    bare = Path(str(path) + ".bare")
    with pymupdf.open(str(bare), filetype="pdf") as document:
        on_pages = [str(page.get_text()) for page in document]
        for page in document:
            number = page.number or 0
            title = path.stem.replace("-", " ").title()
            page.insert_text((_MARGIN, 44), title, fontsize=9)
            page.insert_text((_PAGE.width - _MARGIN - 40, 44), f"Page {number + 1}", fontsize=9)
            page.insert_text((_MARGIN, _PAGE.height - 28), "Fairy tales of the world, draft 3", fontsize=8)
        document.save(str(path))
    bare.unlink()
    return on_pages


def _measured(
    documents: Path,
    data: Path,
    embedder: Embedder,
    questions: Sequence[StoryQuestion],
    written: Mapping[str, Sequence[str]],
) -> Result:
    with ExitStack() as opened:
        catalog = opened.enter_context(closing(Catalog(f"sqlite:///{data.with_suffix('.db')}")))
        vectors, originals = VectorStore(data / "chroma"), Originals(data / "originals")
        retriever = opened.enter_context(closing(Retriever(catalog, embedder, vectors, originals)))
        readers = opened.enter_context(ReaderPool())
        report = Ingestor(catalog, originals, retriever, readers).index(_KEY, scan(documents))
        names = {Path(document.name).stem: document.name for document in report.documents}
        among_all = [_coverage(retriever, question, names, None) for question in questions]
        within = [_coverage(retriever, question, names, names[question.story]) for question in questions]
        passages = catalog.passages(_KEY)
    right = [_is_right(passage, written[Path(passage.document).stem]) for passage in passages if passage.page_from]
    pages = sum(right) / len(right) if right else None
    return Result(len(passages), sum(among_all) / len(questions), sum(within) / len(questions), pages)


def _coverage(retriever: Retriever, question: StoryQuestion, names: Mapping[str, str], within: str | None) -> float:
    found: set[tuple[str, ...]] = set()
    left = _BUDGET
    for one in retriever.search(_KEY, question.text, 12, within):
        text = one.passage.text[:left]
        left -= len(text)
        if one.passage.document == names[question.story]:
            found |= _runs(_words(text))
    gold = _words(question.gold)
    marked = [False] * len(gold)
    for start in range(len(gold) - _RUN + 1):
        if tuple(gold[start : start + _RUN]) in found:
            marked[start : start + _RUN] = [True] * _RUN
    total = sum(map(len, gold))
    return sum(len(word) for word, is_found in zip(gold, marked, strict=True) if is_found) / max(total, 1)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower())


def _is_right(passage: Passage, on_pages: Sequence[str]) -> bool:
    """Whether the words of a passage are on its pages, the first one on the first of them, the last on the last."""
    first, last = passage.page_from or 0, passage.page_to or 0
    pages = [_words(on_pages[number - 1]) for number in range(first, last + 1)]
    words = _words(passage.text)
    runs, found = _runs(words), _runs([word for page in pages for word in page])
    begins_and_ends = set(words[:1]) <= set(pages[0]) and set(words[-1:]) <= set(pages[-1])
    return len(runs & found) >= _RIGHT * len(runs) and begins_and_ends


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    length = min(_RUN, len(words))
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else _FAIRYTALES,
        int(sys.argv[2]) if len(sys.argv) > 2 else 8,
    )
