"""Reads Rich Text Format (RTF): a small reader of groups and control words.

Why it is our own, and how it compares with striprtf and LibreOffice: README.md. The format: Microsoft's "Rich Text Format
(RTF) Specification", version 1.9.1.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from retrieval.convert.office.rtf_blocks import ParagraphFormat, RtfBlocks
from retrieval.convert.office.text import name_of
from retrieval.convert.office.writing import linked
from retrieval.document import Document
from retrieval.errors import ConvertError
from retrieval.text.language import detect

RTF_TOKEN = re.compile(
    rb"\\(?:(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})?[ ]?|'(?P<byte>[0-9a-fA-F]{2})|(?P<sign>[^a-zA-Z]))"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+"
)
RTF_SKIPPED = frozenset(
    "colortbl info pict object header headerl headerr headerf footer footerl footerr footerf themedata "
    "colorschememapping latentstyles datastore xmlnstbl listtable listoverridetable rsidtbl generator filetbl revtbl "
    "annotation atnid atnauthor pgdsctbl mmathPr nonshppict bkmkstart bkmkend template wgrffmtfilter".split()
)
"""Groups that hold nothing for a reader."""
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
    0: "cp1252", 77: "mac_roman", 128: "shift_jis", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 255: "cp850",
}  # fmt: skip
"""What `\\fcharset` numbers mean."""
CELL_MERGES = {"clmrg": "left", "clvmrg": "above"}
MOST_NESTED_GROUPS = 500
"""Groups within groups; real files have some twenty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupState:
    """What holds within a group; the group around it gets its own state back when it ends."""

    goes_to: str = "text"
    """Where text goes: text, style (a name), label (of a list's item), code (of a field), fonts, shape (only its box is
    read), maybe (the next word decides), or nowhere."""
    charset: str = "cp1252"
    skip: int = 1
    """Bytes to leave out behind a `\\u`, which are there for readers that know no Unicode."""
    bold: bool = False
    hidden: bool = False
    style: int = 0
    level: int = 0
    """Of a heading, by its outline level; 0 for others."""
    in_table: bool = False
    list_depth: int = 0


def convert_rtf(body: bytes, url: str) -> Document:
    """The document's text; raises ConvertError for a file that isn't RTF, or is nested without end."""
    if not body.lstrip().startswith(b"{\\rtf"):
        raise ConvertError("can't be read as RTF; save it as .docx and add it again", about=url)
    markdown = _RtfReader(url).read(body)
    heading = re.search(r"^#{1,2} (.+)$", markdown, flags=re.M)
    title = heading[1] if heading else name_of(url)
    return Document(url=url, title=title, markdown=markdown, language=detect(markdown))


