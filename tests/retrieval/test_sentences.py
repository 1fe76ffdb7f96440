"""Text in units that can be quoted."""

from retrieval import content_terms, split_units


def test_wrapped_lines_are_one_sentence_and_rows_are_their_own() -> None:
    text = "It is\nlate. Dr. Vant waits.\n\n| Age | 34 |\n| Born | 1864 |\n- a rope\n- a lamp\nMINA: Who?\nJORY: I."

    assert [unit.text for unit in split_units(text)] == [
        "It is late.",
        "Dr. Vant waits.",
        "| Age | 34 |",
        "| Born | 1864 |",
        "- a rope",
        "- a lamp",
        "MINA: Who?",
        "JORY: I.",
    ]


def test_only_sentences_of_a_paragraph_follow_each_other() -> None:
    assert [unit.follows for unit in split_units("One. Two.\n\nThree.")] == [False, True, False]


def test_terms_are_folded_stemmed_and_without_stop_words() -> None:
    assert content_terms("Where did the Élan's boats sink?") == {"elan", "boat", "sink"}
