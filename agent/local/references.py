"""Which node, scene, variable or character a few words mean."""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches

from agent.local.names import find_named, fold, join, matching
from agent.local.nodetypes import NODE_TYPE, node_type
from agent.local.phrase import Phrase
from agent.local.steps import NotDone
from agent.local.story import Character, Node, Scene, Story, Variable, shorten

_LISTED = 6
_ARTICLE = re.compile(r"(?:the|a|an|this|that|my)\s+", re.IGNORECASE)
_NUMBER = re.compile(r"(?:node\s+)?(?:#|id\s+|number\s+)?(?P<id>\d{1,18})", re.IGNORECASE)
_TYPED = re.compile(
    rf"(?:the\s+)?(?:(?P<type>{NODE_TYPE})(?:\s+node)?|node)"
    r"(?:\s+(?:named|called|titled|labell?ed|with the text|saying|that says))?(?:\s+(?P<name>.+))?",
    re.IGNORECASE | re.DOTALL,
)
_SELECTED = re.compile(
    r"(?:the\s+)?(?:current(?:ly)?\s+)?(?:selected|selection|this)(?:\s+(?:node|one))?", re.IGNORECASE
)
_FIRST = re.compile(r"(?:the\s+)?first[\s_]selected(?:\s+(?:node|one))?", re.IGNORECASE)
_LAST = re.compile(
    r"(?:the\s+|that\s+)?(?:last|latest|newest|new|previous)"
    r"(?:[\s_](?:created|added))?(?:\s+(?:node|one))?|(?:it|that)(?:\s+(?:node|one))?",
    re.IGNORECASE,
)
_LAST_SELECTED = re.compile(r"(?:the\s+)?last[\s_]selected(?:\s+(?:node|one))?", re.IGNORECASE)
_SCENE_ENTRY = re.compile(
    r"(?:the\s+)?(?:(?:scene(?:['’]s)?|current)[\s_])?(?:entry|start)(?:\s+(?:node|point))?"
    r"(?:\s+of\s+(?:this|the(?:\s+(?:current|open))?)\s+scene)?",
    re.IGNORECASE,
)
_PROJECT_ENTRY = re.compile(
    r"(?:the\s+)?(?:project|story)(?:['’]s)?[\s_](?:entry|start)(?:\s+(?:node|point))?", re.IGNORECASE
)
_END = re.compile(r"the\s+end\s+of\s+the\s+scene", re.IGNORECASE)
_OPEN_SCENE = re.compile(
    r"(?:the\s+|this\s+)?(?:(?:this|current|open|same)(?:\s+(?:scene|macro))?|(?:scene|macro))", re.IGNORECASE
)
_SCENE_WORD = re.compile(r"(?:the\s+)?(?:scene|macro)\s+(?:named\s+|called\s+)?", re.IGNORECASE)


