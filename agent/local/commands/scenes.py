"""Commands that make, rename, annotate and delete scenes and macros."""

from agent.local.desk import Desk, created_id
from agent.local.names import fold, plain_name
from agent.local.rule import ADD, COLON, DELETE, FORCE, NAMED, NO_NAME, NOTE, NOTES, THE, Words, rule
from agent.local.steps import NotDone, Steps

# What is longer is hardly a name but a wish.
_LONGEST_NAME = 8


def _create(desk: Desk, words: Words) -> Steps[str]:
    name, kind = plain_name(words["name"]), words["kind"].masked.casefold()
    if len(name.split()) > _LONGEST_NAME and not words["name"].is_quoted:
        raise NotDone(f"Is “{name}” its name? Then put it in quotation marks: create a {kind} “…”.")
    taken = [scene for scene in desk.story().scenes.values() if fold(scene.name) == fold(name)]
    if taken:
        raise NotDone(f"There is already a scene “{taken[0].name}” ({taken[0].id}).")
    arguments: dict[str, object] = {"name": name, "is_macro": kind == "macro"}
    if "notes" in words:
        arguments["notes"] = words["notes"].text
    answer = yield from desk.call("create_scene", arguments)
    entry = answer.get("entry_node_id")
    if isinstance(entry, int):
        desk.last_created = entry
    begins = f"; it begins at node {entry}" if entry is not None else ""
    return f"Created the {kind} “{name}” ({created_id(answer)}){begins}."


def _rename(desk: Desk, words: Words) -> Steps[str]:
    scene, name = desk.references().scene(words["scene"]), words["name"].text
    yield from desk.call("update_scene", {"scene_id": scene.id, "name": name})
    return f"Renamed the scene “{scene.name}” ({scene.id}) to “{name}”."


def _note(desk: Desk, words: Words) -> Steps[str]:
    scene = desk.references().scene(words["scene"])
    yield from desk.call("update_scene", {"scene_id": scene.id, "notes": words["text"].text})
    return f"Noted on the scene “{scene.name}” ({scene.id}): {words['text'].text}"


def _delete(desk: Desk, words: Words) -> Steps[str]:
    scene = desk.references().scene(words["scene"])
    yield from desk.call("delete_scene", {"scene_id": scene.id, "force": "force" in words})
    return f"Deleted the scene “{scene.name}” ({scene.id}) with {len(scene.node_ids)} nodes."


_KIND = r"(?P<kind>scene|macro)(?![ _](?:use|call)\b)"
_SCENE = r"(?P<scene>(?:the |this )?(?:current |open )?(?:scene|macro)\b.*?)"

RULES = (
    rule(
        rf"{ADD} {THE}(?:empty )?{_KIND}:? {NAMED}(?P<name>{NO_NAME}.+?){NOTES}",
        _create,
    ),
    rule(rf"rename {_SCENE} (?:to|as|into) (?P<name>.+)", _rename),
    rule(rf"{NOTE} {_SCENE}{COLON}(?P<text>.+)", _note),
    rule(rf"{DELETE} {_SCENE}{FORCE}", _delete),
)
"""The commands on scenes."""
