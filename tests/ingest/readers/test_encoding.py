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


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Wiedźmin poszedł do zamku. Żółć gęślą jaźń. Łódź odpływa o świcie.", "cp1250"),
        (RUSSIAN, "koi8-r"),
        ("Café naïve – “quoted” déjà vu: élève, garçon, œuvre, être", "mac_roman"),
        ("主人公のエレナは灯台守である。彼女は毎晩、海を見つめている。", "euc_jp"),
        ("艾琳娜是灯塔的看守人。她每天晚上都看着大海。", "gbk"),
        ("艾琳娜是燈塔的看守人。她每天晚上都看著大海。", "big5"),
        ("엘레나는 등대지기다. 그녀는 매일 밤 바다를 바라본다.", "euc_kr"),
        ("Élan", "cp1252"),
    ],
)
def test_a_sentence_is_enough(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_western_text_without_unicode_is_the_same_in_both_of_its_encodings() -> None:
    assert decode(FRENCH.replace("œ", "oe").encode("latin-1")) == FRENCH.replace("œ", "oe")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [POLISH, RUSSIAN * 3, "Elena keeps the light.\r\nThe bell rings twice.\n"])
def test_utf16_is_known_without_its_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_line_ends_stay_as_they_are_in_the_file() -> None:
    assert decode(b"one\r\ntwo\rthree\n") == "one\r\ntwo\rthree\n"
