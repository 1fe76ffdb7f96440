"""Who may talk to the server: hosts, origins and tokens. A token selects the workspace."""

import hmac
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

LOCAL_WORKSPACE = "local"
POLICY_VIOLATION = 1008


class AccessDenied(Exception):
    """The token is missing or unknown."""

    def __init__(self) -> None:
        # Short enough to be the reason in a close frame.
        super().__init__(
            "A valid token is needed: 'Authorization: Bearer TOKEN', '?token=TOKEN', or first of all a hello with one."
        )


@dataclass(frozen=True)
class Access:
    """The rules of one server.

    Attributes:
        tokens: Token to workspace. Empty: everybody works in `local`, which only a server bound to loopback may do.
        owner_key: The secret of the data directory's owner file; whoever can read that file may use every workspace.
        allowed_hosts: Host names besides loopback that requests may address.
        allowed_origins: Origins of web pages besides our own that may connect.
        requires_key: Without tokens the owner's key is needed, instead of nothing.
    """

    tokens: Mapping[str, str] = field(default_factory=dict[str, str])
    owner_key: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    requires_key: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nobody needs to show anything."""
        return not self.tokens and not self.requires_key

    def is_owner(self, token: str | None) -> bool:
        """Whether this is the key of the data directory's owner file."""
        return bool(self.owner_key and token and _same(token, self.owner_key))

    def workspace(self, token: str | None, requested: str | None = None) -> str:
        """The workspace that `token` opens; `requested` counts only together with the owner's key.

        Raises:
            AccessDenied: Tokens are required and this is none of them.
        """
        if self.is_owner(token):
            return requested or LOCAL_WORKSPACE
        if self.is_open:
            return LOCAL_WORKSPACE
        # Every token is compared, so that the time taken says nothing about which one was nearly right.
        opened = [workspace for known, workspace in self.tokens.items() if token and _same(token, known)]
        if not opened:
            raise AccessDenied
        return opened[0]

    def host_is_allowed(self, host: str) -> bool:
        """Whether a request may address us by this Host header; guards against DNS rebinding."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:  # not a host at all
            return False
        return name == "localhost" or _is_ip_address(name) or name in self.allowed_hosts

    def origin_is_allowed(self, origin: str | None, host: str) -> bool:
        """Whether a web page of this origin may talk to us. Programs send no Origin."""
        if origin is None or origin in self.allowed_origins:
            return True
        if origin.partition("://")[2].lower() == host.lower():
            return True
        # This machine has several names, and a page may have been opened by one and connect by another.
        page, ours = _loopback_port(origin), _loopback_port(f"http://{host}")
        return page is not None and page == ours


def bearer_token(headers: Headers, query_string: str) -> str | None:
    """The token of a request: from the Authorization header, else from `?token=`."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip()
    return next(iter(parse_qs(query_string).get("token", [])), None)


class AccessMiddleware:
    """Refuses foreign hosts and origins before any route sees the request, HTTP and WebSocket alike."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers 403 (a WebSocket is refused before it opens)."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._access.host_is_allowed(host):
            reason = f"The host {host!r} is not served here. Add it to FLETCHER_ALLOWED_HOSTS."
        elif not self._access.origin_is_allowed(headers.get("origin"), host):
            reason = f"Pages of {headers['origin']!r} may not connect. Add that origin to FLETCHER_ALLOWED_ORIGINS."
        else:
            await self._app(scope, receive, send)
            return
        await _refuse(scope, receive, send, reason)


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await WebSocketClose(code=POLICY_VIOLATION, reason=reason)(scope, receive, send)
    else:
        response = JSONResponse({"error": {"code": "FORBIDDEN", "message": reason}}, status_code=403)
        await response(scope, receive, send)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())


def _loopback_port(url: str) -> int | None:
    """The port of a URL that names this machine; None for any other."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    name = parts.hostname or ""
    is_loopback = name == "localhost" or (_is_ip_address(name) and ipaddress.ip_address(name).is_loopback)
    return port if is_loopback else None


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
