"""How the files of an office package point to each other."""

from __future__ import annotations

from retrieval.convert.office.package import Package, beside
from retrieval.convert.office.xml import children, parse


def relations(package: Package, name: str, url: str) -> dict[str, tuple[str, str]]:
    """By id: what kind of thing a file points to, and where it is: a file of the package, or an outside address."""
    folder, _, file = name.rpartition("/")
    at = f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels"
    if at not in package:
        return {}
    found = {}
    for item in children(parse(package.read(at), url), "Relationship"):
        target = item.get("Target") or ""
        inside = item.get("TargetMode") != "External"
        kind = (item.get("Type") or "").rsplit("/", 1)[-1]
        found[item.get("Id") or ""] = (kind, beside(name, target) if inside else target)
    return found
