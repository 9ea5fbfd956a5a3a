"""Reads how the files of an office package point to each other."""

from __future__ import annotations

from retrieval.convert.office.package import Package, path_beside
from retrieval.convert.office.xml import children, parse_xml


def relations(package: Package, name: str, url: str) -> dict[str, tuple[str, str]]:
    """What a file of the package points to, by id: (kind, name of a file of the package or outside address)."""
    folder, _, file = name.rpartition("/")
    listing = f"{folder}/_rels/{file}.rels" if folder else f"_rels/{file}.rels"
    if listing not in package:
        return {}
    targets = {}
    for item in children(parse_xml(package.read(listing), url), "Relationship"):
        target = item.get("Target") or ""
        inside = item.get("TargetMode") != "External"
        kind = (item.get("Type") or "").rsplit("/", 1)[-1]
        targets[item.get("Id") or ""] = (kind, path_beside(name, target) if inside else target)
    return targets
