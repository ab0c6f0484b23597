"""WOA: task graphs on CPU cores, GPUs and FPGAs, whose stages write to one another without a hub.

    import woa

    graph = woa.Graph("hello")                    # or woa.Graph.from_file("graph.yaml")
    x = graph.input("x", "bytes", max="64KiB")
    graph.output("y", graph.stage("a", "copy", data=x).data)

    plan = woa.compile(graph)                     # stages on controllers, routes, buffers
    with woa.Run(plan) as run:
        print(run(b"hello"))

Graphs use kernels by their names; `woa.compile` finds those of the package and of the folders in WOA_KERNEL_PATH.
`help(woa.Run)` says how arrays come and go; docs/python.md is the guide.
"""
from ._commands import Comparison, compare, explain, profile, verify
from ._errors import Diagnostic, Error, GraphError, InputError, TimedOut, Warning
from ._graph import Graph, Stage
from ._kernel import kernel
from ._plan import Dim, Plan, Port, compile, options, page
from ._run import Future, Run
from ._woa import version

__version__ = version()
__all__ = ["Comparison", "Diagnostic", "Dim", "Error", "Future", "Graph", "GraphError", "InputError", "Plan", "Port", "Run",
           "Stage", "TimedOut", "Warning", "compare", "compile", "explain", "kernel", "options", "page", "profile", "verify", "version"]
