"""Pictures and tables for notebooks."""
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


def comparison_html(comparison: dict[str, Any]) -> str:
    columns = {"model": "model", "messages": "messages", "payload_bytes": "payload bytes", "predicted_us": "predicted us",
               "period_us": "period us", "measured_us": "measured us"}
    models = comparison["models"]
    used = [key for key in columns if any(key in each for each in models)]
    return table((columns[key] for key in used), ((_short(each.get(key, "")) for key in used) for each in models))


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
