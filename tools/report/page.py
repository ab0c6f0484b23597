#!/usr/bin/env python3
"""One self-contained HTML page from a report; page.js has its fields. Standard library only.

    page.py OUT [LIBRARY...]   assembles the empty page: style, scripts, and the libraries that are installed
    render(report, template)   fills it
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
EMPTY = '{"REPORT": null}'
SCRIPTS = [HERE / name for name in ("base.js", "charts.js", "graph.js", "timeline.js", "run.js", "page.js")]


def assemble(libraries):
    """`libraries`: files of Chart.js and dagre, those that are installed."""
    page = (HERE / "page.html").read_text(encoding="utf-8")
    parts = {"/*STYLE*/": [HERE / "page.css"], "/*LIBRARIES*/": libraries, "/*SCRIPT*/": SCRIPTS}
    for mark, files in parts.items():
        text = "\n".join(file.read_text(encoding="utf-8") for file in files)
        page = page.replace(mark, text.replace("</script", "<\\/script"))
    return page


def render(report, template):
    """`template`: an assembled page; without it the page has no charts."""
    page = template.read_text(encoding="utf-8") if template.exists() else assemble([])
    # A text of the report must not end the element that it stands in.
    text = json.dumps(report, ensure_ascii=False).replace("<", "\\u003c")
    return page.replace(EMPTY, text, 1)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(assemble([pathlib.Path(name) for name in sys.argv[2:]]), encoding="utf-8")
