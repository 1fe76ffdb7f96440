"""Where a story is that a call reads or edits: a file of the server's machine, or an Arrow that is connected."""

from collections.abc import AsyncGenerator, Generator, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from agent import ConfirmationPolicy, Ended, Event, Failure, Outcome, ask_drive, in_thread, look_at_drive
from arrow_project import ArrowProject, Operation, ParseError, parse
from corpora import ProjectKey
from ingest import open_plain_file
from mcp_server.story_files import StoryFileError, StoryFiles, one_spelling
from mcp_server.tool import ToolError
from server import (
    Guest,
    GuestRefused,
    JsonError,
    OpenEditor,
    RequestError,
    Services,
    StoryAtWork,
    TurnBody,
    TurnReport,
    UserMessage,
    answer_turn,
    refuse_long_story,
    size_in_memory,
    size_once_read,
)

_LARGEST_FILE = 64 * 2**20


@dataclass(frozen=True)
class Shown:
    """A story as it is now, with the open scene and the selected nodes where there are any."""

    project: ArrowProject
    scene_id: int | None = None
    selected_node_ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Work:
    """What an assistant does in a story.

    Attributes:
        assistant: As the user knows it.
        doing: In a line for the user.
        operations: Done all or none.
        message: A yes or a no to the question `pending_id`.
        function: `undo`.
        is_plan: Nothing is changed; what would be is told.
        brings_yes: The assistant itself says that the user has agreed.
    """

    assistant: str
    doing: str
    operations: tuple[Operation, ...] = ()
    message: str = ""
    pending_id: str | None = None
    function: str | None = None
    is_plan: bool = False
    brings_yes: bool = False


class EditableStory(Protocol):
    """A story that can be read and edited.

    Attributes:
        name: What a call names it by.
        key: Whose documents it goes with.
    """

    name: str
    key: ProjectKey

    @property
    def confirm(self) -> ConfirmationPolicy:
        """When its user is asked first."""
        ...

    def shown(self) -> AbstractAsyncContextManager[Shown]:
        """The story as it is now; while the block runs it counts as one that a turn works on. Raises `ToolError`."""
        ...

    async def version(self) -> Hashable:
        """Another one once the story is another one."""
        ...

    async def work(self, work: Work) -> dict[str, Any]:
        """A turn in it: the fields of `POST …/turns` without the story itself; raises `ToolError`."""
        ...


