"""Commands on characters."""

import re
from typing import Any

from agent.local.desk import Desk, created_id
from agent.local.expressions import AND, read_tags
from agent.local.names import fold, plain_name
from agent.local.phrase import Phrase
from agent.local.rule import ADD, CHANGE, COLON, DELETE, FORCE, NAMED, NO_NAME, NOTE, NOTES, THE, Words, rule
from agent.local.steps import NotDone, Steps
from agent.local.story import Character

_COLORS = {
    "red": "#e04040", "orange": "#ff8300", "yellow": "#f2c94c", "green": "#3fa34d", "teal": "#2a9d8f",
    "blue": "#4a90e2", "purple": "#8e44ad", "violet": "#8e44ad", "pink": "#e26ab1", "brown": "#8d5a2b",
    "black": "#202020", "white": "#f5f5f5", "gray": "#808080", "grey": "#808080",
}  # fmt: skip
_COLOR = re.compile(r"(?:in |with (?:the )?)?colou?r:?\s*(?P<color>#?[0-9a-f]{6}\b|\w+)", re.IGNORECASE)
_TAGS = re.compile(r"(?:with )?(?:the )?tags?:?\s+(?P<tags>.+)", re.IGNORECASE | re.DOTALL)


def _create(desk: Desk, words: Words) -> Steps[str]:
    name = plain_name(words["name"])
    taken = [one for one in desk.story().characters.values() if fold(one.name) == fold(name)]
    if taken:
        raise NotDone(f"There is already a character “{taken[0].name}” ({taken[0].id}); a second one was not made.")
    details = words.get("details") or words.get("plain") or Phrase("")
    arguments: dict[str, Any] = {"name": name} | _details(details)
    if "notes" in words:
        arguments["notes"] = words["notes"].text
    answer = yield from desk.call("create_character", arguments)
    return f"Created the character “{name}” ({created_id(answer)})."


def _create_several(desk: Desk, words: Words) -> Steps[str]:
    told = ""
    for part in words["names"].split(AND):
        told += f" {(yield from _create(desk, {'name': part}))}"
    return told.strip()


def _details(details: Phrase) -> dict[str, Any]:
    found: dict[str, Any] = {}
    rest = details.masked
    if color := _COLOR.search(rest):
        found["color"] = read_color(color["color"])
        rest = rest.replace(color[0], " ")
    if tags := _TAGS.search(rest.strip(" ,()")):
        found["tags"] = _tags(details.part(re.sub(r"\btags?\b:?", " ", tags["tags"], flags=re.IGNORECASE)))
    if not found and not details.is_empty:
        raise NotDone(f"“{details.text}” is neither a color nor a tag. Say “color #4a90e2” or “tag role=mage”.")
    return found


def _tags(words: Phrase) -> dict[str, str]:
    tags: dict[str, str] = {}
    for key, sign, value in read_tags(words):
        if sign == "!=":
            raise NotDone(f"A tag has a value; “{key} is not {value}” gives it none.")
        tags[key] = value
    return tags


def read_color(words: str) -> str:
    """A color as the protocol writes it: six hexadecimal digits after `#`.

    Raises:
        NotDone: It is neither that nor one of the common color names.
    """
    plain = words.strip().casefold()
    if re.fullmatch(r"#?[0-9a-f]{6}", plain):
        return f"#{plain.lstrip('#')}"
    if plain in _COLORS:
        return _COLORS[plain]
    raise NotDone(f"“{words}” is no color. Say it as six digits, such as #4a90e2, or one of {', '.join(_COLORS)}.")


def _set_color(desk: Desk, words: Words) -> Steps[str]:
    character, color = desk.references().character(words["character"]), read_color(words["color"].text)
    yield from desk.call("update_character", {"character_id": character.id, "color": color})
    return f"“{character.name}” ({character.id}) is now {color}."


