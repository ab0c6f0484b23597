"""Functions of Python as kernels."""
import threading

import numpy as np
import pytest
from conftest import ELEMENTS, copy_graph

import woa


def plan_of(kernel, type_="f64[n]", out="y", **keys):
    graph = woa.Graph("own")
    x = graph.input("x", type_, max=1 << 16)
    graph.output("y", graph.stage("s", kernel, x=x, **keys)[out])
    return woa.compile(graph)


def test_a_function_that_returns_its_output():
    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
    def twice(x):
        assert not x.flags.writeable
        return 2 * x

    with woa.Run(plan_of(twice)) as run:
        assert run(np.arange(4.0)).tolist() == [0, 2, 4, 6]
        assert [y.size for y in run.map([np.zeros(n) for n in range(20)])] == list(range(20))


def test_a_size_that_a_graph_fixes_is_shown():
    kernel = woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"}, name="fixed")(lambda x: x)
    assert "(x: f64[3]) -> (y: f64[n])" in repr(plan_of(kernel, "f64[3]"))
    assert "(x: f64[n]) -> (y: f64[n])" in repr(plan_of(kernel))


def test_a_function_that_writes_its_output_in_place():
    @woa.kernel({"x": "f32[h,w]"}, {"y": "f32[w,h]", "sum": "f32[1]"})
    def transpose(x, y, total):
        y[:] = x.T
        total[0] = x.sum()

    graph = woa.Graph("two")
    stage = graph.stage("s", transpose, x=graph.input("x", "f32[h,w]", max=4096))
    graph.output("y", stage.y)
    graph.output("sum", stage.sum)
    x = np.arange(6, dtype="f4").reshape(2, 3)
    with woa.Run(woa.compile(graph)) as run:
        y, total = run(x)
    assert (y == x.T).all()
    assert total.tolist() == [15]


def test_bytes_parameters_and_several_outputs():
    @woa.kernel({"x": "bytes"}, {"head": "bytes", "tail": "bytes"}, params={"at": {"type": "int", "default": 1}})
    def cut(x, at):
        return x[:at], x[at:]

    graph = woa.Graph("cut")
    stage = graph.stage("s", cut, x=graph.input("x", "bytes", max=64), params={"at": 2})
    graph.output("head", stage.head)
    graph.output("tail", stage.tail)
    with woa.Run(woa.compile(graph)) as run:
        assert run(b"abcde") == (b"ab", b"cde")


@pytest.mark.parametrize("element", ELEMENTS)
def test_each_element_type(element):
    @woa.kernel({"x": f"{element}[n]"}, {"y": f"{element}[n]"}, name=f"same_{element}")
    def same(x):
        assert x.dtype == ELEMENTS[element]
        return x

    x = np.arange(5).astype(ELEMENTS[element])
    with woa.Run(plan_of(same, f"{element}[n]")) as run:
        y = run(x)
    assert y.dtype == x.dtype and (y == x).all()


def throws(error):
    def function(x):
        raise error

    return function


def fails(function, match, **ports):
    kernel = woa.kernel({"x": "f64[n]"}, {"y": ports.pop("y", "f64[n]")}, name="fails", **ports)(function)
    with woa.Run(plan_of(kernel)) as run:
        for _ in range(2):
            with pytest.raises(woa.Error, match=match) as caught:
                run(np.zeros(4))
    return caught.value


