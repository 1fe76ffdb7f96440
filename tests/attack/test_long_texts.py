"""Texts that a pattern may look through again and again: each is read in one go, or the child process is not done."""

import os
import sys
from pathlib import Path

import pytest

from tests.forked import finished

# So long that what looks at each part of it again for every other part is not done within `_COMPUTES_S`, by far.
READ = {
    "a story whose text does not end": "parse('\"' + '\\\\\"' * 500_000)",
    "a name of words": "fold('a ' * 300_000)",
    "a story of escaped digits": "parse('\"' + '\\\\u0031' * 2_000_000 + '\"')",
    "commas and blanks": "parse('[' + (',' + ' ' * 50) * 20_000)",
    "an exposed name of dots": "written('{' + '.' * 1_000_000)",
    "braces": "written('{' * 100_000)",
    "a call with blanks": "read_slash_command('/create_variable a' + ' ' * 1_000_000 + 'x')",
    "a call of blanks": "read_slash_command('/' + ' ' * 1_000_000 + 'x')",
    "parameters with blanks": "read_parameters(Operation('create_variable'), 'name: \"' + ' ' * 1_000_000 + 'x')",
    "parameters": "read_parameters(Operation('create_variable'), 'name=a, ' * 35_000 + '\\0')",
    "an answer of dots": "read_reply('yes' + '.' * 300_000 + 'x')",
    "an answer of blanks": "read_reply('no' + ' ' * 300_000 + 'x')",
    "an answer of yeses": "read_reply('yes ' * 100_000 + 'x')",
    "words that were asked for": "is_command('x' + ' and' * 250_000)",
    "Yarn that does not end": "read_dialogues('title: a\\n---\\nx\\n===\\n' + 'title: a\\n---\\n' * 10_000)",
    "Twee of blanks": "read_dialogues(('::' + ' ' * 1_000_000 + 'x') + '\\n:: a\\nA: b')",
    "Twee of links": "read_dialogues(':: t\\nA: b\\n' + '[[a->b]]\\n' * 11_000)",
    "citations that do not end": "Citations(()).cited_in(['[' + '1,' * 2_000_000])",
    "Ink of blank lines": "read_dialogues('== a ==\\n* b -> c\\n' + '\\n' * 35_000 + 'x')",
    "Ink that goes on": "read_dialogues('== a ==\\n' + '* b -> c\\n' * 35_000)",
    "Ink of choices": "read_dialogues('== a ==\\n' + '* b\\n' * 24_000)",
    # A line as long as it may be.
    "a condition of blanks": "read_dialogues('== a ==\\n* {' + ' ' * 2_900 + 'x -> c')",
    "a condition of signs": "read_dialogues('Ann: a\\n* b ' + '(=' * 1_400)",
    "a macro of blanks": "read_dialogues('title: a\\n---\\n<<a' + ' ' * 2_900 + 'x\\n===')",
    "a link of blanks": "read_dialogues('title: a\\n---\\n[[' + ' ' * 2_900 + 'x\\n===')",
    "a declaration of blanks": "read_dialogues('title: a\\n---\\n<<declare $a=' + ' ' * 2_900 + 'x\\n===')",
    "an arrow and blanks": "read_dialogues('Ann: a\\n->' + ' ' * 2_900 + ')x')",
    "declarations that do not end": "read_dialogues('== a ==\\n* b\\n' + '<<declare $a=' * 50_000)",
    "macros that do not end": "read_dialogues('title: a\\n---\\n' + '<<a ' * 100_000 + '\\n===')",
    "stars in stars": "read_dialogues('Ann: a\\n' + '\\n'.join('* ' * n + 'b' for n in range(1, 1_400)))",
    "conditions in conditions": "read_dialogues('title: a\\n---\\n' + '<<if $a>>\\n' * 5_000 + '\\n===')",
    "a speaker of blanks": "as_speech('Elena' + ' ' * 1_000_000 + 'x')",
    "figures": "read_figures('1 ' * 10_000)",
    "a figure": "read_figures('9' * 300_000 + ' lamps')",
    "a name and blanks": "list(capitalised('Elena' + ' ' * 1_000_000 + 'x'))",
    "a sentence of blanks": "split_units('Elena' + ' ' * 300_000 + 'x')",
    "lines of one sentence": "split_units('a\\n' * 200_000)",
    "abbreviations": "split_units('St. ' * 150_000)",
    "a node of names": "check('A-' * 50_000)",
    "a node of years": "check('1903 ' * 10_000)",
    "sentences of years": "check('It was so in 1903 and 1904. ' * 1_000)",
    "a document of different steps": "check('It has 7 steps.', ' steps. '.join(map(str, range(25_000))))",
    "a document of steps": "check('It has 12 steps.', '1 step ' * 10_000)",
    "a question of names without blanks": "is_said('A-' * 50_000, [])",
    "an id of blanks": "read_parameters(Operation('delete_node'), 'the' + ' ' * 99_000 + 'x')",
    "a type of blanks": "read_variable_type('a' + ' ' * 99_000 + 'x')",
    "names": "read_dialogues('Ann: a\\n' + 'Ann ' * 200_000 + '\\nBob: b')",
    "an undo of blanks": "asks_for_undo('undo' + ' ' * 300_000 + 'x')",
    "tags that do not end": "inert('<' * 500_000)",
    "sets of characters": "compiles('[' * 1_000_000)",
    "sets of characters and half an escape": "compiles('[' * 1_000_000 + '\\\\')",
    "groups in groups": "compiles('(?:' * 200 + 'a' * 1_000_000 + ')' * 200)",
    "properties of characters": "compiles('\\\\p{' * 300_000)",
    "a text of blanks": "passages(plain_text, 'a.' + ' ' * 300_000 + 'x')",
    "rows": "passages(comma_separated, 'a\\n' * 10_000)",
    "a title of blanks": "passages(yarn, 'title: a' + ' ' * 1_000_000 + 'x\\n---\\na\\n===')",
    "links that do not end": "_WIKI_LINK.sub('', '[[' * 150_000)",
    "aliases that do not end": "_WIKI_LINK.sub('', '[[a|' * 250_000)",
    "comments that do not end": "passages(screenplay, '/*\\n' * 35_000)",
    "comments": "passages(screenplay, '/**/\\nx\\n' * 10_000)",
    "a scene of blanks": "passages(screenplay, '.a' + ' ' * 300_000 + 'x')",
    "a cue of blanks": "passages(screenplay, 'A' + ' ' * 300_000 + 'x\\nb')",
    "an entry of contents without a page": "_CONTENTS_ENTRY.fullmatch('.' * 300_000)",
    "a question of names": "best_quotes('Who is ' + 'Ann’s ' * 10_000, [said])",
    "a question of words": "best_quotes('what is the name of ' + 'a9 b8, ' * 30_000, [said])",
    "documents that are alike but for very many headings": "headed(8_000)",
    "documents that are alike but for long words": "alike('ab' * 400, 'ba' * 400)",
    "a body of backslashes": "read_object('{\"a\": \"\\\\v' + '\\\\' * 1_000_000 + '\"}', 'It')",
}
PROGRAM = """
from contextlib import suppress
from time import process_time
try:
    from resource import RLIMIT_CPU, getrlimit, setrlimit
except ImportError:  # there is none on Windows
    RLIMIT_CPU = None
from retrieval import NumberedPassage, best_quotes
said = NumberedPassage(1, 'a.md', ('Ann',), 'Ann keeps the lamp. ' * 500, 1.0)
from agent import read_reply
from agent.local import is_command
from arrow_project.scripts import as_speech, read_dialogues
from retrieval import read_figures
from agent.continuity.naming import capitalised
from retrieval import split_units
from agent.continuity.checking import check_scene
from agent.continuity.places import DocumentTexts
from agent.questions.parameters import read_parameters
from agent.questions.variable_type import read_variable_type
from agent.prompt.quoting import inert
from agent.turn.slash_command import read_slash_command
from agent.turn.undo import asks_for_undo
from arrow_project.node_types.patterns import compiles
from ingest.readers import comma_separated, plain_text, screenplay, yarn
from ingest.readers.dialogue import with_dialogues
from agent.reading.citations import Citations
from ingest.readers.markdown import _WIKI_LINK
from ingest.readers.pdf.paragraphs import _CONTENTS_ENTRY
from ingest.split import split, with_cuts
from arrow_project import Operation, OperationError, ParseError, Story, fold, parse
import numpy as np
from corpora import Passage
from retrieval.asked_for import is_said
from retrieval.near_duplicates import NearDuplicates
from server.json_text import JsonError, read_object
from tests.agent.story import story

def written(text):
    project = story()
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": text}}))
    return parse(project.to_text())

def check(text, document="Odile keeps the lamp. It has 117 steps and burned in 1902."):
    documents = DocumentTexts(lambda: [document], lambda query, count: ())
    check_scene(Story(written(text)), 0, documents)

def passages(reader, text):
    return split(with_cuts(with_dialogues(reader.read(text.encode(), lambda *_: None))), "d1", "a document")

def alike(one, other):
    sides = [" ".join(f"lamp{word}" for word in range(part, part + 40)) for part in (0, 40)]
    texts = [[word.join(f"{number} {side} " for side in sides) for number in range(300)] for word in (one, other)]
    passages = [
        Passage(f"{name}{number}", name, name, None, None, (), 0, len(text), text)
        for name, of in zip("ab", texts)
        for number, text in enumerate(of)
    ]
    NearDuplicates(passages, [np.arange(1, 90, dtype=np.int32)] * 600)

def headed(count):
    passages = [
        Passage(f"{name}{n}", name, name, None, None, (f"{name} {n} x",), 0, 1, f"wood{n} stone{n} iron{n} tower{n}")
        for name in ("anna", "bert")
        for n in range(count)
    ]
    NearDuplicates(passages, [np.arange(4 * n, 4 * n + 4, dtype=np.int32) for n in range(count)] * 2)

for name, read in READ.items():
    if RLIMIT_CPU is not None:
        setrlimit(RLIMIT_CPU, (int(process_time()) + _COMPUTES_S, getrlimit(RLIMIT_CPU)[1]))
    with suppress(ParseError, OperationError, JsonError):
        exec(read)
    print(name, flush=True)
"""
_COMPUTES_S = 6  # each takes a quarter of a second at most, on however busy a machine


@pytest.fixture(scope="module")
def read() -> list[str]:
    """The names of what a child process has read: all, or those before the one that it did not come to the end of."""
    command = [sys.executable, "-c", f"{READ = }\n{_COMPUTES_S = }\n{PROGRAM}"]
    return finished(command, Path(__file__).parents[2], os.environ).stdout.splitlines()


@pytest.mark.parametrize("name", READ)
def test_it_is_read_in_one_go(name: str, read: list[str]) -> None:
    assert name in read, "neither this nor what comes after it was read"
