"""Counters in Prometheus' text form: names, labels, no message texts and no visitors."""

from __future__ import annotations

from collections import Counter


class Metrics:
    """What was counted since the start."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()

    def add(self, name: str, amount: int = 1, **labels: str) -> None:
        """Count something that happened."""
        self._counts[name, tuple(sorted(labels.items()))] += amount

    def text(self, gauges: dict[str, float]) -> str:
        """The exposition: counters as frontdesk_NAME_total, `gauges` as frontdesk_NAME."""
        lines = []
        for (name, labels), value in sorted(self._counts.items()):
            label = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
            lines.append(f"frontdesk_{name}_total{{{label}}} {value}" if label else f"frontdesk_{name}_total {value}")
        lines += [f"frontdesk_{name} {value:g}" for name, value in sorted(gauges.items())]
        names = dict.fromkeys(line.split("{")[0].split(" ")[0] for line in lines)
        kinds = [f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}" for name in names]
        return "\n".join([*kinds, *lines]) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
