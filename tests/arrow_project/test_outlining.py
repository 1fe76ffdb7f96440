from pathlib import Path

import pytest

from arrow_project import ArrowProject, Diff, diff, outline, parse
from arrow_project.node_types import NODE_TYPES
from tests.arrow_project.applying import do


def test_everything_of_a_small_project_is_there(lamp: ArrowProject) -> None:
    told = outline(lamp, selected=[11])
    lines = told.splitlines()
    for node_id in lamp.data.nodes:
        assert any(line.startswith(f"{node_id} ") for line in lines)
    assert '11 condition "enough" oil(3) >= 2 [0: true -> 12; 1: false -> 24]' in lines
    assert "- 6 Mira {mood: tired, trust: low}" in lines
    assert told.index("Selected nodes:") < told.index("Variables:")


@pytest.mark.parametrize("most", [1, 50, 400, 900, 1200])
def test_it_stays_within_the_budget(lamp: ArrowProject, most: int) -> None:
    assert len(outline(lamp, max_characters=most)) <= most


def test_a_real_project_fits_into_two_fifths_of_its_file(real_documents: list[Path]) -> None:
    path = next(path for path in real_documents if path.name == "example2-intro.arrow")
    text = path.read_text(encoding="utf-8")
    project = parse(text)
    told = outline(project)
    assert len(told) <= 0.4 * len(text)
    assert all(f"\n{node_id} " in told for node_id in project.data.nodes)


def test_a_diff_says_what_changed(lamp: ArrowProject) -> None:
    before = lamp.copy()
    assert diff(before, lamp).is_empty
    do(lamp, "update_variable", by_name="oil", initial_value=5)
    do(lamp, "create_insert_node", type="marker", preset={"label": "here"}, connect_from={"node_id": 24})
    assert str(diff(before, lamp)).splitlines() == [
        "~ variable 3 init: 3 -> 5",
        '+ node 26 marker q "here" in scene 0',
        "+ connection 24 slot 0 -> 26",
    ]


def test_a_diff_shows_of_long_texts_where_they_differ(lamp: ArrowProject) -> None:
    said, written = "The pier is empty. " * 50, "This was written by hand."
    node_id = do(lamp, "create_insert_node", type="content", preset={"content": said + said})["node_id"]
    before = lamp.copy()
    do(lamp, "update_node", node_id=node_id, data={"content": said + written + said})
    (line,) = diff(before, lamp).lines
    was, is_now = line.split(" -> ")
    assert "pier is empty. The pier is empty. The pier" in was
    assert f"pier is empty. {written}The pier is empty." in is_now
    assert len(line) < 400


def test_of_very_long_changes_the_first_are_told_and_the_others_counted() -> None:
    changes = ["+ " + "a" * 399_998, "- " + "b" * 399_998, "~ " + "c" * 399_998, "+ d", "+ e"]
    assert str(Diff.of(tuple(changes[:2]))) == "\n".join(changes[:2])
    first, second, third, more = str(Diff.of(tuple(changes))).splitlines()
    assert [first, second] == changes[:2]
    assert third == changes[2][:200_000] + "…"
    assert more == "… and 2 more changes"
    assert str(Diff.of(("+" * 1_000_001,))) == "+" * 1_000_000 + "…"


def large() -> ArrowProject:
    """Some 600 nodes in 12 scenes."""
    project = parse((Path(__file__).parent / "documents" / "blank.arrow").read_text(encoding="utf-8"))
    for scene in range(12):
        last = do(project, "create_scene", name=f"part {scene}")["entry_node_id"]
        for number in range(50):
            preset = {"content": f"In part {scene} the lamp burns for the {number}th night. " * 3}
            made = do(project, "create_insert_node", type="content", preset=preset, connect_from={"node_id": last})
            last = made["node_id"]
    return project


def test_a_large_project_shows_the_neighbourhood_of_the_selection_in_full() -> None:
    project = large()
    scene = next(key for key, scene in project.data.scenes.items() if scene["name"] == "part 5")
    selected = list(project.data.scene_map(scene))[25]
    told = outline(project, scene, [selected], 8000)
    lines = told.splitlines()
    assert len(told) <= 8000
    for node_id in range(selected - 3, selected + 4):
        assert any(line.startswith(f"{node_id} content") for line in lines)
    assert all(f'"part {number}"' in told for number in range(12))
    assert f'Scene {scene} "part 5" (open)' in told
    assert "51 nodes (50 content, 1 entry)" in told


def test_a_scene_too_large_to_be_told_is_told_around_the_selection() -> None:
    project = large()
    scene = next(iter(project.data.scenes))
    made = [
        do(project, "create_insert_node", type=type_name, scene_id=scene, position=[0, 0])["node_id"]
        for type_name in list(NODE_TYPES) * 30
    ]
    selected = made[270]
    for most in range(4000, 9000, 450):
        told = outline(project, scene, [selected], most)
        assert len(told) <= most
        assert any(line.startswith(f"{selected} ") for line in told.splitlines()), most


def test_more_room_shows_more() -> None:
    project = large()
    lengths = [len(outline(project, max_characters=most)) for most in (2000, 8000, 30000, 200000)]
    assert lengths == sorted(lengths)
    assert lengths[-1] == len(outline(project))


def test_every_type_has_its_own_words(lamp: ArrowProject) -> None:
    for type_name in NODE_TYPES:
        do(lamp, "create_insert_node", type=type_name, scene_id=0)
    assert '"{' not in outline(lamp)


def test_the_neighbours_of_a_selection_in_another_scene_are_shown() -> None:
    project = large()
    scenes = {scene["name"]: key for key, scene in project.data.scenes.items()}
    nodes = list(project.data.scene_map(scenes["part 5"]))
    told = outline(project, scenes["part 2"], [nodes[20]], 6000)
    lines = told.splitlines()
    for node_id in (nodes[19], nodes[21]):
        assert any(line.startswith(f"{node_id} ") for line in lines)


def test_of_very_many_selected_nodes_some_are_shown() -> None:
    project = large()
    told = outline(project, selected=list(project.data.nodes))
    assert told.count("\n  scene ") == 50
    assert f"… and {len(project.data.nodes) - 50} more" in told
