"""Parses XML without what makes it dangerous: entities, outside references, and nesting without end."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from retrieval.errors import ConvertError

MOST_NESTED_XML = 250
"""Elements within elements; office programs stay under 60, and a deeper tree would exhaust the readers' stack."""


def parse_xml(body: bytes, url: str) -> Element:
    """The root element, with names without their namespaces, except `r:id`, which points to another file.

    Raises ConvertError for XML that is broken, defines entities, or is nested too deeply.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")  # by expat itself: ElementTree's parser would define entities
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_NESTED_XML:
            raise ConvertError("is nested too deeply to be read; save it anew and add it again", about=url)
        builder.start(local_name(name), {_attribute(key): text for key, text in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(local_name(name))

    def entity(*_: object) -> None:
        raise ConvertError("defines XML entities, as no document needs to; it was not read", about=url)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    parser.buffer_text = True
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, LookupError) as error:
        raise ConvertError("holds broken XML; save it anew and add it again", about=url) from error
    return builder.close()


def local_name(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def _attribute(name: str) -> str:
    space, _, own = name.rpartition("}")
    return f"r:{own}" if space.endswith("/relationships") else own


def all_text(element: Element) -> str:
    """All the text within an element."""
    return "".join(element.itertext())


def child(element: Element | None, *path: str) -> Element | None:
    """The first element on a path of names; None where there is none."""
    for name in path:
        if element is None:
            return None
        element = next((item for item in element if item.tag == name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The elements with a name directly inside another one; none where that is None."""
    return (item for item in element if item.tag == name) if element is not None else iter(())


def value(element: Element | None, *path: str) -> str:
    """The attribute `val` of the first element on a path of names; empty without it."""
    holder = child(element, *path)
    return (holder.get("val") or "") if holder is not None else ""
