"""What `corpora` hands on through a retriever, for those who may not import `corpora`."""

from corpora import CorpusError as CorpusError
from corpora import Document as Document
from corpora import Page as Page
from corpora import Passage as Passage
from corpora import ProjectKey as ProjectKey
from corpora import ProjectNotFound as ProjectNotFound
from corpora import page_range as page_range
from corpora import part_ids as part_ids
from corpora import printable as printable
