"""The unmodified Arrow-AI client, headless, in conversations with the real server.

`make real-client ARROW_AI=<checkout>` or `python -m tests.real_client <checkout>` holds the conversations of
`conversations.py`: Godot runs the client, `writer.gd` sits at its chat panel, the server is a process with a data
directory of its own, and the model is a stub of Anthropic's API with a script for each conversation. Afterwards the
client has to be idle; its document has to load in Arrow, to break no rule, to stay as it is when Arrow's inspectors
update every node, and to equal what our engine makes of the same operations, positions aside.

What was learned about the client by running it (Godot 4.6.3):

* Numbers of messages are fractions in its memory, and Godot compares arrays strictly: `[10, 2, 20, 0]` is not `[10.0,
  2.0, 20.0, 0.0]`. So `update_node_map` with `pop` removes only connections that came in a message in the same
  session. One that was in the file stays in the data and disappears from the canvas, and the answer is success. Only
  `delete_node` in the open scene gets rid of such connections: the canvas removes them itself, after the answer was
  sent.
* For the same reason `_use.drop` takes the user out of the resource's `use`, but leaves a `ref` that was loaded from
  the file. These are the *stale references* that the table counts; nothing that its dispatcher knows can remove them.
  The comparison takes exactly them away: ids that the node's `ref` had in the file (or by hand) and needs no more.
* `node_connection_replacement` cannot work over the wire: keys of a JSON object are texts, its Mind wants numbers,
  and the script error inside it becomes `success` with `[]`. `quick_insert_node` works, but says no id and only knows
  the open scene. The server sends neither; both operations are lowered to other functions (`NEVER_SENT`).
* Script errors inside Mind end one function of it only, and the dispatcher answers `success` all the same. No answer
  comes where the dispatcher itself fails: an argument of a wrong type (`scene_id: null`), and a result that is too
  long.
* A refused `delete_node` is a script error as well (the list of its own message is null), and answers `false`.
* Frames: 65,535 bytes arrive, in both directions. A longer one from the server closes the connection with 1009: the
  chat is emptied and says "Goodbye." and "Connection error: Connection closed with code: 1009". A longer one of its
  own is dropped: "Connection error: Failed to send message: Error 6", the connection stays, the client stays idle,
  the server hears nothing. If that was the result of a call, the call times out although it was done. Inside a
  message a file of 51 KB of prose takes 58 KB, but one of 35 KB of small nodes also takes 51 KB: tabs, line ends and
  quotes count twice.
* Many frames at once are no trouble: 180 KB in six frames of 30 KB, 5,000 small ones.
* Text of every plane arrives, escaped or not, control characters and U+000B too. What it sends has raw control
  characters, and U+000B as backslash-v, which JSON does not have.
* History: its pairs begin with the greeting, so none of them is a pair of user and assistant, and none is sent, until
  the chat was cleared. Then a turn without any text shifts the pairs and they are dropped again.
* All `text_chunk`s of a turn become one message in the chat, whatever came between them.
* The first project of a writer has the number 0. Each message saves the file first, which changes `last_save`.
* New nodes are placed at fractions (rule 63, until Arrow loads the file); `last_save`, stale references and positions
  are what the comparison leaves out.
"""

from pathlib import Path

TOOLS = Path(__file__).parents[3] / "shared" / "tools" / "godot"

FUNCTIONS = frozenset(
    {
        "create_insert_node", "quick_insert_node", "update_node", "delete_node", "update_node_map",
        "create_scene", "update_scene", "delete_scene", "create_variable", "update_variable", "delete_variable",
        "create_character", "update_character", "delete_character", "node_connection_replacement",
        "set_scene_entry", "set_project_entry",
    }
)  # fmt: skip
"""What its dispatcher knows."""

NEVER_SENT = frozenset({"quick_insert_node", "node_connection_replacement"})
"""What the server lowers to other functions, because these do not work over the wire."""


def missing(tools: Path, project: Path) -> str:
    """Why the client cannot be run here; empty if it can."""
    for path, what in (
        (tools / "godot", "the program that runs Godot"),
        (tools / "oracle.gd", "the oracle script"),
        (project / "project.godot", "a work tree of Arrow-AI"),
    ):
        if not path.exists():
            return f"{what} is not at {path}"
    return ""
