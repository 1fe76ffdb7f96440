"""What a random writer would think of: texts, values, resources of a project."""

import random
from typing import Any

from arrow_project import ArrowProject, Selection

Arguments = dict[str, Any]

WORDS = [
    "lamp", "oil", "stairs", "fog", "gull", "rope", "bell", "harbour", "salt", "Mira", "Tam", "Ünal", "Zoë",
    "north wind",
]  # fmt: skip
TAGS = ("mood", "trust", "faction", "knows the way", "id")


class Writer:
    """Picks and makes up things that fit the state of a project."""

    def __init__(self, project: ArrowProject, chance: random.Random) -> None:
        self.project = project
        self.data = project.data
        self.chance = chance
        self.selection = Selection()

    def text(self) -> str:
        """A few words, sometimes exposing a variable or a tag."""
        words = self.chance.choices(WORDS, k=self.chance.randint(1, 5))
        if self.data.variables and self.chance.random() < 0.3:
            words.append(f"{{{self.chance.choice(list(self.data.variables.values()))['name']}}}")
        if self.data.characters and self.chance.random() < 0.3:
            character = self.chance.choice(list(self.data.characters.values()))
            words.append(f"{{{character['name']}.{self.chance.choice(TAGS)}}}")
        if self.chance.random() < 0.15:
            words.append(
                self.chance.choice(["{unknown}", 'a "quote"', "back\\slash", "two\nlines", "{gold}", "{Mira.mood}"])
            )
        return self.chance.choice([" ", "\n", " "]).join(words)

    def texts(self, most: int = 4) -> list[str]:
        """Some different texts."""
        return list(dict.fromkeys(self.text() for _ in range(self.chance.randint(1, most))))

    def node(self) -> int:
        """Any node."""
        return self.chance.choice(list(self.data.nodes))

    def scene(self) -> int:
        """Any scene."""
        return self.chance.choice(list(self.data.scenes))

    def variable(self, *types: str) -> int:
        """Any variable of one of the types, or -1."""
        fitting = [k for k, v in self.data.variables.items() if not types or v["type"] in types]
        return self.chance.choice(fitting) if fitting else -1

    def character(self) -> int:
        """Any character, or -1."""
        return self.chance.choice(list(self.data.characters)) if self.data.characters else -1

    def macro(self) -> int:
        """Any macro, or -1."""
        macros = [key for key in self.data.scenes if self.data.is_macro(key)]
        return self.chance.choice(macros) if macros else -1

    def value(self, variable: int) -> Any:
        """A value of the variable's type."""
        kind = self.data.variable_type(variable)
        return {"num": self.chance.randint(-9, 9), "bool": self.chance.random() < 0.5}.get(kind, self.text())

    def operand(self, variable: int) -> Arguments:
        """A value or another variable of the same type."""
        if self.chance.random() < 0.3:
            return {"type": "variable", "value": self.variable(self.data.variable_type(variable))}
        return {"type": "value", "value": self.value(variable)}

    def flag(self) -> bool:
        """Yes or no."""
        return self.chance.random() < 0.5
