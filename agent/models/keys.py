"""Keys of providers, which no line of the log may have."""

import os
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit


def without_keys(error: BaseException) -> str:
    """What an error says, for the log: some providers repeat the key that they refuse, or the header with it."""
    said = str(error)
    for name, value in os.environ.items():
        for secret in filter(None, _secrets(name, value)):
            said = said.replace(secret, f"<{name}>")
    return said


def _secrets(name: str, value: str) -> Iterator[str]:
    if name.endswith(("_API_KEY", "_AUTH_TOKEN")):
        yield value
    elif name.endswith("_BASE_URL"):
        try:
            account = urlsplit(value).netloc.rpartition("@")[0]
        except ValueError:  # no address
            return
        password = account.partition(":")[2]
        yield b64encode(unquote(account).encode()).decode() if password else ""
        yield password
        yield unquote(password)
