"""Kernels and their errors on the way between a program and its worker processes."""
from __future__ import annotations

import importlib
import os
import pickle
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

_MAIN = "__main__"


class RemoteTraceback(Exception):  # noqa: N818
    """Where a kernel failed in a worker process: the cause of the exception that it raised there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return "\n" + self.text


def pack(target: Callable[..., Any], ports: tuple[Any, ...]) -> bytes:
    """A function, or a class whose objects are called, for a worker process: by its name where a module there has it, by
    its code elsewhere. Raises TypeError with what to do if it cannot be sent."""
    module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", "")
    if module not in (None, _MAIN) and _named(module, name) is target:
        return pickle.dumps((list(sys.path), os.getcwd(), (module, name), ports))
    try:
        import cloudpickle
    except ImportError:
        raise TypeError("it is not a function of a module that can be imported; put it into one, or install cloudpickle, which sends"
                        " functions of programs, notebooks and other functions") from None
    try:
        file = getattr(getattr(target, "__code__", None), "co_filename", None)
        return pickle.dumps((list(sys.path), os.getcwd(), (cloudpickle.dumps(target), file), ports))
    except Exception as error:
        raise TypeError(f"cloudpickle cannot send it: {error}") from error


def _named(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def unpack(sent: bytes) -> tuple[Any, ...]:
    """The function, and its ports as pack() got them."""
    path, folder, target, ports = pickle.loads(sent)
    sys.path[:] = path
    os.chdir(folder)
    module, name = target
    if isinstance(module, bytes):  # the function itself, and its file
        return _of_file(pickle.loads(module), name), ports
    importlib.import_module(module)
    return _named(module, name), ports


def _of_file(target: Any, file: str | None) -> Any:
    """A function whose code names its file again, for errors: cloudpickle leaves that out."""
    def named(code: types.CodeType) -> types.CodeType:
        inner = tuple(named(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
        return code.replace(co_filename=file, co_consts=inner)

    if file is not None and isinstance(target, types.FunctionType):
        target.__code__ = named(target.__code__)
    return target


def pack_error(error: BaseException) -> bytes:
    """An exception with the text of its traceback; its text alone if it cannot be sent."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        packed = pickle.dumps((error, text))
        pickle.loads(packed)
    except Exception:  # noqa: BLE001 - whatever its class does when it is copied
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), text))
    return packed


def unpack_error(packed: bytes) -> BaseException:
    """The exception that a kernel raised in a worker process."""
    error, text = pickle.loads(packed)
    error.__cause__ = RemoteTraceback(text)
    return error
