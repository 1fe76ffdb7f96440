"""Which nodes lead to a node: an index that follows every edit."""

from arrow_project.journal import Journal
from arrow_project.values import Table, connections, distinct


class Arrivals:
    """By scene and node, the map entries that may have a connection to it.

    What was taken away since is among them, so that what undoes an edit has nothing to bring back.
    """

    def __init__(self, scenes: Table, journal: Journal) -> None:
        self._scenes = scenes
        self._journal = journal
        self._index: dict[int, dict[int, list[int]]] = {}

    def of(self, node_id: int, scene_id: int) -> list[int]:
        """The nodes whose entries may lead to the node, in the order of the map."""
        if scene_id not in self._index:
            self._build(scene_id)
        found = set(distinct(self._index[scene_id].get(node_id, ())))
        entries = self._scenes[scene_id]["map"]
        return [key for key in (entries if len(found) > 1 else found) if key in found and key in entries]

    def added(self, node_id: int, scene_id: int, at: int) -> None:
        """The entry of the node `at` has a new connection to the node."""
        if scene_id in self._index:
            self._index[scene_id].setdefault(node_id, []).append(at)

    def _build(self, scene_id: int) -> None:
        built: dict[int, list[int]] = {}
        for key, entry in self._scenes[scene_id]["map"].items():
            for connection in connections(entry):
                arriving = built.setdefault(connection[2], [])
                if arriving[-1:] != [key]:
                    arriving.append(key)
        self._index[scene_id] = built
        if self._journal.position:
            # whoever rolls back to before this moment meets older connections: build again then
            self._journal.note(self._index.clear)
