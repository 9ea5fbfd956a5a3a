"""A word in another script's letters, for questions and pages that write the same name in different ones.

Cyrillic to Latin follows what people type (roughly BGN/PCGN), Greek to Latin ELOT 743; from Latin back the longest
combination of letters is taken first. Several readings are given where a letter has them.
"""

from __future__ import annotations

import re
import unicodedata

CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "ё": "yo", "є": "ye", "ж": "zh", "з": "z", "и": "i",
    "і": "i", "ї": "yi", "й": "y", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t",
    "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e",
    "ю": "yu", "я": "ya",
}  # fmt: skip
GREEK = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i", "κ": "k", "λ": "l", "μ": "m",
    "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s", "ς": "s", "τ": "t", "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps",
    "ω": "o",
}  # fmt: skip
GREEK_PAIRS = (
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
OTHER_READINGS = (
    (r"kh", "h"), (r"yu", "u"), (r"ks", "x"), (r"y$", ""), (r"dzh", "j"), (r"v", "w"), (r"k", "c"), (r"ya$", "ia"),
    (r"ts", "c"), (r"^e", "a"),
)  # fmt: skip
"""Latin spellings of the same sound, tried one at a time."""
TO_CYRILLIC = {
    "shch": "щ", "sch": "щ", "zh": "ж", "kh": "х", "ts": "ц", "ch": "ч", "sh": "ш", "yu": "ю", "ya": "я", "yo": "ё", "ju": "ю",
    "ja": "я", "ye": "е", "a": "а", "b": "б", "v": "в", "g": "г", "d": "д", "e": "е", "z": "з", "i": "и", "j": "й", "y": "ы",
    "k": "к", "l": "л", "m": "м", "n": "н", "o": "о", "p": "п", "r": "р", "s": "с", "t": "т", "u": "у", "f": "ф", "h": "х",
    "c": "ц", "w": "в", "x": "кс", "q": "к",
}  # fmt: skip
TO_GREEK = {
    "th": "θ", "ch": "χ", "ps": "ψ", "ou": "ου", "mp": "μπ", "nt": "ντ", "a": "α", "b": "μπ", "v": "β", "g": "γ", "d": "δ",
    "e": "ε", "z": "ζ", "i": "ι", "k": "κ", "l": "λ", "m": "μ", "n": "ν", "x": "ξ", "o": "ο", "p": "π", "r": "ρ", "s": "σ",
    "t": "τ", "u": "ου", "y": "υ", "f": "φ", "h": "χ", "w": "ω", "c": "κ", "j": "τζ", "q": "κ",
}  # fmt: skip
_CYRILLIC, _GREEK, _LATIN = re.compile(r"[\u0400-\u04ff]"), re.compile(r"[\u0370-\u03ff]"), re.compile(r"[a-z]")
_LONGEST = re.compile("|".join(sorted(TO_CYRILLIC, key=len, reverse=True)))
_LONGEST_GREEK = re.compile("|".join(sorted(TO_GREEK, key=len, reverse=True)))


def readings(word: str) -> tuple[str, ...]:
    """The folded word in the letters of other scripts, the likeliest first; empty when it is in none that is known."""
    plain = "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
    if _CYRILLIC.search(word):
        return _varied("".join(CYRILLIC.get(letter, letter) for letter in word))
    if _GREEK.search(plain):
        return _varied(_from_greek(plain))
    if _LATIN.search(plain):
        return (
            _LONGEST.sub(lambda found: TO_CYRILLIC[found[0]], plain),
            re.sub("σ$", "ς", _LONGEST_GREEK.sub(lambda found: TO_GREEK[found[0]], plain)),
        )
    return ()


def _from_greek(word: str) -> str:
    for pair, letters in GREEK_PAIRS:
        word = word.replace(pair, letters)
    return "".join(GREEK.get(letter, letter) for letter in word)


def _varied(latin: str) -> tuple[str, ...]:
    others = (re.sub(pattern, letters, latin) for pattern, letters in OTHER_READINGS)
    return tuple(dict.fromkeys([latin, *others]))
