"""The dialect `fletcher`: our own, which says everything that a turn can say."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from agent import Asked, Citation, Cited, Ended, Event, Failed, Failure, Suggested, TextChunk, TextFinished, Usage
from arrow_project import OperationResult
from ingest import IngestReport
from server.dialects.dialect import Call, Client, EndReason, Frame, View
from server.dialects.lowering import NativeDialect, native_calls
from server.dialects.wording import Transcript, cut, fits, item_frames, shortened, size, text_frames

_ABOVE = "All that is asked about stands above."


def _without_notes(call: Call) -> Call:
    return replace(call, arguments={name: value for name, value in call.arguments.items() if name != "notes"})


class FletcherDialect(NativeDialect):
    """Flat messages; functions as the `arrow-ai` dialect has them, several at once for clients that take a batch."""

    rolls_back = False

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._turn_id = ""
        self._ran: Frame = {}  # what the turn that ends has run
        self._transcript = Transcript()

    def turn_started(self, turn_id: str, /) -> Iterator[Frame]:
        """`turn_start`."""
        self._turn_id, self._transcript = turn_id, Transcript()
        yield {"type": "turn_start", "turn_id": turn_id}

    def guest_started(self, turn_id: str, name: str, doing: str, /) -> Iterator[Frame]:
        """`turn_start` that says by whom, for a client that declared `assistant`."""
        if not self._knows_assistants:
            yield from super().guest_started(turn_id, name, doing)
            return
        for frame in self.turn_started(turn_id):
            yield frame | {"by": cut(name, 200), "message": cut(doing, 2000)}

    def story_request(self, request_id: str, /) -> Iterator[Frame]:
        """`story_request`, for a client that declared `assistant`; it answers with a `file_sync` of that id."""
        if self._knows_assistants:
            yield {"type": "story_request", "request_id": request_id}

    def undo_request(self, request_id: str, turn_id: str, /) -> Frame | None:
        """`undo_request`, for a client that declared `assistant`; it answers with a `function_result`."""
        asked = {"type": "undo_request", "request_id": request_id, "turn_id": turn_id}
        return asked if self._knows_assistants else None

    @property
    def _knows_assistants(self) -> bool:
        return "assistant" in self.client.capabilities

    def event(self, event: Event) -> Iterator[Frame]:
        """Each kind of event by a message of its own."""
        match event:
            case TextChunk(text=text):
                self._transcript.chunk(text)
                yield from self.say(text)
            case TextFinished(text=text):
                yield from self._finish(text)
            case Cited():
                yield from self._citations(event)
            case Suggested():
                yield from self._suggestions(event)
            case Asked():
                yield from self._question(event)
            case Failed(failure=failure):
                yield from self.error(failure)
            case Ended(functions=functions, changed=changed):
                self._ran = {"functions": list(functions), "changed": changed}
            case _:
                pass

    def turn_ended(self, reason: EndReason, usage: Usage, /) -> Iterator[Frame]:
        """`turn_end`."""
        ran, self._ran = self._ran, {}
        yield {"type": "turn_end", "turn_id": self._turn_id, "reason": reason, "usage": asdict(usage)} | ran

    def calls(self, applied: OperationResult, view: View) -> tuple[Call, ...]:
        """Functions by the names of the `arrow-ai` dialect, with native data.

        Where a client declared `assistant`, what an update does not mention stays there: so notes, which may have been
        written since, are not sent along.
        """
        calls = native_calls(applied, view, self.client)
        if not self._knows_assistants or "notes" in applied.operation.arguments:
            return calls
        return tuple(_without_notes(call) if call.function.startswith("update_") else call for call in calls)

    def batch(self, request_id: str, calls: Sequence[Call], /) -> Frame | None:
        """`function_call_batch`, for a client that declared `batch`."""
        if "batch" not in self.client.capabilities:
            return None
        functions = [{"function": call.function, "arguments": call.arguments} for call in calls]
        return {"type": "function_call_batch", "request_id": request_id, "functions": functions}

    def say(self, text: str) -> Iterator[Frame]:
        """`text_chunk`."""
        return text_frames(
            lambda piece: {"type": "text_chunk", "turn_id": self._turn_id, "text": piece},
            text,
            self.client.max_frame_bytes,
        )

    def error(self, failure: Failure) -> Iterator[Frame]:
        """`error`; of a document that was not taken in, `document` names it."""
        frame = {"type": "error", "code": failure.code, "message": ""}
        if isinstance(document := failure.details.get("document"), str):
            frame["document"] = cut(document, self._half)
        yield frame | {"message": cut(failure.message, self._room_in(frame))}

    def corpus_progress(self, document: str, phase: str, done: int, total: int, /) -> Iterator[Frame]:
        """`corpus_progress`, for a client that declared `progress`."""
        if "progress" in self.client.capabilities:
            frame = {"type": "corpus_progress", "document": "", "phase": phase, "done": done, "total": total}
            yield frame | {"document": cut(document, self._room_in(frame))}

    def corpus_report(self, report: IngestReport) -> Iterator[Frame]:
        """`corpus_report`; the lists and texts of an entry that would be too long end early."""
        limit = self.client.max_frame_bytes
        room = limit - size({"type": "corpus_report", "documents": []}) - 2
        documents = [shortened(document.as_dict(), room) for document in report.documents]
        return item_frames(lambda items: {"type": "corpus_report", "documents": items}, documents, limit)

    def _finish(self, text: str) -> Iterator[Frame]:
        yield from self.say(self._transcript.part(text).removeprefix("\n\n"))
        yield {"type": "text_end", "turn_id": self._turn_id}

    def _citations(self, cited: Cited) -> Iterator[Frame]:
        items = [_citation(citation) | {"text": cut(citation.text, self._half)} for citation in cited.citations]
        return item_frames(
            lambda batch: {"type": "citations", "turn_id": self._turn_id, "items": batch},
            items,
            self.client.max_frame_bytes,
        )

    def _suggestions(self, suggested: Suggested) -> Iterator[Frame]:
        items = [{"label": s.label, "function": s.function, "params": dict(s.params)} for s in suggested.suggestions]
        return item_frames(lambda batch: {"type": "suggestions", "items": batch}, items, self.client.max_frame_bytes)

    def _question(self, asked: Asked) -> Iterator[Frame]:
        """`confirmation_request`; where it would be too long, what it asks about comes before it as the turn's text.

        Of its own it has then the last line, no operations, and the beginning of the differences.
        """
        frame = {
            "type": "confirmation_request",
            "request_id": asked.pending_id,
            "pending_id": asked.pending_id,
            "kind": asked.kind,
            "text": asked.text,
            "diff": asked.diff,
            "operations": [{"function": o.function, "arguments": dict(o.arguments)} for o in asked.operations],
        }
        if not fits(frame, self.client.max_frame_bytes):
            yield from self._finish(asked.text)
            text = f"{_ABOVE}\n{asked.text[-self._half :].splitlines()[-1]}" if asked.text else ""
            frame |= {"text": cut(text, self._half), "diff": cut(asked.diff, self._half // 2), "operations": []}
        yield frame

    @property
    def _half(self) -> int:
        return self.client.max_frame_bytes // 2

    def _room_in(self, frame: Frame) -> int:
        return self.client.max_frame_bytes - size(frame) + 2


def _citation(citation: Citation) -> Frame:
    """Its fields; `also_in` is there only where another document says the same."""
    fields = asdict(citation)
    return fields if citation.also_in else {name: value for name, value in fields.items() if name != "also_in"}
