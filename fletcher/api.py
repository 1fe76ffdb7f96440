"""The HTTP API as the command line speaks it, to whoever answers for the data directory."""

from __future__ import annotations

import json
import os
import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from corpora import Owner, ProjectKey
from fletcher.errors import CommandError
from fletcher.owner import live_owner
from fletcher.settings import Settings

Answer = dict[str, Any]
Telling = Callable[[str, Answer], None]
_Result = TypeVar("_Result")

# Embedding a long document takes minutes on a small machine, and an answer comes when it is done.
_TIMEOUT = httpx.Timeout(10, read=3600, write=600)
# How long an owner that no longer answers may take to give the directory back: it may be in the midst of a batch.
_WAIT_FOR_ITS_END_S = 60.0
_UNAUTHORIZED = 401  # our key is not the key of who answers now
_TOO_LARGE = 413
_CLOSING = "SERVER_CLOSING"


class OwnerGone(CommandError):
    """The owner does not answer any more: the work can be done again, by whoever owns the directory next."""


class OwnerRefusal(CommandError):
    """The owner answered that it will not; `status` and `code` are the API's."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Api:
    """One project at one owner; a context manager that closes its connections."""

    def __init__(self, owner: Owner, key: ProjectKey) -> None:
        self.owner = owner
        self.key = key
        self._client = httpx.Client(
            base_url=f"{owner.url}/projects/{quote(key.project_id, safe='')}/",
            headers={"Authorization": f"Bearer {owner.key}", "X-Fletcher-Workspace": key.workspace},
            timeout=_TIMEOUT,
            trust_env=False,
            # An owner is on this machine and shows no certificate: loading all authorities would take 30 ms.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        )

    def __enter__(self) -> Api:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def ask(self, method: str, path: str, **options: Any) -> Answer:
        """The answer to one request; `path` is one below the project, `options` are httpx's.

        Raises:
            OwnerRefusal: It is refused.
            OwnerGone: Nobody answers, or somebody else than before.
        """
        with self._answered(options), self._client.stream(method, path, **options) as response:
            return self._told(response, lambda _name, _data: None)

    def follow(self, path: str, tell: Telling, **options: Any) -> Answer:
        """The answer to a POST; `tell` hears the names and the data of its events meanwhile, and may stop it."""
        options["headers"] = {"Accept": "text/event-stream"}
        with self._answered(options), self._client.stream("POST", path, **options) as response:
            return self._told(response, tell)

    def _told(self, response: httpx.Response, tell: Telling) -> Answer:
        if response.is_error:
            response.read()
            raise self._refused(response)
        if "event-stream" not in response.headers["content-type"]:
            return json.loads(response.read())
        for name, data in _events(response.iter_lines()):
            if name == "answer":
                return data
            if name == "error":
                raise self._refusal(response.status_code, data)
            tell(name, data)
        raise self._gone("it broke off")

    def _refused(self, response: httpx.Response) -> CommandError:
        try:
            return self._refusal(response.status_code, response.json())
        except (ValueError, KeyError, TypeError):
            message = f"The owner of the data directory answered {response.status_code}."
            return OwnerRefusal(response.status_code, "REFUSED", message)

    def _refusal(self, status: int, data: Answer) -> CommandError:
        code, message = data["error"]["code"], data["error"]["message"]
        if status == _UNAUTHORIZED or code == _CLOSING:
            return self._gone(message)
        return OwnerRefusal(status, code, message)

    @contextmanager
    def _answered(self, options: dict[str, Any]) -> Generator[None]:
        try:
            yield
        except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
            # Who hangs up while it is sent something, and is there all the same, takes no request so long.
            if options.keys() & {"json", "files"} and self._is_there():
                message = "the server hung up; it may be too big for its FLETCHER_MAX_UPLOAD_BYTES."
                raise OwnerRefusal(_TOO_LARGE, "PAYLOAD_TOO_LARGE", message) from error
            raise self._gone(error) from error
        except httpx.HTTPError as error:
            raise CommandError(self._silent(error)) from error

    def _is_there(self) -> bool:
        try:
            return self._client.get("folder").status_code != _UNAUTHORIZED
        except httpx.HTTPError:
            return False

    def _gone(self, reason: Exception | str) -> OwnerGone:
        return OwnerGone(self._silent(reason))

    def _silent(self, reason: Exception | str) -> str:
        return (
            f"Process {self.owner.pid} owns the data directory and does not answer at {self.owner.url}: {reason}. "
            "Run the command again."
        )


def _events(lines: Iterable[str]) -> Iterator[tuple[str, Answer]]:
    """Server-sent events by their names."""
    name = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


class Connection:
    """A project's API at whoever owns the data directory, one owner after the other; a context manager.

    Args:
        settings: Where the directory is.
        key: The project.
        needs: What `live_owner` is to say at once: `embeds`, `talks`.
    """

    def __init__(self, settings: Settings, key: ProjectKey, **needs: bool) -> None:
        self._settings = settings
        self.key = key
        self._needs = needs
        self._opened = ExitStack()
        self._api: Api | None = None

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *error: Any) -> None:
        self._close()

    def do(self, work: Callable[[Api], _Result]) -> _Result:
        """What `work` makes of the API.

        If the owner ends meanwhile, `work` is done again from its beginning: here, or by the next owner.

        Raises:
            CorpusError: As `live_owner`.
            OwnerGone: The owner keeps the directory and has stopped to answer.
        """
        gone, give_up_at = None, 0.0
        while True:
            api = self._open()
            try:
                return work(api)
            except OwnerGone:
                self._close()
                # Not a busy loop: to find an owner takes the time in which we could have become it.
                if api.owner != gone:
                    gone, give_up_at = api.owner, time.monotonic() + _WAIT_FOR_ITS_END_S
                if api.owner.pid == os.getpid() or time.monotonic() >= give_up_at:
                    raise

    def _open(self) -> Api:
        if self._api is None:
            owner = self._opened.enter_context(live_owner(self._settings, **self._needs))
            self._api = self._opened.enter_context(Api(owner, self.key))
        return self._api

    def _close(self) -> None:
        self._api = None
        self._opened.close()


def asked(settings: Settings, key: ProjectKey, work: Callable[[Api], _Result]) -> _Result:
    """What `work` makes of the project's API; raises as `Connection.do`."""
    with Connection(settings, key) as connection:
        return connection.do(work)
