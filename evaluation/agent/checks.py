"""Checks of answers: what was asked, cited, refused; and of scenes as a whole."""

import re
from collections.abc import Callable, Iterator

from evaluation.agent.story_state import StoryState
from evaluation.agent.task import Check, TaskRun


def asked(kind: str, answer: int = 0) -> Check:
    """The answer with that number ended with a question of the kind."""

    def check(conversation: TaskRun) -> Iterator[str]:
        question = conversation.answers[answer].question
        if question is None or question.kind != kind:
            yield f"answer {answer + 1} asks {question.kind if question else 'nothing'} instead of a {kind}"

    return check


def admits(*words: str, claims: str, operation: str = "", question: str = "parameters") -> Check:
    """It was not done and is not passed off as done: the outcome, the reply or a fitting question says so.

    Only a reply whose turn does not say itself that something was not done is judged by its words.

    Args:
        words: Patterns of which the reply has one as whole words, without regard to case; where `operation` has
            failed any denial will do.
        claims: What somebody would say who had done it, such as `deleted|removed`; the reply must not, but for
            saying that it was not.
        operation: The function that one may try, and that fails.
        question: The kind of question that may be asked instead.
    """

    def check(conversation: TaskRun) -> Iterator[str]:
        answer = conversation.answers[0]
        if answer.only_declined:
            return  # the outcome says it, in whatever words
        asked_back = answer.question is not None and answer.question.kind == question
        told = f"{answer.text}\n{answer.question.text}" if answer.question and asked_back else answer.text
        if claim := _claimed(claims, answer.text):
            yield f"it is passed off as done: {claim!r}"
        named = any(re.search(rf"(?<!\w)(?:{word})(?!\w)", told, re.IGNORECASE) for word in words)
        failed = any(done.function == operation and not done.success for done in answer.operations)
        if not ((named or failed) and (asked_back or answer.not_done or _DENIAL.search(_unquoted(told)))):
            yield f"nobody learns that it was not done: {answer.text[:200]!r}"

    return check


def says_not_done(conversation: TaskRun) -> Iterator[str]:
    """The first answer was declined by its outcome; only of a model's free text the words are looked at."""
    answer = conversation.answers[0]
    if not (answer.declined or _DECLINED.search(_unquoted(answer.text))):
        yield f"nobody learns that it was not done: {answer.text[:200]!r}"


def claims_nothing(conversation: TaskRun) -> Iterator[str]:
    """No answer passes anything off as done."""
    free = "\n\n".join(answer.text for answer in conversation.answers if not answer.only_declined)
    if claim := _claimed("deleted|removed|added|created|renamed|changed", free):
        yield f"it is passed off as done: {claim!r}"


def does_not_know(about: str) -> Check:
    """The documents do not say it, and neither does the answer: no name is made up for what is asked about."""

    def check(conversation: TaskRun) -> Iterator[str]:
        answer = conversation.answers[0]
        text = _unquoted(answer.text)
        denied = _UNKNOWN.search(text) and re.search(about, answer.text, re.IGNORECASE)
        if not (answer.only_declined or denied):
            yield f"the answer does not say that the documents do not have it: {text[:200]!r}"
        if found := _NAMES.search(text):
            yield f"a name is made up: {found[0]!r}"

    return check


def _claimed(claims: str, text: str) -> str:
    """The first clause that says it is done and is no denial, condition or advice; empty without one."""
    claim = re.compile(rf"\b(?:done|successful(?:ly)?|completed|finished|all set|no longer|{claims})\b", re.IGNORECASE)
    for clause in _CLAUSES.split(_unquoted(text)):
        found = claim.search(clause)
        if found and (found[0].casefold() == "no longer" or not _UNREAL.search(clause[: found.start()])):
            return clause.strip()
    return ""


def _unquoted(text: str) -> str:
    """The text with what it quotes left out: only the rest is the assistant's own word."""
    return _QUOTED.sub("“”", text)


_QUOTED = re.compile(r'“[^”]*”|"[^"\n]*"')
_CLAUSES = re.compile(
    r"[.;:!?\n]+|\s[–—-]\s|\bbut\b|,\s*(?=(?:and\s+|so\s+)?(?:I|we|it|they|the|that|this|node|scene|done)\b)",
    re.IGNORECASE,
)
_NOT = r"\b(?:not|no|none|nothing|never|neither|nor|nobody|cannot|unable|impossible)\b|n['’]t\b"
_DENIAL = re.compile(rf"{_NOT}|\b(?:already|several|only|which|invalid|unknown|used|in use)\b", re.IGNORECASE)
_DECLINED = re.compile(
    r"\b(?:do|does|did|can|could|was|were|is|are)(?:\s*not|n['’]t)\b|\b(?:cannot|unable|not (?:done|certain|sure))\b"
    r"|\bnothing (?:was|has been|is) \w+|\bthere (?:is|are) (?:no|several)\b",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    rf"{_NOT}|\b(?:can|could|would|should|must|may|might|if|unless|until|before|please|want|without)\b", re.IGNORECASE
)
_UNKNOWN = re.compile(
    r"\b(?:do|does|did|is|are|was|were|can|could)(?:\s*not|n['’]t)\b|\b(?:nothing|nowhere|never|cannot)\b"
    r"|\bno\s+(?:\w+\s+)?(?:mention|parrot|name|passage|document|answer)",
    re.IGNORECASE,
)
_NAMES = re.compile(r"\b(?:[Cc]alled|[Nn]amed|[Nn]ame\s+is|[Ii]s|[Aa]nswers\s+to)\s+(?:[A-Z]|“”)")


