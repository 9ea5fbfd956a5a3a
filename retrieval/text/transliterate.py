"""A word written in another script's letters, since a visitor may type "dostavka" where the page says "доставка".

Cyrillic to Latin follows what people type (roughly BGN/PCGN), Greek to Latin the standard ELOT 743; from Latin back, the
longest combination of letters is taken first. Where a sound has several spellings, each is given.
"""

from __future__ import annotations

import re
import unicodedata

LATIN_BY_CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "ё": "yo", "є": "ye", "ж": "zh", "з": "z", "и": "i",
    "і": "i", "ї": "yi", "й": "y", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t",
    "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e",
    "ю": "yu", "я": "ya",
}  # fmt: skip
LATIN_BY_GREEK = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k", "λ": "l", "μ": "m",
    "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps",
    "ω": "o",
}  # fmt: skip
LATIN_BY_GREEK_PAIR = (
    ("μπ", "b"),
    ("ντ", "d"),
    ("γκ", "g"),
    ("ου", "u"),
    ("αι", "e"),
    ("ει", "i"),
    ("οι", "i"),
    ("ευ", "ev"),
    ("αυ", "av"),
)
OTHER_LATIN_SPELLINGS = (
    (r"kh", "h"), (r"yu", "u"), (r"ks", "x"), (r"y$", ""), (r"dzh", "j"), (r"v", "w"), (r"k", "c"), (r"ya$", "ia"),
    (r"ts", "c"), (r"^e", "a"),
)  # fmt: skip
"""Other Latin spellings of the same sound, as (pattern, letters); each is tried alone, since all together would be endless."""
CYRILLIC_BY_LATIN = {
    "shch": "щ", "sch": "щ", "zh": "ж", "kh": "х", "ts": "ц", "ch": "ч", "sh": "ш", "yu": "ю", "ya": "я", "yo": "ё", "ju": "ю",
    "ja": "я", "ye": "е", "a": "а", "b": "б", "v": "в", "g": "г", "d": "д", "e": "е", "z": "з", "i": "и", "j": "й", "y": "ы",
    "k": "к", "l": "л", "m": "м", "n": "н", "o": "о", "p": "п", "r": "р", "s": "с", "t": "т", "u": "у", "f": "ф", "h": "х",
    "c": "ц", "w": "в", "x": "кс", "q": "к",
}  # fmt: skip
GREEK_BY_LATIN = {
    "th": "θ", "ch": "χ", "ps": "ψ", "ou": "ου", "mp": "μπ", "nt": "ντ", "a": "α", "b": "μπ", "v": "β", "g": "γ", "d": "δ",
    "e": "ε", "z": "ζ", "i": "ι", "k": "κ", "l": "λ", "m": "μ", "n": "ν", "x": "ξ", "o": "ο", "p": "π", "r": "ρ", "s": "σ",
    "t": "τ", "u": "ου", "y": "υ", "f": "φ", "h": "χ", "w": "ω", "c": "κ", "j": "τζ", "q": "κ",
}  # fmt: skip
_CYRILLIC_LETTER = re.compile(r"[\u0400-\u04ff]")
_GREEK_LETTER = re.compile(r"[\u0370-\u03ff]")
_LATIN_LETTER = re.compile(r"[a-z]")
_LATIN_FOR_CYRILLIC = re.compile("|".join(sorted(CYRILLIC_BY_LATIN, key=len, reverse=True)))
_LATIN_FOR_GREEK = re.compile("|".join(sorted(GREEK_BY_LATIN, key=len, reverse=True)))


def readings(word: str) -> tuple[str, ...]:
    """A folded word in the letters of other scripts, the likeliest spelling first; empty for a script without a table."""
    plain = "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
    if _CYRILLIC_LETTER.search(word):
        return _with_other_spellings("".join(LATIN_BY_CYRILLIC.get(letter, letter) for letter in word))
    if _GREEK_LETTER.search(plain):
        return _with_other_spellings(_from_greek(plain))
    if _LATIN_LETTER.search(plain):
        return (
            _LATIN_FOR_CYRILLIC.sub(lambda found: CYRILLIC_BY_LATIN[found[0]], plain),
            re.sub("σ$", "ς", _LATIN_FOR_GREEK.sub(lambda found: GREEK_BY_LATIN[found[0]], plain)),
        )
    return ()


def _from_greek(word: str) -> str:
    for pair, letters in LATIN_BY_GREEK_PAIR:
        word = word.replace(pair, letters)
    return "".join(LATIN_BY_GREEK.get(letter, letter) for letter in word)


def _with_other_spellings(latin: str) -> tuple[str, ...]:
    others = (re.sub(pattern, letters, latin) for pattern, letters in OTHER_LATIN_SPELLINGS)
    return tuple(dict.fromkeys([latin, *others]))
