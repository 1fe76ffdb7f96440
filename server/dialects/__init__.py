"""The wire forms of the clients, one module each."""

from server.dialects.dialect import Call, Dialect
from server.dialects.spec import SpecDialect

__all__ = ["Call", "Dialect", "SpecDialect"]
