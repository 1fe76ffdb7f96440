"""A client that leaves: its turn ends with it, and nothing of it stays behind."""

from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.server.house import House
from tests.waiting import eventually


def assert_nothing_is_left(home: House) -> None:
    assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)
    eventually(lambda: home.watched.tasks() == set())


def test_while_the_model_hangs(home: House) -> None:
    home.model.add(["Let me think", Hang()])
    with home.client() as client:
        client.sync()
        client.ask("Add gold.")
        assert home.model.hanging.wait(PATIENCE_S)
    assert home.model.cancelled.wait(PATIENCE_S)
    assert_nothing_is_left(home)


def test_while_a_call_is_out(home: House) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})])
    with home.client() as client:
        client.sync()
        client.ask("Add Bram.")
        client.call()
    assert_nothing_is_left(home)
    assert home.model.is_done


def test_without_saying_goodbye(home: House) -> None:
    home.model.add([Use("create_character", {"name": "Bram"})])
    with home.client() as client:
        client.sync()
        client.ask("Add Bram.")
        client.call()
        client.socket.socket.close()
        assert_nothing_is_left(home)


def test_an_upload_is_finished_for_a_client_that_has_left(home: House) -> None:
    home.readers.may_go_on.clear()
    with home.client() as client:
        client.send("design_doc_sync", project_id=1, file_content="RWxlbmEgbGl2ZXMu", file_name="bible.txt")
        assert home.readers.reading.wait(PATIENCE_S)
    home.readers.may_go_on.set()
    assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)
    assert [document.name for document in home.catalog.documents(home.key)] == ["bible.txt"]


def test_others_notice_nothing(home: House) -> None:
    home.model.add([Hang()], ["Here I am."])
    with home.client() as staying:
        staying.sync()
        with home.client() as leaving:
            leaving.sync()
            leaving.ask("Add gold.")
            assert home.model.hanging.wait(PATIENCE_S)
        assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)
        assert staying.turn("Are you there?")[1]["message"] == "Here I am."
