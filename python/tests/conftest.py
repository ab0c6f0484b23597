"""Graphs that several tests use."""
import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import woa

SOURCE = Path(__file__).resolve().parents[2]
ELEMENTS = {"u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32", "u64": "uint64", "i64": "int64",
            "f32": "float32", "f64": "float64"}
SAME = """
#include "woa/woa_kernel.h"
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  (void)self, (void)firing;
  if (woa_claim(&outs[0], "y", ins[0].bytes, error) != WOA_OK) return WOA_TOO_LARGE;
  if (ins[0].bytes != 0 && outs[0].data != ins[0].data) memcpy(outs[0].data, ins[0].data, ins[0].bytes);
  for (uint32_t d = 0; d < ins[0].rank; ++d) outs[0].dims[d] = ins[0].dims[d];
  return WOA_OK;
}
WOA_KERNEL_TABLE(.run = run)
"""


def copy_graph(most="64KiB", stages=1, kernel="copy", **keys):
    """x through `stages` stages to y."""
    graph = woa.Graph("copy", **keys)
    data = graph.input("x", "bytes", max=most)
    for number in range(stages):
        data = graph.stage(f"s{number}", kernel, data=data, on=f"cpu:{number}").data
    graph.output("y", data)
    return graph


def eventually(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.001)


def program(text, seconds=60, **more):
    """Runs a Python program of its own; its output."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=seconds, check=False,
                          cwd=os.path.dirname(__file__), **more)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split()


@pytest.fixture(scope="session", autouse=True)
def no_machine_file(tmp_path_factory):
    """A developer may have one of their own."""
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))


@pytest.fixture
def run():
    with woa.Run(woa.compile(copy_graph(window=4))) as started:
        yield started


@pytest.fixture(scope="session")
def same(tmp_path_factory):
    """A function that makes a plan whose output is its input, of any type."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("same")
    (folder / "same.c").write_text(SAME)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-I", SOURCE / "include", "-o", folder / "libsame.so", folder / "same.c"], check=True)

    def plan(type_, most=1 << 16, **keys):
        name = "same_" + "".join(each if each.isalnum() else "_" for each in type_)
        bound = "" if "[" in type_ and not any(each.isalpha() for each in type_.split("[")[1]) else f", max: {most}"
        (folder / f"{name}.yaml").write_text(
            f'woa_kernel: 1\nname: {name}\nin: {{x: {{type: "{type_}"}}}}\nout: {{y: {{type: "{type_}"{bound}, in_place: x}}}}\n'
            "library: libsame.so\nvariants: {cpu: {size: false}}\n")
        graph = woa.Graph("same", kernels=[str(folder / f"{name}.yaml")])
        x = graph.input("x", type_, max=most if bound else None, **keys)
        graph.output("y", graph.stage("s", name, x=x).y)
        return woa.compile(graph)

    return plan
