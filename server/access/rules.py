"""Who may talk to the server: hosts, origins and tokens. A token selects the workspace."""

import hmac
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_plus, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from corpora import network_of
from server.access.browser_sessions import SCHEME_COOKIE, BrowserSession, BrowserSessions, cookie_name
from server.access.wrong_tokens import WrongTokens
from server.limits.rounds import Rounds
from server.limits.written import LONGEST_TOKEN

LOCAL_WORKSPACE = "local"
WORKSPACE_HEADER = "x-fletcher-workspace"
POLICY_VIOLATION = 1008

# What says nothing of any workspace; everything else is asked for a token before its body is read. The page at `/`
# asks for it by itself.
_OPEN_PATHS = ("/healthz", "/docs", "/openapi.json", "/favicon.ico")
OF_THE_PAGE = ("/", "/sign-in")
_OPEN_FOLDERS = ("/docs/", "/static-offline-docs/")
_HOST = re.compile(r"[\w.:\[\]-]+")
_COOKIE = re.compile(rb'(?:^|;)\s*(fletcher\w*)=([^;"]*)')
_LONGEST_OF_PAGE = 15_000  # of a query, in which a question of 1,000 characters may have 12,000
_TOKEN = re.compile(rf"(?:^|&)token=([^&]{{1,{LONGEST_TOKEN}}})")
_OTHER_SITES = ("cross-site", "same-site")  # as a browser says it; to it, other ports are the same site


class AccessDenied(Exception):
    """The token is missing or unknown."""

    status = 401
    code = "UNAUTHORIZED"
    header = ("WWW-Authenticate", "Bearer")

    def __init__(self) -> None:
        # Short enough to be the reason in a close frame.
        super().__init__(
            "A valid token is needed: 'Authorization: Bearer TOKEN', '?token=TOKEN', or first of all a hello with one."
        )


class TooManyWrongTokens(AccessDenied):
    """Too many wrong tokens came from this address to look at another one."""

    status = 429
    code = "RATE_LIMITED"

    def __init__(self, wait_s: int) -> None:
        Exception.__init__(self, f"Too many wrong tokens came from this address; try again in {wait_s} s.")
        self.header = ("Retry-After", str(wait_s))


@dataclass(frozen=True)
class Access:
    """The rules of one server.

    Attributes:
        tokens: Token to workspace. Empty: everybody works in `local`, which only a server bound to loopback may do.
        owner_key: The secret of the data directory's owner file; whoever can read that file may use every workspace.
        allowed_hosts: Host names besides loopback that requests may address.
        allowed_origins: Origins of web pages besides our own that may connect.
        requires_key: Without tokens the owner's key is needed, instead of nothing.
        wrong_tokens: What was tried that opens nothing.
        sessions: Who has signed in with a browser.
    """

    tokens: Mapping[str, str] = field(default_factory=dict[str, str])
    owner_key: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    requires_key: bool = False
    wrong_tokens: WrongTokens = field(default_factory=WrongTokens)
    sessions: BrowserSessions = field(default_factory=BrowserSessions)

    @property
    def is_open(self) -> bool:
        """Whether nobody needs to show anything."""
        return not self.tokens and not self.requires_key

    def is_owner(self, token: str | None) -> bool:
        """Whether this is the key of the data directory's owner file."""
        return bool(self.owner_key and token and _same(token, self.owner_key))

    def admit(self, connection: HTTPConnection) -> tuple[str, bool]:
        """The workspace that a request's token opens, or its browser's session; and whether it has the owner's key.

        A page says whose it is: its browser may have signed in as another workspace since.

        Raises:
            AccessDenied: It has neither, and needs one.
        """
        token = bearer_token(connection)
        requested = connection.headers.get(WORKSPACE_HEADER)
        session = self.session(connection) if token is None else None
        if session is not None and requested in (None, session.workspace):
            return session.workspace, session.is_owner
        return self.workspace(token, requested, client_address(connection)), self.is_owner(token)

    def session(self, connection: HTTPConnection) -> BrowserSession | None:
        """The session of the browser that asks; None where it is none, or has none any more."""
        session_id = connection.cookies.get(cookie_name(connection.headers.get("host", "")))
        return self.sessions.get(session_id) if session_id else None

    def workspace(self, token: str | None, requested: str | None = None, address: str = "") -> str:
        """The workspace that `token` opens; `requested` counts only together with the owner's key.

        Args:
            token: What the client has sent as its token.
            requested: The workspace that it wants.
            address: Whose wrong tokens are counted.

        Raises:
            AccessDenied: Tokens are required and this is none of them, or it is not looked at.
        """
        # Before guesses count: whoever guesses has the owner's address, perhaps, and guesses no key of 256 bits.
        if self.is_owner(token):
            return requested or LOCAL_WORKSPACE
        if self.is_open:
            return LOCAL_WORKSPACE
        if not token:
            raise AccessDenied
        if wait_s := self.wrong_tokens.wait_s(address, token):
            raise TooManyWrongTokens(wait_s)
        workspace = self._opened_by(token)
        if workspace is None:
            self.wrong_tokens.add_wrong(address)
            raise AccessDenied
        self.wrong_tokens.add_right(address, token)
        return workspace

    def _opened_by(self, token: str) -> str | None:
        # Every token is compared, so that the time taken says nothing about which one was nearly right.
        opened = [workspace for known, workspace in self.tokens.items() if _same(token, known)]
        return opened[0] if opened else None

    def host_is_allowed(self, host: str) -> bool:
        """Whether a request may address us by this Host header; guards against DNS rebinding."""
        if not _HOST.fullmatch(host):
            return False
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:  # not a host at all
            return False
        if _is_loopback(name) or name in self.allowed_hosts:
            return True
        # to other addresses browsers do not say which site has sent them, so a token has to
        return not self.is_open and _ip_address(name) is not None

    def origin_is_allowed(self, origin: str | None, host: str) -> bool:
        """Whether a web page of this origin may talk to us. Programs send no Origin."""
        if origin is None or origin in self.allowed_origins:
            return True
        if origin.partition("://")[2].lower() == host.lower():
            return True
        # This machine has several names, and a page may have been opened by one and connect by another.
        page, ours = _loopback_port(origin), _loopback_port(f"http://{host}")
        return page is not None and page == ours


