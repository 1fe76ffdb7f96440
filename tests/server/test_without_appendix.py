"""An earlier answer comes back as it was given, however long it is and whatever a client has made of it."""

import pytest

from server.dialects import without_appendix

SUGGESTIONS = "You could go on with:\n- Add a choice\n- Check the story"
RAN = "Ran: create_variable (2 times). The project was not changed."


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("", ""),
        ("Elena.", "Elena."),
        ("Elena. \n\n", "Elena. \n\n"),
        ("Elena.\nSources: [1] bible.pdf, page 4; [2] quests.md", "Elena."),
        (f"Elena.\n\nSources: [1] bible.pdf\n\n{SUGGESTIONS}\n{RAN}\n \n", "Elena."),
        (SUGGESTIONS, ""),
        ("You could go on with:", ""),
        ("Elena.\n \nSources: [1] a.md", "Elena.\n "),
        ("Elena has:\n- a lamp\n- oil", "Elena has:\n- a lamp\n- oil"),
        (f"{SUGGESTIONS}\n\n- and more", f"{SUGGESTIONS}\n\n- and more"),
        ("Elena. Sources: [1] a.md", "Elena. Sources: [1] a.md"),
        ("Sources: none", "Sources: none"),
        ("Elena.\nSources: [1] a.md\nThat is all.", "Elena.\nSources: [1] a.md\nThat is all."),
    ],
)
def test_what_was_said_behind_an_answer_is_left_out(answer: str, given: str) -> None:
    assert without_appendix(answer) == given


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("Elena." + "\nSources: [1] a.md" * 100_000, "Elena."),
        ("Elena." + f"\n{SUGGESTIONS}" * 50_000, "Elena."),
        ("Elena." + f"\n\n{RAN}" * 50_000, "Elena."),
        ("\n" * 1_000_000 + "Elena.", "\n" * 1_000_000 + "Elena."),
    ],
    ids=["sources", "suggestions", "ran", "empty lines"],
)
def test_a_long_one_does_not_take_hours(answer: str, given: str) -> None:
    assert without_appendix(answer) == given
