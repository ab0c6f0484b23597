"""The package: what it imports, holds and says; and that nothing is copied beside what the guide says."""
import ast
import graphlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SOURCE

import woa

PACKAGE = Path(woa.__file__).parent


def test_the_import_loads_neither_numpy_nor_asyncio():
    code = "import sys, woa; print(json.dumps([name for name in ('numpy', 'asyncio', 'subprocess') if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", "import json;" + code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_it_holds_nothing_of_the_build_tree():
    build = str(SOURCE / "build").encode()
    for file in PACKAGE.rglob("*"):
        if file.is_file() and file.suffix != ".pyc":
            assert build not in file.read_bytes(), file
    libraries = subprocess.run(["ldd", *PACKAGE.glob("_woa*.so")], capture_output=True, text=True, check=True).stdout
    assert f"libwoa.so.1 => {PACKAGE}/lib/libwoa.so.1" in libraries.replace("./", "")


def test_everything_public_teaches():
    for name in woa.__all__:
        thing = getattr(woa, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and not issubclass(thing, (Exception, tuple)):
            for member, function in vars(thing).items():
                if not member.startswith("_") and (inspect.isfunction(function) or isinstance(function, property)):
                    assert inspect.getdoc(function), f"{name}.{member}"


def test_no_module_imports_another_in_a_circle():
    imports = {}
    for file in PACKAGE.glob("*.py"):
        nodes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom) and node.level == 1]
        imports[file.stem] = {name for node in nodes for name in ([node.module] if node.module else [each.name for each in node.names])}
    assert list(graphlib.TopologicalSorter(imports).static_order())[-1] in ("__init__", "__main__")


def test_it_is_typed():
    assert (PACKAGE / "py.typed").is_file()
    assert "class Run" in (PACKAGE / "_woa.pyi").read_text()


COUNTED = """
import sys, numpy, woa
graph = woa.Graph("big")
x = graph.input("x", "bytes", max="64MiB")
graph.output("y", graph.stage("s", "touch", data=x).data)

def write(block):
    block[0] = 7
    return len(block)

array = numpy.zeros(64 << 20, "u1")
with woa.Run(woa.compile(graph), processes=sys.argv[1]) as run:
    for _ in range(int(sys.argv[2])):
        view = run(write if sys.argv[3] == "in place" else array, copy=sys.argv[4] == "copy")
        assert len(view) == 64 << 20
        del view
"""


@pytest.mark.skipif(not os.path.exists(os.environ.get("WOA_COUNT_CALLS", "")), reason="WOA_COUNT_CALLS names no library that counts")
@pytest.mark.parametrize("processes", ["one", "per-controller"])
@pytest.mark.parametrize(("given", "taken", "expected"), [("in place", "view", 0), ("array", "view", 1), ("array", "copy", 3)])
def test_large_arrays_are_copied_as_often_as_the_guide_says(tmp_path, processes, given, taken, expected):
    (tmp_path / "counted.py").write_text(COUNTED)
    counts = []
    for instances in (2, 4):
        file = tmp_path / f"counts-{instances}"
        folder, library = os.path.split(os.environ["WOA_COUNT_CALLS"])  # LD_PRELOAD takes no path with spaces
        environment = dict(os.environ, LD_PRELOAD=library, LD_LIBRARY_PATH=folder, WOA_COUNT_FILE=str(file))
        subprocess.run([sys.executable, tmp_path / "counted.py", processes, str(instances), given, taken], env=environment, check=True, timeout=200)
        counts.append(sum(json.loads(line)["large_copies"] for line in file.read_text().splitlines()))
    assert counts[1] - counts[0] == 2 * expected
