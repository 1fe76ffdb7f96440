"""What a reply to a question says, where it says it in plain words."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from arrow_project import Operation

_OK = "ok(?:ay)?"
_YES_WORDS = (
    r"(?:yes|yep|yeah|y|sure thing|sure|(?:just )?do (?:it|that)|go ahead|confirm|confirmed|please do"
    r"|apply(?: (?:it|that|this|them))?|بله|بلی|آره|آری|باشه|حتما|تایید|تأیید)"
)
# Arrow is translated into English, Persian and Chinese.
_NO_WORDS = r"(?:no|nope|n|نه|خیر|نخیر|لغو|نکن)"
# What was asked about, named once more: "yes, delete it". "Ok, undo that", and "ok, change it", ask for something else.
_THAT = r"(?:delete|remove) (?:it|that|this|them)"
_ANY_OF_IT = r"(?:delete|remove|change|replace|overwrite|cut|undo|take) (?:it|that|this|them)(?: back)?"
_YES_IN_CHINESE = r"(?:是|是的|好|好的|好吧|可以|行|对|确认|没问题)"
_NO_IN_CHINESE = r"(?:不|不是|不行|不要|不用|不用了|否|取消|算了)"
_YES = re.compile(
    rf"(?i){_YES_IN_CHINESE}[.!。！]*"
    rf"|(?:{_OK}|{_YES_WORDS})(?:[\s,.!]+(?:{_OK}|{_YES_WORDS}|{_THAT}|please|thanks|thank you))*[.!]*"
)
_NAMES_IT = re.compile(rf"(?i)\b{_THAT}\b")
_NO = re.compile(
    rf"(?i){_NO_IN_CHINESE}[.!。！]*|{_NO_WORDS},? (?:thanks?|thank you)[.!]*"
    rf"|(?:{_NO_WORDS}[\s,.!]+)?(?:{_NO_WORDS}|cancel|stop|don['’]?t|do not|never ?mind"
    rf"|(?:leave|keep) (?:it|that|them)|(?:don['’]?t|do not) (?:do (?:it|that)|{_ANY_OF_IT}))[.!]*"
)


def read_reply(message: str, asked: Sequence[Operation] | None = None) -> Literal["yes", "no"] | None:
    """What a reply to a question says; None when that takes a reader, or when it is an ordinary message.

    Of what was `asked` about, where that is known, a yes may name nothing else.
    """
    words = message.strip()
    if _YES.fullmatch(words):
        return "yes" if _may_name(words, asked) else None
    return "no" if _NO.fullmatch(words) else None


# Words that agree, and what may stand beside them. Each row is a language, or a few near ones, as words of two may come
# to something else together (`si c'est bon` is French, and no yes). Whether `da` is a yes, so which language it is, a
# model reads. What may also decline (`いいです`, `c'est bon`) is left out: to be asked once more costs a word.
AGREEMENT = (
    (
        rf"{_YES_WORDS}|yup|absolutely|definitely|certainly|of course|agreed|i agree|go for it|proceed|alright",
        rf"(?:and )?{_THAT}|please|thanks|thank you",
    ),
    (_YES_WORDS, "لطفا|ممنون|مرسی"),
    ("ja|jawohl|jo|jep|klar|na klar|natürlich|gern|gerne|einverstanden|in ordnung|mach das|mach es", "bitte|danke"),
    (
        "oui|ouais|d'accord|vas-y|allez-y|bien sûr|fais-le|faites-le",
        "s'il te plaît|s'il vous plaît|stp|svp|merci",
    ),
    ("sí|claro|vale|de acuerdo|por supuesto|adelante|dale|hazlo|hágalo", "por favor|gracias"),
    ("si", "por favor|gracias|per favore|grazie"),
    ("sì|certo|va bene|d'accordo|procedi|fallo|fai pure", "per favore|grazie"),
    ("sim|claro|de acordo|pode fazer|faça isso|faz isso", "por favor|obrigado|obrigada"),
    ("sí|d'acord|endavant|fes-ho", "si us plau|gràcies"),
    ("da|desigur|sigur", "te rog|vă rog|mulțumesc"),
    ("ja|jawel|akkoord|natuurlijk|doe het|doe dat|doe maar", "graag|alsjeblieft|alstublieft|bedankt|dank je"),
    ("ja|jo|jep|japp|selvfølgelig|visst|okej|gør det|gjør det|gör det", "gerne|gärna|tak|takk|tack"),
    ("kyllä|joo|juu|toki|tee se", "kiitos"),
    ("jah|jaa", "palun|aitäh"),
    ("jā|taip", "lūdzu|paldies|prašau|ačiū"),
    ("tak|dobrze|jasne|oczywiście|zgoda|zrób to", "proszę|dziękuję"),
    ("ano|áno|jo|jasně|dobře|dobre|souhlasím|súhlasím|udělej to|urob to", "prosím|děkuji|díky|ďakujem"),
    ("da|naravno|seveda|u redu|v redu", "molim|hvala|prosim"),
    ("igen|rendben|persze", "kérem|kérlek|köszönöm"),
    ("да|конечно|хорошо|давай|давайте|согласен|согласна|сделай это|сделайте это|ок", "пожалуйста|спасибо"),
    ("так|добре|звичайно|давай|згоден|згодна", "будь ласка|дякую"),
    ("да|добре|разбира се|наравно", "моля|благодаря|молим|хвала"),
    ("ναι|εντάξει|βεβαίως|κάν' το|κάντο", "παρακαλώ|ευχαριστώ"),
    ("evet|tamam|olur|tabii|tabii ki|yap", "lütfen|teşekkürler|sağ ol"),
    ("نعم|أجل|حسنا|حسنًا|حسناً|موافق|تمام|ايوه|أيوه|نفذ", "من فضلك|لو سمحت|شكرا|شكرًا|شكراً"),
    ("ہاں|جی|ٹھیک ہے", "براہ کرم|شکریہ"),
    ("כן|בסדר|בטח|אוקיי", "בבקשה|תודה"),
    ("हाँ|हां|जी|ठीक है|बिल्कुल", "कृपया|धन्यवाद"),
    ("হ্যাঁ|জি|ঠিক আছে", "ধন্যবাদ"),
    ("ใช่|ตกลง|ได้|โอเค|ใช่ครับ|ใช่ค่ะ|ตกลงครับ|ตกลงค่ะ|ได้ครับ|ได้ค่ะ|โอเคครับ|โอเคค่ะ", "ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ"),
    ("vâng|có|đồng ý", "ạ|cảm ơn"),
    ("ya|iya|baik|oke|setuju|lakukan|silakan", "tolong|terima kasih"),
    ("oo|opo|sige", "po|salamat"),
    ("ndiyo|ndio|sawa", "tafadhali|asante"),
    (
        "はい|うん|ええ|了解|了解です|承知しました|オーケー|やって|やってください|実行して|実行してください",
        "お願い|お願いします|おねがいします|どうぞ|ありがとう",
    ),
    (
        "네|예|응|그래|그래요|좋아|좋아요|알겠어|알겠어요|알겠습니다|해줘|해 줘|해주세요|해 주세요",
        "부탁해|부탁해요|부탁합니다|부탁드립니다|고마워|고마워요|감사합니다",
    ),
    (
        rf"{_YES_IN_CHINESE}|對|確認|沒問題|同意|当然|當然|继续|繼續|继续吧|繼續吧|请继续|請繼續",
        "谢谢|謝謝|麻烦了|麻煩了",
    ),
)
_SIGNS = re.compile("[👍👌✅✔☑🆗][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*")
_LONGEST_AGREEMENT = 40  # characters


def _normal(words: str) -> str:
    """One form of what is written in several; a sign that agrees is an `ok`."""
    folded = re.sub("[’‘ʼ`´]", "'", _SIGNS.sub(" ok ", words))
    return " ".join(unicodedata.normalize("NFKC", folded).casefold().split())


_AGREES = [
    re.compile(rf"(?:{_OK}|{agree})(?:[ ,.!،。、]+(?:{_OK}|{agree}|{beside}))* ?(?:[.。]|!*)")
    for agree, beside in ((_normal(agree), _normal(beside)) for agree, beside in AGREEMENT)
]


def _may_name(words: str, asked: Sequence[Operation] | None) -> bool:
    """Whether the words name no removal, or one was asked about: `ok, remove that` is no yes to a new scene."""
    removes = asked is None or any(operation.function.startswith("delete_") for operation in asked)
    return removes or _NAMES_IT.search(words) is None


def may_agree(message: str, asked: Sequence[Operation] | None = None) -> bool:
    """Whether a model may take the words for a yes to what was `asked`: they are few, agree, and say nothing else.

    No list of what refuses, restricts or asks would ever be whole; so it is what agrees that is known.
    """
    words = _normal(message) if len(message) <= _LONGEST_AGREEMENT else ""
    return any(agrees.fullmatch(words) for agrees in _AGREES) and _may_name(words, asked)
