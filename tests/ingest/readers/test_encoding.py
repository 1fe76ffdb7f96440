import pytest

from ingest.readers.encoding import decode

POLISH = (
    "Gracz zostaje wysłany na rozpoznanie do pewnego sektora. Nagle otrzymuje informację, że statek matka "
    "został zaatakowany. Żółte światła gasną, a załoga ucieka ku łodziom. Kapitan wciąż stoi na mostku."
)
FRENCH = "Le héros découvre la cité engloutie à l'aube, où règne une étrange lumière. Ça commence bientôt."
RUSSIAN = "Игрок просыпается в старом замке и не помнит своего имени. Голос зовёт его к башне."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_decoded_without_its_mark(encoding: str) -> None:
    assert decode(POLISH.encode(encoding)) == POLISH


@pytest.mark.parametrize(("text", "encoding"), [(POLISH, "cp1250"), (FRENCH, "cp1252"), (RUSSIAN, "cp1251")])
def test_older_encodings_are_guessed(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


JAPANESE = "エレナは灯台を守っている。港は冬に凍り、船は春まで出られない。鐘は二度鳴る。"


def test_a_japanese_encoding_is_guessed() -> None:
    assert decode(JAPANESE.encode("shift_jis")) == JAPANESE


def test_western_text_without_unicode_is_the_same_in_both_of_its_encodings() -> None:
    assert decode(FRENCH.replace("œ", "oe").encode("latin-1")) == FRENCH.replace("œ", "oe")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [POLISH, RUSSIAN * 3, "Elena keeps the light.\r\nThe bell rings twice.\n"])
def test_utf16_is_known_without_its_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_line_ends_stay_as_they_are_in_the_file() -> None:
    assert decode(b"one\r\ntwo\rthree\n") == "one\r\ntwo\rthree\n"
