#!/usr/bin/env python3
"""One self-contained HTML page from a report; page.js has its fields. Standard library only.

    page.py OUT [LIBRARY]      assembles the empty page: style, script, and the chart library if it is installed
    render(report, template)   fills it
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
EMPTY = '{"REPORT": null}'


def assemble(library):
    """`library`: file of the chart library, or None."""
    page = (HERE / "page.html").read_text(encoding="utf-8")
    parts = {"/*STYLE*/": HERE / "page.css", "/*LIBRARY*/": library, "/*SCRIPT*/": HERE / "page.js"}
    for mark, file in parts.items():
        page = page.replace(mark, file.read_text(encoding="utf-8").replace("</script", "<\\/script") if file else "")
    return page


def render(report, template):
    """`template`: an assembled page; without it the page has no charts."""
    page = template.read_text(encoding="utf-8") if template.exists() else assemble(None)
    # A text of the report must not end the element that it stands in.
    text = json.dumps(report, ensure_ascii=False).replace("<", "\\u003c")
    return page.replace(EMPTY, text, 1)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(assemble(pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None), encoding="utf-8")
