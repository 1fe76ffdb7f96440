"""Turns on a file from the command line, over the API."""

from typing import Any

from fletcher.api import Answer, Api, Connection, Telling
from fletcher.errors import CommandError
from fletcher.story_file import StoryFile

# A model that goes on after each yes and never comes to an end is left with its next question.
_MAX_QUESTIONS = 20


class FileTurns:
    """What is said about one file: each turn begins with the file as it is, and writes it back.

    Args:
        connection: To the project whose documents are read.
        story: The file.
        body: What every turn says besides its message, as `POST …/turns` takes it.
        agreed: The user has said yes beforehand to whatever would be asked.
    """

    def __init__(self, connection: Connection, story: StoryFile, body: Answer, *, agreed: bool = False) -> None:
        self._connection = connection
        self._story = story
        self._body = body
        self._agreed = agreed

    def say(self, message: str, tell: Telling | None = None, **more: Any) -> Answer:
        """The answer to one message; without a `pending_id` it answers the question that is open about the file.

        Args:
            message: The user's words.
            tell: Hears the events of the turn by their names while it runs.
            more: Fields of this turn alone.

        Raises:
            CommandError: The turn failed before it did anything, or the file cannot be read or written.
        """
        before = self._read()
        plans = self._body.get("mode") == "plan"
        if not plans and "function" not in self._body and more.get("pending_id") is None:
            more["pending_id"] = self._story.open_question(self._connection.key)
        body = self._body | more | {"message": message, "arrow_content": _text(before, self._story)}
        answer = self._answered(body, tell)
        self._story.keep_question(self._connection.key, answer["question"] and answer["question"]["pending_id"])
        if answer["changed"]:
            write = self._story.go_back if _is_undo(answer) else self._story.write
            write(before, answer["arrow_content"].encode())
        return answer

    def _answered(self, body: Answer, tell: Telling | None) -> Answer:
        try:
            answer = self._turn(body, tell)
        except CommandError as error:
            code = getattr(error, "code", "")
            if code == "PARSE_ERROR":
                raise CommandError(f"{self._story.file} is not a project that Arrow would open: {error}") from error
            if code in ("CONFLICT", "NOT_PENDING"):  # the question that this would have answered is no more
                self._story.keep_question(self._connection.key, None)
            raise
        return self._agreed_to(answer) if self._agreed else answer

    def _turn(self, body: Answer, tell: Telling | None = None) -> Answer:
        def work(api: Api) -> Answer:
            return api.follow("turns", tell, json=body) if tell else api.ask("POST", "turns", json=body)

        return self._connection.do(work)

    def _agreed_to(self, answer: Answer) -> Answer:
        """Says yes as often as is asked."""
        for _ in range(_MAX_QUESTIONS):
            question = answer["question"]
            if question is None or question["kind"] != "confirmation":
                break
            reply = {"message": "yes", "pending_id": question["pending_id"], "arrow_content": answer["arrow_content"]}
            answer = _joined(answer, self._turn(self._body | reply))
        return answer

    def _read(self) -> bytes:
        try:
            return self._story.file.read_bytes()
        except OSError as error:
            raise CommandError(f"{self._story.file} cannot be read: {error.strerror}.") from error


def _joined(answer: Answer, done: Answer) -> Answer:
    return done | {
        "text": f"{answer['text']}\n\n{done['text']}",
        "not_done": answer["not_done"] + done["not_done"],
        "citations": answer["citations"] + done["citations"],
        "operations": answer["operations"] + done["operations"],
        "changed": answer["changed"] or done["changed"],
        "diff": f"{answer['diff']}\n{done['diff']}".strip(),
    }


def _text(content: bytes, story: StoryFile) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandError(f"{story.file} is not a project that Arrow would open: it is no UTF-8 text.") from error


def _is_undo(answer: Answer) -> bool:
    return any(operation["function"] == "undo" and operation["success"] for operation in answer["operations"])