def test_what_a_kernel_does_wrong_fails_its_instance():
    error = fails(lambda x: 1 // 0, r"stage 's': ZeroDivisionError: .* \(.*test_kernels.py:[0-9]+\)")
    assert error.status == "kernel_failed"
    assert type(error.__cause__) is ZeroDivisionError
    for interrupt in (KeyboardInterrupt(), SystemExit(3)):
        fails(throws(interrupt), rf"stage 's': {type(interrupt).__name__}(: 3)? \(.*test_kernels.py")
    fails(lambda x: x.astype("f4"), r"output 'y': found float32\[4\], expected f64\[n\]; x.astype\('float64'\) .*\(.*test_kernels.py:[0-9]+\)")
    fails(lambda x: None, "found NoneType, expected f64")
    fails(lambda x: np.zeros, "found builtin_function_or_method, expected f64")
    fails(lambda x: np.zeros(100), "output 'y' needs 800 bytes, its bound is 64", max=64)
    kept = []
    fails(lambda x: kept.append(x) or x, "kept an array")
    fails(lambda x, y: kept.append(y), "kept an array")
    assert all(each.shape == (4,) and each.tobytes() for each in kept)  # their runs have ended; they hold anything


def test_an_exception_keeps_no_array_of_its_firing():
    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
    def raises(x):
        part = x[1:]
        try:
            part.frobnicate()
        except AttributeError:
            raise ValueError("of this") from None

    class Holds(Exception):
        pass

    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
    def holds(x):
        raise Holds(x)

    with woa.Run(plan_of(raises)) as run:
        cause = run.submit(np.zeros(4)).exception().__cause__
        assert type(cause) is ValueError
        assert cause.__traceback__ is not None
    with woa.Run(plan_of(holds)) as run:
        assert run.submit(np.zeros(4)).exception().__cause__ is None  # it has the array itself


def test_a_function_of_the_wrong_shape_is_refused_where_it_is_made():
    with pytest.raises(TypeError, match=r"takes 3 arrays, expected 1, one for each input \(x\), or 2, with the outputs \(y\)"):
        woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"}, name="three")(lambda a, b, c: a)
    with pytest.raises(TypeError, match="the size of output 'y' is not that of an input: return it"):
        woa.kernel({"x": "f64[n]"}, {"y": "f64[m]"}, name="other")(lambda x, y: None)
    with pytest.raises(woa.Error, match="f65"):
        woa.kernel({"x": "f65[n]"}, {"y": "f64[n]"}, name="unknown")(lambda x: x)


def test_it_runs_in_this_process_alone(tmp_path):
    seen = []

    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
    def here(x):
        seen.append(threading.current_thread())
        return x

    plan = plan_of(here)
    with woa.Run(plan) as run:
        run(np.zeros(1))
    assert seen[0] is not threading.current_thread()
    with pytest.raises(woa.Error) as caught:
        woa.Run(plan, processes="per-controller")
    assert caught.value.status == "unsupported"
    with pytest.raises(woa.Error) as caught:
        plan.write(tmp_path / "plan")
    assert caught.value.status == "unsupported"


@pytest.mark.parametrize("use", ["run(x)", "run.submit(x)", "future.result()", "run.finish()"])
def test_a_kernel_that_waits_for_its_own_run_is_told(use):
    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"}, name="itself", side_effects=True)
    def itself(x):
        given.wait(10)
        eval(use, names)
        return x

    given, names = threading.Event(), {"x": np.zeros(1)}
    with woa.Run(plan_of(itself)) as run:
        future = run.submit(np.zeros(1))
        names.update(run=run, future=future)
        given.set()
        with pytest.raises(woa.Error, match="stage 's': Error: a kernel cannot submit to its own run, nor wait for it"):
            future.result(10)


def test_a_kernel_may_use_another_run():
    @woa.kernel({"data": "bytes"}, {"data": "bytes"}, side_effects=True)
    def asks(data):
        return inner(data)

    with woa.Run(woa.compile(copy_graph())) as inner, woa.Run(woa.compile(copy_graph(kernel="asks"))) as run:
        assert run(b"x") == b"x"


def test_a_kernel_registered_again_is_for_later_plans():
    plans = []
    for factor in (2, 3):
        plans.append(plan_of(woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"}, name="times")(by(factor))))
    for plan, factor in zip(plans, (2, 3), strict=True):
        with woa.Run(plan) as run:
            assert run(np.ones(1)).tolist() == [factor]


def by(factor):
    return lambda x: factor * x


def test_python_and_shipped_kernels_beside_each_other():
    @woa.kernel({"data": "bytes"}, {"data": "bytes"})
    def shout(data):
        return bytes(data).upper()

    graph = copy_graph(stages=2)
    graph.output("loud", graph.stage("last", shout, data="s1.data").data)
    plan = woa.compile(graph)
    assert plan.slow_stages == ("last",)
    assert "slow because in Python: last" in repr(plan)
    with woa.Run(plan) as run:
        assert run("abc") == (b"abc", b"ABC")
