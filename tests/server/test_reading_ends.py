"""A server that ends does not wait for a document that is being read."""

import asyncio
import threading
from pathlib import Path

import pytest

from corpora import ProjectKey
from ingest import Ingestor, Progress, ReaderPool, Source
from server.background.embedding import EmbeddingWorker
from server.background.intake import Intake
from server.closing import ServerClosing
from server.metrics import Metrics
from tests.agent.scripted_model import PATIENCE_S
from tests.ingest.conftest import pipeline_in
from tests.ingest.reader_kills import LONG, read_slowly


async def test_closing_ends_a_document_in_the_midst_of_a_page(tmp_path: Path) -> None:
    begun = threading.Event()

    def listen(progress: Progress) -> None:
        if progress.page:
            begun.set()

    with pipeline_in(tmp_path) as pipeline, ReaderPool(read=read_slowly) as readers:
        ingestor = Ingestor(pipeline.catalog, pipeline.originals, pipeline.retriever, readers)
        embedding = EmbeddingWorker(lambda *_: True, pipeline.retriever.repair)
        intake = Intake(ingestor, Metrics(pipeline.catalog), embedding)
        under_way = asyncio.create_task(intake.add(ProjectKey("local", "1"), [Source(LONG, b"words")], progress=listen))
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        await intake.close()
        with pytest.raises(ServerClosing):  # and not TIMEOUT, which is what two minutes later it would be
            await under_way