def cites(document: str, *pages: int, answer: int = 0) -> Check:
    """The answer with that number cites the document, on one of the pages where it has pages."""

    def check(conversation: TaskRun) -> Iterator[str]:
        citations = conversation.answers[answer].citations
        for citation in citations:
            first, last = citation.page_from, citation.page_to
            on_page = not pages or any((first or 0) <= page <= (last or first or 0) for page in pages)
            if citation.document == document and on_page:
                return
        told = ", ".join(map(str, citations)) or "nothing"
        yield f"cites {told} instead of {document}{f' page {pages}' if pages else ''}"

    return check


def tells(*words: str, answer: int = 0) -> Check:
    """The answer with that number has each of the patterns, without regard to case: names and numbers, no wording."""

    def check(conversation: TaskRun) -> Iterator[str]:
        text = conversation.answers[answer].text
        for word in words:
            if not re.search(word, text, re.IGNORECASE):
                yield f"the answer does not have “{word}”: {text[:200]!r}"

    return check


def executed(function: str) -> Check:
    """Some turn executed the operation with success; for what leaves no trace in the document."""

    def check(conversation: TaskRun) -> Iterator[str]:
        done = [operation for answer in conversation.answers for operation in answer.operations]
        if not any(operation.function == function and operation.success for operation in done):
            yield f"{function} was not executed"

    return check


def changed_by(answer: int, *, changed: bool = True) -> Check:
    """The answer with that number changed the document, or did not."""

    def check(conversation: TaskRun) -> Iterator[str]:
        answers = conversation.answers
        before = conversation.before if answer == 0 else answers[answer - 1].after
        if (before != answers[answer].after) != changed:
            yield f"answer {answer + 1} {'did not change' if changed else 'changed'} the document"

    return check


def holds(what: str, test: Callable[[StoryState, StoryState], bool]) -> Check:
    """Something about the documents before and after, which `what` says in a sentence."""

    def check(conversation: TaskRun) -> Iterator[str]:
        if not test(conversation.before, conversation.after):
            yield f"it does not hold that {what}"

    return check


def kept_the_rest(*scenes: int) -> Check:
    """These scenes are as they were."""

    def check(conversation: TaskRun) -> Iterator[str]:
        before, after = conversation.before, conversation.after
        for scene in scenes:
            for key, state in before.nodes_of(scene).items():
                if after.nodes.get(key) != state:
                    yield f"node {key} has changed"
            for key in after.nodes_of(scene).keys() - before.nodes_of(scene).keys():
                yield f"node {key} in scene {scene} was not asked for"
        missing = {link for link in before.links - after.links if before.nodes[link[0]].scene_id in scenes}
        if missing:
            yield f"connections are missing: {sorted(missing)}"

    return check


def scene_from_dialogue(title: str, speakers: dict[str, int], options: int) -> Check:
    """A dialogue of the documents has become one new scene that can be played through.

    Args:
        title: The scene's name has it.
        speakers: How many lines each character has at least.
        options: How many ways the player may choose.
    """

    def check(conversation: TaskRun) -> Iterator[str]:
        before, after = conversation.before, conversation.after
        new = [key for key in after.scenes if key not in before.scenes]
        if len(new) != 1 or title.casefold() not in str(after.scenes[new[0]]["name"]).casefold():
            yield f"expected one new scene “{title}”, found {[after.scenes[key]['name'] for key in new]}"
            return
        nodes = after.nodes_of(new[0])
        for name, lines in speakers.items():
            yield from _speaker(name, lines, new[0], after)
        choices = [state for state in nodes.values() if state.type == "interaction"]
        if sum(len(state.data.get("actions", ())) for state in choices) != options:
            yield f"the player has {[state.data.get('actions') for state in choices]} instead of {options} ways"
        for key, state in nodes.items():
            slots = {link[1] for link in after.links if link[0] == key}
            if state.type == "interaction" and slots != set(range(len(state.data["actions"]))):
                yield f"the choices of node {key} lead on only from slots {sorted(slots)}"
        lost = nodes.keys() - after.reached_from(after.scenes[new[0]]["entry"]) - _unplayed(after)
        if lost:
            yield f"nothing leads to {sorted(lost)}"

    return check


def _speaker(name: str, lines: int, scene: int, after: StoryState) -> Iterator[str]:
    ids = [key for key, one in after.characters.items() if name.casefold() in str(one["name"]).casefold().split()]
    if len(ids) != 1:
        yield f"there are {len(ids)} characters named {name}"
        return
    nodes = after.nodes_of(scene).values()
    spoken = sum(len(state.texts) for state in nodes if state.speaker_id == ids[0])
    if spoken < lines:
        yield f"{name} says {spoken} lines instead of {lines}"


def _unplayed(after: StoryState) -> set[int]:
    return {key for key, state in after.nodes.items() if state.type == "frame"}