def _set_tag(desk: Desk, words: Words) -> Steps[str]:
    character = desk.references().character(words["character"])
    key, value = words["key"].text, words["value"].text
    yield from _replace_tags(desk, character, dict(character.tags) | {key: value})
    return f"“{character.name}” ({character.id}) now has the tag {key} = {value}."


def _remove_tag(desk: Desk, words: Words) -> Steps[str]:
    character = desk.references().character(words["character"])
    key = words["key"].text
    if key not in character.tags:
        raise NotDone(f"“{character.name}” has no tag “{key}”; its tags are {', '.join(character.tags) or 'none'}.")
    yield from _replace_tags(desk, character, {tag: value for tag, value in character.tags.items() if tag != key})
    return f"Removed the tag {key} from “{character.name}” ({character.id})."


def _replace_tags(desk: Desk, character: Character, tags: dict[str, str]) -> Steps[None]:
    """The protocol replaces all tags at once, so the others are sent along."""
    yield from desk.call("update_character", {"character_id": character.id, "tags": tags})


def _rename(desk: Desk, words: Words) -> Steps[str]:
    character, name = desk.references().character(words["character"]), words["name"].text
    yield from desk.call("update_character", {"character_id": character.id, "name": name})
    return f"Renamed the character “{character.name}” ({character.id}) to “{name}”."


def _note(desk: Desk, words: Words) -> Steps[str]:
    character = desk.references().character(words["character"])
    yield from desk.call("update_character", {"character_id": character.id, "notes": words["text"].text})
    return f"Noted on the character “{character.name}” ({character.id}): {words['text'].text}"


def _delete(desk: Desk, words: Words) -> Steps[str]:
    character = desk.references().character(words["character"])
    yield from desk.call("delete_character", {"character_id": character.id, "force": "force" in words})
    return f"Deleted the character “{character.name}” ({character.id})."


_LOOKS = r"(?:with |in |the )*(?:colou?r|tags?)\b.+?"
_KEY = r"(?P<key>(?!(?:edit|match|pass|change|check)\b)[^\s=:]+)"

RULES = (
    rule(
        rf"{ADD} {THE}character {NAMED}{NO_NAME}(?P<name>[^(,]+?)"
        rf"(?:\s*[(,]\s*(?P<details>{_LOOKS})\)?| (?P<plain>{_LOOKS}))?{NOTES}",
        _create,
    ),
    rule(rf"{ADD} {THE}characters (?P<names>[^(]+)", _create_several),
    rule(rf"{CHANGE} {THE}colou?r of {THE}(?P<character>.+?) (?:to|=) (?P<color>\S+)", _set_color),
    rule(rf"{CHANGE} (?P<character>.+?)['’]s colou?r (?:to|=) (?P<color>\S+)", _set_color),
    rule(rf"(?:{CHANGE}|add|give) {THE}tag {_KEY} (?:of|for) (?P<character>.+?) (?:to|=) (?P<value>.+)", _set_tag),
    rule(rf"(?:add|give|set) {THE}tag {_KEY}\s*[=:]\s*(?P<value>.+?) (?:to|for|on) (?P<character>.+)", _set_tag),
    rule(rf"give (?P<character>.+?) {THE}tag {_KEY}\s*[=:]\s*(?P<value>.+)", _set_tag),
    rule(r"tag (?P<character>.+?) (?:with|as) (?P<key>[^\s=:]+)\s*[=:]\s*(?P<value>.+)", _set_tag),
    rule(rf"{DELETE} {THE}tag (?P<key>\S+) (?:from|of) (?P<character>.+)", _remove_tag),
    rule(rf"rename {THE}character (?P<character>.+?) (?:to|as|into) (?P<name>.+)", _rename),
    rule(rf"{NOTE} {THE}character (?P<character>[^:]+?){COLON}(?P<text>.+)", _note),
    rule(rf"{DELETE} {THE}character (?P<character>.+?){FORCE}", _delete),
)
"""The commands on characters."""
