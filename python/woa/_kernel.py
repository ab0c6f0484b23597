"""Kernels in Python."""
from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from . import _woa
from ._sending import pack, unpack_error
from ._yaml import flow

Function = TypeVar("Function", bound=Callable[..., Any])
# The descriptions of kernels in Python, by name: for plans to say which stages are slow, and for the program `woa`.
registered: dict[str, str] = {}
Ports = Mapping[str, "str | Mapping[str, Any]"]


class KernelFailed(Exception):
    """A kernel threw; the text says what and where, in a line."""


def kernel(inputs: Ports, outputs: Ports, *, name: str | None = None, params: Mapping[str, Mapping[str, Any]] | None = None,
           max: int | str = "64MiB", side_effects: bool = False) -> Callable[[Function], Function]:
    """Makes a function a kernel, for graphs that this process compiles and runs.

        @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
        def twice(x):
            return 2 * x                    # is copied to where the next stage reads

        @woa.kernel({"x": "f64[n]"}, {"y": "f64[n]"})
        def thrice(x, y):
            numpy.multiply(x, 3, out=y)     # writes there itself

        graph.stage("a", twice, x=x)

    The function takes its inputs in order: read-only arrays, or memoryviews for `bytes`. It returns its output, or a
    tuple of several; or it takes arrays for all outputs, too, whose dimensions are fixed or those of inputs by the same
    names. It must not keep any of them. `params` are declared as in kernel.yaml (`{"k": {"type": "int", "default": 1}}`)
    and come as keywords. `max` bounds outputs whose size varies. `name` is the function's.

    A class stands for its objects: it is made once in each process, without arguments, and called as a function is.

    Firings that take long run in worker processes, on all cores (`woa.Run(plan, python=...)`). Those get the function by
    its module and name, or by cloudpickle. What it does to variables stays there: `side_effects=True` keeps a
    function in this process, where one firing runs at a time.

    **Python kernels are slow**: a firing costs microseconds beside its work. `processes="per-controller"` refuses them.
    """
    def decorate(function: Function) -> Function:
        _register(function, name or function.__name__, _declared(inputs, None), _declared(outputs, max), dict(params or {}), side_effects)
        function.kernel_name = name or function.__name__  # type: ignore[attr-defined]
        return function

    return decorate


def _dims(type_: str) -> list[str]:
    return re.findall(r"[^,\[\]\s]+", type_.partition("[")[2])


def _declared(ports: Ports, most: int | str | None) -> dict[str, dict[str, Any]]:
    """Ports as kernel.yaml has them."""
    declared: dict[str, dict[str, Any]] = {}
    for name, port in ports.items():
        declared[name] = dict(port) if isinstance(port, Mapping) else {"type": port}
        dims = _dims(declared[name]["type"])
        if most is not None and not (dims and all(dim.isdigit() for dim in dims)):
            declared[name].setdefault("max", most)
    return declared


def _place(error: BaseException, function: Callable[..., Any]) -> str:
    """The line that raised it: of the function's code, or of what that called. Of a result that is refused: the
    function's first line."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    if lines:
        return f"{lines[-1].filename}:{lines[-1].lineno}"
    code = getattr(function, "__code__", None)
    return repr(function) if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def _drop_locals(error: BaseException) -> None:
    """Of the frames that an exception keeps: they may be arrays, whose memory is another firing's next."""
    rest: list[BaseException | None] = [error]
    seen: set[int] = set()
    while rest:
        each = rest.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        traceback.clear_frames(each.__traceback__)
        while each.__traceback__ is not None and each.__traceback__.tb_frame.f_code.co_filename == __file__:
            each.__traceback__ = each.__traceback__.tb_next
        if each.__suppress_context__:
            each.__context__ = None  # raised `from` another: nobody is shown it
        rest += [each.__cause__, each.__context__]


def firing(function: Callable[..., Any], name: str, inputs: dict[str, Any], outputs: dict[str, Any],
           params: dict[str, Any]) -> Callable[..., None]:
    """What the library calls for a firing: (parameters, inputs, outputs to be written)."""
    is_class = inspect.isclass(function)
    signature = inspect.signature(function.__call__ if is_class else function)  # type: ignore[operator]
    positional = [each for each in list(signature.parameters.values())[1 if is_class else 0:]
                  if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) and each.name not in params]
    in_place = bool(outputs) and len(positional) == len(inputs) + len(outputs)
    if not in_place and len(positional) != len(inputs):
        raise TypeError(f"kernel '{name}': its function takes {len(positional)} arrays, expected {len(inputs)}, one for each input"
                        f" ({', '.join(inputs)}), or {len(inputs) + len(outputs)}, with the outputs ({', '.join(outputs)})")
    in_dims = [_dims(port["type"]) for port in inputs.values()]
    out_dims = [_dims(port["type"]) for port in outputs.values()]
    known = {dim for dims in in_dims for dim in dims}
    for port, dims in zip(outputs, out_dims, strict=True):
        if in_place and (not dims or any(not dim.isdigit() and dim not in known for dim in dims)):
            raise TypeError(f"kernel '{name}': the size of output '{port}' is not that of an input: return it")
    made: list[Callable[..., Any]] = [] if is_class else [function]
    types: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "bool": lambda text: text == "true"}

    def fire(given: dict[str, str], values: tuple[Any, ...], rooms: tuple[_woa.Room, ...]) -> None:
        named = {key: types.get(params[key]["type"], str)(text) for key, text in given.items()}
        if not made:
            made.append(function())
        if in_place:
            sizes = {dim: size for dims, value in zip(in_dims, values, strict=True)
                     for dim, size in zip(dims, value.shape, strict=False)}
            made[0](*values, *(room.claim([sizes[dim] if dim in sizes else int(dim) for dim in dims])
                                for room, dims in zip(rooms, out_dims, strict=True)), **named)
        else:
            results = made[0](*values, **named)
            for room, result in zip(rooms, results if len(rooms) > 1 else (results,), strict=False):
                room.write(result)

    def call(given: dict[str, str], values: tuple[Any, ...], rooms: tuple[_woa.Room, ...]) -> None:
        try:
            fire(given, values, rooms)
        except BaseException as error:  # KeyboardInterrupt and SystemExit fail the instance, too
            failed = error
        else:
            return
        said = f": {failed}" if str(failed) else ""
        text = f"{type(failed).__name__}{said} ({_place(failed, function)})"
        _drop_locals(failed)
        del values, rooms  # of this frame, which those of the exception name
        raise KernelFailed(text) from failed

    return call


def _register(function: Callable[..., Any], name: str, inputs: dict[str, Any], outputs: dict[str, Any], params: dict[str, Any],
              side_effects: bool) -> None:
    call = firing(function, name, inputs, outputs, params)

    def send() -> bytes | None:
        return None if side_effects else pack(function, (name, inputs, outputs, params))

    declared = {"woa_kernel": 1, "name": name, "in": inputs, "out": outputs, **({"params": params} if params else {}),
                "serial": True, "variants": {"cpu": {}}}
    description = "".join(f"{key}: {flow(value)}\n" for key, value in declared.items())
    _woa.register_kernel(description, *types(inputs, outputs), call, send, unpack_error)
    registered[name] = description


def types(inputs: dict[str, Any], outputs: dict[str, Any]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Names and types of ports, for the extension module."""
    return [(port, each["type"]) for port, each in inputs.items()], [(port, each["type"]) for port, each in outputs.items()]
