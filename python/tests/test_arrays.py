"""Arrays in and out: what fits arrives unchanged, what does not is refused before anything runs."""
import ctypes
import random

import numpy as np
import pytest
from conftest import ELEMENTS, eventually

import woa


@pytest.mark.parametrize("element", ELEMENTS)
def test_each_element_type_comes_back(same, element):
    x = np.arange(12).astype(ELEMENTS[element]).reshape(3, 4)
    with woa.Run(same(f"{element}[h,w]")) as run:
        for copy in (True, False):
            y = run(x, copy=copy)
            assert y.dtype == x.dtype
            assert y.shape == (3, 4)
            assert (y == x).all()


def test_a_copy_may_be_changed_and_outlives_the_run(same):
    with woa.Run(same("f64[n]")) as run:
        y = run(np.arange(3.0))
    y += 1
    assert y.tolist() == [1, 2, 3]


def test_a_view_is_read_only_and_outlives_the_run(same):
    with woa.Run(same("f64[n]")) as run:
        y = run(np.arange(1000.0), copy=False)
        assert not y.flags.writeable
        assert run.statistics()["kept"] == 1
        part = y[10:20]
        del y
        assert run.statistics()["kept"] == 1  # the part is of the block too
    del run
    assert part.tolist() == list(range(10, 20))


def test_a_view_gives_its_place_back_when_it_is_dropped(same):
    with woa.Run(same("f64[n]")) as run:
        for number in range(3 * run.plan.window):
            y = run(np.array([float(number)]), copy=False)
            assert y[0] == number
            del y
        eventually(lambda: run.statistics()["kept"] == 0)  # the library's thread may still hold the last


def test_views_that_hold_the_window_are_an_error_and_no_deadlock(same):
    with woa.Run(same("f64[n]"), copy=False) as run:
        with pytest.raises(woa.Error, match="still in use.*copy=True") as caught:
            [run(np.zeros(4)) for _ in range(run.plan.window + 1)]
        assert caught.value.status == "back_pressured"
        del caught
        assert run(np.ones(1), copy=True).tolist() == [1]


def test_anything_with_a_buffer_or_dlpack(same):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    values = [1.0, 2.0, 3.0]
    with woa.Run(same("f64[n]")) as run:
        for x in (np.array(values), memoryview(np.array(values)), (ctypes.c_double * 3)(*values), Tensor(np.array(values))):
            assert run(x).tolist() == values


def test_bytes_take_text_and_buffers_and_give_bytes(run):
    for x in (b"abc", bytearray(b"abc"), memoryview(b"abc"), "abc", np.frombuffer(b"abc", "u1")):
        assert run(x) == b"abc"
    assert run("ä") == "ä".encode()
    assert run(b"") == b""
    view = run(b"abc", copy=False)
    assert isinstance(view, memoryview) and view.readonly and bytes(view) == b"abc"


def test_a_submitted_array_may_be_changed_afterwards(same):
    x = np.zeros(1)
    with woa.Run(same("f64[n]")) as run:
        futures = []
        for number in range(run.plan.window):
            x[0] = number
            futures.append(run.submit(x))
        x[0] = -1
        assert [future.result()[0] for future in futures] == list(range(run.plan.window))


def test_a_function_writes_the_input_in_place(same, run):
    with woa.Run(same("i32[2,3]", most=None)) as fixed:
        def ones(block):
            assert block.shape == (2, 3) and block.dtype == "int32"
            block[:] = 1

        assert fixed(ones).tolist() == [[1, 1, 1], [1, 1, 1]]
        assert fixed(lambda block: block.fill(2)).tolist() == [[2, 2, 2], [2, 2, 2]]
    with woa.Run(same("i32[h,w]")) as varying:
        def count(block):
            block[:6] = range(6)
            return 2, 3

        assert varying(count).tolist() == [[0, 1, 2], [3, 4, 5]]
        with pytest.raises(woa.Error, match="the sizes of all dimensions"):
            varying(lambda block: (6,))
    assert run(lambda block: len(block[:0]) or block.nbytes).__len__() == 64 << 10


