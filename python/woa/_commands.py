"""The program's measurements and explanations, as dicts: `woa` runs with --json."""
from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import _program
from ._errors import Diagnostic, Error, GraphError
from ._graph import Graph
from ._kernel import registered
from ._options import arguments
from ._plan import Plan

Source = Graph | Plan | str | os.PathLike


class Comparison(dict):
    """The object of `woa compare --json`. `print()` and notebooks show it as a table."""

    def __str__(self) -> str:
        from ._show import comparison_text

        return comparison_text(self)

    def _repr_html_(self) -> str:
        from ._show import comparison_html

        return comparison_html(self)


def profile(graph: Graph | str | os.PathLike[str], inputs: Mapping[str, Any], output: str | os.PathLike[str] | None = None,
            **options: Any) -> dict[str, Any]:
    """Measures the stages of a graph on every kind of controller here (`woa profile`).

    `inputs`: for each input an array, bytes, the path of a file or folder, or a literal such as "i64:3". `output`: a
    file for the profile, which `woa.compile(graph, profile=...)` takes.
    """
    return _run("profile", graph, inputs, {"output": output, **options})


def compare(graph: Source, inputs: Mapping[str, Any] | None = None, **options: Any) -> Comparison:
    """Predicts, and with `run=True` measures, a graph under each call model (`woa compare`). Inputs as of profile()."""
    return Comparison(_run("compare", graph, inputs or {}, options))


def explain(graph: Source, **options: Any) -> dict[str, Any]:
    """How each edge moves its tokens, how much memory it has, and why stages are where they are (`woa explain`)."""
    return _run("explain", graph, {}, options)


def verify(plan: Source, **options: Any) -> dict[str, Any]:
    """Checks that a plan cannot deadlock, and its placement's certificate (`woa verify`)."""
    return _run("verify", plan, {}, options)


def _run(command: str, graph: Source, inputs: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    import subprocess  # slow to import, with the next
    import tempfile

    runs = command == "profile" or (command == "compare" and (options.get("run") or not options.get("profile")))
    with contextlib.ExitStack() as files:
        folder = Path(files.enter_context(tempfile.TemporaryDirectory(prefix="woa-")))
        kernels = _describe_kernels(folder / "kernels", graph, f"woa.{command}" if runs else None)
        given = [f"--in={name}={_input(folder / name, value)}" for name, value in inputs.items()]
        file = _file(folder, graph, files)
        command_line = [str(_program.PATH), command, file, "--json", *given, *arguments(options)]
        done = subprocess.run(command_line, capture_output=True, text=True, check=False, env={**os.environ, **kernels})
    stands_for = graph.file if isinstance(graph, Graph) else file  # of a graph in code the file is ours
    said = done.stderr.replace(file, stands_for).strip()
    try:
        answer = json.loads(done.stdout.replace(json.dumps(file)[1:-1], json.dumps(stands_for)[1:-1]))
    except ValueError:
        raise Error("invalid", said or f"woa {command} ended with {done.returncode}") from None
    if done.returncode == 0:
        return answer
    if answer.get("diagnostics"):
        raise GraphError("invalid", said, [_diagnostic(each) for each in answer["diagnostics"]])
    error = answer.get("error", {"code": "invalid", "message": said})
    raise Error(error["code"], error["message"])


def _describe_kernels(folder: Path, graph: Source, runs: str | None) -> dict[str, str]:
    """The environment in which the program knows the graph's kernels in Python. It cannot run them (`runs`)."""
    if isinstance(graph, Plan):
        text = ""  # Plan.write() refuses those with kernels of this program
    elif isinstance(graph, Graph) or "\n" in str(graph):
        text = str(graph)
    else:
        text = Path(graph).read_text(encoding="utf-8", errors="replace") if os.path.isfile(graph) else ""
    used = [name for name in registered if re.search(rf"\bkernel: *[\"']?{re.escape(name)}\b", text)]
    if not used:
        return {}
    if runs:
        raise Error("unsupported", f"{runs} cannot run kernels in Python ({', '.join(used)}): it starts a program of its own; a run's own"
                                   " figures are in the object of Run.finish()")
    for name in used:
        (folder / name).mkdir(parents=True)
        (folder / name / "kernel.yaml").write_text(registered[name] + "library: python\n", encoding="utf-8")
        (folder / name / "python").touch()
    return {"WOA_KERNEL_PATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("WOA_KERNEL_PATH")])])}


def _file(folder: Path, graph: Source, files: contextlib.ExitStack) -> str:
    if isinstance(graph, Plan):
        graph.write(folder / "plan")
        return str(folder / "plan")
    if isinstance(graph, str) and "\n" in graph:
        graph = Graph.from_yaml(graph)
    if not isinstance(graph, Graph):
        return os.fspath(graph)
    import tempfile

    # In the folder that the graph stands for: its paths are relative to that.
    home = Path(graph.file).parent
    written = files.enter_context(tempfile.NamedTemporaryFile("w", dir=home, prefix=f".{Path(graph.file).stem}-", suffix=".yaml",
                                                              encoding="utf-8"))
    written.write(str(graph))
    written.flush()
    return written.name


def _input(file: Path, value: Any) -> str:
    """A value as the command line takes it."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        file.write_bytes(value)
        return str(file)
    import numpy

    numpy.save(file.with_suffix(".npy"), value, allow_pickle=False)
    return str(file.with_suffix(".npy"))


def _diagnostic(each: Mapping[str, Any]) -> Diagnostic:
    place = f"{each['file']}:{each['line']}:{each['column']}" if each["line"] else each["file"]
    shown = f"{place}: {each['severity']}[{each['code']}]: {each['text']}" + (f"\n  fix: {each['fix']}" if each["fix"] else "")
    return Diagnostic(**{name: each[name] for name in ("severity", "code", "file", "line", "column", "length", "text", "fix")}, shown=shown)
