"""Questions about the project itself, answered from its present state."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent.local.names import join, matching
from agent.local.nodetypes import NODE_TYPE
from agent.local.phrase import Phrase, read_phrase
from agent.local.references import References
from agent.local.rule import Words
from agent.local.slots import describe_slot
from agent.local.story import Connection, Node, Story, shorten
from agent.local.values import shown

_LISTED = 60


@dataclass(frozen=True)
class _Question:
    pattern: re.Pattern[str]
    answer: Callable[[References, Words], str | None]


def known_by_name(question: str, story: Story) -> str | None:
    """What the project itself knows of the character or variable that "who is …" asks for; None when it has none."""
    found = _WHO.fullmatch(question.strip())
    name = (found["name"] or found["tagged"]) if found else ""
    for character in matching(name, story.characters.values()):
        tags = "".join(f", {key} = {value}" for key, value in character.tags.items())
        nodes = sum(node.data.get("character") == character.id for node in story.nodes.values())
        return f"In the project “{character.name}” ({character.id}{tags}) is a character with {_count(nodes, 'node')}."
    for variable in matching(name, story.variables.values()):
        start = shown(variable.initial)
        return f"In the project “{variable.name}” ({variable.id}) is a variable that starts at {start}."
    return None


def project_answer(question: str, references: References) -> str | None:
    """The answer if the question is about the project; None otherwise.

    Raises:
        NotDone: It is, but names something that is not there or may be several things.
    """
    asked = read_phrase(question)
    plain = asked.part(_POLITE.sub("", asked.masked).strip().rstrip("?.! "))
    for known in _QUESTIONS:
        if (found := plain.match(known.pattern)) is not None:
            return known.answer(references, found)
    return None


def _scenes(references: References, words: Words) -> str:
    macros = "macro" in words["kind"].masked.casefold()
    found = [scene for scene in references.story.scenes.values() if scene.is_macro == macros]
    kind = "macro" if macros else "scene"
    lines = [
        f"- {scene.name} ({scene.id}): {_count(len(scene.node_ids), 'node')}, begins at node {scene.entry}"
        for scene in found
    ]
    return _list(f"{_count(len(found), kind)}", lines)


def _characters(references: References, words: Words) -> str:
    del words
    lines = [
        f"- {one.name} ({one.id})"
        + (": " + ", ".join(f"{key} = {value}" for key, value in one.tags.items()) if one.tags else "")
        for one in references.story.characters.values()
    ]
    return _list(_count(len(lines), "character"), lines)


def _variables(references: References, words: Words) -> str:
    del words
    lines = [
        f"- {one.name} ({one.id}), {one.type}, starts at {shown(one.initial)}"
        for one in references.story.variables.values()
    ]
    return _list(_count(len(lines), "variable"), lines)


def _nodes(references: References, words: Words) -> str:
    story = references.story
    scene = references.scene(words["scene"]) if "scene" in words else references.open_scene
    lines = [f"- {story.describe(node.id)}{_onward(story, node)}" for node in story.nodes_of(scene.id)]
    return _list(f"{_count(len(lines), 'node')} in “{scene.name}” ({scene.id})", lines)


def _how_many(references: References, words: Words) -> str:
    story, kind = references.story, words["kind"].masked.casefold().rstrip("s")
    if kind == "node":
        scene = references.scene(words["scene"]) if "scene" in words else None
        count = len(scene.node_ids) if scene else len(story.nodes)
        return f"{_count(count, 'node')} in “{scene.name}”." if scene else f"{_count(count, 'node')} in all scenes."
    if kind in ("scene", "macro"):
        return f"{_count(sum(scene.is_macro == (kind == 'macro') for scene in story.scenes.values()), kind)}."
    return f"{_count(len(story.characters if kind == 'character' else story.variables), kind)}."


def _node(references: References, words: Words) -> str:
    node = references.node(words["node"])
    story = references.story
    lines = [f"Node {story.describe(node.id)}, in the scene “{story.scenes[node.scene_id].name}”."]
    lines += [f"“{text}”" for text in node.texts]
    if node.notes:
        lines.append(f"Notes: {node.notes}")
    lines.append(_connections(story, node))
    return "\n".join(lines)


def _where(references: References, words: Words) -> str:
    story, node = references.story, references.node(words["node"])
    scene = story.scenes[node.scene_id]
    return f"Node {story.describe(node.id)} is in “{scene.name}” ({scene.id}). {_connections(story, node)}"


def _connections(story: Story, node: Node) -> str:
    arriving = [f"{story.describe(link.from_id)}{_on(story, link)}" for link in story.arriving(node.id)]
    leaving = [f"{story.describe(link.to_id)}{describe_slot(node, link.from_slot)}" for link in story.leaving(node.id)]
    before = f"It is reached from {join(arriving)}" if arriving else "Nothing leads to it"
    after = f"it leads to {join(leaving)}" if leaving else "it leads nowhere"
    return f"{before}; {after}."


def _speeches(references: References, words: Words) -> str | None:
    """None where no character is named: then the documents may know."""
    story = references.story
    found = matching(words["name"].text, story.characters.values())
    if len(found) != 1:
        return None
    nodes = [node for node in story.nodes.values() if node.data.get("character") == found[0].id and node.texts]
    lines = [f"- {node.id} in “{story.scenes[node.scene_id].name}”: {' / '.join(node.texts)}" for node in nodes]
    return _list(f"{_count(len(lines), 'node')} by {found[0].name}", lines)


def _overview(references: References, words: Words) -> str:
    del words
    story = references.story
    counts = {"scene": story.scenes, "node": story.nodes, "variable": story.variables, "character": story.characters}
    told = join([_count(len(things), kind) for kind, things in counts.items()])
    scenes = [f"- {one.name} ({one.id}): {_count(len(one.node_ids), 'node')}" for one in story.scenes.values()]
    return "\n".join([f"“{story.title}” has {told}; it begins at {story.describe(story.entry)}.", *scenes])


def _selection(references: References, words: Words) -> str:
    del words
    return (
        "Selected: " + join([references.story.describe(node.id) for node in references.nodes(Phrase("selected"))]) + "."
    )


def _uses(references: References, words: Words) -> str:
    story = references.story
    known = references.named(words.get("name") or words["name2"])
    users = [story.describe(node) for node in known.used_by if node in story.nodes]
    return (
        f"“{known.name}” ({known.id}) is used by {join(users)}."
        if users
        else f"No node uses “{known.name}” ({known.id})."
    )


def _value(references: References, words: Words) -> str:
    variable = references.variable(words.get("name") or words["name2"])
    return f"“{variable.name}” ({variable.id}), {variable.type}, starts at {shown(variable.initial)}."


def _unreached(references: References, words: Words) -> str:
    del words
    story = references.story
    entries = {scene.entry for scene in story.scenes.values()}
    jumped = {node.data.get("target") for node in story.nodes.values() if node.type == "jump"}
    reached = {link.to_id for link in story.connections} | entries | jumped
    lost = [node for node in story.nodes.values() if node.id not in reached and node.type != "frame"]
    return _list(
        f"{_count(len(lost), 'node')} that nothing leads to", [f"- {story.describe(node.id)}" for node in lost]
    )


def _begins(references: References, words: Words) -> str:
    story = references.story
    if "scene" in words:
        scene = references.scene(words["scene"])
        return f"The scene “{scene.name}” begins at {story.describe(scene.entry)}."
    return f"The project begins at {story.describe(story.entry)}."


def _find(references: References, words: Words) -> str:
    story, text = references.story, words["text"].text.casefold()
    found = [node for node in story.nodes.values() if any(text in part.casefold() for part in node.texts)]
    return _list(
        f"{_count(len(found), 'node')} with “{words['text'].text}”", [f"- {story.describe(node.id)}" for node in found]
    )


def _on(story: Story, link: Connection) -> str:
    origin = story.nodes.get(link.from_id)
    return describe_slot(origin, link.from_slot) if origin else ""


def _onward(story: Story, node: Node) -> str:
    targets = [f"{link.to_id}{describe_slot(node, link.from_slot)}" for link in story.leaving(node.id)]
    return f" → {', '.join(targets)}" if targets else ""


def _count(number: int, word: str) -> str:
    return f"1 {word}" if number == 1 else f"{number or 'No'} {word}s"


def _list(title: str, lines: list[str]) -> str:
    more = [f"- … and {len(lines) - _LISTED} more"] if len(lines) > _LISTED else []
    return "\n".join([f"{title}:" if lines else f"{title}.", *(shorten(line, 200) for line in lines[:_LISTED]), *more])


def _question(pattern: str, answer: Callable[[References, Words], str | None]) -> _Question:
    return _Question(re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL), answer)


_WHO = re.compile(
    r"(?:who|what)(?:['’]s| is) (?P<name>[^?]+?)\s*\?*|what tags (?:does|has) (?P<tagged>[^?]+?)(?: have| got)?\s*\?*",
    re.IGNORECASE,
)
_POLITE = re.compile(r"^\s*(?:please|can you|could you|would you|now|and)\b[\s,]*", re.IGNORECASE)
_WHOLE = r"(?:the|this) (?:project|story|game|arrow file|file)"
_HERE = (
    r"(?: (?:are(?: there| defined)?|exist|do (?:we|i) have|does (?:this|the) (?:project|story|scene) have))?"
    rf"(?: (?:in|of) {_WHOLE})?"
)
_ASK = r"(?:(?:which|what|list|show(?: me)?|name|tell me|give me|who are|what are)(?: all| of)*(?: the| my| our)?)"
_NODE = (
    rf"(?P<node>(?:the |this )?(?:node )?#?\d+|(?:the |this )?node .+?|(?:the )?selected(?: node)?|the (?:{NODE_TYPE}))"
)
_IS = r"(?:['’]s| is| are)"
_LOOSE = r"(?:not connected|unconnected|orphaned|unreachable|not reached|loose)"
_SCENE = r"(?P<scene>(?:the |this )?(?:current |open )?scene\b.*?)"
_SAYING = r"(?:says?|contains?|mentions?|with|saying|mentioning)(?: the text)?"
_KINDS = r"(?P<kind>scenes?|macros?|characters?|variables?|nodes?)"
_BESIDE = r"(?:follows|comes after|leads to|precedes|comes before|is connected to|is after|is before|after|before)"

_QUESTIONS = (
    _question(rf"{_ASK} (?P<kind>scenes|macros){_HERE}", _scenes),
    _question(rf"{_ASK} characters{_HERE}", _characters),
    _question(rf"{_ASK} variables{_HERE}", _variables),
    _question(rf"(?:which|what|list|show|find)(?: all| me| the)* nodes (?:that )?(?:are )?{_LOOSE}", _unreached),
    _question(rf"(?:which|what|list|show|find)(?: all| me| the)* {_LOOSE} nodes", _unreached),
    _question(
        rf"(?:is|are)(?: there)? (?:anything|any nodes?|nodes?|something) (?:that is |that are )?{_LOOSE}", _unreached
    ),
    _question(rf"{_ASK} nodes(?: are)?(?: (?:there )?(?:in|of) (?P<scene>.+?))?(?: have)?", _nodes),
    _question(rf"(?:show|list|describe|outline) (?:me )?{_SCENE}", _nodes),
    _question(rf"how many {_KINDS}(?: are(?: there)?)?(?: (?:in|does|do) {_SCENE})?(?: have)?{_HERE}", _how_many),
    _question(rf"what{_IS}? (?:the )?(?:currently )?selected(?: nodes?)?|what have i selected", _selection),
    _question(rf"what{_IS} (?:the |my )?selection", _selection),
    _question(rf"(?:where|how|what){_IS} {_NODE} (?:connected|wired|linked)(?: to| with| from)?", _where),
    _question(rf"where (?:is|does) {_NODE}(?: lead| go)?(?: to)?", _where),
    _question(rf"is {_NODE} connected(?: to .+)?", _where),
    _question(rf"what (?:happens )?{_BESIDE} {_NODE}", _where),
    _question(rf"(?:show(?: me)?|what{_IS}(?: in)?|describe|read|tell me about) {_NODE}", _node),
    _question(rf"what does {_NODE} (?:says?|do|contain)", _node),
    _question(r"(?:which|what) nodes use (?:the )?(?P<name>.+)|where is (?P<name2>.+?) used", _uses),
    _question(rf"(?:what{_IS} )?(?:the )?(?:initial |starting |start )?value of (?P<name>.+)", _value),
    _question(r"what does (?P<name>.+?) start (?:at|with)", _value),
    _question(rf"where does {_WHOLE} (?:begin|start)|what{_IS} the project(?:['’]s)? entry", _begins),
    _question(rf"where does {_SCENE} (?:begin|start)", _begins),
    _question(r"(?:what|where|when) does (?P<name>.+?) (?:say|speak|talk)", _speeches),
    _question(rf"(?:describe|show|outline|summari[sz]e|what is in)(?: me)? {_WHOLE}", _overview),
    _question(rf"(?:find|which|what|search for) (?:the )?nodes? (?:that |which )?{_SAYING} (?P<text>.+)", _find),
)
