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


def _compared(comparison: dict[str, Any]) -> tuple[list[str], list[list[str]], list[str]]:
    """A comparison's head, a row for each model, and what else is to be said, in lines."""
    columns = {"model": str, "messages": _short, "payload_bytes": bytes_text, "predicted_us": us_text, "period_us": us_text,
               "measured_us": us_text}
    models = comparison["models"]
    used = [key for key in columns if any(key in each for each in models)]
    rows = [[columns[key](each[key]) if key in each else "-" for key in used] for each in models]
    said = [f"{each['model']}: {each[key]['message']}" for each in models for key in ("cannot_place", "cannot_run", "failed") if key in each]
    even = comparison["break_even"]
    if even.get("gains"):
        said.append(f"{even['rpc']}, the best RPC, takes {even['ratio']:.3g} times as long as woa")
    elif even.get("why_nothing"):
        said.append(f"WOA gains nothing here: {even['why_nothing']}")
    if comparison["outputs_differ"]:
        said.append(f"the outputs differ: {comparison['outputs_differ']['output']} of {' and '.join(comparison['outputs_differ']['models'])}")
    return [key.removesuffix("_us").removesuffix("_bytes") for key in used], rows, said


def comparison_html(comparison: dict[str, Any]) -> str:
    head, rows, said = _compared(comparison)
    return table(head, rows) + "".join(f"<p>{html.escape(line)}</p>" for line in said)


def comparison_text(comparison: dict[str, Any]) -> str:
    head, rows, said = _compared(comparison)
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join([first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]).rstrip()
             for first, *rest in (head, *rows)]
    return "\n".join(lines + said)


def us_text(us: float) -> str:
    return _in_unit(us * 1000, 1000, ("ns", "us", "ms", "s"))


def bytes_text(count: float) -> str:
    return _in_unit(count, 1024, ("B", "KiB", "MiB", "GiB", "TiB"))


def _in_unit(value: float, step: int, units: tuple[str, ...]) -> str:
    """As the commands print it: four digits, in the largest unit that gives at least one."""
    unit = 0
    while abs(float(_short(value))) >= step and unit + 1 < len(units):
        value, unit = value / step, unit + 1
    return f"{_short(value)} {units[unit]}"


def _short(value: float) -> str:
    return f"{value:.{max(4, len(str(int(abs(value)))))}g}"
