"""Compiled graphs."""
from __future__ import annotations

import json
import os
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

from . import _woa
from ._errors import Diagnostic, warn
from ._graph import Graph
from ._kernel import registered
from ._options import pairs


@dataclass(frozen=True)
class Dim:
    """A dimension of a port."""

    name: str  # "" if only its size is declared
    size: int  # 0: each token has its own
    max: int  # of a size that varies; 0: only the port's `max_bytes` bounds it

    def __str__(self) -> str:
        return str(self.size) if self.size else self.name


@dataclass(frozen=True)
class Port:
    """An input or output of a graph."""

    name: str
    element: str  # "f64", or "bytes", which has no dimensions
    dims: tuple[Dim, ...]
    max_bytes: int  # of one token

    def __str__(self) -> str:
        dims = "[" + ", ".join(map(str, self.dims)) + "]" if self.dims else ""
        return f"{self.name}: {self.element}{dims}"


class Plan:
    """A compiled graph: stages on controllers, routes and buffers. `woa.compile()` makes it. It never changes.

    `inputs` and `outputs` are its ports, `window` is the largest number of instances in flight, and `slow_stages` are
    those with kernels in Python.
    """

    def __init__(self, plan: _woa.Plan, diagnostics: list[Diagnostic]) -> None:
        self._plan = plan
        self.warnings = diagnostics
        self.inputs = self._ports(True)
        self.outputs = self._ports(False)
        facts = self.json()
        self.graph: str = facts["graph"]
        self.window: int = facts["window"]
        self._overlap: int = facts["overlap"]
        self.slow_stages = tuple(stage["name"] for stage in facts["stages"] if stage["kernel"] in registered)
        names = [port.name for port in self.outputs]
        self._results = None if len(names) == 1 else namedtuple("Outputs", names, rename=True)  # noqa: PYI024

    def _ports(self, is_input: bool) -> tuple[Port, ...]:
        return tuple(Port(name, element, tuple(Dim(*dim) for dim in dims), most)
                     for name, element, dims, most in self._plan.ports(is_input))

    def json(self) -> dict[str, Any]:
        """The object of `woa compile --json`, with inputs, outputs, controllers, stages and files."""
        return json.loads(self._plan.text("json"))

    def dot(self) -> str:
        """A picture of the plan, for Graphviz."""
        return self._plan.text("dot")

    def write(self, file: str | os.PathLike[str]) -> None:
        """Writes the plan for `woa.compile(file)`, `woa run FILE` and other hosts."""
        self._plan.write(os.fspath(file))

    def __repr__(self) -> str:
        ports = ", ".join(map(str, self.inputs)), ", ".join(map(str, self.outputs))
        slow = f", slow because in Python: {', '.join(self.slow_stages)}" if self.slow_stages else ""
        return f"<woa.Plan {self.graph}: ({ports[0]}) -> ({ports[1]}), window {self.window}{slow}>"

    def _repr_html_(self) -> str:
        from ._show import plan_html

        return plan_html(self._plan)


def compile(graph: Graph | str | os.PathLike[str], **options: Any) -> Plan:
    """Compiles a graph to a plan.

    `graph` is a `woa.Graph`, YAML text (several lines), or the path of a graph or a plan. Options are those of
    `woa compile`, with underscores: `window=8`, `model="rpc-hub"`, `param={"a.width": 640}`, `profile="p.json"`.
    `woa.options("compile")` lists them. Graphs with errors raise `woa.GraphError`; warnings become Python's, and
    are in `Plan.warnings`.
    """
    if isinstance(graph, str) and "\n" in graph:
        graph = Graph.from_yaml(graph)
    if isinstance(graph, Graph):
        made, diagnostics = _woa.compile(graph.file, str(graph), pairs(options))
    else:
        made, diagnostics = _woa.compile(os.fspath(graph), None, pairs(options))
    warn(diagnostics)
    return Plan(made, diagnostics)


def options(of: str = "compile") -> list[dict[str, Any]]:
    """The options of `woa.compile` ("compile") or `woa.Run` ("run"): name, type, description, default, repeated."""
    return json.loads(_woa.options(of))


def page(code: str) -> str:
    """The page of a diagnostic's code ("E0204"), in Markdown: what it means, and an example."""
    return _woa.page(code)
