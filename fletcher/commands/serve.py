"""The command that runs the server."""

import gc
import ipaddress
import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from corpora import DataDirectory
from fletcher import console
from fletcher.errors import WrongUsage
from fletcher.log import log_as_server
from fletcher.options import DataDir, Workspace, settings_for
from fletcher.owner import open_alone
from fletcher.settings import Settings
from fletcher.termination import end_in_any_case

_ONE_OWNER = (
    "The server cannot start beside another owner. If that is 'fletcher mcp', end the assistant that has started it; "
    "started after the server, it talks to the server."
)

# So long the event loop waits, several times a message, for a thread that is working on a story.
_SWITCH_INTERVAL_S = 0.001


def serve(
    host: Annotated[str, typer.Option(help="The address to bind to")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one")] = 8000,
    data_dir: DataDir = None,
    workspace: Workspace = "local",
    announce: Annotated[bool, typer.Option("--announce", hidden=True)] = False,
) -> None:
    """Run the server that Arrow talks to."""
    on_bound = _announcement() if announce else None
    settings = settings_for(data_dir, workspace)
    tokens = settings.read_tokens()
    if not tokens and not _is_loopback(host):
        raise WrongUsage(
            f"--host {host} lets other machines in, and then tokens are needed: set FLETCHER_TOKENS to a file of "
            "'token workspace' lines. Without tokens, bind to 127.0.0.1."
        )
    if settings.require_key and not tokens and settings.is_shared:
        raise WrongUsage(
            "FLETCHER_REQUIRE_KEY asks for the key in the data directory, and with FLETCHER_DATABASE_URL and "
            "FLETCHER_CHROMA_URL there is none: set FLETCHER_TOKENS to a file of 'token workspace' lines."
        )
    run_server(settings, tokens, host, port, on_bound)


def _announcement() -> Callable[[str], object]:
    """Says the address, and nothing else, on standard output, to whoever has started the server; then that ends.

    Names of others stand on standard error, where one could pass for the address.
    """
    announced = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def announce(url: str) -> None:
        with announced:
            announced.write(f"{url}\n")

    return announce


def run_server(
    settings: Settings, tokens: dict[str, str], host: str, port: int, on_bound: Callable[[str], object] | None = None
) -> None:
    """Serves until it is told to end; `on_bound` hears the address, where from then on whoever asks is answered.

    Where somebody hears it, any port is as good if another program has this one.

    Raises:
        CommandError: The address is in use, or somebody else owns the data directory.
    """
    log_as_server()
    from fletcher.loopback import Server, bind, bind_anyhow, url_of
    from retrieval import giving_back, keep_little_memory

    keep_little_memory()
    binding = bind_anyhow if on_bound else bind
    with binding(host, port) as bound, open_alone(settings, _ONE_OWNER) as (parts, ownership):
        # Not before, as they bring FastAPI and the model SDKs: what is wrong with the data directory is said at once.
        from fletcher.app import build_app
        from fletcher.wiring import build_services
        from server import Access, raise_descriptors
        from workbench import mount

        raise_descriptors()
        parts.check()
        if settings.chroma_url:  # one that does not answer is said now, not at the first question
            parts.vectors.check()
        if parts.reranker is not None:  # one that is set and cannot be used is said now, not at the first question
            parts.reranker.load()
        services = build_services(settings, parts)
        owner_key = ownership.announce(url_of(bound)).key if ownership else None
        access = Access(
            tokens, owner_key, settings.allowed_hosts, settings.allowed_origins, requires_key=settings.require_key
        )
        said = f"Fletcher serves {url_of(bound)} (socket: /ws/chat) with model {settings.model_name}."
        console.err.print(said, markup=False)
        if settings.page:
            console.err.print(f"The page: {url_of(bound)}/")
        if on_bound is not None:
            on_bound(url_of(bound))
        where = settings.data_dir if ownership else "on the servers of FLETCHER_DATABASE_URL and FLETCHER_CHROMA_URL"
        console.err.print(f"Data: {where}", markup=False, style="dim")
        if not tokens:
            console.err.print(_who_may_use_it(settings), markup=False, style="dim")
        parts.load_embedder()
        _keep_what_is_loaded()
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
        app = build_app(settings, services, access)
        if settings.page:
            mount(app, services, access)
        with giving_back():

            def ends() -> None:
                services.intake.end()
                end_in_any_case()

            Server(app, settings.max_message_bytes, ends).run(sockets=[bound])


def _who_may_use_it(settings: Settings) -> str:
    everybody = "Access: every user and program of this machine, without a password; "
    if settings.is_shared:  # there is no directory, and no key in it
        return f"{everybody}FLETCHER_TOKENS asks for tokens."
    key_file = DataDirectory(settings.data_dir).owner_file
    if settings.require_key:
        return f"Access: whoever can read the key in {key_file} (FLETCHER_REQUIRE_KEY)."
    return f"{everybody}FLETCHER_REQUIRE_KEY=true asks for the key in {key_file}, FLETCHER_TOKENS for tokens."


def _keep_what_is_loaded() -> None:
    """Takes the libraries out of garbage collection: looking through them would halt every client for a while."""
    gc.collect()
    gc.freeze()
    # What turns leave behind is freed without it, and looking through open stories would halt every client as well.
    gc.set_threshold(*gc.get_threshold()[:2], 100)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
