"""Plain text and Markdown in any encoding."""

from __future__ import annotations

import pytest

from retrieval.convert.convert import convert
from retrieval.document import Page


def test_markdown_keeps_its_text_and_takes_its_first_heading_as_title() -> None:
    document = convert(Page("https://x.example/a.md", b"Intro\r\n\r\n# Boats  \r\n\r\nText\r\n"))
    assert (document.title, document.markdown) == ("Boats", "Intro\n\n# Boats  \n\nText\n")


def test_a_text_is_named_after_its_file_and_read_in_its_charset() -> None:
    text = "Frühstück gibt es für alle Gäste bis elf Uhr, auch süße Brötchen und heiße Getränke."
    document = convert(Page("file:///x/haus%20ordnung.txt", text.encode("cp1252")))
    assert (document.title, document.language, document.markdown) == ("haus ordnung.txt", "de", text + "\n")


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Öffnungszeiten: neun bis sechs.", "utf-16"),
        ("Opening hours: nine to six.", "utf-16-le"),
        ("Opening hours: nine to six.", "utf-16-be"),
        ("Opening hours: nine to six – €5.", "utf-32"),
        ("Opening hours: nine to six – €5.", "utf-8-sig"),
        ("The café’s price is €5 – naïve “guests” pay £4.", "cp1252"),
        ("営業時間は午前九時から午後六時までです。定休日は月曜日です。", "shift_jis"),
        ("営業時間は午前九時から午後六時までです。定休日は月曜日です。", "euc_jp"),
        ("영업 시간은 오전 아홉 시부터 오후 여섯 시까지입니다. 월요일은 쉽니다.", "cp949"),
        ("营业时间为上午九点至下午六点。星期一休息。门票价格五十元。", "gb18030"),
        ("營業時間為上午九點至下午六點。星期一休息。門票價格五十元。", "big5"),
        ("Мы открыты каждый день с девяти до шести. Цена билета 500 рублей.", "cp1251"),
        ("Мы открыты каждый день с девяти до шести. Цена билета 500 рублей.", "koi8_r"),
        ("Zażółć gęślą jaźń. Jesteśmy otwarci codziennie od dziewiątej do osiemnastej.", "cp1250"),
        ("Είμαστε ανοιχτά κάθε μέρα από τις εννέα έως τις έξι.", "cp1253"),
        ("Her gün dokuzdan altıya kadar açığız. Giriş ücreti elli liradır, çocuklar için ücretsizdir.", "cp1254"),
    ],
)
def test_a_text_is_read_in_any_encoding(text: str, charset: str) -> None:
    document = convert(Page("file:///x/a.txt", f"{text}\r\nEnd".encode(charset)))
    assert document.markdown == f"{text}\nEnd\n"
