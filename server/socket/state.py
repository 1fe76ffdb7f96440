"""What a session is doing, and what it may do next."""

from enum import Enum


class State(Enum):
    """IDLE -> PROCESSING (a user message) -> EXECUTING (a call is out) -> PROCESSING ... -> IDLE (`end`)."""

    IDLE = "idle"
    PROCESSING = "processing"
    EXECUTING = "executing"


_NEXT = {
    State.IDLE: (State.PROCESSING,),
    State.PROCESSING: (State.EXECUTING, State.IDLE),
    State.EXECUTING: (State.PROCESSING, State.IDLE),
}


class StateMachine:
    """The state of one session.

    Attributes:
        state: What it is doing now.
    """

    def __init__(self) -> None:
        self.state = State.IDLE

    def move(self, to: State) -> None:
        """Goes on to the next state.

        Raises:
            RuntimeError: It does not follow from the present one.
        """
        if to not in _NEXT[self.state]:
            expected = " or ".join(state.value for state in _NEXT[self.state])
            raise RuntimeError(f"A session that is {self.state.value} goes on to {expected}, not to {to.value}.")
        self.state = to
