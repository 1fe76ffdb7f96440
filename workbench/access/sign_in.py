"""Where a token is asked for: a form without scripts, which is all that somebody without one gets to see."""

from html import escape
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from server import Access, AccessDenied
from server.access.browser_sessions import cookie_name
from server.access.rules import client_address, client_network, token_in
from server.limits.rounds import Rounds
from server.limits.written import LONGEST_TOKEN

SIGN_IN = "/sign-in"
_OF_THE_PAGE = ("project", "tab", "question", "document", "page", "passage")
_WRONG = "This token opens nothing. It is one of the file that FLETCHER_TOKENS names, or the key in owner.json."
_IN_ADDRESS = "A token in the page's address is not looked at, as addresses are passed on: enter it here."
_LONGEST_FORM = 2 * LONGEST_TOKEN

_FORM = """<!doctype html>
<html lang="en">
<head>
<title>Sign in · Fletcher</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh; margin: 0 1rem }}
form {{ width: min(26rem, 100%) }}
input, button {{ font: inherit; width: 100%; box-sizing: border-box; padding: .6rem; margin: .3rem 0 1rem }}
</style>
</head>
<body>
<main>
<h1>Fletcher</h1>
{problem}
<form method="post" action="{action}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">Sign in</button>
</form>
</main>
</body>
</html>
"""


def has_token(request: Request) -> bool:
    """Whether one is in the address."""
    return token_in(request.scope["query_string"]) is not None


def sign_in_form(request: Request, denied: AccessDenied | None = None, *, is_wrong: bool = False) -> Response:
    """The form, with what was wrong with the last token; it leads on to the page that was asked for."""
    status, headers = (denied.status, dict([denied.header])) if denied else (200, {})
    headers.pop("WWW-Authenticate", None)  # or a browser asks by itself, for a name and a password
    problem = _IN_ADDRESS if has_token(request) else ""
    if is_wrong or status == 429:
        problem = str(denied) if status == 429 else _WRONG
    said = f'<p role="alert">{escape(problem)}</p>' if problem else ""
    page = _FORM.format(problem=said, action=escape(SIGN_IN + _wanted(request)))
    return HTMLResponse(page, status, headers | {"Cache-Control": "no-store"})


async def sign_in(request: Request, access: Access, rounds: Rounds) -> Response:
    """Takes the form: a right token begins a session and leads to the page; the browser's session before ends."""
    if request.method != "POST":
        return RedirectResponse(f"/{_wanted(request)}", 303)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST_FORM:
            break
    await rounds.wait("/", client_network(request))  # as many may be whole at once
    token = (token_in(body) or "").strip()
    try:
        workspace = access.workspace(token, address=client_address(request))
    except AccessDenied as denied:
        return sign_in_form(request, denied, is_wrong=True)
    answer = RedirectResponse(f"/{_wanted(request)}", 303)
    cookie = cookie_name(request.headers.get("host", ""))
    access.sessions.end(request.cookies.get(cookie, ""))
    answer.set_cookie(
        cookie,
        access.sessions.begin(workspace, is_owner=access.is_owner(token)),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


def _wanted(request: Request) -> str:
    """What the page is to show, as the end of its address; a token in it is not handed on, nor what is none of ours."""
    shown = [(name, value) for name, value in parse_qsl(request.url.query) if name in _OF_THE_PAGE]
    return f"?{urlencode(shown)}" if shown else ""
