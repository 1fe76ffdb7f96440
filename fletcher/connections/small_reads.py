"""How much is read from a connection at once."""

from asyncio import BufferedProtocol, Protocol
from asyncio.transports import BaseTransport

# uvloop takes up to 256,000 bytes, and what waits for its turn is kept: of anybody, and of any number of connections.
_AT_ONCE = 32 * 2**10


class SmallReads(BufferedProtocol):
    """Hands what comes to a protocol, at most 32 KiB at a time, until the transport has another one."""

    _buffer = memoryview(bytearray(_AT_ONCE))  # of all: what is read is handed on before anything else is

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - it may be -1
        """Where it is to be put; however much is there."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes have come."""
        self._protocol.data_received(bytes(self._buffer[:nbytes]))

    def connection_made(self, transport: BaseTransport) -> None:
        """Also where it is lost, ends, or its client has to be waited for, that is for the protocol."""
        self._protocol.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """As above."""
        self._protocol.connection_lost(exc)

    def eof_received(self) -> bool | None:
        """As above."""
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        """As above."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """As above."""
        self._protocol.resume_writing()