class FileStory:
    """An `.arrow` file. Each turn begins with what is there, and writes it back.

    Args:
        path: By its real path.
        folder: The real path of the allowed folder that it is in.
        key: Whose documents it goes with.
        files: Write it.
        services: The parts of the server.
    """

    def __init__(self, path: Path, folder: Path, key: ProjectKey, files: StoryFiles, services: Services) -> None:
        self._path = path
        self._folder = folder
        self.name = str(path)
        self.key = key
        self._files = files
        self._services = services

    @property
    def confirm(self) -> ConfirmationPolicy:
        """See `EditableStory`."""
        return self._services.confirm

    @asynccontextmanager
    async def shown(self) -> AsyncGenerator[Shown]:
        """See `EditableStory`."""
        # Weighed before it is read: of many calls at once most find no room.
        size = await ask_drive(self._size)
        with self._services.turn_room.at_work(self.key.workspace, size) as at_work:
            text = await in_thread(_text, await ask_drive(self._bytes, size), self.name)
            at_work.weigh(await in_thread(size_once_read, text))
            yield Shown(await in_thread(self._parsed, text))

    async def version(self) -> Hashable:
        """See `EditableStory`."""
        status = await look_at_drive(self._path.stat)
        return status.st_mtime_ns, status.st_size

    async def work(self, work: Work) -> dict[str, Any]:
        """See `EditableStory`."""
        async with self._files.lock(self._path):
            size = await ask_drive(self._size)
            with self._services.turn_room.at_work(self.key.workspace, size) as at_work:
                before, made = await ask_drive(self._found, size)
                answer, kept = await self._answer(work, before, made, at_work)
            after = await in_thread(self._written, str(answer.pop("arrow_content")))
            if answer["changed"] and _has_undone(answer):
                after = await in_thread(self._as_kept, before, after)
                await ask_drive(self._go_back, before, after)
            elif answer["changed"]:
                await ask_drive(self._write, before, after, kept, follows=bool(made))
        return answer

    async def _answer(self, work: Work, before: bytes, made: str, at_work: StoryAtWork) -> tuple[dict[str, Any], str]:
        """What became of it, and the id of what is kept from before it; of the user's turns none is taken back unasked.

        Args:
            work: What is done.
            before: What is in the file.
            made: The turn of an assistant's that has written that, by the id of what is kept from before it.
            at_work: The room that its story has.
        """
        body, kept = await in_thread(self._body, work, before), ""

        async def tell(event: Event) -> None:
            nonlocal kept
            if isinstance(event, Ended):
                kept = event.kept

        turn = partial(answer_turn, body, self.key, self._services, tell, work.operations)
        try:
            taken = self._services.taken.of(one_spelling(self._path))
            return await turn(taken=taken, may_undo=made, at_work=at_work), kept
        except RequestError as error:
            if isinstance(error.__cause__, ParseError):  # of a field of the request; here it is a file
                raise self._not_a_project(error.__cause__) from error
            raise

    def _body(self, work: Work, before: bytes) -> TurnBody:
        return TurnBody(
            arrow_content=_text(before, self.name),
            message=work.message,
            mode="plan" if work.is_plan else "apply",
            pending_id=work.pending_id,
            function=work.function,
        )

    def _written(self, text: str) -> bytes:
        """What a turn has made of the file, if that could be read again."""
        try:
            parse(text)
        except ParseError as error:
            raise ToolError(
                "PARSE_ERROR", f"{self.name} stays as it was: this would not be read again. {error}"
            ) from error
        return text.encode()

    def _found(self, size: int) -> tuple[bytes, str]:
        """What is in the file, and the turn of an assistant's that has written that."""
        before = self._bytes(size)
        return before, self._files.last_made(self._path, before)

    def _size(self) -> int:
        """Of the file, as far as it would be read."""
        try:
            return min(self._path.stat().st_size, _LARGEST_FILE + 1)
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> ToolError:
        return ToolError("UNREADABLE", f"{self.name} cannot be read: {error.strerror or error}.")

    def _bytes(self, weighed: int = _LARGEST_FILE) -> bytes:
        """What is in the file; no more is read than there is room for."""
        try:
            file, _ = open_plain_file(self._path, self._folder)  # a link may have come into its way
            with file:
                data = file.read(weighed + 1)
        except OSError as error:
            raise self._unreadable(error) from error
        if len(data) > _LARGEST_FILE:
            raise ToolError("FILE_TOO_LARGE", f"{self.name} has more than the {_LARGEST_FILE:,} bytes of a story.")
        if len(data) > weighed:
            raise ToolError("CONFLICT", f"{self.name} is being written by another program; call again.")
        return data

    def _parsed(self, text: str) -> ArrowProject:
        try:
            return parse(text)
        except ParseError as error:
            raise self._not_a_project(error) from error

    def _not_a_project(self, error: ParseError) -> ToolError:
        return ToolError(error.code, f"{self.name} is not a project that Arrow would open: {error}")

    def _write(self, before: bytes, after: bytes, kept: str, *, follows: bool) -> None:
        with self._said_if_not_written():
            self._files.open(self._path).write(before, after)
        self._files.note_made(self._path, after, kept, follows=follows)

    def _as_kept(self, before: bytes, after: bytes) -> bytes:
        with self._said_if_not_written():
            return self._files.open(self._path).as_kept(before, after)

    def _go_back(self, before: bytes, after: bytes) -> None:
        with self._said_if_not_written():
            self._files.open(self._path).go_back(before, after)
        self._files.note_taken_back(self._path, self._bytes())

    @contextmanager
    def _said_if_not_written(self) -> Generator[None]:
        try:
            yield
        except StoryFileError as error:
            raise ToolError("CONFLICT", str(error)) from error
        except OSError as error:
            raise ToolError("NOT_WRITTEN", f"{self.name} cannot be written: {error.strerror or error}.") from error


