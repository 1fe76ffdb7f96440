"""The conversations: together they use every function of the client, and everything that can go wrong with it."""

from tests.real_client.edits import EDITS
from tests.real_client.troubles import TROUBLES

CONVERSATIONS = (*EDITS, *TROUBLES)
