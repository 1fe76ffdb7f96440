from ingest.readers.text_builder import TextBuilder, clean


def test_text_is_cleaned_of_what_nobody_types() -> None:
    assert clean("e\u0301te\u0301\u00a0\u00a0now \r\n  soft\u00adly\u200b\x00 \ud800!") == "été now\nsoftly !"


def test_blocks_are_spans_of_the_text() -> None:
    builder = TextBuilder()
    builder.add("heading", "The\nHarbour", 2)
    builder.add("paragraph", "  Boats.  ")
    builder.add("paragraph", " \n ")
    extracted = builder.build("docx")
    assert extracted.text == "The\nHarbour\n\nBoats."
    assert [extracted.text[block.char_from : block.char_to] for block in extracted.blocks] == [
        "The\nHarbour",
        "Boats.",
    ]
    assert extracted.blocks[0].title == "The Harbour"
    assert [(page.number, page.text) for page in extracted.pages] == [(None, extracted.text)]


def test_items_in_a_row_are_one_list_and_typed_bullets_are_items() -> None:
    builder = TextBuilder()
    builder.add("list", "- rope")
    builder.add("paragraph", "• lamp")
    builder.add("paragraph", "Both are wet.")
    extracted = builder.build("docx")
    assert [block.kind for block in extracted.blocks] == ["list", "paragraph"]
    assert extracted.text == "- rope\n• lamp\n\nBoth are wet."


def test_each_page_has_its_own_text_and_empty_ones_are_named() -> None:
    builder = TextBuilder()
    for number, text in enumerate(["", "- one", "", "- two"], 1):
        builder.start_page(number)
        builder.add("list", text)
    extracted = builder.build("pdf")
    assert [page.text for page in extracted.pages] == ["", "- one", "", "- two"]
    assert extracted.pages_without_text == (1, 3)
    assert [extracted.pages_of(block.char_from, block.char_to) for block in extracted.blocks] == [(2, 2), (4, 4)]
    assert all(extracted.text[page.char_from : page.char_to] == page.text for page in extracted.pages)
