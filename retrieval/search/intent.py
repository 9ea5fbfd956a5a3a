"""What kind of figure a question asks for (a price, a time, a number, a contact), and whether a text holds one."""

from __future__ import annotations

import re
from functools import lru_cache

TIME_OF_DAY = r"\b\d{1,2}[:.]\d{2}\b|\b\d{1,2}\s?(am|pm|uhr)\b"
AMOUNT = r"[€£$¥]\s?\d|\d\s?(€|£|\$|eur|euro|euros|usd|gbp|chf)(?!\w)"
FIGURES = (
    (
        r"how much|price|prices|prise|cost|costs|fee|charge|expensive|kostet|kosten|preis|preise|teuer|gebühr|cuesta|cuestan"
        r"|precio|precios|vale|combien|prix|coûte|quanto costa|prezzo|preço|prijs|deposit|kaution|depósito|fianza",
        AMOUNT,
    ),
    (
        r"when|what time|open|close|opening hours|opening|hours|wann|uhr|öffnungszeiten|geöffnet|cuándo|hora|horas|horario"
        r"|abierto|abren|quand|heure|horaires|ouvert|orari|wanneer",
        TIME_OF_DAY
        + r"|\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\w{3,7}tags?\b|\b(lunes|martes|jueves|viernes|domingo)\b",
    ),
    (
        r"phone|telephone|ring you|telefon|telefonnummer|anrufen|teléfono|llamar|téléphone",
        r"\+?\d[\d ()/-]{6,}\d",
    ),
    (r"e-?mail|mail address|correo|courriel", r"[\w.+-]+@[\w-]+\."),
    (r"how heavy|weigh|weighs|weight|schwer|wiegt|gewicht|pesa|peso|poids|pèse", r"\d\s?(g|kg|lb|lbs|t)\b"),
    (
        r"how long does|how long is the (tour|trip|drive|walk|session)|how much time|duration|wie lange|dauert|dauer"
        r"|cuánto dura|cuánto tiempo|duración|durée",
        r"\d\s?(h|hours?|min|minutes?|days?|weeks?|months?|stunden?|minuten?|tage?n?|wochen?|horas?|minutos?|días?|heures?)\b"
        r"|\b(hour|stunde|hora)",
    ),
    (
        r"how far|distance|wie weit|entfernt|distancia|lejos",
        r"\d\s?(km|m|miles?|metres?|meters?|minutes?|minuten|minutos)\b",
    ),
    (
        r"how many|how old|how long|how big|how deep|how tall|what size|wie viele|wie alt|wie hoch|wie groß"
        r"|cuántos|cuántas|edad|combien de",
        r"\d|\b(one|two|three|four|five|six|ten|ein|zwei|drei|dos|tres|deux|trois)\b",
    ),
)
"""Words of a question, and the figure that a fitting text then holds, both as patterns; the first pair that fits counts.

In English, German and Spanish, with the commonest words of French, Italian, Portuguese and Dutch. Written by hand from questions
that people ask; test_a_question_asks_for_a_figure_that_a_text_holds_or_not has one of each kind.
"""


@lru_cache(maxsize=256)  # each sentence of an answer is compared with the same question
def expected_figure(question: str) -> re.Pattern[str] | None:
    """The pattern of the figure that is asked for; None when the question asks for none."""
    for asked, figure in FIGURES:
        if re.search(rf"\b({asked})\b", question, re.I):
            return re.compile(figure, re.I)
    return None
