"""The wire forms of the clients, one module each."""

from server.dialects.arrow_ai import ArrowAIDialect
from server.dialects.dialect import MAX_FRAME_BYTES, Call, CannotExecute, Client, Dialect, EndReason, Frame, View
from server.dialects.envelope import EnvelopeDialect
from server.dialects.fletcher import FletcherDialect
from server.dialects.plain import PlainDialect
from server.dialects.spec import SpecDialect
from server.dialects.wording import encode, fits, size, without_appendix

DIALECTS: dict[str, type[Dialect]] = {
    "spec": SpecDialect,
    "envelope": EnvelopeDialect,
    "arrow-ai": ArrowAIDialect,
    "fletcher": FletcherDialect,
}

__all__ = [
    "DIALECTS",
    "MAX_FRAME_BYTES",
    "Call",
    "CannotExecute",
    "Client",
    "Dialect",
    "EndReason",
    "Frame",
    "PlainDialect",
    "View",
    "encode",
    "fits",
    "size",
    "without_appendix",
]
