"""Questions: the right place is cited, and nothing changes."""

from evaluation.agent.changes import unchanged
from evaluation.agent.checks import cites, does_not_know, tells
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.task import Ask, Task

_BIBLE, _CHARACTERS, _QUESTS = "game-bible.pdf", "characters.docx", "quests.md"
_DIALOGUES, _VARIABLES = "dialogues.txt", "variables-and-endings.md"


def _task(
    name: str, question: str, document: str, pages: tuple[int, ...], *words: str, in_grammar: bool = True
) -> Task:
    checks = (cites(document, *pages), tells(*words), unchanged)
    return Task(f"ask-{name}", SAMPLE_STORY, (Ask(question),), checks, in_grammar)


def _about_project(name: str, question: str, *words: str, in_grammar: bool = True) -> Task:
    return Task(f"ask-{name}", SAMPLE_STORY, (Ask(question),), (tells(*words), unchanged), in_grammar)


TASKS = (
    _task("steps", "How many steps are there in Pell Light?", _BIBLE, (7,), "117|one hundred and seventeen"),
    _task("tide-clock", "At what time does the Tide Clock stand?", _BIBLE, (10,), "ten (minutes )?past four|4[:.]10"),
    _task("fine", "What is the fine under the Night Crossing Ordinance?", _BIBLE, (12,), "fifty|50", "animal"),
    _task("prism", "Behind which prism is the missing log page hidden?", _BIBLE, (14,), "614"),
    _task("mule", "What is the name of Ludo Hasker's mule?", _QUESTS, (), "Understudy"),
    _task("cello", "What does Dr Vant keep inside the case of his cello?", _CHARACTERS, (), "report|forty-four pages"),
    _task("boat", "Which four things does Jory's boat lack?", _QUESTS, (), "tar", "nails"),
    _task("pages-left", "How many sheets of the official form does pages_left start with?", _VARIABLES, (), "7|seven"),
    _task(
        "postmistress",
        "Which part of the declaration bothers the postmistress?",
        _DIALOGUES,
        (),
        '“?"?No',
        in_grammar=False,
    ),
    _task(
        "tilted-inn",
        "Which toys must guests of the slanting inn leave at home?",
        _BIBLE,
        (10,),
        "marble",
        in_grammar=False,
    ),
    _task("liar", "How does one notice that the mayor lies?", _CHARACTERS, (), "glass", in_grammar=False),
    _about_project("characters", "Which characters are there?", "Mina", "Odile", "Jory", "Bursar"),
    _about_project("node", "What does node 29 say?", "Meh"),
    _about_project("where", "Where does node 18 lead to?", "21|kitchen"),
    Task(
        "ask-unknown",
        SAMPLE_STORY,
        (Ask("What is the name of Odile's parrot?"),),
        (does_not_know("parrot"), unchanged),
    ),
    Task(
        "check-the-plank",
        SAMPLE_STORY,
        (Ask("Check this scene against the documents", scene=0),),
        (tells("17", "117|one hundred and seventeen"), cites("game-bible.pdf"), unchanged),
    ),
    Task(
        "check-by-function",
        SAMPLE_STORY,
        (Ask(function="check_continuity", params={"scene_id": 0}),),
        (tells("17", "one hundred and seventeen"), cites("game-bible.pdf"), unchanged),
    ),
    _about_project("help", "What can you do?", "add|create", "question|document"),
)
