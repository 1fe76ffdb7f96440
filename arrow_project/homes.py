"""Which scene has a node: an index that follows every edit."""

from functools import partial

from arrow_project.journal import Journal
from arrow_project.values import Table


class Homes:
    """The first scene whose map has a node; like `UsageIndex`, what undoes an edit knows only the index."""

    def __init__(self, scenes: Table, journal: Journal) -> None:
        self._scenes = scenes
        self._journal = journal
        self._index: list[dict[int, int]] = []  # one, or none that is valid

    def of(self, node_id: int) -> int | None:
        """The scene of a node."""
        for index in self._index:
            return index.get(node_id)
        built: dict[int, int] = {}
        for scene_id, scene in self._scenes.items():
            for key in scene["map"]:
                built.setdefault(key, scene_id)
        self._index.append(built)
        if self._journal.position:
            # whoever rolls back to before this moment meets older scenes: build again then
            self._journal.note(self._index.clear)
        return built.get(node_id)

    def added(self, node_id: int, scene_id: int) -> None:
        """A map has a new node."""
        for index in self._index:
            if node_id not in index:
                index[node_id] = scene_id
                self._journal.note(partial(index.pop, node_id, None))
                return
        self.forget()  # there is none, or a map that names what does not exist has named this node already

    def removed(self, node_id: int) -> None:
        """A node has gone from its map."""
        for index in self._index:
            if not any(node_id in scene["map"] for scene in self._scenes.values()):
                self._journal.note(partial(index.__setitem__, node_id, index.pop(node_id)))
                return
        self.forget()

    def forget(self) -> None:
        """A scene has gone."""
        self._index.clear()
        self._journal.note(self._index.clear)
