"""Turns on a file from the command line, over the API."""

from typing import Any

from fletcher.api import Answer, Api, Listener, OwnerRefusal
from fletcher.errors import CommandError
from fletcher.story_file import StoryFile, read_story, said_if_not_written

# A model that goes on after each yes and never comes to an end is left with its next question.
_MAX_QUESTIONS = 20


class FileTurns:
    """What is said about one file: each turn begins with the file as it is, and writes it back.

    Args:
        api: The project whose documents are read.
        story: The file.
        body: What every turn says besides its message, as `POST …/turns` takes it.
        agreed: The user has said yes beforehand to whatever would be asked.
        question: The id of what the first message answers; each other one answers what the one before has led to.
    """

    def __init__(
        self, api: Api, story: StoryFile, body: Answer, *, agreed: bool = False, question: str | None = None
    ) -> None:
        self._api = api
        self._story = story
        self._body = body
        self._agreed = agreed
        self._question = question
        self._written: bytes | None = None  # by the last turn, or about to be

    def say(self, message: str, listen: Listener | None = None, **more: Any) -> Answer:
        """The answer to one message.

        Args:
            message: The user's words.
            listen: Hears the events of the turn by their names while it runs.
            more: Fields of this turn alone.

        Raises:
            CommandError: The turn failed before it did anything, or the file cannot be read or written.
        """
        self._written = None
        before, content = self._read()
        if self._body.get("mode") != "plan":
            more["pending_id"] = self._question
        body = self._body | more | {"message": message, "arrow_content": content}
        answer = self._answered(body, listen)
        self._question = answer["question"] and answer["question"]["pending_id"]
        with said_if_not_written(self._story.file):
            self._story.keep_question(self._api.key, self._question)
            if answer["changed"]:
                undone = any(each["function"] == "undo" and each["success"] for each in answer["operations"])
                after = answer["arrow_content"].encode()
                if undone:
                    after = self._story.as_kept(before, after)
                self._written = after
                put = self._story.go_back if undone else self._story.write
                put(before, after)
        return answer

    def stop(self) -> bool:
        """To be called where Ctrl-C ended a turn: no yes answers a question any more.

        Whether the file has what the turn has done: it came too late.
        """
        self._drop_question()
        return self._written is not None and read_story(self._story.file) == self._written

    def _drop_question(self) -> None:
        self._question = None
        self._story.keep_question(self._api.key, None)

    def _answered(self, body: Answer, listen: Listener | None) -> Answer:
        try:
            answer = self._api.ask("POST", "turns", listen, json=body)
        except OwnerRefusal as error:
            if error.code == "PARSE_ERROR":
                reason = str(error).removeprefix("arrow_content: ")
                raise CommandError(f"{self._story.file} is not a project that Arrow would open: {reason}") from error
            if error.code in ("CONFLICT", "NOT_PENDING"):  # the question that this would have answered is no more
                self._drop_question()
            raise
        return self._agreed_to(answer) if self._agreed else answer

    def _agreed_to(self, answer: Answer) -> Answer:
        """Says yes as often as is asked."""
        for _ in range(_MAX_QUESTIONS):
            question = answer["question"]
            if question is None or question["kind"] != "confirmation":
                break
            reply = {"message": "yes", "pending_id": question["pending_id"], "arrow_content": answer["arrow_content"]}
            answer = _joined(answer, self._api.ask("POST", "turns", json=self._body | reply))
        return answer

    def _read(self) -> tuple[bytes, str]:
        file = self._story.file
        content = read_story(file)
        try:
            return content, content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CommandError(f"{file} is not a project that Arrow would open: it is no UTF-8 text.") from error


def _joined(answer: Answer, done: Answer) -> Answer:
    lists = {name: answer[name] + done[name] for name in ("not_done", "citations", "operations")}
    texts = {"text": f"{answer['text']}\n\n{done['text']}", "diff": f"{answer['diff']}\n{done['diff']}".strip()}
    return done | lists | texts | {"changed": answer["changed"] or done["changed"]}
