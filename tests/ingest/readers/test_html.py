from ingest.extracted import Extracted
from ingest.readers.html import read


def extract(markup: str, encoding: str = "utf-8") -> Extracted:
    return read(markup.encode(encoding), lambda page, pages: None)


def pieces(markup: str) -> list[tuple[str, str]]:
    extracted = extract(markup)
    return [(block.kind, extracted.text[block.char_from : block.char_to]) for block in extracted.blocks]


def test_structure_becomes_blocks() -> None:
    markup = """<html><head><title>Tab</title><style>p{}</style></head><body><h1>The <b>Bell</b></h1>
      <div>It <i>rings</i>,<br>twice.<p>Then
      silence.</p>and more</div><ul><li>rope<ul><li>long</li></ul></li><li><p>lamp</p></li></ul>
      <table><tr><th>Who</th><th>What</th></tr><tr><td>Mara</td><td>keeper of<br>keys</td></tr></table>
      <pre>  a
    b</pre><script>alert(1)</script></body></html>"""
    assert pieces(markup) == [
        ("heading", "The Bell"),
        ("paragraph", "It rings,\ntwice."),
        ("paragraph", "Then silence."),
        ("paragraph", "and more"),
        ("list", "- rope\n- long\n- lamp"),
        ("table", "Who | What\nMara | keeper of keys"),
        ("code", "  a\n    b"),
    ]


def test_title_is_the_heading_of_a_page_without_one() -> None:
    assert pieces("<title>Bell</title><h2>Rope</h2>long") == [
        ("heading", "Bell"),
        ("heading", "Rope"),
        ("paragraph", "long"),
    ]


def test_what_a_browser_does_not_show_is_left_out() -> None:
    markup = '<p>Seen<!-- no --><span style="display: none">hidden</span></p><div hidden>hidden</div>'
    assert pieces(markup) == [("paragraph", "Seen")]


def test_tables_that_arrange_the_page_are_read_as_text() -> None:
    markup = "<table><tr><td><h2>Left</h2></td></tr><tr><td><p>One.</p></td></tr></table>"
    assert pieces(markup) == [("heading", "Left"), ("paragraph", "One.")]


def test_what_stands_above_a_table_is_read_before_it() -> None:
    rows = "<tr><td>Bell<td>Lie</tr><tr><td>Rope<td>Truth</tr>"
    assert pieces(f"<table><caption>What each <b>costs</b></caption>{rows}</table>") == [
        ("paragraph", "What each costs"),
        ("table", "Bell | Lie\nRope | Truth"),
    ]


def test_words_of_different_cells_captions_labels_and_lines_are_never_glued() -> None:
    crew = "<table><caption>Crew</caption><tr><td>Mira</td></tr><tr><td>Tomas</td></tr></table>"
    assert [text for _, text in pieces(crew)] == ["Crew", "Mira", "Tomas"]
    framed = "<table><tr><td>Osk</td><td>Ferry</td></tr><tr><td><table><tr><td>Ines</td></tr></table></td></tr></table>"
    assert [text for _, text in pieces(framed)] == ["Osk", "Ferry", "Ines"]
    form = "<fieldset><legend>Quest</legend><label>Bell</label><label>Rope</label></fieldset>"
    assert [text for _, text in pieces(form)] == ["Quest", "Bell", "Rope"]
    assert extract("<h1><div>The bell</div><div>tower</div></h1><p>x</p>").blocks[0].title == "The bell tower"
    assert pieces("<pre>rope<br>lamp</pre>") == [("code", "rope\nlamp")]


def test_words_that_a_browser_shows_as_one_stay_one() -> None:
    assert pieces("<p>M<b>ir</b>a in <st1:place>Ne</st1:place>ss</p>") == [("paragraph", "Mira in Ness")]


def test_a_published_twine_story_is_read_but_for_its_code() -> None:
    story = """<title>The Bell</title><tw-story></tw-story><tw-storydata name="The Bell" hidden>
      <style role="stylesheet">p{}</style><script role="script">var a</script>
      <tw-passagedata pid="1" name="Start" tags="">Mira &amp; Osk ring.
[[Harbour]]</tw-passagedata>
      <tw-passagedata pid="2" name="Harbour" tags="dusk">Boats.</tw-passagedata>
      <tw-passagedata pid="3" name="Code" tags="script">var b</tw-passagedata></tw-storydata>"""
    assert pieces(story) == [
        ("heading", "The Bell"),
        ("heading", "Start"),
        ("dialogue", "Mira & Osk ring.\n[[Harbour]]"),
        ("heading", "Harbour"),
        ("dialogue", "Boats."),
    ]


def test_the_raised_number_of_a_note_is_no_part_of_the_word_before_it() -> None:
    said = "<p>Mira walks along the harbour<sup><a href='#n'>12</a></sup> on the 10<sup>th</sup>.</p>"
    assert extract(said).text == "Mira walks along the harbour 12 on the 10th."


def test_declared_encoding_is_used() -> None:
    extracted = extract('<meta charset="iso-8859-2"><p>Żółw</p>', "iso-8859-2")
    assert extracted.text == "Żółw"
