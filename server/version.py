"""Which Fletcher this server is."""

from importlib.metadata import version

# Read once: the package may be replaced, or taken away, under a running server.
VERSION = version("fletcher-arrow")
