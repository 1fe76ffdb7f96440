"""The web server as we run it."""

import threading

from starlette.types import Receive, Scope, Send

from fletcher.loopback import Server, bind


def test_it_tells_that_it_ends_before_the_app_ends() -> None:
    told: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "lifespan"
        while (kind := (await receive())["type"]) != "lifespan.shutdown":
            await send({"type": f"{kind}.complete"})
        told.append("the app ends")
        await send({"type": "lifespan.shutdown.complete"})

    with bind("127.0.0.1", 0) as bound:
        server = Server(app, 1000, lambda: told.append("the server ends"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        server.ready.wait()
        server.should_exit = True
        thread.join()
    assert told == ["the server ends", "the app ends"]
