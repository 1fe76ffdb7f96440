"""Design documents that nobody wrote: English sentences, always the same for the same seed."""

import random

_WORDS = {
    "place": "harbour, mill, tower, chapel, orchard, bridge, cellar, market, forge, lighthouse, garden, quarry",
    "person": "smith, widow, captain, apprentice, baker, ferryman, judge, gardener, scholar, hunter, miller, singer",
    "name": "Elena, Marek, Ilse, Tomas, Brida, Osric, Wanda, Corvin, Hanne, Piet, Lucan, Sefa, Dorin, Agnes, Rolf",
    "thing": "lantern, ledger, key, hammer, letter, ring, map, bell, coat, knife, mirror, coin, boat, seal, basket",
    "kind": "silver, broken, hidden, heavy, stolen, painted, borrowed, forgotten, black, wet, narrow, old, honest",
    "act": "hides, carries, breaks, sells, finds, buries, repairs, steals, returns, watches, paints, counts, loses",
    "time": "winter, the flood, the harvest, nightfall, the trial, the second act, the feast, the storm",
}
_CHOICES = {kind: words.split(", ") for kind, words in _WORDS.items()}
_PATTERNS = (
    "{name} the {person} {act} a {kind} {thing} in the {place} before {time}.",
    "When {name} comes to the {place}, the {person} asks about the {thing} and offers {number} coins for it.",
    "If the player has the {kind} {thing}, {name} opens the {place}; otherwise the scene ends after {time}.",
    '"I never saw the {thing}," says the {person}, but {name} knows that it lies under the {kind} {place}.',
    "After {time} the {place} is closed, and {name} {act} the {thing} that the {person} has left there.",
    "The quest gives {number} points to whoever {act} the {kind} {thing} without waking the {person}.",
)


def prose(seed: int | str, characters: int) -> str:
    """Paragraphs of at least so many characters together."""
    chance = random.Random(seed)
    paragraphs: list[str] = []
    length = 0
    while length < characters:
        paragraphs.append(" ".join(_sentence(chance) for _ in range(chance.randint(4, 9))))
        length += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs) + "\n"


def _sentence(chance: random.Random) -> str:
    words = {kind: chance.choice(choices) for kind, choices in _CHOICES.items()}
    return chance.choice(_PATTERNS).format(number=chance.randint(2, 900), **words)
