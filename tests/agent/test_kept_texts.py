"""A text that players were shown is kept where they are shown it still, and nowhere else."""

import pytest

from arrow_project import ArrowProject, Operation
from tests.agent.losing import LINE, asked_after, update, written


def of_text(text: str) -> ArrowProject:
    project = written()
    project.apply(update(3, data={"content": text}))
    return project


def test_a_text_is_not_laundered_in_two_steps() -> None:
    """What the turn adds to a text makes the rest of it no less the writer's."""
    project = written()
    text = f"{LINE} {LINE}"
    project.apply(update(3, data={"content": text}))
    longer = update(3, data={"content": f"{text} So it is."})
    assert asked_after(project, [longer, update(3, data={"content": "Gone."})]) == 1


@pytest.mark.parametrize("aside", [{"notes": f"{LINE} {LINE}"}, {"name": f"{LINE} {LINE}"}])
def test_what_players_were_shown_is_not_kept_where_none_looks(aside: dict[str, str]) -> None:
    project = written()
    project.apply(update(3, data={"content": f"{LINE} {LINE}"}))
    assert asked_after(project, [update(3, data={"content": "Buy our game."}, **aside)]) == 0
    assert asked_after(project, [update(3, data={"title": f"{LINE} {LINE}", "content": "Rain."})]) is None


@pytest.mark.parametrize(
    "around",
    [
        "[color=#00000000]{}[/color]Buy our game.", "[color=#0000]{}", "Buy![color=#0000][b]{}[/b]", "[font_size=0]{}",
        "[fade start=0 length=1]{}", "[hint={}]Buy![/hint]", "[hint='{}']Buy!", "[invented]{}",
        "[url='{}']Buy![/url]", "[color=#0000][b][/color]{}", "[color=#0000][br][/br][/b]{}", "[b color=red]{}",
        '[color=#0000][b="][/b][/color]"]{}', "[color=#0000][code][/color]{}", "[COLOR=red]{}", "[{}]Buy!",
        "[wave amp=9999]{}", "[color=#0000]{}[/color][color=#0000]{}",
    ],
)  # fmt: skip
def test_what_players_were_shown_is_not_kept_where_bbcode_may_hide_it(around: str) -> None:
    text = f"{LINE} {LINE}"
    assert asked_after(of_text(text), [update(3, data={"content": around.replace("{}", text)})]) == 0


@pytest.mark.parametrize(
    "around",
    [
        "{} So it is.", "[b]Ada:[/b] {}", "[color=red]Ada:[/color] {}", "[i][b]{}[/b][/i]", "[url=https://a.example]{}",
        "[center]{}[/center]", "[p]Well.[/p][br]{}", "[color=red]{}[/color] {}", "{} [b", "] {}",
        "[hint={}]Ada[/hint] {}",
    ],
)  # fmt: skip
def test_a_text_is_kept_where_bbcode_leaves_it_readable(around: str) -> None:
    text = f"{LINE} {LINE}"
    assert asked_after(of_text(text), [update(3, data={"content": around.replace("{}", text)})]) is None


def test_a_text_is_kept_with_its_own_bbcode() -> None:
    text = f"[img]a.png[/img] [color=red]{LINE}[/color] [hint=x]{LINE}"
    assert asked_after(of_text(text), [update(3, data={"content": f"[b]Ada:[/b] {text} So it is."})]) is None


def test_what_nobody_is_shown_is_kept_whatever_stands_before_it() -> None:
    project = written()
    project.apply(update(3, notes=f"{LINE} {LINE}"))
    assert asked_after(project, [update(3, notes=f"[TODO] {LINE} {LINE}")]) is None


def test_a_question_to_the_player_is_not_kept_as_what_its_answer_has_to_match() -> None:
    project = written()
    data = {"type": "user_input", "scene_id": 0, "preset": {"prompt": f"{LINE} {LINE}", "variable": "name"}}
    project.apply(Operation("create_variable", {"name": "name", "type": "str"}))
    made = project.apply(Operation("create_insert_node", data)).result["node_id"]
    asked = {"prompt": "Buy our game.", "custom": {"pattern": f"{LINE} {LINE}"}}
    assert asked_after(project, [update(made, data=asked)]) == 0
    asked = {"prompt": "Your name?", "custom": {"placeholder": f"{LINE} {LINE}"}}
    assert asked_after(project, [update(made, data=asked)]) is None


def test_a_name_that_the_turn_has_made_up_says_nothing_of_what_texts_meant_by_it() -> None:
    project = of_text(
        "She is {whispering_very_softly_behind_the_old_curtain_of_the_small_theatre_on_the_pier} tonight."
    )
    name = "whispering_very_softly_behind_the_old_curtain_of_the_small_theatre_on_the_pier"
    invent = Operation("create_variable", {"name": name, "type": "str"})
    rename = Operation("update_variable", {"by_name": name, "name": "x"})
    assert asked_after(project, [invent, rename]) == 1
