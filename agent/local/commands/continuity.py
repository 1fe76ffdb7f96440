"""The command that checks a scene against the documents."""

from agent.local.desk import Desk
from agent.local.rule import Words, rule
from agent.local.steps import Steps


def _check(desk: Desk, words: Words) -> Steps[str]:
    references = desk.references()
    scene = references.scene(words["scene"]) if "scene" in words else references.open_scene
    answer = yield from desk.call("check_continuity", {"scene_id": scene.id})
    return str(answer.get("text", ""))


_DOCUMENTS = r"(?:the |our |my )?(?:design )?(?:documents?|docs?|bible|corpus|notes)"
_CHECK = r"(?:check|compare|verify|proofread|test|review)"
_SCENE = r"(?P<scene>(?:(?:the |this )?(?:current |open |whole )?(?:scene|macro)\b.*?|.+?))"

RULES = (
    rule(
        rf"{_CHECK} {_SCENE}(?: (?:for continuity|for contradictions))? (?:against|with|to|by) {_DOCUMENTS}"
        r"(?: for continuity)?",
        _check,
    ),
    rule(rf"{_CHECK} {_SCENE} for (?:continuity(?: errors| problems)?|contradictions|consistency)", _check),
    rule(rf"{_CHECK} (?:the )?(?:continuity|consistency)(?: (?:of|in) {_SCENE})?", _check),
    rule(
        rf"(?:does|do) {_SCENE} (?:agree|fit|match|contradict|square|go)(?: with| to)? {_DOCUMENTS}\??",
        _check,
    ),
    rule(
        rf"is (?P<scene>(?:the |this )?(?:current |open )?scene\b.*?) (?:consistent|in line|in keeping) with"
        rf" {_DOCUMENTS}\??",
        _check,
    ),
)
"""The forms of the check."""
