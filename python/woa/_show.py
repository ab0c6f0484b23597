"""Pictures and tables, for notebooks and terminals."""
from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any

from . import _woa


def table(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    def row(cells: Iterable[Any], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(str(cell))}</{kind}>" for cell in cells) + "</tr>"

    return "<table>" + row(head, "th") + "".join(row(each, "td") for each in rows) + "</table>"


def picture(dot: str) -> str | None:
    """SVG by Graphviz's program `dot`; None where that is not installed."""
    import shutil
    import subprocess

    program = shutil.which("dot")
    if program is None:
        return None
    done = subprocess.run([program, "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
    return done.stdout[done.stdout.index("<svg"):] if done.returncode == 0 and "<svg" in done.stdout else None


def text_html(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


def plan_html(plan: _woa.Plan) -> str:
    svg = picture(plan.text("dot"))
    if svg is not None:
        return svg
    stages = json.loads(plan.text("json"))["stages"]
    return table(("stage", "kernel", "controller"), ((each["name"], each["kernel"], each["controller"]) for each in stages))


COMPARED = {"model": "model", "messages": "messages", "payload_bytes": "payload bytes", "predicted_us": "predicted us",
            "period_us": "period us", "measured_us": "measured us"}


def _compared(comparison: dict[str, Any]) -> tuple[list[str], list[list[str]], list[str]]:
    """A comparison's head, a row for each model, and what else is to be said, in lines."""
    models = comparison["models"]
    used = [key for key in COMPARED if any(key in each for each in models)]
    rows = [[_short(each.get(key, "-")) for key in used] for each in models]
    said = [f"{each['model']}: {each[key]['message']}" for each in models for key in ("cannot_place", "cannot_run", "failed") if key in each]
    even = comparison["break_even"]
    if even.get("gains"):
        said.append(f"{even['rpc']}, the best RPC, takes {even['ratio']:.3g} times as long as woa")
    elif even.get("why_nothing"):
        said.append(f"WOA gains nothing here: {even['why_nothing']}")
    if comparison["outputs_differ"]:
        said.append(f"the outputs differ: {comparison['outputs_differ']['output']} of {' and '.join(comparison['outputs_differ']['models'])}")
    return [COMPARED[key] for key in used], rows, said


def comparison_html(comparison: dict[str, Any]) -> str:
    head, rows, said = _compared(comparison)
    return table(head, rows) + "".join(f"<p>{html.escape(line)}</p>" for line in said)


def comparison_text(comparison: dict[str, Any]) -> str:
    head, rows, said = _compared(comparison)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join([first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]).rstrip()
             for first, *rest in (head, *rows)]
    return "\n".join(lines + said)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.4g}"
    return str(value)
