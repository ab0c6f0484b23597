"""Kernels in worker processes: what is sent there, and the program that runs them."""
from __future__ import annotations

import codecs
import importlib
import os
import pickle
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

_MAIN = "__main__"


class RemoteTraceback(Exception):  # noqa: N818
    """Where a kernel failed in a worker process: the cause of the exception that it raised there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return "\n" + self.text


class Prints:
    """What worker processes print, on its way to sys.stdout and sys.stderr as they are then."""

    def __init__(self) -> None:
        self._writers: list[int] = []
        self._threads: list[threading.Thread] = []
        for name in ("stdout", "stderr"):
            reader, writer = os.pipe()
            self._writers.append(writer)
            self._threads.append(threading.Thread(target=_copy, args=(reader, name), daemon=True))
            self._threads[-1].start()

    @property
    def options(self) -> dict[str, int]:
        """Of the run whose workers print."""
        return {"worker_output": self._writers[0], "worker_errors": self._writers[1]}

    def end(self) -> None:
        """Once the workers have ended: shows what is left."""
        for writer in self._writers:
            os.close(writer)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(1)


def _copy(reader: int, name: str) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with open(reader, "rb", buffering=0) as pipe:
        while chunk := pipe.read(1 << 16):
            stream = getattr(sys, name)
            if stream is not None:
                stream.write(decoder.decode(chunk))
                stream.flush()


def command() -> list[str]:
    """The program of worker processes: this interpreter, with its flags, and this package."""
    if not sys.executable:
        raise RuntimeError("this program has no Python interpreter to start (sys.executable), which worker processes need")
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    package = str(Path(__file__).resolve().parent.parent)
    return [sys.executable, *flags, "-c", f"import sys; sys.path.insert(0, {package!r}); from woa._worker import main; main()"]


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
        return pickle.dumps((list(sys.path), os.getcwd(), cloudpickle.dumps(target), ports))
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
    if isinstance(target, bytes):
        return pickle.loads(target), ports
    module, name = target
    importlib.import_module(module)
    return _named(module, name), ports


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


def main() -> None:
    """Runs firings until the run needs this process no more."""
    from . import _woa
    from ._kernel import receive

    sys.argv = ["woa-worker"]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(_woa.serve_worker(receive))
