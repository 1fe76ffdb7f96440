"""Dialogues as writers write them."""

from hypothesis import given
from hypothesis import strategies as st

from arrow_project.scripts import Choice, Comparison, Dialogue, Direction, Item, Leave, Option, Speech, read_dialogues

PLAIN = """THE FERRY: ALL DIALOGUES
Draft 2. Names in capitals are speakers.

DIALOGUE 1: WAITING
Place: the quay
ELENA: It is late.
TOMAS: It is always late.

DIALOGUE 2: THE FERRY AT LOW WATER
Place: the landing
Time: dusk
ELENA: You came after all, and through all that fog, which nobody in their right mind would have
walked through.
(The rope creaks.)
TOMAS (quietly): I did.
* Ask about the lamp
  TOMAS: It burns.
  * Why?
    TOMAS: Because.
  * Leave it
* Say nothing
  ELENA: Fine.
ELENA: Come aboard.
"""


def only(text: str) -> Dialogue:
    (dialogue,) = read_dialogues(text)
    return dialogue


def items(text: str) -> tuple[Item, ...]:
    return only(text).items


def test_each_heading_begins_a_dialogue() -> None:
    assert [(one.number, one.title, one.speakers) for one in read_dialogues(PLAIN)] == [
        ("1", "Waiting", ("Elena", "Tomas")),
        ("2", "The Ferry at Low Water", ("Elena", "Tomas")),
    ]


def test_speeches_directions_and_nested_choices() -> None:
    ferry = read_dialogues(PLAIN)[1]

    assert ferry.facts == ("Place: the landing", "Time: dusk")
    assert ferry.items == (
        Speech(
            "Elena",
            "You came after all, and through all that fog, which nobody in their right mind would have walked through.",
        ),
        Direction("The rope creaks."),
        Speech("Tomas", "I did.", "quietly"),
        Choice(
            (
                Option(
                    "Ask about the lamp",
                    (
                        Speech("Tomas", "It burns."),
                        Choice((Option("Why?", (Speech("Tomas", "Because."),)), Option("Leave it"))),
                    ),
                ),
                Option("Say nothing", (Speech("Elena", "Fine."),)),
            )
        ),
        Speech("Elena", "Come aboard."),
    )


def test_markdown() -> None:
    dialogue = only(
        """# The story

Some prose about the harbour.

## Low water

**Elena:** Hello there.

*She waits.*

**Tomas** (tired): *Evening.*

- "Go home" -> **Elena:** As you like.
- "Stay" -> She sits down.
- Leave -> END

**Elena:** Good night.
"""
    )

    assert dialogue.title == "Low water"
    assert dialogue.items == (
        Speech("Elena", "Hello there."),
        Direction("She waits."),
        Speech("Tomas", "Evening.", "tired"),
        Choice(
            (
                Option("Go home", (Speech("Elena", "As you like."),)),
                Option("Stay", (Direction("She sits down."),)),
                Option("Leave", (Leave(),)),
            )
        ),
        Speech("Elena", "Good night."),
    )


def test_screenplay() -> None:
    assert items(
        """INT. BOATHOUSE - NIGHT

ELENA
(whispering)
Is he asleep?

TOMAS
He never sleeps. He only
closes his eyes.

The door opens.
"""
    ) == (
        Speech("Elena", "Is he asleep?", "whispering"),
        Speech("Tomas", "He never sleeps. He only closes his eyes."),
        Direction("The door opens."),
    )


def test_ink_stars_nest_by_their_number() -> None:
    (first, choice) = items("ELENA: Well?\n* Go\n** Fast\nELENA: Run!\n** Slow\n* Stay\n")

    assert first == Speech("Elena", "Well?")
    assert isinstance(choice, Choice)
    assert [option.text for option in choice.options] == ["Go", "Stay"]
    nested = choice.options[0].items[0]
    assert isinstance(nested, Choice)
    assert [option.text for option in nested.options] == ["Fast", "Slow"]


def test_a_narrator_is_no_character() -> None:
    assert items("NARRATOR: Night falls.\nELENA: At last.\nELENA: Come.") == (
        Direction("Night falls."),
        Speech("Elena", "At last."),
        Speech("Elena", "Come."),
    )


def test_bulleted_speeches_are_a_conversation() -> None:
    assert items("- ELENA: Are you there?\n- TOMAS: I am.\n") == (
        Speech("Elena", "Are you there?"),
        Speech("Tomas", "I am."),
    )


def test_bulleted_lines_of_one_speaker_are_choices() -> None:
    (choice, after) = items("- MINA: Yes.\n  TOMAS: Good.\n- MINA: No.\n  TOMAS: Pity.\nTOMAS: Well.")

    assert isinstance(choice, Choice)
    assert [option.text for option in choice.options] == ["Yes.", "No."]
    assert after == Speech("Tomas", "Well.")


def test_a_condition_on_a_choice_is_kept_apart() -> None:
    choice = items("ELENA: Pay.\n* [if gold >= 10] Pay the toll\n* (requires trust) Ask kindly\n* Swim")[1]

    assert isinstance(choice, Choice)
    assert [(option.text, option.condition) for option in choice.options] == [
        ("Pay the toll", Comparison("gold", ">=", "10")),
        ("Ask kindly", Comparison("trust")),
        ("Swim", None),
    ]


def test_lost_indentation_is_guessed_and_said() -> None:
    dialogue = only("ELENA: Well?\n* Go\nTOMAS: Away!\n* Stay\nTOMAS: Here.\nELENA: So.")
    choice = dialogue.items[1]

    assert isinstance(choice, Choice)
    assert [option.items for option in choice.options] == [(Speech("Tomas", "Away!"),), (Speech("Tomas", "Here."),)]
    assert dialogue.items[2] == Speech("Elena", "So.")
    assert dialogue.remarks


def test_prose_with_colons_is_no_dialogue() -> None:
    assert read_dialogues("Rules\n\nThe rule is simple: never pay.\n\nNote: see below.\n\n- one\n- two\n") == []


PIECES = st.sampled_from(
    ["ELENA:", "Tomas (sadly): Oh", "* Go", "** Now", "  - Stay -> END", "\n", "\n\n", "    ", "ELENA\n", "# T\n"]
)


@given(
    st.one_of(
        st.text(max_size=80), st.lists(PIECES, max_size=25).map("\n".join), st.lists(PIECES, max_size=25).map("".join)
    )
)
def test_any_text_can_be_read(text: str) -> None:
    for dialogue in read_dialogues(text):
        assert dialogue.is_played
