"""What stays open has places, of which no workspace keeps another out."""

from server.limits.places import Places


def taken(places: Places, workspace: str, tries: int) -> int:
    return sum(places.take(workspace) for _ in range(tries))


def test_two_that_have_all_places_leave_a_third_some() -> None:
    places = Places(200, 100)
    assert [taken(places, who, 150) for who in ("red", "blue", "green", "red")] == [100, 100, 5, 0]
    places.give_back("blue")
    places.give_back("blue")
    assert taken(places, "red", 1) == 0, "it has as many as it may"
    assert taken(places, "green", 1) == 0, "there are more than for all"
    for _ in range(4):
        places.give_back("red")
    assert taken(places, "green", 2) == 1


def test_what_takes_several_places_gives_them_back() -> None:
    places = Places(10, 8)
    assert places.take("red", 7)
    assert taken(places, "red", 3) == 1, "it has as many as it may"
    places.give_back("red", 7)
    assert places.taken == 1


def test_a_workspace_may_have_fewer_than_its_first() -> None:
    places = Places(4, 2)
    assert taken(places, "red", 3) == 2
    assert places.taken == 2
