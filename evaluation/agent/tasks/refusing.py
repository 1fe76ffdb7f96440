"""What cannot be done, or not without asking back: nothing changes, and the reply says so."""

from evaluation.agent.changes import unchanged
from evaluation.agent.checks import admits
from evaluation.agent.starts import ALL_NODE_TYPES, SAMPLE_STORY
from evaluation.agent.task import Ask, Task

_KITCHEN = 20


_CREATED = r"created|added|made|built|written|stands"
_DELETED = r"deleted|removed|gone|vanished"
_CONNECTED = r"connected|linked|joined|leads"
_CHANGED = r"changed|updated|renamed|set|rewritten|rewrote|improved|edited|polished|nicer now|says|called"


def _task(
    name: str,
    message: str,
    *words: str,
    claims: str,
    operation: str = "",
    question: str = "parameters",
    start: str = SAMPLE_STORY,
) -> Task:
    scene = _KITCHEN if start == SAMPLE_STORY else None
    admitted = admits(*words, claims=claims, operation=operation, question=question)
    return Task(f"refuse-{name}", start, (Ask(message, scene=scene),), (admitted, unchanged))


TASKS = (
    _task("unknown-node", "Delete node 999", "999", claims=_DELETED, operation="delete_node"),
    _task(
        "unknown-node-in-connection",
        "Connect 30 to 777",
        "777",
        claims=_CONNECTED,
        operation="create_connection",
    ),
    _task("across-scenes", "Connect 30 to 10", "scenes?", claims=_CONNECTED, operation="create_connection"),
    _task("into-an-entry", "Connect 30 to 21", "entry|inputs?", claims=_CONNECTED, operation="create_connection"),
    _task(
        "second-odile",
        "Create a character Odile",
        "already|exists?|there is",
        claims=_CREATED,
        operation="create_character",
    ),
    _task(
        "second-variable",
        "Create a variable oil = 5",
        "already|exists?|there is",
        claims=_CREATED,
        operation="create_variable",
    ),
    _task(
        "wrong-type",
        "Set the initial value of oil to plenty",
        "numbers?|num",
        claims=_CHANGED,
        operation="update_variable",
    ),
    _task("ambiguous-dialog", "Delete the dialog", "several|which", claims=_DELETED),
    _task("nothing-selected", "Rename the selected node to gull", "select(ed)?", claims=_CHANGED),
    _task("project-entry", "Delete node 1", "entry", claims=_DELETED, operation="delete_node"),
    _task(
        "used-scene",
        "Delete scene scene_u",
        "used?|uses|in use",
        claims=_DELETED,
        operation="delete_scene",
        question="confirmation",
        start=ALL_NODE_TYPES,
    ),
    _task(
        "no-such-option",
        "Change choice 9 of 13 to: Sing",
        "3|three|no (choice|number|option)",
        claims=_CHANGED,
        operation="update_node",
    ),
    _task(
        "no-such-dialogue",
        'Build a scene from the dialogue "The Wedding" in the documents',
        "no (dialogue|scene|passage|mention)",
        r"(not|\w+n['’]t) [\w ]*(found|find|contain|have|exist|there)",
        claims=_CREATED,
    ),
    _task(
        "no-such-slot",
        "Connect 27 to 30 from slot 5",
        "slots?|outputs?",
        claims=_CONNECTED,
        operation="create_connection",
    ),
    _task("vague", "Make it nicer", r"what|which|not understand|\w+n['’]t (understand|know)", claims=_CHANGED),
    _task(
        "export",
        "Export the project as HTML and mail it to Osk",
        r"cannot|can['’]t|not (able|possible|understand)|no (way|function|tool)|unable",
        claims="exported|mailed|e-?mailed|sent|saved",
    ),
)
