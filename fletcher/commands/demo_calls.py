"""The calls of a demo turn as readable lines: one for each node, with what leads to it."""

from typing import Any

from rich.console import Console

_TEXTS = ("text", "content", "title", "lines", "actions", "options", "label", "reason")


class CallLog:
    """Prints each executed call; a connection is added to the line of the node it leads to."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._names: dict[Any, str] = {}
        self._node: int | None = None
        self._line = ""

    def add(self, function: str, arguments: dict[str, Any], result: Any) -> None:
        """Takes in one call with its result."""
        if function == "create_connection" and arguments.get("to_node_id") == self._node:
            source, slot = arguments["from_node_id"], arguments.get("from_slot") or 0
            self._line += f"  ← {source}" + (f" (slot {slot})" if slot else "")
            return
        self.flush()
        self._line = self._describe(function, arguments, result if isinstance(result, dict) else {})
        self._node = result.get("node_id") if isinstance(result, dict) else None

    def flush(self) -> None:
        """Prints the line that is still open."""
        if self._line:
            self._console.print(self._line, style="dim", markup=False, no_wrap=True, overflow="ellipsis")
        self._line, self._node = "", None

    def _describe(self, function: str, arguments: dict[str, Any], result: dict[str, Any]) -> str:
        match function:
            case "create_character":
                self._names[result.get("character_id")] = arguments["name"]
                return f"  character {result.get('character_id')}: {arguments['name']}"
            case "create_scene":
                return f"  scene {result.get('scene_id')}: {arguments['name']}"
            case "create_insert_node":
                preset = arguments.get("preset") or {}
                return f"  {arguments['type']} {result.get('node_id')}: {self._said(preset)}"
            case "create_connection":
                return f"  connection {arguments['from_node_id']} → {arguments['to_node_id']}"
            case _:
                return f"  {function} {arguments}"

    def _said(self, preset: dict[str, Any]) -> str:
        text = next((preset[name] for name in _TEXTS if preset.get(name)), "")
        text = " / ".join(text) if isinstance(text, list) else str(text)
        speaker = self._names.get(preset.get("character"))
        text = text if len(text) <= 60 else text[:59] + "…"
        return f"{speaker}: {text}" if speaker else text
