"""Graphs in code."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import _woa
from ._errors import Error, warn
from ._yaml import flow


class Stage:
    """A stage of a graph. `stage.port` or `stage["port"]` is an output, to be read by other stages."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, port: str) -> str:
        return f"{self._name}.{port}"

    def __getattr__(self, port: str) -> str:
        if port.startswith("__"):
            raise AttributeError(port)
        return self[port]

    def __repr__(self) -> str:
        return f"<stage {self._name}>"


class Graph:
    """A task graph: inputs, stages that each use a kernel, and outputs. Made in code, or from YAML.

        graph = woa.Graph("hello")
        x = graph.input("x", "bytes", max="64KiB")
        a = graph.stage("a", "copy", data=x)
        graph.output("y", a.data)
        print(graph)                        # the YAML that it stands for

        woa.Graph.from_yaml("woa: 1 ...")
        woa.Graph.from_file("graph.yaml")

    Extra arguments are keys of the graph language, such as `window=4` (docs/graph-language.md). Kernels of your own in C
    or C++ are named by `kernels=["scale/kernel.yaml"]`, relative to the current folder; a run loads their libraries.
    """

    def __init__(self, name: str, **keys: Any) -> None:
        self._head = {"woa": 1, "graph": name, **keys}
        self._parts: dict[str, dict[str, Any]] = {"inputs": {}, "stages": {}, "outputs": {}}
        self._text: str | None = None
        self._file = f"{name}.yaml"

    @classmethod
    def from_yaml(cls, text: str, file: str | Path = "graph.yaml") -> Graph:
        """A graph from YAML text. `file` stands for it in messages; its folder is that of relative paths."""
        graph = cls("yaml")
        graph._text, graph._file = text, str(file)
        return graph

    @classmethod
    def from_file(cls, file: str | Path) -> Graph:
        """A graph from a YAML file."""
        return cls.from_yaml(Path(file).read_text(encoding="utf-8"), file)

    @property
    def file(self) -> str:
        """The name that stands for the graph in messages."""
        return self._file

    def _add(self, part: str, name: str, value: Any) -> None:
        if self._text is not None:
            raise ValueError("a graph of YAML cannot be added to; change its text")
        if name in self._parts[part]:
            raise ValueError(f"the graph has '{name}' in its {part} already; take another name, or make the graph anew"
                             " (a notebook: in the same cell)")
        self._parts[part][name] = value

    def input(self, name: str, type: str, max: int | str | None = None, **keys: Any) -> str:
        """Adds an input, and returns its name for stages to read. `type`: "bytes", which needs a `max`, or such as
        "f64[h,w]"; `dims={"h": {"max": 480}}` bounds dimensions that vary."""
        bound = {} if max is None else {"max": max}
        self._add("inputs", name, {"type": type, **bound, **keys})
        return name

    def stage(self, name: str, kernel: str | Callable[..., Any] | None = None, in_: Mapping[str, Any] | None = None, *,
              params: Mapping[str, Any] | None = None, graph: str | None = None, **more: Any) -> Stage:
        """Adds a stage that uses a kernel, by its name or as a function that `woa.kernel` made one, or with `graph` a
        sub-graph.

        Its inputs are arguments (`data=x`) or, if their names are other words of Python, in a mapping:
        `in_={"data": x}`. `on`, `replicas`, `needs` and `max` are keys of the stage (`on="cpu:1"`).
        """
        keys = {key: more.pop(key) for key in ("on", "replicas", "needs", "max") if key in more}
        use = {"kernel": getattr(kernel, "kernel_name", kernel)} if graph is None else {"graph": graph}
        given = {} if params is None else {"params": dict(params)}
        self._add("stages", name, {**use, "in": {**(in_ or {}), **more}, **given, **keys})
        return Stage(name)

    def output(self, name: str, writer: Any) -> None:
        """Adds an output: what a stage writes (`a.data`), or a list of alternatives."""
        self._add("outputs", name, writer)

    def __str__(self) -> str:
        if self._text is not None:
            return self._text
        lines = [f"{key}: {flow(value)}" for key, value in self._head.items()]
        for part, entries in self._parts.items():
            lines += [f"{part}:"] if entries else []
            lines += [f"  {name}: {flow(value)}" for name, value in entries.items()]
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<woa.Graph {self._file}>"

    def _repr_html_(self) -> str:
        """The picture of its plan, or why there is none."""
        from ._show import plan_html, text_html

        try:
            plan, diagnostics = _woa.compile(self.file, str(self), [])
        except Error as error:
            return text_html(f"{self}\n{error}")
        warn(diagnostics)
        return plan_html(plan)