def test_a_function_that_throws_fails_its_instance_alone(run):
    with pytest.raises(woa.Error, match="ZeroDivisionError: .*by zero") as caught:
        run(lambda block: 1 // 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert run(b"next") == b"next"


@pytest.mark.parametrize("answer", [None, "x", -1, 2**70, 1.5])
def test_a_function_that_returns_no_size_is_refused_with_port_found_and_expected(same, run, answer):
    for started, expected, advice in ((run, "bytes, at most 65536", "how many bytes"), (woa.Run(same("f64[h,w]")), "f64[h, w]", "a tuple of 2")):
        for returned in (answer, (1, answer), (1, 1, 1)):
            with pytest.raises(woa.InputError, match=advice) as caught:
                started(lambda block, returned=returned: returned)
            assert caught.value.port == "x"
            assert caught.value.expected == expected
            assert caught.value.found == f"a function that returned {returned!r}"


def test_an_exception_that_has_no_text_fails_its_instance_alone(run):
    class Mute(Exception):
        def __str__(self):
            raise KeyError

    def fail(error):
        raise error

    for error in (Mute(), KeyboardInterrupt(), SystemExit(3)):
        with pytest.raises(woa.Error, match=type(error).__name__) as caught:
            run(lambda block, error=error: fail(error))
        assert caught.value.__cause__ is error
    assert run(b"next") == b"next"


def test_a_function_that_keeps_the_block_is_told(run):
    kept = []
    with pytest.raises(woa.Error, match="kept the array"):
        run(lambda block: kept.append(block) or 1)
    with pytest.raises(woa.Error, match="bytes given, but there is room for"):
        run(lambda block: block.nbytes + 1)


REFUSED = [(np.zeros((3, 4), "f4"), r"float32\[3, 4\]", r"astype\('float64'\)"),
           (np.zeros((3, 4), ">f8"), r"big-endian float64\[3, 4\]", "astype"),
           (np.zeros((3, 4), order="F"), "not contiguous in C order", "ascontiguousarray"),
           (np.zeros((3, 8))[:, ::2], "not contiguous in C order", "ascontiguousarray"),
           (np.zeros(4), r"float64\[4\]", "reshape"),
           (np.zeros((3, 5)), r"float64\[3, 5\]", "dimension 1 is 5, expected 4"),
           (np.zeros((9, 4)), r"float64\[9, 4\]", "dimension 0 is 9, expected at most 8"),
           (np.zeros((3, 4), complex), "'Zd'", "astype"),
           (np.zeros(3, "M8[s]"), "ndarray without a buffer", "numbers"),
           ([[1.0] * 4], "list", "numpy.asarray"),
           ("text", "str", "numpy.asarray"),
           (3.0, "float", "numpy.asarray"),
           (None, "NoneType", "numpy.asarray")]


@pytest.mark.parametrize(("value", "found", "advice"), REFUSED)
def test_what_does_not_fit_is_refused_with_port_found_and_expected(same, value, found, advice):
    with woa.Run(same("f64[h,4]", dims={"h": {"max": 8}})) as run:
        with pytest.raises(woa.InputError, match=found) as caught:
            run(value)
        assert caught.value.port == "x"
        assert caught.value.expected == "f64[h, 4]"
        assert isinstance(caught.value, ValueError)
        with pytest.raises(woa.InputError, match=advice):
            run(value)
        assert run.statistics()["submitted"] == 0


class Measured(np.ndarray):
    """As packages for units have them."""


@pytest.mark.parametrize(("value", "found", "advice"), [
    (np.ma.masked_array([1.0, 2.0, 1e20], mask=[0, 0, 1]), "MaskedArray, which carries a mask", r"x\.filled\(value\)"),
    (np.arange(3.0).view(Measured), "Measured, which may carry more than numbers", r"numpy\.asarray\(x\)"),
])
def test_what_carries_more_than_numbers_is_refused(same, value, found, advice):
    @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
    def give(x):
        return value

    with woa.Run(same("f64[n]")) as run:
        for submit in (run, run.submit):
            with pytest.raises(woa.InputError, match=f"{found}.*{advice}"):
                submit(value)
        assert (run(np.asarray(value)) == np.asarray(value)).all()
    graph = woa.Graph("give")
    graph.output("y", graph.stage("s", give, x=graph.input("x", "f64[n]", max=64)).y)
    with woa.Run(woa.compile(graph)) as run, pytest.raises(woa.Error, match=f"output 'y': .*{found}.*{advice}"):
        run(np.arange(3.0))


def test_an_array_in_a_mapped_file_is_one_like_others(same, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3.0))
    with woa.Run(same("f64[n]")) as run:
        assert run(np.load(tmp_path / "x.npy", mmap_mode="r")).tolist() == [0, 1, 2]


