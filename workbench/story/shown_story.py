"""The story that a page shows: as it is, as a change would have it, and what of it is looked at."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from nicegui import Event

from arrow_project import Node
from workbench.story.open_story import OpenStory


class ShownStory:
    """What the parts of the tab `Story` share.

    Args:
        count: Told of each story that is shown.

    Attributes:
        story: What is open; None for nothing.
        preview: The story as a change that is not made yet would have it; None without one.
        scene: The id of the scene that is shown.
        node_id: The node that was chosen; None for none.
        waiting: The name of a story with changes that the browser's tab keeps and that is not back; empty for none.
        clicks: How many clicks that may begin one have come from its browser.
        is_changing: A turn is under way that may change the story.
        was_opened: Another story is open.
        was_changed: The story, its preview or the scene is another one.
        changing_begins_or_ends: `is_changing` is another one.
        form_is_drawn: Nothing of what was written in the form of a function is in it any more.
        on_close: Called when the page is gone: whoever holds a story lets go of it.
        unfinished: Each says whether something is written about the story that it does not have yet.
    """

    def __init__(self, count: Callable[[OpenStory], object] = id) -> None:
        self.story: OpenStory | None = None
        self.preview: OpenStory | None = None
        self.scene = 0
        self.node_id: int | None = None
        self.waiting = ""
        self.clicks = 0
        self.is_changing = False
        self.was_opened = Event[[]]()
        self.was_changed = Event[[]]()
        self.changing_begins_or_ends = Event[[]]()
        self.form_is_drawn = Event[[]]()
        self.on_close: list[Callable[[], object]] = []
        self.unfinished: list[Callable[[], bool]] = []
        self._count = count
        self._kept_elsewhere = ""

    @property
    def drawn(self) -> OpenStory | None:
        """The preview where there is one, else the story."""
        return self.preview or self.story

    @property
    def node(self) -> Node | None:
        """The node that was chosen, as long as it is there."""
        nodes = self.drawn.story.nodes if self.drawn is not None else {}
        return nodes.get(self.node_id) if self.node_id is not None else None

    @property
    def selected(self) -> list[int]:
        """The node that was chosen, for a turn, which knows no more than the story without its preview."""
        return [self.node_id] if self.story is not None and self.node_id in self.story.story.nodes else []

    @property
    def is_unsaved(self) -> bool:
        """Whether it has changes that are nowhere but on this page."""
        return self.story is not None and self.story.digest != self._kept_elsewhere

    @property
    def at_risk(self) -> list[str]:
        """The names of the stories whose changes are lost with this page, or with what its browser's tab keeps."""
        is_at_risk = self.story is not None and (self.is_unsaved or any(is_so() for is_so in self.unfinished))
        shown = self.story.name if self.story is not None and is_at_risk else ""
        return [name for name in (shown, self.waiting) if name]

    def shows(self, name: str) -> bool:
        """Whether a story of that name is open."""
        return self.story is not None and self.story.name == name

    def open(self, story: OpenStory, *, is_unsaved: bool = False) -> None:
        """Shows another story from its beginning."""
        self._count(story)
        self.story, self.preview, self.node_id, self.waiting = story, None, None, ""
        self.scene = story.scene_of_entry
        self._kept_elsewhere = "" if is_unsaved else story.digest
        self.was_opened.emit()
        self.was_changed.emit()

    def close(self) -> None:
        """Nothing is open any more, and the page's elements hear nothing of it."""
        self.story = self.preview = None
        for let_go in self.on_close:
            let_go()
        self.on_close.clear()
        self.unfinished.clear()
        self._kept_elsewhere = ""

    @contextmanager
    def changing(self) -> Generator[None]:
        """Meanwhile a turn is under way that may change the story, until what it came to is shown."""
        self.is_changing = True
        self.changing_begins_or_ends.emit()
        try:
            yield
        finally:
            self.is_changing = False
            self.changing_begins_or_ends.emit()

    def change(self, story: OpenStory, preview: OpenStory | None = None) -> None:
        """Shows what a turn has made of the story, or would."""
        for one in filter(None, (story, preview)):
            self._count(one)
        self.story, self.preview = story, preview
        self.was_changed.emit()

    def save(self, story: OpenStory) -> None:
        """The story is kept elsewhere now, as it is."""
        self._count(story)
        self.story = story
        self._kept_elsewhere = story.digest
        self.was_changed.emit()

    def choose(self, node: Node) -> None:
        """Looks at a node, and the scene that it is in."""
        self.node_id = node.id
        self.show_scene(node.scene_id)

    def show_scene(self, scene: int) -> None:
        """Looks at a scene."""
        if scene != self.scene:
            self.scene = scene
            self.was_changed.emit()
