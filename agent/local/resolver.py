"""Which node, scene, variable or character a few words mean: what they name exactly, or nothing."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from agent.local.parsing import Words, token
from agent.local.steps import NotDone
from arrow_project import Character, Node, Scene, Story, Variable, fold, near, shorten

_LISTED = 8
_ALIKE = 0.6
_LONGEST = 1_000  # characters of a name of which each word is one that somebody may have meant
_QUOTED = 2_000  # characters of a text that somebody may quote
_THINGS = ("scene", "variable", "character", "node")
_KIND = re.compile(
    r"(?i)^(?:(?:the|this|that|my|our|an?)\s+)?(?:(?:nodes?|scene|macro|variable|character|dialogue)\b\s*)?"
)
_NAMED_KIND = re.compile(r"(?i)(?:(?:the|this|that)\s+)?(?P<kind>node|scene|macro|variable|character)s?\s+\S")
_NUMBER = re.compile(r"#?(?P<id>\d{1,18})")
_SELECTED = re.compile(
    r"(?i)(?:the\s+)?(?:(?P<which>first|last)\s+)?(?:selected|selection)(?:\s+node)?|this(?:\s+node)?"
)
_LAST = re.compile(r"it|that|node|(?:the\s+)?(?:last|new|previous)(?:\s+node)?", re.IGNORECASE)
_ENTRY = re.compile(r"(?i)(?:the\s+)?(?P<whole>(?:project|story|scene)(?:['’]s)?\s+)?(?:entry|beginning)(?:\s+node)?")
_END = re.compile(r"(?:the\s+)?end", re.IGNORECASE)
_HERE = re.compile(r"(?:(?:the|this|that)\s+)?(?:(?:open|current|this)\s+)?(?:scene|macro)", re.IGNORECASE)
_TYPES = {
    "choice": "interaction", "dialogue": "dialog", "monologue": "monolog", "update": "variable_update",
    "variable update": "variable_update", "user input": "user_input", "tag edit": "tag_edit", "tag check": "tag_pass",
}  # fmt: skip


Thing = TypeVar("Thing", Scene, Variable, Character)


class Unknown(NotDone):
    """Nothing is called so, nor anything like it."""


class Resolver:
    """Resolves words against one state of the story.

    Args:
        story: The project as it is now.
        scene_id: The open scene; None is the scene of the project's entry.
        selected: The selected nodes, the first selected first.
        last_created: The node that this message made last.
    """

    def __init__(self, story: Story, scene_id: int | None, selected: Sequence[int], last_created: int | None) -> None:
        self.story = story
        self._scene = story.open_scene(scene_id)
        self.selected = [node for node in selected if node in story.nodes]
        self._last_created = last_created if last_created in story.nodes else None

    @property
    def open_scene(self) -> Scene:
        """The scene in which new nodes go."""
        if self._scene is None:
            raise NotDone("No scene is open, and the project's entry is in none. Name a scene.")
        return self._scene

    def node(self, words: Words) -> Node:
        """The node that a `ref` means: by id, by its place, by name, or by the quoted beginning of what it says.

        Raises:
            NotDone: None, or more than one.
        """
        name, quotation = token(words, "REF", "SCENE_REF"), token(words, "QUOTED")
        if quotation:
            return self._quoted(_KIND.sub("", name, count=1), quotation)
        plain = re.sub(r"^(?:the\s+)?nodes?\s+(?=\S)", "", name, flags=re.IGNORECASE)
        if number := _NUMBER.fullmatch(plain):
            return self._numbered(int(number["id"]))
        if (key := self._by_place(plain)) is not None:
            return self.story.nodes[key]
        kind = re.sub(r"^the\s+|(?<!\s)\s+node$", "", plain.casefold())
        kind = _TYPES.get(kind, kind.replace(" ", "_"))
        here = [node for node in self.story.nodes_of(self.open_scene.id) if node.type == kind]
        if here:
            return self._one(here, plain)
        found = [node for node in self.story.nodes.values() if fold(node.name) == fold(_KIND.sub("", plain, count=1))]
        return self._one(found, plain)

    def scene(self, words: Words) -> Scene:
        """The scene or macro that a `ref` or `scene_ref` means."""
        name = token(words, "REF", "SCENE_REF")
        if _HERE.fullmatch(name) and not token(words, "QUOTED"):
            return self.open_scene
        return self._named("scene", words, self.story.scenes)

    def variable(self, words: Words) -> Variable:
        """The variable that a `ref` means."""
        return self._named("variable", words, self.story.variables)

    def character(self, words: Words) -> Character:
        """The character that a `ref` or a `possessor` means."""
        return self._named("character", words, self.story.characters)

    def thing(self, words: Words, kinds: Sequence[str] = _THINGS) -> tuple[str, Node | Scene | Variable | Character]:
        """Kind and thing, whatever of the kinds it is; what several things are named so needs its kind.

        Raises:
            NotDone: Nothing, or several things.
        """
        tries: dict[str, Callable[[Words], Node | Scene | Variable | Character]] = {
            "scene": self.scene, "variable": self.variable, "character": self.character, "node": self.node,
        }  # fmt: skip
        name, quotation = token(words, "REF"), token(words, "QUOTED")
        made = self.story.nodes.get(-1 if self._last_created is None else self._last_created)
        if name.casefold() == "it" and made and len(self.story.nodes_of(made.scene_id)) == 1:  # a scene, just made
            return "scene", self.story.scenes[made.scene_id]
        if token(words, "POSSESSOR"):
            kinds = ("character",)
        elif said := _NAMED_KIND.match(f"{name} x" if quotation else name):
            kinds = (said["kind"].casefold().replace("macro", "scene"),)
        elif (quotation and name) or _NUMBER.fullmatch(name):
            kinds = ("node",)
        found: dict[str, Node | Scene | Variable | Character] = {}
        problems: list[NotDone] = []
        for kind in kinds:
            try:
                found[kind] = tries[kind](words)
            except NotDone as problem:
                problems.append(problem)
        if len(found) == 1:
            return next(iter(found.items()))
        if found:
            raise NotDone(f"“{quotation or name}” may mean the {join([*found], 'or the')} of that name. Say which.")
        if len(kinds) == 1:
            raise problems[0]
        nothing = f"There is no “{quotation or name}”: no {join(kinds, 'or')} is called so. Say its name, or its id."
        raise next((one for one in problems if not isinstance(one, Unknown)), NotDone(nothing))

    def loose_end(self) -> Node:
        """The one node of the open scene from which nothing leads on yet."""
        ends = [node for node in self.story.dead_ends if node.scene_id == self.open_scene.id]
        if not ends:
            raise NotDone(f"The scene “{self.open_scene.name}” has no loose end: every node leads on.")
        return self._one(ends, f"the end of the scene “{self.open_scene.name}”")

    def _by_place(self, name: str) -> int | None:
        if found := _SELECTED.fullmatch(name):
            return self._of_selection((found["which"] or "").casefold())
        if _LAST.fullmatch(name):
            return self._last(name)
        if found := _ENTRY.fullmatch(name):
            whole = (found["whole"] or "scene").casefold()
            return self.open_scene.entry if whole.startswith("scene") else self.story.entry
        return self.loose_end().id if _END.fullmatch(name) else None

    def _of_selection(self, which: str) -> int:
        if not self.selected:
            raise NotDone("No node is selected. Select one, or name it by its id.")
        if not which and len(self.selected) > 1:
            raise NotDone(f"Several nodes are selected: {self._choices(self.selected)}. Name one by its id.")
        return self.selected[-1 if which == "last" else 0]

    def _last(self, name: str) -> int:
        if self._last_created is not None:
            return self._last_created
        if name.casefold() in ("that", "node") and len(self.selected) == 1:
            return self.selected[0]
        raise NotDone(f"“{name}”: this message has not made a node yet. Name it by its id, or say “the selected node”.")

    def _numbered(self, key: int) -> Node:
        if (node := self.story.nodes.get(key)) is None:
            raise NotDone(f"There is no node {key}.")
        return node

    def _quoted(self, kind: str, quotation: str) -> Node:
        """By what it says, or its name; the open scene goes first."""
        wanted, nodes = fold(quotation), list(self.story.nodes.values())
        kind = _TYPES.get(kind.casefold(), kind.casefold().replace(" ", "_"))
        nodes = [node for node in nodes if not kind or node.type == kind]
        tests: tuple[Callable[[Node], bool], ...] = (
            lambda node: fold(node.name) == wanted or wanted in (fold(one[:_QUOTED]) for one in node.texts),
            lambda node: any(fold(one[:_QUOTED]).startswith(wanted) for one in node.texts),
        )
        for test in tests:
            found = [node for node in nodes if wanted and test(node)]
            if found:
                return self._one(found, quotation)
        by_text = {fold(shorten(one, 60)): node.id for node in nodes for one in (*node.texts, node.name)}
        alike = [by_text[one] for one in near(wanted, by_text, alike=_ALIKE)]
        problem = f"There is no {kind or 'node'} that begins “{quotation}”"
        if alike:
            raise NotDone(f"{problem}. Did you mean {self._choices(alike, 'or')}?")
        raise Unknown(f"{problem}; name it by its id.")

    def _one(self, found: Sequence[Node], words: str) -> Node:
        """The only one that was found, or that was found in the open scene."""
        found = [node for node in found if self._scene and node.scene_id == self._scene.id] or found
        if len(found) == 1:
            return found[0]
        if found:
            ids = [node.id for node in found]
            raise NotDone(f"“{words}” may mean several nodes: {self._choices(ids)}. Name one by its id.")
        raise Unknown(f"There is no node “{words}”; name it by its id, its name, or its words in quotation marks.")

    def _choices(self, ids: Sequence[int], word: str = "and") -> str:
        return join([self.story.describe(key) for key in ids], word, _LISTED)

    def _named(self, kind: str, words: Words, things: Mapping[int, Thing]) -> Thing:
        """By id; by name, apart from case and accents; by the first name, where one has it."""
        name, found = _name(words), self._matching(words, things)
        if len(found) == 1:
            return found[0]
        if found:
            raise NotDone(f"There are several {kind}s that “{name}” may mean: {listed(found)}. Name one by its id.")
        raise _unknown(kind, name, things.values())

    def _matching(self, words: Words, things: Mapping[int, Thing]) -> list[Thing]:
        name = _name(words)
        if (number := _NUMBER.fullmatch(name)) and int(number["id"]) in things:
            return [things[int(number["id"])]]
        return matching(name, things.values())


def _name(words: Words) -> str:
    """What a reference calls its thing, without the kind of the thing where more is said, or the ending of an owner."""
    if owner := token(words, "POSSESSOR"):
        return owner.removesuffix("s").rstrip("'’")
    said = token(words, "REF", "SCENE_REF")
    return token(words, "QUOTED") or _KIND.sub("", said, count=1) or said


def matching(words: str, things: Iterable[Thing]) -> list[Thing]:
    """What is named so: exactly if possible, else apart from case and accents, else by first name."""
    known, wanted = list(things), fold(words)
    tests: tuple[Callable[[Thing], bool], ...] = (
        lambda thing: thing.name == words,
        lambda thing: fold(thing.name) == wanted,
        lambda thing: fold(thing.name).partition(" ")[0] == wanted,
    )
    return next((found for test in tests if (found := [one for one in known if wanted and test(one)])), [])


def listed(things: Sequence[Scene | Variable | Character], word: str = "and") -> str:
    """Names with ids, for a sentence; a long list is cut."""
    return join([f"{thing.name} ({thing.id})" for thing in things], word, _LISTED)


def called(thing: Scene | Variable | Character) -> str:
    """Name and id, for a sentence about one."""
    return f"“{thing.name}” ({thing.id})"


def join(words: Sequence[str], word: str = "and", most: int = 1_000) -> str:
    """`a, b and c`; of more than `most` the first, and how many more there are."""
    words = [*words[:most], f"{len(words) - most} more"] if len(words) > most else words
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {word} {words[-1]}" if words else ""


def counted(number: int, word: str) -> str:
    """`1 node`, `2 choices`, `No speeches`."""
    return f"1 {word}" if number == 1 else f"{number or 'No'} {word}{'es' if word.endswith('ch') else 's'}"


def _unknown(kind: str, name: str, things: Iterable[Scene | Variable | Character]) -> NotDone:
    """There is none of that name; told with the near ones, or all of them."""
    known, problem = list(things), f"There is no {kind} “{name}”"
    if not known:
        return Unknown(f"{problem}; the project has no {kind}s yet.")
    by_name = {one: thing for thing in known for one in (fold(thing.name), *fold(thing.name[:_LONGEST]).split(" "))}
    alike = list({by_name[one].id: by_name[one] for one in near(fold(name), by_name, alike=_ALIKE)}.values())
    if alike:
        return NotDone(f"{problem}. Did you mean {listed(alike, 'or')}?")
    return Unknown(f"{problem}. The {kind}s are: {listed(known)}.")
