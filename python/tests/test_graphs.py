"""Graphs in code and of YAML, plans, and what the compiler says about wrong ones."""
import subprocess
import sys

import pytest
from conftest import SOURCE, copy_graph

import woa

HELLO = """\
woa: 1
graph: hello
window: 4
inputs:
  x: {type: bytes, max: 64KiB}
stages:
  a: {kernel: copy, in: {data: x}, on: "cpu:1"}
  b: {kernel: invert, in: {data: a.data}, max: {data: 64KiB}}
outputs:
  y: b.data
"""


def test_a_graph_prints_the_yaml_that_it_stands_for():
    graph = woa.Graph("hello", window=4)
    x = graph.input("x", "bytes", max="64KiB")
    a = graph.stage("a", "copy", data=x, on="cpu:1")
    b = graph.stage("b", "invert", {"data": a["data"]}, max={"data": "64KiB"})
    graph.output("y", b.data)
    assert str(graph) == HELLO
    assert woa.compile(graph).json() == {**woa.compile(HELLO).json(), "files": woa.compile(graph).json()["files"]}


def test_loops_alternatives_and_sub_graphs():
    graph = woa.Graph("loop", graphs={"twice": {"inputs": {"x": {"type": "bytes"}},
                                                "stages": {"a": {"kernel": "invert", "in": {"data": "x"}},
                                                           "b": {"kernel": "invert", "in": {"data": "a.data"}}},
                                                "outputs": {"y": "b.data"}}})
    x = graph.input("x", "bytes", max=64)
    test = graph.stage("test", "route", data=[x, {"from": "turn.data", "loop": {"max": 10}}])
    graph.stage("turn", "invert", data=test.even)
    graph.output("y", graph.stage("sub", graph="twice", x=test.odd).y)
    with woa.Run(woa.compile(graph)) as run:
        assert run(b"Bb") == bytes([0xBD, 0x9D])


def test_every_example_of_the_repository_survives_the_way_through_a_graph():
    files = sorted((SOURCE / "graphs").glob("*.yaml"))
    assert files
    for file in files:
        graph = woa.Graph.from_file(file)
        assert str(graph) == file.read_text()
        assert woa.compile(graph).json() == woa.compile(file).json(), file


def test_strings_that_yaml_reads_otherwise_are_quoted():
    for text in ("true", "1", "1e3", "a: b", "", "null", "#x", "[x]", "é", "'", '"', "- x", "~", "0x10", "yes"):
        graph = copy_graph()
        graph.stage("find", "find_line", data="x", params={"text": text})
        graph.output("line", "find.line")
        with woa.Run(woa.compile(graph)) as run:
            assert run(f"before\n{text}\n".encode() if text else b"\n") is not None, text
    graph = copy_graph()
    graph.stage("find", "find_line", data="x", params={"text": "a\nb"})
    graph.output("line", "find.line")
    with pytest.raises(woa.Error, match="'text' has a line feed"):
        woa.Run(woa.compile(graph))


def test_mistakes_in_code():
    graph = copy_graph()
    with pytest.raises(ValueError, match="the graph has 'x' in its inputs already"):
        graph.input("x", "bytes")
    with pytest.raises(ValueError, match="cannot be added to"):
        woa.Graph.from_yaml(HELLO).stage("c", "copy")


def test_errors_have_places_and_fixes_and_print_as_the_compiler_prints_them(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text(HELLO.replace("a.data", "a.date").replace("data: 64KiB", "dada: 64KiB"))
    with pytest.raises(woa.GraphError) as caught:
        woa.compile(file)
    assert [(each.severity, each.file, each.line) for each in caught.value.diagnostics] == [("error", str(file), 8)] * 2
    first = caught.value.diagnostics[0]
    assert "date" in first.text and "data" in first.fix
    assert first.code in woa.page(first.code)
    done = subprocess.run([sys.executable, "-m", "woa", "check", file], capture_output=True, text=True, check=False)
    assert str(caught.value).split() == done.stderr.split()


def test_a_plan_has_ports_and_can_be_written(tmp_path):
    plan = woa.compile(SOURCE / "graphs" / "thumbnails.yaml", window=3, param={"shrink.width": 64})
    assert [str(port) for port in (*plan.inputs, *plan.outputs)] == ["photo: bytes", "thumb: bytes"]
    assert plan.inputs[0].max_bytes == 64 << 20
    assert (plan.graph, plan.window) == ("thumbnails", 3)
    plan.write(tmp_path / "plan")
    assert woa.compile(tmp_path / "plan").json()["stages"] == plan.json()["stages"]
    assert plan.dot().startswith("digraph")


def test_wrong_options_and_files():
    for options, says in (({"windo": 3}, "did you mean 'window'"), ({"window": 4097}, "option window: ")):
        with pytest.raises(woa.Error, match=says):
            woa.compile(copy_graph(), **options)
    with pytest.raises(woa.Error, match="option max_price requires option profile"):
        woa.compile(copy_graph(), max_price=3)
    with pytest.raises(woa.GraphError, match="give option `param r.width=VALUE`"):
        woa.compile("woa: 1\ngraph: g\ninputs: {x: {type: 'u8[h,w,3]', max: 1KiB}}\n"
                    "stages: {r: {kernel: resize_bilinear, params: {height: 4}, in: {image: x}}}\noutputs: {y: r.image}\n")
    with pytest.raises(woa.Error, match="there is no such file"):
        woa.compile("absent.yaml")
    with pytest.raises(woa.Error, match="there is no problem 'E9999'"):
        woa.page("E9999")
    assert "window" in {option["name"] for option in woa.options("compile")}


def test_a_plan_of_another_version(tmp_path):
    woa.compile(copy_graph()).write(tmp_path / "plan")
    data = bytearray((tmp_path / "plan").read_bytes())
    data[8] ^= 0x40
    (tmp_path / "plan").write_bytes(data)
    with pytest.raises(woa.Error, match="plan"):
        woa.compile(tmp_path / "plan")
