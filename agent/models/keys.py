"""Keys of providers, which no line of the log may have."""

import os


def without_keys(error: BaseException) -> str:
    """What an error says, for the log: some providers repeat the key that they refuse."""
    said = str(error)
    for name, value in os.environ.items():
        if name.endswith(("_API_KEY", "_AUTH_TOKEN")) and value:
            said = said.replace(value, f"<{name}>")
    return said
