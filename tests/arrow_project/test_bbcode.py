"""What of a text its reader can read, and which files it names."""

import pytest

from arrow_project.bbcode import files_in, is_readable_in
from tests.named_files import FILES, HALVES, NONE


class _Text(str):
    """A text that counts how often another is looked for in it."""

    __slots__ = ("looked",)

    def __new__(cls, text: str) -> "_Text":
        counting = super().__new__(cls, text)
        counting.looked = 0
        return counting

    def find(self, *given: object) -> int:
        self.looked += 1
        return super().find(*given)  # pyright: ignore[reportArgumentType]


def test_where_a_text_stands_at_every_mark_not_all_of_them_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = _Text("[color=red]" + "[b] " * 2_000)
    monkeypatch.setattr("arrow_project.bbcode._MOST_COMPARED", 40_000)
    assert not is_readable_in("[b] " * 1_000, hidden)
    assert hidden.looked < 20


@pytest.mark.parametrize(
    ("other", "is_readable"),
    [
        ("Do not believe it: {}", True),
        ("Open. <!-- {} -->", False),
        ("Open. <span hidden>{}</span>", False),
        ("{}<style>*{{display:none}}</style>", False),
        ("{{begin}}{}{{end}}", False),
        ("Open. \u202e{}", False),
        ("3 < 4: {}", True),
    ],
)
def test_what_pages_may_hide_nobody_reads(other: str, *, is_readable: bool) -> None:
    for text in ("Never open the door.", "Never open {door}, <b>never</b>."):
        assert is_readable_in(text, other.format(text)) is is_readable


def test_a_picture_hides_its_path_and_not_what_follows_it() -> None:
    assert not is_readable_in("Never open the door.", "[img]Never open the door.[/img]")
    assert is_readable_in("Never open the door.", "[img]a.png[/img] Never open the door.")


@pytest.mark.parametrize(("text", "named"), (FILES | HALVES).items())
def test_a_file_that_arrow_loads_is_found_wherever_it_is_named(text: str, named: str) -> None:
    assert [*files_in(text)] == [named]
    assert [*files_in({"data": [1, {"lines": ["Ahoy.", text]}]})] == [named]
    assert [*files_in({"tags": {text: None}})] == [named]
    assert [*files_in(text.replace("[", "[\x01", 1))] == [named]  # which Arrow is not sent


@pytest.mark.parametrize("text", NONE)
def test_what_names_no_file_is_left_alone(text: str) -> None:
    assert [*files_in({text: text})] == []
