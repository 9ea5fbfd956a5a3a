"""Rich Text Format as Markdown: a small reader of groups and control words."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import BlockWriter, linked, one_line
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

RTF_TOKEN = re.compile(
    rb"\\(?:(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?|'(?P<byte>[0-9a-fA-F]{2})|(?P<sign>[^a-zA-Z]))"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+"
)
RTF_SKIPPED = frozenset(
    "fonttbl colortbl info pict object header headerl headerr headerf footer footerl footerr footerf themedata "
    "colorschememapping latentstyles datastore xmlnstbl listtable listoverridetable rsidtbl generator filetbl revtbl "
    "annotation atnid atnauthor pgdsctbl mmathPr nonshppict shpinst bkmkstart bkmkend template wgrffmtfilter".split()
)
CHARACTER_WORDS = {
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "tab": " ",
    "emspace": " ",
    "enspace": " ",
    "line": "\n",
}
CHARSET_BY_NUMBER = {
    0: "cp1252",
    77: "mac_roman",
    128: "shift_jis",
    129: "cp949",
    134: "gbk",
    136: "big5",
    161: "cp1253",
}
CHARSET_BY_NUMBER |= {
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
}
CHARSET_BY_NUMBER |= {238: "cp1250", 255: "cp850"}
MOST_NESTED_GROUPS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupState:
    """What holds within a group."""

    goes_to: str = "text"
    """Where text goes: text, style, label, code, or nowhere."""
    charset: str = "cp1252"
    skip: int = 1
    """Bytes to leave out behind a `\\u`, for readers that know no Unicode."""
    bold: bool = False
    hidden: bool = False
    style: int = 0
    level: int = 0
    in_table: bool = False
    depth: int = 0


def convert_rtf(body: bytes, url: str) -> Document:
    """The document's text; raises ConvertError for a file that isn't RTF."""
    if not body.lstrip().startswith(b"{\\rtf"):
        raise ConvertError(f"{url}: can't be read as RTF; save it as .docx and add it again")
    markdown = _RtfReader(url).read(body)
    heading = re.search(r"^#{1,2} (.+)$", markdown, flags=re.M)
    title = heading[1] if heading else name_of(url)
    return Document(url=url, title=title, markdown=markdown, language=detect(markdown))


class _RtfReader:
    def __init__(self, url: str) -> None:
        self._url = url
        self._blocks = BlockWriter()
        self._state = GroupState()
        self._stack: list[GroupState] = []
        self._fonts: dict[int, str] = {}
        self._font = -1
        self._levels: dict[int, int] = {}
        self._bytes = bytearray()
        self._text = ""
        self._label = ""
        self._code = ""
        self._name = ""
        self._bold: list[bool] = []
        self._row: list[str] = []
        self._rows: list[list[str]] = []
        self._cell = ""
        self._left_out = 0
        self._fields: list[tuple[int, int, str]] = []
        """Depth, place in the text, and address of the fields that are open."""

    def read(self, body: bytes) -> str:
        for match in RTF_TOKEN.finditer(body):
            kind = match.lastgroup
            if kind == "byte" and match["byte"]:
                self._byte(bytes([int(match["byte"], 16)]))
            elif kind == "text":
                self._plain(match["text"])
            elif kind == "brace":
                self._flush()
                self._brace(match["brace"])
            elif match["sign"]:
                self._sign(match["sign"].decode("latin-1"))
            elif match["word"]:
                number = int(match["number"]) if match["number"] else None
                self._word(match["word"].decode("ascii"), number)
        self._flush()
        self._paragraph()
        self._table()
        return self._blocks.markdown()

    # --- text ----------------------------------------------------------------------------------------------------

    def _byte(self, byte: bytes) -> None:
        if self._left_out:
            self._left_out -= 1
        else:
            self._bytes += byte

    def _plain(self, text: bytes) -> None:
        leave = min(self._left_out, len(text))
        self._left_out -= leave
        self._bytes += text[leave:]

    def _flush(self) -> None:
        """The bytes so far as text in the charset that holds; letters of two bytes stay whole."""
        if self._bytes:
            self._put(self._bytes.decode(self._state.charset, "replace"))
            self._bytes.clear()

    def _put(self, text: str) -> None:
        state = self._state
        if state.goes_to == "text" and not state.hidden:
            self._text += text
            self._bold += [state.bold] * bool(text.strip())
        elif state.goes_to == "label":
            self._label += text
        elif state.goes_to == "code":
            self._code += text
        elif state.goes_to == "style":
            self._name += text

    def _sign(self, sign: str) -> None:
        self._flush()
        if sign == "*":
            self._state = replace(self._state, goes_to="maybe")
        elif sign in "\\{}":
            self._put(sign)
        elif sign == "~":
            self._put(" ")
        elif sign == "_":
            self._put("-")
        elif sign in "\r\n":
            self._word("par", None)

    def _brace(self, brace: bytes) -> None:
        if brace == b"{":
            if len(self._stack) > MOST_NESTED_GROUPS:
                raise ConvertError(f"{self._url}: is nested too deeply to be read; save it as .docx and add it again")
            self._stack.append(self._state)
            self._state = replace(self._state, depth=len(self._stack))
            return
        if self._state.goes_to == "style" and self._name:
            self._learn_style()
        if self._fields and self._fields[-1][0] == len(self._stack):
            _, at, address = self._fields.pop()
            self._text = self._text[:at] + linked(self._text[at:], address)
        if self._stack:
            self._state = self._stack.pop()

    def _learn_style(self) -> None:
        name = self._name.strip(" ;").lower()
        match = re.match(r"heading (\d)", name)
        level = 1 if name == "title" else int(match[1]) if match else self._state.level
        self._levels[self._state.style] = min(level, 6)
        self._name = ""

    # --- control words --------------------------------------------------------------------------------------------

    def _word(self, word: str, number: int | None) -> None:
        self._flush()
        state = self._state
        if word == "u":
            self._unicode(number or 0)
        elif word == "bin":
            self._left_out = max(0, number or 0)
        elif word in RTF_SKIPPED and word != "fonttbl":
            self._state = replace(state, goes_to="nowhere")
        elif word == "fonttbl":
            self._state = replace(state, goes_to="fonts")
        elif word == "stylesheet":
            self._state = replace(state, goes_to="style")
        elif word in ("listtext", "pntext"):
            self._state = replace(state, goes_to="label")
            self._label = ""
        elif word == "fldinst":
            self._state = replace(state, goes_to="code")
            self._code = ""
        elif word == "fldrslt":
            match = re.search(r'HYPERLINK\s+"?([^"\s]+)', self._code)
            self._fields.append((len(self._stack), len(self._text), match[1] if match else ""))
            self._state = replace(state, goes_to="text" if state.goes_to in ("text", "maybe") else state.goes_to)
        elif state.goes_to == "maybe":
            goes_to = "text" if word in ("shptxt", "footnote") else "nowhere"
            self._state = replace(state, goes_to=goes_to)
        else:
            self._format(word, number)

    def _unicode(self, number: int) -> None:
        code = number % 65536
        self._left_out = self._state.skip
        self._put(chr(code))
        if 0xDC00 <= code < 0xE000 and len(self._text) > 1:  # the second half of a letter beyond the first plane
            pair = self._text[-2:].encode("utf-16", "surrogatepass")
            self._text = self._text[:-2] + pair.decode("utf-16", "replace")

    def _format(self, word: str, number: int | None) -> None:
        state = self._state
        if word in CHARACTER_WORDS:
            self._put(CHARACTER_WORDS[word])
        elif word in ("par", "sect", "page"):
            self._paragraph()
        elif word in ("cell", "nestcell"):
            self._end_cell()
        elif word in ("row", "nestrow"):
            self._rows.append(self._row)
            self._row = []
        elif word == "pard":
            self._state = replace(state, style=0, level=0, in_table=False)
            self._label = "" if state.goes_to == "text" else self._label
        elif word == "intbl":
            self._state = replace(state, in_table=True)
        elif word in ("b", "v"):
            on = number != 0
            self._state = replace(state, bold=on) if word == "b" else replace(state, hidden=on)
        elif word == "plain":
            self._state = replace(state, bold=False, hidden=False)
        elif word == "s":
            self._state = replace(state, style=number or 0)
        elif word == "outlinelevel":
            self._state = replace(state, level=(number or 0) + 1 if (number or 0) < 6 else 0)
        elif word == "uc":
            self._state = replace(state, skip=max(0, number or 0))
        elif word in ("ansicpg", "f", "fcharset", "mac"):
            self._charset(word, number or 0)

    def _charset(self, word: str, number: int) -> None:
        if word == "f":
            self._font = number
            if number in self._fonts and self._state.goes_to != "fonts":
                self._state = replace(self._state, charset=self._fonts[number])
        elif word == "fcharset" and number and number in CHARSET_BY_NUMBER:
            self._fonts[self._font] = CHARSET_BY_NUMBER[number]
        elif word in ("ansicpg", "mac"):
            name = "mac_roman" if word == "mac" else f"cp{number}"
            self._state = replace(self._state, charset=name if _is_known_charset(name) else "cp1252")

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _end_cell(self) -> None:
        self._row.append(one_line(f"{self._cell} {self._text}"))
        self._cell = self._text = self._label = ""
        self._bold.clear()

    def _paragraph(self) -> None:
        state, text, label = self._state, self._text, one_line(self._label)
        bold = bool(self._bold) and all(self._bold)
        self._text = self._label = ""
        self._bold.clear()
        if state.in_table:
            self._cell += f" {text}"
            return
        self._table()
        level = self._levels.get(state.style, 0) or state.level
        whole = one_line(text)
        if level:
            self._blocks.heading(level, f"{label} {text}" if re.match(r"[\dA-Za-z]", label) else text)
        elif label:
            self._blocks.item(text, 0, label if re.match(r"\(?\w{1,4}[.)]", label) and label != "o" else "")
        elif match := re.match(r"[•·▪◦]\s*", whole):
            self._blocks.item(whole[match.end() :])
        elif bold and len(whole) <= 80 and not whole.endswith((".", ",", ":", ";")):
            self._blocks.heading(2, text)
        else:
            self._blocks.paragraph(text)

    def _table(self) -> None:
        if self._row:
            self._rows.append(self._row)
        if self._rows:
            self._blocks.table(self._rows)
        self._row, self._rows, self._cell = [], [], ""


def _is_known_charset(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True