class EditorStory:
    """The story of a connected editor: its user sees what is done, and can stop it and take it back."""

    def __init__(self, session: OpenEditor, services: Services) -> None:
        self._session = session
        self._services = services
        self.name = session.id
        self.key = session.key

    @property
    def confirm(self) -> ConfirmationPolicy:
        """See `EditableStory`."""
        return self._session.confirm

    @asynccontextmanager
    async def shown(self) -> AsyncGenerator[Shown]:
        """See `EditableStory`."""
        try:
            project = await self._session.show_story(self.key)
        except GuestRefused as refused:
            raise _refusal(refused.failure) from refused
        now = self._session.situation
        # Weighed before it is copied: of many calls at once most find no room.
        with self._services.turn_room.at_work(self.key.workspace, await in_thread(size_in_memory, project)):
            project = await in_thread(project.copy)  # a turn in the editor may change it while an assistant reads
            yield Shown(project, now.scene_id, tuple(now.selected_node_ids))

    async def version(self) -> Hashable:
        """See `EditableStory`."""
        return self._session.id, self._session.story_version

    async def work(self, work: Work) -> dict[str, Any]:
        """See `EditableStory`."""
        if work.is_plan:
            return await self._planned(work)
        report = TurnReport()

        async def told(event: Any) -> None:
            report.add(event)

        guest = Guest(work.assistant, work.doing, told, work.operations, brings_yes=work.brings_yes)
        try:
            if work.function == "undo":
                outcome = await self._session.take_back(guest, self.key)
                if outcome is not None:
                    return _taken_back(outcome)
            asked = UserMessage(
                type="user_message",
                message=work.message,
                pending_id=work.pending_id,
                function=work.function,
            )
            await self._session.host(guest, asked, self.key)
        except GuestRefused as refused:
            raise _refusal(refused.failure, report) from refused
        if report.failure is not None:  # it says itself what became of a part that was done
            raise _refusal(report.failure)
        answer = report.as_dict()
        return answer | {"changed": any(one["success"] for one in answer["operations"]), "diff": ""}

    async def _planned(self, work: Work) -> dict[str, Any]:
        """On a copy: the user is not disturbed by what is only tried."""
        async with self.shown() as shown:
            body = TurnBody(
                arrow_content=await in_thread(shown.project.to_text),
                current_scene_id=shown.scene_id,
                selected_node_ids=list(shown.selected_node_ids),
                mode="plan",
            )
        del shown  # the turn has a copy of its own, which counts by itself
        answer = await answer_turn(body, self.key, self._services, operations=work.operations)
        del answer["arrow_content"]
        return answer


def _taken_back(outcome: Outcome) -> dict[str, Any]:
    if outcome.failure is not None:
        raise _refusal(outcome.failure)
    done = {"function": "undo", "arguments": {}, "success": True, "result": None, "error": None}
    return TurnReport(["The last turn is taken back."]).as_dict() | {"operations": [done], "changed": True, "diff": ""}


def _refusal(failure: Failure, report: TurnReport | None = None) -> ToolError:
    done = [one.function for one in report.operations if one.success and one.reached_editor] if report else []
    stays = f" Done before that, and still in the story: {', '.join(done)}." if done else ""
    return ToolError(failure.code, failure.message + stays)


def _text(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
        refuse_long_story(text, name)
    except UnicodeDecodeError as error:
        message = f"{name} is not a project that Arrow would open: it is no UTF-8 text."
        raise ToolError("PARSE_ERROR", message) from error
    except JsonError as error:
        raise ToolError("FILE_TOO_LARGE", str(error)) from error
    return text


def _has_undone(answer: dict[str, Any]) -> bool:
    return any(operation["function"] == "undo" and operation["success"] for operation in answer["operations"])
