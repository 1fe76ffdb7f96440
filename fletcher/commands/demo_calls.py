"""The calls of a demo turn as readable lines: one for each node, with what leads to it."""

import json
from typing import Any

from rich.console import Console

from arrow_project import ArrowProject

_TEXTS = ("text", "content", "title", "lines", "actions", "options", "label", "reason")


class CallLog:
    """Prints each executed call; a connection stands on the line of the node it leads to."""

    def __init__(self, console: Console, before: ArrowProject) -> None:
        self._console = console
        characters = json.loads(before.to_text())["resources"]["characters"]
        self._names: dict[int, str] = {int(character): entry["name"] for character, entry in characters.items()}
        self._node: int | None = None
        self._sources: list[str] = []
        self._text = ""

    def add(self, function: str, arguments: dict[str, Any], result: Any) -> None:
        """Takes in one call with its result."""
        if function == "create_connection" and arguments["to_node_id"] == self._node:
            slot = arguments.get("from_slot") or 0
            self._sources.append(f"{arguments['from_node_id']}{f' slot {slot}' if slot else ''}")
            return
        self.flush()
        made: dict[str, Any] = result if isinstance(result, dict) else {}
        self._node = made.get("node_id")
        self._text = self._describe(function, arguments, made)

    def flush(self) -> None:
        """Prints the line that is still open."""
        if self._text:
            sources = f"{', '.join(self._sources)} → " if self._sources else ""
            line = f"  {sources}{self._text}"
            self._console.print(line, style="dim", markup=False, no_wrap=True, overflow="ellipsis")
        self._node, self._sources, self._text = None, [], ""

    def _describe(self, function: str, arguments: dict[str, Any], made: dict[str, Any]) -> str:
        match function:
            case "create_character":
                self._names[made["character_id"]] = arguments["name"]
                return f"character {made['character_id']}  {arguments['name']}"
            case "create_scene":
                return f"scene {made['scene_id']}  {arguments['name']}"
            case "create_insert_node":
                return f"{arguments['type']} {made['node_id']}  {self._said(arguments.get('preset') or {})}"
            case "create_connection":
                return f"{arguments['from_node_id']} → {arguments['to_node_id']}"
            case _:
                return f"{function} {arguments}"

    def _said(self, preset: dict[str, Any]) -> str:
        text = next((preset[name] for name in _TEXTS if preset.get(name)), "")
        text = " / ".join(text) if isinstance(text, list) else str(text)
        speaker = self._names.get(preset.get("character", -1))
        return f"{speaker}: {text}" if speaker else text
