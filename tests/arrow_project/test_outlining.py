from pathlib import Path

import pytest

from arrow_project import ArrowProject, diff, outline, parse
from tests.arrow_project.applying import do


def test_everything_of_a_small_project_is_there(lamp: ArrowProject) -> None:
    told = outline(lamp, selected=[11])
    lines = told.splitlines()
    for node_id in lamp.document.nodes:
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
    assert all(f"\n{node_id} " in told for node_id in project.document.nodes)


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