def test_bytes_refuse_wide_elements_and_too_many(run):
    with pytest.raises(woa.InputError, match=r"float64\[2\].*view\('uint8'\)"):
        run(np.zeros(2))
    for items in (np.array(["ab", "c"]), np.array([b"ab", None])):
        with pytest.raises(woa.InputError, match=r"elements of format.*; encode its items: '\\n'.join\(x\).encode\(\) for text"):
            run(items)
    with pytest.raises(woa.InputError, match="65537 bytes, expected bytes, at most 65536; raise `max`"):
        run(bytes(65537))


def test_inputs_by_position_and_by_name():
    graph = woa.Graph("join")
    a, b = graph.input("a", "bytes", max=64), graph.input("b", "bytes", max=64)
    graph.output("y", graph.stage("s", "join2", a=a, b=b).data)
    with woa.Run(woa.compile(graph)) as run:
        assert run(b"1", b"2") == run(b=b"2", a=b"1") == run(b"1", b=b"2") == b"12"
        for values, named in (((b"1",), {}), ((b"1", b"2", b"3"), {}), ((b"1", b"2"), {"a": b"1"}), ((b"1",), {"c": b"2"})):
            with pytest.raises(TypeError, match="expected a, b, each once"):
                run(*values, **named)


def random_array(random_):
    """An array, and whether f64[h,4] with h <= 8 takes it: decided from how it was made, not from what it became."""
    dtype = random_.choice(["f8", "f8", "f8", "f4", "i8", "u8", "?", ">f8", "c16"])
    shape = random_.choice([(random_.randrange(11), 4)] * 4 + [(4,), (2, 3), (2, 4, 1), ()])
    base = np.zeros([2 * size for size in shape], dtype)
    base.ravel()[:] = random_.random()
    way = random_.choice(["dense", "dense", "dense", "strided", "reversed", "fortran", "transposed"])
    dense = np.ascontiguousarray(base[tuple(slice(0, size) for size in shape)]).reshape(shape)
    array = {"dense": lambda: dense, "strided": lambda: base[tuple(slice(None, None, 2) for _ in shape)],
             "reversed": lambda: dense[tuple(slice(None, None, -1) for _ in shape)], "fortran": lambda: np.asfortranarray(dense),
             "transposed": lambda: np.ascontiguousarray(dense.T).T}[way]()
    fits = dtype == "f8" and len(shape) == 2 and shape[1] == 4 and shape[0] <= 8
    # One row, or none, is contiguous in any order; going backwards it is not, unless there is nothing.
    lies = way == "dense" or 0 in shape or (way in ("fortran", "transposed") and shape[:1] == (1,))
    return array, fits and lies, f"{dtype} {shape} {way}"


def test_random_arrays_arrive_unchanged_or_are_refused(same):
    random_ = random.Random(26)
    taken = refused = 0
    with woa.Run(same("f64[h,4]", dims={"h": {"max": 8}})) as run:
        for _ in range(3000):
            array, fits, how = random_array(random_)
            if fits:
                y = run(array)
                assert (y == array).all() and y.shape == array.shape, how
                taken += 1
            else:
                with pytest.raises(woa.InputError):
                    run(array)
                    pytest.fail(how)
                refused += 1
        assert run.statistics()["succeeded"] == taken
    assert taken > 200 and refused > 200
