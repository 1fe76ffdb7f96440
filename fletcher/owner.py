"""Who answers for a data directory: the process that owns it, or this one."""

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from corpora import DataDirectory, DirectoryBusy, Owner, Ownership
from fletcher.errors import CommandError
from fletcher.settings import Settings

if TYPE_CHECKING:  # a command that finds an owner needs none of what works on documents
    from fletcher.wiring import Parts


@contextmanager
def live_owner(settings: Settings, *, embeds: bool = False, talks: bool = False) -> Generator[Owner]:
    """Whoever answers the API for the data directory, by address and key: its owner, else this process meanwhile.

    This process then owns the directory while the block runs, and answers on a loopback port whoever shows the key.
    Nobody owns what is all on servers; there it is always this process.

    Args:
        settings: Where everything is.
        embeds: Vectors will be made: an embedding model that cannot be used is said now.
        talks: Messages will be answered: a model that cannot be used is said now.

    Raises:
        CommandError: The model is needed and cannot be used.
        CorpusError: The directory, the database or the embedding model cannot be used; of these `DirectoryBusy`: the
            owner does not answer others, and does not come to its end.
    """
    directory = None if settings.is_shared else DataDirectory(settings.data_dir)
    owned = own_or_find_owner(directory) if directory else nullcontext()
    if isinstance(owned, Owner):
        yield owned
        return
    # These bring FastAPI and the model SDKs, which a command that finds an owner does without.
    from fletcher.app import build_app
    from fletcher.loopback import bind, serving, url_of
    from fletcher.wiring import build_services, open_parts
    from server import Access

    with owned as ownership, open_parts(settings, directory) as parts, bind("127.0.0.1", 0) as bound:
        if embeds:
            parts.check()
            parts.retriever.check_model()
            if directory and not settings.chroma_url and not directory.chroma_path.exists():
                for key in parts.catalog.every_project():  # once it is there, nobody would notice what it lacks
                    parts.retriever.repair(key)
                    parts.vectors.close()  # of very many, else the later ones would have to wait
        services = build_services(settings, parts, needs_model=talks)
        url = url_of(bound)
        owner = ownership.announce(url) if ownership else Owner(os.getpid(), url, secrets.token_urlsafe(32))
        # Only programs of this user, who can read the key, are answered on this port.
        access = Access(tokens=settings.read_tokens(), owner_key=owner.key, requires_key=True)
        app = build_app(settings, services, access, completes=False)

        def end() -> None:
            services.intake.end()
            services.embedding.end()

        with serving(app, settings.max_message_bytes, bound, on_shutdown=end):
            yield owner
        if directory:  # else others see to it that of what was removed no text stays
            for key in parts.catalog.unfinished_projects():
                parts.retriever.forget_replaced(key)


def own_or_find_owner(directory: DataDirectory) -> Ownership | Owner:
    """Ownership of the directory, or the live owner that answers over HTTP.

    Raises:
        DirectoryBusy: The owner is a short command that does not come to its end.
    """
    try:
        owner = directory.owner()  # at once, where to become one takes a look at the lock for a while
        return owner if owner and owner.url else directory.own()
    except DirectoryBusy as busy:
        if busy.owner and busy.owner.url:
            return busy.owner
        raise


@contextmanager
def open_alone(
    settings: Settings, because: str = "", *, changes_vectors: bool = False
) -> Generator[tuple["Parts", Ownership | None]]:
    """The parts and the ownership of their data directory; without one where servers keep everything.

    Args:
        settings: Where they are.
        because: What the error begins with, if somebody else owns the directory.
        changes_vectors: Nobody else may use the servers meanwhile either.

    Raises:
        CommandError: Somebody else owns the directory.
        CatalogBusy: Somebody else uses the servers, and one of the two needs them alone.
    """
    from fletcher.wiring import open_parts

    directory = None if settings.is_shared else DataDirectory(settings.data_dir)
    try:
        owned = directory.own() if directory else nullcontext()
    except DirectoryBusy as busy:
        raise CommandError(f"{because} {busy.message}".strip()) from busy
    with owned as ownership, open_parts(settings, directory, alone=changes_vectors) as parts:
        yield parts, ownership
