"""Worker processes, as the program that starts them sees them."""
from __future__ import annotations

import codecs
import os
import sys
import threading
from pathlib import Path


def command() -> list[str]:
    """The program of worker processes: this interpreter, with its flags, and this package."""
    if not sys.executable:
        raise RuntimeError("this program has no Python interpreter to start (sys.executable), which worker processes need")
    import subprocess  # slow to import

    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    package = str(Path(__file__).resolve().parent.parent)
    return [sys.executable, *flags, "-c", f"import sys; sys.path.insert(0, {package!r}); from woa._worker import main; main()"]


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