class References:
    """Resolves words against one state of the story.

    Args:
        story: The project as it is now.
        scene_id: The open scene; None is the scene of the project's entry.
        selected: The selected nodes, the first selected first.
        last_created: The node that this message made last.
        exits: The last node of what was created as one and became several.
    """

    def __init__(
        self,
        story: Story,
        scene_id: int | None,
        selected: Sequence[int],
        last_created: int | None,
        exits: Mapping[int, int],
    ) -> None:
        self.story = story
        self._scene_id = scene_id if scene_id in story.scenes else story.scene_of_entry()
        self._selected = [node for node in selected if node in story.nodes]
        self._exits = exits
        self._last_created = last_created if last_created in story.nodes else None

    @property
    def open_scene(self) -> Scene:
        """The scene in which new nodes go."""
        if self._scene_id is None:
            raise NotDone("No scene is open, and the project's entry is in none. Name a scene.")
        return self.story.scenes[self._scene_id]

    def node(self, words: Phrase) -> Node:
        """The node that the words mean.

        Raises:
            NotDone: None, or more than one.
        """
        if (number := words.match(_NUMBER)) is not None:
            return self._numbered(number["id"].masked)
        for pattern, find in self._keywords():
            if words.match(pattern) is not None:
                return self.story.nodes[find()]
        if (typed := words.match(_TYPED)) is not None:
            return self._typed(typed.get("type"), typed.get("name"), words)
        return self._named(words, list(self.story.nodes.values()))

    def origin(self, words: Phrase) -> Node:
        """The node that the words mean, as one that leads on."""
        node = self.node(words)
        return self.story.nodes.get(self._exits.get(node.id, node.id), node)

    def nodes(self, words: Phrase) -> list[Node]:
        """Several nodes: `12, 13 and 14`, or all the selected ones."""
        if re.fullmatch(
            r"(?:(?:all\s+)?(?:the\s+)?selected(?:\s+nodes)?|selection)", words.masked.strip(), re.IGNORECASE
        ):
            if not self._selected:
                raise NotDone("No node is selected.")
            return [self.story.nodes[node] for node in self._selected]
        return [self.node(part) for part in words.split(re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE))]

    def scene(self, words: Phrase) -> Scene:
        """The scene or macro that the words mean."""
        if words.match(_OPEN_SCENE) is not None:
            return self.open_scene
        return find_named("scene", words.part(_SCENE_WORD.sub("", words.masked, count=1)).text, self.story.scenes)

    def variable(self, words: Phrase) -> Variable:
        """The variable that the words mean."""
        return find_named("variable", _bare(words, "variable"), self.story.variables)

    def character(self, words: Phrase) -> Character:
        """The character that the words mean."""
        return find_named("character", _bare(words, "character"), self.story.characters)

    def named(self, words: Phrase) -> Variable | Character:
        """The variable or character that the words mean."""
        if matching(words.text, self.story.variables.values()):
            return self.variable(words)
        return self.character(words)

    def _keywords(self) -> tuple[tuple[re.Pattern[str], Callable[[], int]], ...]:
        return (
            (_END, self._loose_end),
            (_LAST_SELECTED, lambda: self._of_selection(-1)),
            (_FIRST, lambda: self._of_selection(0)),
            (_SELECTED, self._only_selected),
            (_LAST, self._last),
            (_PROJECT_ENTRY, lambda: self.story.entry),
            (_SCENE_ENTRY, lambda: self.open_scene.entry),
        )

    def _numbered(self, digits: str) -> Node:
        if node := self.story.nodes.get(int(digits)):
            return node
        named = [node for node in self.story.nodes.values() if node.name == digits]
        if len(named) == 1:
            return named[0]
        raise NotDone(f"There is no node {digits}.")

    def _of_selection(self, index: int) -> int:
        if not self._selected:
            raise NotDone("No node is selected. Select one, or name it by its id.")
        return self._selected[index]

    def _only_selected(self) -> int:
        if len(self._selected) > 1:
            raise NotDone(f"Several nodes are selected: {self._choices(self._selected)}. Name one by its id.")
        return self._of_selection(0)

    def _loose_end(self) -> int:
        """The one node of the open scene from which nothing leads on yet."""
        nodes = self.story.nodes_of(self.open_scene.id)
        leading = {link.from_id for link in self.story.connections}
        ends = [node.id for node in nodes if node.outputs and node.id not in leading]
        if len(ends) == 1:
            return ends[0]
        where = f"The scene “{self.open_scene.name}”"
        if not ends:
            raise NotDone(f"{where} has no loose end: every node leads on. Say after which node.")
        raise NotDone(f"{where} has several ends: {self._choices(ends)}. Name one by its id.")

    def _last(self) -> int:
        if self._last_created is not None:
            return self._last_created
        if len(self._selected) == 1:
            return self._selected[0]
        raise NotDone(
            "This message has not created a node yet, and not exactly one node is selected. Name it by its id."
        )

    def _typed(self, kind: Phrase | None, name: Phrase | None, words: Phrase) -> Node:
        if kind is None:
            return self._named(name or words, list(self.story.nodes.values()))
        wanted = node_type(kind.masked)
        if name is not None and (number := name.match(_NUMBER)) is not None:
            return self._numbered(number["id"].masked)
        scene = self.story.nodes_of(self.open_scene.id)
        if name is None:
            return self._one([node for node in scene if node.type == wanted], words)
        of_type = [node for node in self.story.nodes.values() if node.type == wanted]
        if by := name.match(re.compile(r"(?:by|of|from)\s+(?P<who>.+)", re.IGNORECASE)):
            character = self.character(by["who"])
            return self._one([node for node in of_type if node.data.get("character") == character.id], words)
        return self._named(name, of_type)

    def _named(self, words: Phrase, nodes: Sequence[Node]) -> Node:
        """By name, then by text; the open scene goes first."""
        wanted = _ARTICLE.sub("", words.masked, count=1) if not words.is_quoted else words.masked
        text = words.part(wanted).text
        here = [node for node in nodes if self._scene_id == node.scene_id]
        for candidates in (here, nodes):
            if found := [node for node in candidates if fold(node.name) == fold(text)]:
                return self._one(found, words)
        for candidates in (here, nodes):
            if found := [node for node in candidates if _contains(node, text)]:
                return self._one(found, words)
        raise NotDone(f"There is no node “{text}”{self._near(text, nodes)}")

    def _one(self, found: Sequence[Node], words: Phrase) -> Node:
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotDone(f"There is no “{words.text}” in the scene “{self.open_scene.name}”.")
        ids = [node.id for node in found]
        raise NotDone(f"“{words.text}” may mean several nodes: {self._choices(ids)}. Name one by its id.")

    def _near(self, text: str, nodes: Sequence[Node]) -> str:
        """The end of the sentence "There is no node …": nodes with a name or text like it."""
        by_text = {fold(shorten(part, 60)): node.id for node in nodes for part in (*node.texts, node.name)}
        near = dict.fromkeys(by_text[name] for name in get_close_matches(fold(text), by_text, n=3, cutoff=0.6))
        if near:
            return f". Did you mean {join([self.story.describe(node) for node in near], 'or')}?"
        return "; name it by its id, its name or some of its text."

    def _choices(self, ids: Sequence[int]) -> str:
        listed = [self.story.describe(node) for node in ids[:_LISTED]]
        return join([*listed, f"{len(ids) - _LISTED} more"] if len(ids) > _LISTED else listed)


def _bare(words: Phrase, kind: str) -> str:
    return words.part(re.sub(rf"^\s*(?:the\s+)?(?:{kind}\s+)?", "", words.masked, flags=re.IGNORECASE)).text


def _contains(node: Node, text: str) -> bool:
    wanted = fold(text)
    return len(wanted) > 1 and any(wanted in fold(part) for part in node.texts)
