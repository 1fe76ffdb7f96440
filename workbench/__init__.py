"""The page in the browser, at `/` of the server; what draws it is loaded when it is first asked for."""

from workbench.mounting import mount

__all__ = ["mount"]
