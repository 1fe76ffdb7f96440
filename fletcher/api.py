"""The HTTP API as the command line speaks it, to whoever answers for the data directory."""

import json
import os
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from urllib.parse import quote

import httpx

from corpora import Owner, ProjectKey
from fletcher.errors import CommandError
from fletcher.owner import live_owner
from fletcher.settings import Settings

Answer = dict[str, Any]
Listener = Callable[[str, Answer], None]

# Embedding a long document takes minutes on a small machine, and an answer comes when it is done.
_TIMEOUT = httpx.Timeout(10, read=3600, write=600)
# How long an owner that no longer answers may take to give the directory back: it may be in the midst of a batch.
_WAIT_FOR_ITS_END_S = 60.0
_UNAUTHORIZED = 401  # our key is not the key of who answers now
_CLOSING = "SERVER_CLOSING"
_EVENTS = "text/event-stream"


class OwnerRefusal(CommandError):
    """The owner answered that it will not; `status` and `code` are the API's."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class _OwnerGone(Exception):
    """The owner does not answer any more; whoever owns the directory next can."""


class Api(AbstractContextManager["Api"]):
    """A project at whoever owns the data directory, one owner after the other; a context manager.

    Args:
        settings: Where the directory is.
        key: The project.
        needs: What `live_owner` is to say at once: `embeds`, `talks`.
    """

    def __init__(self, settings: Settings, key: ProjectKey, **needs: bool) -> None:
        self.key = key
        self._settings = settings
        self._needs = needs
        self._opened = ExitStack()
        self._owner: Owner | None = None

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def owner(self) -> Owner:
        """Who answers now; raises as `live_owner`."""
        if self._owner is None:
            self._owner = self._opened.enter_context(live_owner(self._settings, **self._needs))
            self._client = httpx.Client(
                base_url=f"{self._owner.url}/projects/{quote(self.key.project_id, safe='')}/",
                headers={"Authorization": f"Bearer {self._owner.key}", "X-Fletcher-Workspace": self.key.workspace},
                timeout=_TIMEOUT,
                trust_env=False,
                # An owner is on this machine and shows no certificate: loading all authorities would take 30 ms.
                verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            )
            self._opened.enter_context(self._client)
        return self._owner

    def ask(self, method: str, path: str, listen: Listener | None = None, **options: Any) -> Answer:
        """The answer to one request; if the owner ends meanwhile, it is asked again: here, or the next owner.

        Args:
            method: HTTP's.
            path: One below the project.
            listen: Hears the names and the data of what happens until then, and may stop it by raising.
            options: httpx's.

        Raises:
            OwnerRefusal: It is refused.
            CommandError: The owner keeps the directory and has stopped to answer.
            CorpusError: As `live_owner`.
        """
        give_up_at = None
        while True:
            owner = self.owner
            try:
                return self._answer(method, path, listen, options)
            except _OwnerGone as error:
                self._opened.close()
                self._owner = None
                # Not a busy loop: to find an owner takes the time in which we could have become it.
                give_up_at = give_up_at or time.monotonic() + _WAIT_FOR_ITS_END_S
                if owner.pid == os.getpid() or time.monotonic() >= give_up_at:
                    raise CommandError(
                        f"Process {owner.pid} owns the data directory and does not answer at {owner.url}: {error}. "
                        "Run the command again."
                    ) from error

    def _answer(self, method: str, path: str, listen: Listener | None, options: dict[str, Any]) -> Answer:
        headers = {"Accept": _EVENTS} if listen else None
        try:
            with self._client.stream(method, path, headers=headers, **options) as response:
                return _received(response, listen)
        except httpx.InvalidURL as error:
            raise CommandError(f"What is asked for is too long: {error}. Say it in fewer words.") from error
        except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
            # Who hangs up while it is sent something, and is there all the same, takes no request so long.
            if options.keys() & {"json", "files"} and self._is_there():
                message = "the server hung up; it may be too big for its FLETCHER_MAX_UPLOAD_BYTES."
                raise OwnerRefusal(413, "PAYLOAD_TOO_LARGE", message) from error
            raise _OwnerGone(error) from error
        except httpx.HTTPError as error:
            raise CommandError(f"{self.owner.url} does not answer: {error}. Run the command again.") from error

    def _is_there(self) -> bool:
        try:
            return self._client.get("folder").status_code != _UNAUTHORIZED
        except httpx.HTTPError:
            return False


def _received(response: httpx.Response, listen: Listener | None) -> Answer:
    status = response.status_code
    try:
        for name, data in _events(response):
            if name == "answer":
                return data
            if name == "error":
                code, message = data["error"]["code"], data["error"]["message"]
                status = data.get("status", status)  # of what went wrong while it was told
                is_gone = status == _UNAUTHORIZED or code == _CLOSING
                raise _OwnerGone(message) if is_gone else OwnerRefusal(status, code, message)
            if listen:
                listen(name, data)
    except (ValueError, KeyError, TypeError) as error:
        problem = f"{response.url} answers {status}, and not as this version of Fletcher does ({error!r})."
        remedy = "Stop what runs there, and run the command again."
        raise OwnerRefusal(status, "REFUSED", f"{problem} {remedy}") from error
    raise _OwnerGone("it broke off")


def _events(response: httpx.Response) -> Iterator[tuple[str, Answer]]:
    """What is said, by name; the last is `answer` or `error`."""
    if not response.headers.get("content-type", "").startswith(_EVENTS):
        yield "answer" if response.is_success else "error", json.loads(response.read())
        return
    name = ""
    for line in response.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)
