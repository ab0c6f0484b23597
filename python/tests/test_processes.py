"""Functions of Python in worker processes."""
import os
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
import sent_kernels
from test_kernels import plan_of

import woa

NUMBERS = [np.full(1, k, dtype="f8") for k in range(8)]


def all_of(kernel, python="processes", **keys):
    with woa.Run(plan_of(kernel), python=python, **keys) as run:
        return list(run.map(NUMBERS, return_exceptions=True))


def test_a_function_of_a_module_runs_in_other_processes():
    processes = {int(y[0]) for y in all_of(sent_kernels.slow_process, workers=2)}
    assert len(processes) == 2
    assert os.getpid() not in processes
    assert {int(y[0]) for y in all_of(sent_kernels.process, python="threads")} == {os.getpid()}


def test_long_firings_leave_this_process_by_themselves():
    with woa.Run(plan_of(sent_kernels.process)) as run:
        assert int(run(NUMBERS[0])[0]) == os.getpid()  # one alone is tried here
    assert {int(y[0]) for y in all_of(sent_kernels.slow_process, python=None)[2:]} - {os.getpid()}


def test_outputs_in_place_and_bytes_both_ways():
    for k, y in enumerate(all_of(sent_kernels.twice_in_place)):
        assert y.tolist() == [2 * k]
    big = np.random.default_rng(1).random(4000)
    with woa.Run(plan_of(sent_kernels.twice_in_place), python="processes") as run:
        assert (run(big) == 2 * big).all()


def test_an_exception_keeps_its_type_and_its_place():
    for k, y in enumerate(all_of(sent_kernels.fails_on_odd)):
        if k % 2 == 0:
            assert y.tolist() == [k]
            continue
        assert y.status == "kernel_failed"
        assert f"Odd: {k} is odd" in str(y)
        assert "sent_kernels.py:" in str(y)
        # Its class cannot be copied from its text, so its text and its traceback remain.
        assert f"{k} is odd" in str(y.__cause__)
        assert "raise Odd(int(x[0]))" in str(y.__cause__.__cause__)


@pytest.mark.parametrize(("kernel", "end"), [(sent_kernels.ends_on_odd, "was ended by signal 11"), (sent_kernels.leaves_on_odd, "exit code 3")])
def test_a_process_that_ends_fails_one_instance(kernel, end):
    for k, y in enumerate(all_of(kernel)):
        if k % 2:
            assert f"kernel '{kernel.kernel_name}': its process" in str(y)
            assert end in str(y)
        else:
            assert y.tolist() == [k]


def test_processes_end_with_the_run_that_somebody_still_has():
    with woa.Run(plan_of(sent_kernels.process), python="processes") as run:
        worker = int(run(NUMBERS[0])[0])
    assert not os.path.exists(f"/proc/{worker}")
    with pytest.raises(ZeroDivisionError), woa.Run(plan_of(sent_kernels.process), python="processes") as run:  # noqa: PT012
        worker = int(run(NUMBERS[0])[0])
        1 / 0  # noqa: B018
    assert not os.path.exists(f"/proc/{worker}")


def test_prints_come_through_the_streams_of_this_program(capsys):
    all_of(sent_kernels.prints)
    said = capsys.readouterr()
    assert sorted(said.out.split("\n")[:-1]) == [f"printed {k}" for k in range(8)]
    assert sorted(said.err.split("\n")[:-1]) == [f"to stderr {k}" for k in range(8)]


def test_a_class_is_made_once_in_each_process():
    for python, workers in (("processes", 1), ("threads", 2)):
        made = all_of(sent_kernels.Counts, python=python, workers=workers)
        assert {int(y[0]) for y in made} == {1}
    assert sorted(int(y[1]) for y in made) == list(range(1, 9))


def test_what_cannot_be_sent_stays_with_a_warning_or_is_refused():
    pytest.importorskip("cloudpickle")
    lock = threading.Lock()  # no other process can have it

    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"}, name="local")
    def local(x):
        return x if lock else None

    with pytest.warns(woa.Warning, match="one at a time, since worker processes cannot run them: stage 's', kernel 'local': cloudpickle"):
        assert [y.tolist() for y in all_of(local, python=None)] == [[k] for k in range(8)]
    with pytest.raises(woa.Error, match="worker processes cannot run stage 's', kernel 'local'"):
        all_of(local)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert {int(y[0]) for y in all_of(sent_kernels.stays, python=None)} == {os.getpid()}
    with pytest.raises(woa.Error, match="its functions are to stay in this process"):
        all_of(sent_kernels.stays)


def test_without_cloudpickle_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    kernel = woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"}, name="unnamed")(lambda x: x)
    with pytest.raises(woa.Error, match="put it into one, or install cloudpickle"):
        all_of(kernel)


def test_a_wrong_choice_is_named():
    with pytest.raises(ValueError, match="python: found 'process', expected 'processes', 'threads' or None"):
        woa.Run(plan_of(sent_kernels.process), python="process")


@pytest.mark.parametrize("how", ["file", "-c", "-m"])
def test_a_script_needs_no_guard_and_leaves_nothing(tmp_path, how):
    """Its functions are in __main__, which no worker imports."""
    pytest.importorskip("cloudpickle")
    text = textwrap.dedent("""
        import os, time, numpy, woa
        print("main")
        @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
        def slow(x):
            time.sleep(0.01)
            return numpy.full(1, os.getpid(), dtype="f8")
        graph = woa.Graph("g")
        x = graph.input("x", "f64[n]", max=64)
        graph.output("y", graph.stage("s", slow, x=x).y)
        run = woa.Run(woa.compile(graph), python="processes")
        print(*{int(y[0]) for y in run.map([numpy.zeros(1)] * 8)} - {os.getpid()})
    """)
    (tmp_path / "script.py").write_text(text)
    arguments = {"file": ["script.py"], "-c": ["-c", text], "-m": ["-m", "script"]}[how]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    said = done.stdout.split()
    assert said[0] == "main"
    assert said.count("main") == 1
    workers = [int(word) for word in said[1:]]
    assert workers
    for _ in range(100):
        if not any(os.path.exists(f"/proc/{pid}/exe") for pid in workers):
            return
        time.sleep(0.1)
    pytest.fail("workers are left")