class _RtfReader:
    """Reads one file token by token, and keeps what holds in the group that it is in."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._blocks = RtfBlocks()
        self._state = GroupState()
        self._stack: list[GroupState] = []
        self._fonts: dict[int, str] = {}  # charsets by the font's number
        self._font = -1
        self._levels: dict[int, int] = {}  # heading levels by the style's number
        self._bytes = bytearray()  # of the charset that holds, not decoded yet
        self._left_out = 0  # bytes that are still to be skipped
        self._code = ""
        self._style_name = ""
        self._fields: list[tuple[int, int, str]] = []
        """Depth, offset in the text, and address of the fields that are open."""

    def read(self, body: bytes) -> str:
        """The file as Markdown."""
        for match in RTF_TOKEN.finditer(body):
            kind = match.lastgroup
            if kind == "byte" and match["byte"]:
                self._add_byte(bytes([int(match["byte"], 16)]))
            elif kind == "text":
                self._add_bytes(match["text"])
            elif kind == "brace":
                self._decode()
                self._brace(match["brace"])
            elif match["sign"]:
                self._sign(match["sign"].decode("latin-1"))
            elif match["word"]:
                number = int(match["number"]) if match["number"] else None
                self._word(match["word"].decode("ascii"), number)
        self._decode()
        self._blocks.end_asides()
        self._end_paragraph()
        self._blocks.end_table()
        return self._blocks.markdown()

    # --- text ----------------------------------------------------------------------------------------------------

    def _add_byte(self, byte: bytes) -> None:
        if self._left_out:
            self._left_out -= 1
        else:
            self._bytes += byte

    def _add_bytes(self, text: bytes) -> None:
        leave = min(self._left_out, len(text))
        self._left_out -= leave
        self._bytes += text[leave:]

    def _decode(self) -> None:
        """Put the bytes so far as text, in the charset that holds; letters of two bytes stay whole that way."""
        if self._bytes:
            self._put(self._bytes.decode(self._state.charset, "replace"))
            self._bytes.clear()

    def _put(self, text: str) -> None:
        """Add text to where the state says."""
        state = self._state
        if state.goes_to == "text" and not state.hidden:
            self._blocks.put(text, bold=state.bold)
        elif state.goes_to == "label":
            self._blocks.label += text
        elif state.goes_to == "code":
            self._code += text
        elif state.goes_to == "style":
            self._style_name += text

    def _sign(self, sign: str) -> None:
        """A backslash with a sign that is no letter."""
        self._decode()
        if sign == "*":  # what follows may be skipped by who doesn't know it
            if self._state.goes_to != "nowhere":
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
                raise ConvertError(
                    "is nested too deeply to be read; save it as .docx and add it again", about=self._url
                )
            self._stack.append(self._state)
            return
        if self._state.goes_to == "style" and self._style_name:
            self._learn_style()
        if self._fields and self._fields[-1][0] == len(self._stack):
            _, at, address = self._fields.pop()
            text = self._blocks.text
            self._blocks.text = text[:at] + linked(text[at:], address)
        self._blocks.end_group(len(self._stack))
        if self._stack:
            self._state = self._stack.pop()

    def _learn_style(self) -> None:
        """Remember the heading level of a style by its name."""
        name = self._style_name.strip(" ;").lower()
        match = re.match(r"heading (\d)", name)
        level = 1 if name == "title" else int(match[1]) if match else self._state.level
        self._levels[self._state.style] = min(level, 6)
        self._style_name = ""

    # --- control words --------------------------------------------------------------------------------------------

    def _word(self, word: str, number: int | None) -> None:
        """A control word: one that decides where text goes, else one that formats it."""
        self._decode()
        state = self._state
        is_read = state.goes_to in ("text", "maybe")
        if word == "u":
            self._unicode(number or 0)
        elif word == "bin":
            self._left_out = max(0, number or 0)
        elif word in RTF_SKIPPED:
            self._state = replace(state, goes_to="nowhere")
        elif word == "fonttbl":
            self._state = replace(state, goes_to="fonts")
        elif word == "stylesheet":
            self._state = replace(state, goes_to="style")
        elif word in ("listtext", "pntext"):
            self._state = replace(state, goes_to="label")
            self._blocks.label = ""
        elif word == "fldinst":
            self._state = replace(state, goes_to="code")
            self._code = ""
        elif word == "fldrslt":
            match = re.search(r'HYPERLINK\s+"?([^"\s]+)', self._code)
            self._fields.append((len(self._stack), len(self._blocks.text), match[1] if match else ""))
            self._state = replace(state, goes_to="text" if is_read else state.goes_to)
        elif word == "shpinst":
            self._state = replace(state, goes_to="shape" if is_read else "nowhere")
        elif (word == "shptxt" and (is_read or state.goes_to == "shape")) or (word == "footnote" and is_read):
            self._blocks.begin_aside(len(self._stack), is_note=word == "footnote")
            self._state = replace(state, goes_to="text", in_table=False)
        elif state.goes_to == "maybe":
            self._state = replace(state, goes_to="nowhere")
        else:
            self._format(word, number)

    def _unicode(self, number: int) -> None:
        code = number % 65536
        self._left_out = self._state.skip
        self._put(chr(code))
        text = self._blocks.text
        if 0xDC00 <= code < 0xE000 and len(text) > 1:  # the second half of a letter beyond the first plane
            pair = text[-2:].encode("utf-16", "surrogatepass")
            self._blocks.text = text[:-2] + pair.decode("utf-16", "replace")

    def _format(self, word: str, number: int | None) -> None:
        """A word that is a character, ends something, or says how what follows looks."""
        state = self._state
        if word in CHARACTER_WORDS:
            self._put(CHARACTER_WORDS[word])
        elif word in ("par", "sect", "page"):
            self._end_paragraph()
        elif word in ("cell", "nestcell"):
            self._blocks.end_cell()
        elif word in ("row", "nestrow"):
            self._blocks.end_row()
        elif word == "pard":
            self._state = replace(state, style=0, level=0, in_table=False, list_depth=0)
            self._blocks.label = "" if state.goes_to == "text" else self._blocks.label
        elif word == "intbl":
            self._state = replace(state, in_table=True)
        elif word == "b":
            self._state = replace(state, bold=number != 0)
        elif word in ("v", "deleted"):
            self._state = replace(state, hidden=number != 0)
        elif word == "plain":
            self._state = replace(state, bold=False, hidden=False)
        elif word == "s":
            self._state = replace(state, style=number or 0)
        elif word == "outlinelevel":
            self._state = replace(state, level=(number or 0) + 1 if (number or 0) < 6 else 0)
        elif word == "ilvl":
            self._state = replace(state, list_depth=max(0, number or 0))
        elif word == "uc":
            self._state = replace(state, skip=max(0, number or 0))
        elif word in ("ansicpg", "f", "fcharset", "mac"):
            self._charset(word, number or 0)
        elif state.goes_to == "text" and not self._blocks.in_aside:
            self._define_table(word, number or 0)

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

    def _define_table(self, word: str, number: int) -> None:
        if word == "trowd":
            self._blocks.table.define_row()
        elif word in CELL_MERGES:
            self._blocks.table.merge(CELL_MERGES[word])
        elif word == "cellx":
            self._blocks.table.define_cell(number)

    def _end_paragraph(self) -> None:
        state = self._state
        level = self._levels.get(state.style, 0) or state.level
        self._blocks.end_paragraph(ParagraphFormat(level=level, in_table=state.in_table, list_depth=state.list_depth))


def _is_known_charset(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True
