"""What models and documents say, as the panel shows it: converted by the client, read by a real RichTextLabel."""

import json
import os
import random
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.clients.arrow.editor import CLIENT, Godot

_HERE = Path(__file__).parent.resolve()
_OURS = re.compile(
    r"\[/?(?:b|i|code|indent|color|font_size|url)\]|\[lb\]|\[color=#[0-9a-f]{6}\]|\[font_size=\d+\]"
    r"|\[url=(?:node|scene|citation):\d+\]"
)
_HOSTILE = (
    "[url]", "[url=https://evil.example]", "[/url]", "[img]", "[img]res://icon.svg[/img]", "[b]", "[/b]", "[lb]",
    "[rb]", "[font=res://x]", "[hint=a]", "[p", "=]", "[", "]", "[[", "[1]", "[x](y)", "[](a)", "[`x`](javascript:1)",
    "**", "*", "_", "__", "`", "``", "```", "\n", "# ", "- ", "1. ", "> ", "\\", "{", "}", "%s", "%d", "$0", "\t",
    "node 12", "nodes 3 and 12", "node 999", "scene 3", "pier_end", "quay (old)", "\ue0000\ue000", "\ue000",
    "text", " ", "é", "😀",
)  # fmt: skip


class Converted(NamedTuple):
    bbcode: str
    shown: str
    milliseconds: int = 0


def _convert(godot: Godot, folder: Path, texts: list[str]) -> list[Converted]:
    given, results = folder / "texts.json", folder / "results.json"
    given.write_text(json.dumps(texts), "utf-8")
    environment = os.environ | {
        "FLETCHER_TEST_TEXTS": godot.seen(given),
        "FLETCHER_TEST_RESULTS": godot.seen(results),
        "FLETCHER_TEST_CONVERTER": godot.seen(CLIENT / "panel" / "markdown.gd"),
    }
    command = [str(godot.program), "--headless", "--path", godot.seen(folder)]
    (folder / "project.godot").touch()
    subprocess.run(
        [*command, "--script", godot.seen(_HERE / "conversion.gd")], env=environment, check=True, timeout=120
    )
    return [Converted(**one) for one in json.loads(results.read_text("utf-8"))]


_CASES = [
    ("plain", "plain", "plain"),
    ("**bold** and *slanted*", "[b]bold[/b] and [i]slanted[/i]", "bold and slanted"),
    ("__bold__ and _slanted_", "[b]bold[/b] and [i]slanted[/i]", "bold and slanted"),
    ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
    ("**unclosed and `so on", "**unclosed and `so on", "**unclosed and `so on"),
    ("[url=x]evil[/url]", "[lb]url=x]evil[lb]/url]", "[url=x]evil[/url]"),
    ("[img]res://icon.svg[/img]", "[lb]img]res://icon.svg[lb]/img]", "[img]res://icon.svg[/img]"),
    ("[b]not ours", "[lb]b]not ours", "[b]not ours"),
    ("[here](https://a.example)", "here (https://a.example)", "here (https://a.example)"),
    ("## Heading", "[font_size=18][b]Heading[/b][/font_size]", "Heading"),
    ("node 999", "node 999", "node 999"),
    ("a **b [i] c** d", "a [b]b [lb]i] c[/b] d", "a b [i] c d"),
]  # fmt: skip


@pytest.fixture(scope="module")
def converted(godot: Godot, tmp_path_factory: pytest.TempPathFactory) -> list[Converted]:
    return _convert(godot, tmp_path_factory.mktemp("markdown"), [text for text, _, _ in _CASES])


@pytest.mark.parametrize("number", range(len(_CASES)), ids=[text for text, _, _ in _CASES])
def test_markdown_becomes_bbcode(converted: list[Converted], number: int) -> None:
    assert converted[number][:2] == _CASES[number][1:]


def test_what_can_be_clicked_leads_to_nodes_scenes_and_citations(godot: Godot, tmp_path: Path) -> None:
    text = "Node 12, nodes 3 and 12, scene 3, pier_end and quay (old) say so [2]. `[1]` is code; node 3 and 999 is not."
    (one,) = _convert(godot, tmp_path, [text])
    targets = re.findall(r"\[url=([^\]]*)\]", one.bbcode)
    assert targets == ["node:12", "node:3", "node:12", "scene:3", "node:12", "node:3", "citation:2"]
    assert one.shown == text.replace("`", "")


def test_no_text_makes_a_tag_of_its_own(godot: Godot, tmp_path: Path) -> None:
    """Tags are ours, each is closed in its order, and nothing that was said in brackets is lost."""
    chance = random.Random(12)
    texts = ["".join(chance.choices(_HOSTILE, k=chance.randint(1, 12))) for _ in range(1500)]
    for text, one in zip(texts, _convert(godot, tmp_path, texts), strict=True):
        assert "[" not in _OURS.sub("", one.bbcode), text
        assert _is_balanced(one.bbcode), text
        for said in re.findall(r"\[(?:img|url|hint|font|b)\b", _without_addresses(text)):
            assert said in one.shown, text


def test_no_text_holds_arrow_up(godot: Godot, tmp_path: Path) -> None:
    """What the panel reads each frame while it comes: a text of one line took as long as the square of its length."""
    hostile = ("**a ", "node 1, ", "`", "`a ", "[](", "[", "pier_end ", "*a ", "_a ", "__a **", " ", "- ", "# ")
    texts = [piece * (size // len(piece)) + "x" for piece in hostile for size in (12_000, 96_000)]
    took = [one.milliseconds for one in _convert(godot, tmp_path, texts)]
    for piece, short, long in zip(hostile, took[::2], took[1::2], strict=True):
        assert long <= 24 * max(short, 10), f"{piece}: {short} ms and {long} ms, where the text is eight times as long"


def _without_addresses(text: str) -> str:
    return re.sub(r"\[[^\]\[]*\]\([^)\s]*\)", "", text)


def _is_balanced(bbcode: str) -> bool:
    stack: list[str] = []
    for closing, tag in re.findall(r"\[(/?)(\w+)(?:=[^\]]*)?\]", bbcode.replace("[lb]", "")):
        if not closing:
            stack.append(tag)
        elif not stack or stack.pop() != tag:
            return False
    return not stack
