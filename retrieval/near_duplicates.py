"""The same text in two documents of a project: a document and its PDF, two exports of one page, a copied chapter.

Writers keep both, and both have their use; but a search is to say once what stands in both, and to name both.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from time import thread_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpora import Passage
from retrieval.alignment import Alignment, Likeness, Words, hashed
from retrieval.words import split_words

# Of a larger corpus an eighth of the runs is compared: the question is only which documents deserve a closer look.
_COMPARED_WHOLE, _SAMPLED = 1 << 18, 8
_MOST_RUNS = 1 << 21  # in memory; where there are more, half of them, and half of those
_AT_ONCE = 1_000  # passages
_CLOSER_LOOK = 0.3  # share of the runs of the shorter document
_COMMON = 8  # a run that stands in more documents than this is a figure of speech, a form, or a licence

# Of the documents that are compared: aligned, each takes some two hundred and fifty bytes; and of all indexes that are
# being made.
_MOST_WORDS, _MOST_OF_ALL = 1_200_000, 2_400_000
# Of a thread's own time: after so long, at least and for each passage, no two more are compared until the next index
# is made; and for two that are compared then there is time until so long after the beginning.
_LEAST_S, _PASSAGE_S, _MOST_S = 1.0, 0.0005, 5.0
_MOST_NAMED = 20  # documents beside a passage
_MOST_STANDING = 500_000  # passages in other documents, each as often as there are such

_Runs = tuple[NDArray[np.uint64], NDArray[np.intp]]


class _Compared(NamedTuple):
    """Passages of one document: those that stand in another, those of them that need not be shown, and versions."""

    standing: Sequence[str] = ()
    repeated: Sequence[str] = ()
    differing: Sequence[str] = ()


_NOTHING = _Compared()
_ENTRY_BYTES, _ID_BYTES = 120, 20


class NearDuplicates:
    """Which passages of a project stand in other documents too; made with the index, and never changed.

    `words` are the numbered words of each passage, by which the documents are found that deserve a closer look.
    `previous` are those before: documents that are as they were then are not compared again.

    Attributes:
        nbytes: About what it takes in memory.
    """

    def __init__(
        self, passages: Sequence[Passage], words: Sequence[Words], previous: NearDuplicates | None = None
    ) -> None:
        self._compared: dict[tuple[int, int], _Compared] = {}
        self._also_in: dict[str, list[str]] = {}
        self._repeated: set[str] = set()
        self._differing: set[str] = set()
        names, documents = np.unique([passage.document_id for passage in passages], return_inverse=True)
        pairs = _pairs(documents, words, len(names)) if len(names) > 1 else []
        time = _Time(min(_MOST_S, max(_LEAST_S, _PASSAGE_S * len(passages))))
        texts = _Texts(passages, documents, {} if previous is None else previous._lengths, time)
        self._lengths = texts.lengths
        standing = 0
        with closing(texts):
            for pair in filter(texts.have_room_for, pairs):
                for one, other in (pair, pair[::-1]):
                    key = texts.version(one), texts.version(other)
                    compared = None if previous is None else previous._compared.get(key)
                    if compared is None and standing < _MOST_STANDING:
                        compared = _compared_now(texts, one, other, time)
                    if compared is not None:
                        self._keep(key, compared, texts.name(other))
                        standing += len(compared.standing)
        marked = len(self._also_in) + len(self._repeated) + len(self._differing)
        self.nbytes = _ENTRY_BYTES * (2 * len(self._compared) + marked + len(self._lengths)) + _ID_BYTES * standing

    def _keep(self, key: tuple[int, int], compared: _Compared, name: str) -> None:
        self._compared[key] = compared
        self._repeated.update(compared.repeated)
        self._differing.update(compared.differing)
        for passage in compared.standing:
            names = self._also_in.setdefault(passage, [])
            if len(names) < _MOST_NAMED:
                names.append(name)

    def also_in(self, passage_id: str) -> tuple[str, ...]:
        """The names of the other documents that say the same, sorted; of very many the first."""
        return tuple(sorted(self._also_in.get(passage_id, ())))

    def is_repeated(self, passage_id: str) -> bool:
        """Whether another document says all of it and is the better one to show: it has pages, or more text."""
        return passage_id in self._repeated

    def is_version(self, passage_id: str) -> bool:
        """Whether another document says nearly the same, but for a word or a number: both are to be shown."""
        return passage_id in self._differing


class _Memory:
    """Words that are aligned at the same time, for whatever index that is being made."""

    def __init__(self, words: int) -> None:
        self._left = words
        self._lock = threading.Lock()

    def take(self, words: int) -> bool:
        """Whether there is room for so many more."""
        with self._lock:
            has_room = words <= self._left
            self._left -= words if has_room else 0
            return has_room

    def give_back(self, words: int) -> None:
        with self._lock:
            self._left += words


_aligned = _Memory(_MOST_OF_ALL)


class _Texts:
    """The documents of a project by number, aligned when they are asked for.

    Of some versions `lengths` are known, in words; those of others are counted as long as there is time.
    """

    def __init__(
        self, passages: Sequence[Passage], documents: NDArray[np.intp], lengths: Mapping[int, int], time: _Time
    ) -> None:
        self._passages = passages
        self._documents = documents
        self._vocabulary: dict[str, int] = {}
        self._aligned: dict[int, Alignment] = {}
        self._own: dict[int, list[Passage]] = {}
        self._versions: dict[int, int] = {}
        self._known_lengths = lengths
        self.lengths: dict[int, int] = {}
        self._time = time
        self._room = _MOST_WORDS
        self._admitted: set[int] = set()
        self._taken = 0

    def have_room_for(self, pair: tuple[int, int]) -> bool:
        """Whether the two can be compared, beside those for which there was room before."""
        new = set(pair) - self._admitted
        words = sum(map(self._length, new))
        if words > self._room:
            return False
        self._room -= words
        self._admitted |= new
        return True

    def have_memory_for(self, pair: tuple[int, int]) -> bool:
        """Whether they can be aligned, beside what is for other indexes; until this is closed."""
        words = sum(self._length(document) for document in pair if document not in self._aligned)
        has_memory = _aligned.take(words)
        self._taken += words if has_memory else 0
        return has_memory

    def close(self) -> None:
        """Let go of what was aligned."""
        self._aligned.clear()
        _aligned.give_back(self._taken)

    def _length(self, document: int) -> int:
        """In words, of which an index has those alone that mean something; too many where there is no time to count."""
        version = self.version(document)
        length = self.lengths.get(version) or self._known_lengths.get(version) or 0
        if not length:
            headings = set[str]()
            for passage in self.own(document):
                if self._time.is_up:
                    return _MOST_WORDS + 1
                new = set(passage.heading) - headings
                headings |= new
                length += sum(len(split_words(text)) for text in (passage.text, *new))
                if length > _MOST_WORDS:
                    break
        self.lengths[version] = length
        return length

    def own(self, document: int) -> list[Passage]:
        if document not in self._own:
            self._own[document] = [self._passages[row] for row in np.flatnonzero(self._documents == document).tolist()]
        return self._own[document]

    def name(self, document: int) -> str:
        return self.own(document)[0].document

    def version(self, document: int) -> int:
        """The same number for the same passages: their ids are made from their content."""
        if document not in self._versions:
            self._versions[document] = hash(tuple(passage.id for passage in self.own(document)))
        return self._versions[document]

    def aligned(self, document: int) -> Alignment:
        if document not in self._aligned:
            self._aligned[document] = Alignment(self.own(document), self._vocabulary)
        return self._aligned[document]


class _TimeIsUp(Exception):
    """Others wait for the index."""


class _Time:
    """What this thread may compute from now on, in seconds, however fast the machine and busy with others."""

    def __init__(self, seconds: float) -> None:
        self._began = thread_time()
        self._until = self._began + seconds

    @property
    def is_up(self) -> bool:
        """Nothing more is begun."""
        return thread_time() >= self._until

    @property
    def is_most_left(self) -> bool:
        """Whatever is begun now has about as much time as there ever is."""
        return thread_time() < self._began + _MOST_S / 2

    def go_on(self) -> None:
        """Raises `_TimeIsUp` where what was begun has to end."""
        if thread_time() >= self._began + _MOST_S:
            raise _TimeIsUp


def _compared_now(texts: _Texts, one: int, other: int, time: _Time) -> _Compared | None:
    """What of the one stands in the other; None where the next index may find it, as there is no time or memory now."""
    if time.is_up or not texts.have_memory_for((one, other)):
        return None
    has_time = time.is_most_left
    try:
        return _compare(texts.aligned(one), texts.aligned(other), time)
    except _TimeIsUp:
        return _NOTHING if has_time else None  # nor would there be next time


def _compare(text: Alignment, other: Alignment, time: _Time) -> _Compared:
    """What of the text stands in the other; raises `_TimeIsUp`."""
    standing, repeated, differing = list[str](), list[str](), list[str]()
    are_apart = other.is_about_others_than(text, time.go_on)
    for row in text.rows_like(other):
        time.go_on()
        passage = text.passages[row]
        likeness = other.likeness(text.words_of(row), passage)
        if likeness.stands_here and are_apart and not other.has(passage.heading):
            likeness = Likeness(differs=True)
        if likeness.stands_here:
            standing.append(passage.id)
            if likeness.lacks_nothing and _rank(other) > _rank(text):
                repeated.append(passage.id)
        if likeness.differs:
            differing.append(passage.id)
    return _Compared(standing, repeated, differing) if standing or differing else _NOTHING


def _rank(text: Alignment) -> tuple[bool, int, str]:
    """Pages can be cited; where more is said there is more around the passage."""
    return text.passages[0].page_from is not None, text.length, text.name


def _pairs(documents: NDArray[np.intp], words: Sequence[Words], count: int) -> list[tuple[int, int]]:
    """The documents that have a good part of their runs of words in common, two and two, by number."""
    hashes, of = _runs(documents, words)
    totals = np.bincount(of, minlength=count)
    _, places, frequencies = np.unique(hashes, return_inverse=True, return_counts=True)
    rare = frequencies[places] <= _COMMON
    hashes, of = hashes[rare], of[rare]
    shared = np.zeros(0, dtype=np.intp)
    for step in range(1, _COMMON):
        same = np.flatnonzero(hashes[:-step] == hashes[step:])
        shared = np.concatenate([shared, of[same] * count + of[same + step]])
    codes, counts = np.unique(shared, return_counts=True)
    one, other = np.divmod(codes, count)
    alike = counts >= _CLOSER_LOOK * np.minimum(totals[one], totals[other])
    return list(zip(one[alike].tolist(), other[alike].tolist(), strict=True))


def _runs(documents: NDArray[np.intp], words: Sequence[Words]) -> _Runs:
    """The runs of words within a document, each once, or some of them; sorted, and of which document each is."""
    one_of = _SAMPLED if sum(map(len, words)) - 2 > _COMPARED_WHOLE else 1
    said, owners = np.empty(0, dtype=np.int32), documents[:0]
    found: list[_Runs] = []
    for at in range(0, len(words), _AT_ONCE):
        rows = words[at : at + _AT_ONCE]
        said = np.concatenate([said[-2:], *rows])  # a run may begin in a passage and end in the next
        owners = np.concatenate([owners[-2:], np.repeat(documents[at : at + _AT_ONCE], [len(row) for row in rows])])
        runs = hashed(said)
        chosen = (owners[: len(runs)] == owners[2:]) & (runs % np.uint64(one_of) == 0)
        found.append(_once(runs[chosen], owners[: len(runs)][chosen]))
        while sum(len(hashes) for hashes, _ in found) > _MOST_RUNS:
            one_of *= 2
            kept = [hashes % np.uint64(one_of) == 0 for hashes, _ in found]
            found = [(hashes[some], of[some]) for (hashes, of), some in zip(found, kept, strict=True)]
    return _once(np.concatenate([hashes for hashes, _ in found]), np.concatenate([of for _, of in found]))


def _once(hashes: NDArray[np.uint64], of: NDArray[np.intp]) -> _Runs:
    """Sorted; a run counts once in a document."""
    order = np.lexsort((of, hashes))
    hashes, of = hashes[order], of[order]
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = (hashes[1:] != hashes[:-1]) | (of[1:] != of[:-1])
    return hashes[first], of[first]
