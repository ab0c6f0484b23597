"""The program's answers as dicts; pictures and tables for notebooks."""
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import copy_graph

import woa
from woa import _show


def image_graph():
    graph = woa.Graph("image")
    image = graph.input("image", "u8[height,width,channels]", max="1MiB", dims={"channels": {"max": 3}})
    graph.output("image", graph.stage("s", "resize_bilinear", image=image, params={"width": 8, "height": 4}).image)
    return graph


def test_profile_compile_and_explain(tmp_path):
    graph = image_graph()
    measured = woa.profile(graph, {"image": np.zeros((16, 16, 3), "u1")}, output=tmp_path / "profile", repetitions=3)
    assert "s" in measured["stages"]
    assert (tmp_path / "profile").is_file()
    plan = woa.compile(graph, profile=tmp_path / "profile")
    assert plan.json()["certificate"]
    assert {edge["from"] for edge in woa.explain(plan)["edges"]} == {"source.image", "s.image"}
    assert woa.verify(plan)["ok"]


def test_compare_shows_itself_as_a_table():
    comparison = woa.compare(copy_graph(stages=2), {"x": b"data"}, run=True, repetitions=3)
    assert {row["model"] for row in comparison["models"]} >= {"woa", "rpc-hub"}
    shown = comparison._repr_html_()
    assert shown.startswith("<table><tr><th>model</th>")
    assert "<td>rpc-hub</td>" in shown
    head, *rows = str(comparison).split("\n")
    assert head.split() == "model messages payload predicted period measured".split()
    woa_row = next(row for row in rows if row.startswith("woa "))
    assert len(woa_row) == len(head)
    assert woa_row.split()[1] == "3"
    assert "woa" in rows[-1] or "WOA" in rows[-1]
    assert repr(comparison) == repr(dict(comparison))


def test_a_comparison_says_which_model_is_left_out():
    comparison = woa.Comparison(models=[{"model": "woa", "messages": 3.0}, {"model": "rpc-nested", "cannot_place": {"message": "why"}}],
                                outputs_differ={"output": "y", "models": ["woa", "rpc-hub"]}, break_even={"why_nothing": "one device", "gains": False})
    assert str(comparison) == ("model       messages\nwoa                3\nrpc-nested         -\nrpc-nested: why\n"
                               "WOA gains nothing here: one device\nthe outputs differ: y of woa and rpc-hub")
    assert "<p>rpc-nested: why</p>" in comparison._repr_html_()


def test_errors_of_the_program_are_exceptions(tmp_path):
    with pytest.raises(woa.GraphError) as caught:
        woa.explain("woa: 1\ngraph: bad\nstages: {}\n")
    assert caught.value.diagnostics[0].code.startswith("E")
    with pytest.raises(woa.Error, match="no such file or folder"):
        woa.compare(copy_graph(), {"x": tmp_path / "absent"})
    with pytest.raises(woa.Error, match="there is no option '--nope"):
        woa.explain(copy_graph(), nope=1)


def test_relative_paths_are_of_the_graph(tmp_path, monkeypatch):
    (tmp_path / "parts.yaml").write_text("woa: 1\ngraphs: {}\n")
    monkeypatch.chdir(tmp_path)
    graph = copy_graph(includes=["parts.yaml"])
    assert woa.explain(graph)["graph"] == "copy"
    assert woa.explain(woa.Graph.from_yaml(str(graph), tmp_path / "there.yaml"))["graph"] == "copy"
    assert os.listdir(tmp_path) == ["parts.yaml"]


def test_kernels_in_python_are_known_and_not_run():
    woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"}, name="detrend")(lambda x: x)
    graph = woa.Graph("signal")
    x = graph.input("x", "f64[n]", max="64KiB")
    graph.output("y", graph.stage("s", "detrend", x=x).y)
    assert {edge["to"] for edge in woa.explain(graph)["edges"]} == {"s.x", "sink.y"}
    for ask in (lambda: woa.profile(graph, {"x": np.zeros(1)}), lambda: woa.compare(graph), lambda: woa.compare(graph, run=True)):
        with pytest.raises(woa.Error, match=r"cannot run kernels in Python \(detrend\)"):
            ask()


def test_errors_name_the_graph_and_not_a_file_of_ours():
    graph = woa.Graph("signal")
    graph.output("y", graph.stage("s", "detrendd", x=graph.input("x", "bytes", max=64)).y)
    with pytest.raises(woa.GraphError) as caught:
        woa.explain(graph)
    assert caught.value.diagnostics[0].file == "signal.yaml"
    assert "signal.yaml:" in str(caught.value)
    assert ".signal-" not in str(caught.value)


def test_pictures(monkeypatch):
    graph = copy_graph()
    if _show.picture("digraph {}") is not None:
        assert graph._repr_html_().startswith("<svg")
        assert "s0" in woa.compile(graph)._repr_html_()
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert woa.compile(graph)._repr_html_() == ("<table><tr><th>stage</th><th>kernel</th><th>controller</th></tr>"
                                                "<tr><td>s0</td><td>copy</td><td>cpu:0</td></tr></table>")
    graph.stage("bad", "absent")
    assert "error[E0201]" in graph._repr_html_()


@pytest.mark.parametrize("language", ["c", "c++", "python"])
def test_a_new_kernel(language, tmp_path):
    """What `woa new-kernel` prints is typed as it stands."""
    if language != "python" and shutil.which("c++") is None:
        pytest.skip("no compiler")
    environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}

    def typed(line):
        done = subprocess.run(["sh", "-ec", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    lines = [line.strip() for line in typed(f"woa new-kernel scale --language {language}").splitlines() if line.startswith("  ")]
    printed = [typed(line) for line in lines]
    assert printed[-1] == "scale: ok\n"
    assert printed[-2] == ("b'IBM'\n" if language == "python" else "IBM")


def test_the_program_of_the_package():
    for command in ([sys.executable, "-m", "woa"], [os.path.join(os.path.dirname(sys.executable), "woa")]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["woa", woa.__version__]