def bearer_token(connection: HTTPConnection) -> str | None:
    """The token of a request: from the Authorization header, else from `?token=`."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip()
    return token_in(connection.scope["query_string"])


def token_in(fields: bytes) -> str | None:
    """The first `token` of an address, or of a form.

    Nothing else of them is taken apart: that of thousands of fields takes a while, and anybody may send them.
    """
    given = _TOKEN.search(fields.decode("utf-8", "replace"))
    return unquote_plus(given[1]) if given else None


def client_address(connection: HTTPConnection) -> str:
    """From where it comes; empty where nobody knows."""
    return connection.client.host if connection.client else ""


def client_network(connection: HTTPConnection) -> str:
    """From where it comes, as what strangers from there may have together counts."""
    return network_of(client_address(connection))


class AccessMiddleware:
    """Refuses foreign hosts, origins and sites, HTTP and WebSocket alike, and HTTP without a token that is needed.

    No route sees what is refused, and nothing of its body is read. A route finds
    `request.state.workspace` and `.is_owner`. A socket may still bring its token in its first message.
    """

    def __init__(self, app: ASGIApp, access: Access, rounds: Rounds) -> None:
        self._app = app
        self._access = access
        self._rounds = rounds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers 401, 403 or 429 (a WebSocket is refused before it opens)."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        ours = (cookie_name(headers.get("host", "")).encode(), SCHEME_COOKIE.encode())
        scope["headers"] = [
            (name, _of_ours(value, ours) if name == b"cookie" else value) for name, value in scope["headers"]
        ]
        refusal = self._refusal(headers)
        if refusal is None and scope["type"] == "http":
            refusal = self._enter(HTTPConnection(scope))
        if refusal is None:
            await self._app(scope, receive, send)
            return
        # Whoever asks a thousand times at once is one of those who wait, as is everybody who is let in.
        await self._rounds.wait("/refused", client_network(HTTPConnection(scope)))
        if scope["type"] == "websocket":
            await WebSocketClose(code=POLICY_VIOLATION)(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._access.host_is_allowed(host):
            return _forbidden(f"The host {host!r} is not served here. Add it to FLETCHER_ALLOWED_HOSTS.")
        if not self._access.origin_is_allowed(origin, host):
            return _forbidden(f"Pages of {origin!r} may not connect. Add that origin to FLETCHER_ALLOWED_ORIGINS.")
        if origin is None and headers.get("sec-fetch-site") in _OTHER_SITES:
            return _forbidden("A page of another site has sent you here. Type the address yourself.")
        return None

    def _enter(self, connection: HTTPConnection) -> JSONResponse | None:
        path = connection.scope["path"]  # the path of `url` is also made of the Host header
        if path in OF_THE_PAGE:
            if len(connection.scope["query_string"]) > _LONGEST_OF_PAGE:  # strangers are waited for, and it is kept
                connection.scope["query_string"] = b""
            return None
        if path in _OPEN_PATHS or path.startswith(_OPEN_FOLDERS):
            connection.scope["query_string"] = b""  # which says nothing there, and would be taken apart all the same
            return None
        try:
            connection.state.workspace, connection.state.is_owner = self._access.admit(connection)
        except AccessDenied as denied:
            return _response(denied.status, denied.code, str(denied), dict([denied.header]))
        return None


def _of_ours(cookies: bytes, ours: tuple[bytes, ...]) -> bytes:
    """Those of the names that are ours: every route has the library take all apart, which is slow and anybody may send.

    None of ours has a quotation mark, and what has none is not unquoted: before 3.11.10 Python takes the square of its
    length (CVE-2024-7592).
    """
    found = {name: value for name, value in _COOKIE.findall(cookies) if name in ours}
    return b"; ".join(b"%b=%b" % cookie for cookie in found.items())


def _forbidden(reason: str) -> JSONResponse:
    return _response(403, "FORBIDDEN", reason)


def _response(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message}}, status, headers)


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())


def _loopback_port(url: str) -> int | None:
    """The port of a URL that names this machine; None for any other."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    return port if _is_loopback(parts.hostname or "") else None


def _is_loopback(name: str) -> bool:
    """Whether it is localhost, 127.0.0.0/8 or ::1, and not the same written as another kind of address."""
    address = _ip_address(name)
    if address is None:
        return name == "localhost"
    return address.is_loopback and not (address.version == 6 and address.ipv4_mapped)


def _ip_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
