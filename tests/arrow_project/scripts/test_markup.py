"""Yarn, Twee and Ink as dialogues; what has no counterpart in a story is the dialogue's problem."""

from arrow_project.scripts import (
    Branch,
    Choice,
    Command,
    Comparison,
    Dialogue,
    Direction,
    Leave,
    Option,
    Speech,
    VariableChange,
    read_dialogues,
)

YARN_2 = """title: Ferry_Landing
tags: quay
position: 12,40
---
// The landing at dusk.
<<declare $gold = 5>>
Elena: You came after all. #line:01
The rope creaks.
<<wait 2>>
-> Pay the toll <<if $gold >= 10>>
    <<set $gold to $gold_left>>
    Elena: Thank you.
    -> Sit down
        Elena: Careful.
    -> Stand
-> Swim
    <<jump Far_Side>>
<<if $met>>
    Elena: You again, {$player}.
<<elseif $gold > 1>>
    Elena: A rich one.
<<else>>
    Elena: Who are you?
<<endif>>
Tomas: Cast off!
===
title: Far_Side
---
Tomas: Wet?
<<stop>>
===
"""

YARN_1 = """title: Start
---
Elena: Where to?
[[The mill|Mill]]
[[Home|Home]]
===
title: Mill
---
Elena: It grinds.
[[Home]]
===
title: Home
---
Elena: Home.
===
"""

TWEE = """:: StoryTitle
The Quay

:: Start [quay] {"position":"1,2"}
Elena: Where to?
<<if $gold gte 10>>Elena: Rich.<<else>>Elena: Poor.<</if>>
[[Go to the mill->Mill]]
[[Home<-Stay]]
[[Mill]]

:: Mill
The wheel turns.
<<set $seen to true>>

:: Home
Elena: Home.
"""

INK = """VAR gold = 5
=== quay ===
The rope creaks.
ELENA: Where to?
* {gold >= 10} [Pay] "Here."
  ELENA: Thanks.
  ~ gold -= 10
  ** Sit down
     ELENA: Careful.
  ** Stand
* [Swim] -> far_side
+ Wait
- ELENA: Well then.
-> END

=== far_side ===
TOMAS: Wet?
-> DONE
"""


def named(text: str) -> dict[str, Dialogue]:
    return {one.title: one for one in read_dialogues(text)}


def test_yarn_2_with_options_conditions_and_commands() -> None:
    ferry = named(YARN_2)["Ferry Landing"]

    assert ferry.declared == {"gold": "5"}
    assert ferry.items == (
        Speech("Elena", "You came after all."),
        Direction("The rope creaks."),
        Command("<<wait 2>>"),
        Choice(
            (
                Option(
                    "Pay the toll",
                    (
                        VariableChange("gold", "=", "$gold_left"),
                        Speech("Elena", "Thank you."),
                        Choice((Option("Sit down", (Speech("Elena", "Careful."),)), Option("Stand"))),
                    ),
                    Comparison("gold", ">=", "10"),
                ),
                Option("Swim", (Leave("Far Side"),)),
            )
        ),
        Branch(
            Comparison("met"),
            (Speech("Elena", "You again, {player}."),),
            (
                Branch(
                    Comparison("gold", ">", "1"), (Speech("Elena", "A rich one."),), (Speech("Elena", "Who are you?"),)
                ),
            ),
        ),
        Speech("Tomas", "Cast off!"),
    )
    assert named(YARN_2)["Far Side"].items == (Speech("Tomas", "Wet?"), Leave())


def test_yarn_1_with_links() -> None:
    dialogues = named(YARN_1)

    assert dialogues["Start"].items == (
        Speech("Elena", "Where to?"),
        Choice((Option("The mill", (Leave("Mill"),)), Option("Home", (Leave("Home"),)))),
    )
    assert dialogues["Mill"].items == (Speech("Elena", "It grinds."), Leave("Home"))


def test_twee_with_links_and_macros() -> None:
    dialogues = named(TWEE)

    assert list(dialogues) == ["Start", "Mill", "Home"]
    speech, branch, choice = dialogues["Start"].items
    assert speech == Speech("Elena", "Where to?")
    assert branch == Branch(Comparison("gold", ">=", "10"), (Speech("Elena", "Rich."),), (Speech("Elena", "Poor."),))
    assert choice == Choice(
        (
            Option("Go to the mill", (Leave("Mill"),)),
            Option("Stay", (Leave("Home"),)),
            Option("Mill", (Leave("Mill"),)),
        )
    )
    assert dialogues["Mill"].items == (Direction("The wheel turns."), VariableChange("seen", "=", "true"))


def test_ink_with_a_weave() -> None:
    quay = named(INK)["quay"]

    assert quay.declared == {"gold": "5"}
    assert quay.items == (
        Direction("The rope creaks."),
        Speech("Elena", "Where to?"),
        Choice(
            (
                Option(
                    "Pay",
                    (
                        Direction('"Here."'),
                        Speech("Elena", "Thanks."),
                        VariableChange("gold", "-=", "10"),
                        Choice((Option("Sit down", (Speech("Elena", "Careful."),)), Option("Stand"))),
                    ),
                    Comparison("gold", ">=", "10"),
                ),
                Option("Swim", (Leave("far side"),)),
                Option("Wait"),
            )
        ),
        Speech("Elena", "Well then."),
        Leave(),
    )


def test_what_has_no_counterpart_is_the_problem_of_its_dialogue_alone() -> None:
    text = YARN_2.replace("<<if $met>>", "<<if visited() and $gold > 2>>")
    dialogues = named(text)

    assert "visited() and $gold > 2" in dialogues["Ferry Landing"].problem
    assert dialogues["Ferry Landing"].items == ()
    assert not dialogues["Far Side"].problem
    assert "{~a|b}" in named(INK.replace("The rope creaks.", "The rope {~a|b}."))["quay"].problem


def test_a_name_before_quotation_marks_is_a_speaker() -> None:
    (dialogue,) = read_dialogues('Elena "It is late."\nTomas "It is always late."\nElena "So."')
    assert dialogue.speakers == ("Elena", "Tomas")
    assert dialogue.items[0] == Speech("Elena", "It is late.")


def test_fountain_with_a_transition_and_a_parenthetical() -> None:
    text = (
        "INT. QUAY - DUSK\n\nFog.\n\nELENA\n(quietly)\nYou came.\n\nTOMAS\nI did.\n\nCUT TO:\n\n"
        "EXT. MILL - DAY\n\nELENA\nWell?\n\nTOMAS\nNo.\n"
    )
    quay, mill = read_dialogues(text)

    assert quay.items[1:3] == (Speech("Elena", "You came.", "quietly"), Speech("Tomas", "I did."))
    assert "Cut To" not in quay.speakers
    assert mill.speakers == ("Elena", "Tomas")
