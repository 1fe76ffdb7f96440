"""How well questions find their passages: ours, and beside it the stock LlamaIndex pipeline.

`fletcher evaluate` runs it on a folder with `documents/` and `questions.jsonl`.
"""

from evaluation.retrieval.measures import Measures, Span, mean, measure
from evaluation.retrieval.ours import Ours
from evaluation.retrieval.picture import picture
from evaluation.retrieval.pipeline import DocumentText, Pipeline, evaluate
from evaluation.retrieval.questions import Question, QuestionsError, located, read_questions

__all__ = [
    "DocumentText",
    "Measures",
    "Ours",
    "Pipeline",
    "Question",
    "QuestionsError",
    "Span",
    "evaluate",
    "located",
    "mean",
    "measure",
    "picture",
    "read_questions",
]
